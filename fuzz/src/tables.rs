//! Tables of shipped formats, for the targets that read messages of clients and saved tables.

use crate::seeds;
use fizzle_runtime::ir::{CompiledGame, Deck, DefId};
use fizzle_runtime::program::Program;
use fizzle_table::protocol::{ClientMessage, Lang, ServerMessage};
use fizzle_table::table::{ClientId, Occupant, Table, TableSetup};
use fizzle_table::table_view::PackIndex;
use std::sync::{Arc, LazyLock};

/// What a table of each game begins with: two seats, the first decks that are legal, three games. The small games come first.
static SETUPS: LazyLock<Vec<TableSetup>> = LazyLock::new(|| {
    let small = seeds::SMALL_GAMES.iter().filter(|game| game.artifact.games.iter().any(|game| !game.decks.is_empty()));
    let games = small.map(|game| &game.artifact).chain(seeds::ARTIFACTS.iter()).filter_map(|artifact| artifact.games.first());
    games.filter_map(|game| setup(&Arc::new(game.clone()))).collect()
});

/// The setups of the small games, and those of the shipped ones.
fn setups() -> (&'static [TableSetup], &'static [TableSetup]) {
    let is_shipped = |setup: &TableSetup| seeds::GAMES.contains(&setup.game.name.as_str());
    SETUPS.split_at(SETUPS.iter().position(is_shipped).unwrap_or(SETUPS.len()))
}

fn setup(game: &Arc<CompiledGame>) -> Option<TableSetup> {
    let format = game.formats.iter().rposition(|format| game.decks.iter().any(|deck| deck.format == format.name))?;
    let name = &game.formats.get(format)?.name;
    let decks: Vec<Deck> = game.decks.iter().filter(|deck| deck.format == *name).cloned().collect();
    decks.into_iter().find_map(|deck| {
        let pool: Vec<DefId> = deck.sections.iter().flat_map(|(_, cards)| cards).map(|(_, card)| *card).collect();
        let setup = TableSetup {
            name: "fuzzed".to_owned(),
            game: Arc::clone(game),
            pack_index: Arc::new(PackIndex::new(game)),
            sources: Arc::default(),
            program: Arc::new(Program::link_for(game, format, &pool, 2)?),
            decks: vec![deck.clone(), deck],
            any_deck: false,
            occupants: vec![Occupant::Client; 2],
            hot_seat: false,
            sandbox: false,
            best_of: 3,
            seed: 1,
            position: None,
            timing_seed: 1,
            grace: 1_000,
            forced_wait: None,
        };
        Table::new(setup.clone()).is_ok().then_some(setup)
    })
}

/// The clients of a table: both seats, and a watcher.
const CLIENTS: u64 = 3;
/// The most messages of a session that are read.
const MAX_MESSAGES: usize = 200;

fn seated(setup: &TableSetup) -> Option<Table> {
    let mut table = Table::new(setup.clone()).ok()?;
    for client in 0..CLIENTS {
        let seat = Some(client as usize).filter(|seat| *seat < 2);
        table.join(ClientId(client), seat, "name", Lang::En, "token", 0);
    }
    Some(table)
}

/// The number of the decision that a table has sent last.
fn last_ask(messages: &[(ClientId, ServerMessage)]) -> Option<u64> {
    messages.iter().rev().find_map(|(_, message)| match message {
        ServerMessage::View { ask: Some(ask), .. } | ServerMessage::Step { ask: Some(ask), .. } => Some(ask.id),
        _ => None,
    })
}

/// A session of clients: the first line is the number of a game; each other line is the digit of a client and a message. The decision 0, which
/// no table has, stands for the one that is pending.
///
/// Accepted is a session with a message that is one of the protocol.
pub fn protocol(input: &[u8]) -> bool {
    let text = String::from_utf8_lossy(input);
    let mut lines = text.lines();
    let number = lines.next().and_then(|line| line.trim().parse::<usize>().ok()).unwrap_or(0);
    let Some(setup) = SETUPS.get(number % SETUPS.len().max(1)) else { return false };
    let Some(mut table) = seated(setup) else { return false };
    let mut accepted = false;
    let mut pending = last_ask(&table.take_messages()).unwrap_or(0);
    for (now, line) in lines.take(MAX_MESSAGES).enumerate() {
        let now = now as u64 * 100;
        let Some(client) = line.chars().next().and_then(|digit| digit.to_digit(10)) else { continue };
        let client = ClientId(u64::from(client));
        match line.get(1..).unwrap_or("") {
            "leave" => table.leave(client, now),
            "join" => table.join(client, Some(client.0 as usize).filter(|seat| *seat < 2), "name", Lang::Ja, "token", now),
            message => {
                let Ok(mut message) = serde_json::from_str::<ClientMessage>(message) else { continue };
                if let ClientMessage::Answer { ask, .. } = &mut message
                    && *ask == 0
                {
                    *ask = pending;
                }
                accepted = true;
                table.receive(client, message, now);
            }
        }
        table.wake(now);
        if let Some(task) = table.take_bot_task() {
            table.bot_answered(task.run(), now);
        }
        let messages = table.take_messages();
        pending = last_ask(&messages).unwrap_or(pending);
        for (_, message) in &messages {
            assert!(serde_json::to_vec(message).is_ok_and(|bytes| bytes.len() < 1 << 20), "a message is longer than a megabyte");
        }
    }
    accepted
}

