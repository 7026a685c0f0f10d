//! The bot `mcts` knows what its seat knows and no more, repeats itself exactly, and plays better than `greedy`.
//!
//! `FIZZLE_GAMES` sets how many games are played in the match, `FIZZLE_FORMAT` names the only format that is looked at.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, missing_docs)]

#[allow(dead_code, reason = "each test uses a part of it")]
mod shipped;

use fizzle_runtime::bot::{self, Dice, derive};
use fizzle_runtime::game::{RecordedGame, SeatCards, advance, start_seats};
use fizzle_runtime::program::Program;
use fizzle_runtime::state::layout as at;
use fizzle_runtime::view::{determinise, view};
use fizzle_runtime::vm::{Machine, Outcome, StepResult};
use shipped::{FORMATS, bots_for, decks, games, played, table_for};
use std::sync::Arc;

/// The card in every slot.
fn cards(machine: &Machine) -> Vec<u32> {
    (1..machine.state.slots()).map(|slot| machine.state.column(slot, at::DEFINITION)).collect()
}

/// At decisions of random games: copies that differ in what the seat cannot know look the same to it, and get the same answer.
#[test]
fn what_a_seat_cannot_know_changes_no_answer() {
    for (format, players) in played(&FORMATS).into_iter().flat_map(|format| match format {
        "magic" => vec![(format, 2), (format, 3)],
        _ => vec![(format, 2)],
    }) {
        let (program, seats) = table_for(format, players);
        let (mut compared, mut differed) = (0, 0);
        for game in 0..3 {
            let mut machine = start_seats(Arc::clone(&program), &seats, derive(3, game, 0)).unwrap();
            let mut random = bots_for(players, 3, game);
            let mut dice = Dice::new(derive(3, game, 9));
            let mut looks = 0;
            while let StepResult::Asked(decision) = advance(&mut machine) {
                if dice.below(9) == 0 && looks < 6 {
                    looks += 1;
                    let mut other = determinise(&machine, decision.player, derive(game, looks, 1));
                    assert_eq!(view(&mut machine, decision.player), view(&mut other, decision.player), "{format}, game {game}");
                    other.check_invariants().expect("what is hidden lies where it may");
                    differed += usize::from(cards(&machine) != cards(&other));
                    // Greedy takes long: it is asked once a game.
                    for name in ["mcts:16", "greedy"].into_iter().take(if looks == 1 { 2 } else { 1 }) {
                        let answer = |machine: &Machine| bot::named(name, 5, game, 0).unwrap().choose(machine, &decision);
                        assert_eq!(answer(&machine), answer(&other), "{format}, game {game}, {name}: {decision:?}");
                    }
                    compared += 1;
                }
                let picks = random[decision.player].choose(&machine, &decision);
                machine.answer(&picks).unwrap();
            }
        }
        println!("{format} for {players}: {compared} decisions compared, hidden cards differed at {differed}");
        assert!(differed > 8, "{format}: hidden cards hardly ever differ");
    }
}

/// Plays a game: who won, and the hash of the last state.
fn game(program: &Arc<Program>, seats: &[SeatCards], bots: [&str; 2], seed: u64, number: u64) -> (Outcome, u64) {
    let mut game = RecordedGame::new(start_seats(Arc::clone(program), seats, derive(seed, number, 0)).unwrap());
    let mut players = [0, 1].map(|seat| bot::named(bots[seat], seed, number, seat).unwrap());
    loop {
        match game.advance() {
            StepResult::Over(outcome) => return (outcome, game.machine.state.hash()),
            StepResult::Asked(decision) => {
                let picks = players[decision.player].choose(&game.machine, &decision);
                game.answer(&decision, &picks).unwrap();
            }
        }
    }
}

/// A short match of equal decks, seats exchanged after every game. The long form is a simulation (`docs/simulation.md`).
#[test]
fn a_short_match_is_not_lost_and_repeats_exactly() {
    for format in played(&["duel_masters", "duel_magic"]) {
        let (program, decks) = decks(format);
        let seats = vec![decks[0].1.clone(); 2];
        let count = games(8);
        let mut won = 0;
        for number in 0..count {
            let seat = (number % 2) as usize;
            let bots = if seat == 0 { ["mcts:24", "greedy"] } else { ["greedy", "mcts:24"] };
            let (outcome, hash) = game(&program, &seats, bots, 2, number);
            won += u64::from(outcome == Outcome::Won(seat));
            if number == 0 {
                assert_eq!((outcome, hash), game(&program, &seats, bots, 2, number), "{format}: the same seed, another game");
            }
        }
        println!("{format}: won {won} of {count}");
        assert!(won * 2 >= count, "{format}: won only {won} of {count}");
    }
}
