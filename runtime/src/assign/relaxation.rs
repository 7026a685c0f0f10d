//! The relaxation of a subproblem: everything that a flow can say exactly, and the rest left out or counted too well.

use super::flow::{Network, SINK, SOURCE};
use super::{AssignmentProblem, PairSet};

/// What was decided about a limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LimitDecision {
    /// Nothing yet.
    Free,
    /// None is chosen.
    Zero,
    /// At least the least number is chosen.
    Some,
}

/// A part of the search.
#[derive(Clone, Debug)]
pub(super) struct Subproblem {
    /// Pairs that are not chosen.
    pub banned: PairSet,
    /// Pairs that are.
    pub fixed: PairSet,
    /// One for each limit.
    pub modes: Vec<LimitDecision>,
    /// One for each link: its first half is chosen.
    pub follows: Vec<bool>,
    /// One of each of these is chosen.
    pub musts: Vec<Vec<u32>>,
    /// One for each requirement: it is met by what must be chosen.
    pub met: Vec<bool>,
}

/// A bound and the declaration that reaches it in the relaxation.
#[derive(Clone, Debug)]
pub(super) struct Relaxed {
    /// No declaration of this part is worth more.
    pub bound: i64,
    /// What the flow chose.
    pub chosen: PairSet,
}

/// All that is worth something is worth a multiple of this. What lies below it draws a flow to what must be chosen and that it cannot see.
const GRAIN: i64 = 1 << 14;

/// What is worth how much.
#[derive(Clone, Debug)]
pub(super) struct Weights {
    /// A requirement.
    pub want: i64,
    /// Each pair by itself.
    pub pairs: Vec<i64>,
    /// What must be: more than all else together.
    pub must: i64,
}

impl Weights {
    /// Requirements first; then agreement with a declaration, if one is given.
    pub(super) fn new(board: &AssignmentProblem, like: Option<&PairSet>) -> Self {
        let count = board.pairs.len() as i64;
        let agree = |pair: u32| like.map_or(0, |like| if like.has(pair) { GRAIN } else { -GRAIN });
        let want = if like.is_some() { (2 * count + 2) * GRAIN } else { GRAIN };
        Self {
            want,
            pairs: (0..board.pairs.len() as u32).map(agree).collect(),
            must: want * (board.wants.len() as i64 + 1) * 2 + (4 * count + 4) * GRAIN,
        }
    }

    /// What a declaration is worth.
    pub(super) fn of(&self, board: &AssignmentProblem, chosen: &PairSet) -> i64 {
        let own: i64 = chosen.items().iter().filter_map(|pair| self.pairs.get(*pair as usize)).sum();
        board.met(chosen) as i64 * self.want + own
    }
}

/// The pairs that are still open, by node.
struct Alive {
    pairs: Vec<u32>,
    /// How many of a left node.
    by_left: Vec<usize>,
    /// How many of a right node.
    by_right: Vec<usize>,
}

/// A group of pairs, as a flow can see it.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    Nothing,
    Pair(u32),
    /// Some or (`true`) all pairs of a left node.
    Left(usize, bool),
    /// All pairs of a right node.
    Right(usize),
    /// All pairs of several left nodes that may have one right node each.
    Lefts(Vec<usize>),
    /// All pairs of several right nodes, when all left nodes may have one right node each.
    Rights(Vec<usize>),
    Other,
}

