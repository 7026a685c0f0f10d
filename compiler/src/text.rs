//! Rules texts: renders what each card does in English and Japanese, from the same syntax tree that its code is compiled from.
//!
//! [`normalize`] converts the syntax tree into a text tree ([`tree`]). [`render`] looks its nodes up in the templates of the game's `text`
//! items ([`lexicon`]) and writes sentences by the grammar of a language ([`english`], [`japanese`]). A part that no template covers is
//! printed as its source text between ⟦ and ⟧, and is reported as a [`TextGap`].

mod check;
mod editor_text;
mod english;
mod inputs;
mod japanese;
pub mod lexicon;
mod line_marks;
pub mod normalize;
mod prompt_context;
mod prompts;
mod render;
pub mod renderer;
pub mod tree;

use crate::formats::ResolvedFormat;
use crate::names::NameTable;
use crate::sources::Sources;
use fizzle_grammar::ast::{Card, DifferenceKind, Item, ItemKind, Name, Span, TextItem};
use fizzle_grammar::hidden_characters::first_hidden;
use fizzle_ir::{CardText, Format, Texts};
use inputs::{build_lexicon, cards_of, collect_keywords, printed_words, quoted_words};
use lexicon::Lexicon;
use normalize::{Builder, Keywords};
use renderer::{Grammar, Renderer, TextWork};
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};

pub use check::check;
pub use editor_text::{RenderedText, text_of};
pub use inputs::LANGUAGES;
pub use prompts::{ChoiceSpans, prompts};

/// A part that no template covers: the language, the name of the card, and the place in its source.
pub type TextGap = (&'static str, String, Span);

/// The corrected cards of the formats, each with the number of its definition.
pub type ErrataCards<'a> = Vec<(u32, &'a Card)>;

/// Collects the cards that formats correct, each definition once. A corrected card has a separate definition.
#[must_use]
pub fn errata_cards<'a>(models: &[ResolvedFormat<'a>], formats: &[Format]) -> ErrataCards<'a> {
    let mut made: ErrataCards<'a> = Vec::new();
    for model in models {
        let Some(format) = formats.iter().find(|format| format.name == model.name) else { continue };
        for (card, (_, new)) in model.errata.iter().zip(&format.errata) {
            if made.iter().all(|(known, _)| *known != new.0) {
                made.push((new.0, *card));
            }
        }
    }
    made
}

/// Cards, each with the number of its definition.
type NumberedCards<'a> = Vec<(u32, &'a Card)>;

