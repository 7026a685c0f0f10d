//! The intermediate representation of Fizzle and the machine that plays it.
//!
//! The machine knows no game: objects, zones, events, triggers, continuous effects, windows and payments are mechanisms;
//! everything else is a [`ir::Library`] and a [`ir::Format`] compiled from source.

pub mod harness;
pub mod ir;
pub mod program;
pub mod scenario;
pub mod state;
pub mod vm;
