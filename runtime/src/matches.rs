//! Matches: several games between the same players, with the score, and decks that may change between two games.
//!
//! A [`Match`] is plain data. The driver starts the current game ([`Match::start`]), records its result ([`Match::record_result`]), and
//! exchanges cards ([`Match::exchange`]) until all players are ready.

mod exchange;
mod saved_state;
mod view;

pub use exchange::{ExchangeError, random_exchange};
pub use saved_state::MatchStateError;
pub use view::MatchView;

use crate::deck::{self, DeckProblem};
use crate::dice::derive;
use crate::game::{MatchContext, SeatCards, StartError, seat_cards, start_game};
use crate::ir::Deck;
use crate::ir::encoding_limits::MAX_GAMES;
use crate::program::Program;
use crate::vm::machine::{Machine, Outcome};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The phase of a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchPhase {
    /// A game is in progress.
    Playing,
    /// Between two games: players may exchange cards until all are ready.
    Exchanging,
    /// A player has won the match, or too many games were drawn.
    Over,
}

impl MatchPhase {
    /// The name of the phase in messages and scenarios.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Playing => "playing",
            Self::Exchanging => "exchanging",
            Self::Over => "over",
        }
    }
}

/// Why a match cannot begin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatchError {
    /// The number of games is even, zero or too large.
    #[error("a match is best of an odd number of games up to {MAX_GAMES}, not of {0}")]
    Games(u32),
    /// The number of decks is wrong.
    #[error("{given} decks were given for {wanted} players")]
    Seats {
        /// The number of decks given.
        given: usize,
        /// The number of players.
        wanted: usize,
    },
    /// A deck is not legal.
    #[error("the deck `{deck}` is not legal: {}", join_problems(problems))]
    Deck {
        /// The name of the deck.
        deck: String,
        /// The rules that it breaks.
        problems: Vec<DeckProblem>,
    },
}

