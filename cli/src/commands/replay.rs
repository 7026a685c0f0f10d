//! `fizzle replay`: replays a trace, or reports the first decision at which the current rules lead to a different game.

use crate::failure::{CommandError, ExitStatus};
use crate::game_setup;
use crate::load::{LoadPurpose, load_cards, plural};
use crate::output::{self, MessageFormat};
use fizzle_runtime::game::RecordedAnswer;
use fizzle_runtime::trace::{MAX_BYTES, Trace, TraceError, replay};
use fizzle_runtime::vm::machine::outcome_name;
use fizzle_table::protocol::Lang;
use fizzle_table::words::log::ending;
use serde_json::json;

/// Replays a recorded game.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The trace file
    #[arg(value_name = "FILE")]
    file: String,
    /// Files, directories or a compiled pack with the rules, if they are not shipped
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// The format of the result
    #[arg(long, value_enum, default_value_t)]
    message_format: MessageFormat,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    let file = &args.file;
    let bytes = crate::files::read(std::path::Path::new(file), MAX_BYTES as u64, "a trace")?;
    let problem = |error: &TraceError| CommandError::Problem(format!("`{file}`: {error}"));
    let trace = Trace::decode(&bytes).map_err(|e| problem(&e))?;
    let names = trace.header.decks.iter().flatten().flat_map(|(_, cards)| cards).map(String::as_str).collect();
    // the trace names the format, not the command line
    let unknown_format = |error: CommandError| match error {
        CommandError::Usage { message, .. } => CommandError::Problem(format!("`{file}`: {message}")),
        other => other,
    };
    let compiled = load_cards(LoadPurpose::Texts, &args.paths, &[&trace.header.format], &names, args.message_format)
        .map_err(|error| if args.paths.is_empty() { unknown_format(error) } else { error })?;
    let picked = game_setup::find_format(&compiled.artifact, &trace.header.format).map_err(unknown_format)?;
    let (program, seats) = trace.link(picked.game).map_err(|e| problem(&e))?;
    match replay(&trace, program, &seats) {
        Ok(replayed) => {
            let outcome = outcome_name(replayed.machine.outcome());
            let conceded = trace.answers.last().is_some_and(RecordedAnswer::is_concession);
            let rule = replayed.machine.ending_state_rule().filter(|_| !conceded);
            let turn = replayed.machine.state.turn();
            if args.message_format == MessageFormat::Json {
                output::json_line(json!({
                    "status": "same", "format": trace.header.format, "outcome": outcome, "turns": turn, "answers": replayed.answers,
                    "state_rule": rule,
                    "same_rules": replayed.same_rules,
                }));
            } else {
                let rules = if replayed.same_rules { "the same rules" } else { "different rules, but the same game" };
                let how = if conceded { String::new() } else { ending(picked.game, &replayed.machine, Lang::En) };
                let how = if how.is_empty() { how } else { format!(" ({how})") };
                output::line(format!(
                    "{}: {outcome}{how} in turn {turn} after {}, {rules}",
                    trace.header.format,
                    plural(replayed.answers, "answer")
                ));
            }
            Ok(ExitStatus::Success)
        }
        Err(error) => {
            if args.message_format == MessageFormat::Json {
                let decision = match &error {
                    TraceError::OtherDecision { decision, .. }
                    | TraceError::Refused { decision, .. }
                    | TraceError::OverBefore { decision, .. } => Some(*decision),
                    _ => None,
                };
                output::json_line(
                    json!({ "status": "differs", "format": trace.header.format, "decision": decision, "message": error.to_string() }),
                );
                return Err(CommandError::AlreadyReported);
            }
            Err(problem(&error))
        }
    }
}
