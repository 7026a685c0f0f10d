//! The folder that is edited, and its sources. Every path is relative, has no `..`, leads through no link, and ends in `.fz`.

use super::super::catalog::CompiledPack;
use fizzle::files::{MAX_FOLDER_DEPTH, displayed_path, find_readable_sources, read_regular};
use fizzle_grammar::hidden_characters::first_hidden;
use serde::Serialize;
use std::fs;
use std::hash::{BuildHasher, RandomState};
use std::io::{self, ErrorKind, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// Compiles the sources again, as at the start.
pub type Compile = Arc<dyn Fn() -> Result<CompiledPack, String> + Send + Sync>;

/// What the workbench needs of the program.
pub struct BenchOptions {
    /// The folder with the sources that can be written.
    pub folder: PathBuf,
    /// Compiles all sources of the command line as they are on disk.
    pub compile: Compile,
}

/// The workbench of a server.
pub struct Bench {
    /// The folder.
    pub folder: Folder,
    /// Compiles the sources as they are on disk.
    pub compile: Compile,
}

impl Bench {
    /// Opens the folder.
    ///
    /// # Errors
    /// It cannot be read.
    pub fn open(options: BenchOptions) -> io::Result<Self> {
        Ok(Self { folder: Folder::open(&options.folder)?, compile: options.compile })
    }
}

/// The largest source that is read and written here, in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// The most sources that are listed.
const MAX_FILES: usize = 2_000;

/// The folder.
#[derive(Debug)]
pub struct Folder {
    /// The folder without links.
    root: PathBuf,
    /// Makes the hashes of this run of the program.
    hasher: RandomState,
    /// Held while a source is compared and written.
    writing: Mutex<()>,
}

/// A source of the folder.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedFile {
    /// Its path within the folder, with `/`.
    pub path: String,
    /// Its size in bytes.
    pub bytes: u64,
}

/// Why a source is not written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum WriteError {
    /// The file has changed since it was read: what it is now.
    Changed {
        /// Its text.
        text: String,
        /// Its hash.
        hash: String,
    },
    /// In words.
    Refused(String),
}

impl Folder {
    /// Opens a folder.
    ///
    /// # Errors
    /// It is none, or cannot be read.
    pub fn open(folder: &Path) -> io::Result<Self> {
        let root = fs::canonicalize(folder)?;
        if !root.is_dir() {
            return Err(io::Error::from(ErrorKind::NotADirectory));
        }
        Ok(Self { root, hasher: RandomState::new(), writing: Mutex::new(()) })
    }

    /// Its name.
    pub fn name(&self) -> String {
        self.root.file_name().map_or_else(|| displayed_path(&self.root), |name| name.to_string_lossy().into_owned())
    }

