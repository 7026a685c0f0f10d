//! The greedy bot: tries answers on copies of the game, plays each copy to the end of the turn with everybody passing, and compares
//! what the format evaluates there.

use super::{Bot, considered, derive, size_range};
use crate::game::advance;
use crate::view::determinise;
use crate::vm::decision::{Choice, Decision, DecisionKind};
use crate::vm::{Machine, Outcome, StepResult};
use std::collections::BTreeSet;

/// How many answers are tried at most for one decision.
const TRIALS: usize = 64;

/// How many operations one step of a trial may take.
const TRIAL_FUEL: u64 = 2_000_000;

/// How many decisions a trial follows.
const FOLLOWED: usize = 48;

/// How many answers of its own are tried within a trial, one after the other.
const DEPTH: usize = 2;

/// How many options of a decision within a trial are tried.
const WIDTH: usize = 6;

/// Tries each answer on a copy, looks where it leads, and takes the best one; the first of equal ones.
/// What its seat cannot know is shuffled in the copy.
#[derive(Clone, Debug)]
pub struct Greedy {
    seed: u64,
    asked: u64,
}

impl Greedy {
    /// A bot of a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self { seed, asked: 0 }
    }
}

/// The trials of one decision.
struct Lookahead {
    imagined: Machine,
    player: usize,
    left: usize,
}

impl Lookahead {
    /// What an answer leads to.
    fn score(&mut self, picks: &[u32]) -> i64 {
        let mut copy = self.imagined.clone();
        if copy.answer(picks).is_err() {
            return i64::MIN;
        }
        self.left = self.left.saturating_sub(1);
        self.follow(copy, 0, 0)
    }

    /// As [`Lookahead::score`], with so many trials for what the answer asks.
    fn score_within(&mut self, picks: &[u32], share: usize) -> i64 {
        let after = self.left.saturating_sub(1);
        self.left = share;
        let score = self.score(picks);
        self.left = after;
        score
    }

