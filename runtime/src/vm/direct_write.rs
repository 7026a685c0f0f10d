//! Direct writes: a body writes a status or variable without proposing an event, if no one could observe the event.
//!
//! Conditions: the body is in no batch, or the only one in progress in its batch (bodies that wait for it aside); no ability or effect hooks the
//! events that it is part of, carried ones or at most 6 of a batch; the object of a status exists, and the operands fit into the words of an event. A write
//! itself is never hooked. Log, incidental changes and dirty marks are those of the committed event, so the result is identical.
//! Most actions that count something write directly, several times in a row. Reference mode always proposes the event; the test
//! `reference_mode` compares.

use crate::ir::ObjectRef;
use crate::ir::op::{Place, WriteMode};
use crate::ir::verbs::VERBS;
use crate::records::event::{
    COMMITTED, HAS_PROPOSED, INHERITED, REPLACED_EVENT_SHIFT, TIMING_NEUTRAL, TRIGGERS_MATCHED, status, word,
};
use crate::records::frame::{batch as frame_of_batch, body};
use crate::state::block::Handle;
use crate::state::layout as at;
use crate::vm::carried_event::Carriers;
use crate::vm::machine::{Machine, Record};

/// Nested events that a body may be part of.
const MAX_ANCESTORS: usize = 6;

/// A write to a status or variable.
#[derive(Clone, Copy, Debug)]
pub(super) struct DirectWrite {
    pub place: Place,
    pub of: i64,
    pub key: Option<i64>,
    pub how: WriteMode,
    pub value: i64,
}

/// The events that the event of a body is part of. Nothing else is in progress in their batch, and no ability or effect hooks them. Empty for a
/// body that belongs to no event.
#[derive(Clone, Debug)]
pub(super) struct EventAncestors {
    pub(super) batch: Handle,
    /// Those in the batch, the innermost first.
    events: [usize; MAX_ANCESTORS],
    depth: usize,
    /// The flags that the carried event of the body passes on; 0 if it carries none.
    carried_flags: u32,
    /// The bodies that carry those which have not happened yet, if the body is in no batch.
    carriers: Carriers,
}

impl EventAncestors {
    /// Returns whether the body belongs to no event.
    pub(super) fn is_root(&self) -> bool {
        self.depth == 0 && self.carried_flags == 0
    }

    fn events(&self) -> &[usize] {
        self.events.get(..self.depth).unwrap_or(&[])
    }
}

impl Machine {
    /// Performs a write of a body directly if the conditions of this module hold. Returns `None` if they do not: then the write
    /// must be proposed. Else returns whether the body must wait, because the write pushed a frame, or ended the game or a
    /// period.
    pub(super) fn write_directly(&mut self, frame: Handle, it: DirectWrite) -> Option<bool> {
        if self.scratch.reference_mode || !self.can_write_directly(&it) {
            return None;
        }
        let ancestors = self.event_ancestors(frame)?;
        self.keep_rule_dirty();
        self.end_collecting(ancestors.batch);
        if !ancestors.is_root() {
            if self.inherited_flags(&ancestors) & TIMING_NEUTRAL == 0 {
                self.start_new_serial();
            }
            self.record_event();
        }
        self.apply_write(it);
        self.mark_ancestors_happened(&ancestors);
        self.after_commit();
        let continues = self.can_continue(frame);
        Some(!continues)
    }

    /// Returns the events that the event of a body is part of, or `None` if something else is in progress in the batch or an
    /// event is observed.
    pub(super) fn event_ancestors(&mut self, frame: Handle) -> Option<EventAncestors> {
        let batch = self.word(frame + body::BATCH) as usize;
        let mut ancestors = EventAncestors {
            batch,
            events: [usize::MAX; MAX_ANCESTORS],
            depth: 0,
            carried_flags: self.flags_from_carrier(frame),
            carriers: Carriers::new(),
        };
        if batch == 0 {
            ancestors.carriers = self.carriers_below(self.state.frame_count());
            let is_unhooked = |carrier: &Handle| !self.has_observers(self.carried_event(*carrier).action);
            ancestors.carriers.iter().all(is_unhooked).then_some(())?;
        } else {
            if let Some(own) = self.word(frame + body::EVENT).checked_sub(1) {
                ancestors.depth = self.collect_ancestors(batch, own as usize, &mut ancestors.events)?;
            }
            self.is_unobserved(frame, batch, ancestors.events()).then_some(())?;
        }
        Some(ancestors)
    }

