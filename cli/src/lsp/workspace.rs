//! Reads source files from disk: those of open folders, and those of the pack that an open file belongs to.

use super::uri::normalized_path;
use crate::paths::{pack_root, read_source};
use fizzle::files::{displayed_path, find_readable_sources};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// At most this many folders and links that cannot be read are reported.
const MAX_PROBLEMS_PER_FOLDER: usize = 100;

/// Reads the `.fz` files of a folder: their texts by path, and a message for each that could not be read.
pub fn read_folder(root: &Path) -> (BTreeMap<String, String>, Vec<String>) {
    let mut found = Vec::new();
    let mut problems = Vec::new();
    let mut refused = Vec::new();
    find_readable_sources(root, pack_root(root).as_deref().unwrap_or(root), &mut found, &mut refused);
    problems.extend(refused.into_iter().take(MAX_PROBLEMS_PER_FOLDER).map(|problem| problem.to_string()));
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
