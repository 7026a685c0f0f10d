//! From the paths of the command line to source texts: files, directories, names of shipped packs and formats, compiled packs.

use crate::failure::CommandError;
use crate::files;
use crate::pack_scan::{PackReferences, scan};
use crate::shipped;
use fizzle_compiler::SourceFile;
use rayon::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The largest source file that is read.
const MAX_SOURCE: u64 = 32 << 20;

/// What was asked for, read.
#[derive(Debug, Default)]
pub struct SourceSet {
    /// All files to be compiled.
    pub files: Vec<SourceFile>,
    /// Paths of those that were asked for, without those that only belong to the same packs.
    pub requested: BTreeSet<String>,
    /// What they say.
    pub mentions: PackReferences,
}

impl SourceSet {
    /// Reads the paths, and the shipped packs that they need. `family`: whatever is shipped for the same games comes along.
    pub fn read(paths: &[String], extra: &[&str], family: bool) -> Result<Self, CommandError> {
        let mut given = Self::default();
        for path in paths {
            given.add(path)?;
        }
        let said: Vec<PackReferences> = given.files.par_iter().map(|file| scan(&file.text)).collect();
        said.into_iter().for_each(|said| given.mentions.add(said));
        given.mentions.needs.extend(extra.iter().map(ToString::to_string));
        if family {
            // Cards given for a game may be played in all its formats.
            let roots: Vec<String> = given.mentions.packs.iter().cloned().collect();
            given.mentions.needs.extend(roots);
        }
        for pack in shipped::needed(&given.mentions, family) {
            let Some(pack) = shipped::packs().get(pack) else { continue };
            given.files.extend(pack.files.iter().cloned());
        }
        Ok(given)
    }

    fn add(&mut self, path: &str) -> Result<(), CommandError> {
        let written = from_pack(Path::new(path));
        let place = written.as_deref().unwrap_or(Path::new(path));
        if place.is_dir() {
            let mut found = Vec::new();
            walk(place, &mut found)?;
            if found.is_empty() {
                return Err(CommandError::usage(format!("there are no `.fz` files in `{path}`")));
            }
            if let Some(root) = pack_above(place)
                && !place.join("pack.fz").is_file()
            {
                self.rest_of_pack(&root)?;
            }
            found.iter().try_for_each(|file| self.file(file, true))
        } else if place.exists() {
            let parent = place
                .parent()
                .map_or_else(|| PathBuf::from("."), |p| if p.as_os_str().is_empty() { PathBuf::from(".") } else { p.into() });
            self.file(place, true)?;
            let is_manifest = !self.mentions_of(place).packs.is_empty();
            match pack_above(&parent.join("x")) {
                Some(root) if !is_manifest || place.file_name().is_some_and(|name| name == "pack.fz") => self.rest_of_pack(&root),
                _ => Ok(()),
            }
        } else if let Some(pack) = shipped::find(path).and_then(|pack| shipped::packs().get(pack)) {
            self.requested.extend(pack.files.iter().map(|file| file.path.clone()));
            self.mentions.needs.insert(path.to_owned());
            Ok(())
        } else {
            let looks_like_path = path.contains(['/', '\\', '.']);
            let mut failure =
                CommandError::unknown(if looks_like_path { "file" } else { "file or shipped game" }, path, shipped::names());
            if looks_like_path && let CommandError::Usage { help, .. } = &mut failure {
                *help = None;
            }
            Err(failure)
        }
    }

    fn mentions_of(&self, path: &Path) -> PackReferences {
        let shown = shown(path);
        self.files.iter().find(|file| file.path == shown).map_or_else(PackReferences::default, |file| scan(&file.text))
    }

    /// Reads the other files of the pack whose manifest is in a directory.
    fn rest_of_pack(&mut self, root: &Path) -> Result<(), CommandError> {
        let mut found = Vec::new();
        walk(root, &mut found)?;
        found.iter().try_for_each(|file| self.file(file, false))
    }

    fn file(&mut self, path: &Path, asked: bool) -> Result<(), CommandError> {
        let shown = shown(path);
        if asked {
            self.requested.insert(shown.clone());
        }
        if self.files.iter().any(|file| file.path == shown) {
            return Ok(());
        }
        let text = read(path)?;
        self.files.push(SourceFile { path: shown, text });
        Ok(())
    }
}

/// A path as messages show it.
fn shown(path: &Path) -> String {
    let text = path.to_string_lossy().replace('\\', "/");
    text.strip_prefix("./").map_or(text.clone(), str::to_owned)
}

/// The text of a source file.
pub fn read(path: &Path) -> Result<String, CommandError> {
    read_bounded(path, MAX_SOURCE, "a source file")
}

/// The text of a file of at most so many bytes. `what`: what may be so large.
pub fn read_bounded(path: &Path, most: u64, what: &str) -> Result<String, CommandError> {
    let bytes = files::read(path, most, what)?;
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = error.as_bytes().iter().take(good).filter(|byte| **byte == b'\n').count() + 1;
        CommandError::Problem(format!("`{}` is not UTF-8 text: line {line} has a byte that is not", path.display()))
    })
}

/// All `.fz` files in a directory, in a fixed order.
pub fn walk(directory: &Path, found: &mut Vec<PathBuf>) -> Result<(), CommandError> {
    let unreadable = |error: std::io::Error| CommandError::usage(format!("`{}` cannot be read: {error}", directory.display()));
    let mut entries: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(unreadable)? {
        entries.push(entry.map_err(unreadable)?.path());
    }
    entries.sort();
    for entry in entries {
        let hidden = entry.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.') || name == "target");
        // A link to a directory could lead back here.
        let linked = entry.is_symlink() && entry.is_dir();
        if hidden || linked {
            continue;
        }
        if entry.is_dir() {
            walk(&entry, found)?;
        } else if entry.extension().is_some_and(|extension| extension == "fz") {
            found.push(entry);
        }
    }
    Ok(())
}

/// The nearest directory above a path, as it is written, that has a manifest.
pub fn pack_above(path: &Path) -> Option<PathBuf> {
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

/// A relative path inside of a pack whose manifest lies above the working directory, written from there: `../../cards/x.fz`.
fn from_pack(path: &Path) -> Option<PathBuf> {
    if path.is_absolute() || pack_above(&path.join("x")).is_some() {
        return None;
    }
    let whole = path.canonicalize().ok()?;
    let here = Path::new(".").canonicalize().ok()?;
    let root = pack_above(&whole)?;
    let up = here.strip_prefix(&root).ok()?.components().count();
    let mut written: PathBuf = std::iter::repeat_n("..", up).collect();
    written.push(whole.strip_prefix(&root).ok()?);
    Some(written)
}
