//! The counts of one card: in how many games it was drawn and played.

use super::stats::{self, Rate};
use serde::{Deserialize, Serialize};

/// The counts of one card of a deck.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CardCount {
    /// Games that started with the card in the deck.
    pub games: u64,
    /// The sum of the copies at the start of these games.
    pub copies: u64,
    /// Games in which a copy was drawn: it moved to a zone that only its owner sees, or was played.
    pub drawn: u64,
    /// Games of `drawn` that the deck won.
    pub drawn_won: u64,
    /// Games in which its owner used a copy by a play of the format, not by one of its abilities.
    pub played: u64,
    /// Games of `played` that the deck won.
    pub played_won: u64,
    /// The share of `drawn_won` in `drawn`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when_drawn: Option<Rate>,
    /// The share of `played_won` in `played`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when_played: Option<Rate>,
}

/// The most copies of a card in a game: a game has no more objects.
const MAX_COPIES: u64 = 4_095;

impl CardCount {
    /// Adds the counts of other games.
    pub fn add(&mut self, other: &Self) {
        stats::add([
            (&mut self.games, other.games),
            (&mut self.copies, other.copies),
            (&mut self.drawn, other.drawn),
            (&mut self.drawn_won, other.drawn_won),
            (&mut self.played, other.played),
            (&mut self.played_won, other.played_won),
        ]);
    }

    /// Computes the rates.
    pub fn rate(&mut self) {
        self.when_drawn = Rate::of(self.drawn_won, self.drawn);
        self.when_played = Rate::of(self.played_won, self.played);
    }

    /// Whether the counts are consistent with a number of games. Files of results may come from anywhere.
    pub fn is_sound(&self, games: u64) -> bool {
        let is_descending = [games, self.games, self.drawn, self.played].windows(2).all(|pair| pair.first() >= pair.last());
        is_descending
            && self.games <= self.copies
            && self.copies <= self.games.saturating_mul(MAX_COPIES)
            && self.drawn_won <= self.drawn
            && self.played_won <= self.played.min(self.drawn_won)
    }
}
