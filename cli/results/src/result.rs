//! The result of a simulation: sums that can be added across shards, with their JSON and a consistency check.

use super::card_count::CardCount;
use super::ranges::Ranges;
use super::stats::{self, Histogram, Rate};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The most decks of a simulation: the players of a game.
const MAX_DECKS: usize = 8;

/// The counts of a simulation or of one shard of it. Sums, so that shards can be added.
///
/// A file contains everything except the time, so it does not depend on the machine or the number of threads. The printed line contains the
/// time, no histograms, and the cards only on request.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SimResult {
    /// Games played.
    pub games: u64,
    /// Games won, by deck.
    pub wins: Vec<u64>,
    /// Games without a winner.
    pub draws: u64,
    /// Turns of all games.
    pub turns: u64,
    /// Decisions with at least two legal answers, of all games.
    pub decisions: u64,
    /// The duration in seconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Games per second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games_per_second: Option<f64>,
    /// The hash of the rules, in hexadecimal digits.
    pub rules_hash: String,
    /// The seed.
    pub seed: u64,
    /// `I/N`: part I of N.
    pub shard: String,
    /// The format.
    pub format: String,
    /// The names of the decks.
    pub decks: Vec<String>,
    /// The names of the bots, by deck.
    pub bots: Vec<String>,
    /// Games of all shards together.
    pub total: u64,
    /// Games won, by the place in turn order; the player of the first turn is first.
    #[serde(default)]
    pub seat_wins: Vec<u64>,
    /// Games won by the player who had the first turn.
    pub first_player_wins: u64,
    /// Games that a budget ended, by the name of the budget.
    pub budgets: BTreeMap<String, u64>,
    /// With `--best-of`: the most games of a match.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best_of: Option<u32>,
    /// With `--best-of`: matches played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matches: Option<u64>,
    /// With `--best-of`: matches won, by deck.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_wins: Option<Vec<u64>>,
    /// A hash of all results, independent of the order of the games.
    #[serde(with = "hexadecimal")]
    pub results_hash: u64,
    /// A hash of the cards of the decks, in hexadecimal digits.
    #[serde(default)]
    pub decks_hash: String,
    /// The share of games that each deck won; `None` without games.
    #[serde(default)]
    pub win_rates: Vec<Option<Rate>>,
    /// In an unfinished result, the finished games (with `--best-of`: matches): half-open ranges of numbers within the shard, from 0.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished: Option<Vec<[u64; 2]>>,
    /// The number of games for each number of turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns_per_game: Option<Histogram>,
    /// The number of games for each number of decisions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decisions_per_game: Option<Histogram>,
    /// The counts of the cards of each deck, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cards: Option<Vec<BTreeMap<String, CardCount>>>,
}

/// Serialises a number as 16 hexadecimal digits, because JSON numbers lose precision.
mod hexadecimal {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub fn serialize<S: Serializer>(number: &u64, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&format!("{number:016x}"))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<u64, D::Error> {
        let text = String::deserialize(deserializer)?;
        u64::from_str_radix(&text, 16).map_err(D::Error::custom)
    }
}

fn checked_sum(numbers: impl IntoIterator<Item = u64>) -> Option<u64> {
    numbers.into_iter().try_fold(0u64, u64::checked_add)
}

impl SimResult {
    /// Adds the counts of other games.
    pub fn add(&mut self, other: &Self) {
        stats::add([
            (&mut self.games, other.games),
            (&mut self.draws, other.draws),
            (&mut self.turns, other.turns),
            (&mut self.decisions, other.decisions),
            (&mut self.first_player_wins, other.first_player_wins),
        ]);
        stats::add_lists(&mut self.wins, &other.wins);
        stats::add_lists(&mut self.seat_wins, &other.seat_wins);
        if let Some(more) = other.matches {
            stats::add([(self.matches.get_or_insert_default(), more)]);
        }
        if let Some(more) = &other.match_wins {
            stats::add_lists(self.match_wins.get_or_insert_default(), more);
        }
        stats::add_maps(&mut self.budgets, &other.budgets);
        self.seconds = self.seconds.zip(other.seconds).map(|(a, b)| a + b);
        self.results_hash = self.results_hash.wrapping_add(other.results_hash);
        if let Some(more) = &other.turns_per_game {
            stats::add_maps(self.turns_per_game.get_or_insert_default(), more);
        }
        if let Some(more) = &other.decisions_per_game {
            stats::add_maps(self.decisions_per_game.get_or_insert_default(), more);
        }
        if let Some(more) = &other.cards {
            for (deck, cards) in more.iter().enumerate() {
                for (name, count) in cards {
                    self.card(deck, name).add(count);
                }
            }
        }
    }

