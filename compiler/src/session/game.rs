//! One game of a session: its names and declarations, kept from check to check, and what came of each of its parts.

use super::interface::{self, Interface};
use super::item_result::{self, GameContext, ItemDeclaration, ItemResult};
use super::store::SourceStore;
use super::usage_index::UsageIndex;
use crate::diagnostics::{Diagnostic, codes};
use crate::formats::ResolvedFormat;
use crate::lints;
use crate::lower::{Lowering, LoweringSnapshot};
use crate::maps::IndexMap;
use crate::names::NameTable;
use crate::packs::GameItems;
use crate::sources::Sources;
use fizzle_grammar::ast::{Ability, AbilityKind, AnnouncePolicy, Deck, Item, ItemKind, Span};
use fizzle_runtime::ir::{Format, KeywordId};
use rayon::prelude::*;
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};

/// Parts that one thread lowers with the same tables.
const CHUNK: usize = 128;

/// The announcing of all formats by name.
pub type Announces<'a> = BTreeMap<SmolStr, Option<&'a AnnouncePolicy>>;

/// A game.
#[derive(Debug)]
pub struct Game<'a> {
    /// Its name.
    pub name: SmolStr,
    /// What it declares.
    pub names: NameTable<'a>,
    /// Its formats.
    pub models: Vec<ResolvedFormat<'a>>,
    /// Its parts in order, declarations first to last as they are given to the compiler.
    pub parts: Vec<(u32, &'a Item)>,
    /// Those that are no single cards, decks or scenarios.
    pub declarations: Vec<&'a Item>,
    /// What single parts can tell of them.
    pub interface: Interface,
    formats: Vec<SmolStr>,
    kept: LoweringSnapshot,
    made: Vec<Format>,
    rest: ItemResult,
    foreign: BTreeSet<Span>,
    /// What came of its single parts.
    pub outcomes: BTreeMap<u32, ItemResult>,
    items_with_problems: BTreeSet<u32>,
    /// Those of which the whole depends, and decks.
    global_items: BTreeSet<u32>,
    known_units: BTreeSet<(KeywordId, Vec<i32>)>,
    owners: IndexMap<(bool, SmolStr), Vec<u32>>,
    duplicate_names: BTreeSet<(bool, SmolStr)>,
    printed: BTreeMap<(usize, SmolStr), usize>,
    whole: Vec<Diagnostic>,
    tally: UsageIndex,
    /// The decks, by part.
    decks: BTreeMap<u32, &'a Deck>,
    /// What their formats have against them.
    deck_diagnostics: BTreeMap<u32, Vec<Diagnostic>>,
    /// Keywords on whose use more depends than their own problems.
    watched: BTreeSet<KeywordId>,
    /// Zones that may be filled by nothing, and what reads them.
    zones: lints::UnfilledZones,
    /// Triggers on what nothing does, and what reads zones that nothing fills.
    never: Vec<Diagnostic>,
}

fn deck_of(item: &Item) -> Option<&Deck> {
    match &item.kind {
        ItemKind::Deck(deck) => Some(deck),
        _ => None,
    }
}

/// Stands in a tally for what is no single part.
const REST: u32 = u32::MAX;

/// What a change of single parts did.
#[derive(Debug)]
pub enum UpdateResult {
    /// These parts were lowered; their earlier problems stood there.
    Done(Vec<Span>),
    /// Something depends on it that only a new analysis finds.
    Rebuild,
}

