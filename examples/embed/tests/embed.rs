//! Tests that the example plays a whole game, and the same one for the same seed.

#![allow(clippy::unwrap_used, missing_docs)]

use std::process::Command;

fn embed(arguments: &[&str]) -> (bool, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_embed")).args(arguments).output().unwrap();
    (output.status.success(), String::from_utf8([output.stdout, output.stderr].concat()).unwrap())
}

#[test]
fn a_whole_game_is_played() {
    let (success, log) = embed(&["2"]);
    assert!(success, "{log}");
    assert!(log.starts_with("Duel Masters, seed 2: A plays Dragons and birds, B plays Fire and nature\n"), "{log}");
    assert!(log.contains(", A: summon "), "{log}");
    let last = log.lines().last().unwrap();
    assert!(last.contains("has won, after ") && last.ends_with(" decisions"), "{last}");
}

#[test]
fn the_log_follows_from_the_seed() {
    let (_, first) = embed(&["5"]);
    assert_eq!(first, embed(&["5"]).1);
    assert_ne!(first, embed(&["6"]).1);
}

#[test]
fn a_seed_that_is_no_number_is_refused() {
    let (success, message) = embed(&["five"]);
    assert!(!success);
    assert!(message.starts_with("error: the seed must be a number"), "{message}");
}
