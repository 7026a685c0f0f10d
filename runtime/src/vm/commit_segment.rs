//! The lists of events that one commit works on, the triggers and durations that it finds, and the context of the effects that it runs.

use super::inline_vecs::Args;
use crate::ir::FnId;
use crate::ir::ObjectRef;
use crate::ir::verbs::PUT;
use crate::program::Program;
use crate::records::event::{Event, status};
use crate::state::block::Handle;
use crate::vm::hooks::TriggerGroups;
use crate::vm::machine::Machine;

/// Scratch lists of a commit. The memory is reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Segment {
    /// Events to commit, which have no child events: their numbers in the batch.
    pub(crate) leaves: Vec<usize>,
    /// Events that happen for the first time by this commit: the leaves and their ancestors in the batch.
    pub(crate) happening: Vec<usize>,
    /// The events that happen for the first time and have observers, the outermost carried event first.
    pub(crate) hooked: Vec<HookedEvent>,
    /// What was found for them.
    pub(crate) found: FoundHooks,
    /// Objects that entered the field: reference before and after.
    pub(crate) arrived: Vec<(i64, i64)>,
}

impl Segment {
    pub(crate) fn clear(&mut self) {
        self.leaves.clear();
        self.happening.clear();
        self.hooked.clear();
        self.found.at_once.clear();
        self.found.ending.clear();
        self.arrived.clear();
    }
}

/// Where an event is kept while it is committed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EventPlace {
    /// Nowhere: it is alone, and no body carries it.
    Alone,
    /// In the frame of the body that carries it.
    Carried(Handle),
    /// In the batch, with this number.
    InBatch(usize),
}

/// An event of a commit that has observers.
#[derive(Clone, Debug)]
pub(crate) struct HookedEvent {
    /// The event.
    pub(crate) event: Event,
    /// How many events it is part of.
    pub(crate) depth: usize,
    /// Where it is kept.
    pub(crate) place: EventPlace,
}

/// What a commit found for its events.
#[derive(Clone, Debug, Default)]
pub(crate) struct FoundHooks {
    /// Triggers that run immediately.
    pub(crate) at_once: ImmediateBodies,
    /// Continuous effects that end with an event: the index of the event among the hooked ones, timestamp of the effect.
    pub(crate) ending: Vec<(usize, u32)>,
    /// Whether a memory has recorded an event.
    pub(crate) has_written: bool,
}

impl Machine {
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

/// Bodies of immediate triggers, with arguments and context.
pub(crate) type ImmediateBodies = Vec<(FnId, Args, EffectContext)>;

/// Cause, source and responsible players of what a body does.
#[derive(Clone, Copy, Debug)]
pub(crate) struct EffectContext {
    /// The kind of cause of its events.
    pub cause: i64,
    /// The object whose text the body runs.
    pub source: ObjectRef,
    /// The responsible player.
    pub player: i64,
    /// The player who chose the object of the event whose body it is.
    pub chooser: i64,
}
