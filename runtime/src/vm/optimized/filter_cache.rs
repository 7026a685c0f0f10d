//! Cache of filter results per object.
//!
//! Key: a filter and its captured values; below it, one result per object slot. 128 filters, 4-way associative, the oldest is
//! evicted. Only filters that read no object but their subject are cached. A change of a subject invalidates its own result. A
//! change of an external dependency invalidates the whole filter. So a state rule that goes over sixty permanents evaluates its
//! filter for those that changed. Trivial filters (two instructions) and small runs (fewer than 40 instructions in total) are
//! evaluated directly: that is faster than a lookup. A hit charges the recorded fuel. A miss evaluates the filter for the missing
//! objects together. Debug builds recompute every hit and compare result and fuel.

use super::aggregate::BoundFunction;
use super::read_set::{MAX_ANALYSED_DEPTH, ReadSet};
use super::vectorized::LANES;
use super::{LocalReg, OptimizedFunction, Registers, bit};
use crate::ir::FnId;
use crate::program::Program;
use crate::state::ObjectRef;
use crate::vm::eval::{EvalContext, MAX_CALL_DEPTH, Scratch};

/// Filters in the cache, each with its captured values.
const MAX_FILTERS: usize = 128;
/// Places where a filter may be stored.
const WAYS: usize = 4;
/// A filter that reads more captured values is not cached.
const MAX_KEY_CAPTURES: usize = 4;
/// For fewer instructions, those of all objects together, direct evaluation is faster than a lookup.
const MIN_INSTRUCTIONS: usize = 40;
/// A flat filter of at most this many instructions is evaluated faster than it is looked up.
const MAX_TRIVIAL_INSTRUCTIONS: usize = 2;

/// The cache. Not part of the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct FilterCache(Vec<FilterEntry>);

/// A filter with its captured values, and its results.
#[derive(Clone, Debug, Default)]
struct FilterEntry {
    function: FnId,
    captures: [i64; MAX_KEY_CAPTURES],
    /// The revision at which the external dependencies were last checked. Results may be stale only for objects that changed.
    revision: u64,
    /// The result for the object in each slot.
    results: Vec<FilterResult>,
}

/// The result of a filter for an object.
#[derive(Clone, Copy, Debug, Default)]
struct FilterResult {
    object: u32,
    /// The fuel, shifted left by one; the lowest bit is the result.
    packed_fuel: u32,
    /// The revision at which the result was computed
    /// ([`DerivedValues::revisions`](crate::vm::derived::DerivedValues::revisions)).
    revision: u64,
}

impl FilterResult {
    fn keeps(self) -> bool {
        self.packed_fuel & 1 != 0
    }

    fn fuel(self) -> u64 {
        u64::from(self.packed_fuel >> 1)
    }
}

impl FilterEntry {
    /// Returns the result for an object if it is cached and the object has not changed since.
    #[inline]
    fn get(&self, world: &EvalContext<'_>, object: ObjectRef, reads: &ReadSet) -> Option<FilterResult> {
        let result = self.results.get(object.slot()).filter(|result| result.object == object.0 && !object.is_none())?;
        reads.object_unchanged_since(world.derived, object.slot(), result.revision).then_some(*result)
    }

    /// Stores the result for an object if the object exists.
    fn insert(&mut self, world: &EvalContext<'_>, object: ObjectRef, keeps: bool, fuel: u64) {
        let Some(cost) = u32::try_from(fuel << 1).ok().filter(|_| world.state.exists(object)) else { return };
        if self.results.len() <= object.slot() {
            self.results.resize(world.state.slots(), FilterResult::default());
        }
        if let Some(result) = self.results.get_mut(object.slot()) {
            *result = FilterResult { object: object.0, packed_fuel: cost | u32::from(keeps), revision: self.revision };
        }
    }
}

