//! The search: relaxations bound it, what they cannot say is branched on.

use super::relaxation::{LimitDecision, Subproblem, Weights};
use super::{AssignmentProblem, BudgetExhausted, PairSet, touches};

/// How a part is divided.
enum Branch {
    /// Nothing is left to decide, and the declaration of the relaxation is right.
    Done,
    /// The declaration is right, but worth less than its bound: parts that may still hold a better one.
    Better(Vec<Subproblem>),
    /// It breaks something: the parts that hold all that do not break it so.
    Broken(Vec<Subproblem>),
}

/// A search with its budget.
#[derive(Clone, Debug)]
pub(super) struct BranchAndBound<'a> {
    board: &'a AssignmentProblem,
    /// Edges looked at so far.
    pub work: u64,
    /// At most so many.
    pub budget: u64,
}

impl<'a> BranchAndBound<'a> {
    pub(super) fn new(board: &'a AssignmentProblem, budget: u64) -> Self {
        Self { board, work: 0, budget }
    }

    /// All declarations.
    pub(super) fn whole(&self) -> Subproblem {
        let board = self.board;
        let mode = |limit: &super::Cardinality| if limit.zero { LimitDecision::Free } else { LimitDecision::Some };
        Subproblem {
            banned: PairSet::new(board.pairs.len()),
            fixed: PairSet::new(board.pairs.len()),
            modes: board.limits.iter().map(mode).collect(),
            follows: vec![false; board.links.len()],
            musts: Vec::new(),
            met: vec![false; board.wants.len()],
        }
    }

    /// The declaration of a part that satisfies most requirements among those that use allowed pairs only and satisfy more than `floor`.
    pub(super) fn best(
        &mut self,
        part: Subproblem,
        allowed: &PairSet,
        floor: Option<usize>,
    ) -> Result<Option<PairSet>, BudgetExhausted> {
        let worth = Weights::new(self.board, None);
        let mut found = None;
        let least = floor.map_or(i64::MIN, |floor| floor as i64 * worth.want);
        self.search(part, allowed, &worth, least, &mut found)?;
        Ok(found)
    }

    /// A declaration that satisfies as many requirements as `found` and is nearer to `like`, as near as the budget allows.
    pub(super) fn nearer(&mut self, found: PairSet, allowed: &PairSet, like: &PairSet) -> PairSet {
        let worth = Weights::new(self.board, Some(like));
        let least = worth.of(self.board, &found);
        let mut found = Some(found);
        // What was found before the budget ended is right, too.
        let _ = self.search(self.whole(), allowed, &worth, least, &mut found);
        found.unwrap_or_default()
    }

    fn search(
        &mut self,
        part: Subproblem,
        allowed: &PairSet,
        worth: &Weights,
        mut least: i64,
        found: &mut Option<PairSet>,
    ) -> Result<(), BudgetExhausted> {
        let mut open = vec![(i64::MAX, part)];
        while let Some((bound, mut part)) = open.pop() {
            if bound <= least {
                continue;
            }
            self.work += self.board.pairs.len() as u64;
            if self.work > self.budget {
                return Err(BudgetExhausted);
            }
            if !self.board.propagate(&mut part, allowed, &mut self.work) {
                continue;
            }
            let Some(relaxed) = self.board.relax(&part, allowed, worth, &mut self.work, self.budget) else { continue };
            let relaxed = relaxed?;
            if relaxed.bound <= least {
                continue;
            }
            let branch = self.branch(&part, allowed, &relaxed.chosen);
            if !matches!(branch, Branch::Broken(_)) {
                let value = worth.of(self.board, &relaxed.chosen);
                if value > least {
                    least = value;
                    *found = Some(relaxed.chosen);
                }
            }
            if let Branch::Better(parts) | Branch::Broken(parts) = branch {
                // The first part is looked into first.
                open.extend(parts.into_iter().rev().map(|part| (relaxed.bound, part)));
            }
        }
        Ok(())
    }

