//! Renders the rules text of one card for editors: as [`super::texts`] does, for the game and for each format in which the text differs.

use super::cards_by_word::CardsByWord;
use super::format_items::FormatItems;
use super::lexicon::Lexicon;
use super::normalize::Builder;
use crate::formats::ResolvedFormat;
use crate::names::NameTable;
use crate::sources::Sources;
use crate::text::inputs::{LANGUAGES, build_lexicon, cards_of, collect_keywords};
use crate::text::printed_words::{printed_words, quoted_words};
use crate::text::renderer::{Grammar, Renderer};
use fizzle_grammar::ast::{Card, Item};
use smol_str::SmolStr;
use std::collections::BTreeMap;

/// The rules text of a card in one language.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedText {
    /// The language code, for example `en`.
    pub language: &'static str,
    /// The format, which also stands for the formats that extend it. Empty for the text of the game.
    pub format: SmolStr,
    /// The lines of the text.
    pub lines: Vec<String>,
}

/// Renders a card in each language that its game has text items for. A part that no template covers is printed as its source text in ⟦ ⟧.
#[must_use]
pub fn text_of<'a>(
    items: &[&'a Item],
    names: &'a NameTable<'a>,
    models: &[ResolvedFormat<'a>],
    sources: &'a Sources,
    card: &'a Card,
) -> Vec<RenderedText> {
    let base = collect_keywords(items);
    let printed: BTreeMap<SmolStr, SmolStr> = cards_of(items).into_iter().flat_map(quoted_words).collect();
    let cards = CardsByWord::new(names);
    let builder =
        Builder { names, is_pattern: false, quoted_words: Some(&printed), keywords: Some(&base), cards_by_word: Some(&cards) };
    let own = FormatItems::new(items, models, &base);
    let mut made = Vec::new();
    for language in LANGUAGES {
        let Some(mut lexicon) = build_lexicon(language, items, builder) else { continue };
        let entries = own.entries(language, builder);
        lexicon.track(own.overrides(&entries));
        let grammar = if language == "ja" { Grammar::Japanese } else { Grammar::English };
        let of = |lexicon: &Lexicon, builder: Builder<'_>, card: &Card| {
            let mut renderer = Renderer::new(lexicon, builder, sources, grammar, printed_words(card));
            let printed = names.scopes.printed_name(&card.name.text);
            let own = lexicon.name(printed).and_then(|forms| forms.first()).cloned();
            renderer.name = own.unwrap_or_else(|| printed.to_string());
            renderer.card_lines(card, builder)
        };
        let usual = of(&lexicon, builder, card);
        let differing = lexicon.overrides().take_marked();
        let mut here: BTreeMap<SmolStr, Vec<String>> = BTreeMap::new();
        let mut others = Vec::new();
        for model in models {
            let before = model.base.as_ref().and_then(|base| here.get(base)).unwrap_or(&usual).clone();
            let own = own.formats.iter().enumerate().find(|(_, format)| format.model.name == model.name);
            let corrected = model.errata.iter().find(|known| known.name.text == card.name.text).copied();
            let lines = match (own, corrected) {
                (None, None) => before.clone(),
                (Some((number, _)), None) if !differing.contains(number) => usual.clone(),
                (Some((_, format)), _) => {
                    let keywords = format.keywords(&base);
                    let builder = Builder { keywords: Some(&keywords), ..builder };
                    of(&format.lexicon(&lexicon, &entries), builder, corrected.unwrap_or(card))
                }
                (None, Some(corrected)) => of(&lexicon, builder, corrected),
            };
            if lines != before {
                others.push(RenderedText { language, format: model.name.clone(), lines: lines.clone() });
            }
            here.insert(model.name.clone(), lines);
        }
        if !usual.is_empty() || !others.is_empty() {
            made.push(RenderedText { language, format: SmolStr::default(), lines: usual });
            made.append(&mut others);
        }
    }
    made
}
