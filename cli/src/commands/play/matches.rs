//! A match at the terminal: its games one after the other, and between two of them the exchange of cards.

use super::{Args, PlaySession, Start, greet, is_person};
use crate::failure::{CommandError, ExitStatus};
use crate::game_setup::GameSetup;
use crate::output;
use fizzle_runtime::bot::derive;
use fizzle_runtime::ir::DefId;
use fizzle_runtime::matches::{Match, MatchPhase, random_exchange};
use fizzle_runtime::view::seat_name;

/// The purpose of the seed of a bot's exchanges, before its seat.
const EXCHANGES: u64 = 1 << 32;

/// Plays a match to its end, or until the person leaves.
pub fn play(table: &GameSetup<'_>, args: &Args, names: &[String], best_of: u32) -> Result<ExitStatus, CommandError> {
    let mut series = table.series(best_of, &table.decks, args.seed)?;
    greet(table, args, names);
    while series.phase() != MatchPhase::Over {
        if series.phase() == MatchPhase::Exchanging {
            if !exchange(table, args, &mut series)? {
                return Ok(ExitStatus::Success);
            }
            continue;
        }
        output::line(format!("game {}, best of {}, the score is {}", series.game(), series.best_of(), score(&series)));
        let start = Start { seats: series.seats(&table.program), seed: series.game_seed(), standing: series.standing() };
        let mut session = PlaySession::new(table, args, names, start)?;
        let outcome = session.run()?;
        if let Some(path) = &args.out {
            session.write(&format!("{path}.{}", series.game()))?;
        }
        let Some(outcome) = outcome else { return Ok(ExitStatus::Success) };
        series.record_result(&table.program, outcome);
    }
    let winner = series.winner().map_or_else(|| "nobody has won".to_owned(), |seat| format!("{} has won", seat_name(seat)));
    output::line(format!("the match is over: {winner}, {}", score(&series)));
    Ok(ExitStatus::Success)
}

fn score(series: &Match) -> String {
    series.wins().iter().map(ToString::to_string).collect::<Vec<_>>().join(" to ")
}

/// Lets everybody exchange cards. Returns false when the person leaves.
fn exchange(table: &GameSetup<'_>, args: &Args, series: &mut Match) -> Result<bool, CommandError> {
    for seat in 0..table.seats.len() {
        if is_person(args, seat) {
            for pair in table.program.format.match_rules.exchange.windows(2) {
                if let [first, second] = pair
                    && !ask(table, series, seat, first, second)
                {
                    return Ok(false);
                }
            }
        } else if let Some(deck) = series.deck(seat) {
            let seed = derive(args.seed, u64::from(series.game()), EXCHANGES + seat as u64);
            let sections = random_exchange(&table.program, deck, seed);
            let exchanged = series.exchange(&table.program, seat, sections);
            exchanged.map_err(|error| CommandError::Defect(format!("a bot's exchange is refused: {error}")))?;
        }
        series.ready(seat);
    }
    Ok(true)
}

/// Asks a person for exchanges between two sections, one card for one, until they are ready. Returns false when the person leaves.
fn ask(table: &GameSetup<'_>, series: &mut Match, seat: usize, first: &str, second: &str) -> bool {
    let allowed = table.program.format.match_rules.minutes.map_or_else(String::new, |(least, most)| {
        if least == most { format!(", {least} minutes are allowed") } else { format!(", {least} to {most} minutes are allowed") }
    });
    output::line(format!(
        "{} exchanges cards before game {}{allowed}: `3 1` puts card 3 of `{first}` for card 1 of `{second}`; `ready` ends it",
        seat_name(seat),
        series.game() + 1
    ));
    loop {
        let (ours, theirs) = (list(table, series, seat, first), list(table, series, seat, second));
        output::prompt(format!("{} exchanges> ", seat_name(seat)));
        let mut line = String::new();
        if std::io::stdin().read_line(&mut line).map_or(0, |n| n) == 0 {
            output::line("");
            return false;
        }
        let words: Vec<&str> = line.split_whitespace().collect();
        if matches!(words.as_slice(), ["ready"]) {
            return true;
        }
        if matches!(words.as_slice(), ["quit" | "q" | "exit"]) {
            return false;
        }
        let number = |word: &&str, cards: &[DefId]| {
            word.parse::<usize>().ok().and_then(|n| n.checked_sub(1)).and_then(|n| cards.get(n).copied())
        };
        let [Some(given), Some(taken)] = (match words.as_slice() {
            [a, b] => [number(a, &ours), number(b, &theirs)],
            _ => [None, None],
        }) else {
            output::line(format!("answer with the number of a card of `{first}` and one of `{second}`, or `ready`"));
            continue;
        };
        let sections = series.swapped(seat, (first, &[(1, given)]), (second, &[(1, taken)]));
        if let Err(refusal) = series.exchange(&table.program, seat, sections) {
            output::line(refusal);
        }
    }
}

/// Shows the cards of a section; which card each number is.
fn list(table: &GameSetup<'_>, series: &Match, seat: usize, section: &str) -> Vec<DefId> {
    let sections = series.deck(seat).map_or(&[][..], |deck| deck.sections.as_slice());
    let cards: Vec<(u32, DefId)> = sections.iter().filter(|(name, _)| name == section).flat_map(|(_, c)| c.clone()).collect();
    output::line(format!("{section}: {} cards", cards.iter().map(|(count, _)| count).sum::<u32>()));
    for (number, (count, card)) in cards.iter().enumerate() {
        let name = table.program.library.definitions.get(card.index()).map_or("", |d| d.name.as_str());
        output::line(format!("  {}  {count} {name}", number + 1));
    }
    cards.into_iter().map(|(_, card)| card).collect()
}
