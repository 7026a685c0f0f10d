//! Playouts: the game goes on by chance and habit to a horizon, and what the format evaluates there is made a worth from 0 to 1.

use super::action_values::ActionValues;
use super::observation_keys::action_key;
use crate::bot::{Bot, Dice, Random, considered, size_range};
use crate::game::advance;
use crate::vm::decision::{Choice, Decision, DecisionKind};
use crate::vm::{Machine, Outcome, StepResult};

/// How many decisions a playout follows at most.
const FOLLOWED: usize = 160;

/// Of so many options drawn by chance the best one by habit is taken.
const DRAWN: u32 = 3;

/// What somebody answered: who, and of which kind.
pub(super) type Trail = Vec<(usize, u64)>;

/// An answer by chance and habit.
pub(super) fn likely(
    machine: &Machine,
    decision: &Decision,
    habits: &ActionValues,
    random: &mut Random,
    dice: &mut Dice,
) -> Vec<u32> {
    if let Some(pay) = paying(decision) {
        return pay;
    }
    let plain = !matches!(decision.kind, DecisionKind::Number | DecisionKind::Divide | DecisionKind::Assign);
    if plain {
        let options = considered(decision);
        if size_range(decision, options.len()) == (1, 1) {
            let mut best: Option<(f64, u32)> = None;
            for _ in 0..DRAWN {
                let Some(option) = options.get(dice.below(options.len() as u32) as usize) else { break };
                let worth = habits.worth(action_key(machine, decision, *option as usize));
                if best.is_none_or(|(most, _)| worth > most) {
                    best = Some((worth, *option));
                }
            }
            return best.map(|(_, option)| option).into_iter().collect();
        }
    }
    random.choose(machine, decision)
}

/// What is paid is paid automatically.
pub(super) fn paying(decision: &Decision) -> Option<Vec<u32>> {
    let pay = (decision.kind == DecisionKind::Pay).then(|| decision.options.iter().position(|c| *c == Choice::PayNow)).flatten();
    pay.map(|option| vec![option as u32])
}

/// Notes the kinds of an answer.
pub(super) fn note(machine: &Machine, decision: &Decision, picks: &[u32], trail: &mut Trail) {
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

/// Where playouts end, and how what stands there is measured.
#[derive(Clone, Debug)]
pub(super) struct Horizon {
    /// The first turn that is not played.
    pub turn: u32,
    /// What the format evaluates for each player now.
    pub now: Vec<i64>,
    /// Sum and number of differences from it.
    pub spread: (f64, f64),
}

/// What a playout came to: a worth for each player.
pub(super) type Rewards = Vec<f64>;

impl Horizon {
    /// Plays on to the horizon.
    pub fn play(
        &mut self,
        machine: &mut Machine,
        habits: &ActionValues,
        random: &mut Random,
        dice: &mut Dice,
        trail: &mut Trail,
    ) -> Rewards {
        for _ in 0..FOLLOWED {
            let decision = match advance(machine) {
                StepResult::Over(outcome) => return self.ended(outcome),
                StepResult::Asked(decision) => decision,
            };
            if self.is_reached(machine) {
                break;
            }
            let picks = likely(machine, &decision, habits, random, dice);
            note(machine, &decision, &picks, trail);
            if machine.answer(&picks).is_err() {
                break;
            }
        }
        self.measure(machine)
    }

    /// Whether a game has come so far.
    pub fn is_reached(&self, machine: &Machine) -> bool {
        machine.state.turn() >= self.turn
    }

    /// The worths of a game that is over.
    pub fn ended(&self, outcome: Outcome) -> Rewards {
        let worth = |seat: usize| match outcome {
            Outcome::Won(winner) => f64::from(u8::from(winner == seat)),
            Outcome::Drawn | Outcome::Budget(_) => 0.3,
        };
        (0..self.now.len()).map(worth).collect()
    }

    /// The worths of a game that goes on.
    pub fn measure(&mut self, machine: &mut Machine) -> Rewards {
        let values = evaluate(machine);
        let differences: Vec<f64> = values.iter().zip(&self.now).map(|(value, now)| value.saturating_sub(*now) as f64).collect();
        for difference in &differences {
            self.spread.0 += difference.abs();
            self.spread.1 += 1.0;
        }
        let scale = if self.spread.0 > 0.0 { self.spread.0 / self.spread.1 } else { 1.0 };
        let worth = |difference: f64| {
            let x = difference / scale;
            0.5 + 0.4 * x / (1.0 + x.abs())
        };
        differences.into_iter().map(worth).collect()
    }
}

/// What the format evaluates for each player.
pub(super) fn evaluate(machine: &mut Machine) -> Vec<i64> {
    let evaluate = machine.program.format.evaluate;
    (0..machine.program.players())
        .map(|seat| evaluate.map_or(0, |function| machine.number(function, &[0, seat as i64])))
        .collect()
}
