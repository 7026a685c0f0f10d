//! Snapshots for search: copy, save, restore and undo a game in reused memory.
//!
//! A snapshot copies state, derived values and producer caches, so that restoring recomputes and allocates nothing. Restoring
//! bumps every revision, which invalidates all other entries that depend on the state; no revision is used twice. The log is not
//! part of a snapshot.

use crate::program::Program;
use crate::vm::machine::Machine;
use std::sync::Arc;

impl Clone for Machine {
    fn clone(&self) -> Self {
        Self {
            program: Arc::clone(&self.program),
            state: self.state.clone(),
            derived: self.derived.clone(),
            scratch: self.scratch.without_caches(),
            log: self.log.clone(),
            recording: self.recording,
            scripted_shuffles: self.scripted_shuffles.clone(),
            disclosures: self.disclosures,
            limits: self.limits,
            producers: self.producers.clone(),
        }
    }

    fn clone_from(&mut self, other: &Self) {
        self.switch_program(&other.program);
        self.state.clone_from(&other.state);
        self.derived.clone_from(&other.derived);
        self.scratch.copy_fuel_from(&other.scratch);
        self.scratch.limit = other.scratch.limit;
        self.scratch.reference_mode = other.scratch.reference_mode;
        self.scratch.searches_payment = other.scratch.searches_payment;
        self.log.clone_from(&other.log);
        self.scripted_shuffles.clone_from(&other.scripted_shuffles);
        self.disclosures = other.disclosures;
        (self.recording, self.limits) = (other.recording, other.limits);
        self.producers.clone_from(&other.producers);
    }
}

/// A stack of saved positions of games. Restoring copies the state and the values computed from it: nothing is recomputed, and
/// nothing is allocated once the stack has had the same size before. The log is not saved.
#[derive(Clone, Debug, Default)]
pub struct SnapshotStack {
    snapshots: Vec<Machine>,
    len: usize,
}

impl SnapshotStack {
    /// Saves the position of a game on top of the stack.
    pub fn save(&mut self, machine: &Machine) {
        match self.snapshots.get_mut(self.len) {
            Some(snapshot) => snapshot.copy_position(machine),
            None => {
                let mut snapshot = Machine::new(Arc::clone(&machine.program), 0);
                snapshot.copy_position(machine);
                self.snapshots.push(snapshot);
            }
        }
        self.len += 1;
    }

    /// Restores a game to the top position, which stays on the stack. Returns `false` if the stack is empty.
    pub fn restore(&self, machine: &mut Machine) -> bool {
        let snapshot = self.len.checked_sub(1).and_then(|last| self.snapshots.get(last));
        snapshot.map(|snapshot| machine.copy_position(snapshot)).is_some()
    }

    /// As [`SnapshotStack::restore`], and removes the position from the stack.
    pub fn undo(&mut self, machine: &mut Machine) -> bool {
        let done = self.restore(machine);
        self.len = self.len.saturating_sub(1);
        done
    }

    /// Returns the number of saved positions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Returns whether no position is saved.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Machine {
    /// Switches the machine to another program. The scratch memory of the old one returns to its pool.
    fn switch_program(&mut self, program: &Arc<Program>) {
        if !Arc::ptr_eq(&self.program, program) {
            let mut other = Self::new(Arc::clone(program), 0);
            other.scratch.reference_mode = self.scratch.reference_mode;
            std::mem::swap(&mut self.program, &mut other.program);
            std::mem::swap(&mut self.scratch, &mut other.scratch);
            std::mem::swap(&mut self.derived, &mut other.derived);
        }
    }

    /// Becomes a copy of another game in progress, in reused memory. Log, limits and settings stay.
    fn copy_position(&mut self, other: &Self) {
        self.switch_program(&other.program);
        self.state.clone_from(&other.state);
        self.derived.clone_from(&other.derived);
        self.scratch.copy_fuel_from(&other.scratch);
        self.producers.clone_from(&other.producers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{advance, start};
    use crate::random_answers::RandomAnswers;
    use crate::testing;
    use crate::vm::machine::StepResult;

    /// Plays on, and returns the hash of the state and the step at each of the next decisions.
    fn onwards(machine: &mut Machine, random: &mut RandomAnswers, count: usize) -> Vec<(u64, StepResult)> {
        let mut all = Vec::new();
        for _ in 0..count {
            let step = advance(machine);
            all.push((machine.state.hash(), step.clone()));
            let StepResult::Decision(decision) = step else { break };
            let picks = random.answer(machine, &decision);
            machine.answer(&picks).expect("legal");
        }
        all
    }

    fn random() -> RandomAnswers {
        RandomAnswers::new(5)
    }

    #[test]
    fn undo_restores_the_game() {
        let mut machine = start(testing::program(), &[testing::cards(12), testing::cards(12)], 3).expect("it starts");
        let mut past = SnapshotStack::default();
        assert!(!past.undo(&mut machine) && past.is_empty());
        let mut bot = random();
        // What happened after each saved position.
        let mut after = Vec::new();
        for _ in 0..4 {
            advance(&mut machine);
            past.save(&machine);
            after.push(onwards(&mut machine, &mut random(), 7));
            assert!(past.restore(&mut machine));
            onwards(&mut machine, &mut bot, 3);
        }
        assert_eq!(past.len(), 4);
        while let Some(expected) = after.pop() {
            assert!(past.undo(&mut machine));
            assert_eq!(machine.state.hash(), expected.first().expect("a decision").0);
            machine.check_invariants().expect("sound");
            assert_eq!(onwards(&mut machine, &mut random(), 7), expected);
        }
        assert!(past.is_empty());
    }

    #[test]
    fn clone_from_makes_an_equal_game() {
        let mut machine = start(testing::program(), &[testing::cards(12), testing::cards(12)], 3).expect("it starts");
        let mut other = machine.clone();
        onwards(&mut other, &mut random(), 40);
        advance(&mut machine);
        other.clone_from(&machine);
        assert_eq!(other.state, machine.state);
        other.check_invariants().expect("sound");
        assert_eq!(onwards(&mut other, &mut random(), 30), onwards(&mut machine, &mut random(), 30));
    }
}
