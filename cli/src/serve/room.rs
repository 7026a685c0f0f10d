//! A room: one table as a task with a mailbox. It owns the table; sockets, bots and the clock send it messages.

use super::store::{SavedRoom, Store};
use fizzle_table::protocol::{ClientMessage, ErrorCode, Lang, ServerMessage, TableInfo};
use fizzle_table::table::{BotAnswer, BotTask, ClientId, Millis, Table};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};
use tokio::sync::{mpsc, oneshot};

/// Messages that wait for a table.
const MAILBOX: usize = 64;

/// What a room is told.
#[derive(Debug)]
pub enum RoomMessage {
    /// A client takes part.
    Join(Joining),
    /// A connection is closed.
    Leave(ClientId),
    /// A client says something.
    Said(ClientId, ClientMessage),
    /// A bot has decided.
    Bot(BotAnswer),
    /// What the lobby shows.
    Info(oneshot::Sender<RoomInfo>),
    /// The trace of the current game.
    Trace(oneshot::Sender<Vec<u8>>),
    /// Writes the table to disk, before the program ends.
    Save(oneshot::Sender<()>),
}

/// A client that takes part.
#[derive(Debug)]
pub struct Joining {
    /// The number of its connection.
    pub client: ClientId,
    /// Its seat; `None` for a watcher.
    pub seat: Option<usize>,
    /// The name of the player.
    pub name: String,
    /// The language of texts.
    pub lang: Lang,
    /// Takes the seat again.
    pub token: String,
    /// Where its messages go.
    pub outbox: Outbox,
}

/// Where the messages of one client go. It is closed if too much waits.
#[derive(Clone, Debug)]
pub struct Outbox {
    frames: mpsc::UnboundedSender<String>,
    waiting: Arc<AtomicUsize>,
    limit: usize,
}

impl Outbox {
    /// An outbox, and what its socket reads from.
    pub fn new(limit: usize) -> (Self, mpsc::UnboundedReceiver<String>, Arc<AtomicUsize>) {
        let (frames, receiver) = mpsc::unbounded_channel();
        let waiting = Arc::new(AtomicUsize::new(0));
        (Self { frames, waiting: Arc::clone(&waiting), limit }, receiver, waiting)
    }

    /// Sends a message. `false` if the client is gone, or does not read.
    pub fn send(&self, message: &ServerMessage) -> bool {
        // Messages are plain data; they can always be written.
        let Ok(text) = serde_json::to_string(message) else { return false };
        let waiting = self.waiting.fetch_add(text.len(), Ordering::Relaxed) + text.len();
        // A single view may be larger than the limit.
        (waiting <= self.limit || waiting == text.len()) && self.frames.send(text).is_ok()
    }
}

/// As [`Outbox`], without keeping the connection open.
#[derive(Clone, Debug)]
pub struct WeakOutbox {
    frames: mpsc::WeakUnboundedSender<String>,
    waiting: Arc<AtomicUsize>,
    limit: usize,
}

impl Outbox {
    /// An outbox that does not keep the connection open.
    pub fn downgrade(&self) -> WeakOutbox {
        WeakOutbox { frames: self.frames.downgrade(), waiting: Arc::clone(&self.waiting), limit: self.limit }
    }
}

impl WeakOutbox {
    /// As [`Outbox::send`].
    pub fn send(&self, message: &ServerMessage) -> bool {
        let frames = self.frames.upgrade();
        frames.is_some_and(|frames| Outbox { frames, waiting: Arc::clone(&self.waiting), limit: self.limit }.send(message))
    }
}

/// What the lobby shows of a table.
#[derive(Clone, Debug)]
pub struct RoomInfo {
    /// The table.
    pub table: TableInfo,
    /// The turn.
    pub turn: u32,
    /// Whether the match is over.
    pub is_over: bool,
}

/// A handle to a running room.
#[derive(Clone, Debug)]
pub struct RoomHandle(mpsc::Sender<RoomMessage>);

impl RoomHandle {
    /// Sends a message; waits while the mailbox is full. `false` if the room is gone.
    pub async fn send(&self, message: RoomMessage) -> bool {
        self.0.send(message).await.is_ok()
    }

    /// Sends a request, and waits for its answer.
    pub async fn ask<T>(&self, message: impl FnOnce(oneshot::Sender<T>) -> RoomMessage) -> Option<T> {
        let (sender, receiver) = oneshot::channel();
        self.send(message(sender)).await;
        receiver.await.ok()
    }
}

/// Bots think on threads of their own, first come first served by table.
#[derive(Clone, Debug)]
pub struct BotPool(crossbeam_channel::Sender<(BotTask, RoomHandle)>);

impl BotPool {
    /// Starts one thread fewer than the machine has cores.
    pub fn start() -> Self {
        let (sender, receiver) = crossbeam_channel::unbounded::<(BotTask, RoomHandle)>();
        let cores = std::thread::available_parallelism().map_or(2, usize::from);
        for _ in 0..cores.saturating_sub(1).max(1) {
            let receiver = receiver.clone();
            let work = move || {
                while let Ok((task, room)) = receiver.recv() {
                    // A bot that fails decides nothing; the table waits, and the others go on.
                    if let Ok(answer) = catch_unwind(AssertUnwindSafe(|| task.run())) {
                        let _ = room.0.blocking_send(RoomMessage::Bot(answer));
                    }
                }
            };
            // Without a thread no bot decides; the others still may be there.
            let _ = std::thread::Builder::new().name("bot".to_owned()).stack_size(16 << 20).spawn(work);
        }
        Self(sender)
    }
}

