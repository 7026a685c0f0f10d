//! What the rules come to for the cards of a match. Rules speak of much that these cards never bring: words that nothing has, keywords
//! that nothing gets, variables that nothing writes. Code that asks for such gets the answer beforehand, and what hangs on it alone is
//! gone: branches, triggers whose event cannot be, state rules that never act.
//!
//! At first it is supposed that nothing occurs. What is reached from the rules and the cards, with all code folded ([`fold`]) that asks
//! for what does not, tells what does occur after all; that is supposed next, until nothing is found that was not supposed. Then it
//! holds: nothing occurs as a game begins, and from where it holds no step leads out of it. What the machine itself writes counts as
//! written.

mod constant_folding;
mod dead_code;
mod occurrences;
#[cfg(test)]
mod tests;

use crate::ir::op::{EventProposal, WriteMode};
use crate::ir::verbs::{BEGIN, CREATE, FINISH, PUT};
use crate::ir::{
    Ability, AbilityKind, ActionId, Change, DefId, Definition, FnId, Format, Function, KeywordId, Library, Modification, Op,
};
use crate::ir::{AbilityBundle, AbilityBundleId, ChoiceSite, Play, Reg, ZoneKindId};
use crate::program::{LEAVE_GAME_ACTION, REMOVE_FROM_LIST_ACTION};
use crate::reachability::{FormatTables, ReachableSet, TableSource};
use constant_folding::fold;
use dead_code::eliminate_dead_code;
use occurrences::Occurrences;
use std::collections::{BTreeMap, BTreeSet};
use std::convert::Infallible;

/// The parameter of a pattern's filter that says which span begins or ends.
const SPAN: Reg = 2;

/// How often code is folded that hangs on code that was folded.
const ROUNDS: usize = 6;

/// How often more may be found to occur than was supposed (the shipped games need four); what needs more stays as it is written.
const MAX_ITERATIONS: usize = 64;

/// The code of a game as it is for the cards of a match.
#[derive(Clone, Debug, Default)]
pub(crate) struct SpecializedCode {
    /// By number, functions that came out otherwise than they are written; of all others nothing.
    functions: Vec<Option<Box<Function>>>,
    /// Abilities that wait for what cannot happen.
    dead_abilities: BTreeSet<u32>,
    /// By number, whether a state rule never acts.
    dead_state_rules: Vec<bool>,
    /// By number, whether nothing can ever be used by a play.
    dead_plays: Vec<bool>,
    /// By number, the zone kinds from which something can be used by a play; nothing where that was not asked.
    play_zones: Vec<Vec<ZoneKindId>>,
    /// The units that something has or gets; nothing where that was not asked.
    units: Option<BTreeSet<AbilityBundleId>>,
    /// The statuses that are ever written; nothing where that was not asked.
    statuses: Option<BTreeSet<u16>>,
    /// The changes of values that something brings; nothing where that was not asked.
    changes: Option<BTreeSet<u32>>,
    /// Beginnings and ends of spans, by verb, at which no trigger fires.
    unobserved_periods: BTreeSet<(u32, u32)>,
}

impl SpecializedCode {
    /// For some cards, and all that they and the rules can bring.
    pub(crate) fn new(library: &Library, format: &Format, cards: &[DefId]) -> Self {
        let mut work = Specializer {
            tables: FormatTables { library, format },
            cards,
            results: vec![None; library.functions.len()],
            at_once: triggered_at_once(library),
            narrowed: Self { functions: vec![None; library.functions.len()], ..Self::default() },
        };
        let mut supposed = Occurrences::nothing(library);
        if (0..MAX_ITERATIONS).all(|_| work.find(&mut supposed)) {
            return Self::default();
        }
        let reach = work.reached();
        work.find_unseen(&supposed, &reach);
        work.find_play_zones(&supposed);
        work.narrowed.units = Some(reach.units().collect());
        work.narrowed.changes = Some(reach.changes().collect());
        work.narrowed.statuses = Some(supposed.statuses);
        for function in work.narrowed.functions.iter_mut().flatten() {
            eliminate_dead_code(library, function);
        }
        work.restore_statements();
        work.narrowed
    }

    /// A function that is otherwise than it is written.
    #[inline]
    pub(crate) fn function(&self, id: FnId) -> Option<&Function> {
        self.functions.get(id.index())?.as_deref()
    }

