//! References: everywhere that something is named, in all packs of its game.

use super::definition::under;
use super::resolve;
use super::server_state::ServerState;
use lsp_types::{DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams, Location, ReferenceParams};

/// Answers the request.
pub fn references(world: &ServerState, params: &ReferenceParams) -> Option<Vec<Location>> {
    let (file, byte) = world.at(&params.text_document_position)?;
    let (game, target, _) = under(world, file, byte)?;
    let found = resolve::places(world, game, &target).into_iter();
    let wanted = found.filter(|(_, declares)| params.context.include_declaration || !declares);
    Some(wanted.filter_map(|(place, _)| world.location(&place)).collect())
}

/// The same within one document.
pub fn highlights(world: &ServerState, params: &DocumentHighlightParams) -> Option<Vec<DocumentHighlight>> {
    let (file, byte) = world.at(&params.text_document_position_params)?;
    let (game, target, _) = under(world, file, byte)?;
    let here = resolve::places(world, game, &target).into_iter().filter(|(place, _)| place.file == file);
    let kind = |declares: bool| Some(if declares { DocumentHighlightKind::WRITE } else { DocumentHighlightKind::READ });
    let shown = |(place, declares)| Some(DocumentHighlight { range: world.location(&place)?.range, kind: kind(declares) });
    Some(here.filter_map(shown).collect())
}
