//! Paying: exact automatic payment over simple producers, and by hand where more can be done.
//!
//! A price is a list of units, each a mask of the kinds it accepts. A simple producer yields its units once. Floating units and producers are
//! matched to the price's units (augmenting paths), so that a price is payable exactly when a matching exists. What yields several kinds at once, or
//! can be used in several ways, is tried way by way. Producers of earlier clauses, those that cost less and those with fewer kinds are used first, in
//! zone order; what is not needed is left alone.

mod dependencies;
mod shortfall;

use super::Machine;
use super::cost_cache::{CostQuery, CostQueryKind};
use super::decision::{Choice, Decision, DecisionKind};
use super::eval::{EvalContext, Scratch};
use super::frame::{kind, pay};
use super::inline_vecs::InlineWords;
use super::statements::EffectContext;
use crate::ir::op::WriteMode;
use crate::ir::verbs::ANNOUNCE;
use crate::ir::{AbilityKind, FnId, NO_PLAYER, Op, PaymentId, Place, Type, WindowRules, cause};
use crate::program::ABILITY_PLAY;
use crate::state::block::Handle;
use crate::state::{ObjectRef, layout as at};
pub(crate) use dependencies::PaymentDependencies;
use smallvec::SmallVec;
use std::sync::Arc;

/// The kind of a produced unit that pays only for a unit of any kind.
const PLAIN: u32 = 1 << 31;

/// A unit that any kind pays.
const ANY: u32 = u32::MAX;

/// How many combinations of ways to use producers are tried at most.
const COMBINATIONS: usize = 256;

/// The sources of units that a player has, remembered until something changes that they hang on.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProducerCache {
    payment: PaymentId,
    /// How often something had changed ([`Derived::changes`](super::derived::DerivedValues::revisions)); nothing for what cannot be remembered.
    at: Option<u64>,
    /// How much had been committed: what hangs on anything holds until something is.
    committed: Option<u32>,
    /// What fuel it took to find them: paid again each time, so that fuel hangs on the game alone.
    fuel: u64,
    sources: PaymentSources,
    /// Prices of which it was asked whether they can be paid so, and whether.
    verdicts: Vec<(InlineWords, bool)>,
}

/// So many verdicts on prices are remembered.
const VERDICTS: usize = 16;

impl ProducerCache {
    fn can_pay(&mut self, units: &[u32]) -> bool {
        if let Some((_, known)) = self.verdicts.iter().find(|(price, _)| price.as_slice() == units) {
            debug_assert_eq!(*known, is_payable(units, &self.sources), "{units:?} of {:?}", self.sources);
            return *known;
        }
        let can = is_payable(units, &self.sources);
        if self.verdicts.len() < VERDICTS {
            self.verdicts.push((InlineWords::from_slice(units), can));
        }
        can
    }
}

/// The units that a producer yields.
type ProducedUnits = SmallVec<[u32; 2]>;

/// For each source something about it.
type OfSources<T> = SmallVec<[T; 32]>;

/// What can pay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PaymentSources {
    /// Kinds of floating units.
    pool: Vec<u32>,
    /// Ways to use producers, those used first first.
    ways: Vec<ProducerUse>,
}

/// One way to use a producer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ProducerUse {
    /// The producer.
    it: ObjectRef,
    /// A clause of the payment, or a play code.
    how: u32,
    /// How often it has been counted: another use of the same producer.
    nth: u32,
    /// The units that it yields.
    units: ProducedUnits,
    /// What is used first has less.
    weight: usize,
}

/// How a price is paid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PaymentPlan {
    /// Kinds taken from what floats.
    pool: Vec<u32>,
    /// Producers used: how, and which.
    uses: Vec<(u32, ObjectRef)>,
    /// Kinds that float afterwards.
    left: Vec<u32>,
}

