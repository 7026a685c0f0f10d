//! Who knows which card an object is: the mask [`at::KNOWN_TO`] of objects that hide, and the record of what each player was shown.
//!
//! Knowledge is part of the state, as plain data: it decides what may be permuted in a copy, it outlives saving, and going back to a
//! mark takes it back as well. It is of objects that can be followed. What leaves a place without order unseen could be any of its
//! objects, so nothing is known of any of them afterwards; a shuffle forgets everything.

use super::Machine;
use super::decision::{Choice, Decision};
use super::dependencies::DepSet;
use super::inline_vecs::Slots;
use super::refusal_cache::keep;
use crate::ir::{Definition, FnId, Op, Place, TraitSetId, Visibility};
use crate::program::Program;
use crate::state::{ObjectRef, State, layout as at};
use smallvec::SmallVec;

/// Words of an entry in the record of what a player was shown: turn, card, whose card, zone instance.
pub const SHOWN_WORDS: usize = 4;

/// Whether a player may look into a zone.
#[must_use]
pub fn looks_into(program: &Program, player: usize, zone: usize) -> bool {
    match program.zone_of(zone).map(|z| z.visibility) {
        Some(Visibility::Public) => true,
        Some(Visibility::Owner) => program.zone_owner(zone) == Some(player),
        Some(Visibility::Hidden) | None => false,
    }
}

/// Whether the objects of a zone can be told apart, though they hide, by where they lie.
#[must_use]
pub fn keeps_order(program: &Program, zone: usize) -> bool {
    program.zone_of(zone).is_some_and(|z| z.ordered || z.list)
}

/// The words of which what lies in a slot has one, as everybody knows who cannot see what it is; none: it can be anything. What is
/// concealed by values that everybody sees instead could be anything, too.
fn hides<'p>(state: &State, program: &'p Program, slot: usize) -> &'p [(TraitSetId, u16)] {
    let Some(zone) = state.zone(slot).and_then(|zone| program.zone_of(zone)).filter(|zone| !zone.possible_words.is_empty())
    else {
        return &[];
    };
    let hidden = zone.visibility != Visibility::Public || state.is_concealed(program, slot);
    if hidden && !state.is_disguised(program, slot) { &zone.possible_words } else { &[] }
}

/// Whether a card can be what lies hidden in a slot, by what the rules say of its zone.
#[must_use]
pub fn may_lie(state: &State, program: &Program, slot: usize, card: &Definition) -> bool {
    let words = hides(state, program, slot);
    let printed = |(set, word): &(TraitSetId, u16)| card.words.get(set.index()).is_some_and(|words| words.contains(word));
    words.is_empty() || words.iter().any(printed)
}

/// Whether not every card can be what lies hidden in a slot.
#[must_use]
pub fn is_choosy(state: &State, program: &Program, slot: usize) -> bool {
    !hides(state, program, slot).is_empty()
}

/// The bit of a player in [`at::KNOWN_TO`].
fn bit(player: usize) -> u32 {
    u32::try_from(player).ok().and_then(|player| 1u32.checked_shl(player)).unwrap_or(0)
}

/// Who does not see what an object is, where its zone is open: all but this player, its controller.
pub(crate) type Concealed = Option<usize>;

/// Whether a player sees what lies in a zone, given whether it is concealed there.
fn sees_in(program: &Program, player: usize, zone: usize, concealed: Concealed) -> bool {
    looks_into(program, player, zone) && concealed.is_none_or(|controller| controller == player)
}

impl State {
    /// Whether a player knows which card the object in a slot is.
    #[must_use]
    pub fn is_known(&self, program: &Program, player: usize, slot: usize) -> bool {
        let Some(zone) = self.zone(slot) else { return self.is_unplaced(slot) };
        self.column(slot, at::KNOWN_TO) & bit(player) != 0 || sees_in(program, player, zone, self.concealed(program, slot))
    }

    /// Whether a player can tell an object from others, though perhaps not which card it is: known, or lying in the open.
    #[must_use]
    pub fn is_met(&self, program: &Program, player: usize, slot: usize) -> bool {
        self.is_known(program, player, slot) || self.zone(slot).is_some_and(|zone| looks_into(program, player, zone))
    }

    /// The controller of what is concealed by a status.
    pub(crate) fn concealed(&self, program: &Program, slot: usize) -> Concealed {
        self.is_concealed(program, slot).then(|| self.column(slot, at::CONTROLLER) as usize)
    }

