//! A game that goes on allocates next to nothing between its decisions: what is short stands on the stack, and memory is used again.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[allow(dead_code, reason = "each test uses a part of it")]
mod shipped;

use fizzle_runtime::game::start_seats;
use fizzle_runtime::vm::StepResult;
use shipped::{bots, linked, table};
use std::sync::Arc;

/// Allocations for each decision of a format's games: from one decision with a choice to the next, once some games have been played.
fn allocations(format: &str) -> f64 {
    let (_, seats) = table(format);
    let pool: Vec<_> = seats.iter().flatten().flat_map(|(_, cards)| cards.clone()).collect();
    let program = linked(format, &pool, seats.len());
    let (mut allocations, mut decisions) = (0, 0);
    for game in 0..8 {
        let mut machine = start_seats(Arc::clone(&program), &seats, game).unwrap();
        let mut bots = bots(1, game);
        let mut picks: Option<Vec<u32>> = None;
        loop {
            let mut step = None;
            let counted = allocation_counter::measure(|| {
                if let Some(picks) = &picks {
                    machine.answer(picks).unwrap();
                }
                step = Some(machine.step_auto_passing(|_| {}));
            });
            let Some(StepResult::Asked(decision)) = step else { break };
            // The first games fill what is used again.
            if game >= 4 {
                allocations += counted.count_total;
                decisions += u64::from(decision.forced().is_none());
            }
            picks = Some(decision.forced().unwrap_or_else(|| bots[decision.player].choose(&machine, &decision)));
        }
    }
    allocations as f64 / decisions as f64
}

#[test]
fn decisions_take_few_allocations() {
    // Two of them are the decision itself, as it is told and as its answer is checked.
    for (format, most) in [("yugioh", 14.0), ("duel_masters", 16.0), ("duel_magic", 17.0), ("magic", 90.0)] {
        let each = allocations(format);
        assert!(each <= most, "{format}: {each:.1} allocations for each decision, at most {most} are expected");
    }
}
