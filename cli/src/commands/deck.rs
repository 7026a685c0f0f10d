//! `fizzle deck`: checks decks against the deck rules of a format, and converts deck lists.

use crate::deck_file::{DeckArgument, ListFile, format_of_lists};
use crate::failure::{CommandError, ExitStatus};
use crate::game_setup::{self, SelectedFormat};
use crate::load::{LoadPurpose, load_for, load_for_decks, plural};
use crate::output::{self, MessageFormat};
use crate::paths;
use clap::ValueEnum;
use fizzle::deck_list::{to_plain_list, to_source};
use fizzle_grammar::parse_file;
use fizzle_runtime::deck::{CardConditions, DeckProblem, accepting_sections, check};
use fizzle_runtime::ir::{Deck as Cards, DefId};
use fizzle_runtime::program::Program;
use serde_json::json;
use std::path::Path;
use std::slice;
use std::sync::Arc;

/// Commands for decks.
#[derive(Debug, clap::Subcommand)]
pub enum Deck {
    Check(CheckArgs),
    Convert(ConvertArgs),
}

/// What both commands know about lists.
const LISTS: &str = "\
A deck list is text as people and other programs write it: lines such as `4 NAME`, `4x NAME` or `NAME`, comments with `//` or `#`, and \
`Sideboard`, `[SECTION]` or `SB:` before the cards of another section. Exports of MTG Arena (`4 NAME (SET) 159`), Forge and XMage (`.dck`) \
and Cockatrice (`.cod`) are read too. Passcodes (`.ydk`) are not: packs do not have them.";

/// The decks of the command line.
#[derive(Debug, clap::Args)]
pub struct Selection {
    /// A `.fz` file with decks, a deck list in another file or from the standard input (`-`), or the name of a shipped deck
    #[arg(value_name = "FILE")]
    file: String,
    /// The format (default: the one that each deck names; for a list: that of the only game that has all its cards)
    #[arg(long, value_name = "F")]
    format: Option<String>,
    /// Files, directories or a compiled pack with the format and the cards, if they are not shipped
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
}

/// Checks decks against the rules of a format.
#[derive(Debug, clap::Args)]
#[command(after_help = LISTS)]
pub struct CheckArgs {
    #[command(flatten)]
    selection: Selection,
    /// The format of the results
    #[arg(long, value_enum, default_value_t)]
    message_format: MessageFormat,
}

/// Prints a deck list as a `deck` of the language, to be kept in a pack, or a deck as a list for other programs.
#[derive(Debug, clap::Args)]
#[command(after_help = LISTS)]
pub struct ConvertArgs {
    #[command(flatten)]
    selection: Selection,
    /// What to print (default: a deck of the language for a list, else a list)
    #[arg(long, value_enum)]
    to: Option<DeckNotation>,
}

/// How a deck is printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum DeckNotation {
    /// `deck "NAME" { format F  main { 4 "CARD" } }`
    Source,
    /// `4 CARD`, with the headings `Deck` and `Sideboard`
    List,
}

/// Runs the command.
pub fn run(command: &Deck) -> Result<ExitStatus, CommandError> {
    match command {
        Deck::Check(args) => run_check(args),
        Deck::Convert(args) => run_convert(args),
    }
}

fn run_check(args: &CheckArgs) -> Result<ExitStatus, CommandError> {
    let mut status = ExitStatus::Success;
    args.selection.for_each_format(args.message_format, |picked, decks| {
        if check_decks(picked, decks, args.message_format)? == ExitStatus::Problems {
            status = ExitStatus::Problems;
        }
        Ok(())
    })?;
    Ok(status)
}

fn run_convert(args: &ConvertArgs) -> Result<ExitStatus, CommandError> {
    let is_list = DeckArgument::of(&args.selection.file) == DeckArgument::List;
    let notation = args.to.unwrap_or(if is_list { DeckNotation::Source } else { DeckNotation::List });
    let mut is_first = true;
    args.selection.for_each_format(MessageFormat::Human, |picked, decks| {
        for deck in decks {
            let text = match notation {
                DeckNotation::Source => to_source(deck, picked.game),
                DeckNotation::List => to_plain_list(deck, picked.game),
            };
            if !is_first {
                output::line("");
            }
            is_first = false;
            output::line(text.trim_end());
        }
        Ok(())
    })?;
    Ok(ExitStatus::Success)
}

