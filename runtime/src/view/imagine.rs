//! A game as it could be, for all that one player knows.

use super::{knows, question::is_looked_through};
use crate::bot::{Dice, derive};
use crate::state::{Ref, State, layout as at};
use crate::vm::Machine;
use crate::vm::decision::Choice;
use std::collections::BTreeSet;

/// A copy in which the cards that the viewer cannot know are permuted among hidden places of the same owner, and chance is another.
#[must_use]
pub fn determinise(machine: &Machine, viewer: usize, seed: u64) -> Machine {
    let mut copy = machine.clone();
    let program = std::sync::Arc::clone(&machine.program);
    let shown = shown_by_question(machine, viewer);
    let mut dice = Dice::new(seed);
    let chance = derive(seed, 0, 0);
    let mut changed: Vec<(Ref, u32)> = Vec::new();
    for owner in 0..program.players() {
        let slots: Vec<usize> = (1..machine.state.slots())
            .filter(|slot| {
                let state = &machine.state;
                state.zone(*slot).is_some()
                    && state.column(*slot, at::OWNER) as usize == owner
                    && state.column(*slot, at::DEFINITION) != 0
                    && !knows(&program, state, viewer, *slot)
                    && !shown.contains(slot)
            })
            .collect();
        let mut cards: Vec<u32> = slots.iter().map(|slot| machine.state.column(*slot, at::DEFINITION)).collect();
        dice.shuffle(&mut cards);
        changed.extend(slots.iter().zip(cards).map(|(slot, card)| (machine.state.current(*slot), card)));
    }
    write(&mut copy.state, &changed, chance);
    for mark in &mut copy.state.marks {
        let mut earlier = State { block: std::mem::take(mark), marks: Vec::new() };
        write(&mut earlier, &changed, chance);
        *mark = earlier.block;
    }
    copy.derived.touch_all();
    copy
}

fn write(state: &mut State, changed: &[(Ref, u32)], seed: u64) {
    for (it, card) in changed {
        if state.current(it.slot()) == *it {
            state.set_column(it.slot(), at::DEFINITION, *card);
        }
    }
    state.block.set(at::SEED, seed as u32);
    state.block.set(at::SEED + 1, (seed >> 32) as u32);
}

/// The slots that the pending decision shows the viewer by asking.
fn shown_by_question(machine: &Machine, viewer: usize) -> BTreeSet<usize> {
    let pending = machine.outcome().is_none() && machine.state.block.get(at::DECISION) != 0;
    if !pending {
        return BTreeSet::new();
    }
    let decision = machine.pending_decision();
    if decision.player != viewer {
        return BTreeSet::new();
    }
    decision
        .options
        .iter()
        .filter_map(|choice| match choice {
            Choice::Object(it) if is_looked_through(machine, viewer, *it) => Some(it.slot()),
            _ => None,
        })
        .collect()
}
