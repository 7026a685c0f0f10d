//! Shipped packs as files: where an editor goes when it is sent to the definition of something that is part of the program.

use crate::shipped;
use std::path::PathBuf;

/// What stands before the paths of embedded files.
const PREFIX: &str = "shipped:";

/// Where copies of shipped files are put.
pub fn root() -> PathBuf {
    let cache = std::env::var_os("XDG_CACHE_HOME").map(PathBuf::from).filter(|path| path.is_absolute());
    let home =
        || std::env::var_os("HOME").or_else(|| std::env::var_os("LOCALAPPDATA")).map(|home| PathBuf::from(home).join(".cache"));
    let base = cache.or_else(home).unwrap_or_else(std::env::temp_dir);
    base.join("fizzle").join(concat!("shipped-", env!("CARGO_PKG_VERSION")))
}

/// Whether a path is that of an embedded file.
pub fn is_shipped(path: &str) -> bool {
    path.starts_with(PREFIX)
}

/// The embedded file that a file of the mirror is a copy of.
pub fn original(path: &str) -> Option<String> {
    let root = super::uri::shown(&root());
    let rest = path.strip_prefix(&root)?.strip_prefix('/')?;
    let original = format!("{PREFIX}{rest}");
    shipped::packs().iter().any(|pack| pack.files.iter().any(|file| file.path == original)).then_some(original)
}

/// The copy of an embedded file, made if it is not there.
pub fn copy(path: &str) -> Option<String> {
    let rest = path.strip_prefix(PREFIX)?;
    let file = shipped::packs().iter().flat_map(|pack| &pack.files).find(|file| file.path == path)?;
    let place = root().join(rest);
    let there = std::fs::read_to_string(&place).is_ok_and(|text| text == file.text);
    if !there {
        std::fs::create_dir_all(place.parent()?).ok()?;
        // Written aside first, so that nobody reads half of it.
        let aside = place.with_extension(format!("{}.part", std::process::id()));
        std::fs::write(&aside, &file.text).ok()?;
        std::fs::rename(&aside, &place).ok()?;
    }
    Some(super::uri::shown(&place))
}