    /// Returns the flags that the innermost event passes on to its parts.
    pub(super) fn inherited_flags(&self, ancestors: &EventAncestors) -> u32 {
        let own = ancestors.events().first();
        own.map_or(ancestors.carried_flags, |own| self.event_word(ancestors.batch, *own, word::FLAGS) & INHERITED)
    }

    /// Marks the innermost event as happened, and so all events that it is part of.
    pub(super) fn mark_ancestors_happened(&mut self, ancestors: &EventAncestors) {
        let batch = ancestors.batch;
        if let Some(own) = ancestors.carriers.last() {
            self.add_carried_flags(*own, HAS_PROPOSED);
        }
        self.mark_carriers_happened(&ancestors.carriers);
        let Some(own) = ancestors.events().first().copied() else { return };
        let flags = self.event_word(batch, own, word::FLAGS);
        self.set_event_word(batch, own, word::FLAGS, flags | HAS_PROPOSED);
        // A commit ends a segment.
        self.set(batch + frame_of_batch::SEGMENT, self.events_in(batch) as u32);
        for index in ancestors.events().iter().rev().copied() {
            self.set_event_word(batch, index, word::STATUS, status::HAPPENED);
            let flags = self.event_word(batch, index, word::FLAGS);
            if flags & TRIGGERS_MATCHED == 0 {
                self.set_event_word(batch, index, word::FLAGS, flags | TRIGGERS_MATCHED);
                let event = self.batch_event(batch, index);
                self.record(|| Record::of_event(&event, true));
            }
        }
    }

    /// Performs a write.
    pub(super) fn apply_write(&mut self, it: DirectWrite) {
        self.charge_change();
        match it.key {
            None => self.write(it.place, it.of, it.how, it.value),
            Some(key) => self.write_key(it.place, it.of, key, it.how, it.value),
        }
    }

    /// Returns whether a write has a valid target and operands that fit into the words of an event.
    pub(super) fn can_write_directly(&self, it: &DirectWrite) -> bool {
        let target_exists = match it.place {
            Place::Status(_) => self.state.exists(ObjectRef::from_value(it.of)),
            Place::Player(_) => true,
            Place::Global(n) => !self.is_list_global(n),
            _ => false,
        };
        // The words of an event have 32 bits.
        let fits = |value: i64| i32::try_from(value).is_ok();
        target_exists && fits(it.of) && fits(it.value) && it.key.is_none_or(|key| key >= 0 && fits(key))
    }

    /// Collects an event and those that it is part of, the innermost first, and returns their number. Returns `None` if one of
    /// them replaces another event, or if there are too many.
    fn collect_ancestors(&self, batch: Handle, own: usize, ancestors: &mut [usize; MAX_ANCESTORS]) -> Option<usize> {
        let mut next = Some(own);
        let mut depth = 0;
        while let Some(index) = next {
            *ancestors.get_mut(depth)? = index;
            depth += 1;
            let of_body = matches!(self.event_word(batch, index, word::STATUS), status::FINAL | status::HAPPENED);
            let is_replacement = self.event_word(batch, index, word::FLAGS) >> REPLACED_EVENT_SHIFT != 0;
            if !of_body || is_replacement {
                return None;
            }
            next = self.event_word(batch, index, word::PARENT).checked_sub(1).map(|parent| parent as usize);
        }
        Some(depth)
    }

    /// Returns whether a body is the only one in progress in its batch, bodies that wait for it aside, and no ability or effect
    /// hooks an event of `ancestors`.
    fn is_unobserved(&mut self, frame: Handle, batch: Handle, ancestors: &[usize]) -> bool {
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
                status::HAPPENED => flags & if primitive { COMMITTED } else { TRIGGERS_MATCHED } != 0,
                _ => ancestors.contains(&index),
            }
        };
        let is_unhooked = |index: &usize| {
            self.event_word(batch, *index, word::FLAGS) & TRIGGERS_MATCHED != 0
                || !self.has_observers(self.event_word(batch, *index, word::ACTION))
        };
        // A body that waits only for this one cannot continue before this one has ended.
        let waits_for_it = |waiting: &u32| {
            let event = self.word(*waiting as usize + body::EVENT).checked_sub(1);
            event.is_some_and(|event| ancestors.get(1..).is_some_and(|outer| outer.contains(&(event as usize))))
        };
        on_top
            && self.state.block.list(batch + frame_of_batch::BODIES).iter().all(waits_for_it)
            && (0..self.events_in(batch)).all(settled)
            && ancestors.iter().all(is_unhooked)
    }
}
