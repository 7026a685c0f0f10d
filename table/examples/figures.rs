//! Figures of tables: sizes of messages, processor time of an answer, memory. For `docs/performance.md`:
//!
//! ```sh
//! cargo run --release -p fizzle-table --example figures
//! ```
//!
//! Two random players and a watcher play games of each shipped format; everything that they are sent is written as JSON, as the server does.

#![allow(clippy::unwrap_used, clippy::print_stdout, clippy::disallowed_methods, clippy::disallowed_types, missing_docs)]

#[path = "../tests/common/mod.rs"]
mod common;

use common::{FORMATS, Player, seated, setup};
use fizzle_runtime::view::{Handles, view_with};
use fizzle_table::protocol::{ClientMessage, ServerMessage};
use fizzle_table::table::{ClientId, Table, TableSetup};
use std::time::{Duration, Instant};

/// Games of each format.
const GAMES: u64 = 12;
/// Tables whose memory is measured.
const TABLES: u64 = 20;
/// Answers after which it is measured, or at the end of the match.
const ANSWERS: [usize; 3] = [60, 240, 960];

#[derive(Default)]
struct Figures {
    runtime_views: Vec<Duration>,
    views: Vec<usize>,
    view_times: Vec<Duration>,
    patches: Vec<usize>,
    events: Vec<usize>,
    answers: Vec<Duration>,
    reasons: Vec<Duration>,
    undos: Vec<Duration>,
}

fn at<T: Copy + Ord>(all: &mut [T], share: f64) -> T {
    all.sort_unstable();
    all[((all.len() - 1) as f64 * share) as usize]
}

/// Takes the messages of the table, written as the server writes them.
fn written(table: &mut Table, players: &mut [Player]) -> Vec<ServerMessage> {
    let messages = table.take_messages();
    let mut all = Vec::new();
    for (to, message) in messages {
        std::hint::black_box(serde_json::to_vec(&message).unwrap());
        if let Some(player) = players.iter_mut().find(|player| player.id == to) {
            player.take(&message);
            player.frames.clear();
        }
        all.push(message);
    }
    all
}

fn play(format: &str, seed: u64, found: &mut Figures) {
    let mut made = setup(format, seed, ["", ""]);
    made.sandbox = true;
    let (mut table, mut players) = seated(made);
    written(&mut table, &mut players);
    for number in 0..400 {
        let Some((id, answer)) = players.iter_mut().find_map(|player| Some((player.id, player.answer()?))) else { break };
        let begin = Instant::now();
        table.receive(id, answer, 0);
        let messages = table.take_messages();
        let bytes: Vec<Vec<u8>> = messages.iter().map(|(_, message)| serde_json::to_vec(message).unwrap()).collect();
        found.answers.push(begin.elapsed());
        std::hint::black_box(&bytes);
        for (to, message) in messages {
            if let ServerMessage::Step { events, patch, .. } = &message {
                found.patches.push(serde_json::to_vec(patch).unwrap().len());
                found.events.push(serde_json::to_vec(events).unwrap().len());
            }
            if let Some(player) = players.iter_mut().find(|player| player.id == to) {
                player.take(&message);
                player.frames.clear();
            }
        }
        if number % 10 == 9 && !table.is_over() {
            let begin = Instant::now();
            table.receive(ClientId(0), ClientMessage::Again, 0);
            for message in written(&mut table, &mut players) {
                if let ServerMessage::View { view, .. } = &message {
                    found.view_times.push(begin.elapsed());
                    found.views.push(serde_json::to_vec(view).unwrap().len());
                }
            }
            let mut machine = table.machine().clone();
            let mut handles = Handles::default();
            std::hint::black_box(view_with(&mut machine, 0, &mut handles));
            let begin = Instant::now();
            std::hint::black_box(view_with(&mut machine, 0, &mut handles));
            found.runtime_views.push(begin.elapsed());
            let decider = players.iter().position(|player| !player.ask.is_null()).unwrap_or(0);
            let begin = Instant::now();
            table.receive(ClientId(decider as u64), ClientMessage::Why { on: None }, 0);
            found.reasons.push(begin.elapsed());
            written(&mut table, &mut players);
        }
        if number % 100 == 99 && !table.is_over() {
            let begin = Instant::now();
            table.receive(ClientId(0), ClientMessage::Undo, 0);
            written(&mut table, &mut players);
            found.undos.push(begin.elapsed());
        }
    }
}

/// What a table with a watcher holds after some answers, in KiB, as it was requested from the allocator: what is given back when it is dropped. Tables of
/// one pack share its program and faces.
fn held(made: &TableSetup, seed: u64, answers: usize) -> usize {
    let mut one = made.clone();
    one.seed = seed;
    let (mut table, mut players) = seated(one);
    written(&mut table, &mut players);
    for _ in 0..answers {
        let Some((id, answer)) = players.iter_mut().find_map(|player| Some((player.id, player.answer()?))) else { break };
        table.receive(id, answer, 0);
        written(&mut table, &mut players);
    }
    table.release_caches();
    let freed = allocation_counter::measure(|| drop(table));
    usize::try_from(-freed.bytes_current).unwrap_or(0) >> 10
}

fn main() {
    println!(
        "| format | view of the runtime, µs (99 %) | sent to who joins, µs | its JSON, kB (most) | patch, kB (99 %) | events, kB (99 %) | all reasons, µs (99 %) | an answer for three clients, µs (99 %) | undo after 100 answers, ms |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for format in FORMATS {
        let mut it = Figures::default();
        for seed in 0..GAMES {
            play(format, seed, &mut it);
        }
        let kb = |bytes: usize| bytes as f64 / 1000.0;
        let us = |time: Duration| time.as_secs_f64() * 1e6;
        println!(
            "| `{format}` | {:.0} ({:.0}) | {:.0} | {:.1} ({:.1}) | {:.2} ({:.2}) | {:.2} ({:.2}) | {:.0} ({:.0}) | {:.0} ({:.0}) | {:.0} |",
            us(at(&mut it.runtime_views, 0.5)),
            us(at(&mut it.runtime_views, 0.99)),
            us(at(&mut it.view_times, 0.5)),
            kb(at(&mut it.views, 0.5)),
            kb(at(&mut it.views, 1.0)),
            kb(at(&mut it.patches, 0.5)),
            kb(at(&mut it.patches, 0.99)),
            kb(at(&mut it.events, 0.5)),
            kb(at(&mut it.events, 0.99)),
            us(at(&mut it.reasons, 0.5)),
            us(at(&mut it.reasons, 0.99)),
            us(at(&mut it.answers, 0.5)),
            us(at(&mut it.answers, 0.99)),
            if it.undos.is_empty() { 0.0 } else { us(at(&mut it.undos, 0.5)) / 1000.0 },
        );
    }
    println!();
    let columns = ANSWERS.map(|answers| format!("after {answers} (most)")).join(" | ");
    println!("| format | KiB that a table holds {columns} |");
    println!("|---|{}", "---|".repeat(ANSWERS.len()));
    for format in FORMATS {
        let made = setup(format, 0, ["", ""]);
        let figures = ANSWERS.map(|answers| {
            let all: Vec<usize> = (0..TABLES).map(|seed| held(&made, seed, answers)).collect();
            format!("{} ({})", all.iter().sum::<usize>() / all.len(), all.iter().max().unwrap_or(&0))
        });
        println!("| `{format}` | {} |", figures.join(" | "));
    }
}
