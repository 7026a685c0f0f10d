//! Decks that the command line names: by name, as a source file, or as a list of another program (see [`fizzle::deck_list`]).

use crate::failure::CommandError;
use crate::game_setup::SelectedFormat;
use crate::load::{LoadPurpose, load_for};
use crate::output::{self, MessageFormat};
use crate::{files, paths, shipped};
use fizzle::deck_list::{DeckList, FORMATS, ListProblem, MAX_LIST_BYTES};
use fizzle::files::displayed_path;
use fizzle_runtime::ir::{CompiledGame, Deck};
use serde_json::json;
use std::path::Path;

/// How the command line names a deck.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeckArgument {
    /// A source file: `.fz`.
    Source,
    /// A list: any other file, or the standard input.
    List,
    /// The name of a deck of a pack.
    Name,
}

impl DeckArgument {
    /// How an argument names a deck.
    pub fn of(argument: &str) -> Self {
        let path = Path::new(argument);
        if extension(path).is_some_and(|end| end == "fz") {
            Self::Source
        } else if argument == files::STDIN || path.is_file() {
            Self::List
        } else {
            Self::Name
        }
    }
}

/// The end of the name of a file, in small letters.
fn extension(path: &Path) -> Option<String> {
    Some(path.extension()?.to_str()?.to_ascii_lowercase())
}

/// The error for a name that no deck has, if it is meant as a file.
pub fn file_error(name: &str) -> Option<CommandError> {
    if Path::new(name).is_dir() {
        return Some(CommandError::usage(format!("`{name}` is a folder: name a file with a deck, or a deck")));
    }
    is_name_of_list(name).then(|| CommandError::usage(format!("there is no file `{name}`")))
}

fn is_name_of_list(name: &str) -> bool {
    let end = extension(Path::new(name));
    end.is_some_and(|end| end == "txt" || FORMATS.iter().any(|row| row.extensions.contains(&end.as_str())))
        || name.starts_with("ydke:")
}

/// A list that was read.
#[derive(Clone, Debug)]
pub struct ListFile {
    /// How messages call it.
    shown: String,
    /// The name of its deck, if the list has none.
    stem: String,
    list: DeckList,
}

impl ListFile {
    /// Reads a list. `argument`: its path, or `-`.
    pub fn read(argument: &str, format: MessageFormat) -> Result<Self, CommandError> {
        let path = Path::new(argument);
        let (shown, stem) = if argument == files::STDIN {
            (files::STDIN_SHOWN.to_owned(), "list".to_owned())
        } else {
            (displayed_path(path), path.file_stem().map_or_else(String::new, |stem| displayed_path(Path::new(stem))))
        };
        let text = paths::read_bounded(path, MAX_LIST_BYTES, "a deck list")?;
        let end = extension(path).filter(|_| argument != files::STDIN);
        let list = DeckList::read(end.as_deref(), &text);
        let list = list.map_err(|problem| report_problems(&shown, &[problem], format))?;
        Ok(Self { shown, stem, list })
    }

    /// The format that the list names.
    pub fn game_format(&self) -> Option<&str> {
        self.list.game_format.as_deref()
    }

    /// The deck of the list in a format. Problems are printed.
    pub fn deck(&self, picked: &SelectedFormat<'_>, message_format: MessageFormat) -> Result<Deck, CommandError> {
        let format = picked.format().ok_or_else(|| CommandError::Defect("the format has no tables".into()))?;
        let resolved = self.list.resolve(picked.game, format, &self.stem);
        if message_format == MessageFormat::Human {
            resolved.notes.iter().for_each(|note| output::note(format!("note: `{}`: {note}", self.shown)));
        }
        if resolved.problems.is_empty() {
            return Ok(resolved.deck);
        }
        Err(report_problems(&self.shown, &resolved.problems, message_format))
    }

    /// The number of cards that a game does not know.
    fn unknown(&self, game: &CompiledGame) -> Option<(usize, usize)> {
        let resolved = self.list.resolve(game, game.formats.first()?, &self.stem);
        Some((resolved.unknown, resolved.cards.len()))
    }
}

