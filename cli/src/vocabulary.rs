//! The vocabulary of a game: every declared word with its kind, meaning, place and an example from a card. `fizzle explain --list` and
//! `fizzle reference FORMAT` print it, `fizzle explain` searches it.

pub mod page;
pub mod places;
pub mod recipes;
pub mod search;

use crate::output;
use crate::paths::SourceSet;
use crate::shipped::PREFIX;
use clap::ValueEnum;
use fizzle_compiler::session::Game;
use fizzle_compiler::{Sources, packs};
use fizzle_grammar::Parsed;
use fizzle_grammar::ast::Item;
use fizzle_grammar::visit::DeclKind;
use fizzle_lsp::docs::first_paragraph;
use fizzle_lsp::resolve::Target;
use places::{DeclarationSite, Places, find_all_places, line_at, location};
use rayon::prelude::*;
use std::collections::BTreeSet;

/// The most characters of an example or a meaning in a list.
const MAX_CHARS: usize = 160;

/// A kind of words that can be listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, ValueEnum)]
pub enum WordKind {
    /// Words that abbreviate abilities of cards
    Keywords,
    /// Verbs that the game declares
    Actions,
    /// What a player can do: cast, summon, attack
    Plays,
    /// Names of selections of objects
    Nouns,
    /// Values that are printed on cards
    Properties,
    /// Values that objects have during a game
    Statuses,
    /// Sets of words that are printed on cards, such as types and colours
    Traits,
    /// The words of these sets
    Words,
    /// Functions of the game
    Functions,
    /// Places of objects
    Zones,
    /// Phases and steps of the turn
    Steps,
    /// Variables of players and of the game
    Variables,
    /// Numbers with a name, which a format can replace
    Constants,
    /// How costs are paid
    Payments,
    /// Rules that always work
    Rules,
    /// Rules that are checked when no effect is resolving
    StateRules,
    /// Decks, which `deck`, `sim` and `play` name
    Decks,
}

impl WordKind {
    /// The kind of a declaration; `None` for what is not a word of the game, such as a card.
    pub fn of(kind: DeclKind) -> Option<Self> {
        Some(match kind {
            DeclKind::Keyword => Self::Keywords,
            DeclKind::Action => Self::Actions,
            DeclKind::Play => Self::Plays,
            DeclKind::Noun => Self::Nouns,
            DeclKind::Property => Self::Properties,
            DeclKind::Status => Self::Statuses,
            DeclKind::Traits => Self::Traits,
            DeclKind::TraitWord => Self::Words,
            DeclKind::Function => Self::Functions,
            DeclKind::Zone => Self::Zones,
            DeclKind::Period => Self::Steps,
            DeclKind::Player | DeclKind::Global => Self::Variables,
            DeclKind::Constant => Self::Constants,
            DeclKind::Payment => Self::Payments,
            DeclKind::Rule => Self::Rules,
            DeclKind::StateRule => Self::StateRules,
            DeclKind::Deck => Self::Decks,
            DeclKind::Pack
            | DeclKind::Format
            | DeclKind::Layer
            | DeclKind::Card
            | DeclKind::Scenario
            | DeclKind::Stage
            | DeclKind::Position => return None,
        })
    }

    /// Its name at the command line.
    pub fn name(self) -> String {
        self.to_possible_value().map_or_else(String::new, |value| value.get_name().to_owned())
    }

    /// Its description, a sentence without its full stop.
    pub fn description(self) -> String {
        let value = self.to_possible_value();
        value.and_then(|value| value.get_help().map(ToString::to_string)).unwrap_or_default()
    }
}

/// A declared word.
#[derive(Debug)]
pub struct Word {
    /// Its kind.
    pub kind: WordKind,
    /// Its name; of a step the last part of its path.
    pub name: String,
    /// The name with its parameters, as it is declared.
    pub signature: String,
    /// The first paragraph of its doc comment on one line; empty if it has none.
    pub meaning: String,
    /// The format that adds it; `None` if the whole game has it.
    pub format: Option<String>,
    /// The file and line of its declaration.
    pub location: String,
    /// A line that uses it, on a card if any card does.
    pub example: Option<Example>,
    /// How many cards use it.
    pub cards: usize,
}

