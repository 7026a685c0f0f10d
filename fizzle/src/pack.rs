//! Packs: compiled rules and cards, from sources or from a compiled pack.

use crate::error::UnknownName;
use crate::{CompileError, Diagnostic, Error, Format, Scenario, ScenarioResult};
use fizzle_compiler::SourceFile;
use fizzle_runtime::ir::artifact;
use fizzle_runtime::ir::{Artifact, CompiledGame};
use fizzle_runtime::scenario::ScenarioRunner;
use std::collections::BTreeSet;
use std::sync::Arc;

/// Rules and cards, compiled: the formats that can be played, their decks, and their scenarios.
///
/// A clone is cheap and shares the compiled tables.
#[derive(Clone)]
pub struct Pack {
    inner: Arc<Inner>,
}

struct Inner {
    artifact: Artifact,
    warnings: Vec<Diagnostic>,
    /// The files whose scenarios are listed; `None`: all.
    listed_files: Option<BTreeSet<String>>,
}

impl Pack {
    /// Compiles sources: pairs of a path and the text of the file.
    ///
    /// Paths are names, nothing is read: parts are separated by `/`, and a file belongs to the nearest `pack.fz` in its folder or above. With the
    /// feature `shipped`, the shipped packs that the sources refer to (`extends duel_masters`) are added, unless the sources declare a pack of
    /// the same name.
    ///
    /// # Errors
    /// [`Error::Compile`] if the sources have errors.
    pub fn compile<P: Into<String>, T: Into<String>>(sources: impl IntoIterator<Item = (P, T)>) -> Result<Self, Error> {
        let pairs = sources.into_iter();
        let files: Vec<SourceFile> = pairs.map(|(path, text)| SourceFile { path: path.into(), text: text.into() }).collect();
        let listed = files.iter().map(|file| file.path.clone()).collect();
        Self::compile_files(with_required_packs(files), listed)
    }

    /// Compiles all files, and lists the scenarios of some of them.
    fn compile_files(files: Vec<SourceFile>, listed: BTreeSet<String>) -> Result<Self, Error> {
        let compilation = fizzle_compiler::compile_with(files, true);
        let diagnostics: Vec<Diagnostic> =
            compilation.diagnostics.iter().map(|diagnostic| Diagnostic::new(diagnostic, &compilation.sources)).collect();
        match compilation.artifact {
            Some(artifact) => Ok(Self::new(artifact, diagnostics, Some(listed))),
            None => Err(CompileError { diagnostics }.into()),
        }
    }

    fn new(artifact: Artifact, warnings: Vec<Diagnostic>, listed_files: Option<BTreeSet<String>>) -> Self {
        Self { inner: Arc::new(Inner { artifact, warnings, listed_files }) }
    }

