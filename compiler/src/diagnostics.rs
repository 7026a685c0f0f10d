//! Diagnostics: problems of the sources with their place and suggestions. [`codes`] declares all codes.

pub mod codes;
mod excerpt;
pub mod lint_levels;
pub mod render;
pub mod sarif;
pub mod suggestions;

pub use codes::{CODES, Code, Severity};
pub use lint_levels::LintLevels;

use fizzle_grammar::ast::Span;
use std::borrow::Cow;

/// A problem of the sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Its code.
    pub code: &'static Code,
    /// Its severity here: a denied warning is an error.
    pub severity: Severity,
    /// The message: lowercase, no final period, user input in backticks.
    pub message: String,
    /// Its place.
    pub span: Span,
    /// The label at its place.
    pub label: String,
    /// Labels at other places.
    pub labels: Vec<(Span, String)>,
    /// Suggestions.
    pub help: Vec<String>,
    /// The suggestions that an editor can apply.
    pub fixes: Vec<TextFix>,
    /// The item that it depends on as a whole. It is dropped if a part of this item cannot be parsed.
    pub whole_item: Option<Span>,
}

/// Replaces one word in the text of a span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFix {
    /// The span that contains the word.
    pub span: Span,
    /// The word, with or without quotes.
    pub word: String,
    /// The replacement.
    pub with: String,
}

impl TextFix {
    /// The replaced bytes, counted as those of its span. `text`: the text of the span. `None` if the word is not in it.
    #[must_use]
    pub fn bytes(&self, text: &str) -> Option<(u32, u32)> {
        let start = self.span.start + text.rfind(&self.word)? as u32;
        Some((start, start + self.word.len() as u32))
    }
}

impl Diagnostic {
    /// A problem without label and help.
    #[must_use]
    pub fn new(code: &'static Code, span: Span, message: impl Into<String>) -> Self {
        Self {
            code,
            severity: code.severity,
            message: message.into(),
            span,
            label: String::new(),
            labels: Vec::new(),
            help: Vec::new(),
            fixes: Vec::new(),
            whole_item: None,
        }
    }

    /// Sets the label at its place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Adds a label at another place.
    #[must_use]
    pub fn also(mut self, span: Span, label: impl Into<String>) -> Self {
        self.labels.push((span, label.into()));
        self
    }

    /// Adds a suggestion.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Adds a fix: another word at the place of the problem.
    #[must_use]
    pub fn fix(mut self, word: impl Into<String>, with: impl Into<String>) -> Self {
        self.fixes.push(TextFix { span: self.span, word: word.into(), with: with.into() });
        self
    }

    /// Suggests the closest name, if one is close.
    #[must_use]
    pub fn did_you_mean<'n>(self, word: &str, names: impl IntoIterator<Item = &'n str>) -> Self {
        match closest(word, names) {
            Some(name) => self.help(format!("did you mean `{name}`?")).fix(word, name),
            None => self,
        }
    }

    /// Sets the item that it depends on as a whole.
    #[must_use]
    pub fn for_whole_item(self, item: Span) -> Self {
        Self { whole_item: Some(item), ..self }
    }

    /// Adds a suggestion, unless there is one.
    #[must_use]
    pub fn or_help(self, help: impl Into<String>) -> Self {
        if self.help.is_empty() { self.help(help) } else { self }
    }

    /// Whether it depends on the whole program: it reports a missing use, which a broken item may contain.
    #[must_use]
    pub fn depends_on_whole_program(&self) -> bool {
        [codes::NEVER_HAPPENS.code, codes::UNUSED_DECLARATION.code, codes::ALWAYS_EMPTY.code].contains(&self.code.code)
    }

    /// Whether it prevents an artifact.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// The name with the smallest edit distance to `word`, if that is at most 1 to 3, depending on the length of the word.
#[must_use]
pub fn closest<'n>(word: &str, names: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    let limit = match word.chars().count() {
        0..=2 => 0,
        3..=5 => 1,
        6..=9 => 2,
        _ => 3,
    };
    let mut best: Option<(usize, &str)> = None;
    for name in names {
        // They differ only by case.
        if name != word && name.eq_ignore_ascii_case(word) {
            return Some(name);
        }
        // A short word must have the same first letter.
        if limit < 2 && word.chars().next() != name.chars().next() {
            continue;
        }
        let edits = distance(word, name, limit);
        if edits <= limit && name != word && best.is_none_or(|(least, _)| edits < least) {
            best = Some((edits, name));
        }
    }
    best.map(|(_, name)| name)
}

/// Edit distance with transpositions of neighbours. Returns any number above `limit` if the lengths already differ by more.
fn distance(a: &str, b: &str, limit: usize) -> usize {
    // A character has at most four bytes.
    if a.len().abs_diff(b.len()) > limit * 4 {
        return limit + 1;
    }
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let mut rows: Vec<Vec<usize>> = vec![(0..=b.len()).collect()];
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let change = usize::from(a[i - 1] != b[j - 1]);
            let mut least = (rows[i - 1][j] + 1).min(row[j - 1] + 1).min(rows[i - 1][j - 1] + change);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(rows[i - 2][j - 2] + 1);
            }
            row.push(least);
        }
        rows.push(row);
    }
    rows[a.len()][b.len()]
}

/// Sorts diagnostics by place. Removes duplicates, since code can be lowered more than once, and those that depend on an item that cannot be
/// parsed as a whole. Cuts long texts of a source in the messages.
pub fn tidy(diagnostics: &mut Vec<Diagnostic>) {
    let unparsed: Vec<Span> = diagnostics.iter().filter(|it| it.code.code == codes::SYNTAX.code).map(|it| it.span).collect();
    diagnostics.retain(|it| {
        let inside = |item: Span, at: &Span| at.file == item.file && item.start <= at.start && at.start < item.end;
        it.whole_item.is_none_or(|item| !unparsed.iter().any(|at| inside(item, at)))
    });
    for problem in diagnostics.iter_mut() {
        let labels = problem.labels.iter_mut().map(|(_, label)| label);
        for text in labels.chain(&mut problem.help).chain([&mut problem.message, &mut problem.label]) {
            if let Cow::Owned(short) = render::shorten_quoted(text) {
                *text = short;
            }
        }
    }
    diagnostics.sort_by(|a, b| (a.span, a.code.code, &a.message).cmp(&(b.span, b.code.code, &b.message)));
    diagnostics.dedup_by(|a, b| a.span == b.span && a.code.code == b.code.code && a.message == b.message);
}