/// A saved table is restored as it was, or refused.
pub fn saved_table(input: &[u8]) -> bool {
    let mut accepted = false;
    for setup in SETUPS.iter() {
        if let Ok(mut table) = Table::restore(setup.clone(), input) {
            table.join(ClientId(0), Some(0), "name", Lang::En, "token", 0);
            table.receive(ClientId(0), ClientMessage::Why { on: None }, 0);
            assert!(!table.take_messages().is_empty(), "a client that joins is sent the view");
            assert!(Table::restore(setup.clone(), &table.save()).is_ok(), "a restored table is saved");
            accepted = true;
        }
    }
    accepted
}

/// Sessions with every message, some of them in the middle of a game.
#[must_use]
pub fn sessions() -> Vec<Vec<u8>> {
    let others = [
        r#"{"t":"why"}"#,
        r#"{"t":"why","on":3}"#,
        r#"{"t":"yield","until":"added"}"#,
        r#"{"t":"yield","until":"could","ability":"a"}"#,
        r#"{"t":"hold"}"#,
        r#"{"t":"undo"}"#,
        r#"{"t":"undo_vote","agree":true}"#,
        r#"{"t":"chat","text":"well played"}"#,
        r#"{"t":"again"}"#,
        r#"{"t":"lang","lang":"ja"}"#,
        r#"{"t":"concede"}"#,
        r#"{"t":"ready"}"#,
        r#"{"t":"ready","deck":{"main":{"Forest":4}}}"#,
        r#"{"t":"absent","choice":"bot"}"#,
        r#"{"t":"absent","choice":"end"}"#,
        r#"{"t":"ping","at":1}"#,
        r#"{"t":"hello","v":[1],"key":"0","as":"seat"}"#,
        "leave",
        "join",
    ];
    let session = |game: usize, first: usize, length: usize| {
        let mut text = format!("{game}\n");
        for number in 0..length {
            // Both answer: the one that has no decision is refused.
            for client in 0..2 {
                let picks = [r#""picks":[0]"#, r#""picks":[1]"#, r#""picks":[0,1]"#, r#""number":1"#, r#""shares":[1,0]"#];
                let picks = picks.get((number + first) % picks.len()).copied().unwrap_or_default();
                text += &format!("{client}{{\"t\":\"answer\",\"ask\":0,{picks}}}\n");
            }
            if number % 3 == 0 {
                let other = others.get((number / 3 + first * 5) % others.len()).copied().unwrap_or_default();
                text += &format!("{}{other}\n", number % 3);
            }
        }
        text.into_bytes()
    };
    let sessions = |games: std::ops::Range<usize>, firsts: usize, length: usize| -> Vec<Vec<u8>> {
        games
            .flat_map(|game| (0..firsts).map(move |first| (game, first)))
            .map(|(game, first)| session(game, first, length))
            .collect()
    };
    let small = setups().0.len();
    seeds::mixed(&sessions(0..small, others.len(), 6), sessions(small..SETUPS.len(), 6, 40), seeds::SMALL_SHARE)
}

/// Saved tables: at the beginning, in a game, between two games, at the end.
#[must_use]
pub fn saved_tables() -> Vec<Vec<u8>> {
    let (small, shipped) = setups();
    seeds::mixed(&saved_tables_of(small), saved_tables_of(shipped), seeds::SMALL_SHARE)
}

fn saved_tables_of(setups: &[TableSetup]) -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for setup in setups {
        let Some(mut table) = seated(setup) else { continue };
        let mut pending = last_ask(&table.take_messages()).unwrap_or(0);
        seeds.push(table.save());
        for number in 0..24 {
            for client in 0..2 {
                let answer = ClientMessage::Answer { ask: pending, picks: Some(vec![0]), number: None, shares: None };
                table.receive(ClientId(client), answer, 0);
                pending = last_ask(&table.take_messages()).unwrap_or(pending);
            }
            if number % 8 == 7 {
                seeds.push(table.save());
            }
        }
        for _ in 0..2 {
            table.receive(ClientId(0), ClientMessage::Concede, 0);
            seeds.push(table.save());
            (0..2).for_each(|client| table.receive(ClientId(client), ClientMessage::Ready { deck: None }, 0));
        }
        seeds.push(table.save());
    }
    seeds
}
