//! The handle of a table, for the rest of the server: its keys, and the mailbox of its task.

use super::keys::Key;
use super::outbox::Outbox;
use super::saved::{SavedTable, Who};
use fizzle_runtime::game::RecordedAnswer;
use fizzle_table::protocol::{ClientMessage, Lang};
use fizzle_table::table::{BotAnswer, ClientId, TableSetup};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tokio::sync::{mpsc, oneshot};

/// What a key opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// A seat.
    Seat(usize),
    /// To watch.
    Watch,
}

/// What a task is sent.
#[derive(Debug)]
pub enum Mail {
    /// A client takes part.
    Join {
        /// Its number.
        client: ClientId,
        /// Its seat, if it has one.
        seat: Option<usize>,
        /// The name of the player.
        name: String,
        /// Its language.
        lang: Lang,
        /// The key with which it takes the seat again.
        token: String,
        /// Where its messages go.
        outbox: Outbox,
    },
    /// A connection is closed.
    Leave(ClientId),
    /// A message of a client.
    Message(ClientId, ClientMessage),
    /// A bot has decided.
    Bot(BotAnswer),
    /// A bot has panicked.
    BotFailed,
    /// The trace of the current or last game is wanted.
    Trace(oneshot::Sender<Option<Vec<u8>>>),
    /// The answers of the current or last game are wanted.
    Answers(oneshot::Sender<Vec<RecordedAnswer>>),
    /// The table is to be saved now; the answer comes afterwards.
    Save(oneshot::Sender<()>),
    /// The pack has changed: the table with the new rules, or why it cannot have them.
    Reload(Result<Box<TableSetup>, String>),
    /// A step that panics, for `cli/tests/serve`, which compiles this module on its own.
    #[cfg(test)]
    #[allow(dead_code)]
    Panic,
}

/// A table, as the rest of the server knows it.
#[derive(Debug)]
pub struct TableHandle {
    /// Its name.
    pub name: String,
    /// The name of its format.
    pub format: String,
    /// The title of its format.
    pub title: String,
    /// The mailbox of its task.
    pub mail: mpsc::Sender<Mail>,
    /// The current turn.
    pub turn: AtomicU32,
    /// Whether its match is over.
    pub is_over: AtomicBool,
    /// Its watchers.
    pub watchers: AtomicUsize,
    next_client: AtomicU64,
    saved: Mutex<SavedTable>,
}

impl TableHandle {
    /// A handle, and the mailbox for its task.
    pub fn new(saved: SavedTable, title: String, mailbox: usize) -> (Arc<Self>, mpsc::Receiver<Mail>) {
        let (mail, letters) = mpsc::channel(mailbox);
        let handle = Self {
            name: saved.name.clone(),
            format: saved.format.clone(),
            title,
            mail,
            turn: AtomicU32::new(0),
            is_over: AtomicBool::new(false),
            watchers: AtomicUsize::new(0),
            next_client: AtomicU64::new(1),
            saved: Mutex::new(saved),
        };
        (Arc::new(handle), letters)
    }

    /// What is saved of it: seats and keys.
    pub fn saved(&self) -> MutexGuard<'_, SavedTable> {
        self.saved.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number for a client.
    pub fn new_client(&self) -> ClientId {
        ClientId(self.next_client.fetch_add(1, Ordering::Relaxed))
    }

    /// What a key opens. All keys are compared.
    pub fn access(&self, key: Key) -> Option<Access> {
        let saved = self.saved();
        let opens = |text: &str| Key::parse(text).is_some_and(|known| known == key);
        let mut found = opens(&saved.watch).then_some(Access::Watch);
        for (seat, known) in saved.seats.iter().enumerate() {
            if opens(&known.key) | opens(&known.token) {
                found = Some(Access::Seat(seat));
            }
        }
        found
    }

    /// Takes a seat: uses an invite up, and returns the key with which the seat is taken again. `None` if the key opens it no more.
    pub fn take_seat(&self, seat: usize, key: Key) -> Option<(String, String)> {
        let mut saved = self.saved();
        let known = saved.seats.get_mut(seat)?;
        let is_token = Key::parse(&known.token).is_some_and(|token| token == key);
        if !is_token {
            Key::parse(&known.key).filter(|link| *link == key)?;
            if known.who == Who::Invite {
                known.key.clear();
            }
            if known.token.is_empty() {
                known.token = Key::random().ok()?.text();
            }
        }
        Some((known.token.clone(), known.name.clone()))
    }
}
