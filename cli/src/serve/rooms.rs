//! All tables, and who may open which: keys of the host, of seats, of watchers, and tokens of seats that are taken.

use super::catalogue::{Catalogue, PickedFormat};
use super::keys::{new_key, new_seed, same_key};
use super::limits::Limits;
use super::room::{BotPool, Room, RoomHandle};
use super::store::{SavedRoom, Store};
use crate::failure::CommandError;
use fizzle_runtime::ir::Deck;
use fizzle_table::protocol::Role;
use fizzle_table::table::{ClientId, Occupant, Table, TableSetup};
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::net::IpAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// All tables.
#[derive(Debug)]
pub struct Rooms {
    /// The formats and decks.
    pub catalogue: Catalogue,
    /// The limits.
    pub limits: Limits,
    store: Store,
    bots: BotPool,
    host: String,
    rooms: Mutex<BTreeMap<String, Entry>>,
    clients: AtomicU64,
    sockets: Mutex<BTreeMap<IpAddr, usize>>,
}

#[derive(Clone, Debug)]
struct Entry {
    handle: RoomHandle,
    format: String,
    keys: Vec<String>,
    once: Vec<bool>,
    tokens: Vec<String>,
    watchers: usize,
}

/// What a key opens.
#[derive(Debug)]
pub struct Opened {
    /// The room.
    pub room: RoomHandle,
    /// Its name.
    pub name: String,
    /// The seat; `None` for a watcher.
    pub seat: Option<usize>,
    /// Takes the seat again; empty for a watcher.
    pub token: String,
}

/// Why a key opens nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NotOpened {
    /// No table has it, or it was used up.
    Key,
    /// There are too many watchers.
    Full,
}

/// A table that somebody wants.
#[derive(Debug, Deserialize)]
pub struct WantedTable {
    format: String,
    seats: Vec<WantedSeat>,
    #[serde(default)]
    best_of: Option<u32>,
    #[serde(default)]
    seed: Option<u64>,
    #[serde(default)]
    sandbox: bool,
}

