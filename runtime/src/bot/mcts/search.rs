//! Which answers are compared, and how playouts are spent on them.

use super::action_values::ActionValues;
use super::observation_keys;
use super::playout::{Horizon, Rewards, Trail, likely, note, paying};
use super::tree::{Path, START, Tree, asked};
use crate::bot::{Dice, Random, considered, derive, size_range};
use crate::game::advance;
use crate::view::reseed;
use crate::vm::decision::{Decision, DecisionKind};
use crate::vm::{Machine, StepResult};

/// How many answers are compared at most: one for so many playouts.
const SHARE: u32 = 4;

/// How many answers of several picks are compared at most to begin with, and how many that differ a little from the best one are afterwards.
const PROPOSED: (usize, usize) = (24, 6);

/// What an answer loses that turns out to be none.
const ILLEGAL: f64 = 1e6;

/// An answer that is compared.
struct RootAction {
    picks: Vec<u32>,
    tree: Tree,
    tried: u32,
    sum: f64,
}

impl RootAction {
    fn new(picks: Vec<u32>) -> Self {
        Self { picks, tree: Tree::default(), tried: 0, sum: 0.0 }
    }

    fn mean(&self) -> f64 {
        if self.tried == 0 { 0.0 } else { self.sum / f64::from(self.tried) }
    }
}

/// The search for one answer.
pub(super) struct RootSearch<'a> {
    /// What is asked.
    pub decision: &'a Decision,
    /// Copies of the game.
    pub worlds: Vec<Machine>,
    /// The copy that is played on.
    pub work: Machine,
    /// What was learnt in the game so far.
    pub habits: &'a mut ActionValues,
    /// Where playouts end.
    pub horizon: Horizon,
    /// Answers that habit says nothing about.
    pub random: Random,
    /// Whatever else is left to chance.
    pub dice: Dice,
    /// What the chance of the playouts comes from.
    pub seed: u64,
}

