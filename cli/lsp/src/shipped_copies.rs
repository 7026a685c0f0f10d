//! Copies of shipped files on disk, so that an editor can open declarations that are embedded in the program.

use crate::host::Host;
use fizzle::files::{MAX_SOURCE_BYTES, read_regular};
use fizzle::shipped;
use std::path::PathBuf;

/// The prefix of the paths of embedded files.
const PREFIX: &str = "shipped:";

/// The directory of the copies, one for each version of the program, in the user's cache directory. `None` if there is none: in a folder that
/// other users share, they could change the copies.
pub fn copies_directory() -> Option<PathBuf> {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home =
        || std::env::var_os("HOME").or_else(|| std::env::var_os("LOCALAPPDATA")).map(|home| PathBuf::from(home).join(".cache"));
    Some(cache.or_else(home)?.join("fizzle").join(concat!("shipped-", env!("CARGO_PKG_VERSION"))))
}

/// Whether a path is the path of an embedded file.
pub fn is_shipped(path: &str) -> bool {
    path.starts_with(PREFIX)
}

/// The path of the embedded file that `path` is a copy of; `None` if `path` is no copy.
pub fn original_path(path: &str) -> Option<String> {
    let root = super::uri::normalized_path(&copies_directory()?);
    let rest = path.strip_prefix(&root)?.strip_prefix('/')?;
    let original = format!("{PREFIX}{rest}");
    shipped::packs().iter().any(|pack| pack.files.iter().any(|file| file.path == original)).then_some(original)
}

/// The path of the copy of an embedded file. Writes the copy if it is missing or differs. `None` if there is no such file or it cannot be
/// written.
pub fn copy(path: &str, host: &Host) -> Option<String> {
    let write_copy = host.write_copy?;
    let rest = path.strip_prefix(PREFIX)?;
    let file = shipped::packs().iter().flat_map(|pack| &pack.files).find(|file| file.path == path)?;
    let target = copies_directory()?.join(rest);
    let is_current = read_regular(&target, MAX_SOURCE_BYTES).is_ok_and(|text| text == file.text.as_bytes());
    let is_written = is_current || write_copy(&target, file.text.as_bytes());
    is_written.then(|| super::uri::normalized_path(&target))
}
