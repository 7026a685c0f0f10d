//! Hash keys of options by what the deciding player can observe: equal in all copies of the game that the player cannot distinguish.

use fizzle_ir::ObjectRef;
use fizzle_runtime::program::Program;
use fizzle_runtime::state::layout as at;
use fizzle_runtime::vm::decision::{Choice, Decision, DecisionKind, Side};
use fizzle_runtime::vm::machine::Machine;

/// Combines two hashes.
pub(super) fn mix(one: u64, other: u64) -> u64 {
    let product = (one ^ other).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    product ^ (product >> 29)
}

/// The key of a decision: kind, choice site and player, not its options.
pub(super) fn decision_key(decision: &Decision) -> u64 {
    let site = decision.site.map_or(0, |site| u64::from(site) + 1);
    mix(mix(decision.kind as u64 + 1, site), decision.player as u64)
}

/// The action key of an option: equal for all objects of one card and controller, in any zone. [`ActionValues`] uses it.
///
/// [`ActionValues`]: super::action_values::ActionValues
pub(super) fn action_key(machine: &Machine, decision: &Decision, option: usize) -> u64 {
    let card = |it: ObjectRef| card_key(machine, decision.player, it);
    choice_key(decision, option, card)
}

/// The key of an option: different for objects that the player can distinguish. Exception: known objects of the same card share a key
/// in a zone that is not public.
pub(super) fn option_key(machine: &Machine, decision: &Decision, option: usize) -> u64 {
    choice_key(decision, option, |it| mix(card_key(machine, decision.player, it), position_key(machine, decision.player, it)))
}

fn choice_key(decision: &Decision, option: usize, object: impl Fn(ObjectRef) -> u64) -> u64 {
    let base = decision_key(decision);
    if matches!(decision.kind, DecisionKind::Number) {
        return mix(base, option as u64);
    }
    let Some(choice) = decision.options.get(option) else { return base };
    let parts = |parts: &[u64]| parts.iter().fold(base, |sum, part| mix(sum, *part));
    match *choice {
        Choice::Pass => parts(&[1]),
        Choice::Yes => parts(&[2]),
        Choice::No => parts(&[3]),
        Choice::PayNow => parts(&[4]),
        Choice::Abandon => parts(&[5]),
        Choice::Mode(mode) => parts(&[6, u64::from(mode)]),
        Choice::Word(traits, word) => parts(&[7, u64::from(traits.0), u64::from(word)]),
        Choice::Player(seat) => parts(&[8, seat as u64]),
        Choice::Object(it) => parts(&[9, object(it)]),
        Choice::Producer(it) => parts(&[14, object(it)]),
        Choice::Play { play, object: it, face } => parts(&[10, u64::from(play), u64::from(face), object(it)]),
        Choice::Pair(it, Side::Object(with)) => parts(&[11, object(it), object(with)]),
        Choice::Pair(it, Side::Player(seat)) => parts(&[12, object(it), seat as u64]),
        Choice::Trigger { ability, source, about, nth } => {
            parts(&[13, u64::from(ability), object(source), object(about), u64::from(nth)])
        }
        Choice::Replacement { ability, source, about, nth } => {
            parts(&[14, u64::from(ability), object(source), object(about), u64::from(nth)])
        }
    }
}

/// The key of an object's card and controller, as far as the player knows them.
fn card_key(machine: &Machine, player: usize, it: ObjectRef) -> u64 {
    let (state, slot) = (&machine.state, it.slot());
    if it.is_none() || !state.exists(it) {
        return u64::from(it.0);
    }
    let known = state.is_known(&machine.program, player, slot);
    let card = if known { u64::from(state.column(slot, at::DEFINITION)) + 1 } else { 0 };
    (card << 8) | u64::from(state.column(slot, at::CONTROLLER))
}

/// The key of an object's position: its zone, and its index among the objects of its card there (among all objects, if the player does
/// not know the card). In a zone that is not public, all known objects of a card share a key.
fn position_key(machine: &Machine, player: usize, it: ObjectRef) -> u64 {
    let (state, program, slot) = (&machine.state, &machine.program, it.slot());
    let Some(zone) = state.zone(slot).filter(|_| state.exists(it)) else { return 0 };
    let known = state.is_known(program, player, slot);
    if known && is_private(program, zone) {
        return zone as u64 + 1;
    }
    let card = state.column(slot, at::DEFINITION);
    let alike = |other: &&u32| !known || state.column(ObjectRef(**other).slot(), at::DEFINITION) == card;
    let nth = state.zone_items(program, zone).iter().filter(alike).position(|item| *item == it.0);
    // Members of piles are not among the items of a zone.
    let nth = nth.map_or(u64::from(it.0) | 1 << 40, |nth| nth as u64);
    mix(zone as u64 + 1, nth)
}

fn is_private(program: &Program, zone: usize) -> bool {
    !program.is_public(zone)
}
