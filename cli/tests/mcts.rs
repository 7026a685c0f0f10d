//! Tests of the bot `mcts`: it uses only what its seat knows, is deterministic, and does not lose a match against `greedy`.
//!
//! `FIZZLE_GAMES` sets how many games the match has, `FIZZLE_FORMAT` names the only format that is tested.

#![allow(clippy::unwrap_used, clippy::panic, clippy::print_stdout, missing_docs)]

#[allow(dead_code, reason = "each test uses a part of the module")]
mod shipped;

use fizzle_bots as bot;
use fizzle_runtime::dice::{Dice, derive};
use fizzle_runtime::game::{RecordedGame, SeatCards, advance, start_seats};
use fizzle_runtime::program::Program;
use fizzle_runtime::state::layout as at;
use fizzle_runtime::view::{determinise, view};
use fizzle_runtime::vm::{Machine, Outcome, StepResult};
use shipped::{FORMATS, bots_for, decks, game_count, game_setup_for, selected_formats};
use std::sync::Arc;

/// The definition of the object in every slot.
fn cards(machine: &Machine) -> Vec<u32> {
    (1..machine.state.slots()).map(|slot| machine.state.column(slot, at::DEFINITION)).collect()
}

/// At decisions of random games: copies that differ only in what the seat cannot know have the same view, and bots answer them equally.
#[test]
fn bots_ignore_what_their_seat_cannot_know() {
    for (format, players) in selected_formats(&FORMATS).into_iter().flat_map(|format| match format {
        "magic" => vec![(format, 2), (format, 3)],
        _ => vec![(format, 2)],
    }) {
        let (program, seats) = game_setup_for(format, players);
        let (mut compared, mut differed) = (0, 0);
        for game in 0..3 {
            let mut machine = start_seats(Arc::clone(&program), &seats, derive(3, game, 0)).unwrap();
            let mut random = bots_for(players, 3, game);
            let mut dice = Dice::new(derive(3, game, 9));
            let mut comparisons = 0;
            while let StepResult::Decision(decision) = advance(&mut machine) {
                if dice.below(9) == 0 && comparisons < 6 {
                    comparisons += 1;
                    let mut other = determinise(&machine, decision.player, derive(game, comparisons, 1));
                    assert_eq!(view(&mut machine, decision.player), view(&mut other, decision.player), "{format}, game {game}");
                    other.check_invariants().expect("the determinised copy satisfies all invariants");
                    differed += usize::from(cards(&machine) != cards(&other));
                    // `greedy` is slow, so it is compared once in each game.
                    for name in ["mcts:16", "greedy"].into_iter().take(if comparisons == 1 { 2 } else { 1 }) {
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
        assert!(differed > 8, "{format}: hidden cards differ too rarely");
    }
}

/// Plays a game. Returns its outcome and the hash of the last state.
fn play_game(program: &Arc<Program>, seats: &[SeatCards], bots: [&str; 2], seed: u64, number: u64) -> (Outcome, u64) {
    let mut game = RecordedGame::new(start_seats(Arc::clone(program), seats, derive(seed, number, 0)).unwrap());
    let mut players = [0, 1].map(|seat| bot::named(bots[seat], seed, number, seat).unwrap());
    loop {
        match game.advance() {
            StepResult::Over(outcome) => return (outcome, game.machine.state.hash()),
            StepResult::Decision(decision) => {
                let picks = players[decision.player].choose(&game.machine, &decision);
                game.answer(&decision, &picks).unwrap();
            }
        }
    }
}

/// A short match of equal decks; the seats are exchanged after every game. The long form is a simulation (`docs/simulation.md`).
#[test]
fn mcts_does_not_lose_to_greedy_and_is_deterministic() {
    for format in selected_formats(&["duel_masters", "duel_magic"]) {
        let (program, decks) = decks(format);
        let seats = vec![decks[0].1.clone(); 2];
        let count = game_count(8);
        let mut wins = 0;
        for number in 0..count {
            let seat = (number % 2) as usize;
            let bots = if seat == 0 { ["mcts:24", "greedy"] } else { ["greedy", "mcts:24"] };
            let (outcome, hash) = play_game(&program, &seats, bots, 2, number);
            wins += u64::from(outcome == Outcome::Won(seat));
            if number == 0 {
                assert_eq!(
                    (outcome, hash),
                    play_game(&program, &seats, bots, 2, number),
                    "{format}: the same seed gives a different game"
                );
            }
        }
        println!("{format}: won {wins} of {count}");
        assert!(wins * 2 >= count, "{format}: won only {wins} of {count}");
    }
}
