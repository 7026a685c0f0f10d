//! All texts of a table, in the language of a client.

pub mod log;
pub mod pack_texts;
pub mod phrases;
pub mod refusals;