impl<'a> Game<'a> {
    /// Collects names and formats.
    pub fn new(items: &GameItems<'a>) -> Self {
        let mut rest = ItemResult::default();
        let names = NameTable::collect(items, &mut rest.diagnostics);
        let models = crate::formats::models(items, &names, &mut rest.diagnostics);
        let mut owners: IndexMap<(bool, SmolStr), Vec<u32>> = IndexMap::default();
        for item in &items.items {
            for (name, declared) in item_result::declared(item) {
                owners.entry((matches!(declared, ItemDeclaration::Card(..)), name.clone())).or_default().push(item.span.file);
            }
        }
        let doubles = owners.iter().filter(|(_, parts)| parts.len() > 1).map(|(name, _)| name.clone()).collect();
        let mut printed: BTreeMap<(usize, SmolStr), usize> = BTreeMap::new();
        let words: Vec<Vec<(usize, SmolStr)>> = items.items.par_iter().map(|item| item_result::printed(item, &names)).collect();
        for word in words.into_iter().flatten() {
            *printed.entry(word).or_default() += 1;
        }
        Self {
            name: items.name.clone(),
            formats: models.iter().map(|model| model.name.clone()).collect(),
            parts: items.items.iter().map(|item| (item.span.file, *item)).collect(),
            declarations: items.items.iter().copied().filter(|item| !item_result::is_single(item)).collect(),
            interface: Interface::default(),
            names,
            models,
            kept: LoweringSnapshot::default(),
            made: Vec::new(),
            rest,
            foreign: BTreeSet::new(),
            outcomes: BTreeMap::new(),
            items_with_problems: BTreeSet::new(),
            global_items: BTreeSet::new(),
            known_units: BTreeSet::new(),
            owners,
            duplicate_names: doubles,
            printed,
            whole: Vec::new(),
            tally: UsageIndex::default(),
            deck_diagnostics: BTreeMap::new(),
            decks: items.items.iter().filter_map(|item| Some((item.span.file, deck_of(item)?))).collect(),
            watched: BTreeSet::new(),
            zones: lints::UnfilledZones::default(),
            never: Vec::new(),
        }
    }

    /// Lowers everything; what is `known` of single parts is taken over.
    pub fn lower_all(
        &mut self,
        sources: &Sources,
        announces: &Announces<'_>,
        own: &BTreeSet<u32>,
        known: BTreeMap<u32, ItemResult>,
    ) {
        let items: Vec<&Item> = self.parts.iter().map(|(_, item)| *item).collect();
        let mut told = {
            let mut lower = Lowering::new(&self.names, sources);
            lower.declarations(&items);
            self.kept = lower.snapshot();
            std::mem::take(&mut lower.diagnostics)
        };
        let single: Vec<u32> = self
            .parts
            .iter()
            .filter(|(part, item)| item_result::is_single(item) && !known.contains_key(part))
            .map(|(part, _)| *part)
            .collect();
        for (part, outcome) in &known {
            self.mark(*part, outcome);
            self.tally.add(*part, outcome);
        }
        self.outcomes = known;
        self.lower_parts(sources, &single, false);
        // Words that only a text mentions are known everywhere.
        let mentioned: BTreeSet<(usize, SmolStr)> =
            self.outcomes.values().flat_map(|outcome| outcome.words.iter().cloned()).collect();
        if !mentioned.is_empty() {
            for (set, word) in mentioned {
                if let Some(words) = self.kept.words.get_mut(set) {
                    let number = words.len() as u16;
                    words.entry(word).or_insert(number);
                }
            }
            let wrong: Vec<u32> = single.iter().copied().filter(|part| self.has_errors(*part)).collect();
            self.lower_parts(sources, &wrong, false);
        }
        self.known_units = self.outcomes.values().flat_map(|outcome| outcome.units.iter().cloned()).collect();
        let mut rest = std::mem::take(&mut self.rest);
        rest.diagnostics.append(&mut told);
        let mut lower = Lowering::resume(&self.names, sources, &self.kept);
        let mut units: Vec<&(KeywordId, Vec<i32>)> = self.known_units.iter().collect();
        units.sort_unstable();
        for (keyword, args) in units {
            lower.keyword_bundle(*keyword, args.clone());
        }
        let corrected = lower.corrections(&self.models);
        self.made = lower.formats(&self.models, &corrected, announces);
        rest.opponents = std::mem::take(&mut lower.single_opponents).into_iter().collect();
        rest.first_value = lower.first_value;
        let used = lower.used_keywords();
        lints::lint_removed_keywords(&self.declarations, &self.models, &self.names, &used, own, &mut lower.diagnostics);
        let (done, filled) = lower.check_unused(&self.models);
        (rest.done, rest.filled) = (done.into_iter().collect(), filled.into_iter().collect());
        rest.labels = item_result::labels(lower.library.abilities.entries_from(0));
        rest.awaited = std::mem::take(&mut lower.awaited_actions);
        let texts = GameItems { items: self.declarations.clone(), name: self.name.clone(), ..GameItems::default() };
        crate::text::check(&texts, &self.names, &mut lower.diagnostics);
        lints::lint_differences(&texts, &self.models, sources, &mut lower.diagnostics);
        rest.diagnostics.append(&mut lower.diagnostics);
        rest.clauses = std::mem::take(&mut lower.clause_actions).into_iter().collect();
        rest.declares = std::mem::take(&mut lower.declared_actions).into_iter().collect();
        drop(lower);
        // What depends on everything is told by `look_at_the_whole`.
        let declarations: BTreeSet<u32> = self.declarations.iter().map(|item| item.span.file).collect();
        rest.diagnostics.retain(|told| {
            let code = told.code.code;
            !(code == codes::MANY_OPPONENTS.code
                || code == codes::DUPLICATE.code && !declarations.contains(&told.span.file)
                || code == codes::MISSING_PART.code && Some(told.span) == rest.first_value)
        });
        self.tally.add(REST, &rest);
        let filled = rest.filled.iter().copied().collect();
        self.zones = lints::UnfilledZones::new(&self.names, &filled, &self.declarations);
        self.zones.add(&self.parts);
        self.rest = rest;
        self.watched = self.watched_keywords();
        self.run_global_lints(sources);
    }

