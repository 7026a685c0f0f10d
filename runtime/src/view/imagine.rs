//! A game as it could be, for all that one player knows.
//!
//! Cards that the player cannot identify change places with others of the same owner; what lies where (piles, order, counts, marks on
//! them) stays, and so does every card that the player knows. Limits: what could be concluded is not respected (that a player who did
//! not use a card may not have one), and neither is what another player's unfinished business
//! says about a hidden card; so a copy is meant for moments at which the viewer is asked, and another player's pending question is
//! about the cards of the original.

use crate::bot::{Dice, derive};
use crate::program::Program;
use crate::state::{State, layout as at};
use crate::vm::Machine;
use crate::vm::knowledge::{keeps_order, looks_into};

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
        exchange(&mut cards, &places(machine, &slots), &mut dice, |card| kind(&program, card));
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

/// The words of a card in the game's first trait set.
fn kind(program: &Program, card: u32) -> &[u16] {
    program.definition(card).and_then(|d| d.words.first()).map_or(&[], |words| words)
}

/// The kinds of cards that may lie in each slot; none: any. What is concealed in an open zone, without values that everybody sees
/// instead, is of the kind that lies there. What keeps
/// its place in a zone that its owner looks into was put there, and only such cards as lie in zones of that name.
fn places(machine: &Machine, slots: &[usize]) -> Vec<Option<Vec<Vec<u16>>>> {
    let (program, state) = (&machine.program, &machine.state);
    let kind_of = |slot: usize| kind(program, state.column(slot, at::DEFINITION)).to_vec();
    let zone_of = |slot: usize| state.zone(slot).map(|zone| program.layout.kind(zone));
    let of_place = |slot: &usize| {
        if state.is_disguised(program, *slot) {
            // It has the values that all such things have: nothing tells what kind of card it is.
            return None;
        }
        if state.is_concealed(program, *slot) {
            return Some(vec![kind_of(*slot)]);
        }
        let holder = state.column(*slot, at::OWNER) as usize;
        state.zone(*slot).filter(|zone| keeps_order(program, *zone) && looks_into(program, holder, *zone))?;
        let alike = (1..state.slots()).filter(|other| zone_of(*other) == zone_of(*slot));
        let mut kinds: Vec<Vec<u16>> = alike.map(kind_of).collect();
        kinds.sort_unstable();
        kinds.dedup();
        Some(kinds)
    };
    slots.iter().map(of_place).collect()
}

/// Exchanges cards at random, each for one that may lie where the other one lay.
fn exchange<'a>(cards: &mut [u32], places: &[Option<Vec<Vec<u16>>>], dice: &mut Dice, kind: impl Fn(u32) -> &'a [u16]) {
    let takes = |place: usize, card: u32| match places.get(place) {
        Some(Some(kinds)) => kinds.iter().any(|allowed| allowed == kind(card)),
        _ => true,
    };
    // Twice: a card that found its way barred the first time may have found a place to go on from.
    for first in (1..cards.len()).rev().chain((1..cards.len()).rev()) {
        let second = dice.below(first as u32 + 1) as usize;
        let pair = cards.get(first).copied().zip(cards.get(second).copied());
        if pair.is_some_and(|(one, other)| takes(first, other) && takes(second, one)) {
            cards.swap(first, second);
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
