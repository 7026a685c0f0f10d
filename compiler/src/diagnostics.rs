//! Diagnostics: problems of the sources with their place and suggestions.
//!
//! | What | Where |
//! |---|---|
//! | All codes, with their explanations | [`codes`] |
//! | The closest name to an unknown one (did you mean) | `closest_name` |
//! | Suggestions for words of other languages and of printed texts | [`word_suggestions`] |
//! | Severities that a pack or the command line changes | [`lint_levels`] |
//! | How diagnostics are printed | [`render`], [`sarif`] |

pub(crate) mod closest_name;
pub mod codes;
mod excerpt;
pub mod lint_levels;
pub mod render;
pub mod sarif;
pub mod word_suggestions;

pub use closest_name::{allow_comparisons, closest};
pub use codes::{CODES, Code, Severity};
pub use lint_levels::LintLevels;

use fizzle_grammar::ast::Span;
use std::borrow::{Borrow, Cow};
use std::cell::Cell;
use std::collections::BTreeMap;

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
    /// How many further ones of its code it stands for, which are only counted (see [`keep_first`]).
    pub more: usize,
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
        CREATED.set(CREATED.get().saturating_add(1));
        Self {
            code,
            severity: code.severity,
            message: cut(message),
            span,
            label: String::new(),
            labels: Vec::new(),
            help: Vec::new(),
            fixes: Vec::new(),
            whole_item: None,
            more: 0,
        }
    }

    /// Sets the label at its place.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Self {
        if has_details() {
            self.label = cut(label);
        }
        self
    }

    /// Adds a label at another place.
    #[must_use]
    pub fn also(mut self, span: Span, label: impl Into<String>) -> Self {
        if has_details() {
            // most have one; a vector that grows has room for four
            self.labels.reserve_exact(1);
            self.labels.push((span, cut(label)));
        }
        self
    }

    /// Adds a suggestion.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        if has_details() {
            self.help.reserve_exact(1);
            self.help.push(cut(help));
        }
        self
    }

    /// Adds a fix: another word at the place of the problem.
    #[must_use]
    pub fn fix(mut self, word: impl Into<String>, with: impl Into<String>) -> Self {
        if has_details() {
            self.fixes.reserve_exact(1);
            self.fixes.push(TextFix { span: self.span, word: word.into(), with: with.into() });
        }
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

    /// How many it stands for: itself, and those that are only counted.
    #[must_use]
    pub fn count(&self) -> usize {
        self.more.saturating_add(1)
    }

    /// Whether it prevents an artifact.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

thread_local! {
    /// The number of diagnostics that the stage created.
    static CREATED: Cell<usize> = const { Cell::new(0) };
}

/// Whether diagnostics have labels and suggestions. Beyond the number that is listed, those of one stage have only a message and a place: all
/// are counted, but a pack can lead to half as many of them as it has bytes.
pub(crate) fn has_details() -> bool {
    CREATED.get() <= render::MAX_DIAGNOSTICS_LISTED
}

/// Allows [`MAX_COMPARISONS`](crate::limits::MAX_COMPARISONS) comparisons of names for the suggestions that follow on this thread. A compiler stage calls it when it begins,
/// so that its suggestions do not depend on what the thread did before. Also counts its diagnostics from 0.
pub fn reset_comparisons() {
    closest_name::allow_max_comparisons();
    CREATED.set(0);
}

/// A message without what is too long for one, so that thousands of them need little memory.
fn cut(message: impl Into<String>) -> String {
    let message = message.into();
    match render::shorten_quoted(&message) {
        Cow::Borrowed(_) => message,
        Cow::Owned(short) => short,
    }
}

/// Diagnostics of a list up to which none of them is only counted.
pub(crate) const MAX_KEPT: usize = 2 * render::MAX_DIAGNOSTICS_LISTED;

/// Keeps the first diagnostics, and of the others one of each code, which counts the rest: a pack can lead to as many of them as it has bytes, and
/// no more than [`render::MAX_DIAGNOSTICS_LISTED`] are listed. Does nothing up to twice `most`, so that the work is in proportion to the list.
pub(crate) fn keep_first(diagnostics: &mut Vec<Diagnostic>, most: usize) {
    if diagnostics.len() <= most.saturating_mul(2).max(1) {
        return;
    }
    sort_unique(diagnostics);
    let mut kept: Vec<Diagnostic> = Vec::with_capacity(most + 16);
    let mut counting: BTreeMap<(&str, bool), usize> = BTreeMap::new();
    for (number, problem) in std::mem::take(diagnostics).into_iter().enumerate() {
        let next = kept.len();
        let known =
            if number < most { None } else { Some(*counting.entry((problem.code.code, problem.is_error())).or_insert(next)) };
        match known.and_then(|known| kept.get_mut(known)) {
            Some(first) => first.more = first.more.saturating_add(problem.count()),
            None => kept.push(problem),
        }
    }
    *diagnostics = kept;
}

/// As [`keep_first`], with as many as are listed.
pub(crate) fn keep_listed(diagnostics: &mut Vec<Diagnostic>) {
    keep_first(diagnostics, render::MAX_DIAGNOSTICS_LISTED);
}

/// Sorts diagnostics by place. Removes duplicates, since code can be lowered more than once, and those that depend on an item that cannot be
/// parsed as a whole. Cuts long texts of a source in the messages.
pub fn tidy(diagnostics: &mut Vec<Diagnostic>) {
    diagnostics.iter_mut().for_each(shorten);
    sort_unique(diagnostics);
}

/// Cuts long texts of a source in the messages of a diagnostic.
pub(crate) fn shorten(problem: &mut Diagnostic) {
    let labels = problem.labels.iter_mut().map(|(_, label)| label);
    for text in labels.chain(&mut problem.help).chain([&mut problem.message, &mut problem.label]) {
        if let Cow::Owned(short) = render::shorten_quoted(text) {
            *text = short;
        }
    }
}

/// As [`tidy`], without cutting: diagnostics can be borrowed.
pub(crate) fn sort_unique<D: Borrow<Diagnostic>>(diagnostics: &mut Vec<D>) {
    let is_syntax = |it: &&Diagnostic| it.code.code == codes::SYNTAX.code;
    let mut unparsed: Vec<Span> = diagnostics.iter().map(Borrow::borrow).filter(is_syntax).map(|it| it.span).collect();
    unparsed.sort_unstable();
    diagnostics.retain(|it| {
        let is_broken = |item: Span| {
            let next = unparsed.partition_point(|at| (at.file, at.start) < (item.file, item.start));
            unparsed.get(next).is_some_and(|at| at.file == item.file && at.start < item.end)
        };
        !it.borrow().whole_item.is_some_and(is_broken)
    });
    diagnostics.sort_by(|a, b| {
        let (a, b) = (a.borrow(), b.borrow());
        let key = |it: &'_ Diagnostic| (it.span, it.code.code);
        key(a).cmp(&key(b)).then_with(|| a.message.cmp(&b.message)).then(b.more.cmp(&a.more))
    });
    diagnostics.dedup_by(|a, b| {
        let (a, b) = ((*a).borrow(), (*b).borrow());
        a.span == b.span && a.code.code == b.code.code && a.message == b.message
    });
}
