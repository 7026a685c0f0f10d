//! Compares native code with the interpreter: the same games must have the same state after every decision.
//!
//! `FIZZLE_GAMES` sets how many games of each family are played (a quick run plays 10, a full run 5000 and more).
//! `FIZZLE_FORMAT` names the only format that is played.

#![cfg(feature = "jit")]
#![allow(clippy::unwrap_used, clippy::panic, clippy::disallowed_methods, missing_docs)]

#[allow(dead_code, reason = "each test uses a part of the module")]
#[path = "../../cli/tests/shipped/mod.rs"]
mod shipped;

use fizzle_runtime::game::{SeatCards, start_seats};
use fizzle_runtime::jit::{CompileMode, InjectedFault, Jit};
use fizzle_runtime::program::Program;
use fizzle_runtime::vm::StepResult;
use shipped::{FORMATS, bots, decks, game_count};
use std::sync::Arc;

fn with_jit(program: &Arc<Program>, mode: CompileMode, fault: InjectedFault) -> Arc<Program> {
    let mut program = (**program).clone();
    program.jit = Jit::new(mode, fault);
    Arc::new(program)
}

/// Plays a game with both programs. Returns the number of the first decision after which they differ.
fn difference(one: &Arc<Program>, other: &Arc<Program>, seats: &[SeatCards], game: u64) -> Option<usize> {
    let [mut one, mut other] = [one, other].map(|program| start_seats(Arc::clone(program), seats, game).unwrap());
    let mut bots = bots(5, game);
    for number in 0.. {
        let steps = (one.step(), other.step());
        if steps.0 != steps.1 || one.state.hash() != other.state.hash() {
            return Some(number);
        }
        let StepResult::Decision(decision) = steps.0 else { break };
        let picks = decision.forced().unwrap_or_else(|| bots[decision.player].choose(&one, &decision));
        one.answer(&picks).unwrap();
        other.answer(&picks).unwrap();
    }
    None
}

/// Plays games of a format between all its decks in turn. Returns the first game that differs, and the decision.
fn first_difference(format: &str, mode: CompileMode, fault: InjectedFault, games: u64) -> Option<(u64, usize)> {
    let (_, decks) = decks(format);
    // Linked for the cards of all decks, so that code about other cards is not compiled.
    let pool: Vec<_> = decks.iter().flat_map(|(_, cards)| cards).flat_map(|(_, cards)| cards.clone()).collect();
    let program = shipped::link(format, &pool, 2);
    let (compiled, interpreted) = (with_jit(&program, mode, fault), with_jit(&program, CompileMode::Off, InjectedFault::None));
    let deck = |number: u64| decks[number as usize % decks.len()].1.clone();
    let found = (0..games).find_map(|game| {
        let seats = [deck(game), deck(game / 3 + 1)];
        difference(&compiled, &interpreted, &seats, game).map(|decision| (game, decision))
    });
    assert!(compiled.jit.compiled_count() > 0 || mode != CompileMode::Eager, "{format}: nothing was compiled");
    assert_eq!(interpreted.jit.compiled_count(), 0);
    found
}

#[test]
fn compiled_and_interpreted_games_are_identical() {
    for format in shipped::selected_formats(&FORMATS) {
        assert_eq!(
            first_difference(format, CompileMode::Eager, InjectedFault::None, game_count(10)),
            None,
            "{format}: game, decision"
        );
    }
}

#[test]
fn games_do_not_depend_on_when_functions_are_compiled() {
    for format in shipped::selected_formats(&FORMATS) {
        assert_eq!(
            first_difference(format, CompileMode::After(2_000), InjectedFault::None, game_count(10)),
            None,
            "{format}: game, decision"
        );
    }
}

#[test]
fn injected_lowering_fault_is_detected() {
    assert!(first_difference("magic", CompileMode::Eager, InjectedFault::Less, 20).is_some());
}