impl EvalContext<'_> {
    /// What can pay for `object` without anybody being asked.
    fn sources(&self, scratch: &mut Scratch, payment: PaymentId, player: usize, object: ObjectRef) -> PaymentSources {
        let mut sources = self.unconditional_sources(scratch, payment, player);
        self.add_special(scratch, payment, player, object, &mut sources);
        sources
    }

    /// What can pay whatever is paid for.
    fn unconditional_sources(&self, scratch: &mut Scratch, payment: PaymentId, player: usize) -> PaymentSources {
        let mut sources = PaymentSources::default();
        self.add_steady(scratch, payment, player, &mut sources);
        sources
    }

    /// Adds those that do not depend on what is paid for.
    fn add_steady(&self, scratch: &mut Scratch, payment: PaymentId, player: usize, sources: &mut PaymentSources) {
        let Some(rules) = self.program.format.payments.get(payment.index()) else { return };
        for (kind, variable) in rules.pool.iter().enumerate() {
            let Some(variable) = variable else { continue };
            let floating = self.state.block.int(self.program.layout.player(player, usize::from(*variable)));
            sources.pool.extend(std::iter::repeat_n(kind as u32, floating.clamp(0, 256) as usize));
        }
        for (number, clause) in rules.clauses.iter().enumerate().filter(|(_, clause)| clause.condition.is_none()) {
            self.add_clause(scratch, number, clause, player, ObjectRef::NONE, &mut sources.ways);
        }
        self.add_yielding(scratch, player, &mut sources.ways);
        sort(&mut sources.ways);
    }

    fn add_special(
        &self,
        scratch: &mut Scratch,
        payment: PaymentId,
        player: usize,
        object: ObjectRef,
        sources: &mut PaymentSources,
    ) {
        let Some(rules) = self.program.format.payments.get(payment.index()) else { return };
        sources.ways.retain(|way| way.it != object);
        let before = sources.ways.len();
        for (number, clause) in rules.clauses.iter().enumerate() {
            if clause.condition.is_some_and(|f| self.test(scratch, f, &[object.value(), player as i64])) {
                self.add_clause(scratch, number, clause, player, object, &mut sources.ways);
            }
        }
        if sources.ways.len() != before {
            sort(&mut sources.ways);
        }
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
        let priced = self.program.function(clause.yields).is_some_and(|f| f.result == Some(Type::Price));
        for item in self.items(scratch, clause.producers, &[object.value(), seat]) {
            let it = ObjectRef(item);
            let args = [object.value(), seat, it.value()];
            let units = if priced {
                self.items(scratch, clause.yields, &args)
            } else {
                InlineWords::from_slice(&[self.number(scratch, clause.yields, &args) as u32])
            };
            let units: ProducedUnits = units.into_iter().map(produced).filter(|mask| *mask != 0).collect();
            if units.is_empty() || units.len() > 64 {
                continue;
            }
            let times = clause.times.map_or(1, |f| self.number(scratch, f, &args).clamp(0, 64));
            for nth in 0..times as u32 {
                ways.push(ProducerUse { it, how: number as u32, nth, units: units.clone(), weight: number * 4 });
            }
        }
    }

    /// Activated abilities that yield units and can be used without anybody being asked.
    fn add_yielding(&self, scratch: &mut Scratch, player: usize, ways: &mut Vec<ProducerUse>) {
        let seat = player as i64;
        for (unit, ability) in &self.program.activated {
            let Some(made) = self.program.library.abilities.get(ability.index()) else { continue };
            let AbilityKind::Activated { play } = &made.kind else { continue };
            let Some(yields) = play.yields else { continue };
            let code = ABILITY_PLAY + ability.0;
            for it in self.derived.holders(*unit).iter().copied() {
                if !self.state.lies_in(self.program, it.slot(), made.zones)
                    || self.read(scratch, Place::Controller, it.value()) != seat
                {
                    continue;
                }
                let args = [it.value(), seat];
                let conditions = [play.object_filter, play.condition, play.cost_possible];
                let asked = [seat, it.value(), i64::from(code)];
                if conditions.into_iter().flatten().any(|f| !self.test(scratch, f, &args))
                    || self.forbidden(scratch, ANNOUNCE, &asked, [cause::RULE, it.value(), seat, NO_PLAYER]).is_some()
                {
                    continue;
                }
                let units: ProducedUnits =
                    self.items(scratch, yields, &args).into_iter().map(produced).filter(|m| *m != 0).collect();
                if units.is_empty() || units.len() > 64 {
                    continue;
                }
                let events = play.cost.map_or(1, |cost| self.cost_events(cost));
                ways.push(ProducerUse { it, how: code, nth: 0, units, weight: events.saturating_sub(1) * 2 });
            }
        }
    }

    fn cost_events(&self, cost: FnId) -> usize {
        let ops = self.program.function(cost).map_or(&[][..], |f| f.ops.as_slice());
        ops.iter().map(|op| if let Op::Propose { events, .. } = op { events.len() } else { 0 }).sum()
    }

    /// Whether a player could pay units for an object now.
    pub(crate) fn payable(&self, scratch: &mut Scratch, player: usize, object: ObjectRef, units: &[u32]) -> bool {
        player < self.program.players() && is_payable(units, &self.sources(scratch, PaymentId(0), player, object))
    }

    /// How often a player could pay `step` units of any kind besides these units, `less` of any kind being for nothing.
    pub(crate) fn affordable(
        &self,
        scratch: &mut Scratch,
        player: usize,
        object: ObjectRef,
        units: &[u32],
        step: usize,
        less: usize,
    ) -> i64 {
        if player >= self.program.players() || step == 0 {
            return 0;
        }
        let mut sources = self.sources(scratch, PaymentId(0), player, object);
        sources.pool.extend(std::iter::repeat_n(31, less));
        let all = sources.pool.len() + sources.ways.iter().map(|way| way.units.len()).sum::<usize>();
        let mut units = InlineWords::from_slice(units);
        let mut times = 0;
        while units.len() + step <= all {
            units.resize(units.len() + step, ANY);
            if !is_payable(&units, &sources) {
                break;
            }
            times += 1;
        }
        times
    }
}

