//! Payment of prices (CR 601.2g, h): a decision with a proposal, which pays with the pool and simple producers, and with every producer and
//! every play that is usable while paying as a further option.
//!
//! A price is a list of units, each a mask of the kinds it accepts. A unit of any kind accepts those that a pool can hold: the others, such as a
//! symbol that is paid with life, pay only where they are named (CR 107.4b, f). A simple producer yields its units once. The units of pool
//! and producers are matched to those of the price by augmenting paths, so that a price is payable exactly if a matching exists.
//! For producers with several uses of which one yields several units, at most 256 combinations of uses are tried.
//! Producers of earlier clauses come first, then those with a smaller cost, with more units and with fewer kinds, in zone order.
//! Producers that are not needed stay unused, and those that the player's other cards need are spared ([`sparing`]).

mod either_ways;
mod joint_costs;
mod payment_search;
pub(crate) mod price_dependencies;
mod producer_choice;
pub(in crate::vm) mod remaining_cost;
mod shortfall;
mod sparing;

use super::decision::{Choice, Decision, DecisionKind};
use super::inline_vecs::InlineWords;
use crate::ir::ObjectRef;
use crate::ir::format::{EITHER_WAY, is_either_way};
use crate::ir::op::WriteMode;
use crate::ir::verbs::ANNOUNCE;
use crate::ir::{AbilityKind, FnId, NO_PLAYER, Op, PaymentId, Place, Type, WindowRules, cause};
use crate::records::frame::{kind, pay};
use crate::state::block::Handle;
use crate::state::layout as at;
use crate::tables::ABILITY_PLAY;
use crate::vm::affordable_query::AffordableQuery;
use crate::vm::cache_entries::ProducedUnits;
use crate::vm::cache_entries::ProducerCache;
use crate::vm::cache_entries::{CostQuery, CostQueryKind};
use crate::vm::cache_entries::{PaymentSources, ProducerUse};
use crate::vm::commit_segment::EffectContext;
use crate::vm::eval_context::EvalContext;
use crate::vm::machine::Machine;
use crate::vm::pay::remaining_cost::RemainingCost;
use crate::vm::scratch::Scratch;
use smallvec::SmallVec;
use std::sync::Arc;

/// Kind of a produced unit that pays only for a unit of any kind.
const GENERIC_ONLY: u32 = 1 << 31;

/// A unit that any kind pays.
const ANY: u32 = u32::MAX;

/// Maximum number of combinations of producer uses that are tried.
const MAX_COMBINATIONS: usize = 256;

/// Maximum number of cached price results.
const MAX_CACHED_PRICES: usize = 16;

impl ProducerCache {
    fn can_pay(&mut self, units: &[u32]) -> bool {
        if let Some((_, known)) = self.price_results.iter().find(|(price, _)| price.as_slice() == units) {
            debug_assert_eq!(*known, is_payable(units, &self.sources), "{units:?} of {:?}", self.sources);
            return *known;
        }
        let can = is_payable(units, &self.sources);
        if self.price_results.len() < MAX_CACHED_PRICES {
            self.price_results.push((InlineWords::from_slice(units), can));
        }
        can
    }
}

/// A unit that waits in a pool: its kind in the low bits, above it 0 for the pool, or the number of a restricted pool, from 1.
///
/// A shift by such a number is one by its kind, since shifts of 32-bit words read the low five bits only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnitInPool(u32);

impl UnitInPool {
    /// The number of bits for the kind.
    const KIND_BITS: u32 = 5;

    pub(crate) fn new(kind: u32, pool: u16) -> Self {
        Self(kind | u32::from(pool) << Self::KIND_BITS)
    }

    fn kind(self) -> u32 {
        self.0 & ((1 << Self::KIND_BITS) - 1)
    }

    fn pool(self) -> usize {
        (self.0 >> Self::KIND_BITS) as usize
    }
}

/// One element for each source unit.
type PerSource<T> = SmallVec<[T; 32]>;

/// How a price is paid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PaymentPlan {
    /// Units taken from pools ([`UnitInPool`]).
    pool: Vec<u32>,
    /// Uses of producers: clause number or play code, producer.
    uses: Vec<(u32, ObjectRef)>,
    /// Units that are left and go to pools ([`UnitInPool`]).
    surplus: Vec<u32>,
}

