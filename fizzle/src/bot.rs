//! Bots of the public interface. The bots themselves, and the list of their names (`NAMES`), are in the crate `fizzle-bots`.

use crate::{Answer, Error, Game};
use fizzle_bots as bot;
use std::fmt;

/// A player of the engine. It uses only what its seat may know, and no clock: its answers follow from its seed and the game.
pub struct Bot {
    name: String,
    bot: Box<dyn bot::Bot>,
}

impl Bot {
    /// Creates a bot for a seat: `random`, `greedy`, `mcts`, or `mcts:N` for N playouts at each decision.
    ///
    /// # Errors
    /// [`Error::Bot`] if there is no bot of this name.
    pub fn new(name: &str, seed: u64, seat: usize) -> Result<Self, Error> {
        Self::for_game(name, seed, 0, seat)
    }

    /// As [`Bot::new`], for one of many games.
    pub(crate) fn for_game(name: &str, seed: u64, game: u64, seat: usize) -> Result<Self, Error> {
        bot::check(name).map_err(|error| Error::Bot(error.into()))?;
        let unknown = || Error::Bot(bot::BotNameError::Unknown(name.to_owned()).into());
        Ok(Self { name: name.to_owned(), bot: bot::named(name, seed, game, seat).ok_or_else(unknown)? })
    }

    /// A legal answer to the decision that a game waits for; `None` if the game is over.
    pub fn answer(&mut self, game: &Game) -> Option<Answer> {
        game.answer_of(|machine, decision| self.bot.choose(machine, decision))
    }

    /// The engine's own bot.
    pub(crate) fn inner(&mut self) -> &mut dyn bot::Bot {
        &mut *self.bot
    }
}

impl fmt::Debug for Bot {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bot").field("name", &self.name).finish_non_exhaustive()
    }
}
