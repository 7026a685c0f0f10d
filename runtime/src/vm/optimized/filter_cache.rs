//! What filters said of objects, remembered object by object. A filter that looks at no object but the one that it is asked about says the
//! same of it until that one changes, or something else that it looks at does: of sixty permanents that a state rule looks through, those
//! are asked about again that something happened to.
//!
//! What that gives, and what fuel it takes, is what asking about each object gives and takes.

use super::aggregate::BoundFunction;
use super::read_set::{DEPTH, ReadSet};
use super::vectorized::LANES;
use super::{LocalReg, OptimizedFunction, Registers, bit};
use crate::ir::FnId;
use crate::program::Program;
use crate::state::ObjectRef;
use crate::vm::eval::{EvalContext, MAX_DEPTH, Scratch};

/// Filters that are remembered, each with what it captured.
const FILTERS: usize = 128;
/// Places where one may be remembered.
const PLACES: usize = 4;
/// A filter that reads more of what it captured is not remembered.
const CAPTURES: usize = 4;
/// For fewer instructions, those for all objects together, it takes longer to remember than to ask.
const LEAST: usize = 40;
/// Filters of so few instructions are asked sooner than looked up, if none of these runs a function.
const SIMPLE: usize = 2;

/// What filters said. No part of a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct FilterCache(Vec<FilterEntry>);

/// A filter with what it captured, and what it said.
#[derive(Clone, Debug, Default)]
struct FilterEntry {
    function: FnId,
    captured: [i64; CAPTURES],
    /// How often something had changed when it was last seen that what it said holds, but for objects that changed.
    seen_at: u64,
    /// For each slot what it said of the object there.
    said: Vec<FilterResult>,
}

/// What a filter said of an object.
#[derive(Clone, Copy, Debug, Default)]
struct FilterResult {
    object: u32,
    /// The fuel that it took, and in the lowest bit what was said.
    cost: u32,
    /// How often something had changed ([`Derived::changes`](crate::vm::derived::DerivedValues::revisions)).
    asked_at: u64,
}

impl FilterResult {
    fn keeps(self) -> bool {
        self.cost & 1 != 0
    }

    fn fuel(self) -> u64 {
        u64::from(self.cost >> 1)
    }
}

impl FilterEntry {
    /// What was said of an object, as far as it has not changed.
    #[inline]
    fn said(&self, world: &EvalContext<'_>, object: ObjectRef, looks: &ReadSet) -> Option<FilterResult> {
        let said = self.said.get(object.slot()).filter(|said| said.object == object.0 && !object.is_none())?;
        looks.object_unchanged_since(world.derived, object.slot(), said.asked_at).then_some(*said)
    }

    /// Remembers what is said of an object, if it is there.
    fn remember(&mut self, world: &EvalContext<'_>, object: ObjectRef, keeps: bool, fuel: u64) {
        let Some(cost) = u32::try_from(fuel << 1).ok().filter(|_| world.state.exists(object)) else { return };
        if self.said.len() <= object.slot() {
            self.said.resize(world.state.slots(), FilterResult::default());
        }
        if let Some(said) = self.said.get_mut(object.slot()) {
            *said = FilterResult { object: object.0, cost: cost | u32::from(keeps), asked_at: self.seen_at };
        }
    }
}

impl OptimizedFunction {
    fn is_simple(&self) -> bool {
        self.is_flat && self.code.len() <= SIMPLE
    }

    /// What a filter looks at; its last argument is the object that it is asked about. None where that cannot be told, or where it looks
    /// at other objects.
    fn looks(&self, program: &Program, function: FnId) -> Option<ReadSet> {
        *self.looks_as_filter.get_or_init(|| {
            let last = bit(self.params.checked_sub(1)? as LocalReg);
            (self.references & last != 0).then_some(())?;
            ReadSet::of(program, function, last).filter(|looks| !looks.announced)
        })
    }

    /// What a filter reads of what it captured, if that is little.
    fn captured(&self, registers: &Registers) -> Option<[i64; CAPTURES]> {
        let mut captured = [0; CAPTURES];
        let mut places = captured.iter_mut();
        for reg in (0..self.params.saturating_sub(1) as LocalReg).filter(|reg| self.used & bit(*reg) != 0) {
            // Each object besides the one whose text it is would be one more filter.
            (reg == 0 || self.references & bit(reg) == 0).then_some(())?;
            *places.next()? = registers.get(reg);
        }
        Some(captured)
    }
}

