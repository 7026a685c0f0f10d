//! Benchmark of the engine against the handwritten duel (`duel`), which is the upper bound of its speed. Both play the same games, in
//! alternating rounds of one run. It prints decisions and games per second of CPU time.
//!
//! `cargo bench -p fizzle-cli --bench handwritten`. `FIZZLE_SECONDS` sets how long each of the two plays in total (10).

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, missing_docs, reason = "a benchmark")]

#[path = "../src/commands/bench/cpu_time.rs"]
mod cpu_time;
#[expect(clippy::mod_module_files, reason = "a test shares it, and `benches/duel.rs` would be a bench")]
mod duel;

use cpu_time::Clock;
use duel::engine::{EngineDuel, game_seeds, sources};
use std::time::Duration;

/// The seed of the games.
const SEED: u64 = 1;
/// The number of rounds in which the two alternate.
const ROUNDS: u32 = 10;

/// What one engine has played so far, and its CPU time.
#[derive(Default)]
struct Measurement {
    games: u64,
    decisions: u64,
    time: Duration,
}

impl Measurement {
    /// Plays games until `duration` of wall time has passed. `game` plays one and returns its number of decisions.
    fn play(&mut self, duration: Duration, mut game: impl FnMut(u64) -> u64) {
        let clock = Clock::start();
        while clock.wall() < duration {
            self.decisions += game(self.games);
            self.games += 1;
        }
        self.time += clock.elapsed();
    }

    fn rate(&self) -> f64 {
        self.decisions as f64 / self.time.as_secs_f64()
    }

    fn print(&self, name: &str) {
        let games = self.games as f64 / self.time.as_secs_f64();
        println!("{name:<28} {:>12.0} decisions/s  {games:>10.0} games/s", self.rate());
    }
}

fn main() {
    let seconds = std::env::var("FIZZLE_SECONDS").ok().and_then(|text| text.parse().ok()).filter(|s| *s > 0.0).unwrap_or(10.0);
    let duration = Duration::from_secs_f64(seconds) / ROUNDS;
    let engine_duel = EngineDuel::new(sources());
    let play_handwritten = |game| {
        let (chance, bots) = game_seeds(SEED, game);
        duel::play(chance, bots, &mut ())
    };
    for game in 0..10 {
        assert_eq!(play_handwritten(game), engine_duel.play(SEED, game, &mut ()), "game {game}");
    }
    let (mut engine, mut handwritten) = (Measurement::default(), Measurement::default());
    for _ in 0..ROUNDS {
        engine.play(duration, |game| engine_duel.play(SEED, game, &mut ()).decisions);
        handwritten.play(duration, |game| play_handwritten(game).decisions);
    }
    engine.print("by Fizzle, no native code");
    handwritten.print("by hand in Rust");
    println!("by hand {:.0} times as fast", handwritten.rate() / engine.rate());
}
