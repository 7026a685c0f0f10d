//! The MCTS bot: Monte Carlo tree search over determinised copies of the game (information set MCTS).
//!
//! Each decision gets a fixed number of playouts; no clock is read. Copies come from [`determinise`] with the bot's own random numbers;
//! each is created once and cloned into the same memory for every playout. At the root, the compared answers share copies and seeds, and
//! the worse half is dropped repeatedly (sequential halving). Below each answer, a tree is built whose edges are keyed by what the
//! deciding player can observe.

mod action_values;
mod observation_keys;
mod playout;
mod search;
mod tree;

use super::{Bot, Random};
use action_values::ActionValues;
use fizzle_runtime::dice::{Dice, derive};
use fizzle_runtime::view::determinise;
use fizzle_runtime::vm::decision::Decision;
use fizzle_runtime::vm::machine::Machine;
use playout::{Horizon, automatic_payment, evaluate};
use search::RootSearch;

/// The default number of playouts per decision.
pub const DEFAULT_ITERATIONS: u32 = 60;

/// The minimum number of playouts per decision.
pub const MIN_ITERATIONS: u32 = 8;

/// The maximum number of playouts per decision.
pub const MAX_ITERATIONS: u32 = 100_000;

/// The maximum number of determinised copies per decision.
const MAX_WORLDS: u32 = 12;

/// The fuel limit of one step of a playout.
const MAX_STEP_FUEL: u64 = 2_000_000;

/// The weight of earlier statistics at the next decision.
const DECAY_FACTOR: f64 = 0.5;

/// The MCTS bot.
#[derive(Clone, Debug)]
pub struct Mcts {
    seed: u64,
    decisions: u64,
    iterations: u32,
    action_values: ActionValues,
    spread: (f64, f64),
}

impl Mcts {
    /// Creates a bot from a seed, with a number of playouts per decision (clamped to the allowed range).
    #[must_use]
    pub fn new(seed: u64, iterations: u32) -> Self {
        let iterations = iterations.clamp(MIN_ITERATIONS, MAX_ITERATIONS);
        Self { seed, decisions: 0, iterations, action_values: ActionValues::default(), spread: (0.0, 0.0) }
    }
}

impl Bot for Mcts {
    fn choose(&mut self, machine: &Machine, decision: &Decision) -> Vec<u32> {
        if let Some(pay) = automatic_payment(decision) {
            return pay;
        }
        self.decisions += 1;
        let seed = derive(self.seed, self.decisions, 0);
        let deal = |number: u32| determinised_copy(machine, decision.player, derive(seed, 0, u64::from(number)));
        let mut worlds: Vec<Machine> = (0..MAX_WORLDS.min(self.iterations)).map(deal).collect();
        let Some(first) = worlds.first_mut() else { return Vec::new() };
        let now = evaluate(first);
        self.action_values.decay(DECAY_FACTOR);
        // Playouts end at the player's next turn, or at the end of the game if the format has no evaluation.
        let far = first.program.format.evaluate.map(|_| machine.program.players().max(2) as u32);
        let turn = far.map_or(u32::MAX, |far| machine.state.turn().saturating_add(far));
        let spread = (self.spread.0 * DECAY_FACTOR, self.spread.1 * DECAY_FACTOR);
        let work = first.clone();
        let mut search = RootSearch {
            decision,
            worlds,
            work,
            action_values: &mut self.action_values,
            horizon: Horizon { turn, baseline: now, spread },
            random: Random::new(derive(seed, 1, 0)),
            dice: Dice::new(derive(seed, 1, 1)),
            seed,
        };
        let picks = search.run(self.iterations);
        self.spread = search.horizon.spread;
        // Only the real game decides whether the costs of a declaration can be paid.
        let pays = decision.board.as_ref().is_some_and(|board| !board.paid_costs(&picks).is_empty());
        if pays && machine.clone().answer(&picks).is_err() { decision.proposal().unwrap_or_default() } else { picks }
    }
}

/// A determinised copy of the game without a log, and with the fuel limit of playouts.
fn determinised_copy(machine: &Machine, player: usize, seed: u64) -> Machine {
    let mut copy = determinise(machine, player, seed);
    copy.recording = false;
    copy.log = Vec::new();
    copy.limits.fuel = copy.limits.fuel.min(MAX_STEP_FUEL);
    copy.world();
    copy
}
