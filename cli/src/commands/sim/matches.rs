//! Matches of several games between bots, which exchange cards at random. Each match depends on the seed and its number only.

use super::card_stats::Counts;
use super::game::{SimContext, keep, play_out, seating};
use super::result::SimResult;
use crate::failure::CommandError;
use fizzle_runtime::bot::derive;
use fizzle_runtime::matches::{MatchPhase, random_exchange};

/// The purpose of the seed of a seat's exchanges, before its number (see [`derive`]).
const EXCHANGES: u64 = 1 << 32;

/// Plays a match to its end: the counts of its games, and those of their cards.
pub fn play(setting: &SimContext<'_>, best_of: u32, number: u64) -> Result<(SimResult, Vec<Counts>), CommandError> {
    let table = setting.table;
    let deck_of = seating(table.seats.len(), number);
    let decks: Vec<_> = deck_of.iter().filter_map(|deck| table.decks.get(*deck).cloned()).collect();
    let seed = derive(setting.args.seed, number, 0);
    let mut series = table.series(best_of, &decks, seed)?;
    let mut tally = SimResult { matches: Some(1), match_wins: Some(vec![0; deck_of.len()]), ..SimResult::default() };
    let mut cards = Vec::new();
    while series.phase() != MatchPhase::Over {
        if series.phase() == MatchPhase::Exchanging {
            for (seat, _) in deck_of.iter().enumerate() {
                let Some(deck) = series.deck(seat) else { continue };
                let chance = derive(seed, u64::from(series.game()), EXCHANGES + seat as u64);
                let sections = random_exchange(&table.program, deck, chance);
                let exchanged = series.exchange(&table.program, seat, sections);
                exchanged.map_err(|error| CommandError::Defect(format!("a bot's exchange is refused: {error}")))?;
                series.ready(seat);
            }
            continue;
        }
        let machine = series.start(&table.program).map_err(|error| CommandError::Problem(error.to_string()))?;
        let game = u64::from(series.game());
        let seats = series.seats(&table.program);
        let played = play_out(setting, machine, seats, series.game_seed(), deck_of.clone(), |seat| (seed, game, seat))?;
        keep(setting, &played, &format!("match-{number}-game-{game}"))?;
        series.record_result(&table.program, played.outcome);
        tally.add(&played.tally(deck_of.len()));
        cards.push(played.cards);
    }
    if let (Some(winner), Some(wins)) = (series.winner(), &mut tally.match_wins)
        && let Some(place) = deck_of.get(winner).and_then(|deck| wins.get_mut(*deck))
    {
        *place += 1;
    }
    Ok((tally, cards))
}