/// What a produced unit pays for.
fn produced(mask: u32) -> u32 {
    if mask == ANY { PLAIN } else { mask }
}

fn sort(ways: &mut [ProducerUse]) {
    ways.sort_by_key(|way| {
        (way.weight, std::cmp::Reverse(way.units.len()), way.units.iter().map(|mask| mask.count_ones()).max().unwrap_or(0))
    });
}

impl Machine {
    fn sources_for(&mut self, payment: PaymentId, player: usize, object: ObjectRef) -> PaymentSources {
        let known = self.producers_of(payment, player);
        let mut sources = known.sources.clone();
        self.keep_producers(player, known);
        let (world, scratch) = self.world();
        world.add_special(scratch, payment, player, object, &mut sources);
        sources
    }

    /// What is known of the sources of a player, taken out of its place.
    fn producers_of(&mut self, payment: PaymentId, player: usize) -> ProducerCache {
        self.refresh();
        let mut known = self.producers.get_mut(player).map(std::mem::take).unwrap_or_default();
        let parts = self.program.pay_looks.sources(payment);
        let committed = self.word(at::COMMITTED);
        let holds = |at: u64| !self.derived.forbids() && self.derived.revisions().unchanged_since(at, parts);
        let stands = known.committed == Some(committed) || known.at.is_some_and(holds);
        let fuel = self.scratch.fuel.saturating_add(known.fuel);
        // What runs out of fuel finds only some of them.
        if known.payment == payment && stands && fuel <= self.scratch.limit && !self.scratch.reference_mode {
            let (world, scratch) = self.world();
            debug_assert_eq!(
                scratch.recompute_for_check(|scratch| world.unconditional_sources(scratch, payment, player)),
                (known.sources.clone(), known.fuel)
            );
            self.scratch.fuel = fuel;
            return known;
        }
        known.payment = payment;
        known.committed = Some(committed);
        known.at = (!self.derived.forbids()).then(|| self.derived.revisions().current());
        known.verdicts.clear();
        known.sources.pool.clear();
        known.sources.ways.clear();
        let (world, scratch) = self.world();
        let before = scratch.fuel;
        world.add_steady(scratch, payment, player, &mut known.sources);
        known.fuel = scratch.fuel - before;
        if scratch.fuel > scratch.limit {
            (known.at, known.committed) = (None, None);
        }
        known
    }

    /// Puts it back there.
    fn keep_producers(&mut self, player: usize, known: ProducerCache) {
        if self.producers.len() < self.program.players() {
            self.producers.resize(self.program.players(), ProducerCache::default());
        }
        if let Some(place) = self.producers.get_mut(player) {
            *place = known;
        }
    }

