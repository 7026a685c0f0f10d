//! Texts that compile and yet cannot be meant: only what is proved from the text is told, always as a warning.

mod condition;
mod format;
mod trigger;
mod unused;

pub use format::differences;
pub use trigger::{carried_out, happening, never_happens};
pub use unused::{Declared, Words, declarations, own_declarations, unused, words_of};