    /// What a player was shown of hidden cards, oldest first.
    pub fn shown(&self, player: usize) -> impl Iterator<Item = [u32; SHOWN_WORDS]> + '_ {
        let list = if player < at::SEATS { self.block.list(at::SHOWN + player) } else { &[] };
        list.as_chunks::<SHOWN_WORDS>().0.iter().copied()
    }
}

impl Machine {
    /// Takes knowledge along when the object in a slot goes from one zone to another. It stands in neither when this is called.
    /// `was` and `will` say whether it is concealed there.
    pub(crate) fn carry_knowledge(
        &mut self,
        program: &Program,
        slot: usize,
        (from, into): (Option<usize>, usize),
        (was, will): (Concealed, Concealed),
    ) {
        let seen = self.state.column(slot, at::KNOWN_TO);
        let mut kept = 0;
        for player in 0..program.players() {
            let before = from.is_none_or(|zone| sees_in(program, player, zone, was));
            let after = sees_in(program, player, into, will);
            let known = before || seen & bit(player) != 0;
            let unfollowed = from.is_some_and(|zone| !looks_into(program, player, zone) && !keeps_order(program, zone));
            if let (true, Some(zone)) = (unfollowed, from) {
                self.lose_track(player, zone, after.then_some((slot, known)));
            }
            if !after && known && !unfollowed {
                kept |= bit(player);
            }
            if after && !known {
                // An announcement is not taken back past what was learnt since.
                self.set(at::BARRIER, 1);
            }
        }
        self.state.set_column(slot, at::KNOWN_TO, kept);
    }

    /// An object has left a hidden place without order. Which one, a player can tell only where it is seen to arrive (`arrived`: its
    /// slot, and whether it was known); then one object of that name less is known to be there.
    fn lose_track(&mut self, player: usize, zone: usize, arrived: Option<(usize, bool)>) {
        let items = self.state.zone_items(&self.program, zone).to_vec();
        let known = items
            .into_iter()
            .map(|item| ObjectRef(item).slot())
            .filter(|slot| self.state.column(*slot, at::KNOWN_TO) & bit(player) != 0);
        let known: Vec<usize> = match arrived {
            Some((_, true)) => Vec::new(),
            Some((slot, false)) => {
                let card = self.state.column(slot, at::DEFINITION);
                known.filter(|other| self.state.column(*other, at::DEFINITION) == card).take(1).collect()
            }
            None => known.collect(),
        };
        for slot in known {
            let seen = self.state.column(slot, at::KNOWN_TO);
            self.state.set_column(slot, at::KNOWN_TO, seen & !bit(player));
        }
    }

    /// A status that conceals is written: who knew what the object is knows it still; who did not learns it when nothing conceals it
    /// any more.
    pub(crate) fn conceal(&mut self, slot: usize, write: impl FnOnce(&mut Self)) {
        let program = std::sync::Arc::clone(&self.program);
        let knows = |machine: &Self| {
            (0..program.players()).filter(|p| machine.state.is_known(&program, *p, slot)).fold(0, |all, p| all | bit(p))
        };
        let before = knows(self);
        write(self);
        let open = self.state.zone(slot).is_some_and(|zone| program.is_public(zone));
        if self.state.is_concealed(&program, slot) {
            let seen = self.state.column(slot, at::KNOWN_TO);
            self.state.set_column(slot, at::KNOWN_TO, seen | before);
        } else if open {
            self.state.set_column(slot, at::KNOWN_TO, 0);
        }
        if knows(self) & !before != 0 {
            self.set(at::BARRIER, 1);
        }
        self.derived.mark_dirty(slot);
    }

    /// Shows an object to a player. What was hidden in another player's zone goes into the record.
    pub(crate) fn show(&mut self, player: usize, it: ObjectRef) {
        let slot = it.slot();
        let Some(zone) = self.state.zone(slot).filter(|_| self.state.exists(it)) else { return };
        if self.state.is_known(&self.program, player, slot) {
            return;
        }
        self.set(at::BARRIER, 1);
        let seen = self.state.column(slot, at::KNOWN_TO);
        self.state.set_column(slot, at::KNOWN_TO, seen | bit(player));
        if player < at::SEATS && self.program.zone_owner(zone) != Some(player) {
            let card = self.state.column(slot, at::DEFINITION);
            let owner = self.state.column(slot, at::OWNER);
            let entry = [self.state.turn(), card, owner, zone as u32];
            self.state.block.extend(at::SHOWN + player, &entry);
        }
    }

