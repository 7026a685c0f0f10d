//! Scratch memory of evaluations: register windows, lists, and all caches. Not part of the state.
//!
//! A game takes a [`Scratch`] from the pool of its program and returns it when it is dropped or waits for long
//! ([`Machine::release_memory`](crate::vm::Machine::release_memory)); at most 4 are kept. Registers and lists are empty between steps. The
//! next game continues the revision counter of the last one, so entries that depend on the state are stale; refusals by turn position carry
//! over.

use super::decision::Choice;
use crate::ir::ObjectRef;
use crate::records::event::Event;
use crate::state::State;
use crate::vm::cache_entries::CostCache;
use crate::vm::cache_entries::HookClasses;
use crate::vm::cache_entries::PlayableCache;
use crate::vm::cache_entries::RefusalCache;
use crate::vm::cache_entries::RuleGuards;
use crate::vm::commit_segment::Segment;
use crate::vm::derived::values::{DerivedValues, LayerEffect};
use crate::vm::optimized::call_cache::CallCache;
use crate::vm::optimized::filter_cache::FilterCache;
use crate::vm::optimized::lanes::LaneRegisters;
use crate::vm::work::Work;
use std::sync::{Mutex, PoisonError};

/// Registers and lists of evaluations in progress, and caches. Not part of the state. Registers and lists are empty between
/// steps.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// A stack of register windows.
    pub registers: Vec<i64>,
    lists: Vec<Vec<i32>>,
    lists_in_use: usize,
    /// The number of calls in progress.
    pub(crate) depth: u32,
    /// The announcement that is assumed while the machine checks whether it could be paid.
    pub(crate) hypothetical: Option<HypotheticalAnnouncement>,
    /// Whether the machine is a copy that searches for a way to pay. Then it starts no further search.
    pub(crate) searches_payment: bool,
    /// For a copy that tries to pay costs: the number of its frames plus one as it began, and 0 for any other machine.
    pub(crate) tries_costs_from: usize,
    /// Whether one of the costs that a copy tries to pay cannot be paid.
    pub(crate) has_failed_cost: bool,
    /// Whether what is paid for is an ability of the object.
    pub(crate) pays_for_ability: bool,
    /// Whether calls ignore concealment already, or derived values are being computed. Then an unconcealed call is an ordinary
    /// one.
    pub(crate) in_unconcealed_call: bool,
    /// The cache of results of calls and aggregates.
    pub(crate) calls: CallCache,
    /// The cache of filter results.
    pub(crate) filters: FilterCache,
    /// Registers of vectorized runs, for reuse.
    pub(crate) lane_registers: Vec<LaneRegisters>,
    /// Memory of a commit.
    pub(crate) segment: Segment,
    /// The cache of playable objects.
    pub(crate) playable: PlayableCache,
    /// Memory for the options of a decision.
    pub(crate) options: Vec<Choice>,
    /// Memory for the state and derived values as they were, while the machine tries what an object will be in the zone that it
    /// enters.
    pub(crate) before_entering: Box<(State, DerivedValues)>,
    /// Memory for the continuous effects that are to be applied.
    pub(crate) effects: Vec<LayerEffect>,
    /// Memory for the events that a statement proposes.
    pub(crate) proposals: Vec<Event>,
    /// The objects that other events of the step move, while a function is called that takes objects from the ends of lists. Empty at all other times.
    pub(crate) moving: Vec<u32>,
    /// Memory for the words of a decision.
    pub(crate) words: Vec<u32>,
    /// For each player, the revision at which the player last looked at concealed objects ([`DerivedValues::revisions`]).
    pub(crate) last_looked_at: Vec<Option<u64>>,
    /// The cache of cost queries.
    pub(crate) costs: CostCache,
    /// The cache of refusals.
    pub(crate) refusals: RefusalCache,
    /// The guards of the state rules.
    pub(crate) rule_guards: RuleGuards,
    /// The cache of the hooks that can match events.
    pub(crate) hook_classes: HookClasses,
    /// The last revision of the game that returned this memory.
    pub(crate) revision: u64,
    /// Whether the memory returns to the pool at the end of the game.
    pub(crate) returns_to_pool: bool,
    /// Whether the game has returned its memory to the pool, and takes another one before its next answer.
    pub(crate) is_released: bool,
    /// Whether the current step passes automatically for players who have no other legal answer.
    pub(crate) auto_passes: bool,
    /// The players who were passed automatically in the current step.
    pub(crate) auto_passed: Vec<usize>,
    /// Whether reference mode is on: all shortcuts and all caches except derived values are off. For tests.
    pub(crate) reference_mode: bool,
    /// Counted work, for tests.
    pub(crate) work: Work,
    /// Operations executed since the last reset.
    pub fuel: u64,
    /// Pure code stops when `fuel` exceeds this. The caller then ends the game.
    pub limit: u64,
    /// Work on derived values since the last reset.
    derived_work: u64,
    /// Fuel and work on derived values of the earlier decisions of the game, and of conditions that scenarios test apart from it.
    earlier_work: u64,
}

