//! Files of the server: running tables, readable by their owner only, and the traces of finished games.
//!
//! `NAME.table` is one line of JSON ([`SavedTable`]), then the bytes of [`fizzle_table::table::Table::save`]. It is replaced as a whole, and removed when the match ends.
//!
//! Others may have filled the folder before. Files are opened only if they are regular files, links are refused or replaced, and the folders
//! in it are real ones, so that nothing waits and nothing outside is read or written.

use fizzle::files::{displayed_path, open_lock_file, open_regular_unlinked, read_at_most};
use fizzle_runtime::trace;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The largest file that is read or written, in bytes.
pub const MAX_BYTES: u64 = 64 << 20;
/// The size of the first line of a table, in bytes. Its lists need up to ten times their text in memory.
const MAX_LINE_BYTES: usize = 4 << 20;
/// The most folders that are tried, if other servers use the first ones.
const MAX_FOLDERS: usize = 16;

/// Who plays in a seat.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Who {
    /// The host.
    Me,
    /// A bot of the program.
    Bot,
    /// Any person with a link, which is used up.
    Invite,
    /// A script with a link.
    External,
    /// The host, at one screen with others.
    Hot,
}

/// A seat of a table.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedSeat {
    /// Who plays.
    pub who: Who,
    /// The bot.
    #[serde(default)]
    pub bot: String,
    /// The name of the player.
    #[serde(default)]
    pub name: String,
    /// The key of the link; empty if it is used up.
    #[serde(default)]
    pub key: String,
    /// The key of who has taken the seat; empty before.
    #[serde(default)]
    pub token: String,
    /// The name of the deck.
    pub deck: String,
    /// The cards by section.
    pub cards: Vec<(String, Vec<(u32, String)>)>,
}

/// What a table begins with, and its keys.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SavedTable {
    /// The version of the file.
    pub fizzle_table: u32,
    /// The name of the table.
    pub name: String,
    /// The name of the format.
    pub format: String,
    /// The hash of its rules, in hexadecimal digits.
    pub rules_hash: String,
    /// The seats.
    pub seats: Vec<SavedSeat>,
    /// The key of watchers.
    pub watch: String,
    /// Whether undo is free.
    pub sandbox: bool,
    /// The number of games.
    pub best_of: u32,
    /// The seed, in decimal digits.
    pub seed: String,
    /// The seed of bots, in decimal digits.
    pub timing_seed: String,
    /// Whether a card is tried here: such a table begins in a position, is not written, and is in no list.
    #[serde(skip)]
    pub is_try: bool,
}

/// The folder of a server.
#[derive(Debug)]
pub struct Store {
    folder: PathBuf,
    /// Held while the program runs.
    _lock: File,
}

/// Creates a folder for its owner only. `recursive`: also those above it; it may exist, and be a link.
fn create_folder(path: &Path, recursive: bool) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(recursive);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Creates a folder whose name the program chooses, unless it exists. A link to a folder is refused: it leads elsewhere.
fn create_own_folder(path: &Path) -> io::Result<()> {
    match create_folder(path, false) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => check_own_folder(path),
        created => created,
    }
    .map_err(|error| with_path(path, &error))
}

fn check_own_folder(path: &Path) -> io::Result<()> {
    let metadata = fs::symlink_metadata(path)?;
    if metadata.is_dir() {
        return Ok(());
    }
    let problem = if metadata.is_symlink() { "it is a link" } else { "it is not a folder" };
    Err(io::Error::new(ErrorKind::NotADirectory, problem))
}

/// The error with the path that it is about.
fn with_path(path: &Path, error: &io::Error) -> io::Error {
    io::Error::new(error.kind(), format!("`{}`: {error}", displayed_path(path)))
}

/// Checks that a file that is written can be read again.
fn check_size(bytes: usize, max: u64) -> io::Result<()> {
    if bytes as u64 <= max {
        return Ok(());
    }
    let problem = format!("it would have {bytes} bytes, and at most {max} can be read again");
    Err(io::Error::new(ErrorKind::FileTooLarge, problem))
}

/// Whether a text can be the name of a table: small letters, digits, hyphens.
#[must_use]
pub fn is_table_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !name.is_empty() && name.len() <= 40 && name.bytes().all(is_plain)
}

/// The name of the file of a table.
fn file_name(name: &str) -> String {
    format!("{name}.table")
}

/// Whether a file is that of the table with this name. Another one would replace the file of that table when it is saved.
#[must_use]
pub fn is_file_of(path: &Path, name: &str) -> bool {
    path.file_name().is_some_and(|file| file == file_name(name).as_str())
}

