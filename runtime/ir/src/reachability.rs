//! Reachability: all table entries that the rules and some cards refer to, directly or transitively.
//! References are found by serialising a value and collecting the numbers by type ([`references`]), so that no field can be
//! forgotten. Linking and partial loading of compiled packs share this code: a program linked from a part equals the one linked
//! from the whole pack.

mod references;

use crate::{
    Ability, AbilityBundle, AbilityBundleId, Change, ChoiceSite, DefId, Definition, Format, Function, KeywordId, Library,
    Modification, Op, TraitSetId, Type,
};
pub use references::TableRef;
use references::collect_refs;
use std::collections::BTreeSet;
use std::convert::Infallible;

/// Where entries are looked up: the tables of a game, or the sections of a compiled pack. Lookups return `None` if there is no
/// such entry.
pub trait TableSource {
    /// The error of a lookup.
    type Error;
    /// A function.
    fn function(&mut self, number: u32) -> Result<Option<&Function>, Self::Error>;
    /// A choice site.
    fn site(&mut self, number: u32) -> Result<Option<&ChoiceSite>, Self::Error>;
    /// An ability.
    fn ability(&mut self, number: u32) -> Result<Option<&Ability>, Self::Error>;
    /// A modification.
    fn modification(&mut self, number: u32) -> Result<Option<&Modification>, Self::Error>;
    /// A card.
    fn definition(&mut self, number: u32) -> Result<Option<&Definition>, Self::Error>;
    /// An ability bundle, in each of the formats of the source.
    fn bundles(&mut self, number: u32) -> Result<Vec<&AbilityBundle>, Self::Error>;
    /// The numbers of all bundles of some keywords.
    fn bundles_with_keywords(&mut self, keywords: &BTreeSet<KeywordId>) -> Result<Vec<u32>, Self::Error>;
    /// The definitions that replace a card in the formats of the source.
    fn errata_of(&self, number: u32) -> Vec<DefId>;
}

/// The numbers of reachable entries, and the entries not yet visited.
#[derive(Debug, Default)]
pub struct ReachableSet {
    functions: BTreeSet<u32>,
    sites: BTreeSet<u32>,
    abilities: BTreeSet<u32>,
    modifications: BTreeSet<u32>,
    definitions: BTreeSet<u32>,
    bundles: BTreeSet<u32>,
    /// Trait sets of which words are substituted in texts.
    substituted_sets: BTreeSet<TraitSetId>,
    /// The keywords of the bundles.
    keywords: BTreeSet<KeywordId>,
    /// The keywords of which all bundles were added.
    expanded_keywords: BTreeSet<KeywordId>,
    unvisited: Vec<TableRef>,
}

impl ReachableSet {
    /// The entries that the rules of some formats and some cards refer to directly.
    pub fn new<'f>(
        library: &Library,
        formats: impl Iterator<Item = &'f Format> + Clone,
        cards: impl Iterator<Item = u32>,
    ) -> Self {
        let mut reach = Self::without_actions_and_plays(library, formats.clone(), cards);
        formats.for_each(|format| reach.add_refs(&(&format.actions, &format.plays)));
        reach
    }

    /// As [`ReachableSet::new`], without actions and plays: the caller adds those that can be proposed or used.
    pub fn without_actions_and_plays<'f>(
        library: &Library,
        formats: impl Iterator<Item = &'f Format>,
        cards: impl Iterator<Item = u32>,
    ) -> Self {
        let mut found = Vec::new();
        let Library { properties, statuses, player_variables, globals, windows, exceptions, .. } = library;
        collect_refs(&(properties, statuses, player_variables, globals, windows, exceptions), &mut found);
        formats.for_each(|format| rule_refs(format, &mut found));
        // Definition 0 is the definition of abilities on the list.
        found.extend(std::iter::once(0).chain(cards).map(TableRef::Definition));
        let mut reach = Self::default();
        found.into_iter().for_each(|item| reach.add(item));
        reach
    }

    /// Adds the entries that a value refers to.
    pub fn add_refs<T: serde::Serialize + ?Sized>(&mut self, piece: &T) {
        let mut found = Vec::new();
        collect_refs(piece, &mut found);
        found.into_iter().for_each(|item| self.add(item));
    }

    fn add(&mut self, item: TableRef) {
        let is_new = match item {
            TableRef::Function(number) => self.functions.insert(number),
            TableRef::Site(number) => self.sites.insert(number),
            TableRef::Ability(number) => self.abilities.insert(number),
            TableRef::Modification(number) => self.modifications.insert(number),
            TableRef::Definition(number) => self.definitions.insert(number),
            TableRef::Bundle(number) => self.bundles.insert(number),
        };
        if is_new {
            self.unvisited.push(item);
        }
    }

    /// Follows all references transitively.
    pub fn close<S: TableSource>(&mut self, library: &Library, source: &mut S) -> Result<(), S::Error> {
        let mut found = Vec::new();
        loop {
            while let Some(item) = self.unvisited.pop() {
                self.visit(item, source, &mut found)?;
                found.drain(..).for_each(|item| self.add(item));
            }
            // A substituted word among the arguments of a keyword gives another bundle of that keyword.
            let words = |keyword: &KeywordId| library.keywords.get(keyword.index()).map_or(&[][..], |k| k.words.as_slice());
            let changes = |keyword: &&KeywordId| words(keyword).iter().any(|(_, traits)| self.substituted_sets.contains(traits));
            let new: BTreeSet<KeywordId> = self
                .keywords
                .iter()
                .filter(changes)
                .filter(|keyword| !self.expanded_keywords.contains(keyword))
                .copied()
                .collect();
            if new.is_empty() {
                return Ok(());
            }
            for unit in source.bundles_with_keywords(&new)? {
                self.add(TableRef::Bundle(unit));
            }
            self.expanded_keywords.extend(new);
        }
    }

    fn visit<S: TableSource>(&mut self, item: TableRef, source: &mut S, found: &mut Vec<TableRef>) -> Result<(), S::Error> {
        match item {
            TableRef::Function(number) => {
                if let Some(function) = source.function(number)? {
                    function_refs(function, found);
                }
            }
            TableRef::Site(number) => {
                if let Some(site) = source.site(number)? {
                    collect_refs(site, found);
                }
            }
            TableRef::Ability(number) => {
                if let Some(ability) = source.ability(number)? {
                    collect_refs(&ability.kind, found);
                }
            }
            TableRef::Modification(number) => {
                if let Some(change) = source.modification(number)? {
                    collect_refs(change, found);
                    if let Change::SubstituteWord { traits, .. } = change.change {
                        self.substituted_sets.insert(traits);
                    }
                }
            }
            TableRef::Definition(number) => {
                if let Some(definition) = source.definition(number)? {
                    collect_refs(definition, found);
                }
                found.extend(source.errata_of(number).into_iter().map(|card| TableRef::Definition(card.0)));
            }
            TableRef::Bundle(number) => {
                for unit in source.bundles(number)? {
                    collect_refs(&unit.abilities, found);
                    self.keywords.extend(unit.keyword.as_ref().map(|(keyword, _)| *keyword));
                }
            }
        }
        Ok(())
    }

    /// The ability bundles, ascending.
    pub fn bundles(&self) -> impl Iterator<Item = AbilityBundleId> {
        self.bundles.iter().map(|number| AbilityBundleId(*number))
    }

    /// The functions, ascending.
    pub fn functions(&self) -> impl Iterator<Item = u32> {
        self.functions.iter().copied()
    }

    /// The abilities, ascending.
    pub fn abilities(&self) -> impl Iterator<Item = u32> {
        self.abilities.iter().copied()
    }

    /// The modifications, ascending.
    pub fn modifications(&self) -> impl Iterator<Item = u32> {
        self.modifications.iter().copied()
    }

    /// The keywords that objects can have.
    pub fn keywords(&self) -> &BTreeSet<KeywordId> {
        &self.keywords
    }

    /// The definitions (cards, tokens and others), ascending.
    pub fn definitions(&self) -> &BTreeSet<u32> {
        &self.definitions
    }
}

