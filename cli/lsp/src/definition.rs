//! Go to definition: finds the declaration or binding of the name under the cursor.

use super::resolve::{self, Target};
use super::server_state::ServerState;
use fizzle_compiler::session::{FileRange, Game};
use fizzle_grammar::visit::DeclKind;
use lsp_types::{GotoDefinitionParams, GotoDefinitionResponse, Location};

/// The target of the name at a byte of a file, its game, and the range of the name.
pub fn target_at<'w>(state: &'w ServerState, file: usize, byte: u32) -> Option<(&'w Game<'w>, Target, FileRange)> {
    let (part, names, index) = state.name_index.name_at(&state.session, file, byte)?;
    let occurrence = names.get(index)?;
    let analysis = state.session.analysis()?;
    let game = analysis.game_of(file)?;
    let target = resolve::resolve_occurrence(game, part, occurrence)?;
    let (_, start) = state.session.store().position_of(part)?;
    Some((game, target, FileRange { file, start: start + occurrence.start, end: start + occurrence.end }))
}

/// The ranges of the declarations of a target. A pack is searched for in all games, any other target in its own game.
pub fn find_declarations(state: &ServerState, game: &Game<'_>, target: &Target) -> Vec<FileRange> {
    if let Target::Global(DeclKind::Pack, _) = target
        && let Some(analysis) = state.session.analysis()
    {
        let all = analysis
            .games
            .iter()
            .flat_map(|game| resolve::find_occurrences(state, game, target))
            .chain(resolve::find_occurrences(state, game, target));
        let mut found: Vec<FileRange> = all.filter(|(_, declares)| *declares).map(|(place, _)| place).collect();
        found.sort();
        found.dedup();
        return found;
    }
    resolve::find_occurrences(state, game, target).into_iter().filter(|(_, declares)| *declares).map(|(place, _)| place).collect()
}

/// Answers `textDocument/definition`.
pub fn definition(state: &ServerState, params: &GotoDefinitionParams) -> Option<GotoDefinitionResponse> {
    let (file, byte) = state.byte_at(&params.text_document_position_params)?;
    let (game, target, _) = target_at(state, file, byte)?;
    let found: Vec<Location> = find_declarations(state, game, &target).iter().filter_map(|place| state.location(place)).collect();
    (!found.is_empty()).then_some(GotoDefinitionResponse::Array(found))
}