    /// Whether an ability waits for what cannot happen.
    pub(crate) fn is_idle(&self, ability: crate::ir::AbilityId) -> bool {
        self.dead_abilities.contains(&ability.0)
    }

    /// Whether something can have a unit.
    pub(crate) fn occurs(&self, unit: AbilityBundleId) -> bool {
        self.units.as_ref().is_none_or(|units| units.contains(&unit))
    }

    /// Whether a status is ever written.
    pub(crate) fn writes(&self, status: usize) -> bool {
        self.statuses.as_ref().is_none_or(|statuses| u16::try_from(status).is_ok_and(|status| statuses.contains(&status)))
    }

    /// Whether something can bring a change of values.
    pub(crate) fn can_apply(&self, change: usize) -> bool {
        self.changes.as_ref().is_none_or(|changes| u32::try_from(change).is_ok_and(|change| changes.contains(&change)))
    }

    /// Whether no ability triggers as a span begins, or ends.
    pub(crate) fn is_unseen(&self, verb: u32, span: u32) -> bool {
        self.unobserved_periods.contains(&(verb, span))
    }

    /// Whether nothing can ever be used by a play.
    pub(crate) fn is_idle_play(&self, play: usize) -> bool {
        self.dead_plays.get(play).is_some_and(|idle| *idle)
    }

    /// The zone kinds from which something can be used by a play.
    pub(crate) fn zones_of<'a>(&'a self, number: usize, play: &'a Play) -> &'a [ZoneKindId] {
        self.play_zones.get(number).unwrap_or(&play.from)
    }

    /// Whether a state rule never acts.
    pub(crate) fn is_idle_rule(&self, rule: usize) -> bool {
        self.dead_state_rules.get(rule).is_some_and(|idle| *idle)
    }
}

/// Marks a number in a list that grows: whether it was not marked.
fn mark(list: &mut Vec<bool>, number: usize) -> bool {
    if list.len() <= number {
        list.resize(number + 1, false);
    }
    list.get_mut(number).is_some_and(|marked| !std::mem::replace(marked, true))
}

struct Specializer<'a> {
    tables: FormatTables<'a>,
    cards: &'a [DefId],
    /// By number, what functions give that always give the same.
    results: Vec<Option<i64>>,
    /// Abilities that trigger where code says so, whatever their pattern says.
    at_once: BTreeSet<u32>,
    narrowed: SpecializedCode,
}

