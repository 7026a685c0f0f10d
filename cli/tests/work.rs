//! Counts what a decision costs: operations, frames, steps and events that need a batch. Bounds instead of times, so that a regression fails on any
//! machine.

#![cfg(debug_assertions)]
#![allow(clippy::unwrap_used, missing_docs)]

#[allow(dead_code, reason = "each test uses a part of the module")]
mod shipped;

use fizzle_runtime::game::start_seats;
use fizzle_runtime::vm::StepResult;
use fizzle_runtime::vm::work::Work;
use shipped::{bots, game_setup, link};
use std::sync::Arc;

/// The work of games of a format with random bots, and their decisions with a choice.
fn play(format: &str, games: u64) -> (Work, u64) {
    let (_, seats) = game_setup(format);
    let pool: Vec<_> = seats.iter().flatten().flat_map(|(_, cards)| cards.clone()).collect();
    let program = link(format, &pool, seats.len());
    let (mut all, mut decisions) = (Work::default(), 0);
    for game in 0..games {
        let mut machine = start_seats(Arc::clone(&program), &seats, game).unwrap();
        let mut bots = bots(1, game);
        loop {
            let before = machine.work();
            let step = machine.step_auto_passing(|_| {});
            let work = machine.work() - before;
            // The first games fill caches.
            if game >= 2 {
                all.operations += work.operations;
                all.frames += work.frames;
                all.steps += work.steps;
                all.batch_events += work.batch_events;
            }
            let StepResult::Decision(decision) = step else { break };
            decisions += u64::from(game >= 2 && decision.forced().is_none());
            let picks = decision.forced().unwrap_or_else(|| bots[decision.player].choose(&machine, &decision));
            machine.answer(&picks).unwrap();
        }
    }
    (all, decisions)
}

#[test]
fn decisions_cost_little() {
    // Operations, frames, steps, events in batches. A change of a rule or card changes the games, so the limits leave a tenth.
    let limits = [
        ("yugioh", [370.0, 15.5, 56.0, 2.4]),
        ("duel_masters", [276.0, 19.5, 83.0, 0.9]),
        ("duel_magic", [272.0, 21.0, 78.0, 0.9]),
        ("magic", [820.0, 26.5, 88.0, 3.0]),
    ];
    let mut exceeded = Vec::new();
    for (format, limits) in limits {
        let (work, decisions) = play(format, 8);
        let counts = [work.operations, work.frames, work.steps, work.batch_events];
        let each = counts.map(|count| count as f64 / decisions as f64);
        if each.iter().zip(limits).any(|(each, limit)| *each > limit) {
            exceeded.push(format!("{format}: {each:.1?}, the limits are {limits:?}"));
        }
    }
    assert!(exceeded.is_empty(), "operations, frames, steps and events in batches of a decision: {exceeded:#?}");
}
