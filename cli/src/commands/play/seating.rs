//! The seating of a table at the terminal: which seats people and which bots play, as the command line says.

use crate::commands::sim::bots_by_deck;
use crate::failure::CommandError;
use crate::load::LoadedGames;
use fizzle_runtime::ir::{CompiledGame, Deck};
use fizzle_runtime::program::Program;
use fizzle_runtime::view::seat_name;
use fizzle_table::rule_text::Sources;
use fizzle_table::table::{Occupant, TableSetup};
use fizzle_table::table_view::PackIndex;
use std::sync::Arc;

/// Who plays, and where the game is recorded.
#[derive(Debug, clap::Args)]
pub struct Seating {
    /// The bot that plays the other seats (random, greedy, mcts, or mcts:N for N playouts)
    #[arg(long, default_value = "greedy", value_name = "BOT")]
    pub bot: String,
    /// All players play at this terminal
    #[arg(long, conflicts_with = "bot")]
    pub hot_seat: bool,
    /// Write a trace of the game that you play to this file when it ends (of several games: to files with their numbers behind the name)
    #[arg(short, long, alias = "out", value_name = "FILE")]
    pub output: Option<String>,
}

impl Seating {
    /// The table at which a person sits in a seat, for a game without decks or with these.
    ///
    /// # Errors
    /// There is no such bot.
    pub fn table_setup(
        &self,
        (game, program): (&CompiledGame, &Arc<Program>),
        sources: Arc<Sources>,
        decks: Vec<Deck>,
        seat: usize,
    ) -> Result<TableSetup, CommandError> {
        let bots = bots_by_deck(std::slice::from_ref(&self.bot), program.players())?;
        let occupant = |(number, bot): (usize, String)| match self.hot_seat || number == seat {
            true => Occupant::Client,
            false => Occupant::Bot(bot),
        };
        Ok(TableSetup {
            name: "terminal".to_owned(),
            game: Arc::new(game.clone()),
            pack_index: Arc::new(PackIndex::new(game)),
            sources,
            program: Arc::clone(program),
            decks,
            any_deck: true,
            occupants: bots.into_iter().enumerate().map(occupant).collect(),
            hot_seat: self.hot_seat,
            sandbox: true,
            best_of: 1,
            seed: 1,
            position: None,
            timing_seed: 1,
            grace: 0,
            forced_wait: None,
        })
    }
}

/// The sources of loaded games, from which a table shows rules.
pub fn sources_of(loaded: &LoadedGames) -> Arc<Sources> {
    Arc::new(loaded.sources.iter().map(|file| (file.path.clone(), file.text.clone())).collect())
}

/// The seat of a name: `A` for the first one.
///
/// # Errors
/// There is no such seat.
pub fn seat_named(name: &str, seats: usize) -> Result<usize, CommandError> {
    let names: Vec<String> = (0..seats).map(seat_name).collect();
    let found = names.iter().position(|seat| seat.eq_ignore_ascii_case(name.trim()));
    found.ok_or_else(|| CommandError::unknown_name("seat", name, names.iter().map(String::as_str)))
}
