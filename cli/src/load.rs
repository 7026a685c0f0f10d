//! Games ready to be played, explained or tested: compiled from sources, or read from a `.fzb`.

use crate::failure::CommandError;
use crate::game_setup;
use crate::output::{self, MessageFormat};
use crate::pack_file::PackFile;
use crate::paths::SourceSet;
use crate::shipped;
use crate::text_gaps::UntranslatedPart;
use fizzle_compiler::Compilation;
use fizzle_compiler::diagnostics::codes::ILLEGAL_DECK;
use fizzle_runtime::artifact::{self, ArtifactError, Pack};
use fizzle_runtime::ir::{Artifact, DefId};
use std::collections::BTreeSet;
use std::path::Path;

/// Compiled games and which of their files were asked for.
#[derive(Debug)]
pub struct LoadedGames {
    /// The games.
    pub artifact: Artifact,
    /// Paths of the files asked for; `None`: all.
    pub requested_files: Option<BTreeSet<String>>,
    /// What the texts of cards could not say.
    pub text_gaps: Vec<UntranslatedPart>,
}

impl LoadedGames {
    fn packed(artifact: Artifact) -> Self {
        Self { artifact, requested_files: None, text_gaps: Vec::new() }
    }

    /// Whether what stands in a file was asked for.
    pub fn is_asked(&self, path: &str) -> bool {
        self.requested_files.as_ref().is_none_or(|asked| asked.contains(path))
    }
}

/// What games are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LoadPurpose {
    /// To be played.
    Game,
    /// To be read: with the rules texts of the cards.
    Texts,
    /// To look at decks: what is wrong with those is not told besides.
    Decks,
    /// Both.
    TextsAndDecks,
}

/// Whether a path is a compiled pack.
pub fn is_binary(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == "fzb")
}

/// Compiles paths, with the shipped packs that they need, and shows the diagnostics.
fn compile(given: &SourceSet, format: MessageFormat, wanted: LoadPurpose) -> Result<Compilation, CommandError> {
    let mut compilation =
        fizzle_compiler::compile_with(given.files.clone(), matches!(wanted, LoadPurpose::Texts | LoadPurpose::TextsAndDecks));
    if matches!(wanted, LoadPurpose::Decks | LoadPurpose::TextsAndDecks) {
        compilation.diagnostics.retain(|problem| problem.is_error() || problem.code.code != ILLEGAL_DECK.code);
    }
    let (errors, _) = output::diagnostics(&compilation, format);
    if errors > 0 {
        if format == MessageFormat::Human {
            output::note(format!("{} in the sources", plural(errors, "error")));
        }
        return Err(CommandError::AlreadyReported);
    }
    Ok(compilation)
}

/// Games of paths, to be played. `extra` are names of packs and formats that are needed besides; `family`: whatever is shipped for the same games.
pub fn load(paths: &[String], extra: &[&str], family: bool, format: MessageFormat) -> Result<LoadedGames, CommandError> {
    load_for(LoadPurpose::Game, paths, extra, family, format)
}

/// The same, for what is said.
pub fn load_for(
    wanted: LoadPurpose,
    paths: &[String],
    extra: &[&str],
    family: bool,
    format: MessageFormat,
) -> Result<LoadedGames, CommandError> {
    if let Some(binary) = binary(paths)? {
        return Ok(LoadedGames::packed(binary.open()?.whole().map_err(|error| binary.bad(&error))?));
    }
    let given = SourceSet::read(paths, extra, family)?;
    if given.files.is_empty() {
        let name = extra.first().copied().unwrap_or("");
        return Err(CommandError::unknown("format", name, shipped::names()));
    }
    of(given, format, wanted)
}

/// Games of what was read.
pub fn of(given: SourceSet, format: MessageFormat, wanted: LoadPurpose) -> Result<LoadedGames, CommandError> {
    let compilation = compile(&given, format, wanted)?;
    let unsaid = UntranslatedPart::of(&compilation);
    let artifact = compilation
        .artifact
        .ok_or_else(|| CommandError::Defect("the sources have no errors, and yet nothing was made".into()))?;
    Ok(LoadedGames { artifact, requested_files: Some(given.requested), text_gaps: unsaid })
}

/// Games to be played in a format by some decks (else the first ones that are made for it). Of a compiled pack only what these need is read.
pub fn load_table(
    wanted: LoadPurpose,
    paths: &[String],
    name: &str,
    decks: &[String],
    format: MessageFormat,
) -> Result<LoadedGames, CommandError> {
    let Some(binary) = binary(paths)? else { return load_for(wanted, paths, &[name], true, format) };
    let pack = binary.open()?;
    let picked = game_setup::format(pack.heads(), name)?;
    let cards = game_setup::looked_at(&picked, decks)?;
    let games = &pack.heads().games;
    let game = games.iter().position(|game| std::ptr::eq(game, picked.game)).unwrap_or_default();
    binary.parts(&pack, wanted, &[(game, cards)])
}

/// Games with the cards of some names, in the format of a name or in all; and all of the games where nothing is called so.
pub fn load_cards(
    wanted: LoadPurpose,
    paths: &[String],
    extra: &[&str],
    names: &BTreeSet<&str>,
    format: MessageFormat,
) -> Result<LoadedGames, CommandError> {
    let Some(binary) = binary(paths)? else { return load_for(wanted, paths, extra, true, format) };
    let pack = binary.open()?;
    let mut found = Vec::new();
    for game in 0..pack.heads().games.len() {
        found.push((game, pack.find(game, names).map_err(|error| binary.bad(&error))?));
    }
    if found.iter().all(|(_, cards)| cards.is_empty()) {
        return Ok(LoadedGames::packed(pack.whole().map_err(|error| binary.bad(&error))?));
    }
    binary.parts(&pack, wanted, &found)
}

/// The path of a compiled pack.
#[derive(Clone, Copy)]
struct Binary<'p>(&'p str);

/// The compiled pack among paths, which is alone.
fn binary(paths: &[String]) -> Result<Option<Binary<'_>>, CommandError> {
    match paths.iter().find(|path| is_binary(path)) {
        Some(binary) if paths.len() > 1 => Err(CommandError::usage(format!("`{binary}` is compiled already: give it alone"))),
        found => Ok(found.map(|path| Binary(path))),
    }
}

impl Binary<'_> {
    fn bad(self, error: &ArtifactError) -> CommandError {
        CommandError::Problem(format!("`{}`: {error}", self.0))
    }

    fn open(self) -> Result<Pack<PackFile>, CommandError> {
        let file =
            PackFile::open(self.0).map_err(|error| CommandError::usage(format!("`{}` cannot be read: {error}", self.0)))?;
        Pack::open(file).map_err(|error| self.bad(&error))
    }

    fn parts(
        self,
        pack: &Pack<PackFile>,
        wanted: LoadPurpose,
        games: &[(usize, Vec<DefId>)],
    ) -> Result<LoadedGames, CommandError> {
        let wanted = match wanted {
            LoadPurpose::Game | LoadPurpose::Decks => artifact::PackContents::Play,
            LoadPurpose::Texts | LoadPurpose::TextsAndDecks => artifact::PackContents::Texts,
        };
        let part = |(game, cards): &(usize, Vec<DefId>)| pack.part(*game, cards, wanted).map_err(|error| self.bad(&error));
        Ok(LoadedGames::packed(Artifact { games: games.iter().map(part).collect::<Result<_, _>>()? }))
    }
}

/// `1 error`, `2 errors`.
pub fn plural(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}
