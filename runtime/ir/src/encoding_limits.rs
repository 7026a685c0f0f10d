//! Bounds that follow from how a state is encoded. Compiler, verifier and machine share them. The maximum number of objects is one of them. The budgets of a running game are in the machine's
//! `vm/budgets.rs`, the limits of a pack's sources in the compiler's `limits.rs`.

/// Number of bits of the slot in a reference.
pub const SLOT_BITS: u32 = 12;

/// The maximum number of objects at a time.
pub const MAX_OBJECTS: usize = (1 << SLOT_BITS) - 1;

/// The maximum number of moves of one slot.
pub const MAX_INCARNATION: u32 = (1 << (32 - SLOT_BITS)) - 1;

/// The maximum number of players of a format.
pub const MAX_PLAYERS: u8 = 8;

/// The maximum number of games of a match.
pub const MAX_GAMES: u32 = 999;
