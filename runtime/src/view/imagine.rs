//! A game as it could be, for all that one player knows.
//!
//! Cards that the player cannot identify change places with others of the same owner; what lies where (piles, order, counts, marks on
//! them) stays, and so does every card that the player knows. So the player is taken to know which cards each owner has, as with open
//! deck lists, and nothing else: the cards are dealt anew from their sorted list, wherever they lie in the original. Limits: what could be concluded is not respected (that a player who did
//! not use a card may not have one), and neither is what another player's unfinished business
//! says about a hidden card; so a copy is meant for moments at which the viewer is asked, and another player's pending question is
//! about the cards of the original.

use crate::bot::{Dice, derive};
use crate::program::Program;
use crate::state::{Ref, State, layout as at};
use crate::vm::Machine;
use crate::vm::knowledge::{keeps_order, looks_into};

/// A copy in which the cards that the viewer cannot know are permuted among hidden places of the same owner, and chance is another.
#[must_use]
pub fn determinise(machine: &Machine, viewer: usize, seed: u64) -> Machine {
    let mut copy = determinise_some(machine, viewer, seed, |_| true);
    reseed(&mut copy, derive(seed, 0, 0));
    copy
}

/// Gives a game another chance from here on.
pub(crate) fn reseed(machine: &mut Machine, chance: u64) {
    let blocks = std::iter::once(&mut machine.state.block).chain(&mut machine.state.marks);
    for block in blocks {
        block.set(at::SEED, chance as u32);
        block.set(at::SEED + 1, (chance >> 32) as u32);
    }
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
        let mut slots: Vec<usize> = (1..state.slots())
            .filter(|slot| {
                state.zone(*slot).is_some()
                    && state.column(*slot, at::OWNER) as usize == owner
                    && state.column(*slot, at::DEFINITION) != 0
                    && !state.is_known(&program, viewer, *slot)
            })
            .collect();
        slots.sort_by_cached_key(|slot| (state.zone(*slot), place(machine, *slot), *slot));
        let cards: Vec<u32> = slots.iter().map(|slot| state.column(*slot, at::DEFINITION)).collect();
        let places = places(machine, &slots);
        let mut cards = dealt(cards, &places, |card| kind(&program, card));
        exchange(&mut cards, &places, &mut dice, |card| kind(&program, card));
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

/// Where an object lies in its zone, from the bottom; what lies under another comes last.
fn place(machine: &Machine, slot: usize) -> usize {
    let zone = machine.state.zone(slot);
    let items = zone.map_or(&[][..], |zone| machine.state.zone_items(&machine.program, zone));
    items.iter().position(|item| Ref(*item).slot() == slot).unwrap_or(usize::MAX)
}

/// Whether a card may lie in a place.
fn takes(place: Option<&Option<Vec<Vec<u16>>>>, kind: &[u16]) -> bool {
    place.and_then(Option::as_ref).is_none_or(|kinds| kinds.iter().any(|allowed| allowed == kind))
}

/// The cards in an order that does not depend on the one they are given in, each where it may lie: sorted, as far as the places
/// allow. As given, if that cannot be had.
fn dealt<'a>(cards: Vec<u32>, places: &[Option<Vec<Vec<u16>>>], kind: impl Fn(u32) -> &'a [u16]) -> Vec<u32> {
    let mut sorted = cards.clone();
    sorted.sort_unstable();
    let allowed = |place: usize, card: usize| sorted.get(card).is_some_and(|card| takes(places.get(place), kind(*card)));
    // Which place has each card: places that do not take all cards first, by augmenting paths.
    let mut holder: Vec<Option<usize>> = vec![None; sorted.len()];
    for (index, place) in places.iter().enumerate() {
        if place.is_some() && !augment(index, sorted.len(), &allowed, &mut holder, &mut vec![false; sorted.len()]) {
            return cards;
        }
    }
    let mut result: Vec<Option<u32>> = vec![None; places.len()];
    let mut free = Vec::new();
    for (card, place) in sorted.iter().zip(&holder) {
        match place.and_then(|place| result.get_mut(place)) {
            Some(slot) => *slot = Some(*card),
            None => free.push(*card),
        }
    }
    let mut free = free.into_iter();
    result.into_iter().filter_map(|card| card.or_else(|| free.next())).collect()
}

/// Finds a card for a place, others changing theirs (Kuhn's algorithm).
fn augment(
    place: usize,
    cards: usize,
    allowed: &dyn Fn(usize, usize) -> bool,
    holder: &mut [Option<usize>],
    tried: &mut [bool],
) -> bool {
    for card in 0..cards {
        if !allowed(place, card) || tried.get_mut(card).is_none_or(|tried| std::mem::replace(tried, true)) {
            continue;
        }
        let other = holder.get(card).copied().flatten();
        if other.is_none_or(|other| augment(other, cards, allowed, holder, tried)) {
            if let Some(slot) = holder.get_mut(card) {
                *slot = Some(place);
            }
            return true;
        }
    }
    false
}

/// Exchanges cards at random, each for one that may lie where the other one lay.
fn exchange<'a>(cards: &mut [u32], places: &[Option<Vec<Vec<u16>>>], dice: &mut Dice, kind: impl Fn(u32) -> &'a [u16]) {
    let takes = |place: usize, card: u32| takes(places.get(place), kind(card));
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
