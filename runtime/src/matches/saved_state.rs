//! Validation of the saved state of a match. It can come from a stranger, so nothing of it is used before it is checked.

use super::{ExchangeError, Match, MatchPhase};
use crate::program::Program;
use crate::vm::machine::Outcome;
use std::sync::Arc;

/// What is wrong with the saved state of a match.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatchStateError {
    /// The registered decks, the seed, the number of games or the formats are those of another match.
    #[error("the match has other players, decks or formats")]
    OtherMatch,
    /// A list with one entry for each player has another length.
    #[error("the match has {given} {what} for {wanted} players")]
    Length {
        /// What the list holds.
        what: &'static str,
        /// Its length.
        given: usize,
        /// The number of players.
        wanted: usize,
    },
    /// No game of the match begins with this score.
    #[error("no game of the match begins with this score")]
    Score,
    /// No exchange of cards leads to a deck.
    #[error("the deck of player {seat} is not made of the registered one: {error}")]
    Deck {
        /// The player, from 0.
        seat: usize,
        /// Why no exchange leads to it.
        error: ExchangeError,
    },
    /// A deck has another name, format or place than the registered one.
    #[error("the deck of player {0} is not the registered one")]
    OtherDeck(usize),
    /// The match does not follow from its state at the beginning of the game and the result of the game.
    #[error("the state of the match does not follow from the game")]
    NotReached,
}

impl Match {
    /// Checks that a game of a match can begin in this state. `fresh` is the same match before its first game.
    ///
    /// # Errors
    /// [`MatchStateError`]: what is wrong.
    pub fn check_beginning(&self, program: &Arc<Program>, fresh: &Self) -> Result<(), MatchStateError> {
        self.check_lists(fresh)?;
        let games: u64 = self.wins.iter().map(|wins| u64::from(*wins)).sum::<u64>() + u64::from(self.draws);
        let is_open = self.phase == MatchPhase::Playing && self.winner().is_none() && self.draws < self.best_of;
        let is_loser = |loser: usize| {
            let winner = 1usize.checked_sub(loser).and_then(|winner| self.wins.get(winner));
            self.wins.len() == 2 && winner.is_some_and(|wins| *wins > 0)
        };
        // All players were ready, or none needed to be.
        let is_ready = self.ready.windows(2).all(|pair| pair.first() == pair.last());
        if !is_open || u64::from(self.game) != games + 1 || !self.loser.is_none_or(is_loser) || !is_ready {
            return Err(MatchStateError::Score);
        }
        if self.game == 1 && self != fresh {
            return Err(MatchStateError::NotReached);
        }
        self.check_decks(program)
    }

    /// Checks that the match is in this state after a game that began in another one, which [`Match::check_beginning`] accepts. `outcome`: the recorded
    /// result of the game. `None` while it is in progress.
    ///
    /// # Errors
    /// [`MatchStateError`]: what is wrong.
    pub fn check_after(&self, program: &Arc<Program>, begun_in: &Self, outcome: Option<Outcome>) -> Result<(), MatchStateError> {
        self.check_lists(begun_in)?;
        let mut expected = begun_in.clone();
        if let Some(outcome) = outcome {
            expected.record_result(program, outcome);
        }
        if expected.phase == MatchPhase::Exchanging {
            expected.current.clone_from(&self.current);
        }
        if *self != expected {
            return Err(MatchStateError::NotReached);
        }
        self.check_decks(program)
    }

    fn check_lists(&self, fresh: &Self) -> Result<(), MatchStateError> {
        if !self.has_same_decks(fresh) || self.ancestors != fresh.ancestors {
            return Err(MatchStateError::OtherMatch);
        }
        let wanted = self.registered.len();
        let lists = [
            ("current decks", self.current.len()),
            ("numbers of wins", self.wins.len()),
            ("marks of ready players", self.ready.len()),
        ];
        match lists.into_iter().find(|(_, given)| *given != wanted) {
            Some((what, given)) => Err(MatchStateError::Length { what, given, wanted }),
            None => Ok(()),
        }
    }

    /// Checks that the decks are the registered ones after legal exchanges. A registered deck itself need not be legal: see [`Match::of_one_game`].
    fn check_decks(&self, program: &Arc<Program>) -> Result<(), MatchStateError> {
        let decks = self.registered.iter().zip(&self.current).enumerate();
        for (seat, (registered, current)) in decks.filter(|(_, (registered, current))| registered != current) {
            if (&registered.name, &registered.format, registered.source) != (&current.name, &current.format, current.source) {
                return Err(MatchStateError::OtherDeck(seat));
            }
            let exchanged = self.check_exchange(program, registered, registered, current);
            exchanged.map_err(|error| MatchStateError::Deck { seat, error })?;
        }
        Ok(())
    }
}
