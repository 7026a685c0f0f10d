//! Loads games: compiles them from sources, or reads them from a compiled pack (`.fzb`). Of a compiled pack only the required parts are read.

use crate::cards_of_packs::name_packs_of_unknown_cards;
use crate::deck_file::DeckArgument;
use crate::failure::CommandError;
use crate::game_setup;
use crate::output::{self, MessageFormat};
use crate::pack_file::PackFile;
use crate::paths::SourceSet;
use crate::shipped;
use crate::text_gaps::UntranslatedPart;
use fizzle_compiler::diagnostics::codes::ILLEGAL_DECK;
use fizzle_compiler::{Compilation, SourceFile};
use fizzle_runtime::ir::artifact::{self, ArtifactError, Pack};
use fizzle_runtime::ir::{Artifact, DefId};
use std::collections::BTreeSet;
use std::path::Path;

/// Compiled games, and which of their files the command line named.
#[derive(Debug)]
pub struct LoadedGames {
    /// The games.
    pub artifact: Artifact,
    /// Paths of the files that the command line named; `None`: all.
    pub requested_files: Option<BTreeSet<String>>,
    /// Parts of cards without rules text.
    pub text_gaps: Vec<UntranslatedPart>,
    /// The sources; empty for a compiled pack.
    pub sources: Vec<SourceFile>,
}

impl LoadedGames {
    fn from_pack(artifact: Artifact) -> Self {
        Self { artifact, requested_files: None, text_gaps: Vec::new(), sources: Vec::new() }
    }

    /// Whether the command line named this file, or all.
    pub fn is_requested(&self, path: &str) -> bool {
        self.requested_files.as_ref().is_none_or(|files| files.contains(path))
    }
}

/// What the games are loaded for. It decides about rules texts and about warnings of illegal decks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadPurpose {
    /// For playing.
    Game,
    /// For showing cards: with their rules texts.
    Texts,
    /// For commands that report illegal decks themselves: without the warnings of the compiler about them.
    Decks,
    /// [`Self::Texts`] and [`Self::Decks`].
    TextsAndDecks,
}

/// Whether a path is a compiled pack.
pub fn is_compiled_pack(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == "fzb")
}

/// Compiles the sources and prints the diagnostics. Returns [`CommandError::AlreadyReported`] if there are errors.
fn compile(given: &SourceSet, format: MessageFormat, purpose: LoadPurpose) -> Result<Compilation, CommandError> {
    let mut compilation =
        fizzle_compiler::compile_with(given.files.clone(), matches!(purpose, LoadPurpose::Texts | LoadPurpose::TextsAndDecks));
    if matches!(purpose, LoadPurpose::Decks | LoadPurpose::TextsAndDecks) {
        compilation.diagnostics.retain(|problem| problem.is_error() || problem.code.code != ILLEGAL_DECK.code);
    }
    name_packs_of_unknown_cards(&mut compilation);
    let (errors, _) = output::diagnostics(&compilation, format);
    if errors > 0 {
        if format == MessageFormat::Human {
            output::note(format!("{} in the sources", plural(errors, "error")));
        }
        return Err(CommandError::AlreadyReported);
    }
    Ok(compilation)
}

/// Loads the games of paths for playing. `extra`: names of further packs and formats; `family`: include all shipped packs of the same games.
pub fn load(paths: &[String], extra: &[&str], family: bool, format: MessageFormat) -> Result<LoadedGames, CommandError> {
    load_for(LoadPurpose::Game, paths, extra, family, format)
}

/// As [`load`], for a given purpose.
pub fn load_for(
    purpose: LoadPurpose,
    paths: &[String],
    extra: &[&str],
    family: bool,
    format: MessageFormat,
) -> Result<LoadedGames, CommandError> {
    if let Some(binary) = find_pack_path(paths)? {
        return Ok(LoadedGames::from_pack(binary.open()?.load_whole().map_err(|error| binary.to_problem(&error))?));
    }
    let given = SourceSet::read_paths(paths, extra, family)?;
    if given.files.is_empty() {
        let name = extra.first().copied().unwrap_or("");
        return Err(CommandError::unknown_name("format", name, shipped::names()));
    }
    compile_games(given, format, purpose)
}