    /// The count of a card of a deck, by name. It is 0 at first.
    pub fn card(&mut self, deck: usize, name: &str) -> &mut CardCount {
        let decks = self.cards.get_or_insert_default();
        if decks.len() <= deck {
            decks.resize_with(deck + 1, BTreeMap::new);
        }
        let cards = &mut decks[deck];
        if !cards.contains_key(name) {
            cards.insert(name.to_owned(), CardCount::default());
        }
        cards.entry(name.to_owned()).or_default()
    }

    /// Computes the rates from the sums, and rounds the times.
    pub fn complete(&mut self) {
        self.win_rates = self.wins.iter().map(|wins| Rate::of(*wins, self.games)).collect();
        for count in self.cards.iter_mut().flatten().flat_map(BTreeMap::values_mut) {
            count.rate();
        }
        self.games_per_second = self.seconds.filter(|s| *s > 0.0).map(|s| (self.games as f64 / s * 10.0).round() / 10.0);
        if self.seconds.is_some() {
            self.games_per_second.get_or_insert(0.0);
        }
        self.seconds = self.seconds.map(|seconds| (seconds * 1000.0).round() / 1000.0);
    }

    /// The number of played games or, with `--best-of`, matches.
    pub fn units(&self) -> u64 {
        self.matches.unwrap_or(self.games)
    }

    /// The noun for [`SimResult::units`].
    pub fn unit(&self) -> &'static str {
        if self.best_of.is_some() { "matches" } else { "games" }
    }

    /// The parts of `I/N`.
    pub fn shard_parts(&self) -> Option<(u64, u64)> {
        parse_shard(&self.shard)
    }

    /// The number of games or matches of the shard.
    pub fn wanted(&self) -> u64 {
        self.shard_parts().map_or(0, |(shard, of)| shard_size(self.total, shard, of))
    }

    /// The played ones among them. `None` if the ranges are malformed or contradict the counts.
    pub fn done(&self) -> Option<Ranges> {
        let wanted = self.wanted();
        let done = match &self.finished {
            None => Ranges::all(wanted),
            Some(parts) => Ranges::read(parts, wanted)?,
        };
        (done.count() == self.units()).then_some(done)
    }

    /// What differs in another result, so that the two cannot be parts of one run. `None` if they can.
    pub fn find_difference(&self, other: &Self) -> Option<&'static str> {
        let same = [
            ("rules", self.rules_hash == other.rules_hash),
            ("seed", self.seed == other.seed),
            ("format", self.format == other.format),
            ("decks", self.decks == other.decks && self.decks_hash == other.decks_hash),
            ("bots", self.bots == other.bots),
            ("number of games", self.total == other.total),
            ("length of a match", self.best_of == other.best_of),
            (
                "histograms",
                self.turns_per_game.is_some() == other.turns_per_game.is_some()
                    && self.decisions_per_game.is_some() == other.decisions_per_game.is_some(),
            ),
            ("counts of cards", self.cards.is_some() == other.cards.is_some()),
        ];
        same.iter().find(|(_, same)| !same).map(|(what, _)| *what)
    }

    /// Whether the sums are consistent, and the decks not more than players that a game can have. Files may come from anywhere.
    pub fn is_sound(&self) -> bool {
        let seats = self.decks.len();
        let ended = self.wins.iter().copied().chain([self.draws]).chain(self.budgets.values().copied());
        let places = self.seat_wins.is_empty() || self.seat_wins.len() == seats;
        let played = |histogram: &Option<Histogram>, all: u64| {
            histogram.as_ref().is_none_or(|histogram| {
                let sum = histogram.iter().try_fold(0u64, |sum, (value, count)| sum.checked_add(value.checked_mul(*count)?));
                checked_sum(histogram.values().copied()) == Some(self.games) && sum == Some(all)
            })
        };
        let cards = self.cards.as_ref().is_none_or(|decks| {
            decks.len() == seats && decks.iter().flat_map(BTreeMap::values).all(|count| count.is_sound(self.games))
        });
        let won = self.match_wins.as_ref().map_or(Some(0), |wins| checked_sum(wins.iter().copied()));
        let matches = self.best_of.is_some() == self.matches.is_some()
            && self.best_of.is_some() == self.match_wins.is_some()
            && self.match_wins.as_ref().is_none_or(|wins| wins.len() == seats)
            && won.is_some_and(|won| won <= self.units());
        seats <= MAX_DECKS
            && self.wins.len() == seats
            && self.bots.len() == seats
            && places
            && checked_sum(ended) == Some(self.games)
            && checked_sum(self.seat_wins.iter().copied()).is_some_and(|sum| sum <= self.games)
            && self.first_player_wins <= self.games
            && self.seconds.is_none_or(|seconds| seconds.is_finite() && seconds >= 0.0)
            && played(&self.turns_per_game, self.turns)
            && played(&self.decisions_per_game, self.decisions)
            && cards
            && matches
            && self.done().is_some()
    }

    /// The content of a result file.
    ///
    /// # Errors
    /// A number that JSON cannot hold, which no sound result has.
    pub fn to_file_text(&self) -> serde_json::Result<String> {
        let kept = Self { seconds: None, games_per_second: None, ..self.clone() };
        serde_json::to_string(&kept).map(|text| text + "\n")
    }

    /// The JSON line that is printed. `cards`: with the counts of cards.
    ///
    /// # Errors
    /// As [`SimResult::to_file_text`].
    pub fn to_json_line(&self, cards: bool) -> serde_json::Result<String> {
        let mut shown = Self { turns_per_game: None, decisions_per_game: None, ..self.clone() };
        if !cards {
            shown.cards = None;
        }
        serde_json::to_string(&shown)
    }
}

