//! The memory of evaluations: registers and lists while something is evaluated, and what is remembered of it. No part of a state.

use super::batch::{Event, Segment};
use super::cost_cache::CostCache;
use super::decision::Choice;
use super::derived::{DerivedValues, LayerEffect};
use super::optimized::{CallCache, FilterCache, LaneRegisters};
use super::playable_cache::PlayableCache;
use super::refusal_cache::RefusalCache;
use crate::state::{ObjectRef, State};
use std::sync::{Mutex, PoisonError};

/// Registers and lists of evaluations in progress, and what was found out. Not part of the state; the former are empty between steps.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// A stack of register windows.
    pub registers: Vec<i64>,
    lists: Vec<Vec<i32>>,
    used: usize,
    /// Calls in progress.
    pub(crate) depth: u32,
    /// What would be announced, while it is asked whether that can be paid.
    pub(crate) supposed: Option<HypotheticalAnnouncement>,
    /// Nothing is seen through now: values after continuous effects are computed, or something is seen through already.
    pub(crate) in_unconcealed_call: bool,
    /// What calls gave.
    pub(crate) memo: CallCache,
    /// What filters said of objects.
    pub(crate) verdicts: FilterCache,
    /// Registers of runs over many objects.
    pub(crate) columns: Vec<LaneRegisters>,
    /// What a commit looks at.
    pub(crate) segment: Segment,
    /// What a player may play from where.
    pub(crate) playable: PlayableCache,
    /// What a player may choose among.
    pub(crate) options: Vec<Choice>,
    /// The state, and what was computed from it, while it is tried what something will be where it enters.
    pub(crate) before: Box<(State, DerivedValues)>,
    /// Continuous effects that are to be applied.
    pub(crate) effects: Vec<LayerEffect>,
    /// What a statement proposes.
    pub(crate) proposals: Vec<Event>,
    /// Words on their way.
    pub(crate) words: Vec<u32>,
    /// How often something had changed when each player last looked at what is concealed ([`DerivedValues::revisions`]).
    pub(crate) last_looked_at: Vec<Option<u64>>,
    /// What was asked about what may be used.
    pub(crate) costs: CostCache,
    /// What each moment refuses.
    pub(crate) refusals: RefusalCache,
    /// How often something had changed in its game when it was left.
    pub(crate) changes: u64,
    /// Whether another game uses it after this one.
    pub(crate) returns_to_pool: bool,
    /// Who could only pass is not asked now.
    pub(crate) passing: bool,
    /// Who passed unasked.
    pub(crate) passed: Vec<usize>,
    /// Everything is evaluated operation by operation. For tests.
    pub(crate) reference_mode: bool,
    /// Operations executed since it was last cleared.
    pub fuel: u64,
    /// Pure code stops when `fuel` passes this; whoever called it then ends the game.
    pub limit: u64,
}

/// An announcement that is only thought of.
#[derive(Clone, Debug)]
pub(crate) struct HypotheticalAnnouncement {
    /// What would be used.
    pub object: ObjectRef,
    /// By whom.
    pub user: usize,
    /// With which options: ability, how often.
    pub chosen: Vec<(u32, u32)>,
}

impl Scratch {
    /// Empty, for code that may execute so many operations.
    #[must_use]
    pub fn new(limit: u64) -> Self {
        Self { limit, ..Self::default() }
    }

    /// As for a new game: nothing is in progress. What was found out stays; it holds no longer where something has changed since, and the
    /// new game counts its changes on from those of the last.
    pub(crate) fn begin(&mut self, limit: u64) {
        self.registers.clear();
        (self.used, self.depth, self.supposed) = (0, 0, None);
        (self.in_unconcealed_call, self.reference_mode, self.passing) = (false, false, false);
        self.passed.clear();
        (self.fuel, self.limit) = (0, limit);
    }

    /// For what debug builds check: what something that was remembered gives as it is computed again, and what fuel it takes; none is used.
    pub(crate) fn recompute_for_check<T>(&mut self, compute: impl FnOnce(&mut Self) -> T) -> (T, u64) {
        let aside = self.suspend_fuel();
        let value = compute(self);
        (value, self.restore_fuel(aside))
    }

    /// From now on fuel is without end. Returns what there was: used, and the limit.
    pub(crate) fn suspend_fuel(&mut self) -> (u64, u64) {
        (self.fuel, std::mem::replace(&mut self.limit, u64::MAX))
    }

    /// Fuel is as it was set aside. Returns what was used meanwhile.
    pub(crate) fn restore_fuel(&mut self, (used, limit): (u64, u64)) -> u64 {
        self.limit = limit;
        std::mem::replace(&mut self.fuel, used) - used
    }

