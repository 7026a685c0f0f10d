//! Committing a segment: what happens at once, and who looks at it.

use super::event::{COMMITTED, Event, INCIDENTAL, MATCHED, MEMBER, PROPOSING, STANDS_FOR, status, word};
use super::log_event;
use crate::ir::Type;
use crate::ir::verbs::{ANNOUNCE, ATTACH, BEGIN, CEASE, CHOSEN, FINISH, FIZZLE, PUT, RESOLVE, START_RESOLVING, VERBS, WRITE};
use crate::program::Program;
use crate::state::ObjectRef;
use crate::state::block::Handle;
use crate::vm::Machine;
use crate::vm::frame::batch;
use crate::vm::hooks::{ImmediateBodies, TriggerGroups};
use crate::vm::inline_vecs::Refs;
use smallvec::SmallVec;

/// What a commit looks at: events of a batch, by number. Its memory is used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct Segment {
    /// What happens by itself.
    leaves: Vec<usize>,
    /// What happens with it for the first time: the leaves, and what they are part of.
    happening: Vec<usize>,
    /// Those of them at which somebody may look.
    hooked: Vec<usize>,
    /// What triggers on them and is run at once.
    at_once: ImmediateBodies,
    /// What came into the field: as it was, and as it is there.
    arrived: Vec<(i64, i64)>,
    /// What lasts until one of them: the event, and the timestamp of what ends.
    ending: Vec<(usize, u32)>,
}

impl Segment {
    fn clear(&mut self) {
        self.leaves.clear();
        self.happening.clear();
        self.hooked.clear();
        self.at_once.clear();
        self.arrived.clear();
        self.ending.clear();
    }
}

