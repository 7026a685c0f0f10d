//! What comes of lowering one part: a card, a deck or a scenario, against the kept declarations.

use crate::diagnostics::Diagnostic;
use crate::lints;
use crate::lower::{Lowering, LoweringSnapshot};
use crate::names::{Meaning, NameTable};
use fizzle_grammar::ast::{Card, Head, Item, ItemKind, Name, Span};
use fizzle_runtime::ir::{Ability, AbilityKind, ActionId, Deck, KeywordId};
use smol_str::SmolStr;

/// What one part adds to the whole.
#[derive(Clone, Debug, Default)]
pub struct ItemResult {
    /// Problems found by lowering it.
    pub diagnostics: Vec<Diagnostic>,
    /// Where `opponent` is one player.
    pub opponents: Vec<Span>,
    /// Clauses about declarations.
    pub clauses: Vec<(Span, ActionId)>,
    /// Actions that it declares.
    pub declares: Vec<ActionId>,
    /// Where something is chosen or paid while it is announced.
    pub first_value: Option<Span>,
    /// Keywords with arguments.
    pub units: Vec<(KeywordId, Vec<i32>)>,
    /// Words of open trait sets that it uses and that no card prints.
    pub words: Vec<(usize, SmolStr)>,
    /// The deck.
    pub deck: Option<Deck>,
    /// Actions that its own code does.
    pub done: Vec<usize>,
    /// Zones that its own code fills.
    pub filled: Vec<usize>,
    /// Actions that its triggers wait for, and where.
    pub awaited: Vec<(usize, Span)>,
    /// The names of its activated abilities.
    pub labels: Vec<String>,
    /// What players do in it, if it is a scenario.
    pub scripted: Vec<Name>,
}

/// Whether a part of this kind is lowered by itself.
#[must_use]
pub fn is_single(item: &Item) -> bool {
    matches!(item.kind, ItemKind::Card(_) | ItemKind::Deck(_) | ItemKind::Scenario(_))
}

/// What a part puts into the tables of names: its cards (faces are said to be such) and decks.
#[must_use]
pub fn declared(item: &Item) -> Vec<(&SmolStr, ItemDeclaration<'_>)> {
    match &item.kind {
        ItemKind::Card(card) => {
            let faces = card.faces.iter().map(|face| (&face.card.name.text, ItemDeclaration::Card(&face.card, true)));
            std::iter::once((&card.name.text, ItemDeclaration::Card(card, false))).chain(faces).collect()
        }
        ItemKind::Deck(deck) => vec![(&deck.name.text, ItemDeclaration::Deck(deck.name.span))],
        _ => Vec::new(),
    }
}

/// What a name of a part means.
#[derive(Clone, Copy, Debug)]
pub enum ItemDeclaration<'a> {
    /// A card, or a face of one.
    Card(&'a Card, bool),
    /// A deck, and where its name stands.
    Deck(Span),
}

/// Stands for a trait set where a card cannot be read: what is quoted there may be anything.
pub const UNREAD: usize = usize::MAX;

/// The words of open trait sets that a card prints, and those in what cannot be read of it.
#[must_use]
pub fn printed(item: &Item, names: &NameTable<'_>) -> Vec<(usize, SmolStr)> {
    let ItemKind::Card(card) = &item.kind else { return Vec::new() };
    let mut words: Vec<(usize, SmolStr)> = card.unread.iter().flatten().map(|word| (UNREAD, word.clone())).collect();
    for fact in card.facts.iter().chain(card.faces.iter().flat_map(|face| &face.card.facts)) {
        let set = names.meanings(&fact.word.text).iter().find_map(|meaning| match meaning {
            Meaning::Traits(id) => Some(id.index()),
            _ => None,
        });
        let open = |set: &usize| names.traits.get(*set).is_some_and(|set| set.words.is_none());
        if let (Some(set), Some(value)) = (set.filter(open), &fact.value)
            && let Some(phrase) = crate::lower::phrase::as_phrase(value)
            && let Head::Quoted(name) = &phrase.head
        {
            words.push((set, name.text.clone()));
        }
    }
    words
}

/// Where a game stands, for decks and scenarios.
#[derive(Clone, Copy, Debug)]
pub struct GameContext<'s> {
    /// Its name.
    pub game: &'s str,
    /// Its formats.
    pub formats: &'s [SmolStr],
}

/// Lowers a part. What is lowered before it and after it with the same tables has no influence.
pub fn lower<'a>(lower: &mut Lowering<'a>, kept: &LoweringSnapshot, item: &'a Item, setting: GameContext<'_>) -> ItemResult {
    let known = lower.keyword_bundles.len();
    let (functions, abilities) = (lower.library.functions.len(), lower.library.abilities.len());
    let mut deck = None;
    match &item.kind {
        ItemKind::Card(_) => {
            for (name, declared) in declared(item) {
                let ItemDeclaration::Card(card, _) = declared else { continue };
                let registered = lower.names.cards.get(name).copied().flatten();
                if registered.is_some_and(|registered| std::ptr::eq(registered, card)) {
                    lower.card(card);
                }
            }
        }
        ItemKind::Deck(written) => deck = Some(lower.deck(written, setting.game, setting.formats)),
        ItemKind::Scenario(written) => {
            lower.scenario(written, setting.game, setting.formats);
        }
        _ => {}
    }
    let mut words = Vec::new();
    for (set, (now, before)) in lower.words.iter_mut().zip(&kept.words).enumerate() {
        words.extend(now.keys().skip(before.len()).map(|word| (set, word.clone())));
        if now.len() > before.len() {
            now.clone_from(before);
        }
    }
    lower.funs.clear();
    let code = lower.library.functions.entries_from(functions);
    let (done, filled) = (lints::proposed_actions(code), lints::filled_zones(code));
    ItemResult {
        diagnostics: std::mem::take(&mut lower.diagnostics),
        opponents: std::mem::take(&mut lower.single_opponents).into_iter().collect(),
        clauses: std::mem::take(&mut lower.clause_actions).into_iter().collect(),
        declares: std::mem::take(&mut lower.declared_actions).into_iter().collect(),
        first_value: lower.first_value.take(),
        units: lower.keyword_bundles.keys().skip(known).cloned().collect(),
        words,
        deck,
        done: done.into_iter().collect(),
        filled: filled.into_iter().collect(),
        awaited: std::mem::take(&mut lower.awaited_actions),
        labels: labels(lower.library.abilities.entries_from(abilities)),
        scripted: std::mem::take(&mut lower.scripted_verbs),
    }
}

/// The names of activated abilities.
#[must_use]
pub fn labels(abilities: &[Ability]) -> Vec<String> {
    let label = |ability: &Ability| match &ability.kind {
        AbilityKind::Activated { play } => Some(play.name.clone()),
        _ => None,
    };
    abilities.iter().filter_map(label).collect()
}
