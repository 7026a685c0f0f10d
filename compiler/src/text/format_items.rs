//! The formats of a game that have text items or keywords of their own.

use super::format_overrides::{FormatOverrides, FormatSet};
use super::lexicon::{Lexicon, parse_entries};
use super::normalize::{Builder, Keyword, Keywords};
use super::pattern_match::ParsedEntry;
use crate::formats::ResolvedFormat;
use fizzle_grammar::ast::{DifferenceKind, Item, ItemKind, TextItem};
use smol_str::SmolStr;
use std::collections::BTreeMap;

/// A format that has text items or keywords, or extends a format with some.
pub(in crate::text) struct FormatWithItems<'m, 'a> {
    pub model: &'m ResolvedFormat<'a>,
    /// Its keywords that differ from the game's.
    own_keywords: Vec<(SmolStr, Keyword<'a>)>,
    /// Its text items by their numbers in [`FormatItems`]: those of the outermost base first.
    texts: Vec<usize>,
}

/// The formats of a game that have text items or keywords of their own.
pub(in crate::text) struct FormatItems<'m, 'a> {
    /// The text items of all formats.
    texts: Vec<&'a TextItem>,
    pub formats: Vec<FormatWithItems<'m, 'a>>,
}

/// The entries of the text items of all formats in one language. Those of other languages are empty.
pub(in crate::text) struct FormatEntries(Vec<Vec<ParsedEntry>>);

impl<'m, 'a> FormatItems<'m, 'a> {
    /// Collects the items of formats. `base`: the keywords of the game.
    pub(in crate::text) fn new(items: &[&'a Item], models: &'m [ResolvedFormat<'a>], base: &Keywords<'a>) -> Self {
        let mut texts = Vec::new();
        let mut by_format: BTreeMap<&SmolStr, Vec<usize>> = BTreeMap::new();
        for item in items {
            if let ItemKind::Format { name, .. } = &item.kind {
                for text in text_items_of(item) {
                    by_format.entry(&name.text).or_default().push(texts.len());
                    texts.push(text);
                }
            }
        }
        let bases: BTreeMap<&SmolStr, Option<&SmolStr>> =
            models.iter().rev().map(|model| (&model.name, model.base.as_ref())).collect();
        let formats = models.iter().filter_map(|model| {
            let chain = std::iter::successors(Some(&model.name), |name| bases.get(name).copied().flatten());
            let mut chain: Vec<&SmolStr> = chain.take(models.len() + 1).collect();
            chain.reverse();
            let texts: Vec<usize> = chain.into_iter().filter_map(|name| by_format.get(name)).flatten().copied().collect();
            let is_own = |name: &SmolStr, abilities| base.get(name).is_none_or(|known| !std::ptr::eq(known.1, abilities));
            let own_keywords = model.keywords.iter().filter(|(name, keyword)| is_own(name, keyword.abilities));
            let own_keywords: Vec<(SmolStr, Keyword<'a>)> =
                own_keywords.map(|(name, keyword)| (name.clone(), (keyword.params, keyword.abilities))).collect();
            let has_own = !texts.is_empty() || !own_keywords.is_empty();
            has_own.then_some(FormatWithItems { model, own_keywords, texts })
        });
        let formats = formats.collect();
        Self { texts, formats }
    }

    /// Parses the text items of one language.
    pub(in crate::text) fn entries(&self, language: &str, builder: Builder<'_>) -> FormatEntries {
        let parse = |text: &&TextItem| match text.language.text == language {
            true => parse_entries(text, builder),
            false => Vec::new(),
        };
        FormatEntries(self.texts.iter().map(parse).collect())
    }

    /// The index of what formats add or replace in one language. Each has the number of its place in [`Self::formats`].
    pub(in crate::text) fn overrides(&self, entries: &FormatEntries) -> FormatOverrides {
        let mut made = FormatOverrides::default();
        let mut formats_by_text = vec![FormatSet::default(); self.texts.len()];
        for (number, format) in self.formats.iter().enumerate() {
            for text in &format.texts {
                formats_by_text[*text] = formats_by_text[*text].union(FormatSet::of(number));
            }
            format.own_keywords.iter().for_each(|(name, _)| made.add_keyword(name, FormatSet::of(number)));
        }
        for (entries, formats) in entries.0.iter().zip(formats_by_text) {
            entries.iter().for_each(|entry| made.add(entry, formats));
        }
        made
    }
}

impl<'a> FormatWithItems<'_, 'a> {
    /// All keywords of the format. `base`: those of the game.
    pub(in crate::text) fn keywords(&self, base: &Keywords<'a>) -> Keywords<'a> {
        let mut made = base.clone();
        made.extend(self.own_keywords.iter().cloned());
        made
    }

    /// The lexicon of the format in one language: that of the game with the entries of its text items.
    pub(in crate::text) fn lexicon(&self, base: &Lexicon, entries: &FormatEntries) -> Lexicon {
        base.extended(self.texts.iter().filter_map(|text| entries.0.get(*text)).flatten())
    }
}

/// The text items that a format adds.
pub(in crate::text) fn text_items_of(item: &Item) -> impl Iterator<Item = &TextItem> {
    let differences = if let ItemKind::Format { differences, .. } = &item.kind { differences.as_slice() } else { &[] };
    let added = differences.iter().filter_map(|difference| match &difference.kind {
        DifferenceKind::Add(item) => Some(&item.kind),
        _ => None,
    });
    added.filter_map(|kind| if let ItemKind::Text(text) = kind { Some(text) } else { None })
}