impl Specializer<'_> {
    fn function_now(&self, number: u32) -> Option<&Function> {
        self.narrowed.function(FnId(number)).or_else(|| self.tables.library.functions.get(number as usize))
    }

    /// Folds all that is reached, if what is supposed is all that occurs: whether more does. That is supposed from then on.
    fn find(&mut self, supposed: &mut Occurrences) -> bool {
        let functions = self.tables.library.functions.len();
        self.results = vec![None; functions];
        self.narrowed = SpecializedCode { functions: vec![None; functions], ..SpecializedCode::default() };
        let mut reach = self.reached();
        for _ in 0..ROUNDS {
            if !self.round(&reach, supposed) {
                break;
            }
            reach = self.reached();
        }
        supposed.take_over(self.occurring(&reach))
    }

    /// Folds what is reached: whether anything came out otherwise than before.
    fn round(&mut self, reach: &ReachableSet, occurring: &Occurrences) -> bool {
        let (library, format) = (self.tables.library, self.tables.format);
        let bodies: BTreeSet<u32> = format.state_rules.iter().map(|rule| rule.body.0).collect();
        let (mut changes, mut idle) = (BTreeMap::new(), BTreeSet::new());
        for number in reach.functions() {
            let Some(function) = self.function_now(number) else { continue };
            let known = constant_folding::FoldContext { library, format, occurring, results: &self.results };
            if !bodies.contains(&number) && !function.ops.iter().any(|op| known.answers(op)) {
                continue;
            }
            let folded = fold(function, &known);
            if !folded.acts {
                idle.insert(number);
            }
            changes.insert(number, (folded.function, folded.result));
        }
        let mut changed = false;
        for (number, (function, result)) in changes {
            if let (Some(result), Some(place)) = (result, self.results.get_mut(number as usize)) {
                changed |= place.replace(result).is_none();
            }
            if let (Some(function), Some(place)) = (function, self.narrowed.functions.get_mut(number as usize)) {
                *place = Some(Box::new(function));
                changed = true;
            }
        }
        for (number, rule) in format.state_rules.iter().enumerate() {
            changed |= idle.contains(&rule.body.0) && mark(&mut self.narrowed.dead_state_rules, number);
        }
        for (number, play) in format.plays.iter().enumerate() {
            // What is announced of an object may count for the condition, though nothing else writes it.
            let fails = self.fails(play.object_filter) || play.announced.is_none() && self.fails(play.condition);
            changed |= fails && mark(&mut self.narrowed.dead_plays, number);
        }
        for (number, ability) in library.abilities.numbered() {
            let waits = !self.at_once.contains(&(number as u32));
            changed |= waits && self.never(&ability.kind) && self.narrowed.dead_abilities.insert(number as u32);
        }
        changed
    }

    /// Finds the moments at which nothing that occurs triggers.
    fn find_unseen(&mut self, occurring: &Occurrences, reach: &ReachableSet) {
        let (library, format) = (self.tables.library, self.tables.format);
        let known = constant_folding::FoldContext { library, format, occurring, results: &self.results };
        // What effects bring is asked about when they are there.
        let rules = format.rules.iter().flat_map(|rule| &rule.abilities);
        let units = reach.units().filter_map(|unit| format.units.get(unit.index())).flat_map(|unit| &unit.abilities);
        let abilities = rules.chain(units).filter(|ability| !self.narrowed.is_idle(**ability));
        let kinds: Vec<&AbilityKind> =
            abilities.filter_map(|ability| library.abilities.get(ability.index())).map(|ability| &ability.kind).collect();
        let mut unseen = BTreeSet::new();
        for (verb, span) in
            [BEGIN, FINISH].into_iter().flat_map(|verb| (0..format.spans.len() as u32).map(move |span| (verb, span)))
        {
            let never = |kind: &&AbilityKind| {
                let pattern = match kind {
                    AbilityKind::Triggered { pattern, .. } => pattern,
                    AbilityKind::Replacement { pattern, .. }
                    | AbilityKind::Prohibition { pattern }
                    | AbilityKind::TriggerModifier { pattern, .. } => return pattern.action.0 != verb,
                    _ => return true,
                };
                let filter = pattern.filter.and_then(|filter| self.function_now(filter.0));
                pattern.action.0 != verb
                    || filter.is_some_and(|filter| constant_folding::never_holds(filter, &known, SPAN, span.into()))
            };
            if kinds.iter().all(never) {
                unseen.insert((verb, span));
            }
        }
        self.narrowed.unobserved_periods = unseen;
    }

    /// Finds the zone kinds from which nothing can ever be used by a play.
    fn find_play_zones(&mut self, occurring: &Occurrences) {
        let (library, format) = (self.tables.library, self.tables.format);
        let known = constant_folding::FoldContext { library, format, occurring, results: &self.results };
        // What is announced for plays that are not idle counts as written.
        let condition = |play: &Play| play.condition.and_then(|id| self.function_now(id.0));
        let zones = |play: &Play| match condition(play) {
            Some(condition) => {
                play.from.iter().copied().filter(|zone| !constant_folding::never_holds_in(condition, &known, *zone)).collect()
            }
            None => play.from.clone(),
        };
        let play_zones = format.plays.iter().map(zones).collect();
        self.narrowed.play_zones = play_zones;
    }

    /// Statements that are never reached stand where they stood: some ask what is written in a text, not what becomes of it.
    fn restore_statements(&mut self) {
        let written = &self.tables.library.functions;
        for (number, function) in self.narrowed.functions.iter_mut().enumerate() {
            let (Some(function), Some(before)) = (function, written.get(number)) else { continue };
            for (op, was) in function.ops.iter_mut().zip(&before.ops) {
                let is_statement = was.written().is_none() && !matches!(was, Op::JumpUnless { .. } | Op::Return { .. });
                if matches!(op, Op::Jump { .. }) && is_statement {
                    op.clone_from(was);
                }
            }
        }
    }

    /// Whether an ability waits for what cannot happen.
    fn never(&self, kind: &AbilityKind) -> bool {
        match kind {
            AbilityKind::Triggered { pattern, condition, .. } => self.fails(pattern.filter) || self.fails(*condition),
            AbilityKind::Replacement { pattern, .. }
            | AbilityKind::Prohibition { pattern }
            | AbilityKind::TriggerModifier { pattern, .. } => self.fails(pattern.filter),
            AbilityKind::Static { condition, .. } => self.fails(*condition),
            _ => false,
        }
    }

    /// Whether there is a condition, and it never holds.
    fn fails(&self, condition: Option<FnId>) -> bool {
        condition.is_some_and(|id| self.results.get(id.index()).copied().flatten() == Some(0))
    }

    /// The plays that something can be used by. Effects that use things (`by_effects`) do not ask for what a play asks for.
    fn plays(&self, by_effects: bool) -> impl Iterator<Item = &Play> {
        let plays = self.tables.format.plays.iter().enumerate();
        plays.filter(move |(number, _)| by_effects || !self.narrowed.is_idle_play(*number)).map(|(_, play)| play)
    }

    /// What the rules and the cards come to, as far as it is known that they do.
    fn reached(&self) -> ReachableSet {
        let (library, format) = (self.tables.library, self.tables.format);
        let mut reach = ReachableSet::of_rules(library, std::iter::once(format), self.cards.iter().map(|card| card.0));
        // The machine proposes these itself.
        let own = format
            .actions
            .iter()
            .enumerate()
            .filter(|(_, action)| [LEAVE_GAME_ACTION, REMOVE_FROM_LIST_ACTION].contains(&action.name.as_str()));
        let mut open: Vec<usize> = own.map(|(number, _)| number).collect();
        open.extend(format.treats.iter().map(|treat| treat.into.index()));
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
            for function in new.iter().filter_map(|number| self.function_now(*number)) {
                function.ops.iter().for_each(|op| proposes(function, op, |action| open.push(action.index())));
                if function.ops.iter().any(uses) {
                    self.plays(true).for_each(|play| reach.add_refs(play));
                }
            }
        }
    }

    fn occurring(&self, reach: &ReachableSet) -> Occurrences {
        let (library, format) = (self.tables.library, self.tables.format);
        let mut it = Occurrences::nothing(library);
        it.keywords.clone_from(reach.keywords());
        it.cards.clone_from(reach.definitions());
        for change in reach.changes().filter_map(|number| library.mods.get(number as usize)) {
            match change.change {
                Change::Word(traits, word) => it.add_word(traits.index(), word),
                Change::AllWords(traits) | Change::Given { traits, .. } | Change::Instead { traits, .. } => {
                    it.add_all_words(traits)
                }
                Change::Add { property, .. } | Change::Set { property, .. } => it.properties.extend([property]),
                Change::Switch(one, other) => it.properties.extend([one, other]),
                _ => {}
            }
        }
        let disguises = library.statuses.iter().filter_map(|status| status.disguise).map(|it| it.0);
        for card in reach.definitions().iter().copied().chain(disguises) {
            library.definitions.get(card as usize).into_iter().for_each(|card| it.add_definition(card));
        }
        it.made |= format.treats.iter().any(|treat| treat.into.0 == CREATE);
        self.written_by_the_machine(reach, &mut it);
        for function in reach.functions().filter_map(|number| self.function_now(number)) {
            for op in &function.ops {
                match op {
                    // What it held before anything was written it holds then, too.
                    Op::Write { place, how: WriteMode::Set, value, .. }
                        if Occurrences::nothing(library).value(library, *place, false).is_some_and(|initial| {
                            always(function, *value, |op| matches!(op, Op::Const { value, .. } if *value == initial))
                        }) => {}
                    Op::Write { place, .. } | Op::WriteKey { place, .. } => it.write(*place),
                    Op::CopyListed { .. } => it.made = true,
                    op => proposes(function, op, |action| it.made |= action.0 == CREATE),
                }
            }
        }
        let pools = format.payments.iter().flat_map(|payment| &payment.pool).flatten();
        it.players.extend(pools);
        it
    }

    /// Statuses that something gets by how it is announced or moved.
    fn written_by_the_machine(&self, reach: &ReachableSet, it: &mut Occurrences) {
        let (library, format) = (self.tables.library, self.tables.format);
        let functions = || reach.functions().filter_map(|number| self.function_now(number));
        let mut flags = functions().fold(0, |flags, function| flags | arrival_flags(function));
        if format.treats.iter().any(|treat| matches!(treat.into.0, PUT | CREATE)) {
            flags = u32::MAX;
        }
        it.statuses.extend(library.arriving(flags).into_iter().map(|status| status as u16));
        let by_effects = functions().any(|function| function.ops.iter().any(uses));
        it.statuses.extend(self.plays(by_effects).filter_map(|play| play.announced));
        for ability in reach.abilities().filter_map(|number| library.abilities.get(number as usize)) {
            match &ability.kind {
                AbilityKind::Option { status, .. } => it.statuses.extend([*status]),
                AbilityKind::Activated { play } => it.statuses.extend(play.announced),
                _ => {}
            }
        }
    }
}