    /// Whoever chooses by what is on the cards looks at them: a search shows its candidates. Without such a condition hidden objects
    /// are chosen blindly.
    pub(crate) fn look_through(&mut self, decision: &Decision) {
        let looks = decision.site.is_some_and(|site| looks_at_cards(&self.program, site));
        if !looks {
            return;
        }
        for choice in &decision.options {
            if let Choice::Object(it) = choice
                && !self.shows_disguise(decision.player, *it)
            {
                self.show(decision.player, *it);
            }
        }
    }

    /// Whether an object lies in the open with values that everybody sees instead of its own: choosing by those shows nothing.
    fn shows_disguise(&self, player: usize, it: ObjectRef) -> bool {
        let zone = self.state.zone(it.slot()).filter(|_| self.state.exists(it));
        zone.is_some_and(|zone| looks_into(&self.program, player, zone)) && self.state.is_disguised(&self.program, it.slot())
    }

    /// What triggers or is used out of hiding shows itself, but for what has the ability besides the values that everybody sees.
    pub(crate) fn show_source(&mut self, source: ObjectRef) {
        for player in 0..self.program.players() {
            if !self.shows_disguise(player, source) {
                self.show(player, source);
            }
        }
    }

    /// Whoever came to control what is concealed, by whatever effect, may look at it (CR 708.5).
    pub(crate) fn look_at_own(&mut self, program: &Program, player: usize) {
        if program.concealing.is_empty() {
            return;
        }
        let statuses = program.concealing.iter().filter_map(|status| u16::try_from(*status).ok());
        let parts = statuses.fold(DepSet::OBJECTS, |parts, status| parts | DepSet::of(Place::Status(status)));
        let looked = self.scratch.last_looked_at.get(player).copied().flatten();
        if looked.is_some_and(|then| self.derived.revisions().unchanged_since(then, parts)) && !self.scratch.reference_mode {
            return;
        }
        // What is not concealed is known to whoever looks into its zone.
        let mut slots = Slots::new();
        for status in &program.concealing {
            slots.extend(self.state.slots_with(at::STATUSES + status));
        }
        slots.retain(|slot| {
            self.state.zone(*slot).is_some_and(|zone| looks_into(program, player, zone))
                && !self.state.is_known(program, player, *slot)
        });
        slots.sort_unstable();
        slots.dedup();
        for slot in slots {
            let it = self.state.current(slot);
            if self.controller(it) == player as i64 {
                self.show(player, it);
            }
        }
        keep(&mut self.scratch.last_looked_at, player, self.derived.revisions().current());
    }

    /// Shows what is concealed in a slot to all players, if its status discloses it (CR 708.9).
    pub(crate) fn disclose(&mut self, it: ObjectRef) {
        let status = self.state.concealing(&self.program, it.slot()).filter(|_| self.state.exists(it));
        if status.and_then(|status| self.program.library.statuses.get(status)).is_some_and(|status| status.discloses) {
            (0..self.program.players()).for_each(|player| self.show(player, it));
        }
    }

    /// The game is over: what is concealed by a status that discloses is shown.
    pub(crate) fn disclose_all(&mut self) {
        if self.program.library.statuses.iter().any(|status| status.discloses) {
            (1..self.state.slots()).filter(|slot| self.state.zone(*slot).is_some()).collect::<Vec<_>>().into_iter().for_each(
                |slot| {
                    self.disclose(self.state.current(slot));
                },
            );
        }
    }
}

/// Whether the condition of a choice reads what is on the cards.
fn looks_at_cards(program: &Program, site: u32) -> bool {
    let selector = program.library.sites.get(site as usize).and_then(|site| site.selector);
    selector.is_some_and(|selector| filters(program, selector, &mut VisitedFunctions::new()))
}

/// Functions that were looked at.
type VisitedFunctions = SmallVec<[FnId; 16]>;

/// Whether a selector filters by what is on the cards.
fn filters(program: &Program, function: FnId, met: &mut VisitedFunctions) -> bool {
    if met.contains(&function) {
        return false;
    }
    met.push(function);
    let Some(code) = program.source_function(function) else { return false };
    code.ops.iter().any(|op| match op {
        Op::Filter { filter, .. } => reads(program, *filter, &mut VisitedFunctions::new()),
        Op::Call { function, .. } | Op::CallUnconcealed { function, .. } => filters(program, *function, met),
        _ => false,
    })
}

