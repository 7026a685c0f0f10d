//! What of a state pure code may look at, in parts, and when each changed last: what was computed from some of them holds until one of
//! these changes.

use crate::ir::op::{Op, Place};
use crate::ir::verbs::BUILTINS;

/// A set of parts. Variables share parts when there are many: what looks at one then looks at all that share its part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct DepSet(u128);

const STATUSES: u32 = 0;
/// Statuses have so many parts, the first ones.
pub(crate) const STATUS_PARTS: usize = PLAYERS as usize;
const PLAYERS: u32 = 56;
const GLOBALS: u32 = 88;
const TIME: u32 = 125;
const OBJECT: u32 = 126;
const OTHER: u32 = 127;

impl DepSet {
    /// Nothing.
    pub const NONE: Self = Self(0);
    /// Whose turn it is, which spans are open, which turn it is.
    pub const TURN_POSITION: Self = Self(1 << TIME);
    /// Which objects there are, where each lies, and its values after continuous effects. Statuses are parts of their own; who reads one
    /// reads it of an object.
    pub const OBJECTS: Self = Self(1 << OBJECT);
    /// Anything else: no change leaves it as it was, and a change of it may be a change of anything.
    pub const UNKNOWN: Self = Self(1 << OTHER);

    /// A place that pure code reads.
    pub fn of(place: Place) -> Self {
        let shared = |first: u32, end: u32, n: u16| Self(1 << (first + u32::from(n) % (end - first)));
        match place {
            Place::Status(n) => shared(STATUSES, PLAYERS, n),
            Place::Player(n) => shared(PLAYERS, GLOBALS, n),
            Place::Global(n) => shared(GLOBALS, TIME, n),
            Place::Property(_) | Place::Printed(_) | Place::Words(_) | Place::Owner | Place::Controller | Place::Zone => {
                Self::OBJECTS
            }
            Place::Definition | Place::SourceOf | Place::Host | Place::Face => Self::UNKNOWN,
        }
    }

    /// What a built-in function looks at, besides its arguments.
    pub fn of_builtin(builtin: u16) -> Self {
        match BUILTINS.get(usize::from(builtin)).map_or("", |row| row.name) {
            // Who takes part changes only with everything; which game of a match it is, never.
            "min" | "max" | "is_somebody" | "words_count" | "is_playing" | "zone_kind" | "game_number" | "loser_before" => {
                Self::NONE
            }
            "price" | "generic" | "plus" | "reduced" | "units_of" | "without_units" | "at_least" | "one_of" | "units" => {
                Self::NONE
            }
            "makes_units" | "of_ability" => Self::NONE,
            "list_size" | "list_top" | "place_of" | "is_ability" | "created" => Self::OBJECTS,
            "turn_number" => Self::TURN_POSITION,
            _ => Self::UNKNOWN,
        }
    }

    /// What a pure operation looks at, but for what functions do that it calls.
    pub fn of_op(op: &Op) -> Self {
        match op {
            Op::Get { place, .. } | Op::GetKey { place, .. } | Op::NextKey { place, .. } => match place {
                Place::Status(_) => Self::of(*place) | Self::OBJECTS,
                _ => Self::of(*place),
            },
            Op::HasWord { .. }
            | Op::HasSomeWord { .. }
            | Op::HasCommonWord { .. }
            | Op::HasKeyword { .. }
            | Op::KeywordValue { .. }
            | Op::IsCard { .. }
            | Op::Exists { .. }
            | Op::InZone { .. }
            | Op::AllInZone { .. }
            | Op::ZoneList { .. } => Self::OBJECTS,
            Op::Builtin { builtin, .. } => Self::of_builtin(*builtin),
            Op::Players { .. } | Op::Active { .. } | Op::InSpan { .. } => Self::TURN_POSITION,
            Op::Const { .. }
            | Op::Constant { .. }
            | Op::List { .. }
            | Op::MakeList { .. }
            | Op::Copy { .. }
            | Op::Cast { .. }
            | Op::ShareOf { .. }
            | Op::Binary { .. }
            | Op::Not { .. }
            | Op::Jump { .. }
            | Op::JumpUnless { .. }
            | Op::ZoneOf { .. }
            | Op::Filter { .. }
            | Op::Union { .. }
            | Op::Except { .. }
            | Op::Count { .. }
            | Op::Contains { .. }
            | Op::ElementAt { .. }
            | Op::TakeEnds { .. }
            | Op::Fold { .. }
            | Op::Call { .. }
            | Op::Opponent { .. }
            | Op::Return { .. } => Self::NONE,
            _ => Self::UNKNOWN,
        }
    }

    /// Whether some of other parts are among these.
    pub fn intersects(self, others: Self) -> bool {
        self.0 & others.0 != 0
    }

    /// The numbers of its parts.
    pub fn each(self) -> impl Iterator<Item = u32> {
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

/// How often something changed, and at which of these times each part did last.
#[derive(Clone, Debug)]
pub(crate) struct Revisions {
    count: u64,
    last: [u64; 128],
}

impl Default for Revisions {
    fn default() -> Self {
        Self { count: 0, last: [0; 128] }
    }
}

impl Revisions {
    /// Parts change.
    #[inline]
    pub fn bump(&mut self, parts: DepSet) {
        self.count += 1;
        for part in parts.each() {
            if let Some(last) = self.last.get_mut(part as usize) {
                *last = self.count;
            }
        }
    }

    /// Everything becomes something else, which changed `others` times: no count is used twice.
    pub fn continue_after(&mut self, others: &Self) {
        self.invalidate_before(others.count);
    }

    /// Everything becomes something else, after so many changes: no count up to there is used again.
    pub fn invalidate_before(&mut self, count: u64) {
        self.count = self.count.max(count);
        self.bump(DepSet::UNKNOWN);
    }

    /// How often something changed.
    #[inline]
    pub fn current(&self) -> u64 {
        self.count
    }

    /// Whether parts are as they were after so many changes.
    #[inline]
    pub fn unchanged_since(&self, count: u64, parts: DepSet) -> bool {
        if count == self.count {
            return true;
        }
        let since = |part: u32| self.last.get(part as usize).is_none_or(|last| *last > count);
        parts.0 & DepSet::UNKNOWN.0 == 0 && !since(OTHER) && !parts.each().any(since)
    }
}

#[cfg(test)]
mod tests {
    use super::{DepSet, Revisions};
    use crate::ir::op::Place;

    #[test]
    fn what_looks_at_a_part_holds_until_that_part_changes() {
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
    fn anything_may_be_any_part_and_no_change_leaves_it_alone() {
        let mut changes = Revisions::default();
        let then = changes.current();
        changes.bump(DepSet::TURN_POSITION);
        assert!(!changes.unchanged_since(then, DepSet::UNKNOWN));
        let then = changes.current();
        changes.bump(DepSet::UNKNOWN);
        assert!(!changes.unchanged_since(then, DepSet::OBJECTS));
    }

    #[test]
    fn variables_that_share_a_part_change_together() {
        let mut changes = Revisions::default();
        let then = changes.current();
        changes.bump(DepSet::of(Place::Player(1)));
        assert!(!changes.unchanged_since(then, DepSet::of(Place::Player(33))));
        assert!(changes.unchanged_since(then, DepSet::of(Place::Status(1)) | DepSet::of(Place::Global(1))));
    }
}