    fn branch(&self, part: &Subproblem, allowed: &PairSet, chosen: &PairSet) -> Branch {
        let board = self.board;
        let open = |pair: u32| allowed.has(pair) && !part.banned.has(pair);
        // The narrowest of what must be: others are divided into such.
        let missing = part.musts.iter().filter(|must| !touches(must, chosen));
        let missing = missing.map(|must| must.iter().copied().filter(|pair| open(*pair)).collect::<Vec<u32>>());
        if let Some(must) = missing.min_by_key(Vec::len) {
            let Some(first) = must.first() else { return Branch::Broken(Vec::new()) };
            let own: Vec<u32> = must.iter().copied().filter(|pair| board.left(*pair) == board.left(*first)).collect();
            return Branch::Broken(if own.len() == must.len() { by_pair(part, *first) } else { by_group(part, own) });
        }
        for (number, limit) in board.limits.iter().enumerate() {
            let count = board.degree(&limit.pairs, chosen);
            if count > limit.most {
                return Branch::Broken(self.fewer(part, &limit.pairs, chosen));
            }
            if count >= limit.least || count == 0 && part.modes[number] != LimitDecision::Some {
                continue;
            }
            if part.modes[number] == LimitDecision::Free {
                let (mut zero, mut some) = (part.clone(), part.clone());
                limit.pairs.iter().for_each(|pair| zero.banned.insert(*pair));
                zero.modes[number] = LimitDecision::Zero;
                some.modes[number] = LimitDecision::Some;
                return Branch::Broken(vec![some, zero]);
            }
            return Branch::Broken(self.more(part, allowed, &limit.pairs, limit.least, chosen));
        }
        for (number, link) in board.links.iter().enumerate() {
            if board.follows(link, chosen) {
                continue;
            }
            if !part.follows[number] {
                let (mut without, mut with) = (part.clone(), part.clone());
                link.when.iter().for_each(|pair| without.banned.insert(*pair));
                with.follows[number] = true;
                with.musts.push(link.when.clone());
                return Branch::Broken(vec![with, without]);
            }
            return Branch::Broken(self.more(part, allowed, &link.then, link.least, chosen));
        }
        let mut most: Option<(usize, usize)> = None;
        for (number, want) in board.wants.iter().enumerate() {
            if part.met[number] {
                continue;
            }
            // What a flow does not see is counted as if it were met.
            let left = want.pairs.iter().filter(|pair| open(**pair)).count();
            if left > 0 && !touches(&want.pairs, chosen) && most.is_none_or(|(least, _)| left < least) {
                most = Some((left, number));
            }
        }
        if let Some((_, number)) = most {
            let mut parts = by_group(part, board.wants[number].pairs.iter().copied().filter(|pair| open(*pair)).collect());
            parts[0].met[number] = true;
            return Branch::Better(parts);
        }
        Branch::Done
    }

    /// The parts in which one more left node (pair, where there is one left node) of a set is chosen, or can no longer be.
    fn more(&self, part: &Subproblem, allowed: &PairSet, pairs: &[u32], least: u32, chosen: &PairSet) -> Vec<Subproblem> {
        let board = self.board;
        let open: Vec<u32> = pairs.iter().copied().filter(|pair| allowed.has(*pair) && !part.banned.has(*pair)).collect();
        if board.has_one_left(pairs) {
            if (open.len() as u32) < least {
                return Vec::new();
            }
            return open.iter().find(|pair| !chosen.has(**pair)).map_or_else(Vec::new, |pair| by_pair(part, *pair));
        }
        let mut lefts: Vec<u32> = open.iter().map(|pair| board.left(*pair)).collect();
        lefts.sort_unstable();
        lefts.dedup();
        if (lefts.len() as u32) < least {
            return Vec::new();
        }
        let used = |left: u32| open.iter().any(|pair| board.left(*pair) == left && chosen.has(*pair));
        lefts.into_iter().find(|left| !used(*left)).map_or_else(Vec::new, |left| {
            let own: Vec<u32> = open.iter().copied().filter(|pair| board.left(*pair) == left).collect();
            by_group(part, own)
        })
    }

    /// The parts in which one of the chosen left nodes (pairs) of a set is not chosen, or certainly is.
    fn fewer(&self, part: &Subproblem, pairs: &[u32], chosen: &PairSet) -> Vec<Subproblem> {
        let board = self.board;
        let mut taken: Vec<u32> = pairs.iter().copied().filter(|pair| chosen.has(*pair)).collect();
        if board.has_one_left(pairs) {
            taken.retain(|pair| !part.fixed.has(*pair));
            return taken.first().map_or_else(Vec::new, |pair| reversed(by_pair(part, *pair)));
        }
        for pair in taken {
            let left = board.left(pair);
            let own: Vec<u32> = pairs.iter().copied().filter(|pair| board.left(*pair) == left).collect();
            let certain = own.iter().any(|pair| part.fixed.has(*pair))
                || part.musts.iter().any(|must| must.iter().all(|pair| own.contains(pair) || part.banned.has(*pair)));
            if !certain {
                return reversed(by_group(part, own));
            }
        }
        Vec::new()
    }
}

/// The pair is chosen, or it is not.
fn by_pair(part: &Subproblem, pair: u32) -> Vec<Subproblem> {
    let (mut with, mut without) = (part.clone(), part.clone());
    without.banned.insert(pair);
    if part.fixed.has(pair) {
        return Vec::new();
    }
    with.fixed.insert(pair);
    vec![with, without]
}

/// One of the pairs is chosen, or none is.
fn by_group(part: &Subproblem, pairs: Vec<u32>) -> Vec<Subproblem> {
    let (mut with, mut without) = (part.clone(), part.clone());
    pairs.iter().for_each(|pair| without.banned.insert(*pair));
    with.musts.push(pairs);
    vec![with, without]
}

fn reversed(mut parts: Vec<Subproblem>) -> Vec<Subproblem> {
    parts.reverse();
    parts
}
