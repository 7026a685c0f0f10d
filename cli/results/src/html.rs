//! The HTML page of a result: one file, without scripts and external resources. Names are untrusted and are escaped.

use super::card_count::CardCount;
use super::plot;
use super::result::SimResult;
use super::stats::{Histogram, Rate, make_bins, percent, quantile};
use fizzle_hidden_characters::escape_line;
use std::collections::BTreeMap;
use std::fmt::Write;

const STYLE: &str = include_str!("report.css");

/// The most bars of a histogram.
const MAX_BARS: u64 = 48;

/// The page of a result.
pub fn page(tally: &SimResult) -> String {
    let title = format!("Simulation of {}", escaped(&tally.format));
    let mut page = format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>{title}</title>\n<style>\n{STYLE}</style>\n\
         </head>\n<body>\n<h1>{title}</h1>\n"
    );
    let decks = tally.decks.iter().map(|deck| escaped(deck)).collect::<Vec<_>>().join(" · ");
    let _ = writeln!(page, "<p class=\"lead\">{} games · {decks}</p>", tally.games);
    if tally.finished.is_some() {
        let _ = writeln!(
            page,
            "<p class=\"warning\">Not finished: {} of {} {} played.</p>",
            tally.units(),
            tally.wanted(),
            tally.unit()
        );
    }
    let shares = "<p>Shares with 95% intervals (Wilson). The thin line marks equal chances.</p>";
    let _ = writeln!(page, "<h2>Results</h2>\n{shares}\n{}", winners(tally));
    for (heading, what, sum, histogram) in [
        ("Game length", "turns", tally.turns, &tally.turns_per_game),
        ("Decisions", "decisions", tally.decisions, &tally.decisions_per_game),
    ] {
        if let Some(histogram) = histogram {
            let _ = writeln!(page, "<h2>{heading}</h2>\n{}", lengths(tally.games, sum, histogram, what));
        }
    }
    if let Some(decks) = &tally.cards {
        page.push_str(
            "<h2>Cards</h2>\n<p>Drawn: the card came to its owner, or was played. The thin line marks how often the deck won in all games. A card that is \
             played in long games, or by a player who is ahead, is in won games more often for that reason: compare cards that are played at similar \
             times.</p>\n",
        );
        for (deck, cards) in decks.iter().enumerate() {
            let name = tally.decks.get(deck).map_or("", String::as_str);
            let mark = Rate::of(tally.wins.get(deck).copied().unwrap_or(0), tally.games).map_or(0.5, |rate| rate.rate);
            let _ = writeln!(page, "<h3>{}</h3>\n{}", escaped(name), card_table(cards, mark));
        }
    }
    let _ = writeln!(page, "<h2>Repeating this simulation</h2>\n{}", origin(tally));
    page.push_str("</body>\n</html>\n");
    page
}

/// An untrusted text, escaped, and isolated by `<bdi>` so that its writing direction does not affect the page.
fn escaped(text: &str) -> String {
    let mut escaped = String::from("<bdi>");
    for c in escape_line(text).chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            c => escaped.push(c),
        }
    }
    escaped + "</bdi>"
}

/// Cells with a share, its interval and the plot of both.
fn share(rate: Option<Rate>, mark: f64) -> String {
    rate.map_or_else(
        || "<td class=\"n\">–</td><td class=\"n\"></td><td></td>".to_owned(),
        |rate| {
            format!(
                "<td class=\"n\">{}</td><td class=\"n dim\">{} – {}</td><td>{}</td>",
                percent(rate.rate),
                percent(rate.low),
                percent(rate.high),
                plot::plot_interval(rate, mark)
            )
        },
    )
}

fn winners(tally: &SimResult) -> String {
    let even = 1.0 / tally.decks.len().max(1) as f64;
    let mut table = "<table>\n<thead><tr><th></th><th>bot</th><th class=\"n\">games</th><th class=\"n\">share</th>\
                     <th class=\"n\">95%</th><th></th></tr></thead>\n<tbody>\n"
        .to_owned();
    let mut row = |name: &str, bot: &str, count: u64, all: u64| {
        let share = share(Rate::of(count, all), even);
        let _ = writeln!(table, "<tr><th scope=\"row\">{name}</th><td>{bot}</td><td class=\"n\">{count}</td>{share}</tr>");
    };
    for (deck, name) in tally.decks.iter().enumerate() {
        let bot = tally.bots.get(deck).map_or_else(String::new, |bot| escaped(bot));
        row(&format!("{} won", escaped(name)), &bot, tally.wins.get(deck).copied().unwrap_or(0), tally.games);
    }
    row("draws", "", tally.draws, tally.games);
    for (budget, count) in &tally.budgets {
        row(&format!("void (budget: {})", escaped(budget)), "", *count, tally.games);
    }
    row("first player won", "", tally.first_player_wins, tally.games);
    for (place, wins) in tally.seat_wins.iter().enumerate().skip(1).filter(|_| tally.seat_wins.len() > 2) {
        row(&format!("player {} in turn order won", place + 1), "", *wins, tally.games);
    }
    for (deck, wins) in tally.match_wins.iter().flatten().enumerate() {
        let name = tally.decks.get(deck).map_or("", String::as_str);
        row(&format!("{} won the match", escaped(name)), "", *wins, tally.units());
    }
    table + "</tbody>\n</table>"
}

