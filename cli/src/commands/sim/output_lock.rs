//! Locks of outputs: two runs of `sim` at once do not write to the same file, nor different games to the same folder of traces.
//!
//! A lock is a hidden file next to the output (`.NAME.lock`, in a folder of traces `.traces.lock`) that the system locks for the run. It is
//! removed at the end; one that a killed run has left does not count.

use crate::failure::CommandError;
use fizzle::files::{displayed_path, open_lock_file};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The most tries, if other runs end or start meanwhile.
const MAX_TRIES: usize = 100;
/// The time between two tries.
const PAUSE: Duration = Duration::from_millis(10);
/// The most bytes of a description of games that are compared.
const MAX_RUN_BYTES: u64 = 64 << 10;

/// A lock that this run holds. Dropping it removes its file.
#[derive(Debug)]
pub struct OutputLock {
    file: File,
    path: PathBuf,
}

impl OutputLock {
    /// Locks an output. `None` if it is a device or pipe, or if its file system has no locks.
    pub fn of_file(output: &Path) -> Result<Option<Self>, CommandError> {
        let target = fs::canonicalize(output).unwrap_or_else(|_| output.to_owned());
        let Some(name) = target.file_name().filter(|_| target.is_file() || !target.exists()) else { return Ok(None) };
        let mut hidden = std::ffi::OsString::from(".");
        hidden.push(name);
        hidden.push(".lock");
        let path = target.with_file_name(hidden);
        for _ in 0..MAX_TRIES {
            let file = open(&path)?;
            match file.try_lock() {
                Ok(()) if is_at(&file, &path) => return Ok(Some(Self { file, path })),
                // The other run has ended, and removed the file.
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => break,
                Err(TryLockError::Error(error)) => return without_locks(&path, &error),
            }
        }
        Err(in_use(&format!("another run of `sim` is writing `{}`", displayed_path(output))))
    }

    /// Locks a folder of traces together with runs of the same games. `run`: a line that describes the games. `None` if its file system has
    /// no locks.
    pub fn of_traces(folder: &Path, run: &str) -> Result<Option<Self>, CommandError> {
        let path = folder.join(".traces.lock");
        for _ in 0..MAX_TRIES {
            let mut file = open(&path)?;
            match file.try_lock() {
                // No other run is there. Between the two locks another one can come first: then the description is its own.
                Ok(()) => {
                    describe(&mut file, run).and_then(|()| file.unlock()).map_err(|error| unwritable(&path, &error))?;
                }
                Err(TryLockError::WouldBlock) => {}
                Err(TryLockError::Error(error)) => return without_locks(&path, &error),
            }
            if file.try_lock_shared().is_ok() && is_at(&file, &path) {
                if described(&mut file).is_ok_and(|other| other == run) {
                    return Ok(Some(Self { file, path }));
                }
                let shown = displayed_path(folder);
                return Err(in_use(&format!("another run of `sim` is writing traces of other games to `{shown}`")));
            }
            std::thread::sleep(PAUSE);
        }
        Err(in_use(&format!("other runs of `sim` are writing traces to `{}`", displayed_path(folder))))
    }
}

impl Drop for OutputLock {
    fn drop(&mut self) {
        // Shards that still run keep the lock of their folder. A file that stays does no harm.
        if self.file.unlock().is_ok() && self.file.try_lock().is_ok() && is_at(&self.file, &self.path) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

fn open(path: &Path) -> Result<File, CommandError> {
    open_lock_file(path).map_err(|error| unwritable(path, &error))
}

fn unwritable(path: &Path, error: &io::Error) -> CommandError {
    CommandError::usage(format!("cannot lock `{}`: {error}", displayed_path(path)))
}

fn in_use(message: &str) -> CommandError {
    CommandError::usage(message).with_help("wait for its end, or write to another place".to_owned())
}

/// The result if a lock fails: some network file systems have none.
fn without_locks(path: &Path, error: &io::Error) -> Result<Option<OutputLock>, CommandError> {
    if error.kind() == io::ErrorKind::Unsupported { Ok(None) } else { Err(unwritable(path, error)) }
}

/// Whether a path still leads to an open file.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let number = |metadata: fs::Metadata| (metadata.dev(), metadata.ino());
    match (file.metadata(), fs::symlink_metadata(path)) {
        (Ok(opened), Ok(found)) => number(opened) == number(found),
        _ => false,
    }
}

/// Whether a path still leads to an open file. A file that is open is not removed here.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

fn describe(file: &mut File, run: &str) -> io::Result<()> {
    file.set_len(0)?;
    file.rewind()?;
    file.write_all(run.as_bytes())
}

fn described(file: &mut File) -> io::Result<String> {
    file.rewind()?;
    let mut text = String::new();
    file.take(MAX_RUN_BYTES).read_to_string(&mut text)?;
    Ok(text)
}
