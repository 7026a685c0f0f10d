//! Lint: decks that are illegal in their format, as far as the deck and the prints of its cards prove it.

use crate::diagnostics::{Diagnostic, codes};
use crate::formats::ResolvedFormat;
use crate::names::{Meaning, NameTable};
use crate::phrase_syntax::as_phrase;
use fizzle_grammar::ast::{
    Ability, AbilityKind, BinaryOp, Card, Deck, DeckRule, Expr, ExprKind, Head, Name, PhraseFilterKind, Span,
};
use fizzle_ir::encoding_limits::MAX_OBJECTS;
use std::collections::BTreeMap;

/// Maximum depth to which nouns are expanded.
const MAX_NOUN_DEPTH: u32 = 8;

/// The names of the game, and the format of the deck.
#[derive(Clone, Copy)]
struct DeckLintContext<'k, 'a> {
    names: &'k NameTable<'a>,
    model: &'k ResolvedFormat<'a>,
}

/// The formats that decks are checked for, with their lists of cards by name: a format can list as many cards as there are decks.
#[derive(Debug)]
pub struct DeckFormats<'k, 'a> {
    models: &'k [ResolvedFormat<'a>],
    names: &'k NameTable<'a>,
    lists: BTreeMap<&'k str, CardLists<'k>>,
}

/// The first place of each card in the lists of a format.
#[derive(Debug)]
struct CardLists<'k> {
    banned: BTreeMap<&'k str, Span>,
    restricted: BTreeMap<&'k str, Span>,
    errata: BTreeMap<&'k str, &'k Card>,
}

impl<'k> CardLists<'k> {
    fn of(model: &'k ResolvedFormat<'_>, names: &'k NameTable<'_>) -> Self {
        let in_game = |name: &'k Name| names.card_name(&name.text, name.span).unwrap_or(&name.text);
        let by_name = |names: &'k [&Name]| names.iter().rev().map(|name| (in_game(name), name.span)).collect();
        Self {
            banned: by_name(&model.banned),
            restricted: by_name(&model.restricted),
            errata: model.errata.iter().rev().map(|card| (in_game(&card.name), *card)).collect(),
        }
    }
}

impl<'k, 'a> DeckFormats<'k, 'a> {
    /// The formats of a game.
    #[must_use]
    pub fn new(models: &'k [ResolvedFormat<'a>], names: &'k NameTable<'a>) -> Self {
        Self { models, names, lists: BTreeMap::new() }
    }

    /// Reports what makes a deck of the game `game` illegal.
    pub fn lint(&mut self, deck: &Deck, game: &str) -> Vec<Diagnostic> {
        let format = deck.format.as_ref().map_or(game, |format| format.text.as_str());
        let Some(model) = self.models.iter().find(|model| model.name == format) else { return Vec::new() };
        lint_deck(
            deck,
            model,
            self.lists.entry(model.name.as_str()).or_insert_with(|| CardLists::of(model, self.names)),
            self.names,
        )
    }
}

fn lint_deck<'a>(deck: &Deck, model: &ResolvedFormat<'a>, lists: &CardLists<'_>, names: &NameTable<'a>) -> Vec<Diagnostic> {
    let format = model.name.as_str();
    // A count that exceeds the size of a game is reported as an error elsewhere.
    if deck.sections.iter().flat_map(|section| &section.cards).any(|(count, _)| *count > MAX_OBJECTS as u32) {
        return Vec::new();
    }
    let rules = model.deck.unwrap_or_default();
    let mut problems = lint_sizes(deck, format, rules);
    let mut copies: BTreeMap<&str, (u32, &Name)> = BTreeMap::new();
    for (count, card) in deck.sections.iter().flat_map(|section| &section.cards).filter(|(count, _)| *count > 0) {
        let entry = copies.entry(names.card_name(&card.text, card.span).unwrap_or(&card.text)).or_insert((0, card));
        *entry = (entry.0.saturating_add(*count), card);
    }
    for (name, (count, card)) in copies {
        if let Some(banned) = lists.banned.get(name) {
            let problem = Diagnostic::new(&codes::ILLEGAL_DECK, card.span, format!("`{name}` is banned in `{format}`"));
            problems.push(problem.also(*banned, "banned here").help("remove it from the deck"));
            continue;
        }
        if let Some(restricted) = lists.restricted.get(name).filter(|_| count > 1) {
            let message = format!("the deck has {count} copies of `{name}`, but `{format}` allows one");
            let problem = Diagnostic::new(&codes::ILLEGAL_DECK, card.span, message);
            problems.push(problem.also(*restricted, "restricted here").help(format!("write `1 \"{name}\"`")));
            continue;
        }
        let corrected = lists.errata.get(name).copied();
        let Some(printed) = corrected.or_else(|| names.cards.get(name).copied().flatten()) else { continue };
        // A card with an unparsed part may say how many copies are allowed.
        if printed.unread.is_some() {
            continue;
        }
        if let Some(most) = max_copies(rules, printed, DeckLintContext { names, model }).filter(|most| count > *most) {
            let message = format!("the deck has {count} copies of `{name}`, but `{format}` allows {most}");
            let problem = Diagnostic::new(&codes::ILLEGAL_DECK, card.span, message);
            problems.push(problem.help(format!("write at most {most} in all sections together")));
        }
    }
    problems
}

