//! Finds the cards and sections of a list in a game. Reports each card that the game lacks, with the closest name from `card_names`; `problem` words
//! it.

use super::card_names::CardNames;
use super::lines::without_number;
use super::{CardLine, DeckList, EntryKind, ListFormat, ListProblem, ListProblemKind, MAX_CARDS, MAX_PROBLEMS};
use fizzle_runtime::game::MAIN_SECTION;
use fizzle_runtime::ir::{CompiledGame, Deck, DefId, Format};
use serde::Serialize;

/// Usual names of sections in lists, and of the section that they mean.
const USUAL_NAMES: [(&str, &str); 9] = [
    ("main", MAIN_SECTION),
    ("deck", MAIN_SECTION),
    ("mainboard", MAIN_SECTION),
    ("maindeck", MAIN_SECTION),
    ("main deck", MAIN_SECTION),
    ("side", "side"),
    ("sb", "side"),
    ("sideboard", "side"),
    ("side deck", "side"),
];

/// A card of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedCard {
    /// The section.
    pub section: String,
    /// The number of copies.
    pub count: u32,
    /// The name of the card, as the game has it.
    pub name: String,
}

/// A list whose cards were looked up in a game.
#[derive(Clone, Debug, Default)]
pub struct ResolvedList {
    /// The deck, with all cards that were found.
    pub deck: Deck,
    /// Its cards.
    pub cards: Vec<ListedCard>,
    /// What is wrong.
    pub problems: Vec<ListProblem>,
    /// How blank lines were understood, if that decides about sections.
    pub notes: Vec<String>,
    /// The number of lines whose card is unknown.
    pub unknown: usize,
}

/// Where the cards of a list begin a section without a heading.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Gaps {
    /// Blank lines mean nothing.
    Ignored,
    /// The cards from this line on are in the second section.
    SecondSection(usize),
    /// There are several, which separate so many groups.
    Groups(usize),
}

/// A list in progress.
struct Resolver<'a> {
    names: CardNames<'a>,
    sections: &'a [(String, u32, u32)],
    /// The section of the next card: as written, and its name in the format.
    heading: (String, Option<String>),
    /// The line of the heading.
    heading_line: usize,
    total: u32,
    result: ResolvedList,
}

impl DeckList {
    /// Finds the cards of the list in a game, and its sections in a format of it. `name`: the name of the deck if the list has none.
    #[must_use]
    pub fn resolve(&self, game: &CompiledGame, format: &Format, name: &str) -> ResolvedList {
        let sections = format.deck.sizes.as_slice();
        let first = sections.iter().find(|(name, ..)| name == MAIN_SECTION).or(sections.first());
        let first = first.map_or(MAIN_SECTION, |(name, ..)| name.as_str()).to_owned();
        let result = ResolvedList { problems: self.problems.clone(), ..ResolvedList::default() };
        let names = CardNames::new(game);
        let mut resolver = Resolver { names, sections, heading: (first.clone(), Some(first)), heading_line: 0, total: 0, result };
        let gaps = if self.format == ListFormat::Lines { self.gaps(sections) } else { Gaps::Ignored };
        resolver.note_gaps(gaps);
        for entry in &self.entries {
            if resolver.result.problems.len() >= MAX_PROBLEMS || resolver.total > MAX_CARDS {
                break;
            }
            match &entry.kind {
                EntryKind::Heading(heading) => resolver.begin_section(heading, entry.line),
                EntryKind::Comment(comment) if usual_section(comment).is_some() => resolver.begin_section(comment, entry.line),
                EntryKind::Card(card) if card.is_heading(sections) => resolver.begin_section(card.written(), entry.line),
                EntryKind::Card(card) => {
                    if gaps == Gaps::SecondSection(entry.line) {
                        resolver.heading =
                            sections.get(1).map_or_else(Default::default, |(name, ..)| (name.clone(), Some(name.clone())));
                    }
                    resolver.add_card(card, entry.line);
                }
                EntryKind::Gap | EntryKind::Comment(_) => {}
            }
        }
        let mut resolved = resolver.result;
        if resolved.cards.is_empty() && resolved.problems.is_empty() {
            resolved.problems.push(ListProblemKind::Empty.at(0));
        }
        resolved.problems.sort_by_key(|problem| problem.line);
        resolved.deck.name = self.name.clone().unwrap_or_else(|| name.to_owned());
        resolved.deck.format.clone_from(&format.name);
        resolved
    }

    /// What the blank lines mean. In a list without headings for a format of two sections, the only one begins the second section, unless a
    /// comment follows it.
    fn gaps(&self, sections: &[(String, u32, u32)]) -> Gaps {
        let (mut groups, mut after_gap, mut second) = (0_usize, true, None);
        for entry in &self.entries {
            match &entry.kind {
                EntryKind::Heading(_) => return Gaps::Ignored,
                EntryKind::Comment(comment) if usual_section(comment).is_some() => return Gaps::Ignored,
                EntryKind::Comment(_) if after_gap && groups > 0 => return Gaps::Ignored,
                EntryKind::Comment(_) => {}
                EntryKind::Gap => after_gap = true,
                EntryKind::Card(card) if card.section.is_some() || card.is_heading(sections) => return Gaps::Ignored,
                EntryKind::Card(_) => {
                    if after_gap {
                        groups += 1;
                        second = Some(entry.line);
                    }
                    after_gap = false;
                }
            }
        }
        match (groups, second, sections.len()) {
            (2, Some(line), 2) => Gaps::SecondSection(line),
            (3.., _, 2..) | (2, _, 3..) => Gaps::Groups(groups),
            _ => Gaps::Ignored,
        }
    }
}