/// Compiles sources that were read.
pub fn compile_games(given: SourceSet, format: MessageFormat, purpose: LoadPurpose) -> Result<LoadedGames, CommandError> {
    let compilation = compile(&given, format, purpose)?;
    let text_gaps = UntranslatedPart::of(&compilation);
    let artifact = compilation
        .artifact
        .ok_or_else(|| CommandError::Defect("the sources have no errors, but compiling returned no games".into()))?;
    Ok(LoadedGames { artifact, requested_files: Some(given.requested), text_gaps, sources: given.files })
}

/// Loads the games for a format and some decks (default: the decks that [`game_setup::candidate_cards`] considers). Of a compiled pack only
/// the cards of these decks are read, and what they refer to.
pub fn load_for_decks(
    purpose: LoadPurpose,
    paths: &[String],
    name: &str,
    decks: &[String],
    format: MessageFormat,
) -> Result<LoadedGames, CommandError> {
    let Some(binary) = find_pack_path(paths)? else { return load_for(purpose, paths, &[name], true, format) };
    let pack = binary.open()?;
    if decks.iter().any(|deck| DeckArgument::of(deck) == DeckArgument::List) {
        // Names of cards in a list are not exact, so all names must be known.
        return Ok(LoadedGames::from_pack(pack.load_whole().map_err(|error| binary.to_problem(&error))?));
    }
    let picked = game_setup::find_format(pack.headers(), name)?;
    let cards = game_setup::candidate_cards(&picked, decks, format)?;
    let games = &pack.headers().games;
    let game = games.iter().position(|game| std::ptr::eq(game, picked.game)).unwrap_or_default();
    binary.load_parts(&pack, purpose, &[(game, cards)])
}

/// Loads games with the cards of some names. Of a compiled pack only these cards are read; all of it if no card has one of the names.
pub fn load_cards(
    purpose: LoadPurpose,
    paths: &[String],
    extra: &[&str],
    names: &BTreeSet<&str>,
    format: MessageFormat,
) -> Result<LoadedGames, CommandError> {
    let Some(binary) = find_pack_path(paths)? else { return load_for(purpose, paths, extra, true, format) };
    let pack = binary.open()?;
    let mut found = Vec::new();
    for game in 0..pack.headers().games.len() {
        found.push((game, pack.find_definitions(game, names).map_err(|error| binary.to_problem(&error))?));
    }
    if found.iter().all(|(_, cards)| cards.is_empty()) {
        return Ok(LoadedGames::from_pack(pack.load_whole().map_err(|error| binary.to_problem(&error))?));
    }
    binary.load_parts(&pack, purpose, &found)
}

/// The path of a compiled pack.
#[derive(Clone, Copy)]
struct PackPath<'p>(&'p str);

/// Returns the compiled pack among the paths, if there is one.
///
/// # Errors
/// There are other paths as well.
fn find_pack_path(paths: &[String]) -> Result<Option<PackPath<'_>>, CommandError> {
    match paths.iter().find(|path| is_compiled_pack(path)) {
        Some(binary) if paths.len() > 1 => {
            Err(CommandError::usage(format!("`{binary}` is a compiled pack: pass it as the only path")))
        }
        found => Ok(found.map(|path| PackPath(path))),
    }
}

impl PackPath<'_> {
    fn to_problem(self, error: &ArtifactError) -> CommandError {
        CommandError::Problem(format!("`{}`: {error}", self.0))
    }

    fn open(self) -> Result<Pack<PackFile>, CommandError> {
        let opened = crate::files::open_input(Path::new(self.0));
        let (file, size) = opened.map_err(|error| CommandError::usage(format!("cannot read `{}`: {error}", self.0)))?;
        Pack::open(PackFile::new(file, size)).map_err(|error| self.to_problem(&error))
    }

    fn load_parts(
        self,
        pack: &Pack<PackFile>,
        purpose: LoadPurpose,
        games: &[(usize, Vec<DefId>)],
    ) -> Result<LoadedGames, CommandError> {
        let contents = match purpose {
            LoadPurpose::Game | LoadPurpose::Decks => artifact::PackContents::Play,
            LoadPurpose::Texts | LoadPurpose::TextsAndDecks => artifact::PackContents::Texts,
        };
        let part =
            |(game, cards): &(usize, Vec<DefId>)| pack.load_part(*game, cards, contents).map_err(|error| self.to_problem(&error));
        Ok(LoadedGames::from_pack(Artifact { games: games.iter().map(part).collect::<Result<_, _>>()? }))
    }
}

/// A count with its noun: `1 error`, `2 errors`.
pub fn plural(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}
