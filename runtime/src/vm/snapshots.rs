//! Copies of a game in progress: what a copy shares, and positions to go back to in memory that is used again.

use super::Machine;
use super::eval::Scratch;
use crate::program::Program;
use std::sync::Arc;

impl Clone for Machine {
    fn clone(&self) -> Self {
        // Registers and lists are empty between two steps.
        let mut scratch = Scratch::new(self.scratch.limit);
        scratch.fuel = self.scratch.fuel;
        scratch.reference_mode = self.scratch.reference_mode;
        Self {
            program: Arc::clone(&self.program),
            state: self.state.clone(),
            derived: self.derived.clone(),
            scratch,
            log: self.log.clone(),
            recording: self.recording,
            limits: self.limits,
            producers: self.producers.clone(),
        }
    }

    fn clone_from(&mut self, other: &Self) {
        self.switch_program(&other.program);
        self.state.clone_from(&other.state);
        self.derived.clone_from(&other.derived);
        (self.scratch.fuel, self.scratch.limit) = (other.scratch.fuel, other.scratch.limit);
        self.scratch.reference_mode = other.scratch.reference_mode;
        self.log.clone_from(&other.log);
        (self.recording, self.limits) = (other.recording, other.limits);
        self.producers.clone_from(&other.producers);
    }
}

/// Positions of a game to go back to, the last one first. Going back is a copy of the state and of what was computed from it: nothing
/// is computed anew, and nothing is allocated once there were as many positions at a time. The log is not kept.
#[derive(Clone, Debug, Default)]
pub struct SnapshotStack {
    kept: Vec<Machine>,
    len: usize,
}

impl SnapshotStack {
    /// Keeps the position of a game.
    pub fn save(&mut self, machine: &Machine) {
        match self.kept.get_mut(self.len) {
            Some(kept) => kept.take_position(machine),
            None => {
                let mut kept = Machine::new(Arc::clone(&machine.program), 0);
                kept.take_position(machine);
                self.kept.push(kept);
            }
        }
        self.len += 1;
    }

    /// Brings a game back to the position that was kept last, which stays kept; false when there is none.
    pub fn restore(&self, machine: &mut Machine) -> bool {
        let kept = self.len.checked_sub(1).and_then(|last| self.kept.get(last));
        kept.map(|kept| machine.take_position(kept)).is_some()
    }

    /// As [`SnapshotStack::restore`], and the position is kept no longer.
    pub fn undo(&mut self, machine: &mut Machine) -> bool {
        let done = self.restore(machine);
        self.len = self.len.saturating_sub(1);
        done
    }

    /// How many positions are kept.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether none is kept.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }
}

impl Machine {
    /// From now on plays by these rules; what was remembered of others is left to their games.
    fn switch_program(&mut self, program: &Arc<Program>) {
        if !Arc::ptr_eq(&self.program, program) {
            let mut other = Self::new(Arc::clone(program), 0);
            other.scratch.reference_mode = self.scratch.reference_mode;
            std::mem::swap(&mut self.program, &mut other.program);
            std::mem::swap(&mut self.scratch, &mut other.scratch);
            std::mem::swap(&mut self.derived, &mut other.derived);
        }
    }

    /// Becomes another game in progress, in the memory that is there; log, limits and settings stay.
    fn take_position(&mut self, other: &Self) {
        self.switch_program(&other.program);
        self.state.clone_from(&other.state);
        self.derived.clone_from(&other.derived);
        self.scratch.fuel = other.scratch.fuel;
        self.producers.clone_from(&other.producers);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bot::{self, Bot};
    use crate::game::{advance, start};
    use crate::testing;
    use crate::vm::StepResult;

    /// The hash of the state and the question at each of the next decisions.
    fn onwards(machine: &mut Machine, bot: &mut dyn Bot, count: usize) -> Vec<(u64, StepResult)> {
        let mut all = Vec::new();
        for _ in 0..count {
            let step = advance(machine);
            all.push((machine.state.hash(), step.clone()));
            let StepResult::Asked(decision) = step else { break };
            let picks = bot.choose(machine, &decision);
            machine.answer(&picks).expect("legal");
        }
        all
    }

    fn random() -> Box<dyn Bot> {
        bot::named("random", 5, 0, 0).expect("a bot")
    }

    #[test]
    fn what_is_undone_goes_the_same_way_again() {
        let mut machine = start(testing::program(), &[testing::cards(12), testing::cards(12)], 3).expect("it starts");
        let mut past = SnapshotStack::default();
        assert!(!past.undo(&mut machine) && past.is_empty());
        let mut bot = random();
        // Positions of the game, each with what came after it.
        let mut after = Vec::new();
        for _ in 0..4 {
            advance(&mut machine);
            past.save(&machine);
            after.push(onwards(&mut machine, &mut *random(), 7));
            assert!(past.restore(&mut machine));
            onwards(&mut machine, &mut *bot, 3);
        }
        assert_eq!(past.len(), 4);
        while let Some(expected) = after.pop() {
            assert!(past.undo(&mut machine));
            assert_eq!(machine.state.hash(), expected.first().expect("a decision").0);
            machine.check_invariants().expect("sound");
            assert_eq!(onwards(&mut machine, &mut *random(), 7), expected);
        }
        assert!(past.is_empty());
    }

    #[test]
    fn a_copy_into_used_memory_is_a_copy() {
        let mut machine = start(testing::program(), &[testing::cards(12), testing::cards(12)], 3).expect("it starts");
        let mut other = machine.clone();
        onwards(&mut other, &mut *random(), 40);
        advance(&mut machine);
        other.clone_from(&machine);
        assert_eq!(other.state, machine.state);
        other.check_invariants().expect("sound");
        assert_eq!(onwards(&mut other, &mut *random(), 30), onwards(&mut machine, &mut *random(), 30));
    }
}
