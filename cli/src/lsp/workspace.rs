//! Reads source files from disk: those of open folders, and those of the pack that an open file belongs to.

use super::uri::normalized_path;
use crate::paths::{find_sources, read_source};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// At most this many files of a folder are read.
const MAX_FILES_PER_FOLDER: usize = 50_000;

/// Reads the `.fz` files of a folder: their texts by path, and a message for each that could not be read.
pub fn read_folder(root: &Path) -> (BTreeMap<String, String>, Vec<String>) {
    let mut found = Vec::new();
    let mut problems = Vec::new();
    if let Err(failure) = find_sources(root, &mut found) {
        problems.push(failure.to_string());
    }
    if found.len() > MAX_FILES_PER_FOLDER {
        problems.push(format!("`{}` has {} files; the first {MAX_FILES_PER_FOLDER} are read", root.display(), found.len()));
        found.truncate(MAX_FILES_PER_FOLDER);
    }
    let mut texts = BTreeMap::new();
    for path in found {
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
    path.ancestors().skip(1).find(|directory| directory.join("pack.fz").is_file()).map(Path::to_owned)
}
