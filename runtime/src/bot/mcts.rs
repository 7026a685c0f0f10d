//! The searching bot: Monte Carlo tree search over copies of the game in which what its seat cannot know is dealt anew.
//!
//! A fixed number of playouts is spent on each decision; no clock is read. Copies are dealt by the bot's own dice ([`determinise`]),
//! each is kept once and copied into the same memory for every playout. The answers that are compared share copies and chance, the
//! worse half of them is given up again and again (sequential halving), and below each answer grows a tree whose branches are told
//! apart by what the players can see (information sets).

mod action_values;
mod observation_keys;
mod playout;
mod search;
mod tree;

use super::{Bot, Dice, Random, derive};
use crate::view::determinise;
use crate::vm::Machine;
use crate::vm::decision::Decision;
use action_values::ActionValues;
use playout::{Horizon, evaluate, paying};
use search::RootSearch;

/// How many playouts a decision gets if nothing is said.
pub const ITERATIONS: u32 = 60;

/// How many playouts a decision gets at least.
pub const LEAST_ITERATIONS: u32 = 8;

/// How many playouts a decision may get.
pub const MOST_ITERATIONS: u32 = 100_000;

/// How many copies are dealt for a decision.
const WORLDS: u32 = 12;

/// How many operations one step of a playout may take.
const FUEL: u64 = 2_000_000;

/// How much of what was learnt is kept from one decision to the next.
const KEPT: f64 = 0.5;

/// Searches.
#[derive(Clone, Debug)]
pub struct Mcts {
    seed: u64,
    asked: u64,
    iterations: u32,
    habits: ActionValues,
    spread: (f64, f64),
}

impl Mcts {
    /// A bot of a seed, with so many playouts for each decision.
    #[must_use]
    pub fn new(seed: u64, iterations: u32) -> Self {
        let iterations = iterations.clamp(LEAST_ITERATIONS, MOST_ITERATIONS);
        Self { seed, asked: 0, iterations, habits: ActionValues::default(), spread: (0.0, 0.0) }
    }
}

impl Bot for Mcts {
    fn choose(&mut self, machine: &Machine, decision: &Decision) -> Vec<u32> {
        if let Some(pay) = paying(decision) {
            return pay;
        }
        self.asked += 1;
        let seed = derive(self.seed, self.asked, 0);
        let deal = |number: u32| imagined(machine, decision.player, derive(seed, 0, u64::from(number)));
        let mut worlds: Vec<Machine> = (0..WORLDS.min(self.iterations)).map(deal).collect();
        let Some(first) = worlds.first_mut() else { return Vec::new() };
        let now = evaluate(first);
        self.habits.decay(KEPT);
        // To the player's next turn, or, where the format evaluates nothing, to the end.
        let far = first.program.format.evaluate.map(|_| machine.program.players().max(2) as u32);
        let turn = far.map_or(u32::MAX, |far| machine.state.turn().saturating_add(far));
        let spread = (self.spread.0 * KEPT, self.spread.1 * KEPT);
        let work = first.clone();
        let mut search = RootSearch {
            decision,
            worlds,
            work,
            habits: &mut self.habits,
            horizon: Horizon { turn, now, spread },
            random: Random::new(derive(seed, 1, 0)),
            dice: Dice::new(derive(seed, 1, 1)),
            seed,
        };
        let picks = search.run(self.iterations);
        self.spread = search.horizon.spread;
        // Whether a declaration can be paid for is not for copies to say.
        let pays = decision.board.as_ref().is_some_and(|board| !board.paid(&picks).is_empty());
        if pays && machine.clone().answer(&picks).is_err() { decision.proposal().unwrap_or_default() } else { picks }
    }
}

/// A copy of the game as it could be.
fn imagined(machine: &Machine, player: usize, seed: u64) -> Machine {
    let mut copy = determinise(machine, player, seed);
    copy.recording = false;
    copy.log = Vec::new();
    copy.limits.fuel = copy.limits.fuel.min(FUEL);
    copy.world();
    copy
}
