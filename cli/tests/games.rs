//! Property tests on whole games of every shipped family: determinism, saving, cloning, automatic passes and kernel invariants.
//!
//! `FIZZLE_GAMES` sets how many games of each family are played (a quick run plays 30, a full run 200 and more).
//! `FIZZLE_FORMAT` names the only format that is played.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[allow(dead_code, reason = "each test uses a part of the module")]
mod shipped;

use fizzle_bots::Bot;
use fizzle_runtime::game::RecordedAnswer;
use fizzle_runtime::game::{RecordedGame, start_seats};
use fizzle_runtime::invariants::InvariantChecker;
use fizzle_runtime::packed_list::PackedList;
use fizzle_runtime::program::Program;
use fizzle_runtime::save_game;
use fizzle_runtime::trace::{Trace, replay};
use fizzle_runtime::view::view;
use fizzle_runtime::vm::{Budget, Machine, Outcome, StepResult};
use shipped::{FORMATS, artifact, bots, decks, game_setup};
use std::sync::Arc;

fn game_count() -> u64 {
    shipped::game_count(30)
}

/// Plays to the end and calls `at` at every decision. Returns the outcome, and a hash of all states and of the fuel spent before each
/// decision.
fn play(machine: &mut Machine, bots: &mut [Box<dyn Bot>], mut at: impl FnMut(&mut Machine, usize)) -> (Outcome, u64) {
    let mut folded = 0u64;
    let mut number = 0;
    loop {
        match machine.step() {
            StepResult::Over(outcome) => return (outcome, folded ^ machine.state.hash()),
            StepResult::Decision(decision) => {
                folded = folded.rotate_left(11) ^ machine.fuel();
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
fn games_are_deterministic() {
    for format in shipped::selected_formats(&FORMATS) {
        let (program, seats) = game_setup(format);
        for game in 0..game_count().min(30) {
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
    for format in shipped::selected_formats(&FORMATS) {
        let (program, seats) = game_setup(format);
        for game in 0..game_count() {
            let mut uninterrupted = start_seats(Arc::clone(&program), &seats, game).unwrap();
            let expected = play(&mut uninterrupted, &mut bots(2, game), |_, _| {});
            let mut reloading = start_seats(Arc::clone(&program), &seats, game).unwrap();
            let reloaded = play(&mut reloading, &mut bots(2, game), |machine, _| {
                let bytes = save_game::save(machine);
                *machine = save_game::load(Arc::clone(&program), &bytes).unwrap();
            });
            assert_eq!(expected, reloaded, "{format}, game {game}");
        }
    }
}

#[test]
fn clones_play_identically() {
    for format in shipped::selected_formats(&FORMATS) {
        let (program, seats) = game_setup(format);
        for game in 0..game_count().min(20) {
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

/// Pairings that can reach a loop with choices that no answer ends. The page of the pack documents it.
const PAIRINGS_WITH_LOOPS: [(&str, &str); 1] = [("White blue control", "White blue control")];

/// Plays every pairing of a format's decks, mirrors included. Each game ends within its budgets, offered answers are accepted, and no
/// card is lost or duplicated; cards are counted after every commit. `FIZZLE_PAIRINGS` sets the number of games of each pairing (one in
/// CI).
#[test]
fn every_pairing_ends_and_loses_no_card() {
    let each = std::env::var("FIZZLE_PAIRINGS").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    for format in shipped::selected_formats(&FORMATS) {
        let (program, decks) = decks(format);
        assert!(decks.len() >= 2, "{format}");
        for first in 0..decks.len() {
            for second in first..decks.len() {
                let names = format!("{format}: {} against {}", decks[first].0, decks[second].0);
                let seats = [decks[first].1.clone(), decks[second].1.clone()];
                for game in 0..each {
                    let mut machine = start_seats(Arc::clone(&program), &seats, game).unwrap();
                    let checker = InvariantChecker::start(&machine);
                    let mut players = bots(9, game);
                    let outcome = loop {
                        match checker.step(&mut machine).unwrap_or_else(|problem| panic!("{names}, game {game}: {problem}")) {
                            StepResult::Over(outcome) => break outcome,
                            StepResult::Decision(decision) => {
                                let picks =
                                    decision.forced().unwrap_or_else(|| players[decision.player].choose(&machine, &decision));
                                machine.answer(&picks).unwrap_or_else(|refusal| panic!("{names}, game {game}: {refusal}"));
                            }
                        }
                    };
                    let may_loop = PAIRINGS_WITH_LOOPS.contains(&(decks[first].0.as_str(), decks[second].0.as_str()));
                    let ran_out_of_budget =
                        matches!(outcome, Outcome::Budget(_)) && !(may_loop && outcome == Outcome::Budget(Budget::Decisions));
                    assert!(!ran_out_of_budget, "{names}, game {game}: {outcome:?}");
                }
            }
        }
    }
}

/// Games of four players with four successive decks, starting with each of the first two decks (with every deck if `FIZZLE_PAIRINGS` is
/// set). A game ends within its budgets, offered answers are accepted, and no card is lost or duplicated although players leave. The
/// state stays small, saving and views work, and the trace of the game replays to the byte.
#[test]
fn four_player_games_end_and_replay() {
    let long: Option<u64> = std::env::var("FIZZLE_PAIRINGS").ok().and_then(|n| n.parse().ok());
    let seats = 4;
    let (_, decks) = shipped::decks_for("magic", seats);
    for first in 0..(if long.is_some() { decks.len() } else { 2 }) {
        let cards: Vec<_> = (0..seats).map(|seat| decks[(first + seat) % decks.len()].1.clone()).collect();
        // Linked for the cards of all four decks, as in real games.
        let pool: Vec<_> = cards.iter().flatten().flat_map(|(_, cards)| cards.clone()).collect();
        let program = shipped::link("magic", &pool, seats);
        for game in 0..long.unwrap_or(1) {
            let place = format!("from deck {first}, game {game}");
            let mut machine = start_seats(Arc::clone(&program), &cards, game).unwrap();
            let checker = InvariantChecker::start(&machine);
            let mut players = shipped::bots_for(seats, 9, game);
            let mut answers = Vec::new();
            let mut number = 0;
            let mut max_left = 0;
            let outcome = loop {
                let step = checker.step(&mut machine).unwrap_or_else(|problem| panic!("{place}, decision {number}: {problem}"));
                let decision = match step {
                    StepResult::Over(outcome) => break outcome,
                    StepResult::Decision(decision) => decision,
                };
                assert!(!machine.state.has_lost(decision.player), "{place}: a player who has lost is given a decision");
                let size = machine.state.block.words().len() * 4;
                // At most 64 KB at the start, then a guard against growth. Memory that a large batch once needed is kept for the next one.
                let limit = if number == 0 { 64 << 10 } else { 256 << 10 };
                assert!(size < limit, "{place}, decision {number}: the state has {size} bytes");
                number += 1;
                if number % 50 == 0 {
                    checker.check(&mut machine).unwrap_or_else(|problem| panic!("{place}, decision {number}: {problem}"));
                    (0..seats).for_each(|seat| drop(view(&mut machine, seat)));
                    machine = save_game::load(Arc::clone(&program), &save_game::save(&machine)).unwrap();
                }
                // One player concedes in the middle of the game.
                if number == 150 && game % 2 == 0 && machine.concede(1) {
                    answers.push(RecordedAnswer::concession(1));
                    continue;
                }
                let picks = decision.forced().unwrap_or_else(|| players[decision.player].choose(&machine, &decision));
                answers.push(RecordedAnswer::new(&decision, &picks));
                machine.answer(&picks).unwrap_or_else(|refusal| panic!("{place}: {refusal}"));
                max_left = max_left.max((0..seats).filter(|seat| machine.state.has_left(*seat)).count());
            };
            assert!(!matches!(outcome, Outcome::Budget(_)), "{place}: {outcome:?}");
            // A player leaves before the end, unless all others lose simultaneously or a mandatory loop ends the game for all.
            let all_others_lost = |winner: usize| (0..seats).all(|seat| seat == winner || machine.state.has_lost(seat));
            let ended_for_all = match outcome {
                Outcome::Won(winner) => all_others_lost(winner),
                other => other == Outcome::Drawn,
            };
            assert!(max_left >= 1 || ended_for_all, "{place}: no player left before the end; {outcome:?}");
            let trace = Trace::new("magic", &machine, &cards, game, answers);
            let trace = Trace::decode(&trace.encode()).unwrap();
            replay(&trace, Arc::clone(&program), &cards).unwrap();
        }
    }
}

/// State, log and answers are the same whether forced passes are made automatically or answered by the driver.
#[test]
fn automatic_passes_equal_answered_passes() {
    for format in shipped::selected_formats(&FORMATS) {
        let (program, seats) = game_setup(format);
        for game in 0..game_count().min(30) {
            let mut answering = start_seats(Arc::clone(&program), &seats, game).unwrap();
            if game % 2 == 1 {
                // So small a budget that the game ends in the middle of a turn, at a pass or elsewhere.
                answering.limits.turn_decisions = 4 + game as u32 / 2;
            }
            answering.recording = game % 3 == 0;
            let mut auto_passing = RecordedGame::new(answering.clone());
            let (mut players, mut answers) = (bots(11, game), PackedList::default());
            loop {
                let step = auto_passing.advance();
                let same = loop {
                    match answering.step() {
                        StepResult::Decision(decision) if decision.forced().is_some() => {
                            let picks = decision.forced().unwrap_or_default();
                            answering.answer(&picks).unwrap();
                            assert!(answers.push(&RecordedAnswer::new(&decision, &picks)));
                        }
                        step => break step,
                    }
                };
                assert_eq!(step, same, "{format}, game {game}, after {} answers", answers.len());
                assert_eq!(auto_passing.answers, answers, "{format}, game {game}");
                assert_eq!(auto_passing.machine.log, answering.log, "{format}, game {game}");
                let positions = [&auto_passing.machine, &answering].map(|machine| machine.state.position_hash(&program));
                assert_eq!(positions[0], positions[1], "{format}, game {game}, after {} answers", answers.len());
                let StepResult::Decision(decision) = step else { break };
                let picks = players[decision.player].choose(&answering, &decision);
                answering.answer(&picks).unwrap();
                assert!(answers.push(&RecordedAnswer::new(&decision, &picks)));
                auto_passing.answer(&decision, &picks).unwrap();
            }
        }
    }
}

#[test]
fn invariants_hold_at_every_decision_and_commit() {
    for format in shipped::selected_formats(&FORMATS) {
        let (program, seats) = game_setup(format);
        for game in 0..game_count() {
            let mut machine = start_seats(Arc::clone(&program), &seats, game).unwrap();
            let checker = InvariantChecker::start(&machine);
            let mut players = bots(5, game);
            let mut number = 0;
            let place = |number: usize| format!("{format}, game {game}, decision {number}");
            let outcome = loop {
                // The cards are counted after every commit.
                match checker.step(&mut machine).unwrap_or_else(|problem| panic!("{}: {problem}", place(number))) {
                    StepResult::Over(outcome) => break outcome,
                    StepResult::Decision(decision) => {
                        checker.check(&mut machine).unwrap_or_else(|problem| panic!("{}: {problem}", place(number)));
                        number += 1;
                        let picks = decision.forced().unwrap_or_else(|| players[decision.player].choose(&machine, &decision));
                        machine.answer(&picks).unwrap();
                    }
                }
            };
            assert!(!matches!(outcome, Outcome::Budget(_)), "{format}, game {game}: {outcome:?}");
        }
    }
}

/// If both players choose before either choice is revealed, the second player's view does not depend on the first choice.
#[test]
fn hidden_first_choice_does_not_affect_the_second_player() {
    let (program, seats) = game_setup("duel_magic_hands");
    let second_views: Vec<_> = (1..=3)
        .map(|hand| {
            let mut machine = start_seats(Arc::clone(&program), &seats, 1).unwrap();
            let StepResult::Decision(first) = machine.step() else { panic!("the first player must choose") };
            assert_eq!(first.player, 0);
            machine.answer(&[hand]).unwrap();
            let StepResult::Decision(second) = machine.step() else { panic!("the second player must choose") };
            assert_eq!(second.player, 1);
            view(&mut machine, 1)
        })
        .collect();
    assert_eq!(second_views[0], second_views[1]);
    assert_eq!(second_views[1], second_views[2]);
}

#[test]
fn shipped_decks_are_legal() {
    for game in &artifact().games {
        for deck in &game.decks {
            let index = game.formats.iter().position(|f| f.name == deck.format).unwrap();
            let program = Arc::new(Program::link(game, index, &[]).unwrap());
            let problems = fizzle_runtime::deck::check(&program, deck, std::slice::from_ref(&deck.format));
            assert!(problems.is_empty(), "{}: {problems:?}", deck.name);
        }
    }
}