impl EvalContext<'_> {
    /// Returns what can pay for `object` without a decision.
    fn sources(&self, scratch: &mut Scratch, payment: PaymentId, player: usize, object: ObjectRef) -> PaymentSources {
        let mut sources = self.unconditional_sources(scratch, payment, player);
        self.add_conditional(scratch, payment, player, object, &mut sources);
        sources
    }

    /// Returns what can pay for any object.
    fn unconditional_sources(&self, scratch: &mut Scratch, payment: PaymentId, player: usize) -> PaymentSources {
        let mut sources = PaymentSources::default();
        self.add_unconditional(scratch, payment, player, &mut sources);
        sources
    }

    /// Adds the sources that do not depend on what is paid for.
    fn add_unconditional(&self, scratch: &mut Scratch, payment: PaymentId, player: usize, sources: &mut PaymentSources) {
        let Some(rules) = self.program.format.payments.get(payment.index()) else { return };
        sources.generic = rules.generic_kinds();
        for (kind, variable) in rules.pool.iter().enumerate() {
            let Some(variable) = variable else { continue };
            let floating = self.state.block.int(self.program.layout.player(player, usize::from(*variable)));
            sources.pool.extend(std::iter::repeat_n(kind as u32, floating.clamp(0, 256) as usize));
        }
        for (number, clause) in rules.clauses.iter().enumerate().filter(|(_, clause)| clause.condition.is_none()) {
            self.add_clause(scratch, number, clause, player, ObjectRef::NONE, &mut sources.uses);
        }
        self.add_yielding_abilities(scratch, player, &|pool| pool == 0, &mut sources.uses);
        sort_uses(&mut sources.uses);
    }

    fn add_conditional(
        &self,
        scratch: &mut Scratch,
        payment: PaymentId,
        player: usize,
        object: ObjectRef,
        sources: &mut PaymentSources,
    ) {
        let Some(rules) = self.program.format.payments.get(payment.index()) else { return };
        sources.uses.retain(|way| way.it != object);
        let before = sources.uses.len();
        let args = [object.value(), player as i64, i64::from(scratch.pays_for_ability)];
        for (number, clause) in rules.clauses.iter().enumerate() {
            if clause.condition.is_some_and(|f| self.test(scratch, f, &args)) {
                self.add_clause(scratch, number, clause, player, object, &mut sources.uses);
            }
        }
        self.add_restricted(scratch, rules, player, object, sources);
        if sources.uses.len() != before {
            sort_uses(&mut sources.uses);
        }
    }

    /// Adds the units of restricted pools that pay for an object, before those of the pool, and the abilities that fill these pools.
    fn add_restricted(
        &self,
        scratch: &mut Scratch,
        rules: &crate::ir::Payment,
        player: usize,
        object: ObjectRef,
        sources: &mut PaymentSources,
    ) {
        if !self.has_restricted_source(rules, player) {
            return;
        }
        let args = [object.value(), player as i64, i64::from(scratch.pays_for_ability)];
        let open: Vec<bool> = rules.restricted.iter().map(|pool| self.test(scratch, pool.condition, &args)).collect();
        let mut waiting: Vec<u32> = Vec::new();
        for (number, pool) in rules.restricted.iter().enumerate().filter(|(number, _)| open.get(*number) == Some(&true)) {
            for pair in self.waiting_units(player, pool.variable).chunks(2) {
                let &[key, count] = pair else { continue };
                let unit = UnitInPool::new(key.saturating_sub(1), number as u16 + 1);
                waiting.extend(std::iter::repeat_n(unit.0, (count as i32).clamp(0, 256) as usize));
            }
        }
        sources.pool.splice(0..0, waiting);
        let is_open = |pool: u16| pool > 0 && open.get(usize::from(pool) - 1) == Some(&true);
        let before = sources.uses.len();
        self.add_yielding_abilities(scratch, player, &is_open, &mut sources.uses);
        let added = sources.uses.split_off(before);
        sources.uses.extend(added.into_iter().filter(|way| way.it != object));
    }

    /// The kinds, each plus one, and numbers of the units of a restricted pool.
    fn waiting_units(&self, player: usize, variable: u16) -> &[u32] {
        self.state.block.list(self.program.layout.player(player, usize::from(variable)))
    }

    /// Returns whether a player has units in a restricted pool, or anything has an ability that fills one.
    fn has_restricted_source(&self, rules: &crate::ir::Payment, player: usize) -> bool {
        let fills = |ability: &crate::ir::AbilityId| {
            let made = self.program.library.abilities.get(ability.index()).map(|ability| &ability.kind);
            matches!(made, Some(AbilityKind::Activated { play }) if play.pool > 0 && play.produces.is_some())
        };
        rules.restricted.iter().any(|pool| !self.waiting_units(player, pool.variable).is_empty())
            || !rules.restricted.is_empty()
                && self.program.activated.iter().any(|(unit, ability)| fills(ability) && !self.derived.holders(*unit).is_empty())
    }

    fn add_clause(
        &self,
        scratch: &mut Scratch,
        number: usize,
        clause: &crate::ir::PaymentClause,
        player: usize,
        object: ObjectRef,
        ways: &mut Vec<ProducerUse>,
    ) {
        let seat = player as i64;
        let priced = self.program.function(clause.produces).is_some_and(|f| f.result == Some(Type::Price));
        for item in self.items(scratch, clause.producers, &[object.value(), seat]) {
            let it = ObjectRef(item);
            let args = [object.value(), seat, it.value()];
            let units = if priced {
                self.items(scratch, clause.produces, &args)
            } else {
                InlineWords::from_slice(&[self.number(scratch, clause.produces, &args) as u32])
            };
            let units: ProducedUnits = units.into_iter().map(produced_kinds).filter(|mask| *mask != 0).collect();
            if units.is_empty() || units.len() > 64 {
                continue;
            }
            let times = clause.times.map_or(1, |f| self.number(scratch, f, &args).clamp(0, 64));
            for nth in 0..times as u32 {
                ways.push(ProducerUse { it, how: number as u32, nth, units: units.clone(), pool: 0, weight: number * 4 });
            }
        }
    }

    /// Adds activated abilities that yield units for some pools and need no decision.
    fn add_yielding_abilities(
        &self,
        scratch: &mut Scratch,
        player: usize,
        pools: &dyn Fn(u16) -> bool,
        ways: &mut Vec<ProducerUse>,
    ) {
        let seat = player as i64;
        for (unit, ability) in &self.program.activated {
            let Some(made) = self.program.library.abilities.get(ability.index()) else { continue };
            let AbilityKind::Activated { play } = &made.kind else { continue };
            let Some(yields) = play.produces.filter(|_| pools(play.pool)) else { continue };
            let code = ABILITY_PLAY + ability.0;
            for it in self.derived.holders(*unit).iter().copied() {
                if !self.state.is_in_zone_kinds(self.program, it.slot(), made.zones)
                    || self.read(scratch, Place::Controller, it.value()) != seat
                {
                    continue;
                }
                let args = [it.value(), seat];
                let conditions = [play.object_filter, play.condition, play.cost_possible];
                let announce_args = [seat, it.value(), i64::from(code)];
                if conditions.into_iter().flatten().any(|f| !self.test(scratch, f, &args))
                    || self.forbidden(scratch, ANNOUNCE, &announce_args, [cause::RULE, it.value(), seat, NO_PLAYER]).is_some()
                {
                    continue;
                }
                let units: ProducedUnits =
                    self.items(scratch, yields, &args).into_iter().map(produced_kinds).filter(|m| *m != 0).collect();
                if units.is_empty() || units.len() > 64 {
                    continue;
                }
                let events = play.cost.map_or(1, |cost| self.cost_events(cost));
                let weight = events.saturating_sub(1) * 2;
                ways.push(ProducerUse { it, how: code, nth: 0, units, pool: play.pool, weight });
            }
        }
    }

    fn cost_events(&self, cost: FnId) -> usize {
        let ops = self.program.function(cost).map_or(&[][..], |f| f.ops.as_slice());
        ops.iter().map(|op| if let Op::Propose { events, .. } = op { events.len() } else { 0 }).sum()
    }

    /// Returns whether a player could pay units for an object now.
    pub(crate) fn is_payable_now(&self, scratch: &mut Scratch, player: usize, object: ObjectRef, units: &[u32]) -> bool {
        if player >= self.program.players() {
            return false;
        }
        let sources = self.sources(scratch, PaymentId(0), player, object);
        charge_matching(scratch, units, &sources);
        is_payable(units, &sources)
    }

    /// Returns how many times a player could pay the step of a query with simple sources.
    pub(crate) fn payable_times(&self, scratch: &mut Scratch, query: &AffordableQuery) -> i64 {
        if query.player >= self.program.players() || query.step == 0 {
            return 0;
        }
        let mut sources = self.sources(scratch, PaymentId(0), query.player, query.object);
        sources.pool.extend(std::iter::repeat_n(31, query.less));
        let all = sources.pool.len() + sources.uses.iter().map(|way| way.units.len()).sum::<usize>();
        let mut units = query.units.clone();
        let mut times = 0;
        let less_by_kinds = units.iter().filter(|unit| is_either_way(**unit)).count();
        while units.len() + query.step <= all + less_by_kinds {
            units.resize(units.len() + query.step, ANY);
            charge_matching(scratch, &units, &sources);
            if scratch.fuel > scratch.limit || !is_payable(&units, &sources) {
                break;
            }
            times += 1;
        }
        times
    }
}

