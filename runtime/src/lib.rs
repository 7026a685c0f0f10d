//! The intermediate representation of Fizzle and the machine that plays it.
//!
//! The machine knows no game: objects, zones, events, triggers, continuous effects, windows and payments are mechanisms;
//! everything else is a [`ir::Library`] and a [`ir::Format`] compiled from source.

pub mod artifact;
pub mod assign;
pub mod bot;
pub mod deck;
pub mod game;
pub mod harness;
pub mod ir;
#[cfg(feature = "jit")]
pub mod jit;
mod liveness;
mod narrow;
mod printed;
pub mod program;
mod reach;
pub mod rules_hash;
pub mod saved;
pub mod scenario;
pub mod series;
pub mod state;
pub mod trace;
pub mod verify;
pub mod view;
pub mod vm;
pub mod watch;

#[cfg(test)]
mod made_up;
#[cfg(test)]
mod testing;
