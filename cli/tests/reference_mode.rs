//! What is left out because it would change nothing changes nothing: games linked for the cards of their decks alone, in which state rules
//! are looked at only where something they look at was written, and plays only of what they could be for, go as those of code as it is
//! written, in which nothing is left out.
//!
//! `FIZZLE_GAMES` sets how many games of each format are played; `FIZZLE_FORMAT` names the only format that is played.

#![allow(clippy::unwrap_used, missing_docs)]

#[allow(dead_code, reason = "each test uses a part of it")]
mod shipped;

use fizzle_runtime::game::start_seats;
use fizzle_runtime::ir::verbs::{CHOSEN, START_RESOLVING};
use fizzle_runtime::vm::{Record, StepResult};
use shipped::{FORMATS, bots, decks, games};
use std::sync::Arc;

#[test]
fn nothing_that_is_left_out_would_have_changed_anything() {
    for format in shipped::played(&FORMATS) {
        let (_, decks) = decks(format);
        let deck = |number: u64| decks[number as usize % decks.len()].1.clone();
        for game in 0..games(6) {
            let seats = [deck(game), deck(game / 3 + 1)];
            let pool: Vec<_> = seats.iter().flatten().flat_map(|(_, cards)| cards.clone()).collect();
            let program = shipped::linked(format, &pool, seats.len());
            let as_written = shipped::linked_as_written(format, &pool, seats.len());
            let mut usual = start_seats(Arc::clone(&program), &seats, game).unwrap();
            let mut thorough = start_seats(as_written, &seats, game).unwrap();
            thorough.use_reference_mode();
            (usual.recording, thorough.recording) = (true, true);
            let mut bots = bots(7, game);
            for number in 0.. {
                let (step, same) = (usual.step(), thorough.step());
                assert_eq!(step, same, "{format}, game {game}, decision {number}");
                let positions = [&usual, &thorough].map(|machine| machine.state.position_hash(&program));
                assert_eq!(positions[0], positions[1], "{format}, game {game}: the position at decision {number}");
                let logs = [&mut usual, &mut thorough].map(|machine| {
                    let log = std::mem::take(&mut machine.log).into_iter();
                    // That something is picked, or carried out, is proposed only where somebody looks at it.
                    log.filter(|record| !matches!(record, Record::Event { action: CHOSEN | START_RESOLVING, .. }))
                        .collect::<Vec<_>>()
                });
                assert_eq!(logs[0], logs[1], "{format}, game {game}: what happened until decision {number}");
                let StepResult::Asked(decision) = step else { break };
                let picks = decision.forced().unwrap_or_else(|| bots[decision.player].choose(&usual, &decision));
                usual.answer(&picks).unwrap();
                thorough.answer(&picks).unwrap();
            }
        }
    }
}
