//! Branch and bound over subproblems: the flow relaxation gives upper bounds, and constraints that its solution breaks are branched on.
//!
//! Depth-first. The search is exact unless it exhausts its budget.

use super::relaxation::{LimitDecision, Subproblem, Weights};
use super::{AssignmentProblem, BudgetExhausted, PairSet, contains_any};

/// How a subproblem is divided, given the solution of its relaxation.
enum Branch {
    /// The solution satisfies all constraints and reaches the bound.
    Solved,
    /// The solution satisfies all constraints, but its value may be below the bound: the subproblems that may contain a better one.
    Suboptimal(Vec<Subproblem>),
    /// The solution breaks a constraint: subproblems that exclude it and contain all declarations that satisfy the constraint.
    Infeasible(Vec<Subproblem>),
}

/// A search and its budget.
#[derive(Clone, Debug)]
pub(super) struct BranchAndBound<'a> {
    problem: &'a AssignmentProblem,
    /// The work done so far: pairs and edges visited.
    pub work: u64,
    /// The maximum of `work`.
    pub budget: u64,
}

impl<'a> BranchAndBound<'a> {
    pub(super) fn new(problem: &'a AssignmentProblem, budget: u64) -> Self {
        Self { problem, work: 0, budget }
    }

    /// The root of the search tree: all declarations.
    pub(super) fn root(&self) -> Subproblem {
        let problem = self.problem;
        let mode = |limit: &super::Cardinality| if limit.zero_allowed { LimitDecision::Free } else { LimitDecision::Some };
        Subproblem {
            banned: PairSet::new(problem.pairs.len()),
            fixed: PairSet::new(problem.pairs.len()),
            limit_decisions: problem.cardinalities.iter().map(mode).collect(),
            implication_active: vec![false; problem.implications.len()],
            required_groups: Vec::new(),
            requirement_met: vec![false; problem.requirements.len()],
        }
    }

    /// The declaration of a subproblem that meets the most requirements, using allowed pairs only; `None` unless it meets more than `floor`.
    pub(super) fn best(
        &mut self,
        part: Subproblem,
        allowed: &PairSet,
        floor: Option<usize>,
    ) -> Result<Option<PairSet>, BudgetExhausted> {
        let weights = Weights::new(self.problem, None);
        let mut found = None;
        let least = floor.map_or(i64::MIN, |floor| floor as i64 * weights.requirement);
        self.search(part, allowed, &weights, least, &mut found)?;
        Ok(found)
    }

    /// The declaration nearest to `like` that meets as many requirements as `found`. If the budget is exhausted, the nearest one found.
    pub(super) fn nearest_to(&mut self, found: PairSet, allowed: &PairSet, like: &PairSet) -> PairSet {
        let weights = Weights::new(self.problem, Some(like));
        let least = weights.value_of(self.problem, &found);
        let mut found = Some(found);
        // What was found before the budget was exhausted is legal as well.
        let _ = self.search(self.root(), allowed, &weights, least, &mut found);
        found.unwrap_or_default()
    }

    fn search(
        &mut self,
        part: Subproblem,
        allowed: &PairSet,
        weights: &Weights,
        mut least: i64,
        found: &mut Option<PairSet>,
    ) -> Result<(), BudgetExhausted> {
        let mut open = vec![(i64::MAX, part)];
        while let Some((bound, mut part)) = open.pop() {
            if bound <= least {
                continue;
            }
            self.work += self.problem.pairs.len() as u64;
            if self.work > self.budget {
                return Err(BudgetExhausted);
            }
            if !self.problem.propagate(&mut part, allowed, &mut self.work) {
                continue;
            }
            let Some(relaxed) = self.problem.relax(&part, allowed, weights, &mut self.work, self.budget) else { continue };
            let relaxed = relaxed?;
            if relaxed.bound <= least {
                continue;
            }
            let branch = self.branch(&part, allowed, &relaxed.chosen);
            if !matches!(branch, Branch::Infeasible(_)) {
                let value = weights.value_of(self.problem, &relaxed.chosen);
                if value > least {
                    least = value;
                    *found = Some(relaxed.chosen);
                }
            }
            if let Branch::Suboptimal(parts) | Branch::Infeasible(parts) = branch {
                // The last entry is searched first, so that the first subproblem comes first.
                open.extend(parts.into_iter().rev().map(|part| (relaxed.bound, part)));
            }
        }
        Ok(())
    }

