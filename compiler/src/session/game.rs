//! One game of a session: its name table and declarations, kept between checks, and the result of lowering each of its items.

use super::interface::{self, Interface};
use super::item_result::{self, GameContext, ItemDeclaration, ItemResult, LoweringWork};
use super::store::SourceStore;
use super::usage_index::UsageIndex;
use crate::diagnostics::render::MAX_DIAGNOSTICS_LISTED;
use crate::diagnostics::{self, Diagnostic, MAX_KEPT, codes};
use crate::formats::ResolvedFormat;
use crate::lints;
use crate::lower::{Lowering, LoweringSnapshot};
use crate::maps::IndexMap;
use crate::names::NameTable;
use crate::packs::GameItems;
use crate::renamed_words::RenamedWords;
use crate::shorthand::Shorthands;
use crate::sources::Sources;
use crate::text::{self, ChoiceSpans, TextReport, TextSources};
use fizzle_grammar::ast::{Ability, AbilityKind, AnnouncePolicy, Deck, Item, ItemKind, Span};
use fizzle_ir::{CompiledGame, Format, KeywordId};
use rayon::prelude::*;
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// The number of items that one thread lowers with the same tables.
const CHUNK_SIZE: usize = 128;
/// Chunks that are lowered before their diagnostics are cut to those that are kept.
const CHUNKS_AT_ONCE: usize = 8;

/// The announcement policies of all formats, by name.
pub type Announces<'a> = BTreeMap<SmolStr, Option<&'a AnnouncePolicy>>;

/// A game that is compiled as a whole.
#[derive(Debug)]
pub struct WholeGame {
    /// The compiled game, without texts.
    pub game: CompiledGame,
    /// The span of each choice site.
    pub choice_spans: ChoiceSpans,
}

/// A game.
#[derive(Debug)]
pub struct Game<'a> {
    /// Its name.
    pub name: SmolStr,
    /// Its name table.
    pub names: NameTable<'a>,
    /// The declarations by which shorthand forms are expanded.
    pub shorthands: Shorthands<'a>,
    /// How many expressions and statements the shorthand forms were expanded to, also those of items that an edit has removed since.
    pub expansion: usize,
    /// The old words that its items may use.
    pub renamed: RenamedWords,
    /// Its formats.
    pub models: Vec<ResolvedFormat<'a>>,
    /// The compiled game, after [`Self::compile`].
    pub whole: Option<WholeGame>,
    /// Its items with their numbers. Updates do not keep their order.
    pub items: Vec<(u32, &'a Item)>,
    /// The items that are not lowered independently: all except for cards, decks and scenarios.
    pub declarations: Vec<&'a Item>,
    /// The part of the declarations that can affect independent items.
    pub interface: Interface,
    formats: Vec<SmolStr>,
    /// The lowered declarations, from which items are lowered.
    snapshot: LoweringSnapshot,
    /// The lowered formats.
    compiled_formats: Vec<Format>,
    /// The result of lowering the declarations.
    declarations_result: Box<ItemResult>,
    /// Places of `opponent` in functions that items use.
    shared_opponents: BTreeSet<Span>,
    /// The results of the independent items, by item.
    pub results: BTreeMap<u32, Box<ItemResult>>,
    /// Items with diagnostics.
    items_with_problems: BTreeSet<u32>,
    /// Items that affect global diagnostics, and decks.
    global_items: BTreeSet<u32>,
    /// Keywords with arguments that are lowered for all formats.
    known_bundles: BTreeSet<(KeywordId, Vec<i32>)>,
    /// The items that declare each name, in source order. The flag: whether it is a card, else a deck.
    owners: IndexMap<(bool, SmolStr), Vec<u32>>,
    /// Names that several items declare.
    duplicate_names: BTreeSet<(bool, SmolStr)>,
    /// The number of cards that print each word of an open trait set.
    print_counts: BTreeMap<(usize, SmolStr), usize>,
    /// Diagnostics that depend on all items.
    global_diagnostics: Vec<Diagnostic>,
    usage: UsageIndex,
    /// The decks, by item.
    decks: BTreeMap<u32, &'a Deck>,
    /// The diagnostics of decks that their formats refuse, by item. An entry is removed when a listed card changes.
    deck_diagnostics: BTreeMap<u32, Vec<Diagnostic>>,
    /// Keywords whose use affects other diagnostics. If the set of used ones changes, the analysis is rebuilt.
    watched_keywords: BTreeSet<KeywordId>,
    /// Zones that perhaps nothing fills, and the items that read them.
    unfilled_zones: lints::UnfilledZones,
    /// Diagnostics of triggers that never happen, and of zones that are always empty.
    unreachable_diagnostics: Vec<Diagnostic>,
}

