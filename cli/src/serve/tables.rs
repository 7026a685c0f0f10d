//! The task of a table, which owns its [`Table`] and reads its mailbox.
//!
//! A panic in a step ends this table only: its clients receive a message, and its trace is kept.

use super::app::App;
use super::outbox::Outbox;
use super::saved::{SavedTable, Who};
use super::table_handle::{Mail, TableHandle};
use fizzle_runtime::ir::Deck;
use fizzle_table::protocol::{ErrorCode, ServerMessage};
use fizzle_table::table::{ClientId, Millis, Occupant, Table, TableSetup};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tokio::sync::mpsc;

/// Makes what a table begins with. Takes some 50 ms if its program must be linked.
///
/// # Errors
/// In words: the format or a card does not exist.
pub fn set_up(app: &App, saved: &SavedTable) -> Result<TableSetup, String> {
    let format = app.catalog.find(&saved.format).ok_or_else(|| format!("there is no format `{}`", saved.format))?;
    let mut decks = Vec::new();
    for seat in &saved.seats {
        let mut deck = Deck { name: seat.deck.clone(), format: saved.format.clone(), ..Deck::default() };
        for (section, cards) in &seat.cards {
            let ids = format.find_cards(cards.iter().map(|(_, name)| name.as_str()))?;
            deck.sections.push((section.clone(), cards.iter().map(|(count, _)| *count).zip(ids).collect()));
        }
        decks.push(deck);
    }
    let program = format.program(&decks).ok_or("the format cannot be linked")?;
    let occupants = saved.seats.iter().map(|seat| match seat.who {
        Who::Bot => Occupant::Bot(seat.bot.clone()),
        Who::Me | Who::Invite | Who::External | Who::Hot => Occupant::Client,
    });
    Ok(TableSetup {
        name: saved.name.clone(),
        game: Arc::clone(&format.game),
        pack_index: Arc::clone(&format.pack_index),
        sources: format.sources(),
        program,
        decks,
        any_deck: false,
        occupants: occupants.collect(),
        hot_seat: saved.seats.iter().any(|seat| seat.who == Who::Hot),
        sandbox: saved.sandbox,
        best_of: saved.best_of,
        position: None,
        seed: saved.seed.parse().unwrap_or(0),
        timing_seed: saved.timing_seed.parse().unwrap_or(0),
        grace: app.limits.grace.as_millis() as Millis,
        forced_wait: app.limits.forced_wait.clone(),
    })
}

/// The task of a table.
pub struct TableTask {
    app: Arc<App>,
    handle: Arc<TableHandle>,
    table: Table,
    clients: BTreeMap<ClientId, Outbox>,
    watching: BTreeMap<ClientId, ()>,
    /// Whether a card is tried here: the table ends when it was empty for long.
    is_try: bool,
    /// Whether bots wait for the first client. They do at a table that is continued: else all tables of a folder search at once, without a client there.
    bots_wait: bool,
    empty_since: Option<Instant>,
    started: Instant,
    games: u32,
    save_at: Option<Instant>,
    over_at: Option<Instant>,
}

impl TableTask {
    /// Starts the task. `is_restored`: the table is continued.
    pub fn start(app: &Arc<App>, handle: &Arc<TableHandle>, table: Table, is_restored: bool, letters: mpsc::Receiver<Mail>) {
        let task = Self {
            app: Arc::clone(app),
            handle: Arc::clone(handle),
            table,
            clients: BTreeMap::new(),
            watching: BTreeMap::new(),
            is_try: handle.saved().is_try,
            bots_wait: is_restored,
            empty_since: Some(Instant::now()),
            started: Instant::now(),
            games: 0,
            save_at: None,
            over_at: None,
        };
        tokio::spawn(task.run(letters));
    }

    async fn run(mut self, mut letters: mpsc::Receiver<Mail>) {
        let mut is_open = self.step(|_, _| {});
        self.save();
        while is_open {
            if letters.is_empty() && self.app.has_many_tables() {
                self.table.release_caches();
            }
            let wake = self.table.wake_at().map(|at| self.started + Duration::from_millis(at));
            let left = self.over_at.zip(self.empty_since).map(|(over, empty)| over.max(empty) + self.app.limits.keep_left);
            let finished = self.over_at.map(|at| at + self.app.limits.keep_finished);
            let ends = finished.into_iter().chain(left).min();
            let ends = ends.or(self.empty_since.filter(|_| self.is_try).map(|at| at + self.app.limits.grace));
            let times = [wake, self.save_at, ends];
            let next = times.into_iter().flatten().min().unwrap_or_else(|| Instant::now() + Duration::from_secs(3600));
            tokio::select! {
                letter = letters.recv() => match letter {
                    Some(letter) => is_open = self.receive(letter),
                    None => break,
                },
                () = tokio::time::sleep_until(next.into()) => {
                    let now = Instant::now();
                    if self.save_at.is_some_and(|at| at <= now) {
                        self.save();
                    }
                    if wake.is_some_and(|at| at <= now) {
                        is_open = self.step(Table::wake);
                    }
                    if ends.is_some_and(|at| at <= now) {
                        break;
                    }
                }
            }
        }
        self.clients.values().for_each(Outbox::close);
        self.app.forget(&self.handle.name);
    }

