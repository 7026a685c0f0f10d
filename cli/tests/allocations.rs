//! Counts heap allocations between decisions of a running game. Short lists are stored inline and scratch memory is reused, so they are
//! few.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[allow(dead_code, reason = "each test uses a part of the module")]
mod shipped;

use fizzle_runtime::game::start_seats;
use fizzle_runtime::vm::StepResult;
use shipped::{bots, game_setup, link};
use std::sync::Arc;

/// The average number of allocations from one decision with a choice to the next, in games of a format after four warm-up games.
fn allocations(format: &str) -> f64 {
    let (_, seats) = game_setup(format);
    let pool: Vec<_> = seats.iter().flatten().flat_map(|(_, cards)| cards.clone()).collect();
    let program = link(format, &pool, seats.len());
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
            let Some(StepResult::Decision(decision)) = step else { break };
            // The first games fill the scratch memory that later games reuse.
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
fn decisions_allocate_little() {
    // Two of them are the decision itself: when it is returned, and when its answer is checked. With debug assertions, derived values are
    // recomputed more often. Payments are decisions; those of Duel Masters and Duel-Magic have many options. A change of a rule or
    // card changes the games and with them the averages, so the limits leave a tenth or more.
    let limits = [("yugioh", 20.5, 25.0), ("duel_masters", 20.0, 24.0), ("duel_magic", 22.0, 42.0), ("magic", 80.0, 80.0)];
    for (format, release, debug) in limits {
        let max = if cfg!(debug_assertions) { debug } else { release };
        let per_decision = allocations(format);
        assert!(per_decision <= max, "{format}: {per_decision:.1} allocations for each decision, the limit is {max}");
    }
}
