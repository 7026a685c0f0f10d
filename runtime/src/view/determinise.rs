//! A game as it could be, for all that one player knows.
//!
//! Cards that the player cannot identify change places with others of the same owner; what lies where (piles, order, counts, marks on
//! them) stays, and so does every card that the player knows. So the player is taken to know which cards each owner has, as with open
//! deck lists, and what the rules say of hidden places (`hides`), and nothing else: the cards are dealt anew from their sorted list,
//! wherever they lie in the original. Limits: what could be concluded is not respected (that a player who did not use a card may not
//! have one), and neither is what another player's unfinished business says about a hidden card; so a copy is meant for moments at
//! which the viewer is asked, and another player's pending question is about the cards of the original.

use crate::bot::{Dice, derive};
use crate::state::{ObjectRef, State, layout as at};
use crate::vm::Machine;
use crate::vm::knowledge::{is_choosy, may_lie};

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
        let mut places = DealTargets { machine, slots: &slots, any: false };
        let mut cards = dealt(cards, &mut places);
        exchange(&mut cards, &places, &mut dice);
        changed.extend(slots.iter().zip(cards).map(|(slot, card)| (*slot, state.column(*slot, at::DEFINITION), card)));
    }
    write(&mut copy.state, &changed);
    for mark in &mut copy.state.marks {
        // A card keeps its slot: what is permuted now is permuted in what an announcement returns to as well.
        let mut earlier = State { block: std::mem::take(mark), marks: Vec::new() };
        write(&mut earlier, &changed);
        *mark = earlier.block;
    }
    copy.derived.mark_all_dirty();
    copy.producers.clear();
    copy
}

/// Places among which cards are dealt.
struct DealTargets<'a> {
    machine: &'a Machine,
    slots: &'a [usize],
    /// Anything may lie anywhere.
    any: bool,
}

impl DealTargets<'_> {
    /// Whether there are cards that may not lie in a place.
    fn is_choosy(&self, place: usize) -> bool {
        !self.any && self.slots.get(place).is_some_and(|slot| is_choosy(&self.machine.state, &self.machine.program, *slot))
    }

    /// Whether a card may lie in a place. That is for the rules to say, not for what lies there.
    fn take(&self, place: usize, card: u32) -> bool {
        let (state, program) = (&self.machine.state, &self.machine.program);
        let slot_and_card = self.slots.get(place).zip(program.definition(card)).filter(|_| !self.any);
        slot_and_card.is_none_or(|(slot, card)| may_lie(state, program, *slot, card))
    }
}

/// Where an object lies in its zone, from the bottom; what lies under another comes last.
fn place(machine: &Machine, slot: usize) -> usize {
    let zone = machine.state.zone(slot);
    let items = zone.map_or(&[][..], |zone| machine.state.zone_items(&machine.program, zone));
    items.iter().position(|item| ObjectRef(*item).slot() == slot).unwrap_or(usize::MAX)
}

/// The cards in an order that does not depend on the one they are given in, each where it may lie: sorted, as far as the places
/// allow. If the cards do not fit (then something lies where the rules say that it cannot), anything may lie anywhere.
fn dealt(mut cards: Vec<u32>, places: &mut DealTargets<'_>) -> Vec<u32> {
    cards.sort_unstable();
    let allowed = |place: usize, card: usize| cards.get(card).is_some_and(|card| places.take(place, *card));
    // Which place has each card: places that do not take all cards first, by augmenting paths.
    let mut holder: Vec<Option<usize>> = vec![None; cards.len()];
    for place in 0..places.slots.len() {
        if places.is_choosy(place) && !augment(place, cards.len(), &allowed, &mut holder, &mut vec![false; cards.len()]) {
            places.any = true;
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
fn exchange(cards: &mut [u32], places: &DealTargets<'_>, dice: &mut Dice) {
    // Twice: a card that found its way barred the first time may have found a place to go on from.
    for first in (1..cards.len()).rev().chain((1..cards.len()).rev()) {
        let second = dice.below(first as u32 + 1) as usize;
        let pair = cards.get(first).copied().zip(cards.get(second).copied());
        if pair.is_some_and(|(one, other)| places.take(first, other) && places.take(second, one)) {
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
