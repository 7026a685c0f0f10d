//! `fizzle fmt`: sources in their one layout.

use crate::failure::{CommandError, ExitStatus};
use crate::load::plural;
use crate::output;
use crate::paths::{read, walk};
use std::path::{Path, PathBuf};

/// Formats sources in place.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files or directories
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,
    /// Change nothing; list what would change, and end with status 1 if there is any
    #[arg(long)]
    check: bool,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    let mut files: Vec<PathBuf> = Vec::new();
    for path in &args.paths {
        let place = Path::new(path);
        if place.is_dir() {
            walk(place, &mut files)?;
        } else if place.exists() {
            files.push(place.to_owned());
        } else if crate::shipped::find(path).is_some() {
            return Err(CommandError::usage(format!("`{path}` is shipped inside the program: there is no file to format")));
        } else {
            return Err(CommandError::usage(format!("there is no file `{path}`")));
        }
    }
    files.dedup();
    let mut changed = 0;
    for file in &files {
        let text = read(file)?;
        let formatted = fizzle_grammar::format(&text);
        if formatted == text {
            continue;
        }
        changed += 1;
        if args.check {
            output::line(file.display());
        } else {
            crate::files::write(file, formatted.as_bytes())?;
        }
    }
    if args.check {
        return Ok(if changed > 0 { ExitStatus::Problems } else { ExitStatus::Success });
    }
    output::line(format!("{}, {changed} changed", plural(files.len(), "file")));
    Ok(ExitStatus::Success)
}