/// Charges the matching of units of a price to sources: in the worst case each unit tries each source for each other unit that gives way.
fn charge_matching(scratch: &mut Scratch, units: &[u32], sources: &PaymentSources) {
    let (matchings, units) = (either_ways::matchings(units), units.len());
    let sources = sources.pool.len() + sources.uses.len();
    let each = (units * sources) as u64 * (1 + units as u64 / 16);
    scratch.fuel = scratch.fuel.saturating_add(each.saturating_mul(matchings));
}

/// Returns the kinds that a produced unit pays for.
fn produced_kinds(mask: u32) -> u32 {
    if mask == ANY { GENERIC_ONLY } else { mask & !EITHER_WAY }
}

fn sort_uses(ways: &mut [ProducerUse]) {
    ways.sort_by_key(|way| {
        (way.weight, std::cmp::Reverse(way.units.len()), way.units.iter().map(|mask| mask.count_ones()).max().unwrap_or(0))
    });
}

impl Machine {
    fn sources_for(&mut self, payment: PaymentId, player: usize, object: ObjectRef) -> PaymentSources {
        let cache = self.take_producers(payment, player);
        let mut sources = cache.sources.clone();
        self.put_back_producers(player, cache);
        let (world, scratch) = self.world();
        world.add_conditional(scratch, payment, player, object, &mut sources);
        sources
    }

    /// Takes the cached sources of a player out of the cache; computes them if the entry is not valid.
    fn take_producers(&mut self, payment: PaymentId, player: usize) -> ProducerCache {
        self.refresh();
        let mut cache = self.producers.get_mut(player).map(std::mem::take).unwrap_or_default();
        let parts = self.program.payment_dependencies.sources(payment);
        let committed = self.word(at::COMMIT_COUNT);
        let holds = |at: u64| !self.derived.forbids() && self.derived.revisions().unchanged_since(at, parts);
        let is_valid = cache.commit_count == Some(committed) || cache.revision.is_some_and(holds);
        let fuel = self.scratch.fuel.saturating_add(cache.fuel);
        // A search that runs out of fuel finds only some sources, so such a hit is not taken.
        if cache.payment == payment && is_valid && fuel <= self.scratch.limit && !self.scratch.reference_mode {
            let (world, scratch) = self.world();
            debug_assert_eq!(
                scratch.recompute_for_check(|scratch| world.unconditional_sources(scratch, payment, player)),
                (cache.sources.clone(), cache.fuel)
            );
            self.scratch.fuel = fuel;
            return cache;
        }
        cache.payment = payment;
        cache.commit_count = Some(committed);
        cache.revision = (!self.derived.forbids()).then(|| self.derived.revisions().current());
        cache.price_results.clear();
        cache.sources.pool.clear();
        cache.sources.uses.clear();
        let (world, scratch) = self.world();
        let before = scratch.fuel;
        world.add_unconditional(scratch, payment, player, &mut cache.sources);
        cache.fuel = scratch.fuel - before;
        if scratch.fuel > scratch.limit {
            (cache.revision, cache.commit_count) = (None, None);
        }
        cache
    }

    /// Puts the sources of a player back into the cache.
    fn put_back_producers(&mut self, player: usize, cache: ProducerCache) {
        if self.producers.len() < self.program.players() {
            self.producers.resize(self.program.players(), ProducerCache::default());
        }
        if let Some(place) = self.producers.get_mut(player) {
            *place = cache;
        }
    }

    /// Returns whether a player can pay a price for an object with the pool and simple producers other than the object itself.
    pub(crate) fn can_pay(&mut self, payment: PaymentId, player: usize, units: &[u32], object: ObjectRef) -> bool {
        if units.is_empty() {
            return true;
        }
        let mut cache = self.take_producers(payment, player);
        let special = cache.sources.uses.iter().any(|way| way.it == object)
            || self.has_conditional_clause(payment, player, object)
            || self.has_restricted_source(payment, player);
        let can = if special {
            let (world, scratch) = self.world();
            let mut sources = cache.sources.clone();
            world.add_conditional(scratch, payment, player, object, &mut sources);
            is_payable(units, &sources)
        } else {
            cache.can_pay(units)
        };
        self.put_back_producers(player, cache);
        can
    }

