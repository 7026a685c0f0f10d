//! The runtime of Fizzle: the machine that plays compiled games.
//!
//! The machine knows no particular game. It provides mechanisms: objects, zones, events, triggers, continuous effects, windows
//! and payments.
//! All rules of a game come from an [`ir::Library`] and an [`ir::Format`] that are compiled from source.

mod applicability;
pub mod assign;
pub mod deck;
pub mod dice;
pub mod game;
pub mod invariants;
#[cfg(feature = "jit")]
pub mod jit;
mod liveness;
pub mod matches;
mod ownership;
pub mod program;
pub mod random_answers;
pub mod read_mask;
pub mod records;
pub mod save_game;
pub mod scenario;
mod specialize;
pub mod state;
pub mod tables;
pub mod trace;
pub mod view;
pub mod vm;

/// The intermediate representation of games, which the compiler writes.
pub use fizzle_ir as ir;

#[cfg(test)]
mod testing;
