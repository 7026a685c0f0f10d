//! Tables on disk: running ones, which are offered again after a restart, and the traces of finished games. Only their owner can read them.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

/// A running table.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedRoom {
    /// The name of the table.
    pub name: String,
    /// The format.
    pub format: String,
    /// The decks: name, and cards by section.
    pub decks: Vec<SavedDeck>,
    /// The bot of each seat; `None` for a client.
    pub bots: Vec<Option<String>>,
    /// Whether one client answers for all seats.
    pub hot_seat: bool,
    /// Whether undo is free.
    pub sandbox: bool,
    /// The maximum number of games with a winner.
    pub best_of: u32,
    /// The seed of the match.
    pub seed: u64,
    /// The key of each seat, and of watchers (the last one).
    pub keys: Vec<String>,
    /// Whether the key of a seat opens it only once.
    pub once: Vec<bool>,
    /// The token of each seat; empty if nobody has taken it.
    pub tokens: Vec<String>,
    /// The table itself.
    pub table: String,
}

/// A deck.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct SavedDeck {
    /// Its name.
    pub name: String,
    /// Its cards.
    pub sections: BTreeMap<String, Vec<(u32, String)>>,
}

/// The largest file that is read, in bytes.
const MAX_SAVED_BYTES: u64 = 16 << 20;

/// A folder of tables.
#[derive(Clone, Debug)]
pub struct Store {
    folder: PathBuf,
}

impl Store {
    /// Opens the folder, and creates it.
    ///
    /// # Errors
    /// It cannot be created.
    pub fn open(folder: &Path) -> io::Result<Self> {
        for folder in [folder.to_owned(), folder.join("traces")] {
            let mut builder = std::fs::DirBuilder::new();
            builder.recursive(true);
            #[cfg(unix)]
            std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
            builder.create(&folder)?;
        }
        Ok(Self { folder: folder.to_owned() })
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.table"))
    }

    /// Writes a running table.
    ///
    /// # Errors
    /// The disk is full, or the folder is gone.
    pub fn save(&self, room: &SavedRoom) -> io::Result<()> {
        write(&self.path(&room.name), &serde_json::to_vec(room)?)
    }

    /// Removes a table that has ended.
    pub fn remove(&self, name: &str) {
        // A file that is left is offered again; that does no harm.
        let _ = std::fs::remove_file(self.path(name));
    }

    /// Writes the trace of a finished game, under a name that is not taken.
    ///
    /// # Errors
    /// The disk is full, or the folder is gone.
    pub fn keep_trace(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let free = (1..10_000).map(|number| self.folder.join("traces").join(format!("{name}-{number}.fzt"))).find(|path| !path.exists());
        free.map_or(Ok(()), |path| write(&path, bytes))
    }

    /// The tables that were running. Damaged files are left where they are.
    pub fn saved(&self) -> Vec<SavedRoom> {
        let Ok(entries) = std::fs::read_dir(&self.folder) else { return Vec::new() };
        let mut paths: Vec<PathBuf> = entries.filter_map(|entry| Some(entry.ok()?.path())).collect();
        paths.sort();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "table"));
        let read = |path: PathBuf| {
            let meta = std::fs::symlink_metadata(&path).ok().filter(|meta| meta.is_file() && meta.len() <= MAX_SAVED_BYTES)?;
            let bytes = std::fs::read(&path).ok().filter(|bytes| bytes.len() as u64 == meta.len())?;
            serde_json::from_slice::<SavedRoom>(&bytes).ok()
        };
        paths.into_iter().filter_map(read).collect()
    }
}

/// Writes a whole file, readable by its owner only: under another name first, so that no part of it is ever read.
fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let part = path.with_extension("part");
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let _ = std::fs::remove_file(&part);
    let mut file = options.open(&part)?;
    io::Write::write_all(&mut file, bytes)?;
    drop(file);
    std::fs::rename(&part, path)
}