    /// Whether a price can be paid by floating units and simple producers other than `object`.
    pub(crate) fn can_pay(&mut self, payment: PaymentId, player: usize, units: &[u32], object: ObjectRef) -> bool {
        if units.is_empty() {
            return true;
        }
        let mut known = self.producers_of(payment, player);
        let special = known.sources.ways.iter().any(|way| way.it == object) || self.is_paid_specially(payment, player, object);
        let can = if special {
            let (world, scratch) = self.world();
            let mut sources = known.sources.clone();
            world.add_special(scratch, payment, player, object, &mut sources);
            is_payable(units, &sources)
        } else {
            known.can_pay(units)
        };
        self.keep_producers(player, known);
        can
    }

    /// Whether a clause is there because of what is paid for.
    fn is_paid_specially(&mut self, payment: PaymentId, player: usize, object: ObjectRef) -> bool {
        let question = CostQuery { what: CostQueryKind::Conditions(payment), object, player };
        let looks = self.program.pay_looks.conditions(payment);
        let answer = self.cached_cost(question, looks, |machine| {
            let args = [object.value(), player as i64];
            let (world, scratch) = machine.world();
            let clauses = world.program.format.payments.get(payment.index()).map_or(&[][..], |rules| rules.clauses.as_slice());
            let mut conditions = clauses.iter().filter_map(|clause| clause.condition);
            InlineWords::from_iter(conditions.any(|condition| world.test(scratch, condition, &args)).then_some(1))
        });
        !answer.is_empty()
    }

    /// The price cannot be paid: the announcement is taken back; one that cannot be (an effect uses something) goes on unpaid.
    fn give_up(&mut self, frame: Handle) {
        if self.word(frame + pay::STATEMENT) != 0 || self.state.marks.is_empty() {
            self.end_pay(frame);
        } else {
            self.abandon();
        }
    }

    fn end_pay(&mut self, frame: Handle) {
        self.state.block.clear(frame + pay::UNITS);
        self.state.block.clear(frame + pay::PRODUCERS);
        self.state.block.clear(frame + pay::LEFT);
        self.pop_frame();
    }

    /// Whether a player could pay now, by what is there or by what can be done while paying.
    pub(crate) fn could_pay(&mut self, player: usize, units: &[u32]) -> bool {
        self.can_pay(PaymentId(0), player, units, ObjectRef::NONE)
            || !self.plays_offered(player, &WindowRules::default(), true).is_empty()
    }