fn deck_of(item: &Item) -> Option<&Deck> {
    match &item.kind {
        ItemKind::Deck(deck) => Some(deck),
        _ => None,
    }
}

/// The place of a name that an item declares.
fn name_span(item: &Item, name: &SmolStr) -> Option<Span> {
    item_result::declarations_of(item).into_iter().find(|(known, _)| *known == name).map(|(_, declared)| match declared {
        ItemDeclaration::Card(card, _) => card.name.span,
        ItemDeclaration::Deck(span) => span,
    })
}

/// The number of the declarations in the usage index.
const DECLARATIONS: u32 = u32::MAX;

/// The result of applying a change of independent items.
#[derive(Debug)]
pub enum UpdateResult {
    /// The change was applied. The spans are the places of earlier and new diagnostics.
    Done(Vec<Span>),
    /// The change affects declarations, so the analysis must be rebuilt.
    Rebuild,
}

impl<'a> Game<'a> {
    /// Collects names and resolves formats.
    pub fn new(items: GameItems<'a>) -> Self {
        let mut rest = Box::<ItemResult>::default();
        let names = NameTable::collect(&items, &mut rest.diagnostics);
        let models = crate::formats::resolve_formats(&items, &names, &mut rest.diagnostics);
        // `run_global_lints` reports cards and decks of one name.
        let independent = items.items.iter().filter(|item| item_result::is_independent(item));
        let independent: BTreeSet<u32> = independent.map(|item| item.span.file).collect();
        rest.diagnostics
            .retain(|problem| problem.code.code != codes::DUPLICATE.code || !independent.contains(&problem.span.file));
        let mut owners: IndexMap<(bool, SmolStr), Vec<u32>> = IndexMap::default();
        for item in &items.items {
            for (name, declared) in item_result::declarations_of(item) {
                owners.entry((matches!(declared, ItemDeclaration::Card(..)), name.clone())).or_default().push(item.span.file);
            }
        }
        let duplicate_names =
            owners.iter().filter(|(_, item_numbers)| item_numbers.len() > 1).map(|(name, _)| name.clone()).collect();
        let mut printed: BTreeMap<(usize, SmolStr), usize> = BTreeMap::new();
        let words: Vec<Vec<(usize, SmolStr)>> =
            items.items.par_iter().map(|item| item_result::printed_words(item, &names)).collect();
        for word in words.into_iter().flatten() {
            *printed.entry(word).or_default() += 1;
        }
        Self {
            name: items.name.clone(),
            shorthands: items.shorthands.clone(),
            expansion: items.expansion,
            renamed: items.renamed.clone(),
            formats: models.iter().map(|model| model.name.clone()).collect(),
            items: items.items.iter().map(|item| (item.span.file, *item)).collect(),
            declarations: items.items.iter().copied().filter(|item| !item_result::is_independent(item)).collect(),
            interface: Interface::default(),
            names,
            models,
            whole: None,
            snapshot: LoweringSnapshot::default(),
            compiled_formats: Vec::new(),
            declarations_result: rest,
            shared_opponents: BTreeSet::new(),
            results: BTreeMap::new(),
            items_with_problems: BTreeSet::new(),
            global_items: BTreeSet::new(),
            known_bundles: BTreeSet::new(),
            owners,
            duplicate_names,
            print_counts: printed,
            global_diagnostics: Vec::new(),
            usage: UsageIndex::default(),
            deck_diagnostics: BTreeMap::new(),
            decks: items.items.iter().filter_map(|item| Some((item.span.file, deck_of(item)?))).collect(),
            watched_keywords: BTreeSet::new(),
            unfilled_zones: lints::UnfilledZones::default(),
            unreachable_diagnostics: Vec::new(),
        }
    }