    /// Returns whether some units may pay only for some objects.
    fn has_restricted_source(&mut self, payment: PaymentId, player: usize) -> bool {
        let (world, _) = self.world();
        world.program.format.payments.get(payment.index()).is_some_and(|rules| world.has_restricted_source(rules, player))
    }

    /// Returns whether a conditional clause of the payment applies to what is paid for.
    fn has_conditional_clause(&mut self, payment: PaymentId, player: usize, object: ObjectRef) -> bool {
        let for_ability = self.scratch.pays_for_ability;
        let query = CostQuery { kind: CostQueryKind::Conditions(payment, for_ability), object, player };
        let read_set = self.program.payment_dependencies.conditions(payment);
        let answer = self.cached_cost(query, read_set, |machine| {
            let args = [object.value(), player as i64, i64::from(for_ability)];
            let (world, scratch) = machine.world();
            let clauses = world.program.format.payments.get(payment.index()).map_or(&[][..], |rules| rules.clauses.as_slice());
            let mut conditions = clauses.iter().filter_map(|clause| clause.condition);
            InlineWords::from_iter(conditions.any(|condition| world.test(scratch, condition, &args)).then_some(1))
        });
        !answer.is_empty()
    }

    /// Handles a price that cannot be paid: rolls the announcement back, or continues unpaid if it has no mark (an effect uses
    /// something).
    fn fail_payment(&mut self, frame: Handle) {
        if self.word(frame + pay::STATEMENT) != 0 || self.state.marks.is_empty() {
            self.end_pay(frame);
        } else {
            self.abandon();
        }
    }

    fn end_pay(&mut self, frame: Handle) {
        self.state.block.clear(frame + pay::UNITS);
        self.state.block.clear(frame + pay::PRODUCERS);
        self.state.block.clear(frame + pay::LEFT_OVER);
        self.state.block.clear(frame + pay::NAMED);
        self.pop_frame();
    }

    /// Returns whether a player could pay now, with existing sources or by plays that are usable while paying.
    pub(crate) fn could_pay(&mut self, player: usize, units: &[u32]) -> bool {
        let (payment, object) = (PaymentId(0), ObjectRef::NONE);
        self.can_pay(payment, player, units, object)
            || self.can_pay_in_trial(payment, player, units, object, RemainingCost::default(), false)
    }

    /// Lets a player pay for a statement.
    pub(crate) fn push_payment(&mut self, player: usize, units: &[u32], report: Handle, register: Option<u16>) {
        let pushed = self.push_frame(kind::PAY, pay::WORDS);
        self.set(pushed + pay::PLAYER, player as u32);
        self.state.block.extend(pushed + pay::UNITS, units);
        self.set(pushed + pay::STATEMENT, 1);
        if let Some(register) = register {
            self.set(pushed + pay::REPORT, report as u32);
            self.set(pushed + pay::REGISTER, u32::from(register));
        }
    }

    pub(crate) fn resume_pay(&mut self, frame: Handle) {
        let for_ability = self.word(frame + pay::FOR_ABILITY) != 0;
        let before = std::mem::replace(&mut self.scratch.pays_for_ability, for_ability);
        self.continue_payment(frame);
        self.scratch.pays_for_ability = before;
    }

    fn continue_payment(&mut self, frame: Handle) {
        let player = self.word(frame + pay::PLAYER) as usize;
        let payment = PaymentId(self.word(frame + pay::PAYMENT));
        let object = ObjectRef(self.word(frame + pay::OBJECT));
        match self.word(frame + pay::PHASE) {
            0 => self.start_payment(frame, payment, player, object),
            1 => {
                let (choices, _) = self.take_answer();
                self.set(frame + pay::PHASE, 0);
                match choices.first() {
                    // The next start pays, with plays that are usable while paying if need be.
                    Some(Choice::PayNow) => self.set(frame + pay::AS_PROPOSED, 1),
                    Some(way) => self.pay_by(*way, frame, payment, player),
                    None => self.fail_payment(frame),
                }
            }
            _ => {
                if let Some(it) = self.state.block.pop(frame + pay::PRODUCERS) {
                    let how = self.state.block.pop(frame + pay::PRODUCERS).unwrap_or(0);
                    self.use_producer(payment, player, how, ObjectRef(it));
                    return;
                }
                for unit in InlineWords::from_slice(self.state.block.list(frame + pay::LEFT_OVER)) {
                    self.add_to_pool(payment, player, UnitInPool(unit));
                }
                let report = self.word(frame + pay::REPORT) as usize;
                if report != 0 {
                    let register = self.word(frame + pay::REGISTER) as u16;
                    self.report(report, Some((register, true)), None);
                }
                self.end_pay(frame);
            }
        }
    }

    /// Settles how the units of a payment are paid that can be paid in two ways, if simple sources suffice for it.
    fn settle_either_ways(&mut self, frame: Handle, payment: PaymentId, player: usize, object: ObjectRef) {
        let units = InlineWords::from_slice(self.state.block.list(frame + pay::UNITS));
        if !units.iter().any(|unit| is_either_way(*unit)) {
            return;
        }
        let sources = self.sources_for(payment, player, object);
        if let Some(settled) = either_ways::settle(&units, &sources, is_payable) {
            self.state.block.replace(frame + pay::UNITS, &settled);
        }
    }