impl OptimizedFunction {
    fn is_trivial(&self) -> bool {
        self.is_flat && self.code.len() <= MAX_TRIVIAL_INSTRUCTIONS
    }

    /// Returns what the function reads as a filter whose subject is its last argument. Returns `None` if that cannot be bounded,
    /// if it reads other objects, or if it reads announcements.
    fn filter_read_set(&self, program: &Program, function: FnId) -> Option<ReadSet> {
        *self.read_set_as_filter.get_or_init(|| {
            let last = bit(self.params.checked_sub(1)? as LocalReg);
            (self.reference_params & last != 0).then_some(())?;
            ReadSet::of(program, function, last).filter(|reads| !reads.reads_announcement)
        })
    }

    /// Returns the captured values that a filter reads, or `None` if the filter is not cached because of them.
    fn key_captures(&self, registers: &Registers) -> Option<[i64; MAX_KEY_CAPTURES]> {
        let mut captured = [0; MAX_KEY_CAPTURES];
        let mut places = captured.iter_mut();
        for reg in (0..self.params.saturating_sub(1) as LocalReg).filter(|reg| self.read_registers & bit(*reg) != 0) {
            // Each captured object other than `this` would be one more filter in the cache.
            (reg == 0 || self.reference_params & bit(reg) == 0).then_some(())?;
            *places.next()? = registers.get(reg);
        }
        Some(captured)
    }
}

impl FilterCache {
    /// Takes a filter out of the cache and returns its place. A filter that is not cached gets the place of the oldest one,
    /// without results.
    fn take(
        &mut self,
        world: &EvalContext<'_>,
        function: FnId,
        captured: [i64; MAX_KEY_CAPTURES],
        reads: &ReadSet,
    ) -> (usize, FilterEntry) {
        if self.0.is_empty() {
            self.0.resize(MAX_FILTERS, FilterEntry::default());
        }
        let mix = |all: u64, word: &i64| (all ^ *word as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let first = (captured.iter().fold(mix(0, &i64::from(function.0)), mix) >> 32) as usize % MAX_FILTERS;
        let places = || (first..first + WAYS).map(|place| place % MAX_FILTERS);
        let is = |place: &usize| self.0.get(*place).is_some_and(|it| it.function == function && it.captures == captured);
        let eldest = || places().min_by_key(|place| self.0.get(*place).map_or(0, |it| it.revision));
        let place = places().find(is).or_else(eldest).unwrap_or(0);
        let mut entry = self.0.get_mut(place).map(std::mem::take).unwrap_or_default();
        let changes = world.derived.revisions();
        if entry.function != function || entry.captures != captured || !changes.unchanged_since(entry.revision, reads.external())
        {
            entry.results.clear();
            (entry.function, entry.captures) = (function, captured);
        }
        entry.revision = changes.current();
        (place, entry)
    }

    fn put_back(&mut self, place: usize, entry: FilterEntry) {
        if let Some(there) = self.0.get_mut(place) {
            *there = entry;
        }
    }
}

impl Scratch {
    /// Returns whether filter results can be cached now. The distance to the call depth limit must be large enough that depth
    /// cannot affect a result.
    fn can_cache_filters(&self) -> bool {
        self.depth + 2 * MAX_ANALYSED_DEPTH < MAX_CALL_DEPTH && !self.is_hypothetical()
    }
}

impl<'p> EvalContext<'p> {
    /// As [`EvalContext::retain_lanes`], for a filter that can be cached. Returns `None` for any other.
    pub(super) fn retain_cached(
        &self,
        scratch: &mut Scratch,
        filter: &mut BoundFunction<'p>,
        objects: &mut [i32],
    ) -> Option<usize> {
        let (optimized, _) = filter.optimized.as_ref()?;
        (!optimized.is_trivial() && objects.len() * optimized.code.len() >= MIN_INSTRUCTIONS && scratch.can_cache_filters())
            .then_some(())?;
        let (place, mut entry, reads) = self.take_filter_entry(scratch, filter)?;
        let (mut kept, mut unknown) = (0u64, 0u64);
        for (n, object) in objects.iter().enumerate() {
            match entry.get(self, ObjectRef::from_value(i64::from(*object)), &reads) {
                Some(result) => {
                    debug_assert_eq!(
                        scratch.recompute_for_check(|scratch| self.apply(scratch, filter, i64::from(*object)) != 0),
                        (result.keeps(), result.fuel()),
                        "{:?} of {object}",
                        filter.function
                    );
                    kept |= u64::from(result.keeps()) << n;
                    scratch.fuel = scratch.fuel.saturating_add(result.fuel());
                }
                None => unknown |= 1 << n,
            }
        }
        if unknown != 0 {
            kept |= self.evaluate_missing(scratch, filter, objects, unknown, &mut entry);
        }
        scratch.filters.put_back(place, entry);
        // The caller ends the game.
        if scratch.fuel > scratch.limit {
            return Some(0);
        }
        let mut count = 0;
        while kept != 0 {
            objects.swap(count, kept.trailing_zeros() as usize);
            kept &= kept - 1;
            count += 1;
        }
        Some(count)
    }

