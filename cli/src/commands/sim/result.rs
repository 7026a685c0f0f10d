//! What a simulation counted: sums that can be added, read from files and checked.

use super::card_stats::{CardCount, Counts};
use super::ranges::Ranges;
use super::stats::{self, Histogram, Rate};
use crate::failure::CommandError;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The counts of a simulation or of one shard of it. Sums, so that shards can be added.
///
/// A file holds all of it but the time that it took: it is the same whenever, wherever and by how many the games were played. The line
/// that is printed has the time, and neither histograms nor (unless they are wanted) cards.
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
    /// Seconds that it took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
    /// Games a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub games_per_second: Option<f64>,
    /// The rules, in hexadecimal digits.
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
    /// Games won, by the place in turn order: whoever had the first turn comes first.
    #[serde(default)]
    pub seat_wins: Vec<u64>,
    /// Games won by the player who had the first turn.
    pub first_player_wins: u64,
    /// Games void for a budget, by its name.
    pub budgets: BTreeMap<String, u64>,
    /// With `--best-of`: how many games a match has at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub best_of: Option<u32>,
    /// With `--best-of`: matches played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub matches: Option<u64>,
    /// With `--best-of`: matches won, by deck.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub match_wins: Option<Vec<u64>>,
    /// A hash of all results, the same in any order of playing.
    #[serde(with = "hexadecimal")]
    pub results_hash: u64,
    /// A hash of the cards of the decks, in hexadecimal digits.
    #[serde(default)]
    pub decks_hash: String,
    /// How often each deck won, of all games; none of none.
    #[serde(default)]
    pub win_rates: Vec<Option<Rate>>,
    /// Which games (with `--best-of`: matches) of the shard are played, when not all are: ranges, counted within the shard from 0, the
    /// end not included.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub finished: Option<Vec<[u64; 2]>>,
    /// How many games had how many turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns_per_game: Option<Histogram>,
    /// How many games had how many decisions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decisions_per_game: Option<Histogram>,
    /// The cards of each deck, by name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cards: Option<Vec<BTreeMap<String, CardCount>>>,
}

/// A number as 16 hexadecimal digits: JSON numbers lose large ones.
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

