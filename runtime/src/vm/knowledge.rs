//! Hidden information: which player knows which card an object is (CR 400.2). The mask [`at::KNOWN_TO`] of hidden objects, and a
//! record of what each player was shown.
//!
//! Knowledge is part of the state as plain data: it decides what a determinised copy may permute, is saved, and is rolled back
//! with a mark. It covers objects that a player can follow.
//! If an object leaves an unordered zone that a player cannot see, it could be any of that zone's objects, so the player no
//! longer knows any of them. A shuffle deletes all knowledge of a zone.

use super::decision::{Choice, Decision};
use super::dependencies::DepSet;
use super::inline_vecs::Slots;
use crate::ir::ObjectRef;
use crate::ir::operands::StateRead;
use crate::ir::{DECK_ZONE, Definition, FnId, Op, Place, TraitSetId, Visibility};
use crate::program::Program;
use crate::records::SHOWN_WORDS;
use crate::state::{State, layout as at};
use crate::vm::cache_entries::store;
use crate::vm::machine::Machine;
use smallvec::SmallVec;

/// The number of a viewer who knows every card, for reading games that are over. No seat and no watcher has this number.
pub const ALL_SEEING: usize = usize::MAX;

/// Returns whether a player may look into a zone.
#[must_use]
pub fn can_look_into(program: &Program, player: usize, zone: usize) -> bool {
    match program.zone_of(zone).map(|z| z.visibility) {
        Some(_) if player == ALL_SEEING => true,
        Some(Visibility::Public) => true,
        Some(Visibility::Owner) => program.zone_owner(zone) == Some(player),
        Some(Visibility::Hidden) | None => false,
    }
}

/// Returns whether hidden objects of a zone can be distinguished by their positions.
#[must_use]
pub fn keeps_order(program: &Program, zone: usize) -> bool {
    program.zone_of(zone).is_some_and(|z| z.ordered || z.list)
}

/// Returns the words of which the object in a slot has at least one, as public knowledge about a hidden object. Empty if it can
/// be any card, as can a concealed object that has public values.
fn possible_words_of<'p>(state: &State, program: &'p Program, slot: usize) -> &'p [(TraitSetId, u16)] {
    let Some(zone) = state.zone(slot).and_then(|zone| program.zone_of(zone)).filter(|zone| !zone.possible_words.is_empty())
    else {
        return &[];
    };
    let hidden = zone.visibility != Visibility::Public || state.is_concealed(program, slot);
    if hidden && !state.is_disguised(program, slot) { &zone.possible_words } else { &[] }
}

/// Returns whether a card can be the hidden object in a slot, by the rules about its zone.
#[must_use]
pub fn may_be_card(state: &State, program: &Program, slot: usize, card: &Definition) -> bool {
    let words = possible_words_of(state, program, slot);
    let printed = |(set, word): &(TraitSetId, u16)| card.words.get(set.index()).is_some_and(|words| words.contains(word));
    words.is_empty() || words.iter().any(printed)
}

/// Returns whether the rules exclude some cards for the hidden object in a slot.
#[must_use]
pub fn is_restricted(state: &State, program: &Program, slot: usize) -> bool {
    !possible_words_of(state, program, slot).is_empty()
}

/// Returns the bit of a player in [`at::KNOWN_TO`]; 0 from player 32 on.
fn bit(player: usize) -> u32 {
    u32::try_from(player).ok().and_then(|player| 1u32.checked_shl(player)).unwrap_or(0)
}

/// For a concealed object in a public zone: its controller, the only player who knows what it is.
pub(crate) type Concealed = Option<usize>;

/// Returns whether a player sees what an object in a zone is.
fn sees_objects_in(program: &Program, player: usize, zone: usize, concealed: Concealed) -> bool {
    can_look_into(program, player, zone) && concealed.is_none_or(|controller| player == controller || player == ALL_SEEING)
}

impl State {
    /// Returns whether a player knows which card the object in a slot is.
    #[must_use]
    pub fn is_known(&self, program: &Program, player: usize, slot: usize) -> bool {
        let Some(zone) = self.zone(slot) else { return self.is_unplaced(slot) };
        self.column(slot, at::KNOWN_TO) & bit(player) != 0
            || sees_objects_in(program, player, zone, self.concealed(program, slot))
    }

    /// Returns whether a player can distinguish an object, even without knowing which card it is: it is known, or in a zone
    /// that the player sees.
    #[must_use]
    pub fn is_distinguishable(&self, program: &Program, player: usize, slot: usize) -> bool {
        self.is_known(program, player, slot) || self.zone(slot).is_some_and(|zone| can_look_into(program, player, zone))
    }

    /// Returns the controller of an object that a status conceals.
    pub(crate) fn concealed(&self, program: &Program, slot: usize) -> Concealed {
        self.is_concealed(program, slot).then(|| self.column(slot, at::CONTROLLER) as usize)
    }

