//! What tables can be made of: formats, their decks, and decks that people paste as a list.

use super::store::SavedDeck;
use fizzle_runtime::ir::{Artifact, CompiledGame, Deck, DefId};
use fizzle_runtime::program::Program;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

/// The formats of the loaded packs.
#[derive(Debug)]
pub struct Catalogue {
    games: Vec<Arc<CompiledGame>>,
    /// The command line's name for what was loaded.
    pack: String,
    /// Linked programs, by format and cards: tables with the same ones share it.
    programs: Mutex<BTreeMap<(String, Vec<u32>, usize), Arc<Program>>>,
}

/// A format of a game.
#[derive(Clone, Debug)]
pub struct PickedFormat {
    /// Its game.
    pub game: Arc<CompiledGame>,
    index: usize,
}

/// A line of a list that cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListProblem {
    /// The line, from 1; 0 for the list as a whole.
    pub line: usize,
    /// What is wrong.
    pub words: String,
}

/// The most programs that are kept for later tables.
const MAX_PROGRAMS: usize = 64;
/// The most cards of a pasted list.
const MAX_CARDS: u32 = 2_000;

impl Catalogue {
    /// The formats of compiled packs. `pack`: what was loaded, for people.
    pub fn new(artifact: Artifact, pack: String) -> Self {
        Self { games: artifact.games.into_iter().map(Arc::new).collect(), pack, programs: Mutex::default() }
    }

    /// The format of a name.
    pub fn format(&self, name: &str) -> Option<PickedFormat> {
        let index = |game: &CompiledGame| game.formats.iter().position(|format| format.name == name);
        self.games.iter().find_map(|game| Some(PickedFormat { game: Arc::clone(game), index: index(game)? }))
    }

    /// All formats with their decks, for the lobby.
    pub fn lobby(&self) -> Value {
        let formats = self.games.iter().flat_map(|game| {
            (0..game.formats.len()).map(|index| self.lobby_format(&PickedFormat { game: Arc::clone(game), index }))
        });
        json!({"formats": formats.filter(|format| !format.is_null()).collect::<Vec<_>>(), "pack": self.pack})
    }

    fn lobby_format(&self, picked: &PickedFormat) -> Value {
        let Some(format) = picked.game.formats.get(picked.index) else { return Value::Null };
        let decks: Vec<Value> = picked
            .decks()
            .into_iter()
            .map(|deck| {
                let cards: u32 = deck.sections.iter().flat_map(|(_, cards)| cards).map(|(count, _)| count).sum();
                json!({"name": deck.name, "cards": cards, "problems": self.problems(picked, deck)})
            })
            .collect();
        if decks.is_empty() {
            return Value::Null;
        }
        json!({
            "name": format.name,
            "title": if format.title.is_empty() { &format.name } else { &format.title },
            "seats": format.min_players,
            "max_seats": format.max_players,
            "best_of": format.match_rules.best_of.max(1),
            "sections": picked.sections(),
            "decks": decks,
        })
    }

    /// The rules that a deck breaks.
    pub fn problems(&self, picked: &PickedFormat, deck: &Deck) -> Vec<String> {
        let seats = picked.game.formats.get(picked.index).map_or(2, |format| usize::from(format.min_players));
        let Some(program) = self.program(picked, std::slice::from_ref(deck), seats) else { return Vec::new() };
        fizzle_runtime::deck::check(&program, deck, &picked.ancestors()).iter().map(ToString::to_string).collect()
    }

    /// The program of a format, linked for the cards of some decks. `None` if the format does not take so many players.
    pub fn program(&self, picked: &PickedFormat, decks: &[Deck], seats: usize) -> Option<Arc<Program>> {
        let cards = decks.iter().flat_map(|deck| &deck.sections).flat_map(|(_, cards)| cards).map(|(_, card)| *card);
        let mut pool: Vec<DefId> = cards.collect();
        pool.sort_unstable();
        pool.dedup();
        let name = picked.game.formats.get(picked.index)?.name.clone();
        let key = (name, pool.iter().map(|card| card.0).collect(), seats);
        let mut programs = self.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = programs.get(&key) {
            return Some(Arc::clone(program));
        }
        let program = Arc::new(Program::link_for(&picked.game, picked.index, &pool, seats)?);
        if programs.len() >= MAX_PROGRAMS {
            programs.pop_first();
        }
        programs.insert(key, Arc::clone(&program));
        Some(program)
    }
}

impl PickedFormat {
    /// Its name.
    pub fn name(&self) -> &str {
        self.game.formats.get(self.index).map_or("", |format| format.name.as_str())
    }

    /// The numbers of players that it takes.
    pub fn players(&self) -> std::ops::RangeInclusive<usize> {
        let format = self.game.formats.get(self.index);
        format.map_or(2..=2, |format| usize::from(format.min_players)..=usize::from(format.max_players))
    }

    /// The names of the format and of all formats that it extends.
    pub fn ancestors(&self) -> Vec<String> {
        self.game.ancestors(self.name())
    }

