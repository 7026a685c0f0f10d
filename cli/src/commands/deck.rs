//! `fizzle deck check`: checks decks against the deck rules of a format.

use crate::failure::{CommandError, ExitStatus};
use crate::load::{LoadPurpose, load_for, load_for_decks, plural};
use crate::output::{self, MessageFormat};
use crate::{game_setup, paths};
use fizzle_grammar::parse_file;
use fizzle_runtime::deck::check;
use fizzle_runtime::ir::Deck as DeckList;
use fizzle_runtime::program::Program;
use serde_json::json;
use std::path::Path;
use std::sync::Arc;

/// Commands for decks.
#[derive(Debug, clap::Subcommand)]
pub enum Deck {
    Check(Args),
}

/// Checks decks against the rules of a format.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A `.fz` file with decks, or the name of a shipped deck
    #[arg(value_name = "FILE")]
    file: String,
    /// The format (default: the one that each deck names)
    #[arg(long, value_name = "F")]
    format: Option<String>,
    /// Files, directories or a compiled pack with the format and the cards, if they are not shipped
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// The format of the results
    #[arg(long, value_enum, default_value_t)]
    message_format: MessageFormat,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    if let Some(format) = &args.format {
        return check_in(args, format, |_| true);
    }
    if game_setup::is_file(&args.file) && !parse_file(0, &paths::read_source(Path::new(&args.file))?).errors.is_empty() {
        // The format may be named in the part with syntax errors, so these are reported first.
        load_for(LoadPurpose::Decks, std::slice::from_ref(&args.file), &[], false, args.message_format)?;
    }
    let formats = game_setup::formats_of_deck(&args.file, &args.paths)?;
    let mut status = ExitStatus::Success;
    for format in &formats {
        if check_in(args, format, |deck| deck.format == *format)? == ExitStatus::Problems {
            status = ExitStatus::Problems;
        }
    }
    Ok(status)
}

/// Checks the selected decks of the file, or the named deck, in a format.
fn check_in(args: &Args, format: &str, is_selected: impl Fn(&DeckList) -> bool) -> Result<ExitStatus, CommandError> {
    let from_file = game_setup::is_file(&args.file);
    let mut paths = args.paths.clone();
    if from_file {
        paths.push(args.file.clone());
    }
    let compiled = load_for_decks(LoadPurpose::Decks, &paths, format, std::slice::from_ref(&args.file), args.message_format)?;
    let picked = game_setup::find_format(&compiled.artifact, format)?;
    let decks: Vec<&DeckList> = if from_file {
        let names = game_setup::deck_names_in(&args.file)?;
        if names.is_empty() {
            return Err(CommandError::Problem(format!("no deck in `{}`", args.file)));
        }
        picked.game.decks.iter().filter(|deck| names.contains(&deck.name) && is_selected(deck)).collect()
    } else {
        vec![game_setup::find_deck(&picked, &args.file)?]
    };
    if decks.is_empty() {
        return Err(CommandError::Problem(format!("the decks in `{}` are for another game than `{format}`", args.file)));
    }
    let program =
        Program::link(picked.game, picked.index, &[]).ok_or_else(|| CommandError::Defect("cannot link the format".into()))?;
    let program = Arc::new(program);
    let ancestors = picked.ancestors();
    let mut illegal = 0;
    for deck in decks {
        let problems = check(&program, deck, &ancestors);
        illegal += usize::from(!problems.is_empty());
        match args.message_format {
            MessageFormat::Json => {
                let problems: Vec<_> = problems.iter().map(|p| json!({ "problem": p, "message": p.to_string() })).collect();
                output::json_line(
                    json!({ "deck": deck.name, "format": format, "legal": problems.is_empty(), "problems": problems }),
                );
            }
            MessageFormat::Human if problems.is_empty() => output::line(format!("{}: legal in {}", deck.name, format)),
            MessageFormat::Human => {
                output::line(format!("{}: not legal in {}: {}", deck.name, format, plural(problems.len(), "problem")));
                for problem in problems {
                    output::line(format!("  {problem}"));
                }
            }
        }
    }
    Ok(if illegal > 0 { ExitStatus::Problems } else { ExitStatus::Success })
}