#[derive(Debug, Deserialize)]
struct WantedSeat {
    who: Who,
    #[serde(default)]
    bot: Option<String>,
    #[serde(default)]
    deck: Option<WantedDeck>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Who {
    Me,
    Bot,
    Invite,
    External,
    Hot,
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
enum WantedDeck {
    Name(String),
    Text { text: String },
}

/// Words of which names of tables are made.
const NAMES: [&str; 24] = [
    "kite", "reed", "lark", "moss", "fern", "dune", "pine", "wren", "brook", "cove", "dawn", "elm", "flint", "grove", "hazel", "inlet",
    "juniper", "knoll", "linden", "maple", "opal", "quill", "ridge", "slate",
];

impl Rooms {
    /// No tables yet.
    pub fn new(catalogue: Catalogue, limits: Limits, keep: PathBuf) -> Result<Self, CommandError> {
        let problem = |what: &str, error: &dyn std::fmt::Display| CommandError::Problem(format!("{what}: {error}"));
        let store = Store::open(&keep).map_err(|error| problem(&format!("cannot create the folder `{}`", keep.display()), &error))?;
        let host = new_key().map_err(|error| problem("the system has no random numbers", &error))?;
        Ok(Self {
            catalogue,
            limits,
            store,
            bots: BotPool::start(),
            host,
            rooms: Mutex::default(),
            clients: AtomicU64::new(0),
            sockets: Mutex::default(),
        })
    }

    /// The key of who started the program.
    pub fn host_key(&self) -> &str {
        &self.host
    }

    fn rooms(&self) -> MutexGuard<'_, BTreeMap<String, Entry>> {
        self.rooms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A number for a connection.
    pub fn new_client(&self) -> ClientId {
        ClientId(self.clients.fetch_add(1, Ordering::Relaxed))
    }

    /// Counts a socket of an address. `false` if there are too many; this machine's own are only counted in all.
    pub fn open_socket(&self, address: IpAddr) -> bool {
        let mut sockets = self.sockets.lock().unwrap_or_else(PoisonError::into_inner);
        let (all, own) = (sockets.values().sum::<usize>(), sockets.entry(address).or_default());
        let is_free = all < self.limits.sockets && (address.is_loopback() || *own < self.limits.sockets_an_address);
        if is_free {
            *own += 1;
        }
        is_free
    }

    /// A socket of an address is closed.
    pub fn close_socket(&self, address: IpAddr) {
        let mut sockets = self.sockets.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = sockets.get_mut(&address) {
            *own = own.saturating_sub(1);
            if *own == 0 {
                sockets.remove(&address);
            }
        }
    }

    /// Makes a table.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn create(&self, wanted: &WantedTable) -> Result<Value, String> {
        let picked = self.catalogue.format(&wanted.format).ok_or_else(|| format!("there is no format {}", wanted.format))?;
        if !picked.players().contains(&wanted.seats.len()) {
            return Err(format!("{} takes {} to {} players", wanted.format, picked.players().start(), picked.players().end()));
        }
        if self.rooms().len() >= self.limits.tables {
            return Err("there are too many tables".to_owned());
        }
        let mut decks = Vec::new();
        for (seat, one) in wanted.seats.iter().enumerate() {
            decks.push(self.deck(&picked, seat, one.deck.as_ref())?);
        }
        let no_chance = |error: getrandom::Error| error.to_string();
        let bots: Vec<Option<String>> = wanted
            .seats
            .iter()
            .map(|one| (one.who == Who::Bot).then(|| one.bot.clone().unwrap_or_else(|| "greedy".to_owned())))
            .collect();
        for bot in bots.iter().flatten() {
            let playouts = bot.strip_prefix("mcts:").and_then(|number| number.parse::<u32>().ok());
            if bot == "mcts" || playouts.is_some_and(|playouts| playouts > MAX_PLAYOUTS) {
                return Err(format!("a bot of a server thinks at most as mcts:{MAX_PLAYOUTS}"));
            }
        }
        let seats = wanted.seats.len();
        let keys: Result<Vec<String>, _> = (0..=seats).map(|_| new_key()).collect();
        let saved = SavedRoom {
            name: self.new_name().map_err(no_chance)?,
            format: wanted.format.clone(),
            decks: decks.iter().map(|deck| picked.save_deck(deck)).collect(),
            bots,
            hot_seat: wanted.seats.iter().any(|one| one.who == Who::Hot),
            sandbox: wanted.sandbox,
            best_of: wanted.best_of.unwrap_or(1),
            seed: wanted.seed.map_or_else(new_seed, Ok).map_err(no_chance)?,
            keys: keys.map_err(no_chance)?,
            once: wanted.seats.iter().map(|one| one.who == Who::Invite).collect(),
            tokens: vec![String::new(); seats],
            table: String::new(),
        };
        let setup = self.setup(&picked, &saved, decks)?;
        let table = Table::new(setup).map_err(|error| error.to_string())?;
        Ok(self.enter(table, saved))
    }

    fn setup(&self, picked: &PickedFormat, saved: &SavedRoom, decks: Vec<Deck>) -> Result<TableSetup, String> {
        let occupant = |bot: &Option<String>| bot.clone().map_or(Occupant::Client, Occupant::Bot);
        let persons = saved.bots.iter().filter(|bot| bot.is_none()).count();
        Ok(TableSetup {
            name: saved.name.clone(),
            game: std::sync::Arc::clone(&picked.game),
            program: self.catalogue.program(picked, &decks, decks.len()).ok_or("the format cannot be linked for these decks")?,
            decks,
            occupants: saved.bots.iter().map(occupant).collect(),
            hot_seat: saved.hot_seat,
            sandbox: saved.sandbox || persons == 1 || saved.hot_seat,
            best_of: saved.best_of,
            seed: saved.seed,
            timing_seed: new_seed().map_err(|error| error.to_string())?,
            grace: self.limits.grace,
        })
    }

    /// Starts the task of a table, and returns its links.
    fn enter(&self, table: Table, saved: SavedRoom) -> Value {
        let links = links(&saved.keys, &saved.bots);
        let answer = json!({"name": saved.name, "links": links, "watch": saved.keys.last()});
        let (name, format) = (saved.name.clone(), saved.format.clone());
        let (keys, once, tokens) = (saved.keys.clone(), saved.once.clone(), saved.tokens.clone());
        let handle = Room::start(table, saved, self.store.clone(), self.bots.clone());
        self.rooms().insert(name, Entry { handle, format, keys, once, tokens, watchers: 0 });
        answer
    }

    fn deck(&self, picked: &PickedFormat, seat: usize, wanted: Option<&WantedDeck>) -> Result<Deck, String> {
        match wanted {
            Some(WantedDeck::Text { text }) => {
                let (deck, problems) = picked.read_list(text);
                match problems.first() {
                    Some(problem) => Err(format!("line {}: {}", problem.line, problem.words)),
                    None => Ok(deck),
                }
            }
            Some(WantedDeck::Name(name)) => {
                let found = picked.decks().into_iter().find(|deck| deck.name == *name);
                found.cloned().ok_or_else(|| format!("there is no deck {name}"))
            }
            None => {
                let legal: Vec<&Deck> =
                    picked.decks().into_iter().filter(|deck| self.catalogue.problems(picked, deck).is_empty()).collect();
                let deck = legal.get(seat % legal.len().max(1)).copied();
                deck.cloned().ok_or_else(|| "the format has no deck".to_owned())
            }
        }
    }

    fn new_name(&self) -> Result<String, getrandom::Error> {
        loop {
            let number = new_seed()?;
            let word = NAMES.get(number as usize % NAMES.len()).copied().unwrap_or("table");
            let name = format!("{word}-{}", (number >> 32) % 10_000);
            if !self.rooms().contains_key(&name) {
                return Ok(name);
            }
        }
    }

    /// What a key opens. An invite is used up by it; later its seat is opened by the token that it gave.
    pub fn open(&self, table: &str, key: &str, role: Role) -> Result<Opened, NotOpened> {
        let token = new_key().map_err(|_| NotOpened::Key)?;
        let mut rooms = self.rooms();
        let entry = rooms.get_mut(table).ok_or(NotOpened::Key)?;
        let room = entry.handle.clone();
        let name = table.to_owned();
        if role == Role::Watch {
            let is_watcher = entry.keys.last().is_some_and(|known| same_key(known, key)) || same_key(&self.host, key);
            return match is_watcher {
                false => Err(NotOpened::Key),
                true if entry.watchers >= self.limits.watchers => Err(NotOpened::Full),
                true => {
                    entry.watchers += 1;
                    Ok(Opened { room, name, seat: None, token: String::new() })
                }
            };
        }
        for seat in 0..entry.tokens.len() {
            let is_token = entry.tokens.get(seat).is_some_and(|known| same_key(known, key));
            let is_key = entry.keys.get(seat).is_some_and(|known| same_key(known, key));
            if is_token || is_key {
                let is_used_up = !is_token && entry.once.get(seat) == Some(&true) && entry.tokens.get(seat).is_some_and(|t| !t.is_empty());
                if is_used_up {
                    return Err(NotOpened::Key);
                }
                let Some(own) = entry.tokens.get_mut(seat) else { return Err(NotOpened::Key) };
                if !is_token {
                    *own = token;
                }
                return Ok(Opened { room, name, seat: Some(seat), token: own.clone() });
            }
        }
        Err(NotOpened::Key)
    }

    /// A watcher of a table is gone.
    pub fn close_watcher(&self, table: &str) {
        if let Some(entry) = self.rooms().get_mut(table) {
            entry.watchers = entry.watchers.saturating_sub(1);
        }
    }

    /// The room of a table, for somebody with the key of the host, of a seat, or of watchers.
    pub fn find(&self, table: &str, key: &str) -> Option<RoomHandle> {
        let rooms = self.rooms();
        let entry = rooms.get(table)?;
        let keys = entry.keys.iter().chain(&entry.tokens).chain(std::iter::once(&self.host));
        keys.fold(false, |found, known| found | same_key(known, key)).then(|| entry.handle.clone())
    }

    /// The running tables, for the lobby.
    pub async fn list(&self) -> Vec<Value> {
        let entries: Vec<(String, Entry)> = self.rooms().iter().map(|(name, entry)| (name.clone(), entry.clone())).collect();
        let mut list = Vec::new();
        for (name, entry) in entries {
            let Some(info) = entry.handle.ask(super::room::RoomMessage::Info).await else {
                self.rooms().remove(&name);
                continue;
            };
            let bots: Vec<Option<String>> = info.table.seats.iter().map(|seat| seat.bot.clone()).collect();
            let keys: Vec<String> = (0..entry.tokens.len())
                .map(|seat| {
                    let is_used = entry.once.get(seat) == Some(&true) && entry.tokens.get(seat).is_some_and(|token| !token.is_empty());
                    if is_used { String::new() } else { entry.keys.get(seat).cloned().unwrap_or_default() }
                })
                .collect();
            list.push(json!({
                "name": name, "format": entry.format, "title": info.table.title, "turn": info.turn, "over": info.is_over,
                "links": links(&keys, &bots), "watch": entry.keys.last(),
            }));
        }
        list
    }

    /// Offers the tables again that were running when the program ended. Returns how many.
    pub fn restore_saved(&self) -> usize {
        let mut restored = 0;
        for mut saved in self.store.saved() {
            let fits = saved.tokens.len() == saved.bots.len() && saved.keys.len() == saved.bots.len() + 1;
            let Some(picked) = self.catalogue.format(&saved.format).filter(|_| fits) else { continue };
            let decks: Option<Vec<Deck>> = saved.decks.iter().map(|deck| picked.load_deck(deck)).collect();
            let Some(setup) = decks.and_then(|decks| self.setup(&picked, &saved, decks).ok()) else { continue };
            let bytes = std::mem::take(&mut saved.table);
            if let Ok(table) = Table::restore(setup, bytes.as_bytes()) {
                self.enter(table, saved);
                restored += 1;
            }
        }
        restored
    }

    /// Writes every running table to disk.
    pub async fn save_all(&self) {
        let handles: Vec<RoomHandle> = self.rooms().values().map(|entry| entry.handle.clone()).collect();
        for handle in handles {
            handle.ask(super::room::RoomMessage::Save).await;
        }
    }
}

/// The most playouts of a bot's decision.
const MAX_PLAYOUTS: u32 = 200;

/// The links of the seats that are no bots.
fn links(keys: &[String], bots: &[Option<String>]) -> Vec<Value> {
    let seats = bots.iter().zip(keys).enumerate().filter(|(_, (bot, key))| bot.is_none() && !key.is_empty());
    seats.map(|(seat, (_, key))| json!({"seat": seat, "as": "seat", "key": key})).collect()
}