/// Renders all cards of a game in every language that it has text items for, and the corrected cards behind them.
///
/// The first entries hold the texts of the game, one per language. Further entries hold the texts that differ in a format with its own
/// text items or keywords.
#[must_use]
pub fn texts<'a>(
    items: &[&'a Item],
    names: &'a NameTable<'a>,
    models: &[ResolvedFormat<'a>],
    formats: &[Format],
    errata_cards: &ErrataCards<'a>,
    sources: &'a Sources,
    gaps: &mut Vec<TextGap>,
) -> Vec<Texts> {
    let base = collect_keywords(items);
    let printed: BTreeMap<SmolStr, SmolStr> = cards_of(items).into_iter().flat_map(quoted_words).collect();
    let builder = Builder { names, is_pattern: false, quoted_words: Some(&printed), keywords: Some(&base) };
    let number = |card: &Card| names.cards.get_index_of(&card.name.text).unwrap_or(0) as u32;
    let cards: NumberedCards<'a> = cards_of(items).into_iter().map(|card| (number(card), card)).collect();
    let mut made = Vec::new();
    let mut own = Vec::new();
    for language in LANGUAGES {
        let Some(lexicon) = build_lexicon(language, items, &[], builder) else { continue };
        let own_rules = state_rule_texts(&lexicon);
        let own_names = declared_names(names, &printed, &lexicon);
        let all: NumberedCards<'a> = cards.iter().chain(errata_cards).copied().collect();
        let base_texts = render_cards(language, &lexicon, builder, sources, &all, gaps);
        let base_by_card: BTreeMap<u32, &CardText> = base_texts.iter().rev().map(|text| (text.card, text)).collect();
        for model in models {
            let Some(format) = formats.iter().find(|format| format.name == model.name) else { continue };
            let Some((keywords, words)) = format_overrides(items, models, model, &base) else { continue };
            let builder = Builder { keywords: Some(&keywords), ..builder };
            let Some(lexicon) = self::build_lexicon(language, items, &words, builder) else { continue };
            let corrected: BTreeMap<u32, &(u32, &Card)> = errata_cards.iter().rev().map(|card| (card.0, card)).collect();
            let corrections: BTreeMap<u32, u32> = format.errata.iter().rev().map(|(from, to)| (from.0, to.0)).collect();
            let in_format = |(number, card): &(u32, &'a Card)| {
                // its errata, or the card itself
                let to = corrections.get(number).and_then(|to| corrected.get(to));
                to.map_or((*number, *card), |card| **card)
            };
            let here: NumberedCards<'a> = cards.iter().map(in_format).collect();
            let mut problems = Vec::new();
            let mut texts = self::render_cards(language, &lexicon, builder, sources, &here, &mut problems);
            texts.retain(|text| base_by_card.get(&text.card).is_none_or(|other| other.lines != text.lines));
            // a format whose texts equal those of its base needs no entry
            let base =
                own.iter().find(|known: &&Texts| known.language == language && Some(&known.format) == format.base.as_ref());
            let rules = state_rule_texts(&lexicon);
            let known = base.map_or(&own_rules, |base| &base.rules);
            let names = declared_names(names, &printed, &lexicon);
            let known_names = base.map_or(&own_names, |base| &base.names);
            if base.map_or(&[][..], |base| base.cards.as_slice()) != texts.as_slice() || *known != rules || *known_names != names
            {
                let has_gap = texts.iter().any(|text| text.lines.iter().any(|line| line.contains('⟦')));
                let known_gaps: BTreeSet<&TextGap> = gaps.iter().filter(|_| has_gap).collect();
                let is_new_gap = |problem: &TextGap| has_gap && !known_gaps.contains(problem);
                let new: Vec<TextGap> = problems.into_iter().filter(is_new_gap).collect();
                gaps.extend(new);
                own.push(Texts {
                    language: language.to_owned(),
                    format: format.name.clone(),
                    cards: texts,
                    prompts: Vec::new(),
                    rules,
                    names,
                });
            }
        }
        made.push(Texts {
            language: language.to_owned(),
            format: String::new(),
            cards: base_texts,
            prompts: Vec::new(),
            rules: own_rules,
            names: own_names,
        });
    }
    made.append(&mut own);
    made
}

/// The keywords of a format, and its text items, if either differs from the game's. `None` if neither does.
fn format_overrides<'a>(
    items: &[&'a Item],
    models: &[ResolvedFormat<'a>],
    model: &ResolvedFormat<'a>,
    base: &Keywords<'a>,
) -> Option<(Keywords<'a>, Vec<&'a TextItem>)> {
    let words = text_items_of_format(items, models, model);
    let mut keywords = base.clone();
    let mut differs = !words.is_empty();
    for (name, keyword) in &model.keywords {
        let known = keywords.insert(name.clone(), (keyword.params, keyword.abilities));
        differs |= known.is_none_or(|(_, abilities)| !std::ptr::eq(abilities, keyword.abilities));
    }
    differs.then_some((keywords, words))
}

/// The texts of state rules, by their names. An empty text or one with hidden characters is left out.
fn state_rule_texts(lexicon: &Lexicon) -> Vec<(String, String)> {
    let printable = lexicon.rules.iter().filter(|(_, text)| !text.is_empty() && first_hidden(text).is_none());
    printable.map(|(rule, text)| (rule.to_string(), text.clone())).collect()
}

/// The names of what players see of a game: words of expressions and periods, by their names in the sources. A name that is a template or
/// has hidden characters is left out.
fn declared_names(names: &NameTable<'_>, printed: &BTreeMap<SmolStr, SmolStr>, lexicon: &Lexicon) -> Vec<(String, String)> {
    let periods = names.periods.keys().map(|path| path.rsplit('.').next().unwrap_or(path));
    let declared: BTreeSet<&str> = names.words.keys().chain(printed.keys()).map(SmolStr::as_str).chain(periods).collect();
    let named = declared.into_iter().filter_map(|word| Some((word, lexicon.name(word)?.first()?)));
    // An empty name hides a property from players.
    let is_property = |word: &str| names.properties.iter().any(|property| property.name.text == word);
    let printable = named.filter(|(word, text)| {
        (!text.is_empty() || is_property(word)) && text.len() < 256 && !text.contains('{') && first_hidden(text).is_none()
    });
    printable.map(|(word, text)| (word.to_owned(), text.trim_end_matches('・').to_owned())).collect()
}

/// The text items that a format and its bases add: those of the outermost base first.
fn text_items_of_format<'a>(items: &[&'a Item], models: &[ResolvedFormat<'a>], model: &ResolvedFormat<'a>) -> Vec<&'a TextItem> {
    let mut made: Vec<&'a TextItem> = Vec::new();
    let mut next = Some(&model.name);
    for _ in 0..=models.len() {
        let Some(wanted) = next else { break };
        let mut own = Vec::new();
        for item in items {
            if let ItemKind::Format { name, differences, .. } = &item.kind
                && name.text == *wanted
            {
                own.extend(differences.iter().filter_map(|difference| match &difference.kind {
                    DifferenceKind::Add(item) => match &item.kind {
                        ItemKind::Text(text) => Some(text),
                        _ => None,
                    },
                    _ => None,
                }));
            }
        }
        own.append(&mut made);
        made = own;
        next = models.iter().find(|known| known.name == *wanted).and_then(|known| known.base.as_ref());
    }
    made
}

