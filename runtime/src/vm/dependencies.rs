//! Dependencies of pure code, and revisions: when each dependency changed last.
//!
//! The state is partitioned into 128 dependencies: statuses (56), player variables (32), variables of the game (37), the turn
//! position, the objects with their derived values, and `UNKNOWN`. Variables beyond these numbers share one; that only makes
//! invalidation coarser. A cache stores [`Revisions::current`] with a result and calls [`Revisions::unchanged_since`] before it
//! reuses it. `UNKNOWN` never counts as unchanged.

#![deny(clippy::wildcard_enum_match_arm)]

use crate::ir::op::{Op, Place};
use crate::ir::operands::StateRead;
use crate::ir::verbs::{BuiltinFunction, BuiltinReads};

/// A set of dependencies, one bit for each. Variables share a dependency if there are many.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DepSet(u128);

const FIRST_STATUS: u32 = 0;
const FIRST_PLAYER_VARIABLE: u32 = 56;
const FIRST_GAME_VARIABLE: u32 = 88;
const TURN_POSITION_BIT: u32 = 125;
const OBJECTS_BIT: u32 = 126;
const UNKNOWN_BIT: u32 = 127;

impl DepSet {
    /// The empty set.
    pub const NONE: Self = Self(0);
    /// The active player, the open periods, and the number of the turn.
    pub const TURN_POSITION: Self = Self(1 << TURN_POSITION_BIT);
    /// Which objects exist, the zone of each, and its derived values. Statuses are separate dependencies; code that reads a
    /// status also reads an object.
    pub const OBJECTS: Self = Self(1 << OBJECTS_BIT);
    /// Anything else. It never counts as unchanged, and a change of it counts as a change of everything.
    pub const UNKNOWN: Self = Self(1 << UNKNOWN_BIT);

    /// Returns the dependency of a place that pure code reads.
    pub fn of(place: Place) -> Self {
        let shared = |first: u32, end: u32, n: u16| Self(1 << (first + u32::from(n) % (end - first)));
        match place {
            Place::Status(n) => shared(FIRST_STATUS, FIRST_PLAYER_VARIABLE, n),
            Place::Player(n) => shared(FIRST_PLAYER_VARIABLE, FIRST_GAME_VARIABLE, n),
            Place::Global(n) => shared(FIRST_GAME_VARIABLE, TURN_POSITION_BIT, n),
            Place::Property(_) | Place::Printed(_) | Place::Words(_) | Place::Owner | Place::Controller | Place::Zone => {
                Self::OBJECTS
            }
            Place::Definition | Place::SourceOf | Place::Host | Place::Face => Self::UNKNOWN,
        }
    }

    /// Returns what a built-in function reads, apart from its arguments.
    pub fn of_builtin(builtin: u16) -> Self {
        let Some(function) = BuiltinFunction::from_number(builtin) else { return Self::UNKNOWN };
        match function.reads() {
            // The players who take part change only together with `UNKNOWN`, and a match not at all within a game.
            BuiltinReads::Arguments | BuiltinReads::Match | BuiltinReads::Players => Self::NONE,
            BuiltinReads::Object | BuiltinReads::Objects => Self::OBJECTS,
            BuiltinReads::Turn => Self::TURN_POSITION,
            BuiltinReads::Announcements | BuiltinReads::Unknown => Self::UNKNOWN,
        }
    }

    /// Returns what a pure operation reads, apart from what the functions read that it calls.
    pub fn of_op(op: &Op) -> Self {
        match op.state_read() {
            StateRead::Nothing | StateRead::Zone(_) => Self::NONE,
            StateRead::Place(place @ Place::Status(_)) => Self::of(place) | Self::OBJECTS,
            StateRead::Place(place) => Self::of(place),
            StateRead::Words(_) | StateRead::Keyword(_) | StateRead::Name | StateRead::Existence | StateRead::ZoneContents(_) => {
                Self::OBJECTS
            }
            StateRead::ActivePlayer | StateRead::Periods => Self::TURN_POSITION,
            StateRead::Builtin(builtin) => Self::of_builtin(builtin),
            StateRead::Legality | StateRead::Concealed | StateRead::Statement => Self::UNKNOWN,
        }
    }

