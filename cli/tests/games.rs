//! Whole games of every shipped family, as properties: determinism, saving, cloning, and the harness of the kernel.
//!
//! `FIZZLE_GAMES` sets how many games of each family are played (the short form of CI is 100, the long one 200 and more).

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use fizzle_compiler::SourceFile;
use fizzle_runtime::bot::{self, Bot};
use fizzle_runtime::game::{SeatCards, seat_cards, start_seats};
use fizzle_runtime::harness::Harness;
use fizzle_runtime::ir::Artifact;
use fizzle_runtime::program::Program;
use fizzle_runtime::saved;
use fizzle_runtime::view::view;
use fizzle_runtime::vm::{Machine, Outcome, Step};
use std::path::Path;
use std::sync::{Arc, OnceLock};

const FORMATS: [&str; 4] = ["duel_masters", "duel_magic", "magic", "yugioh"];

fn games() -> u64 {
    std::env::var("FIZZLE_GAMES").ok().and_then(|n| n.parse().ok()).unwrap_or(100)
}

fn sources(folder: &Path, root: &Path, files: &mut Vec<SourceFile>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            sources(&path, root, files);
        } else if path.extension().is_some_and(|e| e == "fz") {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            files.push(SourceFile { path: name, text: std::fs::read_to_string(&path).unwrap() });
        }
    }
}

fn shipped() -> &'static Artifact {
    static SHIPPED: OnceLock<Artifact> = OnceLock::new();
    SHIPPED.get_or_init(|| {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let mut files = Vec::new();
        sources(&root.join("cards"), root, &mut files);
        fizzle_compiler::compile(files).artifact.unwrap()
    })
}

/// The program of a format and the cards of its first two decks (of the format itself, else of the one it extends).
fn table(format: &str) -> (Arc<Program>, Vec<SeatCards>) {
    let game = shipped().games.iter().find(|g| g.formats.iter().any(|f| f.name == format)).unwrap();
    let index = game.formats.iter().position(|f| f.name == format).unwrap();
    let mut decks: Vec<_> = game.decks.iter().filter(|d| d.format == format).collect();
    if decks.len() < 2 {
        let base = game.formats[index].base.clone().unwrap();
        decks = game.decks.iter().filter(|d| d.format == base).collect();
    }
    let program = Arc::new(Program::link(game, index, &[]).unwrap());
    let seats = decks.iter().take(2).map(|deck| seat_cards(&program, deck)).collect();
    (program, seats)
}

fn bots(seed: u64, game: u64) -> Vec<Box<dyn Bot>> {
    (0..2).map(|seat| bot::named("random", seed, game, seat).unwrap()).collect()
}

/// Plays on to the end, calling `at` at every decision. The hash of every state is folded into the result.
fn play(machine: &mut Machine, bots: &mut [Box<dyn Bot>], mut at: impl FnMut(&mut Machine, usize)) -> (Outcome, u64) {
    let mut folded = 0u64;
    let mut number = 0;
    loop {
        match machine.step() {
            Step::Over(outcome) => return (outcome, folded ^ machine.state.hash()),
            Step::Asked(decision) => {
                at(machine, number);
                number += 1;
                let picks = decision.forced().unwrap_or_else(|| bots[decision.player].choose(machine, &decision));
                machine.answer(&picks).unwrap();
                folded = folded.rotate_left(7) ^ machine.state.hash();
            }
        }
    }
}

#[test]
fn the_same_seed_and_answers_give_the_same_states() {
    for format in FORMATS {
        let (program, seats) = table(format);
        for game in 0..games().min(30) {
            let mut first = start_seats(Arc::clone(&program), &seats, game).unwrap();
            let mut second = start_seats(Arc::clone(&program), &seats, game).unwrap();
            assert_eq!(
                play(&mut first, &mut bots(1, game), |_, _| {}),
                play(&mut second, &mut bots(1, game), |_, _| {}),
                "{format}"
            );
        }
    }
}

#[test]
fn saving_and_loading_at_every_decision_changes_nothing() {
    for format in FORMATS {
        let (program, seats) = table(format);
        for game in 0..games() {
            let mut straight = start_seats(Arc::clone(&program), &seats, game).unwrap();
            let expected = play(&mut straight, &mut bots(2, game), |_, _| {});
            let mut again = start_seats(Arc::clone(&program), &seats, game).unwrap();
            let reloaded = play(&mut again, &mut bots(2, game), |machine, _| {
                let bytes = saved::save(machine);
                *machine = saved::load(Arc::clone(&program), &bytes).unwrap();
            });
            assert_eq!(expected, reloaded, "{format}, game {game}");
        }
    }
}

#[test]
fn a_clone_goes_the_same_way() {
    for format in FORMATS {
        let (program, seats) = table(format);
        for game in 0..games().min(20) {
            let mut machine = start_seats(Arc::clone(&program), &seats, game).unwrap();
            let mut clones = Vec::new();
            play(&mut machine, &mut bots(3, game), |machine, number| {
                if number % 37 == 5 && clones.len() < 4 {
                    clones.push(machine.clone());
                }
            });
            for clone in clones {
                let mut a = clone.clone();
                let mut b = clone;
                assert_eq!(play(&mut a, &mut bots(4, game), |_, _| {}), play(&mut b, &mut bots(4, game), |_, _| {}), "{format}");
            }
        }
    }
}

#[test]
fn the_harness_holds_at_every_decision() {
    for format in FORMATS {
        let (program, seats) = table(format);
        for game in 0..games() {
            let mut machine = start_seats(Arc::clone(&program), &seats, game).unwrap();
            let harness = Harness::start(&machine);
            let (outcome, _) = play(&mut machine, &mut bots(5, game), |machine, number| {
                if let Err(problem) = harness.check(machine) {
                    panic!("{format}, game {game}, decision {number}: {problem}");
                }
            });
            assert!(!matches!(outcome, Outcome::Budget(_)), "{format}, game {game}: {outcome:?}");
        }
    }
}

/// Where both choose before either choice is shown, the second one is asked the same whatever the first one has chosen.
#[test]
fn a_choice_made_first_does_not_show() {
    let (program, seats) = table("duel_magic_hands");
    let seen: Vec<_> = (1..=3)
        .map(|hand| {
            let mut machine = start_seats(Arc::clone(&program), &seats, 1).unwrap();
            let Step::Asked(first) = machine.step() else { panic!("somebody chooses") };
            assert_eq!(first.player, 0);
            machine.answer(&[hand]).unwrap();
            let Step::Asked(second) = machine.step() else { panic!("the other one chooses") };
            assert_eq!(second.player, 1);
            view(&mut machine, 1)
        })
        .collect();
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[1], seen[2]);
}

#[test]
fn shipped_decks_are_legal() {
    for game in &shipped().games {
        for deck in &game.decks {
            let index = game.formats.iter().position(|f| f.name == deck.format).unwrap();
            let program = Arc::new(Program::link(game, index, &[]).unwrap());
            let problems = fizzle_runtime::deck::check(&program, deck, std::slice::from_ref(&deck.format));
            assert!(problems.is_empty(), "{}: {problems:?}", deck.name);
        }
    }
}
