//! Lists that are short nearly always: a game that goes on allocates nothing for them.

use crate::state::ObjectRef;
use smallvec::SmallVec;

/// Arguments of a call.
pub(crate) type Args = SmallVec<[i64; 16]>;

/// Items of a list while it is made.
pub(crate) type Items = SmallVec<[i32; 16]>;

/// Slots of objects.
pub(crate) type Slots = SmallVec<[usize; 16]>;

/// Objects.
pub(crate) type Refs = SmallVec<[ObjectRef; 8]>;

/// Words of a state, or of a list that was evaluated.
pub(crate) type InlineWords = SmallVec<[u32; 16]>;
