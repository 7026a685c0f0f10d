//! `fizzle play`: plays at the terminal, line by line, against bots or other people: a client of a table in the same process.

pub mod board;
pub mod card_text;
pub mod client_state;
mod exchange;
mod input;
mod position;
pub mod prompt;
pub mod question;
pub mod seating;
pub mod session;

use crate::commands::jit_option::JitOption;
use crate::failure::{CommandError, ExitStatus};
use crate::files::STDIN;
use crate::game_setup::{self, GameSetup, SelectedFormat, with_deck_files};
use crate::load::{LoadPurpose, LoadedGames, load_for};
use crate::output::MessageFormat;
use fizzle_runtime::ir::CompiledGame;
use fizzle_table::table::{Table, TableSetup};
use position::{ScenarioName, Steps};
use seating::{Seating, seat_named, sources_of};
use session::{PlaySession, SessionSetup, trace_path};
use std::path::Path;
use std::sync::Arc;

/// Plays a game at the terminal.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files, directories or a compiled pack with the rules and decks, if they are not shipped
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// The format (default: the only one of the given sources)
    #[arg(long, value_name = "F")]
    format: Option<String>,
    /// A deck for each player: the name of a deck, a file with one, or a deck list (see `fizzle deck check --help`)
    #[arg(long = "deck", value_name = "DECK")]
    decks: Vec<String>,
    /// Play a match of at most N games, with the card exchanges of the format between games
    #[arg(long, value_name = "N")]
    best_of: Option<u32>,
    /// The random seed
    #[arg(long, default_value_t = 1, value_name = "S")]
    seed: u64,
    /// Begin in the position of a scenario: FILE:TITLE, with the title or a part of it
    #[arg(long, value_name = "FILE:TITLE", conflicts_with_all = ["format", "decks", "best_of", "seed", "output"])]
    position: Option<String>,
    /// With --position: play the first N steps of the scenario before, or `all`
    #[arg(long, value_name = "N", default_value = "0", requires = "position")]
    steps: Steps,
    /// The seat that you play
    #[arg(long = "as", value_name = "SEAT", default_value = "A")]
    seat: String,
    #[command(flatten)]
    seating: Seating,
    #[command(flatten)]
    jit: JitOption,
}

/// For at most so many games of a match, the files of their traces are checked before the match.
const MAX_TRACES_CHECKED: u32 = 99;

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    args.jit.apply();
    if args.paths.iter().chain(&args.decks).any(|path| path == STDIN) {
        return Err(CommandError::usage("`play` reads answers from the standard input, so `-` cannot be a source or a deck"));
    }
    match &args.position {
        Some(written) => play_position(args, ScenarioName::parse(written)),
        None => play_decks(args),
    }?;
    Ok(ExitStatus::Success)
}

/// Plays a game or match with decks.
fn play_decks(args: &Args) -> Result<(), CommandError> {
    let format = game_setup::format_name_for_decks(&args.paths, args.format.as_deref(), &args.decks, MessageFormat::Human)?;
    // A match refuses illegal decks itself.
    let wanted = if args.best_of.is_some() { LoadPurpose::TextsAndDecks } else { LoadPurpose::Texts };
    let loaded = load_for(wanted, &with_deck_files(&args.paths, &args.decks), &[&format], true, MessageFormat::Human)?;
    let setup = game_setup::set_up(&loaded.artifact, &format, &args.decks, MessageFormat::Human)?;
    let seat = seat_named(&args.seat, setup.seats.len())?;
    let table = table_setup(args, &setup, &loaded, seat)?;
    if let Some(path) = &args.seating.output {
        // Reported before the game, whose record would be lost.
        for number in 1..=args.best_of.unwrap_or(1).min(MAX_TRACES_CHECKED) {
            crate::files::check_output(Path::new(&trace_path(path, args.best_of.map(|_| number))))?;
        }
    }
    match args.best_of {
        // Whether a match of so many games with these decks can be played.
        Some(best_of) => drop(setup.new_match(best_of, &setup.decks, args.seed)?),
        None => setup.report_illegal_decks(),
    }
    let session = SessionSetup {
        selected: setup.selected,
        program: Arc::clone(&setup.program),
        decks: setup.names.clone(),
        best_of: args.best_of,
        seat,
        hot_seat: args.seating.hot_seat,
        output: args.seating.output.clone(),
    };
    play_at(table, session)
}

fn table_setup(args: &Args, setup: &GameSetup<'_>, loaded: &LoadedGames, seat: usize) -> Result<TableSetup, CommandError> {
    let game = (setup.selected.game, &setup.program);
    let table = args.seating.table_setup(game, sources_of(loaded), setup.decks.clone(), seat)?;
    let any_deck = args.best_of.is_none();
    Ok(TableSetup { any_deck, best_of: args.best_of.unwrap_or(1), seed: args.seed, timing_seed: args.seed, ..table })
}

/// Plays a game that begins in the position of a scenario.
fn play_position(args: &Args, name: ScenarioName<'_>) -> Result<(), CommandError> {
    let paths: Vec<String> = args.paths.iter().cloned().chain([name.file.to_owned()]).collect();
    let mut loaded = load_for(LoadPurpose::TextsAndDecks, &paths, &[], true, MessageFormat::Human)?;
    let games: Vec<Arc<CompiledGame>> = std::mem::take(&mut loaded.artifact.games).into_iter().map(Arc::new).collect();
    let begun = name.position(&games, args.steps)?;
    let (game, program) = (&*begun.game, Arc::clone(&begun.machine.program));
    let index = game.formats.iter().position(|format| format.name == program.format.name).unwrap_or_default();
    let seat = seat_named(&args.seat, program.players())?;
    let table = args.seating.table_setup((game, &program), sources_of(&loaded), Vec::new(), seat)?;
    let table = TableSetup { position: Some(Box::new(begun.machine.clone())), ..table };
    let session = SessionSetup {
        selected: SelectedFormat { game, index },
        program,
        decks: Vec::new(),
        best_of: None,
        seat,
        hot_seat: args.seating.hot_seat,
        output: None,
    };
    position::print_title(&begun);
    play_at(table, session)
}

/// Begins a table, and plays at it.
fn play_at(table: TableSetup, setup: SessionSetup<'_>) -> Result<(), CommandError> {
    let table = Table::new(table).map_err(|error| CommandError::Problem(error.to_string()))?;
    let mut session = PlaySession::join(setup, table);
    session.print_introduction();
    session.run()
}
