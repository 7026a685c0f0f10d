//! Random legal answers: the `random` bot, playouts of searches, and tests.

use crate::assign::{self, AssignmentProblem, Draft};
use crate::dice::Dice;
use crate::vm::decision::{Decision, DecisionKind};
use crate::vm::machine::Machine;

/// Answers decisions uniformly at random.
#[derive(Clone, Debug)]
pub struct RandomAnswers {
    dice: Dice,
}

impl RandomAnswers {
    /// Starts the sequence of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { dice: Dice::new(seed) }
    }

    /// Returns a legal answer to the pending decision.
    #[must_use]
    pub fn answer(&mut self, machine: &Machine, decision: &Decision) -> Vec<u32> {
        if decision.kind == DecisionKind::Number {
            let span = decision.max.saturating_sub(decision.min).clamp(0, i64::from(u32::MAX) - 1) as u32;
            let number = decision.min + i64::from(self.dice.below(span + 1));
            return vec![number as i32 as u32];
        }
        if let Some(board) = &decision.board {
            return random_declaration(&mut self.dice, machine, decision, board);
        }
        if decision.kind == DecisionKind::Divide {
            return self.shares(decision);
        }
        let mut options = decision.considered_options();
        let (min, max) = decision.size_range(options.len());
        let size = min + self.dice.below((max - min).min(1 << 20) as u32 + 1) as usize;
        if decision.repeats {
            let count = options.len() as u32;
            return (0..size).filter_map(|_| options.get(self.dice.below(count) as usize).copied()).collect();
        }
        self.dice.shuffle(&mut options);
        options.truncate(size);
        options
    }

    /// A random division: the minimum for each option, and the rest cut at random points.
    fn shares(&mut self, decision: &Decision) -> Vec<u32> {
        let least = decision.min.max(0) as u32;
        let n = decision.options.len() as u32;
        let rest = (decision.max.max(0) as u32).saturating_sub(least.saturating_mul(n));
        let mut cuts: Vec<u32> = (1..n).map(|_| self.dice.below(rest.saturating_add(1))).collect();
        cuts.extend([0, rest]);
        cuts.sort_unstable();
        cuts.windows(2)
            .take(n as usize)
            .map(|pair| least + pair.iter().rev().copied().reduce(|b, a| b - a).unwrap_or(0))
            .collect()
    }
}

/// A random declaration, built pick by pick. The proposed legal one if the budget is exhausted or the costs cannot be paid.
fn random_declaration(dice: &mut Dice, machine: &Machine, decision: &Decision, board: &AssignmentProblem) -> Vec<u32> {
    let legal = || decision.proposal().unwrap_or_default();
    let mut draft = Draft::new(board, assign::BUDGET);
    loop {
        let mut open = draft.options();
        if open.is_empty() {
            break;
        }
        dice.shuffle(&mut open);
        if !open.into_iter().any(|pick| draft.pick(pick) == Ok(true)) {
            return legal();
        }
    }
    let picks = draft.picks();
    let paid = !board.paid_costs(&picks).is_empty();
    if paid && machine.clone().answer(&picks).is_err() { legal() } else { picks }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::start;
    use crate::testing;
    use crate::vm::decision::Choice;

    #[test]
    fn answers_are_in_range() {
        let machine = start(testing::program(), &[testing::cards(2), testing::cards(2)], 0).expect("it starts");
        let options: Vec<Choice> = (0..5).map(Choice::Mode).collect();
        let mut random = RandomAnswers::new(3);
        for (min, max, repeats) in [(0, 5, false), (2, 3, false), (1, 1, false), (0, 12, true)] {
            let decision = Decision {
                player: 0,
                kind: DecisionKind::Modes,
                options: options.clone(),
                min,
                max,
                site: None,
                repeats,
                board: None,
            };
            for _ in 0..200 {
                decision.check(&random.answer(&machine, &decision)).expect("legal");
            }
        }
        let number = Decision {
            player: 0,
            kind: DecisionKind::Number,
            options: Vec::new(),
            min: -3,
            max: 3,
            site: None,
            repeats: false,
            board: None,
        };
        for _ in 0..200 {
            number.check(&random.answer(&machine, &number)).expect("legal");
        }
    }

    #[test]
    fn announcements_are_not_taken_back() {
        let machine = start(testing::program(), &[testing::cards(2), testing::cards(2)], 0).expect("it starts");
        let options = vec![Choice::Abandon, Choice::PayNow];
        let decision =
            Decision { player: 0, kind: DecisionKind::Pay, options, min: 1, max: 1, site: None, repeats: false, board: None };
        let mut random = RandomAnswers::new(5);
        assert!((0..50).all(|_| random.answer(&machine, &decision) == [1]));
    }
}
