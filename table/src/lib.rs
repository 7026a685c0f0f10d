//! Tables: a format, its seats, and the people, bots and watchers at them, as messages.
//!
//! A [`Table`](table::Table) plays the games of one match. A driver (the server, the terminal, a test) hands it the messages of its clients and the time;
//! the table answers with messages for clients, with tasks for bots, and with the time at which it wants to be woken. It does no IO, reads no clock, starts no thread and draws no unseeded random number,
//! and it knows no game: all words of a game come from the pack.
//!
//! A [`Replay`](replay::Replay) reads a recorded game: each decision as a step, and the position at it.
//!
//! What a client is sent comes from the view of its seat, so no message holds what its player may not know.
//!
//! # Where to look
//!
//! | What | Where |
//! |---|---|
//! | A table: seats, clients, the order of messages | [`table`] |
//! | Automatic yields; taking answers back; absent players | `table::auto_yields`; `table::undo`; `table::absence` |
//! | The games of a match; saving a table; a pack that changes | `table::match_games`; `table::saved`; `table::reload` |
//! | The game that is played, and its observers | `playing`; what each viewer may see: the runtime's `view::event_stream` |
//! | All messages, as JSON | [`protocol`] |
//! | The position that a client is sent | [`table_view`]; how its board is laid out: [`layout`]; cards: [`face`] |
//! | A decision that a client is sent; what follows a pass | [`ask`]; `after_pass` |
//! | Why something cannot be done | `table::reasons`, [`rule_text`], `words::refusals` |
//! | The log; what is sent again to a client that joins | `words::log`; `table::history` |
//! | All other words | [`words`] |
//! | Reading recorded games | [`replay`] |

#![deny(missing_docs)]

mod after_pass;
pub mod ask;
pub mod face;
pub mod layout;
mod playing;
pub mod protocol;
pub mod replay;
pub mod rule_text;
pub mod table;
pub mod table_view;
pub mod words;