impl Selection {
    /// Loads each format and calls a function with its decks.
    fn for_each_format(
        &self,
        message_format: MessageFormat,
        mut run: impl FnMut(&SelectedFormat<'_>, &[Cards]) -> Result<(), CommandError>,
    ) -> Result<(), CommandError> {
        let kind = DeckArgument::of(&self.file);
        let list = match kind {
            DeckArgument::List => Some(ListFile::read(&self.file, message_format)?),
            DeckArgument::Source | DeckArgument::Name => None,
        };
        let formats = match (&self.format, &list) {
            (Some(format), _) => vec![format.clone()],
            (None, Some(list)) => vec![format_of_lists(slice::from_ref(list), &self.paths, message_format)?],
            (None, None) => self.formats_of_sources(kind, message_format)?,
        };
        let mut paths = self.paths.clone();
        if kind == DeckArgument::Source {
            paths.push(self.file.clone());
        }
        for format in &formats {
            let loaded = load_for_decks(LoadPurpose::Decks, &paths, format, slice::from_ref(&self.file), message_format)?;
            let found = game_setup::find_format(&loaded.artifact, format);
            // Without the option, the deck names the format.
            let picked = found.map_err(|error| if self.format.is_some() { error } else { error.into_problem() })?;
            let decks = match &list {
                Some(list) => vec![list.deck(&picked, message_format)?],
                None => self.decks_of_sources(kind, &picked, message_format)?,
            };
            run(&picked, &decks)?;
        }
        Ok(())
    }

    /// The formats that the decks of sources name.
    fn formats_of_sources(&self, kind: DeckArgument, message_format: MessageFormat) -> Result<Vec<String>, CommandError> {
        if kind == DeckArgument::Source && !parse_file(0, &paths::read_source(Path::new(&self.file))?).errors.is_empty() {
            // The format may be named in the part with syntax errors, so these are reported first.
            load_for(LoadPurpose::Decks, slice::from_ref(&self.file), &[], false, message_format)?;
        }
        game_setup::formats_of_deck(&self.file, &self.paths)
    }

    /// The decks of the file, or the named deck. If the command line names no format, only those that name this one.
    fn decks_of_sources(
        &self,
        kind: DeckArgument,
        picked: &SelectedFormat<'_>,
        message_format: MessageFormat,
    ) -> Result<Vec<Cards>, CommandError> {
        let format = picked.format().map_or("", |format| format.name.as_str());
        if kind == DeckArgument::Name {
            return Ok(vec![game_setup::find_deck(picked, &self.file, message_format)?.into_owned()]);
        }
        let names = game_setup::deck_names_in(&self.file)?;
        if names.is_empty() {
            return Err(CommandError::Problem(format!("no deck in `{}`", self.file)));
        }
        let is_selected = |deck: &&Cards| names.contains(&deck.name) && (self.format.is_some() || deck.format == *format);
        let decks: Vec<Cards> = picked.game.decks.iter().filter(is_selected).cloned().collect();
        if decks.is_empty() {
            return Err(CommandError::Problem(format!("the decks in `{}` are for another game than `{format}`", self.file)));
        }
        Ok(decks)
    }
}

/// Checks decks in a format, and prints the results.
fn check_decks(picked: &SelectedFormat<'_>, decks: &[Cards], message_format: MessageFormat) -> Result<ExitStatus, CommandError> {
    let program =
        Program::link(picked.game, picked.index, &[]).ok_or_else(|| CommandError::Defect("cannot link the format".into()))?;
    let program = Arc::new(program);
    let (format, ancestors) = (&program.format.name, picked.ancestors());
    let mut illegal = 0;
    for deck in decks {
        let problems = check(&program, deck, &ancestors);
        illegal += usize::from(!problems.is_empty());
        match message_format {
            MessageFormat::Json => {
                let problems: Vec<_> = problems.iter().map(|p| json!({ "problem": p, "message": p.to_string() })).collect();
                output::json_line(
                    json!({ "deck": deck.name, "format": format, "legal": problems.is_empty(), "problems": problems }),
                );
            }
            MessageFormat::Human if problems.is_empty() => output::line(format!("{}: legal in {}", deck.name, format)),
            MessageFormat::Human => {
                output::line(format!("{}: not legal in {}: {}", deck.name, format, plural(problems.len(), "problem")));
                for problem in &problems {
                    output::line(format!("  {problem}"));
                }
                let mut conditions = CardConditions::new(&program);
                problems.iter().filter_map(|problem| placement_note(&mut conditions, deck, problem)).for_each(output::note);
            }
        }
    }
    Ok(if illegal > 0 { ExitStatus::Problems } else { ExitStatus::Success })
}

/// For a card that is refused where it is: the sections that it can be in, and how they are written.
fn placement_note(conditions: &mut CardConditions<'_>, deck: &Cards, problem: &DeckProblem) -> Option<String> {
    let DeckProblem::Refused { card, .. } = problem else { return None };
    let program = conditions.program();
    let named = |id: &DefId| program.library.definitions.get(id.index()).is_some_and(|it| it.name == *card);
    let id = deck.sections.iter().flat_map(|(_, cards)| cards).map(|(_, id)| *id).find(named)?;
    let sections = accepting_sections(conditions, id);
    let first = sections.first()?;
    let listed: Vec<String> = sections.iter().map(|section| format!("`{section}`")).collect();
    Some(format!(
        "note: `{card}` can be in {}: in a list write `[{first}]` in a line before it, in a source `{first} {{ 1 \"{card}\" }}`",
        listed.join(" or ")
    ))
}
