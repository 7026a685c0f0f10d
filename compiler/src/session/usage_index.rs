//! What the parts of a game do together: which actions happen and what waits for them, which keywords are used, which plays are named.

use super::item_result::ItemResult;
use fizzle_grammar::ast::Span;
use fizzle_runtime::ir::KeywordId;
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};

/// Counts over the outcomes of all parts.
#[derive(Debug, Default)]
pub struct UsageIndex {
    done: BTreeMap<usize, usize>,
    filled: BTreeMap<usize, usize>,
    keywords: BTreeMap<KeywordId, usize>,
    labels: BTreeMap<String, usize>,
    awaited: BTreeMap<usize, BTreeMap<u32, Vec<Span>>>,
    scripted: BTreeMap<SmolStr, BTreeMap<u32, Vec<Span>>>,
}

impl UsageIndex {
    /// Takes a part in.
    pub fn add(&mut self, part: u32, outcome: &ItemResult) {
        outcome.done.iter().for_each(|action| *self.done.entry(*action).or_default() += 1);
        outcome.filled.iter().for_each(|zone| *self.filled.entry(*zone).or_default() += 1);
        outcome.units.iter().for_each(|(keyword, _)| *self.keywords.entry(*keyword).or_default() += 1);
        outcome.labels.iter().for_each(|label| *self.labels.entry(label.clone()).or_default() += 1);
        for (action, span) in &outcome.awaited {
            self.awaited.entry(*action).or_default().entry(part).or_default().push(*span);
        }
        for verb in &outcome.scripted {
            self.scripted.entry(verb.text.clone()).or_default().entry(part).or_default().push(verb.span);
        }
    }

    /// Takes a part out.
    pub fn remove(&mut self, part: u32, outcome: &ItemResult) {
        outcome.done.iter().for_each(|action| less(&mut self.done, action));
        outcome.filled.iter().for_each(|zone| less(&mut self.filled, zone));
        outcome.units.iter().for_each(|(keyword, _)| less(&mut self.keywords, keyword));
        outcome.labels.iter().for_each(|label| less(&mut self.labels, label));
        for (action, _) in &outcome.awaited {
            self.awaited.get_mut(action).map(|parts| parts.remove(&part));
        }
        for verb in &outcome.scripted {
            self.scripted.get_mut(&verb.text).map(|parts| parts.remove(&part));
        }
    }

    /// The actions that something does.
    pub fn done(&self) -> BTreeSet<usize> {
        self.done.keys().copied().collect()
    }

    /// The zones that something fills.
    pub fn filled(&self) -> BTreeSet<usize> {
        self.filled.keys().copied().collect()
    }

    /// Which of some keywords parts have or give.
    pub fn used(&self, of: &BTreeSet<KeywordId>) -> BTreeSet<KeywordId> {
        of.iter().filter(|keyword| self.keywords.contains_key(keyword)).copied().collect()
    }

    /// The names of activated abilities.
    pub fn labels(&self) -> impl Iterator<Item = &String> {
        self.labels.keys()
    }

    /// What waits for actions, and where.
    pub fn awaited(&self) -> impl Iterator<Item = (usize, &BTreeMap<u32, Vec<Span>>)> {
        self.awaited.iter().map(|(action, parts)| (*action, parts))
    }

    /// What players do in scenarios, and where.
    pub fn scripted(&self) -> impl Iterator<Item = (&SmolStr, &BTreeMap<u32, Vec<Span>>)> {
        self.scripted.iter().filter(|(_, parts)| !parts.is_empty())
    }
}

fn less<K: Ord>(counts: &mut BTreeMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}