    /// Lowers all items. The results in `known` are reused.
    pub fn lower_all(
        &mut self,
        sources: &Sources,
        announces: &Announces<'_>,
        leaf_files: &BTreeSet<u32>,
        known: BTreeMap<u32, Box<ItemResult>>,
    ) {
        let items: Vec<&Item> = self.items.iter().map(|(_, item)| *item).collect();
        let mut diagnostics = {
            let mut lower = Lowering::new(&self.names, sources);
            lower.declarations(&items);
            self.snapshot = lower.snapshot();
            std::mem::take(&mut lower.diagnostics)
        };
        let single: Vec<u32> = self
            .items
            .iter()
            .filter(|(item_number, item)| item_result::is_independent(item) && !known.contains_key(item_number))
            .map(|(item_number, _)| *item_number)
            .collect();
        for (item_number, outcome) in &known {
            self.classify(*item_number, outcome);
            self.usage.add(*item_number, outcome);
        }
        self.results = known;
        self.lower_items(sources, &single, false);
        // Words of open trait sets that only code mentions are known in all items.
        let mentioned: BTreeSet<(usize, SmolStr)> =
            self.results.values().flat_map(|outcome| outcome.words.iter().cloned()).collect();
        if !mentioned.is_empty() {
            for (set, word) in mentioned {
                if let Some(words) = self.snapshot.words.get_mut(set) {
                    let number = words.len() as u16;
                    words.entry(word).or_insert(number);
                }
            }
            let with_errors: Vec<u32> = single.iter().copied().filter(|item_number| self.has_errors(*item_number)).collect();
            self.lower_items(sources, &with_errors, false);
        }
        self.known_bundles = self.results.values().flat_map(|outcome| outcome.keyword_bundles.iter().cloned()).collect();
        let mut rest = std::mem::take(&mut self.declarations_result);
        rest.diagnostics.append(&mut diagnostics);
        let mut lower = Lowering::resume(&self.names, sources, &self.snapshot);
        let mut units: Vec<&(KeywordId, Vec<i32>)> = self.known_bundles.iter().collect();
        units.sort_unstable();
        for (keyword, args) in units {
            lower.keyword_bundle(*keyword, args.clone());
        }
        let errata = lower.errata_definitions(&self.models);
        self.compiled_formats = lower.formats(&self.models, &errata, announces);
        self.check_declarations(&mut lower, &mut rest, leaf_files);
        drop(lower);
        self.record_declarations(rest, sources);
    }

    /// What is chosen on announcement in the game itself.
    #[must_use]
    pub fn announce_policy(&self) -> Option<&fizzle_ir::AnnouncePolicy> {
        self.compiled_formats.first().map(|format| &format.announce)
    }

    /// The actions that players declare, such as by `declare attack { … }`.
    pub fn declared_actions(&self) -> impl Iterator<Item = &SmolStr> {
        let numbers = self.declarations_result.declared_actions.iter();
        numbers.filter_map(|action| self.names.actions.get_index(action.index())).map(|(name, _)| name)
    }

    /// Lowers the whole game as one program, and checks it: the results of its items are not kept.
    pub fn compile(&mut self, sources: &Sources, announces: &Announces<'_>, leaf_files: &BTreeSet<u32>) {
        let items: Vec<&Item> = self.items.iter().map(|(_, item)| *item).collect();
        let mut rest = std::mem::take(&mut self.declarations_result);
        let mut lower = Lowering::new(&self.names, sources);
        lower.declarations(&items);
        let errata = lower.definitions(&self.models);
        let (mut scenarios, mut stages) = (Vec::new(), Vec::new());
        for item in &items {
            match &item.kind {
                ItemKind::Deck(deck) => {
                    let deck = lower.deck(deck, &self.name, &self.formats);
                    lower.decks.push(deck);
                    diagnostics::keep_listed(&mut lower.diagnostics);
                }
                ItemKind::Scenario(scenario) => scenarios.push(scenario),
                ItemKind::Stage(stage) => stages.push((stage, item.span)),
                _ => {}
            }
        }
        let mut lowered = Vec::with_capacity(scenarios.len());
        for scenario in scenarios {
            lowered.push(lower.scenario(scenario, &self.name, &self.formats));
            diagnostics::keep_listed(&mut lower.diagnostics);
        }
        let scenarios = lowered;
        self.compiled_formats = lower.formats(&self.models, &errata, announces);
        // A pack's own stages come before those of the game that it extends.
        stages.sort_by_key(|(_, span)| !leaf_files.contains(&span.file));
        let stages = stages
            .into_iter()
            .map(|(stage, span)| lower.outside_of_rules(span, |lower| lower.stage(stage, &self.name, &self.formats)))
            .collect();
        self.check_declarations(&mut lower, &mut rest, leaf_files);
        let formats = self.compiled_formats.clone();
        let Lowering { mut library, decks, choice_spans, .. } = lower;
        library.functions.shrink_to_fit();
        let game = CompiledGame {
            name: self.name.to_string(),
            library: library.into(),
            formats,
            decks,
            scenarios,
            stages,
            ..CompiledGame::default()
        };
        self.whole = Some(WholeGame { game, choice_spans });
        self.record_declarations(rest, sources);
    }

