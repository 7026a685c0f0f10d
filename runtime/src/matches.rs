//! A match of several games between the same players: who has won how many, and the decks, which may change between two games.
//!
//! Plain data, driven from outside like a game: start the game it asks for, tell how that ended, exchange cards, go on.

mod exchange;
mod view;

pub use exchange::{ExchangeError, random_exchange};
pub use view::MatchView;

use crate::bot::derive;
use crate::deck::{self, DeckProblem};
use crate::game::{MatchContext, SeatCards, StartError, seat_cards, start_game};
use crate::ir::Deck;
use crate::program::Program;
use crate::vm::{Machine, Outcome};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// The most games that a match may have.
pub const MAX_GAMES: u32 = 999;

/// What goes on in a match.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MatchPhase {
    /// A game is played.
    Playing,
    /// Between two games: the players may exchange cards until all are ready.
    Exchanging,
    /// Somebody has won enough games, or nobody will.
    Over,
}

impl MatchPhase {
    /// The word for messages and scenarios.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Playing => "playing",
            Self::Exchanging => "exchanging",
            Self::Over => "over",
        }
    }
}

/// Why a match cannot be begun.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatchError {
    /// The number of games is even, zero or too large.
    #[error("a match is best of an odd number of games up to {MAX_GAMES}, not of {0}")]
    Games(u32),
    /// The number of decks is wrong.
    #[error("{given} decks were given for {wanted} players")]
    Seats {
        /// How many there are.
        given: usize,
        /// How many are needed.
        wanted: usize,
    },
    /// A deck is not legal.
    #[error("the deck `{deck}` is not legal: {}", list(problems))]
    Deck {
        /// Its name.
        deck: String,
        /// The rules that it breaks.
        problems: Vec<DeckProblem>,
    },
}

fn list(problems: &[DeckProblem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
}

/// A match.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Match {
    best_of: u32,
    seed: u64,
    /// The decks as registered: the pool of each player, and what every match begins with.
    registered: Vec<Deck>,
    /// The decks as they are now.
    current: Vec<Deck>,
    /// The names of the format and of what it extends: decks made for one of them are welcome.
    ancestors: Vec<String>,
    game: u32,
    wins: Vec<u32>,
    draws: u32,
    loser: Option<usize>,
    phase: MatchPhase,
    /// Who exchanges no more before the next game.
    ready: Vec<bool>,
}

impl Match {
    /// A match that begins. `best_of`: how many games at most, else as the format says.
    ///
    /// # Errors
    /// [`MatchError`] says what does not fit.
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

    /// The next match between the same players, which begins with the registered decks.
    #[must_use]
    pub fn again(&self, seed: u64) -> Self {
        Self::begin(self.best_of, seed, self.registered.clone(), self.ancestors.clone())
    }

    /// How many games at most are decided.
    #[must_use]
    pub fn best_of(&self) -> u32 {
        self.best_of
    }

    /// How many games must be won to win the match.
    #[must_use]
    pub fn needed(&self) -> u32 {
        self.best_of / 2 + 1
    }

    /// What goes on.
    #[must_use]
    pub fn phase(&self) -> MatchPhase {
        self.phase
    }

    /// The number of the game under way, or of the last one before the exchange, from 1.
    #[must_use]
    pub fn game(&self) -> u32 {
        self.game
    }

    /// Games won, by seat.
    #[must_use]
    pub fn wins(&self) -> &[u32] {
        &self.wins
    }

    /// Who has won the match.
    #[must_use]
    pub fn winner(&self) -> Option<usize> {
        self.wins.iter().position(|wins| *wins >= self.needed())
    }

    /// The deck of a seat as it is now.
    #[must_use]
    pub fn deck(&self, seat: usize) -> Option<&Deck> {
        self.current.get(seat)
    }

    /// The seed of the game under way.
    #[must_use]
    pub fn game_seed(&self) -> u64 {
        derive(self.seed, u64::from(self.game), 0)
    }

    /// Where the game under way stands.
    #[must_use]
    pub fn standing(&self) -> MatchContext {
        MatchContext { number: self.game, loser: self.loser }
    }

    /// The cards that the game under way begins with.
    #[must_use]
    pub fn seats(&self, program: &Program) -> Vec<SeatCards> {
        self.current.iter().map(|deck| seat_cards(program, deck)).collect()
    }

    /// The game under way, at its beginning.
    ///
    /// # Errors
    /// [`StartError`] says what does not fit.
    pub fn start(&self, program: &Arc<Program>) -> Result<Machine, StartError> {
        start_game(Arc::clone(program), &self.seats(program), self.game_seed(), self.standing())
    }

    /// The game under way has ended. A game without a winner is played again; after as many of them as the match may have games, the
    /// match ends without a winner as well.
    pub fn record_result(&mut self, program: &Program, outcome: Outcome) {
        if self.phase != MatchPhase::Playing {
            return;
        }
        self.loser = None;
        if let Outcome::Won(winner) = outcome
            && let Some(wins) = self.wins.get_mut(winner)
        {
            *wins += 1;
            // With more than two players nobody is the one who lost.
            self.loser = Some(1usize.wrapping_sub(winner)).filter(|_| self.wins.len() == 2);
        } else {
            self.draws += 1;
        }
        if self.winner().is_some() || self.draws >= self.best_of {
            self.phase = MatchPhase::Over;
            // What was exchanged is undone: the deck is the registered one again.
            self.current.clone_from(&self.registered);
            return;
        }
        // Cards are exchanged between two games of a match, so never in a match of one game.
        if self.best_of > 1 && !program.format.match_rules.exchange.is_empty() {
            self.phase = MatchPhase::Exchanging;
            self.ready.fill(false);
        } else {
            self.game += 1;
        }
    }

    /// A player exchanges no more. Once nobody does, the next game is under way.
    pub fn ready(&mut self, seat: usize) {
        if self.phase != MatchPhase::Exchanging {
            return;
        }
        if let Some(ready) = self.ready.get_mut(seat) {
            *ready = true;
        }
        if self.ready.iter().all(|ready| *ready) {
            self.game += 1;
            self.phase = MatchPhase::Playing;
        }
    }

    /// Whether a player exchanges no more.
    #[must_use]
    pub fn is_ready(&self, seat: usize) -> bool {
        self.ready.get(seat).copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests;
