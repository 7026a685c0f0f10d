//! Games ready to be played, explained or tested: compiled from sources, or read from a `.fzb`.

use crate::failure::Failure;
use crate::out::{self, MessageFormat};
use crate::paths::Given;
use crate::shipped;
use crate::unsaid::Unsaid;
use fizzle_compiler::Compilation;
use fizzle_compiler::diagnostics::codes::ILLEGAL_DECK;
use fizzle_runtime::artifact::{self, ArtifactError};
use fizzle_runtime::ir::Artifact;
use std::collections::BTreeSet;
use std::path::Path;

/// The largest compiled pack that is read.
const MAX_BYTES: u64 = artifact::MAX_BYTES as u64;

/// Compiled games and which of their files were asked for.
#[derive(Debug)]
pub struct Compiled {
    /// The games.
    pub artifact: Artifact,
    /// Paths of the files asked for; `None`: all.
    pub asked: Option<BTreeSet<String>>,
    /// What the texts of cards could not say.
    pub unsaid: Vec<Unsaid>,
}

impl Compiled {
    /// Whether what stands in a file was asked for.
    pub fn is_asked(&self, path: &str) -> bool {
        self.asked.as_ref().is_none_or(|asked| asked.contains(path))
    }
}

/// What games are made for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
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
fn is_binary(path: &str) -> bool {
    Path::new(path).extension().is_some_and(|extension| extension == "fzb")
}

/// Compiles paths, with the shipped packs that they need, and shows the diagnostics.
fn compile(given: &Given, format: MessageFormat, wanted: Wanted) -> Result<Compilation, Failure> {
    let mut compilation =
        fizzle_compiler::compile_with(given.files.clone(), matches!(wanted, Wanted::Texts | Wanted::TextsAndDecks));
    if matches!(wanted, Wanted::Decks | Wanted::TextsAndDecks) {
        compilation.diagnostics.retain(|problem| problem.is_error() || problem.code.code != ILLEGAL_DECK.code);
    }
    let (errors, _) = out::diagnostics(&compilation, format);
    if errors > 0 {
        if format == MessageFormat::Human {
            out::note(format!("{} in the sources", plural(errors, "error")));
        }
        return Err(Failure::Told);
    }
    Ok(compilation)
}

/// Games of paths, to be played. `extra` are names of packs and formats that are needed besides; `family`: whatever is shipped for the same games.
pub fn load(paths: &[String], extra: &[&str], family: bool, format: MessageFormat) -> Result<Compiled, Failure> {
    load_for(Wanted::Game, paths, extra, family, format)
}

/// The same, for what is said.
pub fn load_for(
    wanted: Wanted,
    paths: &[String],
    extra: &[&str],
    family: bool,
    format: MessageFormat,
) -> Result<Compiled, Failure> {
    if let Some(binary) = paths.iter().find(|path| is_binary(path)) {
        if paths.len() > 1 {
            return Err(Failure::usage(format!("`{binary}` is compiled already: give it alone")));
        }
        return Ok(Compiled { artifact: read_binary(binary)?, asked: None, unsaid: Vec::new() });
    }
    let given = Given::read(paths, extra, family)?;
    if given.files.is_empty() {
        let name = extra.first().copied().unwrap_or("");
        return Err(Failure::unknown("format", name, shipped::names()));
    }
    of(given, format, wanted)
}

/// Games of what was read.
pub fn of(given: Given, format: MessageFormat, wanted: Wanted) -> Result<Compiled, Failure> {
    let compilation = compile(&given, format, wanted)?;
    let unsaid = Unsaid::of(&compilation);
    let artifact =
        compilation.artifact.ok_or_else(|| Failure::Defect("the sources have no errors, and yet nothing was made".into()))?;
    Ok(Compiled { artifact, asked: Some(given.asked), unsaid })
}

fn read_binary(path: &str) -> Result<Artifact, Failure> {
    let unreadable = |error: std::io::Error| Failure::usage(format!("`{path}` cannot be read: {error}"));
    let size = std::fs::metadata(path).map_err(unreadable)?.len();
    let bad = |error: &ArtifactError| Failure::Problem(format!("`{path}`: {error}"));
    if size > MAX_BYTES {
        return Err(bad(&ArtifactError::Length));
    }
    let bytes = std::fs::read(path).map_err(unreadable)?;
    artifact::decode(&bytes).map_err(|error| bad(&error))
}

/// `1 error`, `2 errors`.
pub fn plural(count: usize, word: &str) -> String {
    if count == 1 { format!("1 {word}") } else { format!("{count} {word}s") }
}
