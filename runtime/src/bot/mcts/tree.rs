//! The tree below the answers that are compared: one tree for all copies of the game, its branches told apart by what players can see.

use super::action_values::ActionValues;
use super::observation_keys::{mix, option};
use super::playout::likely;
use crate::bot::{Dice, Random, considered, size_range};
use crate::vm::Machine;
use crate::vm::decision::{Decision, DecisionKind};

/// How much more is tried what was tried seldom.
const CURIOSITY: f64 = 0.5;

/// An answer in terms that hold in every copy: options (for a number: none, and the number itself) and their shares.
pub(super) type Answer = Vec<(u64, u32)>;

/// An answer that was tried.
#[derive(Clone, Debug)]
struct TreeEdge {
    answer: Answer,
    tried: u32,
    sum: f64,
    next: Vec<(u64, usize)>,
}

/// A decision that was met.
#[derive(Clone, Debug, Default)]
struct Node {
    arms: Vec<TreeEdge>,
    visits: u32,
}

/// Decisions and answers; node 0 has the one arm [`START`], after which the tree begins.
#[derive(Clone, Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
}

impl Default for Tree {
    fn default() -> Self {
        let mut start = Node::default();
        start.add(Answer::new());
        Self { nodes: vec![start] }
    }
}

/// Where a tree begins: node and arm.
pub(super) const START: (usize, usize) = (0, 0);

/// A step down the tree: node and arm, and who answered.
pub(super) type Path = Vec<(usize, usize, usize)>;

/// Whether the answers of a decision are just its options.
fn is_plain(decision: &Decision, options: &[u32]) -> bool {
    !matches!(decision.kind, DecisionKind::Number | DecisionKind::Divide | DecisionKind::Assign)
        && size_range(decision, options.len()) == (1, 1)
}

/// Picks in terms that hold in every copy.
pub(super) fn lifted(machine: &Machine, decision: &Decision, picks: &[u32]) -> Answer {
    let mut answer: Answer = match decision.kind {
        DecisionKind::Number => picks.iter().map(|number| (0, *number)).collect(),
        DecisionKind::Divide => picks.iter().enumerate().map(|(i, share)| (option(machine, decision, i), *share)).collect(),
        _ => picks.iter().map(|pick| (option(machine, decision, *pick as usize), 1)).collect(),
    };
    answer.sort_unstable();
    answer
}

/// The picks of an answer in this copy, if it has them.
fn lowered(decision: &Decision, names: &[u64], answer: &Answer) -> Option<Vec<u32>> {
    if decision.kind == DecisionKind::Number {
        return answer.first().map(|(_, number)| vec![*number]);
    }
    let divided = decision.kind == DecisionKind::Divide;
    let mut shares = vec![0; if divided { names.len() } else { 0 }];
    let mut picks: Vec<u32> = Vec::with_capacity(answer.len());
    for (wanted, share) in answer {
        let free = |index: usize| decision.repeats || !picks.contains(&(index as u32));
        let index = names.iter().enumerate().position(|(index, name)| name == wanted && free(index))?;
        picks.push(index as u32);
        if let Some(place) = shares.get_mut(index) {
            *place = *share;
        }
    }
    Some(if divided { shares } else { picks })
}

impl Tree {
    /// Chooses an answer at a node: one that was worth much or was tried seldom, sometimes one that was not thought of before.
    /// The node's arm, its picks, and whether it is tried for the first time.
    pub fn choose(
        &mut self,
        node: usize,
        machine: &Machine,
        decision: &Decision,
        habits: &ActionValues,
        random: &mut Random,
        dice: &mut Dice,
    ) -> Option<(usize, Vec<u32>, bool)> {
        let options = considered(decision);
        let names: Vec<u64> = (0..decision.options.len()).map(|index| option(machine, decision, index)).collect();
        let node = self.nodes.get_mut(node)?;
        node.visits += 1;
        if is_plain(decision, &options) {
            for option in &options {
                node.add(vec![(names.get(*option as usize).copied().unwrap_or(0), 1)]);
            }
        }
        let mut open: Vec<(usize, Vec<u32>)> = Vec::new();
        for (index, arm) in node.arms.iter().enumerate() {
            if let Some(picks) = lowered(decision, &names, &arm.answer).filter(|picks| decision.check(picks).is_ok()) {
                open.push((index, picks));
            }
        }
        if !is_plain(decision, &options) && (open.len() as u32).pow(2) <= node.visits {
            let picks = likely(machine, decision, habits, random, dice);
            let index = node.add(lifted(machine, decision, &picks));
            if !open.iter().any(|(other, _)| *other == index) {
                open.push((index, picks));
            }
        }
        let root = f64::from(node.visits).sqrt();
        let mut best: Option<(f64, usize, Vec<u32>)> = None;
        for (index, picks) in open {
            let Some(arm) = node.arms.get(index) else { continue };
            let guess = picks
                .first()
                .map_or(0.5, |pick| habits.worth(super::observation_keys::action_key(machine, decision, *pick as usize)));
            let tried = f64::from(arm.tried) + 1.0;
            let score = (arm.sum + guess) / tried + CURIOSITY * root / tried / 4.0;
            if best.as_ref().is_none_or(|(most, ..)| score > *most) {
                best = Some((score, index, picks));
            }
        }
        let (_, index, picks) = best?;
        let fresh = node.arms.get(index).is_some_and(|arm| arm.tried == 0);
        Some((index, picks, fresh))
    }

    /// The node of the decision that came after an answer.
    pub fn next(&mut self, node: usize, arm: usize, asked: u64) -> usize {
        let fresh = self.nodes.len();
        let Some(arm) = self.nodes.get_mut(node).and_then(|node| node.arms.get_mut(arm)) else { return 0 };
        if let Some((_, next)) = arm.next.iter().find(|(question, _)| *question == asked) {
            return *next;
        }
        arm.next.push((asked, fresh));
        self.nodes.push(Node::default());
        fresh
    }

    /// Notes what a path led to.
    pub fn learn(&mut self, path: &Path, worths: &[f64]) {
        for (node, arm, player) in path {
            if let Some(arm) = self.nodes.get_mut(*node).and_then(|node| node.arms.get_mut(*arm)) {
                arm.tried += 1;
                arm.sum += worths.get(*player).copied().unwrap_or(0.5);
            }
        }
    }
}

impl Node {
    /// The arm of an answer.
    fn add(&mut self, answer: Answer) -> usize {
        if let Some(index) = self.arms.iter().position(|arm| arm.answer == answer) {
            return index;
        }
        self.arms.push(TreeEdge { answer, tried: 0, sum: 0.0, next: Vec::new() });
        self.arms.len() - 1
    }
}

/// A question as it is told from others below the same answer.
pub(super) fn asked(decision: &Decision) -> u64 {
    mix(super::observation_keys::decision_key(decision), 7)
}
