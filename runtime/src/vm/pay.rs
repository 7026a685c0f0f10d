//! Payment of prices (CR 601.2g, h): a decision with a proposal, which pays with the pool and simple producers, and with every producer and
//! every play that is usable while paying as a further option.
//!
//! A price is a list of units, each a mask of the kinds it accepts. A unit of any kind accepts those that a pool can hold: the others, such as a
//! symbol that is paid with life, pay only where they are named (CR 107.4b, f). A simple producer yields its units once. The units of pool
//! and producers are matched to those of the price by augmenting paths, so that a price is payable exactly if a matching exists.
//! For producers with several uses of which one yields several units, at most 256 combinations of uses are tried.
//! Producers of earlier clauses come first, then those with a smaller cost, with more units and with fewer kinds, in zone order.
//! Producers that are not needed stay unused, and those that the player's other cards need are spared ([`sparing`]).

mod hybrid_symbols;
mod joint_costs;
mod matching;
mod payment_search;
pub(crate) mod price_dependencies;
mod producer_choice;
pub(in crate::vm) mod remaining_cost;
mod shortfall;
mod sparing;

use super::decision::{Choice, Decision, DecisionKind};
use super::inline_vecs::InlineWords;
use crate::ir::ObjectRef;
use crate::ir::format::{ANY_UNIT, EITHER_WAY, is_either_way};
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
pub(crate) use crate::vm::pay::matching::UnitInPool;
use crate::vm::pay::matching::{GENERIC_ONLY, is_payable};
use crate::vm::pay::remaining_cost::RemainingCost;
use crate::vm::scratch::Scratch;
use std::sync::Arc;

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
        let read_set = self.program.payment_dependencies.produced(clause.produces).filter(|_| object.is_none());
        for item in self.items(scratch, clause.producers, &[object.value(), seat]) {
            let it = ObjectRef(item);
            let args = [object.value(), seat, it.value()];
            let query = CostQuery { kind: CostQueryKind::Produced(clause.produces), object: it, player };
            let units = self.cached_cost(scratch, query, read_set, |scratch| {
                if priced {
                    self.items(scratch, clause.produces, &args)
                } else {
                    InlineWords::from_slice(&[self.number(scratch, clause.produces, &args) as u32])
                }
            });
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
        let all = sources.max_units();
        let mut units = query.units.clone();
        let mut times = 0;
        let less_by_kinds = units.iter().filter(|unit| is_either_way(**unit)).count();
        while units.len() + query.step <= all + less_by_kinds {
            units.resize(units.len() + query.step, ANY_UNIT);
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
    let (matchings, units) = (hybrid_symbols::matchings(units), units.len());
    let sources = sources.pool.len() + sources.uses.len();
    let each = (units * sources) as u64 * (1 + units as u64 / 16);
    scratch.fuel = scratch.fuel.saturating_add(each.saturating_mul(matchings));
}

/// Returns the kinds that a produced unit pays for.
fn produced_kinds(mask: u32) -> u32 {
    if mask == ANY_UNIT { GENERIC_ONLY } else { mask & !EITHER_WAY }
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
        let clauses = self.program.format.payments.get(payment.index()).map_or(&[][..], |rules| &rules.clauses);
        if clauses.iter().all(|clause| clause.condition.is_none()) {
            return false;
        }
        let for_ability = self.scratch.pays_for_ability;
        let query = CostQuery { kind: CostQueryKind::Conditions(payment, for_ability), object, player };
        let read_set = self.program.payment_dependencies.conditions(payment);
        self.refresh();
        let (world, scratch) = self.world();
        let clauses = world.program.format.payments.get(payment.index()).map_or(&[][..], |rules| rules.clauses.as_slice());
        let args = [object.value(), player as i64, i64::from(for_ability)];
        let answer = world.cached_cost(scratch, query, read_set, |scratch| {
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
        if let Some(settled) = hybrid_symbols::settle(&units, &sources, is_payable) {
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
