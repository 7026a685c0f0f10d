//! The numbers that a viewer has for objects: allotted when the viewer first identifies an incarnation, never told by slots.

use super::sees;
use crate::state::{Ref, layout as at};
use crate::vm::Machine;
use crate::vm::knowledge::{keeps_order, looks_into};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The objects that a viewer has met, and their numbers. It follows from the game and its answers; whoever shows views keeps it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Handles {
    /// By number, from 1; none for those that cannot be followed any more.
    met: Vec<u32>,
    /// The number of a reference, and whether the object can be followed when it leaves.
    numbers: BTreeMap<u32, (u32, bool)>,
}

/// What has changed in what a viewer can identify.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Change {
    /// Objects met now, by number.
    pub met: Vec<u32>,
    /// Numbers of objects that cannot be told from others any more.
    pub lost: Vec<u32>,
}

impl Handles {
    /// The number of an object that has one.
    #[must_use]
    pub fn known(&self, it: Ref) -> Option<u32> {
        self.numbers.get(&it.0).map(|(number, _)| *number)
    }

    /// The object of a number.
    #[must_use]
    pub fn object(&self, handle: u32) -> Option<Ref> {
        let it = self.met.get((handle as usize).checked_sub(1)?).copied()?;
        (it != 0).then_some(Ref(it))
    }

    /// Gives numbers to what the viewer can identify now and had not met, and forgets what cannot be followed.
    pub fn update(&mut self, machine: &Machine, viewer: usize) -> Change {
        let (state, program) = (&machine.state, &machine.program);
        let mut change = Change::default();
        let mut forgotten = Vec::new();
        for (it, (number, followed)) in &mut self.numbers {
            let it = Ref(*it);
            let current = state.current(it.slot());
            if current.incarnation() < it.incarnation() {
                // An announcement was taken back: this incarnation never came to be.
                forgotten.push(it.0);
            } else if state.exists(it) {
                *followed = follows(machine, viewer, it);
                if !sees(machine, viewer, it.slot()) {
                    forgotten.push(it.0);
                    change.lost.push(*number);
                }
            } else if !*followed {
                forgotten.push(it.0);
                change.lost.push(*number);
            }
        }
        for it in forgotten {
            if let Some((number, _)) = self.numbers.remove(&it)
                && let Some(place) = self.met.get_mut(number as usize - 1)
            {
                *place = 0;
            }
        }
        change.lost.sort_unstable();
        for instance in 0..program.layout.instances {
            let mut fresh = Vec::new();
            for item in state.zone_items(program, instance) {
                let pile = state.pile(Ref(*item).slot()).iter();
                fresh.extend(std::iter::once(item).chain(pile).copied().filter(|it| {
                    !self.numbers.contains_key(it) && sees(machine, viewer, Ref(*it).slot())
                }));
            }
            if !keeps_order(program, instance) && !looks_into(program, viewer, instance) {
                // The order in which somebody else holds cards means nothing.
                fresh.sort_by_cached_key(|it| state.column(Ref(*it).slot(), at::DEFINITION));
            }
            for it in fresh {
                self.met.push(it);
                let number = self.met.len() as u32;
                self.numbers.insert(it, (number, follows(machine, viewer, Ref(it))));
                change.met.push(number);
            }
        }
        change
    }
}

/// Whether a viewer sees which one it is when an object leaves its zone: among hidden ones without order any of them could be it.
fn follows(machine: &Machine, viewer: usize, it: Ref) -> bool {
    let zone = machine.state.zone(it.slot());
    zone.is_none_or(|zone| looks_into(&machine.program, viewer, zone) || keeps_order(&machine.program, zone))
}
