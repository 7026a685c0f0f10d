//! Which files are looked at: those of the folders that are open, the packs of open files beside them, and the shipped packs that they
//! build on.

use super::uri::shown;
use crate::paths::{read, walk};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// No more files of a folder are read.
const MOST: usize = 50_000;

/// The `.fz` files of a folder with their texts, and what could not be read.
pub fn folder(root: &Path) -> (BTreeMap<String, String>, Vec<String>) {
    let mut found = Vec::new();
    let mut problems = Vec::new();
    if let Err(failure) = walk(root, &mut found) {
        problems.push(failure.to_string());
    }
    if found.len() > MOST {
        problems.push(format!("`{}` has {} files; the first {MOST} are read", root.display(), found.len()));
        found.truncate(MOST);
    }
    let mut texts = BTreeMap::new();
    for path in found {
        match read(&path) {
            Ok(text) => drop(texts.insert(shown(&path), text)),
            Err(failure) => problems.push(failure.to_string()),
        }
    }
    (texts, problems)
}

/// The directory of the pack that a file belongs to.
pub fn pack_of(path: &str) -> Option<PathBuf> {
    let path = Path::new(path);
    if !path.is_absolute() {
        return None;
    }
    path.ancestors().skip(1).find(|directory| directory.join("pack.fz").is_file()).map(Path::to_owned)
}
