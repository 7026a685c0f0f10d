//! Playouts: random answers, biased by action values, up to a horizon. The evaluation of the format becomes a reward from 0 to 1.

use super::action_values::ActionValues;
use super::observation_keys::action_key;
use crate::{Bot, Random};
use fizzle_runtime::dice::Dice;
use fizzle_runtime::game::advance;
use fizzle_runtime::vm::decision::{Decision, DecisionKind};
use fizzle_runtime::vm::machine::{Machine, Outcome, StepResult};

/// The maximum number of decisions of a playout.
const MAX_DECISIONS_FOLLOWED: usize = 160;

/// The operations of a playout. Then the position is evaluated as it is.
const MAX_OPERATIONS: u64 = 4_000_000;

/// The number of options drawn at random, of which the one with the best action value is taken.
const OPTIONS_SAMPLED: u32 = 3;

/// The answers of a playout: seat and action key.
pub(super) type Trail = Vec<(usize, u64)>;

/// A random answer, biased by action values if it is a single option.
pub(super) fn guided_answer(
    machine: &Machine,
    decision: &Decision,
    action_values: &ActionValues,
    random: &mut Random,
    dice: &mut Dice,
) -> Vec<u32> {
    if let Some(pay) = automatic_payment(decision) {
        return pay;
    }
    let plain = !matches!(decision.kind, DecisionKind::Number | DecisionKind::Divide | DecisionKind::Assign);
    if plain {
        let options = decision.considered_options();
        if decision.size_range(options.len()) == (1, 1) {
            let mut best: Option<(f64, u32)> = None;
            for _ in 0..OPTIONS_SAMPLED {
                let Some(option) = options.get(dice.below(options.len() as u32) as usize) else { break };
                let reward = action_values.value(action_key(machine, decision, *option as usize));
                if best.is_none_or(|(most, _)| reward > most) {
                    best = Some((reward, *option));
                }
            }
            return best.map(|(_, option)| option).into_iter().collect();
        }
    }
    random.choose(machine, decision)
}

/// Automatic payment, if the decision is about one and offers it.
pub(super) fn automatic_payment(decision: &Decision) -> Option<Vec<u32>> {
    if decision.kind == DecisionKind::Pay { decision.proposal() } else { None }
}

/// Records the action keys of an answer.
pub(super) fn record_answer(machine: &Machine, decision: &Decision, picks: &[u32], trail: &mut Trail) {
    if matches!(decision.kind, DecisionKind::Divide | DecisionKind::Pay) {
        return;
    }
    if picks.is_empty() {
        trail.push((decision.player, action_key(machine, decision, usize::MAX)));
    }
    for pick in picks {
        trail.push((decision.player, action_key(machine, decision, *pick as usize)));
    }
}

/// Where playouts end, and how positions there are evaluated.
#[derive(Clone, Debug)]
pub(super) struct Horizon {
    /// The first turn that is not played any more.
    pub turn: u32,
    /// The evaluation of the current position, by seat.
    pub baseline: Vec<i64>,
    /// Sum and number of absolute differences from the baseline; their mean scales rewards.
    pub spread: (f64, f64),
}

/// The rewards of a playout, by seat.
pub(super) type Rewards = Vec<f64>;

impl Horizon {
    /// Plays to the horizon and returns the rewards.
    pub fn play(
        &mut self,
        machine: &mut Machine,
        action_values: &ActionValues,
        random: &mut Random,
        dice: &mut Dice,
        trail: &mut Trail,
    ) -> Rewards {
        let mut operations = 0u64;
        for _ in 0..MAX_DECISIONS_FOLLOWED {
            let step = advance(machine);
            operations = operations.saturating_add(machine.fuel());
            let decision = match step {
                StepResult::Over(outcome) => return self.rewards_of_outcome(outcome),
                StepResult::Decision(decision) => decision,
            };
            if self.is_reached(machine) || operations > MAX_OPERATIONS {
                break;
            }
            let picks = guided_answer(machine, &decision, action_values, random, dice);
            record_answer(machine, &decision, &picks, trail);
            if machine.answer(&picks).is_err() {
                break;
            }
        }
        self.rewards_of_position(machine)
    }

    /// Whether a game has reached the horizon.
    pub fn is_reached(&self, machine: &Machine) -> bool {
        machine.state.turn() >= self.turn
    }

    /// The rewards of a game that is over: 1 for a win, 0 for a loss, 0.3 for a draw or an exhausted budget.
    pub fn rewards_of_outcome(&self, outcome: Outcome) -> Rewards {
        let reward = |seat: usize| match outcome {
            Outcome::Won(winner) => f64::from(u8::from(winner == seat)),
            Outcome::Drawn | Outcome::Budget(_) => 0.3,
        };
        (0..self.baseline.len()).map(reward).collect()
    }

    /// The rewards of an unfinished game, between 0.1 and 0.9.
    pub fn rewards_of_position(&mut self, machine: &mut Machine) -> Rewards {
        let values = evaluate(machine);
        let differences: Vec<f64> =
            values.iter().zip(&self.baseline).map(|(value, now)| value.saturating_sub(*now) as f64).collect();
        for difference in &differences {
            self.spread.0 += difference.abs();
            self.spread.1 += 1.0;
        }
        let scale = if self.spread.0 > 0.0 { self.spread.0 / self.spread.1 } else { 1.0 };
        let reward = |difference: f64| {
            let x = difference / scale;
            0.5 + 0.4 * x / (1.0 + x.abs())
        };
        differences.into_iter().map(reward).collect()
    }
}

/// The evaluation of the format, by seat; 0 if it has none.
pub(super) fn evaluate(machine: &mut Machine) -> Vec<i64> {
    let evaluate = machine.program.format.evaluate;
    (0..machine.program.players())
        .map(|seat| evaluate.map_or(0, |function| machine.number(function, &[0, seat as i64])))
        .collect()
}