fn total(numbers: impl IntoIterator<Item = u64>) -> Option<u64> {
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

    /// Adds what was counted of cards, given their names.
    pub fn add_cards<'n>(&mut self, counts: &Counts, name: impl Fn(u32) -> &'n str) {
        for ((deck, definition), count) in counts {
            self.card(*deck, name(*definition)).add(count);
        }
    }

    fn card(&mut self, deck: usize, name: &str) -> &mut CardCount {
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

    /// Computes what follows from the sums.
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

    /// Games or, with `--best-of`, matches.
    pub fn units(&self) -> u64 {
        self.matches.unwrap_or(self.games)
    }

    /// What [`SimResult::units`] are called.
    pub fn unit(&self) -> &'static str {
        if self.best_of.is_some() { "matches" } else { "games" }
    }

    /// The parts of `I/N`.
    pub fn shard_parts(&self) -> Option<(u64, u64)> {
        parse_shard(&self.shard)
    }

    /// How many games or matches the shard has.
    pub fn wanted(&self) -> u64 {
        self.shard_parts().map_or(0, |(shard, of)| shard_size(self.total, shard, of))
    }

    /// Which of them are played. None when the file says what cannot be.
    pub fn done(&self) -> Option<Ranges> {
        let wanted = self.wanted();
        let done = match &self.finished {
            None => Ranges::all(wanted),
            Some(parts) => Ranges::read(parts, wanted)?,
        };
        (done.count() == self.units()).then_some(done)
    }

    /// What another tally has otherwise, so that the two cannot be parts of one.
    pub fn differs(&self, other: &Self) -> Option<&'static str> {
        let same = [
            ("rules", self.rules_hash == other.rules_hash),
            ("seed", self.seed == other.seed),
            ("format", self.format == other.format),
            ("decks", self.decks == other.decks && self.decks_hash == other.decks_hash),
            ("bots", self.bots == other.bots),
            ("number of games in all", self.total == other.total),
            ("length of a match", self.best_of == other.best_of),
            ("histograms", self.turns_per_game.is_some() == other.turns_per_game.is_some()),
            ("counts of cards", self.cards.is_some() == other.cards.is_some()),
        ];
        same.iter().find(|(_, same)| !same).map(|(what, _)| *what)
    }

    /// Whether the sums can be those of games: files come from strangers.
    pub fn is_sound(&self) -> bool {
        let seats = self.decks.len();
        let ended = self.wins.iter().copied().chain([self.draws]).chain(self.budgets.values().copied());
        let places = self.seat_wins.is_empty() || self.seat_wins.len() == seats;
        let played = |histogram: &Option<Histogram>, all: u64| {
            histogram.as_ref().is_none_or(|histogram| {
                let sum = histogram.iter().try_fold(0u64, |sum, (value, count)| sum.checked_add(value.checked_mul(*count)?));
                total(histogram.values().copied()) == Some(self.games) && sum == Some(all)
            })
        };
        let cards = self.cards.as_ref().is_none_or(|decks| {
            decks.len() == seats && decks.iter().flat_map(BTreeMap::values).all(|count| count.is_sound(self.games))
        });
        let won = self.match_wins.as_ref().map_or(Some(0), |wins| total(wins.iter().copied()));
        let matches = self.best_of.is_some() == self.matches.is_some()
            && self.best_of.is_some() == self.match_wins.is_some()
            && self.match_wins.as_ref().is_none_or(|wins| wins.len() == seats)
            && won.is_some_and(|won| won <= self.units());
        self.wins.len() == seats
            && self.bots.len() == seats
            && places
            && total(ended) == Some(self.games)
            && total(self.seat_wins.iter().copied()).is_some_and(|sum| sum <= self.games)
            && self.first_player_wins <= self.games
            && self.seconds.is_none_or(|seconds| seconds.is_finite() && seconds >= 0.0)
            && played(&self.turns_per_game, self.turns)
            && played(&self.decisions_per_game, self.decisions)
            && cards
            && matches
            && self.done().is_some()
    }

    /// The text of a file.
    pub fn file(&self) -> Result<String, CommandError> {
        let kept = Self { seconds: None, games_per_second: None, ..self.clone() };
        kept.json().map(|text| text + "\n")
    }

    /// The line for scripts.
    pub fn line(&self, cards: bool) -> Result<String, CommandError> {
        let mut shown = Self { turns_per_game: None, decisions_per_game: None, ..self.clone() };
        if !cards {
            shown.cards = None;
        }
        shown.json()
    }

    fn json(&self) -> Result<String, CommandError> {
        serde_json::to_string(self).map_err(|error| CommandError::Defect(error.to_string()))
    }
}

/// The results in a file, one a line.
pub fn read(path: &str) -> Result<Vec<SimResult>, CommandError> {
    let text = crate::paths::read_bounded(std::path::Path::new(path), MAX_RESULT, "a result")?;
    let not = |why: &str| CommandError::Problem(format!("`{path}` is not the result of a simulation{why}"));
    let mut all = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let tally: SimResult = serde_json::from_str(line).map_err(|_| not(""))?;
        if !tally.is_sound() {
            return Err(not(": its numbers contradict each other"));
        }
        all.push(tally);
    }
    Ok(all)
}

/// The largest file of results that is read.
const MAX_RESULT: u64 = 16 << 20;

/// The parts of `I/N`, I from 1 to N.
pub fn parse_shard(text: &str) -> Option<(u64, u64)> {
    let (shard, of) = text.split_once('/')?;
    let (shard, of) = (shard.trim().parse().ok()?, of.trim().parse().ok()?);
    (1..=of).contains(&shard).then_some((shard, of))
}

/// How many of so many games are in a shard: those whose number, divided by N, leaves I - 1.
pub fn shard_size(total: u64, shard: u64, of: u64) -> u64 {
    total.saturating_sub(shard - 1).div_ceil(of)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shards_are_read() {
        assert_eq!(parse_shard("2/4"), Some((2, 4)));
        for wrong in ["0/4", "5/4", "1", "a/b", "1/0", "-1/2"] {
            assert_eq!(parse_shard(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn shards_share_all_games() {
        for (total, of) in [(0, 1), (1, 3), (9, 3), (10, 3), (11, 3), (5, 9)] {
            let counted: Vec<u64> = (0..of).map(|shard| (0..total).filter(|game| game % of == shard).count() as u64).collect();
            let sizes: Vec<u64> = (1..=of).map(|shard| shard_size(total, shard, of)).collect();
            assert_eq!(sizes, counted);
        }
    }
}
