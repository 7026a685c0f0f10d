//! Boards as words, for states: written once when a decision is asked, read with all checks.

use super::{AssignmentProblem, Cardinality, Cost, Implication, MAX_NODES, MAX_PAIRS, Origin, Requirement};

struct WordReader<'a> {
    words: &'a [u32],
    pairs: u32,
}

impl WordReader<'_> {
    fn word(&mut self) -> Option<u32> {
        let (first, rest) = self.words.split_first()?;
        self.words = rest;
        Some(*first)
    }

    fn list(&mut self) -> Option<Vec<u32>> {
        let count = self.word()? as usize;
        let (list, rest) = self.words.split_at_checked(count)?;
        self.words = rest;
        Some(list.to_vec())
    }

    /// Numbers of pairs.
    fn set(&mut self) -> Option<Vec<u32>> {
        self.list().filter(|list| list.iter().all(|pair| *pair < self.pairs))
    }

    fn label(&mut self) -> Option<Origin> {
        Some(Origin { ability: self.word()?, source: self.word()? })
    }

    fn many<T>(&mut self, mut one: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.word()?;
        (0..count).map(|_| one(self)).collect()
    }
}

fn list(words: &mut Vec<u32>, items: &[u32]) {
    words.push(items.len() as u32);
    words.extend_from_slice(items);
}

impl AssignmentProblem {
    /// As words.
    #[must_use]
    pub fn words(&self) -> Vec<u32> {
        let mut words = Vec::new();
        list(&mut words, &self.most);
        words.push(self.rights);
        words.push(self.pairs.len() as u32);
        words.extend(self.pairs.iter().flat_map(|(left, right)| [*left, *right]));
        words.push(self.limits.len() as u32);
        for limit in &self.limits {
            list(&mut words, &limit.pairs);
            words.extend([u32::from(limit.zero), limit.least, limit.most, limit.by.ability, limit.by.source]);
        }
        words.push(self.links.len() as u32);
        for link in &self.links {
            list(&mut words, &link.when);
            list(&mut words, &link.then);
            words.extend([link.least, link.by.ability, link.by.source]);
        }
        words.push(self.wants.len() as u32);
        for want in &self.wants {
            list(&mut words, &want.pairs);
            words.extend([want.by.ability, want.by.source]);
        }
        words.push(self.costs.len() as u32);
        for cost in &self.costs {
            list(&mut words, &cost.pairs);
            words.extend([cost.by.ability, cost.by.source, cost.what]);
            list(&mut words, &cost.amount);
        }
        words
    }

    /// From words; none when they are not those of a board.
    #[must_use]
    pub fn from_words(words: &[u32]) -> Option<Self> {
        let mut reader = WordReader { words, pairs: 0 };
        let most = reader.list()?;
        let rights = reader.word()?;
        if most.len() > MAX_NODES || rights as usize > MAX_NODES {
            return None;
        }
        let pairs = reader.many(|r| Some((r.word()?, r.word()?)))?;
        if pairs.len() > MAX_PAIRS || pairs.iter().any(|(left, right)| *left as usize >= most.len() || *right >= rights) {
            return None;
        }
        reader.pairs = pairs.len() as u32;
        let limits = reader.many(|r| {
            Some(Cardinality { pairs: r.set()?, zero: r.word()? != 0, least: r.word()?, most: r.word()?, by: r.label()? })
        })?;
        let links = reader.many(|r| Some(Implication { when: r.set()?, then: r.set()?, least: r.word()?, by: r.label()? }))?;
        let wants = reader.many(|r| Some(Requirement { pairs: r.set()?, by: r.label()? }))?;
        let costs = reader.many(|r| Some(Cost { pairs: r.set()?, by: r.label()?, what: r.word()?, amount: r.list()? }))?;
        reader.words.is_empty().then_some(Self { most, rights, pairs, limits, links, wants, costs })
    }
}
