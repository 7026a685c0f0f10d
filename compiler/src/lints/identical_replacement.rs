//! Lint: differences of a format that replace something by the same. Texts are compared token by token, without white space and comments.

use crate::formats::ResolvedFormat;
use crate::sources::Sources;
use fizzle_grammar::ast::{Difference, DifferenceKind, Item, ItemKind, Span};
use fizzle_grammar::lexer::{TokenKind, tokens};
use std::collections::BTreeMap;

/// The content of an item: the address of its tree. It is compared, never read.
type Content = *const ();

/// The items that differences can replace or correct, by their content and by the names of cards, so that no difference searches
/// them all.
pub struct ReplaceableItems<'a> {
    by_content: BTreeMap<Content, Span>,
    cards: BTreeMap<&'a str, Span>,
    /// The tokens of items that were compared, by their places.
    tokens: BTreeMap<(u32, u32), Vec<&'a str>>,
    sources: &'a Sources,
}

impl<'a> ReplaceableItems<'a> {
    /// Collects all items, including those in formats. Of equal ones the first counts.
    pub fn new(items: &[&'a Item], sources: &'a Sources) -> Self {
        let mut found = Self { by_content: BTreeMap::new(), cards: BTreeMap::new(), tokens: BTreeMap::new(), sources };
        for item in items {
            found.add(item);
            if let ItemKind::Format { differences, .. } = &item.kind {
                for difference in differences {
                    if let DifferenceKind::Replace(item) | DifferenceKind::Add(item) = &difference.kind {
                        found.add(item);
                    }
                }
            }
        }
        found
    }

    fn add(&mut self, item: &'a Item) {
        if let ItemKind::Card(card) = &item.kind {
            self.cards.entry(card.name.text.as_str()).or_insert(item.span);
        }
        if let Some(content) = content_of(&item.kind) {
            self.by_content.entry(content).or_insert(item.span);
        }
    }

    /// The item of the base that equals what a difference replaces or corrects it by. `is_corrected`: whether the base has errata of a card.
    pub fn find_identical_base(
        &mut self,
        difference: &Difference,
        base: &ResolvedFormat<'_>,
        is_corrected: impl Fn(&str) -> bool,
    ) -> Option<Span> {
        let (earlier, span, is_card) = match &difference.kind {
            DifferenceKind::Replace(item) => {
                (self.by_content.get(&content_in_base(&item.kind, base)?).copied()?, item.span, false)
            }
            DifferenceKind::Errata(card) if !is_corrected(&card.name.text) => {
                (self.cards.get(card.name.text.as_str()).copied()?, difference.span, true)
            }
            _ => return None,
        };
        // Of a card, only the part in braces is compared.
        let sources = self.sources;
        let body = |span: Span| {
            let text = sources.slice(span);
            let start = if is_card { text.find('{').unwrap_or(0) } else { 0 };
            token_texts(text.get(start..).unwrap_or(""))
        };
        let known = self.tokens.entry((earlier.file, earlier.start)).or_insert_with(|| body(earlier));
        (body(span) == *known).then_some(earlier)
    }
}

/// The content of an item. Empty lists have no address.
fn content_of(item: &ItemKind) -> Option<Content> {
    fn address<T: ?Sized>(tree: &T) -> Option<*const ()> {
        (size_of_val(tree) > 0).then(|| std::ptr::from_ref(tree).cast())
    }
    match item {
        ItemKind::Action(action) => address(&**action),
        ItemKind::Keyword { abilities, .. } | ItemKind::Rule { abilities, .. } => address(abilities.as_slice()),
        ItemKind::StateRule { body, .. } | ItemKind::Setup(body) => address(body),
        ItemKind::Play(play) => address(&**play),
        ItemKind::Payment(payment) => address(&**payment),
        ItemKind::Timing(settings) => address(settings.as_slice()),
        ItemKind::Announce(policy) => address(&**policy),
        ItemKind::Evaluate(value) => address(value),
        ItemKind::DeckRules(rules) => address(rules.as_slice()),
        ItemKind::Match(rules) => address(&**rules),
        ItemKind::Layout(layout) => address(layout),
        _ => None,
    }
}

/// The content of what the base uses in the place of `fresh`.
fn content_in_base(fresh: &ItemKind, base: &ResolvedFormat<'_>) -> Option<Content> {
    fn address<T: ?Sized>(tree: &T) -> *const () {
        std::ptr::from_ref(tree).cast()
    }
    match fresh {
        ItemKind::Action(action) => {
            let known = base.actions.get(&action.name.text).filter(|(_, appended)| appended.is_empty());
            known.map(|(known, _)| address(*known))
        }
        ItemKind::Keyword { name, .. } => base.keywords.get(&name.text).map(|known| address(known.abilities)),
        ItemKind::Rule { name, .. } => base.rules.get(&name.text).map(|known| address(*known)),
        ItemKind::StateRule { name, .. } => base.state_rules.get(&name.text).map(|known| address(*known)),
        ItemKind::Play(play) => play.name.as_ref().and_then(|name| base.plays.get(&name.text)).map(|known| address(*known)),
        ItemKind::Payment(payment) => base.payments.get(&payment.name.text).map(|known| address(*known)),
        ItemKind::Timing(_) => base.timing.map(address),
        ItemKind::Announce(_) => base.announce.map(address),
        ItemKind::Setup(_) => match base.setup.as_slice() {
            [known] => Some(address(*known)),
            _ => None,
        },
        ItemKind::Evaluate(_) => base.evaluate.map(address),
        ItemKind::DeckRules(_) => base.deck.map(address),
        ItemKind::Match(_) => base.match_rules.map(address),
        _ => None,
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
