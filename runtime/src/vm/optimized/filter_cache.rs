//! Cache of filter results per object.
//!
//! Key: a filter and its captured values; below it, one result per object slot. 128 filters, 4-way associative, the oldest is
//! evicted. Only filters that read no object but their subject are cached. A change of a subject invalidates its own result. A
//! change of an external dependency invalidates the whole filter. So a state rule that goes over sixty permanents evaluates its
//! filter for those that changed. Trivial filters (two instructions) and small runs (fewer than 40 instructions in total) are
//! evaluated directly: that is faster than a lookup. A hit charges the recorded fuel. A miss evaluates the filter for the missing
//! objects together. Debug builds recompute every hit and compare result and fuel.

use super::read_set::ReadSet;
use crate::ir::FnId;
use crate::ir::ObjectRef;
use crate::state::State;
use crate::tables::LinkedTables;
use crate::vm::derived::values::DerivedValues;
use crate::vm::optimized::code::{LocalReg, OptimizedFunction, Registers, bit};

/// Filters in the cache, each with its captured values.
pub(crate) const MAX_FILTERS: usize = 128;
/// Places where a filter may be stored.
pub(crate) const WAYS: usize = 4;
/// A filter that reads more captured values is not cached.
pub(crate) const MAX_KEY_CAPTURES: usize = 4;
/// For fewer instructions, those of all objects together, direct evaluation is faster than a lookup.
pub(crate) const MIN_INSTRUCTIONS: usize = 40;
/// A flat filter of at most this many instructions is evaluated faster than it is looked up.
pub(crate) const MAX_TRIVIAL_INSTRUCTIONS: usize = 2;

/// The cache. Not part of the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct FilterCache(pub(crate) Vec<FilterEntry>);

/// A filter with its captured values, and its results.
#[derive(Clone, Debug, Default)]
pub(crate) struct FilterEntry {
    pub(crate) function: FnId,
    pub(crate) captures: [i64; MAX_KEY_CAPTURES],
    /// The revision at which the external dependencies were last checked. Results may be stale only for objects that changed.
    pub(crate) revision: u64,
    /// The result for the object in each slot.
    pub(crate) results: Vec<FilterResult>,
}

/// The result of a filter for an object.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct FilterResult {
    pub(crate) object: u32,
    /// The fuel, shifted left by one; the lowest bit is the result.
    pub(crate) packed_fuel: u32,
    /// The revision at which the result was computed
    /// ([`DerivedValues::revisions`](crate::vm::derived::values::DerivedValues::revisions)).
    pub(crate) revision: u64,
}

impl FilterResult {
    pub(crate) fn keeps(self) -> bool {
        self.packed_fuel & 1 != 0
    }

    pub(crate) fn fuel(self) -> u64 {
        u64::from(self.packed_fuel >> 1)
    }
}

impl FilterEntry {
    /// Returns the result for an object if it is cached and the object has not changed since.
    #[inline]
    pub(crate) fn get(&self, derived: &DerivedValues, object: ObjectRef, reads: &ReadSet) -> Option<FilterResult> {
        let result = self.results.get(object.slot()).filter(|result| result.object == object.0 && !object.is_none())?;
        reads.object_unchanged_since(derived, object.slot(), result.revision).then_some(*result)
    }

    /// Stores the result for an object if the object exists.
    pub(crate) fn insert(&mut self, state: &State, object: ObjectRef, keeps: bool, fuel: u64) {
        let Some(cost) = u32::try_from(fuel << 1).ok().filter(|_| state.exists(object)) else { return };
        if self.results.len() <= object.slot() {
            self.results.resize(state.slots(), FilterResult::default());
        }
        if let Some(result) = self.results.get_mut(object.slot()) {
            *result = FilterResult { object: object.0, packed_fuel: cost | u32::from(keeps), revision: self.revision };
        }
    }
}

impl OptimizedFunction {
    pub(crate) fn is_trivial(&self) -> bool {
        self.is_flat && self.code.len() <= MAX_TRIVIAL_INSTRUCTIONS
    }

    /// Returns what the function reads as a filter whose subject is its last argument. Returns `None` if that cannot be bounded,
    /// if it reads other objects, or if it reads announcements.
    pub(crate) fn filter_read_set(&self, program: &LinkedTables, function: FnId) -> Option<ReadSet> {
        *self.read_set_as_filter.get_or_init(|| {
            let last = bit(self.params.checked_sub(1)? as LocalReg);
            (self.reference_params & last != 0).then_some(())?;
            ReadSet::of(program, function, last).filter(|reads| !reads.reads_announcement)
        })
    }

    /// Returns the captured values that a filter reads, or `None` if the filter is not cached because of them.
    pub(crate) fn key_captures(&self, registers: &Registers) -> Option<[i64; MAX_KEY_CAPTURES]> {
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
    pub(crate) fn take(
        &mut self,
        derived: &DerivedValues,
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
        let changes = derived.revisions();
        if entry.function != function || entry.captures != captured || !changes.unchanged_since(entry.revision, reads.external())
        {
            entry.results.clear();
            (entry.function, entry.captures) = (function, captured);
        }
        entry.revision = changes.current();
        (place, entry)
    }

    pub(crate) fn put_back(&mut self, place: usize, entry: FilterEntry) {
        if let Some(there) = self.0.get_mut(place) {
            *there = entry;
        }
    }
}
