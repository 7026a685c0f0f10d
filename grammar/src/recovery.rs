//! Error recovery: parses the valid parts of an item that the grammar refuses, and explains the errors.
//!
//! - [`members`] splits the item into its members and statements, and parses each one separately;
//! - [`blocks`] repairs missing braces and unreadable heads of cards;
//! - [`prices`] repairs malformed prices.

pub(crate) mod blocks;
pub(crate) mod members;
mod prices;

pub(crate) use members::{ItemText, explain, recover};
