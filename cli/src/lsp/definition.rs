//! Go to definition: the place where what is under the cursor is declared or bound.

use super::resolve::{self, Target};
use super::server_state::ServerState;
use fizzle_compiler::session::{FileRange, Game};
use fizzle_grammar::visit::DeclKind;
use lsp_types::{GotoDefinitionParams, GotoDefinitionResponse, Location};

/// What is under the cursor, its game, and its own place.
pub fn under<'w>(world: &'w ServerState, file: usize, byte: u32) -> Option<(&'w Game<'w>, Target, FileRange)> {
    let (part, names, index) = world.index.at(&world.session, file, byte)?;
    let occurrence = names.get(index)?;
    let analysis = world.session.analysis()?;
    let game = analysis.game_of(file)?;
    let target = resolve::target(game, part, occurrence)?;
    let (_, start) = world.session.store().home(part)?;
    Some((game, target, FileRange { file, start: start + occurrence.start, end: start + occurrence.end }))
}

/// Where a target is declared.
pub fn declared(world: &ServerState, game: &Game<'_>, target: &Target) -> Vec<FileRange> {
    if let Target::Global(DeclKind::Pack, _) = target
        && let Some(analysis) = world.session.analysis()
    {
        let all = analysis
            .games
            .iter()
            .flat_map(|game| resolve::places(world, game, target))
            .chain(resolve::places(world, game, target));
        let mut found: Vec<FileRange> = all.filter(|(_, declares)| *declares).map(|(place, _)| place).collect();
        found.sort();
        found.dedup();
        return found;
    }
    resolve::places(world, game, target).into_iter().filter(|(_, declares)| *declares).map(|(place, _)| place).collect()
}

/// Answers the request.
pub fn definition(world: &ServerState, params: &GotoDefinitionParams) -> Option<GotoDefinitionResponse> {
    let (file, byte) = world.at(&params.text_document_position_params)?;
    let (game, target, _) = under(world, file, byte)?;
    let found: Vec<Location> = declared(world, game, &target).iter().filter_map(|place| world.location(place)).collect();
    (!found.is_empty()).then_some(GotoDefinitionResponse::Array(found))
}
