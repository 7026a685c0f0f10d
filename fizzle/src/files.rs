//! Packs on disk: the only place of the library that reads files. Everything else takes texts and bytes.
//!
//! A folder may come from a stranger. Only regular files are opened, so that reading never waits; their sizes and number are limited; and
//! links that lead out of the folder are refused, so that nothing else on the disk is read or shown.

use crate::{Error, Pack};
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

/// The largest source file that is read, in bytes.
pub const MAX_SOURCE_BYTES: u64 = 32 << 20;

/// The largest sum of the sizes of all source files, in bytes.
pub const MAX_SOURCES_BYTES: u64 = 32 << 20;

/// The most source files in a folder.
pub const MAX_SOURCE_FILES: usize = 50_000;

/// The most entries of all folders that are searched for source files.
pub const MAX_FOLDER_ENTRIES: usize = 500_000;

/// The deepest nesting of folders.
pub const MAX_FOLDER_DEPTH: usize = 64;

/// The largest compiled pack that is read as a whole, in bytes.
const MAX_COMPILED_BYTES: u64 = 1 << 30;

impl Pack {
    /// Reads a pack from the disk: a compiled pack (`.fzb`), a source file, or a folder with source files (`.fz`), of which all are compiled
    /// together as by [`Pack::compile`]. Hidden entries, folders named `target` and links to folders are left out.
    ///
    /// # Errors
    /// [`Error::Read`] if something cannot be read, is no regular file, is too large, or is a link that leads out of the folder; else as
    /// [`Pack::from_bytes`] and [`Pack::compile`].
    pub fn read(path: impl AsRef<Path>) -> Result<Self, Error> {
        let path = path.as_ref();
        if path.extension().is_some_and(|extension| extension == "fzb") {
            let bytes = read_regular(path, MAX_COMPILED_BYTES).map_err(|error| read_error(path, error))?;
            return Self::from_bytes(&bytes);
        }
        let mut files = Vec::new();
        if path.is_dir() {
            find_sources(path, path, &[], &mut files)?;
        } else {
            files.push(path.to_owned());
        }
        let mut left = MAX_SOURCES_BYTES;
        let mut sources = Vec::new();
        for file in files {
            let bytes = read_regular(&file, MAX_SOURCE_BYTES.min(left)).map_err(|error| read_error(&file, error))?;
            left -= bytes.len() as u64;
            sources.push((displayed_path(&file), to_text(&file, bytes)?));
        }
        Self::compile(sources)
    }
}

/// Reads the text of a source file.
///
/// # Errors
/// [`Error::Read`] if it cannot be read, is no regular file, is too large, or is not UTF-8.
pub fn read_source(path: &Path) -> Result<String, Error> {
    let bytes = read_regular(path, MAX_SOURCE_BYTES).map_err(|error| read_error(path, error))?;
    to_text(path, bytes)
}

fn to_text(path: &Path, bytes: Vec<u8>) -> Result<String, Error> {
    String::from_utf8(bytes).map_err(|_| read_error(path, io::Error::new(ErrorKind::InvalidData, "it is not UTF-8 text")))
}

fn read_error(path: &Path, source: io::Error) -> Error {
    Error::Read { path: displayed_path(path), source }
}

/// Opens a regular file for reading. Pipes, devices and sockets are refused: they could keep the program waiting, or have no end.
///
/// # Errors
/// The file does not exist, is no regular file, or cannot be opened.
pub fn open_regular(path: &Path) -> io::Result<(File, Metadata)> {
    check_regular(&std::fs::metadata(path)?)?;
    open_checked(path, OpenOptions::new().read(true), true)
}

/// As [`open_regular`], for a name that the program chooses, in a folder that others may have filled: a link is refused, not followed.
///
/// # Errors
/// As [`open_regular`]; or it is a link.
pub fn open_regular_unlinked(path: &Path) -> io::Result<(File, Metadata)> {
    check_regular(&std::fs::symlink_metadata(path)?)?;
    open_checked(path, OpenOptions::new().read(true), false)
}

/// Opens a file to be locked, or creates it for its owner only. Its content stays, and a link is refused, not followed.
///
/// # Errors
/// As [`open_regular_unlinked`]; or it cannot be created.
pub fn open_lock_file(path: &Path) -> io::Result<File> {
    match std::fs::symlink_metadata(path) {
        Ok(metadata) => check_regular(&metadata)?,
        Err(error) if error.kind() == ErrorKind::NotFound => {}
        Err(error) => return Err(error),
    }
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    open_checked(path, &mut options, false).map(|(file, _)| file)
}

fn check_regular(metadata: &Metadata) -> io::Result<()> {
    if metadata.is_dir() {
        Err(io::Error::from(ErrorKind::IsADirectory))
    } else if metadata.is_symlink() {
        Err(io::Error::new(ErrorKind::InvalidInput, "it is a link"))
    } else if metadata.is_file() {
        Ok(())
    } else {
        Err(io::Error::new(ErrorKind::InvalidInput, "it is not a regular file"))
    }
}