    /// Pays if there is only one way or the player has taken the proposal; else asks how to pay.
    fn start_payment(&mut self, frame: Handle, payment: PaymentId, player: usize, object: ObjectRef) {
        self.advance_mark();
        self.settle_either_ways(frame, payment, player, object);
        let units = InlineWords::from_slice(self.state.block.list(frame + pay::UNITS));
        let payable = self.can_pay(payment, player, &units, object);
        let as_proposed = self.word(frame + pay::AS_PROPOSED) != 0;
        let rest = if self.scratch.searches_payment { RemainingCost::default() } else { self.remaining_cost_of(frame) };
        // Where simple sources leave the other costs possible in any case, these are not read.
        let rest = if payable && !rest.reads_others { rest } else { self.possible_part(rest) };
        let suffices = payable && (!rest.reads_others || self.leaves_possible(frame, &rest));
        if as_proposed && suffices {
            self.pay_now(frame, payment, player, &units);
            return;
        }
        // A payment that can be rolled back or left undone may be made by hand.
        let free_hand = self.word(frame + pay::MARKED) != 0 || self.word(frame + pay::STATEMENT) != 0;
        let plays_are_possible = free_hand && self.may_play_while_paying();
        let mut plays = if plays_are_possible { self.plays_offered(player, &WindowRules::default(), true) } else { Vec::new() };
        if self.scratch.searches_payment {
            self.remove_plays_in_progress(&mut plays);
        }
        let producers = if payable { self.producers_to_choose(frame, payment, player, &units) } else { Vec::new() };
        let way_to_pay = if suffices { None } else { self.first_way_to_pay(frame, (&producers, &plays), &rest) };
        if as_proposed {
            match way_to_pay {
                Some(way) => self.pay_by(way, frame, payment, player),
                // The costs that follow are not possible any more, so that the announcement is taken back.
                None if payable => self.pay_now(frame, payment, player, &units),
                None => self.fail_payment(frame),
            }
            return;
        }
        if plays.is_empty() && producers.is_empty() {
            if payable {
                self.pay_now(frame, payment, player, &units);
            } else {
                self.fail_payment(frame);
            }
            return;
        }
        let mut options = Vec::new();
        if suffices || way_to_pay.is_some() {
            options.push(Choice::PayNow);
        }
        options.extend(producers);
        options.extend(plays);
        if free_hand {
            options.push(Choice::Abandon);
        }
        self.set(frame + pay::PHASE, 1);
        self.ask(&Decision::one(player, DecisionKind::Pay, options));
    }

    /// Uses a producer or a play that was chosen while paying; else the payment fails.
    fn pay_by(&mut self, way: Choice, frame: Handle, payment: PaymentId, player: usize) {
        match way {
            Choice::Object(it) | Choice::Producer(it) => self.use_chosen_producer(frame, payment, player, it),
            Choice::Play { play, object, face } => {
                self.announce_play(play, object, u32::from(face), player, false, &[]);
            }
            _ => self.fail_payment(frame),
        }
    }

    /// Takes units from the pool, and lists the producers to use.
    fn pay_now(&mut self, frame: Handle, payment: PaymentId, player: usize, units: &[u32]) {
        let object = ObjectRef(self.word(frame + pay::OBJECT));
        let sources = self.sources_for(payment, player, object);
        let Some(plan) = self.sparing_plan(payment, player, object, units, &sources) else {
            self.fail_payment(frame);
            return;
        };
        for unit in &plan.pool {
            self.write_pool(payment, player, UnitInPool(*unit), WriteMode::Subtract);
        }
        let uses: InlineWords = plan.uses.iter().rev().flat_map(|(how, it)| [*how, it.0]).collect();
        self.state.block.replace(frame + pay::PRODUCERS, &uses);
        self.state.block.extend(frame + pay::LEFT_OVER, &plan.surplus);
        self.set(frame + pay::PHASE, 2);
    }

    /// Uses a producer: runs the body of its clause, or the cost of its ability.
    fn use_producer(&mut self, payment: PaymentId, player: usize, how: u32, it: ObjectRef) {
        let program = Arc::clone(&self.program);
        let seat = player as i64;
        let by = if how >= ABILITY_PLAY {
            program.play(how).and_then(|play| play.cost)
        } else {
            program.format.payments.get(payment.index()).and_then(|p| p.clauses.get(how as usize)).map(|clause| clause.by)
        };
        if let Some(by) = by {
            self.push_body(
                by,
                &[it.value(), seat],
                EffectContext { cause: cause::COST, source: it, player: seat, ..EffectContext::default() },
            );
        }
    }

    /// Adds one unit to a pool.
    pub(crate) fn add_to_pool(&mut self, payment: PaymentId, player: usize, unit: UnitInPool) {
        self.write_pool(payment, player, unit, WriteMode::Add);
    }

    /// Adds one unit to a pool, or takes it.
    fn write_pool(&mut self, payment: PaymentId, player: usize, unit: UnitInPool, how: WriteMode) {
        let program = Arc::clone(&self.program);
        let Some(rules) = program.format.payments.get(payment.index()) else { return };
        match unit.pool().checked_sub(1) {
            None => {
                if let Some(Some(variable)) = rules.pool.get(unit.kind() as usize) {
                    self.write(Place::Player(*variable), player as i64, how, 1);
                }
            }
            Some(number) => {
                if let Some(pool) = rules.restricted.get(number) {
                    self.write_key(Place::Player(pool.variable), player as i64, i64::from(unit.kind()) + 1, how, 1);
                }
            }
        }
    }

    /// Returns the kinds of a unit that a pool can hold.
    pub(crate) fn pool_kinds(&self, unit: u32, pool: u16) -> Vec<u32> {
        let Some(rules) = self.program.format.payments.first() else { return Vec::new() };
        let words = self.program.library.traits.get(rules.kinds.index()).map_or(0, |kinds| kinds.words.len());
        let kinds: Vec<u32> = match pool {
            0 => {
                (0..rules.pool.len() as u32).filter(|kind| rules.pool.get(*kind as usize).is_some_and(Option::is_some)).collect()
            }
            _ => (0..words as u32).collect(),
        };
        kinds.into_iter().filter(|kind| *kind < 31 && unit & (1 << kind) != 0).collect()
    }
}

