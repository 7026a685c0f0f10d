//! Commits a segment of a batch: applies all of its primitive events at once, and finds the triggers before and after. The lists that it works on are in
//! `vm/commit_segment.rs`.

use crate::ir::ObjectRef;
use crate::ir::Type;
use crate::ir::verbs::{ATTACH, PUT, VERBS, WRITE};
use crate::program::Program;
use crate::records::event::{
    COMMITTED, Event, HAS_PROPOSED, MEMBER_MOVE, PART_OF_CARRIED, REPLACED_EVENT_SHIFT, TRIGGERS_MATCHED, status, word,
};
use crate::records::frame::batch;
use crate::state::block::Handle;
use crate::vm::carried_event::moves_object;
use crate::vm::commit_segment::{EventPlace, HookedEvent, Segment};
use crate::vm::inline_vecs::Refs;
use crate::vm::machine::{Machine, Record};
use crate::vm::work::count as count_work;
use smallvec::SmallVec;

impl Machine {
    /// Commits all primitive events of the segment at once, and finds triggers before and after.
    pub(super) fn commit_segment(&mut self, program: &Program, frame: Handle) {
        self.charge_change();
        let first = self.word(frame + batch::SEGMENT) as usize;
        let count = self.events_in(frame);
        let mut segment = std::mem::take(&mut self.scratch.segment);
        segment.clear();
        for index in 0..count {
            let flags = self.event_word(frame, index, word::FLAGS);
            if self.event_word(frame, index, word::STATUS) == status::FINAL
                && flags & (COMMITTED | HAS_PROPOSED) == 0
                && (self.is_primitive(frame, index) || index >= first)
            {
                segment.leaves.push(index);
            }
        }
        self.set(frame + batch::SEGMENT, count as u32);
        self.charge_events(count, segment.leaves.len());
        count_work(&mut self.scratch.work.batch_events, segment.leaves.len());
        self.drop_repeated_moves(frame, &mut segment.leaves);
        if segment.leaves.iter().any(|leaf| self.batch_event(frame, *leaf).makes_triggers_miss()) {
            self.start_new_serial();
        }
        let outer = self.carriers_below(self.state.frame_count() - 1);
        let reached = self.carriers_reached(frame, &segment.leaves, outer.len());
        // Collect everything that happens by this commit: the leaves and their ancestors, each once.
        let Segment { leaves, happening, hooked, found, arrived } = &mut segment;
        for leaf in leaves.iter() {
            let mut at = Some(*leaf);
            while let Some(index) = at {
                let seen = self.event_word(frame, index, word::FLAGS) & TRIGGERS_MATCHED != 0;
                if !seen && self.event_word(frame, index, word::ACTION) != WRITE && !happening.contains(&index) {
                    happening.push(index);
                }
                at = self.part_of(frame, index);
            }
        }
        happening.sort_unstable();
        self.add_hooked_carriers(outer.get(..reached).unwrap_or(&[]), hooked);
        for index in happening.iter() {
            let event = self.batch_event(frame, *index);
            if self.is_observed(&event) {
                let depth = outer.len() + self.depth_in_batch(frame, *index);
                hooked.push(HookedEvent { event, depth, place: EventPlace::InBatch(*index) });
            }
        }
        let mut once = self.find_hooks_before(program, hooked, found);
        // Last-known information is recorded before any leaf moves, so that objects that leave together see each other.
        for leaf in leaves.iter() {
            if self.moves_object(frame, *leaf) {
                self.record_last_known(self.event_argument(frame, *leaf));
            }
        }
        // Moves come first: a write to an object that enters the field at the same time applies to its new incarnation.
        leaves.sort_by_key(|leaf| !self.moves_object(frame, *leaf));
        let mut happened = 0;
        for (number, leaf) in leaves.iter().enumerate() {
            if number > 0 {
                self.charge_reapplied_effects();
            }
            let mut event = self.batch_event(frame, *leaf);
            event.flags |= COMMITTED;
            event.status = status::HAPPENED;
            if event.action == WRITE && event.args[0] == 0 {
                self.redirect_write(frame, arrived, &mut event);
            }
            // A member of a pile moves only after the pile has split.
            let stuck = event.flags & MEMBER_MOVE != 0
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
                let outermost = self.mark_ancestors(frame, *leaf, event.result);
                happened = happened.max(self.carriers_of(frame, outermost, outer.len()));
                if event.action == PUT && self.program.zone_of(event.args[1].max(0) as usize).is_some_and(|zone| zone.field) {
                    arrived.push((event.args[0], ObjectRef(event.result).value()));
                }
            }
        }
        self.mark_carriers_happened(outer.get(..happened).unwrap_or(&[]));
        for index in happening.iter() {
            if self.event_word(frame, *index, word::STATUS) == status::HAPPENED {
                let flags = self.event_word(frame, *index, word::FLAGS);
                self.set_event_word(frame, *index, word::FLAGS, flags | TRIGGERS_MATCHED);
                if self.recording {
                    let event = self.batch_event(frame, *index);
                    self.record(|| Record::of_event(&event, true));
                }
            }
        }
        self.after_commit();
        for it in hooked.iter_mut() {
            it.event = match it.place {
                EventPlace::InBatch(index) => self.batch_event(frame, index),
                EventPlace::Carried(carrier) => self.carried_event(carrier),
                EventPlace::Alone => it.event,
            };
        }
        self.find_hooks_after(program, hooked, &mut once, found);
        for leaf in leaves.iter() {
            let stacked = self.event_word(frame, *leaf, word::ACTION) == ATTACH
                && self.event_word(frame, *leaf, word::STATUS) == status::HAPPENED;
            if stacked && self.has_observers(PUT) {
                let event = self.attach_arrival_event(&self.batch_event(frame, *leaf));
                found.has_written |= self.find_triggers(program, &event, false, &mut once, &mut found.at_once);
                self.find_ending(program, (hooked.len(), &event), false, ObjectRef::NONE, found);
                hooked.push(HookedEvent { event, depth: 0, place: EventPlace::Alone });
            }
        }
        self.finish_hooks(hooked, found);
        self.scratch.segment = segment;
    }

    /// Returns how many events an event of a batch is part of.
    fn depth_in_batch(&self, frame: Handle, index: usize) -> usize {
        std::iter::successors(self.part_of(frame, index), |index| self.part_of(frame, *index)).count()
    }

    /// Starts a new serial: from now on, earlier triggers that can miss the timing are too late.
    pub(in crate::vm) fn start_new_serial(&mut self) {
        let serial = self.word(crate::state::layout::SERIAL);
        self.set(crate::state::layout::SERIAL, serial.wrapping_add(1));
    }

    fn is_primitive(&self, frame: Handle, index: usize) -> bool {
        (self.event_word(frame, index, word::ACTION) as usize) < VERBS.len()
    }

    /// Returns whether an event moves or deletes its object.
    fn moves_object(&self, frame: Handle, index: usize) -> bool {
        moves_object(self.event_word(frame, index, word::ACTION))
    }

    /// Returns the first argument of a primitive event, as an object.
    pub(super) fn event_argument(&self, frame: Handle, index: usize) -> ObjectRef {
        ObjectRef::from_value(i64::from(self.event_word(frame, index, word::FIRST_ARG) as i32))
    }

    /// Redirects a write to an object that has just entered the field to its new incarnation, in the write, its ancestors and the carried events that
    /// they are part of.
    fn redirect_write(&mut self, frame: Handle, arrived: &[(i64, i64)], event: &mut Event) {
        let Some((before, now)) = arrived.iter().copied().find(|(before, _)| *before == event.args[2]) else { return };
        event.args[2] = now;
        let mut at = event.parent;
        while let Some(index) = at.checked_sub(1) {
            let mut outer = self.batch_event(frame, index as usize);
            self.redirect_arguments(&mut outer, before, now);
            self.set_batch_event(frame, index as usize, &outer);
            at = outer.parent;
        }
        if event.flags & PART_OF_CARRIED != 0 {
            for carrier in self.carriers_below(self.state.frame_count() - 1) {
                let mut outer = self.carried_event(carrier);
                self.redirect_arguments(&mut outer, before, now);
                self.set_carried_event(carrier, &outer);
            }
        }
    }

    /// Replaces an object among the arguments of the event of an action.
    fn redirect_arguments(&self, event: &mut Event, before: i64, now: i64) {
        let params = self.program.format.actions.get(event.action as usize).map_or(&[][..], |a| a.params.as_slice());
        for ((_, ty), arg) in params.iter().zip(&mut event.args) {
            if *ty == Type::Object && *arg == before {
                *arg = now;
            }
        }
    }

    /// Returns the arrival event of an object that was put on top of another one: triggers on entering the zone match it.
    fn attach_arrival_event(&self, event: &Event) -> Event {
        let it = ObjectRef(event.result);
        let zone = self.state.zone(it.slot()).map_or(-1, |z| z as i64);
        let controller = i64::from(self.state.column(it.slot(), crate::state::layout::CONTROLLER));
        Event {
            action: PUT,
            count: 6,
            args: [it.value(), zone, controller, 0, 0, -1, 0, 0],
            cause: event.cause,
            status: status::HAPPENED,
            ..Event::default()
        }
    }

    /// Lets each object move once per commit. A second event that would move it, or one with a stale object, fails before
    /// anything triggers on it.
    fn drop_repeated_moves(&mut self, frame: Handle, leaves: &mut Vec<usize>) {
        let mut moved = Refs::new();
        let mut repeated: SmallVec<[usize; 8]> = SmallVec::new();
        let one = leaves.len() == 1;
        leaves.retain(|index| {
            if !self.moves_object(frame, *index) {
                return true;
            }
            let it = self.event_argument(frame, *index);
            let is_repeated =
                moved.contains(&it) || !self.state.exists(it) || !self.has_destination(&self.batch_event(frame, *index));
            if !one {
                moved.push(it);
            }
            if is_repeated {
                repeated.push(*index);
            }
            !is_repeated
        });
        for index in repeated {
            self.set_event_word(frame, index, word::STATUS, status::FAILED);
        }
    }

    /// Returns whether the destination of a move exists.
    pub(in crate::vm) fn has_destination(&self, event: &Event) -> bool {
        match event.action {
            PUT if !event.move_host().is_none() => self.state.exists(event.move_host()),
            PUT => usize::try_from(event.args[1]).is_ok_and(|zone| zone < self.program.layout.instances),
            ATTACH => {
                let host = ObjectRef::from_value(event.args[1]);
                self.state.exists(host) && host != ObjectRef::from_value(event.args[0])
            }
            _ => true,
        }
    }

    /// Marks the ancestors of an event in the batch as having happened. Returns the outermost of them.
    fn mark_ancestors(&mut self, frame: Handle, index: usize, result: u32) -> usize {
        let mut outermost = index;
        while let Some(ancestor) = self.part_of(frame, outermost) {
            self.set_event_word(frame, ancestor, word::STATUS, status::HAPPENED);
            if self.event_word(frame, ancestor, word::RESULT) == 0 {
                self.set_event_word(frame, ancestor, word::RESULT, result);
            }
            outermost = ancestor;
        }
        outermost
    }

    /// Returns of how many of the carried events below the batch, from the outermost on, at least one leaf is a part.
    fn carriers_reached(&self, frame: Handle, leaves: &[usize], carriers: usize) -> usize {
        let outermost = |leaf: &usize| std::iter::successors(Some(*leaf), |index| self.part_of(frame, *index)).last();
        let reached = leaves.iter().filter(|_| carriers > 0).filter_map(outermost);
        reached.map(|outermost| self.carriers_of(frame, outermost, carriers)).max().unwrap_or(0)
    }

    /// Returns of how many of the carried events below the batch, from the outermost on, an event of the batch is a part: of all, or all but the
    /// innermost if the event that the body proposed was redirected (see [`Machine::part_of`]), or of none if the machine proposed it.
    fn carriers_of(&self, frame: Handle, index: usize, carriers: usize) -> usize {
        let parent = |index: &usize| self.event_word(frame, *index, word::PARENT).checked_sub(1).map(|parent| parent as usize);
        let proposed = std::iter::successors(Some(index), parent).last().unwrap_or(index);
        match self.event_word(frame, proposed, word::FLAGS) & PART_OF_CARRIED {
            0 => 0,
            _ => carriers.saturating_sub(usize::from(self.is_redirected(frame, proposed))),
        }
    }

    /// Returns the event of the batch that an event is part of. If a replacement redirected a move to another kind of zone, the direct parent
    /// did not happen (an exiled creature has not died); the parent of that one did.
    fn part_of(&self, frame: Handle, index: usize) -> Option<usize> {
        let parent = self.event_word(frame, index, word::PARENT).checked_sub(1)? as usize;
        if self.is_redirected(frame, index) { self.part_of(frame, parent) } else { Some(parent) }
    }

    /// Returns whether an event is a move that a replacement redirected to another kind of zone.
    fn is_redirected(&self, frame: Handle, index: usize) -> bool {
        let stands_for = |index: usize| (self.event_word(frame, index, word::FLAGS) >> REPLACED_EVENT_SHIFT).checked_sub(1);
        let Some(mut replaced) = stands_for(index) else { return false };
        while let Some(outer) = stands_for(replaced as usize) {
            replaced = outer;
        }
        let (event, meant) = (self.batch_event(frame, index), self.batch_event(frame, replaced as usize));
        let kind = |put: &Event| usize::try_from(put.args[1]).map_or(usize::MAX, |zone| self.program.layout.kind(zone));
        meant.action == PUT && event.action == PUT && meant.args[0] == event.args[0] && kind(&meant) != kind(&event)
    }
}
