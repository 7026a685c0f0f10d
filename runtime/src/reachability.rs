//! What a game with some cards can come to: the rules, those cards, and all that they refer to, directly or not.

mod references;

use crate::ir::{
    Ability, AbilityBundle, AbilityBundleId, Change, ChoiceSite, DefId, Definition, Format, Function, KeywordId, Library,
    Modification, Op, TraitSetId, Type,
};
pub(crate) use references::TableRef;
use references::refs;
use std::collections::BTreeSet;
use std::convert::Infallible;

/// Where entries are looked up: in the tables of a game, or in the sections of a compiled pack. `None`: there is no such entry.
pub(crate) trait TableSource {
    /// Why an entry cannot be had.
    type Error;
    fn function(&mut self, number: u32) -> Result<Option<&Function>, Self::Error>;
    fn site(&mut self, number: u32) -> Result<Option<&ChoiceSite>, Self::Error>;
    fn ability(&mut self, number: u32) -> Result<Option<&Ability>, Self::Error>;
    fn change(&mut self, number: u32) -> Result<Option<&Modification>, Self::Error>;
    fn definition(&mut self, number: u32) -> Result<Option<&Definition>, Self::Error>;
    /// A unit as each of the formats has it that matter.
    fn unit(&mut self, number: u32) -> Result<Vec<&AbilityBundle>, Self::Error>;
    /// All units of keywords.
    fn units_of(&mut self, keywords: &BTreeSet<KeywordId>) -> Result<Vec<u32>, Self::Error>;
    /// What a card is corrected to in the formats that matter.
    fn corrected(&self, number: u32) -> Vec<DefId>;
}

/// Entries that were reached, by number, and those not yet looked at.
#[derive(Debug, Default)]
pub(crate) struct ReachableSet {
    functions: BTreeSet<u32>,
    sites: BTreeSet<u32>,
    abilities: BTreeSet<u32>,
    changes: BTreeSet<u32>,
    definitions: BTreeSet<u32>,
    units: BTreeSet<u32>,
    /// Trait sets whose words are changed in texts.
    reworded: BTreeSet<TraitSetId>,
    /// Keywords of the units.
    keywords: BTreeSet<KeywordId>,
    /// Those all units of which are there.
    spelt_out: BTreeSet<KeywordId>,
    open: Vec<TableRef>,
}

impl ReachableSet {
    /// The rules of some formats of a game and some cards.
    pub(crate) fn new<'f>(
        library: &Library,
        formats: impl Iterator<Item = &'f Format> + Clone,
        cards: impl Iterator<Item = u32>,
    ) -> Self {
        let mut reach = Self::of_rules(library, formats.clone(), cards);
        formats.for_each(|format| reach.add_refs(&(&format.actions, &format.plays)));
        reach
    }

    /// As [`ReachableSet::new`], but for the actions and the plays: those that are proposed, and can be used, are to be added.
    pub(crate) fn of_rules<'f>(
        library: &Library,
        formats: impl Iterator<Item = &'f Format>,
        cards: impl Iterator<Item = u32>,
    ) -> Self {
        let mut found = Vec::new();
        let Library { properties, statuses, player_variables, globals, windows, exceptions, .. } = library;
        refs(&(properties, statuses, player_variables, globals, windows, exceptions), &mut found);
        formats.for_each(|format| rules(format, &mut found));
        // Definition 0 is that of abilities on the list.
        found.extend(std::iter::once(0).chain(cards).map(TableRef::Definition));
        let mut reach = Self::default();
        found.into_iter().for_each(|item| reach.add(item));
        reach
    }

    /// Adds what a piece of the representation refers to.
    pub(crate) fn add_refs<T: serde::Serialize + ?Sized>(&mut self, piece: &T) {
        let mut found = Vec::new();
        refs(piece, &mut found);
        found.into_iter().for_each(|item| self.add(item));
    }

    fn add(&mut self, item: TableRef) {
        let is_new = match item {
            TableRef::Function(number) => self.functions.insert(number),
            TableRef::Site(number) => self.sites.insert(number),
            TableRef::Ability(number) => self.abilities.insert(number),
            TableRef::Change(number) => self.changes.insert(number),
            TableRef::Definition(number) => self.definitions.insert(number),
            TableRef::Unit(number) => self.units.insert(number),
        };
        if is_new {
            self.open.push(item);
        }
    }

    /// Follows all references to the end.
    pub(crate) fn close<S: TableSource>(&mut self, library: &Library, store: &mut S) -> Result<(), S::Error> {
        let mut found = Vec::new();
        loop {
            while let Some(item) = self.open.pop() {
                self.follow(item, store, &mut found)?;
                found.drain(..).for_each(|item| self.add(item));
            }
            // Where a word among the arguments of a keyword changes, it becomes another unit of that keyword.
            let words = |keyword: &KeywordId| library.keywords.get(keyword.index()).map_or(&[][..], |k| k.words.as_slice());
            let changes = |keyword: &&KeywordId| words(keyword).iter().any(|(_, traits)| self.reworded.contains(traits));
            let new: BTreeSet<KeywordId> =
                self.keywords.iter().filter(changes).filter(|keyword| !self.spelt_out.contains(keyword)).copied().collect();
            if new.is_empty() {
                return Ok(());
            }
            for unit in store.units_of(&new)? {
                self.add(TableRef::Unit(unit));
            }
            self.spelt_out.extend(new);
        }
    }

    fn follow<S: TableSource>(&mut self, item: TableRef, store: &mut S, found: &mut Vec<TableRef>) -> Result<(), S::Error> {
        match item {
            TableRef::Function(number) => {
                if let Some(function) = store.function(number)? {
                    code(function, found);
                }
            }
            TableRef::Site(number) => {
                if let Some(site) = store.site(number)? {
                    refs(site, found);
                }
            }
            TableRef::Ability(number) => {
                if let Some(ability) = store.ability(number)? {
                    refs(&ability.kind, found);
                }
            }
            TableRef::Change(number) => {
                if let Some(change) = store.change(number)? {
                    refs(change, found);
                    if let Change::Instead { traits, .. } = change.change {
                        self.reworded.insert(traits);
                    }
                }
            }
            TableRef::Definition(number) => {
                if let Some(definition) = store.definition(number)? {
                    refs(definition, found);
                }
                found.extend(store.corrected(number).into_iter().map(|card| TableRef::Definition(card.0)));
            }
            TableRef::Unit(number) => {
                for unit in store.unit(number)? {
                    refs(&unit.abilities, found);
                    self.keywords.extend(unit.keyword.as_ref().map(|(keyword, _)| *keyword));
                }
            }
        }
        Ok(())
    }

    /// The units, ascending.
    pub(crate) fn units(&self) -> impl Iterator<Item = AbilityBundleId> {
        self.units.iter().map(|number| AbilityBundleId(*number))
    }

    /// The functions, ascending.
    pub(crate) fn functions(&self) -> impl Iterator<Item = u32> {
        self.functions.iter().copied()
    }

    /// The abilities, ascending.
    pub(crate) fn abilities(&self) -> impl Iterator<Item = u32> {
        self.abilities.iter().copied()
    }

    /// The changes of values, ascending.
    pub(crate) fn changes(&self) -> impl Iterator<Item = u32> {
        self.changes.iter().copied()
    }

    /// The keywords that something has or gets.
    pub(crate) fn keywords(&self) -> &BTreeSet<KeywordId> {
        &self.keywords
    }

    /// The cards, tokens and whatever has values, ascending.
    pub(crate) fn definitions(&self) -> &BTreeSet<u32> {
        &self.definitions
    }
}

