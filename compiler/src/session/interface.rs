//! The interface of a game's declarations: the part that can affect cards, decks and scenarios. Decides which results are still valid.

use super::item_result::ItemResult;
use super::store::SourceStore;
use crate::names::NameTable;
use crate::renamed_words::RenamedWords;
use fizzle_grammar::ast::{DifferenceKind, Item, ItemKind};
use fizzle_ir::KeywordId;
use rayon::prelude::*;
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};

/// The part of the declarations of a game that can affect independent items. It does not contain bodies of rules, actions and keywords,
/// or their replacements in formats.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Interface {
    /// The keywords by number: name and signature. A keyword can affect only items that mention it.
    keywords: Vec<(SmolStr, String)>,
    /// The text of all other declarations.
    other_declarations: String,
    /// Nouns and functions with their texts. An item that mentions one depends on the words in its text.
    definitions: Vec<(SmolStr, String)>,
    /// Old words with the new ones. An item that mentions the old one depends on the new one.
    renamed: Vec<(SmolStr, SmolStr)>,
}

impl Interface {
    /// The interface of declarations. Computed when they are analysed, since the store drops the texts of items that an edit removes.
    pub fn of(declarations: &[&Item], names: &NameTable<'_>, renamed: &RenamedWords, store: &SourceStore) -> Self {
        let keywords = names.keywords.keys().map(|name| (name.clone(), String::new())).collect();
        let renamed = renamed.pairs().map(|(old, new)| (old.clone(), new.clone())).collect();
        let mut interface = Self { keywords, renamed, ..Self::default() };
        // Results of items refer to actions and trait sets by number, so their names and order are part of the interface.
        let numbered = names.actions.keys().chain(names.traits.iter().map(|set| &set.name));
        numbered.for_each(|name| interface.other_declarations.extend([name.as_str(), "\n"]));
        interface.other_declarations.push_str(if names.text_resolvers.has_other_resolvers {
            "texts are carried out elsewhere\n"
        } else {
            ""
        });
        interface.other_declarations.push_str(if names.text_resolvers.resolve_on_list() {
            "texts are carried out on the list\n"
        } else {
            ""
        });
        for (name, action) in &names.text_resolvers.called {
            let body = action.body.as_ref().map_or("", |body| store.sources().slice(body.span));
            interface.other_declarations.push_str(&format!("called {name} {body}\n"));
        }
        interface.other_declarations.push_str(&format!("{:?}\n", names.text_resolvers.replaced_functions));
        // Lints read these of the bodies of actions.
        interface.other_declarations.push_str(&format!("{:?}\n", names.action_effects));
        let mut before = None;
        for item in declarations {
            // The items that one declaration stands for have the same text.
            let is_part = before.replace(item.span) == Some(item.span);
            match &item.kind {
                ItemKind::Format { name, base, differences, .. } => {
                    interface.other_declarations.push_str(&format!("format {} {}\n", name.text, base.text));
                    for difference in differences {
                        match &difference.kind {
                            DifferenceKind::Add(item) => interface.signature_of(item, false, store),
                            DifferenceKind::Replace(item) if !matches!(item.kind, ItemKind::Turn(_)) => {}
                            DifferenceKind::Remove(_)
                            | DifferenceKind::Append { .. }
                            | DifferenceKind::AppendLayout { .. }
                            | DifferenceKind::AppendRows { .. }
                            | DifferenceKind::ReplaceRows { .. }
                            | DifferenceKind::Ban(_)
                            | DifferenceKind::Restrict(_) => {}
                            DifferenceKind::Replace(_)
                            | DifferenceKind::ReplacePeriod { .. }
                            | DifferenceKind::Insert { .. }
                            | DifferenceKind::Errata(_) => {
                                interface.other_declarations.push_str(store.sources().slice(difference.span))
                            }
                        }
                    }
                }
                _ => interface.signature_of(item, is_part, store),
            }
        }
        interface
    }

    /// Adds the part of one declaration that can affect independent items. `is_part`: its text is there already.
    fn signature_of(&mut self, item: &Item, is_part: bool, store: &SourceStore) {
        let all = store.sources().slice(item.span);
        let head = || all.split('{').next().unwrap_or(all);
        let text = match &item.kind {
            // The body of a keyword with a block is part of what uses it.
            ItemKind::Keyword { with_body: true, .. } => all,
            ItemKind::Keyword { name, .. } => {
                if let Some((_, signature)) = self.keywords.iter_mut().find(|(known, _)| *known == name.text) {
                    signature.push_str(head());
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
            | ItemKind::Layout(_)
            | ItemKind::Text(_) => return,
            ItemKind::Action(_) => head(),
            ItemKind::Noun { name, .. } | ItemKind::Function { name, .. } => {
                self.definitions.push((name.text.clone(), all.to_owned()));
                all
            }
            _ => all,
        };
        if !is_part {
            self.other_declarations.push_str(text);
            self.other_declarations.push('\n');
        }
    }

    /// Keeps the results that are still valid. `before`: the interface under which they were computed.
    pub fn still_valid(
        &self,
        before: &Self,
        mut outcomes: BTreeMap<u32, Box<ItemResult>>,
        store: &SourceStore,
    ) -> BTreeMap<u32, Box<ItemResult>> {
        // What a limit of the game left out, and the report of it, are of the game before.
        outcomes.retain(|_, outcome| !outcome.is_skipped && !outcome.reports_game_limit());
        if self == before {
            return outcomes;
        }
        if self.other_declarations != before.other_declarations || self.renamed != before.renamed {
            return BTreeMap::new();
        }
        let changed = self.changed(before);
        // A name that they lack may exist now, or have another meaning.
        let stale: Vec<u32> = outcomes
            .par_iter()
            .filter(|(item_number, outcome)| {
                !outcome.diagnostics.is_empty() || mentions(store.sources().text(**item_number), &changed)
            })
            .map(|(item_number, _)| *item_number)
            .collect();
        for item_number in stale {
            outcomes.remove(&item_number);
        }
        let number: BTreeMap<&SmolStr, usize> =
            self.keywords.iter().enumerate().map(|(number, (name, _))| (name, number)).collect();
        for outcome in outcomes.values_mut() {
            for (keyword, _) in &mut outcome.keyword_bundles {
                let name = before.keywords.get(keyword.index()).map(|(name, _)| name);
                if let Some(now) = name.and_then(|name| number.get(name)) {
                    *keyword = KeywordId(*now as u32);
                }
            }
        }
        outcomes
    }

    /// The keywords that were added, removed or have another signature, and the nouns and functions that mention one of them.
    fn changed(&self, before: &Self) -> BTreeSet<SmolStr> {
        let (now, then): (BTreeSet<_>, BTreeSet<_>) = (self.keywords.iter().collect(), before.keywords.iter().collect());
        let mut changed: BTreeSet<SmolStr> = now.symmetric_difference(&then).map(|(name, _)| name.clone()).collect();
        loop {
            let more = self.definitions.iter().filter(|(name, text)| !changed.contains(name) && mentions(text, &changed));
            let more = more.map(|(name, _)| name.clone());
            let old = self.renamed.iter().filter(|(old, new)| changed.contains(new) && !changed.contains(old));
            let more: Vec<SmolStr> = more.chain(old.map(|(old, _)| old.clone())).collect();
            if more.is_empty() {
                return changed;
            }
            changed.extend(more);
        }
    }
}

/// Whether a text may mention one of these words. Also true if a word is only a part of a longer one.
pub fn mentions<'w>(text: &str, words: impl IntoIterator<Item = &'w SmolStr>) -> bool {
    words.into_iter().any(|word| text.contains(word.as_str()))
}
