//! Lists that are only counted or summed are never made: their objects are looked at where they lie.

use super::run::given;
use super::vectorized::LANES;
use super::{CallKey, LocalReg, Operands, OptimizedFunction, Registers};
use crate::ir::FnId;
use crate::ir::op::FoldKind;
use crate::vm::dependencies::DepSet;
use crate::vm::eval::{EvalContext, MAX_DEPTH, Scratch, fold};

/// At most so many values are captured.
pub(crate) const MOST_CAPTURES: usize = 23;

/// A list of objects, and what is wanted of it.
#[derive(Clone, Debug)]
pub(super) struct Aggregate {
    pub from: ListSource,
    /// Filters, one after another, with what they capture.
    pub filters: Box<[(FnId, Operands)]>,
    pub want: AggregateKind,
    /// How it is remembered.
    pub kept: Option<AggregateCacheKey>,
}

/// How a tally is remembered: many cards of a hand ask for the same.
#[derive(Clone, Debug)]
pub(super) struct AggregateCacheKey {
    /// Its number, like no other's.
    pub number: u32,
    /// The registers that it depends on.
    pub reads: Box<[LocalReg]>,
    /// Whether it asks what is possible.
    pub possible: bool,
    /// What it looks at.
    pub parts: DepSet,
}

/// Where the objects lie.
#[derive(Clone, Copy, Debug)]
pub(super) enum ListSource {
    /// In a zone kind, of all players in turn order.
    Kind(usize),
    /// In the zone instance that a register says.
    Zone(LocalReg),
}

/// What is wanted of the list.
#[derive(Clone, Copy, Debug)]
pub(super) enum AggregateKind {
    /// How many there are.
    Count,
    /// A sum, or the highest or lowest value.
    Fold(FoldKind, FnId, Operands),
}

/// A function that is called with one object after another.
pub(crate) struct BoundFunction<'p> {
    pub(super) function: FnId,
    pub(super) plain: Option<(&'p OptimizedFunction, Registers)>,
    pub(super) args: [i64; MOST_CAPTURES + 1],
    /// Where the object stands among the arguments.
    pub(super) last: usize,
}

impl<'p> EvalContext<'p> {
    /// A function that is called with `captures` and then an object.
    pub(crate) fn applied(&self, scratch: &Scratch, function: FnId, captures: &[i64]) -> BoundFunction<'p> {
        let last = captures.len().min(MOST_CAPTURES);
        let mut args = [0; MOST_CAPTURES + 1];
        args.iter_mut().zip(captures).take(last).for_each(|(place, value)| *place = *value);
        let plain = self.program.function(function).filter(|_| scratch.depth <= MAX_DEPTH && !scratch.reference_mode);
        #[cfg(feature = "jit")]
        let plain = plain.filter(|_| !self.program.jit.has(function));
        let plain =
            plain.and_then(|code| self.program.optimized.get(self.program, function, code)).filter(|plain| last < plain.params);
        BoundFunction { function, plain: plain.map(|plain| (plain, plain.begin(&args))), args, last }
    }

    /// What the function gives for an object; frees the lists it made.
    #[inline]
    pub(crate) fn apply(&self, scratch: &mut Scratch, to: &mut BoundFunction<'p>, object: i64) -> i64 {
        let mark = scratch.mark();
        let value = match &mut to.plain {
            Some((plain, registers)) => {
                registers.set(to.last as LocalReg, object);
                #[cfg(feature = "jit")]
                let before = scratch.fuel;
                scratch.depth += 1;
                let value = self.run_registers(scratch, plain, registers);
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

    pub(super) fn tally(
        &self,
        scratch: &mut Scratch,
        plain: &OptimizedFunction,
        tally: &Aggregate,
        registers: &Registers,
    ) -> i64 {
        let Some(kept) = tally.kept.as_ref().filter(|kept| self.remembers(scratch, kept.possible)) else {
            return self.compute_aggregate(scratch, plain, tally, registers);
        };
        let key = CallKey::of_tally(kept.number, kept.reads.iter().map(|reg| registers.get(*reg)));
        if let Some((value, fuel)) = scratch.memo.get(self.derived, key, kept.parts) {
            debug_assert_eq!(
                scratch.recompute_for_check(|scratch| self.compute_aggregate(scratch, plain, tally, registers)),
                (value, fuel),
                "{tally:?}"
            );
            return scratch.charge_cached(fuel, value);
        }
        let before = scratch.fuel;
        let value = self.compute_aggregate(scratch, plain, tally, registers);
        if scratch.fuel <= scratch.limit {
            scratch.memo.insert(self.derived, key, value, scratch.fuel - before);
        }
        value
    }

    fn compute_aggregate(
        &self,
        scratch: &mut Scratch,
        plain: &OptimizedFunction,
        tally: &Aggregate,
        registers: &Registers,
    ) -> i64 {
        let mut values = [0; MOST_CAPTURES];
        let mut first = tally
            .filters
            .first()
            .map(|(filter, captures)| self.applied(scratch, *filter, given(plain, *captures, registers, &mut values)));
        let more = tally.filters.get(1..).unwrap_or(&[]);
        let mut more: Vec<BoundFunction<'_>> = more
            .iter()
            .map(|(filter, captures)| self.applied(scratch, *filter, given(plain, *captures, registers, &mut values)))
            .collect();
        let mut of = match tally.want {
            AggregateKind::Count => None,
            AggregateKind::Fold(how, value, captures) => {
                Some((how, self.applied(scratch, value, given(plain, captures, registers, &mut values))))
            }
        };
        let mut total: Option<i64> = None;
        let mut look = |scratch: &mut Scratch, zone: usize| {
            for items in self.state.zone_items(self.program, zone).chunks(LANES) {
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
        match tally.from {
            ListSource::Kind(kind) => self.instances_of(kind).for_each(|zone| look(scratch, zone)),
            ListSource::Zone(zone) => {
                if let Ok(zone) = usize::try_from(registers.get(zone)) {
                    look(scratch, zone);
                }
            }
        }
        total.unwrap_or(0)
    }

    /// The instances of a zone kind, of all players in turn order.
    pub(crate) fn instances_of(&self, kind: usize) -> impl Iterator<Item = usize> + use<'p> {
        let each = self.program.library.zones.get(kind).is_some_and(|zone| zone.each_player);
        let program = self.program;
        self.seats().take(if each { usize::MAX } else { 1 }).filter_map(move |seat| program.instance(kind, seat))
    }
}
