//! The search at the root: proposes the answers to compare, and distributes playouts among them by sequential halving.

use super::action_values::ActionValues;
use super::observation_keys;
use super::playout::{Horizon, Rewards, Trail, automatic_payment, guided_answer, record_answer};
use super::tree::{Path, START, Tree, edge_key};
use crate::Random;
use fizzle_runtime::dice::{Dice, derive};
use fizzle_runtime::game::advance;
use fizzle_runtime::view::reseed;
use fizzle_runtime::vm::decision::{Decision, DecisionKind};
use fizzle_runtime::vm::machine::{Machine, StepResult};

/// The minimum number of playouts per compared answer, on average.
const PLAYOUTS_PER_ACTION: u32 = 4;

/// For decisions with several picks: the maximum number of answers compared first, then of variations of the best one.
const MAX_PROPOSED: (usize, usize) = (24, 6);

/// The penalty of an answer that turns out to be illegal.
const ILLEGAL_PENALTY: f64 = 1e6;

/// An answer that is compared at the root.
struct RootAction {
    picks: Vec<u32>,
    tree: Tree,
    visits: u32,
    sum: f64,
}

impl RootAction {
    fn new(picks: Vec<u32>) -> Self {
        Self { picks, tree: Tree::default(), visits: 0, sum: 0.0 }
    }

    fn mean(&self) -> f64 {
        if self.visits == 0 { 0.0 } else { self.sum / f64::from(self.visits) }
    }
}

/// The search for one answer.
pub(super) struct RootSearch<'a> {
    /// The decision to answer.
    pub decision: &'a Decision,
    /// The determinised copies of the game.
    pub worlds: Vec<Machine>,
    /// The working copy, overwritten by every playout.
    pub work: Machine,
    /// The action values of the game so far.
    pub action_values: &'a mut ActionValues,
    /// Where playouts end.
    pub horizon: Horizon,
    /// The source of answers that action values do not guide.
    pub random: Random,
    /// Random numbers for everything else.
    pub dice: Dice,
    /// The seed from which the seeds of the playouts are derived.
    pub seed: u64,
}