/// Splits a saved table into its line and the rest.
#[must_use]
pub fn parse(bytes: &[u8]) -> Option<(SavedTable, &[u8])> {
    let end = bytes.iter().take(MAX_LINE_BYTES + 1).position(|byte| *byte == b'\n')?;
    let (line, rest) = bytes.split_at(end);
    let saved: SavedTable = serde_json::from_slice(line).ok()?;
    let is_known = saved.fizzle_table == 1 && is_table_name(&saved.name) && saved.seats.len() <= 16;
    is_known.then_some((saved, rest.get(1..).unwrap_or_default()))
}

impl Store {
    /// Opens a folder, or if another server uses it, a folder in it.
    ///
    /// # Errors
    /// It cannot be created, or all are used.
    pub fn open(folder: &Path) -> io::Result<Self> {
        create_folder(folder, true)?;
        let others = (2..=MAX_FOLDERS).map(|number| folder.join(number.to_string()));
        for (number, folder) in std::iter::once(folder.to_owned()).chain(others).enumerate() {
            if number > 0 {
                create_own_folder(&folder)?;
            }
            create_own_folder(&folder.join("traces"))?;
            let lock = folder.join("lock");
            let lock = open_lock_file(&lock).map_err(|error| with_path(&lock, &error))?;
            if lock.try_lock().is_ok() {
                return Ok(Self { folder, _lock: lock });
            }
        }
        Err(io::Error::other("other servers use the folder"))
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Writes a new file, and renames it. A link in its place is replaced.
    fn replace(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
        // A random name, and no existing file is opened.
        let temporary = path.with_extension(format!("{:016x}.tmp", RandomState::new().hash_one(path)));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let mut file = options.open(&temporary)?;
        let written = parts.iter().try_for_each(|part| file.write_all(part)).and_then(|()| fs::rename(&temporary, path));
        written.inspect_err(|_| drop(fs::remove_file(&temporary)))
    }

    /// Writes a running table.
    ///
    /// # Errors
    /// The file cannot be written, or not be read again.
    pub fn save(&self, saved: &SavedTable, bytes: &[u8]) -> io::Result<()> {
        let line = serde_json::to_vec(saved).map_err(io::Error::other)?;
        check_size(line.len(), MAX_LINE_BYTES as u64)?;
        check_size(line.len() + 1 + bytes.len(), MAX_BYTES)?;
        Self::replace(&self.folder.join(file_name(&saved.name)), &[&line, b"\n", bytes])
    }

    /// Removes a table that is over.
    pub fn remove(&self, name: &str) {
        // If it stays, it is offered again and is over at once.
        let _ = fs::remove_file(self.folder.join(file_name(name)));
    }

    /// Writes the trace of a game.
    ///
    /// # Errors
    /// The file cannot be written, or not be read again.
    pub fn write_trace(&self, name: &str, number: u32, bytes: &[u8]) -> io::Result<()> {
        check_size(bytes.len(), trace::MAX_BYTES as u64)?;
        let folder = self.folder.join("traces");
        create_own_folder(&folder)?;
        Self::replace(&folder.join(format!("{name}.{number}.fzt")), &[bytes])
    }

    /// The trace of the last game of a table.
    #[must_use]
    pub fn read_trace(&self, name: &str) -> Option<Vec<u8>> {
        if !is_table_name(name) {
            return None;
        }
        let folder = self.folder.join("traces");
        check_own_folder(&folder).ok()?;
        let path = |number: u32| folder.join(format!("{name}.{number}.fzt"));
        let is_file = |path: PathBuf| fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_file());
        let last = (1..=99).take_while(|number| is_file(path(*number))).last()?;
        read_file(&path(last)).ok()
    }

    /// The files of all running tables, sorted.
    ///
    /// # Errors
    /// The folder cannot be read.
    pub fn table_files(&self) -> io::Result<Vec<PathBuf>> {
        let paths: io::Result<Vec<PathBuf>> = fs::read_dir(&self.folder)?.map(|entry| Ok(entry?.path())).collect();
        let mut paths = paths?;
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "table"));
        paths.sort();
        Ok(paths)
    }
}

/// Reads a file of the folder.
///
/// # Errors
/// It cannot be read, is a link or no regular file, or has more than [`MAX_BYTES`].
pub fn read_file(path: &Path) -> io::Result<Vec<u8>> {
    let (file, metadata) = open_regular_unlinked(path)?;
    read_at_most(file, metadata.len(), MAX_BYTES)
}
