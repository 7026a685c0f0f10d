//! The abstract domain of specialisation: which words, keywords, properties and cards can occur in a match, and which places are
//! written.

use crate::ir::{Definition, KeywordId, Library, Place, TraitSetId, Type, Variable};
use std::collections::BTreeSet;

/// What can occur in a match.
#[derive(Debug)]
pub(super) struct Occurrences {
    /// By trait set: the words that can occur, as masks.
    words: Vec<Vec<u64>>,
    pub(super) keywords: BTreeSet<KeywordId>,
    pub(super) cards: BTreeSet<u32>,
    /// Properties that can differ from 0.
    pub(super) properties: BTreeSet<u16>,
    /// Whether effects create objects (tokens and copies).
    pub(super) objects_are_created: bool,
    /// Places that are written: statuses, variables of players, variables of the game.
    pub(super) statuses: BTreeSet<u16>,
    pub(super) players: BTreeSet<u16>,
    pub(super) globals: BTreeSet<u16>,
}

impl Occurrences {
    pub(super) fn empty(library: &Library) -> Self {
        Self {
            words: library.traits.iter().map(|set| vec![0; set.words.len().div_ceil(64)]).collect(),
            keywords: BTreeSet::new(),
            cards: BTreeSet::new(),
            properties: BTreeSet::new(),
            objects_are_created: false,
            statuses: BTreeSet::new(),
            players: BTreeSet::new(),
            globals: BTreeSet::new(),
        }
    }

    pub(super) fn has_word(&self, traits: TraitSetId, word: u16) -> bool {
        let mask = self.words.get(traits.index()).and_then(|set| set.get(usize::from(word) / 64));
        mask.is_some_and(|mask| mask & 1 << (word % 64) != 0)
    }

    pub(super) fn add_word(&mut self, traits: usize, word: u16) {
        let mask = self.words.get_mut(traits).and_then(|set| set.get_mut(usize::from(word) / 64));
        mask.into_iter().for_each(|mask| *mask |= 1 << (word % 64));
    }

    /// Adds the words and properties of a definition.
    pub(super) fn add_definition(&mut self, definition: &Definition) {
        let words = definition.words.iter().enumerate().flat_map(|(set, words)| words.iter().map(move |word| (set, *word)));
        words.for_each(|(set, word)| self.add_word(set, word));
        let values = definition.properties.iter().enumerate().filter(|(_, value)| **value != 0);
        self.properties.extend(values.map(|(property, _)| property as u16));
        self.objects_are_created |= definition.token;
    }

    pub(super) fn add_all_words(&mut self, traits: TraitSetId) {
        self.words.get_mut(traits.index()).into_iter().flatten().for_each(|mask| *mask = u64::MAX);
    }

    /// Adds all of `other`. Returns whether any of that is new.
    pub(super) fn merge(&mut self, other: Self) -> bool {
        let mut new = false;
        for (mask, more) in self.words.iter_mut().flatten().zip(other.words.iter().flatten()) {
            new |= more & !*mask != 0;
            *mask |= more;
        }
        let mut join = |known: &mut BTreeSet<u16>, more: BTreeSet<u16>| {
            new |= !more.is_subset(known);
            known.extend(more);
        };
        join(&mut self.statuses, other.statuses);
        join(&mut self.players, other.players);
        join(&mut self.globals, other.globals);
        join(&mut self.properties, other.properties);
        new |= !other.cards.is_subset(&self.cards)
            || !other.keywords.is_subset(&self.keywords)
            || other.objects_are_created && !self.objects_are_created;
        self.objects_are_created |= other.objects_are_created;
        self.cards.extend(other.cards);
        self.keywords.extend(other.keywords);
        new
    }

    /// The constant value of a place, if nothing changes it. `keys`: of every key of a keyed place. Stale objects read 0, so
    /// statuses and variables of players are constant only if they are 0.
    pub(super) fn constant_value(&self, library: &Library, place: Place, keys: bool) -> Option<i64> {
        let never = |all: &[Variable], written: &BTreeSet<u16>, n: u16| {
            let plain = |it: &&Variable| it.keys.is_some() == keys && !it.ty.is_list() && it.ty != Type::Price;
            let variable = all.get(usize::from(n)).filter(plain).filter(|_| !written.contains(&n));
            variable.map(|it| if keys { 0 } else { i64::from(it.initial) })
        };
        match place {
            Place::Status(n) => never(&library.statuses, &self.statuses, n).filter(|value| *value == 0),
            Place::Player(n) => never(&library.player_variables, &self.players, n).filter(|value| *value == 0),
            Place::Global(n) => never(&library.globals, &self.globals, n),
            // An object without a definition reads 0.
            Place::Property(n) | Place::Printed(n) => {
                let plain = library.properties.get(usize::from(n)).is_some_and(|it| !it.ty.is_list() && it.ty != Type::Price);
                (plain && !keys && !self.properties.contains(&n)).then_some(0)
            }
            Place::Words(traits) => {
                let none = self.words.get(traits.index()).is_some_and(|set| set.iter().all(|mask| *mask == 0));
                none.then_some(0)
            }
            _ => None,
        }
    }

    pub(super) fn write(&mut self, place: Place) {
        match place {
            Place::Status(n) => self.statuses.insert(n),
            Place::Player(n) => self.players.insert(n),
            Place::Global(n) => self.globals.insert(n),
            _ => false,
        };
    }
}