    fn branch(&self, part: &Subproblem, allowed: &PairSet, chosen: &PairSet) -> Branch {
        let problem = self.problem;
        let open = |pair: u32| allowed.has(pair) && !part.banned.has(pair);
        // Branch on the smallest required group that is missed.
        let missing = part.required_groups.iter().filter(|group| !contains_any(group, chosen));
        let missing = missing.map(|group| group.iter().copied().filter(|pair| open(*pair)).collect::<Vec<u32>>());
        if let Some(group) = missing.min_by_key(Vec::len) {
            let Some(first) = group.first() else { return Branch::Infeasible(Vec::new()) };
            let own: Vec<u32> = group.iter().copied().filter(|pair| problem.left(*pair) == problem.left(*first)).collect();
            return Branch::Infeasible(if own.len() == group.len() {
                branch_on_pair(part, *first)
            } else {
                branch_on_group(part, own)
            });
        }
        for (number, limit) in problem.cardinalities.iter().enumerate() {
            let count = problem.degree(&limit.pairs, chosen);
            if count > limit.max {
                return Branch::Infeasible(self.branch_fewer(part, &limit.pairs, chosen));
            }
            if count >= limit.min || count == 0 && part.limit_decisions[number] != LimitDecision::Some {
                continue;
            }
            if part.limit_decisions[number] == LimitDecision::Free {
                let (mut zero, mut some) = (part.clone(), part.clone());
                limit.pairs.iter().for_each(|pair| zero.banned.insert(*pair));
                zero.limit_decisions[number] = LimitDecision::Zero;
                some.limit_decisions[number] = LimitDecision::Some;
                return Branch::Infeasible(vec![some, zero]);
            }
            return Branch::Infeasible(self.branch_more(part, allowed, &limit.pairs, limit.min, chosen));
        }
        for (number, link) in problem.implications.iter().enumerate() {
            if problem.satisfies_implication(link, chosen) {
                continue;
            }
            if !part.implication_active[number] {
                let (mut without, mut with) = (part.clone(), part.clone());
                link.when.iter().for_each(|pair| without.banned.insert(*pair));
                with.implication_active[number] = true;
                with.required_groups.push(link.when.clone());
                return Branch::Infeasible(vec![with, without]);
            }
            return Branch::Infeasible(self.branch_more(part, allowed, &link.then, link.min, chosen));
        }
        let mut most: Option<(usize, usize)> = None;
        for (number, want) in problem.requirements.iter().enumerate() {
            if part.requirement_met[number] {
                continue;
            }
            // The relaxation may count this requirement as met although it is not.
            let left = want.pairs.iter().filter(|pair| open(**pair)).count();
            if left > 0 && !contains_any(&want.pairs, chosen) && most.is_none_or(|(least, _)| left < least) {
                most = Some((left, number));
            }
        }
        if let Some((_, number)) = most {
            let mut parts =
                branch_on_group(part, problem.requirements[number].pairs.iter().copied().filter(|pair| open(*pair)).collect());
            parts[0].requirement_met[number] = true;
            return Branch::Suboptimal(parts);
        }
        Branch::Solved
    }

    /// The subproblems in which one more unit of a set must be, or cannot be, chosen. A unit is a left node, or a pair if the set has one
    /// left node.
    fn branch_more(&self, part: &Subproblem, allowed: &PairSet, pairs: &[u32], least: u32, chosen: &PairSet) -> Vec<Subproblem> {
        let problem = self.problem;
        let open: Vec<u32> = pairs.iter().copied().filter(|pair| allowed.has(*pair) && !part.banned.has(*pair)).collect();
        if problem.has_one_left(pairs) {
            if (open.len() as u32) < least {
                return Vec::new();
            }
            return open.iter().find(|pair| !chosen.has(**pair)).map_or_else(Vec::new, |pair| branch_on_pair(part, *pair));
        }
        let mut lefts: Vec<u32> = open.iter().map(|pair| problem.left(*pair)).collect();
        lefts.sort_unstable();
        lefts.dedup();
        if (lefts.len() as u32) < least {
            return Vec::new();
        }
        let used = |left: u32| open.iter().any(|pair| problem.left(*pair) == left && chosen.has(*pair));
        lefts.into_iter().find(|left| !used(*left)).map_or_else(Vec::new, |left| {
            let own: Vec<u32> = open.iter().copied().filter(|pair| problem.left(*pair) == left).collect();
            branch_on_group(part, own)
        })
    }

    /// The subproblems in which one of the chosen units of a set cannot be, or must be, chosen.
    fn branch_fewer(&self, part: &Subproblem, pairs: &[u32], chosen: &PairSet) -> Vec<Subproblem> {
        let problem = self.problem;
        let mut taken: Vec<u32> = pairs.iter().copied().filter(|pair| chosen.has(*pair)).collect();
        if problem.has_one_left(pairs) {
            taken.retain(|pair| !part.fixed.has(*pair));
            return taken.first().map_or_else(Vec::new, |pair| reversed(branch_on_pair(part, *pair)));
        }
        for pair in taken {
            let left = problem.left(pair);
            let own: Vec<u32> = pairs.iter().copied().filter(|pair| problem.left(*pair) == left).collect();
            let certain = own.iter().any(|pair| part.fixed.has(*pair))
                || part.required_groups.iter().any(|group| group.iter().all(|pair| own.contains(pair) || part.banned.has(*pair)));
            if !certain {
                return reversed(branch_on_group(part, own));
            }
        }
        Vec::new()
    }
}

/// The subproblems in which a pair must be, and cannot be, chosen.
fn branch_on_pair(part: &Subproblem, pair: u32) -> Vec<Subproblem> {
    let (mut with, mut without) = (part.clone(), part.clone());
    without.banned.insert(pair);
    if part.fixed.has(pair) {
        return Vec::new();
    }
    with.fixed.insert(pair);
    vec![with, without]
}

/// The subproblems in which at least one of the pairs must be chosen, and in which none can be.
fn branch_on_group(part: &Subproblem, pairs: Vec<u32>) -> Vec<Subproblem> {
    let (mut with, mut without) = (part.clone(), part.clone());
    pairs.iter().for_each(|pair| without.banned.insert(*pair));
    with.required_groups.push(pairs);
    vec![with, without]
}

fn reversed(mut parts: Vec<Subproblem>) -> Vec<Subproblem> {
    parts.reverse();
    parts
}
