//! Diagnostics: what is wrong, where, and a way out. Codes are declared once, in [`codes`].

pub mod codes;
pub mod lint_levels;
pub mod render;
pub mod sarif;
pub mod suggestions;

pub use codes::{CODES, Code, Severity};
pub use lint_levels::LintLevels;

use fizzle_grammar::ast::Span;

/// A problem of the sources.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Which kind of problem.
    pub code: &'static Code,
    /// How bad it is here: a warning may be denied.
    pub severity: Severity,
    /// What is wrong here: lowercase, no final period, user input in backticks.
    pub message: String,
    /// Where.
    pub span: Span,
    /// What stands there.
    pub label: String,
    /// Other places that matter.
    pub labels: Vec<(Span, String)>,
    /// Ways out.
    pub help: Vec<String>,
    /// Those of them that an editor can carry out.
    pub fixes: Vec<TextFix>,
    /// The item that it is about: while some of that cannot be read, it is not told.
    pub whole_item: Option<Span>,
}

/// In the text of a span one word is to be replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextFix {
    /// Where the word is found.
    pub span: Span,
    /// The word, as it is or between quotes.
    pub word: String,
    /// What is to stand there.
    pub with: String,
}

impl TextFix {
    /// The bytes that are replaced, counted as those of its span; `text` is what stands there.
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

    /// Says what stands at the place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        self.label = label.into();
        self
    }

    /// Points to another place.
    #[must_use]
    pub fn also(mut self, span: Span, label: impl Into<String>) -> Self {
        self.labels.push((span, label.into()));
        self
    }

    /// Says a way out.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help.push(help.into());
        self
    }

    /// Says that a way out is another word at the place of the problem.
    #[must_use]
    pub fn fix(mut self, word: impl Into<String>, with: impl Into<String>) -> Self {
        self.fixes.push(TextFix { span: self.span, word: word.into(), with: with.into() });
        self
    }

    /// Says which name was probably meant, if one is close.
    #[must_use]
    pub fn did_you_mean<'n>(self, word: &str, names: impl IntoIterator<Item = &'n str>) -> Self {
        match closest(word, names) {
            Some(name) => self.help(format!("did you mean `{name}`?")).fix(word, name),
            None => self,
        }
    }

    /// It is about all of an item, and not known while some of that cannot be read.
    #[must_use]
    pub fn for_whole_item(self, item: Span) -> Self {
        Self { whole_item: Some(item), ..self }
    }

    /// Says a way out, unless one is known already.
    #[must_use]
    pub fn or_help(self, help: impl Into<String>) -> Self {
        if self.help.is_empty() { self.help(help) } else { self }
    }

    /// Whether it is told because something stands nowhere: not known while something is broken.
    #[must_use]
    pub fn depends_on_whole_program(&self) -> bool {
        [codes::NEVER_HAPPENS.code, codes::UNUSED_DECLARATION.code, codes::ALWAYS_EMPTY.code].contains(&self.code.code)
    }

    /// Whether nothing can be made of the sources.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

/// The name that needs the fewest edits to become `word`, if these are few.
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
        // Nothing but capital letters.
        if name != word && name.eq_ignore_ascii_case(word) {
            return Some(name);
        }
        // Of a short word with another beginning hardly anything is left.
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

/// Edit distance with transpositions of neighbours; more than `limit` when that is clear early.
fn distance(a: &str, b: &str, limit: usize) -> usize {
    // A character has four bytes at most.
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

/// Sorts by place and leaves out repetitions (a text that is lowered more than once tells its problems once), and what is lacking in items that
/// cannot be read as a whole.
pub fn tidy(diagnostics: &mut Vec<Diagnostic>) {
    let unread: Vec<Span> = diagnostics.iter().filter(|it| it.code.code == codes::SYNTAX.code).map(|it| it.span).collect();
    diagnostics.retain(|it| {
        let inside = |item: Span, at: &Span| at.file == item.file && item.start <= at.start && at.start < item.end;
        it.whole_item.is_none_or(|item| !unread.iter().any(|at| inside(item, at)))
    });
    diagnostics.sort_by(|a, b| (a.span, a.code.code, &a.message).cmp(&(b.span, b.code.code, &b.message)));
    diagnostics.dedup_by(|a, b| a.span == b.span && a.code.code == b.code.code && a.message == b.message);
}
