//! The greedy bot: one-turn lookahead. It tries answers on clones of one determinised copy of the game.
//!
//! Each clone is played to the end of the turn with default answers (all players pass). The evaluation of the format is the score.

use crate::Bot;
use fizzle_runtime::dice::derive;
use fizzle_runtime::game::advance;
use fizzle_runtime::view::determinise;
use fizzle_runtime::vm::decision::{Choice, Decision, DecisionKind};
use fizzle_runtime::vm::machine::{Machine, Outcome, StepResult};
use std::collections::BTreeSet;

/// The maximum number of answers tried for one decision. Each trial may try a share of this number for the decisions it leads to.
const MAX_TRIALS: usize = 64;

/// The fuel limit of one step of a trial.
const MAX_STEP_FUEL: u64 = 2_000_000;

/// The operations of all trials for one decision together: those of two decisions of a game. Then no further answer is tried.
const MAX_OPERATIONS: u64 = 40_000_000;

/// The maximum number of decisions that a trial answers.
const MAX_DECISIONS_FOLLOWED: usize = 48;

/// The maximum number of successive decisions within a trial whose answers are tried.
const MAX_DEPTH: usize = 2;

/// The maximum number of options tried for a decision within a trial.
const MAX_OPTIONS_TRIED: usize = 6;

/// The greedy bot. It gives the answer with the best score; among equal scores, the first. In its copies, hidden information that its
/// seat does not know is permuted.
#[derive(Clone, Debug)]
pub struct Greedy {
    seed: u64,
    decisions: u64,
}

impl Greedy {
    /// Creates a bot from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { seed, decisions: 0 }
    }
}

/// The trials for one decision, on one determinised copy of the game.
struct Lookahead {
    determinised: Machine,
    player: usize,
    trials_left: usize,
    operations_left: u64,
}

impl Lookahead {
    /// Whether no further answer is tried.
    fn is_exhausted(&self) -> bool {
        self.trials_left == 0 || self.operations_left == 0
    }

    /// The score of an answer; `i64::MIN` if it is not legal.
    fn score(&mut self, picks: &[u32]) -> i64 {
        let mut copy = self.determinised.clone();
        if copy.answer(picks).is_err() {
            return i64::MIN;
        }
        self.trials_left = self.trials_left.saturating_sub(1);
        self.follow(copy, 0, 0)
    }

    /// As [`Lookahead::score`], with `share` trials for the decisions that the answer itself leads to. Counts as one trial.
    fn score_within(&mut self, picks: &[u32], share: usize) -> i64 {
        let after = self.trials_left.saturating_sub(1);
        self.trials_left = share;
        let score = self.score(picks);
        self.trials_left = after;
        score
    }

    /// Plays on to the end of the turn and returns the score. All players pass; other decisions get the default answer, or the best of a
    /// few tried answers.
    fn follow(&mut self, mut copy: Machine, depth: usize, mut followed: usize) -> i64 {
        let turn = self.determinised.state.turn();
        // Only the decisions that the answer itself leads to are tried. If later ones were too, later answers would score better.
        let mut asking = true;
        loop {
            let step = advance(&mut copy);
            self.operations_left = self.operations_left.saturating_sub(copy.fuel());
            let decision = match step {
                StepResult::Over(outcome) => return self.score_outcome(outcome),
                StepResult::Decision(decision) => decision,
            };
            followed += 1;
            if copy.state.turn() != turn || followed > MAX_DECISIONS_FOLLOWED || self.operations_left == 0 {
                return self.score_position(&mut copy);
            }
            asking &= decision.player == self.player && decision.kind != DecisionKind::Act;
            if asking && depth < MAX_DEPTH && !self.is_exhausted() {
                let answers = inner_answers(&decision);
                if answers.len() > 1 {
                    return self.best_within(&copy, answers, depth, followed);
                }
            }
            if copy.answer(&default_answer(&decision)).is_err() {
                return self.score_position(&mut copy);
            }
        }
    }

    fn best_within(&mut self, machine: &Machine, answers: Vec<Vec<u32>>, depth: usize, followed: usize) -> i64 {
        let mut best = i64::MIN;
        for answer in answers {
            let mut copy = machine.clone();
            if copy.answer(&answer).is_err() {
                continue;
            }
            self.trials_left = self.trials_left.saturating_sub(1);
            best = best.max(self.follow(copy, depth + 1, followed));
            if self.is_exhausted() {
                break;
            }
        }
        best
    }