/// Why a text is not the result of a simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResultError {
    /// A line is not the JSON of a result.
    #[error("it is not the result of a simulation")]
    NotAResult,
    /// The sums cannot be those of games.
    #[error("it is not the result of a simulation: its numbers contradict each other")]
    Contradiction,
}

/// Reads results, one per line.
///
/// # Errors
/// A line that is no result, or whose numbers contradict each other.
pub fn parse_results(text: &str) -> Result<Vec<SimResult>, ResultError> {
    let mut all = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let tally: SimResult = serde_json::from_str(line).map_err(|_| ResultError::NotAResult)?;
        if !tally.is_sound() {
            return Err(ResultError::Contradiction);
        }
        all.push(tally);
    }
    Ok(all)
}

/// The parts of `I/N`, I from 1 to N.
pub fn parse_shard(text: &str) -> Option<(u64, u64)> {
    let (shard, of) = text.split_once('/')?;
    let (shard, of) = (shard.trim().parse().ok()?, of.trim().parse().ok()?);
    (1..=of).contains(&shard).then_some((shard, of))
}

/// The number of games of shard I of N: those whose number modulo N is I - 1.
pub fn shard_size(total: u64, shard: u64, of: u64) -> u64 {
    total.saturating_sub(shard - 1).div_ceil(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_parsed() {
        assert_eq!(parse_shard("2/4"), Some((2, 4)));
        for wrong in ["0/4", "5/4", "1", "a/b", "1/0", "-1/2"] {
            assert_eq!(parse_shard(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn shard_sizes_add_up_to_all_games() {
        for (total, of) in [(0, 1), (1, 3), (9, 3), (10, 3), (11, 3), (5, 9)] {
            let counted: Vec<u64> = (0..of).map(|shard| (0..total).filter(|game| game % of == shard).count() as u64).collect();
            let sizes: Vec<u64> = (1..=of).map(|shard| shard_size(total, shard, of)).collect();
            assert_eq!(sizes, counted);
        }
    }
}
