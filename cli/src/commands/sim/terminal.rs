//! Prints a result to the terminal: tables for people, or JSON.

use crate::failure::CommandError;
use crate::load::plural;
use crate::output::{self, MessageFormat};
use fizzle_grammar::hidden_characters::escape_line;
use fizzle_results::SimResult;
use fizzle_results::stats::{Rate, percent, quantile};
use std::borrow::Cow;

/// Prints a result as tables or as the JSON line. `cards`: with the counts of cards.
pub fn show(tally: &SimResult, format: MessageFormat, cards: bool) -> Result<(), CommandError> {
    match format {
        MessageFormat::Json => output::json_line(tally.to_json_line(cards).map_err(CommandError::defect)?),
        MessageFormat::Human => {
            let of_cards = if cards { card_lines(tally) } else { Vec::new() };
            lines(tally).into_iter().chain(of_cards).for_each(output::line);
        }
    }
    Ok(())
}

/// An interval in percent, for people.
pub fn interval(rate: Rate) -> String {
    format!("{} to {}", percent(rate.low), percent(rate.high))
}

fn lines(tally: &SimResult) -> Vec<String> {
    let names: Vec<String> = tally.decks.iter().map(|name| escape_line(name).into_owned()).collect();
    let format = escape_line(&tally.format);
    let mut lines =
        vec![format!("{} of {format}, seed {}, shard {}", plural(tally.games as usize, "game"), tally.seed, tally.shard)];
    if tally.finished.is_some() {
        lines.push(format!("  not finished: {} of {} {}", tally.units(), tally.wanted(), tally.unit()));
    }
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0).max(14);
    let row = |name: &str, count: u64, more: &str| {
        let blank = " ".repeat(width.saturating_sub(name.chars().count()));
        let share = Rate::of(count, tally.games)
            .map_or_else(String::new, |rate| format!("  {:>6}  ({})", percent(rate.rate), interval(rate)));
        let line = format!("  {name}{blank} {count:>8}{share}  {more}");
        line.trim_end().to_owned()
    };
    for (seat, deck) in names.iter().enumerate() {
        let bot = tally.bots.get(seat).map_or_else(Cow::default, |bot| escape_line(bot));
        lines.push(row(deck, tally.wins.get(seat).copied().unwrap_or(0), &format!("won ({bot})")));
    }
    if let (Some(best_of), Some(matches), Some(wins)) = (tally.best_of, tally.matches, &tally.match_wins) {
        let scores: Vec<String> = wins.iter().map(ToString::to_string).collect();
        lines.push(format!("  {matches} matches, best of {best_of}: won {}", scores.join(" to ")));
    }
    lines.push(row("draws", tally.draws, ""));
    for (budget, count) in &tally.budgets {
        lines.push(row(&format!("budget: {}", escape_line(budget)), *count, "void"));
    }
    lines.push(row("first player", tally.first_player_wins, "won"));
    for (place, wins) in tally.seat_wins.iter().enumerate().skip(1).filter(|_| tally.seat_wins.len() > 2) {
        lines.push(row(&format!("player {}", place + 1), *wins, "won"));
    }
    let games = tally.games.max(1) as f64;
    for (what, sum, histogram) in
        [("turns", tally.turns, &tally.turns_per_game), ("decisions", tally.decisions, &tally.decisions_per_game)]
    {
        let spread = histogram.as_ref().filter(|_| tally.games > 0).map_or_else(String::new, |histogram| {
            let [low, middle, high] = [0.05, 0.5, 0.95].map(|share| quantile(histogram, share));
            format!(": median {middle}, 90% of games {low} to {high}")
        });
        lines.push(format!("  {:.1} {what} a game{spread}", sum as f64 / games));
    }
    if let Some(pace) = tally.games_per_second {
        let seconds = tally.seconds.map_or_else(String::new, |seconds| format!(", {seconds:.1} seconds in all"));
        lines.push(format!("  {pace:.1} games a second{seconds}"));
    }
    lines.push("  in parentheses: 95% intervals".to_owned());
    lines
}

/// The lines of the cards of each deck, sorted by how often the deck won when they were played.
fn card_lines(tally: &SimResult) -> Vec<String> {
    let mut lines = Vec::new();
    for (deck, cards) in tally.cards.iter().flatten().enumerate() {
        let name = tally.decks.get(deck).map_or_else(Cow::default, |name| escape_line(name));
        lines.push(format!("cards of {name}: how often drawn and played, and how often the deck won then"));
        let mut rows: Vec<_> = cards.iter().collect();
        rows.sort_by(|(a, x), (b, y)| {
            let rate = |count: Option<Rate>| count.map_or(-1.0, |rate| rate.rate);
            rate(y.when_played).total_cmp(&rate(x.when_played)).then(a.cmp(b))
        });
        for (name, count) in rows {
            let share = |part: u64| Rate::of(part, count.games).map_or_else(|| "-".to_owned(), |rate| percent(rate.rate));
            let won = |rate: Option<Rate>| {
                rate.map_or_else(|| "-".to_owned(), |rate| format!("{} ({})", percent(rate.rate), interval(rate)))
            };
            lines.push(format!(
                "  drawn {:>6} won {:<24} played {:>6} won {:<24} {}",
                share(count.drawn),
                won(count.when_drawn),
                share(count.played),
                won(count.when_played),
                escape_line(name)
            ));
        }
    }
    lines
}
