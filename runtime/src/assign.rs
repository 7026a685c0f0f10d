//! Assignment problems: declarations as a bipartite matching under restrictions, requirements and costs (CR 508.1, 509.1).
//!
//! A declaration is a set of pairs of a left and a right node. It is legal if it breaks no restriction and meets the maximum of
//! requirements. The maximum is taken over all declarations that break no restriction and pay no other costs than this one.
//! Problems are plain data; nodes and pairs are numbers. `solve` is the exact solver, [`Draft`] builds a declaration pick by pick.

mod check;
mod draft;
mod encoding;
mod flow;
mod propagate;
pub mod random_problems;
mod relaxation;
mod solve;
#[cfg(test)]
mod tests;

pub use check::{Verdict, Violation};
pub use draft::Draft;

/// The maximum number of nodes on each side.
pub const MAX_NODES: usize = 512;
/// The maximum number of pairs.
pub const MAX_PAIRS: usize = 16_384;
/// The default budget of one query, in units of work (about one pair or edge visited each).
pub const BUDGET: u64 = 20_000_000;

/// Where a restriction, requirement or cost comes from. The solver only passes it through, for messages.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Origin {
    /// The number of the ability plus one; 0 for an effect that is not an ability.
    pub ability: u32,
    /// The source object, as the value of its reference.
    pub source: u32,
}

/// A restriction of the number chosen from a set of pairs to an interval, or 0. If the set has several left nodes, these are counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cardinality {
    /// The pairs, by number.
    pub pairs: Vec<u32>,
    /// Whether 0 is allowed in addition to the interval.
    pub zero_allowed: bool,
    /// The lower bound, inclusive.
    pub min: u32,
    /// The upper bound, inclusive.
    pub max: u32,
    /// Where it comes from.
    pub origin: Origin,
}

/// A restriction that joins two sets: if a pair of the first is chosen, a minimum of left nodes of the second must be chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Implication {
    /// The pairs of the condition: at least one of them is chosen.
    pub when: Vec<u32>,
    /// The pairs of which a minimum of left nodes must be chosen.
    pub then: Vec<u32>,
    /// The minimum number of left nodes.
    pub min: u32,
    /// Where it comes from.
    pub origin: Origin,
}

/// A requirement: it is met if at least one of these pairs is chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Requirement {
    /// The pairs, by number.
    pub pairs: Vec<u32>,
    /// Where it comes from.
    pub origin: Origin,
}

/// A cost that is paid once if one of these pairs is chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cost {
    /// The pairs, by number.
    pub pairs: Vec<u32>,
    /// Where it comes from.
    pub origin: Origin,
    /// The number of the modification that imposes the cost. The solver does not read it.
    pub what: u32,
    /// The amount, as the machine encodes it. The solver does not read it.
    pub amount: Vec<u32>,
}

/// A problem: the pairs that may be declared, and the constraints on them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AssignmentProblem {
    /// For each left node, the maximum number of its right nodes.
    pub capacities: Vec<u32>,
    /// The number of right nodes.
    pub right_count: u32,
    /// The pairs that no prohibition excludes: left node, right node.
    pub pairs: Vec<(u32, u32)>,
    /// Restrictions of numbers.
    pub cardinalities: Vec<Cardinality>,
    /// Restrictions that join pairs.
    pub implications: Vec<Implication>,
    /// Requirements.
    pub requirements: Vec<Requirement>,
    /// Costs.
    pub costs: Vec<Cost>,
}

/// The budget of a query is exhausted; the query has no result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetExhausted;

/// A set of pair numbers (or node numbers), as a bit set.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PairSet(Vec<u64>);

impl PairSet {
    pub(crate) fn new(size: usize) -> Self {
        Self(vec![0; size.div_ceil(64)])
    }

    pub(crate) fn of(size: usize, items: &[u32]) -> Self {
        let mut set = Self::new(size);
        for item in items {
            set.insert(*item);
        }
        set
    }

    /// An upper bound of the items: the capacity, rounded up to a multiple of 64.
    pub(crate) fn size(&self) -> usize {
        self.0.len() * 64
    }

    pub(crate) fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub(crate) fn has(&self, item: u32) -> bool {
        self.0.get(item as usize / 64).is_some_and(|word| word >> (item % 64) & 1 != 0)
    }

