//! Reads source files from disk: those of open folders, and those of the pack that an open file belongs to.

use super::uri::normalized_path;
use crate::paths::{find_sources, pack_root, read_source};
use fizzle::files::displayed_path;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// At most this many files of a folder are read.
const MAX_FILES_PER_FOLDER: usize = 50_000;

/// Reads the `.fz` files of a folder: their texts by path, and a message for each that could not be read.
pub fn read_folder(root: &Path) -> (BTreeMap<String, String>, Vec<String>) {
    let mut found = Vec::new();
    let mut problems = Vec::new();
    if let Err(failure) = find_sources(root, pack_root(root).as_deref(), &mut found) {
        problems.push(failure.to_string());
    }
    if found.len() > MAX_FILES_PER_FOLDER {
        problems.push(format!("`{}` has {} files; the first {MAX_FILES_PER_FOLDER} are read", root.display(), found.len()));
        found.truncate(MAX_FILES_PER_FOLDER);
    }
    let mut texts = BTreeMap::new();
    for path in found {
        // Paths are URIs in the protocol, so two names that differ in invalid bytes would be the same.
        if path.to_str().is_none() {
            problems.push(format!("`{}` is not read: its name is not UTF-8", displayed_path(&path)));
            continue;
        }
        match read_source(&path) {
            Ok(text) => drop(texts.insert(normalized_path(&path), text)),
            Err(failure) => problems.push(failure.to_string()),
        }
    }
    (texts, problems)
}

/// The directory of the pack that a file belongs to: the nearest ancestor that contains `pack.fz`.
pub fn pack_directory(path: &str) -> Option<PathBuf> {
    let path = Path::new(path);
    if !path.is_absolute() {
        return None;
    }
    pack_root(path.parent()?)
}
