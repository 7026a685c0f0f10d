//! A game as it could be, for all that one player knows.
//!
//! Cards that the player cannot identify change places with others of the same owner; what lies where (piles, order, counts, marks on
//! them) stays, and so does every card that the player knows. Limits: what could be concluded is not respected (that a player who did
//! not use a card may not have one, that a zone takes only some cards), and neither is what another player's unfinished business
//! says about a hidden card; so a copy is meant for moments at which the viewer is asked, and another player's pending question is
//! about the cards of the original.

use crate::bot::{Dice, derive};
use crate::state::{State, layout as at};
use crate::vm::Machine;

/// A copy in which the cards that the viewer cannot know are permuted among hidden places of the same owner, and chance is another.
#[must_use]
pub fn determinise(machine: &Machine, viewer: usize, seed: u64) -> Machine {
    let mut copy = determinise_some(machine, viewer, seed, |_| true);
    let chance = derive(seed, 0, 0);
    let blocks = std::iter::once(&mut copy.state.block).chain(&mut copy.state.marks);
    for block in blocks {
        block.set(at::SEED, chance as u32);
        block.set(at::SEED + 1, (chance >> 32) as u32);
    }
    copy
}

/// As [`determinise`], but only the cards of some owners change places, and chance stays.
#[must_use]
pub fn determinise_some(machine: &Machine, viewer: usize, seed: u64, owners: impl Fn(usize) -> bool) -> Machine {
    let mut copy = machine.clone();
    let program = std::sync::Arc::clone(&machine.program);
    let state = &machine.state;
    let mut dice = Dice::new(seed);
    let mut changed: Vec<(usize, u32, u32)> = Vec::new();
    for owner in (0..program.players()).filter(|owner| owners(*owner)) {
        let slots: Vec<usize> = (1..state.slots())
            .filter(|slot| {
                state.zone(*slot).is_some()
                    && state.column(*slot, at::OWNER) as usize == owner
                    && state.column(*slot, at::DEFINITION) != 0
                    && !state.is_known(&program, viewer, *slot)
            })
            .collect();
        let mut cards: Vec<u32> = slots.iter().map(|slot| state.column(*slot, at::DEFINITION)).collect();
        dice.shuffle(&mut cards);
        keep_kinds(machine, &slots, &mut cards);
        changed.extend(slots.iter().zip(cards).map(|(slot, card)| (*slot, state.column(*slot, at::DEFINITION), card)));
    }
    write(&mut copy.state, &changed);
    for mark in &mut copy.state.marks {
        // A card keeps its slot: what is permuted now is permuted in what an announcement returns to as well.
        let mut earlier = State { block: std::mem::take(mark), marks: Vec::new() };
        write(&mut earlier, &changed);
        *mark = earlier.block;
    }
    copy.derived.touch_all();
    copy.producers = None;
    copy
}

/// What is concealed in an open zone is of the kind that lies there (the words of the game's first trait set): it changes places with
/// such cards only.
fn keep_kinds(machine: &Machine, slots: &[usize], cards: &mut [u32]) {
    let (program, state) = (&machine.program, &machine.state);
    let kind = |card: u32| program.definition(card).and_then(|d| d.words.first().cloned()).unwrap_or_default();
    let concealed: Vec<bool> = slots.iter().map(|slot| state.is_concealed(program, *slot)).collect();
    for (index, slot) in slots.iter().enumerate().filter(|(index, _)| concealed.get(*index) == Some(&true)) {
        let wanted = kind(state.column(*slot, at::DEFINITION));
        let fits = |card: Option<&u32>| card.is_some_and(|card| kind(*card) == wanted);
        if fits(cards.get(index)) {
            continue;
        }
        let other = (0..cards.len()).find(|other| concealed.get(*other) == Some(&false) && fits(cards.get(*other)));
        // The card that lies there is one of its kind: where it went is a place to swap with.
        let other = other.or_else(|| (index + 1..cards.len()).find(|other| fits(cards.get(*other))));
        if let Some(other) = other {
            cards.swap(index, other);
        }
    }
}

fn write(state: &mut State, changed: &[(usize, u32, u32)]) {
    for (slot, was, card) in changed {
        if state.column(*slot, at::DEFINITION) == *was {
            state.set_column(*slot, at::DEFINITION, *card);
        }
    }
}
