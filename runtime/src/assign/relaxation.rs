//! The flow relaxation of a subproblem: an upper bound on its value, and the declaration that reaches the bound in the relaxation.
//!
//! Constraints that a network flow can express are exact. Other restrictions are dropped, and other requirements count as met, so the
//! bound is never too low.

use super::flow::{Network, SINK, SOURCE};
use super::{AssignmentProblem, PairSet};

/// What the search has decided about a cardinality.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LimitDecision {
    /// Not decided.
    Free,
    /// No unit is chosen.
    Zero,
    /// At least the lower bound is chosen.
    Some,
}

/// A node of the search tree: the declarations that satisfy these decisions.
#[derive(Clone, Debug)]
pub(super) struct Subproblem {
    /// Pairs that must not be chosen.
    pub banned: PairSet,
    /// Pairs that must be chosen.
    pub fixed: PairSet,
    /// One decision for each cardinality.
    pub limit_decisions: Vec<LimitDecision>,
    /// For each implication, whether its condition is known to be true.
    pub implication_active: Vec<bool>,
    /// Groups of which at least one pair must be chosen.
    pub required_groups: Vec<Vec<u32>>,
    /// For each requirement, whether the pairs that must be chosen meet it.
    pub requirement_met: Vec<bool>,
}

/// A bound and the declaration that reaches it in the relaxation.
#[derive(Clone, Debug)]
pub(super) struct Relaxation {
    /// An upper bound on the value of every declaration of the subproblem.
    pub bound: i64,
    /// The pairs that the flow chose. They may break constraints that the relaxation drops.
    pub chosen: PairSet,
}

/// All values are multiples of this. Smaller gains only guide the flow towards required groups that the network cannot express; bounds
/// are rounded down to a multiple.
const VALUE_UNIT: i64 = 1 << 14;

/// The weights of the objective.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    /// The value of a requirement that is met.
    pub requirement: i64,
    /// The value of each pair.
    pub pairs: Vec<i64>,
    /// The weight of a pair or group that must be chosen: larger than all other values together.
    pub required: i64,
}

impl Weights {
    /// Requirements count first, then agreement with the declaration `like` if one is given.
    pub(super) fn new(problem: &AssignmentProblem, like: Option<&PairSet>) -> Self {
        let count = problem.pairs.len() as i64;
        let agree = |pair: u32| like.map_or(0, |like| if like.has(pair) { VALUE_UNIT } else { -VALUE_UNIT });
        let want = if like.is_some() { (2 * count + 2) * VALUE_UNIT } else { VALUE_UNIT };
        Self {
            requirement: want,
            pairs: (0..problem.pairs.len() as u32).map(agree).collect(),
            required: want * (problem.requirements.len() as i64 + 1) * 2 + (4 * count + 4) * VALUE_UNIT,
        }
    }

    /// The value of a declaration.
    pub(super) fn value_of(&self, problem: &AssignmentProblem, chosen: &PairSet) -> i64 {
        let own: i64 = chosen.items().iter().filter_map(|pair| self.pairs.get(*pair as usize)).sum();
        problem.count_met(chosen) as i64 * self.requirement + own
    }
}

/// The pairs of a subproblem that can still be chosen.
struct OpenPairs {
    pairs: Vec<u32>,
    /// Their number by left node.
    by_left: Vec<usize>,
    /// Their number by right node.
    by_right: Vec<usize>,
}

/// The form of a group of open pairs, which determines how the network can express a constraint on it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum PairGroup {
    Nothing,
    Pair(u32),
    /// Some or (`true`) all open pairs of a left node.
    Left(usize, bool),
    /// All open pairs of a right node.
    Right(usize),
    /// All open pairs of several left nodes of capacity 1.
    Lefts(Vec<usize>),
    /// All open pairs of several right nodes, if all left nodes have capacity 1.
    Rights(Vec<usize>),
    Other,
}

