//! Ability bundles: what an object gains and loses as one. A keyword with its arguments is one bundle, whichever cards and tokens have it, so its
//! code is lowered once; every other ability is a separate bundle. `tables.rs` expands the keywords for each format.

use super::{BundleKind, Lowering};
use crate::limits::{self, MAX_KEYWORD_OPERATIONS, MAX_KEYWORD_VERSIONS};
use fizzle_ir::{AbilityBundleId, AbilityId, KeywordId};
use std::collections::BTreeSet;

impl Lowering<'_> {
    /// Returns the bundle number of a keyword with its arguments.
    pub fn keyword_bundle(&mut self, keyword: KeywordId, args: Vec<i32>) -> AbilityBundleId {
        if let Some(id) = self.keyword_bundles.get(&(keyword, args.clone())) {
            return *id;
        }
        if self.keyword_depth > 0
            && let Some(known) = self.count_keyword_version(keyword)
        {
            return known;
        }
        let id = AbilityBundleId(self.bundles.len() as u32);
        self.bundles.push(BundleKind::Keyword(keyword, args.clone()));
        self.keyword_bundles.insert((keyword, args), id);
        id
    }

    /// Counts a bundle of a keyword that another bundle leads to. If there are too many, reports it and returns one of those.
    fn count_keyword_version(&mut self, keyword: KeywordId) -> Option<AbilityBundleId> {
        let versions = self.keyword_versions.entry(keyword).or_default();
        versions.count += 1;
        if versions.count <= MAX_KEYWORD_VERSIONS && versions.operations <= MAX_KEYWORD_OPERATIONS {
            return None;
        }
        let is_first = !std::mem::replace(&mut versions.is_reported, true);
        let mut versions = self.keyword_bundles.iter().filter(|((known, _), _)| *known == keyword);
        let last = versions.clone().next_back().map(|(_, id)| *id);
        if is_first && let Some((name, declared)) = self.names.keywords.get_index(keyword.index()) {
            let version = |args: &[i32]| {
                let args: Vec<String> = args.iter().map(ToString::to_string).collect();
                format!("`{name}({})`", args.join(", "))
            };
            let mut shown: Vec<String> = versions.by_ref().take(4).map(|((_, args), _)| version(args)).collect();
            shown.extend(versions.next_back().map(|((_, args), _)| format!("… {}", version(args))));
            let message =
                format!("the keyword `{name}` leads to versions of itself with ever new arguments: {}", shown.join(", "));
            let help = "grant it with an argument that does not change, or keep the number in a status";
            self.diagnostics.push(limits::exceeded(declared.span, message, help));
        }
        last
    }

    /// Returns the keywords that an object has or an effect grants.
    #[must_use]
    pub fn used_keywords(&self) -> BTreeSet<KeywordId> {
        self.keyword_bundles.keys().map(|(keyword, _)| *keyword).collect()
    }

    /// Adds an ability bundle of single abilities.
    pub fn add_single_bundle(&mut self, abilities: Vec<AbilityId>) -> AbilityBundleId {
        let id = AbilityBundleId(self.bundles.len() as u32);
        self.bundles.push(BundleKind::Single(abilities));
        id
    }
}
