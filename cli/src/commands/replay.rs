//! `fizzle replay`: replays a trace, and shows the game in words, or reports the first decision at which the current rules lead to another game.

mod place;
mod reader;
mod recorded_game;
mod transcript;

use crate::commands::play::seating::{Seating, seat_named, sources_of};
use crate::failure::{CommandError, ExitStatus};
use crate::game_setup;
use crate::load::{LoadPurpose, load_cards, plural};
use crate::output::{self, MessageFormat};
use fizzle_runtime::game::RecordedAnswer;
use fizzle_runtime::ir::CompiledGame;
use fizzle_runtime::trace::{MAX_BYTES, ReplayResult, Trace, TraceError, replay};
use fizzle_runtime::view::seat_name;
use fizzle_runtime::vm::machine::{Outcome, outcome_name};
use fizzle_table::protocol::Lang;
use fizzle_table::replay::ALL_SEEING;
use fizzle_table::words::log::ending;
use place::Place;
use reader::Reader;
use recorded_game::RecordedGame;
use serde_json::{Value, json};
use std::io::IsTerminal;
use transcript::Line;

/// Shows a recorded game in words: step by step at a terminal, else all of it. All cards are shown, also hidden ones.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The trace file
    #[arg(value_name = "FILE")]
    file: String,
    /// Files, directories or a compiled pack with the rules, if they are not shipped
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// Print the whole game in words
    #[arg(long, conflicts_with_all = ["step", "check", "play"])]
    events: bool,
    /// Read the game step by step at a prompt, also if this is no terminal
    #[arg(long, conflicts_with_all = ["check", "play"])]
    step: bool,
    /// Only check that the rules still lead to the same game
    #[arg(long, conflicts_with_all = ["to", "play"])]
    check: bool,
    /// Stop at turn:5, event:120, decision:40, start or end, and show the table; with --events, print the game up to there
    #[arg(long, value_name = "PLACE")]
    to: Option<Place>,
    /// With --events, print the game from this place on
    #[arg(long, value_name = "PLACE", requires = "events")]
    from: Option<Place>,
    /// Play on by hand from the place of --to
    #[arg(long, requires = "to")]
    play: bool,
    /// Show only what this seat sees; with --play, the seat that you play (default: the one that decides there)
    #[arg(long = "as", value_name = "SEAT")]
    seat: Option<String>,
    #[command(flatten)]
    seating: Seating,
    /// The format of the result
    #[arg(long, value_enum, default_value_t)]
    message_format: MessageFormat,
}

/// What is shown of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Mode {
    /// Whether the rules lead to the same game, and how it ended.
    Status,
    /// All that happened.
    Events,
    /// Step by step at a prompt.
    Steps,
    /// One place.
    Place,
    /// Playing on.
    Play,
}

