//! Reads a deck that a person has pasted: lines of a number and a name, with lines that name a section, or a `deck` as sources write it.

use fizzle_compiler::diagnostics::closest;
use fizzle_grammar::ast::ItemKind;
use fizzle_runtime::game::MAIN_SECTION;
use fizzle_runtime::ir::{CompiledGame, Deck, DefId};
use serde::Serialize;
use std::collections::BTreeMap;

/// A line of a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedCard {
    /// The section.
    pub section: String,
    /// The number of copies.
    pub count: u32,
    /// The name of the card.
    pub name: String,
}

/// What is wrong with a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListProblem {
    /// The number of the line, from 1; 0 for the deck as a whole.
    pub line: usize,
    /// In words.
    pub words: String,
}

/// A deck that was read.
#[derive(Clone, Debug, Default)]
pub struct ReadDeck {
    /// The deck, with what was understood.
    pub deck: Deck,
    /// Its cards.
    pub cards: Vec<ListedCard>,
    /// What is wrong.
    pub problems: Vec<ListProblem>,
}

/// The most copies of a line.
const MAX_COPIES: u32 = 250;
/// The most lines.
const MAX_LINES: usize = 1000;
/// The most problems that are reported.
const MAX_PROBLEMS: usize = 50;

/// The cards of a game by name, and by name in small letters.
struct Names<'a> {
    exact: BTreeMap<&'a str, DefId>,
    small: BTreeMap<String, (&'a str, DefId)>,
}

impl<'a> Names<'a> {
    fn new(game: &'a CompiledGame) -> Self {
        let (mut exact, mut small) = (BTreeMap::new(), BTreeMap::new());
        let all = &game.library.definitions;
        for (index, card) in all.numbered().skip(1).filter(|(_, card)| !card.part && !card.token) {
            exact.insert(card.name.as_str(), DefId(index as u32));
            small.insert(card.name.to_lowercase(), (card.name.as_str(), DefId(index as u32)));
        }
        Self { exact, small }
    }

    fn find(&self, name: &str) -> Result<(&'a str, DefId), String> {
        let exact = self.exact.get_key_value(name).map(|(name, card)| (*name, *card));
        if let Some(found) = exact.or_else(|| self.small.get(&name.to_lowercase()).copied()) {
            return Ok(found);
        }
        let similar = closest(name, self.exact.keys().copied());
        Err(match similar {
            Some(similar) => format!("there is no card `{name}`; did you mean `{similar}`?"),
            None => format!("there is no card `{name}`"),
        })
    }
}

/// Reads a deck. `sections`: those of the format.
pub fn read(text: &str, game: &CompiledGame, ancestors: &[String], sections: &[&str]) -> ReadDeck {
    let lines = if text.trim_start().starts_with("deck ") { read_source(text) } else { read_lines(text, sections) };
    let names = Names::new(game);
    let mut read = ReadDeck::default();
    let mut by_section: Vec<(String, Vec<(u32, DefId)>)> = Vec::new();
    for line in lines {
        if read.problems.len() >= MAX_PROBLEMS {
            break;
        }
        let (at, section, count, name) = match line {
            Ok(line) => line,
            Err(problem) => {
                read.problems.push(problem);
                continue;
            }
        };
        if count == 0 || count > MAX_COPIES {
            read.problems.push(ListProblem { line: at, words: format!("a line has 1 to {MAX_COPIES} copies, not {count}") });
            continue;
        }
        match names.find(&name) {
            Ok((name, card)) => {
                match by_section.iter_mut().find(|(known, _)| *known == section) {
                    Some((_, cards)) => cards.push((count, card)),
                    None => by_section.push((section.clone(), vec![(count, card)])),
                }
                read.cards.push(ListedCard { section, count, name: name.to_owned() });
            }
            Err(words) => read.problems.push(ListProblem { line: at, words }),
        }
    }
    if read.cards.is_empty() && read.problems.is_empty() {
        read.problems.push(ListProblem { line: 0, words: "the list has no cards; write lines such as `4 NAME`".to_owned() });
    }
    let format = ancestors.first().cloned().unwrap_or_default();
    read.deck = Deck { name: "own list".to_owned(), format, sections: by_section, ..Deck::default() };
    read
}

/// Line, section, number of copies, name.
type Line = Result<(usize, String, u32, String), ListProblem>;

fn read_lines(text: &str, sections: &[&str]) -> Vec<Line> {
    let mut section = sections.first().copied().unwrap_or(MAIN_SECTION).to_owned();
    if sections.contains(&MAIN_SECTION) {
        MAIN_SECTION.clone_into(&mut section);
    }
    let mut lines = Vec::new();
    for (at, line) in text.lines().enumerate().take(MAX_LINES) {
        let line = line.trim();
        if line.is_empty() || line.starts_with("//") || line.starts_with('#') {
            continue;
        }
        let heading = line.trim_end_matches([':', '{']).trim().trim_start_matches('[').trim_end_matches(']').to_lowercase();
        let is_named = |name: &&&str| **name == heading || format!("{name}board") == heading || format!("{name} deck") == heading;
        if let Some(name) = sections.iter().chain(&[MAIN_SECTION]).find(is_named) {
            (*name).clone_into(&mut section);
            continue;
        }
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        let (number, rest) = line.split_at(digits);
        let (count, name) = match number.parse::<u32>() {
            Ok(count) => (count, rest.strip_prefix(['x', 'X', '×']).filter(|rest| rest.starts_with(' ')).unwrap_or(rest)),
            Err(_) if digits == 0 => (1, line),
            Err(_) => (u32::MAX, rest),
        };
        lines.push(Ok((at + 1, section.clone(), count, name.trim().trim_matches(['"', '《', '》']).trim().to_owned())));
    }
    lines
}

fn read_source(text: &str) -> Vec<Line> {
    let line_of = |at: usize| text.get(..at).map_or(0, |before| before.matches('\n').count() + 1);
    let parsed = fizzle_grammar::parse_file(0, text);
    if let Some(error) = parsed.errors.first() {
        return vec![Err(ListProblem { line: line_of(error.span.start as usize), words: error.to_string() })];
    }
    let deck = parsed.items.iter().find_map(|item| match &item.kind {
        ItemKind::Deck(deck) => Some(deck),
        _ => None,
    });
    let Some(deck) = deck else { return Vec::new() };
    let sections = deck.sections.iter().flat_map(|section| section.cards.iter().map(move |card| (section, card)));
    let line = |(section, (count, name)): (&fizzle_grammar::ast::DeckSection, &(u32, fizzle_grammar::ast::Name))| {
        Ok((line_of(name.span.start as usize), section.name.text.to_string(), *count, name.text.to_string()))
    };
    sections.take(MAX_LINES).map(line).collect()
}