    /// Its address.
    pub fn root_uri(&self) -> String {
        let path = self.root.to_string_lossy().replace('\\', "/");
        let path = path.strip_prefix("//?/").unwrap_or(&path);
        let mut uri = format!("file://{}", if path.starts_with('/') { "" } else { "/" });
        for byte in path.bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' | b':' => uri.push(char::from(byte)),
                _ => uri.push_str(&format!("%{byte:02X}")),
            }
        }
        uri
    }

    /// Its sources, in the order of their paths.
    ///
    /// # Errors
    /// There are too many.
    pub fn list(&self) -> io::Result<Vec<ListedFile>> {
        let (mut found, mut problems) = (Vec::new(), Vec::new());
        find_readable_sources(&self.root, &self.root, &mut found, &mut problems);
        if found.len() > MAX_FILES {
            return Err(io::Error::other(format!("it has more than {MAX_FILES} sources")));
        }
        let listed = found.iter().filter_map(|path| {
            let within = path.strip_prefix(&self.root).ok()?.to_str()?.replace('\\', "/");
            Some(ListedFile { path: within, bytes: fs::symlink_metadata(path).ok()?.len() })
        });
        let mut listed: Vec<ListedFile> = listed.collect();
        listed.sort_by(|one, other| one.path.cmp(&other.path));
        Ok(listed)
    }

    /// The place of a path of a request, if it may be read and written.
    fn place(&self, path: &str) -> Result<PathBuf, String> {
        let written = Path::new(path);
        // `Path` reads `x.fz/` as `x.fz`.
        // What begins with a dot, or is nested deeper, is not read as a source of the folder.
        let is_plain = !path.contains(['\\', ':', '\0'])
            && !path.split('/').any(|part| part.is_empty() || part.starts_with('.'))
            && path.split('/').count() <= MAX_FOLDER_DEPTH
            && written.components().all(|part| matches!(part, Component::Normal(_)));
        let is_source = written.extension().is_some_and(|extension| extension == "fz");
        if !is_plain || !is_source {
            return Err(format!("`{path:.200}` is no path of a source in this folder"));
        }
        let mut place = self.root.clone();
        for part in written.components() {
            place.push(part);
            if fs::symlink_metadata(&place).is_ok_and(|found| found.file_type().is_symlink()) {
                return Err(format!("`{path:.200}` leads through a link"));
            }
        }
        Ok(place)
    }

    fn hash(&self, text: &str) -> String {
        format!("{:016x}", self.hasher.hash_one(text))
    }

    /// A source and its hash.
    ///
    /// # Errors
    /// In words: it is not there, too large, or not UTF-8.
    pub fn read(&self, path: &str) -> Result<(String, String), String> {
        let place = self.place(path)?;
        let bytes = read_regular(&place, MAX_BYTES).map_err(|error| format!("`{path:.200}` cannot be read: {error}"))?;
        let text = String::from_utf8(bytes).map_err(|_| format!("`{path:.200}` is not UTF-8"))?;
        let hash = self.hash(&text);
        Ok((text, hash))
    }

    /// Writes a source whose hash was `known` when it was read; `None`: a new one. Returns the new hash.
    ///
    /// # Errors
    /// [`WriteError`].
    pub fn write(&self, path: &str, text: &str, known: Option<&str>) -> Result<String, WriteError> {
        let place = self.place(path).map_err(WriteError::Refused)?;
        let _writing = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        if text.len() as u64 > MAX_BYTES {
            return Err(WriteError::Refused(format!("the text is longer than {MAX_BYTES} bytes")));
        }
        let exists = fs::symlink_metadata(&place).is_ok();
        match (exists, known) {
            (true, _) => {
                let (now, hash) = self.read(path).map_err(WriteError::Refused)?;
                if known != Some(hash.as_str()) {
                    return Err(WriteError::Changed { text: now, hash });
                }
            }
            (false, Some(_)) => return Err(WriteError::Changed { text: String::new(), hash: String::new() }),
            (false, None) => {
                if first_hidden(path).is_some() {
                    return Err(WriteError::Refused("the name of a source has hidden characters".to_owned()));
                }
                if let Some(folder) = place.parent() {
                    fs::create_dir_all(folder).map_err(|error| WriteError::Refused(error.to_string()))?;
                }
            }
        }
        replace(&place, text).map_err(|error| WriteError::Refused(format!("`{path:.200}` cannot be written: {error}")))?;
        Ok(self.hash(text))
    }
}

/// Writes a new file next to the old one and renames it, so that no reader sees a part. The permissions stay.
fn replace(place: &Path, text: &str) -> io::Result<()> {
    // A random name, so that only the file that is created here is removed on an error.
    let temporary = place.with_extension(format!("fz.{:016x}.new", RandomState::new().hash_one(place)));
    let mut file = fs::OpenOptions::new().write(true).create_new(true).open(&temporary)?;
    let result = (|| {
        file.write_all(text.as_bytes())?;
        if let Ok(old) = fs::metadata(place) {
            file.set_permissions(old.permissions())?;
        }
        file.sync_all()?;
        fs::rename(&temporary, place)
    })();
    if result.is_err() {
        // The first error is the one to report.
        let _ = fs::remove_file(&temporary);
    }
    result
}
