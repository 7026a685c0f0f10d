//! Views of a match: what one player may see. That is the score and the player's own deck; other decks and exchanges stay hidden.

use super::{Match, MatchPhase};
use crate::program::Program;
use serde::{Deserialize, Serialize};

/// What a player may see of a match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct MatchView {
    /// The seat of the player.
    pub viewer: usize,
    /// The maximum number of games with a winner.
    pub best_of: u32,
    /// The number of games that a player must win to win the match.
    pub needed: u32,
    /// The number of the current or last game, from 1.
    pub game: u32,
    /// Games won, by seat.
    pub wins: Vec<u32>,
    /// The loser of the previous game.
    pub loser: Option<usize>,
    /// The phase of the match.
    pub phase: MatchPhase,
    /// Whether a player is ready for the next game, by seat.
    pub ready: Vec<bool>,
    /// The viewer's own deck: counts and names of cards, by section.
    pub deck: Vec<(String, Vec<(u32, String)>)>,
}

impl Match {
    /// The view of a player.
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
            needed: self.wins_needed(),
            game: self.game,
            wins: self.wins.clone(),
            loser: self.loser,
            phase: self.phase,
            ready: self.ready.clone(),
            deck,
        }
    }
}
