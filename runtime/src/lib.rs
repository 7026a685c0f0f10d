//! The intermediate representation of Fizzle and the machine that plays it.
//!
//! The machine knows no game: objects, zones, events, triggers, continuous effects, windows and payments are mechanisms;
//! everything else is a [`ir::Library`] and a [`ir::Format`] compiled from source.

mod applicability;
pub mod artifact;
pub mod assign;
pub mod bot;
pub mod deck;
pub mod game;
pub mod invariants;
pub mod ir;
#[cfg(feature = "jit")]
pub mod jit;
mod liveness;
pub mod matches;
pub mod program;
mod reachability;
pub mod read_mask;
pub mod rules_hash;
pub mod save_game;
pub mod scenario;
mod specialize;
pub mod state;
pub mod trace;
pub mod verify;
pub mod view;
pub mod vm;

#[cfg(test)]
mod testing;