fn lengths(games: u64, sum: u64, histogram: &Histogram, what: &str) -> String {
    if games == 0 || histogram.is_empty() {
        return "<p>No games played yet.</p>".to_owned();
    }
    let [low, middle, high] = [0.05, 0.5, 0.95].map(|share| quantile(histogram, share));
    let least = histogram.first_key_value().map_or(0, |(value, _)| *value);
    let most = histogram.last_key_value().map_or(0, |(value, _)| *value);
    format!(
        "<p>On average {:.1} {what} a game; median {middle}, 90% of games {low} to {high}, all {least} to {most}.</p>\n{}",
        sum as f64 / games as f64,
        plot::plot_histogram(&make_bins(histogram, MAX_BARS), what)
    )
}

fn card_table(cards: &BTreeMap<String, CardCount>, mark: f64) -> String {
    let mut rows: Vec<_> = cards.iter().collect();
    let rate = |rate: Option<Rate>| rate.map_or(-1.0, |rate| rate.rate);
    rows.sort_by(|(a, x), (b, y)| {
        let played = rate(y.when_played).total_cmp(&rate(x.when_played));
        played.then(rate(y.when_drawn).total_cmp(&rate(x.when_drawn))).then(a.cmp(b))
    });
    let mut table =
        "<div class=\"wide\"><table>\n<thead><tr><th>card</th><th class=\"n\">copies</th><th class=\"n\">drawn in</th>\
                     <th class=\"c\" colspan=\"3\">won when drawn</th><th class=\"n\">played in</th>\
                     <th class=\"c\" colspan=\"3\">won when played</th></tr></thead>\n<tbody>\n"
            .to_owned();
    for (name, count) in rows {
        let copies = if count.games == 0 { 0.0 } else { count.copies as f64 / count.games as f64 };
        let copies = if copies.fract() == 0.0 { format!("{copies:.0}") } else { format!("{copies:.2}") };
        let part = |part: u64| Rate::of(part, count.games).map_or_else(|| "–".to_owned(), |rate| percent(rate.rate));
        let _ = writeln!(
            table,
            "<tr><th scope=\"row\">{}</th><td class=\"n\">{copies}</td><td class=\"n\">{}</td>{}<td class=\"n\">{}</td>{}</tr>",
            escaped(name),
            part(count.drawn),
            share(count.when_drawn, mark),
            part(count.played),
            share(count.when_played, mark)
        );
    }
    table + "</tbody>\n</table></div>"
}

fn origin(tally: &SimResult) -> String {
    let mut list = "<dl>".to_owned();
    let mut line = |name: &str, value: &str| {
        let _ = write!(list, "<dt>{name}</dt><dd>{value}</dd>");
    };
    line("format", &escaped(&tally.format));
    line("seed", &tally.seed.to_string());
    line(if tally.best_of.is_some() { "matches" } else { "games" }, &tally.total.to_string());
    if let Some(best_of) = tally.best_of {
        line("best of", &best_of.to_string());
    }
    line("shard", &escaped(&tally.shard));
    line("rules", &format!("<code>{}</code>", escaped(&tally.rules_hash)));
    line("decks", &format!("<code>{}</code>", escaped(&tally.decks_hash)));
    line("results", &format!("<code>{:016x}</code>", tally.results_hash));
    list + "</dl>"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_escaped() {
        let name = "</title><script>alert(1)</script> & \"x\" 'y'".to_owned();
        let tally = SimResult {
            games: 1,
            wins: vec![1],
            decks: vec![name.clone()],
            bots: vec![name.clone()],
            format: name.clone(),
            rules_hash: name.clone(),
            decks_hash: name.clone(),
            shard: name.clone(),
            budgets: [(name.clone(), 1)].into(),
            cards: Some(vec![[(name, CardCount::default())].into()]),
            ..SimResult::default()
        };
        let page = page(&tally);
        assert!(!page.contains("<script") && !page.contains("alert(1)</"), "{page}");
        assert_eq!(page.matches("</title>").count(), 1 + page.matches("<svg").count(), "{page}");
        assert!(!page.contains("http://") && !page.contains("https://"), "the page has no external resources");
    }
}
