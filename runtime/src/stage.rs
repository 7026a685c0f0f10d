//! Stages: finds the prepared positions of a format that fit a card, in which it can be tried.

use crate::deck::CardConditions;
use crate::ir::scenario::Scenario;
use crate::ir::{CompiledGame, DefId};
use crate::program::Program;
use std::sync::Arc;

/// The stages that fit a card in the format of a program, as scenarios with the card in them, the best first: those of the format, then
/// those of the formats that it extends, nearest first; among these in the order of the source. All are played under the format of the
/// program. Empty if there are none, or if the card is not part of the program.
#[must_use]
pub fn stages_for(game: &CompiledGame, program: &Arc<Program>, card: DefId) -> Vec<Scenario> {
    let format = &program.format.name;
    let is_card = program.library.definitions.get(card.index()).is_some_and(|definition| card.0 != 0 && !definition.part);
    if !is_card {
        return Vec::new();
    }
    let mut conditions = CardConditions::new(program);
    let fits = |ancestor: &String| {
        let of_format = game.stages.iter().filter(move |stage| stage.scenario.format == *ancestor);
        let fitting = of_format.filter(|stage| conditions.hold(stage.filter, card));
        fitting.map(|stage| Scenario { format: format.clone(), ..stage.with_card(card) }).collect::<Vec<_>>()
    };
    game.ancestors(format).iter().flat_map(fits).collect()
}