    /// Takes the entry of a filter out of the cache. Returns its place, the entry, and the filter's read set; `None` if the
    /// filter cannot be cached.
    fn take_filter_entry(&self, scratch: &mut Scratch, filter: &BoundFunction<'p>) -> Option<(usize, FilterEntry, ReadSet)> {
        let (optimized, registers) = filter.optimized.as_ref().filter(|(optimized, _)| filter.last + 1 == optimized.params)?;
        let reads = optimized
            .filter_read_set(self.program, filter.function)
            .filter(|reads| !reads.queries_legality || !self.derived.forbids())?;
        let captured = optimized.key_captures(registers)?;
        let (place, entry) = scratch.filters.take(self, filter.function, captured, &reads);
        Some((place, entry, reads))
    }

    /// Returns whether the results for all these objects are cached.
    #[cfg(test)]
    pub(super) fn has_cached_all(&self, scratch: &mut Scratch, filter: &BoundFunction<'p>, objects: &[i32]) -> bool {
        let Some((place, entry, reads)) = self.take_filter_entry(scratch, filter) else { return false };
        let knows = objects.iter().all(|object| entry.get(self, ObjectRef::from_value(i64::from(*object)), &reads).is_some());
        scratch.filters.put_back(place, entry);
        knows
    }

    /// Evaluates a filter for the objects of the mask `unknown` and stores the results. Returns a mask of the objects that the
    /// filter keeps.
    #[inline(never)]
    fn evaluate_missing(
        &self,
        scratch: &mut Scratch,
        filter: &mut BoundFunction<'p>,
        objects: &[i32],
        unknown: u64,
        entry: &mut FilterEntry,
    ) -> u64 {
        let (mut missing, mut places) = ([0; LANES], [0; LANES]);
        let mut count = 0;
        for (n, object) in objects.iter().enumerate().filter(|(n, _)| unknown >> n & 1 != 0) {
            if let (Some(next), Some(place)) = (missing.get_mut(count), places.get_mut(count)) {
                (*next, *place) = (*object, n);
                count += 1;
            }
        }
        let missing = missing.get(..count).unwrap_or(&[]);
        let (mut values, mut fuel) = ([0; LANES], [0; LANES]);
        self.apply_with_fuel(scratch, filter, missing, (&mut values, &mut fuel));
        if scratch.fuel > scratch.limit {
            return 0;
        }
        let mut kept = 0;
        for (((object, place), value), fuel) in missing.iter().zip(&places).zip(&values).zip(&fuel) {
            kept |= u64::from(*value != 0) << place;
            entry.insert(self, ObjectRef::from_value(i64::from(*object)), *value != 0, *fuel);
        }
        kept
    }
}
