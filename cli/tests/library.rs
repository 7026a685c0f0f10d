//! The program and the library `fizzle` play the same games and read each other's files.

#![allow(clippy::unwrap_used, missing_docs)]

use fizzle::{Game, Pack, Simulation};
use std::path::Path;
use std::process::Command;

const DECKS: [&str; 2] = ["Dragons and birds", "Fire and nature"];

fn run(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_fizzle")).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn a_simulation_of_the_library_is_that_of_the_program() {
    let format = Pack::shipped("duel_masters").unwrap().format("duel_masters").unwrap();
    let decks = DECKS.map(|name| format.deck(name).unwrap());
    let result = Simulation::new(&format, &decks).bot_of(1, "greedy").games(30).seed(4).run().unwrap();
    let decks = ["--deck", DECKS[0], "--deck", DECKS[1], "--bot", "random", "--bot", "greedy"];
    let rest = ["--games", "30", "--seed", "4", "--message-format", "json"];
    let printed = run(&[&["sim", "--format", "duel_masters"][..], &decks, &rest].concat());
    let printed: serde_json::Value = serde_json::from_str(&printed).unwrap();
    assert_eq!(printed["wins"], serde_json::json!(result.wins));
    assert_eq!(printed["turns"], result.games.iter().map(|game| u64::from(game.turns)).sum::<u64>());
    assert_eq!(printed["decisions"], result.games.iter().map(|game| game.decisions).sum::<u64>());
}

#[test]
fn a_saved_game_is_a_trace_and_a_trace_is_a_saved_game() {
    let pack = Pack::shipped("duel_masters").unwrap();
    let format = pack.format("duel_masters").unwrap();
    let mut game = Game::start(&format, &DECKS.map(|name| format.deck(name).unwrap()), 6).unwrap();
    while let Some(answer) = game.minimal_answer() {
        game.answer(answer).unwrap();
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("library");
    std::fs::create_dir_all(&folder).unwrap();
    let file = folder.join("game.fzt");
    std::fs::write(&file, game.save()).unwrap();
    run(&["replay", file.to_str().unwrap()]);
    let traces = folder.join("traces");
    run(&["sim", "--format", "duel_masters", "--games", "1", "--traces", traces.to_str().unwrap()]);
    let trace = std::fs::read_dir(&traces).unwrap().next().unwrap().unwrap().path();
    let loaded = Game::load(&pack, &std::fs::read(trace).unwrap()).unwrap();
    assert!(loaded.outcome().is_some());
}
