//! References: the occurrences of the name under the cursor, in all packs of its game; the first 10,000 of them.

use super::definition::target_at;
use super::resolve;
use super::server_state::ServerState;
use lsp_types::{DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams, Location, ReferenceParams};

/// Answers `textDocument/references`.
pub fn references(state: &ServerState, params: &ReferenceParams) -> Option<Vec<Location>> {
    let (file, byte) = state.byte_at(&params.text_document_position)?;
    let (game, target, _) = target_at(state, file, byte)?;
    let found = resolve::find_occurrences(state, game, &target).into_iter();
    let wanted = found.filter(|(_, declares)| params.context.include_declaration || !declares);
    Some(wanted.take(resolve::MAX_PLACES).filter_map(|(place, _)| state.location(&place)).collect())
}

/// Answers `textDocument/documentHighlight`: the occurrences within one document.
pub fn highlights(state: &ServerState, params: &DocumentHighlightParams) -> Option<Vec<DocumentHighlight>> {
    let (file, byte) = state.byte_at(&params.text_document_position_params)?;
    let (game, target, _) = target_at(state, file, byte)?;
    let here = resolve::find_occurrences(state, game, &target).into_iter().filter(|(place, _)| place.file == file);
    let kind = |declares: bool| Some(if declares { DocumentHighlightKind::WRITE } else { DocumentHighlightKind::READ });
    let shown = |(place, declares)| Some(DocumentHighlight { range: state.location(&place)?.range, kind: kind(declares) });
    Some(here.take(resolve::MAX_PLACES).filter_map(shown).collect())
}
