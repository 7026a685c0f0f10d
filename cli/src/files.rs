//! File access. Inputs are regular files of limited size, and are recorded; outputs are written as a whole, and never over an input.
//!
//! Packs, traces and results may come from strangers, and outputs may be in folders of strangers: a link, a pipe or a file of the same name
//! can be anywhere. So inputs and outputs are compared by the identity of the file (device and number), not by name.

use crate::failure::CommandError;
use fizzle::files::{displayed_path, open_regular, read_at_most};
use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

/// The path that means the standard input. A file of this name is `./-`.
pub const STDIN: &str = "-";
/// How messages call the standard input.
pub const STDIN_SHOWN: &str = "<stdin>";

/// What was read from the standard input. It can be read only once, but commands read some files twice.
static STDIN_BYTES: OnceLock<Vec<u8>> = OnceLock::new();

/// The inputs of the command: all files that were opened by [`open_input`].
static INPUTS: Mutex<BTreeSet<FileId>> = Mutex::new(BTreeSet::new());

/// The identity of a file: two paths of one file have the same.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum FileId {
    /// Its device and its number on it.
    #[cfg(unix)]
    Number(u64, u64),
    /// Its path without links; for a file that does not exist, that of its folder with its name.
    Path(PathBuf),
}

impl FileId {
    fn of(path: &Path) -> Self {
        #[cfg(unix)]
        if let Ok(metadata) = fs::metadata(path) {
            use std::os::unix::fs::MetadataExt;
            return Self::Number(metadata.dev(), metadata.ino());
        }
        let within_folder = || {
            let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
            Some(folder.canonicalize().ok()?.join(path.file_name()?))
        };
        Self::Path(path.canonicalize().ok().or_else(within_folder).unwrap_or_else(|| path.to_owned()))
    }
}

fn inputs() -> std::sync::MutexGuard<'static, BTreeSet<FileId>> {
    INPUTS.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Whether the command has read this file.
fn is_input(path: &Path) -> bool {
    inputs().contains(&FileId::of(path))
}

/// Whether two paths name the same file, also if it does not exist yet.
pub fn are_same_file(one: &Path, other: &Path) -> bool {
    FileId::of(one) == FileId::of(other)
}

/// Opens an input: a regular file. Returns it with its size. No output may overwrite it from now on.
pub fn open_input(path: &Path) -> io::Result<(File, u64)> {
    let (file, metadata) = open_regular(path)?;
    inputs().insert(FileId::of(path));
    Ok((file, metadata.len()))
}

/// Reads an input of at most `max` bytes. `what`: the kind of file that has this limit, for the message.
pub fn read(path: &Path, max: u64, what: &str) -> Result<Vec<u8>, CommandError> {
    read_opened(path, open_input(path), max, what)
}

/// Reads a file that the command will overwrite: an input that it formats, or a result that it resumes.
pub fn read_to_replace(path: &Path, max: u64, what: &str) -> Result<Vec<u8>, CommandError> {
    read_opened(path, open_regular(path).map(|(file, metadata)| (file, metadata.len())), max, what)
}

/// Reads the standard input, of at most `max` bytes, as [`read`] does.
pub fn read_stdin(max: u64, what: &str) -> Result<Vec<u8>, CommandError> {
    if STDIN_BYTES.get().is_none() {
        let mut bytes = Vec::new();
        let read = io::stdin().lock().take(max.saturating_add(1)).read_to_end(&mut bytes);
        read.map_err(|error| CommandError::usage(format!("cannot read the standard input: {error}")))?;
        let _ = STDIN_BYTES.set(bytes);
    }
    let bytes = STDIN_BYTES.get().cloned().unwrap_or_default();
    if bytes.len() as u64 > max {
        return Err(CommandError::Problem(format!("the standard input is too large: the limit for {what} is {max} bytes")));
    }
    Ok(bytes)
}

fn read_opened(path: &Path, opened: io::Result<(File, u64)>, max: u64, what: &str) -> Result<Vec<u8>, CommandError> {
    let shown = displayed_path(path);
    opened.and_then(|(file, size)| read_at_most(file, size, max)).map_err(|error| match error.kind() {
        ErrorKind::FileTooLarge => CommandError::Problem(format!("`{shown}` is too large: the limit for {what} is {max} bytes")),
        _ => CommandError::usage(format!("cannot read `{shown}`: {error}")),
    })
}

fn unwritable(path: &Path, error: &io::Error) -> CommandError {
    CommandError::usage(format!("cannot write `{}`: {error}", displayed_path(path)))
}

