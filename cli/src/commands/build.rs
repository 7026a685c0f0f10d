//! `fizzle build`: sources to one compiled pack.

use crate::compiled::{Wanted, load_for, plural};
use crate::failure::{Failure, Status};
use crate::out::{self, MessageFormat};
use fizzle_runtime::artifact;
use std::path::PathBuf;

/// Compiles sources once; every later command takes the result.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files, directories, or names of shipped games or formats
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,
    /// The file to be written
    #[arg(short, long, value_name = "FILE.fzb")]
    output: PathBuf,
    /// How diagnostics are written
    #[arg(long, value_enum, default_value_t)]
    message_format: MessageFormat,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Failure> {
    let compiled = load_for(Wanted::Texts, &args.paths, &[], true, args.message_format)?;
    let bytes = artifact::encode(&compiled.artifact).map_err(|error| Failure::Defect(error.to_string()))?;
    let shown = args.output.display();
    std::fs::write(&args.output, &bytes).map_err(|error| Failure::usage(format!("`{shown}` cannot be written: {error}")))?;
    if args.message_format == MessageFormat::Human {
        let games = &compiled.artifact.games;
        let formats: usize = games.iter().map(|game| game.formats.len()).sum();
        let cards: usize = games
            .iter()
            .map(|game| game.library.definitions.present().filter(|d| !d.token && !d.part && !d.name.is_empty()).count())
            .sum();
        let parts = [plural(games.len(), "game"), plural(formats, "format"), plural(cards, "card"), plural(bytes.len(), "byte")];
        out::line(format!("{shown}: {}", parts.join(", ")));
    }
    Ok(Status::Well)
}
