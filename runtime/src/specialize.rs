//! Specialises a program for its card pool.
//!
//! Rules handle words, keywords and statuses that the pool may never bring. This pass finds what can occur, folds all conditions
//! on the rest ([`constant_folding`]), and drops triggers, state rules and plays that can never apply.
//! It starts from "nothing occurs" and iterates to the least fixpoint over what reachable code brings (4 iterations for the
//! shipped games, [`MAX_ITERATIONS`] at most; beyond that nothing is specialised). The result is sound: nothing occurs as a game
//! begins, and no step of reachable code leads out of the fixpoint. Writes of the machine itself are included.
//! Operations keep their numbers. Explanations use [`Program::source_function`](crate::program::Program::source_function).

mod constant_folding;
mod dead_code;
mod occurrences;
#[cfg(test)]
mod tests;

use crate::ir::format::{LEAVE_GAME_ACTION, REMOVE_FROM_LIST_ACTION};
use crate::ir::op::{EventProposal, WriteMode};
use crate::ir::operands::{OpClass, Operand};
use crate::ir::reachability::{FormatTables, ReachableSet, TableSource};
use crate::ir::verbs::{BEGIN, CREATE, FINISH, PUT};
use crate::ir::{
    Ability, AbilityKind, ActionId, Change, DefId, Definition, FnId, Format, Function, KeywordId, Library, Modification, Op,
};
use crate::ir::{AbilityBundle, AbilityBundleId, ChoiceSite, Play, Reg, ZoneKindId};
use constant_folding::fold;
use dead_code::eliminate_dead_code;
use occurrences::Occurrences;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

/// The parameter of a pattern's filter that is the period that begins or ends.
const PERIOD_PARAM: Reg = 2;

/// The maximum number of folding rounds per iteration. A round folds code that depends on results of the round before.
const MAX_FOLD_ROUNDS: usize = 6;

/// The maximum number of iterations of the fixpoint. Above it, the program is not specialised.
const MAX_ITERATIONS: usize = 64;

/// The code of a game, specialised for a card pool.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpecializedCode {
    /// By number: functions that differ from the library's; `None` for all others.
    functions: Vec<Option<Box<Function>>>,
    /// Abilities on events that cannot happen.
    dead_abilities: BTreeSet<u32>,
    /// By number: whether a state rule never acts.
    dead_state_rules: Vec<bool>,
    /// By number: whether no object can ever be used by a play.
    dead_plays: Vec<bool>,
    /// By number: the zone kinds from which objects can be used by a play; empty if not specialised.
    play_zones: Vec<Vec<ZoneKindId>>,
    /// The ability bundles that can occur; `None` if not specialised.
    bundles: Option<BTreeSet<AbilityBundleId>>,
    /// The statuses that some code writes; `None` if not specialised.
    statuses: Option<BTreeSet<u16>>,
    /// The modifications that can apply; `None` if not specialised.
    modifications: Option<BTreeSet<u32>>,
    /// Starts and ends of periods, by verb, at which no ability triggers.
    unobserved_periods: BTreeSet<(u32, u32)>,
}

impl SpecializedCode {
    /// Specialises for some cards, and all that they and the rules can bring.
    pub(crate) fn new(library: &Library, format: &Format, cards: &[DefId]) -> Self {
        let mut specializer = Specializer {
            tables: FormatTables { library, format },
            cards,
            constant_results: vec![None; library.functions.len()],
            triggered_by_code: find_abilities_triggered_by_code(library),
            specialized: Self { functions: vec![None; library.functions.len()], ..Self::default() },
        };
        let mut assumed = Occurrences::empty(library);
        if (0..MAX_ITERATIONS).all(|_| specializer.iterate(&mut assumed)) {
            return Self::default();
        }
        let reach = specializer.reachable();
        specializer.find_unobserved_periods(&assumed, &reach);
        specializer.find_play_zones(&assumed);
        specializer.specialized.bundles = Some(reach.bundles().collect());
        specializer.specialized.modifications = Some(reach.modifications().collect());
        specializer.specialized.statuses = Some(assumed.statuses);
        for function in specializer.specialized.functions.iter_mut().flatten() {
            eliminate_dead_code(library, function);
        }
        specializer.restore_statements();
        specializer.specialized
    }