impl Machine {
    /// Commits the primitive events of the segment, all at once, and looks for triggers before and after.
    pub(super) fn commit_segment(&mut self, program: &Program, frame: Handle) {
        let first = self.word(frame + batch::SEGMENT) as usize;
        let count = self.events_in(frame);
        let mut segment = std::mem::take(&mut self.scratch.segment);
        segment.clear();
        for index in 0..count {
            let flags = self.event_word(frame, index, word::FLAGS);
            if self.event_word(frame, index, word::STATUS) == status::FINAL
                && flags & (COMMITTED | PROPOSING) == 0
                && (self.is_primitive(frame, index) || index >= first)
            {
                segment.leaves.push(index);
            }
        }
        self.set(frame + batch::SEGMENT, count as u32);
        self.drop_repeated_moves(frame, &mut segment.leaves);
        // What matters for triggers that must not miss their moment: not the bookkeeping of statuses, nor what is incidental.
        let counts = |leaf: &usize| {
            let action = self.event_word(frame, *leaf, word::ACTION);
            let machine = matches!(action, BEGIN | FINISH | ANNOUNCE | START_RESOLVING | RESOLVE | FIZZLE | CHOSEN);
            let bookkeeping = action == WRITE && self.event_word(frame, *leaf, word::PARENT) == 0;
            !machine && !bookkeeping && self.event_word(frame, *leaf, word::FLAGS) & INCIDENTAL == 0
        };
        if segment.leaves.iter().any(counts) {
            self.start_new_serial();
        }
        // Everything that happens with this commit: the leaves and their ancestors, each once.
        let Segment { leaves, happening, hooked, at_once, arrived, ending } = &mut segment;
        for leaf in leaves.iter() {
            let mut at = Some(*leaf);
            while let Some(index) = at {
                let seen = self.event_word(frame, index, word::FLAGS) & MATCHED != 0;
                if !seen && self.event_word(frame, index, word::ACTION) != WRITE && !happening.contains(&index) {
                    happening.push(index);
                }
                at = self.part_of(frame, index);
            }
        }
        happening.sort_unstable();
        hooked.extend(happening.iter().copied().filter(|index| self.has_observers(self.event_word(frame, *index, word::ACTION))));
        let mut once = TriggerGroups::default();
        for index in hooked.iter() {
            let event = self.batch_event(frame, *index);
            self.find_triggers(program, &event, true, &mut once, at_once);
            ending.extend(self.lasting_until(program, &event, true, ObjectRef::NONE).into_iter().map(|stamp| (*index, stamp)));
        }
        // What leaves together is remembered as it was together.
        for leaf in leaves.iter() {
            if self.moves(frame, *leaf) {
                self.record_last_known(self.event_argument(frame, *leaf));
            }
        }
        // Moves come first: what is written together with a move into the field is written of what arrives there.
        leaves.sort_by_key(|leaf| !self.moves(frame, *leaf));
        for leaf in leaves.iter() {
            let mut event = self.batch_event(frame, *leaf);
            event.flags |= COMMITTED;
            event.status = status::HAPPENED;
            if event.action == WRITE && event.args[0] == 0 {
                self.follow(frame, arrived, &mut event);
            }
            // A member moves only once its pile has parted.
            let stuck = event.flags & MEMBER != 0
                && self.state.column(ObjectRef::from_value(event.args[0]).slot(), crate::state::layout::HOST) != 0;
            if stuck {
                event.status = status::FAILED;
            } else if (event.action as usize) < VERBS.len() {
                match self.commit(program, &event) {
                    Some(result) => event.result = result.0,
                    None => event.status = status::FAILED,
                }
            } else {
                self.record_event();
            }
            self.set_batch_event(frame, *leaf, &event);
            if event.status == status::HAPPENED {
                self.mark_ancestors(frame, *leaf, event.result);
                if event.action == PUT && self.program.zone_of(event.args[1].max(0) as usize).is_some_and(|zone| zone.field) {
                    arrived.push((event.args[0], ObjectRef(event.result).value()));
                }
            }
        }
        for index in happening.iter() {
            if self.event_word(frame, *index, word::STATUS) == status::HAPPENED {
                let flags = self.event_word(frame, *index, word::FLAGS);
                self.set_event_word(frame, *index, word::FLAGS, flags | MATCHED);
                if self.recording {
                    let event = self.batch_event(frame, *index);
                    self.record(|| log_event(&event, true));
                }
            }
        }
        self.after_commit();
        for index in hooked.iter() {
            let mut event = self.batch_event(frame, *index);
            if event.status == status::HAPPENED {
                let mut was = ObjectRef::NONE;
                if event.action == PUT {
                    was = ObjectRef::from_value(event.args[0]);
                    event.args[0] = ObjectRef(event.result).value();
                }
                self.find_triggers(program, &event, false, &mut once, at_once);
                ending.extend(self.lasting_until(program, &event, false, was).into_iter().map(|stamp| (*index, stamp)));
            }
        }
        for leaf in leaves.iter() {
            let stacked = self.event_word(frame, *leaf, word::ACTION) == ATTACH
                && self.event_word(frame, *leaf, word::STATUS) == status::HAPPENED;
            if stacked && self.has_observers(PUT) {
                let event = self.batch_event(frame, *leaf);
                let arrival = self.arrival(&event);
                self.find_triggers(program, &arrival, false, &mut once, at_once);
                ending.extend(
                    self.lasting_until(program, &arrival, false, ObjectRef::NONE).into_iter().map(|stamp| (*leaf, stamp)),
                );
            }
        }
        for (index, stamp) in ending.iter() {
            if self.event_word(frame, *index, word::STATUS) == status::HAPPENED {
                self.end_effect(*stamp);
            }
        }
        for (function, args, behalf) in at_once.iter().rev() {
            self.push_body(*function, args, *behalf);
        }
        self.scratch.segment = segment;
    }

    /// Something happens that triggers come too late for which must not miss their moment.
    pub(in crate::vm) fn start_new_serial(&mut self) {
        let serial = self.word(crate::state::layout::SERIAL);
        self.set(crate::state::layout::SERIAL, serial.wrapping_add(1));
    }

    fn is_primitive(&self, frame: Handle, index: usize) -> bool {
        (self.event_word(frame, index, word::ACTION) as usize) < VERBS.len()
    }

    /// Whether an event moves its object.
    fn moves(&self, frame: Handle, index: usize) -> bool {
        matches!(self.event_word(frame, index, word::ACTION), PUT | ATTACH | CEASE)
    }

    /// The object that an event of the machine's own is about.
    pub(super) fn event_argument(&self, frame: Handle, index: usize) -> ObjectRef {
        ObjectRef::from_value(i64::from(self.event_word(frame, index, word::FIRST) as i32))
    }

