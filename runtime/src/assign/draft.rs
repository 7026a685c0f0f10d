//! Drafts: build a declaration pick by pick, such that every accepted pick can be extended to a legal declaration.

use super::solve::BranchAndBound;
use super::{AssignmentProblem, BudgetExhausted, PairSet, Verdict};

/// A declaration in progress. It visits the left nodes in order; for each, pairs are picked until `None` is picked or the node is full.
#[derive(Clone, Debug)]
pub struct Draft<'a> {
    problem: &'a AssignmentProblem,
    fixed: PairSet,
    banned: PairSet,
    current_left: u32,
    budget: u64,
    /// Cache of the maximum of requirements, by the costs that are paid. The problem does not change, so entries stay valid.
    best_counts: Vec<(Vec<usize>, usize)>,
}

impl<'a> Draft<'a> {
    /// An empty draft. The budget applies to each search separately.
    #[must_use]
    pub fn new(problem: &'a AssignmentProblem, budget: u64) -> Self {
        let size = problem.pairs.len();
        let mut draft = Self {
            problem,
            fixed: PairSet::new(size),
            banned: PairSet::new(size),
            current_left: 0,
            budget,
            best_counts: Vec::new(),
        };
        draft.skip_complete_nodes();
        draft
    }

    /// The next possible picks as far as capacities are concerned: pairs of one left node, then `None` (no more for this node).
    /// Empty if the draft is complete. Whether a pick can be extended is checked by [`Draft::pick`].
    #[must_use]
    pub fn options(&self) -> Vec<Option<u32>> {
        if self.current_left as usize >= self.problem.capacities.len() {
            return Vec::new();
        }
        self.open_pairs().into_iter().map(Some).chain([None]).collect()
    }

    /// Adds a pick if the draft can then be extended to a legal declaration. Returns whether it was added.
    ///
    /// # Errors
    /// [`BudgetExhausted`]: the budget did not suffice to decide that.
    pub fn pick(&mut self, pick: Option<u32>) -> Result<bool, BudgetExhausted> {
        let (mut fixed, mut banned) = (self.fixed.clone(), self.banned.clone());
        match pick {
            Some(pair) => {
                if self.problem.left(pair) != self.current_left || self.banned.has(pair) || self.fixed.has(pair) {
                    return Ok(false);
                }
                fixed.insert(pair);
            }
            None => self.open_pairs().into_iter().for_each(|pair| banned.insert(pair)),
        }
        if !self.can_extend(&fixed, &banned)? {
            return Ok(false);
        }
        (self.fixed, self.banned) = (fixed, banned);
        self.skip_complete_nodes();
        Ok(true)
    }

    /// The pairs picked so far.
    #[must_use]
    pub fn picks(&self) -> Vec<u32> {
        self.fixed.items()
    }

    fn open_pairs(&self) -> Vec<u32> {
        let all = 0..self.problem.pairs.len() as u32;
        all.filter(|pair| self.problem.left(*pair) == self.current_left && !self.fixed.has(*pair) && !self.banned.has(*pair))
            .collect()
    }

    /// Advances to the next left node with room and open pairs.
    fn skip_complete_nodes(&mut self) {
        while let Some(most) = self.problem.capacities.get(self.current_left as usize) {
            let taken = self.fixed.items().iter().filter(|pair| self.problem.left(**pair) == self.current_left).count() as u32;
            if taken < *most && !self.open_pairs().is_empty() {
                return;
            }
            self.current_left += 1;
        }
    }

    /// Whether a legal declaration contains all `fixed` pairs and no `banned` pair.
    fn can_extend(&mut self, fixed: &PairSet, banned: &PairSet) -> Result<bool, BudgetExhausted> {
        let problem = self.problem;
        if problem.requirements.is_empty() && problem.cardinalities.is_empty() && problem.implications.is_empty() {
            return Ok(problem.within_capacity(fixed));
        }
        let mut search = BranchAndBound::new(problem, self.budget);
        let mut part = search.root();
        (part.fixed, part.banned) = (fixed.clone(), banned.clone());
        let paid = problem.paid_costs(&fixed.items());
        let allowed = problem.affordable_pairs(&paid);
        // A declaration that meets the maximum for these costs is legal, so the search may stop below that.
        let least = self.best_count_with(&paid, &allowed)?;
        if search.best(part.clone(), &allowed, least.checked_sub(1))?.is_some() {
            return Ok(true);
        }
        if problem.costs.is_empty() {
            return Ok(false);
        }
        // Paying further costs may make more pairs available.
        let all = problem.affordable_pairs(&(0..problem.costs.len()).collect::<Vec<_>>());
        let found = search.best(part, &all, None)?;
        Ok(found.is_some_and(|set| problem.check(&set.items(), self.budget) == Verdict::Legal))
    }

    fn best_count_with(&mut self, paid: &[usize], allowed: &PairSet) -> Result<usize, BudgetExhausted> {
        if let Some((_, best)) = self.best_counts.iter().find(|(costs, _)| costs == paid) {
            return Ok(*best);
        }
        let mut search = BranchAndBound::new(self.problem, self.budget);
        let best = search.best(search.root(), allowed, None)?.map_or(0, |found| self.problem.count_met(&found));
        self.best_counts.push((paid.to_vec(), best));
        Ok(best)
    }
}

impl AssignmentProblem {
    /// The only legal declaration. `None` if there are several, if there are pairs but no constraints, or if the budget is exhausted.
    /// If no declaration is legal, the result is empty; [`AssignmentProblem::check`] then refuses it.
    #[must_use]
    pub fn only_legal(&self, budget: u64) -> Option<Vec<u32>> {
        if self.pairs.is_empty() {
            return Some(Vec::new());
        }
        if self.requirements.is_empty() && self.cardinalities.is_empty() && self.implications.is_empty() {
            return None;
        }
        let mut draft = Draft::new(self, budget);
        loop {
            let mut next = None;
            for pick in draft.options() {
                let mut trial = draft.clone();
                if trial.pick(pick).ok()? && next.replace(trial).is_some() {
                    return None;
                }
            }
            match next {
                Some(trial) => draft = trial,
                None => return Some(draft.picks()),
            }
        }
    }
}
