//! Reads source files from disk: those of open folders, and those of the pack that an open file belongs to.

use super::uri::normalized_path;
use fizzle::files::{PackRoot, displayed_path, find_pack_root, find_readable_sources, read_source};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// At most this many folders and links that cannot be read are reported.
const MAX_PROBLEMS_PER_FOLDER: usize = 100;

/// Reads the `.fz` files of a folder: their texts by path, and a message for each that could not be read.
pub fn read_folder(root: &Path) -> (BTreeMap<String, String>, Vec<String>) {
    let mut found = Vec::new();
    let mut problems = Vec::new();
    let mut refused = Vec::new();
    find_readable_sources(root, pack_root(root, &mut problems).as_deref().unwrap_or(root), &mut found, &mut refused);
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

/// The folder of the pack that a folder belongs to. Adds a message for a manifest above it that is not used.
fn pack_root(folder: &Path, problems: &mut Vec<String>) -> Option<PathBuf> {
    match find_pack_root(folder) {
        PackRoot::Found(root) => Some(root),
        PackRoot::Foreign(manifest) => {
            let manifest = displayed_path(&manifest);
            problems.push(format!("`{manifest}` is not used: it belongs to another user, or everyone can write to its folder"));
            None
        }
        PackRoot::None => None,
    }
}

/// The directory of the pack that a file belongs to: the nearest ancestor that contains `pack.fz`. Adds a message for a manifest that is not
/// used.
pub fn pack_directory(path: &str, problems: &mut Vec<String>) -> Option<PathBuf> {
    let path = Path::new(path);
    if !path.is_absolute() {
        return None;
    }
    pack_root(path.parent()?, problems)
}
