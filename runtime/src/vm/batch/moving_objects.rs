//! Which objects the simultaneous events in progress are about to move: another event of the same step cannot take them.

use crate::ir::verbs::PUT;
use crate::ir::{ChoiceSite, FnId, ObjectRef, Op, Reg, Type};
use crate::records::event::{EVENT_WORDS, Event, REPLACED_EVENT_SHIFT, status};
use crate::records::frame::{batch, body};
use crate::state::block::Handle;
use crate::vm::inline_vecs::InlineWords;
use crate::vm::machine::Machine;
use std::collections::BTreeSet;

/// The most actions that are followed to find out whether an action moves its object.
const MAX_ACTIONS_FOLLOWED: usize = 16;

/// Fuel for each event in progress that is looked at to find the objects that move.
const FUEL_PER_EVENT_IN_PROGRESS: usize = 4;

/// The register of the first parameter in the body of an action: the source and its player come before it.
const FIRST_PARAMETER: Reg = 2;

impl Machine {
    /// Returns the objects that the replacements of a batch are about to move and that another choice therefore cannot take; none for a choice of
    /// what its verb does not move.
    pub(in crate::vm) fn objects_used_by_replacements(&self, frame: Handle, site: &ChoiceSite) -> InlineWords {
        let Some(verb) = site.verb.filter(|_| site.candidate_type == Type::Objects) else { return InlineWords::new() };
        let replacing: Vec<Event> = (0..self.events_in(frame))
            .map(|index| self.batch_event(frame, index))
            .filter(|event| event.flags >> REPLACED_EVENT_SHIFT != 0 && is_in_progress(event))
            .collect();
        if replacing.is_empty() || !self.moves_its_object(verb.0) {
            return InlineWords::new();
        }
        let moving = replacing.iter().filter(|event| self.moves_its_object(event.action));
        moving.map(|event| ObjectRef::from_value(event.args[0]).0).collect()
    }

    /// Returns whether a body proposes events of a step that has other events: it advances in lockstep with other bodies, or gathers the events of
    /// a block.
    pub(in crate::vm) fn shares_step(&self, frame: Handle) -> bool {
        self.word(frame + body::BATCH) != 0 || self.word(frame + body::GATHERING) != 0
    }

    /// Removes from a list the objects that other events of the step of a body are about to move: two draws take two cards.
    pub(in crate::vm) fn leave_out_moving_objects(&mut self, frame: Handle, list: &mut InlineWords) {
        let batch = self.word(frame + body::BATCH) as usize;
        let first = if batch == batch::NONE { 0 } else { self.word(batch + batch::SEGMENT) as usize };
        let count = self.events_in(batch);
        let gathered = self.state.block.list(frame + body::GATHERED).chunks(EVENT_WORDS);
        let events = count.saturating_sub(first) + gathered.len();
        if events == 0 {
            self.charge_items(list.len());
            return;
        }
        let in_batch = (first..count).map(|index| self.batch_event(batch, index)).filter(is_in_progress);
        let items: BTreeSet<u32> = list.iter().copied().collect();
        let about =
            |event: &Event| items.contains(&ObjectRef::from_value(event.args[0]).0) && self.moves_its_object(event.action);
        let moving: BTreeSet<u32> = gathered
            .map(Event::from_words)
            .chain(in_batch)
            .filter(about)
            .map(|event| ObjectRef::from_value(event.args[0]).0)
            .collect();
        list.retain(|item| !moving.contains(item));
        self.charge_items(events * FUEL_PER_EVENT_IN_PROGRESS + list.len());
    }

    /// Calls a function that takes objects from the ends of lists in a body that shares its step: it leaves out what other events of the step are
    /// about to move. No cache knows these objects, so it is evaluated without caches.
    pub(in crate::vm) fn call_among_moving(&mut self, frame: Handle, function: FnId, args: &[i64]) -> i64 {
        let moving = if self.shares_step(frame) { self.moving_in_step(frame) } else { Vec::new() };
        let (world, scratch) = self.world();
        let mode = scratch.reference_mode;
        scratch.reference_mode |= !moving.is_empty();
        scratch.moving = moving;
        let value = world.call(scratch, function, args);
        scratch.moving.clear();
        scratch.reference_mode = mode;
        value
    }

    /// Returns the objects that the events of the step of a body are about to move.
    fn moving_in_step(&mut self, frame: Handle) -> Vec<u32> {
        let batch = self.word(frame + body::BATCH) as usize;
        let first = if batch == batch::NONE { 0 } else { self.word(batch + batch::SEGMENT) as usize };
        let in_batch = (first..self.events_in(batch)).map(|index| self.batch_event(batch, index)).filter(is_in_progress);
        let gathered = self.state.block.list(frame + body::GATHERED).chunks(EVENT_WORDS).map(Event::from_words);
        let events: Vec<Event> = gathered.chain(in_batch).collect();
        self.charge_items(events.len() * FUEL_PER_EVENT_IN_PROGRESS);
        let moving = events.iter().filter(|event| self.moves_its_object(event.action));
        moving.map(|event| ObjectRef::from_value(event.args[0]).0).collect()
    }

    /// Returns whether an action moves the object that is its first argument, directly or by an action that it consists of. Each action is followed
    /// once, and no more than [`MAX_ACTIONS_FOLLOWED`].
    fn moves_its_object(&self, action: u32) -> bool {
        let mut found = vec![action];
        let mut next = 0;
        while let Some(action) = found.get(next).copied().filter(|_| next < MAX_ACTIONS_FOLLOWED) {
            if action == PUT {
                return true;
            }
            next += 1;
            let body = self.program.format.actions.get(action as usize).and_then(|action| action.body);
            let ops = body.and_then(|body| self.program.function(body)).map_or(&[][..], |function| function.ops.as_slice());
            let proposals = ops.iter().filter_map(|op| if let Op::Propose { events, .. } = op { Some(events) } else { None });
            for event in proposals.flatten().filter(|event| event.args.first() == Some(&FIRST_PARAMETER)) {
                if found.len() < MAX_ACTIONS_FOLLOWED && !found.contains(&event.action.0) {
                    found.push(event.action.0);
                }
            }
        }
        false
    }
}

/// Returns whether an event is proposed or will be committed with its segment.
fn is_in_progress(event: &Event) -> bool {
    matches!(event.status, status::PROPOSED | status::FINAL)
}
