//! The factored form: a declaration made pick by pick, each of which can be extended to a legal whole.

use super::solve::BranchAndBound;
use super::{AssignmentProblem, BudgetExhausted, PairSet, Verdict};

/// A declaration in the making: left nodes in order, for each a pair or nothing, until nothing (or no more) is picked for it.
#[derive(Clone, Debug)]
pub struct Draft<'a> {
    board: &'a AssignmentProblem,
    fixed: PairSet,
    banned: PairSet,
    left: u32,
    budget: u64,
    /// How many requirements can be met, by the costs that are paid.
    best: Vec<(Vec<usize>, usize)>,
}

impl<'a> Draft<'a> {
    /// An empty draft. The budget is that of each question.
    #[must_use]
    pub fn new(board: &'a AssignmentProblem, budget: u64) -> Self {
        let size = board.pairs.len();
        let mut draft = Self { board, fixed: PairSet::new(size), banned: PairSet::new(size), left: 0, budget, best: Vec::new() };
        draft.skip();
        draft
    }

    /// What may be picked next as far as nodes are concerned: pairs of one left node, or nothing more for it (`None`, the last one).
    /// Empty: all is picked. Whether a pick can be extended is asked by [`Draft::pick`].
    #[must_use]
    pub fn next(&self) -> Vec<Option<u32>> {
        if self.left as usize >= self.board.most.len() {
            return Vec::new();
        }
        self.open().into_iter().map(Some).chain([None]).collect()
    }

    /// Picks, if the pick can be extended to a legal whole; says whether.
    ///
    /// # Errors
    /// [`BudgetExhausted`]: the budget did not suffice to know it.
    pub fn pick(&mut self, pick: Option<u32>) -> Result<bool, BudgetExhausted> {
        let (mut fixed, mut banned) = (self.fixed.clone(), self.banned.clone());
        match pick {
            Some(pair) => {
                if self.board.left(pair) != self.left || self.banned.has(pair) || self.fixed.has(pair) {
                    return Ok(false);
                }
                fixed.insert(pair);
            }
            None => self.open().into_iter().for_each(|pair| banned.insert(pair)),
        }
        if !self.extends(&fixed, &banned)? {
            return Ok(false);
        }
        (self.fixed, self.banned) = (fixed, banned);
        self.skip();
        Ok(true)
    }

    /// What was picked.
    #[must_use]
    pub fn picks(&self) -> Vec<u32> {
        self.fixed.items()
    }

    fn open(&self) -> Vec<u32> {
        let all = 0..self.board.pairs.len() as u32;
        all.filter(|pair| self.board.left(*pair) == self.left && !self.fixed.has(*pair) && !self.banned.has(*pair)).collect()
    }

    /// Goes on to a left node for which there is something to pick.
    fn skip(&mut self) {
        while let Some(most) = self.board.most.get(self.left as usize) {
            let taken = self.fixed.items().iter().filter(|pair| self.board.left(**pair) == self.left).count() as u32;
            if taken < *most && !self.open().is_empty() {
                return;
            }
            self.left += 1;
        }
    }

    /// Whether a legal declaration has all of the one and nothing of the other.
    fn extends(&mut self, fixed: &PairSet, banned: &PairSet) -> Result<bool, BudgetExhausted> {
        let board = self.board;
        if board.wants.is_empty() && board.limits.is_empty() && board.links.is_empty() {
            return Ok(board.within_capacity(fixed));
        }
        let mut search = BranchAndBound::new(board, self.budget);
        let mut part = search.whole();
        (part.fixed, part.banned) = (fixed.clone(), banned.clone());
        let paid = board.paid(&fixed.items());
        let allowed = board.affordable(&paid);
        // Some other declaration is legal: one that is not better suffices.
        let least = self.best_with(&paid, &allowed)?;
        if search.best(part.clone(), &allowed, least.checked_sub(1))?.is_some() {
            return Ok(true);
        }
        if board.costs.is_empty() {
            return Ok(false);
        }
        // Paying more may open what is missing.
        let all = board.affordable(&(0..board.costs.len()).collect::<Vec<_>>());
        let found = search.best(part, &all, None)?;
        Ok(found.is_some_and(|set| board.check(&set.items(), self.budget) == Verdict::Legal))
    }

    fn best_with(&mut self, paid: &[usize], allowed: &PairSet) -> Result<usize, BudgetExhausted> {
        if let Some((_, best)) = self.best.iter().find(|(costs, _)| costs == paid) {
            return Ok(*best);
        }
        let mut search = BranchAndBound::new(self.board, self.budget);
        let best = search.best(search.whole(), allowed, None)?.map_or(0, |found| self.board.met(&found));
        self.best.push((paid.to_vec(), best));
        Ok(best)
    }
}

impl AssignmentProblem {
    /// The only legal declaration, if there is just one (and that can be told).
    #[must_use]
    pub fn only(&self, budget: u64) -> Option<Vec<u32>> {
        if self.pairs.is_empty() {
            return Some(Vec::new());
        }
        if self.wants.is_empty() && self.limits.is_empty() && self.links.is_empty() {
            return None;
        }
        let mut draft = Draft::new(self, budget);
        loop {
            let mut next = None;
            for pick in draft.next() {
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
