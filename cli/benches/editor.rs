//! Benchmark of the diagnostics latency of `fizzle lsp` in a pack of 30,000 cards. The server is a child process, driven by the protocol
//! over its pipes.
//!
//! `cargo bench -p fizzle-cli --bench editor`. `FIZZLE_CARDS`, `FIZZLE_IN_A_FILE` and `FIZZLE_ROUNDS` set the number of cards, of cards
//! in a file, and of edited cards. `FIZZLE_EMPTY_ZONE` adds a zone that nothing fills. `FIZZLE_BIN` names another program to measure.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a benchmark")]

#[allow(dead_code, reason = "the tests of the server use the rest")]
#[path = "../tests/editor/client.rs"]
mod client;
#[path = "../tests/editor/edits.rs"]
mod edits;

use edits::Size;
use std::time::Duration;

fn number_from_env(name: &str, otherwise: usize) -> usize {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).filter(|number| *number > 0).unwrap_or(otherwise)
}

fn print_times(name: &str, mut times: Vec<Duration>) {
    times.sort_unstable();
    let at = |percent: usize| times.get((times.len() * percent / 100).min(times.len() - 1)).copied().unwrap_or_default();
    println!("{name}: {} edits, median {:.1?}, 95 % under {:.1?}, longest {:.1?}", times.len(), at(50), at(95), at(100));
}

fn main() {
    let size = Size {
        cards: number_from_env("FIZZLE_CARDS", 30_000).max(20),
        cards_per_file: number_from_env("FIZZLE_IN_A_FILE", 1_000).max(20),
        rounds: number_from_env("FIZZLE_ROUNDS", 100),
        empty_zone: std::env::var_os("FIZZLE_EMPTY_ZONE").is_some(),
    };
    println!("{} cards, at most {} in a file", size.cards, size.cards_per_file);
    let times = edits::measure(size);
    println!("all files read and checked after {:.1?}", times.initial_check);
    print_times("inside a card", times.card_bodies);
    print_times("the name of a card", times.card_names);
    print_times("a keyword", times.keywords);
    print_times("a format", times.formats);
}
