//! Plays one game between bots to its end, counts its result, and writes its trace if requested.

use super::Args;
use super::card_stats::{CardObserver, Counts, ObservedZones};
use crate::failure::CommandError;
use crate::files;
use crate::game_setup::GameSetup;
use crate::trace_file;
use fizzle_bots as bot;
use fizzle_results::SimResult;
use fizzle_runtime::dice::derive;
use fizzle_runtime::game::{RecordedGame, SeatCards, start_seats};
use fizzle_runtime::state::layout::FIRST_PLAYER;
use fizzle_runtime::trace::Trace;
use fizzle_runtime::vm::machine::outcome_name;
use fizzle_runtime::vm::{Machine, Outcome, StepResult};
use std::path::Path;
use std::sync::Arc;

pub use fizzle::simulation::seating;

/// What all games of a simulation share.
#[derive(Debug)]
pub struct SimContext<'a> {
    /// The arguments of the command.
    pub args: &'a Args,
    /// The program and the decks.
    pub table: &'a GameSetup<'a>,
    /// The bots, by deck.
    pub bots: &'a [String],
    /// The data of the card observer, if cards are counted.
    pub zones: Option<ObservedZones>,
}

/// A finished game.
#[derive(Debug)]
pub struct PlayedGame {
    game: RecordedGame,
    seats: Vec<SeatCards>,
    seed: u64,
    /// The deck of each seat.
    deck_of: Vec<usize>,
    /// How it ended.
    pub outcome: Outcome,
    /// The counts of the cards.
    pub cards: Counts,
}

/// Plays one game that is not part of a match.
pub fn play_one(context: &SimContext<'_>, game: u64) -> Result<PlayedGame, CommandError> {
    let table = context.table;
    let seed = context.args.seed;
    let deck_of = seating(table.seats.len(), game);
    let seats: Vec<SeatCards> = deck_of.iter().filter_map(|deck| table.seats.get(*deck).cloned()).collect();
    let chance = derive(seed, game, 0);
    let machine =
        start_seats(Arc::clone(&table.program), &seats, chance).map_err(|error| CommandError::Problem(error.to_string()))?;
    play_out(context, machine, seats, chance, deck_of, |seat| (seed, game, seat))
}

/// Plays a game from its start to its end. `bot_seed`: the seed, game number and seat from which each bot's seed is derived.
pub fn play_out(
    context: &SimContext<'_>,
    mut machine: Machine,
    seats: Vec<SeatCards>,
    seed: u64,
    deck_of: Vec<usize>,
    bot_seed: impl Fn(usize) -> (u64, u64, usize),
) -> Result<PlayedGame, CommandError> {
    let mut players = Vec::new();
    for (seat, deck) in deck_of.iter().enumerate() {
        let name = context.bots.get(*deck).map_or("random", String::as_str);
        let (seed, game, seat) = bot_seed(seat);
        let player = bot::named(name, seed, game, seat);
        players.push(player.ok_or_else(|| CommandError::Defect(format!("there is no bot `{name}`")))?);
    }
    let mut observer = context.zones.as_ref().map(|zones| CardObserver::new(zones, &mut machine));
    let mut game = RecordedGame::new(machine);
    loop {
        let step = game.advance();
        if let Some(observer) = &mut observer {
            observer.read_log(&mut game.machine);
        }
        match step {
            StepResult::Over(outcome) => {
                let winner = if let Outcome::Won(seat) = outcome { Some(seat) } else { None };
                let cards = observer.map(|observer| observer.counts(&deck_of, winner)).unwrap_or_default();
                return Ok(PlayedGame { game, seats, seed, deck_of, outcome, cards });
            }
            StepResult::Decision(decision) => {
                let Some(player) = players.get_mut(decision.player) else {
                    return Err(CommandError::Defect(format!(
                        "the decision is for seat {}, which does not exist",
                        decision.player
                    )));
                };
                let picks = player.choose(&game.machine, &decision);
                game.answer(&decision, &picks)
                    .map_err(|refusal| CommandError::Defect(format!("the answer of a bot was refused: {refusal}")))?;
            }
        }
    }
}

/// Writes the trace of a game, if traces are requested.
pub fn write_trace(context: &SimContext<'_>, played: &PlayedGame, name: &str) -> Result<(), CommandError> {
    let Some(directory) = &context.args.traces else { return Ok(()) };
    let (name, bytes) = (format!("{name}.fzt"), played.trace(context.table).encode());
    trace_file::check_size(&name, &bytes)?;
    files::write_within(Path::new(directory), &name, &bytes)
}

impl PlayedGame {
    fn trace(&self, table: &GameSetup<'_>) -> Trace {
        Trace::new(&table.selected.game.name, &self.game.machine, &self.seats, self.seed, self.game.answers.iter().collect())
    }

    /// The counts of the game, without those of its cards.
    pub fn to_result(&self, seats: usize) -> SimResult {
        let mut tally = SimResult { games: 1, wins: vec![0; seats], ..SimResult::default() };
        tally.turns = u64::from(self.game.machine.state.turn());
        tally.decisions = self.game.decisions;
        tally.turns_per_game = Some([(tally.turns, 1)].into());
        tally.decisions_per_game = Some([(tally.decisions, 1)].into());
        match self.outcome {
            Outcome::Won(seat) => {
                if let Some(wins) = self.deck_of.get(seat).and_then(|deck| tally.wins.get_mut(*deck)) {
                    *wins = 1;
                }
                // Places in turn order count from the player who had the first turn.
                let first = self.game.machine.state.block.get(FIRST_PLAYER) as usize;
                let turn = (seat + seats - first.min(seats)) % seats.max(1);
                tally.first_player_wins = u64::from(turn == 0);
                tally.seat_wins = vec![0; seats];
                if let Some(wins) = tally.seat_wins.get_mut(turn) {
                    *wins = 1;
                }
            }
            Outcome::Drawn => tally.draws = 1,
            Outcome::Budget(budget) => {
                tally.budgets.insert(budget.name().to_owned(), 1);
            }
        }
        tally.results_hash = derive(self.seed, self.game.machine.state.hash(), outcome_name(Some(self.outcome)).len() as u64);
        tally
    }
}