/// Opens a file that was a regular one when its name was checked, and checks it again.
#[cfg_attr(not(unix), expect(unused_variables, reason = "only Unix has flags for this"))]
fn open_checked(path: &Path, options: &mut OpenOptions, follows_links: bool) -> io::Result<(File, Metadata)> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        // A pipe or a link may have taken the place of the file since: opening does not wait.
        let link_flag = if follows_links { 0 } else { libc::O_NOFOLLOW };
        options.custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | link_flag);
    }
    let file = options.open(path)?;
    let metadata = file.metadata()?;
    check_regular(&metadata)?;
    Ok((file, metadata))
}

/// Reads a regular file of at most `max` bytes.
///
/// # Errors
/// As [`open_regular`]; or the file is larger.
pub fn read_regular(path: &Path, max: u64) -> io::Result<Vec<u8>> {
    let (file, metadata) = open_regular(path)?;
    read_at_most(file, metadata.len(), max)
}

/// Reads an open file of at most `max` bytes. `size`: its size when it was opened; it may grow meanwhile.
///
/// # Errors
/// The file cannot be read, or is larger ([`ErrorKind::FileTooLarge`]).
pub fn read_at_most(file: File, size: u64, max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::with_capacity(size.min(max) as usize);
    if size <= max {
        file.take(max + 1).read_to_end(&mut bytes)?;
    }
    if size > max || bytes.len() as u64 > max {
        return Err(io::Error::new(ErrorKind::FileTooLarge, format!("it is too large, the limit is {max} bytes")));
    }
    Ok(bytes)
}

/// A path as messages show it and as the compiler knows it: with `/`, without a leading `./`, with `\xff` for bytes that are not UTF-8, and
/// with escapes for hidden characters.
#[must_use]
pub fn displayed_path(path: &Path) -> String {
    let mut shown = String::new();
    for chunk in path.as_os_str().as_encoded_bytes().utf8_chunks() {
        shown.push_str(chunk.valid());
        shown.extend(chunk.invalid().iter().map(|byte| format!("\\x{byte:02x}")));
    }
    if cfg!(windows) {
        shown = shown.replace('\\', "/");
    }
    let shown = fizzle_grammar::hidden_characters::escape_line(&shown);
    shown.strip_prefix("./").unwrap_or(&shown).to_owned()
}

/// Collects all `.fz` files in a directory and its subdirectories, sorted by path. Skips hidden entries, `target` and linked directories.
/// `root`: the folder of the pack, which contains the directory or is the directory; links to files may lead only into it, and into the
/// folders `allowed`.
///
/// # Errors
/// The first [`Error::Read`] of [`find_readable_sources`].
pub fn find_sources(directory: &Path, root: &Path, allowed: &[PathBuf], found: &mut Vec<PathBuf>) -> Result<(), Error> {
    let mut problems = Vec::new();
    search_sources(directory, root, allowed, found, &mut problems);
    problems.into_iter().next().map_or(Ok(()), Err)
}

/// As [`find_sources`]; also adds a problem for each directory that cannot be read, each link that leads out of `root` or nowhere, and if
/// there are too many files, entries or nested folders.
pub fn find_readable_sources(directory: &Path, root: &Path, found: &mut Vec<PathBuf>, problems: &mut Vec<Error>) {
    search_sources(directory, root, &[], found, problems);
}

fn search_sources(directory: &Path, root: &Path, allowed: &[PathBuf], found: &mut Vec<PathBuf>, problems: &mut Vec<Error>) {
    let mut search = Search { root, allowed, entries_left: MAX_FOLDER_ENTRIES, found, problems };
    search.below(directory, MAX_FOLDER_DEPTH);
}

/// A search for source files.
struct Search<'s> {
    root: &'s Path,
    /// Folders outside of the root that links may lead into.
    allowed: &'s [PathBuf],
    /// How many more entries of folders may be read.
    entries_left: usize,
    found: &'s mut Vec<PathBuf>,
    problems: &'s mut Vec<Error>,
}