    /// A function, if it differs from the library's.
    #[inline]
    pub(crate) fn function(&self, id: FnId) -> Option<&Function> {
        self.functions.get(id.index())?.as_deref()
    }

    /// Whether an ability can never trigger or apply.
    pub(crate) fn is_dead(&self, ability: crate::ir::AbilityId) -> bool {
        self.dead_abilities.contains(&ability.0)
    }

    /// Whether an ability bundle can occur.
    pub(crate) fn occurs(&self, unit: AbilityBundleId) -> bool {
        self.bundles.as_ref().is_none_or(|units| units.contains(&unit))
    }

    /// Whether some code writes a status.
    pub(crate) fn writes(&self, status: usize) -> bool {
        self.statuses.as_ref().is_none_or(|statuses| u16::try_from(status).is_ok_and(|status| statuses.contains(&status)))
    }

    /// Whether a modification can apply.
    pub(crate) fn can_apply(&self, change: usize) -> bool {
        self.modifications.as_ref().is_none_or(|changes| u32::try_from(change).is_ok_and(|change| changes.contains(&change)))
    }

    /// Whether no ability triggers when a period starts, or ends.
    pub(crate) fn is_unobserved(&self, verb: u32, span: u32) -> bool {
        self.unobserved_periods.contains(&(verb, span))
    }

    /// Whether no object can ever be used by a play.
    pub(crate) fn is_dead_play(&self, play: usize) -> bool {
        self.dead_plays.get(play).is_some_and(|idle| *idle)
    }

    /// The zone kinds from which objects can be used by a play.
    pub(crate) fn zones_of<'a>(&'a self, number: usize, play: &'a Play) -> &'a [ZoneKindId] {
        self.play_zones.get(number).unwrap_or(&play.from)
    }

    /// Whether a state rule never acts.
    pub(crate) fn is_dead_rule(&self, rule: usize) -> bool {
        self.dead_state_rules.get(rule).is_some_and(|idle| *idle)
    }
}

/// Marks a number in a growing list. Returns whether it was unmarked.
fn mark(list: &mut Vec<bool>, number: usize) -> bool {
    if list.len() <= number {
        list.resize(number + 1, false);
    }
    list.get_mut(number).is_some_and(|marked| !std::mem::replace(marked, true))
}

struct Specializer<'a> {
    tables: FormatTables<'a>,
    cards: &'a [DefId],
    /// By number: the results of functions that always return the same value.
    constant_results: Vec<Option<i64>>,
    /// Abilities that trigger by an operation, regardless of their patterns.
    triggered_by_code: BTreeSet<u32>,
    specialized: SpecializedCode,
}

