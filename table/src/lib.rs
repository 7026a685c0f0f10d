//! Tables: a format, its seats, and the people, bots and watchers at them, as messages.
//!
//! A [`Table`](table::Table) plays the games of one match. A driver (the server, the terminal, a test) hands it the messages of its clients and the time;
//! the table answers with messages for clients, with tasks for bots, and with the time at which it wants to be woken. It does no IO, reads no clock, starts no thread and draws no unseeded random number,
//! and it knows no game: all words of a game come from the pack.
//!
//! A [`Replay`](replay::Replay) reads a recorded game: each decision as a step, and the position at it.
//!
//! What a client is sent comes from the view of its seat, so no message holds what its player may not know.

#![deny(missing_docs)]

mod after_pass;
pub mod ask;
pub mod face;
pub mod layout;
mod playing;
pub mod protocol;
pub mod replay;
pub mod rule_text;
pub mod shown;
pub mod table;
pub mod words;
