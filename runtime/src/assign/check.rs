//! Checks a declaration: decides its legality, reports the violation, and proposes the nearest legal declaration.

use super::solve::BranchAndBound;
use super::{AssignmentProblem, BudgetExhausted, Origin, PairSet};

/// Why a declaration is not legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Violation {
    /// A pick is not the number of a pair, or occurs twice.
    NoPair,
    /// A left node has more right nodes than its capacity.
    OverCapacity,
    /// The cardinality with this number is broken.
    Cardinality(usize),
    /// The implication with this number is broken.
    Implication(usize),
    /// More requirements could be met: the number of one that is not met here, but in the proposed declaration.
    Requirement(usize),
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The declaration is legal.
    Legal,
    /// The declaration is not legal.
    Illegal {
        /// The reason.
        why: Violation,
        /// The nearest legal declaration that the budget sufficed to find; `None` if it found none.
        instead: Option<Vec<u32>>,
    },
    /// The budget was exhausted before a decision.
    Undecided,
}

impl AssignmentProblem {
    /// Checks a declaration. The search for a better declaration has the whole `budget`, the one for a nearer proposal 1/16 of it.
    #[must_use]
    pub fn check(&self, picks: &[u32], budget: u64) -> Verdict {
        let chosen = PairSet::of(self.pairs.len(), picks);
        if chosen.items().len() != picks.len() || picks.iter().any(|pick| *pick as usize >= self.pairs.len()) {
            return Verdict::Illegal { why: Violation::NoPair, instead: self.find_instead(&chosen, budget) };
        }
        if let Some(why) = self.first_violation(&chosen) {
            return Verdict::Illegal { why, instead: self.find_instead(&chosen, budget) };
        }
        let met = self.count_met(&chosen);
        if met == self.requirements.len() {
            return Verdict::Legal;
        }
        let mut search = BranchAndBound::new(self, budget);
        let allowed = self.affordable_pairs(&self.paid_costs(picks));
        match search.best(search.root(), &allowed, Some(met)) {
            Err(BudgetExhausted) => Verdict::Undecided,
            Ok(None) => Verdict::Legal,
            Ok(Some(better)) => {
                let nearest = self.nearest_to(better, &allowed, &chosen, budget);
                let missed = self
                    .requirements
                    .iter()
                    .position(|want| !super::contains_any(&want.pairs, &chosen) && super::contains_any(&want.pairs, &nearest));
                Verdict::Illegal { why: Violation::Requirement(missed.unwrap_or(0)), instead: Some(nearest.items()) }
            }
        }
    }

    /// The first restriction that a declaration breaks.
    pub(super) fn first_violation(&self, chosen: &PairSet) -> Option<Violation> {
        if !self.within_capacity(chosen) {
            return Some(Violation::OverCapacity);
        }
        let limit =
            self.cardinalities.iter().position(|limit| !self.satisfies_cardinality(limit, chosen)).map(Violation::Cardinality);
        limit.or_else(|| {
            self.implications.iter().position(|link| !self.satisfies_implication(link, chosen)).map(Violation::Implication)
        })
    }

    /// A legal declaration that pays no other costs than this one and is near to it.
    fn find_instead(&self, chosen: &PairSet, budget: u64) -> Option<Vec<u32>> {
        let allowed = self.affordable_pairs(&self.paid_costs(&chosen.items()));
        let mut search = BranchAndBound::new(self, budget);
        let found = search.best(search.root(), &allowed, None).ok().flatten()?;
        Some(self.nearest_to(found, &allowed, chosen, budget).items())
    }

    /// The nearest declaration to `like` that meets as many requirements as `found`. Spends 1/16 of the budget and then returns the
    /// nearest one found.
    fn nearest_to(&self, found: PairSet, allowed: &PairSet, like: &PairSet, budget: u64) -> PairSet {
        BranchAndBound::new(self, budget / 16).nearest_to(found, allowed, like)
    }

    /// A legal declaration that pays no costs and is near to `like`; `None` if there is none.
    ///
    /// # Errors
    /// [`BudgetExhausted`]: the budget was exhausted before a legal declaration was found.
    pub fn nearest_legal(&self, like: &[u32], budget: u64) -> Result<Option<Vec<u32>>, BudgetExhausted> {
        let allowed = self.affordable_pairs(&[]);
        let mut search = BranchAndBound::new(self, budget);
        let found = search.best(search.root(), &allowed, None)?;
        let like = PairSet::of(self.pairs.len(), like);
        Ok(found.map(|found| self.nearest_to(found, &allowed, &like, budget).items()))
    }

    /// The origin of the violated constraint; `None` for violations without one.
    #[must_use]
    pub fn origin(&self, why: Violation) -> Option<Origin> {
        match why {
            Violation::NoPair | Violation::OverCapacity => None,
            Violation::Cardinality(n) => self.cardinalities.get(n).map(|limit| limit.origin),
            Violation::Implication(n) => self.implications.get(n).map(|link| link.origin),
            Violation::Requirement(n) => self.requirements.get(n).map(|want| want.origin),
        }
    }
}
