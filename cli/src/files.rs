//! Files, read within bounds and written whole or not at all.

use crate::failure::CommandError;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// The bytes of a file of at most so many. `what`: what may be so large. What has no size beforehand (a pipe, a device) is read up to there.
pub fn read(path: &Path, most: u64, what: &str) -> Result<Vec<u8>, CommandError> {
    let shown = path.display();
    let unreadable = |error: std::io::Error| CommandError::usage(format!("`{shown}` cannot be read: {error}"));
    let file = File::open(path).map_err(unreadable)?;
    let size = file.metadata().map_err(unreadable)?.len();
    if size > most {
        return Err(CommandError::Problem(format!("`{shown}` has {size} bytes, {what} has at most {most}")));
    }
    let mut bytes = Vec::with_capacity(size as usize);
    file.take(most + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > most {
        return Err(CommandError::Problem(format!("`{shown}` has more than {most} bytes, which is the most that {what} has")));
    }
    Ok(bytes)
}

/// Writes a file beside the one that is meant, which then takes its place: whoever reads it, or ends the program, finds the old or the new one.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    let unwritable = |error: std::io::Error| CommandError::usage(format!("`{}` cannot be written: {error}", path.display()));
    // What a link leads to is replaced, not the link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
    if target.exists() && !target.is_file() {
        // A device or pipe.
        return fs::write(&target, bytes).map_err(unwritable);
    }
    let beside = beside(&target);
    let permissions = fs::metadata(&target).map(|there| there.permissions());
    let written = put(&beside, bytes)
        .and_then(|()| permissions.map_or(Ok(()), |permissions| fs::set_permissions(&beside, permissions)))
        .and_then(|()| fs::rename(&beside, &target));
    written.map_err(|error| {
        let _ = fs::remove_file(&beside);
        unwritable(error)
    })
}

/// Tells what keeps a file from being written, without writing it.
pub fn can_be_written(path: &Path) -> Result<(), CommandError> {
    let unwritable = |error: std::io::Error| CommandError::usage(format!("`{}` cannot be written: {error}", path.display()));
    let target = fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
    if target.is_dir() {
        return Err(unwritable(std::io::ErrorKind::IsADirectory.into()));
    }
    if target.exists() && !target.is_file() {
        return Ok(());
    }
    let beside = beside(&target);
    File::create(&beside).map_err(unwritable)?;
    fs::remove_file(&beside).map_err(unwritable)
}

/// Where a file is written before it takes its place.
fn beside(target: &Path) -> PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    target.with_file_name(name)
}

fn put(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_data()
}

/// Whether two paths lead to the same file that is there.
pub fn are_same(one: &Path, other: &Path) -> bool {
    match (fs::canonicalize(one), fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}