    /// Takes the compiled game. `report`: also renders its rules texts; what is reported about them is added there, and to the problems of the game.
    pub fn take_compiled(&mut self, sources: &Sources, report: Option<&mut TextReport>) -> Option<CompiledGame> {
        let WholeGame { mut game, choice_spans } = self.whole.take()?;
        if let Some(report) = report {
            let items: Vec<&Item> = self.items.iter().map(|(_, item)| *item).collect();
            let (names, models) = (&self.names, &self.models[..]);
            let from = TextSources { items: &items, names, models, formats: &game.formats, sources };
            game.texts = text::texts(from, report);
            text::prompts(&items, names, sources, game.library.sites.entries_from(0), &choice_spans, &mut game.texts);
            self.declarations_result.diagnostics.append(&mut report.exceeded.clone());
        }
        Some(game)
    }

    /// Checks the lowered declarations, and takes the results of lowering from `lower`.
    fn check_declarations<'b>(&'b self, lower: &mut Lowering<'b>, rest: &mut ItemResult, leaf_files: &BTreeSet<u32>) {
        // Scenarios have their own copies of what a named position does.
        let (done, filled) = lower.discard_code(|lower| {
            for item in &self.declarations {
                if let ItemKind::Position(named) = &item.kind {
                    lower.check_position(named);
                }
            }
            let used = lower.used_keywords();
            let declarations = &self.declarations;
            lints::lint_removed_keywords(declarations, &self.models, &self.names, &used, leaf_files, &mut lower.diagnostics);
            lower.check_unreferenced(&self.models)
        });
        (rest.proposed_actions, rest.filled_zones) = (done.into_iter().collect(), filled.into_iter().collect());
        rest.ability_names = item_result::activated_names(lower.library.abilities.entries_from(0));
        rest.awaited_actions = std::mem::take(&mut lower.awaited_actions);
        text::check(&self.declarations, &self.names, &mut lower.diagnostics);
        rest.diagnostics.append(&mut lower.diagnostics);
        rest.clause_actions = std::mem::take(&mut lower.clause_actions).into_iter().collect();
        rest.declared_actions = std::mem::take(&mut lower.declared_actions).into_iter().collect();
        rest.single_opponents = std::mem::take(&mut lower.single_opponents).into_iter().collect();
        rest.scripted_verbs = std::mem::take(&mut lower.scripted_verbs);
        rest.first_value = lower.first_value;
        rest.work = LoweringWork::of(lower);
    }

    /// Keeps the result of lowering the declarations, and reports the diagnostics that depend on all items.
    fn record_declarations(&mut self, mut rest: Box<ItemResult>, sources: &Sources) {
        // `run_global_lints` reports these.
        rest.diagnostics.retain(|problem| {
            let code = problem.code.code;
            !(code == codes::MANY_OPPONENTS.code || code == codes::MISSING_PART.code && Some(problem.span) == rest.first_value)
        });
        self.usage.add(DECLARATIONS, &rest);
        let filled = rest.filled_zones.iter().copied().collect();
        self.unfilled_zones = lints::UnfilledZones::new(&self.names, &filled, &self.declarations);
        self.unfilled_zones.add(&self.items);
        self.declarations_result = rest;
        self.watched_keywords = self.find_watched_keywords();
        self.run_global_lints(sources);
    }

    /// Lowers independent items. `spell`: also lowers keywords with new arguments.
    fn lower_items(&mut self, sources: &Sources, item_numbers: &[u32], spell: bool) {
        let items: BTreeMap<u32, &'a Item> = if item_numbers.len() > CHUNK_SIZE {
            self.items.iter().copied().collect()
        } else {
            self.items.iter().filter(|(item_number, _)| item_numbers.contains(item_number)).copied().collect()
        };
        let (name, formats) = (self.name.clone(), self.formats.clone());
        let setting = GameContext { game: &name, formats: &formats };
        // A scenario may name a deck, so decks are lowered first.
        let (scenarios, others): (Vec<u32>, Vec<u32>) = item_numbers
            .iter()
            .partition(|item_number| items.get(item_number).is_some_and(|item| matches!(item.kind, ItemKind::Scenario(_))));
        let lowered_again: BTreeSet<u32> = item_numbers.iter().copied().collect();
        let others_work = self.results.iter().filter(|(item_number, _)| !lowered_again.contains(item_number));
        let mut work: LoweringWork = others_work.map(|(_, outcome)| outcome.work).chain([self.declarations_result.work]).sum();
        for group in [others, scenarios] {
            let marked = self.global_items.iter().filter_map(|item_number| self.results.get(item_number));
            let decks: Vec<_> = marked.filter_map(|outcome| outcome.deck.clone()).collect();
            // More than are listed are not kept, of all items together. Chunks are lowered in groups, since each may lead to as many.
            let with_problems = self.items_with_problems.iter().filter_map(|item_number| self.results.get(item_number));
            let mut room = MAX_KEPT.saturating_sub(with_problems.map(|outcome| outcome.diagnostics.len()).sum());
            for group in group.chunks(CHUNK_SIZE * CHUNKS_AT_ONCE) {
                // What follows is not lowered, until an edit makes the game smaller.
                if work.is_too_much() {
                    let skipped = ItemResult { is_skipped: true, ..ItemResult::default() };
                    self.results.extend(group.iter().map(|item_number| (*item_number, Box::new(skipped.clone()))));
                    continue;
                }
                let (names, kept, models, known) = (&self.names, &self.snapshot, &self.models, &self.known_bundles);
                let chunk = |item_numbers: &[u32]| {
                    let mut lower = Lowering::resume(names, sources, kept);
                    (lower.operations, lower.repeated_entries) = (work.operations, work.repeated_entries);
                    lower.decks.clone_from(&decks);
                    let mut results = Vec::with_capacity(item_numbers.len());
                    let mut room = room.min(MAX_DIAGNOSTICS_LISTED);
                    for item_number in item_numbers {
                        let Some(item) = items.get(item_number) else { continue };
                        let mut outcome = item_result::lower(&mut lower, kept, item, setting);
                        if spell {
                            for (keyword, args) in outcome.keyword_bundles.iter().filter(|unit| !known.contains(unit)) {
                                models.iter().for_each(|model| drop(lower.keyword_abilities(model, *keyword, args)));
                            }
                            outcome.diagnostics.append(&mut lower.diagnostics);
                        }
                        // It was lowered only in part, or not at all.
                        outcome.is_skipped = LoweringWork::of(&lower).is_too_much();
                        diagnostics::keep_first(&mut outcome.diagnostics, room);
                        room = room.saturating_sub(outcome.diagnostics.len());
                        outcome.diagnostics.shrink_to_fit();
                        results.push((*item_number, Box::new(outcome)));
                    }
                    results
                };
                let mut results: Vec<Vec<(u32, Box<ItemResult>)>> = match group.len() {
                    0 => Vec::new(),
                    1..=CHUNK_SIZE => vec![chunk(group)],
                    _ => group.par_chunks(CHUNK_SIZE).map(chunk).collect(),
                };
                // Chunks count only what precedes their group and their own items.
                let is_reported = results.iter().flatten().any(|(_, outcome)| outcome.reports_game_limit());
                for (item_number, outcome) in results.iter_mut().flatten() {
                    let was_too_much = work.is_too_much();
                    work = [work, outcome.work].into_iter().sum();
                    if work.is_too_much() && !was_too_much && !is_reported {
                        outcome.diagnostics.extend(items.get(item_number).map(|item| work.diagnostic(item.span)));
                    }
                }
                for (item_number, mut outcome) in results.into_iter().flatten() {
                    diagnostics::keep_first(&mut outcome.diagnostics, room);
                    room = room.saturating_sub(outcome.diagnostics.len());
                    self.classify(item_number, &outcome);
                    // A span in a function applies to all items that use the function.
                    self.shared_opponents.extend(outcome.single_opponents.iter().filter(|span| span.file != item_number));
                    self.usage.add(item_number, &outcome);
                    if let Some(before) = self.results.insert(item_number, outcome) {
                        self.usage.remove(item_number, &before);
                    }
                }
            }
        }
    }

    /// Records whether an item has problems, and whether it affects global diagnostics.
    fn classify(&mut self, item_number: u32, outcome: &ItemResult) {
        let has_player_range = self.models.iter().any(|model| model.players.is_some());
        let whole = has_player_range && !outcome.single_opponents.is_empty()
            || !outcome.clause_actions.is_empty()
            || !outcome.declared_actions.is_empty()
            || outcome.first_value.is_some()
            || outcome.deck.is_some();
        for (set, belongs) in [(&mut self.items_with_problems, !outcome.diagnostics.is_empty()), (&mut self.global_items, whole)]
        {
            if belongs {
                set.insert(item_number);
            } else {
                set.remove(&item_number);
            }
        }
    }

    fn has_errors(&self, item_number: u32) -> bool {
        self.results.get(&item_number).is_some_and(|outcome| outcome.diagnostics.iter().any(Diagnostic::is_error))
    }

    /// Whether the game exceeds a limit of all items together.
    fn is_too_much(&self) -> bool {
        let works = self.results.values().map(|outcome| outcome.work).chain([self.declarations_result.work]);
        works.sum::<LoweringWork>().is_too_much()
    }

    /// Computes the diagnostics that depend on all items.
    fn run_global_lints(&mut self, sources: &Sources) {
        let all = || {
            self.global_items.iter().filter_map(|item_number| self.results.get(item_number)).chain([&self.declarations_result])
        };
        if self.is_too_much() {
            // What was not lowered seems to be unused.
            self.global_diagnostics.clear();
            self.unreachable_diagnostics.clear();
            return;
        }
        let mut lower = Lowering::resume(&self.names, sources, &LoweringSnapshot::default());
        if self.models.iter().any(|model| model.players.is_some()) {
            lower.single_opponents = all()
                .flat_map(|outcome| outcome.single_opponents.iter().copied())
                .chain(self.shared_opponents.iter().copied())
                .collect();
        }
        lower.clause_actions = all().flat_map(|outcome| outcome.clause_actions.iter().copied()).collect();
        lower.declared_actions = all().flat_map(|outcome| outcome.declared_actions.iter().copied()).collect();
        lower.first_value = all().filter_map(|outcome| outcome.first_value).min();
        lower.check_opponents(&self.models);
        lower.check_clauses();
        lower.check_values_stage(&self.models, &self.compiled_formats);
        let mut diagnostics = std::mem::take(&mut lower.diagnostics);
        drop(lower);
        let by_number: BTreeMap<u32, &Item> =
            if self.duplicate_names.is_empty() { BTreeMap::new() } else { self.items.iter().copied().collect() };
        for (card, name) in &self.duplicate_names {
            let item_numbers = self.owners.get(&(*card, name.clone())).map_or(&[][..], Vec::as_slice);
            let spans: Vec<Span> =
                item_numbers.iter().filter_map(|item_number| name_span(by_number.get(item_number)?, name)).collect();
            let kind = if *card { "card" } else { "deck" };
            for span in spans.iter().skip(1) {
                diagnostics.push(crate::names::duplicate_declaration(kind, name, *span, spans.first().copied().unwrap_or(*span)));
            }
        }
        let mut items = self.items.clone();
        items.sort_unstable_by_key(|(item_number, _)| *item_number);
        let items: Vec<&Item> = items.into_iter().map(|(_, item)| item).collect();
        lints::lint_differences(&items, &self.models, sources, &mut diagnostics);
        let mut deck_formats = lints::DeckFormats::new(&self.models, &self.names);
        for (item_number, deck) in &self.decks {
            let lint = || deck_formats.lint(deck, &self.name);
            diagnostics.extend(self.deck_diagnostics.entry(*item_number).or_insert_with(lint).iter().cloned());
            diagnostics::keep_listed(&mut diagnostics);
        }
        let plays = crate::unreferenced::plays(&self.names, self.usage.ability_names().cloned());
        for (verb, item_numbers) in self.usage.scripted_verbs() {
            let spans = item_numbers.values().flatten();
            diagnostics.extend(spans.map_while(|span| crate::unreferenced::unknown_play(&self.names, &plays, verb, *span)));
        }
        self.global_diagnostics = diagnostics;
        let reachable = lints::reachable_actions(&self.names, &self.models, self.usage.proposed_actions());
        let never = self.usage.awaited_actions().filter(|(action, _)| !reachable.contains(action));
        let spans = never.flat_map(|(action, item_numbers)| item_numbers.values().flatten().map(move |span| (action, *span)));
        self.unreachable_diagnostics =
            spans.filter_map(|(action, span)| lints::dead_trigger_diagnostic(&self.names, action, span)).collect();
        self.unreachable_diagnostics.extend(self.unfilled_zones.report(&self.usage.filled_zones()));
    }

    /// Finds the watched keywords: those with activated abilities, which scenarios can name, and those that formats remove.
    fn find_watched_keywords(&self) -> BTreeSet<KeywordId> {
        let activated = |ability: &Ability| matches!(ability.kind, AbilityKind::Activated(_));
        let texts = self.models.iter().flat_map(|model| &model.keywords);
        let named = texts.filter(|(_, text)| text.abilities.iter().any(activated)).map(|(name, _)| name);
        let named = named.filter_map(|name| Some(KeywordId(self.names.keywords.get_index_of(name)? as u32)));
        named.chain(lints::removals(&self.declarations, &self.names).into_iter().map(|(keyword, _)| keyword)).collect()
    }

    /// Whether a change of cards can change what names of cards mean in other files: several packs declare one of them, before or after.
    fn may_change_scopes(&self, pack: usize, removed: &[u32], added: &[(u32, &'a Item)]) -> bool {
        let scopes = &self.names.scopes;
        if scopes.packs.len() < 2 {
            return false;
        }
        let before = self.items.iter().filter(|(number, _)| removed.contains(number));
        let mut names = before.chain(added).flat_map(|(_, item)| item_result::declarations_of(item));
        names.any(|(name, declared)| {
            let known = self.names.cards.get(name).copied().flatten().map(|card| card.name.span);
            matches!(declared, ItemDeclaration::Card(..))
                && (scopes.has_contested_names() || scopes.is_of_other_pack(pack, known))
        })
    }

    /// Removes and adds independent items, and lowers all items that this affects.
    pub fn update(&mut self, store: &SourceStore, pack: usize, removed: &[u32], added: &[(u32, &'a Item)]) -> UpdateResult {
        if self.may_change_scopes(pack, removed, added) {
            return UpdateResult::Rebuild;
        }
        // Items that were skipped are lowered again by a rebuild.
        if self.is_too_much() {
            return UpdateResult::Rebuild;
        }
        for (item_number, _) in added {
            Arc::make_mut(&mut self.names.scopes).add_member(*item_number, pack);
        }
        let sources = store.sources();
        let used = self.usage.used_keywords(&self.watched_keywords);
        let mut touched: Vec<Span> = Vec::new();
        let mut changed: BTreeSet<(bool, SmolStr)> = BTreeSet::new();
        let mut words: BTreeMap<(usize, SmolStr), isize> = BTreeMap::new();
        for item_number in removed {
            let Some(index) = self.items.iter().position(|(known, _)| known == item_number) else { continue };
            let (_, item) = self.items.swap_remove(index);
            for (name, declared) in item_result::declarations_of(item) {
                let key = (matches!(declared, ItemDeclaration::Card(..)), name.clone());
                if let Some(item_numbers) = self.owners.get_mut(&key) {
                    item_numbers.retain(|known| known != item_number);
                }
                changed.insert(key);
            }
            for word in item_result::printed_words(item, &self.names) {
                *words.entry(word).or_default() -= 1;
            }
            if let Some(outcome) = self.results.remove(item_number) {
                self.usage.remove(*item_number, &outcome);
                touched.extend(outcome.diagnostics.iter().map(|diagnostic| diagnostic.span));
            }
            self.items_with_problems.remove(item_number);
            self.global_items.remove(item_number);
            self.decks.remove(item_number);
            self.deck_diagnostics.remove(item_number);
            self.unfilled_zones.remove(*item_number);
        }
        self.unfilled_zones.add(added);
        for (item_number, item) in added {
            self.items.push((*item_number, item));
            self.decks.extend(deck_of(item).map(|deck| (*item_number, deck)));
            for (name, declared) in item_result::declarations_of(item) {
                let key = (matches!(declared, ItemDeclaration::Card(..)), name.clone());
                self.owners.entry(key.clone()).or_default().push(*item_number);
                changed.insert(key);
            }
            for word in item_result::printed_words(item, &self.names) {
                *words.entry(word).or_default() += 1;
            }
        }
        let lists = |deck: &Deck| {
            deck.sections.iter().flat_map(|section| &section.cards).any(|(_, card)| changed.contains(&(true, card.text.clone())))
        };
        self.deck_diagnostics.retain(|item_number, _| self.decks.get(item_number).is_some_and(|deck| !lists(deck)));
        let mut again: BTreeSet<u32> = added.iter().map(|(item_number, _)| *item_number).collect();
        let mut mentioned: Vec<SmolStr> = self.recompute_owners(store, &changed, &mut again);
        for (word, count) in words {
            let before = self.print_counts.get(&word).copied().unwrap_or(0);
            let now = before.saturating_add_signed(count);
            if (before == 0) != (now == 0) {
                mentioned.push(word.1.clone());
                if word.0 == item_result::UNPARSED_SET {
                    self.names.set_unparsed_word(&word.1, now > 0);
                } else if let Some(words) = self.snapshot.words.get_mut(word.0) {
                    if now == 0 {
                        words.swap_remove(&word.1);
                    } else {
                        let number = words.len() as u16;
                        words.entry(word.1.clone()).or_insert(number);
                    }
                }
            }
            self.print_counts.insert(word, now);
        }
        if !mentioned.is_empty() {
            let mentions = |item_number: u32| interface::mentions(sources.text(item_number), &mentioned);
            if self.declarations.iter().any(|item| mentions(item.span.file)) {
                return UpdateResult::Rebuild;
            }
            let item_numbers: Vec<u32> = self.items.iter().map(|(item_number, _)| *item_number).collect();
            again.extend(
                item_numbers.into_par_iter().with_min_len(1024).filter(|item_number| mentions(*item_number)).collect::<Vec<_>>(),
            );
            // A name that they lack may exist now, or have another meaning.
            again.extend(self.items_with_problems.iter().copied());
        }
        for item_number in &again {
            touched.extend(
                self.results.get(item_number).iter().flat_map(|outcome| &outcome.diagnostics).map(|diagnostic| diagnostic.span),
            );
        }
        touched.extend(self.global_diagnostics.iter().chain(&self.unreachable_diagnostics).map(|diagnostic| diagnostic.span));
        let again: Vec<u32> = again.into_iter().collect();
        self.lower_items(sources, &again, true);
        if self.usage.used_keywords(&self.watched_keywords) != used {
            return UpdateResult::Rebuild;
        }
        self.run_global_lints(sources);
        for item_number in &again {
            touched.extend(
                self.results.get(item_number).iter().flat_map(|outcome| &outcome.diagnostics).map(|diagnostic| diagnostic.span),
            );
        }
        touched.extend(self.global_diagnostics.iter().chain(&self.unreachable_diagnostics).map(|diagnostic| diagnostic.span));
        UpdateResult::Done(touched)
    }

    /// Determines the first item of each changed name again. Returns the names that were added or removed, or have another meaning.
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
            let item_numbers = self.owners.get_mut(key).map(std::mem::take).unwrap_or_default();
            let mut item_numbers = item_numbers;
            item_numbers.sort_by_key(|item_number| store.position_of(*item_number));
            if item_numbers.len() > 1 {
                self.duplicate_names.insert(key.clone());
            } else {
                self.duplicate_names.remove(key);
            }
            let owner = item_numbers.first().copied();
            let (card, name) = key;
            if *card {
                let item = owner
                    .and_then(|owner| self.items.iter().find(|(item_number, _)| *item_number == owner))
                    .map(|(_, item)| *item);
                let found =
                    item.and_then(|item| item_result::declarations_of(item).into_iter().find(|(known, _)| *known == name));
                let found = found.and_then(|(_, declared)| match declared {
                    ItemDeclaration::Card(card, item_number) => Some((card, item_number)),
                    ItemDeclaration::Deck(_) => None,
                });
                let before =
                    self.names.cards.get(name).copied().flatten().map(|card| (card.faces.len(), self.names.faces.contains(name)));
                let after = found.map(|(card, item_number)| (card.faces.len(), item_number));
                if before != after {
                    mentioned.push(name.clone());
                }
                self.names.set_card(name, found);
                again.extend(item_numbers.iter().copied());
            } else {
                mentioned.push(name.clone());
            }
            if item_numbers.is_empty() {
                self.owners.swap_remove(key);
            } else {
                self.owners.insert(key.clone(), item_numbers);
            }
        }
        mentioned
    }

    /// The number of cards that print a word of an open trait set.
    #[must_use]
    pub fn print_count(&self, word: &str) -> usize {
        self.print_counts
            .iter()
            .filter(|((set, known), _)| *set != item_result::UNPARSED_SET && known == word)
            .map(|(_, count)| count)
            .sum()
    }

    /// The words of a trait set: those declared, and those that cards print.
    #[must_use]
    pub fn words(&self, set: usize) -> Vec<SmolStr> {
        self.snapshot.words.get(set).map(|words| words.keys().cloned().collect()).unwrap_or_default()
    }

    /// All problems except for syntax errors.
    pub fn problems(&self) -> impl Iterator<Item = &Diagnostic> {
        let single = self
            .items_with_problems
            .iter()
            .filter_map(|item_number| self.results.get(item_number))
            .flat_map(|outcome| &outcome.diagnostics);
        self.declarations_result
            .diagnostics
            .iter()
            .chain(single)
            .chain(&self.global_diagnostics)
            .chain(&self.unreachable_diagnostics)
    }
}
