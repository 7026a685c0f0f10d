//! One game between bots: played to its end, kept as a trace, counted.

use super::Args;
use super::card_stats::{CardObserver, Counts, ObservedZones};
use super::result::SimResult;
use crate::failure::CommandError;
use crate::game_setup::GameSetup;
use fizzle_runtime::bot::{self, derive};
use fizzle_runtime::game::{RecordedGame, SeatCards, start_seats};
use fizzle_runtime::state::layout::FIRST;
use fizzle_runtime::trace::{Trace, outcome_name};
use fizzle_runtime::vm::{Machine, Outcome, StepResult};
use std::sync::Arc;

/// What all games have in common.
#[derive(Debug)]
pub struct SimContext<'a> {
    /// The command line.
    pub args: &'a Args,
    /// Rules and decks.
    pub table: &'a GameSetup<'a>,
    /// The bots, by deck.
    pub bots: &'a [String],
    /// What is watched of the cards, if anything is.
    pub sights: Option<ObservedZones>,
}

/// A game that was played.
#[derive(Debug)]
pub struct PlayedGame {
    game: RecordedGame,
    seats: Vec<SeatCards>,
    seed: u64,
    /// The deck of each seat.
    deck_of: Vec<usize>,
    /// How it ended.
    pub outcome: Outcome,
    /// What is counted of the cards.
    pub cards: Counts,
}

/// The deck of each seat. In every second game or match the decks sit the other way round, so that each begins as often.
pub fn seating(decks: usize, number: u64) -> Vec<usize> {
    let turned = (number % decks.max(1) as u64) as usize;
    (0..decks).map(|seat| (seat + turned) % decks).collect()
}

/// Plays one game on its own.
pub fn play_one(setting: &SimContext<'_>, game: u64) -> Result<PlayedGame, CommandError> {
    let table = setting.table;
    let seed = setting.args.seed;
    let deck_of = seating(table.seats.len(), game);
    let seats: Vec<SeatCards> = deck_of.iter().filter_map(|deck| table.seats.get(*deck).cloned()).collect();
    let chance = derive(seed, game, 0);
    let machine =
        start_seats(Arc::clone(&table.program), &seats, chance).map_err(|error| CommandError::Problem(error.to_string()))?;
    play_out(setting, machine, seats, chance, deck_of, |seat| (seed, game, seat))
}

/// Plays a game that begins to its end. `bot_seed`: the seed, number and seat of each bot.
pub fn play_out(
    setting: &SimContext<'_>,
    mut machine: Machine,
    seats: Vec<SeatCards>,
    seed: u64,
    deck_of: Vec<usize>,
    bot_seed: impl Fn(usize) -> (u64, u64, usize),
) -> Result<PlayedGame, CommandError> {
    let mut players = Vec::new();
    for (seat, deck) in deck_of.iter().enumerate() {
        let name = setting.bots.get(*deck).map_or("random", String::as_str);
        let (seed, game, seat) = bot_seed(seat);
        let player = bot::named(name, seed, game, seat);
        players.push(player.ok_or_else(|| CommandError::Defect(format!("there is no bot `{name}`")))?);
    }
    let mut eyes = setting.sights.as_ref().map(|sights| CardObserver::new(sights, &mut machine));
    let mut game = RecordedGame::new(machine);
    loop {
        let step = game.advance();
        if let Some(eyes) = &mut eyes {
            eyes.look(&mut game.machine);
        }
        match step {
            StepResult::Over(outcome) => {
                let winner = if let Outcome::Won(seat) = outcome { Some(seat) } else { None };
                let cards = eyes.map(|eyes| eyes.counts(&deck_of, winner)).unwrap_or_default();
                return Ok(PlayedGame { game, seats, seed, deck_of, outcome, cards });
            }
            StepResult::Asked(decision) => {
                let Some(player) = players.get_mut(decision.player) else {
                    return Err(CommandError::Defect(format!("seat {} is asked, and there is none", decision.player)));
                };
                let picks = player.choose(&game.machine, &decision);
                game.answer(&decision, &picks)
                    .map_err(|refusal| CommandError::Defect(format!("a bot's answer is refused: {refusal}")))?;
            }
        }
    }
}

/// Writes the trace of a game, if traces are wanted.
pub fn keep(setting: &SimContext<'_>, played: &PlayedGame, name: &str) -> Result<(), CommandError> {
    let Some(directory) = &setting.args.traces else { return Ok(()) };
    let path = format!("{directory}/{name}.fzt");
    let trace = played.trace(setting.table).encode();
    std::fs::write(&path, trace).map_err(|e| CommandError::usage(format!("`{path}` cannot be written: {e}")))
}

impl PlayedGame {
    fn trace(&self, table: &GameSetup<'_>) -> Trace {
        Trace::new(&table.picked.game.name, &self.game.machine, &self.seats, self.seed, self.game.answers.clone())
    }

    /// The counts of the game, without its cards.
    pub fn tally(&self, seats: usize) -> SimResult {
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
                // Seats count from the one who had the first turn, in turn order.
                let first = self.game.machine.state.block.get(FIRST) as usize;
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
