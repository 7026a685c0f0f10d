//! Ability bundles of keywords with words among their arguments, such as protection from a colour: which of them a text-changing effect replaces
//! (CR 612.2), and by which one.

use super::LinkedTables;
use crate::ir::{KeywordId, TraitSetId};
use std::collections::BTreeMap;

/// The bundles of keywords with words, by dense number.
#[derive(Clone, Debug, Default)]
pub struct WordedBundles {
    /// The bundles with a word of a trait set among their arguments, in order.
    by_word: BTreeMap<(TraitSetId, u16), Vec<u32>>,
    /// The bundles by keyword and arguments; the first one counts.
    by_arguments: BTreeMap<(KeywordId, Vec<i32>), u32>,
}

impl WordedBundles {
    /// Finds the bundles of a program.
    pub(super) fn new(program: &LinkedTables) -> Self {
        let mut found = Self::default();
        for (dense, id) in (0..).zip(&program.bundles) {
            let bundle = program.format.bundles.get(id.index());
            let Some((keyword, args)) = bundle.and_then(|bundle| bundle.keyword.as_ref()) else { continue };
            let Some(declared) = program.library.keywords.get(keyword.index()).filter(|it| !it.words.is_empty()) else {
                continue;
            };
            found.by_arguments.entry((*keyword, args.clone())).or_insert(dense);
            for (number, traits) in &declared.words {
                let Some(word) = args.get(usize::from(*number)).and_then(|arg| u16::try_from(*arg).ok()) else { continue };
                let bundles = found.by_word.entry((*traits, word)).or_default();
                if bundles.last() != Some(&dense) {
                    bundles.push(dense);
                }
            }
        }
        found
    }

    /// Returns the bundles with a word of a trait set among their arguments.
    pub(crate) fn with_word(&self, traits: TraitSetId, word: u16) -> &[u32] {
        self.by_word.get(&(traits, word)).map_or(&[], Vec::as_slice)
    }

    /// Returns the bundle of a keyword with these arguments.
    pub(crate) fn with_arguments(&self, keyword: KeywordId, args: Vec<i32>) -> Option<u32> {
        self.by_arguments.get(&(keyword, args)).copied()
    }
}
