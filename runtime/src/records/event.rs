//! Events: their encoding as words, in the list of their batch or in the frame of the body that carries them, and as values.

use crate::ir::op::{Place, WriteMode};
use crate::ir::verbs::{PUT, WRITE};
use crate::ir::{Cause, ObjectRef};

/// Number of words of an event.
pub const EVENT_WORDS: usize = 19;

/// Offsets of an event's words.
pub(crate) mod word {
    /// Its action.
    pub const ACTION: usize = 0;
    /// The event of the batch whose body proposed it, plus one; 0 if that is none of the batch.
    pub const PARENT: usize = 1;
    /// See [`status`](super::status).
    pub const STATUS: usize = 2;
    /// The object that it moved or created.
    pub const RESULT: usize = 3;
    /// The list of replacements that its ancestors and it have used.
    pub const USED: usize = 8;
    /// Its first argument.
    pub const FIRST_ARG: usize = 10;
    /// The flags of this module.
    pub const FLAGS: usize = 18;
}

/// States of an event.
pub mod status {
    /// Proposed, not checked yet.
    pub const PROPOSED: u32 = 0;
    /// Checked: it will be committed, or its body runs.
    pub const FINAL: u32 = 1;
    /// It, or an event that is part of it, was committed.
    pub const HAPPENED: u32 = 2;
    /// Forbidden, or its object is stale.
    pub const FAILED: u32 = 3;
    /// A replacement took its place.
    pub const REPLACED: u32 = 4;
}

/// The body of the event has proposed something.
pub(crate) const HAS_PROPOSED: u32 = 1;
/// Triggers were searched for it.
pub(crate) const TRIGGERS_MATCHED: u32 = 2;
/// It is a primitive event that was committed.
pub(crate) const COMMITTED: u32 = 4;
/// It, or an event that it is part of, is unstoppable.
pub(crate) const UNSTOPPABLE: u32 = 8;
/// It, or an event that it is part of, is timing-neutral: it makes no trigger miss its timing.
pub(crate) const TIMING_NEUTRAL: u32 = 32;
/// It moves a member of a pile because the top object moves; no body receives its result.
pub(crate) const MEMBER_MOVE: u32 = 16;

/// It is part of the event that a body carries: the body that proposed it, or the one below its batch.
pub(crate) const PART_OF_CARRIED: u32 = 64;
/// Of a carried event: an event that is part of it failed.
pub(crate) const PART_FAILED: u32 = 128;
/// Of a carried event: what it does to its object was replaced by something else, so it did not happen.
pub(crate) const AVERTED: u32 = 256;

/// Bits of the flags from this one on hold the event that a replacement's event stands in for, plus one.
pub(crate) const REPLACED_EVENT_SHIFT: u32 = 9;

/// Flags that an event passes on to its child events.
pub(crate) const INHERITED: u32 = UNSTOPPABLE | TIMING_NEUTRAL | PART_OF_CARRIED;

/// Maximum number of events in a batch; more exhaust the memory budget.
pub(crate) const MAX_EVENTS: usize = 20_000;

/// Of a move: the place, behind the counted arguments, of the object on top of which its object is put.
const MOVE_HOST: usize = 7;

/// An event as a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Its action.
    pub action: u32,
    /// The event whose body proposed it, plus one.
    pub parent: u32,
    /// See [`status`].
    pub status: u32,
    /// The object that it moved or created.
    pub result: u32,
    /// Its cause.
    pub cause: Cause,
    /// List of (ability, source) pairs: the replacements that its ancestors and it have used.
    pub used: u32,
    /// Number of arguments.
    pub count: u32,
    /// The arguments; only the first `count` are meaningful.
    pub args: [i64; 8],
    /// The flags of this module.
    pub flags: u32,
}

impl Event {
    /// Encodes the event as words.
    #[must_use]
    pub fn words(&self) -> [u32; EVENT_WORDS] {
        let [a0, a1, a2, a3, a4, a5, a6, a7] = self.args.map(|arg| arg as u32);
        let [kind, source, player, chooser] = self.cause.map(|word| word as u32);
        [
            self.action,
            self.parent,
            self.status,
            self.result,
            kind,
            source,
            player,
            chooser,
            self.used,
            self.count,
            a0,
            a1,
            a2,
            a3,
            a4,
            a5,
            a6,
            a7,
            self.flags,
        ]
    }

    /// Decodes words. Returns the default event if their number is wrong.
    #[must_use]
    pub fn from_words(words: &[u32]) -> Self {
        let Ok(words) = <[u32; EVENT_WORDS]>::try_from(words) else { return Self::default() };
        let [action, parent, status, result, kind, source, player, chooser, used, count, args @ .., flags] = words;
        let value = |word: u32| i64::from(word as i32);
        Self {
            action,
            parent,
            status,
            result,
            cause: [kind, source, player, chooser].map(value),
            used,
            count,
            args: args.map(value),
            flags,
        }
    }

    /// Returns its flags with the number of the event that it stands in for mapped by `number`.
    pub(crate) fn flags_with_replaced_event(&self, number: impl FnOnce(u32) -> u32) -> u32 {
        self.flags & ((1 << REPLACED_EVENT_SHIFT) - 1) | number(self.flags >> REPLACED_EVENT_SHIFT) << REPLACED_EVENT_SHIFT
    }

    /// Returns the object on top of which a move puts its object: the zone is that of the host, whose pile and statuses it takes over. `NONE` for
    /// any other event.
    pub(crate) fn move_host(&self) -> ObjectRef {
        if self.action == PUT { ObjectRef::from_value(self.args[MOVE_HOST]) } else { ObjectRef::NONE }
    }

    /// Makes a move put its object on top of another one.
    pub(crate) fn set_move_host(&mut self, host: ObjectRef) {
        self.args[MOVE_HOST] = host.value();
    }

    /// Returns whether it is part of another event.
    pub(crate) fn is_part(&self) -> bool {
        self.parent != 0 || self.flags & PART_OF_CARRIED != 0
    }

    /// Returns whether it is a committed write that is part of another event.
    pub(crate) fn is_committed_child_write(&self) -> bool {
        self.action == WRITE && self.flags & COMMITTED != 0 && self.is_part()
    }

    /// Returns its arguments.
    #[must_use]
    pub fn arguments(&self) -> &[i64] {
        self.args.get(..self.count as usize).unwrap_or(&[])
    }
}

/// Encodes the place of a `write` event.
pub(crate) fn encode_place(place: Place) -> (u32, u32) {
    match place {
        Place::Status(n) => (0, u32::from(n)),
        Place::Player(n) => (1, u32::from(n)),
        Place::Global(n) => (2, u32::from(n)),
        Place::Face => (3, 0),
        _ => (4, 0),
    }
}

/// Decodes the place of a `write` event.
pub(crate) fn decode_place(table: i64, number: i64) -> Option<Place> {
    let number = u16::try_from(number).ok()?;
    match table {
        0 => Some(Place::Status(number)),
        1 => Some(Place::Player(number)),
        2 => Some(Place::Global(number)),
        3 => Some(Place::Face),
        _ => None,
    }
}

/// Decodes the mode of a `write` event.
pub(crate) fn decode_write_mode(how: i64) -> WriteMode {
    match how {
        1 => WriteMode::Add,
        2 => WriteMode::Subtract,
        _ => WriteMode::Set,
    }
}