/// The most work on derived values between two decisions: operations of conditions and values, changes of one object by one modification, and effects
/// in their layers. It is no fuel, since what is computed again depends on caches; a board that players fill needs a hundredth.
const MAX_DERIVED_WORK: u64 = 60_000_000;

/// Work for each object that is copied to try whether one effect depends on another. Objects and not words are counted, since the width of a row
/// depends on other loaded packs.
const WORK_PER_COPIED_OBJECT: u64 = 15;

/// The fuel and the work on derived values of a decision, set aside while other code runs that is not part of the game: an observer, or a check.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SuspendedFuel {
    /// The fuel used so far.
    pub used: u64,
    limit: u64,
    derived_work: u64,
}

/// An announcement that is assumed, to check whether it could be paid.
#[derive(Clone, Debug)]
pub(crate) struct HypotheticalAnnouncement {
    /// The object that would be used.
    pub object: ObjectRef,
    /// The player who would use it.
    pub user: usize,
    /// The chosen cost options: ability, and how often.
    pub chosen: Vec<(u32, u32)>,
}

impl Scratch {
    /// Creates an empty memory for code that may execute at most `limit` operations.
    #[must_use]
    pub fn new(limit: u64) -> Self {
        Self { limit, ..Self::default() }
    }

    /// Prepares the memory for a new game: nothing is in progress. Caches stay. Entries that depend on the state are stale,
    /// because the new game continues the revisions of the last one.
    pub(crate) fn begin(&mut self, limit: u64) {
        self.registers.clear();
        (self.lists_in_use, self.depth, self.hypothetical) = (0, 0, None);
        self.moving.clear();
        (self.in_unconcealed_call, self.reference_mode, self.auto_passes) = (false, false, false);
        (self.tries_costs_from, self.has_failed_cost) = (0, false);
        self.auto_passed.clear();
        self.reset_fuel();
        self.earlier_work = 0;
        self.limit = limit;
    }

    /// Begins a decision: no fuel is used.
    pub(crate) fn reset_fuel(&mut self) {
        self.earlier_work = self.work_of_game();
        (self.fuel, self.derived_work) = (0, 0);
    }

    /// Fuel and work on derived values since the game began. It depends on caches: for bounds of what games and scenarios cost, not for rules.
    pub(crate) fn work_of_game(&self) -> u64 {
        self.earlier_work.saturating_add(self.fuel).saturating_add(self.derived_work.min(MAX_DERIVED_WORK))
    }

    /// As [`Scratch::restore_fuel`]. What was used counts for [`Scratch::work_of_game`], but not for the decision.
    pub(crate) fn restore_and_count_fuel(&mut self, suspended: SuspendedFuel) {
        let derived_work = self.derived_work.min(MAX_DERIVED_WORK);
        let used = self.restore_fuel(suspended);
        self.earlier_work = self.earlier_work.saturating_add(used).saturating_add(derived_work);
    }

    /// Takes over the fuel and the work that another memory has counted for the same decision: it is that of a copy of the game, or of the game
    /// itself before it released its memory.
    pub(crate) fn copy_fuel_from(&mut self, other: &Self) {
        (self.fuel, self.derived_work) = (other.fuel, other.derived_work);
    }

    /// Whether there was too much work on derived values since the last decision, so that they mean nothing.
    pub(crate) fn has_too_much_derived_work(&self) -> bool {
        self.derived_work > MAX_DERIVED_WORK
    }

    /// Counts work on derived values. Returns false if there was too much since the last decision: then the fuel is used up, and no further effect
    /// applies. Reference mode recomputes more, and has no bound.
    pub(crate) fn count_derived_work(&mut self, work: u64) -> bool {
        self.derived_work = self.derived_work.saturating_add(work);
        let fits = self.derived_work <= MAX_DERIVED_WORK || self.reference_mode;
        if !fits {
            self.give_up_derived_values();
        }
        fits
    }

