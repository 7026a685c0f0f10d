//! Benchmarks of compilation, random games, and copies and hashes of states.
//!
//! `cargo bench -p fizzle-cli --bench speed`

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "../tests/shipped/sources.rs"]
mod sources;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fizzle_bots::{self as bot, Bot};
use fizzle_compiler::SourceFile;
use fizzle_runtime::game::{SeatCards, advance, seat_cards, start_seats};
use fizzle_runtime::ir::Artifact;
use fizzle_runtime::program::Program;
use fizzle_runtime::vm::{Machine, StepResult};
use std::hint::black_box;
use std::sync::Arc;

/// The shipped sources and 1,000 generated cards of three common forms.
fn thousand_cards() -> Vec<SourceFile> {
    let mut files = sources::sources();
    let mut text = String::new();
    for n in 0..1000 {
        let power = 1000 * (n % 9 + 1);
        let ability = match n % 3 {
            0 => "",
            1 => "  when this enters battle { draw 1 }\n",
            _ => "  when this enters battle { destroy 1 creature of opponent with power <= 3000 }\n",
        };
        text.push_str(&format!(
            "card 《Bench {n}》 {{\n  creature  fire  race \"Bench\"  cost 4  power {power}\n{ability}}}\n\n"
        ));
    }
    files.push(SourceFile { path: "cards/duel_masters/cards/bench.fz".into(), text });
    files
}

fn link_first_decks(artifact: &Artifact, format: &str) -> (Arc<Program>, Vec<SeatCards>) {
    let game = artifact.games.iter().find(|g| g.formats.iter().any(|f| f.name == format)).unwrap();
    let index = game.formats.iter().position(|f| f.name == format).unwrap();
    let decks: Vec<_> = game.decks.iter().filter(|d| d.format == format).take(2).collect();
    let mut pool: Vec<_> = decks.iter().flat_map(|d| &d.sections).flat_map(|(_, cards)| cards).map(|(_, card)| *card).collect();
    pool.sort_unstable();
    pool.dedup();
    let program = Arc::new(Program::link(game, index, &pool).unwrap());
    let seats = decks.iter().map(|deck| seat_cards(&program, deck)).collect();
    (program, seats)
}

/// Plays a whole game with random bots. Returns the number of decisions with at least two legal answers.
fn play(program: &Arc<Program>, seats: &[SeatCards], seed: u64) -> u64 {
    let mut machine = start_seats(Arc::clone(program), seats, seed).unwrap();
    let mut bots: Vec<Box<dyn Bot>> = (0..2).map(|seat| bot::named("random", seed, 0, seat).unwrap()).collect();
    let mut decisions = 0;
    while let StepResult::Decision(decision) = advance(&mut machine) {
        decisions += 1;
        let picks = bots[decision.player].choose(&machine, &decision);
        machine.answer(&picks).unwrap();
    }
    decisions
}

/// A machine after 150 decisions of a random game.
fn midgame_machine(program: &Arc<Program>, seats: &[SeatCards]) -> Machine {
    let mut machine = start_seats(Arc::clone(program), seats, 7).unwrap();
    let mut bots: Vec<Box<dyn Bot>> = (0..2).map(|seat| bot::named("random", 7, 0, seat).unwrap()).collect();
    for _ in 0..150 {
        let StepResult::Decision(decision) = machine.step() else { break };
        let picks = decision.forced().unwrap_or_else(|| bots[decision.player].choose(&machine, &decision));
        machine.answer(&picks).unwrap();
    }
    machine
}

fn compiling(c: &mut Criterion) {
    let files = thousand_cards();
    let mut group = c.benchmark_group("compile");
    group.sample_size(10);
    group.throughput(Throughput::Elements(1000));
    group.bench_function("shipped packs and 1000 cards", |b| b.iter(|| black_box(fizzle_compiler::compile(files.clone()))));
    group.finish();
}

fn playing(c: &mut Criterion) {
    let artifact = fizzle_compiler::compile(sources::sources()).artifact.unwrap();
    for format in ["duel_masters", "duel_magic", "magic", "yugioh"] {
        let (program, seats) = link_first_decks(&artifact, format);
        let decisions: u64 = (0..20).map(|seed| play(&program, &seats, seed)).sum();
        let mut group = c.benchmark_group(format);
        group.sample_size(10);
        group.throughput(Throughput::Elements(decisions));
        group.bench_function("20 random games (elements: decisions)", |b| {
            b.iter(|| (0..20).map(|seed| play(&program, &seats, seed)).sum::<u64>());
        });
        let machine = midgame_machine(&program, &seats);
        let words = machine.state.block.words().to_vec();
        let bytes = words.len() as u64 * 4;
        group.throughput(Throughput::Bytes(bytes));
        group.bench_function("copy of the same bytes", |b| {
            let mut target = words.clone();
            b.iter(|| target.copy_from_slice(black_box(&words)));
        });
        group.bench_function("state into a pooled one", |b| {
            let mut target = machine.state.clone();
            b.iter(|| target.block.copy_from(black_box(&machine.state.block)));
        });
        group.bench_function("clone of the state", |b| b.iter(|| black_box(machine.state.clone())));
        group.bench_function("hash of the state", |b| b.iter(|| black_box(machine.state.hash())));
        group.finish();
    }
}

criterion_group!(benches, compiling, playing);
criterion_main!(benches);
