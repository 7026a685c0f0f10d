//! Semantic tokens: classifies every token of a document. Names are classified by what they resolve to, other tokens by the lexer.

use super::name_index::NameUse;
use super::resolve::{self, Target};
use super::server_state::ServerState;
use fizzle_grammar::ast::{DifferenceKind, ItemKind, LAYOUT_WORDS};
use fizzle_grammar::lexer::{Token, TokenKind, is_reserved, tokens};
use fizzle_grammar::visit::{DeclKind, NameRole};
use lsp_types::{Range, SemanticToken, SemanticTokenModifier, SemanticTokenType, SemanticTokens, SemanticTokensLegend, Uri};
use std::collections::BTreeMap;
use std::ops::Range as ByteRange;

/// The token types of the legend. The protocol refers to them by index.
const TOKEN_TYPES: [SemanticTokenType; 16] = [
    SemanticTokenType::KEYWORD,
    SemanticTokenType::COMMENT,
    SemanticTokenType::STRING,
    SemanticTokenType::NUMBER,
    SemanticTokenType::OPERATOR,
    SemanticTokenType::NAMESPACE,
    SemanticTokenType::TYPE,
    SemanticTokenType::CLASS,
    SemanticTokenType::ENUM_MEMBER,
    SemanticTokenType::PROPERTY,
    SemanticTokenType::VARIABLE,
    SemanticTokenType::PARAMETER,
    SemanticTokenType::FUNCTION,
    SemanticTokenType::METHOD,
    SemanticTokenType::EVENT,
    SemanticTokenType::INTERFACE,
];

const KEYWORD: u32 = 0;
const COMMENT: u32 = 1;
const STRING: u32 = 2;
const NUMBER: u32 = 3;
const OPERATOR: u32 = 4;
const DECLARATION: u32 = 1;
const LIBRARY: u32 = 2;

/// The legend: the token types and modifiers that the indices and bits refer to.
pub fn legend() -> SemanticTokensLegend {
    SemanticTokensLegend {
        token_types: TOKEN_TYPES.to_vec(),
        token_modifiers: vec![SemanticTokenModifier::DECLARATION, SemanticTokenModifier::DEFAULT_LIBRARY],
    }
}

/// The index in [`TOKEN_TYPES`] for a kind of declaration.
fn token_type(kind: DeclKind) -> u32 {
    match kind {
        DeclKind::Pack | DeclKind::Format | DeclKind::Zone => 5,
        DeclKind::Traits | DeclKind::Noun | DeclKind::Layer => 6,
        DeclKind::Card => 7,
        DeclKind::TraitWord | DeclKind::Constant | DeclKind::Position => 8,
        DeclKind::Property => 9,
        DeclKind::Status | DeclKind::Player | DeclKind::Global => 10,
        DeclKind::Function => 12,
        DeclKind::Action | DeclKind::Play | DeclKind::Payment => 13,
        DeclKind::Rule | DeclKind::StateRule | DeclKind::Period => 14,
        DeclKind::Keyword => 15,
        DeclKind::Deck | DeclKind::Scenario | DeclKind::Stage => STRING,
    }
}

fn classify_target(target: &Target) -> (u32, u32) {
    match target {
        Target::Global(kind, _) => (token_type(*kind), 0),
        Target::Parameter(..) => (11, 0),
        Target::Local(..) => (10, 0),
        Target::OpenTraitWord(..) => (8, 0),
        Target::Verb(_) => (13, LIBRARY),
        Target::Builtin(_) => (12, LIBRARY),
    }
}

