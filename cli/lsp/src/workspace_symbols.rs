//! Workspace symbols: finds items of all packs by a fuzzy match of their names.

use super::document_symbols::{heading, item_keyword};
use super::server_state::ServerState;
use lsp_types::{OneOf, WorkspaceSymbol, WorkspaceSymbolParams, WorkspaceSymbolResponse};

/// At most this many symbols are returned.
const MAX_SYMBOLS: usize = 256;

/// Answers `workspace/symbol`. Names that begin with the query come first, then those that contain it, then those that have its letters
/// in order.
pub fn workspace_symbols(state: &ServerState, params: &WorkspaceSymbolParams) -> WorkspaceSymbolResponse {
    let query = params.query.to_lowercase();
    let store = state.session.store();
    let mut found = Vec::new();
    for (_, document) in store.documents() {
        for item in document.items.iter().filter_map(|placed| store.item_source(placed.number)?.item.as_ref()) {
            let (name, kind, at) = heading(item);
            if let Some(rank) = rank(&name.to_lowercase(), &query) {
                found.push((rank, name, kind, at, item_keyword(item)));
            }
        }
    }
    found.sort_by(|a, b| (a.0, &a.1, a.3).cmp(&(b.0, &b.1, b.3)));
    let shown = found.into_iter().take(MAX_SYMBOLS).filter_map(|(_, name, kind, at, word)| {
        let location = state.location(&state.session.place(at)?)?;
        let container_name = Some(word.to_owned());
        Some(WorkspaceSymbol { name, kind, tags: None, container_name, location: OneOf::Left(location), data: None })
    });
    WorkspaceSymbolResponse::Nested(shown.collect())
}

fn rank(name: &str, query: &str) -> Option<u8> {
    if name.starts_with(query) {
        return Some(0);
    }
    if name.contains(query) {
        return Some(1);
    }
    let mut letters = name.chars();
    query.chars().all(|wanted| letters.any(|letter| letter == wanted)).then_some(2)
}
