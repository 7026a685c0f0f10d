//! Deck lists as people and other programs write them: text in, the deck of a game out, and back.
//!
//! | What | Where |
//! |---|---|
//! | The formats of lists, and which one a text has | [`FORMATS`] |
//! | Lines of a number and a name: plain lists, MTG Arena, Forge and XMage | `lines` |
//! | The XML of Cockatrice | `cockatrice` |
//! | A `deck` as sources write it | `source` |
//! | Passcodes (`.ydk`, `.ydke`) | recognised by `lines` and refused: packs have no passcodes |
//! | The cards and sections of a game | `resolve`, `card_names` |
//! | Sources and plain lists from decks | `write` |
//!
//! A list may come from a stranger: its size, lines, copies and names are limited, and names with hidden characters are refused.

mod card_names;
mod cockatrice;
mod lines;
mod problem;
mod resolve;
mod source;
mod write;

use fizzle_grammar::hidden_characters::first_hidden;
use fizzle_runtime::ir::encoding_limits::MAX_OBJECTS;
use fizzle_runtime::ir::verify::MAX_NAME_CHARS;
pub use problem::{ListProblem, ListProblemKind};
pub use resolve::{ListedCard, ResolvedList};
pub use write::{to_plain_list, to_source};

/// The largest list, in bytes.
pub const MAX_LIST_BYTES: u64 = 256 << 10;
/// The most copies of a line.
pub const MAX_COPIES: u32 = 250;
/// The most cards of a list: the objects that a game can have.
pub const MAX_CARDS: u32 = MAX_OBJECTS as u32;
/// The most lines with cards.
const MAX_LINES: usize = 1000;
/// The most problems that are reported.
const MAX_PROBLEMS: usize = 50;

/// A format of lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListFormat {
    /// Lines of a number and a name.
    Lines,
    /// The XML of Cockatrice.
    Cockatrice,
    /// A `deck` of the language.
    Source,
    /// Passcodes of cards.
    Passcodes,
}

/// How a format is recognised, and read.
#[derive(Debug)]
pub struct FormatRow {
    /// The format.
    pub format: ListFormat,
    /// What messages and pages call it.
    pub title: &'static str,
    /// The ends of names of its files. They decide; the content decides about other files.
    pub extensions: &'static [&'static str],
    looks_like: fn(&str) -> bool,
    read: fn(&str) -> Result<DeckList, ListProblem>,
}

/// All formats. Of those that a text looks like, it has the first.
pub const FORMATS: [FormatRow; 4] = [
    FormatRow {
        format: ListFormat::Source,
        title: "a deck of the language",
        extensions: &["fz"],
        looks_like: source::looks_like,
        read: source::read,
    },
    FormatRow {
        format: ListFormat::Cockatrice,
        title: "a deck of Cockatrice",
        extensions: &["cod"],
        looks_like: cockatrice::looks_like,
        read: cockatrice::read,
    },
    FormatRow {
        format: ListFormat::Passcodes,
        title: "a list of passcodes",
        extensions: &["ydk", "ydke"],
        looks_like: lines::has_passcodes,
        read: |_| Err(ListProblemKind::Passcodes.at(0)),
    },
    FormatRow {
        format: ListFormat::Lines,
        title: "a list of cards",
        extensions: &["dck"],
        looks_like: |_| true,
        read: lines::read,
    },
];

/// A list that was read. Names of cards and sections are as written: [`DeckList::resolve`] finds them in a game.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeckList {
    /// Its format.
    pub format: ListFormat,
    /// The name of the deck, if the list has one.
    pub name: Option<String>,
    /// The format of a game that it is for, if the list names one.
    pub game_format: Option<String>,
    entries: Vec<Entry>,
    /// The number of cards among the entries.
    cards: usize,
    problems: Vec<ListProblem>,
}

/// A part of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Entry {
    /// The number of the line, from 1.
    line: usize,
    kind: EntryKind,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum EntryKind {
    /// The name of the section of the following cards.
    Heading(String),
    /// A comment. It is a heading if it is a usual name of a section.
    Comment(String),
    /// Blank lines.
    Gap,
    Card(CardLine),
}

/// A line with a card.
#[derive(Clone, Debug, PartialEq, Eq)]
struct CardLine {
    /// What the line can mean: the number of copies and the name. The first one that names a card is meant.
    readings: Vec<(u32, String)>,
    /// The line has no number, and could be a heading.
    is_bare: bool,
    /// The name of the section, if the line has it.
    section: Option<String>,
}

impl DeckList {
    /// An empty list.
    fn new(format: ListFormat) -> Self {
        Self { format, name: None, game_format: None, entries: Vec::new(), cards: 0, problems: Vec::new() }
    }

    /// Reads a list. `extension`: the end of the name of its file, if it has one.
    ///
    /// # Errors
    /// It is not a list of the format that it seems to have. Problems of single lines are reported by [`DeckList::resolve`].
    pub fn read(extension: Option<&str>, text: &str) -> Result<Self, ListProblem> {
        if text.len() as u64 > MAX_LIST_BYTES {
            return Err(ListProblemKind::TooLarge.at(0));
        }
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let extension = extension.map(str::to_ascii_lowercase);
        let by_name = FORMATS.iter().find(|row| extension.as_deref().is_some_and(|end| row.extensions.contains(&end)));
        match by_name.or_else(|| FORMATS.iter().find(|row| (row.looks_like)(text))) {
            Some(row) => (row.read)(text),
            None => lines::read(text),
        }
    }

    /// Adds a part. Cards beyond [`MAX_LINES`] are a problem of the list.
    fn add(&mut self, line: usize, kind: EntryKind) {
        if matches!(kind, EntryKind::Card(_)) {
            if self.cards >= MAX_LINES {
                return self.report(line, ListProblemKind::TooManyLines);
            }
            self.cards += 1;
        }
        self.entries.push(Entry { line, kind });
    }

    /// Adds a line with a card, unless its names or its number are refused.
    fn add_card(&mut self, line: usize, card: CardLine) {
        let Some((_, name)) = card.readings.last() else { return };
        match check_name(name) {
            Ok(()) => self.add(line, EntryKind::Card(card)),
            Err(kind) => self.report(line, kind),
        }
    }

    /// Sets the name of the deck, unless it is refused.
    fn set_name(&mut self, line: usize, name: &str) {
        let name = name.trim();
        match check_name(name) {
            Ok(()) => self.name = Some(name.to_owned()),
            Err(ListProblemKind::NoName) => {}
            Err(kind) => self.report(line, kind),
        }
    }

    fn report(&mut self, line: usize, kind: ListProblemKind) {
        if self.problems.len() < MAX_PROBLEMS && self.problems.last().is_none_or(|last| last.kind != kind) {
            self.problems.push(kind.at(line));
        }
    }
}

/// Checks a name of a card, section or deck.
fn check_name(name: &str) -> Result<(), ListProblemKind> {
    if name.is_empty() {
        return Err(ListProblemKind::NoName);
    }
    if name.chars().nth(MAX_NAME_CHARS).is_some() {
        return Err(ListProblemKind::LongName);
    }
    first_hidden(name).map_or(Ok(()), |(_, character)| Err(ListProblemKind::HiddenCharacter(character)))
}

#[cfg(all(test, feature = "shipped"))]
mod tests;