    /// A value that is remembered, with the fuel that it takes: nothing, as when it is computed, where that is too much.
    pub(crate) fn charge_cached(&mut self, fuel: u64, value: i64) -> i64 {
        self.fuel = self.fuel.saturating_add(fuel);
        if self.fuel > self.limit { 0 } else { value }
    }

    /// A new empty list; its handle.
    pub fn new_list(&mut self) -> i64 {
        if self.used == self.lists.len() {
            self.lists.push(Vec::new());
        }
        if let Some(list) = self.lists.get_mut(self.used) {
            list.clear();
        }
        self.used += 1;
        self.used as i64
    }

    /// A new list with items.
    pub fn make_list(&mut self, items: impl IntoIterator<Item = i32>) -> i64 {
        let handle = self.new_list();
        if let Some(list) = self.lists.get_mut(self.used - 1) {
            list.extend(items);
        }
        handle
    }

    /// The items of a list. Handle 0 is the empty list, as is the handle of one that was given back.
    #[must_use]
    pub fn list(&self, handle: i64) -> &[i32] {
        self.in_use(handle).and_then(|at| self.lists.get(at)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn list_mut(&mut self, handle: i64) -> Option<&mut Vec<i32>> {
        self.in_use(handle).and_then(|at| self.lists.get_mut(at))
    }

    fn in_use(&self, handle: i64) -> Option<usize> {
        usize::try_from(handle).ok()?.checked_sub(1).filter(|at| *at < self.used)
    }

    /// Remembers how many lists are in use.
    #[must_use]
    pub fn mark(&self) -> usize {
        self.used
    }

    /// Gives all lists made since the mark back.
    pub fn release(&mut self, mark: usize) {
        self.used = mark;
    }

    /// Gives all lists made since the mark back but one, whose handle may change.
    pub(crate) fn release_all_but(&mut self, mark: usize, handle: i64) -> i64 {
        let kept = self.in_use(handle).filter(|at| *at >= mark);
        self.used = mark + usize::from(kept.is_some());
        let Some(at) = kept else { return handle };
        self.lists.swap(mark, at);
        self.used as i64
    }
}

/// Memories that games of a program left behind, for its next games: what a moment refuses is the same in all of them.
#[derive(Debug, Default)]
pub(crate) struct ScratchPool(Mutex<Vec<Scratch>>);

impl ScratchPool {
    /// So many are kept: games that one thread plays at a time.
    const MOST: usize = 4;

    /// A memory that was left, or an empty one.
    pub(crate) fn take(&self) -> Scratch {
        let left = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Scratch { returns_to_pool: true, ..left.unwrap_or_default() }
    }

    /// Leaves the memory of a game in which something has changed so often, if it was taken here: copies of a game find out little.
    pub(crate) fn leave(&self, scratch: &mut Scratch, changes: u64) {
        if !scratch.returns_to_pool {
            return;
        }
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if left.len() < Self::MOST {
            left.push(Scratch { changes, ..std::mem::take(scratch) });
        }
    }
}

impl Clone for ScratchPool {
    fn clone(&self) -> Self {
        Self::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing;

    #[test]
    fn lists_that_were_given_back_are_empty() {
        let mut scratch = Scratch::new(10);
        let (kept, mark) = (scratch.make_list([1, 2]), scratch.mark());
        let given_back = scratch.make_list([3]);
        let second = scratch.make_list([4, 5]);
        let result = scratch.release_all_but(mark, second);
        assert_eq!((scratch.list(kept), scratch.list(result), scratch.mark()), (&[1, 2][..], &[4, 5][..], mark + 1));
        assert_eq!(scratch.release_all_but(mark, kept), kept);
        assert_eq!((scratch.list(kept), scratch.list(given_back), scratch.list(second)), (&[1, 2][..], &[][..], &[][..]));
        let nothing: [&[i32]; 4] = [0, -1, i64::MIN, i64::MAX].map(|handle| scratch.list(handle));
        assert!(nothing.iter().all(|list| list.is_empty()));
    }

    #[test]
    fn what_is_remembered_takes_its_fuel() {
        let mut scratch = Scratch::new(10);
        assert_eq!([scratch.charge_cached(4, 7), scratch.charge_cached(6, 8), scratch.charge_cached(1, 9)], [7, 8, 0]);
    }

    #[test]
    fn only_what_a_game_began_with_is_passed_on() {
        let program = testing::program();
        let machine = crate::vm::Machine::new(std::sync::Arc::clone(&program), 1);
        let left = || program.scratch_pool.0.lock().map_or(0, |left| left.len());
        drop(machine.clone());
        assert_eq!(left(), 0);
        drop(machine);
        assert_eq!(left(), 1);
    }
}
