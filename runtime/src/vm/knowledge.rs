//! Who knows which card an object is: the mask [`at::SEEN`] of objects that hide, and the record of what each player was shown.
//!
//! Knowledge is part of the state, as plain data: it decides what may be permuted in a copy, it outlives saving, and going back to a
//! mark takes it back as well. It is of objects that can be followed. What leaves a place without order unseen could be any of its
//! objects, so nothing is known of any of them afterwards; a shuffle forgets everything.

use super::Machine;
use super::decision::{Choice, Decision};
use crate::ir::{FnId, Op, Place, Visibility};
use crate::program::Program;
use crate::state::{Ref, State, layout as at};

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

/// The bit of a player in [`at::SEEN`].
fn bit(player: usize) -> u32 {
    u32::try_from(player).ok().and_then(|player| 1u32.checked_shl(player)).unwrap_or(0)
}

impl State {
    /// Whether a player knows which card the object in a slot is.
    #[must_use]
    pub fn is_known(&self, program: &Program, player: usize, slot: usize) -> bool {
        let Some(zone) = self.zone(slot) else { return false };
        self.column(slot, at::SEEN) & bit(player) != 0 || looks_into(program, player, zone)
    }

    /// What a player was shown of hidden cards, oldest first.
    pub fn shown(&self, player: usize) -> impl Iterator<Item = [u32; SHOWN_WORDS]> + '_ {
        let list = if player < at::SEATS { self.block.list(at::SHOWN + player) } else { &[] };
        list.as_chunks::<SHOWN_WORDS>().0.iter().copied()
    }
}

impl Machine {
    /// Takes knowledge along when the object in a slot goes from one zone to another. It stands in neither when this is called.
    pub(crate) fn carry_knowledge(&mut self, slot: usize, from: Option<usize>, into: usize) {
        let program = std::sync::Arc::clone(&self.program);
        let seen = self.state.column(slot, at::SEEN);
        let mut kept = 0;
        for player in 0..program.players() {
            let before = from.is_none_or(|zone| looks_into(&program, player, zone));
            let after = looks_into(&program, player, into);
            let known = before || seen & bit(player) != 0;
            let unfollowed = !before && from.is_some_and(|zone| !keeps_order(&program, zone));
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
        self.state.set_column(slot, at::SEEN, kept);
    }

    /// An object has left a hidden place without order. Which one, a player can tell only where it is seen to arrive (`arrived`: its
    /// slot, and whether it was known); then one object of that name less is known to be there.
    fn lose_track(&mut self, player: usize, zone: usize, arrived: Option<(usize, bool)>) {
        let items = self.state.zone_items(&self.program, zone).to_vec();
        let known = items.into_iter().map(|item| Ref(item).slot()).filter(|slot| self.state.column(*slot, at::SEEN) & bit(player) != 0);
        let known: Vec<usize> = match arrived {
            Some((_, true)) => Vec::new(),
            Some((slot, false)) => {
                let card = self.state.column(slot, at::DEFINITION);
                known.filter(|other| self.state.column(*other, at::DEFINITION) == card).take(1).collect()
            }
            None => known.collect(),
        };
        for slot in known {
            let seen = self.state.column(slot, at::SEEN);
            self.state.set_column(slot, at::SEEN, seen & !bit(player));
        }
    }

    /// Shows an object to a player. What was hidden in another player's zone goes into the record.
    pub(crate) fn show(&mut self, player: usize, it: Ref) {
        let slot = it.slot();
        let Some(zone) = self.state.zone(slot) else { return };
        if self.state.is_known(&self.program, player, slot) {
            return;
        }
        self.set(at::BARRIER, 1);
        let seen = self.state.column(slot, at::SEEN);
        self.state.set_column(slot, at::SEEN, seen | bit(player));
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
            if let Choice::Object(it) = choice {
                self.show(decision.player, *it);
            }
        }
    }
}

/// Whether the condition of a choice reads what is on the cards.
fn looks_at_cards(program: &Program, site: u32) -> bool {
    let selector = program.library.sites.get(site as usize).and_then(|site| site.selector);
    selector.is_some_and(|selector| filters(program, selector, &mut Vec::new()))
}

/// Whether a selector filters by what is on the cards.
fn filters(program: &Program, function: FnId, met: &mut Vec<FnId>) -> bool {
    if met.contains(&function) {
        return false;
    }
    met.push(function);
    let Some(code) = program.function(function) else { return false };
    code.ops.iter().any(|op| match op {
        Op::Filter { filter, .. } => reads(program, *filter, &mut Vec::new()),
        Op::Call { function, .. } => filters(program, *function, met),
        _ => false,
    })
}

/// Whether a pure function reads what is on cards.
fn reads(program: &Program, function: FnId, met: &mut Vec<FnId>) -> bool {
    if met.contains(&function) {
        return false;
    }
    met.push(function);
    let Some(code) = program.function(function) else { return false };
    code.ops.iter().any(|op| match op {
        Op::Get { place, .. } => matches!(place, Place::Property(_) | Place::Printed(_) | Place::Words(_) | Place::Definition),
        Op::HasWord { .. } | Op::HasKeyword { .. } | Op::KeywordValue { .. } | Op::IsCard { .. } => true,
        Op::Call { function, .. } | Op::Filter { filter: function, .. } | Op::Fold { value: function, .. } => {
            reads(program, *function, met)
        }
        _ => false,
    })
}
