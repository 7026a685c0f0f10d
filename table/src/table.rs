//! A table: seats, watchers, bots, undo. Told what clients say and what time it is, it says what they are sent.

use crate::protocol::{ClientMessage, Lang, Role, ServerMessage};
use fizzle_ir::{CompiledGame, Deck};
use fizzle_runtime::program::Program;
use std::sync::Arc;

/// A connection of a client, numbered by the driver. A number is not used twice at a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClientId(pub u64);

/// Milliseconds since some moment that the driver has chosen.
pub type Millis = u64;

/// Who plays in a seat.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Occupant {
    /// A person or a script, through a client.
    Client,
    /// A bot, by its name: `random`, `greedy`, `mcts`, `mcts:N`.
    Bot(String),
}

/// What a table begins with.
#[derive(Clone, Debug)]
pub struct TableSetup {
    /// The name of the table.
    pub name: String,
    /// The compiled pack.
    pub game: Arc<CompiledGame>,
    /// The linked program of the format and decks; tables with the same ones share it.
    pub program: Arc<Program>,
    /// The decks, by seat.
    pub decks: Vec<Deck>,
    /// Who plays, by seat.
    pub occupants: Vec<Occupant>,
    /// Whether one client answers for all seats that are not bots.
    pub hot_seat: bool,
    /// Whether undo is free, because one person decides alone.
    pub sandbox: bool,
    /// The maximum number of games of the match with a winner, an odd number.
    pub best_of: u32,
    /// The seed of the match.
    pub seed: u64,
    /// The seed of what is not part of the game: bots, and how long forced answers wait.
    pub timing_seed: u64,
    /// For how long a seat is held for a client that is gone.
    pub grace: Millis,
}

/// Why a table cannot begin.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SetupError(pub String);

/// A table.
#[derive(Debug)]
pub struct Table {
    setup: TableSetup,
    messages: Vec<(ClientId, ServerMessage)>,
}

/// What a bot must decide. It can be computed on another thread, and the table goes on meanwhile.
#[derive(Debug)]
pub struct BotTask {
    ask: u64,
}

/// What a bot has decided.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BotAnswer {
    ask: u64,
    picks: Vec<u32>,
}

impl BotTask {
    /// Thinks.
    #[must_use]
    pub fn run(self) -> BotAnswer {
        BotAnswer { ask: self.ask, picks: Vec::new() }
    }
}

impl Table {
    /// Begins a match, and plays up to its first decision.
    ///
    /// # Errors
    /// [`SetupError`] if the decks do not fit the format, or the number of games or seats is not possible.
    pub fn new(setup: TableSetup) -> Result<Self, SetupError> {
        Ok(Self { setup, messages: Vec::new() })
    }

    /// A client takes part: in a seat (or, at a table with one screen, in all that are not bots), or as a watcher. The driver has checked its key, and has made its token.
    /// A client that was in this seat is told so and gone.
    pub fn join(&mut self, client: ClientId, seat: Option<usize>, name: &str, lang: Lang, token: &str, now: Millis) {
        let _ = (client, seat, name, lang, token, now, Role::Seat, &self.setup);
    }

    /// The connection of a client is closed. Its seat is held for the grace time.
    pub fn leave(&mut self, client: ClientId, now: Millis) {
        let _ = (client, now);
    }

    /// A message of a client that takes part. `Hello` is the driver's to read.
    pub fn receive(&mut self, client: ClientId, message: ClientMessage, now: Millis) {
        let _ = (client, message, now);
    }

    /// When the table wants to be woken, whatever happens until then.
    #[must_use]
    pub fn wake_at(&self) -> Option<Millis> {
        None
    }

    /// The time has come.
    pub fn wake(&mut self, now: Millis) {
        let _ = now;
    }

    /// The messages since the last call, in order.
    pub fn take_messages(&mut self) -> Vec<(ClientId, ServerMessage)> {
        std::mem::take(&mut self.messages)
    }

    /// What a bot must decide now, once for each decision.
    pub fn take_bot_task(&mut self) -> Option<BotTask> {
        None
    }

    /// A bot has decided. An answer that is too late is ignored.
    pub fn bot_answered(&mut self, answer: BotAnswer, now: Millis) {
        let _ = (answer.ask, answer.picks, now);
    }

    /// The trace of the current game, or of the last one.
    #[must_use]
    pub fn trace(&self) -> Vec<u8> {
        Vec::new()
    }

    /// Whether the match is over.
    #[must_use]
    pub fn is_over(&self) -> bool {
        false
    }
}
