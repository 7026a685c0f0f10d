//! File access: reads with a size limit, and atomic writes through a temporary file.

use crate::failure::CommandError;
use std::fs::{self, File};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

/// Reads a file of at most `max` bytes. `what`: the kind of file that has this limit, for the message.
/// A pipe or device reports no size; it is read up to the limit.
pub fn read(path: &Path, max: u64, what: &str) -> Result<Vec<u8>, CommandError> {
    let shown = path.display();
    let unreadable = |error: std::io::Error| CommandError::usage(format!("cannot read `{shown}`: {error}"));
    let file = File::open(path).map_err(unreadable)?;
    let size = file.metadata().map_err(unreadable)?.len();
    if size > max {
        return Err(CommandError::Problem(format!("`{shown}` is too large: {size} bytes, the limit for {what} is {max}")));
    }
    let mut bytes = Vec::with_capacity(size as usize);
    file.take(max + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > max {
        return Err(CommandError::Problem(format!("`{shown}` is too large: the limit for {what} is {max} bytes")));
    }
    Ok(bytes)
}

/// Writes a file atomically: writes a temporary file in the same folder and renames it. A reader sees the old or the new content, also
/// if the program ends in between.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    let unwritable = |error: std::io::Error| CommandError::usage(format!("cannot write `{}`: {error}", path.display()));
    // The target of a symbolic link is replaced, not the link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
    if target.exists() && !target.is_file() {
        // A device or pipe cannot be replaced.
        return fs::write(&target, bytes).map_err(unwritable);
    }
    let temporary = temporary_path(&target);
    let permissions = fs::metadata(&target).map(|there| there.permissions());
    let written = write_and_sync(&temporary, bytes)
        .and_then(|()| permissions.map_or(Ok(()), |permissions| fs::set_permissions(&temporary, permissions)))
        .and_then(|()| fs::rename(&temporary, &target));
    written.map_err(|error| {
        let _ = fs::remove_file(&temporary);
        unwritable(error)
    })
}

/// Checks that a file can be written, without changing it: creates and removes the temporary file.
pub fn check_writable(path: &Path) -> Result<(), CommandError> {
    let unwritable = |error: std::io::Error| CommandError::usage(format!("cannot write `{}`: {error}", path.display()));
    let target = fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
    if target.is_dir() {
        return Err(unwritable(std::io::ErrorKind::IsADirectory.into()));
    }
    if target.exists() && !target.is_file() {
        return Ok(());
    }
    let temporary = temporary_path(&target);
    File::create(&temporary).map_err(unwritable)?;
    fs::remove_file(&temporary).map_err(unwritable)
}

/// The path of the temporary file for a target. It contains the process number.
fn temporary_path(target: &Path) -> PathBuf {
    let mut name = target.file_name().unwrap_or_default().to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    target.with_file_name(name)
}

fn write_and_sync(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    let mut file = File::create(path)?;
    file.write_all(bytes)?;
    file.sync_data()
}

/// Whether two paths name the same file. If one does not exist, the paths are compared as text.
pub fn are_same_file(one: &Path, other: &Path) -> bool {
    match (fs::canonicalize(one), fs::canonicalize(other)) {
        (Ok(one), Ok(other)) => one == other,
        _ => one == other,
    }
}
