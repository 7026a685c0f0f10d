//! Rules texts: renders what each card does in English and Japanese, from the same syntax tree that its code is compiled from.
//!
//! [`normalize`] converts the syntax tree into a text tree ([`tree`]). [`render`] looks its nodes up in the templates of the game's `text`
//! items ([`lexicon`]) and writes sentences by the grammar of a language ([`english`], [`japanese`]). A part that no template covers is
//! printed as its source text between ⟦ and ⟧, and is reported as a [`TextGap`].

mod cards_by_word;
mod check;
mod editor_text;
mod english;
mod format_items;
mod format_overrides;
mod inputs;
mod japanese;
pub mod lexicon;
mod line_marks;
pub mod normalize;
pub mod pattern_match;
mod printed_words;
mod prompt_context;
mod prompts;
mod render;
pub mod renderer;
pub mod tree;

use crate::diagnostics::Diagnostic;
use crate::formats::ResolvedFormat;
use crate::limits::{FORMAT_TEXT_WORK_OF_CARD, MAX_FORMAT_TEXT_WORK, exceeded};
use crate::names::NameTable;
use crate::sources::Sources;
use cards_by_word::CardsByWord;
use fizzle_grammar::ast::{Card, Item, Name, Span};
use fizzle_grammar::hidden_characters::first_hidden;
use fizzle_ir::{CardText, Format, Texts};
use format_items::FormatItems;
use format_overrides::FormatSet;
use inputs::{build_lexicon, cards_of, collect_keywords};
use lexicon::Lexicon;
use normalize::Builder;
use printed_words::{printed_words, quoted_word, quoted_words};
use renderer::{Grammar, Renderer, TextWork};
use smol_str::SmolStr;
use std::collections::{BTreeMap, BTreeSet};

pub use check::check;
pub use editor_text::{RenderedText, text_of};
pub use inputs::LANGUAGES;
pub use prompts::{ChoiceSpans, prompts};

/// A part that no template covers: the language, the name of the card, and the place in its source.
pub type TextGap = (&'static str, String, Span);

/// Cards, each with the number of its definition.
type NumberedCards<'a> = Vec<(u32, &'a Card)>;

/// Collects the cards that formats correct, each definition once. A corrected card has a separate definition.
fn errata_cards<'a>(models: &[ResolvedFormat<'a>], formats: &[Format]) -> NumberedCards<'a> {
    let mut made: NumberedCards<'a> = Vec::new();
    let mut known = BTreeSet::new();
    for model in models {
        let Some(format) = formats.iter().find(|format| format.name == model.name) else { continue };
        let corrected = model.errata.iter().zip(&format.errata);
        made.extend(corrected.filter(|(_, (_, new))| known.insert(new.0)).map(|(card, (_, new))| (new.0, *card)));
    }
    made
}

/// What the texts of a game are rendered from.
#[derive(Clone, Copy)]
pub struct TextSources<'i, 'a> {
    /// All items of the game.
    pub items: &'i [&'a Item],
    /// Its names.
    pub names: &'a NameTable<'a>,
    /// Its formats.
    pub models: &'i [ResolvedFormat<'a>],
    /// Its compiled formats.
    pub formats: &'i [Format],
    /// The files.
    pub sources: &'a Sources,
}

/// How texts are rendered, and what is reported about them.
#[derive(Debug, Default)]
pub struct TextReport {
    /// Whether each format renders all cards again, without a limit. Tests compare the result.
    pub is_reference: bool,
    /// The parts that no template covers.
    pub gaps: Vec<TextGap>,
    /// The formats at which the texts of formats exceed [`MAX_FORMAT_TEXT_WORK`].
    pub exceeded: Vec<Diagnostic>,
}