/// What code refers to. A card whose name is only compared (`IsCard`) is not needed for that; one that is a value is.
fn code(function: &Function, found: &mut Vec<TableRef>) {
    let Function { name: _, registers, params: _, result: _, ops, sources: _, slots: _ } = function;
    for op in ops {
        match op {
            Op::IsCard { .. } => {}
            Op::Const { dst, value } => {
                if registers.get(usize::from(*dst)) == Some(&Type::Card) {
                    found.extend(u32::try_from(*value).ok().map(TableRef::Definition));
                }
            }
            op => refs(op, found),
        }
    }
}

/// What a format refers to, whatever cards are played: not its actions and plays, nor those cards that it corrects, bans and restricts.
fn rules(format: &Format, found: &mut Vec<TableRef>) {
    let Format {
        name: _,
        title: _,
        base: _,
        min_players: _,
        max_players: _,
        absent: _,
        actions: _,
        units: _,
        rules,
        state_rules,
        plays: _,
        payments,
        timing,
        announce,
        setup,
        spans,
        evaluate,
        constants: _,
        treats,
        errata: _,
        deck,
        match_rules: contest,
    } = format;
    refs(&(rules, state_rules, payments, timing, announce, setup), found);
    refs(&(spans, evaluate, treats, &deck.unlimited, &deck.limits, &deck.refused, contest), found);
}

/// The tables of a game in one format.
pub(crate) struct FormatTables<'a> {
    pub library: &'a Library,
    pub format: &'a Format,
}

impl TableSource for FormatTables<'_> {
    type Error = Infallible;

    fn function(&mut self, number: u32) -> Result<Option<&Function>, Infallible> {
        Ok(self.library.functions.get(number as usize))
    }

    fn site(&mut self, number: u32) -> Result<Option<&ChoiceSite>, Infallible> {
        Ok(self.library.sites.get(number as usize))
    }

    fn ability(&mut self, number: u32) -> Result<Option<&Ability>, Infallible> {
        Ok(self.library.abilities.get(number as usize))
    }

    fn change(&mut self, number: u32) -> Result<Option<&Modification>, Infallible> {
        Ok(self.library.mods.get(number as usize))
    }

    fn definition(&mut self, number: u32) -> Result<Option<&Definition>, Infallible> {
        Ok(self.library.definitions.get(number as usize))
    }

    fn unit(&mut self, number: u32) -> Result<Vec<&AbilityBundle>, Infallible> {
        Ok(self.format.units.get(number as usize).into_iter().collect())
    }

    fn units_of(&mut self, keywords: &BTreeSet<KeywordId>) -> Result<Vec<u32>, Infallible> {
        let is_of = |unit: &AbilityBundle| unit.keyword.as_ref().is_some_and(|(keyword, _)| keywords.contains(keyword));
        Ok(self.format.units.numbered().filter(|(_, unit)| is_of(unit)).map(|(number, _)| number as u32).collect())
    }

    fn corrected(&self, number: u32) -> Vec<DefId> {
        corrected(self.format, number).collect()
    }
}

/// What a format corrects a card to.
pub(crate) fn corrected(format: &Format, number: u32) -> impl Iterator<Item = DefId> {
    format.errata.iter().filter(move |(from, _)| from.0 == number).map(|(_, to)| *to)
}