impl Specializer<'_> {
    fn current_function(&self, number: u32) -> Option<&Function> {
        self.specialized.function(FnId(number)).or_else(|| self.tables.library.functions.get(number as usize))
    }

    /// One iteration: folds all reachable code under the assumption that only `supposed` occurs. Adds what occurs in addition to
    /// `supposed`, and returns whether there was any.
    fn iterate(&mut self, assumed: &mut Occurrences) -> bool {
        let functions = self.tables.library.functions.len();
        self.constant_results = vec![None; functions];
        self.specialized = SpecializedCode { functions: vec![None; functions], ..SpecializedCode::default() };
        let mut reach = self.reachable();
        for _ in 0..MAX_FOLD_ROUNDS {
            if !self.fold_reachable(&reach, assumed) {
                break;
            }
            reach = self.reachable();
        }
        assumed.merge(self.collect_occurrences(&reach))
    }

    /// Folds the reachable functions. Returns whether anything changed.
    fn fold_reachable(&mut self, reach: &ReachableSet, occurrences: &Occurrences) -> bool {
        let (library, format) = (self.tables.library, self.tables.format);
        let bodies: BTreeSet<u32> = format.state_rules.iter().map(|rule| rule.body.0).collect();
        let (mut changes, mut dead_bodies) = (BTreeMap::new(), BTreeSet::new());
        for number in reach.functions() {
            let Some(function) = self.current_function(number) else { continue };
            let known = constant_folding::FoldContext { library, format, occurrences, results: &self.constant_results };
            if !bodies.contains(&number) && !function.ops.iter().any(|op| known.can_fold(op)) {
                continue;
            }
            let folded = fold(function, &known);
            if !folded.has_effects {
                dead_bodies.insert(number);
            }
            changes.insert(number, (folded.function, folded.result));
        }
        let mut changed = false;
        for (number, (function, result)) in changes {
            if let (Some(result), Some(place)) = (result, self.constant_results.get_mut(number as usize)) {
                changed |= place.replace(result).is_none();
            }
            if let (Some(function), Some(place)) = (function, self.specialized.functions.get_mut(number as usize)) {
                *place = Some(Box::new(function));
                changed = true;
            }
        }
        for (number, rule) in format.state_rules.iter().enumerate() {
            changed |= dead_bodies.contains(&rule.body.0) && mark(&mut self.specialized.dead_state_rules, number);
        }
        for (number, play) in format.plays.iter().enumerate() {
            // The machine writes the status of an announced play, so its condition may hold although no code writes it.
            let fails = self.fails(play.object_filter) || play.announced.is_none() && self.fails(play.condition);
            changed |= fails && mark(&mut self.specialized.dead_plays, number);
        }
        for (number, ability) in library.abilities.numbered() {
            let waits = !self.triggered_by_code.contains(&(number as u32));
            changed |= waits && self.never_applies(&ability.kind) && self.specialized.dead_abilities.insert(number as u32);
        }
        changed
    }

    /// Finds the starts and ends of periods at which no ability that can occur triggers.
    fn find_unobserved_periods(&mut self, occurrences: &Occurrences, reach: &ReachableSet) {
        let (library, format) = (self.tables.library, self.tables.format);
        let known = constant_folding::FoldContext { library, format, occurrences, results: &self.constant_results };
        // Abilities of effects are checked when the effects exist.
        let rules = format.rules.iter().flat_map(|rule| &rule.abilities);
        let units = reach.bundles().filter_map(|unit| format.bundles.get(unit.index())).flat_map(|unit| &unit.abilities);
        let abilities = rules.chain(units).filter(|ability| !self.specialized.is_dead(**ability));
        let kinds: Vec<&AbilityKind> =
            abilities.filter_map(|ability| library.abilities.get(ability.index())).map(|ability| &ability.kind).collect();
        let mut unobserved = BTreeSet::new();
        for (verb, span) in
            [BEGIN, FINISH].into_iter().flat_map(|verb| (0..format.periods.len() as u32).map(move |span| (verb, span)))
        {
            let never = |kind: &&AbilityKind| {
                let pattern = match kind {
                    AbilityKind::Triggered { pattern, .. } => pattern,
                    AbilityKind::Replacement { pattern, .. } | AbilityKind::Prohibition { pattern } => {
                        return pattern.action.0 != verb;
                    }
                    // It changes what triggers, and does nothing where nothing does.
                    AbilityKind::TriggerModifier { .. }
                    | AbilityKind::Static { .. }
                    | AbilityKind::Paragraph { .. }
                    | AbilityKind::Cost { .. }
                    | AbilityKind::CostOption { .. }
                    | AbilityKind::Activated { .. } => return true,
                };
                let filter = pattern.filter.and_then(|filter| self.current_function(filter.0));
                pattern.action.0 != verb
                    || filter.is_some_and(|filter| constant_folding::never_holds(filter, &known, PERIOD_PARAM, span.into()))
            };
            if kinds.iter().all(never) {
                unobserved.insert((verb, span));
            }
        }
        self.specialized.unobserved_periods = unobserved;
    }

    /// Finds the zone kinds from which objects can be used by each play.
    fn find_play_zones(&mut self, occurrences: &Occurrences) {
        let (library, format) = (self.tables.library, self.tables.format);
        let known = constant_folding::FoldContext { library, format, occurrences, results: &self.constant_results };
        // The statuses of announced plays that are not dead count as written.
        let condition = |play: &Play| play.condition.and_then(|id| self.current_function(id.0));
        let zones = |play: &Play| match condition(play) {
            Some(condition) => {
                play.from.iter().copied().filter(|zone| !constant_folding::never_holds_in(condition, &known, *zone)).collect()
            }
            None => play.from.clone(),
        };
        let play_zones = format.plays.iter().map(zones).collect();
        self.specialized.play_zones = play_zones;
    }

    /// Restores statements that are unreachable: some analyses read which statements a source text has, not which are executed.
    fn restore_statements(&mut self) {
        let written = &self.tables.library.functions;
        for (number, function) in self.specialized.functions.iter_mut().enumerate() {
            let (Some(function), Some(before)) = (function, written.get(number)) else { continue };
            for (op, was) in function.ops.iter_mut().zip(&before.ops) {
                if matches!(op, Op::Jump { .. }) && matches!(was.class(), OpClass::Jump | OpClass::Statement) {
                    op.clone_from(was);
                }
            }
        }
    }

    /// Whether an ability can never trigger or apply.
    fn never_applies(&self, kind: &AbilityKind) -> bool {
        match kind {
            AbilityKind::Triggered { pattern, condition, .. } => self.fails(pattern.filter) || self.fails(*condition),
            AbilityKind::Replacement { pattern, .. }
            | AbilityKind::Prohibition { pattern }
            | AbilityKind::TriggerModifier { pattern, .. } => self.fails(pattern.filter),
            AbilityKind::Static { condition, .. } => self.fails(*condition),
            AbilityKind::Paragraph { .. }
            | AbilityKind::Cost { .. }
            | AbilityKind::CostOption { .. }
            | AbilityKind::Activated { .. } => false,
        }
    }

    /// Whether there is a condition, and it is always false.
    fn fails(&self, condition: Option<FnId>) -> bool {
        condition.is_some_and(|id| self.constant_results.get(id.index()).copied().flatten() == Some(0))
    }

    /// The plays that objects can be used by. Effects that use objects (`by_effects`) do not check the conditions of a play.
    fn plays(&self, by_effects: bool) -> impl Iterator<Item = &Play> {
        let plays = self.tables.format.plays.iter().enumerate();
        plays.filter(move |(number, _)| by_effects || !self.specialized.is_dead_play(*number)).map(|(_, play)| play)
    }

    /// The entries that the rules and the cards reach in the code folded so far.
    fn reachable(&self) -> ReachableSet {
        let (library, format) = (self.tables.library, self.tables.format);
        let mut reach =
            ReachableSet::without_actions_and_plays(library, std::iter::once(format), self.cards.iter().map(|card| card.0));
        // The machine itself proposes these actions.
        let own = format
            .actions
            .iter()
            .enumerate()
            .filter(|(_, action)| [LEAVE_GAME_ACTION, REMOVE_FROM_LIST_ACTION].contains(&action.name.as_str()));
        let mut open: Vec<usize> = own.map(|(number, _)| number).collect();
        open.extend(format.action_aliases.iter().map(|treat| treat.into.index()));
        self.plays(false).for_each(|play| reach.add_refs(play));
        let (mut proposed, mut read) = (BTreeSet::new(), BTreeSet::new());
        loop {
            for number in std::mem::take(&mut open) {
                if let Some(action) = format.actions.get(number).filter(|_| proposed.insert(number)) {
                    reach.add_refs(action);
                }
            }
            let Ok(()) = reach.close(library, &mut SpecializedTables(self));
            let new: Vec<u32> = reach.functions().filter(|number| read.insert(*number)).collect();
            if new.is_empty() {
                return reach;
            }
            for function in new.iter().filter_map(|number| self.current_function(*number)) {
                function.ops.iter().for_each(|op| for_each_proposed_action(function, op, |action| open.push(action.index())));
                if function.ops.iter().any(uses_object) {
                    self.plays(true).for_each(|play| reach.add_refs(play));
                }
            }
        }
    }

    fn collect_occurrences(&self, reach: &ReachableSet) -> Occurrences {
        let (library, format) = (self.tables.library, self.tables.format);
        let mut it = Occurrences::empty(library);
        it.keywords.clone_from(reach.keywords());
        it.cards.clone_from(reach.definitions());
        for change in reach.modifications().filter_map(|number| library.modifications.get(number as usize)) {
            match change.change {
                Change::GainWord(traits, word) => it.add_word(traits.index(), word),
                Change::GainAllWords(traits)
                | Change::ChangeWordByValue { traits, .. }
                | Change::SubstituteWord { traits, .. } => it.add_all_words(traits),
                Change::Add { property, .. } | Change::Set { property, .. } => it.properties.extend([property]),
                Change::Switch(one, other) => it.properties.extend([one, other]),
                Change::SetController(_)
                | Change::LoseWord(..)
                | Change::LoseAllWords(_)
                | Change::GainBundle(_)
                | Change::GainBundleByValue { .. }
                | Change::LoseKeyword(_)
                | Change::LoseAbilities
                | Change::LoseStatics
                | Change::Prohibit(_)
                | Change::ConstrainDeclarations(_) => {}
            }
        }
        let disguises = library.statuses.iter().filter_map(|status| status.disguise).map(|it| it.0);
        for card in reach.definitions().iter().copied().chain(disguises) {
            library.definitions.get(card as usize).into_iter().for_each(|card| it.add_definition(card));
        }
        it.objects_are_created |= format.action_aliases.iter().any(|treat| treat.into.0 == CREATE);
        self.add_machine_writes(reach, &mut it);
        for function in reach.functions().filter_map(|number| self.current_function(number)) {
            for op in &function.ops {
                match op {
                    // Writing the initial value changes nothing, as long as no other value is written.
                    Op::Write { place, how: WriteMode::Set, value, .. }
                        if Occurrences::empty(library).constant_value(library, *place, false).is_some_and(|initial| {
                            is_only_set_by(function, *value, |op| matches!(op, Op::Const { value, .. } if *value == initial))
                        }) => {}
                    Op::Write { place, .. } | Op::WriteKey { place, .. } => it.write(*place),
                    Op::AddToPool { pool, .. } if *pool > 0 => {
                        let pools = format.payments.iter().filter_map(|payment| payment.restricted.get(usize::from(*pool) - 1));
                        pools.for_each(|pool| it.write(crate::ir::Place::Player(pool.variable)));
                    }
                    Op::CopyListed { .. } => it.objects_are_created = true,
                    op => for_each_proposed_action(function, op, |action| it.objects_are_created |= action.0 == CREATE),
                }
            }
        }
        let pools = format.payments.iter().flat_map(|payment| &payment.pool).flatten();
        it.players.extend(pools);
        it
    }

    /// Adds statuses that the machine writes on announcements and moves.
    fn add_machine_writes(&self, reach: &ReachableSet, it: &mut Occurrences) {
        let (library, format) = (self.tables.library, self.tables.format);
        let functions = || reach.functions().filter_map(|number| self.current_function(number));
        let mut flags = functions().fold(0, |flags, function| flags | arrival_flags(function));
        if format.action_aliases.iter().any(|treat| matches!(treat.into.0, PUT | CREATE)) {
            flags = u32::MAX;
        }
        it.statuses.extend(library.statuses_on_arrival(flags).into_iter().map(|status| status as u16));
        let by_effects = functions().any(|function| function.ops.iter().any(uses_object));
        it.statuses.extend(self.plays(by_effects).filter_map(|play| play.announced));
        for ability in reach.abilities().filter_map(|number| library.abilities.get(number as usize)) {
            match &ability.kind {
                AbilityKind::CostOption { status, .. } => it.statuses.extend([*status]),
                AbilityKind::Activated { play } => it.statuses.extend(play.announced),
                AbilityKind::Triggered { .. }
                | AbilityKind::Replacement { .. }
                | AbilityKind::Prohibition { .. }
                | AbilityKind::TriggerModifier { .. }
                | AbilityKind::Static { .. }
                | AbilityKind::Paragraph { .. }
                | AbilityKind::Cost { .. } => {}
            }
        }
    }
}

