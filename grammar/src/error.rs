//! What can be wrong with a text, in words of the language.

use smol_str::SmolStr;

use crate::ast::Span;

/// The way out of what is nested too deeply.
pub(crate) const NESTING_HELP: &str = "give a part of it a name of its own: by `let`, a function, a noun or an action";

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// Where.
    pub span: Span,
    /// What.
    pub kind: SyntaxErrorKind,
    /// A way out, when one is likely.
    pub help: Option<String>,
}

/// The ways a text can be wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SyntaxErrorKind {
    /// A quoted name does not end on its line.
    UnclosedString,
    /// A bracket is never closed.
    UnclosedBrace {
        /// `{`, `(` or `[`.
        open: SmolStr,
    },
    /// A symbol of a price is never closed.
    UnclosedSymbol {
        /// What stands in it.
        symbol: SmolStr,
    },
    /// Characters that mean nothing.
    UnknownCharacter {
        /// The characters.
        text: SmolStr,
    },
    /// Nested more deeply than is read, or a chain of operators longer than is read.
    TooDeep {
        /// How deep is allowed.
        limit: usize,
    },
    /// Text that belongs to no item.
    StrayText,
    /// A line at the left edge begins with a word that begins no item.
    UnknownItem {
        /// The word.
        word: SmolStr,
    },
    /// A reserved word where a name should stand.
    Reserved {
        /// The word.
        word: SmolStr,
    },
    /// Something else should stand here.
    Expected {
        /// What stands here, as written, or `the end of …`.
        found: SmolStr,
        /// What may stand here, in words.
        expected: Vec<String>,
    },
    /// A part that must be there is not.
    Missing {
        /// The part.
        part: SmolStr,
    },
    /// A doc comment with no item below it: nothing is wrong with the text, but something is lost.
    LooseDocs,
    /// A number that does not fit.
    NumberTooLarge,
    /// The file has more bytes than places can be counted.
    FileTooLarge,
}

impl std::fmt::Display for SyntaxErrorKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UnclosedString => f.write_str("this name is never closed"),
            Self::UnclosedBrace { open } => write!(f, "this `{open}` is never closed"),
            Self::UnclosedSymbol { symbol } => write!(f, "the symbol `{{{symbol}` is never closed"),
            Self::UnknownCharacter { text } => write!(f, "`{text}` means nothing here"),
            Self::TooDeep { limit } => write!(f, "nested more than {limit} deep"),
            Self::StrayText => f.write_str("this belongs to no item"),
            Self::UnknownItem { word } => write!(f, "no item begins with `{word}`"),
            Self::Reserved { word } => write!(f, "`{word}` is a word of the language and cannot be a name"),
            Self::Expected { found, expected } => {
                if expected.is_empty() {
                    return write!(f, "{found} cannot stand here");
                }
                f.write_str("expected ")?;
                for (index, what) in expected.iter().enumerate() {
                    match index {
                        0 => {}
                        _ if index + 1 == expected.len() => f.write_str(" or ")?,
                        _ => f.write_str(", ")?,
                    }
                    f.write_str(what)?;
                }
                write!(f, ", found {found}")
            }
            Self::Missing { part } => write!(f, "{part} is missing"),
            Self::LooseDocs => f.write_str("this doc comment belongs to nothing"),
            Self::NumberTooLarge => f.write_str("this number is too large"),
            Self::FileTooLarge => f.write_str("this file is too large"),
        }
    }
}

impl SyntaxError {
    /// Whether the text can be read all the same.
    #[must_use]
    pub fn is_recoverable(&self) -> bool {
        self.kind == SyntaxErrorKind::LooseDocs
    }
}

impl std::fmt::Display for SyntaxError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.kind.fmt(f)
    }
}

impl std::error::Error for SyntaxError {}

/// The known word nearest to a mistyped one, if it is near.
pub(crate) fn nearest<'w>(word: &str, known: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    let length = word.chars().count();
    if length > 24 {
        return None;
    }
    let allowed = if length <= 4 { 1 } else { 2 };
    known.map(|other| (distance(word, other), other)).filter(|(far, _)| *far <= allowed).min().map(|(_, other)| other)
}

/// How many letters to add, remove, change or swap.
fn distance(a: &str, b: &str) -> usize {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let width = b.len() + 1;
    let mut table = vec![0_usize; (a.len() + 1) * width];
    let at = |table: &[usize], i: usize, j: usize| table.get(i * width + j).copied().unwrap_or(0);
    for i in 0..=a.len() {
        for j in 0..=b.len() {
            let value = if i == 0 || j == 0 {
                i + j
            } else {
                let same = a.get(i - 1) == b.get(j - 1);
                let mut best =
                    (at(&table, i - 1, j) + 1).min(at(&table, i, j - 1) + 1).min(at(&table, i - 1, j - 1) + usize::from(!same));
                if i > 1 && j > 1 && a.get(i - 1) == b.get(j - 2) && a.get(i - 2) == b.get(j - 1) {
                    best = best.min(at(&table, i - 2, j - 2) + 1);
                }
                best
            };
            if let Some(cell) = table.get_mut(i * width + j) {
                *cell = value;
            }
        }
    }
    at(&table, a.len(), b.len())
}
