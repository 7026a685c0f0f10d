//! The rules text of one card, for editors: what [`super::texts`] says of it, in the game and in each format that says it otherwise.

use super::normalize::Builder;
use super::render::{Grammar, Renderer};
use super::{LANGUAGES, card_lines, cards_of, keywords, lexicon, own_words, printed, words};
use crate::formats::ResolvedFormat;
use crate::names::NameTable;
use crate::sources::Sources;
use fizzle_grammar::ast::{Card, Item, TextItem};
use smol_str::SmolStr;
use std::collections::BTreeMap;

/// What a card says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RenderedText {
    /// In which language.
    pub language: &'static str,
    /// In which format, and in those that extend it; nothing for what it says elsewhere.
    pub format: SmolStr,
    /// Its lines.
    pub lines: Vec<String>,
}

/// What a card says in each language that its game has words of. What cannot be said stands there as it was written.
#[must_use]
pub fn text_of<'a>(
    items: &[&'a Item],
    names: &'a NameTable<'a>,
    models: &[ResolvedFormat<'a>],
    sources: &'a Sources,
    card: &'a Card,
) -> Vec<RenderedText> {
    let base = keywords(items);
    let printed: BTreeMap<SmolStr, SmolStr> = cards_of(items).into_iter().flat_map(printed).collect();
    let builder = Builder { names, pattern: false, printed: Some(&printed), keywords: Some(&base) };
    let of = |language: &str, more: &[&TextItem], builder: Builder<'_>, card: &Card| {
        let lexicon = lexicon(language, items, more, builder)?;
        let grammar = if language == "ja" { Grammar::Japanese } else { Grammar::English };
        let mut renderer = Renderer::new(&lexicon, builder, sources, grammar, words(card));
        let own = lexicon.name(&card.name.text).and_then(|forms| forms.first()).cloned();
        renderer.name = own.unwrap_or_else(|| card.name.text.to_string());
        Some(card_lines(card, builder, &mut renderer))
    };
    let mut made = Vec::new();
    for language in LANGUAGES {
        let Some(usual) = of(language, &[], builder, card) else { continue };
        let mut here: BTreeMap<SmolStr, Vec<String>> = BTreeMap::new();
        let mut others = Vec::new();
        for model in models {
            let before = model.base.as_ref().and_then(|base| here.get(base)).unwrap_or(&usual).clone();
            let own = own_words(items, models, model, &base);
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