/// A table and what belongs to it.
pub struct Room {
    table: Table,
    clients: BTreeMap<ClientId, Outbox>,
    bots: BotPool,
    started: Instant,
    store: Store,
    /// Everything of the saved table that does not change.
    saved: SavedRoom,
    /// The position that is on disk, and whether a trace was kept for the game.
    saved_answers: Option<u64>,
    kept_trace: bool,
    handle: RoomHandle,
}

/// How long a table that is over stays for its clients.
const AFTER_THE_END: Duration = Duration::from_secs(600);

impl Room {
    /// Starts the task of a table.
    pub fn start(table: Table, saved: SavedRoom, store: Store, bots: BotPool) -> RoomHandle {
        let (sender, receiver) = mpsc::channel(MAILBOX);
        let handle = RoomHandle(sender);
        let room = Self {
            table,
            clients: BTreeMap::new(),
            bots,
            started: Instant::now(),
            store,
            saved,
            saved_answers: None,
            kept_trace: false,
            handle: handle.clone(),
        };
        tokio::spawn(room.run(receiver));
        handle
    }

    fn now(&self) -> Millis {
        u64::try_from(self.started.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    async fn run(mut self, mut mailbox: mpsc::Receiver<RoomMessage>) {
        self.after_step();
        let mut quiet_since = Instant::now();
        loop {
            let now = self.now();
            let wake = self.table.wake_at().map(|at| Duration::from_millis(at.saturating_sub(now)));
            let wait = wake.unwrap_or(Duration::from_secs(30));
            let is_done = match tokio::time::timeout(wait, mailbox.recv()).await {
                Ok(Some(message)) => self.step(|room| room.take(message)),
                Ok(None) => break,
                Err(_) if wake.is_some() => self.step(|room| {
                    let now = room.now();
                    room.table.wake(now);
                }),
                Err(_) => true,
            };
            if !is_done {
                break;
            }
            if !self.clients.is_empty() {
                quiet_since = Instant::now();
            }
            // A match that is over, and that nobody looks at any more.
            if self.table.is_over() && quiet_since.elapsed() > AFTER_THE_END {
                break;
            }
        }
        self.store.remove(&self.saved.name);
    }

    /// A step of the table. A defect in it ends this table alone: its clients are told, and the trace is kept.
    fn step(&mut self, step: impl FnOnce(&mut Self)) -> bool {
        let done = catch_unwind(AssertUnwindSafe(|| {
            step(self);
            self.after_step();
        }));
        if done.is_err() {
            let words = "a defect of the program has ended this table; the record of the game is kept".to_owned();
            let message = ServerMessage::Error { code: ErrorCode::Defect, words };
            self.clients.values().for_each(|outbox| {
                outbox.send(&message);
            });
            let trace = catch_unwind(AssertUnwindSafe(|| self.table.trace())).unwrap_or_default();
            let _ = self.store.keep_trace(&self.saved.name, &trace);
        }
        done.is_ok()
    }

    fn take(&mut self, message: RoomMessage) {
        let now = self.now();
        match message {
            RoomMessage::Join(join) => {
                if let Some(token) = join.seat.and_then(|seat| self.saved.tokens.get_mut(seat)) {
                    token.clone_from(&join.token);
                    self.saved_answers = None;
                }
                self.clients.insert(join.client, join.outbox);
                self.table.join(join.client, join.seat, &join.name, join.lang, &join.token, now);
            }
            RoomMessage::Leave(client) => {
                self.clients.remove(&client);
                self.table.leave(client, now);
            }
            RoomMessage::Said(client, message) => self.table.receive(client, message, now),
            RoomMessage::Bot(answer) => self.table.bot_answered(answer, now),
            RoomMessage::Info(reply) => {
                let info = RoomInfo { table: self.table.info(), turn: self.table.turn(), is_over: self.table.is_over() };
                let _ = reply.send(info);
            }
            RoomMessage::Trace(reply) => {
                let _ = reply.send(self.table.trace());
            }
            RoomMessage::Save(reply) => {
                self.saved_answers = None;
                self.save();
                let _ = reply.send(());
            }
        }
    }

    /// Hands out messages, starts bots, and saves.
    fn after_step(&mut self) {
        let mut gone = Vec::new();
        for (to, message) in self.table.take_messages() {
            let is_last = matches!(message, ServerMessage::Error { code: ErrorCode::Taken | ErrorCode::Defect, .. });
            let is_sent = self.clients.get(&to).is_some_and(|outbox| outbox.send(&message));
            if is_last || !is_sent {
                gone.push(to);
            }
        }
        for client in gone {
            // Without its outbox the socket ends; the client may come back.
            if self.clients.remove(&client).is_some() {
                let now = self.now();
                self.table.leave(client, now);
            }
        }
        if let Some(task) = self.table.take_bot_task() {
            let _ = self.bots.0.send((task, self.handle.clone()));
        }
        self.save();
    }

    /// Saves the table if it has changed; keeps the trace of a finished game.
    fn save(&mut self) {
        if self.table.is_game_over() {
            if !self.kept_trace {
                self.kept_trace = true;
                let _ = self.store.keep_trace(&self.saved.name, &self.table.trace());
            }
        } else {
            self.kept_trace = false;
        }
        if self.table.is_over() {
            self.store.remove(&self.saved.name);
            return;
        }
        let at = self.table.decisions();
        if self.saved_answers == Some(at) {
            return;
        }
        self.saved_answers = Some(at);
        // `Table::save` is JSON, so it is text.
        self.saved.table = String::from_utf8(self.table.save()).unwrap_or_default();
        let _ = self.store.save(&self.saved);
    }
}
