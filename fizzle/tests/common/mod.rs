//! Games for the tests.

use fizzle::{Deck, Format, Pack};
use std::sync::OnceLock;

/// A shipped format, compiled once.
pub fn format() -> Format {
    static PACK: OnceLock<Pack> = OnceLock::new();
    PACK.get_or_init(|| Pack::shipped("duel_masters").unwrap()).format("duel_masters").unwrap()
}

/// Two decks of the format.
pub fn decks() -> Vec<Deck> {
    ["Dragons and birds", "Fire and nature"].iter().map(|name| format().deck(name).unwrap()).collect()
}