/// A line of source that uses a word.
#[derive(Debug)]
pub struct Example {
    /// The line, without indentation.
    pub line: String,
    /// The card that it stands on.
    pub card: Option<String>,
    /// Its file and line.
    pub location: String,
}

/// The words of a game, by kind and name.
#[derive(Debug)]
pub struct Vocabulary {
    /// The name of the game.
    pub game: String,
    /// Its formats, each with its base.
    pub formats: Vec<(String, Option<String>)>,
    /// The words.
    pub words: Vec<Word>,
    /// Words of the field and of other games (`foreign`), each with the word of this game and a note.
    pub synonyms: Vec<Synonym>,
}

/// A word that a game does not declare, with the word of the game for it.
#[derive(Clone, Debug)]
pub struct Synonym {
    /// The word, with blanks in the place of underscores.
    pub word: String,
    /// The word of the game.
    pub here: String,
    /// How the game does it.
    pub note: Option<String>,
}

impl Vocabulary {
    /// Collects the words of a game. Words that begin with `_` are internal and left out.
    pub fn of(game: &Game<'_>, sources: &Sources) -> Self {
        let to_word = |(target, places): (Target, Places<'_>)| match target {
            Target::Global(kind, path) => word(sources, kind, &path, &places),
            _ => None,
        };
        let mut words: Vec<Word> = find_all_places(game).into_iter().filter_map(to_word).collect();
        words.sort_by(|a, b| (a.kind, &a.name, &a.location).cmp(&(b.kind, &b.name, &b.location)));
        let formats = game.models.iter().map(|model| (model.name.to_string(), model.base.as_ref().map(ToString::to_string)));
        let synonyms = game.names.foreign.iter().map(|(word, (here, note))| Synonym {
            word: word.replace('_', " "),
            here: here.to_string(),
            note: note.as_ref().map(ToString::to_string),
        });
        Self { game: game.name.to_string(), formats: formats.collect(), words, synonyms: synonyms.collect() }
    }

    /// The format and its bases, nearest first.
    fn lineage<'v>(&'v self, format: &'v str) -> BTreeSet<&'v str> {
        let mut names = BTreeSet::new();
        let mut next = Some(format);
        while let Some(name) = next.filter(|name| names.insert(*name)) {
            next = self.formats.iter().find(|(known, _)| known == name).and_then(|(_, base)| base.as_deref());
        }
        names
    }

    /// Whether a format has a word: its own words and those of its bases.
    pub fn has(&self, word: &Word, format: &str) -> bool {
        word.format.as_ref().is_none_or(|of| self.lineage(format).contains(of.as_str()))
    }

    /// Whether the game has a format.
    pub fn has_format(&self, format: &str) -> bool {
        self.formats.iter().any(|(name, _)| name == format)
    }

    /// Whether a format is another one, or extends it.
    pub fn has_base(&self, format: &str, base: &str) -> bool {
        self.has_format(format) && self.lineage(format).contains(base)
    }

    /// The words of a kind that a format has; without a format, all of the game.
    pub fn words_of(&self, kind: WordKind, format: Option<&str>) -> impl Iterator<Item = &Word> {
        self.words.iter().filter(move |word| word.kind == kind && format.is_none_or(|format| self.has(word, format)))
    }
}