/// Returns whether a price can be paid, that is, whether it has a plan.
fn is_payable(units: &[u32], sources: &PaymentSources) -> bool {
    if units.iter().any(|unit| sources.is_either_way(*unit)) {
        return either_ways::settle(units, sources, is_payable).is_some();
    }
    let units = sources.accepted_kinds(units);
    let units = units.as_slice();
    if sources.uses.iter().any(|way| way.units.len() != 1) {
        return plan(units, sources).is_some();
    }
    // A producer whose uses yield one unit each is one source of all their kinds.
    let mut masks: PerSource<u32> = sources.pool.iter().map(|kind| 1u32.wrapping_shl(*kind)).collect();
    let mut producers: PerSource<(ObjectRef, u32)> = SmallVec::new();
    for way in &sources.uses {
        let yields = way.units.first().copied().unwrap_or(0);
        match producers.iter().position(|known| *known == (way.it, way.nth)) {
            Some(index) => masks.get_mut(sources.pool.len() + index).into_iter().for_each(|mask| *mask |= yields),
            None => {
                producers.push((way.it, way.nth));
                masks.push(yields);
            }
        }
    }
    assign(units, &masks).is_some()
}

impl PaymentSources {
    /// Whether a unit of a price is paid in one of two ways. The kinds of a unit of any kind are no such unit.
    fn is_either_way(&self, unit: u32) -> bool {
        unit != self.generic && is_either_way(unit)
    }

    /// Returns the kinds that each unit of a price accepts.
    fn accepted_kinds(&self, units: &[u32]) -> InlineWords {
        let kinds = |unit: u32| match unit {
            ANY => self.generic,
            _ if self.is_either_way(unit) => unit & !EITHER_WAY,
            _ => unit,
        };
        units.iter().map(|unit| kinds(*unit)).collect()
    }

    /// Returns whether each producer has one use, of one unit.
    fn yield_single_units(&self) -> bool {
        let is_repeated = |(index, way): (usize, &ProducerUse)| {
            self.uses.iter().take(index).any(|other| other.it == way.it && other.nth == way.nth)
        };
        self.uses.iter().all(|way| way.units.len() == 1) && !self.uses.iter().enumerate().any(is_repeated)
    }

    /// Returns how a price is paid if each producer has one use, of one unit; `None` if it cannot be paid.
    fn plan_of_single_units(&self, units: &[u32]) -> Option<PaymentPlan> {
        let yields = self.uses.iter().filter_map(|way| way.units.first().copied());
        let masks: PerSource<u32> = self.pool.iter().map(|kind| 1u32.wrapping_shl(*kind)).chain(yields).collect();
        let taken = assign(units, &masks)?;
        let (of_pool, of_uses) = taken.split_at_checked(self.pool.len())?;
        let pool = self.pool.iter().zip(of_pool).filter(|(_, unit)| unit.is_some()).map(|(kind, _)| *kind);
        let uses = self.uses.iter().zip(of_uses).filter(|(_, unit)| unit.is_some()).map(|(way, _)| (way.how, way.it));
        Some(PaymentPlan { pool: pool.collect(), uses: uses.collect(), surplus: Vec::new() })
    }
}

/// Returns how a price is paid; `None` if it cannot be (or if none of the tried combinations pays it).
pub(crate) fn plan(units: &[u32], sources: &PaymentSources) -> Option<PaymentPlan> {
    let units = &sources.accepted_kinds(units);
    if sources.yield_single_units() { sources.plan_of_single_units(units) } else { plan_with_combinations(units, sources) }
}

/// Returns how a price is paid with producers of which some have several uses, or uses of several units.
fn plan_with_combinations(units: &[u32], sources: &PaymentSources) -> Option<PaymentPlan> {
    // Uses are grouped by producer. A group whose uses yield one unit each is one source of all their kinds.
    let mut groups: Vec<Vec<&ProducerUse>> = Vec::new();
    for way in &sources.uses {
        match groups.iter_mut().find(|group| group.first().is_some_and(|first| first.it == way.it && first.nth == way.nth)) {
            Some(group) => group.push(way),
            None => groups.push(vec![way]),
        }
    }
    let is_split = |group: &Vec<&ProducerUse>| group.len() > 1 && group.iter().any(|way| way.units.len() > 1);
    let split: Vec<usize> = (0..groups.len()).filter(|g| groups.get(*g).is_some_and(is_split)).collect();
    let combinations: usize =
        split.iter().filter_map(|g| groups.get(*g)).map(Vec::len).try_fold(1usize, usize::checked_mul).unwrap_or(usize::MAX);
    for combination in 0..combinations.min(MAX_COMBINATIONS) {
        let mut rest = combination;
        let chosen: Vec<Vec<&ProducerUse>> = groups
            .iter()
            .map(|group| {
                if !is_split(group) {
                    return group.clone();
                }
                let way = group.get(rest % group.len()).copied();
                rest /= group.len();
                way.into_iter().collect()
            })
            .collect();
        if let Some(plan) = plan_with_groups(units, &sources.pool, &chosen) {
            return Some(plan);
        }
    }
    None
}

