//! The workloads of the benchmarks: the shipped decks, and decks of cards without abilities (`examples/vanilla`).

use super::scripted_player::ScriptedPlayer;
use crate::failure::CommandError;
use crate::game_setup;
use crate::output::MessageFormat;
use crate::shipped;
use fizzle_bots::{Bot, Random};
use fizzle_compiler::SourceFile;
use fizzle_runtime::dice::derive;
use fizzle_runtime::game::{SeatCards, advance, start_seats};
use fizzle_runtime::ir::Artifact;
use fizzle_runtime::program::Program;
use fizzle_runtime::vm::{Machine, StepResult};
use std::sync::Arc;

/// The random seed of games and bots.
pub const SEED: u64 = 1;

/// The workload that scripted players play as well.
pub const SCRIPTED: &str = "Magic, vanilla creatures";

macro_rules! vanilla {
    ($($path:literal),*) => {
        [$((concat!("examples/vanilla/", $path), include_str!(concat!("../../../../examples/vanilla/", $path)))),*]
    };
}

/// The packs of cards without abilities: paths and texts.
const VANILLA: [(&str, &str); 5] =
    vanilla!["magic/pack.fz", "magic/cards.fz", "magic/decks.fz", "yugioh/pack.fz", "yugioh/decks.fz"];

/// All sources of the workloads.
pub fn sources() -> Vec<SourceFile> {
    let vanilla = VANILLA.map(|(path, text)| SourceFile { path: path.to_owned(), text: text.to_owned() });
    shipped::packs().iter().flat_map(|pack| pack.files.iter().cloned()).chain(vanilla).collect()
}

/// Two decks of a format, linked.
#[derive(Clone)]
pub struct Workload {
    /// The name in the table of results.
    pub name: &'static str,
    program: Arc<Program>,
    seats: Vec<SeatCards>,
}

/// The workloads: name, format, and the deck of both players (`None`: the first two shipped decks).
const WORKLOADS: [(&str, &str, Option<&str>); 6] = [
    ("Yu-Gi-Oh!, vanilla monsters", "yugioh", Some("Vanilla monsters")),
    ("Yu-Gi-Oh!, shipped decks", "yugioh", None),
    ("Duel Masters, shipped decks", "duel_masters", None),
    ("Duel-Magic, shipped decks", "duel_magic", None),
    (SCRIPTED, "magic", Some("Vanilla creatures")),
    ("Magic, shipped decks", "magic", None),
];

/// Sets up all workloads from compiled sources.
///
/// # Errors
/// A format or deck is missing.
pub fn workloads(artifact: &Artifact) -> Result<Vec<Workload>, CommandError> {
    WORKLOADS.iter().map(|(name, format, deck)| set_up(artifact, name, format, *deck)).collect()
}

fn set_up(artifact: &Artifact, name: &'static str, format: &str, deck: Option<&str>) -> Result<Workload, CommandError> {
    let vanilla = |name: &str| WORKLOADS.iter().any(|(.., deck)| *deck == Some(name));
    let names: Vec<String> = match deck {
        Some(deck) => vec![deck.to_owned(); 2],
        None => {
            let decks = &game_setup::find_format(artifact, format)?.game.decks;
            decks.iter().filter(|d| d.format == format && !vanilla(&d.name)).take(2).map(|d| d.name.to_string()).collect()
        }
    };
    let table = game_setup::set_up(artifact, format, &names, MessageFormat::Human)?;
    Ok(Workload { name, program: table.program, seats: table.seats })
}

impl Workload {
    /// A copy for another thread, with a separate copy of the program.
    pub fn clone_for_thread(&self) -> Self {
        Self { program: Arc::new(self.program.clone_for_thread()), ..self.clone() }
    }

    fn start(&self, game: u64) -> Result<Machine, CommandError> {
        start_seats(Arc::clone(&self.program), &self.seats, derive(SEED, game, 0))
            .map_err(|error| CommandError::Defect(error.to_string()))
    }

    /// Creates a scripted player for a seat.
    pub fn scripted_player(&self, game: u64, seat: usize) -> ScriptedPlayer {
        ScriptedPlayer::new(&self.program, SEED, game, seat)
    }

    /// Plays a game with random bots. Returns the number of decisions with at least two legal answers. `each` is called before each of them
    /// is answered.
    ///
    /// # Errors
    /// A bot returns an illegal answer, which would be an internal error.
    pub fn play(&self, game: u64, each: impl FnMut(&Machine)) -> Result<u64, CommandError> {
        self.play_with(|seat| Box::new(Random::new(derive(SEED, game, 1 + seat as u64))), game, each)
    }

    /// As [`Workload::play`], with a given bot for each seat.
    ///
    /// # Errors
    /// A bot returns an illegal answer, which would be an internal error.
    pub fn play_with(
        &self,
        bot: impl FnMut(usize) -> Box<dyn Bot>,
        game: u64,
        mut each: impl FnMut(&Machine),
    ) -> Result<u64, CommandError> {
        let mut machine = self.start(game)?;
        let mut bots: Vec<_> = (0..self.seats.len()).map(bot).collect();
        let mut decisions = 0;
        while let StepResult::Decision(decision) = advance(&mut machine) {
            decisions += 1;
            each(&machine);
            let picks = bots.get_mut(decision.player).map_or_else(Vec::new, |bot| bot.choose(&machine, &decision));
            machine
                .answer(&picks)
                .map_err(|refusal| CommandError::Defect(format!("the answer of a bot was refused: {refusal}")))?;
        }
        Ok(decisions)
    }
}