impl AssignmentProblem {
    fn alive(&self, part: &Subproblem, allowed: &PairSet) -> Alive {
        let mut alive = Alive {
            pairs: Vec::with_capacity(self.pairs.len()),
            by_left: vec![0; self.most.len()],
            by_right: vec![0; self.rights as usize],
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

    fn shape(&self, pairs: &[u32], alive: &Alive, single: bool) -> Shape {
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
            ([], ..) => Shape::Nothing,
            ([pair], ..) => Shape::Pair(*pair),
            (_, [left], _) => Shape::Left(*left, all(&alive.by_left, &[*left])),
            (_, _, [right]) if all(&alive.by_right, &[*right]) => Shape::Right(*right),
            _ if lefts.iter().all(|l| self.most[*l] <= 1) && all(&alive.by_left, &lefts) => Shape::Lefts(lefts),
            _ if single && all(&alive.by_right, &rights) => Shape::Rights(rights),
            _ => Shape::Other,
        }
    }

    /// The relaxation of a part from which all was drawn that follows ([`Self::propagate`]); none when the part holds no declaration.
    #[expect(clippy::too_many_lines, reason = "one network")]
    pub(super) fn relax(
        &self,
        part: &Subproblem,
        allowed: &PairSet,
        worth: &Weights,
        work: &mut u64,
        budget: u64,
    ) -> Option<Result<Relaxed, super::BudgetExhausted>> {
        let alive = self.alive(part, allowed);
        let single = self.most.iter().all(|most| *most <= 1);
        let open = |pairs: &[u32]| -> Vec<u32> {
            pairs.iter().copied().filter(|pair| allowed.has(*pair) && !part.banned.has(*pair)).collect()
        };
        let mut gain = worth.pairs.clone();
        let mut constant = 0;
        let mut needed = 0i64;
        let lefts = self.most.len();
        let rights = self.rights as usize;
        let mut room_left = self.most.clone();
        let mut room_right = vec![u32::MAX; rights];
        let mut steps_left: Vec<Vec<i64>> = vec![Vec::new(); lefts];
        let mut steps_right: Vec<Vec<i64>> = vec![Vec::new(); rights];
        let mut hubs: Vec<(bool, Vec<usize>, u32, u32)> = Vec::new();
        let mut total: (u32, u32) = (0, u32::MAX);
        for pair in part.fixed.items() {
            if part.banned.has(pair) || !allowed.has(pair) {
                return None;
            }
            gain[pair as usize] += worth.must;
            needed += 1;
        }
        let mut possible = 0;
        let units: i64 = self.most.iter().map(|most| i64::from(*most)).sum::<i64>().min(self.pairs.len() as i64);
        let draw = i64::from((part.musts.len() + self.wants.len()) as i64 * units < GRAIN);
        for (want, met) in self.wants.iter().zip(&part.met) {
            if *met {
                constant += worth.want;
                possible += worth.want;
                continue;
            }
            let pairs = open(&want.pairs);
            possible += if pairs.is_empty() { 0 } else { worth.want };
            match self.shape(&pairs, &alive, single) {
                Shape::Nothing => {}
                Shape::Left(left, true) if self.most[left] > 1 => add_first(&mut steps_left[left], worth.want),
                Shape::Right(right) => add_first(&mut steps_right[right], worth.want),
                Shape::Pair(pair) => gain[pair as usize] += worth.want,
                Shape::Left(left, _) if self.most[left] <= 1 => pairs.iter().for_each(|pair| gain[*pair as usize] += worth.want),
                // Counted as if it were met; the flow is only drawn to it.
                _ => {
                    constant += worth.want;
                    pairs.iter().for_each(|pair| gain[*pair as usize] += draw);
                }
            }
        }
        for must in &part.musts {
            let pairs = open(must);
            match self.shape(&pairs, &alive, single) {
                Shape::Nothing => return None,
                Shape::Pair(pair) => {
                    gain[pair as usize] += worth.must;
                    needed += 1;
                }
                Shape::Left(left, _) if self.most[left] <= 1 => {
                    pairs.iter().for_each(|pair| gain[*pair as usize] += worth.must);
                    needed += 1;
                }
                Shape::Left(left, true) => {
                    add_first(&mut steps_left[left], worth.must);
                    needed += 1;
                }
                Shape::Right(right) => {
                    add_first(&mut steps_right[right], worth.must);
                    needed += 1;
                }
                _ => pairs.iter().for_each(|pair| gain[*pair as usize] += draw),
            }
        }
        for (limit, mode) in self.limits.iter().zip(&part.modes) {
            let pairs = open(&limit.pairs);
            let (least, most) = match mode {
                LimitDecision::Free => (0, limit.most),
                LimitDecision::Zero => (0, 0),
                LimitDecision::Some => (limit.least, limit.most),
            };
            let shape = match self.shape(&pairs, &alive, single) {
                // What is left has one left node, but left nodes are counted.
                Shape::Left(left, _) if self.most[left] > 1 && !self.has_one_left(&limit.pairs) => Shape::Pair(pairs[0]),
                shape => shape,
            };
            let nodes = match &shape {
                Shape::Pair(_) => 1,
                Shape::Left(..) | Shape::Right(_) | Shape::Rights(_) => pairs.len() as u32,
                Shape::Lefts(nodes) => nodes.len() as u32,
                _ => u32::MAX,
            };
            if shape == Shape::Nothing && least > 0 || nodes < least || least > most {
                return None;
            }
            match shape {
                Shape::Left(left, true) => {
                    room_left[left] = room_left[left].min(most);
                    if room_left[left] < least {
                        return None;
                    }
                    needed += lift(&mut steps_left[left], least, worth.must);
                }
                Shape::Right(right) => {
                    room_right[right] = room_right[right].min(most);
                    if room_right[right] < least {
                        return None;
                    }
                    needed += lift(&mut steps_right[right], least, worth.must);
                }
                Shape::Lefts(nodes) if nodes.len() == alive.by_left.iter().filter(|count| **count > 0).count() => {
                    total = (total.0.max(least), total.1.min(most));
                }
                Shape::Lefts(nodes) if free_of(&hubs, false, &nodes) => hubs.push((false, nodes, least, most)),
                Shape::Other if pairs.len() == alive.pairs.len() && least == 0 => {
                    // Left nodes are counted: the flow may have as many units as so many left nodes may have.
                    let mut rooms: Vec<u32> =
                        (0..lefts).filter(|left| alive.by_left[*left] > 0).map(|left| self.most[left]).collect();
                    rooms.sort_unstable_by(|a, b| b.cmp(a));
                    total.1 = total.1.min(rooms.iter().take(most as usize).sum());
                }
                Shape::Rights(nodes) if free_of(&hubs, true, &nodes) => hubs.push((true, nodes, least, most)),
                _ => {}
            }
        }
        let mut network = Network::new(2);
        let source = if total == (0, u32::MAX) {
            SOURCE
        } else {
            let inner = network.node();
            let steps = vec![worth.must; total.0 as usize];
            needed += i64::from(total.0);
            network.stepped(SOURCE, inner, total.1, &steps);
            inner
        };
        let mut from = vec![source; lefts];
        let mut into = vec![SINK; rights];
        for (right_side, nodes, least, most) in &hubs {
            let hub = network.node();
            let steps = vec![worth.must; *least as usize];
            needed += i64::from(*least);
            let (a, b) = if *right_side { (hub, SINK) } else { (source, hub) };
            network.stepped(a, b, *most, &steps);
            let ends = if *right_side { &mut into } else { &mut from };
            nodes.iter().for_each(|node| ends[*node] = hub);
        }
        let mut left_nodes = vec![0; lefts];
        for left in 0..lefts {
            if alive.by_left[left] == 0 {
                continue;
            }
            left_nodes[left] = network.node();
            network.stepped(from[left], left_nodes[left], room_left[left], &steps_left[left]);
        }
        let mut right_nodes = vec![0; rights];
        for right in 0..rights {
            if alive.by_right[right] == 0 {
                continue;
            }
            right_nodes[right] = network.node();
            network.stepped(right_nodes[right], into[right], room_right[right], &steps_right[right]);
        }
        let mut edges = Vec::new();
        for pair in &alive.pairs {
            let (left, right) = self.pairs[*pair as usize];
            let edge = network.edge(left_nodes[left as usize], right_nodes[right as usize], 1, gain[*pair as usize]);
            edges.push((*pair, edge));
        }
        let Some(found) = network.run(work, budget) else { return Some(Err(super::BudgetExhausted)) };
        // The musts weigh more than all else together: a flow that misses one shows that they cannot all be.
        let rest = found - needed * worth.must;
        if rest < -(worth.must / 2) {
            return None;
        }
        let mut chosen = PairSet::new(self.pairs.len());
        edges.iter().filter(|(_, edge)| network.used(*edge)).for_each(|(pair, _)| chosen.insert(*pair));
        let liked: i64 = alive.pairs.iter().map(|pair| worth.pairs[*pair as usize].max(0)).sum();
        let bound = (rest + constant).div_euclid(GRAIN) * GRAIN;
        Some(Ok(Relaxed { bound: bound.min(possible + liked), chosen }))
    }
}

/// The first unit gains more.
fn add_first(steps: &mut Vec<i64>, gain: i64) {
    match steps.first_mut() {
        Some(first) => *first += gain,
        None => steps.push(gain),
    }
}

/// The first `least` units must be: what they gain more.
fn lift(steps: &mut Vec<i64>, least: u32, gain: i64) -> i64 {
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

fn free_of(hubs: &[(bool, Vec<usize>, u32, u32)], right: bool, nodes: &[usize]) -> bool {
    hubs.iter().filter(|(side, ..)| *side == right).all(|(_, taken, ..)| nodes.iter().all(|node| !taken.contains(node)))
}
