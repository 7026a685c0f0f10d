//! The numbers that a viewer has for objects: allotted when the viewer first identifies an incarnation, never told by slots.

use super::{meets, sees};
use crate::state::{ObjectRef, layout as at};
use crate::vm::Machine;
use crate::vm::knowledge::{keeps_order, looks_into};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The objects that a viewer has met, and their numbers. It follows from the game and its answers; whoever shows views keeps it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handles {
    /// By number, from 1; none for those that cannot be followed any more.
    met: Vec<u32>,
    /// By reference.
    numbers: BTreeMap<u32, KnownObject>,
}

/// An object that was met.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct KnownObject {
    number: u32,
    /// Whether it can be told which one it is when it leaves its zone.
    followed: bool,
    /// Whether it shows which card it is.
    seen: bool,
    /// The zone it was in when it was last seen there, and its card.
    zone: u32,
    card: u32,
}

/// What has changed in what a viewer can identify.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct HandleChanges {
    /// Objects met now, or that show only now which card they are, by number.
    pub met: Vec<u32>,
    /// Numbers of objects that cannot be told from others any more.
    pub lost: Vec<u32>,
}

impl Handles {
    /// The number of an object that has one.
    #[must_use]
    pub fn known(&self, it: ObjectRef) -> Option<u32> {
        self.numbers.get(&it.0).map(|met| met.number)
    }

    /// As [`Handles::known`], but not of what could be any of several hidden objects: which of them something happened to does not show.
    #[must_use]
    pub fn handle_if_unambiguous(&self, it: ObjectRef) -> Option<u32> {
        self.numbers.get(&it.0).filter(|met| met.followed).map(|met| met.number)
    }

    /// The object of a number.
    #[must_use]
    pub fn object(&self, handle: u32) -> Option<ObjectRef> {
        let it = self.met.get((handle as usize).checked_sub(1)?).copied()?;
        (it != 0).then_some(ObjectRef(it))
    }

    /// Gives numbers to what the viewer can identify now and had not met, and forgets what cannot be followed.
    pub fn update(&mut self, machine: &Machine, viewer: usize) -> HandleChanges {
        let (state, program) = (&machine.state, &machine.program);
        let mut change = HandleChanges::default();
        let mut forgotten = Vec::new();
        for (it, met) in &mut self.numbers {
            let it = ObjectRef(*it);
            let current = state.current(it.slot());
            if current.incarnation() < it.incarnation() {
                // An announcement was taken back: this incarnation never came to be.
                forgotten.push((it.0, false));
            } else if !state.exists(it) {
                if !met.followed {
                    forgotten.push((it.0, true));
                }
            } else if meets(machine, viewer, it.slot()) {
                let unseen = !met.seen;
                *met = entry(machine, viewer, it, met.number);
                if unseen && met.seen {
                    change.met.push(met.number);
                }
            } else {
                forgotten.push((it.0, true));
            }
        }
        for (it, lost) in forgotten {
            let Some(gone) = self.numbers.remove(&it) else { continue };
            let number = if lost && !gone.followed { self.pass_on(gone) } else { gone.number };
            if let Some(place) = self.met.get_mut(number as usize - 1) {
                *place = 0;
            }
            if lost {
                change.lost.push(number);
            }
        }
        change.lost.sort_unstable();
        change.met.sort_unstable();
        for instance in 0..program.layout.instances {
            let mut fresh = Vec::new();
            for item in state.zone_items(program, instance) {
                let pile = state.pile(ObjectRef(*item).slot()).iter();
                fresh.extend(
                    std::iter::once(item)
                        .chain(pile)
                        .copied()
                        .filter(|it| !self.numbers.contains_key(it) && meets(machine, viewer, ObjectRef(*it).slot())),
                );
            }
            if !keeps_order(program, instance) && !looks_into(program, viewer, instance) {
                // The order in which somebody else holds cards means nothing.
                fresh.sort_by_cached_key(|it| state.column(ObjectRef(*it).slot(), at::DEFINITION));
            }
            for it in fresh {
                self.met.push(it);
                let number = self.met.len() as u32;
                self.numbers.insert(it, entry(machine, viewer, ObjectRef(it), number));
                change.met.push(number);
            }
        }
        change
    }

    /// Of equal cards in a hidden place without order nobody else can tell which one left: always the lowest number is given up, and
    /// the object that had it gets the number of the one that left.
    fn pass_on(&mut self, gone: KnownObject) -> u32 {
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

fn entry(machine: &Machine, viewer: usize, it: ObjectRef, number: u32) -> KnownObject {
    let zone = machine.state.zone(it.slot()).map_or(u32::MAX, |zone| zone as u32);
    let card = machine.state.column(it.slot(), at::DEFINITION);
    KnownObject { number, followed: follows(machine, viewer, it), seen: sees(machine, viewer, it.slot()), zone, card }
}

/// Whether a viewer sees which one it is when an object leaves its zone: among hidden ones without order any of them could be it.
fn follows(machine: &Machine, viewer: usize, it: ObjectRef) -> bool {
    let zone = machine.state.zone(it.slot());
    zone.is_none_or(|zone| looks_into(&machine.program, viewer, zone) || keeps_order(&machine.program, zone))
}
