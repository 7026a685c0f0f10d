//! `fizzle check`: everything that is wrong with the sources, and nothing else.

use crate::compiled::plural;
use crate::failure::{Failure, Status};
use crate::out::{self, MessageFormat};
use crate::paths::Given;

/// Checks sources. Diagnostics go to stderr.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files, directories, or names of shipped games or formats
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,
    /// How diagnostics are written
    #[arg(long, value_enum, default_value_t)]
    message_format: MessageFormat,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Failure> {
    if let Some(binary) = args.paths.iter().find(|path| path.ends_with(".fzb")) {
        let compiled = crate::compiled::load(std::slice::from_ref(binary), &[], false, args.message_format)?;
        if args.message_format == MessageFormat::Human {
            out::line(format!("`{binary}` is sound: {}", plural(compiled.artifact.games.len(), "game")));
        }
        return Ok(Status::Well);
    }
    let given = Given::read(&args.paths, &[], false)?;
    let compilation = fizzle_compiler::compile(given.files.clone());
    let (errors, warnings) = out::diagnostics(&compilation, args.message_format);
    if args.message_format == MessageFormat::Human {
        let files = plural(given.asked.len(), "file");
        if errors + warnings == 0 {
            out::line(format!("{files}, no problems"));
        } else {
            out::line(format!("{files}, {}, {}", plural(errors, "error"), plural(warnings, "warning")));
        }
    }
    Ok(if errors > 0 { Status::Problems } else { Status::Well })
}
