//! Lints: warnings about texts that compile and are probably not what was meant.
//!
//! A lint reports only what the text proves. It never depends on a heuristic, so a warning is always right, and always has a fix or an `//
//! allow`. A lint of one item is run where the item is lowered (such as `lower/card.rs`), one of the
//! whole pack in `session/game.rs`; its code is a row of `diagnostics/codes.rs`. `printed_facts` is no lint, but what several of them share: the
//! evidence that the print of a card gives.
//!
//! | Warnings that other passes find | Where |
//! |---|---|
//! | W0700, `allow` comments that allow nothing | `diagnostics/lint_levels.rs` |
//! | W0701, W0702, local names that are unused or shadowed | `lower/local.rs` |
//! | W0713, doc comments of nothing | `syntax_diagnostics.rs` |
//! | W0716, cards that do not print what their kind does (`kind creature prints power`) | `lower/kind_check.rs` |
//! | W0717, rows of a layout that can never hold anything | `layout.rs` |
//! | W0718, cards that have the name of a card of the game | `card_scopes.rs` |
//! | W0722, words of declarations that were renamed | `renamed_words.rs` |
//! | W0726, entries of `text` items that no call matches | `text/check/patterns.rs` |

mod arrival_trigger;
mod constant_condition;
mod dead_trigger;
mod duration_on_list;
mod identical_replacement;
mod illegal_deck;
mod impossible_pattern;
mod late_trigger;
mod moved_object;
mod never_in_field;
mod number_for_price;
mod open_subject;
mod printed_facts;
mod redundant_difference;
mod repeating_action;
mod text_never_resolved;
mod unfilled_zone;
mod unset_status;
mod unused_declaration;
mod wrong_zone;

pub use dead_trigger::{dead_trigger_diagnostic, proposed_actions, reachable_actions};
pub use illegal_deck::DeckFormats;
pub use redundant_difference::{lint_differences, lint_removed_keywords, removals};
pub use unfilled_zone::{UnfilledZones, filled_zones};
pub use unused_declaration::{NamedDeclaration, WordCounts, for_each_word, leaf_pack_declarations, report_unused};