impl AssignmentProblem {
    fn collect_open_pairs(&self, part: &Subproblem, allowed: &PairSet) -> OpenPairs {
        let mut alive = OpenPairs {
            pairs: Vec::with_capacity(self.pairs.len()),
            by_left: vec![0; self.capacities.len()],
            by_right: vec![0; self.right_count as usize],
        };
        for (pair, (left, right)) in self.pairs.iter().enumerate() {
            let pair = pair as u32;
            if allowed.has(pair) && !part.banned.has(pair) {
                alive.pairs.push(pair);
                alive.by_left[*left as usize] += 1;
                alive.by_right[*right as usize] += 1;
            }
        }
        alive
    }

    fn classify_group(&self, pairs: &[u32], alive: &OpenPairs, single: bool) -> PairGroup {
        let (mut lefts, mut rights) = (Vec::new(), Vec::new());
        for pair in pairs {
            lefts.push(self.left(*pair) as usize);
            rights.push(self.right(*pair) as usize);
        }
        for list in [&mut lefts, &mut rights] {
            list.sort_unstable();
            list.dedup();
        }
        let all = |by: &[usize], nodes: &[usize]| nodes.iter().map(|n| by[*n]).sum::<usize>() == pairs.len();
        match (pairs, lefts.as_slice(), rights.as_slice()) {
            ([], ..) => PairGroup::Nothing,
            ([pair], ..) => PairGroup::Pair(*pair),
            (_, [left], _) => PairGroup::Left(*left, all(&alive.by_left, &[*left])),
            (_, _, [right]) if all(&alive.by_right, &[*right]) => PairGroup::Right(*right),
            _ if lefts.iter().all(|l| self.capacities[*l] <= 1) && all(&alive.by_left, &lefts) => PairGroup::Lefts(lefts),
            _ if single && all(&alive.by_right, &rights) => PairGroup::Rights(rights),
            _ => PairGroup::Other,
        }
    }