    fn score_outcome(&self, outcome: Outcome) -> i64 {
        match outcome {
            Outcome::Won(winner) if winner == self.player => i64::MAX,
            Outcome::Won(_) => i64::MIN + 1,
            Outcome::Drawn => i64::MIN / 4,
            Outcome::Budget(_) => i64::MIN / 2,
        }
    }

    fn score_position(&self, copy: &mut Machine) -> i64 {
        match copy.program.format.evaluate {
            Some(evaluate) => copy.number(evaluate, &[0, self.player as i64]).clamp(i64::MIN / 8, i64::MAX - 1),
            None => 0,
        }
    }

    /// The answer with the best score, the first among equal ones.
    fn best_answer(&mut self, answers: impl IntoIterator<Item = Vec<u32>>) -> Option<(i64, Vec<u32>)> {
        let mut best: Option<(i64, Vec<u32>)> = None;
        let answers: Vec<Vec<u32>> = answers.into_iter().collect();
        // Each answer gets an equal share of the trials, but enough for one decision within its trial.
        let share = (self.trials_left / answers.len().max(1)).max(MAX_OPTIONS_TRIED + 1);
        for answer in answers {
            if self.is_exhausted() {
                break;
            }
            let score = self.score_within(&answer, share);
            if best.as_ref().is_none_or(|(most, _)| score > *most) {
                best = Some((score, answer));
            }
        }
        best
    }
}

/// The default answer to a decision within a trial.
fn default_answer(decision: &Decision) -> Vec<u32> {
    let at = |wanted: Choice| decision.options.iter().position(|choice| *choice == wanted).map(|index| vec![index as u32]);
    match decision.kind {
        DecisionKind::Number => vec![decision.min as i32 as u32],
        DecisionKind::Divide => decision.default_division(0),
        DecisionKind::Act => at(Choice::Pass).unwrap_or_else(|| vec![0]),
        DecisionKind::Pay => at(Choice::PayNow).unwrap_or_else(|| decision.considered_options().into_iter().take(1).collect()),
        DecisionKind::Assign => decision.proposal().unwrap_or_default(),
        _ => {
            let options = decision.considered_options();
            let (min, _) = decision.size_range(options.len());
            options.iter().copied().cycle().take(if options.is_empty() { 0 } else { min }).collect()
        }
    }
}

/// The answers that are tried for a decision within a trial: no option or one option of a text, yes and no.
fn inner_answers(decision: &Decision) -> Vec<Vec<u32>> {
    let of_text = matches!(decision.kind, DecisionKind::Choose | DecisionKind::Modes | DecisionKind::YesNo);
    if !of_text || decision.min > 1 || decision.max < 1 {
        return Vec::new();
    }
    let none = (decision.min == 0).then(Vec::new);
    let ones = (0..decision.options.len().min(MAX_OPTIONS_TRIED) as u32).map(|option| vec![option]);
    none.into_iter().chain(ones).collect()
}

impl Bot for Greedy {
    fn choose(&mut self, machine: &Machine, decision: &Decision) -> Vec<u32> {
        if decision.kind == DecisionKind::Pay
            && let Some(pay) = decision.proposal()
        {
            return pay;
        }
        self.decisions += 1;
        let mut determinised = determinise(machine, decision.player, derive(self.seed, self.decisions, 0));
        determinised.recording = false;
        determinised.log.clear();
        determinised.limits.fuel = determinised.limits.fuel.min(MAX_STEP_FUEL);
        let mut trials =
            Lookahead { determinised, player: decision.player, trials_left: MAX_TRIALS, operations_left: MAX_OPERATIONS };
        if decision.kind == DecisionKind::Number {
            let numbers = sample_numbers(decision.min, decision.max).map(|n| vec![n as i32 as u32]);
            return trials.best_answer(numbers).map_or_else(|| vec![decision.min as i32 as u32], |(_, answer)| answer);
        }
        if decision.kind == DecisionKind::Divide {
            return best_division(&mut trials, decision);
        }
        let options = decision.considered_options();
        let (min, max) = decision.size_range(options.len());
        if min == 1 && max == 1 {
            let first = options.first().copied().into_iter().collect();
            return trials.best_answer(options.iter().map(|option| vec![*option])).map_or(first, |(_, answer)| answer);
        }
        best_subset(&mut trials, decision, &options, min, max)
    }
}