/// The bytes of a document that are layouts, and differences of layouts.
fn layout_ranges(state: &ServerState, file: usize) -> Option<Vec<ByteRange<u32>>> {
    let store = state.session.store();
    let mut ranges = Vec::new();
    for placed in &store.document(file)?.items {
        let Some(item) = store.item_source(placed.number).and_then(|source| source.item.as_ref()) else { continue };
        let range = |start: u32, end: u32| placed.start + start..placed.start + end;
        match &item.kind {
            ItemKind::Layout(_) => ranges.push(range(item.span.start, item.span.end)),
            ItemKind::Format { differences, .. } => {
                let layouts = differences.iter().filter(|difference| match &difference.kind {
                    DifferenceKind::AppendLayout { .. }
                    | DifferenceKind::AppendRows { .. }
                    | DifferenceKind::ReplaceRows { .. } => true,
                    DifferenceKind::Replace(item) | DifferenceKind::Add(item) => matches!(item.kind, ItemKind::Layout(_)),
                    _ => false,
                });
                ranges.extend(layouts.map(|difference| range(difference.span.start, difference.span.end)));
            }
            _ => {}
        }
    }
    Some(ranges)
}

/// Answers `textDocument/semanticTokens`: the tokens of a document, or those that overlap `range`.
pub fn semantic_tokens(state: &ServerState, uri: &Uri, range: Option<Range>) -> Option<SemanticTokens> {
    let file = state.file_number(uri)?;
    let (text, lines) = state.text(file)?;
    let requested = range.map_or(0..text.len() as u32, |range| lines.bytes(&text, range));
    let mut classified: BTreeMap<u32, (u32, u32)> = BTreeMap::new();
    let store = state.session.store();
    let game = state.session.analysis().and_then(|analysis| analysis.game_of(file));
    for placed in &store.document(file)?.items {
        if placed.start > requested.end {
            break;
        }
        if store.sources().text(placed.number).len() as u32 + placed.start < requested.start {
            continue;
        }
        let names = state.name_index.names_in_part(store, placed.number);
        for (index, occurrence) in names.iter().enumerate() {
            let fixed = matches!(occurrence.use_, NameUse::Role { role: NameRole::Setting | NameRole::Seat, .. });
            let target = game.and_then(|game| resolve::resolve_occurrence(game, placed.number, occurrence)).filter(|_| !fixed);
            if let Some(target) = target {
                let (kind, modifiers) = classify_target(&target);
                let declares = if occurrence.declares(index) { DECLARATION } else { 0 };
                classified.insert(placed.start + occurrence.start, (kind, modifiers | declares));
            }
        }
    }
    let layouts = layout_ranges(state, file)?;
    let is_layout_word = |token: &Token| {
        LAYOUT_WORDS.binary_search(&token.text(&text)).is_ok() && layouts.iter().any(|range| range.contains(&token.start))
    };
    let mut data = Vec::new();
    let (mut line, mut column) = (0, 0);
    for token in tokens(&text) {
        if token.end <= requested.start || token.start >= requested.end {
            continue;
        }
        let classified_token = classified.get(&token.start).copied();
        let (kind, modifiers) = match token.kind {
            TokenKind::Blank | TokenKind::Newline => continue,
            TokenKind::Comment | TokenKind::Doc => (COMMENT, 0),
            TokenKind::Quoted | TokenKind::UnclosedQuote => classified_token.unwrap_or((STRING, 0)),
            TokenKind::Number | TokenKind::Symbol => (NUMBER, 0),
            TokenKind::Assign | TokenKind::Compare | TokenKind::Minus | TokenKind::Operator => (OPERATOR, 0),
            TokenKind::Word => match classified_token {
                Some(known) => known,
                None if is_reserved(token.text(&text))
                    || fizzle_grammar::item_splitter::is_item_keyword(token.text(&text))
                    || is_layout_word(&token) =>
                {
                    (KEYWORD, 0)
                }
                None => continue,
            },
            _ => continue,
        };
        // A comment or an unclosed quote may end in a carriage return, which the protocol counts as part of the line end.
        let written = token.text(&text).trim_end_matches(['\r', '\n']);
        let start = lines.position(&text, token.start);
        let length = written.encode_utf16().count() as u32;
        let delta_line = start.line - line;
        let delta_start = if delta_line == 0 { start.character - column } else { start.character };
        (line, column) = (start.line, start.character);
        data.push(SemanticToken { delta_line, delta_start, length, token_type: kind, token_modifiers_bitset: modifiers });
    }
    Some(SemanticTokens { result_id: None, data })
}
