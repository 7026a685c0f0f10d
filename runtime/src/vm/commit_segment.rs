//! The lists of events that one commit of a batch works on, and the context of the effects that it runs.

use super::inline_vecs::Args;
use crate::ir::FnId;
use crate::ir::ObjectRef;

/// Scratch lists of a commit: numbers of events in the batch. The memory is reused.
#[derive(Clone, Debug, Default)]
pub(crate) struct Segment {
    /// Events to commit, which have no child events.
    pub(crate) leaves: Vec<usize>,
    /// Events that happen for the first time by this commit: the leaves and their ancestors.
    pub(crate) happening: Vec<usize>,
    /// Those of them that have observers.
    pub(crate) hooked: Vec<usize>,
    /// Triggers on them that run immediately.
    pub(crate) at_once: ImmediateBodies,
    /// Objects that entered the field: reference before and after.
    pub(crate) arrived: Vec<(i64, i64)>,
    /// Continuous effects that end with one of these events: event, timestamp of the effect.
    pub(crate) ending: Vec<(usize, u32)>,
}

impl Segment {
    pub(crate) fn clear(&mut self) {
        self.leaves.clear();
        self.happening.clear();
        self.hooked.clear();
        self.at_once.clear();
        self.arrived.clear();
        self.ending.clear();
    }
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