    /// Solves the relaxation of a propagated subproblem ([`Self::propagate`]); `None` if the subproblem contains no declaration.
    #[expect(clippy::too_many_lines, reason = "all parts of one network are built together")]
    pub(super) fn relax(
        &self,
        part: &Subproblem,
        allowed: &PairSet,
        weights: &Weights,
        work: &mut u64,
        budget: u64,
    ) -> Option<Result<Relaxation, super::BudgetExhausted>> {
        let alive = self.collect_open_pairs(part, allowed);
        let single = self.capacities.iter().all(|most| *most <= 1);
        let open = |pairs: &[u32]| -> Vec<u32> {
            pairs.iter().copied().filter(|pair| allowed.has(*pair) && !part.banned.has(*pair)).collect()
        };
        let mut gain = weights.pairs.clone();
        let mut constant = 0;
        let mut needed = 0i64;
        let lefts = self.capacities.len();
        let rights = self.right_count as usize;
        let mut room_left = self.capacities.clone();
        let mut room_right = vec![u32::MAX; rights];
        let mut steps_left: Vec<Vec<i64>> = vec![Vec::new(); lefts];
        let mut steps_right: Vec<Vec<i64>> = vec![Vec::new(); rights];
        let mut hubs: Vec<(bool, Vec<usize>, u32, u32)> = Vec::new();
        let mut total: (u32, u32) = (0, u32::MAX);
        for pair in part.fixed.items() {
            if part.banned.has(pair) || !allowed.has(pair) {
                return None;
            }
            gain[pair as usize] += weights.required;
            needed += 1;
        }
        let mut possible = 0;
        let units: i64 = self.capacities.iter().map(|most| i64::from(*most)).sum::<i64>().min(self.pairs.len() as i64);
        let draw = i64::from((part.required_groups.len() + self.requirements.len()) as i64 * units < VALUE_UNIT);
        for (want, met) in self.requirements.iter().zip(&part.requirement_met) {
            if *met {
                constant += weights.requirement;
                possible += weights.requirement;
                continue;
            }
            let pairs = open(&want.pairs);
            possible += if pairs.is_empty() { 0 } else { weights.requirement };
            match self.classify_group(&pairs, &alive, single) {
                PairGroup::Nothing => {}
                PairGroup::Left(left, true) if self.capacities[left] > 1 => {
                    add_to_first_step(&mut steps_left[left], weights.requirement)
                }
                PairGroup::Right(right) => add_to_first_step(&mut steps_right[right], weights.requirement),
                PairGroup::Pair(pair) => gain[pair as usize] += weights.requirement,
                PairGroup::Left(left, _) if self.capacities[left] <= 1 => {
                    pairs.iter().for_each(|pair| gain[*pair as usize] += weights.requirement)
                }
                // The network cannot express it: it counts as met, and a small gain guides the flow towards it.
                _ => {
                    constant += weights.requirement;
                    pairs.iter().for_each(|pair| gain[*pair as usize] += draw);
                }
            }
        }
        for group in &part.required_groups {
            let pairs = open(group);
            match self.classify_group(&pairs, &alive, single) {
                PairGroup::Nothing => return None,
                PairGroup::Pair(pair) => {
                    gain[pair as usize] += weights.required;
                    needed += 1;
                }
                PairGroup::Left(left, _) if self.capacities[left] <= 1 => {
                    pairs.iter().for_each(|pair| gain[*pair as usize] += weights.required);
                    needed += 1;
                }
                PairGroup::Left(left, true) => {
                    add_to_first_step(&mut steps_left[left], weights.required);
                    needed += 1;
                }
                PairGroup::Right(right) => {
                    add_to_first_step(&mut steps_right[right], weights.required);
                    needed += 1;
                }
                _ => pairs.iter().for_each(|pair| gain[*pair as usize] += draw),
            }
        }
        for (limit, mode) in self.cardinalities.iter().zip(&part.limit_decisions) {
            let pairs = open(&limit.pairs);
            let (least, most) = match mode {
                LimitDecision::Free => (0, limit.max),
                LimitDecision::Zero => (0, 0),
                LimitDecision::Some => (limit.min, limit.max),
            };
            let shape = match self.classify_group(&pairs, &alive, single) {
                // The open pairs have one left node, but the cardinality counts left nodes, so all of them count as one.
                PairGroup::Left(left, _) if self.capacities[left] > 1 && !self.has_one_left(&limit.pairs) => {
                    PairGroup::Pair(pairs[0])
                }
                shape => shape,
            };
            let nodes = match &shape {
                PairGroup::Pair(_) => 1,
                PairGroup::Left(..) | PairGroup::Right(_) | PairGroup::Rights(_) => pairs.len() as u32,
                PairGroup::Lefts(nodes) => nodes.len() as u32,
                _ => u32::MAX,
            };
            if shape == PairGroup::Nothing && least > 0 || nodes < least || least > most {
                return None;
            }
            match shape {
                PairGroup::Left(left, true) => {
                    room_left[left] = room_left[left].min(most);
                    if room_left[left] < least {
                        return None;
                    }
                    needed += add_to_first_steps(&mut steps_left[left], least, weights.required);
                }
                PairGroup::Right(right) => {
                    room_right[right] = room_right[right].min(most);
                    if room_right[right] < least {
                        return None;
                    }
                    needed += add_to_first_steps(&mut steps_right[right], least, weights.required);
                }
                PairGroup::Lefts(nodes) if nodes.len() == alive.by_left.iter().filter(|count| **count > 0).count() => {
                    total = (total.0.max(least), total.1.min(most));
                }
                PairGroup::Lefts(nodes) if is_disjoint(&hubs, false, &nodes) => hubs.push((false, nodes, least, most)),
                PairGroup::Other if pairs.len() == alive.pairs.len() && least == 0 => {
                    // Left nodes are counted: the flow is at most the sum of the largest capacities of that many left nodes.
                    let mut rooms: Vec<u32> =
                        (0..lefts).filter(|left| alive.by_left[*left] > 0).map(|left| self.capacities[left]).collect();
                    rooms.sort_unstable_by(|a, b| b.cmp(a));
                    total.1 = total.1.min(rooms.iter().take(most as usize).sum());
                }
                PairGroup::Rights(nodes) if is_disjoint(&hubs, true, &nodes) => hubs.push((true, nodes, least, most)),
                _ => {}
            }
        }
        let mut network = Network::new(2);
        let source = if total == (0, u32::MAX) {
            SOURCE
        } else {
            let inner = network.add_node();
            let steps = vec![weights.required; total.0 as usize];
            needed += i64::from(total.0);
            network.add_stepped_edge(SOURCE, inner, total.1, &steps);
            inner
        };
        let mut from = vec![source; lefts];
        let mut into = vec![SINK; rights];
        for (right_side, nodes, least, most) in &hubs {
            let hub = network.add_node();
            let steps = vec![weights.required; *least as usize];
            needed += i64::from(*least);
            let (a, b) = if *right_side { (hub, SINK) } else { (source, hub) };
            network.add_stepped_edge(a, b, *most, &steps);
            let ends = if *right_side { &mut into } else { &mut from };
            nodes.iter().for_each(|node| ends[*node] = hub);
        }
        let mut left_nodes = vec![0; lefts];
        for left in 0..lefts {
            if alive.by_left[left] == 0 {
                continue;
            }
            left_nodes[left] = network.add_node();
            network.add_stepped_edge(from[left], left_nodes[left], room_left[left], &steps_left[left]);
        }
        let mut right_nodes = vec![0; rights];
        for right in 0..rights {
            if alive.by_right[right] == 0 {
                continue;
            }
            right_nodes[right] = network.add_node();
            network.add_stepped_edge(right_nodes[right], into[right], room_right[right], &steps_right[right]);
        }
        let mut edges = Vec::new();
        for pair in &alive.pairs {
            let (left, right) = self.pairs[*pair as usize];
            let edge = network.add_edge(left_nodes[left as usize], right_nodes[right as usize], 1, gain[*pair as usize]);
            edges.push((*pair, edge));
        }
        let Some(found) = network.maximise(work, budget) else { return Some(Err(super::BudgetExhausted)) };
        // A required pair or group weighs more than all other values together. So if the best flow misses one, they cannot all be chosen.
        let rest = found - needed * weights.required;
        if rest < -(weights.required / 2) {
            return None;
        }
        let mut chosen = PairSet::new(self.pairs.len());
        edges.iter().filter(|(_, edge)| network.is_used(*edge)).for_each(|(pair, _)| chosen.insert(*pair));
        let liked: i64 = alive.pairs.iter().map(|pair| weights.pairs[*pair as usize].max(0)).sum();
        let bound = (rest + constant).div_euclid(VALUE_UNIT) * VALUE_UNIT;
        Some(Ok(Relaxation { bound: bound.min(possible + liked), chosen }))
    }
}

/// Adds a gain to the first unit.
fn add_to_first_step(steps: &mut Vec<i64>, gain: i64) {
    match steps.first_mut() {
        Some(first) => *first += gain,
        None => steps.push(gain),
    }
}

/// Adds a gain to each of the first `least` units. Returns the number of units.
fn add_to_first_steps(steps: &mut Vec<i64>, least: u32, gain: i64) -> i64 {
    let mut added = 0;
    for n in 0..least as usize {
        match steps.get_mut(n) {
            Some(step) => *step += gain,
            None => steps.push(gain),
        }
        added += 1;
    }
    added
}

fn is_disjoint(hubs: &[(bool, Vec<usize>, u32, u32)], right: bool, nodes: &[usize]) -> bool {
    hubs.iter().filter(|(side, ..)| *side == right).all(|(_, taken, ..)| nodes.iter().all(|node| !taken.contains(node)))
}
