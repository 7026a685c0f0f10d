//! Simulations: many games between bots.

use crate::bot::Bot;
use crate::{Deck, Error, Format, Outcome};
use fizzle_runtime::dice::derive;
use fizzle_runtime::game::{RecordedGame, SeatCards, start_seats};
use fizzle_runtime::program::Program;
use fizzle_runtime::vm::StepResult;
use rayon::prelude::*;
use std::sync::Arc;

/// Many games between bots: what is played, and how often.
///
/// Game by game the decks move one seat on, so that each starts equally often. Each game follows from the seed and its own number alone, so
/// results do not depend on the number of threads, and are those of `fizzle sim` with the same decks, bots and seed.
#[derive(Clone, Debug)]
pub struct Simulation {
    format: Format,
    decks: Vec<Deck>,
    bots: Vec<String>,
    seed: u64,
    games: u64,
}

/// The results of a simulation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct SimulationResult {
    /// How many games each deck has won, in the order of the decks.
    pub wins: Vec<u64>,
    /// The number of games without a winner.
    pub draws: u64,
    /// How many games were void: see [`Outcome::Void`].
    pub void: u64,
    /// The games, in their order.
    pub games: Vec<SimulatedGame>,
}

/// A game of a simulation.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SimulatedGame {
    /// The deck of each seat, as an index into the decks of the simulation.
    pub decks: Vec<usize>,
    /// How it ended; seats, not decks.
    pub outcome: Outcome,
    /// The number of turns.
    pub turns: u32,
    /// The number of decisions that had at least two legal answers.
    pub decisions: u64,
}

impl SimulatedGame {
    /// The deck that has won, as an index into the decks of the simulation; `None` if none has.
    #[must_use]
    pub fn winner(&self) -> Option<usize> {
        if let Outcome::Won(seat) = self.outcome { self.decks.get(seat).copied() } else { None }
    }
}

impl Simulation {
    /// A simulation of 100 games between random bots with the seed 1, with one deck for each seat.
    #[must_use]
    pub fn new(format: &Format, decks: &[Deck]) -> Self {
        let bots = vec!["random".to_owned(); decks.len()];
        Self { format: format.clone(), decks: decks.to_vec(), bots, seed: 1, games: 100 }
    }

    /// Sets the number of games.
    #[must_use]
    pub fn games(mut self, games: u64) -> Self {
        self.games = games;
        self
    }

    /// Sets the seed.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.seed = seed;
        self
    }

    /// Sets the bot that plays all decks: see [`Bot::new`] for the names.
    #[must_use]
    pub fn bot(mut self, name: &str) -> Self {
        self.bots.fill(name.to_owned());
        self
    }

    /// Sets the bot that plays one of the decks. A deck that there is not has none.
    #[must_use]
    pub fn bot_of(mut self, deck: usize, name: &str) -> Self {
        if let Some(bot) = self.bots.get_mut(deck) {
            name.clone_into(bot);
        }
        self
    }

    /// Plays the games, on all cores.
    ///
    /// # Errors
    /// [`Error::Unknown`] if a card does not exist; [`Error::Start`] if the format does not take so many decks; [`Error::Bot`] if there is no
    /// bot of a name.
    pub fn run(&self) -> Result<SimulationResult, Error> {
        for bot in &self.bots {
            Bot::new(bot, 0, 0)?;
        }
        let (program, seats) = self.format.set_up(&self.decks)?;
        // Threads that share the reference counts of one program slow each other down.
        let own_program = || Arc::new(program.clone_for_thread());
        let played = (0..self.games).into_par_iter().map_init(own_program, |program, game| self.play(program, &seats, game));
        let mut result = SimulationResult { wins: vec![0; self.decks.len()], ..SimulationResult::default() };
        for game in played.collect::<Result<Vec<_>, _>>()? {
            match game.outcome {
                Outcome::Won(_) => {
                    if let Some(wins) = game.winner().and_then(|deck| result.wins.get_mut(deck)) {
                        *wins += 1;
                    }
                }
                Outcome::Drawn => result.draws += 1,
                Outcome::Void => result.void += 1,
            }
            result.games.push(game);
        }
        Ok(result)
    }

    /// Plays the game of a number.
    fn play(&self, program: &Arc<Program>, cards: &[SeatCards], number: u64) -> Result<SimulatedGame, Error> {
        let decks = seating(cards.len(), number);
        let seats: Vec<SeatCards> = decks.iter().filter_map(|deck| cards.get(*deck).cloned()).collect();
        let machine = start_seats(Arc::clone(program), &seats, derive(self.seed, number, 0));
        let mut game = RecordedGame::new(machine.map_err(|error| Error::Start(error.into()))?);
        let bot = |(seat, deck): (usize, &usize)| {
            Bot::for_game(self.bots.get(*deck).map_or("random", String::as_str), self.seed, number, seat)
        };
        let mut bots = decks.iter().enumerate().map(bot).collect::<Result<Vec<_>, _>>()?;
        let outcome = loop {
            match game.advance() {
                StepResult::Over(outcome) => break Outcome::new(outcome),
                StepResult::Decision(decision) => {
                    let picks = bots.get_mut(decision.player).map(|bot| bot.inner().choose(&game.machine, &decision));
                    game.answer(&decision, &picks.unwrap_or_default()).map_err(|refusal| Error::Answer(refusal.to_string()))?;
                }
            }
        };
        Ok(SimulatedGame { decks, outcome, turns: game.machine.state.turn(), decisions: game.decisions })
    }
}

/// The deck of each seat. Game by game the decks rotate over the seats, so that each deck starts equally often.
#[must_use]
pub fn seating(decks: usize, number: u64) -> Vec<usize> {
    let offset = (number % decks.max(1) as u64) as usize;
    (0..decks).map(|seat| (seat + offset) % decks).collect()
}
