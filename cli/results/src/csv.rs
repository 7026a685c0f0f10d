//! CSV tables of a result, for spreadsheets and scripts. The columns are documented in `docs/simulation.md`.

use super::result::SimResult;
use super::stats::{Histogram, Rate};
use fizzle_hidden_characters::escape_line;
use std::fmt::Write;

/// The file name of the first table.
pub const FIRST_TABLE: &str = "decks.csv";

/// The tables: file names and contents.
pub fn tables(tally: &SimResult) -> [(&'static str, String); 3] {
    [(FIRST_TABLE, decks(tally)), ("cards.csv", cards(tally)), ("lengths.csv", lengths(tally))]
}

fn decks(tally: &SimResult) -> String {
    let mut text = "deck,name,bot,games,won,win_rate,win_low,win_high,matches_won\n".to_owned();
    for (deck, name) in tally.decks.iter().enumerate() {
        let bot = tally.bots.get(deck).map_or("", String::as_str);
        let won = tally.wins.get(deck).copied().unwrap_or(0);
        let matches = tally.match_wins.as_ref().and_then(|wins| wins.get(deck)).map_or_else(String::new, ToString::to_string);
        let rate = rate(Rate::of(won, tally.games));
        let _ = writeln!(text, "{},{},{},{},{won},{rate},{matches}", deck + 1, field(name), field(bot), tally.games);
    }
    text
}

fn cards(tally: &SimResult) -> String {
    let mut text = "deck,deck_name,card,games,copies,drawn,drawn_won,drawn_rate,drawn_low,drawn_high,\
                    played,played_won,played_rate,played_low,played_high\n"
        .to_owned();
    for (deck, cards) in tally.cards.iter().flatten().enumerate() {
        let deck_name = field(tally.decks.get(deck).map_or("", String::as_str));
        for (name, count) in cards {
            let _ = writeln!(
                text,
                "{},{deck_name},{},{},{},{},{},{},{},{},{}",
                deck + 1,
                field(name),
                count.games,
                count.copies,
                count.drawn,
                count.drawn_won,
                rate(count.when_drawn),
                count.played,
                count.played_won,
                rate(count.when_played)
            );
        }
    }
    text
}

fn lengths(tally: &SimResult) -> String {
    let mut text = "measure,value,games\n".to_owned();
    let mut add = |measure: &str, histogram: &Option<Histogram>| {
        for (value, games) in histogram.iter().flatten() {
            let _ = writeln!(text, "{measure},{value},{games}");
        }
    };
    add("turns", &tally.turns_per_game);
    add("decisions", &tally.decisions_per_game);
    text
}

/// Three fields: share, lower and upper bound; empty fields if there is no rate.
fn rate(rate: Option<Rate>) -> String {
    rate.map_or_else(|| ",,".to_owned(), |rate| format!("{},{},{}", rate.rate, rate.low, rate.high))
}

/// A text as a field (RFC 4180). Names are untrusted, so hidden characters are escaped, and a text that a spreadsheet would read as a formula
/// gets an apostrophe before it.
fn field(text: &str) -> String {
    let text = escape_line(text);
    let is_formula = text.starts_with(['=', '+', '-', '@']);
    let text = if is_formula { format!("'{text}") } else { text.into_owned() };
    if text.contains(['"', ',', '\'']) { format!("\"{}\"", text.replace('"', "\"\"")) } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_and_formulas_defused() {
        assert_eq!(field("Ember Lizard"), "Ember Lizard");
        assert_eq!(field("Akroma, Angel of \"Wrath\""), "\"Akroma, Angel of \"\"Wrath\"\"\"");
        assert_eq!(field("=1+1"), "\"'=1+1\"");
        assert_eq!(field("a\nb\u{202e}"), "a\\u{a}b\\u{202e}");
        assert_eq!(field("\t=1"), "\\u{9}=1");
    }
}