/// Returns how a price is paid if each group has one use, or uses of one unit.
fn plan_with_groups(units: &[u32], pool: &[u32], groups: &[Vec<&ProducerUse>]) -> Option<PaymentPlan> {
    let mut left_out: Vec<bool> = vec![false; groups.len()];
    let mut best = assign_groups(units, pool, groups, &left_out)?;
    // Groups that leave surplus units are dropped if the rest suffices.
    let several = |index: usize| groups.get(index).is_some_and(|group| group.first().is_some_and(|way| way.units.len() > 1));
    let (first, then): (Vec<usize>, Vec<usize>) = (0..groups.len()).rev().partition(|index| several(*index));
    for index in first.into_iter().chain(then) {
        if best.surplus(groups) == 0 {
            break;
        }
        if best.uses_group(index) {
            if let Some(place) = left_out.get_mut(index) {
                *place = true;
            }
            match assign_groups(units, pool, groups, &left_out) {
                Some(better) if better.surplus(groups) < best.surplus(groups) => best = better,
                _ => {
                    if let Some(place) = left_out.get_mut(index) {
                        *place = false;
                    }
                }
            }
        }
    }
    let mut plan = PaymentPlan::default();
    for (source, unit) in best.taken.iter().enumerate() {
        if let (Some(_), Some(kind)) = (unit, pool.get(source)) {
            plan.pool.push(*kind);
        }
    }
    for (index, group) in groups.iter().enumerate().filter(|(index, _)| best.uses_group(*index)) {
        let pays: Vec<Option<u32>> = best
            .origin
            .iter()
            .zip(&best.taken)
            .filter(|(origin, _)| **origin == Some(index))
            .map(|(_, unit)| unit.and_then(|unit| units.get(unit).copied()))
            .collect();
        let way = match (group.as_slice(), pays.first()) {
            ([way], _) => Some(*way),
            (_, Some(Some(accepts))) => {
                group.iter().copied().find(|way| way.units.first().is_some_and(|mask| mask & accepts != 0))
            }
            _ => None,
        };
        let Some(way) = way else { continue };
        plan.uses.push((way.how, way.it));
        let over = way.units.iter().zip(&pays).filter(|(_, paid)| paid.is_none()).map(|(mask, _)| *mask & !GENERIC_ONLY);
        let kinds = over.filter(|mask| *mask != 0).map(u32::trailing_zeros);
        plan.surplus.extend(kinds.map(|kind| UnitInPool::new(kind, way.pool).0));
    }
    Some(plan)
}

/// For each source unit: the unit of the price that it pays, and its group.
struct UnitAssignment {
    taken: PerSource<Option<usize>>,
    origin: PerSource<Option<usize>>,
}

impl UnitAssignment {
    fn uses_group(&self, index: usize) -> bool {
        self.origin.iter().zip(&self.taken).any(|(origin, taken)| *origin == Some(index) && taken.is_some())
    }

    /// Returns how many units of used groups pay for nothing.
    fn surplus(&self, groups: &[Vec<&ProducerUse>]) -> usize {
        let all: usize = (0..groups.len())
            .filter(|index| self.uses_group(*index))
            .filter_map(|index| groups.get(index)?.first().map(|way| way.units.len()))
            .sum();
        all - self.origin.iter().zip(&self.taken).filter(|(origin, taken)| origin.is_some() && taken.is_some()).count()
    }
}

fn assign_groups(units: &[u32], pool: &[u32], groups: &[Vec<&ProducerUse>], left_out: &[bool]) -> Option<UnitAssignment> {
    let mut masks: PerSource<u32> = pool.iter().map(|kind| 1u32.wrapping_shl(*kind)).collect();
    let mut origin: PerSource<Option<usize>> = SmallVec::from_elem(None, masks.len());
    for (index, group) in groups.iter().enumerate().filter(|(index, _)| !left_out.get(*index).copied().unwrap_or(false)) {
        match group.as_slice() {
            [way] => {
                masks.extend_from_slice(&way.units);
                origin.resize(masks.len(), Some(index));
            }
            several => {
                masks.push(several.iter().filter_map(|way| way.units.first()).fold(0, |all, mask| all | mask));
                origin.push(Some(index));
            }
        }
    }
    let taken = assign(units, &masks)?;
    Some(UnitAssignment { taken, origin })
}

/// Matches units of a price to sources. Returns for each source the index of the unit that it pays; `None` if the price is not payable.
///
/// A source is left out only if those before it leave nothing for it to pay: the sets of sources that pay for different units are a matroid, so
/// that this choice is the best by the order of the sources.
fn assign(units: &[u32], sources: &[u32]) -> Option<PerSource<Option<usize>>> {
    if units.len() > sources.len() {
        return None;
    }
    let mut payers: SmallVec<[Option<usize>; 16]> = SmallVec::from_elem(None, units.len());
    let mut visited: SmallVec<[bool; 16]> = SmallVec::from_elem(false, units.len());
    let mut open = units.len();
    for source in 0..sources.len() {
        if open == 0 {
            break;
        }
        visited.fill(false);
        open -= usize::from(augment(source, units, sources, &mut payers, &mut visited));
    }
    if open > 0 {
        return None;
    }
    let mut taken: PerSource<Option<usize>> = SmallVec::from_elem(None, sources.len());
    for (unit, payer) in payers.iter().enumerate() {
        if let Some(place) = payer.and_then(|source| taken.get_mut(source)) {
            *place = Some(unit);
        }
    }
    Some(taken)
}

