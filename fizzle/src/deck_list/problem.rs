//! The problems of a list: their kinds and the wording of each. `resolve` finds unknown cards and sections; the readers of the formats find all others.

use super::{MAX_CARDS, MAX_COPIES, MAX_LINES, MAX_LIST_BYTES, MAX_NAME_CHARS};
use std::fmt;

/// A problem of a list, and where it is.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ListProblem {
    /// The number of the line, from 1; 0 for the list as a whole.
    pub line: usize,
    /// The problem.
    pub kind: ListProblemKind,
}

impl fmt::Display for ListProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            0 => self.kind.fmt(f),
            line => write!(f, "line {line}: {}", self.kind),
        }
    }
}

/// A kind of problem.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ListProblemKind {
    /// The list is too large.
    #[error("the list is too large: the limit is {MAX_LIST_BYTES} bytes")]
    TooLarge,
    /// The list has too many lines.
    #[error("the list has more than {MAX_LINES} lines with cards")]
    TooManyLines,
    /// The list has too many cards.
    #[error("the list has more than {MAX_CARDS} cards")]
    TooManyCards,
    /// The list has no card.
    #[error("the list has no cards; write lines such as `4 NAME`")]
    Empty,
    /// The list names cards by number.
    #[error(
        "the list names cards by their passcodes (`.ydk`, `ydke://`), which packs do not have: export the deck as a text list with the names of \
         the cards, as most deck editors can"
    )]
    Passcodes,
    /// A line has a number, but no name.
    #[error("a number without the name of a card")]
    NoName,
    /// A name is too long.
    #[error("the name has more than {MAX_NAME_CHARS} characters")]
    LongName,
    /// A name has a character that is not shown.
    #[error("the name has the hidden character `{}`", .0.escape_unicode())]
    HiddenCharacter(char),
    /// A number of copies is 0 or too large.
    #[error("a line has 1 to {MAX_COPIES} copies, not {0}")]
    Copies(String),
    /// No card has the name.
    #[error("there is no card `{name}`{}", did_you_mean(.similar))]
    UnknownCard {
        /// The name.
        name: String,
        /// The name that is most like it.
        similar: Option<String>,
    },
    /// Neither a card nor a section has the name.
    #[error("there is no card `{name}`{}, and no section of this name: {}; a comment begins with `//`", did_you_mean(.similar), in_words(.sections))]
    UnknownLine {
        /// The name.
        name: String,
        /// The name of a card that is most like it.
        similar: Option<String>,
        /// The sections of the format, with their smallest and largest size.
        sections: Vec<(String, u32, u32)>,
    },
    /// Several cards have names that are like the name.
    #[error("`{name}` can be {}: write the name as the card has it", .names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" or "))]
    AmbiguousCard {
        /// The name.
        name: String,
        /// The names of the cards.
        names: Vec<String>,
    },
    /// The format has no such section.
    #[error("the format has no section `{name}`: {}", in_words(.sections))]
    UnknownSection {
        /// The name.
        name: String,
        /// The sections of the format, with their smallest and largest size.
        sections: Vec<(String, u32, u32)>,
    },
    /// The text is not XML, or has what a list does not need.
    #[error("the XML cannot be read: {0}")]
    Xml(String),
    /// The XML is not a deck of Cockatrice.
    #[error("the XML is no deck of Cockatrice: its first element is `{0}`, not `cockatrice_deck`")]
    OtherXml(String),
    /// The source of a deck has an error.
    #[error("{0}")]
    Syntax(String),
    /// The source has not one deck.
    #[error("a list has one `deck` and nothing else; a file with more needs a name that ends in `.fz`")]
    OtherSource,
}

impl ListProblemKind {
    /// The problem in a line.
    #[must_use]
    pub fn at(self, line: usize) -> ListProblem {
        ListProblem { line, kind: self }
    }
}

fn did_you_mean(similar: &Option<String>) -> String {
    similar.as_ref().map_or_else(String::new, |name| format!(" (did you mean `{name}`?)"))
}

/// The sections of a format, in words.
fn in_words(sections: &[(String, u32, u32)]) -> String {
    let words = |(name, least, most): &(String, u32, u32)| match (least, most) {
        (least, most) if least == most => format!("`{name}` ({least} cards)"),
        (least, most) => format!("`{name}` ({least} to {most} cards)"),
    };
    match sections {
        [] => "it has `main` only".to_owned(),
        sections => format!("it has {}", sections.iter().map(words).collect::<Vec<_>>().join(", ")),
    }
}