impl RootSearch<'_> {
    /// The best answer after a number of playouts.
    pub fn run(&mut self, iterations: u32) -> Vec<u32> {
        let options = self.decision.considered_options();
        let plain = !matches!(self.decision.kind, DecisionKind::Number | DecisionKind::Divide | DecisionKind::Assign);
        if plain && self.decision.size_range(options.len()) == (1, 1) {
            let mut candidates: Vec<RootAction> = Vec::new();
            let mut names: Vec<u64> = Vec::new();
            for option in options {
                let name = observation_keys::option_key(&self.work, self.decision, option as usize);
                if !names.contains(&name) {
                    names.push(name);
                    candidates.push(RootAction::new(vec![option]));
                }
            }
            return self.halve_sequentially(&mut candidates, iterations);
        }
        let mut candidates = self.propose_actions(iterations);
        let best = self.halve_sequentially(&mut candidates, iterations / 2);
        candidates.retain(|c| c.visits > 0);
        candidates.sort_by(|a, b| b.mean().total_cmp(&a.mean()));
        candidates.truncate(2);
        for picks in self.vary_picks(&best) {
            if !candidates.iter().any(|c| c.picks == picks) {
                candidates.push(RootAction::new(picks));
            }
        }
        self.halve_sequentially(&mut candidates, iterations - iterations / 2)
    }

    /// Proposes answers: extreme ones (least and most picks), single options, and random ones biased by action values.
    fn propose_actions(&mut self, iterations: u32) -> Vec<RootAction> {
        let decision = self.decision;
        let mut all: Vec<Vec<u32>> = Vec::new();
        let mut add = |picks: Vec<u32>| {
            if decision.check(&picks).is_ok() && !all.contains(&picks) {
                all.push(picks);
            }
        };
        let options = decision.considered_options();
        let (min, max) = decision.size_range(options.len());
        match decision.kind {
            DecisionKind::Number => {
                add(vec![decision.min as i32 as u32]);
                add(vec![decision.max as i32 as u32]);
            }
            DecisionKind::Divide => (0..decision.options.len()).for_each(|most| add(decision.default_division(most))),
            DecisionKind::Assign => add(decision.proposal().unwrap_or_default()),
            _ => {
                add(options.iter().copied().cycle().take(if options.is_empty() { 0 } else { min }).collect());
                if !decision.repeats {
                    add(options.iter().copied().take(max).collect());
                }
                if min <= 1 && max >= 1 {
                    options.iter().for_each(|option| add(vec![*option]));
                }
            }
        }
        add(Vec::new());
        let wanted = (iterations / PLAYOUTS_PER_ACTION / 2).clamp(2, 16);
        for _ in 0..wanted * 2 {
            if all.len() as u32 >= wanted {
                break;
            }
            let picks = guided_answer(&self.work, decision, self.action_values, &mut self.random, &mut self.dice);
            if decision.check(&picks).is_ok() && !all.contains(&picks) {
                all.push(picks);
            }
        }
        all.truncate(MAX_PROPOSED.0);
        all.into_iter().map(RootAction::new).collect()
    }

    /// Answers that differ from one by one pick.
    fn vary_picks(&mut self, best: &[u32]) -> Vec<Vec<u32>> {
        let decision = self.decision;
        let mut all: Vec<Vec<u32>> = Vec::new();
        if matches!(decision.kind, DecisionKind::Number) {
            let number = best.first().map_or(0, |n| *n as i32);
            all.extend([number - 1, number + 1].map(|n| vec![n as u32]));
        } else if !matches!(decision.kind, DecisionKind::Divide) {
            for place in 0..best.len() {
                let mut fewer = best.to_vec();
                fewer.remove(place);
                all.push(fewer);
            }
            for option in decision.considered_options() {
                if decision.repeats || !best.contains(&option) {
                    all.push(best.iter().copied().chain([option]).collect());
                    for place in 0..best.len() {
                        let mut other = best.to_vec();
                        if let Some(slot) = other.get_mut(place) {
                            *slot = option;
                        }
                        all.push(other);
                    }
                }
            }
        }
        all.retain(|picks| decision.check(picks).is_ok());
        self.dice.shuffle(&mut all);
        all.truncate(MAX_PROPOSED.1);
        all
    }

    /// Distributes playouts among answers and halves the number of answers after each round. Returns the best one.
    fn halve_sequentially(&mut self, candidates: &mut [RootAction], budget: u32) -> Vec<u32> {
        let mut left: Vec<usize> = (0..candidates.len()).collect();
        if left.len() <= 1 {
            return candidates.first().map(|c| c.picks.clone()).unwrap_or_default();
        }
        // If there are too many answers for the budget, only those with the best action values are compared.
        let most = (budget / PLAYOUTS_PER_ACTION).max(2) as usize;
        if left.len() > most {
            let value = |index: &usize| {
                let pick = candidates.get(*index).and_then(|c| c.picks.first()).map_or(usize::MAX, |pick| *pick as usize);
                self.action_values.value(observation_keys::action_key(&self.work, self.decision, pick))
            };
            left.sort_by(|a, b| value(b).total_cmp(&value(a)));
            left.truncate(most);
        }
        let rounds = left.len().next_power_of_two().trailing_zeros().max(1);
        for round in 0..rounds {
            let each = (budget / rounds / left.len() as u32).max(1);
            for _ in 0..each {
                for index in &left {
                    if let Some(candidate) = candidates.get_mut(*index) {
                        self.run_playout(candidate);
                    }
                }
            }
            let mean = |index: &usize| candidates.get(*index).map_or(0.0, RootAction::mean);
            left.sort_by(|a, b| mean(b).total_cmp(&mean(a)));
            if round + 1 < rounds {
                left.truncate(left.len().div_ceil(2));
            }
        }
        left.first().and_then(|best| candidates.get(*best)).map(|c| c.picks.clone()).unwrap_or_default()
    }

    /// Runs one playout of an answer.
    fn run_playout(&mut self, candidate: &mut RootAction) {
        let number = u64::from(candidate.visits);
        candidate.visits += 1;
        let world = candidate.visits as usize % self.worlds.len().max(1);
        let Some(world) = self.worlds.get(world) else { return };
        self.work.clone_from(world);
        reseed(&mut self.work, derive(self.seed, 2, number));
        let mut trail = Trail::new();
        record_answer(&self.work, self.decision, &candidate.picks, &mut trail);
        if self.work.answer(&candidate.picks).is_err() {
            // The answer cannot be paid, or its check exhausted the budget: it must lose to every other one.
            candidate.sum -= ILLEGAL_PENALTY;
            return;
        }
        let mut path = Path::new();
        let rewards = self.descend(&mut candidate.tree, &mut path, &mut trail);
        candidate.tree.learn(&path, &rewards);
        for (player, kind) in trail {
            self.action_values.learn(kind, rewards.get(player).copied().unwrap_or(0.5));
        }
        candidate.sum += rewards.get(self.decision.player).copied().unwrap_or(0.5);
    }

    /// Descends the tree, adds one new edge, and runs a playout from there.
    fn descend(&mut self, tree: &mut Tree, path: &mut Path, trail: &mut Trail) -> Rewards {
        let (mut node, mut edge) = START;
        let mut below = false;
        while !below {
            let decision = match advance(&mut self.work) {
                StepResult::Over(outcome) => return self.horizon.rewards_of_outcome(outcome),
                StepResult::Decision(decision) => decision,
            };
            if self.horizon.is_reached(&self.work) {
                return self.horizon.rewards_of_position(&mut self.work);
            }
            if let Some(pay) = automatic_payment(&decision) {
                if self.work.answer(&pay).is_err() {
                    break;
                }
                continue;
            }
            node = tree.child(node, edge, edge_key(&decision));
            let chosen = tree.choose(node, &self.work, &decision, self.action_values, &mut self.random, &mut self.dice);
            let Some((chosen, picks, fresh)) = chosen else { break };
            edge = chosen;
            record_answer(&self.work, &decision, &picks, trail);
            path.push((node, edge, decision.player));
            if self.work.answer(&picks).is_err() {
                break;
            }
            below = fresh;
        }
        self.horizon.play(&mut self.work, self.action_values, &mut self.random, &mut self.dice, trail)
    }
}
