//! Determinisation: copies a game and permutes hidden cards, such that the copy is consistent with what one player knows.
//!
//! Cards that the viewer cannot identify change places with other such cards of the same owner. Objects keep their zones, piles, order
//! and statuses; known cards stay. So the viewer is assumed to know the cards of each owner (open deck lists) and which cards a zone may
//! hide (`hides`). Invariant: the result depends only on this knowledge, since cards are dealt from a sorted list.
//!
//! Limits: conclusions from play are ignored (a player who did not use a card may not have it). So is what the unfinished effects of
//! another player imply about hidden cards. Copies are therefore meant for decisions of the viewer; the pending decision of another
//! player still refers to the original cards.

use crate::dice::{Dice, derive};
use crate::ir::ObjectRef;
use crate::state::{State, layout as at};
use crate::tables::LinkedTables;
use crate::vm::knowledge::{is_restricted, may_be_card};
use crate::vm::machine::Machine;

/// A copy in which the cards that the viewer cannot know are permuted among those of the same owner, with another seed of the game.
#[must_use]
pub fn determinise(machine: &Machine, viewer: usize, seed: u64) -> Machine {
    let mut copy = determinise_some(machine, viewer, seed, |_| true);
    reseed(&mut copy, derive(seed, 0, 0));
    copy
}

/// Replaces the seed of a game, also in the positions that announcements roll back to.
pub fn reseed(machine: &mut Machine, chance: u64) {
    let blocks = std::iter::once(&mut machine.state.block).chain(&mut machine.state.marks);
    for block in blocks {
        block.set(at::SEED, chance as u32);
        block.set(at::SEED + 1, (chance >> 32) as u32);
    }
}

/// As [`determinise`], but permutes only the cards of some owners and keeps the seed of the game.
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
        slots.sort_by_cached_key(|slot| (state.zone(*slot), zone_position(machine, *slot), *slot));
        let cards: Vec<u32> = slots.iter().map(|slot| state.column(*slot, at::DEFINITION)).collect();
        let mut places = DealTargets { machine, slots: &slots, is_unrestricted: false };
        let mut cards = deal_in_order(cards, &mut places);
        shuffle_legally(&mut cards, &places, &mut dice);
        changed.extend(slots.iter().zip(cards).map(|(slot, card)| (*slot, state.column(*slot, at::DEFINITION), card)));
    }
    write_definitions(&copy.program, &mut copy.state, &changed);
    for mark in &mut copy.state.marks {
        // Cards keep their slots, so the same permutation is applied to the positions that announcements roll back to.
        let mut earlier = State { block: std::mem::take(mark), marks: Vec::new() };
        write_definitions(&copy.program, &mut earlier, &changed);
        *mark = earlier.block;
    }
    copy.derived.mark_all_dirty();
    copy.producers.clear();
    copy
}

/// The slots to which the cards of one owner are dealt. Indices into `slots` are called places.
struct DealTargets<'a> {
    machine: &'a Machine,
    slots: &'a [usize],
    /// Every card is accepted everywhere.
    is_unrestricted: bool,
}

impl DealTargets<'_> {
    /// Whether a place accepts only some cards.
    fn is_restricted(&self, place: usize) -> bool {
        !self.is_unrestricted
            && self.slots.get(place).is_some_and(|slot| is_restricted(&self.machine.state, &self.machine.program, *slot))
    }

    /// Whether a place accepts a card. Only the rules of its zone decide that, not the card that is there now.
    fn accepts(&self, place: usize, card: u32) -> bool {
        let (state, program) = (&self.machine.state, &self.machine.program);
        let slot_and_card = self.slots.get(place).zip(program.definition(card)).filter(|_| !self.is_unrestricted);
        slot_and_card.is_none_or(|(slot, card)| may_be_card(state, program, *slot, card))
    }
}

/// The position of an object in its zone, from the bottom; members of piles come last.
fn zone_position(machine: &Machine, slot: usize) -> usize {
    let zone = machine.state.zone(slot);
    let items = zone.map_or(&[][..], |zone| machine.state.zone_items(&machine.program, zone));
    items.iter().position(|item| ObjectRef(*item).slot() == slot).unwrap_or(usize::MAX)
}

/// Assigns each card to a place that accepts it. The result does not depend on the order of `cards`: it is sorted as far as the places
/// allow. If there is no such assignment (a card is where the rules do not allow it), all restrictions are dropped.
fn deal_in_order(mut cards: Vec<u32>, places: &mut DealTargets<'_>) -> Vec<u32> {
    cards.sort_unstable();
    let allowed = |place: usize, card: usize| cards.get(card).is_some_and(|card| places.accepts(place, *card));
    // The place of each card. Restricted places come first, by augmenting paths.
    let mut holder: Vec<Option<usize>> = vec![None; cards.len()];
    for place in 0..places.slots.len() {
        if places.is_restricted(place) && !augment(place, cards.len(), &allowed, &mut holder, &mut vec![false; cards.len()]) {
            places.is_unrestricted = true;
            return cards;
        }
    }
    let mut result: Vec<Option<u32>> = vec![None; places.slots.len()];
    let mut free = Vec::new();
    for (card, place) in cards.iter().zip(&holder) {
        match place.and_then(|place| result.get_mut(place)) {
            Some(slot) => *slot = Some(*card),
            None => free.push(*card),
        }
    }
    let mut free = free.into_iter();
    result.into_iter().filter_map(|card| card.or_else(|| free.next())).collect()
}

/// Finds a card for a place by an augmenting path (Kuhn's algorithm).
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

/// Shuffles cards by random swaps; a swap is skipped unless both places accept their new cards.
fn shuffle_legally(cards: &mut [u32], places: &DealTargets<'_>, dice: &mut Dice) {
    // Two passes: a card whose swap was skipped in the first pass may be able to move in the second.
    for first in (1..cards.len()).rev().chain((1..cards.len()).rev()) {
        let second = dice.below(first as u32 + 1) as usize;
        let pair = cards.get(first).copied().zip(cards.get(second).copied());
        if pair.is_some_and(|(one, other)| places.accepts(first, other) && places.accepts(second, one)) {
            cards.swap(first, second);
        }
    }
}

fn write_definitions(program: &LinkedTables, state: &mut State, changed: &[(usize, u32, u32)]) {
    for (slot, was, card) in changed {
        if state.column(*slot, at::DEFINITION) == *was {
            state.set_definition(program, *slot, *card);
        }
    }
}