/// The words of trait sets that a card prints and for which the language has no name. The source is English, so English needs none.
fn unnamed_words(renderer: &Renderer<'_>, card: &Card) -> Vec<Span> {
    let has_name = |word: &str| renderer.lexicon.name(word).is_some();
    // a set of which no word has a name is not printed
    let is_printed = |set: &str| {
        let printed = renderer.builder.quoted_words.into_iter().flatten();
        printed.filter(|(_, of)| *of == set).any(|(word, _)| has_name(word))
            && renderer.builder.names.traits.iter().any(|known| known.name == set)
            && !renderer.lexicon.styles("quoted_sets").iter().any(|name| name == set)
    };
    let is_unnamed = |word: &&Name| {
        word.text.starts_with(|c: char| c.is_ascii_uppercase())
            && !has_name(&word.text)
            && renderer.set_of(&word.text).is_some_and(is_printed)
    };
    let words = card.facts.iter().filter_map(inputs::quoted_word).filter(is_unnamed);
    if renderer.is_japanese() { words.map(|word| word.span).collect() } else { Vec::new() }
}

/// Renders cards in one language.
fn render_cards<'a>(
    language: &'static str,
    lexicon: &Lexicon,
    builder: Builder<'_>,
    sources: &Sources,
    cards: &NumberedCards<'a>,
    gaps: &mut Vec<TextGap>,
) -> Vec<CardText> {
    let grammar = if language == "ja" { Grammar::Japanese } else { Grammar::English };
    let mut made = Vec::new();
    let mut work = TextWork::of_one_of(1 + builder.names.format_items);
    for (number, card) in cards {
        let mut renderer = Renderer::new(lexicon, builder, sources, grammar, printed_words(card));
        work.give(&mut renderer);
        let own = builder.names.scopes.printed_name(&card.name.text);
        // a word of a trait set that the card does not print is not the card's name
        let of = builder.quoted_words.and_then(|printed| printed.get(own));
        let set = of.is_some_and(|of| builder.names.traits.iter().any(|set| set.name == *of));
        let other = set && !renderer.words.contains(own);
        let named = || lexicon.name(own).and_then(|forms| forms.first()).filter(|_| !other);
        renderer.name = named().cloned().unwrap_or_else(|| own.to_string());
        let lines = renderer.card_lines(card, builder);
        work.take_back(&renderer);
        let unnamed = unnamed_words(&renderer, card);
        gaps.extend(renderer.gaps.iter().chain(&unnamed).map(|span| (language, card.name.text.to_string(), *span)));
        let name = named();
        // no name is stored if it equals the card's name
        let name = name.map(|name| name.trim_end_matches('・').to_owned()).filter(|name| name != own);
        made.push(CardText { card: *number, name: name.unwrap_or_default(), lines, abilities: renderer.ability_texts });
    }
    made
}
