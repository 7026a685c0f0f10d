//! Benchmark of loading a game from a compiled pack of 30,000 cards on disk. The file is opened, and the rules and the cards of two decks
//! are read, verified and linked. For comparison, the whole file is read and verified.
//!
//! `cargo bench -p fizzle-cli --bench load`. `FIZZLE_CARDS` sets the number of cards. `FIZZLE_PACK` names an existing compiled pack to use
//! instead; it must contain the game `duel_masters`.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a benchmark")]

#[allow(dead_code, reason = "the other benchmarks use the rest")]
#[path = "../src/commands/bench/cpu_time.rs"]
mod cpu_time;
#[allow(dead_code, reason = "the generator of packs uses the rest")]
#[path = "../examples/generate_pack/pack.rs"]
mod generate;
#[path = "../src/pack_file.rs"]
mod pack_file;
#[path = "../tests/shipped/sources.rs"]
mod sources;

use cpu_time::Clock;
use fizzle_compiler::SourceFile;
use fizzle_runtime::ir::DefId;
use fizzle_runtime::ir::artifact::{Pack, PackContents, decode, encode};
use fizzle_runtime::program::Program;
use pack_file::PackFile;
use std::time::Duration;

const ROUNDS: usize = 31;
const GAME: &str = "duel_masters";

/// Runs a closure [`ROUNDS`] times, prints the minimum, median and maximum of its CPU times, and returns its last result.
fn time_rounds<T>(name: &str, mut round: impl FnMut() -> T) -> T {
    let mut times: Vec<Duration> = Vec::new();
    let mut last = None;
    for _ in 0..ROUNDS {
        let clock = Clock::start();
        last = Some(round());
        times.push(clock.elapsed());
    }
    times.sort_unstable();
    println!("{name:<44} least {:>9.1?}  median {:>9.1?}  most {:>9.1?}", times[0], times[ROUNDS / 2], times[ROUNDS - 1]);
    last.unwrap()
}

fn build_pack(cards: usize) -> String {
    let mut files = sources::sources();
    let generated = generate::pack(cards, 1_000).into_iter();
    files.extend(generated.map(|(path, text)| SourceFile { path: format!("generated/{path}"), text }));
    let artifact = fizzle_compiler::compile_with(files, true).artifact.unwrap();
    let path = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("load.fzb");
    std::fs::write(&path, encode(&artifact).unwrap()).unwrap();
    path.to_str().unwrap().to_owned()
}

fn main() {
    let cards = std::env::var("FIZZLE_CARDS").ok().and_then(|text| text.parse().ok()).unwrap_or(30_000);
    let path = std::env::var("FIZZLE_PACK").unwrap_or_else(|_| build_pack(cards));
    let open_pack = || {
        let (file, metadata) = fizzle::files::open_regular(path.as_ref()).unwrap();
        Pack::open(PackFile::new(file, metadata.len())).unwrap()
    };
    let heads = open_pack().headers().clone();
    let game = heads.games.iter().position(|game| game.name == GAME).unwrap();
    let decks = heads.games[game].decks.iter().filter(|deck| deck.format == GAME).take(2);
    let pool: Vec<DefId> = decks.flat_map(|deck| &deck.sections).flat_map(|(_, cards)| cards).map(|(_, card)| *card).collect();
    println!("{} bytes, times of the processor, {ROUNDS} rounds", std::fs::metadata(&path).unwrap().len());
    time_rounds("opened", open_pack);
    let part =
        time_rounds("opened, rules and two decks read", || open_pack().load_part(game, &pool, PackContents::Play).unwrap());
    let link = || Program::link(&part, 0, &pool).unwrap();
    time_rounds("of that, linked", link);
    time_rounds("opened, read and linked", || {
        Program::link(&open_pack().load_part(game, &pool, PackContents::Play).unwrap(), 0, &pool).unwrap()
    });
    time_rounds("the same with texts", || open_pack().load_part(game, &pool, PackContents::Texts).unwrap());
    time_rounds("all of it read and dropped", || decode(&std::fs::read(&path).unwrap()).unwrap().games.len());
}