/// The tables of a game with the code folded so far.
struct SpecializedTables<'n, 'a>(&'n Specializer<'a>);

impl TableSource for SpecializedTables<'_, '_> {
    type Error = Infallible;

    fn function(&mut self, number: u32) -> Result<Option<&Function>, Infallible> {
        Ok(self.0.current_function(number))
    }

    fn site(&mut self, number: u32) -> Result<Option<&ChoiceSite>, Infallible> {
        Ok(self.0.tables.library.sites.get(number as usize))
    }

    fn ability(&mut self, number: u32) -> Result<Option<&Ability>, Infallible> {
        let is_dead = self.0.specialized.dead_abilities.contains(&number);
        Ok(self.0.tables.library.abilities.get(number as usize).filter(|_| !is_dead))
    }

    fn modification(&mut self, number: u32) -> Result<Option<&Modification>, Infallible> {
        Ok(self.0.tables.library.modifications.get(number as usize))
    }

    fn definition(&mut self, number: u32) -> Result<Option<&Definition>, Infallible> {
        Ok(self.0.tables.library.definitions.get(number as usize))
    }

    fn bundles(&mut self, number: u32) -> Result<Vec<&AbilityBundle>, Infallible> {
        Ok(self.0.tables.format.bundles.get(number as usize).into_iter().collect())
    }

