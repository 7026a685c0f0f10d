//! What a body writes that runs alone in its batch, or beside none but those that wait for it. An event of its own, committed with nothing
//! beside it, would do the same; most actions that count something write so, several times in a row.

use super::Machine;
use super::batch::{COMMITTED, INCIDENTAL, INHERITED, MATCHED, PROPOSING, STANDS_FOR, log_event, status, word};
use super::frame::{batch as frame_of_batch, body};
use crate::ir::op::{Place, WriteMode};
use crate::ir::verbs::VERBS;
use crate::state::block::Handle;
use crate::state::{ObjectRef, layout as at};

/// Events within events that are looked at.
const DEPTH: usize = 6;

/// Something that is to be written.
#[derive(Clone, Copy, Debug)]
pub(super) struct DirectWrite {
    pub place: Place,
    pub of: i64,
    pub key: Option<i64>,
    pub how: WriteMode,
    pub value: i64,
}

/// The events that the event of a body is part of, in a batch in which nothing else is under way and at which nobody looks: the innermost
/// first. None for a body that is no event's.
#[derive(Clone, Copy, Debug)]
pub(super) struct EventAncestors {
    pub(super) batch: Handle,
    events: [usize; DEPTH],
    depth: usize,
}

impl EventAncestors {
    /// Whether the body is no event's.
    pub(super) fn is_root(&self) -> bool {
        self.depth == 0
    }

    fn events(&self) -> &[usize] {
        self.events.get(..self.depth).unwrap_or(&[])
    }
}

impl Machine {
    /// Writes at once what a body writes, if nothing else of its batch is under way and nobody looks at the events that it is part of.
    /// Nothing when that is not so: then it is proposed. Otherwise whether the body waits, since something came of it.
    pub(super) fn write_directly(&mut self, frame: Handle, it: DirectWrite) -> Option<bool> {
        if self.scratch.reference_mode || !self.can_be_written_alone(&it) {
            return None;
        }
        let lineage = self.lineage(frame)?;
        self.keep_rule_dirty();
        self.end_collecting(lineage.batch);
        if !lineage.is_root() {
            if self.inherited(&lineage) & INCIDENTAL == 0 {
                self.start_new_serial();
            }
            self.record_event();
        }
        self.apply_write(it);
        self.mark_ancestors_happened(&lineage);
        self.after_commit();
        let goes_on = self.outcome().is_none() && self.word(at::ENDING) == 0 && self.state.top_frame() == Some(frame);
        Some(!goes_on)
    }

    /// What the event of a body is part of, if nothing else is under way and nobody looks.
    pub(super) fn lineage(&mut self, frame: Handle) -> Option<EventAncestors> {
        let batch = self.word(frame + body::BATCH) as usize;
        let mut lineage = EventAncestors { batch, events: [usize::MAX; DEPTH], depth: 0 };
        if batch != 0 {
            if let Some(own) = self.word(frame + body::EVENT).checked_sub(1) {
                lineage.depth = self.lineage_of(batch, own as usize, &mut lineage.events)?;
            }
            self.is_unobserved(frame, batch, lineage.events()).then_some(())?;
        }
        Some(lineage)
    }

    /// The flags that the innermost event passes on to its parts.
    pub(super) fn inherited(&self, lineage: &EventAncestors) -> u32 {
        lineage.events().first().map_or(0, |own| self.event_word(lineage.batch, *own, word::FLAGS) & INHERITED)
    }

    /// Something of the innermost event happened, and so of all that it is part of.
    pub(super) fn mark_ancestors_happened(&mut self, lineage: &EventAncestors) {
        let batch = lineage.batch;
        let Some(own) = lineage.events().first().copied() else { return };
        let flags = self.event_word(batch, own, word::FLAGS);
        self.set_event_word(batch, own, word::FLAGS, flags | PROPOSING);
        // A commit ends a segment.
        self.set(batch + frame_of_batch::SEGMENT, self.events_in(batch) as u32);
        for index in lineage.events().iter().rev().copied() {
            self.set_event_word(batch, index, word::STATUS, status::HAPPENED);
            let flags = self.event_word(batch, index, word::FLAGS);
            if flags & MATCHED == 0 {
                self.set_event_word(batch, index, word::FLAGS, flags | MATCHED);
                let event = self.batch_event(batch, index);
                self.record(|| log_event(&event, true));
            }
        }
    }

    /// Writes at once.
    pub(super) fn apply_write(&mut self, it: DirectWrite) {
        match it.key {
            None => self.write(it.place, it.of, it.how, it.value),
            Some(key) => self.write_key(it.place, it.of, key, it.how, it.value),
        }
    }

    /// Whether a place is one that a number is written into, and is there.
    fn can_be_written_alone(&self, it: &DirectWrite) -> bool {
        let there = match it.place {
            Place::Status(_) => self.state.exists(ObjectRef::from_value(it.of)),
            Place::Player(_) | Place::Global(_) => true,
            _ => false,
        };
        // An event has words.
        let fits = |value: i64| i32::try_from(value).is_ok();
        there && fits(it.of) && fits(it.value) && it.key.is_none_or(|key| key >= 0 && fits(key))
    }

    /// An event and those that it is part of, the innermost first: how many. Nothing for one that stands for another, and where they are
    /// many.
    fn lineage_of(&self, batch: Handle, own: usize, lineage: &mut [usize; DEPTH]) -> Option<usize> {
        let mut next = Some(own);
        let mut depth = 0;
        while let Some(index) = next {
            *lineage.get_mut(depth)? = index;
            depth += 1;
            let of_body = matches!(self.event_word(batch, index, word::STATUS), status::FINAL | status::HAPPENED);
            let stands_for = self.event_word(batch, index, word::FLAGS) >> STANDS_FOR != 0;
            if !of_body || stands_for {
                return None;
            }
            next = self.event_word(batch, index, word::PARENT).checked_sub(1).map(|parent| parent as usize);
        }
        Some(depth)
    }

    /// Whether a body is all that is under way in its batch, but for those that wait for it, and no event that it is part of is one that
    /// somebody looks at now.
    fn is_unobserved(&mut self, frame: Handle, batch: Handle, lineage: &[usize]) -> bool {
        if self.collects_more(batch) {
            return false;
        }
        let on_top =
            matches!(self.state.block.list(at::FRAMES), [.., below, top] if (*below as usize, *top as usize) == (batch, frame));
        let settled = |index: usize| {
            let (flags, state) = (self.event_word(batch, index, word::FLAGS), self.event_word(batch, index, word::STATUS));
            let primitive = (self.event_word(batch, index, word::ACTION) as usize) < VERBS.len();
            match state {
                status::FAILED => true,
                status::HAPPENED => flags & if primitive { COMMITTED } else { MATCHED } != 0,
                _ => lineage.contains(&index),
            }
        };
        let unseen = |index: &usize| {
            self.event_word(batch, *index, word::FLAGS) & MATCHED != 0
                || !self.has_observers(self.event_word(batch, *index, word::ACTION))
        };
        // What waits for this body alone does not go on before it has ended.
        let waits_for_it = |waiting: &u32| {
            let event = self.word(*waiting as usize + body::EVENT).checked_sub(1);
            event.is_some_and(|event| lineage.get(1..).is_some_and(|outer| outer.contains(&(event as usize))))
        };
        on_top
            && self.state.block.list(batch + frame_of_batch::BODIES).iter().all(waits_for_it)
            && (0..self.events_in(batch)).all(settled)
            && lineage.iter().all(unseen)
    }
}
