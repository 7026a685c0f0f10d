//! Lint: differences of a format that replace something by the same. Texts are compared token by token, without white space and comments.

use crate::formats::ResolvedFormat;
use crate::sources::Sources;
use fizzle_grammar::ast::{Difference, DifferenceKind, Item, ItemKind, Span};
use fizzle_grammar::lexer::{TokenKind, tokens};

/// The item of the base that equals what a difference replaces or corrects it by.
pub fn find_identical_base(
    difference: &Difference,
    base: &ResolvedFormat<'_>,
    items: &[&Item],
    sources: &Sources,
) -> Option<Span> {
    let (fresh, span) = match &difference.kind {
        DifferenceKind::Replace(item) => (Some(&**item), item.span),
        DifferenceKind::Errata(_) => (None, difference.span),
        _ => return None,
    };
    let name = match &difference.kind {
        DifferenceKind::Errata(card) if !base.errata.iter().any(|known| known.name.text == card.name.text) => {
            Some(&card.name.text)
        }
        _ => None,
    };
    let earlier = all_items(items).find(|item| match (fresh, name) {
        (Some(fresh), _) => is_item_of_base(&item.kind, &fresh.kind, base),
        (None, Some(name)) => matches!(&item.kind, ItemKind::Card(card) if card.name.text == *name),
        (None, None) => false,
    })?;
    // Of a card, only the part in braces is compared.
    let body = |span: Span| {
        let text = sources.slice(span);
        let start = if fresh.is_some() { 0 } else { text.find('{').unwrap_or(0) };
        token_texts(text.get(start..).unwrap_or(""))
    };
    (body(span) == body(earlier.span)).then_some(earlier.span)
}

/// All items, including those in formats.
fn all_items<'a>(items: &[&'a Item]) -> impl Iterator<Item = &'a Item> {
    items.iter().flat_map(|item| {
        let inner: Vec<&'a Item> = match &item.kind {
            ItemKind::Format { differences, .. } => differences
                .iter()
                .filter_map(|difference| match &difference.kind {
                    DifferenceKind::Replace(item) | DifferenceKind::Add(item) => Some(&**item),
                    _ => None,
                })
                .collect(),
            _ => Vec::new(),
        };
        std::iter::once(*item).chain(inner)
    })
}

/// Whether an item is the one that the base uses in the place of `fresh`.
fn is_item_of_base(item: &ItemKind, fresh: &ItemKind, base: &ResolvedFormat<'_>) -> bool {
    let same_slice = |known: Option<*const u8>, here: *const u8| known == Some(here);
    match (item, fresh) {
        (ItemKind::Action(here), ItemKind::Action(action)) => {
            let known = base.actions.get(&action.name.text).filter(|(_, appended)| appended.is_empty());
            known.is_some_and(|(known, _)| std::ptr::eq(*known, &**here))
        }
        (ItemKind::Keyword { abilities: here, .. }, ItemKind::Keyword { name, .. }) => {
            let known = base.keywords.get(&name.text).map(|known| known.abilities.as_ptr().cast());
            !here.is_empty() && same_slice(known, here.as_ptr().cast())
        }
        (ItemKind::Rule { abilities: here, .. }, ItemKind::Rule { name, .. }) => {
            let known = base.rules.get(&name.text).map(|known| known.as_ptr().cast());
            !here.is_empty() && same_slice(known, here.as_ptr().cast())
        }
        (ItemKind::StateRule { body: here, .. }, ItemKind::StateRule { name, .. }) => {
            base.state_rules.get(&name.text).is_some_and(|known| std::ptr::eq(*known, here))
        }
        (ItemKind::Play(here), ItemKind::Play(play)) => {
            play.name.as_ref().and_then(|name| base.plays.get(&name.text)).is_some_and(|known| std::ptr::eq(*known, &**here))
        }
        (ItemKind::Payment(here), ItemKind::Payment(payment)) => {
            base.payments.get(&payment.name.text).is_some_and(|known| std::ptr::eq(*known, &**here))
        }
        (ItemKind::Timing(here), ItemKind::Timing(_)) => {
            let known = base.timing.map(|known| known.as_ptr().cast());
            !here.is_empty() && same_slice(known, here.as_ptr().cast())
        }
        (ItemKind::Announce(here), ItemKind::Announce(_)) => base.announce.is_some_and(|known| std::ptr::eq(known, &**here)),
        (ItemKind::Setup(here), ItemKind::Setup(_)) => {
            matches!(base.setup.as_slice(), [known] if std::ptr::eq(*known, here))
        }
        (ItemKind::Evaluate(here), ItemKind::Evaluate(_)) => base.evaluate.is_some_and(|known| std::ptr::eq(known, here)),
        (ItemKind::DeckRules(here), ItemKind::DeckRules(_)) => {
            let known = base.deck.map(|known| known.as_ptr().cast());
            !here.is_empty() && same_slice(known, here.as_ptr().cast())
        }
        (ItemKind::Match(here), ItemKind::Match(_)) => base.match_rules.is_some_and(|known| std::ptr::eq(known, &**here)),
        _ => false,
    }
}

/// The tokens of a text. A line end counts between words, not next to brackets.
fn token_texts(text: &str) -> Vec<&str> {
    let mut words: Vec<&str> = Vec::new();
    for token in tokens(text) {
        match token.kind {
            TokenKind::Newline | TokenKind::Semicolon => {
                if words.last().is_some_and(|last| !matches!(*last, ";" | "{" | "(" | "[" | ",")) {
                    words.push(";");
                }
            }
            kind if kind.is_trivia() => {}
            kind => {
                if kind.closes() && words.last() == Some(&";") {
                    words.pop();
                }
                words.push(token.text(text));
            }
        }
    }
    while words.last() == Some(&";") {
        words.pop();
    }
    words
}