    /// Lowers single parts again. `spell`: keywords with new arguments are looked at, too.
    fn lower_parts(&mut self, sources: &Sources, parts: &[u32], spell: bool) {
        let items: BTreeMap<u32, &'a Item> = if parts.len() > CHUNK {
            self.parts.iter().copied().collect()
        } else {
            self.parts.iter().filter(|(part, _)| parts.contains(part)).copied().collect()
        };
        let (name, formats) = (self.name.clone(), self.formats.clone());
        let setting = GameContext { game: &name, formats: &formats };
        // A scenario may name a deck.
        let (scenarios, others): (Vec<u32>, Vec<u32>) =
            parts.iter().partition(|part| items.get(part).is_some_and(|item| matches!(item.kind, ItemKind::Scenario(_))));
        for group in [others, scenarios] {
            let marked = self.global_items.iter().filter_map(|part| self.outcomes.get(part));
            let decks: Vec<_> = marked.filter_map(|outcome| outcome.deck.clone()).collect();
            let (names, kept, models, known) = (&self.names, &self.kept, &self.models, &self.known_units);
            let chunk = |parts: &[u32]| {
                let mut lower = Lowering::resume(names, sources, kept);
                lower.decks.clone_from(&decks);
                let mut made = Vec::with_capacity(parts.len());
                for part in parts {
                    let Some(item) = items.get(part) else { continue };
                    let mut outcome = item_result::lower(&mut lower, kept, item, setting);
                    if spell {
                        for (keyword, args) in outcome.units.iter().filter(|unit| !known.contains(unit)) {
                            models.iter().for_each(|model| drop(lower.keyword_abilities(model, *keyword, args)));
                        }
                        outcome.diagnostics.append(&mut lower.diagnostics);
                    }
                    made.push((*part, outcome));
                }
                made
            };
            let made: Vec<Vec<(u32, ItemResult)>> = match group.len() {
                0 => Vec::new(),
                1..=CHUNK => vec![chunk(&group)],
                _ => group.par_chunks(CHUNK).map(chunk).collect(),
            };
            for (part, outcome) in made.into_iter().flatten() {
                self.mark(part, &outcome);
                // What a function says holds for all that use it.
                self.foreign.extend(outcome.opponents.iter().filter(|span| span.file != part));
                self.tally.add(part, &outcome);
                if let Some(before) = self.outcomes.insert(part, outcome) {
                    self.tally.remove(part, &before);
                }
            }
        }
    }

    /// Remembers which parts have problems, and on which the whole depends.
    fn mark(&mut self, part: u32, outcome: &ItemResult) {
        let crowded = self.models.iter().any(|model| model.players.is_some());
        let whole = crowded && !outcome.opponents.is_empty()
            || !outcome.clauses.is_empty()
            || !outcome.declares.is_empty()
            || outcome.first_value.is_some()
            || outcome.deck.is_some();
        for (set, belongs) in [(&mut self.items_with_problems, !outcome.diagnostics.is_empty()), (&mut self.global_items, whole)]
        {
            if belongs {
                set.insert(part);
            } else {
                set.remove(&part);
            }
        }
    }

    fn has_errors(&self, part: u32) -> bool {
        self.outcomes.get(&part).is_some_and(|outcome| outcome.diagnostics.iter().any(Diagnostic::is_error))
    }

    /// What only all parts together show.
    fn run_global_lints(&mut self, sources: &Sources) {
        let all = || self.global_items.iter().filter_map(|part| self.outcomes.get(part)).chain([&self.rest]);
        let mut lower = Lowering::resume(&self.names, sources, &LoweringSnapshot::default());
        if self.models.iter().any(|model| model.players.is_some()) {
            lower.single_opponents =
                all().flat_map(|outcome| outcome.opponents.iter().copied()).chain(self.foreign.iter().copied()).collect();
        }
        lower.clause_actions = all().flat_map(|outcome| outcome.clauses.iter().copied()).collect();
        lower.declared_actions = all().flat_map(|outcome| outcome.declares.iter().copied()).collect();
        lower.first_value = all().filter_map(|outcome| outcome.first_value).min();
        lower.check_opponents(&self.models);
        lower.check_clauses();
        lower.check_values_stage(&self.models, &self.made);
        let mut told = std::mem::take(&mut lower.diagnostics);
        drop(lower);
        for (card, name) in &self.duplicate_names {
            let parts = self.owners.get(&(*card, name.clone())).map_or(&[][..], Vec::as_slice);
            let spans: Vec<Span> = parts.iter().filter_map(|part| self.name_span(*part, name)).collect();
            let kind = if *card { "card" } else { "deck" };
            for span in spans.iter().skip(1) {
                told.push(crate::names::twice(kind, name, *span, spans.first().copied().unwrap_or(*span)));
            }
        }
        for (part, deck) in &self.decks {
            let judge = || lints::lint_deck(deck, &self.name, &self.models, &self.names);
            told.extend(self.deck_diagnostics.entry(*part).or_insert_with(judge).iter().cloned());
        }
        let plays = crate::unreferenced::plays(&self.names, self.tally.labels().cloned());
        for (verb, parts) in self.tally.scripted() {
            let spans = parts.values().flatten();
            told.extend(spans.map_while(|span| crate::unreferenced::unknown_play(&self.names, &plays, verb, *span)));
        }
        self.whole = told;
        let happens = lints::reachable_actions(&self.names, &self.models, self.tally.done());
        let never = self.tally.awaited().filter(|(action, _)| !happens.contains(action));
        let spans = never.flat_map(|(action, parts)| parts.values().flatten().map(move |span| (action, *span)));
        self.never = spans.filter_map(|(action, span)| lints::dead_trigger_diagnostic(&self.names, action, span)).collect();
        self.never.extend(self.zones.report(&self.tally.filled()));
    }

    /// Keywords with activated abilities, which scenarios name, and those that formats remove.
    fn watched_keywords(&self) -> BTreeSet<KeywordId> {
        let activated = |ability: &Ability| matches!(ability.kind, AbilityKind::Activated(_));
        let texts = self.models.iter().flat_map(|model| &model.keywords);
        let named = texts.filter(|(_, text)| text.abilities.iter().any(activated)).map(|(name, _)| name);
        let named = named.filter_map(|name| Some(KeywordId(self.names.keywords.get_index_of(name)? as u32)));
        named.chain(lints::removals(&self.declarations, &self.names).into_iter().map(|(keyword, _)| keyword)).collect()
    }

    fn name_span(&self, part: u32, name: &SmolStr) -> Option<Span> {
        let (_, item) = self.parts.iter().find(|(known, _)| *known == part)?;
        item_result::declared(item).into_iter().find(|(known, _)| *known == name).map(|(_, declared)| match declared {
            ItemDeclaration::Card(card, _) => card.name.span,
            ItemDeclaration::Deck(span) => span,
        })
    }

    /// Takes single parts away and others in.
    pub fn update(&mut self, store: &SourceStore, removed: &[u32], added: &[(u32, &'a Item)]) -> UpdateResult {
        let sources = store.sources();
        let used = self.tally.used(&self.watched);
        let mut touched: Vec<Span> = Vec::new();
        let mut changed: BTreeSet<(bool, SmolStr)> = BTreeSet::new();
        let mut words: BTreeMap<(usize, SmolStr), isize> = BTreeMap::new();
        for part in removed {
            let Some(index) = self.parts.iter().position(|(known, _)| known == part) else { continue };
            let (_, item) = self.parts.swap_remove(index);
            for (name, declared) in item_result::declared(item) {
                let key = (matches!(declared, ItemDeclaration::Card(..)), name.clone());
                if let Some(parts) = self.owners.get_mut(&key) {
                    parts.retain(|known| known != part);
                }
                changed.insert(key);
            }
            for word in item_result::printed(item, &self.names) {
                *words.entry(word).or_default() -= 1;
            }
            if let Some(outcome) = self.outcomes.remove(part) {
                self.tally.remove(*part, &outcome);
                touched.extend(outcome.diagnostics.iter().map(|diagnostic| diagnostic.span));
            }
            self.items_with_problems.remove(part);
            self.global_items.remove(part);
            self.decks.remove(part);
            self.deck_diagnostics.remove(part);
            self.zones.remove(*part);
        }
        self.zones.add(added);
        for (part, item) in added {
            self.parts.push((*part, item));
            self.decks.extend(deck_of(item).map(|deck| (*part, deck)));
            for (name, declared) in item_result::declared(item) {
                let key = (matches!(declared, ItemDeclaration::Card(..)), name.clone());
                self.owners.entry(key.clone()).or_default().push(*part);
                changed.insert(key);
            }
            for word in item_result::printed(item, &self.names) {
                *words.entry(word).or_default() += 1;
            }
        }
        let lists = |deck: &Deck| {
            deck.sections.iter().flat_map(|section| &section.cards).any(|(_, card)| changed.contains(&(true, card.text.clone())))
        };
        self.deck_diagnostics.retain(|part, _| self.decks.get(part).is_some_and(|deck| !lists(deck)));
        let mut again: BTreeSet<u32> = added.iter().map(|(part, _)| *part).collect();
        let mut mentioned: Vec<SmolStr> = self.recompute_owners(store, &changed, &mut again);
        for (word, count) in words {
            let before = self.printed.get(&word).copied().unwrap_or(0);
            let now = before.saturating_add_signed(count);
            if (before == 0) != (now == 0) {
                mentioned.push(word.1.clone());
                if word.0 == item_result::UNREAD {
                    self.names.set_unread(&word.1, now > 0);
                } else if let Some(words) = self.kept.words.get_mut(word.0) {
                    if now == 0 {
                        words.swap_remove(&word.1);
                    } else {
                        let number = words.len() as u16;
                        words.entry(word.1.clone()).or_insert(number);
                    }
                }
            }
            self.printed.insert(word, now);
        }
        if !mentioned.is_empty() {
            let mentions = |part: u32| interface::mentions(sources.text(part), &mentioned);
            if self.declarations.iter().any(|item| mentions(item.span.file)) {
                return UpdateResult::Rebuild;
            }
            let parts: Vec<u32> = self.parts.iter().map(|(part, _)| *part).collect();
            again.extend(parts.into_par_iter().with_min_len(1024).filter(|part| mentions(*part)).collect::<Vec<_>>());
            // What they do not find might be found now, or meant otherwise.
            again.extend(self.items_with_problems.iter().copied());
        }
        for part in &again {
            touched.extend(
                self.outcomes.get(part).iter().flat_map(|outcome| &outcome.diagnostics).map(|diagnostic| diagnostic.span),
            );
        }
        touched.extend(self.whole.iter().chain(&self.never).map(|diagnostic| diagnostic.span));
        let again: Vec<u32> = again.into_iter().collect();
        self.lower_parts(sources, &again, true);
        if self.tally.used(&self.watched) != used {
            return UpdateResult::Rebuild;
        }
        self.run_global_lints(sources);
        for part in &again {
            touched.extend(
                self.outcomes.get(part).iter().flat_map(|outcome| &outcome.diagnostics).map(|diagnostic| diagnostic.span),
            );
        }
        touched.extend(self.whole.iter().chain(&self.never).map(|diagnostic| diagnostic.span));
        UpdateResult::Done(touched)
    }

    /// Finds the first part of each name anew. Gives the names that are new, gone, or mean something else for others.
    fn recompute_owners(
        &mut self,
        store: &SourceStore,
        changed: &BTreeSet<(bool, SmolStr)>,
        again: &mut BTreeSet<u32>,
    ) -> Vec<SmolStr> {
        let mut mentioned = Vec::new();
        let mut changed: Vec<&(bool, SmolStr)> = changed.iter().collect();
        changed.sort_unstable();
        for key in changed {
            let parts = self.owners.get_mut(key).map(std::mem::take).unwrap_or_default();
            let mut parts = parts;
            parts.sort_by_key(|part| store.home(*part));
            if parts.len() > 1 {
                self.duplicate_names.insert(key.clone());
            } else {
                self.duplicate_names.remove(key);
            }
            let owner = parts.first().copied();
            let (card, name) = key;
            if *card {
                let item = owner.and_then(|owner| self.parts.iter().find(|(part, _)| *part == owner)).map(|(_, item)| *item);
                let found = item.and_then(|item| item_result::declared(item).into_iter().find(|(known, _)| *known == name));
                let found = found.and_then(|(_, declared)| match declared {
                    ItemDeclaration::Card(card, part) => Some((card, part)),
                    ItemDeclaration::Deck(_) => None,
                });
                let before =
                    self.names.cards.get(name).copied().flatten().map(|card| (card.faces.len(), self.names.parts.contains(name)));
                let after = found.map(|(card, part)| (card.faces.len(), part));
                if before != after {
                    mentioned.push(name.clone());
                }
                self.names.set_card(name, found);
                again.extend(parts.iter().copied());
            } else {
                mentioned.push(name.clone());
            }
            if parts.is_empty() {
                self.owners.swap_remove(key);
            } else {
                self.owners.insert(key.clone(), parts);
            }
        }
        mentioned
    }

    /// How many cards print a word of an open trait set.
    #[must_use]
    pub fn printing(&self, word: &str) -> usize {
        self.printed.iter().filter(|((set, known), _)| *set != item_result::UNREAD && known == word).map(|(_, count)| count).sum()
    }

    /// The words of an open trait set that cards print, or of a closed one.
    #[must_use]
    pub fn words(&self, set: usize) -> Vec<SmolStr> {
        self.kept.words.get(set).map(|words| words.keys().cloned().collect()).unwrap_or_default()
    }

    /// All problems found so far but those of reading.
    pub fn problems(&self) -> impl Iterator<Item = &Diagnostic> {
        let single =
            self.items_with_problems.iter().filter_map(|part| self.outcomes.get(part)).flat_map(|outcome| &outcome.diagnostics);
        self.rest.diagnostics.iter().chain(single).chain(&self.whole).chain(&self.never)
    }
}