/// Renders all cards of a game in every language that it has text items for, and the corrected cards behind them.
///
/// The first entries hold the texts of the game, one per language. Further entries hold the texts that differ in a format with its own
/// text items or keywords. A format renders only the cards again whose text its items can change ([`FormatOverrides`]).
#[must_use]
pub fn texts<'a>(from: TextSources<'_, 'a>, report: &mut TextReport) -> Vec<Texts> {
    let TextSources { items, names, models, formats, sources } = from;
    let base = collect_keywords(items);
    let printed: BTreeMap<SmolStr, SmolStr> = cards_of(items).into_iter().flat_map(quoted_words).collect();
    let cards_by_word = CardsByWord::new(names);
    let builder = Builder {
        names,
        is_pattern: false,
        quoted_words: Some(&printed),
        keywords: Some(&base),
        cards_by_word: Some(&cards_by_word),
    };
    let number = |card: &Card| names.cards.get_index_of(&card.name.text).unwrap_or(0) as u32;
    let mut all: NumberedCards<'a> = cards_of(items).into_iter().map(|card| (number(card), card)).collect();
    let cards = all.len();
    all.extend(errata_cards(models, formats));
    // the place of each corrected card
    let corrected: BTreeMap<u32, usize> = all.iter().zip(0..).skip(cards).map(|(card, place)| (card.0, place)).collect();
    let declared = names_of_words(names, &printed);
    let own_items = FormatItems::new(items, models, &base);
    let limit = MAX_FORMAT_TEXT_WORK.max(all.len() * FORMAT_TEXT_WORK_OF_CARD);
    let mut format_work = TextWork::of_formats(if report.is_reference { usize::MAX } else { limit });
    let mut made = Vec::new();
    let mut own = Vec::new();
    for language in LANGUAGES {
        let Some(mut lexicon) = build_lexicon(language, items, builder) else { continue };
        let entries = own_items.entries(language, builder);
        lexicon.track(own_items.overrides(&entries));
        let own_rules = state_rule_texts(&lexicon);
        let own_names = declared_names(names, &declared, &lexicon);
        let base_sets = named_sets(&printed, &lexicon);
        lexicon.overrides().take_marked();
        let mut work = TextWork::of_game();
        let mut rendering =
            CardRendering { language, lexicon: &lexicon, builder, sources, named_sets: &base_sets, work: &mut work };
        let rendered = all.iter().map(|card| {
            let text = rendering.card(*card, &mut report.gaps);
            // the formats in which it can differ
            (text, lexicon.overrides().take_marked())
        });
        let (base_texts, differing): (Vec<CardText>, Vec<FormatSet>) = rendered.unzip();
        let base_by_card: BTreeMap<u32, &CardText> = base_texts.iter().rev().map(|text| (text.card, text)).collect();
        let differs = |text: &CardText| base_by_card.get(&text.card).is_none_or(|other| other.lines != text.lines);
        for (number, own_format) in own_items.formats.iter().enumerate() {
            let model = own_format.model;
            let Some(format) = formats.iter().find(|format| format.name == model.name) else { continue };
            let keywords = own_format.keywords(&base);
            let builder = Builder { keywords: Some(&keywords), ..builder };
            let lexicon = own_format.lexicon(&lexicon, &entries);
            let corrections: BTreeMap<u32, u32> = format.errata.iter().rev().map(|(from, to)| (from.0, to.0)).collect();
            let in_format = |place: usize| {
                // its errata, or the card itself
                let to = all.get(place).and_then(|card| corrections.get(&card.0)).and_then(|to| corrected.get(to));
                to.copied().unwrap_or(place)
            };
            let mut problems = Vec::new();
            let mut texts = Vec::new();
            let named_sets = named_sets(&printed, &lexicon);
            // which words of a set lack a name depends on its other words
            let renders_all = report.is_reference || named_sets != base_sets;
            let mut rendering =
                CardRendering { language, lexicon: &lexicon, builder, sources, named_sets: &named_sets, work: &mut format_work };
            for place in (0..cards).map(in_format) {
                let (Some(card), Some(known), Some(marked)) = (all.get(place), base_texts.get(place), differing.get(place))
                else {
                    continue;
                };
                if !marked.contains(number) && !renders_all {
                    texts.extend(Some(known).filter(|known| differs(known)).cloned());
                    continue;
                }
                texts.extend(Some(rendering.card(*card, &mut problems)).filter(differs));
                if rendering.work.is_used_up() {
                    report.exceeded.push(too_many_texts(model, limit));
                    return made;
                }
            }
            // a format whose texts equal those of its base needs no entry
            let base =
                own.iter().find(|known: &&Texts| known.language == language && Some(&known.format) == format.base.as_ref());
            let rules = state_rule_texts(&lexicon);
            let known = base.map_or(&own_rules, |base| &base.rules);
            let names = declared_names(names, &declared, &lexicon);
            let known_names = base.map_or(&own_names, |base| &base.names);
            if base.map_or(&[][..], |base| base.cards.as_slice()) != texts.as_slice() || *known != rules || *known_names != names
            {
                let has_gap = texts.iter().any(|text| text.lines.iter().any(|line| line.contains('⟦')));
                let known_gaps: BTreeSet<&TextGap> = report.gaps.iter().filter(|_| has_gap).collect();
                let is_new_gap = |problem: &TextGap| has_gap && !known_gaps.contains(problem);
                let new: Vec<TextGap> = problems.into_iter().filter(is_new_gap).collect();
                report.gaps.extend(new);
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

/// The diagnostic of the format that needs more texts than a game may have for formats.
fn too_many_texts(model: &ResolvedFormat<'_>, limit: usize) -> Diagnostic {
    let message = format!("up to this format, the texts of cards that formats change need more than {limit} bytes and parts");
    let help = "write `text` items and keywords that several formats have in common in the game, or declare fewer formats";
    exceeded(model.span, message, help)
}

/// The texts of state rules, by their names. An empty text or one with hidden characters is left out.
fn state_rule_texts(lexicon: &Lexicon) -> Vec<(String, String)> {
    let printable = lexicon.rules.iter().filter(|(_, text)| !text.is_empty() && first_hidden(text).is_none());
    printable.map(|(rule, text)| (rule.to_string(), text.to_string())).collect()
}

/// The words that players can see of a game, and its periods.
fn names_of_words<'n>(names: &'n NameTable<'_>, printed: &'n BTreeMap<SmolStr, SmolStr>) -> BTreeSet<&'n str> {
    let periods = names.periods.keys().map(|path| path.rsplit('.').next().unwrap_or(path));
    names.words.keys().chain(printed.keys()).map(SmolStr::as_str).chain(periods).collect()
}

/// The names of these words, by the words in the sources. A name that is a template or has hidden characters is left out.
fn declared_names(names: &NameTable<'_>, declared: &BTreeSet<&str>, lexicon: &Lexicon) -> Vec<(String, String)> {
    let named = declared.iter().filter_map(|word| Some((*word, lexicon.name(word)?.first()?)));
    // An empty name hides a property from players.
    let is_property = |word: &str| names.properties.iter().any(|property| property.name.text == word);
    let printable = named.filter(|(word, text)| {
        (!text.is_empty() || is_property(word)) && text.len() < 256 && !text.contains('{') && first_hidden(text).is_none()
    });
    printable.map(|(word, text)| (word.to_owned(), text.trim_end_matches('・').to_owned())).collect()
}

/// The trait sets of which a language names a word that some card prints.
fn named_sets<'p>(printed: &'p BTreeMap<SmolStr, SmolStr>, lexicon: &Lexicon) -> BTreeSet<&'p str> {
    let mut made = BTreeSet::new();
    for (word, set) in printed {
        if !made.contains(set.as_str()) && lexicon.name(word).is_some() {
            made.insert(set.as_str());
        }
    }
    made
}

