//! Document symbols: the outline of a file. Items, and below them faces of cards, words of trait sets, and phases and steps.

use super::server_state::ServerState;
use fizzle_grammar::ast::{Card, Item, ItemKind, Name, Span, TurnEntry, VariableKind};
use lsp_types::{DocumentSymbol, DocumentSymbolParams, DocumentSymbolResponse, SymbolKind};

/// The name of an item, its symbol kind, and the range of the name. An item without a name has its keyword as name.
pub fn heading(item: &Item) -> (String, SymbolKind, Span) {
    let at = |name: &Name| (name.text.to_string(), name.span);
    let bare = |word: &str| (word.to_owned(), Span { end: item.span.start + word.len() as u32, ..item.span });
    let (kind, (name, span)) = match &item.kind {
        ItemKind::Pack(pack) => (SymbolKind::PACKAGE, at(&pack.name)),
        ItemKind::Traits { name, .. } => (SymbolKind::ENUM, at(name)),
        ItemKind::Variable(variable) => {
            let kind = if variable.kind == VariableKind::Property { SymbolKind::PROPERTY } else { SymbolKind::VARIABLE };
            (kind, at(&variable.name))
        }
        ItemKind::Constant { name, .. } => (SymbolKind::CONSTANT, at(name)),
        ItemKind::Foreign(_) => (SymbolKind::ENUM, bare("foreign")),
        ItemKind::Kind { word, .. } => (SymbolKind::TYPE_PARAMETER, at(word)),
        ItemKind::Layers(_) => (SymbolKind::ENUM, bare("layers")),
        ItemKind::Zone { name, .. } | ItemKind::ZoneAdds { name, .. } => (SymbolKind::NAMESPACE, at(name)),
        ItemKind::Noun { name, .. } => (SymbolKind::TYPE_PARAMETER, at(name)),
        ItemKind::Function { name, .. } => (SymbolKind::FUNCTION, at(name)),
        ItemKind::Action(action) => (SymbolKind::EVENT, at(&action.name)),
        ItemKind::Keyword { name, .. } => (SymbolKind::INTERFACE, at(name)),
        ItemKind::CostSymbol(symbol) => (SymbolKind::KEY, at(&symbol.symbol)),
        ItemKind::Unlabelled(facts) => {
            (SymbolKind::PROPERTY, facts.first().map_or_else(|| bare("unlabelled"), |fact| at(&fact.name)))
        }
        ItemKind::StatPair(first, _) => (SymbolKind::PROPERTY, at(first)),
        ItemKind::Renaming { old, .. } => (SymbolKind::OPERATOR, at(old)),
        ItemKind::Relation(relation) => (SymbolKind::TYPE_PARAMETER, at(&relation.name)),
        ItemKind::Rule { name, .. } => (SymbolKind::OPERATOR, at(name)),
        ItemKind::StateRule { name, .. } => (SymbolKind::OPERATOR, at(name)),
        ItemKind::Treat { action, .. } => (SymbolKind::OPERATOR, at(action)),
        ItemKind::Play(play) => (SymbolKind::METHOD, play.name.as_ref().map_or_else(|| bare("play"), at)),
        ItemKind::Payment(payment) => (SymbolKind::METHOD, at(&payment.name)),
        ItemKind::PaymentAdds { name, .. } => (SymbolKind::METHOD, at(name)),
        ItemKind::Timing(_) => (SymbolKind::OBJECT, bare("timing")),
        ItemKind::Announce(_) => (SymbolKind::OBJECT, bare("announce")),
        ItemKind::Setup(_) => (SymbolKind::CONSTRUCTOR, bare("setup")),
        ItemKind::Turn(_) => (SymbolKind::OBJECT, bare("turn")),
        ItemKind::Evaluate(_) => (SymbolKind::NUMBER, bare("evaluate")),
        ItemKind::Players { .. } => (SymbolKind::NUMBER, bare("players")),
        ItemKind::DeckRules(_) => (SymbolKind::OBJECT, bare("deck")),
        ItemKind::Match(_) => (SymbolKind::OBJECT, bare("match")),
        ItemKind::Ban(_) => (SymbolKind::ARRAY, bare("ban")),
        ItemKind::Restrict(_) => (SymbolKind::ARRAY, bare("restrict")),
        ItemKind::Card(card) => (SymbolKind::CLASS, at(&card.name)),
        ItemKind::Deck(deck) => (SymbolKind::ARRAY, at(&deck.name)),
        ItemKind::Format { name, .. } => (SymbolKind::MODULE, at(name)),
        ItemKind::Text(text) => (SymbolKind::STRING, at(&text.language)),
        ItemKind::Layout(_) => (SymbolKind::OBJECT, bare("layout")),
        ItemKind::Scenario(scenario) => (SymbolKind::BOOLEAN, at(&scenario.title)),
        ItemKind::Position(named) => (SymbolKind::OBJECT, at(&named.name)),
        ItemKind::Stage(stage) => (SymbolKind::BOOLEAN, at(&stage.scenario.title)),
    };
    (name, kind, span)
}

