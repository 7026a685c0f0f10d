//! Texts that compile and yet cannot be meant: only what is proved from the text is told, always as a warning.

mod carried;
mod condition;
mod deck;
mod format;
mod place;
mod same;
mod trigger;
mod unused;
mod zones;

pub use carried::Carriers;
pub use deck::deck;
pub use format::{differences, removals, removed_keywords};
pub use trigger::{carried_out, happening, never_happens};
pub use unused::{Declared, Words, declarations, own_declarations, unused, words_of};
pub use zones::{Suspects, filled, never_filled};
