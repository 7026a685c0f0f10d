//! Aggregates: count, sum, highest and lowest over a zone, without materialising the list.
//!
//! An aggregate iterates over the zone, applies its filters lane by lane, and folds the values. Results that depend only on the
//! iterated objects and on few captured values are stored in the [`CallCache`](crate::vm::optimized::call_cache::CallCache), because the conditions of all
//! cards of a hand tend to need the same count. Debug builds recompute every hit and compare value and fuel.

use super::run::gather_operands;
use crate::ir::FnId;
use crate::ir::arithmetic::fold;
use crate::vm::eval_context::{EvalContext, MAX_CALL_DEPTH};
use crate::vm::optimized::call_cache::CallKey;
use crate::vm::optimized::code::{Aggregate, AggregateKind, ListSource, MAX_CAPTURES};
use crate::vm::optimized::code::{LocalReg, OptimizedFunction, Registers};
use crate::vm::optimized::lanes::LANES;
use crate::vm::scratch::Scratch;

/// A function with its captured arguments, called for one object after another.
pub(crate) struct BoundFunction<'p> {
    pub(super) function: FnId,
    pub(super) optimized: Option<(&'p OptimizedFunction, Registers)>,
    pub(super) args: [i64; MAX_CAPTURES + 1],
    /// The index of the object among the arguments.
    pub(super) last: usize,
}

impl<'p> EvalContext<'p> {
    /// Binds `captures` to the first arguments of a function; an object is the argument after them.
    pub(crate) fn bind(&self, scratch: &Scratch, function: FnId, captures: &[i64]) -> BoundFunction<'p> {
        let last = captures.len().min(MAX_CAPTURES);
        let mut args = [0; MAX_CAPTURES + 1];
        args.iter_mut().zip(captures).take(last).for_each(|(place, value)| *place = *value);
        let optimized = self.program.function(function).filter(|_| scratch.depth <= MAX_CALL_DEPTH && !scratch.reference_mode);
        #[cfg(feature = "jit")]
        let optimized = optimized.filter(|_| !self.program.jit.is_compiled(function));
        let optimized = optimized
            .and_then(|code| self.program.optimized.get(self.program, function, code))
            .filter(|optimized| last < optimized.params);
        BoundFunction { function, optimized: optimized.map(|optimized| (optimized, optimized.begin(&args))), args, last }
    }

    /// Calls the function for an object, and frees the lists that the call made.
    #[inline]
    pub(crate) fn apply(&self, scratch: &mut Scratch, to: &mut BoundFunction<'p>, object: i64) -> i64 {
        let mark = scratch.mark();
        let value = match &mut to.optimized {
            Some((optimized, registers)) => {
                registers.set(to.last as LocalReg, object);
                #[cfg(feature = "jit")]
                let before = scratch.fuel;
                scratch.depth += 1;
                let value = self.run_registers(scratch, optimized, registers);
                scratch.depth -= 1;
                #[cfg(feature = "jit")]
                crate::jit::count_executed(self.program, to.function, scratch.fuel.saturating_sub(before));
                value
            }
            None => {
                if let Some(place) = to.args.get_mut(to.last) {
                    *place = object;
                }
                self.call(scratch, to.function, to.args.get(..=to.last).unwrap_or(&[]))
            }
        };
        scratch.release(mark);
        value
    }

    /// Computes an aggregate, or takes its result from the call cache.
    pub(super) fn aggregate(
        &self,
        scratch: &mut Scratch,
        optimized: &OptimizedFunction,
        aggregate: &Aggregate,
        registers: &Registers,
    ) -> i64 {
        let Some(cache_key) =
            aggregate.cache_key.as_ref().filter(|cache_key| self.can_cache(scratch, cache_key.queries_legality))
        else {
            return self.compute_aggregate(scratch, optimized, aggregate, registers);
        };
        let key = CallKey::of_aggregate(cache_key.number, cache_key.reads.iter().map(|reg| registers.get(*reg)));
        if let Some((value, fuel)) = scratch.calls.get(self.derived, key, cache_key.dependencies) {
            debug_assert_eq!(
                scratch.recompute_for_check(|scratch| self.compute_aggregate(scratch, optimized, aggregate, registers)),
                (value, fuel),
                "{aggregate:?}"
            );
            return scratch.charge_cached(fuel, value);
        }
        let before = scratch.fuel;
        let value = self.compute_aggregate(scratch, optimized, aggregate, registers);
        if scratch.fuel <= scratch.limit {
            scratch.calls.insert(self.derived, key, value, scratch.fuel - before);
        }
        value
    }

    fn compute_aggregate(
        &self,
        scratch: &mut Scratch,
        optimized: &OptimizedFunction,
        aggregate: &Aggregate,
        registers: &Registers,
    ) -> i64 {
        let mut values = [0; MAX_CAPTURES];
        let mut first = aggregate
            .filters
            .first()
            .map(|(filter, captures)| self.bind(scratch, *filter, gather_operands(optimized, *captures, registers, &mut values)));
        let more = aggregate.filters.get(1..).unwrap_or(&[]);
        let mut more: Vec<BoundFunction<'_>> = more
            .iter()
            .map(|(filter, captures)| self.bind(scratch, *filter, gather_operands(optimized, *captures, registers, &mut values)))
            .collect();
        let mut of = match aggregate.kind {
            AggregateKind::Count => None,
            AggregateKind::Fold(how, value, captures) => {
                Some((how, self.bind(scratch, value, gather_operands(optimized, captures, registers, &mut values))))
            }
        };
        let mut total: Option<i64> = None;
        let mut visit_zone = |scratch: &mut Scratch, zone: usize| {
            for items in self.state.zone_items(self.program, zone).chunks(LANES) {
                if scratch.fuel > scratch.limit {
                    return;
                }
                let mut objects = [0; LANES];
                objects.iter_mut().zip(items).for_each(|(object, item)| *object = *item as i32);
                let mut count = items.len();
                for filter in first.iter_mut().chain(&mut more) {
                    count = self.retain_lanes(scratch, filter, objects.get_mut(..count).unwrap_or(&mut []));
                }
                let Some((how, of)) = &mut of else {
                    total = Some(total.unwrap_or(0).saturating_add(count as i64));
                    continue;
                };
                let mut values = [0; LANES];
                self.apply_to_all(scratch, of, objects.get(..count).unwrap_or(&[]), &mut values);
                for value in values.iter().take(count) {
                    total = Some(fold(*how, total, *value));
                }
            }
        };
        match aggregate.source {
            ListSource::Kind(kind) => self.instances_of(kind).for_each(|zone| visit_zone(scratch, zone)),
            ListSource::Zone(zone) => {
                if let Ok(zone) = usize::try_from(registers.get(zone)) {
                    visit_zone(scratch, zone);
                }
            }
        }
        total.unwrap_or(0)
    }

    /// Returns the instances of a zone kind, of all players in turn order.
    pub(crate) fn instances_of(&self, kind: usize) -> impl Iterator<Item = usize> + use<'p> {
        let each = self.program.library.zones.get(kind).is_some_and(|zone| zone.each_player);
        let program = self.program;
        self.seats().take(if each { usize::MAX } else { 1 }).filter_map(move |seat| program.zone_instance(kind, seat))
    }
}
