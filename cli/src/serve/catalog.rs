//! What can be played: the formats, their decks, and the linked programs, which tables with the same format and cards share.

use fizzle::deck_list::{DeckList, ListedCard, ResolvedList};
use fizzle_runtime::ir::{CompiledGame, Deck, DefId, Format};
use fizzle_runtime::program::Program;
use fizzle_table::rule_text::Sources;
use fizzle_table::table_view::PackIndex;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, RwLock, Weak};

/// A deck in the lobby.
#[derive(Clone, Debug, Serialize)]
pub struct ListedDeck {
    /// Its name.
    pub name: String,
    /// The number of its cards, over all sections.
    pub cards: u32,
    /// The deck rules that it breaks.
    pub problems: Vec<String>,
}

/// The name of a deck that was pasted without one.
const PASTED_NAME: &str = "own list";

/// What is wrong with a list that was pasted.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListProblem {
    /// The number of the line, from 1; 0 for the deck as a whole.
    pub line: usize,
    /// In words.
    pub words: String,
}

/// A deck that was pasted.
#[derive(Clone, Debug, Default)]
pub struct PastedDeck {
    /// The deck, with all cards that were found.
    pub deck: Deck,
    /// Its cards.
    pub cards: Vec<ListedCard>,
    /// What is wrong.
    pub problems: Vec<ListProblem>,
    /// How the list was understood, if that is not obvious.
    pub notes: Vec<String>,
}

/// A format in the lobby.
#[derive(Clone, Debug, Serialize)]
pub struct ListedFormat {
    /// Its name.
    pub name: String,
    /// Its title.
    pub title: String,
    /// The number of seats.
    pub seats: usize,
    /// The largest number of seats.
    pub max_seats: usize,
    /// The number of games of a match, by default.
    pub best_of: u32,
    /// The sections of a deck, with their smallest and largest size.
    pub sections: Vec<(String, u32, u32)>,
    /// Its decks.
    pub decks: Vec<ListedDeck>,
}

/// A format of a game.
#[derive(Clone, Debug)]
pub struct PlayableFormat {
    /// The game.
    pub game: Arc<CompiledGame>,
    /// What is looked up in it for each view.
    pub pack_index: Arc<PackIndex>,
    /// The index of the format.
    pub index: usize,
    /// The program without cards, linked at its first use: for deck rules.
    checker: Arc<OnceLock<Option<Arc<Program>>>>,
    compiled: Arc<Compiled>,
}

/// What the formats of a pack share that were compiled together.
#[derive(Debug, Default)]
struct Compiled {
    sources: Arc<Sources>,
    programs: Mutex<BTreeMap<ProgramKey, Weak<Program>>>,
}

/// What a program is linked for: the name of the format, the seats, the cards.
type ProgramKey = (String, usize, BTreeSet<u32>);

/// The games of a pack, and its sources.
pub type CompiledPack = (Vec<CompiledGame>, Sources);

/// The formats of the pack as it was compiled last.
#[derive(Debug, Default)]
struct Formats {
    all: Vec<PlayableFormat>,
    listed: OnceLock<Vec<ListedFormat>>,
}

/// The formats, and the programs.
#[derive(Debug, Default)]
pub struct Catalog(RwLock<Arc<Formats>>);

impl PlayableFormat {
    /// Its tables.
    pub fn format(&self) -> Option<&Format> {
        self.game.formats.get(self.index)
    }

    /// Its name and those of the formats that it extends, nearest first.
    pub fn ancestors(&self) -> Vec<String> {
        self.format().map_or_else(Vec::new, |format| self.game.ancestors(&format.name))
    }

    /// The decks for it and for the formats that it extends, nearest first.
    pub fn decks(&self) -> impl Iterator<Item = &Deck> {
        self.ancestors().into_iter().flat_map(|name| self.game.decks.iter().filter(move |deck| deck.format == name))
    }

    /// The sources that it was compiled from, with those of the other formats.
    pub fn sources(&self) -> Arc<Sources> {
        Arc::clone(&self.compiled.sources)
    }

    /// The program for these decks: linked, or shared with a table that has it. Linking takes some 50 ms.
    pub fn program(&self, decks: &[Deck]) -> Option<Arc<Program>> {
        let cards: BTreeSet<u32> =
            decks.iter().flat_map(|deck| &deck.sections).flat_map(|(_, cards)| cards.iter().map(|(_, card)| card.0)).collect();
        let pool: Vec<DefId> = cards.iter().map(|card| DefId(*card)).collect();
        let key = (self.format()?.name.clone(), decks.len(), cards);
        let known = || self.compiled.programs.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(program) = known().get(&key).and_then(Weak::upgrade) {
            return Some(program);
        }
        let program = Arc::new(Program::link_for(&self.game, self.index, &pool, decks.len())?);
        let mut programs = known();
        programs.retain(|_, program| program.strong_count() > 0);
        programs.insert(key, Arc::downgrade(&program));
        Some(program)
    }

