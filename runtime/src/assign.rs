//! Assignment: which left nodes go with which right nodes, as one decision under restrictions, requirements and costs.
//!
//! A declaration is a set of pairs. It is legal if it breaks no restriction and satisfies at least as many requirements as every
//! declaration that breaks none and pays no cost which it does not itself pay. Plain data; the nodes are numbers.

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

/// At most so many nodes on a side.
pub const MAX_NODES: usize = 512;
/// At most so many pairs.
pub const MAX_PAIRS: usize = 16_384;
/// How much work a question may take: arcs looked at.
pub const BUDGET: u64 = 20_000_000;

/// Where a restriction, requirement or cost comes from. Labels mean nothing here.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Origin {
    /// Which ability, plus one; 0 for an effect that is none any more.
    pub ability: u32,
    /// Which object.
    pub source: u32,
}

/// The number of pairs chosen of a set is none, or lies between two bounds. Of a set with several left nodes these are counted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cardinality {
    /// Which pairs.
    pub pairs: Vec<u32>,
    /// None at all is right as well.
    pub zero: bool,
    /// At least.
    pub least: u32,
    /// At most.
    pub most: u32,
    /// Where it comes from.
    pub by: Origin,
}

/// Whoever chooses one pair of a set chooses pairs of so many left nodes of another.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Implication {
    /// If one of these is chosen,
    pub when: Vec<u32>,
    /// then of these
    pub then: Vec<u32>,
    /// at least so many.
    pub least: u32,
    /// Where it comes from.
    pub by: Origin,
}

/// A requirement: one of these pairs at least.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Requirement {
    /// Which pairs.
    pub pairs: Vec<u32>,
    /// Where it comes from.
    pub by: Origin,
}

/// A cost that is paid once if one of these pairs is chosen.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Cost {
    /// Which pairs.
    pub pairs: Vec<u32>,
    /// Where it comes from.
    pub by: Origin,
    /// What it is, for whoever pays it.
    pub what: u32,
    /// How much, for whoever pays it.
    pub amount: Vec<u32>,
}

/// What is decided about.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct AssignmentProblem {
    /// For each left node, how many right nodes it may have at most.
    pub most: Vec<u32>,
    /// How many right nodes there are.
    pub rights: u32,
    /// The pairs that nothing forbids: left node, right node.
    pub pairs: Vec<(u32, u32)>,
    /// Restrictions on numbers.
    pub limits: Vec<Cardinality>,
    /// Restrictions that join pairs.
    pub links: Vec<Implication>,
    /// Requirements.
    pub wants: Vec<Requirement>,
    /// Costs.
    pub costs: Vec<Cost>,
}

/// The budget is used up: the question has no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BudgetExhausted;

/// A set of pairs of a board.
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

    /// At least the number of items that there can be.
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

    /// How many of a set's left nodes are chosen; of a set with one left node, how many pairs.
    fn degree(&self, set: &[u32], chosen: &PairSet) -> u32 {
        if self.has_one_left(set) {
            return set.iter().filter(|pair| chosen.has(**pair)).count() as u32;
        }
        self.lefts(set, chosen)
    }

    fn has_one_left(&self, set: &[u32]) -> bool {
        let first = set.first().map(|pair| self.left(*pair));
        set.iter().all(|pair| Some(self.left(*pair)) == first)
    }

    /// How many left nodes of a set are chosen.
    fn lefts(&self, set: &[u32], chosen: &PairSet) -> u32 {
        self.count_lefts(set.iter().copied().filter(|pair| chosen.has(*pair)))
    }

    /// How many left nodes pairs have.
    fn count_lefts(&self, pairs: impl Iterator<Item = u32>) -> u32 {
        let mut lefts = PairSet::new(self.most.len());
        pairs.for_each(|pair| lefts.insert(self.left(pair)));
        lefts.count()
    }

    /// Whether no left node has more right nodes than it may have.
    fn within_capacity(&self, chosen: &PairSet) -> bool {
        let mut used = vec![0u32; self.most.len()];
        for pair in chosen.items() {
            if let Some(count) = used.get_mut(self.left(pair) as usize) {
                *count += 1;
            }
        }
        used.iter().zip(&self.most).all(|(used, most)| used <= most)
    }

    fn keeps(&self, limit: &Cardinality, chosen: &PairSet) -> bool {
        let count = self.degree(&limit.pairs, chosen);
        count == 0 && limit.zero || (limit.least..=limit.most).contains(&count)
    }

    fn follows(&self, link: &Implication, chosen: &PairSet) -> bool {
        !touches(&link.when, chosen) || self.lefts(&link.then, chosen) >= link.least
    }

    /// How many requirements a declaration satisfies.
    fn met(&self, chosen: &PairSet) -> usize {
        self.wants.iter().filter(|want| touches(&want.pairs, chosen)).count()
    }

    /// The costs that a declaration pays.
    #[must_use]
    pub fn paid(&self, picks: &[u32]) -> Vec<usize> {
        let chosen = PairSet::of(self.pairs.len(), picks);
        (0..self.costs.len()).filter(|cost| self.costs.get(*cost).is_some_and(|cost| touches(&cost.pairs, &chosen))).collect()
    }

    /// The pairs that may be chosen without paying any other cost than these.
    fn affordable(&self, paid: &[usize]) -> PairSet {
        let mut all = PairSet::of(self.pairs.len(), &(0..self.pairs.len() as u32).collect::<Vec<_>>());
        for (number, cost) in self.costs.iter().enumerate() {
            if !paid.contains(&number) {
                cost.pairs.iter().for_each(|pair| all.remove(*pair));
            }
        }
        all
    }
}

fn touches(pairs: &[u32], chosen: &PairSet) -> bool {
    pairs.iter().any(|pair| chosen.has(*pair))
}
