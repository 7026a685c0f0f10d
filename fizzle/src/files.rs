//! Packs on disk: the only place of the library that reads files. Everything else takes texts and bytes.

use crate::{Error, Pack};
use std::path::{Path, PathBuf};

impl Pack {
    /// Reads a pack from the disk: a compiled pack (`.fzb`), a source file, or a folder with source files (`.fz`), of which all are compiled
    /// together as by [`Pack::compile`]. Hidden entries, folders named `target` and links to folders are left out.
    ///
    /// # Errors
    /// [`Error::Read`] if something cannot be read; else as [`Pack::from_bytes`] and [`Pack::compile`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        if path.extension().is_some_and(|extension| extension == "fzb") {
            return Self::from_bytes(&read_bytes(path)?);
        }
        let mut files = Vec::new();
        if path.is_dir() {
            find_sources(path, &mut files)?;
        } else {
            files.push(path.to_owned());
        }
        let sources = files.iter().map(|file| Ok((file.to_string_lossy().replace('\\', "/"), read_text(file)?)));
        Self::compile(sources.collect::<Result<Vec<_>, Error>>()?)
    }
}

#[expect(clippy::disallowed_methods, reason = "this module is the one that reads files")]
fn read_bytes(path: &Path) -> Result<Vec<u8>, Error> {
    std::fs::read(path).map_err(|error| read_error(path, error))
}

#[expect(clippy::disallowed_methods, reason = "this module is the one that reads files")]
fn read_text(path: &Path) -> Result<String, Error> {
    std::fs::read_to_string(path).map_err(|error| read_error(path, error))
}

fn read_error(path: &Path, source: std::io::Error) -> Error {
    Error::Read { path: path.display().to_string(), source }
}

/// Collects all `.fz` files in a directory and its subdirectories, sorted by path. Skips hidden entries, `target` and linked directories.
///
/// # Errors
/// [`Error::Read`] if a directory cannot be read.
pub fn find_sources(directory: &Path, found: &mut Vec<PathBuf>) -> Result<(), Error> {
    let mut entries: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(directory).map_err(|error| read_error(directory, error))? {
        entries.push(entry.map_err(|error| read_error(directory, error))?.path());
    }
    entries.sort();
    for entry in entries {
        let hidden = entry.file_name().is_some_and(|name| name.to_string_lossy().starts_with('.') || name == "target");
        // A link to a directory could form a cycle.
        let linked = entry.is_symlink() && entry.is_dir();
        if hidden || linked {
            continue;
        }
        if entry.is_dir() {
            find_sources(&entry, found)?;
        } else if entry.extension().is_some_and(|extension| extension == "fz") {
            found.push(entry);
        }
    }
    Ok(())
}