    /// The deck rules that a deck breaks.
    pub fn problems(&self, deck: &Deck) -> Vec<String> {
        let link = || Program::link(&self.game, self.index, &[]).map(Arc::new);
        match self.checker.get_or_init(link) {
            Some(program) => {
                let found = fizzle_runtime::deck::check(program, deck, &self.ancestors());
                found.iter().map(ToString::to_string).collect()
            }
            None => vec!["the format cannot be linked".to_owned()],
        }
    }

    /// The cards of these names.
    ///
    /// # Errors
    /// In words: there is no such card.
    pub fn find_cards<'n>(&self, names: impl Iterator<Item = &'n str>) -> Result<Vec<DefId>, String> {
        let names: Vec<&str> = names.collect();
        let wanted: BTreeSet<&str> = names.iter().copied().collect();
        let numbered = self.game.library.definitions.numbered().skip(1);
        let found: BTreeMap<&str, DefId> = numbered
            .filter(|(_, card)| !card.part && wanted.contains(card.name.as_str()))
            .map(|(index, card)| (card.name.as_str(), DefId(index as u32)))
            .collect();
        names.iter().map(|name| found.get(name).copied().ok_or_else(|| format!("there is no card `{name}`"))).collect()
    }

    /// The cards of a deck by section, as names.
    pub fn card_names(&self, deck: &Deck) -> Vec<(String, Vec<(u32, String)>)> {
        let name =
            |card: &DefId| self.game.library.definitions.get(card.index()).map_or_else(String::new, |card| card.name.clone());
        let cards = |cards: &[(u32, DefId)]| cards.iter().map(|(count, card)| (*count, name(card))).collect();
        deck.sections.iter().map(|(section, list)| (section.clone(), cards(list))).collect()
    }

    fn listed(&self) -> Option<ListedFormat> {
        let format = self.format()?;
        let decks = self.decks().map(|deck| ListedDeck {
            name: deck.name.clone(),
            cards: deck.sections.iter().flat_map(|(_, cards)| cards).fold(0, |all, (count, _)| count.saturating_add(all)),
            problems: self.problems(deck),
        });
        Some(ListedFormat {
            name: format.name.clone(),
            title: format.shown_title().to_owned(),
            seats: usize::from(format.min_players),
            max_seats: usize::from(format.max_players),
            best_of: format.match_rules.best_of.max(1),
            sections: format.deck.sizes.clone(),
            decks: decks.collect(),
        })
    }

    /// Reads a deck that a person has pasted, and checks it if it can be read.
    pub fn read_deck(&self, text: &str) -> PastedDeck {
        let Some(format) = self.format() else { return PastedDeck::default() };
        let resolved = match DeckList::read(None, text) {
            Ok(list) => list.resolve(&self.game, format, PASTED_NAME),
            Err(problem) => ResolvedList { problems: vec![problem], ..ResolvedList::default() },
        };
        let problems =
            resolved.problems.iter().map(|problem| ListProblem { line: problem.line, words: problem.kind.to_string() });
        let mut problems: Vec<ListProblem> = problems.collect();
        if problems.is_empty() {
            problems.extend(self.problems(&resolved.deck).into_iter().map(|words| ListProblem { line: 0, words }));
        }
        PastedDeck { deck: resolved.deck, cards: resolved.cards, problems, notes: resolved.notes }
    }
}

impl Formats {
    fn of((games, sources): CompiledPack) -> Arc<Self> {
        let mut all = Vec::new();
        let compiled = Arc::new(Compiled { sources: Arc::new(sources), ..Compiled::default() });
        for game in games {
            let pack_index = Arc::new(PackIndex::new(&game));
            let game = Arc::new(game);
            for index in 0..game.formats.len() {
                all.push(PlayableFormat {
                    game: Arc::clone(&game),
                    pack_index: Arc::clone(&pack_index),
                    index,
                    checker: Arc::default(),
                    compiled: Arc::clone(&compiled),
                });
            }
        }
        Arc::new(Self { all, ..Self::default() })
    }
}

impl Catalog {
    /// The formats of some games.
    pub fn new(pack: CompiledPack) -> Self {
        Self(RwLock::new(Formats::of(pack)))
    }

    /// Replaces all formats. Tables that are open keep theirs.
    pub fn replace(&self, pack: CompiledPack) {
        *self.0.write().unwrap_or_else(PoisonError::into_inner) = Formats::of(pack);
    }

    fn formats(&self) -> Arc<Formats> {
        Arc::clone(&self.0.read().unwrap_or_else(PoisonError::into_inner))
    }

    /// All formats with their decks. The first call checks all decks.
    pub fn listed(&self) -> Vec<ListedFormat> {
        let formats = self.formats();
        formats.listed.get_or_init(|| formats.all.iter().filter_map(PlayableFormat::listed).collect()).clone()
    }

    /// The format of a name.
    pub fn find(&self, name: &str) -> Option<PlayableFormat> {
        self.formats().all.iter().find(|format| format.format().is_some_and(|format| format.name == name)).cloned()
    }
}
