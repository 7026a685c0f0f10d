//! What a simulation counted, as a JSON line, as a table, and as parts that can be added.

use crate::failure::Failure;
use crate::out::{self, MessageFormat};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The counts of a simulation or of one shard of it. Sums, so that shards can be added.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Tally {
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
    pub seconds: f64,
    /// Games a second.
    pub games_per_second: f64,
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
    pub results_hash: String,
}

impl Tally {
    /// Adds the counts of other games.
    pub fn add(&mut self, other: &Self) {
        self.games += other.games;
        self.wins.resize(self.wins.len().max(other.wins.len()), 0);
        for (sum, more) in self.wins.iter_mut().zip(&other.wins) {
            *sum += more;
        }
        self.draws += other.draws;
        self.turns += other.turns;
        self.decisions += other.decisions;
        self.seconds += other.seconds;
        self.first_player_wins += other.first_player_wins;
        self.seat_wins.resize(self.seat_wins.len().max(other.seat_wins.len()), 0);
        for (sum, more) in self.seat_wins.iter_mut().zip(&other.seat_wins) {
            *sum += more;
        }
        if let Some(more) = other.matches {
            *self.matches.get_or_insert_default() += more;
        }
        if let Some(more) = &other.match_wins {
            let sums = self.match_wins.get_or_insert_default();
            sums.resize(sums.len().max(more.len()), 0);
            for (sum, more) in sums.iter_mut().zip(more) {
                *sum += more;
            }
        }
        for (budget, count) in &other.budgets {
            *self.budgets.entry(budget.clone()).or_default() += count;
        }
        let hash = |text: &str| u64::from_str_radix(text, 16).unwrap_or(0);
        self.results_hash = format!("{:016x}", hash(&self.results_hash).wrapping_add(hash(&other.results_hash)));
    }

    /// Computes the games a second.
    pub fn pace(&mut self) {
        self.games_per_second = if self.seconds > 0.0 { (self.games as f64 / self.seconds * 10.0).round() / 10.0 } else { 0.0 };
        self.seconds = (self.seconds * 1000.0).round() / 1000.0;
    }

    /// The parts of `I/N`.
    pub fn shard_parts(&self) -> Option<(u64, u64)> {
        parse_shard(&self.shard)
    }
}

/// The parts of `I/N`, I from 1 to N.
pub fn parse_shard(text: &str) -> Option<(u64, u64)> {
    let (shard, of) = text.split_once('/')?;
    let (shard, of) = (shard.trim().parse().ok()?, of.trim().parse().ok()?);
    (1..=of).contains(&shard).then_some((shard, of))
}

/// Shows a result: the JSON line, and before it a table for people.
pub fn show(tally: &Tally, format: MessageFormat) -> Result<(), Failure> {
    if format == MessageFormat::Human {
        table(tally);
    }
    out::line(line(tally)?);
    Ok(())
}

/// Writes a result to a file.
pub fn write(path: &str, tally: &Tally) -> Result<(), Failure> {
    let text = format!("{}\n", line(tally)?);
    std::fs::write(path, text).map_err(|error| Failure::usage(format!("`{path}` cannot be written: {error}")))
}

fn line(tally: &Tally) -> Result<String, Failure> {
    serde_json::to_string(tally).map_err(|error| Failure::Defect(error.to_string()))
}

fn table(tally: &Tally) {
    let games = tally.games.max(1) as f64;
    let percent = |count: u64| format!("{:5.1}%", count as f64 * 100.0 / games);
    out::line(format!("{} games of {}, seed {}, shard {}", tally.games, tally.format, tally.seed, tally.shard));
    let width = tally.decks.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(14);
    let row = |name: &str, count: u64, more: &str| {
        let blank = " ".repeat(width.saturating_sub(name.chars().count()));
        out::line(format!("  {name}{blank} {count:>8}  {}  {more}", percent(count)));
    };
    for (seat, deck) in tally.decks.iter().enumerate() {
        let bot = tally.bots.get(seat).map_or("", String::as_str);
        row(deck, tally.wins.get(seat).copied().unwrap_or(0), &format!("won ({bot})"));
    }
    if let (Some(best_of), Some(matches), Some(wins)) = (tally.best_of, tally.matches, &tally.match_wins) {
        let scores: Vec<String> = wins.iter().map(ToString::to_string).collect();
        out::line(format!("  {matches} matches, best of {best_of}: won {}", scores.join(" to ")));
    }
    row("draws", tally.draws, "");
    for (budget, count) in &tally.budgets {
        row(&format!("budget: {budget}"), *count, "void");
    }
    row("first player", tally.first_player_wins, "won");
    for (place, wins) in tally.seat_wins.iter().enumerate().skip(1).filter(|_| tally.seat_wins.len() > 2) {
        row(&format!("player {}", place + 1), *wins, "won");
    }
    out::line(format!(
        "  {:.1} turns and {:.1} decisions a game, {:.1} games a second",
        tally.turns as f64 / games,
        tally.decisions as f64 / games,
        tally.games_per_second
    ));
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
}
