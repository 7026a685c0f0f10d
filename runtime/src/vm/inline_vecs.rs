//! `SmallVec` aliases for lists that are short nearly always, so that a game in progress allocates nothing for them.

use crate::ir::ObjectRef;
use smallvec::SmallVec;

/// The arguments of a call.
pub(crate) type Args = SmallVec<[i64; 16]>;

/// The items of a list that is being built.
pub(crate) type Items = SmallVec<[i32; 16]>;

/// Slots of objects.
pub(crate) type Slots = SmallVec<[usize; 16]>;

/// Objects.
pub(crate) type Refs = SmallVec<[ObjectRef; 8]>;

/// Words of the state, or of an evaluated list.
pub(crate) type InlineWords = SmallVec<[u32; 16]>;