/// The words of trait sets that a card prints and for which the language has no name. The source is English, so English needs none.
fn unnamed_words(renderer: &Renderer<'_>, card: &Card, named_sets: &BTreeSet<&str>) -> Vec<Span> {
    // a set of which no word has a name is not printed
    let is_printed = |set: &str| {
        named_sets.contains(set)
            && renderer.builder.names.traits.iter().any(|known| known.name == set)
            && !renderer.lexicon.styles("quoted_sets").iter().any(|name| name == set)
    };
    let is_unnamed = |word: &&Name| {
        word.text.starts_with(|c: char| c.is_ascii_uppercase())
            && renderer.lexicon.name(&word.text).is_none()
            && renderer.set_of(&word.text).is_some_and(is_printed)
    };
    let words = card.facts.iter().filter_map(quoted_word).filter(is_unnamed);
    if renderer.is_japanese() { words.map(|word| word.span).collect() } else { Vec::new() }
}

/// Renders cards in one language.
struct CardRendering<'r> {
    language: &'static str,
    lexicon: &'r Lexicon,
    builder: Builder<'r>,
    sources: &'r Sources,
    /// The trait sets of which the language names a word.
    named_sets: &'r BTreeSet<&'r str>,
    work: &'r mut TextWork,
}

impl CardRendering<'_> {
    /// Renders a card with the number of its definition.
    fn card(&mut self, (number, card): (u32, &Card), gaps: &mut Vec<TextGap>) -> CardText {
        let Self { language, lexicon, builder, sources, named_sets, .. } = *self;
        let grammar = if language == "ja" { Grammar::Japanese } else { Grammar::English };
        let mut renderer = Renderer::new(lexicon, builder, sources, grammar, printed_words(card));
        self.work.give(&mut renderer);
        let own = builder.names.scopes.printed_name(&card.name.text);
        // a word of a trait set that the card does not print is not the card's name
        let of = builder.quoted_words.and_then(|printed| printed.get(own));
        let set = of.is_some_and(|of| builder.names.traits.iter().any(|set| set.name == *of));
        let other = set && !renderer.words.contains(own);
        let named = || lexicon.name(own).and_then(|forms| forms.first()).filter(|_| !other);
        renderer.name = named().cloned().unwrap_or_else(|| own.to_string());
        let mut lines = renderer.card_lines(card, builder);
        let mut abilities = std::mem::take(&mut renderer.ability_texts);
        lines.iter_mut().chain(abilities.iter_mut().map(|ability| &mut ability.text)).for_each(String::shrink_to_fit);
        lines.shrink_to_fit();
        abilities.shrink_to_fit();
        self.work.take_back(&renderer);
        let unnamed = unnamed_words(&renderer, card, named_sets);
        gaps.extend(renderer.gaps.iter().chain(&unnamed).map(|span| (language, card.name.text.to_string(), *span)));
        let name = named();
        // no name is stored if it equals the card's name
        let name = name.map(|name| name.trim_end_matches('・').to_owned()).filter(|name| name != own);
        CardText { card: number, name: name.unwrap_or_default(), lines, abilities }
    }
}