    /// A statement lets a player pay.
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
        let player = self.word(frame + pay::PLAYER) as usize;
        let payment = PaymentId(self.word(frame + pay::PAYMENT));
        let object = ObjectRef(self.word(frame + pay::OBJECT));
        match self.word(frame + pay::PHASE) {
            0 => {
                self.advance_mark();
                // What can be taken back, or left unpaid, may be paid by hand.
                let free_hand = self.word(frame + pay::MARKED) != 0 || self.word(frame + pay::STATEMENT) != 0;
                let by_hand = if free_hand { self.plays_offered(player, &WindowRules::default(), true) } else { Vec::new() };
                let units = InlineWords::from_slice(self.state.block.list(frame + pay::UNITS));
                let payable = self.can_pay(payment, player, &units, object);
                let single = if payable { self.special_uses(payment, player, &units, object) } else { Vec::new() };
                if by_hand.is_empty() && single.is_empty() && payable {
                    self.pay_now(frame, payment, player, &units);
                    return;
                }
                if by_hand.is_empty() && !payable {
                    self.give_up(frame);
                    return;
                }
                let mut options = Vec::new();
                if payable {
                    options.push(Choice::PayNow);
                }
                options.extend(single.into_iter().map(Choice::Object));
                options.extend(by_hand);
                if free_hand {
                    options.push(Choice::Abandon);
                }
                self.set(frame + pay::PHASE, 1);
                self.ask(&Decision::one(player, DecisionKind::Pay, options));
            }
            1 => {
                let (choices, _) = self.take_answer();
                match choices.first() {
                    Some(Choice::PayNow) => {
                        let units = InlineWords::from_slice(self.state.block.list(frame + pay::UNITS));
                        self.pay_now(frame, payment, player, &units);
                    }
                    Some(Choice::Object(it)) => {
                        self.set(frame + pay::PHASE, 0);
                        self.use_special(frame, payment, player, *it);
                    }
                    Some(Choice::Play { play, object, face }) => {
                        self.set(frame + pay::PHASE, 0);
                        self.announce_play(*play, *object, u32::from(*face), player, false, &[]);
                    }
                    _ => self.give_up(frame),
                }
            }
            _ => {
                if let Some(it) = self.state.block.pop(frame + pay::PRODUCERS) {
                    let how = self.state.block.pop(frame + pay::PRODUCERS).unwrap_or(0);
                    self.use_producer(payment, player, how, ObjectRef(it));
                    return;
                }
                for kind in InlineWords::from_slice(self.state.block.list(frame + pay::LEFT)) {
                    self.float(payment, player, kind);
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

    /// Takes floating units, and lists the producers to be used.
    fn pay_now(&mut self, frame: Handle, payment: PaymentId, player: usize, units: &[u32]) {
        let program = Arc::clone(&self.program);
        let object = ObjectRef(self.word(frame + pay::OBJECT));
        let sources = self.sources_for(payment, player, object);
        let Some(plan) = plan(units, &sources) else {
            self.give_up(frame);
            return;
        };
        let Some(rules) = program.format.payments.get(payment.index()) else { return };
        for kind in &plan.pool {
            if let Some(Some(variable)) = rules.pool.get(*kind as usize) {
                self.write(Place::Player(*variable), player as i64, WriteMode::Subtract, 1);
            }
        }
        let uses: InlineWords = plan.uses.iter().rev().flat_map(|(how, it)| [*how, it.0]).collect();
        self.state.block.replace(frame + pay::PRODUCERS, &uses);
        self.state.block.replace(frame + pay::LEFT, &plan.left);
        self.set(frame + pay::PHASE, 2);
    }

    /// Uses a producer: what its clause says, or the cost of its ability.
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

    /// One unit more of a kind floats.
    pub(crate) fn float(&mut self, payment: PaymentId, player: usize, kind: u32) {
        let program = Arc::clone(&self.program);
        let pool = program.format.payments.get(payment.index()).map_or(&[][..], |rules| rules.pool.as_slice());
        if let Some(Some(variable)) = pool.get(kind as usize) {
            self.write(Place::Player(*variable), player as i64, WriteMode::Add, 1);
        }
    }

    /// The kinds of a unit that can float.
    pub(crate) fn floating_kinds(&self, unit: u32) -> Vec<u32> {
        let pool = self.program.format.payments.first().map_or(&[][..], |rules| rules.pool.as_slice());
        let kinds = pool.iter().enumerate().filter(|(_, variable)| variable.is_some()).map(|(kind, _)| kind as u32);
        kinds.filter(|kind| *kind < 31 && unit & (1 << kind) != 0).collect()
    }

    /// Producers of clauses with a condition that may be used one by one, the rest of the price staying payable.
    fn special_uses(&mut self, payment: PaymentId, player: usize, units: &[u32], object: ObjectRef) -> Vec<ObjectRef> {
        let mut found: Vec<ObjectRef> = Vec::new();
        let sources = self.sources_for(payment, player, object);
        for way in sources.ways.iter().filter(|way| self.is_conditional(payment, way.how)) {
            if !found.contains(&way.it) && paid_by(units, &sources, way).is_some() {
                found.push(way.it);
            }
        }
        found
    }

    fn is_conditional(&self, payment: PaymentId, how: u32) -> bool {
        let clauses = self.program.format.payments.get(payment.index()).map_or(&[][..], |p| p.clauses.as_slice());
        clauses.get(how as usize).is_some_and(|clause| clause.condition.is_some())
    }

    fn use_special(&mut self, frame: Handle, payment: PaymentId, player: usize, it: ObjectRef) {
        let mut units = self.state.block.list(frame + pay::UNITS).to_vec();
        let object = ObjectRef(self.word(frame + pay::OBJECT));
        let sources = self.sources_for(payment, player, object);
        let ways = sources.ways.iter().filter(|way| way.it == it && self.is_conditional(payment, way.how));
        let Some((how, paid)) = ways.filter_map(|way| Some((way.how, paid_by(&units, &sources, way)?))).next() else { return };
        units.remove(paid);
        self.state.block.replace(frame + pay::UNITS, &units);
        self.use_producer(payment, player, how, it);
    }
}

/// The unit of a price that a way to use a producer pays so that the rest stays payable: one of any kind if possible.
fn paid_by(units: &[u32], sources: &PaymentSources, way: &ProducerUse) -> Option<usize> {
    let mut rest = sources.clone();
    rest.ways.retain(|other| other.it != way.it || other.nth != way.nth);
    let [yielded] = way.units.as_slice() else { return None };
    let mut order: Vec<usize> = (0..units.len()).filter(|i| units.get(*i).is_some_and(|unit| unit & yielded != 0)).collect();
    order.sort_by_key(|i| units.get(*i) != Some(&ANY));
    order.into_iter().find(|i| {
        let mut others = InlineWords::from_slice(units);
        others.remove(*i);
        plan(&others, &rest).is_some()
    })
}

/// Whether a price can be paid: whether there is a plan for it.
fn is_payable(units: &[u32], sources: &PaymentSources) -> bool {
    if sources.ways.iter().any(|way| way.units.len() != 1) {
        return plan(units, sources).is_some();
    }
    // What yields one unit, in whatever way, is one source of all its kinds.
    let mut masks: OfSources<u32> = sources.pool.iter().map(|kind| 1u32.wrapping_shl(*kind)).collect();
    let mut producers: OfSources<(ObjectRef, u32)> = SmallVec::new();
    for way in &sources.ways {
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

/// How a price is paid: exactly when it can be.
pub(crate) fn plan(units: &[u32], sources: &PaymentSources) -> Option<PaymentPlan> {
    // The ways of each producer; those of which each yields one unit are one source of all their kinds.
    let mut groups: Vec<Vec<&ProducerUse>> = Vec::new();
    for way in &sources.ways {
        match groups.iter_mut().find(|group| group.first().is_some_and(|first| first.it == way.it && first.nth == way.nth)) {
            Some(group) => group.push(way),
            None => groups.push(vec![way]),
        }
    }
    let is_split = |group: &Vec<&ProducerUse>| group.len() > 1 && group.iter().any(|way| way.units.len() > 1);
    let split: Vec<usize> = (0..groups.len()).filter(|g| groups.get(*g).is_some_and(is_split)).collect();
    let combinations: usize =
        split.iter().filter_map(|g| groups.get(*g)).map(Vec::len).try_fold(1usize, usize::checked_mul).unwrap_or(usize::MAX);
    for combination in 0..combinations.min(COMBINATIONS) {
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
        if let Some(plan) = plan_of(units, &sources.pool, &chosen) {
            return Some(plan);
        }
    }
    None
}

/// How a price is paid by producers that have one way each, or ways of one unit.
fn plan_of(units: &[u32], pool: &[u32], groups: &[Vec<&ProducerUse>]) -> Option<PaymentPlan> {
    let mut left_out: Vec<bool> = vec![false; groups.len()];
    let mut best = assign_groups(units, pool, groups, &left_out)?;
    // What would leave something over is left out where the rest suffices.
    let several = |index: usize| groups.get(index).is_some_and(|group| group.first().is_some_and(|way| way.units.len() > 1));
    let (first, then): (Vec<usize>, Vec<usize>) = (0..groups.len()).rev().partition(|index| several(*index));
    for index in first.into_iter().chain(then) {
        if best.left(groups) == 0 {
            break;
        }
        if best.uses_group(index) {
            if let Some(place) = left_out.get_mut(index) {
                *place = true;
            }
            match assign_groups(units, pool, groups, &left_out) {
                Some(better) if better.left(groups) < best.left(groups) => best = better,
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
        let over = way.units.iter().zip(&pays).filter(|(_, paid)| paid.is_none()).map(|(mask, _)| *mask & !PLAIN);
        plan.left.extend(over.filter(|mask| *mask != 0).map(u32::trailing_zeros));
    }
    Some(plan)
}

/// Which unit each source pays, and of which group it is.
struct UnitAssignment {
    taken: OfSources<Option<usize>>,
    origin: OfSources<Option<usize>>,
}

impl UnitAssignment {
    fn uses_group(&self, index: usize) -> bool {
        self.origin.iter().zip(&self.taken).any(|(origin, taken)| *origin == Some(index) && taken.is_some())
    }

    /// How many units would be left over.
    fn left(&self, groups: &[Vec<&ProducerUse>]) -> usize {
        let all: usize = (0..groups.len())
            .filter(|index| self.uses_group(*index))
            .filter_map(|index| groups.get(index)?.first().map(|way| way.units.len()))
            .sum();
        all - self.origin.iter().zip(&self.taken).filter(|(origin, taken)| origin.is_some() && taken.is_some()).count()
    }
}

fn assign_groups(units: &[u32], pool: &[u32], groups: &[Vec<&ProducerUse>], left_out: &[bool]) -> Option<UnitAssignment> {
    let mut masks: OfSources<u32> = pool.iter().map(|kind| 1u32.wrapping_shl(*kind)).collect();
    let mut origin: OfSources<Option<usize>> = SmallVec::from_elem(None, masks.len());
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

/// For each source the unit that it pays; `None` when there is no such assignment. Earlier sources are preferred.
fn assign(units: &[u32], sources: &[u32]) -> Option<OfSources<Option<usize>>> {
    if units.len() > sources.len() {
        return None;
    }
    let mut order: SmallVec<[usize; 16]> = (0..units.len()).collect();
    order.sort_by_key(|u| units.get(*u).map_or(0, |mask| mask.count_ones()));
    let mut taken: OfSources<Option<usize>> = SmallVec::from_elem(None, sources.len());
    let mut visited: OfSources<bool> = SmallVec::from_elem(false, sources.len());
    for unit in order {
        visited.fill(false);
        if !augment(unit, units, sources, &mut taken, &mut visited) {
            return None;
        }
    }
    Some(taken)
}

fn augment(unit: usize, units: &[u32], sources: &[u32], taken: &mut [Option<usize>], visited: &mut [bool]) -> bool {
    let accepts = units.get(unit).copied().unwrap_or(0);
    for (s, source) in sources.iter().enumerate() {
        if source & accepts == 0 || visited.get(s).copied().unwrap_or(true) {
            continue;
        }
        if let Some(seen) = visited.get_mut(s) {
            *seen = true;
        }
        let free = match taken.get(s).copied().flatten() {
            None => true,
            Some(other) => augment(other, units, sources, taken, visited),
        };
        if free {
            if let Some(place) = taken.get_mut(s) {
                *place = Some(unit);
            }
            return true;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Producers with ways: each way is the units that it yields.
    fn sources(pool: &[u32], producers: &[Vec<Vec<u32>>]) -> PaymentSources {
        let mut all = PaymentSources { pool: pool.to_vec(), ways: Vec::new() };
        for (number, ways) in producers.iter().enumerate() {
            for (how, units) in ways.iter().enumerate() {
                all.ways.push(ProducerUse {
                    it: ObjectRef(number as u32 + 1),
                    how: how as u32,
                    nth: 0,
                    units: units.as_slice().into(),
                    weight: 0,
                });
            }
        }
        all
    }

    /// All ways to use the producers, one by one.
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

    /// All ways to give distinct sources to the units, tried one by one.
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
    fn an_assignment_is_found_exactly_when_there_is_one() {
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
    fn a_plan_is_found_exactly_when_there_is_one() {
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
            assert_eq!(found.is_some(), is_payable(&units, &sources(&pool, &producers)), "{units:?} {pool:?} {producers:?}");
        }
    }

    #[test]
    fn what_leaves_something_over_is_used_last() {
        let found = plan(&[ANY], &sources(&[], &[vec![vec![1, 1]], vec![vec![2]]]));
        assert_eq!(found, Some(PaymentPlan { pool: Vec::new(), uses: vec![(0, ObjectRef(2))], left: Vec::new() }));
        let found = plan(&[ANY, ANY], &sources(&[], &[vec![vec![1, 1]], vec![vec![2]]]));
        assert_eq!(found, Some(PaymentPlan { pool: Vec::new(), uses: vec![(0, ObjectRef(1))], left: Vec::new() }));
    }
}