impl Args {
    fn mode(&self) -> Mode {
        let is_terminal = std::io::stdin().is_terminal() && std::io::stdout().is_terminal();
        let is_human = self.message_format == MessageFormat::Human;
        match self {
            Self { play: true, .. } => Mode::Play,
            Self { step: true, .. } => Mode::Steps,
            Self { events: true, .. } => Mode::Events,
            Self { check: true, .. } => Mode::Status,
            _ if is_human && is_terminal => Mode::Steps,
            Self { to: Some(_), .. } => Mode::Place,
            _ if is_human => Mode::Events,
            _ => Mode::Status,
        }
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    let file = &args.file;
    let bytes = crate::files::read(std::path::Path::new(file), MAX_BYTES as u64, "a trace")?;
    let problem = |error: &TraceError| {
        let is_of_pack = args.paths.is_empty() && matches!(error, TraceError::UnknownCard(_));
        let help =
            if is_of_pack { format!("; if a pack has it, name the pack: `fizzle replay {file} PACK`") } else { String::new() };
        CommandError::Problem(format!("`{file}`: {error}{help}"))
    };
    let trace = Trace::decode(&bytes).map_err(|e| problem(&e))?;
    let names = trace.header.decks.iter().flatten().flat_map(|(_, cards)| cards).map(String::as_str).collect();
    // the trace names the format, not the command line
    let unknown_format = |error: CommandError| match error {
        CommandError::Usage { message, .. } if args.paths.is_empty() => {
            CommandError::Problem(format!("`{file}`: {message}; name the pack that has it: `fizzle replay {file} PACK`"))
        }
        CommandError::Usage { message, .. } => CommandError::Problem(format!("`{file}`: {message}")),
        other => other,
    };
    let loaded = load_cards(LoadPurpose::Texts, &args.paths, &[&trace.header.format], &names, args.message_format)
        .map_err(|error| if args.paths.is_empty() { unknown_format(error) } else { error })?;
    let picked = game_setup::find_format(&loaded.artifact, &trace.header.format).map_err(unknown_format)?;
    let (program, seats) = trace.link(picked.game).map_err(|e| problem(&e))?;
    let result = replay(&trace, program.clone(), &seats);
    let mode = args.mode();
    if mode != Mode::Status && result.as_ref().map_or_else(is_played, |_| true) {
        match RecordedGame::new((picked, sources_of(&loaded)), program, &trace, &args.seating) {
            Ok(game) => {
                if let Mode::Steps = mode {
                    match &result {
                        Ok(replayed) => output::line(outcome_line(&trace, replayed, picked.game)),
                        Err(error) => output::note(problem(error)),
                    }
                }
                show(args, mode, &game)?;
                if let (Mode::Steps | Mode::Place | Mode::Play, Ok(_)) = (mode, &result) {
                    return Ok(ExitStatus::Success);
                }
            }
            // Its result is known nevertheless.
            Err(error) if mode == Mode::Events && !args.events => output::note(format!("note: `{file}`: {error}")),
            Err(error) => return Err(CommandError::Problem(format!("`{file}`: {error}"))),
        }
    }
    match (result, args.message_format) {
        (Ok(replayed), MessageFormat::Json) => output::json_line(outcome_json(&trace, &replayed)),
        (Ok(replayed), MessageFormat::Human) => output::line(outcome_line(&trace, &replayed, picked.game)),
        (Err(error), MessageFormat::Json) => {
            output::json_line(difference_json(&trace, &error));
            return Err(CommandError::AlreadyReported);
        }
        (Err(_), MessageFormat::Human) if mode == Mode::Steps => return Err(CommandError::AlreadyReported),
        (Err(error), MessageFormat::Human) => return Err(problem(&error)),
    }
    Ok(ExitStatus::Success)
}

/// Whether a trace can be played up to the decision at which the rules differ.
fn is_played(error: &TraceError) -> bool {
    matches!(
        error,
        TraceError::OtherDecision { .. }
            | TraceError::Refused { .. }
            | TraceError::OverBefore { .. }
            | TraceError::Outcome { .. }
            | TraceError::State { .. }
    )
}

/// Shows a game.
fn show(args: &Args, mode: Mode, game: &RecordedGame<'_>) -> Result<(), CommandError> {
    let seat = args.seat.as_ref().map(|name| seat_named(name, game.players())).transpose()?;
    let viewer = seat.unwrap_or(ALL_SEEING);
    let transcript = game.transcript(viewer);
    let place = transcript.find_place(args.to.unwrap_or(Place::Start)).map_err(CommandError::usage)?;
    match mode {
        Mode::Status => {}
        Mode::Events => {
            let from = args.from.map_or(Ok(0), |from| transcript.first_line_of(from)).map_err(CommandError::usage)?;
            let to = if args.to.is_some() { place } else { transcript.end() };
            let lines = transcript.until(to).get(from..).unwrap_or_default();
            match args.message_format {
                MessageFormat::Json => transcript::print_json(lines),
                MessageFormat::Human => {
                    lines.iter().for_each(Line::print);
                    if to == transcript.end() {
                        game.print_numbers(&game.position(to, viewer), viewer);
                    }
                }
            }
        }
        Mode::Steps => Reader::new(game, transcript, viewer, place).run()?,
        Mode::Place if args.message_format == MessageFormat::Json => {
            output::json_line(json!(game.replay.position(place, viewer, Lang::En)));
        }
        Mode::Place => Reader::new(game, transcript, viewer, place).print_stop(),
        Mode::Play => game.play_on(place, seat.or_else(|| game.decider(place)).unwrap_or_default(), 0)?,
    }
    Ok(())
}

/// The result of a replay in one line.
fn outcome_line(trace: &Trace, replayed: &ReplayResult, game: &CompiledGame) -> String {
    let rules = if replayed.same_rules { "the same rules" } else { "different rules, but the same game" };
    let how = if is_conceded(trace) { String::new() } else { ending(game, &replayed.machine, Lang::En) };
    let how = if how.is_empty() { how } else { format!(" ({how})") };
    let outcome = match replayed.machine.outcome() {
        Some(Outcome::Won(seat)) => format!("{} has won", seat_name(seat)),
        outcome => outcome_name(outcome),
    };
    let turn = replayed.machine.state.turn();
    format!("{}: {outcome}{how} in turn {turn} after {}, {rules}", trace.header.format, plural(replayed.answers, "answer"))
}

fn is_conceded(trace: &Trace) -> bool {
    trace.answers.last().is_some_and(RecordedAnswer::is_concession)
}

fn outcome_json(trace: &Trace, replayed: &ReplayResult) -> Value {
    json!({
        "status": "same", "format": trace.header.format, "outcome": outcome_name(replayed.machine.outcome()),
        "turns": replayed.machine.state.turn(), "answers": replayed.answers,
        "state_rule": replayed.machine.ending_state_rule().filter(|_| !is_conceded(trace)),
        "same_rules": replayed.same_rules,
    })
}

/// The decision at which the rules differ, and how.
fn difference_json(trace: &Trace, error: &TraceError) -> Value {
    let decision = match error {
        TraceError::OtherDecision { decision, .. }
        | TraceError::Refused { decision, .. }
        | TraceError::OverBefore { decision, .. } => Some(*decision),
        _ => None,
    };
    json!({ "status": "differs", "format": trace.header.format, "decision": decision, "message": error.to_string() })
}
