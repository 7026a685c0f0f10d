//! Encodes assignment problems as 32-bit words of the state. Written once, when the decision is created; decoding validates everything.

use super::{AssignmentProblem, Cardinality, Cost, Implication, MAX_NODES, MAX_PAIRS, Origin, Requirement};

struct WordReader<'a> {
    words: &'a [u32],
    pairs: u32,
}

impl WordReader<'_> {
    fn read_word(&mut self) -> Option<u32> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(*first)
    }

    fn read_list(&mut self) -> Option<Vec<u32>> {
        let count = self.read_word()? as usize;
        let (list, rest) = self.words.split_at_checked(count)?;
        self.words = rest;
        Some(list.to_vec())
    }

    /// A list of pair numbers, each in range.
    fn read_pairs(&mut self) -> Option<Vec<u32>> {
        self.read_list().filter(|list| list.iter().all(|pair| *pair < self.pairs))
    }

    fn read_origin(&mut self) -> Option<Origin> {
        Some(Origin { ability: self.read_word()?, source: self.read_word()? })
    }

    fn read_many<T>(&mut self, mut one: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.read_word()?;
        (0..count).map(|_| one(self)).collect()
    }
}

fn push_list(words: &mut Vec<u32>, items: &[u32]) {
    words.push(items.len() as u32);
    words.extend_from_slice(items);
}

impl AssignmentProblem {
    /// Encodes the problem as words.
    #[must_use]
    pub fn to_words(&self) -> Vec<u32> {
        let mut words = Vec::new();
        push_list(&mut words, &self.capacities);
        words.push(self.right_count);
        words.push(self.pairs.len() as u32);
        words.extend(self.pairs.iter().flat_map(|(left, right)| [*left, *right]));
        words.push(self.cardinalities.len() as u32);
        for limit in &self.cardinalities {
            push_list(&mut words, &limit.pairs);
            words.extend([u32::from(limit.zero_allowed), limit.min, limit.max, limit.origin.ability, limit.origin.source]);
        }
        words.push(self.implications.len() as u32);
        for link in &self.implications {
            push_list(&mut words, &link.when);
            push_list(&mut words, &link.then);
            words.extend([link.min, link.origin.ability, link.origin.source]);
        }
        words.push(self.requirements.len() as u32);
        for want in &self.requirements {
            push_list(&mut words, &want.pairs);
            words.extend([want.origin.ability, want.origin.source]);
        }
        words.push(self.costs.len() as u32);
        for cost in &self.costs {
            push_list(&mut words, &cost.pairs);
            words.extend([cost.origin.ability, cost.origin.source, cost.what]);
            push_list(&mut words, &cost.amount);
        }
        words
    }

    /// Decodes a problem; `None` if the words do not encode one, or if it exceeds [`MAX_NODES`] or [`MAX_PAIRS`].
    #[must_use]
    pub fn from_words(words: &[u32]) -> Option<Self> {
        let mut reader = WordReader { words, pairs: 0 };
        let most = reader.read_list()?;
        let rights = reader.read_word()?;
        if most.len() > MAX_NODES || rights as usize > MAX_NODES {
            return None;
        }
        let pairs = reader.read_many(|r| Some((r.read_word()?, r.read_word()?)))?;
        if pairs.len() > MAX_PAIRS || pairs.iter().any(|(left, right)| *left as usize >= most.len() || *right >= rights) {
            return None;
        }
        reader.pairs = pairs.len() as u32;
        let limits = reader.read_many(|r| {
            Some(Cardinality {
                pairs: r.read_pairs()?,
                zero_allowed: r.read_word()? != 0,
                min: r.read_word()?,
                max: r.read_word()?,
                origin: r.read_origin()?,
            })
        })?;
        let links = reader.read_many(|r| {
            Some(Implication { when: r.read_pairs()?, then: r.read_pairs()?, min: r.read_word()?, origin: r.read_origin()? })
        })?;
        let wants = reader.read_many(|r| Some(Requirement { pairs: r.read_pairs()?, origin: r.read_origin()? }))?;
        let costs = reader.read_many(|r| {
            Some(Cost { pairs: r.read_pairs()?, origin: r.read_origin()?, what: r.read_word()?, amount: r.read_list()? })
        })?;
        reader.words.is_empty().then_some(Self {
            capacities: most,
            right_count: rights,
            pairs,
            cardinalities: limits,
            implications: links,
            requirements: wants,
            costs,
        })
    }
}