/// The tables of a game as far as they are narrowed.
struct SpecializedTables<'n, 'a>(&'n Specializer<'a>);

impl TableSource for SpecializedTables<'_, '_> {
    type Error = Infallible;

    fn function(&mut self, number: u32) -> Result<Option<&Function>, Infallible> {
        Ok(self.0.function_now(number))
    }

    fn site(&mut self, number: u32) -> Result<Option<&ChoiceSite>, Infallible> {
        Ok(self.0.tables.library.sites.get(number as usize))
    }

    fn ability(&mut self, number: u32) -> Result<Option<&Ability>, Infallible> {
        let idle = self.0.narrowed.dead_abilities.contains(&number);
        Ok(self.0.tables.library.abilities.get(number as usize).filter(|_| !idle))
    }

    fn change(&mut self, number: u32) -> Result<Option<&Modification>, Infallible> {
        Ok(self.0.tables.library.mods.get(number as usize))
    }

    fn definition(&mut self, number: u32) -> Result<Option<&Definition>, Infallible> {
        Ok(self.0.tables.library.definitions.get(number as usize))
    }

    fn unit(&mut self, number: u32) -> Result<Vec<&AbilityBundle>, Infallible> {
        Ok(self.0.tables.format.units.get(number as usize).into_iter().collect())
    }