/// A good subset, by local search: starts from a minimal legal one and adds, exchanges or (in declarations) removes one option while
/// the score improves.
fn best_subset(trials: &mut Lookahead, decision: &Decision, options: &[u32], min: usize, max: usize) -> Vec<u32> {
    let mut current: Vec<u32> = if let Some(legal) = decision.proposal() {
        legal
    } else if decision.repeats && options.len() < min {
        options.iter().copied().cycle().take(min).collect()
    } else {
        options.iter().copied().take(min).collect()
    };
    let share = (trials.trials_left / (options.len() + 1)).max(MAX_OPTIONS_TRIED + 1);
    let mut score = trials.score_within(&current, share);
    while !trials.is_exhausted() {
        let taken: BTreeSet<u32> = if decision.repeats { BTreeSet::new() } else { current.iter().copied().collect() };
        let fresh = options.iter().filter(|option| !taken.contains(option));
        let mut answers: Vec<Vec<u32>> = Vec::new();
        let added = fresh.clone().take(if current.len() < max { trials.trials_left } else { 0 });
        answers.extend(added.map(|option| current.iter().copied().chain([*option]).collect::<Vec<u32>>()));
        // More answers than trials are left are not built: a choice among a thousand options has millions of exchanges.
        let exchanges = (0..current.len()).flat_map(|place| fresh.clone().map(move |option| (place, option)));
        answers.extend(exchanges.take(trials.trials_left).map(|(place, option)| {
            let mut exchanged = current.clone();
            if let Some(slot) = exchanged.get_mut(place) {
                *slot = *option;
            }
            exchanged
        }));
        if decision.board.is_some() {
            answers.extend((0..current.len()).take(trials.trials_left).map(|place| {
                let mut fewer = current.clone();
                fewer.remove(place);
                fewer
            }));
        }
        match trials.best_answer(answers) {
            Some((better, answer)) if better > score => {
                score = better;
                current = answer;
            }
            _ => break,
        }
    }
    current
}

/// A good division, by local search: starts with the whole rest at one option and moves 1 or half of a share while the score improves.
fn best_division(trials: &mut Lookahead, decision: &Decision) -> Vec<u32> {
    let n = decision.options.len();
    let least = decision.min as u32;
    let Some((mut score, mut current)) = trials.best_answer((0..n.min(MAX_TRIALS)).map(|most| decision.default_division(most)))
    else {
        return decision.default_division(0);
    };
    while !trials.is_exhausted() {
        let mut answers = Vec::new();
        let pairs = (0..n).flat_map(|from| (0..n).map(move |to| (from, to))).filter(|(from, to)| from != to);
        for (from, to) in pairs.take(trials.trials_left) {
            let spare = current.get(from).map_or(0, |share| share - least);
            for moved in [1, spare / 2].into_iter().filter(|moved| (1..=spare).contains(moved)) {
                let mut answer = current.clone();
                if let Some(share) = answer.get_mut(from) {
                    *share -= moved;
                }
                if let Some(share) = answer.get_mut(to) {
                    *share += moved;
                }
                answers.push(answer);
            }
        }
        match trials.best_answer(answers) {
            Some((better, answer)) if better > score => (score, current) = (better, answer),
            _ => break,
        }
    }
    current
}

/// Numbers of a range: all of them if there are at most 17, else 17 evenly spaced ones with both ends.
fn sample_numbers(min: i64, max: i64) -> impl Iterator<Item = i64> {
    let span = max.saturating_sub(min).max(0);
    let steps = span.min(16);
    (0..=steps).map(move |i| if steps == 0 { min } else { min + (i128::from(span) * i128::from(i) / i128::from(steps)) as i64 })
}

#[cfg(test)]
mod tests {
    use super::sample_numbers;

    #[test]
    fn sample_numbers_is_even_and_has_both_ends() {
        assert_eq!(sample_numbers(0, 3).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!(sample_numbers(-5, 1000).last(), Some(1000));
        assert_eq!(sample_numbers(4, 4).collect::<Vec<_>>(), [4]);
    }
}
