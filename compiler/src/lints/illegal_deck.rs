//! Decks that their format refuses, as far as what is written in them and on their cards proves it.

use crate::diagnostics::{Diagnostic, codes};
use crate::formats::ResolvedFormat;
use crate::lower::phrase::as_phrase;
use crate::names::{Meaning, NameTable};
use fizzle_grammar::ast::{Ability, AbilityKind, BinaryOp, Card, Deck, DeckRule, Expr, ExprKind, Head, Name, PhraseFilterKind};
use fizzle_runtime::state::MAX_OBJECTS;
use std::collections::BTreeMap;

/// How deep nouns are looked into.
const DEEP: u32 = 8;

/// What words mean, and what keywords stand for.
#[derive(Clone, Copy)]
struct DeckLintContext<'k, 'a> {
    names: &'k NameTable<'a>,
    model: &'k ResolvedFormat<'a>,
}

/// Tells what is illegal about a deck of the game `game`.
pub fn deck<'a>(deck: &Deck, game: &str, models: &[ResolvedFormat<'a>], names: &NameTable<'a>) -> Vec<Diagnostic> {
    let format = deck.format.as_ref().map_or(game, |format| format.text.as_str());
    let Some(model) = models.iter().find(|model| model.name == format) else { return Vec::new() };
    // What no game has room for is told as an error.
    if deck.sections.iter().flat_map(|section| &section.cards).any(|(count, _)| *count > MAX_OBJECTS as u32) {
        return Vec::new();
    }
    let rules = model.deck.unwrap_or_default();
    let mut told = sizes(deck, format, rules);
    let mut copies: BTreeMap<&str, (u32, &Name)> = BTreeMap::new();
    for (count, card) in deck.sections.iter().flat_map(|section| &section.cards).filter(|(count, _)| *count > 0) {
        let entry = copies.entry(card.text.as_str()).or_insert((0, card));
        *entry = (entry.0.saturating_add(*count), card);
    }
    for (name, (count, card)) in copies {
        let listed = |cards: &[&'_ Name]| cards.iter().find(|listed| listed.text == name).map(|listed| listed.span);
        if let Some(banned) = listed(&model.banned) {
            let problem = Diagnostic::new(&codes::ILLEGAL_DECK, card.span, format!("`{name}` is banned in `{format}`"));
            told.push(problem.also(banned, "banned here").help("take it out of the deck"));
            continue;
        }
        if let Some(restricted) = listed(&model.restricted).filter(|_| count > 1) {
            let message = format!("{count} copies of `{name}`, but `{format}` allows one");
            let problem = Diagnostic::new(&codes::ILLEGAL_DECK, card.span, message);
            told.push(problem.also(restricted, "restricted here").help(format!("write `1 \"{name}\"`")));
            continue;
        }
        let corrected = model.errata.iter().find(|card| card.name.text == name).copied();
        let Some(printed) = corrected.or_else(|| names.cards.get(name).copied().flatten()) else { continue };
        // What cannot be read of it may say how many are allowed.
        if printed.unread.is_some() {
            continue;
        }
        if let Some(most) = most_copies(rules, printed, DeckLintContext { names, model }).filter(|most| count > *most) {
            let message = format!("{count} copies of `{name}`, but `{format}` allows {most}");
            let problem = Diagnostic::new(&codes::ILLEGAL_DECK, card.span, message);
            told.push(problem.help(format!("write at most {most} over all sections together")));
        }
    }
    told
}

/// Sections that are too small, too large, or not there at all.
fn sizes(deck: &Deck, format: &str, rules: &[DeckRule]) -> Vec<Diagnostic> {
    let mut told = Vec::new();
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
        let off = if count < *min { format!("add {}", min - count) } else { format!("take {} out", count - max) };
        told.push(problem.help(off));
    }
    for section in deck.sections.iter().filter(|section| !known.is_empty() && !known.contains(&section.name.text.as_str())) {
        let message = format!("decks of `{format}` have no section `{}`", section.name.text);
        let problem = Diagnostic::new(&codes::ILLEGAL_DECK, section.name.span, message);
        let list = known.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        told.push(problem.did_you_mean(&section.name.text, known.iter().copied()).or_help(format!("sections are {list}")));
    }
    told
}

/// How many copies of a card are allowed, if that can be told.
fn most_copies(rules: &[DeckRule], card: &Card, known: DeckLintContext<'_, '_>) -> Option<u32> {
    let mut all = None;
    for rule in rules {
        match rule {
            DeckRule::Copies { most, of: Some(of), .. } => match is(card, of, known, DEEP) {
                Some(true) => return Some(*most),
                Some(false) => {}
                None => return None,
            },
            DeckRule::Copies { most, except, .. } => {
                let free = except.as_ref().map_or(Some(false), |except| is(card, except, known, DEEP));
                all = (free == Some(false)).then_some(*most);
            }
            _ => {}
        }
    }
    all
}

/// Whether what is printed on a card shows that it is of some kind.
fn is(card: &Card, kind: &Expr, known: DeckLintContext<'_, '_>, deep: u32) -> Option<bool> {
    let deep = deep.checked_sub(1)?;
    match &kind.kind {
        ExprKind::Binary { op: BinaryOp::And, left, right } => and(is(card, left, known, deep), is(card, right, known, deep)),
        ExprKind::Binary { op: BinaryOp::Or, left, right } => {
            and(is(card, left, known, deep).map(|yes| !yes), is(card, right, known, deep).map(|yes| !yes)).map(|no| !no)
        }
        ExprKind::Not(inner) => is(card, inner, known, deep).map(|yes| !yes),
        ExprKind::Phrase(phrase) if phrase.quantifier.is_none() && !phrase.other => {
            let mut found = match &phrase.head {
                Head::Word(word) if matches!(word.text.as_str(), "card" | "object") => Some(true),
                Head::Word(word) => prints(card, word, known, deep),
                Head::Group(inner) => is(card, inner, known, deep),
                Head::Quoted(name) if known.names.card_id(&name.text).is_some() => Some(card.name.text == name.text),
                _ => None,
            };
            for post in &phrase.posts {
                let one = match &post.kind {
                    PhraseFilterKind::With(with) if as_phrase(with).is_some() => is(card, with, known, deep),
                    PhraseFilterKind::Without(word) => prints(card, word, known, deep).map(|yes| !yes),
                    PhraseFilterKind::ThatIs { what, negated } => is(card, what, known, deep).map(|yes| yes != *negated),
                    PhraseFilterKind::ThatHas(word) => prints(card, word, known, deep),
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

/// Whether a word is printed on a card. A keyword may come with another one, a property may be worked out: then that is not known.
fn prints(card: &Card, word: &Name, known: DeckLintContext<'_, '_>, deep: u32) -> Option<bool> {
    if let Some(meaning) = known.names.nouns.get(&word.text) {
        return is(card, meaning, known, deep);
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