    /// Plays on until the turn is over. Everybody passes; what is begun is carried out as well as it can be.
    fn follow(&mut self, mut copy: Machine, depth: usize, mut followed: usize) -> i64 {
        let turn = self.imagined.state.turn();
        // What the answer itself asks is tried; what comes up later is not, or an answer would look better for coming later.
        let mut asking = true;
        loop {
            let decision = match advance(&mut copy) {
                StepResult::Over(outcome) => return self.outcome(outcome),
                StepResult::Asked(decision) => decision,
            };
            followed += 1;
            if copy.state.turn() != turn || followed > FOLLOWED {
                return self.evaluate(&mut copy);
            }
            asking &= decision.player == self.player && decision.kind != DecisionKind::Act;
            if asking && depth < DEPTH && self.left > 0 {
                let answers = inner_answers(&decision);
                if answers.len() > 1 {
                    return self.best_within(&copy, answers, depth, followed);
                }
            }
            if copy.answer(&usual(&decision)).is_err() {
                return self.evaluate(&mut copy);
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
            self.left = self.left.saturating_sub(1);
            best = best.max(self.follow(copy, depth + 1, followed));
            if self.left == 0 {
                break;
            }
        }
        best
    }

    fn outcome(&self, outcome: Outcome) -> i64 {
        match outcome {
            Outcome::Won(winner) if winner == self.player => i64::MAX,
            Outcome::Won(_) => i64::MIN + 1,
            Outcome::Drawn => i64::MIN / 4,
            Outcome::Budget(_) => i64::MIN / 2,
        }
    }

    fn evaluate(&self, copy: &mut Machine) -> i64 {
        match copy.program.format.evaluate {
            Some(evaluate) => copy.number(evaluate, &[0, self.player as i64]).clamp(i64::MIN / 8, i64::MAX - 1),
            None => 0,
        }
    }

    /// The best of some answers, the first of equal ones.
    fn best(&mut self, answers: impl IntoIterator<Item = Vec<u32>>) -> Option<(i64, Vec<u32>)> {
        let mut best: Option<(i64, Vec<u32>)> = None;
        let answers: Vec<Vec<u32>> = answers.into_iter().collect();
        // Each answer has its share of the trials, and room for what it asks.
        let share = (self.left / answers.len().max(1)).max(WIDTH + 1);
        for answer in answers {
            if self.left == 0 {
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

/// What is answered in a trial without thinking.
fn usual(decision: &Decision) -> Vec<u32> {
    let at = |wanted: Choice| decision.options.iter().position(|choice| *choice == wanted).map(|index| vec![index as u32]);
    match decision.kind {
        DecisionKind::Number => vec![decision.min as i32 as u32],
        DecisionKind::Divide => decision.default_division(0),
        DecisionKind::Act => at(Choice::Pass).unwrap_or_else(|| vec![0]),
        DecisionKind::Pay => at(Choice::PayNow).unwrap_or_else(|| considered(decision).into_iter().take(1).collect()),
        DecisionKind::Assign => decision.proposal().unwrap_or_default(),
        _ => {
            let options = considered(decision);
            let (min, _) = size_range(decision, options.len());
            options.iter().copied().cycle().take(if options.is_empty() { 0 } else { min }).collect()
        }
    }
}

/// The answers of its own that are tried within a trial: none or one of the options of a text, yes and no.
fn inner_answers(decision: &Decision) -> Vec<Vec<u32>> {
    let of_text = matches!(decision.kind, DecisionKind::Choose | DecisionKind::Modes | DecisionKind::YesNo);
    if !of_text || decision.min > 1 || decision.max < 1 {
        return Vec::new();
    }
    let none = (decision.min == 0).then(Vec::new);
    let ones = (0..decision.options.len().min(WIDTH) as u32).map(|option| vec![option]);
    none.into_iter().chain(ones).collect()
}

impl Bot for Greedy {
    fn choose(&mut self, machine: &Machine, decision: &Decision) -> Vec<u32> {
        self.asked += 1;
        let mut imagined = determinise(machine, decision.player, derive(self.seed, self.asked, 0));
        imagined.recording = false;
        imagined.log.clear();
        imagined.limits.fuel = imagined.limits.fuel.min(TRIAL_FUEL);
        let mut trials = Lookahead { imagined, player: decision.player, left: TRIALS };
        if decision.kind == DecisionKind::Number {
            let numbers = sampled(decision.min, decision.max).map(|n| vec![n as i32 as u32]);
            return trials.best(numbers).map_or_else(|| vec![decision.min as i32 as u32], |(_, answer)| answer);
        }
        if decision.kind == DecisionKind::Divide {
            return shares(&mut trials, decision);
        }
        let options = considered(decision);
        let (min, max) = size_range(decision, options.len());
        if min == 1 && max == 1 {
            let first = options.first().copied().into_iter().collect();
            return trials.best(options.iter().map(|option| vec![*option])).map_or(first, |(_, answer)| answer);
        }
        subset(&mut trials, decision, &options, min, max)
    }
}

/// A good subset: the least legal one, then one option more or exchanged as long as that is better.
fn subset(trials: &mut Lookahead, decision: &Decision, options: &[u32], min: usize, max: usize) -> Vec<u32> {
    let mut current: Vec<u32> = if let Some(legal) = decision.proposal() {
        legal
    } else if decision.repeats && options.len() < min {
        options.iter().copied().cycle().take(min).collect()
    } else {
        options.iter().copied().take(min).collect()
    };
    let share = (trials.left / (options.len() + 1)).max(WIDTH + 1);
    let mut score = trials.score_within(&current, share);
    while trials.left > 0 {
        let taken: BTreeSet<u32> = if decision.repeats { BTreeSet::new() } else { current.iter().copied().collect() };
        let fresh = options.iter().filter(|option| !taken.contains(option));
        let mut answers: Vec<Vec<u32>> = Vec::new();
        for option in fresh.clone() {
            if current.len() < max {
                answers.push(current.iter().copied().chain([*option]).collect());
            }
        }
        for place in 0..current.len() {
            for option in fresh.clone() {
                let mut exchanged = current.clone();
                if let Some(slot) = exchanged.get_mut(place) {
                    *slot = *option;
                }
                answers.push(exchanged);
            }
        }
        if decision.board.is_some() {
            answers.extend((0..current.len()).map(|place| {
                let mut fewer = current.clone();
                fewer.remove(place);
                fewer
            }));
        }
        match trials.best(answers) {
            Some((better, answer)) if better > score => {
                score = better;
                current = answer;
            }
            _ => break,
        }
    }
    current
}

/// A good division: all that is left over to one, then by halves from one to another as long as that is better.
fn shares(trials: &mut Lookahead, decision: &Decision) -> Vec<u32> {
    let n = decision.options.len();
    let least = decision.min as u32;
    let Some((mut score, mut current)) = trials.best((0..n).map(|most| decision.default_division(most))) else {
        return decision.default_division(0);
    };
    while trials.left > 0 {
        let mut answers = Vec::new();
        for (from, to) in (0..n).flat_map(|from| (0..n).map(move |to| (from, to))).filter(|(from, to)| from != to) {
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
        match trials.best(answers) {
            Some((better, answer)) if better > score => (score, current) = (better, answer),
            _ => break,
        }
    }
    current
}

/// Numbers of a range: all when there are few, else spread evenly, both ends included.
fn sampled(min: i64, max: i64) -> impl Iterator<Item = i64> {
    let span = max.saturating_sub(min).max(0);
    let steps = span.min(16);
    (0..=steps).map(move |i| if steps == 0 { min } else { min + (i128::from(span) * i128::from(i) / i128::from(steps)) as i64 })
}

#[cfg(test)]
mod tests {
    use super::sampled;

    #[test]
    fn numbers_are_sampled_evenly() {
        assert_eq!(sampled(0, 3).collect::<Vec<_>>(), [0, 1, 2, 3]);
        assert_eq!(sampled(-5, 1000).last(), Some(1000));
        assert_eq!(sampled(4, 4).collect::<Vec<_>>(), [4]);
    }
}
