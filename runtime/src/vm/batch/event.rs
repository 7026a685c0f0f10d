//! Events of a batch: words in its list, and as values.

use crate::ir::Cause;
use crate::ir::verbs::WRITE;

/// Words of an event in its batch's list.
pub const EVENT_WORDS: usize = 19;

/// Words of an event.
pub(in crate::vm) mod word {
    /// Its action.
    pub const ACTION: usize = 0;
    /// The event that it is part of, plus one.
    pub const PARENT: usize = 1;
    /// See [`status`](super::status).
    pub const STATUS: usize = 2;
    /// The object that it moved or made.
    pub const RESULT: usize = 3;
    /// The list of replacements in its lineage.
    pub const USED: usize = 8;
    /// Its first argument.
    pub const FIRST: usize = 10;
    /// Flags of this module.
    pub const FLAGS: usize = 18;
}

/// How far an event has come.
pub mod status {
    /// Proposed.
    pub const PROPOSED: u32 = 0;
    /// Checked; it will happen, or its body runs.
    pub const FINAL: u32 = 1;
    /// Something of it happened.
    pub const HAPPENED: u32 = 2;
    /// Forbidden, or without its object.
    pub const FAILED: u32 = 3;
    /// Something else took its place.
    pub const REPLACED: u32 = 4;
}

/// Its body has proposed something.
pub(in crate::vm) const PROPOSING: u32 = 1;
/// Triggers have been looked for.
pub(in crate::vm) const MATCHED: u32 = 2;
/// It is a primitive event that was committed.
pub(in crate::vm) const COMMITTED: u32 = 4;
/// It, or an event that it is part of, is unstoppable.
pub(in crate::vm) const UNSTOPPABLE: u32 = 8;
/// It, or an event that it is part of, is incidental.
pub(in crate::vm) const INCIDENTAL: u32 = 32;
/// The move of a pile's member, which follows from the move of its top object: nobody waits for its result.
pub(super) const MEMBER: u32 = 16;

/// From this bit on: the event in whose place it stands (a replacement's event), plus one.
pub(in crate::vm) const STANDS_FOR: u32 = 8;

/// The flags that events pass on to their parts.
pub(in crate::vm) const INHERITED: u32 = UNSTOPPABLE | INCIDENTAL;

/// At most so many events in a batch.
pub(super) const MAX_EVENTS: usize = 20_000;

/// An event, as a value.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Event {
    /// Its action.
    pub action: u32,
    /// The event whose body proposed it, plus one.
    pub parent: u32,
    /// See [`status`].
    pub status: u32,
    /// The object it moved or made.
    pub result: u32,
    /// Why.
    pub cause: Cause,
    /// List of (ability, source) pairs that replaced in its lineage.
    pub used: u32,
    /// How many arguments.
    pub count: u32,
    /// The arguments.
    pub args: [i64; 8],
    /// Flags of this module.
    pub flags: u32,
}

impl Event {
    /// As words.
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

    /// From words.
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

    /// Its flags, with the number of the event that it stands for changed.
    pub(crate) fn flags_with(&self, number: impl FnOnce(u32) -> u32) -> u32 {
        self.flags & ((1 << STANDS_FOR) - 1) | number(self.flags >> STANDS_FOR) << STANDS_FOR
    }

    /// Whether it wrote something, as part of another event, and is done.
    pub(crate) fn is_done_write(&self) -> bool {
        self.action == WRITE && self.flags & COMMITTED != 0 && self.parent != 0
    }

    /// The arguments it has.
    #[must_use]
    pub fn arguments(&self) -> &[i64] {
        self.args.get(..self.count as usize).unwrap_or(&[])
    }
}
