//! `fizzle bench`: measures speed, and prints one table with rates and with ratios that can be compared between machines.

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

/// Measures the speed of games, decisions, state copies and compilation.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Only measurements with one of these words in their name
    #[arg(value_name = "NAME")]
    only: Vec<String>,
    /// About how long each measurement takes, in seconds
    #[arg(long, default_value_t = 1.0, value_name = "S")]
    seconds: f64,
    /// The format of the results
    #[arg(long, value_enum, default_value_t)]
    message_format: MessageFormat,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    if !(args.seconds > 0.0 && args.seconds <= 3600.0) {
        return Err(CommandError::usage("`--seconds` must be more than 0 and at most 3600"));
    }
    let only: Vec<String> = args.only.iter().map(|only| only.to_lowercase()).collect();
    let wanted = |name: &str| only.is_empty() || only.iter().any(|only| name.to_lowercase().contains(only));
    let mut row_count = 0;
    let mut report = |row: ResultRow| {
        if wanted(&row.name) {
            match args.message_format {
                MessageFormat::Human => output::line(&row),
                MessageFormat::Json => output::json_line(row.to_json()),
            }
            row_count += 1;
        }
    };
    measure::measure_all(Duration::from_secs_f64(args.seconds), &wanted, &mut report)?;
    if row_count == 0 {
        let only = args.only.join("`, `");
        return Err(CommandError::usage(format!("no measurement has `{only}` in its name")));
    }
    Ok(ExitStatus::Success)
}
