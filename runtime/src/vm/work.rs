//! Counted work: what a game costs, without a clock. Builds with debug assertions count; in others the counters stay 0 and cost nothing.
//!
//! Unlike fuel, which is the same with and without caches, these numbers fall with each omitted evaluation. The test `cli/tests/work.rs` bounds them.

use std::ops::{AddAssign, Sub};

/// Counted work since the memory of a game was created.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Work {
    /// Operations and instructions that an interpreter executed.
    pub operations: u64,
    /// Frames that were pushed.
    pub frames: u64,
    /// Times that a frame was resumed.
    pub steps: u64,
    /// Events that a batch committed.
    pub batch_events: u64,
}

impl Sub for Work {
    type Output = Self;

    fn sub(self, before: Self) -> Self {
        Self {
            operations: self.operations - before.operations,
            frames: self.frames - before.frames,
            steps: self.steps - before.steps,
            batch_events: self.batch_events - before.batch_events,
        }
    }
}

/// A counter of builds with debug assertions.
#[inline(always)]
pub(crate) fn count(counter: &mut u64, more: usize) {
    if cfg!(debug_assertions) {
        counter.add_assign(more as u64);
    }
}
