//! Whole games of every shipped family, as properties: determinism, saving, cloning, and the harness of the kernel.
//!
//! `FIZZLE_GAMES` sets how many games of each family are played (the short form of CI is 100, the long one 200 and more);
//! `FIZZLE_FORMAT` names the only format that is played.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[allow(dead_code, reason = "each test uses a part of it")]
mod shipped;

use fizzle_runtime::bot::Bot;
use fizzle_runtime::game::{RecordedGame, start_seats};
use fizzle_runtime::invariants::InvariantChecker;
use fizzle_runtime::program::Program;
use fizzle_runtime::save_game;
use fizzle_runtime::trace::{RecordedAnswer, Trace, replay};
use fizzle_runtime::view::view;
use fizzle_runtime::vm::{Budget, Machine, Outcome, StepResult};
use shipped::{FORMATS, artifact, bots, decks, table};
use std::sync::Arc;

fn games() -> u64 {
    shipped::games(100)
}

/// Plays on to the end, calling `at` at every decision. The hash of every state, and the operations that led to it, are folded into the
/// result.
fn play(machine: &mut Machine, bots: &mut [Box<dyn Bot>], mut at: impl FnMut(&mut Machine, usize)) -> (Outcome, u64) {
    let mut folded = 0u64;
    let mut number = 0;
    loop {
        match machine.step() {
            StepResult::Over(outcome) => return (outcome, folded ^ machine.state.hash()),
            StepResult::Asked(decision) => {
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
fn the_same_seed_and_answers_give_the_same_states() {
    for format in shipped::played(&FORMATS) {
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
    for format in shipped::played(&FORMATS) {
        let (program, seats) = table(format);
        for game in 0..games() {
            let mut straight = start_seats(Arc::clone(&program), &seats, game).unwrap();
            let expected = play(&mut straight, &mut bots(2, game), |_, _| {});
            let mut again = start_seats(Arc::clone(&program), &seats, game).unwrap();
            let reloaded = play(&mut again, &mut bots(2, game), |machine, _| {
                let bytes = save_game::save(machine);
                *machine = save_game::load(Arc::clone(&program), &bytes).unwrap();
            });
            assert_eq!(expected, reloaded, "{format}, game {game}");
        }
    }
}

#[test]
fn a_clone_goes_the_same_way() {
    for format in shipped::played(&FORMATS) {
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

/// Pairings that may come to a loop which no answer ends, though it has choices: the page of the pack tells of it.
const LOOPS: [(&str, &str); 1] = [("White blue control", "White blue control")];

/// Every pairing of a format's decks, mirrors included: a game ends within its budgets, what is offered is accepted, and no card is lost or
/// doubled, counted after every commit. `FIZZLE_PAIRINGS` says how many games each pairing plays (one in CI).
#[test]
fn every_pairing_ends_and_loses_no_card() {
    let each = std::env::var("FIZZLE_PAIRINGS").ok().and_then(|n| n.parse().ok()).unwrap_or(1);
    for format in shipped::played(&FORMATS) {
        let (program, decks) = decks(format);
        assert!(decks.len() >= 2, "{format}");
        for first in 0..decks.len() {
            for second in first..decks.len() {
                let names = format!("{format}: {} against {}", decks[first].0, decks[second].0);
                let seats = [decks[first].1.clone(), decks[second].1.clone()];
                for game in 0..each {
                    let mut machine = start_seats(Arc::clone(&program), &seats, game).unwrap();
                    let harness = InvariantChecker::start(&machine);
                    let mut players = bots(9, game);
                    let outcome = loop {
                        match harness.step(&mut machine).unwrap_or_else(|problem| panic!("{names}, game {game}: {problem}")) {
                            StepResult::Over(outcome) => break outcome,
                            StepResult::Asked(decision) => {
                                let picks =
                                    decision.forced().unwrap_or_else(|| players[decision.player].choose(&machine, &decision));
                                machine.answer(&picks).unwrap_or_else(|refusal| panic!("{names}, game {game}: {refusal}"));
                            }
                        }
                    };
                    let explained = LOOPS.contains(&(decks[first].0.as_str(), decks[second].0.as_str()));
                    let budget =
                        matches!(outcome, Outcome::Budget(_)) && !(explained && outcome == Outcome::Budget(Budget::Decisions));
                    assert!(!budget, "{names}, game {game}: {outcome:?}");
                }
            }
        }
    }
}

/// Four players at a table: four decks in a row, from each of the first two (from every deck where `FIZZLE_PAIRINGS` is set). A game ends
/// within its budgets, what is offered is accepted, no card is lost or doubled though players leave, the state stays small, saves and views
/// hold, and the trace of the game is replayed to the byte.
#[test]
fn a_table_of_four_plays_to_its_end() {
    let long: Option<u64> = std::env::var("FIZZLE_PAIRINGS").ok().and_then(|n| n.parse().ok());
    let seats = 4;
    let (_, decks) = shipped::decks_for("magic", seats);
    for first in 0..(if long.is_some() { decks.len() } else { 2 }) {
        let cards: Vec<_> = (0..seats).map(|seat| decks[(first + seat) % decks.len()].1.clone()).collect();
        // Linked for the cards of the table, as games are.
        let pool: Vec<_> = cards.iter().flatten().flat_map(|(_, cards)| cards.clone()).collect();
        let program = shipped::linked("magic", &pool, seats);
        for game in 0..long.unwrap_or(1) {
            let place = format!("from deck {first}, game {game}");
            let mut machine = start_seats(Arc::clone(&program), &cards, game).unwrap();
            let harness = InvariantChecker::start(&machine);
            let mut players = shipped::bots_for(seats, 9, game);
            let mut answers = Vec::new();
            let mut number = 0;
            let mut left = 0;
            let outcome = loop {
                let step = harness.step(&mut machine).unwrap_or_else(|problem| panic!("{place}, decision {number}: {problem}"));
                let decision = match step {
                    StepResult::Over(outcome) => break outcome,
                    StepResult::Asked(decision) => decision,
                };
                assert!(!machine.state.has_lost(decision.player), "{place}: who has left is asked");
                let size = machine.state.block.words().len() * 4;
                // At the start at most 64 KB; then a guard against growth. Room that a large batch once took is kept for the next one.
                let limit = if number == 0 { 64 << 10 } else { 256 << 10 };
                assert!(size < limit, "{place}, decision {number}: the state has {size} bytes");
                number += 1;
                if number % 50 == 0 {
                    harness.check(&mut machine).unwrap_or_else(|problem| panic!("{place}, decision {number}: {problem}"));
                    (0..seats).for_each(|seat| drop(view(&mut machine, seat)));
                    machine = save_game::load(Arc::clone(&program), &save_game::save(&machine)).unwrap();
                }
                // One player gives up in the middle of the game.
                if number == 150 && game % 2 == 0 && machine.concede(1) {
                    answers.push(RecordedAnswer::conceded(1));
                    continue;
                }
                let picks = decision.forced().unwrap_or_else(|| players[decision.player].choose(&machine, &decision));
                answers.push(RecordedAnswer::new(&decision, &picks));
                machine.answer(&picks).unwrap_or_else(|refusal| panic!("{place}: {refusal}"));
                left = left.max((0..seats).filter(|seat| machine.state.has_left(*seat)).count());
            };
            assert!(!matches!(outcome, Outcome::Budget(_)), "{place}: {outcome:?}");
            // Players leave before the end, but where all others lose at once, or a loop that nobody can stop ends the game for all.
            let lone = |winner: usize| (0..seats).all(|seat| seat == winner || machine.state.has_lost(seat));
            let at_once = match outcome {
                Outcome::Won(winner) => lone(winner),
                other => other == Outcome::Drawn,
            };
            assert!(left >= 1 || at_once, "{place}: nobody left before the end; {outcome:?}");
            let trace = Trace::new("magic", &machine, &cards, game, answers);
            let trace = Trace::decode(&trace.encode()).unwrap();
            replay(&trace, Arc::clone(&program), &cards).unwrap();
        }
    }
}

/// Who can only pass and does so unasked leaves the game as if asked.
#[test]
fn passing_unasked_is_passing() {
    for format in shipped::played(&FORMATS) {
        let (program, seats) = table(format);
        for game in 0..games().min(30) {
            let mut asked = start_seats(Arc::clone(&program), &seats, game).unwrap();
            if game % 2 == 1 {
                // So few that the game ends in the middle of a turn, where somebody passes or elsewhere.
                asked.limits.turn_decisions = 4 + game as u32 / 2;
            }
            asked.recording = game % 3 == 0;
            let mut unasked = RecordedGame::new(asked.clone());
            let (mut players, mut answers) = (bots(11, game), Vec::new());
            loop {
                let step = unasked.advance();
                let same = loop {
                    match asked.step() {
                        StepResult::Asked(decision) if decision.forced().is_some() => {
                            let picks = decision.forced().unwrap_or_default();
                            asked.answer(&picks).unwrap();
                            answers.push(RecordedAnswer::new(&decision, &picks));
                        }
                        step => break step,
                    }
                };
                assert_eq!(step, same, "{format}, game {game}, after {} answers", answers.len());
                assert_eq!(unasked.answers, answers, "{format}, game {game}");
                assert_eq!(unasked.machine.log, asked.log, "{format}, game {game}");
                let positions = [&unasked.machine, &asked].map(|machine| machine.state.position_hash(&program));
                assert_eq!(positions[0], positions[1], "{format}, game {game}, after {} answers", answers.len());
                let StepResult::Asked(decision) = step else { break };
                let picks = players[decision.player].choose(&asked, &decision);
                asked.answer(&picks).unwrap();
                answers.push(RecordedAnswer::new(&decision, &picks));
                unasked.answer(&decision, &picks).unwrap();
            }
        }
    }
}

#[test]
fn the_harness_holds_at_every_decision_and_commit() {
    for format in shipped::played(&FORMATS) {
        let (program, seats) = table(format);
        for game in 0..games() {
            let mut machine = start_seats(Arc::clone(&program), &seats, game).unwrap();
            let harness = InvariantChecker::start(&machine);
            let mut players = bots(5, game);
            let mut number = 0;
            let place = |number: usize| format!("{format}, game {game}, decision {number}");
            let outcome = loop {
                // The cards are counted after every commit.
                match harness.step(&mut machine).unwrap_or_else(|problem| panic!("{}: {problem}", place(number))) {
                    StepResult::Over(outcome) => break outcome,
                    StepResult::Asked(decision) => {
                        harness.check(&mut machine).unwrap_or_else(|problem| panic!("{}: {problem}", place(number)));
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

/// Where both choose before either choice is shown, the second one is asked the same whatever the first one has chosen.
#[test]
fn a_choice_made_first_does_not_show() {
    let (program, seats) = table("duel_magic_hands");
    let seen: Vec<_> = (1..=3)
        .map(|hand| {
            let mut machine = start_seats(Arc::clone(&program), &seats, 1).unwrap();
            let StepResult::Asked(first) = machine.step() else { panic!("somebody chooses") };
            assert_eq!(first.player, 0);
            machine.answer(&[hand]).unwrap();
            let StepResult::Asked(second) = machine.step() else { panic!("the other one chooses") };
            assert_eq!(second.player, 1);
            view(&mut machine, 1)
        })
        .collect();
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[1], seen[2]);
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