    fn receive(&mut self, letter: Mail) -> bool {
        match letter {
            Mail::Join { client, seat, name, lang, token, outbox } => {
                self.clients.insert(client, outbox);
                self.empty_since = None;
                self.bots_wait = false;
                if seat.is_none() {
                    self.watching.insert(client, ());
                }
                self.step(move |table, now| table.join(client, seat, &name, lang, &token, now))
            }
            Mail::Leave(client) => {
                if self.watching.remove(&client).is_some() {
                    self.handle.watchers.fetch_sub(1, Ordering::SeqCst);
                }
                self.clients.remove(&client);
                self.empty_since = self.clients.is_empty().then(Instant::now);
                self.step(move |table, now| table.leave(client, now))
            }
            Mail::Message(client, message) if self.clients.contains_key(&client) => {
                self.step(move |table, now| table.receive(client, message, now))
            }
            // Its connection was closed by the table.
            Mail::Message(..) => true,
            Mail::Bot(answer) => self.step(move |table, now| table.bot_answered(answer, now)),
            Mail::BotFailed => self.end_by_defect(),
            Mail::Save(done) => {
                if self.save_at.is_some() {
                    self.save();
                }
                // It fails only if the program is ending.
                let _ = done.send(());
                true
            }
            Mail::Reload(Ok(setup)) => {
                let continues = self.step(move |table, now| {
                    if let Err(error) = table.reload(*setup, now) {
                        table.announce(&error.0);
                    }
                });
                // The rules that it has now: the old ones if it could not take the new ones.
                self.handle.saved().rules_hash = self.table.rules_hash();
                continues
            }
            Mail::Reload(Err(words)) => self.step(move |table, _| table.announce(&words)),
            Mail::Trace(wanted) => {
                let trace = catch_unwind(AssertUnwindSafe(|| self.table.trace())).unwrap_or_default();
                // Who wanted it may be gone.
                let _ = wanted.send(trace);
                true
            }
            Mail::Answers(wanted) => {
                // Who wanted them may be gone.
                let _ = wanted.send(self.table.answers());
                true
            }
            #[cfg(test)]
            #[allow(clippy::panic)]
            Mail::Panic => self.step(|_, _| std::panic::panic_any("a test")),
        }
    }

    /// Does a step, sends what it says, and starts bots. Returns whether the table continues.
    fn step(&mut self, act: impl FnOnce(&mut Table, Millis)) -> bool {
        let now = self.started.elapsed().as_millis() as Millis;
        let (table, bots_wait) = (&mut self.table, self.bots_wait);
        let done = catch_unwind(AssertUnwindSafe(|| {
            act(table, now);
            let tasks: Vec<_> = std::iter::from_fn(|| if bots_wait { None } else { table.take_bot_task() }).collect();
            (table.take_messages(), tasks, table.turn(), table.is_over())
        }));
        let Ok((messages, tasks, turn, is_over)) = done else { return self.end_by_defect() };
        let mut game_is_over = false;
        for (client, message) in messages {
            game_is_over |= matches!(message, ServerMessage::Over { .. });
            let is_taken = matches!(message, ServerMessage::Error { code: ErrorCode::Taken, .. });
            self.send(client, &message);
            if is_taken && let Some(outbox) = self.clients.remove(&client) {
                outbox.close();
            }
        }
        for task in tasks {
            let mail = self.handle.mail.clone();
            self.app.bots.run(move || {
                let answer = catch_unwind(AssertUnwindSafe(|| task.run()));
                // It fails only if the table has ended.
                let _ = mail.blocking_send(answer.map_or(Mail::BotFailed, Mail::Bot));
            });
        }
        self.handle.turn.store(turn, Ordering::Relaxed);
        if game_is_over || (is_over && self.over_at.is_none()) {
            self.games += 1;
            self.write_trace();
        }
        if is_over && self.over_at.is_none() {
            self.over_at = Some(Instant::now());
            self.handle.is_over.store(true, Ordering::Relaxed);
            self.app.store.remove(&self.handle.name);
            self.save_at = None;
        } else if !is_over && self.save_at.is_none() {
            self.save_at = Some(Instant::now() + self.app.limits.save_pause);
        }
        true
    }

    fn send(&self, client: ClientId, message: &ServerMessage) {
        if let Some(outbox) = self.clients.get(&client)
            && let Ok(text) = serde_json::to_string(message)
        {
            outbox.push(text);
        }
    }

    fn save(&mut self) {
        self.save_at = None;
        if self.over_at.is_some() || self.is_try {
            return;
        }
        let Ok(bytes) = catch_unwind(AssertUnwindSafe(|| self.table.save())) else { return };
        let saved = self.handle.saved().clone();
        if let Err(error) = self.app.store.save(&saved, &bytes) {
            (self.app.report)(&format!("cannot save the table {}: {error}", self.handle.name));
        }
    }

    fn write_trace(&self) {
        let Ok(Some(trace)) = catch_unwind(AssertUnwindSafe(|| self.table.trace())) else { return };
        if let Err(error) = self.app.store.write_trace(&self.handle.name, self.games, &trace) {
            (self.app.report)(&format!("cannot write the trace of {}: {error}", self.handle.name));
        }
    }

    fn end_by_defect(&mut self) -> bool {
        self.games += 1;
        self.write_trace();
        self.app.store.remove(&self.handle.name);
        let words = "a defect of the program has ended this table; the trace of the game is kept".to_owned();
        let message = ServerMessage::Error { code: ErrorCode::Defect, words };
        self.clients.keys().for_each(|client| self.send(*client, &message));
        (self.app.report)(&format!(
            "the table {} has ended by a defect; its trace is in {}",
            self.handle.name,
            self.app.store.folder().join("traces").display()
        ));
        false
    }
}