    /// Reads a compiled pack (`.fzb`), as [`Pack::to_bytes`] and `fizzle build` write it. All of it is verified: bytes of a stranger are safe.
    ///
    /// # Errors
    /// [`Error::CompiledPack`] if the bytes are damaged, or of another version.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, Error> {
        let artifact = artifact::decode(bytes).map_err(|error| Error::CompiledPack(error.into()))?;
        Ok(Self::new(artifact, Vec::new(), None))
    }

    /// The bytes of a compiled pack. Reading them back takes less time than compiling.
    ///
    /// # Errors
    /// [`Error::CompiledPack`] if the pack is larger than a compiled pack may be.
    pub fn to_bytes(&self) -> Result<Vec<u8>, Error> {
        artifact::encode(&self.inner.artifact).map_err(|error| Error::CompiledPack(error.into()))
    }

    /// The shipped pack of a name (such as `magic`, `yugioh` or `duel_masters`), or the one that declares a format of this name, with all packs
    /// that it needs. It is compiled by each call.
    ///
    /// # Errors
    /// [`Error::Unknown`] if there is no shipped pack or format of the name.
    #[cfg(feature = "shipped")]
    pub fn shipped(name: &str) -> Result<Self, Error> {
        let listed = Self::shipped_sources(name)?.into_iter().map(|(path, _)| path).collect();
        let needs = BTreeSet::from([name.to_owned()]);
        let references = crate::pack_scan::PackReferences { needs, ..Default::default() };
        Self::compile_files(required_files(&references), listed)
    }

    /// The sources of a shipped pack alone, as pairs of a path (`shipped:PATH`) and a text. For [`Pack::compile`], together with sources that
    /// are to be played in its formats without naming them.
    ///
    /// # Errors
    /// [`Error::Unknown`] if there is no shipped pack or format of the name.
    #[cfg(feature = "shipped")]
    pub fn shipped_sources(name: &str) -> Result<Vec<(String, String)>, Error> {
        let found = crate::shipped::find_pack(name).and_then(|pack| crate::shipped::packs().get(pack));
        let pack = found.ok_or_else(|| UnknownName::new("shipped pack", name, crate::shipped::names()))?;
        Ok(pack.files.iter().map(|file| (file.path.clone(), file.text.clone())).collect())
    }

    /// The names of the shipped packs, in alphabetical order.
    #[cfg(feature = "shipped")]
    #[must_use]
    pub fn shipped_names() -> Vec<String> {
        crate::shipped::packs().iter().map(|pack| pack.name.clone()).collect()
    }

    /// The warnings of the compiler, in the order of files and places. A compiled pack has none.
    #[must_use]
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.inner.warnings
    }

    /// The formats of all games of the pack: of each game first the game itself, then its differences.
    #[must_use]
    pub fn formats(&self) -> Vec<Format> {
        let games = self.games().iter().enumerate();
        games.flat_map(|(game, it)| (0..it.formats.len()).map(move |index| Format::new(self.clone(), game, index))).collect()
    }

    /// The format of a name.
    ///
    /// # Errors
    /// [`Error::Unknown`] if the pack has no such format.
    pub fn format(&self, name: &str) -> Result<Format, Error> {
        let formats = self.formats();
        let names: Vec<&str> = formats.iter().map(Format::name).collect();
        let unknown = UnknownName::new("format", name, names);
        formats.into_iter().find(|format| format.name() == name).ok_or(Error::Unknown(unknown))
    }

    /// The scenarios of the files that were compiled, in their order; of a shipped pack those of its files only. A compiled pack lists those of
    /// all its files.
    #[must_use]
    pub fn scenarios(&self) -> Vec<Scenario> {
        let all = self.games().iter().enumerate();
        let all = all.flat_map(|(game, it)| (0..it.scenarios.len()).map(move |index| Scenario::new(self.clone(), game, index)));
        all.filter(|scenario| self.inner.listed_files.as_ref().is_none_or(|files| files.contains(scenario.file()))).collect()
    }

    /// Runs all [scenarios](Pack::scenarios) and returns their results, in the same order. Each format is linked only once, so this takes less
    /// time than [`Scenario::run`] for each.
    #[must_use]
    pub fn run_scenarios(&self) -> Vec<ScenarioResult> {
        let runners: Vec<ScenarioRunner<'_>> = self.games().iter().map(ScenarioRunner::new).collect();
        self.scenarios().iter().filter_map(|scenario| Some(scenario.result(runners.get(scenario.game())?))).collect()
    }

    /// The compiled games. Numbers of games, formats and scenarios stay valid, since a pack never changes.
    pub(crate) fn games(&self) -> &[CompiledGame] {
        &self.inner.artifact.games
    }
}

impl std::fmt::Debug for Pack {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let formats: Vec<&str> = self.games().iter().flat_map(|game| &game.formats).map(|format| format.name.as_str()).collect();
        f.debug_struct("Pack").field("formats", &formats).finish_non_exhaustive()
    }
}

/// Adds the shipped packs that files refer to.
#[cfg(feature = "shipped")]
fn with_required_packs(mut files: Vec<SourceFile>) -> Vec<SourceFile> {
    let mut references = crate::pack_scan::PackReferences::default();
    files.iter().for_each(|file| references.add(crate::pack_scan::scan(&file.text)));
    files.extend(required_files(&references));
    files
}

/// Without shipped packs, the files are all.
#[cfg(not(feature = "shipped"))]
fn with_required_packs(files: Vec<SourceFile>) -> Vec<SourceFile> {
    files
}

/// The files of the shipped packs that are needed.
#[cfg(feature = "shipped")]
fn required_files(references: &crate::pack_scan::PackReferences) -> Vec<SourceFile> {
    let required = crate::shipped::required_packs(references, false);
    required
        .into_iter()
        .filter_map(|pack| crate::shipped::packs().get(pack))
        .flat_map(|pack| pack.files_for_dependents().cloned())
        .collect()
}