impl Search<'_> {
    /// Searches a folder with folders in it up to a depth. Does nothing after too many entries.
    fn below(&mut self, directory: &Path, depth: usize) {
        if self.entries_left == 0 {
            return;
        }
        let listed = std::fs::read_dir(directory)
            .and_then(|entries| entries.take(self.entries_left).map(|entry| Ok(entry?.path())).collect());
        let mut entries: Vec<PathBuf> = match listed {
            Ok(entries) => entries,
            Err(error) => return self.problems.push(read_error(directory, error)),
        };
        self.entries_left -= entries.len();
        if self.entries_left == 0 {
            let message = format!("its folders have more than {MAX_FOLDER_ENTRIES} entries");
            return self.problems.push(read_error(self.root, io::Error::other(message)));
        }
        entries.sort();
        for entry in entries {
            let hidden = entry.file_name().is_some_and(|name| name.as_encoded_bytes().starts_with(b".") || name == "target");
            // A link to a directory could form a cycle.
            let linked = entry.is_symlink() && entry.is_dir();
            if hidden || linked {
                continue;
            }
            if entry.is_dir() {
                match depth.checked_sub(1) {
                    Some(below) => self.below(&entry, below),
                    None => self.problems.push(read_error(&entry, io::Error::other("the folders are nested too deeply"))),
                }
            } else if entry.extension().is_some_and(|extension| extension == "fz") {
                if self.found.len() >= MAX_SOURCE_FILES {
                    return self.problems.push(read_error(
                        self.root,
                        io::Error::other(format!("it has more than {MAX_SOURCE_FILES} source files")),
                    ));
                }
                match check_link(&entry, self.root, self.allowed) {
                    Ok(()) => self.found.push(entry),
                    Err(error) => self.problems.push(read_error(&entry, error)),
                }
            }
        }
    }
}

/// Checks that a file is no link that leads out of a folder and the folders `allowed`.
///
/// # Errors
/// It is one, or it leads nowhere.
pub fn check_link(file: &Path, root: &Path, allowed: &[PathBuf]) -> io::Result<()> {
    if !file.is_symlink() {
        return Ok(());
    }
    if is_inside(file, std::iter::once(root).chain(allowed.iter().map(PathBuf::as_path)))? {
        Ok(())
    } else {
        Err(io::Error::new(ErrorKind::PermissionDenied, "it is a link that leads out of the pack; copy the file into the pack"))
    }
}

/// Whether a path is in one of some folders, all links resolved. A folder that does not exist contains nothing.
///
/// # Errors
/// The path does not exist, or cannot be read.
pub fn is_inside<'p>(path: &Path, mut folders: impl Iterator<Item = &'p Path>) -> io::Result<bool> {
    let path = path.canonicalize()?;
    Ok(folders.any(|folder| {
        let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
        folder.canonicalize().is_ok_and(|folder| path.starts_with(folder))
    }))
}

/// The search for the folder of a pack, from a folder upwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PackRoot {
    /// The nearest folder with a manifest (`pack.fz`).
    Found(PathBuf),
    /// A manifest that is not used: it, or its folder, belongs to another user than the first folder, or everyone can write to the folder.
    Foreign(PathBuf),
    /// No manifest.
    None,
}

/// Finds the nearest folder with a manifest (`pack.fz`) among a folder and those above it. The path is taken as written, without resolving
/// links or `..`. Above the first folder, the search ends at the first one that another user owns or that everyone can write to: a manifest
/// there would add a stranger's files to the pack.
#[must_use]
pub fn find_pack_root(folder: &Path) -> PackRoot {
    let shown = |folder: &Path| if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder.to_owned() };
    let first = Owner::of(&shown(folder));
    for (level, at) in folder.ancestors().enumerate() {
        let here = shown(at);
        let manifest = here.join("pack.fz");
        let is_trusted = level == 0 || first.as_ref().is_none_or(|first| first.trusts(&here));
        if manifest.is_file() {
            let is_own = level == 0 || first.as_ref().is_none_or(|first| first.owns(&manifest));
            return if is_trusted && is_own { PackRoot::Found(here) } else { PackRoot::Foreign(manifest) };
        }
        if !is_trusted {
            break;
        }
    }
    PackRoot::None
}

/// The user that owns a folder. Known on Unix only.
struct Owner {
    #[cfg(unix)]
    user: u32,
    /// Whether everyone can write to the folder.
    #[cfg(unix)]
    is_shared: bool,
}

#[cfg(unix)]
impl Owner {
    fn of(folder: &Path) -> Option<Self> {
        use std::os::unix::fs::MetadataExt;
        let metadata = std::fs::metadata(folder).ok()?;
        Some(Self { user: metadata.uid(), is_shared: metadata.mode() & 0o002 != 0 })
    }

    fn owns(&self, path: &Path) -> bool {
        Self::of(path).is_some_and(|other| other.user == self.user)
    }

    /// Whether no one can write to another folder who cannot write to this one. Some file systems report that everyone can write to all.
    fn trusts(&self, folder: &Path) -> bool {
        Self::of(folder).is_some_and(|other| other.user == self.user && (self.is_shared || !other.is_shared))
    }
}

#[cfg(not(unix))]
impl Owner {
    fn of(_: &Path) -> Option<Self> {
        None
    }

    fn owns(&self, _: &Path) -> bool {
        true
    }

    fn trusts(&self, _: &Path) -> bool {
        true
    }
}
