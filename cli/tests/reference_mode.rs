//! Compares ordinary games with reference mode. A program that is specialised for its decks, with all caches and shortcuts, must produce the
//! same steps, positions and logs as an unspecialised program in reference mode.
//!
//! `FIZZLE_GAMES` sets how many games of each format are played. `FIZZLE_FORMAT` names the only format that is played.

#![allow(clippy::unwrap_used, missing_docs)]

#[allow(dead_code, reason = "each test uses a part of the module")]
mod shipped;

use fizzle_runtime::game::start_seats;
use fizzle_runtime::ir::verbs::{CHOSEN, START_RESOLVING};
use fizzle_runtime::vm::{Record, StepResult};
use shipped::{FORMATS, bots, decks, game_count};
use std::sync::Arc;

#[test]
fn optimized_games_equal_reference_mode() {
    for format in shipped::selected_formats(&FORMATS) {
        let (_, decks) = decks(format);
        let deck = |number: u64| decks[number as usize % decks.len()].1.clone();
        for game in 0..game_count(6) {
            let seats = [deck(game), deck(game / 3 + 1)];
            let pool: Vec<_> = seats.iter().flatten().flat_map(|(_, cards)| cards.clone()).collect();
            let program = shipped::link(format, &pool, seats.len());
            let unspecialized = shipped::link_unspecialized(format, &pool, seats.len());
            let mut optimized = start_seats(Arc::clone(&program), &seats, game).unwrap();
            let mut reference = start_seats(unspecialized, &seats, game).unwrap();
            reference.use_reference_mode();
            (optimized.recording, reference.recording) = (true, true);
            let mut bots = bots(7, game);
            for number in 0.. {
                let (step, same) = (optimized.step(), reference.step());
                assert_eq!(step, same, "{format}, game {game}, decision {number}");
                let positions = [&optimized, &reference].map(|machine| machine.state.position_hash(&program));
                assert_eq!(positions[0], positions[1], "{format}, game {game}: the position at decision {number}");
                let logs = [&mut optimized, &mut reference].map(|machine| {
                    let log = std::mem::take(&mut machine.log).into_iter();
                    // `CHOSEN` and `START_RESOLVING` are proposed only if an ability can observe them.
                    log.filter(|record| !matches!(record, Record::Event { action: CHOSEN | START_RESOLVING, .. }))
                        .collect::<Vec<_>>()
                });
                assert_eq!(logs[0], logs[1], "{format}, game {game}: what happened until decision {number}");
                let StepResult::Decision(decision) = step else { break };
                let picks = decision.forced().unwrap_or_else(|| bots[decision.player].choose(&optimized, &decision));
                optimized.answer(&picks).unwrap();
                reference.answer(&picks).unwrap();
            }
        }
    }
}
