//! The targets: each reads bytes that strangers wrote, and must return.

use crate::mutation::InputKind;
use crate::{play, seeds};
use fizzle_compiler::SourceFile;
use fizzle_runtime::ir::Artifact;
use fizzle_runtime::ir::artifact;
use fizzle_runtime::scenario::ScenarioRunner;
use fizzle_runtime::trace::{Trace, replay};
use fizzle_runtime::{deck, save_game};
use std::sync::Arc;

/// A target: something that reads what strangers wrote.
#[derive(Clone, Copy, Debug)]
pub struct Target {
    /// Its name, also of its corpus and of its `cargo fuzz` target.
    pub name: &'static str,
    /// What it does, in one line.
    pub doc: &'static str,
    /// How its inputs are changed.
    pub kind: InputKind,
    /// Valid inputs.
    pub seeds: fn() -> Vec<Vec<u8>>,
    /// Runs one input.
    pub run: fn(&[u8]),
}

/// The path of the input among the sources.
const INPUT: &str = "input.fz";

/// All targets.
pub const TARGETS: &[Target] = &[
    Target {
        name: "compile",
        doc: "sources to a game that is played",
        kind: InputKind::Text,
        seeds: seeds::sources,
        run: compile,
    },
    Target { name: "fmt", doc: "sources to formatted sources", kind: InputKind::Text, seeds: seeds::sources, run: fmt },
    Target { name: "scenario", doc: "scenarios, run", kind: InputKind::Text, seeds: seeds::scenarios, run: scenario },
    Target { name: "deck", doc: "decks, checked", kind: InputKind::Text, seeds: seeds::decks, run: deck_check },
    Target {
        name: "artifact",
        doc: "compiled packs to games that are played",
        kind: InputKind::ChecksummedBytes,
        seeds: seeds::artifacts,
        run: compiled_pack,
    },
    Target {
        name: "saved_game",
        doc: "saved games, played on",
        kind: InputKind::ChecksummedBytes,
        seeds: seeds::saved_games,
        run: saved_game,
    },
    Target { name: "trace", doc: "traces, replayed", kind: InputKind::ChecksummedBytes, seeds: seeds::traces, run: trace },
];

/// The target of a name.
#[must_use]
pub fn named(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}

/// A number that depends on the whole input, as the seed of what is played.
fn seed_of(input: &[u8]) -> u64 {
    xxhash_rust::xxh3::xxh3_64(input)
}

/// Compiles a text together with the shipped pack that it extends.
fn compiled(input: &[u8], with_texts: bool) -> fizzle_compiler::Compilation {
    let text = String::from_utf8_lossy(input).into_owned();
    let mut files = seeds::required_files(&text);
    files.push(SourceFile { path: INPUT.into(), text });
    fizzle_compiler::compile_with(files, with_texts)
}

/// Plays a game of each format. Of shipped formats only the first of each game: what an input changes is in all of them.
fn play_formats(artifact: &Artifact, seed: u64) {
    for game in &artifact.games {
        for format in 0..game.formats.len().min(2) {
            if let Some(mut machine) = play::start(game, format, seed) {
                play::play_on(&mut machine, seed, false);
            }
        }
    }
}

fn compile(input: &[u8]) {
    let compilation = compiled(input, true);
    if let Some(artifact) = &compilation.artifact {
        play_formats(artifact, seed_of(input));
    }
}

/// Formatting loses nothing and is stable: a second run changes nothing, and the tokens stay the same.
fn fmt(input: &[u8]) {
    let text = String::from_utf8_lossy(input);
    let formatted = fizzle_grammar::format(&text);
    assert!(fizzle_grammar::format(&formatted) == formatted, "formatting twice changes more");
    let significant = |text: &str| -> Vec<String> {
        let tokens = fizzle_grammar::lexer::tokens(text).into_iter();
        tokens.filter(|token| !token.kind.is_trivia()).map(|token| token.text(text).to_owned()).collect()
    };
    assert!(significant(&text) == significant(&formatted), "formatting changes tokens");
}

fn scenario(input: &[u8]) {
    let compilation = compiled(input, false);
    let Some(artifact) = &compilation.artifact else { return };
    let in_input = |source: fizzle_runtime::ir::op::Source| compilation.sources.path(source.file) == INPUT;
    for game in &artifact.games {
        let runner = ScenarioRunner::new(game);
        for scenario in game.scenarios.iter().filter(|scenario| in_input(scenario.source)) {
            let _result = runner.run(scenario, true);
        }
    }
}

fn deck_check(input: &[u8]) {
    let compilation = compiled(input, false);
    let Some(artifact) = &compilation.artifact else { return };
    for game in &artifact.games {
        for deck in game.decks.iter().filter(|deck| compilation.sources.path(deck.source.file) == INPUT) {
            let Some(format) = game.formats.iter().position(|format| format.name == deck.format) else { continue };
            let pool: Vec<_> = deck.sections.iter().flat_map(|(_, cards)| cards.iter().map(|(_, card)| *card)).collect();
            if let Some(program) = fizzle_runtime::program::Program::link(game, format, &pool) {
                let _problems = deck::check(&Arc::new(program), deck, &game.ancestors(&deck.format));
            }
        }
    }
}

/// The checksums are set right first, so that the verifier sees what a forger would show it.
fn compiled_pack(input: &[u8]) {
    let forged = artifact::with_valid_checksums(input);
    let Ok(artifact) = artifact::decode(forged.as_deref().unwrap_or(input)) else { return };
    let seed = seed_of(input);
    play_formats(&artifact, seed);
    for game in &artifact.games {
        let runner = ScenarioRunner::new(game);
        for scenario in game.scenarios.iter().take(2) {
            let _result = runner.run(scenario, false);
        }
    }
}

/// The same bytes with the checksum that they have in the last eight.
fn with_valid_checksum(input: &[u8]) -> Vec<u8> {
    let summed = input.get(..input.len().saturating_sub(8)).unwrap_or(&[]);
    let mut bytes = summed.to_vec();
    bytes.extend(xxhash_rust::xxh3::xxh3_64(summed).to_le_bytes());
    bytes
}

fn saved_game(input: &[u8]) {
    let bytes = with_valid_checksum(input);
    for program in seeds::PROGRAMS.iter() {
        if let Ok(mut machine) = save_game::load(Arc::clone(program), &bytes) {
            machine.limits.fuel = play::FUEL;
            play::play_on(&mut machine, seed_of(input), true);
        }
    }
}

fn trace(input: &[u8]) {
    let bytes = with_valid_checksum(input);
    let Ok(trace) = Trace::decode(&bytes) else { return };
    for game in seeds::ARTIFACTS.iter().flat_map(|artifact| &artifact.games) {
        if game.name != trace.header.game {
            continue;
        }
        if let Ok((program, seats)) = trace.link(game) {
            let _result = replay(&trace, program, &seats);
        }
    }
}