impl RootSearch<'_> {
    /// The answer that is best after so many playouts.
    pub fn run(&mut self, iterations: u32) -> Vec<u32> {
        let options = considered(self.decision);
        let plain = !matches!(self.decision.kind, DecisionKind::Number | DecisionKind::Divide | DecisionKind::Assign);
        if plain && size_range(self.decision, options.len()) == (1, 1) {
            let mut candidates: Vec<RootAction> = Vec::new();
            let mut names: Vec<u64> = Vec::new();
            for option in options {
                let name = observation_keys::option(&self.work, self.decision, option as usize);
                if !names.contains(&name) {
                    names.push(name);
                    candidates.push(RootAction::new(vec![option]));
                }
            }
            return self.halve(&mut candidates, iterations);
        }
        let mut candidates = self.proposed(iterations);
        let best = self.halve(&mut candidates, iterations / 2);
        candidates.retain(|c| c.tried > 0);
        candidates.sort_by(|a, b| b.mean().total_cmp(&a.mean()));
        candidates.truncate(2);
        for picks in self.varied(&best) {
            if !candidates.iter().any(|c| c.picks == picks) {
                candidates.push(RootAction::new(picks));
            }
        }
        self.halve(&mut candidates, iterations - iterations / 2)
    }

    /// Answers by chance and habit, the least and the most.
    fn proposed(&mut self, iterations: u32) -> Vec<RootAction> {
        let decision = self.decision;
        let mut all: Vec<Vec<u32>> = Vec::new();
        let mut add = |picks: Vec<u32>| {
            if decision.check(&picks).is_ok() && !all.contains(&picks) {
                all.push(picks);
            }
        };
        let options = considered(decision);
        let (min, max) = size_range(decision, options.len());
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
        let wanted = (iterations / SHARE / 2).clamp(2, 16);
        for _ in 0..wanted * 2 {
            if all.len() as u32 >= wanted {
                break;
            }
            let picks = likely(&self.work, decision, self.habits, &mut self.random, &mut self.dice);
            if decision.check(&picks).is_ok() && !all.contains(&picks) {
                all.push(picks);
            }
        }
        all.truncate(PROPOSED.0);
        all.into_iter().map(RootAction::new).collect()
    }

    /// Answers that differ a little from one.
    fn varied(&mut self, best: &[u32]) -> Vec<Vec<u32>> {
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
            for option in considered(decision) {
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
        all.truncate(PROPOSED.1);
        all
    }

    /// Spends playouts on answers, halving their number until few are left; the best one.
    fn halve(&mut self, candidates: &mut [RootAction], budget: u32) -> Vec<u32> {
        let mut left: Vec<usize> = (0..candidates.len()).collect();
        if left.len() <= 1 {
            return candidates.first().map(|c| c.picks.clone()).unwrap_or_default();
        }
        // Not more answers than can be tried in earnest: those that are best by habit.
        let most = (budget / SHARE).max(2) as usize;
        if left.len() > most {
            let worth = |index: &usize| {
                let pick = candidates.get(*index).and_then(|c| c.picks.first()).map_or(usize::MAX, |pick| *pick as usize);
                self.habits.worth(observation_keys::action_key(&self.work, self.decision, pick))
            };
            left.sort_by(|a, b| worth(b).total_cmp(&worth(a)));
            left.truncate(most);
        }
        let rounds = left.len().next_power_of_two().trailing_zeros().max(1);
        for round in 0..rounds {
            let each = (budget / rounds / left.len() as u32).max(1);
            for _ in 0..each {
                for index in &left {
                    if let Some(candidate) = candidates.get_mut(*index) {
                        self.try_out(candidate);
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

    /// One playout of an answer.
    fn try_out(&mut self, candidate: &mut RootAction) {
        let number = u64::from(candidate.tried);
        candidate.tried += 1;
        let world = candidate.tried as usize % self.worlds.len().max(1);
        let Some(world) = self.worlds.get(world) else { return };
        self.work.clone_from(world);
        reseed(&mut self.work, derive(self.seed, 2, number));
        let mut trail = Trail::new();
        note(&self.work, self.decision, &candidate.picks, &mut trail);
        if self.work.answer(&candidate.picks).is_err() {
            // Cannot be paid, or not be judged: worse than anything.
            candidate.sum -= ILLEGAL;
            return;
        }
        let mut path = Path::new();
        let worths = self.descend(&mut candidate.tree, &mut path, &mut trail);
        candidate.tree.learn(&path, &worths);
        for (player, kind) in trail {
            self.habits.learn(kind, worths.get(player).copied().unwrap_or(0.5));
        }
        candidate.sum += worths.get(self.decision.player).copied().unwrap_or(0.5);
    }

    /// Goes down the tree as far as it reaches, one step further, and plays out.
    fn descend(&mut self, tree: &mut Tree, path: &mut Path, trail: &mut Trail) -> Rewards {
        let (mut node, mut arm) = START;
        let mut below = false;
        while !below {
            let decision = match advance(&mut self.work) {
                StepResult::Over(outcome) => return self.horizon.ended(outcome),
                StepResult::Asked(decision) => decision,
            };
            if self.horizon.is_reached(&self.work) {
                return self.horizon.measure(&mut self.work);
            }
            if let Some(pay) = paying(&decision) {
                if self.work.answer(&pay).is_err() {
                    break;
                }
                continue;
            }
            node = tree.next(node, arm, asked(&decision));
            let chosen = tree.choose(node, &self.work, &decision, self.habits, &mut self.random, &mut self.dice);
            let Some((chosen, picks, fresh)) = chosen else { break };
            arm = chosen;
            note(&self.work, &decision, &picks, trail);
            path.push((node, arm, decision.player));
            if self.work.answer(&picks).is_err() {
                break;
            }
            below = fresh;
        }
        self.horizon.play(&mut self.work, self.habits, &mut self.random, &mut self.dice, trail)
    }
}