    /// Returns whether the sets have a dependency in common.
    pub fn intersects(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// Returns those of statuses, as a mask.
    pub fn statuses(self) -> u64 {
        // They are the first ones.
        self.0 as u64 & ((1 << FIRST_PLAYER_VARIABLE) - 1)
    }

    /// Returns the numbers of the dependencies in the set.
    pub fn numbers(self) -> impl Iterator<Item = u32> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let next = (left != 0).then(|| left.trailing_zeros());
            left &= left.wrapping_sub(1);
            next
        })
    }
}

impl std::ops::BitOr for DepSet {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl std::ops::BitOrAssign for DepSet {
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

/// The number of changes so far, and for each dependency the number at its last change.
#[derive(Clone, Debug)]
pub(crate) struct Revisions {
    current: u64,
    last_changes: [u64; 128],
}

impl Default for Revisions {
    fn default() -> Self {
        Self { current: 0, last_changes: [0; 128] }
    }
}

impl Revisions {
    /// Records a change of dependencies.
    #[inline]
    pub fn bump(&mut self, dependencies: DepSet) {
        self.current += 1;
        for number in dependencies.numbers() {
            if let Some(last) = self.last_changes.get_mut(number as usize) {
                *last = self.current;
            }
        }
    }

    /// Invalidates everything: the state is replaced by one whose revisions are `others`. No revision of either is used again.
    pub fn continue_after(&mut self, others: &Self) {
        self.invalidate_before(others.current);
    }

    /// Invalidates everything. No revision up to `count` is used again.
    pub fn invalidate_before(&mut self, count: u64) {
        self.current = self.current.max(count);
        self.bump(DepSet::UNKNOWN);
    }

    /// Returns the current revision, which grows with every change.
    #[inline]
    pub fn current(&self) -> u64 {
        self.current
    }

    /// Returns whether the dependencies are unchanged since a revision.
    #[inline]
    pub fn unchanged_since(&self, count: u64, dependencies: DepSet) -> bool {
        if count == self.current {
            return true;
        }
        let since = |number: u32| self.last_changes.get(number as usize).is_none_or(|last| *last > count);
        dependencies.0 & DepSet::UNKNOWN.0 == 0 && !since(UNKNOWN_BIT) && !dependencies.numbers().any(since)
    }
}

#[cfg(test)]
mod tests {
    use super::{DepSet, Revisions};
    use crate::ir::op::Place;

    #[test]
    fn a_dependency_is_unchanged_until_it_is_bumped() {
        let (mut changes, status) = (Revisions::default(), DepSet::of(Place::Status(3)));
        let then = changes.current();
        changes.bump(DepSet::TURN_POSITION);
        assert!(changes.unchanged_since(then, status));
        assert!(!changes.unchanged_since(then, status | DepSet::TURN_POSITION));
        changes.bump(status);
        assert!(!changes.unchanged_since(then, status));
        assert!(changes.unchanged_since(changes.current(), status | DepSet::UNKNOWN));
    }

    #[test]
    fn the_unknown_dependency_never_counts_as_unchanged() {
        let mut changes = Revisions::default();
        let then = changes.current();
        changes.bump(DepSet::TURN_POSITION);
        assert!(!changes.unchanged_since(then, DepSet::UNKNOWN));
        let then = changes.current();
        changes.bump(DepSet::UNKNOWN);
        assert!(!changes.unchanged_since(then, DepSet::OBJECTS));
    }

    #[test]
    fn variables_that_share_a_dependency_are_bumped_together() {
        let mut changes = Revisions::default();
        let then = changes.current();
        changes.bump(DepSet::of(Place::Player(1)));
        assert!(!changes.unchanged_since(then, DepSet::of(Place::Player(33))));
        assert!(changes.unchanged_since(then, DepSet::of(Place::Status(1)) | DepSet::of(Place::Global(1))));
    }
}