/// The word of a target; `None` if it is internal, or declared in no file that was read.
fn word(sources: &Sources, kind: DeclKind, path: &str, places: &Places<'_>) -> Option<Word> {
    let name = if kind == DeclKind::Deck { path } else { path.rsplit('.').next().unwrap_or(path) };
    // A pack that builds on the game cannot use what its scenarios declare.
    let declared = places.declared.iter().filter(|place| !is_shipped_fixture(sources.path(place.at.file)));
    let first = declared.min_by_key(|place| (place.format.is_some(), place.at.file, place.at.start))?;
    let is_internal = path.split('.').any(|part| part.starts_with('_')) || path == "turn";
    let kind_of_word = WordKind::of(kind).filter(|_| !is_internal)?;
    let docs = places::docs(sources, kind, first);
    let example = places.best_example(sources).map(|place| Example {
        line: shorten(line_at(sources, place.at)),
        card: place.card.as_ref().map(ToString::to_string),
        location: location(sources, place.at),
    });
    Some(Word {
        kind: kind_of_word,
        name: name.to_owned(),
        signature: signature(sources, first),
        meaning: first_paragraph(&docs),
        format: first.format.map(str::to_owned),
        location: location(sources, first.at),
        example,
        cards: places.cards().len(),
    })
}

/// Whether a file has declarations for the scenarios of a shipped game.
fn is_shipped_fixture(path: &str) -> bool {
    path.starts_with(PREFIX) && packs::is_fixture_path(path)
}

/// The name with the parameters and the type that follow it in the source.
fn signature(sources: &Sources, place: &DeclarationSite<'_>) -> String {
    let text = sources.text(place.at.file).get(place.at.start as usize..).unwrap_or("");
    let line = text.lines().next().unwrap_or("");
    let name = line.get(..(place.at.end - place.at.start) as usize).unwrap_or(line);
    let rest = line.get(name.len()..).unwrap_or("");
    let Some((params, behind)) = rest.strip_prefix('(').and_then(|rest| rest.split_once(')')) else { return name.to_owned() };
    let result = behind.strip_prefix(':').and_then(|result| result.split(['=', '{']).next()).map_or("", str::trim_end);
    let colon = if result.is_empty() { "" } else { ":" };
    format!("{name}({params}){colon}{result}")
}

/// A line of at most [`MAX_CHARS`] characters.
pub fn shorten(line: &str) -> String {
    if line.chars().count() <= MAX_CHARS {
        return line.to_owned();
    }
    let short: String = line.chars().take(MAX_CHARS).collect();
    format!("{}…", short.trim_end())
}

/// Calls a function with the games of the sources. They are parsed and their names collected; nothing is compiled.
///
/// A note names the files with syntax errors: what they declare may be missing.
pub fn with_games<R>(given: &SourceSet, use_games: impl FnOnce(&[Game<'_>], &Sources) -> R) -> R {
    let sources = Sources::new(given.files.clone());
    let numbers: Vec<u32> = (0..sources.len() as u32).collect();
    let parsed: Vec<Parsed> = numbers.par_iter().map(|file| fizzle_grammar::parse_file(*file, sources.text(*file))).collect();
    note_errors(&parsed, &sources);
    let trees: Vec<Vec<Item>> = parsed.into_iter().map(|file| file.items).collect();
    let files: Vec<packs::ParsedFile<'_>> = (0..)
        .zip(&trees)
        .map(|(file, items)| packs::ParsedFile { path: sources.path(file), items: items.iter().collect() })
        .collect();
    let games: Vec<Game<'_>> = packs::games(&files, &mut Vec::new()).into_iter().map(Game::new).collect();
    use_games(&games, &sources)
}

/// Notes which files have syntax errors.
fn note_errors(parsed: &[Parsed], sources: &Sources) {
    let has_error = |file: &&Parsed| file.errors.iter().any(|error| !error.is_recoverable());
    let with_errors = parsed.iter().zip(0..).filter(|(file, _)| has_error(file)).map(|(_, number)| sources.path(number));
    let paths: Vec<&str> = with_errors.collect();
    let Some(first) = paths.first() else { return };
    let others = if paths.len() > 1 { format!(" and {} other files", paths.len() - 1) } else { String::new() };
    output::note(format!(
        "`{first}`{others} cannot be read as a whole: words may be missing; `fizzle check {}` shows the errors",
        output::shell_quoted(first)
    ));
}