    fn bundles_with_keywords(&mut self, keywords: &BTreeSet<KeywordId>) -> Result<Vec<u32>, Infallible> {
        let format = self.0.tables.format;
        let is_of = |unit: &AbilityBundle| unit.keyword.as_ref().is_some_and(|(keyword, _)| keywords.contains(keyword));
        Ok(format.bundles.numbered().filter(|(_, unit)| is_of(unit)).map(|(number, _)| number as u32).collect())
    }

    fn errata_of(&self, number: u32) -> Vec<DefId> {
        crate::ir::reachability::errata_of(self.0.tables.format, number).collect()
    }
}

/// The abilities that some operation triggers.
fn find_abilities_triggered_by_code(library: &Library) -> BTreeSet<u32> {
    let ops = library.functions.present().flat_map(|function| &function.ops);
    ops.filter_map(|op| if let Op::Trigger { ability, .. } = op { Some(ability.0) } else { None }).collect()
}

/// Whether an operation lets an effect use an object.
fn uses_object(op: &Op) -> bool {
    matches!(op, Op::Use { .. })
}

/// Visits the actions whose events an operation of a function proposes.
fn for_each_proposed_action(function: &Function, op: &Op, mut visit: impl FnMut(ActionId)) {
    let is_empty = |reg: Reg| is_only_set_by(function, reg, |op| matches!(op, Op::MakeList { items, .. } if items.is_empty()));
    let none = |event: &EventProposal| {
        let over = event.over.and_then(|over| event.args.get(usize::from(over)));
        over.is_some_and(|over| is_empty(*over))
    };
    match op {
        Op::Propose { events, .. } => events.iter().filter(|event| !none(event)).for_each(|event| visit(event.action)),
        op => op.for_each_operand(|operand| {
            if let Operand::Proposed(action) = operand {
                visit(action);
            }
        }),
    }
}

