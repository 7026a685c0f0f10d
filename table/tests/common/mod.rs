//! Tables of the shipped formats, and clients that answer from the messages alone.

#![allow(dead_code, clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, missing_docs)]

use fizzle_compiler::{SourceFile, compile_with};
use fizzle_ir::{CompiledGame, DefId};
use fizzle_runtime::program::Program;
use fizzle_table::protocol::{ClientMessage, Lang, ServerMessage};
use fizzle_table::rule_text::Sources;
use fizzle_table::table::{ClientId, Occupant, Table, TableSetup};
use fizzle_table::table_view::apply;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};

/// The number of games of each format: `FIZZLE_GAMES`, or the number of the short form.
pub fn game_count(short: u64) -> u64 {
    std::env::var("FIZZLE_GAMES").ok().and_then(|count| count.parse().ok()).unwrap_or(short)
}

/// The formats that the tests play.
pub const FORMATS: [&str; 4] = ["duel_masters", "duel_magic", "magic", "yugioh"];

/// The formats that a test plays: all, or those named in `FIZZLE_FORMATS`, separated by commas.
pub fn formats() -> Vec<&'static str> {
    let wanted = std::env::var("FIZZLE_FORMATS").ok();
    if let Some(unknown) = wanted.iter().flat_map(|wanted| wanted.split(',')).find(|one| !FORMATS.contains(one)) {
        panic!("no test plays `{unknown}`");
    }
    let is_wanted = |format: &&str| wanted.as_ref().is_none_or(|wanted| wanted.split(',').any(|one| one == *format));
    FORMATS.into_iter().filter(is_wanted).collect()
}

/// A compiled shipped game, with its texts.
pub fn game(format: &str) -> Arc<CompiledGame> {
    static GAMES: OnceLock<Mutex<BTreeMap<String, Arc<CompiledGame>>>> = OnceLock::new();
    let mut games = GAMES.get_or_init(Mutex::default).lock().unwrap();
    let load = || {
        let packs = fizzle::shipped::lineage(format).into_iter();
        let files = packs.flat_map(|pack| fizzle::Pack::shipped_sources(pack).unwrap());
        let files = files.map(|(path, text)| SourceFile { path, text }).collect();
        let artifact = compile_with(files, true).artifact.unwrap();
        Arc::new(artifact.games.into_iter().find(|game| game.formats.iter().any(|known| known.name == format)).unwrap())
    };
    Arc::clone(games.entry(format.to_owned()).or_insert_with(load))
}

/// The sources of a shipped game.
pub fn sources(format: &str) -> Arc<Sources> {
    let packs = fizzle::shipped::lineage(format).into_iter();
    Arc::new(packs.flat_map(|pack| fizzle::Pack::shipped_sources(pack).unwrap()).collect())
}

/// A table of a shipped format with its first two decks. `bots`: the name of the bot of each seat, empty for a client.
pub fn setup(format: &str, seed: u64, bots: [&str; 2]) -> TableSetup {
    let game = game(format);
    let index = game.formats.iter().position(|known| known.name == format).unwrap();
    let ancestors = game.ancestors(format);
    let cards =
        |deck: &fizzle_ir::Deck| deck.sections.iter().flat_map(|(_, cards)| cards).map(|(_, card)| *card).collect::<Vec<DefId>>();
    let is_legal = |deck: &fizzle_ir::Deck| {
        let program = Arc::new(Program::link_for(&game, index, &cards(deck), 2).unwrap());
        ancestors.contains(&deck.format) && fizzle_runtime::deck::check(&program, deck, &ancestors).is_empty()
    };
    let decks: Vec<_> = game.decks.iter().filter(|deck| is_legal(deck)).cloned().collect();
    let at = seed as usize % decks.len().max(1);
    let decks: Vec<_> = [at, at + 1].iter().map(|at| decks[at % decks.len()].clone()).collect();
    let pool: Vec<DefId> =
        decks.iter().flat_map(|deck| &deck.sections).flat_map(|(_, cards)| cards).map(|(_, card)| *card).collect();
    let program = Arc::new(Program::link_for(&game, index, &pool, 2).unwrap());
    let occupants = bots.iter().map(|bot| if bot.is_empty() { Occupant::Client } else { Occupant::Bot((*bot).to_owned()) });
    TableSetup {
        name: "kite-44".to_owned(),
        sources: sources(format),
        pack_index: Arc::new(fizzle_table::table_view::PackIndex::new(&game)),
        game,
        program,
        decks,
        any_deck: false,
        occupants: occupants.collect(),
        hot_seat: false,
        sandbox: false,
        best_of: 1,
        seed,
        position: None,
        timing_seed: seed,
        grace: 1_000,
        forced_wait: None,
    }
}

/// A client that knows nothing but the messages that it was sent.
pub struct Player {
    pub id: ClientId,
    pub frames: Vec<Value>,
    pub view: Value,
    pub ask: Value,
    pub n: u64,
    pub is_over: bool,
    /// Messages about undo and absence.
    pub notices: Vec<Value>,
    random: u64,
}