/// Checks that an output is no input and does not look like one.
fn check_name(path: &Path) -> Result<(), CommandError> {
    let shown = displayed_path(path);
    if path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("fz")) {
        return Err(CommandError::usage(format!("`{shown}` has the name of a source file")));
    }
    if is_input(path) {
        return Err(CommandError::usage(format!("`{shown}` is an input: the result would overwrite it")));
    }
    Ok(())
}

/// Checks, before the work, that an output can be written, without changing it: asks what [`write`] asks, and creates and removes the
/// temporary file.
pub fn check_output(path: &Path) -> Result<(), CommandError> {
    check_name(path)?;
    let target = fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
    if target.is_dir() {
        return Err(unwritable(path, &ErrorKind::IsADirectory.into()));
    }
    if target.exists() && !target.is_file() {
        return Ok(());
    }
    let created = create_temporary(&target).and_then(|(_, temporary)| fs::remove_file(temporary));
    created.map_err(|error| unwritable(path, &error))
}

/// Writes an output atomically: writes a temporary file in the same folder and renames it. A reader sees the old or the new content, also
/// if the program ends in between.
///
/// # Errors
/// The file is an input, has the name of a source, or cannot be written.
pub fn write(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    check_name(path)?;
    write_unchecked(path, bytes)
}

/// Writes the new content of a file that was read by [`read_to_replace`], as [`write`] does.
pub fn replace(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    write_unchecked(path, bytes)
}

fn write_unchecked(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    // The target of a symbolic link that the command line names is replaced, not the link.
    let target = fs::canonicalize(path).unwrap_or_else(|_| PathBuf::from(path));
    let written = if target.exists() && !target.is_file() {
        // A device or pipe cannot be replaced.
        OpenOptions::new().write(true).open(&target).and_then(|mut file| file.write_all(bytes).and_then(|()| file.flush()))
    } else {
        replace_file(&target, bytes, true)
    };
    written.map_err(|error| unwritable(path, &error))
}

/// Writes a file whose name the program chooses into a folder that the command line names, as [`write`] does. A link of this name is
/// replaced, not followed. The content may be lost if the machine fails, but not if the program ends.
pub fn write_within(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), CommandError> {
    let path = folder.join(name);
    check_name(&path)?;
    replace_file(&path, bytes, false).map_err(|error| unwritable(&path, &error))
}

/// Creates a file that does not exist yet.
pub fn create(path: &Path, bytes: &[u8]) -> Result<(), CommandError> {
    let created = OpenOptions::new().write(true).create_new(true).open(path).and_then(|mut file| file.write_all(bytes));
    created.map_err(|error| unwritable(path, &error))
}

/// Creates a temporary file with the permissions of the target, writes it, and renames it. `sync`: waits until the content is on the disk.
fn replace_file(target: &Path, bytes: &[u8], sync: bool) -> io::Result<()> {
    let permissions = fs::symlink_metadata(target).ok().filter(fs::Metadata::is_file).map(|metadata| metadata.permissions());
    let (mut file, temporary) = create_temporary(target)?;
    // Before the content: it may be readable by its owner only.
    let written = permissions
        .map_or(Ok(()), |permissions| file.set_permissions(permissions))
        .and_then(|()| file.write_all(bytes))
        .and_then(|()| if sync { file.sync_data() } else { Ok(()) })
        .and_then(|()| fs::rename(&temporary, target));
    written.inspect_err(|_| drop(fs::remove_file(&temporary)))
}

/// The most names that are tried for a temporary file.
const MAX_TRIES: usize = 16;

/// Creates a temporary file in the folder of a target. Its name cannot be guessed, and no existing file or link is opened.
fn create_temporary(target: &Path) -> io::Result<(File, PathBuf)> {
    let mut tries = 0;
    loop {
        // The keys of this hash function come from the random numbers of the system.
        let number = RandomState::new().hash_one(std::process::id());
        let temporary = target.with_file_name(format!(".fizzle-{number:016x}.tmp"));
        match OpenOptions::new().write(true).create_new(true).open(&temporary) {
            Ok(file) => return Ok((file, temporary)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists && tries < MAX_TRIES => tries += 1,
            Err(error) => return Err(error),
        }
    }
}

/// Creates a folder, and those above it.
pub fn create_folder(path: &Path) -> Result<(), CommandError> {
    let failed = |error| CommandError::usage(format!("cannot create `{}`: {error}", displayed_path(path)));
    fs::create_dir_all(path).map_err(failed)
}
