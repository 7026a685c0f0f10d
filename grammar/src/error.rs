//! Syntax errors: their kinds, spans, messages and helps.

use smol_str::SmolStr;

use crate::span::Span;

/// The help for text that is nested too deeply.
pub(crate) const NESTING_HELP: &str = "move a part of it into a `let`, a function, a noun or an action";

/// The help for an ability that begins in the middle of a line.
pub(crate) const NEW_LINE_HELP: &str = "an ability begins on a new line or after `;`";

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
    /// The whole file is in the notation of another tool.
    ForeignFile {
        /// The notation.
        language: SmolStr,
    },
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
    /// A notation of printed texts or of another language.
    Notation {
        /// What is wrong.
        message: SmolStr,
        /// The text that replaces the wrong one, if it is known.
        replacement: Option<SmolStr>,
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
    /// The file has more errors than are kept. The rest of it is not read.
    TooManyErrors {
        /// The number that is kept.
        limit: usize,
    },
    /// The sources have more items than are read. The rest of the file is not read.
    TooManyItems {
        /// The number that is read.
        limit: usize,
    },
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
            Self::TooManyErrors { limit } => write!(f, "more than {limit} errors; the rest of the file is not read"),
            Self::TooManyItems { limit } => write!(f, "more than {limit} items; the rest of the file is not read"),
            Self::StrayText => f.write_str("this is outside of any item"),
            Self::ForeignFile { language } => write!(f, "this file is {language}, not Fizzle"),
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
            Self::Notation { message, .. } => f.write_str(message),
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

/// The longest words that have a nearest one, in characters.
const MAX_CHARS: usize = 24;

/// The known word that is nearest to a mistyped one. Allocates nothing: lines of a broken file each compare their first word with all keywords.
///
/// `None` if all differ by more than 1 letter (words of up to 4 letters) or 2 letters, or if the word has more than [`MAX_CHARS`].
pub(crate) fn nearest<'w>(word: &str, known: impl Iterator<Item = &'w str>) -> Option<&'w str> {
    let mut buffer = ['\0'; MAX_CHARS];
    let word = characters(word, &mut buffer)?;
    let allowed = if word.len() <= 4 { 1 } else { 2 };
    let mut best: Option<(usize, &str)> = None;
    for other in known {
        let mut buffer = ['\0'; MAX_CHARS + 2];
        let Some(letters) = characters(other, &mut buffer) else { continue };
        if letters.len().abs_diff(word.len()) > allowed {
            continue;
        }
        let far = edit_distance(word, letters);
        if far <= allowed && best.is_none_or(|best| (far, other) < best) {
            best = Some((far, other));
        }
    }
    best.map(|(_, other)| other)
}

/// The characters of a word; `None` if it has more than the buffer.
fn characters<'b>(word: &str, buffer: &'b mut [char]) -> Option<&'b [char]> {
    let mut count = 0;
    for letter in word.chars() {
        *buffer.get_mut(count)? = letter;
        count += 1;
    }
    buffer.get(..count)
}

/// The edit distance: the number of letters to add, remove, change or swap (Damerau–Levenshtein, restricted).
fn edit_distance(a: &[char], b: &[char]) -> usize {
    const ROW: usize = MAX_CHARS + 3;
    // the row before the last one, the last one, and the current one
    let (mut older, mut before, mut row) = ([0_usize; ROW], [0_usize; ROW], [0_usize; ROW]);
    let at = |row: &[usize; ROW], j: usize| row.get(j).copied().unwrap_or(usize::MAX);
    before.iter_mut().enumerate().for_each(|(j, cell)| *cell = j);
    for (i, letter) in a.iter().enumerate() {
        let mut last = i + 1;
        for (j, other) in b.iter().enumerate() {
            let mut best = (at(&before, j + 1) + 1).min(last + 1).min(at(&before, j) + usize::from(letter != other));
            let earlier = (i.checked_sub(1).and_then(|i| a.get(i)), j.checked_sub(1).and_then(|j| b.get(j)));
            if let (Some(earlier_letter), Some(earlier_other)) = earlier
                && letter == earlier_other
                && earlier_letter == other
            {
                best = best.min(at(&older, j - 1) + 1);
            }
            if let Some(cell) = row.get_mut(j + 1) {
                *cell = best;
            }
            last = best;
        }
        row[0] = i + 1;
        (older, before, row) = (before, row, older);
    }
    at(&before, b.len())
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn the_nearest_word_differs_by_few_letters() {
        let known = || ["card", "constant", "text", "token"].into_iter();
        for (word, expected) in [
            ("card", Some("card")),
            ("crad", Some("card")),
            ("car", Some("card")),
            ("cards", Some("card")),
            ("next", Some("text")),
            ("cosntatn", Some("constant")),
            ("ocnsatnt", Some("constant")),
            ("constantes", Some("constant")),
            ("coxxxant", None),
            ("dr", None),
            ("", None),
            ("constantconstantconstantx", None),
        ] {
            assert_eq!(nearest(word, known()), expected, "{word}");
        }
    }
}