impl Player {
    pub fn new(id: u64, seed: u64) -> Self {
        let random = seed.wrapping_mul(2).wrapping_add(id) ^ 0x9e37_79b9_7f4a_7c15;
        Self {
            id: ClientId(id),
            frames: Vec::new(),
            view: Value::Null,
            ask: Value::Null,
            n: 0,
            is_over: false,
            notices: Vec::new(),
            random,
        }
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) % bound.max(1)
    }

    /// Takes a message.
    pub fn take(&mut self, message: &ServerMessage) {
        let frame = serde_json::to_value(message).unwrap();
        match frame["t"].as_str().unwrap() {
            "view" => {
                self.view = frame["view"].clone();
                self.ask = frame["ask"].clone();
                self.n = frame["n"].as_u64().unwrap();
            }
            "step" => {
                let n = frame["n"].as_u64().unwrap();
                assert_eq!(n, self.n + 1, "no step is missing");
                self.n = n;
                apply(&mut self.view, &frame["patch"]);
                self.ask = frame["ask"].clone();
            }
            "over" => (self.is_over, self.ask) = (true, Value::Null),
            "undo_requested" | "undo_answered" | "absent" => self.notices.push(frame.clone()),
            _ => {}
        }
        self.frames.push(frame);
    }

    /// An answer to the pending decision, from its JSON alone.
    pub fn answer(&mut self) -> Option<ClientMessage> {
        let ask = self.ask.clone();
        if ask.is_null() {
            return None;
        }
        let (min, max) = (ask["min"].as_i64().unwrap(), ask["max"].as_i64().unwrap());
        let count = ask["options"].as_array().unwrap().len() as u64;
        let mut message = json!({"t": "answer", "ask": ask["id"]});
        match ask["kind"].as_str().unwrap() {
            "number" => message["number"] = json!(min + self.below((max - min + 1) as u64) as i64),
            "divide" => {
                let mut shares = vec![min; count as usize];
                for _ in 0..(max - min * count as i64) {
                    let at = self.below(count) as usize;
                    shares[at] += 1;
                }
                message["shares"] = json!(shares);
            }
            "assign" => message["picks"] = ask["main"].clone(),
            _ => {
                let wanted = min + self.below((max - min + 1) as u64) as i64;
                let mut picks: Vec<u64> = Vec::new();
                while (picks.len() as i64) < wanted {
                    let pick = self.below(count);
                    if ask["repeats"].as_bool() == Some(true) || !picks.contains(&pick) {
                        picks.push(pick);
                    }
                }
                message["picks"] = json!(picks);
            }
        }
        Some(serde_json::from_value(message).unwrap())
    }
}

/// A table with a client at each seat that is no bot, and a watcher.
pub fn seated(setup: TableSetup) -> (Table, Vec<Player>) {
    let seed = setup.seed;
    seated_at(Table::new(setup).unwrap(), seed)
}

/// As [`seated`], at a table that has begun.
pub fn seated_at(mut table: Table, seed: u64) -> (Table, Vec<Player>) {
    let mut players = Vec::new();
    let seats = table.info().seats;
    for seat in (0..seats.len()).filter(|seat| seats[*seat].bot.is_none()) {
        players.push(Player::new(seat as u64, seed));
        table.join(ClientId(seat as u64), Some(seat), &format!("player {seat}"), Lang::En, "token", 0);
    }
    players.push(Player::new(99, seed));
    table.join(ClientId(99), None, "", Lang::Ja, "", 0);
    (table, players)
}

/// Hands out the messages of the table.
pub fn deliver(table: &mut Table, players: &mut [Player]) {
    for (to, message) in table.take_messages() {
        if let Some(player) = players.iter_mut().find(|player| player.id == to) {
            player.take(&message);
        }
    }
}

/// All players are ready for the next game of the match. Returns `false` if it is over.
pub fn begin_next_game(table: &mut Table, players: &mut [Player]) -> bool {
    if table.is_over() {
        return false;
    }
    for player in players.iter().filter(|player| player.id.0 < 2) {
        table.receive(player.id, ClientMessage::Ready { deck: None }, 0);
    }
    deliver(table, players);
    assert!(players.iter().any(|player| !player.ask.is_null()), "the next game begins once all are ready");
    true
}

/// Lets the bots or the players answer once. Returns `false` if no seat has a decision.
pub fn step(table: &mut Table, players: &mut [Player]) -> bool {
    if let Some(task) = table.take_bot_task() {
        let answer = task.run();
        table.bot_answered(answer, 0);
    } else {
        let Some((id, answer)) = players.iter_mut().find_map(|player| Some((player.id, player.answer()?))) else { return false };
        table.receive(id, answer, 0);
    }
    deliver(table, players);
    true
}
