//! What single parts can tell of the declarations of a game, and which parts an edit of these declarations leaves as they are.

use super::item_result::ItemResult;
use super::store::SourceStore;
use crate::names::NameTable;
use fizzle_grammar::ast::{DifferenceKind, Item, ItemKind};
use fizzle_runtime::ir::KeywordId;
use rayon::prelude::*;
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};

/// What single parts can tell of the declarations of a game: bodies of rules, actions and keywords are none of it, nor what a format
/// replaces of them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// The names of the keywords by number, and how each is called. Only a part that mentions a keyword can tell anything of it.
    keywords: Vec<(SmolStr, String)>,
    /// All other declarations.
    rest: String,
    /// Words that stand for others, with what they stand for: who mentions the one depends on what the other mentions.
    nouns: Vec<(SmolStr, String)>,
}

impl Interface {
    /// Of the declarations of a game. Now: the texts of parts that an edit takes away are gone later.
    pub fn of(declarations: &[&Item], names: &NameTable<'_>, store: &SourceStore) -> Self {
        let keywords = names.keywords.keys().map(|name| (name.clone(), String::new())).collect();
        let mut made = Self { keywords, ..Self::default() };
        // What stands for a number in what was found of single parts.
        let numbered = names.actions.keys().chain(names.traits.iter().map(|set| &set.name));
        numbered.for_each(|name| made.rest.extend([name.as_str(), "\n"]));
        made.rest.push_str(if names.carriers.has_other_runners { "texts are carried out elsewhere\n" } else { "" });
        for item in declarations {
            match &item.kind {
                ItemKind::Format { name, base, differences, .. } => {
                    made.rest.push_str(&format!("format {} {}\n", name.text, base.text));
                    for difference in differences {
                        match &difference.kind {
                            DifferenceKind::Add(item) => made.signature_of(item, store),
                            DifferenceKind::Replace(item) if !matches!(item.kind, ItemKind::Turn(_)) => {}
                            DifferenceKind::Remove(_)
                            | DifferenceKind::Append { .. }
                            | DifferenceKind::Ban(_)
                            | DifferenceKind::Restrict(_) => {}
                            DifferenceKind::Replace(_)
                            | DifferenceKind::ReplaceSpan { .. }
                            | DifferenceKind::Insert { .. }
                            | DifferenceKind::Errata(_) => made.rest.push_str(store.sources().slice(difference.span)),
                        }
                    }
                }
                _ => made.signature_of(item, store),
            }
        }
        made
    }

    /// What single parts can tell of one item.
    fn signature_of(&mut self, item: &Item, store: &SourceStore) {
        let all = store.sources().slice(item.span);
        let head = || all.split('{').next().unwrap_or(all);
        let told = match &item.kind {
            ItemKind::Keyword { name, .. } => {
                if let Some((_, told)) = self.keywords.iter_mut().find(|(known, _)| *known == name.text) {
                    told.push_str(head());
                }
                return;
            }
            ItemKind::Rule { .. }
            | ItemKind::StateRule { .. }
            | ItemKind::Treat { .. }
            | ItemKind::Timing(_)
            | ItemKind::Announce(_)
            | ItemKind::Setup(_)
            | ItemKind::Evaluate(_)
            | ItemKind::DeckRules(_)
            | ItemKind::Match(_)
            | ItemKind::Ban(_)
            | ItemKind::Restrict(_)
            | ItemKind::Text(_) => return,
            ItemKind::Action(_) => head(),
            ItemKind::Noun { name, .. } | ItemKind::Function { name, .. } => {
                self.nouns.push((name.text.clone(), all.to_owned()));
                all
            }
            _ => all,
        };
        self.rest.push_str(told);
        self.rest.push('\n');
    }

    /// What is still true of what was found `before` of single parts.
    pub fn still_valid(
        &self,
        before: &Self,
        mut outcomes: BTreeMap<u32, ItemResult>,
        store: &SourceStore,
    ) -> BTreeMap<u32, ItemResult> {
        if self == before {
            return outcomes;
        }
        if self.rest != before.rest {
            return BTreeMap::new();
        }
        let changed = self.changed(before);
        // What they do not find might be found now, or meant otherwise.
        let stale: Vec<u32> = outcomes
            .par_iter()
            .filter(|(part, outcome)| !outcome.diagnostics.is_empty() || mentions(store.sources().text(**part), &changed))
            .map(|(part, _)| *part)
            .collect();
        for part in stale {
            outcomes.remove(&part);
        }
        let number: BTreeMap<&SmolStr, usize> =
            self.keywords.iter().enumerate().map(|(number, (name, _))| (name, number)).collect();
        for outcome in outcomes.values_mut() {
            for (keyword, _) in &mut outcome.units {
                let name = before.keywords.get(keyword.index()).map(|(name, _)| name);
                if let Some(now) = name.and_then(|name| number.get(name)) {
                    *keyword = KeywordId(*now as u32);
                }
            }
        }
        outcomes
    }

    /// The keywords that came, went, or are called otherwise, and what stands for something with one of them.
    fn changed(&self, before: &Self) -> BTreeSet<SmolStr> {
        let (now, then): (BTreeSet<_>, BTreeSet<_>) = (self.keywords.iter().collect(), before.keywords.iter().collect());
        let mut changed: BTreeSet<SmolStr> = now.symmetric_difference(&then).map(|(name, _)| name.clone()).collect();
        loop {
            let more = self.nouns.iter().filter(|(name, text)| !changed.contains(name) && mentions(text, &changed));
            let more: Vec<SmolStr> = more.map(|(name, _)| name.clone()).collect();
            if more.is_empty() {
                return changed;
            }
            changed.extend(more);
        }
    }
}

/// Whether a text may mention one of these words: perhaps as a part of a longer one.
pub fn mentions<'w>(text: &str, words: impl IntoIterator<Item = &'w SmolStr>) -> bool {
    words.into_iter().any(|word| text.contains(word.as_str()))
}
