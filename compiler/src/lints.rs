//! Texts that compile and yet cannot be meant: only what is proved from the text is told, always as a warning.

mod constant_condition;
mod dead_trigger;
mod identical_replacement;
mod illegal_deck;
mod redundant_difference;
mod unfilled_zone;
mod unused_declaration;
mod unused_text;
mod wrong_zone;

pub use dead_trigger::{carried_out, never_happens, reachable_actions};
pub use illegal_deck::deck;
pub use redundant_difference::{differences, removals, removed_keywords};
pub use unfilled_zone::{UnfilledZones, filled, never_filled};
pub use unused_declaration::{NamedDeclaration, WordCounts, declarations, leaf_pack_declarations, unused, words_of};
pub use unused_text::TextRunners;
