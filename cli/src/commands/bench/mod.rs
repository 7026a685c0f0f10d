//! `fizzle bench`: what this machine does in a second, and ratios that travel.

mod clock;
mod compiling;
mod measure;
mod policy;
mod positions;
mod row;
mod threads;
mod workload;

use crate::failure::{Failure, Status};
use crate::out::{self, MessageFormat};
use row::Row;
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
pub fn run(args: &Args) -> Result<Status, Failure> {
    if !(args.seconds > 0.0 && args.seconds <= 3600.0) {
        return Err(Failure::usage("`--seconds` is more than 0 and at most 3600"));
    }
    let only: Vec<String> = args.only.iter().map(|only| only.to_lowercase()).collect();
    let wanted = |name: &str| only.is_empty() || only.iter().any(|only| name.to_lowercase().contains(only));
    let mut told = 0;
    let mut tell = |row: Row| {
        if wanted(&row.name) {
            match args.message_format {
                MessageFormat::Human => out::line(&row),
                MessageFormat::Json => out::line(row.to_json()),
            }
            told += 1;
        }
    };
    measure::all(Duration::from_secs_f64(args.seconds), &wanted, &mut tell)?;
    if told == 0 {
        let only = args.only.join("`, `");
        return Err(Failure::usage(format!("nothing that is measured has `{only}` in its name")));
    }
    Ok(Status::Well)
}
