//! The runtime of Fizzle: the intermediate representation (IR) of games, and the machine that plays them.
//!
//! The machine knows no particular game. It provides mechanisms: objects, zones, events, triggers, continuous effects, windows
//! and payments.
//! All rules of a game come from an [`ir::Library`] and an [`ir::Format`] that are compiled from source.

mod applicability;
pub mod artifact;
pub mod assign;
pub mod bot;
pub mod deck;
pub mod dice;
pub mod game;
pub mod invariants;
pub mod ir;
#[cfg(feature = "jit")]
pub mod jit;
mod liveness;
pub mod matches;
mod ownership;
pub mod program;
mod reachability;
pub mod read_mask;
pub mod records;
pub mod rules_hash;
pub mod save_game;
pub mod scenario;
mod specialize;
pub mod state;
pub mod tables;
pub mod trace;
pub mod verify;
pub mod view;
pub mod vm;

#[cfg(test)]
mod testing;
