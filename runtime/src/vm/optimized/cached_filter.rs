//! Runs filters through the [`FilterCache`](super::filter_cache::FilterCache).

use super::aggregate::BoundFunction;
use super::filter_cache::{FilterEntry, MIN_INSTRUCTIONS};
use super::lanes::LANES;
use super::read_set::{MAX_ANALYSED_DEPTH, ReadSet};
use crate::ir::ObjectRef;
use crate::vm::eval_context::{EvalContext, MAX_CALL_DEPTH};
use crate::vm::scratch::Scratch;

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
            match entry.get(self.derived, ObjectRef::from_value(i64::from(*object)), &reads) {
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
        let (place, entry) = scratch.filters.take(self.derived, filter.function, captured, &reads);
        Some((place, entry, reads))
    }

    /// Returns whether the results for all these objects are cached.
    #[cfg(test)]
    pub(super) fn has_cached_all(&self, scratch: &mut Scratch, filter: &BoundFunction<'p>, objects: &[i32]) -> bool {
        let Some((place, entry, reads)) = self.take_filter_entry(scratch, filter) else { return false };
        let knows =
            objects.iter().all(|object| entry.get(self.derived, ObjectRef::from_value(i64::from(*object)), &reads).is_some());
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
            entry.insert(self.state, ObjectRef::from_value(i64::from(*object)), *value != 0, *fuel);
        }
        kept
    }
}