    /// Lets what is written of an object that has just arrived in the field be written of what it is there, and what that is part of be
    /// about it.
    fn follow(&mut self, frame: Handle, arrived: &[(i64, i64)], event: &mut Event) {
        let Some((before, now)) = arrived.iter().copied().find(|(before, _)| *before == event.args[2]) else { return };
        event.args[2] = now;
        let mut at = event.parent;
        while let Some(index) = at.checked_sub(1) {
            let mut outer = self.batch_event(frame, index as usize);
            let params = self.program.format.actions.get(outer.action as usize).map_or(&[][..], |a| a.params.as_slice());
            for ((_, ty), arg) in params.iter().zip(&mut outer.args) {
                if *ty == Type::Object && *arg == before {
                    *arg = now;
                }
            }
            self.set_batch_event(frame, index as usize, &outer);
            at = outer.parent;
        }
    }

    /// What was put on top of another object has entered the zone: triggers on entering see it.
    fn arrival(&self, event: &Event) -> Event {
        let it = ObjectRef(event.result);
        let zone = self.state.zone(it.slot()).map_or(-1, |z| z as i64);
        let controller = i64::from(self.state.column(it.slot(), crate::state::layout::CONTROLLER));
        Event {
            action: PUT,
            count: 6,
            args: [it.value(), zone, controller, 0, 0, -1, 0, 0],
            cause: event.cause,
            ..Event::default()
        }
    }

    /// An object moves once in a commit: a second event that would move it, or one whose object is gone, fails before anything
    /// triggers on it.
    fn drop_repeated_moves(&mut self, frame: Handle, leaves: &mut Vec<usize>) {
        let mut moved = Refs::new();
        let mut repeated: SmallVec<[usize; 8]> = SmallVec::new();
        let one = leaves.len() == 1;
        leaves.retain(|index| {
            if !self.moves(frame, *index) {
                return true;
            }
            let it = self.event_argument(frame, *index);
            let again = moved.contains(&it) || !self.state.exists(it) || !self.has_place(&self.batch_event(frame, *index));
            if !one {
                moved.push(it);
            }
            if again {
                repeated.push(*index);
            }
            !again
        });
        for index in repeated {
            self.set_event_word(frame, index, word::STATUS, status::FAILED);
        }
    }

    /// Whether there is somewhere for what moves.
    fn has_place(&self, event: &Event) -> bool {
        match event.action {
            PUT => usize::try_from(event.args[1]).is_ok_and(|zone| zone < self.program.layout.instances),
            ATTACH => {
                let host = ObjectRef::from_value(event.args[1]);
                self.state.exists(host) && host != ObjectRef::from_value(event.args[0])
            }
            _ => true,
        }
    }

    /// Tells an event's ancestors that it happened.
    fn mark_ancestors(&mut self, frame: Handle, index: usize, result: u32) {
        let mut at = self.part_of(frame, index);
        while let Some(ancestor) = at {
            self.set_event_word(frame, ancestor, word::STATUS, status::HAPPENED);
            if self.event_word(frame, ancestor, word::RESULT) == 0 {
                self.set_event_word(frame, ancestor, word::RESULT, result);
            }
            at = self.part_of(frame, ancestor);
        }
    }

    /// The event that an event is part of. Where a move was replaced by something that leads elsewhere, what said that move did not happen
    /// (a creature that is exiled instead has not died), but what that is part of did.
    fn part_of(&self, frame: Handle, index: usize) -> Option<usize> {
        let parent = self.event_word(frame, index, word::PARENT).checked_sub(1)? as usize;
        let stands_for = |index: usize| (self.event_word(frame, index, word::FLAGS) >> STANDS_FOR).checked_sub(1);
        let Some(mut replaced) = stands_for(index) else { return Some(parent) };
        while let Some(outer) = stands_for(replaced as usize) {
            replaced = outer;
        }
        let (event, meant) = (self.batch_event(frame, index), self.batch_event(frame, replaced as usize));
        let kind = |put: &Event| usize::try_from(put.args[1]).map_or(usize::MAX, |zone| self.program.layout.kind(zone));
        let strays = meant.action == PUT && event.action == PUT && meant.args[0] == event.args[0] && kind(&meant) != kind(&event);
        if strays { self.part_of(frame, parent) } else { Some(parent) }
    }
}