    /// Returns what a player was shown of hidden cards, oldest first.
    pub fn shown(&self, player: usize) -> impl Iterator<Item = [u32; SHOWN_WORDS]> + '_ {
        let list = if player < at::MAX_SEATS { self.block.list(at::SHOWN_CARDS + player) } else { &[] };
        list.as_chunks::<SHOWN_WORDS>().0.iter().copied()
    }
}

impl Machine {
    /// Updates knowledge when the object in a slot moves between zones. It is in neither zone when this is called. `was` and
    /// `will` say whether it is concealed there.
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
            let before = from.is_none_or(|zone| sees_objects_in(program, player, zone, was));
            let after = sees_objects_in(program, player, into, will);
            let known = before || seen & bit(player) != 0;
            let unfollowed = from.is_some_and(|zone| !can_look_into(program, player, zone) && !keeps_order(program, zone));
            if let (true, Some(zone)) = (unfollowed, from) {
                self.lose_track(player, zone, after.then_some((slot, known)));
            }
            if !after && known && !unfollowed {
                kept |= bit(player);
            }
            if after && !known {
                // An announcement is not rolled back past new knowledge of a player.
                self.set_barrier();
            }
        }
        self.state.set_column(slot, at::KNOWN_TO, kept);
    }

    /// Updates a player's knowledge of a hidden, unordered zone that an object has left. `arrived`: the slot if the player sees it
    /// arrive, and whether it was known. A known object costs no knowledge, an unknown one that of one object with the same card. If
    /// the player does not see it arrive, all knowledge of the zone is lost.
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

    /// Writes a concealing status. Players who knew the object still know it; others learn it when nothing conceals it any more.
    pub(crate) fn write_concealing_status(&mut self, slot: usize, write: impl FnOnce(&mut Self)) {
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
            self.set_barrier();
        }
        self.derived.mark_dirty(slot);
    }

    /// Records that a player learned something hidden, or that chance decided: announcements are not rolled back past it.
    pub(crate) fn set_barrier(&mut self) {
        self.set(at::BARRIER, 1);
        self.disclosures += 1;
    }

    /// How often a player learned something hidden, or chance decided, since the game began. An answer after which it has grown
    /// cannot be taken back without a player keeping what was learned. Not part of the state: a game that is played again counts
    /// again.
    #[must_use]
    pub fn disclosures(&self) -> u64 {
        self.disclosures
    }

    /// Shows an object to a player. Objects from hidden zones of other players are recorded.
    pub(crate) fn show(&mut self, player: usize, it: ObjectRef) {
        let slot = it.slot();
        let Some(zone) = self.state.zone(slot).filter(|_| self.state.exists(it)) else { return };
        if self.state.is_known(&self.program, player, slot) {
            return;
        }
        self.set_barrier();
        let seen = self.state.column(slot, at::KNOWN_TO);
        self.state.set_column(slot, at::KNOWN_TO, seen | bit(player));
        if player < at::MAX_SEATS && self.program.zone_owner(zone) != Some(player) {
            let card = self.state.column(slot, at::DEFINITION);
            let owner = self.state.column(slot, at::OWNER);
            let entry = [self.state.turn(), card, owner, zone as u32];
            self.state.block.extend(at::SHOWN_CARDS + player, &entry);
        }
    }

    /// Shows the candidates of a choice that is a search to its player: all if their filter reads what is on the cards, else those in a deck.
    /// Other hidden objects are chosen blindly.
    pub(crate) fn show_candidates(&mut self, decision: &Decision) {
        let Some(site) = decision.site else { return };
        let shows_all = selects_by_card(&self.program, site);
        for choice in &decision.options {
            if let Choice::Object(it) = choice
                && (shows_all || self.is_in_deck(*it))
                && !self.has_public_values(decision.player, *it)
            {
                self.show(decision.player, *it);
            }
        }
    }

    /// Returns whether an object is a card of a deck.
    fn is_in_deck(&self, it: ObjectRef) -> bool {
        let zone = self.state.zone(it.slot()).and_then(|zone| self.program.zone_of(zone));
        zone.is_some_and(|zone| zone.name == DECK_ZONE)
    }

    /// Returns whether an object has public values in place of its print: choosing by those reveals nothing.
    fn has_public_values(&self, player: usize, it: ObjectRef) -> bool {
        let zone = self.state.zone(it.slot()).filter(|_| self.state.exists(it));
        zone.is_some_and(|zone| can_look_into(&self.program, player, zone)) && self.state.is_disguised(&self.program, it.slot())
    }

    /// Shows a hidden object that triggers or is used, unless it has public values in place of its print.
    pub(crate) fn show_source(&mut self, source: ObjectRef) {
        for player in 0..self.program.players() {
            if !self.has_public_values(player, source) {
                self.show(player, source);
            }
        }
    }

    /// Shows a player the concealed objects that the player controls (CR 708.5).
    ///
    /// The revision of the last check is cached per player; nothing is checked while objects and concealing statuses are
    /// unchanged since. Reference mode always checks.
    pub(crate) fn show_own_concealed(&mut self, program: &Program, player: usize) {
        if program.concealing_statuses.is_empty() {
            return;
        }
        let statuses = program.concealing_statuses.iter().filter_map(|status| u16::try_from(*status).ok());
        let parts = statuses.fold(DepSet::OBJECTS, |parts, status| parts | DepSet::of(Place::Status(status)));
        let looked = self.scratch.last_looked_at.get(player).copied().flatten();
        if looked.is_some_and(|then| self.derived.revisions().unchanged_since(then, parts)) && !self.scratch.reference_mode {
            return;
        }
        // An object that is not concealed is known to all players who see its zone.
        let mut slots = Slots::new();
        for status in &program.concealing_statuses {
            slots.extend(self.state.slots_with(at::STATUSES + status));
        }
        slots.retain(|slot| {
            self.state.zone(*slot).is_some_and(|zone| can_look_into(program, player, zone))
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
        store(&mut self.scratch.last_looked_at, player, self.derived.revisions().current());
    }

    /// Shows a concealed object to all players if its status says so (CR 708.9).
    pub(crate) fn disclose(&mut self, it: ObjectRef) {
        let status = self.state.concealing_status(&self.program, it.slot()).filter(|_| self.state.exists(it));
        if status.and_then(|status| self.program.library.statuses.get(status)).is_some_and(|status| status.revealed_on_leaving) {
            (0..self.program.players()).for_each(|player| self.show(player, it));
        }
    }

    /// At the end of the game, shows all objects with a status that discloses.
    pub(crate) fn disclose_all(&mut self) {
        if self.program.library.statuses.iter().any(|status| status.revealed_on_leaving) {
            (1..self.state.slots()).filter(|slot| self.state.zone(*slot).is_some()).collect::<Vec<_>>().into_iter().for_each(
                |slot| {
                    self.disclose(self.state.current(slot));
                },
            );
        }
    }
}

/// Returns whether the selector of a choice site reads what is on the cards.
fn selects_by_card(program: &Program, site: u32) -> bool {
    let selector = program.library.sites.get(site as usize).and_then(|site| site.selector);
    selector.is_some_and(|selector| filters_by_card(program, selector, &mut VisitedFunctions::new()))
}

/// Functions that were visited already.
type VisitedFunctions = SmallVec<[FnId; 16]>;

/// Returns whether a selector filters by what is on the cards.
fn filters_by_card(program: &Program, function: FnId, visited: &mut VisitedFunctions) -> bool {
    if visited.contains(&function) {
        return false;
    }
    visited.push(function);
    let Some(code) = program.source_function(function) else { return false };
    code.ops.iter().any(|op| match op {
        Op::Filter { filter, .. } => reads_cards(program, *filter, &mut VisitedFunctions::new()),
        Op::Call { function, .. } | Op::CallUnconcealed { function, .. } => filters_by_card(program, *function, visited),
        _ => false,
    })
}

/// Returns whether a pure function reads what is on cards.
fn reads_cards(program: &Program, function: FnId, visited: &mut VisitedFunctions) -> bool {
    if visited.contains(&function) {
        return false;
    }
    visited.push(function);
    let Some(code) = program.source_function(function) else { return false };
    code.ops.iter().any(|op| match op.state_read() {
        StateRead::Place(place) => matches!(place, Place::Property(_) | Place::Printed(_) | Place::Words(_) | Place::Definition),
        StateRead::Words(_) | StateRead::Keyword(_) | StateRead::Name => true,
        StateRead::Nothing
        | StateRead::Existence
        | StateRead::Zone(_)
        | StateRead::ZoneContents(_)
        | StateRead::ActivePlayer
        | StateRead::Periods
        | StateRead::Builtin(_)
        | StateRead::Legality
        | StateRead::Concealed
        | StateRead::Statement => op.callee().is_some_and(|function| reads_cards(program, function, visited)),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{advance, start, zone_named};
    use crate::ir::verbs::{LOOK, REVEAL, SHUFFLE};
    use crate::records::event::Event;
    use crate::testing;
    use std::sync::Arc;

    fn machine() -> Machine {
        let mut machine = start(testing::program(), &[testing::cards(12), testing::cards(12)], 4).expect("it starts");
        advance(&mut machine);
        machine
    }

    fn zone(machine: &Machine, name: &str, seat: usize) -> usize {
        let zone = zone_named(&machine.program, name).expect("a zone");
        machine.program.zone_instance(zone.index(), seat).expect("an instance")
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
    fn a_card_stays_known_in_a_deck_until_it_is_shuffled() {
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
    fn an_unseen_departure_removes_knowledge_of_the_hand() {
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
        let moved = first(&machine, hand);
        let moved = moves(&mut machine, moved, deck);
        assert!(!knows(&machine, 1, moved) && knows(&machine, 0, moved));
        let left = machine.state.zone_items(&machine.program, hand).to_vec();
        assert!(left.len() == 2 && left.iter().all(|it| !knows(&machine, 1, ObjectRef(*it))));
        assert_eq!(machine.state.shown(1).count(), shown, "the record stays");
    }

    #[test]
    fn a_look_informs_one_player() {
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
