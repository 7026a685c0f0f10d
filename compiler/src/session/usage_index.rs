//! Usage index: counts over all items which actions are proposed and awaited, which zones are filled, which keywords and verbs are used.

use super::item_result::ItemResult;
use fizzle_grammar::ast::Span;
use fizzle_ir::KeywordId;
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};

/// Counts over the results of all items.
#[derive(Debug, Default)]
pub struct UsageIndex {
    proposed_actions: BTreeMap<usize, usize>,
    filled_zones: BTreeMap<usize, usize>,
    keywords: BTreeMap<KeywordId, usize>,
    ability_names: BTreeMap<String, usize>,
    awaited_actions: BTreeMap<usize, BTreeMap<u32, Vec<Span>>>,
    scripted_verbs: BTreeMap<SmolStr, BTreeMap<u32, Vec<Span>>>,
}

impl UsageIndex {
    /// Adds the result of an item.
    pub fn add(&mut self, item_number: u32, outcome: &ItemResult) {
        outcome.proposed_actions.iter().for_each(|action| *self.proposed_actions.entry(*action).or_default() += 1);
        outcome.filled_zones.iter().for_each(|zone| *self.filled_zones.entry(*zone).or_default() += 1);
        outcome.keyword_bundles.iter().for_each(|(keyword, _)| *self.keywords.entry(*keyword).or_default() += 1);
        outcome.ability_names.iter().for_each(|label| *self.ability_names.entry(label.clone()).or_default() += 1);
        for (action, span) in &outcome.awaited_actions {
            self.awaited_actions.entry(*action).or_default().entry(item_number).or_default().push(*span);
        }
        for verb in &outcome.scripted_verbs {
            self.scripted_verbs.entry(verb.text.clone()).or_default().entry(item_number).or_default().push(verb.span);
        }
    }

    /// Removes the result of an item.
    pub fn remove(&mut self, item_number: u32, outcome: &ItemResult) {
        outcome.proposed_actions.iter().for_each(|action| decrement(&mut self.proposed_actions, action));
        outcome.filled_zones.iter().for_each(|zone| decrement(&mut self.filled_zones, zone));
        outcome.keyword_bundles.iter().for_each(|(keyword, _)| decrement(&mut self.keywords, keyword));
        outcome.ability_names.iter().for_each(|label| decrement(&mut self.ability_names, label));
        for (action, _) in &outcome.awaited_actions {
            self.awaited_actions.get_mut(action).map(|item_numbers| item_numbers.remove(&item_number));
        }
        for verb in &outcome.scripted_verbs {
            self.scripted_verbs.get_mut(&verb.text).map(|item_numbers| item_numbers.remove(&item_number));
        }
    }

    /// The actions that an item proposes.
    pub fn proposed_actions(&self) -> BTreeSet<usize> {
        self.proposed_actions.keys().copied().collect()
    }

    /// The zones that an item fills.
    pub fn filled_zones(&self) -> BTreeSet<usize> {
        self.filled_zones.keys().copied().collect()
    }

    /// The keywords among these that items have or grant.
    pub fn used_keywords(&self, of: &BTreeSet<KeywordId>) -> BTreeSet<KeywordId> {
        of.iter().filter(|keyword| self.keywords.contains_key(keyword)).copied().collect()
    }

    /// The names of activated abilities.
    pub fn ability_names(&self) -> impl Iterator<Item = &String> {
        self.ability_names.keys()
    }

    /// The actions that triggers have as events, with the places of the triggers by item.
    pub fn awaited_actions(&self) -> impl Iterator<Item = (usize, &BTreeMap<u32, Vec<Span>>)> {
        self.awaited_actions.iter().map(|(action, item_numbers)| (*action, item_numbers))
    }

    /// The verbs of scenario steps, with their places by item.
    pub fn scripted_verbs(&self) -> impl Iterator<Item = (&SmolStr, &BTreeMap<u32, Vec<Span>>)> {
        self.scripted_verbs.iter().filter(|(_, item_numbers)| !item_numbers.is_empty())
    }
}

fn decrement<K: Ord>(counts: &mut BTreeMap<K, usize>, key: &K) {
    if let Some(count) = counts.get_mut(key) {
        *count -= 1;
        if *count == 0 {
            counts.remove(key);
        }
    }
}