/// Whether a pure function reads what is on cards.
fn reads(program: &Program, function: FnId, met: &mut VisitedFunctions) -> bool {
    if met.contains(&function) {
        return false;
    }
    met.push(function);
    let Some(code) = program.source_function(function) else { return false };
    code.ops.iter().any(|op| match op {
        Op::Get { place, .. } => matches!(place, Place::Property(_) | Place::Printed(_) | Place::Words(_) | Place::Definition),
        Op::HasWord { .. }
        | Op::HasSomeWord { .. }
        | Op::HasCommonWord { .. }
        | Op::HasKeyword { .. }
        | Op::KeywordValue { .. }
        | Op::IsCard { .. } => true,
        Op::Call { function, .. }
        | Op::CallUnconcealed { function, .. }
        | Op::Filter { filter: function, .. }
        | Op::Fold { value: function, .. } => reads(program, *function, met),
        _ => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{advance, start, zone_named};
    use crate::ir::verbs::{LOOK, REVEAL, SHUFFLE};
    use crate::testing;
    use crate::vm::batch::Event;
    use std::sync::Arc;

    fn machine() -> Machine {
        let mut machine = start(testing::program(), &[testing::cards(12), testing::cards(12)], 4).expect("it starts");
        advance(&mut machine);
        machine
    }

    fn zone(machine: &Machine, name: &str, seat: usize) -> usize {
        let zone = zone_named(&machine.program, name).expect("a zone");
        machine.program.instance(zone.index(), seat).expect("an instance")
    }

    fn first(machine: &Machine, zone: usize) -> ObjectRef {
        ObjectRef(*machine.state.zone_items(&machine.program, zone).first().expect("an object"))
    }

    fn knows(machine: &Machine, player: usize, it: ObjectRef) -> bool {
        machine.state.is_known(&machine.program, player, it.slot())
    }

    fn happens(machine: &mut Machine, action: u32, args: &[i64]) {
        let mut event = Event { action, count: args.len() as u32, ..Event::default() };
        event.args[..args.len()].copy_from_slice(args);
        let program = Arc::clone(&machine.program);
        machine.commit(&program, &event).expect("it happens");
    }

    fn moves(machine: &mut Machine, it: ObjectRef, into: usize) -> ObjectRef {
        let program = Arc::clone(&machine.program);
        machine.move_object(&program, it, into, None, false, 0).expect("it moves")
    }

    #[test]
    fn a_card_is_followed_into_a_deck_until_it_is_shuffled() {
        let mut machine = machine();
        let (hand, deck) = (zone(&machine, "hand", 0), zone(&machine, "deck", 0));
        let card = first(&machine, hand);
        assert_eq!((knows(&machine, 0, card), knows(&machine, 1, card)), (true, false));
        let card = moves(&mut machine, card, deck);
        assert_eq!((knows(&machine, 0, card), knows(&machine, 1, card)), (true, false));
        happens(&mut machine, SHUFFLE, &[deck as i64]);
        let items = machine.state.zone_items(&machine.program, deck).to_vec();
        assert!(items.iter().all(|it| !knows(&machine, 0, ObjectRef(*it))));
    }

    #[test]
    fn what_leaves_a_hand_unseen_could_be_any_card_of_it() {
        let mut machine = machine();
        let (hand, deck) = (zone(&machine, "hand", 0), zone(&machine, "deck", 0));
        for _ in 0..2 {
            let top = first(&machine, deck);
            moves(&mut machine, top, hand);
        }
        for it in machine.state.zone_items(&machine.program, hand).to_vec() {
            happens(&mut machine, REVEAL, &[ObjectRef(it).value()]);
            assert!(knows(&machine, 1, ObjectRef(it)));
        }
        let shown = machine.state.shown(1).count();
        assert_eq!((shown, machine.state.shown(0).count()), (3, 0));
        let gone = first(&machine, hand);
        let gone = moves(&mut machine, gone, deck);
        assert!(!knows(&machine, 1, gone) && knows(&machine, 0, gone));
        let left = machine.state.zone_items(&machine.program, hand).to_vec();
        assert!(left.len() == 2 && left.iter().all(|it| !knows(&machine, 1, ObjectRef(*it))));
        assert_eq!(machine.state.shown(1).count(), shown, "the record stays");
    }

    #[test]
    fn a_look_is_for_one_player() {
        let mut machine = machine();
        let deck = zone(&machine, "deck", 1);
        let card = first(&machine, deck);
        happens(&mut machine, LOOK, &[card.value(), 0]);
        assert_eq!((knows(&machine, 0, card), knows(&machine, 1, card)), (true, false));
        let card_of = machine.state.column(card.slot(), at::DEFINITION);
        let record: Vec<_> = machine.state.shown(0).collect();
        assert_eq!(record, [[machine.state.turn(), card_of, 1, deck as u32]]);
    }
}
