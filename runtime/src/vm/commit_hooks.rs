//! Finds the triggers of a commit, and the durations that end with it: those that look back before the commit, all others after it.

use crate::ir::ObjectRef;
use crate::ir::verbs::PUT;
use crate::program::Program;
use crate::records::event::{Event, status};
use crate::state::block::Handle;
use crate::vm::commit_segment::{EventPlace, FoundHooks, HookedEvent, ImmediateBodies};
use crate::vm::hooks::TriggerGroups;
use crate::vm::machine::Machine;

impl Machine {
    /// Adds the carried events that have observers to the hooked events of a commit.
    pub(super) fn add_hooked_carriers(&mut self, carriers: &[Handle], hooked: &mut Vec<HookedEvent>) {
        for (depth, carrier) in carriers.iter().enumerate() {
            let event = self.carried_event(*carrier);
            if self.has_observers(event.action) {
                hooked.push(HookedEvent { event, depth, place: EventPlace::Carried(*carrier) });
            }
        }
    }

    /// Finds the triggers that look back and the durations that end before the events of a commit. Returns the groups of triggers of the commit.
    pub(super) fn find_hooks_before(
        &mut self,
        program: &Program,
        hooked: &[HookedEvent],
        found: &mut FoundHooks,
    ) -> TriggerGroups {
        let mut once = TriggerGroups::default();
        found.has_written = false;
        for (number, it) in hooked.iter().enumerate() {
            found.has_written |= self.find_triggers(program, &it.event, true, &mut once, &mut found.at_once);
            self.find_ending(program, (number, &it.event), true, ObjectRef::NONE, found);
        }
        once
    }

    /// Finds the triggers and the durations that end after the events of a commit that happened. What happened within something is over before it,
    /// so the immediate triggers on it come first.
    pub(super) fn find_hooks_after(
        &mut self,
        program: &Program,
        hooked: &[HookedEvent],
        once: &mut TriggerGroups,
        found: &mut FoundHooks,
    ) {
        let first = found.at_once.len();
        let mut depths: Vec<usize> = Vec::new();
        for (number, it) in hooked.iter().enumerate().filter(|(_, it)| it.event.status == status::HAPPENED) {
            let mut event = it.event;
            let mut was = ObjectRef::NONE;
            if event.action == PUT {
                was = ObjectRef::from_value(event.args[0]);
                event.args[0] = ObjectRef(event.result).value();
            }
            found.has_written |= self.find_triggers(program, &event, false, once, &mut found.at_once);
            self.find_ending(program, (number, &event), false, was, found);
            depths.resize(found.at_once.len() - first, it.depth);
        }
        put_inner_first(&mut found.at_once, first, &depths);
    }

    /// Finds the continuous effects that end with an event.
    pub(super) fn find_ending(
        &mut self,
        program: &Program,
        (number, event): (usize, &Event),
        before: bool,
        was: ObjectRef,
        found: &mut FoundHooks,
    ) {
        let ending = self.effects_ending_with(program, event, before, was);
        found.ending.extend(ending.into_iter().map(|stamp| (number, stamp)));
    }

    /// Ends the effects whose durations are over, and pushes the bodies of immediate triggers.
    pub(super) fn finish_hooks(&mut self, hooked: &[HookedEvent], found: &FoundHooks) {
        for (number, stamp) in &found.ending {
            if hooked.get(*number).is_some_and(|it| it.event.status == status::HAPPENED) {
                self.end_effect(*stamp);
            }
        }
        if found.has_written {
            self.after_commit();
        }
        for (function, args, behalf) in found.at_once.iter().rev() {
            self.push_body(*function, args, *behalf);
        }
    }
}

/// Sorts immediate bodies from `first` on by the depth of their events, the deepest first.
fn put_inner_first(at_once: &mut ImmediateBodies, first: usize, depths: &[usize]) {
    if depths.len() < 2 {
        return;
    }
    let mut bodies: Vec<_> = at_once.drain(first..).zip(depths).collect();
    bodies.sort_by_key(|(_, depth)| std::cmp::Reverse(**depth));
    at_once.extend(bodies.into_iter().map(|(body, _)| body));
}