/// Prints the problems of a list.
fn report_problems(shown: &str, problems: &[ListProblem], format: MessageFormat) -> CommandError {
    for problem in problems {
        match format {
            MessageFormat::Human => output::error(&CommandError::Problem(match problem.line {
                0 => format!("`{shown}`: {}", problem.kind),
                line => format!("`{shown}`, line {line}: {}", problem.kind),
            })),
            MessageFormat::Json => output::json_note(json!({
                "severity": "error", "message": problem.kind.to_string(), "file": shown, "line": problem.line,
            })),
        }
    }
    CommandError::AlreadyReported
}

/// The lists among the decks of the command line.
pub fn read_lists(decks: &[String], format: MessageFormat) -> Result<Vec<ListFile>, CommandError> {
    let lists = decks.iter().filter(|deck| DeckArgument::of(deck) == DeckArgument::List);
    lists.map(|deck| ListFile::read(deck, format)).collect()
}

/// The format of lists if the command line names none: the one that they name, or that of the only game that knows all their cards.
pub fn format_of_lists(lists: &[ListFile], paths: &[String], message_format: MessageFormat) -> Result<String, CommandError> {
    if let Some(format) = lists.iter().find_map(ListFile::game_format) {
        let names = shipped::names();
        if paths.is_empty() && !names.contains(format) {
            return Err(CommandError::unknown_name("format", format, names).into_problem());
        }
        return Ok(format.to_owned());
    }
    let everything: Vec<&str> =
        if paths.is_empty() { shipped::packs().iter().map(|pack| pack.name.as_str()).collect() } else { Vec::new() };
    let loaded = load_for(LoadPurpose::Decks, paths, &everything, true, message_format)?;
    let mut known: Vec<(&CompiledGame, usize, usize)> = Vec::new();
    for game in &loaded.artifact.games {
        let counts: Vec<(usize, usize)> = lists.iter().filter_map(|list| list.unknown(game)).collect();
        let (unknown, cards) = counts.iter().fold((0, 0), |sum, count| (sum.0 + count.0, sum.1 + count.1));
        known.push((game, unknown, cards));
    }
    let shown: Vec<String> = lists.iter().map(|list| format!("`{}`", list.shown)).collect();
    let shown = shown.join(" and ");
    let root = |game: &CompiledGame| game.formats.first().map_or_else(String::new, |format| format.name.clone());
    let note = |words: String| {
        if message_format == MessageFormat::Human {
            output::note(format!("note: {words}"));
        }
    };
    let candidates = known.iter().filter(|(_, _, cards)| *cards > 0).count();
    let complete: Vec<&CompiledGame> =
        known.iter().filter(|(_, unknown, cards)| *unknown == 0 && *cards > 0).map(|(game, ..)| *game).collect();
    match complete.as_slice() {
        [game] => {
            note(format!("{shown}: read for `{}`, the only game with these cards; `--format` names another format", root(game)));
            Ok(root(game))
        }
        [] => match known.iter().max_by_key(|(_, unknown, cards)| (*cards, std::cmp::Reverse(*unknown))) {
            // Its problems are reported.
            Some((game, unknown, cards)) if candidates == 1 || cards > unknown || *unknown == 0 => {
                if *cards > 0 {
                    note(format!(
                        "{shown}: read for `{}`, the game with most of these cards; `--format` names another format",
                        root(game)
                    ));
                }
                Ok(root(game))
            }
            _ => {
                let help = "add `--format NAME`, and paths if the cards are in a pack that is not shipped".to_owned();
                Err(CommandError::ProblemWithHelp { message: format!("no game has the cards of {shown}"), help })
            }
        },
        several => {
            let names: Vec<String> = several.iter().map(|game| root(game)).collect();
            let help = Some(format!("add `--format NAME`, one of: {}", names.join(", ")));
            Err(CommandError::Usage { message: format!("several games have all cards of {shown}"), help })
        }
    }
}
