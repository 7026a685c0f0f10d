//! Plays a match at the terminal: its games in sequence, with exchanges of cards between them.

use super::{Args, GameStart, PlaySession, is_person, print_introduction, trace_path};
use crate::failure::{CommandError, ExitStatus};
use crate::game_setup::GameSetup;
use crate::output;
use fizzle_runtime::dice::derive;
use fizzle_runtime::ir::DefId;
use fizzle_runtime::matches::{Match, MatchPhase, random_exchange};
use fizzle_runtime::view::seat_name;

/// The purpose ([`derive`]) of the seeds of exchanges; the seat is added to it.
const EXCHANGES: u64 = 1 << 32;

/// Plays a match to its end, or until the person quits.
pub fn play(table: &GameSetup<'_>, args: &Args, names: &[String], best_of: u32) -> Result<ExitStatus, CommandError> {
    let mut current_match = table.new_match(best_of, &table.decks, args.seed)?;
    print_introduction(table, args, names);
    while current_match.phase() != MatchPhase::Over {
        if current_match.phase() == MatchPhase::Exchanging {
            if !exchange_cards(table, args, &mut current_match)? {
                return Ok(ExitStatus::Success);
            }
            continue;
        }
        output::line(format!(
            "game {}, best of {}, the score is {}",
            current_match.game(),
            current_match.best_of(),
            format_score(&current_match)
        ));
        let start = GameStart {
            seats: current_match.seats(&table.program),
            seed: current_match.game_seed(),
            context: current_match.context(),
        };
        let mut session = PlaySession::new(table, args, names, start)?;
        let outcome = session.run()?;
        if let Some(path) = &args.output {
            session.write_trace(&trace_path(path, Some(current_match.game())))?;
        }
        let Some(outcome) = outcome else { return Ok(ExitStatus::Success) };
        current_match.record_result(&table.program, outcome);
    }
    let winner =
        current_match.winner().map_or_else(|| "no player has won".to_owned(), |seat| format!("{} has won", seat_name(seat)));
    output::line(format!("the match is over: {winner}, {}", format_score(&current_match)));
    Ok(ExitStatus::Success)
}

fn format_score(current_match: &Match) -> String {
    current_match.wins().iter().map(ToString::to_string).collect::<Vec<_>>().join(" to ")
}

/// Lets every player exchange cards. Returns `false` if the person quits.
fn exchange_cards(table: &GameSetup<'_>, args: &Args, current_match: &mut Match) -> Result<bool, CommandError> {
    for seat in 0..table.seats.len() {
        if is_person(args, seat) {
            for pair in table.program.format.match_rules.exchange.windows(2) {
                if let [first, second] = pair
                    && !ask_for_exchanges(table, current_match, seat, first, second)
                {
                    return Ok(false);
                }
            }
        } else if let Some(deck) = current_match.deck(seat) {
            let seed = derive(args.seed, u64::from(current_match.game()), EXCHANGES + seat as u64);
            let sections = random_exchange(&table.program, deck, seed);
            let exchanged = current_match.exchange(&table.program, seat, sections);
            exchanged.map_err(|error| CommandError::Defect(format!("the exchange of a bot was refused: {error}")))?;
        }
        current_match.set_ready(seat);
    }
    Ok(true)
}

/// Asks a person for exchanges between two sections, one card for one, until the person is ready. Returns `false` if the person quits.
fn ask_for_exchanges(table: &GameSetup<'_>, current_match: &mut Match, seat: usize, first: &str, second: &str) -> bool {
    let allowed = table.program.format.match_rules.minutes.map_or_else(String::new, |(least, most)| {
        if least == most { format!(", {least} minutes are allowed") } else { format!(", {least} to {most} minutes are allowed") }
    });
    output::line(format!(
        "{} exchanges cards before game {}{allowed}: `3 1` puts card 3 of `{first}` for card 1 of `{second}`; `ready` ends it",
        seat_name(seat),
        current_match.game() + 1
    ));
    loop {
        let (ours, theirs) =
            (print_section(table, current_match, seat, first), print_section(table, current_match, seat, second));
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
        let [Some(first_card), Some(second_card)] = (match words.as_slice() {
            [a, b] => [number(a, &ours), number(b, &theirs)],
            _ => [None, None],
        }) else {
            output::line(format!("answer with the number of a card of `{first}` and one of `{second}`, or `ready`"));
            continue;
        };
        let sections = current_match.swap_cards(seat, (first, &[(1, first_card)]), (second, &[(1, second_card)]));
        if let Err(refusal) = current_match.exchange(&table.program, seat, sections) {
            output::line(refusal);
        }
    }
}

/// Prints the numbered cards of a section. Returns the cards in the order of these numbers.
fn print_section(table: &GameSetup<'_>, current_match: &Match, seat: usize, section: &str) -> Vec<DefId> {
    let sections = current_match.deck(seat).map_or(&[][..], |deck| deck.sections.as_slice());
    let cards: Vec<(u32, DefId)> = sections.iter().filter(|(name, _)| name == section).flat_map(|(_, c)| c.clone()).collect();
    output::line(format!("{section}: {} cards", cards.iter().map(|(count, _)| count).sum::<u32>()));
    for (number, (count, card)) in cards.iter().enumerate() {
        let name = table.program.library.definitions.get(card.index()).map_or("", |d| d.name.as_str());
        output::line(format!("  {}  {count} {name}", number + 1));
    }
    cards.into_iter().map(|(_, card)| card).collect()
}