/// Reports sections that are too small or too large, and sections that the format does not have.
fn lint_sizes(deck: &Deck, format: &str, rules: &[DeckRule]) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let mut known: Vec<&str> = Vec::new();
    for rule in rules {
        let DeckRule::Size { section, min, max } = rule else { continue };
        known.push(section.text.as_str());
        let sections = deck.sections.iter().filter(|written| written.name.text == section.text);
        let count = sections.clone().flat_map(|written| &written.cards).fold(0_u32, |sum, (count, _)| sum.saturating_add(*count));
        let at = sections.clone().next().map_or(deck.name.span, |written| written.name.span);
        let (many, wanted) = match (count < *min, count > *max) {
            (true, _) if min == max => ("needs", min),
            (true, _) => ("needs at least", min),
            (_, true) => ("allows at most", max),
            _ => continue,
        };
        let cards = if count == 1 { "card" } else { "cards" };
        let message = format!("the section `{}` has {count} {cards}, but `{format}` {many} {wanted}", section.text);
        let problem = Diagnostic::new(&codes::ILLEGAL_DECK, at, message).also(section.span, "the rule");
        let off = if count < *min { format!("add {}", min - count) } else { format!("remove {}", count - max) };
        problems.push(problem.help(off));
    }
    for section in deck.sections.iter().filter(|section| !known.is_empty() && !known.contains(&section.name.text.as_str())) {
        let message = format!("decks of `{format}` have no section `{}`", section.name.text);
        let problem = Diagnostic::new(&codes::ILLEGAL_DECK, section.name.span, message);
        let list = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        problems.push(problem.did_you_mean(&section.name.text, known.iter().copied()).or_help(format!("sections are {list}")));
    }
    problems
}

/// The maximum number of copies of a card. `None` if there is no maximum, or if the print does not determine it.
fn max_copies(rules: &[DeckRule], card: &Card, known: DeckLintContext<'_, '_>) -> Option<u32> {
    let mut all = None;
    for rule in rules {
        match rule {
            DeckRule::Copies { max: most, of: Some(of), .. } => match matches_kind(card, of, known, MAX_NOUN_DEPTH) {
                Some(true) => return Some(*most),
                Some(false) => {}
                None => return None,
            },
            DeckRule::Copies { max: most, except, .. } => {
                let free = except.as_ref().map_or(Some(false), |except| matches_kind(card, except, known, MAX_NOUN_DEPTH));
                all = (free == Some(false)).then_some(*most);
            }
            _ => {}
        }
    }
    all
}

/// Whether a card is of a kind. `None` if its print does not determine it.
fn matches_kind(card: &Card, kind: &Expr, known: DeckLintContext<'_, '_>, depth: u32) -> Option<bool> {
    let depth = depth.checked_sub(1)?;
    match &kind.kind {
        ExprKind::Binary { op: BinaryOp::And, left, right } => {
            and(matches_kind(card, left, known, depth), matches_kind(card, right, known, depth))
        }
        ExprKind::Binary { op: BinaryOp::Or, left, right } => {
            and(matches_kind(card, left, known, depth).map(|yes| !yes), matches_kind(card, right, known, depth).map(|yes| !yes))
                .map(|no| !no)
        }
        ExprKind::Not(inner) => matches_kind(card, inner, known, depth).map(|yes| !yes),
        ExprKind::Phrase(phrase) if phrase.quantifier.is_none() && !phrase.other => {
            let mut found = match &phrase.head {
                Head::Word(word) if matches!(word.text.as_str(), "card" | "object") => Some(true),
                Head::Word(word) => prints(card, word, known, depth),
                Head::Group(inner) => matches_kind(card, inner, known, depth),
                Head::Quoted(name) if known.names.card_id(name).is_some() => {
                    Some(known.names.card_name(&name.text, name.span) == Some(card.name.text.as_str()))
                }
                _ => None,
            };
            for post in &phrase.filters {
                let one = match &post.kind {
                    PhraseFilterKind::With(with) if as_phrase(with).is_some() => matches_kind(card, with, known, depth),
                    PhraseFilterKind::Without(word) => prints(card, word, known, depth).map(|yes| !yes),
                    PhraseFilterKind::ThatIs { what, negated } => {
                        matches_kind(card, what, known, depth).map(|yes| yes != *negated)
                    }
                    PhraseFilterKind::ThatHas(word) => prints(card, word, known, depth),
                    _ => None,
                };
                found = and(found, one);
            }
            found
        }
        _ => None,
    }
}

fn and(one: Option<bool>, other: Option<bool>) -> Option<bool> {
    match (one, other) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

/// Whether a word is printed on a card. `None` if it may come from elsewhere: a keyword with another keyword, or a computed property.
fn prints(card: &Card, word: &Name, known: DeckLintContext<'_, '_>, depth: u32) -> Option<bool> {
    if let Some(meaning) = known.names.nouns.get(&word.text) {
        return matches_kind(card, meaning, known, depth);
    }
    if card.facts.iter().any(|fact| fact.word.text == word.text) {
        return Some(true);
    }
    let gives = |ability: &Ability| matches!(&ability.kind, AbilityKind::Keyword(fact) if fact.word.text == word.text);
    let alone = !known.model.keywords.values().any(|text| text.abilities.iter().any(gives));
    let only_printed = known.names.meanings(&word.text).iter().all(|meaning| match meaning {
        Meaning::Word(..) => true,
        Meaning::Keyword(_) => alone,
        _ => false,
    });
    (only_printed && card.faces.is_empty()).then_some(false)
}
