//! Files of the server: running tables, readable by their owner only, and the traces of finished games.
//!
//! `NAME.table` is one line of JSON ([`SavedTable`]), then the bytes of [`fizzle_table::table::Table::save`]. It is replaced as a whole, and removed when the match ends.

use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

/// The largest file that is read, in bytes.
pub const MAX_BYTES: u64 = 64 << 20;
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

fn create_folder(path: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// Whether a text can be the name of a table: small letters, digits, hyphens.
#[must_use]
pub fn is_table_name(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
    !name.is_empty() && name.len() <= 40 && name.bytes().all(is_plain)
}

/// Splits a saved table into its line and the rest.
#[must_use]
pub fn parse(bytes: &[u8]) -> Option<(SavedTable, &[u8])> {
    let end = bytes.iter().position(|byte| *byte == b'\n')?;
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
        let others = (2..=MAX_FOLDERS).map(|number| folder.join(number.to_string()));
        for folder in std::iter::once(folder.to_owned()).chain(others) {
            create_folder(&folder.join("traces"))?;
            let lock = private().open(folder.join("lock"))?;
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

    fn replace(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
        let temporary = path.with_extension("tmp");
        let mut file = private().open(&temporary)?;
        parts.iter().try_for_each(|part| file.write_all(part))?;
        fs::rename(&temporary, path)
    }

    /// Writes a running table.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn save(&self, saved: &SavedTable, bytes: &[u8]) -> io::Result<()> {
        let line = serde_json::to_vec(saved).map_err(io::Error::other)?;
        Self::replace(&self.folder.join(format!("{}.table", saved.name)), &[&line, b"\n", bytes])
    }

    /// Removes a table that is over.
    pub fn remove(&self, name: &str) {
        // If it stays, it is offered again and is over at once.
        let _ = fs::remove_file(self.folder.join(format!("{name}.table")));
    }

    /// Writes the trace of a game.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write_trace(&self, name: &str, number: u32, bytes: &[u8]) -> io::Result<()> {
        Self::replace(&self.folder.join("traces").join(format!("{name}.{number}.fzt")), &[bytes])
    }

    /// The trace of the last game of a table.
    #[must_use]
    pub fn read_trace(&self, name: &str) -> Option<Vec<u8>> {
        if !is_table_name(name) {
            return None;
        }
        let path = |number: u32| self.folder.join("traces").join(format!("{name}.{number}.fzt"));
        let last = (1..=99).take_while(|number| path(*number).is_file()).last()?;
        read_file(&path(last))
    }

    /// The bytes of all running tables, by path.
    #[must_use]
    pub fn read_tables(&self) -> Vec<Vec<u8>> {
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "table"));
        paths.sort();
        paths.iter().filter_map(|path| read_file(path)).collect()
    }
}

fn read_file(path: &Path) -> Option<Vec<u8>> {
    let file = File::open(path).ok()?;
    let mut bytes = Vec::new();
    let read = file.take(MAX_BYTES + 1).read_to_end(&mut bytes).ok()?;
    (read as u64 <= MAX_BYTES).then_some(bytes)
}
