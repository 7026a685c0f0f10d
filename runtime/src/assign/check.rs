//! Checking a declaration, explaining a refusal, proposing a legal one.

use super::solve::BranchAndBound;
use super::{AssignmentProblem, BudgetExhausted, Origin, PairSet};

/// Why a declaration is not legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Violation {
    /// A pick is no pair, or is given twice.
    NoPair,
    /// A left node has more right nodes than it may have.
    TooMany,
    /// A restriction is broken: the number of a limit.
    Limit(usize),
    /// A restriction is broken: the number of a link.
    Link(usize),
    /// More requirements could be met: the number of one that is not.
    Want(usize),
}

/// What is said of a declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It is legal.
    Legal,
    /// It is not.
    Illegal {
        /// Why.
        why: Violation,
        /// A legal declaration that is as near as possible, if the budget sufficed to find one.
        instead: Option<Vec<u32>>,
    },
    /// The budget did not suffice.
    Undecided,
}

impl AssignmentProblem {
    /// Judges a declaration.
    #[must_use]
    pub fn check(&self, picks: &[u32], budget: u64) -> Verdict {
        let chosen = PairSet::of(self.pairs.len(), picks);
        if chosen.items().len() != picks.len() || picks.iter().any(|pick| *pick as usize >= self.pairs.len()) {
            return Verdict::Illegal { why: Violation::NoPair, instead: self.nearest(&chosen, budget) };
        }
        if let Some(why) = self.broken(&chosen) {
            return Verdict::Illegal { why, instead: self.nearest(&chosen, budget) };
        }
        let met = self.met(&chosen);
        if met == self.wants.len() {
            return Verdict::Legal;
        }
        let mut search = BranchAndBound::new(self, budget);
        let allowed = self.affordable(&self.paid(picks));
        match search.best(search.whole(), &allowed, Some(met)) {
            Err(BudgetExhausted) => Verdict::Undecided,
            Ok(None) => Verdict::Legal,
            Ok(Some(better)) => {
                let nearest = self.nearer(better, &allowed, &chosen, budget);
                let missed = self
                    .wants
                    .iter()
                    .position(|want| !super::touches(&want.pairs, &chosen) && super::touches(&want.pairs, &nearest));
                Verdict::Illegal { why: Violation::Want(missed.unwrap_or(0)), instead: Some(nearest.items()) }
            }
        }
    }

    /// The first restriction that a declaration breaks.
    pub(super) fn broken(&self, chosen: &PairSet) -> Option<Violation> {
        if !self.within_capacity(chosen) {
            return Some(Violation::TooMany);
        }
        let limit = self.limits.iter().position(|limit| !self.keeps(limit, chosen)).map(Violation::Limit);
        limit.or_else(|| self.links.iter().position(|link| !self.follows(link, chosen)).map(Violation::Link))
    }

    /// A legal declaration that pays no other costs, near to this one.
    fn nearest(&self, chosen: &PairSet, budget: u64) -> Option<Vec<u32>> {
        let allowed = self.affordable(&self.paid(&chosen.items()));
        let mut search = BranchAndBound::new(self, budget);
        let found = search.best(search.whole(), &allowed, None).ok().flatten()?;
        Some(self.nearer(found, &allowed, chosen, budget).items())
    }

    /// The nearest declaration that is as good, or one on the way to it if a part of the budget does not suffice.
    fn nearer(&self, found: PairSet, allowed: &PairSet, like: &PairSet, budget: u64) -> PairSet {
        BranchAndBound::new(self, budget / 16).nearer(found, allowed, like)
    }

    /// A legal declaration that pays no costs and is near to `like`; none when there is none.
    ///
    /// # Errors
    /// [`BudgetExhausted`]: the budget did not suffice.
    pub fn nearest_legal(&self, like: &[u32], budget: u64) -> Result<Option<Vec<u32>>, BudgetExhausted> {
        let allowed = self.affordable(&[]);
        let mut search = BranchAndBound::new(self, budget);
        let found = search.best(search.whole(), &allowed, None)?;
        let like = PairSet::of(self.pairs.len(), like);
        Ok(found.map(|found| self.nearer(found, &allowed, &like, budget).items()))
    }

    /// Where a reason comes from.
    #[must_use]
    pub fn label(&self, why: Violation) -> Option<Origin> {
        match why {
            Violation::NoPair | Violation::TooMany => None,
            Violation::Limit(n) => self.limits.get(n).map(|limit| limit.by),
            Violation::Link(n) => self.links.get(n).map(|link| link.by),
            Violation::Want(n) => self.wants.get(n).map(|want| want.by),
        }
    }
}
