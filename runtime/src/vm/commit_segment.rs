//! The data of one commit: the events that it commits, the triggers and durations that it finds, and the context of the effects that it runs. The
//! commit itself is in `batch/segment.rs` for a batch, and in `carried_event.rs` for a single event.

use super::inline_vecs::Args;
use crate::ir::FnId;
use crate::ir::ObjectRef;
use crate::records::event::Event;
use crate::state::block::Handle;

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