fn join_problems(problems: &[DeckProblem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// A match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Match {
    best_of: u32,
    seed: u64,
    /// The registered decks: the card pool of each player, with which every match begins.
    registered: Vec<Deck>,
    /// The decks of the current or next game.
    current: Vec<Deck>,
    /// The names of the format and of all formats that it extends. Decks for one of them are accepted.
    ancestors: Vec<String>,
    game: u32,
    wins: Vec<u32>,
    draws: u32,
    loser: Option<usize>,
    phase: MatchPhase,
    /// Which players are ready for the next game and exchange no more cards.
    ready: Vec<bool>,
}

impl Match {
    /// Begins a match. `best_of`: the maximum number of games; `None` for the number of the format.
    ///
    /// # Errors
    /// [`MatchError`]: the number of games or decks is wrong, or a deck is not legal.
    pub fn new(
        program: &Arc<Program>,
        ancestors: &[String],
        best_of: Option<u32>,
        decks: &[Deck],
        seed: u64,
    ) -> Result<Self, MatchError> {
        let best_of = best_of.unwrap_or(program.format.match_rules.best_of.max(1));
        if best_of.is_multiple_of(2) || best_of > MAX_GAMES {
            return Err(MatchError::Games(best_of));
        }
        let seats = program.players();
        if decks.len() != seats {
            return Err(MatchError::Seats { given: decks.len(), wanted: seats });
        }
        for registered in decks {
            let problems = deck::check(program, registered, ancestors);
            if !problems.is_empty() {
                return Err(MatchError::Deck { deck: registered.name.clone(), problems });
            }
        }
        Ok(Self::begin(best_of, seed, decks.to_vec(), ancestors.to_vec()))
    }

    /// A match of one game, whose decks need not be legal. For a game that begins in a position, decks without cards.
    #[must_use]
    pub fn of_one_game(decks: &[Deck], seed: u64) -> Self {
        Self::begin(1, seed, decks.to_vec(), Vec::new())
    }

    /// A match before its first game.
    fn begin(best_of: u32, seed: u64, registered: Vec<Deck>, ancestors: Vec<String>) -> Self {
        let seats = registered.len();
        Self {
            best_of,
            seed,
            current: registered.clone(),
            registered,
            ancestors,
            game: 1,
            wins: vec![0; seats],
            draws: 0,
            loser: None,
            phase: MatchPhase::Playing,
            ready: vec![false; seats],
        }
    }

    /// Begins another match between the same players, with the registered decks.
    #[must_use]
    pub fn rematch(&self, seed: u64) -> Self {
        Self::begin(self.best_of, seed, self.registered.clone(), self.ancestors.clone())
    }

    /// The maximum number of games with a winner.
    #[must_use]
    pub fn best_of(&self) -> u32 {
        self.best_of
    }

    /// The number of games that a player must win to win the match.
    #[must_use]
    pub fn wins_needed(&self) -> u32 {
        self.best_of / 2 + 1
    }

    /// The current phase.
    #[must_use]
    pub fn phase(&self) -> MatchPhase {
        self.phase
    }

    /// The number of the current game, or of the last one while cards are exchanged, from 1.
    #[must_use]
    pub fn game(&self) -> u32 {
        self.game
    }

    /// Games won, by seat.
    #[must_use]
    pub fn wins(&self) -> &[u32] {
        &self.wins
    }

    /// The player who has won the match.
    #[must_use]
    pub fn winner(&self) -> Option<usize> {
        self.wins.iter().position(|wins| *wins >= self.wins_needed())
    }

    /// The deck of a seat for the current or next game.
    #[must_use]
    pub fn deck(&self, seat: usize) -> Option<&Deck> {
        self.current.get(seat)
    }

    /// The seed of the current game.
    #[must_use]
    pub fn game_seed(&self) -> u64 {
        derive(self.seed, u64::from(self.game), 0)
    }

    /// Whether another match is between players with the same registered decks and seed: both have the same games.
    #[must_use]
    pub fn has_same_decks(&self, other: &Self) -> bool {
        (self.seed, self.best_of) == (other.seed, other.best_of) && self.registered == other.registered
    }

    /// The number of the current game, and the loser of the previous one.
    #[must_use]
    pub fn context(&self) -> MatchContext {
        MatchContext { number: self.game, loser: self.loser }
    }

    /// The cards that the current game begins with, by seat.
    #[must_use]
    pub fn seats(&self, program: &Program) -> Vec<SeatCards> {
        self.current.iter().map(|deck| seat_cards(program, deck)).collect()
    }

    /// Creates the machine of the current game, at its beginning.
    ///
    /// # Errors
    /// [`StartError`]: the decks do not fit the program.
    pub fn start(&self, program: &Arc<Program>) -> Result<Machine, StartError> {
        start_game(Arc::clone(program), &self.seats(program), self.game_seed(), self.context())
    }

    /// Records the result of the current game. A game without a winner counts for no player, and another one follows. After `best_of`
    /// such games the match ends without a winner. Ignored unless a game is in progress.
    pub fn record_result(&mut self, program: &Program, outcome: Outcome) {
        if self.phase != MatchPhase::Playing {
            return;
        }
        self.loser = None;
        if let Outcome::Won(winner) = outcome
            && let Some(wins) = self.wins.get_mut(winner)
        {
            *wins = wins.saturating_add(1);
            // With more than two players, a game has no single loser.
            self.loser = Some(1usize.wrapping_sub(winner)).filter(|_| self.wins.len() == 2);
        } else {
            self.draws = self.draws.saturating_add(1);
        }
        if self.winner().is_some() || self.draws >= self.best_of {
            self.phase = MatchPhase::Over;
            // The next match begins with the registered decks again.
            self.current.clone_from(&self.registered);
            return;
        }
        // Cards are only exchanged between two games, so never in a match of one game.
        if self.best_of > 1 && !program.format.match_rules.exchange.is_empty() {
            self.phase = MatchPhase::Exchanging;
            self.ready.fill(false);
        } else {
            self.game = self.game.saturating_add(1);
        }
    }

    /// Marks a player as ready for the next game. When all players are ready, the next game begins.
    pub fn set_ready(&mut self, seat: usize) {
        if self.phase != MatchPhase::Exchanging {
            return;
        }
        if let Some(ready) = self.ready.get_mut(seat) {
            *ready = true;
        }
        if self.ready.iter().all(|ready| *ready) {
            self.game = self.game.saturating_add(1);
            self.phase = MatchPhase::Playing;
        }
    }

    /// Whether a player is ready for the next game.
    #[must_use]
    pub fn is_ready(&self, seat: usize) -> bool {
        self.ready.get(seat).copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests;