    /// Counts a trial that copies so many objects, as [`Scratch::count_derived_work`].
    pub(crate) fn count_trial(&mut self, objects: usize) -> bool {
        self.count_derived_work(WORK_PER_COPIED_OBJECT * objects as u64)
    }

    /// Ends the game by its fuel, because its effects are more than can be applied.
    pub(crate) fn give_up_derived_values(&mut self) {
        self.derived_work = u64::MAX;
        self.use_up_fuel();
    }

    /// Whether that has happened since the last decision.
    pub(crate) fn has_given_up_derived_values(&self) -> bool {
        self.derived_work == u64::MAX
    }

    /// Uses up the fuel of the decision, so that the game ends. Suspended fuel has no end.
    pub(crate) fn use_up_fuel(&mut self) {
        if self.limit < u64::MAX {
            self.fuel = self.fuel.max(self.limit + 1);
        }
    }

    /// The memory of a copy of the game between two steps, without the caches: registers and lists are empty then.
    pub(crate) fn without_caches(&self) -> Self {
        Self {
            fuel: self.fuel,
            derived_work: self.derived_work,
            limit: self.limit,
            reference_mode: self.reference_mode,
            searches_payment: self.searches_payment,
            tries_costs_from: self.tries_costs_from,
            has_failed_cost: self.has_failed_cost,
            pays_for_ability: self.pays_for_ability,
            ..Self::default()
        }
    }

    /// Computes a cached value again for the checks of debug builds. Returns the value and its fuel; charges none.
    pub(crate) fn recompute_for_check<T>(&mut self, compute: impl FnOnce(&mut Self) -> T) -> (T, u64) {
        let (aside, work) = (self.suspend_fuel(), self.work);
        let value = compute(self);
        self.work = work;
        (value, self.restore_fuel(aside))
    }

    /// Makes fuel unlimited. Returns what is used up so far, for [`Scratch::restore_fuel`].
    pub(crate) fn suspend_fuel(&mut self) -> SuspendedFuel {
        let limit = std::mem::replace(&mut self.limit, u64::MAX);
        SuspendedFuel { used: self.fuel, limit, derived_work: std::mem::take(&mut self.derived_work) }
    }

    /// As [`Scratch::suspend_fuel`], but code until then has `fuel` for itself.
    pub(crate) fn suspend_fuel_for(&mut self, fuel: u64) -> SuspendedFuel {
        let suspended = self.suspend_fuel();
        self.limit = self.fuel.saturating_add(fuel);
        suspended
    }

    /// Restores fuel, limit and counted work. Returns the fuel used since [`Scratch::suspend_fuel`].
    pub(crate) fn restore_fuel(&mut self, suspended: SuspendedFuel) -> u64 {
        (self.limit, self.derived_work) = (suspended.limit, suspended.derived_work);
        std::mem::replace(&mut self.fuel, suspended.used) - suspended.used
    }

    /// Charges the recorded fuel of a cached value. Returns the value, or 0 if fuel runs out, as an evaluation would.
    pub(crate) fn charge_cached(&mut self, fuel: u64, value: i64) -> i64 {
        self.fuel = self.fuel.saturating_add(fuel);
        if self.fuel > self.limit { 0 } else { value }
    }

    /// Makes a new empty list and returns its handle.
    pub fn new_list(&mut self) -> i64 {
        if self.lists_in_use == self.lists.len() {
            self.lists.push(Vec::new());
        }
        if let Some(list) = self.lists.get_mut(self.lists_in_use) {
            list.clear();
        }
        self.lists_in_use += 1;
        self.lists_in_use as i64
    }

    /// Makes a list of items and returns its handle.
    pub fn make_list(&mut self, items: impl IntoIterator<Item = i32>) -> i64 {
        let handle = self.new_list();
        if let Some(list) = self.lists.get_mut(self.lists_in_use - 1) {
            list.extend(items);
        }
        handle
    }

    /// Returns the items of a list. Handle 0 is the empty list, and so is the handle of a released list.
    #[must_use]
    pub fn list(&self, handle: i64) -> &[i32] {
        self.in_use(handle).and_then(|at| self.lists.get(at)).map_or(&[], Vec::as_slice)
    }

    pub(crate) fn list_mut(&mut self, handle: i64) -> Option<&mut Vec<i32>> {
        self.in_use(handle).and_then(|at| self.lists.get_mut(at))
    }

    fn in_use(&self, handle: i64) -> Option<usize> {
        usize::try_from(handle).ok()?.checked_sub(1).filter(|at| *at < self.lists_in_use)
    }