impl FilterCache {
    /// What a filter said, if it is remembered, and where.
    fn take(
        &mut self,
        world: &EvalContext<'_>,
        function: FnId,
        captured: [i64; CAPTURES],
        looks: &ReadSet,
    ) -> (usize, FilterEntry) {
        if self.0.is_empty() {
            self.0.resize(FILTERS, FilterEntry::default());
        }
        let mix = |all: u64, word: &i64| (all ^ *word as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let first = (captured.iter().fold(mix(0, &i64::from(function.0)), mix) >> 32) as usize % FILTERS;
        let places = || (first..first + PLACES).map(|place| place % FILTERS);
        let is = |place: &usize| self.0.get(*place).is_some_and(|it| it.function == function && it.captured == captured);
        let eldest = || places().min_by_key(|place| self.0.get(*place).map_or(0, |it| it.seen_at));
        let place = places().find(is).or_else(eldest).unwrap_or(0);
        let mut known = self.0.get_mut(place).map(std::mem::take).unwrap_or_default();
        let changes = world.derived.revisions();
        if known.function != function || known.captured != captured || !changes.unchanged_since(known.seen_at, looks.external()) {
            known.said.clear();
            (known.function, known.captured) = (function, captured);
        }
        known.seen_at = changes.current();
        (place, known)
    }

    fn put_back(&mut self, place: usize, known: FilterEntry) {
        if let Some(there) = self.0.get_mut(place) {
            *there = known;
        }
    }
}

impl Scratch {
    /// Whether what filters say now can be remembered. How deep the call is must not matter.
    fn remembers_verdicts(&self) -> bool {
        self.depth + 2 * DEPTH < MAX_DEPTH && !self.is_hypothetical()
    }
}

impl<'p> EvalContext<'p> {
    /// As [`EvalContext::retain_cached`], for a filter that is remembered; nothing for any other.
    pub(super) fn retain_cached(
        &self,
        scratch: &mut Scratch,
        filter: &mut BoundFunction<'p>,
        objects: &mut [i32],
    ) -> Option<usize> {
        let (plain, _) = filter.plain.as_ref()?;
        (!plain.is_simple() && objects.len() * plain.code.len() >= LEAST && scratch.remembers_verdicts()).then_some(())?;
        let (place, mut known, looks) = self.recall(scratch, filter)?;
        let (mut kept, mut unknown) = (0u64, 0u64);
        for (n, object) in objects.iter().enumerate() {
            match known.said(self, ObjectRef::from_value(i64::from(*object)), &looks) {
                Some(said) => {
                    debug_assert_eq!(
                        scratch.recompute_for_check(|scratch| self.apply(scratch, filter, i64::from(*object)) != 0),
                        (said.keeps(), said.fuel()),
                        "{:?} of {object}",
                        filter.function
                    );
                    kept |= u64::from(said.keeps()) << n;
                    scratch.fuel = scratch.fuel.saturating_add(said.fuel());
                }
                None => unknown |= 1 << n,
            }
        }
        if unknown != 0 {
            kept |= self.keep_unknown(scratch, filter, objects, unknown, &mut known);
        }
        scratch.verdicts.put_back(place, known);
        // Whoever called this ends the game.
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

    /// What a filter said, where that stands, and what the filter looks at; nothing for one that is not remembered.
    fn recall(&self, scratch: &mut Scratch, filter: &BoundFunction<'p>) -> Option<(usize, FilterEntry, ReadSet)> {
        let (plain, registers) = filter.plain.as_ref().filter(|(plain, _)| filter.last + 1 == plain.params)?;
        let looks = plain.looks(self.program, filter.function).filter(|looks| !looks.possible || !self.derived.forbids())?;
        let captured = plain.captured(registers)?;
        let (place, known) = scratch.verdicts.take(self, filter.function, captured, &looks);
        Some((place, known, looks))
    }

    /// Whether it is remembered what a filter says of all these objects.
    #[cfg(test)]
    pub(super) fn knows_all(&self, scratch: &mut Scratch, filter: &BoundFunction<'p>, objects: &[i32]) -> bool {
        let Some((place, known, looks)) = self.recall(scratch, filter) else { return false };
        let knows = objects.iter().all(|object| known.said(self, ObjectRef::from_value(i64::from(*object)), &looks).is_some());
        scratch.verdicts.put_back(place, known);
        knows
    }

    /// Asks about some of the objects, and remembers what is said. Returns those that are kept.
    #[inline(never)]
    fn keep_unknown(
        &self,
        scratch: &mut Scratch,
        filter: &mut BoundFunction<'p>,
        objects: &[i32],
        unknown: u64,
        known: &mut FilterEntry,
    ) -> u64 {
        let (mut asked, mut places) = ([0; LANES], [0; LANES]);
        let mut count = 0;
        for (n, object) in objects.iter().enumerate().filter(|(n, _)| unknown >> n & 1 != 0) {
            if let (Some(next), Some(place)) = (asked.get_mut(count), places.get_mut(count)) {
                (*next, *place) = (*object, n);
                count += 1;
            }
        }
        let asked = asked.get(..count).unwrap_or(&[]);
        let (mut values, mut fuel) = ([0; LANES], [0; LANES]);
        self.apply_to_each(scratch, filter, asked, (&mut values, &mut fuel));
        if scratch.fuel > scratch.limit {
            return 0;
        }
        let mut kept = 0;
        for (((object, place), value), fuel) in asked.iter().zip(&places).zip(&values).zip(&fuel) {
            kept |= u64::from(*value != 0) << place;
            known.remember(self, ObjectRef::from_value(i64::from(*object)), *value != 0, *fuel);
        }
        kept
    }
}