    pub(crate) fn insert(&mut self, item: u32) {
        if let Some(word) = self.0.get_mut(item as usize / 64) {
            *word |= 1 << (item % 64);
        }
    }

    pub(crate) fn remove(&mut self, item: u32) {
        if let Some(word) = self.0.get_mut(item as usize / 64) {
            *word &= !(1 << (item % 64));
        }
    }

    pub(crate) fn items(&self) -> Vec<u32> {
        let bits = |(n, word): (usize, &u64)| {
            let word = *word;
            (0..64).filter(move |bit| word >> bit & 1 != 0).map(move |bit| n as u32 * 64 + bit)
        };
        self.0.iter().enumerate().flat_map(bits).collect()
    }
}

impl AssignmentProblem {
    fn left(&self, pair: u32) -> u32 {
        self.pairs.get(pair as usize).map_or(0, |(left, _)| *left)
    }

    fn right(&self, pair: u32) -> u32 {
        self.pairs.get(pair as usize).map_or(0, |(_, right)| *right)
    }

    /// The number that a cardinality counts: the chosen left nodes of a set, or its chosen pairs if the set has one left node.
    fn degree(&self, set: &[u32], chosen: &PairSet) -> u32 {
        if self.has_one_left(set) {
            return set.iter().filter(|pair| chosen.has(**pair)).count() as u32;
        }
        self.count_chosen_lefts(set, chosen)
    }

    fn has_one_left(&self, set: &[u32]) -> bool {
        let first = set.first().map(|pair| self.left(*pair));
        set.iter().all(|pair| Some(self.left(*pair)) == first)
    }

    /// The number of left nodes of a set with a chosen pair.
    fn count_chosen_lefts(&self, set: &[u32], chosen: &PairSet) -> u32 {
        self.count_lefts(set.iter().copied().filter(|pair| chosen.has(*pair)))
    }

    /// The number of different left nodes of some pairs.
    fn count_lefts(&self, pairs: impl Iterator<Item = u32>) -> u32 {
        let mut lefts = PairSet::new(self.capacities.len());
        pairs.for_each(|pair| lefts.insert(self.left(pair)));
        lefts.count()
    }

    /// Whether no left node exceeds its capacity.
    fn within_capacity(&self, chosen: &PairSet) -> bool {
        let mut used = vec![0u32; self.capacities.len()];
        for pair in chosen.items() {
            if let Some(count) = used.get_mut(self.left(pair) as usize) {
                *count += 1;
            }
        }
        used.iter().zip(&self.capacities).all(|(used, most)| used <= most)
    }

    fn satisfies_cardinality(&self, limit: &Cardinality, chosen: &PairSet) -> bool {
        let count = self.degree(&limit.pairs, chosen);
        count == 0 && limit.zero_allowed || (limit.min..=limit.max).contains(&count)
    }

    fn satisfies_implication(&self, link: &Implication, chosen: &PairSet) -> bool {
        !contains_any(&link.when, chosen) || self.count_chosen_lefts(&link.then, chosen) >= link.min
    }

    /// The number of requirements that a declaration meets.
    fn count_met(&self, chosen: &PairSet) -> usize {
        self.requirements.iter().filter(|want| contains_any(&want.pairs, chosen)).count()
    }

    /// The costs that a declaration pays, by number.
    #[must_use]
    pub fn paid_costs(&self, picks: &[u32]) -> Vec<usize> {
        let chosen = PairSet::of(self.pairs.len(), picks);
        (0..self.costs.len())
            .filter(|cost| self.costs.get(*cost).is_some_and(|cost| contains_any(&cost.pairs, &chosen)))
            .collect()
    }

    /// The pairs that can be chosen without paying other costs than these.
    fn affordable_pairs(&self, paid: &[usize]) -> PairSet {
        let mut all = PairSet::of(self.pairs.len(), &(0..self.pairs.len() as u32).collect::<Vec<_>>());
        for (number, cost) in self.costs.iter().enumerate() {
            if !paid.contains(&number) {
                cost.pairs.iter().for_each(|pair| all.remove(*pair));
            }
        }
        all
    }
}

fn contains_any(pairs: &[u32], chosen: &PairSet) -> bool {
    pairs.iter().any(|pair| chosen.has(*pair))
}