impl CardLine {
    /// The line without what programs add to names.
    fn written(&self) -> &str {
        self.readings.last().map_or("", |(_, name)| name)
    }

    /// Whether it has no number, and is the name of a section.
    fn is_heading(&self, sections: &[(String, u32, u32)]) -> bool {
        self.is_bare && find_section(self.written(), sections).is_some()
    }
}

/// The section that a usual name means.
fn usual_section(written: &str) -> Option<&'static str> {
    let written = without_number(written.trim()).trim_end_matches(':').to_lowercase();
    USUAL_NAMES.iter().find(|(name, _)| *name == written).map(|(_, section)| *section)
}

/// The section of a format, or a usual one, that a heading means: `Extra Deck` is `extra`.
fn find_section(written: &str, sections: &[(String, u32, u32)]) -> Option<String> {
    let lower = without_number(written.trim()).to_lowercase().replace(['-', ' '], "_");
    let known =
        |name: &str| sections.iter().find(|(section, ..)| section.to_lowercase() == name).map(|(section, ..)| section.clone());
    let shorter = ["_deck", "deck", "board"].iter().find_map(|end| known(lower.strip_suffix(end)?));
    known(&lower).or(shorter).or_else(|| usual_section(written).map(str::to_owned))
}

impl Resolver<'_> {
    fn note_gaps(&mut self, gaps: Gaps) {
        match (gaps, self.sections) {
            (Gaps::SecondSection(line), [_, (second, ..)]) => {
                self.result
                    .notes
                    .push(format!("the cards from line {line} on, behind the blank line, are in section `{second}`"));
            }
            (Gaps::Groups(groups), [(first, ..), others @ ..]) => {
                let others: Vec<String> = others.iter().map(|(name, ..)| format!("`[{name}]`")).collect();
                self.result.notes.push(format!(
                    "blank lines separate {groups} groups of cards: all are in section `{first}`; write {} in a line before the cards of another one",
                    others.join(" or ")
                ));
            }
            _ => {}
        }
    }

    fn begin_section(&mut self, written: &str, line: usize) {
        self.heading = (written.to_owned(), find_section(written, self.sections));
        self.heading_line = line;
    }

    /// The section of a card in the format. `None` if there is none, which is reported once.
    fn section_of(&mut self, card: &CardLine, line: usize) -> Option<String> {
        let (written, found) = match &card.section {
            Some(written) => (written.clone(), find_section(written, self.sections)),
            None => self.heading.clone(),
        };
        let is_known = |section: &String| self.sections.is_empty() || self.sections.iter().any(|(name, ..)| name == section);
        if let Some(section) = found.filter(is_known) {
            return Some(section);
        }
        let kind = ListProblemKind::UnknownSection { name: written, sections: self.sections.to_vec() };
        if !self.result.problems.iter().any(|problem| problem.kind == kind) {
            let line = if card.section.is_some() || self.heading_line == 0 { line } else { self.heading_line };
            self.result.problems.push(kind.at(line));
        }
        None
    }

    fn add_card(&mut self, card: &CardLine, line: usize) {
        let Some((count, name, id)) = self.find_card(card, line) else { return };
        let Some(section) = self.section_of(card, line) else { return };
        self.total = self.total.saturating_add(count);
        if self.total > MAX_CARDS {
            self.result.problems.push(ListProblemKind::TooManyCards.at(line));
            return;
        }
        let deck = &mut self.result.deck;
        match deck.sections.iter_mut().find(|(known, _)| *known == section) {
            Some((_, cards)) => cards.push((count, id)),
            None => deck.sections.push((section.clone(), vec![(count, id)])),
        }
        self.result.cards.push(ListedCard { section, count, name });
    }

    /// The card of a line, with the number of copies. `None` if there is none, which is reported.
    fn find_card(&mut self, card: &CardLine, line: usize) -> Option<(u32, String, DefId)> {
        for (count, name) in &card.readings {
            match self.names.find(name) {
                Ok(Some((name, id))) => return Some((*count, name.to_owned(), id)),
                Ok(None) => {}
                Err(kind) => {
                    self.result.problems.push(kind.at(line));
                    return None;
                }
            }
        }
        self.result.unknown += 1;
        let name = card.written().to_owned();
        let alone = without_number(&name);
        let similar = self.names.find(alone).ok().flatten().map(|(known, _)| known.to_owned());
        let similar = similar.or_else(|| self.names.closest(alone));
        let kind = if card.is_bare && similar.is_none() {
            ListProblemKind::UnknownLine { name, similar, sections: self.sections.to_vec() }
        } else {
            ListProblemKind::UnknownCard { name, similar }
        };
        self.result.problems.push(kind.at(line));
        None
    }
}
