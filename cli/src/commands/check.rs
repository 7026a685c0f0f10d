//! `fizzle check`: everything that is wrong with the sources, and nothing else.

use crate::compiled::plural;
use crate::failure::{Failure, Status};
use crate::out::{self, MessageFormat};
use crate::paths::Given;
use clap::ValueEnum;
use fizzle_compiler::Levels;

/// Checks sources. Diagnostics go to stderr.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files, directories, or names of shipped games or formats
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,
    /// How diagnostics are written
    #[arg(long, value_enum, default_value_t)]
    message_format: Format,
    /// Makes an error of a warning: its code, or `warnings` for all
    #[arg(long, value_name = "CODE")]
    deny: Vec<String>,
    /// Does not tell a warning: its code, or `warnings` for all
    #[arg(long, value_name = "CODE")]
    allow: Vec<String>,
}

/// How diagnostics are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// For people, to stderr.
    #[default]
    Human,
    /// One JSON object a line, to stderr.
    Json,
    /// One SARIF 2.1.0 document, to stdout.
    Sarif,
}

impl Args {
    fn levels(&self) -> Result<Levels, Failure> {
        let mut levels = Levels::default();
        self.allow.iter().try_for_each(|code| levels.allow(code)).map_err(Failure::usage)?;
        self.deny.iter().try_for_each(|code| levels.deny(code)).map_err(Failure::usage)?;
        Ok(levels)
    }
}

/// Runs the command.
pub fn run(args: &Args) -> Result<Status, Failure> {
    let levels = args.levels()?;
    let format = if args.message_format == Format::Json { MessageFormat::Json } else { MessageFormat::Human };
    if let Some(binary) = args.paths.iter().find(|path| path.ends_with(".fzb")) {
        let compiled = crate::compiled::load(std::slice::from_ref(binary), &[], false, format)?;
        if args.message_format == Format::Human {
            out::line(format!("`{binary}` is sound: {}", plural(compiled.artifact.games.len(), "game")));
        }
        return Ok(Status::Well);
    }
    let given = Given::read(&args.paths, &[], false)?;
    let compilation = fizzle_compiler::compile_at(given.files.clone(), &levels);
    let (errors, warnings) = match args.message_format {
        Format::Sarif => out::sarif_document(&compilation),
        _ => out::diagnostics(&compilation, format),
    };
    if args.message_format == Format::Human {
        let files = plural(given.asked.len(), "file");
        if errors + warnings == 0 {
            out::line(format!("{files}, no problems"));
        } else {
            out::line(format!("{files}, {}, {}", plural(errors, "error"), plural(warnings, "warning")));
        }
    }
    Ok(if errors > 0 { Status::Problems } else { Status::Well })
}
