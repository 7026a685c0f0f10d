//! `fizzle merge`: arguments and output. What is merged and what is refused is decided in the crate `fizzle-results`.

use crate::commands::sim::outputs::OutputOptions;
use crate::commands::sim::result_file::read;
use crate::failure::{CommandError, ExitStatus};
use crate::output::{MessageFormat, shell_quoted};
use fizzle_results::{MergeError, SimResult, merge};

/// Merges the results of shards.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Result files of `sim --output`, one per shard
    #[arg(required = true, value_name = "PART")]
    parts: Vec<String>,
    /// The format of the result
    #[arg(long, value_enum, default_value_t)]
    message_format: MessageFormat,
    #[command(flatten)]
    outputs: OutputOptions,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    let mut parts: Vec<(String, SimResult)> = Vec::new();
    for path in &args.parts {
        parts.extend(read(path)?.into_iter().map(|tally| (path.clone(), tally)));
    }
    args.outputs.check_outputs()?;
    let merged = merge(&parts).map_err(|error| match &error {
        MergeError::Unfinished { path, .. } => {
            CommandError::Problem(format!("{error}: repeat its command with `--resume {}`", shell_quoted(path)))
        }
        _ => CommandError::Problem(error.to_string()),
    })?;
    args.outputs.write_and_show(&merged, args.message_format)?;
    Ok(ExitStatus::Success)
}
