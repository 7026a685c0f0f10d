//! The search tree below one answer of the root: shared by all copies of the game, with edges keyed by what players can observe.

use super::action_values::ActionValues;
use super::observation_keys::{mix, option_key};
use super::playout::guided_answer;
use crate::Random;
use fizzle_runtime::dice::Dice;
use fizzle_runtime::vm::decision::{Decision, DecisionKind};
use fizzle_runtime::vm::machine::Machine;

/// The weight of exploration against exploitation.
const EXPLORATION: f64 = 0.5;

/// An answer that is valid in every copy: option keys with their shares (1 if nothing is divided; for a number, key 0 and the number).
pub(super) type Answer = Vec<(u64, u32)>;

/// An answer at a node. `next`: the child nodes, by the key of the next decision.
#[derive(Clone, Debug)]
struct TreeEdge {
    answer: Answer,
    visits: u32,
    sum: f64,
    next: Vec<(u64, usize)>,
}

/// A decision that was reached.
#[derive(Clone, Debug, Default)]
struct Node {
    edges: Vec<TreeEdge>,
    visits: u32,
}

/// The tree. Node 0 is a sentinel with one edge, [`START`]; the decisions follow below it.
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

/// The start of a descent: node and edge.
pub(super) const START: (usize, usize) = (0, 0);

/// A path down the tree: nodes, edges, and the seats that answered.
pub(super) type Path = Vec<(usize, usize, usize)>;

/// Whether every answer of a decision is one option.
fn has_single_pick(decision: &Decision, options: &[u32]) -> bool {
    !matches!(decision.kind, DecisionKind::Number | DecisionKind::Divide | DecisionKind::Assign)
        && decision.size_range(options.len()) == (1, 1)
}

/// Converts picks to an answer that is valid in every copy.
pub(super) fn to_answer(machine: &Machine, decision: &Decision, picks: &[u32]) -> Answer {
    let mut answer: Answer = match decision.kind {
        DecisionKind::Number => picks.iter().map(|number| (0, *number)).collect(),
        DecisionKind::Divide => picks.iter().enumerate().map(|(i, share)| (option_key(machine, decision, i), *share)).collect(),
        _ => picks.iter().map(|pick| (option_key(machine, decision, *pick as usize), 1)).collect(),
    };
    answer.sort_unstable();
    answer
}

/// Converts an answer to picks in this copy; `None` if an option is not available here.
fn to_picks(decision: &Decision, names: &[u64], answer: &Answer) -> Option<Vec<u32>> {
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
    /// Selects an answer at a node by its average reward and an exploration bonus. Returns the edge, its picks, and whether this is its
    /// first visit. Decisions whose answers are not single options use progressive widening: a new answer is added while the number of
    /// answers is at most the square root of the visits.
    pub fn choose(
        &mut self,
        node: usize,
        machine: &Machine,
        decision: &Decision,
        action_values: &ActionValues,
        random: &mut Random,
        dice: &mut Dice,
    ) -> Option<(usize, Vec<u32>, bool)> {
        let options = decision.considered_options();
        let names: Vec<u64> = (0..decision.options.len()).map(|index| option_key(machine, decision, index)).collect();
        let node = self.nodes.get_mut(node)?;
        node.visits += 1;
        if has_single_pick(decision, &options) {
            for option in &options {
                node.add(vec![(names.get(*option as usize).copied().unwrap_or(0), 1)]);
            }
        }
        let mut open: Vec<(usize, Vec<u32>)> = Vec::new();
        for (index, edge) in node.edges.iter().enumerate() {
            if let Some(picks) = to_picks(decision, &names, &edge.answer).filter(|picks| decision.check(picks).is_ok()) {
                open.push((index, picks));
            }
        }
        if !has_single_pick(decision, &options) && (open.len() as u32).pow(2) <= node.visits {
            let picks = guided_answer(machine, decision, action_values, random, dice);
            let index = node.add(to_answer(machine, decision, &picks));
            if !open.iter().any(|(other, _)| *other == index) {
                open.push((index, picks));
            }
        }
        let root = f64::from(node.visits).sqrt();
        let mut best: Option<(f64, usize, Vec<u32>)> = None;
        for (index, picks) in open {
            let Some(edge) = node.edges.get(index) else { continue };
            let guess = picks
                .first()
                .map_or(0.5, |pick| action_values.value(super::observation_keys::action_key(machine, decision, *pick as usize)));
            let tried = f64::from(edge.visits) + 1.0;
            let score = (edge.sum + guess) / tried + EXPLORATION * root / tried / 4.0;
            if best.as_ref().is_none_or(|(most, ..)| score > *most) {
                best = Some((score, index, picks));
            }
        }
        let (_, index, picks) = best?;
        let fresh = node.edges.get(index).is_some_and(|edge| edge.visits == 0);
        Some((index, picks, fresh))
    }

    /// The child of an edge for a decision key; adds it if there is none.
    pub fn child(&mut self, node: usize, edge: usize, key: u64) -> usize {
        let fresh = self.nodes.len();
        let Some(edge) = self.nodes.get_mut(node).and_then(|node| node.edges.get_mut(edge)) else { return 0 };
        if let Some((_, next)) = edge.next.iter().find(|(question, _)| *question == key) {
            return *next;
        }
        edge.next.push((key, fresh));
        self.nodes.push(Node::default());
        fresh
    }

    /// Adds the rewards of a playout to the edges of a path.
    pub fn learn(&mut self, path: &Path, rewards: &[f64]) {
        for (node, edge, player) in path {
            if let Some(edge) = self.nodes.get_mut(*node).and_then(|node| node.edges.get_mut(*edge)) {
                edge.visits += 1;
                edge.sum += rewards.get(*player).copied().unwrap_or(0.5);
            }
        }
    }
}

impl Node {
    /// The edge of an answer; adds it if there is none.
    fn add(&mut self, answer: Answer) -> usize {
        if let Some(index) = self.edges.iter().position(|edge| edge.answer == answer) {
            return index;
        }
        self.edges.push(TreeEdge { answer, visits: 0, sum: 0.0, next: Vec::new() });
        self.edges.len() - 1
    }
}

/// The key that distinguishes the decisions below one edge.
pub(super) fn edge_key(decision: &Decision) -> u64 {
    mix(super::observation_keys::decision_key(decision), 7)
}
