//! Renders the rules text of one card for editors: as [`super::texts`] does, for the game and for each format in which the text differs.

use super::format_overrides;
use super::normalize::Builder;
use crate::formats::ResolvedFormat;
use crate::names::NameTable;
use crate::sources::Sources;
use crate::text::inputs::{LANGUAGES, build_lexicon, cards_of, collect_keywords, printed_words, quoted_words};
use crate::text::renderer::{Grammar, Renderer};
use fizzle_grammar::ast::{Card, Item, TextItem};
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
    let builder = Builder { names, is_pattern: false, quoted_words: Some(&printed), keywords: Some(&base) };
    let of = |language: &str, more: &[&TextItem], builder: Builder<'_>, card: &Card| {
        let lexicon = build_lexicon(language, items, more, builder)?;
        let grammar = if language == "ja" { Grammar::Japanese } else { Grammar::English };
        let mut renderer = Renderer::new(&lexicon, builder, sources, grammar, printed_words(card));
        let printed = names.scopes.printed_name(&card.name.text);
        let own = lexicon.name(printed).and_then(|forms| forms.first()).cloned();
        renderer.name = own.unwrap_or_else(|| printed.to_string());
        Some(renderer.card_lines(card, builder))
    };
    let mut made = Vec::new();
    for language in LANGUAGES {
        let Some(usual) = of(language, &[], builder, card) else { continue };
        let mut here: BTreeMap<SmolStr, Vec<String>> = BTreeMap::new();
        let mut others = Vec::new();
        for model in models {
            let before = model.base.as_ref().and_then(|base| here.get(base)).unwrap_or(&usual).clone();
            let own = format_overrides(items, models, model, &base);
            let corrected = model.errata.iter().find(|known| known.name.text == card.name.text).copied();
            let lines = match (&own, corrected) {
                (None, None) => None,
                (Some((keywords, more)), _) => {
                    of(language, more, Builder { keywords: Some(keywords), ..builder }, corrected.unwrap_or(card))
                }
                (None, Some(corrected)) => of(language, &[], builder, corrected),
            };
            let lines = lines.unwrap_or_else(|| before.clone());
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