    /// Returns the number of lists in use, for [`Scratch::release`].
    #[must_use]
    pub fn mark(&self) -> usize {
        self.lists_in_use
    }

    /// Releases all lists made since the mark.
    pub fn release(&mut self, mark: usize) {
        self.lists_in_use = mark;
    }

    /// Releases all lists made since the mark except one. Returns its handle, which may have changed.
    pub(crate) fn release_all_but(&mut self, mark: usize, handle: i64) -> i64 {
        let kept = self.in_use(handle).filter(|at| *at >= mark);
        self.lists_in_use = mark + usize::from(kept.is_some());
        let Some(at) = kept else { return handle };
        self.lists.swap(mark, at);
        self.lists_in_use as i64
    }
}

/// Scratch memory of finished games of a program, reused by its next games. Refusals by turn position are the same in all of
/// them.
#[derive(Debug, Default)]
pub(crate) struct ScratchPool(Mutex<Vec<Scratch>>);

impl ScratchPool {
    /// Scratch memories that the pool keeps. Enough for the games that one thread plays at a time.
    const MAX_KEPT: usize = 4;

    /// Takes a memory from the pool, or creates one.
    pub(crate) fn take(&self) -> Scratch {
        let left = self.0.lock().unwrap_or_else(PoisonError::into_inner).pop();
        Scratch { returns_to_pool: true, ..left.unwrap_or_default() }
    }

    /// Returns the memory of a game whose last revision is `changes`, if it was taken from the pool. Copies of games do not
    /// return theirs: it has few cached results.
    pub(crate) fn give_back(&self, scratch: &mut Scratch, changes: u64) {
        if !scratch.returns_to_pool {
            return;
        }
        let mut left = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if left.len() < Self::MAX_KEPT {
            left.push(Scratch { revision: changes, ..std::mem::take(scratch) });
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
    fn released_lists_are_empty() {
        let mut scratch = Scratch::new(10);
        let (kept, mark) = (scratch.make_list([1, 2]), scratch.mark());
        let released = scratch.make_list([3]);
        let second = scratch.make_list([4, 5]);
        let result = scratch.release_all_but(mark, second);
        assert_eq!((scratch.list(kept), scratch.list(result), scratch.mark()), (&[1, 2][..], &[4, 5][..], mark + 1));
        assert_eq!(scratch.release_all_but(mark, kept), kept);
        assert_eq!((scratch.list(kept), scratch.list(released), scratch.list(second)), (&[1, 2][..], &[][..], &[][..]));
        let nothing: [&[i32]; 4] = [0, -1, i64::MIN, i64::MAX].map(|handle| scratch.list(handle));
        assert!(nothing.iter().all(|list| list.is_empty()));
    }

    #[test]
    fn cached_values_charge_their_fuel() {
        let mut scratch = Scratch::new(10);
        assert_eq!([scratch.charge_cached(4, 7), scratch.charge_cached(6, 8), scratch.charge_cached(1, 9)], [7, 8, 0]);
    }

    #[test]
    fn copies_continue_the_budget_of_their_decision() {
        let mut scratch = Scratch::new(10);
        assert!(scratch.count_derived_work(MAX_DERIVED_WORK));
        let mut copy = scratch.without_caches();
        let mut released = Scratch::new(10);
        released.copy_fuel_from(&scratch);
        for mut each in [scratch, copy.clone(), released] {
            assert!(!each.count_trial(1), "the next trial is too much");
            assert!(each.fuel > each.limit);
        }
        copy.reset_fuel();
        assert!(copy.count_trial(1), "an answer begins another budget");
    }

    #[test]
    fn suspended_code_counts_no_work() {
        let mut scratch = Scratch::new(10);
        let suspended = scratch.suspend_fuel();
        assert!(!scratch.count_derived_work(MAX_DERIVED_WORK + 1));
        scratch.restore_fuel(suspended);
        assert!(!scratch.has_too_much_derived_work());
        assert!(scratch.count_trial(1));
        assert_eq!((scratch.fuel, scratch.limit), (0, 10));
    }

    #[test]
    fn only_pooled_scratch_returns_to_the_pool() {
        let program = testing::program();
        let machine = crate::vm::machine::Machine::new(std::sync::Arc::clone(&program), 1);
        let left = || program.scratch_pool.0.lock().map_or(0, |left| left.len());
        drop(machine.clone());
        assert_eq!(left(), 0);
        drop(machine);
        assert_eq!(left(), 1);
    }
}
