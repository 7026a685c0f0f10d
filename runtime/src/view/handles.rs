//! Handles: a viewer's own numbers for objects, assigned when the viewer first distinguishes an incarnation; they never reveal slots.

use super::{distinguishes, sees};
use crate::ir::ObjectRef;
use crate::state::layout as at;
use crate::vm::knowledge::{can_look_into, keeps_order};
use crate::vm::machine::Machine;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The objects that a viewer has distinguished so far, and their handles. The driver keeps it between views; the game and its answers
/// determine it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handles {
    /// The references by handle, from 1; 0 for objects that cannot be followed any more.
    met: Vec<u32>,
    /// The known objects that exist, by reference. At the last update some did that have moved since.
    numbers: BTreeMap<u32, KnownObject>,
    /// The number of commits at the last update. It is less later if an announcement was taken back.
    commits: u32,
    /// Objects that moved while the viewer could follow them, by reference: since there is an announcement that can be taken back, so that they
    /// would exist again, or since the last update.
    moved: BTreeMap<u32, KnownObject>,
    /// The handles of the objects that moved before, by reference. The viewer could follow them.
    gone: BTreeMap<u32, u32>,
}

/// An object that has a handle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct KnownObject {
    number: u32,
    /// Whether the viewer can identify the object when it leaves its zone.
    followed: bool,
    /// Whether the viewer knows which card it is.
    seen: bool,
    /// Its zone and card at the last update.
    zone: u32,
    card: u32,
}

/// The changes of one update.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandleChanges {
    /// The handles of objects that are new, or whose card the viewer knows from now on.
    pub identified: Vec<u32>,
    /// The handles of objects that cannot be distinguished from others any more.
    pub lost: Vec<u32>,
}

impl Handles {
    /// The handle of an object, if it has one.
    #[must_use]
    pub fn handle(&self, it: ObjectRef) -> Option<u32> {
        let known = self.numbers.get(&it.0).or_else(|| self.moved.get(&it.0));
        known.map(|met| met.number).or_else(|| self.gone.get(&it.0).copied())
    }

    /// As [`Handles::handle`], but `None` for an object that could be any of several hidden ones. Events do not reveal which of them it was.
    #[must_use]
    pub fn handle_if_unambiguous(&self, it: ObjectRef) -> Option<u32> {
        match self.numbers.get(&it.0).or_else(|| self.moved.get(&it.0)) {
            Some(met) => met.followed.then_some(met.number),
            None => self.gone.get(&it.0).copied(),
        }
    }

    /// The object of a handle; `None` if the handle is void.
    #[must_use]
    pub fn object(&self, handle: u32) -> Option<ObjectRef> {
        let it = self.met.get((handle as usize).checked_sub(1)?).copied()?;
        (it != 0).then_some(ObjectRef(it))
    }

    /// Assigns handles to the objects that the viewer can distinguish now, and removes those of objects that cannot be followed.
    pub fn update(&mut self, machine: &Machine, viewer: usize) -> HandleChanges {
        let (state, program) = (&machine.state, &machine.program);
        let mut change = HandleChanges::default();
        let (mut forgotten, mut moved) = (Vec::new(), Vec::new());
        let commits = state.block.get(at::COMMIT_COUNT);
        if commits < std::mem::replace(&mut self.commits, commits) {
            // Objects that have moved since may exist again, or not yet.
            self.numbers.append(&mut self.moved);
        }
        if state.marks.is_empty() {
            // Without a mark, no rollback can make these exist again.
            self.gone.extend(std::mem::take(&mut self.moved).into_iter().map(|(it, met)| (it, met.number)));
        }
        for (it, met) in &mut self.numbers {
            let it = ObjectRef(*it);
            let current = state.current(it.slot());
            if current.incarnation() < it.incarnation() {
                // An announcement was taken back, so that this incarnation does not exist.
                forgotten.push((it.0, false));
            } else if !state.exists(it) {
                if met.followed { moved.push(it.0) } else { forgotten.push((it.0, true)) }
            } else if distinguishes(machine, viewer, it.slot()) {
                let unseen = !met.seen;
                *met = known_object(machine, viewer, it, met.number);
                if unseen && met.seen {
                    change.identified.push(met.number);
                }
            } else {
                forgotten.push((it.0, true));
            }
        }
        for it in moved {
            if let Some(gone) = self.numbers.remove(&it) {
                self.moved.insert(it, gone);
            }
        }
        for (it, lost) in forgotten {
            let Some(gone) = self.numbers.remove(&it) else { continue };
            let number = if lost && !gone.followed { self.transfer_number(gone) } else { gone.number };
            if let Some(place) = self.met.get_mut(number as usize - 1) {
                *place = 0;
            }
            if lost {
                change.lost.push(number);
            }
        }
        change.lost.sort_unstable();
        change.identified.sort_unstable();
        for instance in 0..program.layout.instances {
            let mut fresh = Vec::new();
            for item in state.zone_items(program, instance) {
                let pile = state.pile(ObjectRef(*item).slot()).iter();
                fresh.extend(
                    std::iter::once(item)
                        .chain(pile)
                        .copied()
                        .filter(|it| !self.numbers.contains_key(it) && distinguishes(machine, viewer, ObjectRef(*it).slot())),
                );
            }
            if !keeps_order(program, instance) && !can_look_into(program, viewer, instance) {
                // The order in which another player holds cards must not affect handles.
                fresh.sort_by_cached_key(|it| state.column(ObjectRef(*it).slot(), at::DEFINITION));
            }
            for it in fresh {
                self.met.push(it);
                let number = self.met.len() as u32;
                self.numbers.insert(it, known_object(machine, viewer, ObjectRef(it), number));
                change.identified.push(number);
            }
        }
        change
    }

    /// Returns the handle to give up for an object that left. If it left a hidden zone without order, other players cannot see which of
    /// several equal cards it was. The lowest handle of these is given up, and its object takes the handle of the one that left.
    fn transfer_number(&mut self, gone: KnownObject) -> u32 {
        let equal =
            self.numbers.iter_mut().filter(|(_, met)| (met.followed, met.zone, met.card) == (false, gone.zone, gone.card));
        let Some((it, lowest)) = equal.min_by_key(|(_, met)| met.number).filter(|(_, met)| met.number < gone.number) else {
            return gone.number;
        };
        let number = std::mem::replace(&mut lowest.number, gone.number);
        if let Some(place) = self.met.get_mut(gone.number as usize - 1) {
            *place = *it;
        }
        number
    }
}

fn known_object(machine: &Machine, viewer: usize, it: ObjectRef, number: u32) -> KnownObject {
    let zone = machine.state.zone(it.slot()).map_or(u32::MAX, |zone| zone as u32);
    let card = machine.state.column(it.slot(), at::DEFINITION);
    KnownObject { number, followed: can_follow(machine, viewer, it), seen: sees(machine, viewer, it.slot()), zone, card }
}

/// Whether a viewer can identify an object when it leaves its zone. Among hidden objects without order, it could be any of them.
fn can_follow(machine: &Machine, viewer: usize, it: ObjectRef) -> bool {
    let zone = machine.state.zone(it.slot());
    zone.is_none_or(|zone| can_look_into(&machine.program, viewer, zone) || keeps_order(&machine.program, zone))
}
