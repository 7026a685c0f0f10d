//! Resolves the paths of the command line to source texts: files, directories, names of shipped packs and formats.
//!
//! The other files of the same pack, and the shipped packs that the files refer to, are added.

use crate::failure::CommandError;
use crate::files;
use crate::pack_scan::{PackReferences, scan};
use crate::shipped;
use fizzle_compiler::SourceFile;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The largest source file that is read, in bytes.
const MAX_SOURCE_BYTES: u64 = 32 << 20;

/// The source files to compile.
#[derive(Debug, Default)]
pub struct SourceSet {
    /// All files to compile.
    pub files: Vec<SourceFile>,
    /// Paths of the files that the command line named, without other files of the same packs.
    pub requested: BTreeSet<String>,
    /// The packs and formats that the files declare or need.
    pub references: PackReferences,
}

impl SourceSet {
    /// Reads the paths and the shipped packs that they need. `extra`: names of further packs and formats; `family`: include all shipped
    /// packs of the same games.
    pub fn read_paths(paths: &[String], extra: &[&str], family: bool) -> Result<Self, CommandError> {
        let mut given = Self::default();
        for path in paths {
            given.add_path(path)?;
        }
        let scanned: Vec<PackReferences> = given.files.par_iter().map(|file| scan(&file.text)).collect();
        scanned.into_iter().for_each(|found| given.references.add(found));
        given.references.needs.extend(extra.iter().map(ToString::to_string));
        if family {
            // Cards for a game may be played in all its formats.
            let roots: Vec<String> = given.references.packs.iter().cloned().collect();
            given.references.needs.extend(roots);
        }
        for pack in shipped::required_packs(&given.references, family) {
            let Some(pack) = shipped::packs().get(pack) else { continue };
            given.files.extend(pack.files.iter().cloned());
        }
        Ok(given)
    }

    fn add_path(&mut self, path: &str) -> Result<(), CommandError> {
        let written = relative_to_pack(Path::new(path));
        let place = written.as_deref().unwrap_or(Path::new(path));
        if place.is_dir() {
            let mut found = Vec::new();
            find_sources(place, &mut found)?;
            if found.is_empty() {
                return Err(CommandError::usage(format!("no `.fz` files in `{path}`")));
            }
            if let Some(root) = find_pack_root(place)
                && !place.join("pack.fz").is_file()
            {
                self.add_rest_of_pack(&root)?;
            }
            found.iter().try_for_each(|file| self.add_file(file, true))
        } else if place.exists() {
            let parent = place
                .parent()
                .map_or_else(|| PathBuf::from("."), |p| if p.as_os_str().is_empty() { PathBuf::from(".") } else { p.into() });
            self.add_file(place, true)?;
            let is_manifest = !self.references_of(place).packs.is_empty();
            match find_pack_root(&parent.join("x")) {
                Some(root) if !is_manifest || place.file_name().is_some_and(|name| name == "pack.fz") => {
                    self.add_rest_of_pack(&root)
                }
                _ => Ok(()),
            }
        } else if let Some(pack) = shipped::find_pack(path).and_then(|pack| shipped::packs().get(pack)) {
            self.requested.extend(pack.files.iter().map(|file| file.path.clone()));
            self.references.needs.insert(path.to_owned());
            Ok(())
        } else {
            let looks_like_path = path.contains(['/', '\\', '.']);
            let mut failure =
                CommandError::unknown_name(if looks_like_path { "file" } else { "file or shipped game" }, path, shipped::names());
            if looks_like_path && let CommandError::Usage { help, .. } = &mut failure {
                *help = None;
            }
            Err(failure)
        }
    }

    fn references_of(&self, path: &Path) -> PackReferences {
        let shown = displayed_path(path);
        self.files.iter().find(|file| file.path == shown).map_or_else(PackReferences::default, |file| scan(&file.text))
    }

    /// Adds the other files of the pack whose manifest is in a directory.
    fn add_rest_of_pack(&mut self, root: &Path) -> Result<(), CommandError> {
        let mut found = Vec::new();
        find_sources(root, &mut found)?;
        found.iter().try_for_each(|file| self.add_file(file, false))
    }

    fn add_file(&mut self, path: &Path, is_requested: bool) -> Result<(), CommandError> {
        let shown = displayed_path(path);
        if is_requested {
            self.requested.insert(shown.clone());
        }
        if self.files.iter().any(|file| file.path == shown) {
            return Ok(());
        }
        let text = read_source(path)?;
        self.files.push(SourceFile { path: shown, text });
        Ok(())
    }
}

/// A path as messages show it: with `/`, and without a leading `./`.
fn displayed_path(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    text.strip_prefix("./").map_or(text.clone(), str::to_owned)
}

/// Reads the text of a source file.
pub fn read_source(path: &Path) -> Result<String, CommandError> {
    read_bounded(path, MAX_SOURCE_BYTES, "a source file")
}

/// Reads the UTF-8 text of a file of at most `max` bytes. `what`: the kind of file that has this limit, for the message.
pub fn read_bounded(path: &Path, max: u64, what: &str) -> Result<String, CommandError> {
    let bytes = files::read(path, max, what)?;
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = error.as_bytes().iter().take(good).filter(|byte| **byte == b'\n').count() + 1;
        CommandError::Problem(format!("`{}` is not UTF-8 text: invalid byte in line {line}", path.display()))
    })
}

/// Collects all `.fz` files in a directory and its subdirectories, sorted by path. Skips hidden entries, `target` and linked directories.
pub fn find_sources(directory: &Path, found: &mut Vec<PathBuf>) -> Result<(), CommandError> {
    fizzle::files::find_sources(directory, found).map_err(|error| CommandError::usage(error.to_string()))
}

/// The nearest directory with a manifest (`pack.fz`) above a path. The path is taken as written, without resolving links or `..`.
pub fn find_pack_root(path: &Path) -> Option<PathBuf> {
    let mut at = path.parent();
    while let Some(directory) = at {
        let here = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
        if here.join("pack.fz").is_file() {
            return Some(here.to_owned());
        }
        at = directory.parent();
    }
    None
}

/// For a relative path inside of a pack whose manifest is above the working directory: the path by way of the pack's folder, such as
/// `../../cards/x.fz`.
fn relative_to_pack(path: &Path) -> Option<PathBuf> {
    if path.is_absolute() || find_pack_root(&path.join("x")).is_some() {
        return None;
    }
    let whole = path.canonicalize().ok()?;
    let here = Path::new(".").canonicalize().ok()?;
    let root = find_pack_root(&whole)?;
    let up = here.strip_prefix(&root).ok()?.components().count();
    let mut written: PathBuf = std::iter::repeat_n("..", up).collect();
    written.push(whole.strip_prefix(&root).ok()?);
    Some(written)
}
