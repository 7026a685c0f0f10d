//! The workbench: what a designer sees of a pack while writing it.
//!
//! | What | Where |
//! |---|---|
//! | The pack, compiled from the sources of an editor | [`pack_compiler`] |
//! | A card as it reads in both languages, and what it does in each format | [`preview`], [`notes`] |
//! | All scenarios of a pack, with the lines that fail | [`scenarios`] |
//! | A position in which a card is tried, or to which a scenario has come | [`position`] |
//! | What was played from it, as a scenario | [`keep_as_scenario`] |
//! | The requests of an editor about all that | [`requests`] |
//!
//! Nothing is read or written: sources come in requests of the language server, results are plain data.

#![deny(missing_docs)]

pub mod keep_as_scenario;
pub mod labels;
pub mod notes;
pub mod pack_compiler;
pub mod position;
pub mod preview;
pub mod requests;
pub mod scenarios;
