//! `fizzle bench`: what this machine does in a second, and ratios that travel.

mod compile;
mod cpu_time;
mod measure;
mod positions;
mod result_row;
mod scripted_player;
mod threads;
mod workload;

use crate::failure::{CommandError, ExitStatus};
use crate::output::{self, MessageFormat};
use result_row::ResultRow;
use std::time::Duration;

/// Measures speed: games, decisions, copies of states, compilation, side by side in one run.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only what has one of these in its name
    #[arg(value_name = "NAME")]
    only: Vec<String>,
    /// About how long each measurement takes, in seconds
    #[arg(long, default_value_t = 1.0, value_name = "S")]
    seconds: f64,
    /// How the results are written
    #[arg(long, value_enum, default_value_t)]
    message_format: MessageFormat,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    if !(args.seconds > 0.0 && args.seconds <= 3600.0) {
        return Err(CommandError::usage("`--seconds` is more than 0 and at most 3600"));
    }
    let only: Vec<String> = args.only.iter().map(|only| only.to_lowercase()).collect();
    let wanted = |name: &str| only.is_empty() || only.iter().any(|only| name.to_lowercase().contains(only));
    let mut told = 0;
    let mut tell = |row: ResultRow| {
        if wanted(&row.name) {
            match args.message_format {
                MessageFormat::Human => output::line(&row),
                MessageFormat::Json => output::line(row.to_json()),
            }
            told += 1;
        }
    };
    measure::all(Duration::from_secs_f64(args.seconds), &wanted, &mut tell)?;
    if told == 0 {
        let only = args.only.join("`, `");
        return Err(CommandError::usage(format!("nothing that is measured has `{only}` in its name")));
    }
    Ok(ExitStatus::Success)
}
