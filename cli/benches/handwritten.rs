//! The duel of cards without abilities by the engine and by hand (`duel`), the same games in turns in one run: decisions in a second of the
//! processor, and how far the engine is from the limit.
//!
//! `cargo bench -p fizzle-cli --bench hand`; `FIZZLE_SECONDS` says how long each plays in all (10).

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, missing_docs, reason = "a bench")]

#[path = "../src/commands/bench/cpu_time.rs"]
mod cpu_time;
mod duel;

use cpu_time::Clock;
use duel::engine::{Table, seeds, sources};
use std::time::Duration;

/// The number of the seed.
const SEED: u64 = 1;
/// How many turns the two take.
const ROUNDS: u32 = 10;

/// What one of the two has played.
#[derive(Default)]
struct Played {
    games: u64,
    decisions: u64,
    time: Duration,
}

impl Played {
    /// Plays for about so long; `game` gives the number of decisions of a game.
    fn play(&mut self, span: Duration, mut game: impl FnMut(u64) -> u64) {
        let clock = Clock::start();
        while clock.wall() < span {
            self.decisions += game(self.games);
            self.games += 1;
        }
        self.time += clock.elapsed();
    }

    fn rate(&self) -> f64 {
        self.decisions as f64 / self.time.as_secs_f64()
    }

    fn show(&self, name: &str) {
        let games = self.games as f64 / self.time.as_secs_f64();
        println!("{name:<28} {:>12.0} decisions/s  {games:>10.0} games/s", self.rate());
    }
}

fn main() {
    let seconds = std::env::var("FIZZLE_SECONDS").ok().and_then(|text| text.parse().ok()).filter(|s| *s > 0.0).unwrap_or(10.0);
    let span = Duration::from_secs_f64(seconds) / ROUNDS;
    let table = Table::new(sources());
    let by_hand = |game| {
        let (chance, bots) = seeds(SEED, game);
        duel::play(chance, bots, &mut ())
    };
    for game in 0..10 {
        assert_eq!(by_hand(game), table.play(SEED, game, &mut ()), "game {game}");
    }
    let (mut engine, mut hand) = (Played::default(), Played::default());
    for _ in 0..ROUNDS {
        engine.play(span, |game| table.play(SEED, game, &mut ()).decisions);
        hand.play(span, |game| by_hand(game).decisions);
    }
    engine.show("by Fizzle, no native code");
    hand.show("by hand in Rust");
    println!("by hand {:.0} times as fast", hand.rate() / engine.rate());
}