/// The flags of the moves that a function proposes; all flags if they are not constant.
fn arrival_flags(function: &Function) -> u32 {
    let mut flags = 0;
    let proposals = function.ops.iter().flat_map(|op| if let Op::Propose { events, .. } = op { events.as_slice() } else { &[] });
    for event in proposals {
        let place = match event.action.0 {
            PUT => 4,
            CREATE => 5,
            _ => continue,
        };
        let Some(reg) = event.args.get(place) else { continue };
        let constant = |op: &Op| {
            let Op::Const { value, .. } = op else { return false };
            flags |= *value as u32;
            true
        };
        if !is_only_set_by(function, *reg, constant) {
            return u32::MAX;
        }
    }
    flags
}

/// Whether a register of a function is only written by operations that satisfy a predicate, at least by one.
fn is_only_set_by(function: &Function, register: Reg, mut certain: impl FnMut(&Op) -> bool) -> bool {
    let mut made = false;
    let only = |op: &Op| {
        let mut set = false;
        op.for_each_set(|reg| set |= reg == register);
        let here = op.destination() == Some(register);
        made |= here;
        !set && (!here || certain(op))
    };
    let slot = function.text_slots.iter().any(|slot| slot.reg == register);
    register >= function.params && !slot && function.ops.iter().all(only) && made
}
