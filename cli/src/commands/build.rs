//! `fizzle build`: compiles sources into one compiled pack (`.fzb`).

use crate::failure::{CommandError, ExitStatus};
use crate::load::{LoadPurpose, load_for, plural};
use crate::output::{self, MessageFormat};
use fizzle::files::displayed_path;
use fizzle_runtime::ir::artifact::{self, ArtifactError};
use std::path::PathBuf;

/// Compiles sources into a compiled pack, which other commands accept in place of the sources.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files, directories, or names of shipped games or formats
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,
    /// The file to write
    #[arg(short, long, alias = "out", value_name = "FILE.fzb")]
    output: PathBuf,
    /// The format of the diagnostics
    #[arg(long, value_enum, default_value_t)]
    message_format: MessageFormat,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    if args.output.extension().is_some_and(|extension| extension == "fz") {
        let help =
            Some(format!("write `--output {}`", output::shell_quoted(&args.output.with_extension("fzb").to_string_lossy())));
        return Err(CommandError::Usage {
            message: format!("`{}` has the name of a source file", displayed_path(&args.output)),
            help,
        });
    }
    let compiled = load_for(LoadPurpose::Texts, &args.paths, &[], true, args.message_format)?;
    crate::files::check_output(&args.output)?;
    let bytes = artifact::encode(&compiled.artifact).map_err(|error| match error {
        // Limits that the compiler does not know, such as the depth of calls.
        ArtifactError::Unsound(limit) => CommandError::Problem(format!("the sources exceed a limit of compiled packs: {limit}")),
        error => CommandError::Defect(error.to_string()),
    })?;
    let displayed = displayed_path(&args.output);
    crate::files::write(&args.output, &bytes)?;
    if args.message_format == MessageFormat::Human {
        let games = &compiled.artifact.games;
        let formats: usize = games.iter().map(|game| game.formats.len()).sum();
        let cards: usize = games
            .iter()
            .map(|game| game.library.definitions.present().filter(|d| !d.token && !d.part && !d.name.is_empty()).count())
            .sum();
        let parts = [plural(games.len(), "game"), plural(formats, "format"), plural(cards, "card"), plural(bytes.len(), "byte")];
        output::line(format!("{displayed}: {}", parts.join(", ")));
    }
    Ok(ExitStatus::Success)
}
