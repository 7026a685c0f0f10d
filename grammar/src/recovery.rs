//! Error recovery: reads as much as possible of an item that the grammar refuses, and explains the refusal.
//!
//! - [`members`] splits the item into its members and statements, and reads each of them by itself;
//! - [`blocks`] repairs missing braces and unreadable heads of cards;
//! - [`prices`] repairs malformed prices.

pub(crate) mod blocks;
pub(crate) mod members;
mod prices;

pub(crate) use members::{ItemText, explain, recover};
