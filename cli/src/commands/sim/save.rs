//! Files of results: written whole or not at all, and continued from.

use super::result::{self, Tally};
use crate::failure::Failure;
use std::fs;
use std::path::{Path, PathBuf};

/// Writes a file beside the one that is meant, which then takes its place: whoever reads it, or ends the program, finds the old or the new one.
pub fn write(path: &str, text: &str) -> Result<(), Failure> {
    let unwritable = |error: std::io::Error| Failure::usage(format!("`{path}` cannot be written: {error}"));
    // What a link leads to is replaced, not the link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
    if target.exists() && !target.is_file() {
        // A device or pipe.
        return fs::write(&target, text).map_err(unwritable);
    }
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside: PathBuf = target.with_file_name(name);
    let written = put(&beside, text).and_then(|()| fs::rename(&beside, &target));
    written.map_err(|error| {
        let _ = fs::remove_file(&beside);
        unwritable(error)
    })
}

fn put(path: &Path, text: &str) -> std::io::Result<()> {
    use std::io::Write;
    let mut file = fs::File::create(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_data()
}

/// What was kept of an earlier run, to go on from; none when nothing was.
pub fn resume(path: &str, this: &Tally) -> Result<Option<Tally>, Failure> {
    if !Path::new(path).exists() {
        return Ok(None);
    }
    let mut kept = result::read(path)?;
    let (Some(mut kept), true) = (kept.pop(), kept.is_empty()) else {
        return Err(Failure::Problem(format!("`{path}` does not hold one result of a simulation")));
    };
    let other = this.differs(&kept).or_else(|| (kept.shard != this.shard).then_some("shard"));
    if let Some(what) = other {
        let message = format!("`{path}` cannot be continued: it has other {what} than this run");
        return Err(Failure::Usage { message, help: Some("name another file to begin anew".to_owned()) });
    }
    kept.seconds = None;
    Ok(Some(kept))
}
