//! The rules text of one card, for editors: what [`super::texts`] says of it.

use super::build::Builder;
use super::render::{Grammar, Renderer};
use super::{LANGUAGES, card_lines, cards_of, keywords, lexicon, printed, words};
use crate::names::Names;
use crate::sources::Sources;
use fizzle_grammar::tree::{Card, Item};
use smol_str::SmolStr;
use std::collections::BTreeMap;

/// What a card says in each language that its game has words of. What cannot be said stands there as it was written.
#[must_use]
pub fn text_of<'a>(
    items: &[&'a Item],
    names: &'a Names<'a>,
    sources: &'a Sources,
    card: &'a Card,
) -> Vec<(&'static str, Vec<String>)> {
    let keywords = keywords(items);
    let printed: BTreeMap<SmolStr, SmolStr> = cards_of(items).into_iter().flat_map(printed).collect();
    let builder = Builder { names, pattern: false, printed: Some(&printed), keywords: Some(&keywords) };
    let mut made = Vec::new();
    for language in LANGUAGES {
        let Some(lexicon) = lexicon(language, items, &[], builder) else { continue };
        let grammar = if language == "ja" { Grammar::Japanese } else { Grammar::English };
        let mut renderer = Renderer::new(&lexicon, builder, sources, grammar, words(card));
        let lines = card_lines(card, builder, &mut renderer);
        if !lines.is_empty() {
            made.push((language, lines));
        }
    }
    made
}