    /// The decks for it and for the formats that it extends, nearest first.
    pub fn decks(&self) -> Vec<&Deck> {
        let ancestors = self.ancestors();
        ancestors.iter().flat_map(|name| self.game.decks.iter().filter(move |deck| deck.format == *name)).collect()
    }

    /// The sections that its decks have.
    fn sections(&self) -> Vec<String> {
        let mut sections: Vec<String> = vec!["main".to_owned()];
        for (section, _) in self.decks().into_iter().flat_map(|deck| &deck.sections) {
            if !sections.contains(section) {
                sections.push(section.clone());
            }
        }
        sections
    }

    /// The card of a name, regardless of case.
    fn card(&self, name: &str) -> Option<DefId> {
        let wanted = name.trim_matches(['《', '》', '"']).trim().to_lowercase();
        let cards = self.game.library.definitions.numbered().skip(1).filter(|(_, card)| !card.token && !card.part);
        let mut found = cards.filter(|(_, card)| card.name.to_lowercase() == wanted);
        found.next().map(|(id, _)| DefId(id as u32))
    }

    /// Reads a list that a person pasted: `4 Name` or `4x Name` a line, and lines with the name of a section.
    pub fn read_list(&self, text: &str) -> (Deck, Vec<ListProblem>) {
        let sections = self.sections();
        let mut problems = Vec::new();
        let mut deck = Deck { name: "pasted".to_owned(), format: self.name().to_owned(), ..Deck::default() };
        let (mut section, mut total) = ("main".to_owned(), 0_u32);
        for (number, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with("//") || line.starts_with('#') {
                continue;
            }
            let heading = line.trim_end_matches(':').to_lowercase().replace(' ', "_");
            let known = |name: &str| sections.iter().find(|section| *section == name || **section == format!("{name}_deck"));
            let heading = match heading.as_str() {
                "deck" | "mainboard" | "main_deck" => Some("main".to_owned()),
                "sideboard" => Some("side".to_owned()),
                other => known(other).cloned(),
            };
            if let Some(heading) = heading {
                section = heading;
                continue;
            }
            let digits = line.find(|c: char| !c.is_ascii_digit()).unwrap_or(line.len());
            let (count, rest) = line.split_at(digits);
            let count: u32 = if count.is_empty() { 1 } else { count.parse().unwrap_or(MAX_CARDS) };
            let name = rest.trim_start().strip_prefix(['x', 'X', '×']).filter(|_| digits > 0).unwrap_or(rest).trim();
            total = total.saturating_add(count);
            if total > MAX_CARDS {
                problems.push(ListProblem { line: number + 1, words: format!("the list has more than {MAX_CARDS} cards") });
                break;
            }
            let Some(card) = self.card(name) else {
                problems.push(ListProblem { line: number + 1, words: self.unknown_card(name) });
                continue;
            };
            let at = match deck.sections.iter().position(|(name, _)| *name == section) {
                Some(at) => at,
                None => {
                    deck.sections.push((section.clone(), Vec::new()));
                    deck.sections.len() - 1
                }
            };
            if let Some((_, cards)) = deck.sections.get_mut(at) {
                match cards.iter_mut().find(|(_, known)| *known == card) {
                    Some((known, _)) => *known += count,
                    None => cards.push((count, card)),
                }
            }
        }
        (deck, problems)
    }

    fn unknown_card(&self, name: &str) -> String {
        let shown: String = name.chars().take(80).collect();
        let names = self.game.library.definitions.present().skip(1).filter(|card| !card.token && !card.part);
        let near = fizzle_compiler::diagnostics::closest(&shown, names.map(|card| card.name.as_str()));
        match near {
            Some(near) => format!("no card is called {shown}; is it {near}?"),
            None => format!("no card is called {shown}"),
        }
    }

    /// The name of a card.
    pub fn card_name(&self, card: DefId) -> String {
        self.game.library.definitions.get(card.index()).map_or_else(String::new, |card| card.name.clone())
    }

    /// A deck with the names of its cards, to be saved.
    pub fn save_deck(&self, deck: &Deck) -> SavedDeck {
        let cards = |cards: &[(u32, DefId)]| cards.iter().map(|(count, card)| (*count, self.card_name(*card))).collect();
        SavedDeck { name: deck.name.clone(), sections: deck.sections.iter().map(|(name, list)| (name.clone(), cards(list))).collect() }
    }

    /// A deck that was saved; `None` if a card is not there any more.
    pub fn load_deck(&self, saved: &SavedDeck) -> Option<Deck> {
        let mut sections = Vec::new();
        for (section, cards) in &saved.sections {
            let cards: Option<Vec<_>> = cards.iter().map(|(count, name)| Some((*count, self.card(name)?))).collect();
            sections.push((section.clone(), cards?));
        }
        Some(Deck { name: saved.name.clone(), format: self.name().to_owned(), sections, ..Deck::default() })
    }
}
