//! Syntax errors: their kinds, spans, messages and helps.

use smol_str::SmolStr;

use crate::span::Span;

/// The help for text that is nested too deeply.
pub(crate) const NESTING_HELP: &str = "move a part of it into a `let`, a function, a noun or an action";

/// One syntax error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SyntaxError {
    /// The text that the error is about.
    pub span: Span,
    /// What is wrong.
    pub kind: SyntaxErrorKind,
    /// A suggestion, if there is a likely one.
    pub help: Option<String>,
}

/// The kinds of syntax errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SyntaxErrorKind {
    /// A quoted name does not end on its line.
    UnclosedString,
    /// A bracket is never closed.
    UnclosedBrace {
        /// `{`, `(` or `[`.
        open: SmolStr,
    },
    /// A price symbol is never closed.
    UnclosedSymbol {
        /// Its text, without the brace.
        symbol: SmolStr,
    },
    /// Characters that begin no token.
    UnknownCharacter {
        /// The characters.
        text: SmolStr,
    },
    /// A name contains a hidden character ([`crate::hidden_characters`]).
    HiddenCharacter {
        /// The character.
        character: char,
    },
    /// Nesting or a chain of operators beyond the limit.
    TooDeep {
        /// The greatest depth or length.
        limit: usize,
    },
    /// An item that is longer than the limit.
    ItemTooLarge {
        /// The greatest length in bytes.
        limit: usize,
    },
    /// Text outside of any item.
    StrayText,
    /// A line at the left edge begins with a word that is no item keyword.
    UnknownItem {
        /// The word.
        word: SmolStr,
    },
    /// A reserved word in the place of a name.
    Reserved {
        /// The word.
        word: SmolStr,
    },
    /// A token that the grammar does not accept at its position.
    Expected {
        /// The token in backquotes, or `the end of …`.
        found: SmolStr,
        /// Descriptions of what the grammar accepts; may be empty.
        expected: Vec<String>,
    },
    /// A mandatory part is missing.
    Missing {
        /// The part.
        part: SmolStr,
    },
    /// A doc comment with no item below it. It has no effect; the text is valid.
    LooseDocs,
    /// A number beyond the limit.
    NumberTooLarge,
    /// The file has more bytes than offsets can count (4 GiB).
    FileTooLarge,
}

impl std::fmt::Display for SyntaxErrorKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::UnclosedString => f.write_str("this name is never closed"),
            Self::UnclosedBrace { open } => write!(f, "this `{open}` is never closed"),
            Self::UnclosedSymbol { symbol } => write!(f, "the symbol `{{{symbol}` is never closed"),
            Self::UnknownCharacter { text } => write!(f, "unknown character `{text}`"),
            Self::HiddenCharacter { character } => {
                write!(f, "the hidden character U+{:04X} is not allowed in a name", u32::from(*character))
            }
            Self::TooDeep { limit } => write!(f, "nested more than {limit} levels deep"),
            Self::ItemTooLarge { limit } => write!(f, "this item has more than {limit} bytes"),
            Self::StrayText => f.write_str("this is outside of any item"),
            Self::UnknownItem { word } => write!(f, "no item begins with `{word}`"),
            Self::Reserved { word } => write!(f, "`{word}` is a reserved word and cannot be a name"),
            Self::Expected { found, expected } => {
                if expected.is_empty() {
                    return write!(f, "{found} is not allowed here");
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
            Self::LooseDocs => f.write_str("no item follows this doc comment"),
            Self::NumberTooLarge => f.write_str("this number is too large"),
            Self::FileTooLarge => f.write_str("this file is too large"),
        }
    }
}

impl SyntaxError {
    /// Whether the error loses no item, so that it is only a warning.
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

/// The known word that is nearest to a mistyped one.
///
/// `None` if all differ by more than 1 letter (words of up to 4 letters) or 2 letters, or if the word has more than 24.
pub(crate) fn nearest<'w>(word: &str, known: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    let length = word.chars().count();
    if length > 24 {
        return None;
    }
    let allowed = if length <= 4 { 1 } else { 2 };
    let known = known.filter(|other| other.chars().count().abs_diff(length) <= allowed);
    known.map(|other| (edit_distance(word, other), other)).filter(|(far, _)| *far <= allowed).min().map(|(_, other)| other)
}

/// The edit distance: the number of letters to add, remove, change or swap (Damerau–Levenshtein, restricted).
fn edit_distance(a: &str, b: &str) -> usize {
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
