//! Plays a match of several games between bots, which exchange cards at random. A match depends only on the seed and its number.

use super::card_stats::Counts;
use super::game::{SimContext, play_out, seating, write_trace};
use crate::failure::CommandError;
use fizzle_results::SimResult;
use fizzle_runtime::dice::derive;
use fizzle_runtime::matches::{MatchPhase, random_exchange};

/// The purpose ([`derive`]) of the seeds of exchanges; the seat is added to it.
const EXCHANGES: u64 = 1 << 32;

/// Plays a match to its end. Returns the counts of its games, and per game those of the cards.
pub fn play(context: &SimContext<'_>, best_of: u32, number: u64) -> Result<(SimResult, Vec<Counts>), CommandError> {
    let table = context.table;
    let deck_of = seating(table.seats.len(), number);
    let decks: Vec<_> = deck_of.iter().filter_map(|deck| table.decks.get(*deck).cloned()).collect();
    let seed = derive(context.args.seed, number, 0);
    let mut current_match = table.new_match(best_of, &decks, seed)?;
    let mut tally = SimResult { matches: Some(1), match_wins: Some(vec![0; deck_of.len()]), ..SimResult::default() };
    let mut cards = Vec::new();
    while current_match.phase() != MatchPhase::Over {
        if current_match.phase() == MatchPhase::Exchanging {
            for (seat, _) in deck_of.iter().enumerate() {
                let Some(deck) = current_match.deck(seat) else { continue };
                let chance = derive(seed, u64::from(current_match.game()), EXCHANGES + seat as u64);
                let sections = random_exchange(&table.program, deck, chance);
                let exchanged = current_match.exchange(&table.program, seat, sections);
                exchanged.map_err(|error| CommandError::Defect(format!("the exchange of a bot was refused: {error}")))?;
                current_match.set_ready(seat);
            }
            continue;
        }
        let machine = current_match.start(&table.program).map_err(|error| CommandError::Problem(error.to_string()))?;
        let game = u64::from(current_match.game());
        let seats = current_match.seats(&table.program);
        let played = play_out(context, machine, seats, current_match.game_seed(), deck_of.clone(), |seat| (seed, game, seat))?;
        write_trace(context, &played, &format!("match-{number}-game-{game}"))?;
        current_match.record_result(&table.program, played.outcome);
        tally.add(&played.to_result(deck_of.len()));
        cards.push(played.cards);
    }
    if let (Some(winner), Some(wins)) = (current_match.winner(), &mut tally.match_wins)
        && let Some(place) = deck_of.get(winner).and_then(|deck| wins.get_mut(*deck))
    {
        *place += 1;
    }
    Ok((tally, cards))
}