/// Collects the entries that a function refers to. A card whose name is only compared (`IsCard`) is excluded; a card that is a
/// value is included.
fn function_refs(function: &Function, found: &mut Vec<TableRef>) {
    let Function { name: _, registers, params: _, result: _, ops, sources: _, text_slots: _ } = function;
    for op in ops {
        match op {
            Op::IsCard { .. } => {}
            Op::Const { dst, value } => {
                if registers.get(usize::from(*dst)) == Some(&Type::Card) {
                    found.extend(u32::try_from(*value).ok().map(TableRef::Definition));
                }
            }
            op => collect_refs(op, found),
        }
    }
}

/// Collects the entries that a format refers to regardless of the cards: without actions and plays, and without the cards in
/// errata and in lists of banned and restricted cards.
fn rule_refs(format: &Format, found: &mut Vec<TableRef>) {
    let Format {
        name: _,
        title: _,
        base: _,
        min_players: _,
        max_players: _,
        absent_zones: _,
        actions: _,
        bundles: _,
        rules,
        state_rules,
        plays: _,
        payments,
        timing,
        announce,
        setup,
        periods: spans,
        evaluate,
        constants: _,
        action_aliases: treats,
        errata: _,
        deck,
        match_rules: contest,
        layout,
    } = format;
    collect_refs(&(rules, state_rules, payments, timing, announce, setup), found);
    collect_refs(&(spans, evaluate, treats, &deck.unlimited, &deck.limits, &deck.prohibitions, contest), found);
    collect_refs(layout, found);
}

/// The tables of a game in one format.
pub struct FormatTables<'a> {
    /// The library.
    pub library: &'a Library,
    /// One of its formats.
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

    fn modification(&mut self, number: u32) -> Result<Option<&Modification>, Infallible> {
        Ok(self.library.modifications.get(number as usize))
    }

    fn definition(&mut self, number: u32) -> Result<Option<&Definition>, Infallible> {
        Ok(self.library.definitions.get(number as usize))
    }

    fn bundles(&mut self, number: u32) -> Result<Vec<&AbilityBundle>, Infallible> {
        Ok(self.format.bundles.get(number as usize).into_iter().collect())
    }

    fn bundles_with_keywords(&mut self, keywords: &BTreeSet<KeywordId>) -> Result<Vec<u32>, Infallible> {
        let is_of = |unit: &AbilityBundle| unit.keyword.as_ref().is_some_and(|(keyword, _)| keywords.contains(keyword));
        Ok(self.format.bundles.numbered().filter(|(_, unit)| is_of(unit)).map(|(number, _)| number as u32).collect())
    }

    fn errata_of(&self, number: u32) -> Vec<DefId> {
        errata_of(self.format, number).collect()
    }
}

/// The definitions that replace a card in a format.
pub fn errata_of(format: &Format, number: u32) -> impl Iterator<Item = DefId> {
    format.errata.iter().filter(move |(from, _)| from.0 == number).map(|(_, to)| *to)
}
