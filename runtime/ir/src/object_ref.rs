//! References to objects, as registers and cells hold them.

use super::encoding_limits::{MAX_OBJECTS, SLOT_BITS};

/// A reference to an object: slot and incarnation. A move creates a new incarnation, so that older references are *stale*.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ObjectRef(pub u32);

impl ObjectRef {
    /// No object.
    pub const NONE: Self = Self(0);

    /// Combines slot and incarnation.
    #[must_use]
    pub fn new(slot: usize, incarnation: u32) -> Self {
        Self((incarnation << SLOT_BITS) | slot as u32)
    }

    /// A player as a thing: a reference to slot 0, which no object has, with the seat plus one as the incarnation.
    #[must_use]
    pub fn of_player(seat: usize) -> Self {
        // The value for no player (all bits set) becomes the null reference.
        Self::new(0, (seat as u32).wrapping_add(1))
    }

    /// The seat, if the reference is to a player.
    #[must_use]
    pub fn player(self) -> Option<usize> {
        if self.slot() == 0 { self.incarnation().checked_sub(1).map(|seat| seat as usize) } else { None }
    }

    /// The slot.
    #[must_use]
    pub fn slot(self) -> usize {
        (self.0 & MAX_OBJECTS as u32) as usize
    }

    /// The incarnation.
    #[must_use]
    pub fn incarnation(self) -> u32 {
        self.0 >> SLOT_BITS
    }

    /// Converts a register value.
    #[must_use]
    pub fn from_value(value: i64) -> Self {
        Self(value as u32)
    }

    /// The register value.
    #[must_use]
    pub fn value(self) -> i64 {
        i64::from(self.0 as i32)
    }

    /// Whether it is the null reference.
    #[must_use]
    pub fn is_none(self) -> bool {
        self.0 == 0
    }
}
