//! `fizzle reference`: prints the reference of the language as Markdown, or the vocabulary of a format. `fizzle explain --reference` prints
//! the former.

use crate::failure::{CommandError, ExitStatus};
use crate::output;
use crate::paths::SourceSet;
use crate::vocabulary::{Vocabulary, page, with_games};

/// Prints the reference of the language, or the vocabulary of a format, as a page of Markdown.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A format: print the words that its game declares, each with its meaning and an example. Without it: the words, verbs, functions,
    /// grammar and message codes of the language
    #[arg(value_name = "FORMAT")]
    format: Option<String>,
    /// Files or directories with the format, if it is not shipped
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    let Some(format) = &args.format else { return run_reference() };
    let given = SourceSet::read_paths(&args.paths, &[format], true)?;
    let found = with_games(&given, |games, sources| {
        let (game, model) =
            games.iter().find_map(|game| Some((game, game.models.iter().find(|model| model.name == *format)?)))?;
        Some(page::page(&Vocabulary::of(game, sources), format, if model.title.is_empty() { format } else { &model.title }))
    });
    let known = || crate::shipped::names();
    output::line(found.ok_or_else(|| CommandError::unknown_name("format", format, known()))?);
    Ok(ExitStatus::Success)
}

/// Prints the reference of the language.
pub fn run_reference() -> Result<ExitStatus, CommandError> {
    output::line(crate::reference::page().trim_end());
    Ok(ExitStatus::Success)
}