/// The keyword that an item begins with, as shown next to its name.
pub fn item_keyword(item: &Item) -> &'static str {
    match &item.kind {
        ItemKind::Pack(_) => "pack",
        ItemKind::Traits { .. } => "traits",
        ItemKind::Variable(variable) => match variable.kind {
            VariableKind::Property => "property",
            VariableKind::Status => "status",
            VariableKind::Player => "player",
            VariableKind::Global => "global",
        },
        ItemKind::Constant { .. } => "constant",
        ItemKind::Foreign(_) => "foreign",
        ItemKind::Kind { .. } => "kind",
        ItemKind::Layers(_) => "layers",
        ItemKind::Zone { .. } | ItemKind::ZoneAdds { .. } => "zone",
        ItemKind::Noun { .. } => "noun",
        ItemKind::Function { .. } => "function",
        ItemKind::Action(_) => "action",
        ItemKind::Keyword { .. } => "keyword",
        ItemKind::CostSymbol(_) => "symbol",
        ItemKind::Unlabelled(_) => "unlabelled",
        ItemKind::StatPair(..) => "pair",
        ItemKind::Renaming { .. } => "renamed",
        ItemKind::Relation(_) => "relation",
        ItemKind::Rule { .. } => "rule",
        ItemKind::StateRule { .. } => "state rule",
        ItemKind::Treat { .. } => "treat",
        ItemKind::Play(_) => "play",
        ItemKind::Payment(_) | ItemKind::PaymentAdds { .. } => "payment",
        ItemKind::Timing(_) => "timing",
        ItemKind::Announce(_) => "announce",
        ItemKind::Setup(_) => "setup",
        ItemKind::Turn(_) => "turn",
        ItemKind::Evaluate(_) => "evaluate",
        ItemKind::Players { .. } => "players",
        ItemKind::DeckRules(_) => "deck rules",
        ItemKind::Match(_) => "match",
        ItemKind::Ban(_) => "ban",
        ItemKind::Restrict(_) => "restrict",
        ItemKind::Card(card) if card.is_token => "token",
        ItemKind::Card(_) => "card",
        ItemKind::Deck(_) => "deck",
        ItemKind::Format { .. } => "format",
        ItemKind::Layout(_) => "layout",
        ItemKind::Scenario(_) => "scenario",
        ItemKind::Position(_) => "position",
        ItemKind::Stage(_) => "stage",
        ItemKind::Text(_) => "text",
    }
}

/// Answers `textDocument/documentSymbol`.
pub fn document_symbols(state: &ServerState, params: &DocumentSymbolParams) -> Option<DocumentSymbolResponse> {
    let file = state.file_number(&params.text_document.uri)?;
    let store = state.session.store();
    let items = store.document(file)?.items.iter().filter_map(|placed| store.item_source(placed.number)?.item.as_ref());
    Some(DocumentSymbolResponse::Nested(items.filter_map(|item| item_symbol(state, item)).collect()))
}

fn item_symbol(state: &ServerState, item: &Item) -> Option<DocumentSymbol> {
    let (name, kind, at) = heading(item);
    let children = match &item.kind {
        ItemKind::Card(card) => face_symbols(state, card),
        ItemKind::Turn(entries) => period_symbols(state, entries),
        ItemKind::Traits { words, .. } => words
            .iter()
            .filter_map(|word| new_symbol(state, &word.text, "", SymbolKind::ENUM_MEMBER, word.span, word.span, Vec::new()))
            .collect(),
        _ => Vec::new(),
    };
    new_symbol(state, &name, item_keyword(item), kind, item.span, at, children)
}

fn face_symbols(state: &ServerState, card: &Card) -> Vec<DocumentSymbol> {
    let one =
        |face: &Card| new_symbol(state, &face.name.text, "face", SymbolKind::CLASS, face.name.span, face.name.span, Vec::new());
    card.faces.iter().filter_map(|face| one(&face.card)).collect()
}

fn period_symbols(state: &ServerState, entries: &[TurnEntry]) -> Vec<DocumentSymbol> {
    let mut found = Vec::new();
    for entry in entries {
        match entry {
            TurnEntry::Period(span) => {
                let detail = if span.is_phase { "phase" } else { "step" };
                let inner = period_symbols(state, &span.entries);
                found.extend(new_symbol(state, &span.name.text, detail, SymbolKind::FIELD, span.span, span.name.span, inner));
            }
            TurnEntry::Repeat { entries, .. } => found.extend(period_symbols(state, entries)),
            TurnEntry::Statement(_) | TurnEntry::Each { .. } => {}
        }
    }
    found
}

fn new_symbol(
    state: &ServerState,
    name: &str,
    detail: &str,
    kind: SymbolKind,
    whole: Span,
    at: Span,
    children: Vec<DocumentSymbol>,
) -> Option<DocumentSymbol> {
    let place = |span: Span| Some(state.location(&state.session.place(span)?)?.range);
    #[expect(deprecated, reason = "the struct has no constructor that omits the deprecated field")]
    Some(DocumentSymbol {
        name: if name.is_empty() { "(no name)".to_owned() } else { name.to_owned() },
        detail: Some(detail.to_owned()).filter(|detail| !detail.is_empty()),
        kind,
        tags: None,
        deprecated: None,
        range: place(whole.to(at))?,
        selection_range: place(at)?,
        children: Some(children).filter(|children| !children.is_empty()),
    })
}
