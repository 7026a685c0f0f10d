//! Compiles packs from the unsaved sources of an editor.

use fizzle::pack_scan::{PackReferences, scan};
use fizzle::shipped;
use fizzle_compiler::SourceFile;
use fizzle_runtime::ir::CompiledGame;
use std::sync::{Arc, Mutex, PoisonError};

/// Compiled games.
pub type Games = Arc<[Arc<CompiledGame>]>;

/// Compiles sources. The result for the last sources is cached.
///
/// Key: the paths and texts of all sources that are not shipped. Value: the compiled games, or that there are errors. Valid for ever. A miss compiles
/// all of the sources and the shipped packs that they need, some 0.1 to 0.5 s; a hit compares the texts.
#[derive(Debug, Default)]
pub struct PackCompiler {
    last: Mutex<Option<CompiledSources>>,
    /// The games of the last sources that had no errors.
    last_good: Mutex<Option<Games>>,
}

/// Sources, and what they compile to.
type CompiledSources = (Vec<SourceFile>, Result<Games, SourcesHaveErrors>);

/// The sources have errors. The language server reports them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SourcesHaveErrors;

impl PackCompiler {
    /// The games of sources, with all shipped packs of the same games, so that a card is shown in all formats that it can be played in.
    ///
    /// # Errors
    /// [`SourcesHaveErrors`].
    pub fn games(&self, files: Vec<SourceFile>) -> Result<Games, SourcesHaveErrors> {
        let own: Vec<SourceFile> = files.into_iter().filter(|file| !file.path.starts_with(shipped::PREFIX)).collect();
        let last = || self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((known, games)) = &*last()
            && *known == own
        {
            return games.clone();
        }
        let compilation = fizzle_compiler::compile_with(with_shipped_family(own.clone()), true);
        let games = match compilation.artifact {
            Some(artifact) => Ok(artifact.games.into_iter().map(Arc::new).collect()),
            None => Err(SourcesHaveErrors),
        };
        if let Ok(games) = &games {
            *self.last_good.lock().unwrap_or_else(PoisonError::into_inner) = Some(Arc::clone(games));
        }
        *last() = Some((own, games.clone()));
        games
    }

    /// The games of the last sources that had no errors.
    pub fn last_good(&self) -> Option<Games> {
        self.last_good.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Adds the shipped packs that sources need, and those of the same games. Without sources: all of them.
fn with_shipped_family(mut files: Vec<SourceFile>) -> Vec<SourceFile> {
    let mut references = PackReferences::default();
    files.iter().for_each(|file| references.add(scan(&file.text)));
    if files.is_empty() {
        references.needs.extend(shipped::names().iter().map(ToString::to_string));
    }
    let roots: Vec<String> = references.packs.iter().cloned().collect();
    references.needs.extend(roots);
    for pack in shipped::required_packs(&references, true) {
        files.extend(shipped::packs().get(pack).into_iter().flat_map(shipped::ShippedPack::files_for_dependents).cloned());
    }
    files
}

/// The path of a source of a game by its number.
pub(crate) fn source_path(game: &CompiledGame, file: u32) -> &str {
    game.library.files.get(file as usize).map_or("", String::as_str)
}
