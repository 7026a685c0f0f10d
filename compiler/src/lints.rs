//! Lints: warnings about texts that compile and are probably not what was meant.
//!
//! A lint reports only what the text proves. It never depends on a heuristic, so a warning is always right, and always has a fix or an `//
//! allow`. A lint of one item is run where the item is lowered (such as `lower/card.rs`), one of the
//! whole pack in `session/game.rs`; its code is a row of `diagnostics/codes.rs`. What each kind of card must print is declared by the game
//! (`kind creature prints power`) and checked in `lower/kind_check.rs`.

mod arrival_trigger;
mod constant_condition;
mod dead_trigger;
mod duration_on_list;
mod identical_replacement;
mod illegal_deck;
mod late_trigger;
mod moved_object;
mod never_in_field;
mod open_subject;
mod printed_facts;
mod redundant_difference;
mod unfilled_zone;
mod unset_status;
mod unused_declaration;
mod unused_text;
mod wrong_zone;

pub use dead_trigger::{dead_trigger_diagnostic, proposed_actions, reachable_actions};
pub use illegal_deck::DeckFormats;
pub use redundant_difference::{lint_differences, lint_removed_keywords, removals};
pub use unfilled_zone::{UnfilledZones, filled_zones};
pub use unused_declaration::{NamedDeclaration, WordCounts, for_each_word, leaf_pack_declarations, report_unused};