/// Finds an augmenting path from a source to a unit of the price that is open. Returns whether there is one; then `payers` is updated.
fn augment(source: usize, units: &[u32], sources: &[u32], payers: &mut [Option<usize>], visited: &mut [bool]) -> bool {
    let yields = sources.get(source).copied().unwrap_or(0);
    for (u, unit) in units.iter().enumerate() {
        if unit & yields == 0 || visited.get(u).copied().unwrap_or(true) {
            continue;
        }
        if let Some(seen) = visited.get_mut(u) {
            *seen = true;
        }
        let is_open = match payers.get(u).copied().flatten() {
            None => true,
            Some(other) => augment(other, units, sources, payers, visited),
        };
        if is_open {
            if let Some(place) = payers.get_mut(u) {
                *place = Some(source);
            }
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds producers, each with its possible uses, each use with the kinds of its units.
    pub(super) fn sources(pool: &[u32], producers: &[Vec<Vec<u32>>]) -> PaymentSources {
        let mut all = PaymentSources { pool: pool.to_vec(), ..PaymentSources::default() };
        for (number, ways) in producers.iter().enumerate() {
            for (how, units) in ways.iter().enumerate() {
                all.uses.push(ProducerUse {
                    it: ObjectRef(number as u32 + 1),
                    how: how as u32,
                    nth: 0,
                    units: units.as_slice().into(),
                    pool: 0,
                    weight: 0,
                });
            }
        }
        all
    }

    /// Tries all uses of the producers one by one.
    fn try_all(units: &[u32], masks: &mut Vec<u32>, producers: &[Vec<Vec<u32>>]) -> bool {
        let Some((first, rest)) = producers.split_first() else { return brute(units, masks) };
        let before = masks.len();
        first.iter().any(|way| {
            masks.extend(way);
            let found = try_all(units, masks, rest);
            masks.truncate(before);
            found
        })
    }

    /// Tries all ways to give distinct sources to the units one by one.
    fn brute(units: &[u32], masks: &[u32]) -> bool {
        match units {
            [] => true,
            [first, rest @ ..] => (0..masks.len()).any(|i| {
                let mut others = masks.to_vec();
                let mask = others.remove(i);
                mask & first != 0 && brute(rest, &others)
            }),
        }
    }

    #[test]
    fn assignment_agrees_with_exhaustive_search() {
        let mut seed = 12345u32;
        let mut next = |n: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % n
        };
        for _ in 0..3000 {
            let units: Vec<u32> = (0..next(5)).map(|_| if next(3) == 0 { u32::MAX } else { 1 << next(3) }).collect();
            let masks: Vec<u32> = (0..next(6)).map(|_| next(8)).collect();
            assert_eq!(assign(&units, &masks).is_some(), brute(&units, &masks), "{units:?} {masks:?}");
        }
    }

    #[test]
    fn plan_agrees_with_exhaustive_search() {
        let mut seed = 777u32;
        let mut next = |n: u32| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % n
        };
        for _ in 0..2000 {
            let units: Vec<u32> = (0..next(5)).map(|_| if next(3) == 0 { u32::MAX } else { 1 << next(3) }).collect();
            let producers: Vec<Vec<Vec<u32>>> = (0..next(4))
                .map(|_| (0..1 + next(2)).map(|_| (0..1 + next(2)).map(|_| 1 << next(3)).collect()).collect())
                .collect();
            let pool: Vec<u32> = (0..next(2)).map(|_| next(3)).collect();
            let mut masks: Vec<u32> = pool.iter().map(|kind| 1 << kind).collect();
            let found = plan(&units, &sources(&pool, &producers));
            assert_eq!(found.is_some(), try_all(&units, &mut masks, &producers), "{units:?} {pool:?} {producers:?}");
            let all = sources(&pool, &producers);
            assert_eq!(found.is_some(), is_payable(&units, &all), "{units:?} {pool:?} {producers:?}");
            assert_eq!(found, plan_with_combinations(&units, &all), "{units:?} {pool:?} {producers:?}");
        }
    }

    #[test]
    fn units_of_restricted_pools_pay_by_their_kind_and_keep_their_pool() {
        let of_second = UnitInPool::new(3, 2);
        assert_eq!((of_second.kind(), of_second.pool()), (3, 2));
        assert_eq!(UnitInPool::new(31, 0), UnitInPool(31));
        let found = plan(&[1 << 3], &sources(&[of_second.0], &[])).expect("its kind pays");
        assert_eq!(found.pool, [of_second.0]);
        assert_eq!(plan(&[1 << 2], &sources(&[of_second.0], &[])), None, "another kind");
        let mut several = sources(&[], &[vec![vec![1, 2]]]);
        several.uses[0].pool = 2;
        let found = plan(&[1], &several).expect("the first unit pays");
        assert_eq!(found.surplus, [UnitInPool::new(1, 2).0], "the second unit waits in the pool of the producer");
    }

    #[test]
    fn producers_with_surplus_are_used_last() {
        let found = plan(&[ANY], &sources(&[], &[vec![vec![1, 1]], vec![vec![2]]]));
        assert_eq!(found, Some(PaymentPlan { pool: Vec::new(), uses: vec![(0, ObjectRef(2))], surplus: Vec::new() }));
        let found = plan(&[ANY, ANY], &sources(&[], &[vec![vec![1, 1]], vec![vec![2]]]));
        assert_eq!(found, Some(PaymentPlan { pool: Vec::new(), uses: vec![(0, ObjectRef(1))], surplus: Vec::new() }));
    }

    const WHITE: u32 = 1;
    const LIFE: u32 = 8;

    fn settled(units: &[u32], masks: &[u32]) -> Option<Vec<u32>> {
        let producers: Vec<_> = masks.iter().map(|mask| vec![vec![*mask]]).collect();
        let all = PaymentSources { generic: !LIFE, ..sources(&[], &producers) };
        either_ways::settle(units, &all, is_payable).map(|units| units.to_vec())
    }

    #[test]
    fn a_unit_is_paid_by_its_kind_or_by_two_others() {
        let price = [WHITE | EITHER_WAY, ANY, WHITE | EITHER_WAY, ANY];
        assert_eq!(settled(&price, &[1, 1]), Some(vec![WHITE, WHITE]));
        assert_eq!(settled(&price, &[1, 2, 2]), Some(vec![WHITE, ANY, ANY]));
        assert_eq!(settled(&price, &[2, 2, 2, 2]), Some(vec![ANY; 4]));
        assert_eq!(settled(&price, &[1, 2]), None);
        assert_eq!(settled(&price, &[2, 2, 2]), None);
    }

    #[test]
    fn what_is_paid_otherwise_counts_no_mana() {
        let price = [WHITE | LIFE | EITHER_WAY, ANY, ANY, ANY];
        assert_eq!(settled(&price, &[1, 2, 2]), Some(vec![WHITE, ANY, ANY]));
        assert_eq!(settled(&price, &[2, 2, 2, LIFE]), Some(vec![LIFE, ANY, ANY, ANY]));
        assert_eq!(settled(&price, &[2, 2, LIFE]), None);
    }
}