    fn units_of(&mut self, keywords: &BTreeSet<KeywordId>) -> Result<Vec<u32>, Infallible> {
        let format = self.0.tables.format;
        let is_of = |unit: &AbilityBundle| unit.keyword.as_ref().is_some_and(|(keyword, _)| keywords.contains(keyword));
        Ok(format.units.numbered().filter(|(_, unit)| is_of(unit)).map(|(number, _)| number as u32).collect())
    }

    fn corrected(&self, number: u32) -> Vec<DefId> {
        crate::reachability::corrected(self.0.tables.format, number).collect()
    }
}

/// The abilities that some operation lets trigger.
fn triggered_at_once(library: &Library) -> BTreeSet<u32> {
    let ops = library.functions.present().flat_map(|function| &function.ops);
    ops.filter_map(|op| if let Op::Trigger { ability, .. } = op { Some(ability.0) } else { None }).collect()
}

/// Whether an operation lets an effect use something.
fn uses(op: &Op) -> bool {
    matches!(op, Op::Use { .. })
}

/// The actions whose events an operation of a function proposes.
fn proposes(function: &Function, op: &Op, mut visit: impl FnMut(ActionId)) {
    let is_empty = |reg: Reg| always(function, reg, |op| matches!(op, Op::MakeList { items, .. } if items.is_empty()));
    let none = |event: &EventProposal| {
        let over = event.over.and_then(|over| event.args.get(usize::from(over)));
        over.is_some_and(|over| is_empty(*over))
    };
    match op {
        Op::Propose { events, .. } => events.iter().filter(|event| !none(event)).for_each(|event| visit(event.action)),
        Op::Declare(declare) => visit(declare.action),
        Op::PayForDeclaration { action, .. } | Op::ProposePairs { action, .. } => visit(*action),
        _ => {}
    }
}

/// The flags that moves have which a function proposes.
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
        if !always(function, *reg, constant) {
            return u32::MAX;
        }
    }
    flags
}

/// Whether nothing but certain operations makes what a register of a function holds.
fn always(function: &Function, register: Reg, mut certain: impl FnMut(&Op) -> bool) -> bool {
    let mut made = false;
    let only = |op: &Op| {
        let mut set = false;
        op.for_each_set(|reg| set |= reg == register);
        let here = op.written() == Some(register);
        made |= here;
        !set && (!here || certain(op))
    };
    let slot = function.slots.iter().any(|slot| slot.reg == register);
    register >= function.params && !slot && function.ops.iter().all(only) && made
}
