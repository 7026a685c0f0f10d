//! What one player sees of a match: the score and the own deck. Of other decks nothing, so that neither they nor what was exchanged shows.

use super::{Match, MatchPhase};
use crate::program::Program;
use serde::{Deserialize, Serialize};

/// What a player sees of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchView {
    /// Whose view it is.
    pub viewer: usize,
    /// How many games at most.
    pub best_of: u32,
    /// How many games must be won.
    pub needed: u32,
    /// The number of the game.
    pub game: u32,
    /// Games won, by seat.
    pub wins: Vec<u32>,
    /// Who lost the game before.
    pub loser: Option<usize>,
    /// What goes on.
    pub phase: MatchPhase,
    /// Who exchanges no more, by seat.
    pub ready: Vec<bool>,
    /// The viewer's own deck: the names of the cards by section.
    pub deck: Vec<(String, Vec<(u32, String)>)>,
}

impl Match {
    /// What a player sees.
    #[must_use]
    pub fn view(&self, program: &Program, viewer: usize) -> MatchView {
        let name = |card: crate::ir::DefId| {
            program.library.definitions.get(card.index()).map_or_else(String::new, |definition| definition.name.clone())
        };
        let sections = self.deck(viewer).map_or(&[][..], |deck| deck.sections.as_slice());
        let deck = sections
            .iter()
            .map(|(section, cards)| (section.clone(), cards.iter().map(|(count, card)| (*count, name(*card))).collect()))
            .collect();
        MatchView {
            viewer,
            best_of: self.best_of,
            needed: self.needed(),
            game: self.game,
            wins: self.wins.clone(),
            loser: self.loser,
            phase: self.phase,
            ready: self.ready.clone(),
            deck,
        }
    }
}
