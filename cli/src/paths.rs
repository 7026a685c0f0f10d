//! Resolves the paths of the command line to source texts: files, directories, names of shipped packs and formats.
//!
//! The other files of the same pack, and the shipped packs that the files refer to, are added.

use crate::failure::CommandError;
use crate::files::{STDIN, STDIN_SHOWN};
use crate::pack_scan::{PackReferences, scan};
use crate::shipped;
use crate::{files, output};
use fizzle::files::{MAX_SOURCE_BYTES, MAX_SOURCE_FILES, MAX_SOURCES_BYTES, PackRoot, check_link, displayed_path, is_inside};
use fizzle_compiler::SourceFile;
use fizzle_compiler::packs::join_path;
use rayon::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// The most packs that are read because others use them by path.
const MAX_USED_PACKS: usize = 256;

/// The folders of the option `--allow-path`.
static ALLOWED_PATHS: OnceLock<Vec<PathBuf>> = OnceLock::new();

/// Sets the folders of the option `--allow-path`. Only the first call has an effect.
pub fn allow_paths(paths: Vec<PathBuf>) {
    let _ = ALLOWED_PATHS.set(paths);
}

/// The folders of the option `--allow-path`.
fn allowed_paths() -> &'static [PathBuf] {
    ALLOWED_PATHS.get().map_or(&[], Vec::as_slice)
}

/// The source files to compile.
#[derive(Debug, Default)]
pub struct SourceSet {
    /// All files to compile.
    pub files: Vec<SourceFile>,
    /// Paths of the files that the command line named, without other files of the same packs.
    pub requested: BTreeSet<String>,
    /// The packs and formats that the files declare or need.
    pub references: PackReferences,
    /// The files that were read, by the path that messages show: as written, and as an index into `files`.
    known: BTreeMap<String, (PathBuf, usize)>,
    /// Folders of packs whose files were added.
    added_packs: BTreeSet<PathBuf>,
    /// The folders that the command line named, and those of the packs around them.
    roots: Vec<PathBuf>,
    /// Places of packs that others use by path, as far as they were read.
    used_packs: BTreeSet<PathBuf>,
    /// The bytes of all files that were read.
    bytes: u64,
}

impl SourceSet {
    /// Reads the paths and the shipped packs that they need. `extra`: names of further packs and formats; `family`: include all shipped
    /// packs of the same games.
    pub fn read_paths(paths: &[String], extra: &[&str], family: bool) -> Result<Self, CommandError> {
        let mut given = Self::default();
        for path in paths {
            given.add_path(path)?;
        }
        given.scan_files()?;
        given.references.needs.extend(extra.iter().map(ToString::to_string));
        if family {
            // Cards for a game may be played in all its formats.
            let roots: Vec<String> = given.references.packs.iter().cloned().collect();
            given.references.needs.extend(roots);
        }
        let extends_shipped = !given.files.is_empty();
        for pack in shipped::required_packs(&given.references, family) {
            let Some(pack) = shipped::packs().get(pack) else { continue };
            let is_named = pack.files.first().is_some_and(|file| given.requested.contains(&file.path));
            if is_named || !extends_shipped {
                given.files.extend(pack.files.iter().cloned());
            } else {
                given.files.extend(pack.files_for_dependents().cloned());
            }
        }
        Ok(given)
    }

    /// Scans all files, and adds the packs that they use by path.
    fn scan_files(&mut self) -> Result<(), CommandError> {
        let mut from = 0;
        while from < self.files.len() {
            let new = self.files.get(from..).unwrap_or(&[]);
            let scanned: Vec<PackReferences> = new.par_iter().map(|file| scan(&file.text)).collect();
            let users: Vec<String> = new.iter().map(|file| file.path.clone()).collect();
            from += scanned.len();
            for (user, found) in users.iter().zip(&scanned) {
                found.paths.iter().try_for_each(|written| self.add_used_pack(user, written))?;
            }
            scanned.into_iter().for_each(|found| self.references.add(found));
        }
        Ok(())
    }

    /// Adds the pack that a file uses by path. The compiler reports a path without a pack.
    fn add_used_pack(&mut self, user: &str, written: &str) -> Result<(), CommandError> {
        let Some((file, _)) = self.known.get(user) else { return Ok(()) };
        let Some(folder) = file.parent().and_then(Path::to_str) else { return Ok(()) };
        let place = PathBuf::from(join_path(folder, written));
        if self.used_packs.contains(&place) || !place.exists() {
            return Ok(());
        }
        let allowed = self.roots.iter().chain(allowed_paths()).map(PathBuf::as_path);
        if !is_inside(&place, allowed).unwrap_or(false) {
            let problem = format!("`{user}` uses the pack `{written}`, which is outside of the folders that the command names");
            return Err(
                CommandError::usage(problem).with_help(format!("allow it with `--allow-path {}`", displayed_path(&place)))
            );
        }
        if self.used_packs.len() >= MAX_USED_PACKS {
            return Err(CommandError::Problem(format!("more than {MAX_USED_PACKS} packs are used by their paths")));
        }
        self.used_packs.insert(place.clone());
        if place.join("pack.fz").is_file() {
            self.add_rest_of_pack(&place)
        } else if place.is_file() {
            self.add_file(&place, false)
        } else {
            Ok(())
        }
    }

    fn add_path(&mut self, path: &str) -> Result<(), CommandError> {
        if path == STDIN {
            let text = read_source(Path::new(path))?;
            return self.add_text(STDIN_SHOWN.to_owned(), Path::new(path), text, true);
        }
        let written = relative_to_pack(Path::new(path));
        let place = written.as_deref().unwrap_or(Path::new(path));
        if place.is_dir() {
            let root = pack_root(place);
            self.roots.push(root.clone().unwrap_or_else(|| place.to_owned()));
            let mut found = Vec::new();
            find_sources(place, root.as_deref(), allowed_paths(), &mut found)?;
            if found.is_empty() {
                return Err(CommandError::usage(format!("no `.fz` files in `{path}`")));
            }
            if let Some(root) = root
                && !place.join("pack.fz").is_file()
            {
                self.add_rest_of_pack(&root)?;
            }
            found.iter().try_for_each(|file| self.add_file(file, true))
        } else if place.exists() {
            self.add_file(place, true)?;
            let is_manifest = !self.references_of(place).packs.is_empty();
            let folder = place.parent().unwrap_or(Path::new(""));
            let root = pack_root(folder);
            self.roots.push(root.clone().unwrap_or_else(|| folder.to_owned()));
            match root {
                Some(root) if !is_manifest || place.file_name().is_some_and(|name| name == "pack.fz") => {
                    self.add_rest_of_pack(&root)
                }
                _ => Ok(()),
            }
        } else if let Some(pack) = shipped::find_pack(path).and_then(|pack| shipped::packs().get(pack)) {
            self.requested.extend(pack.files.iter().map(|file| file.path.clone()));
            self.references.needs.insert(path.to_owned());
            Ok(())
        } else {
            let looks_like_path = path.contains(['/', '\\', '.']);
            let mut failure =
                CommandError::unknown_name(if looks_like_path { "file" } else { "file or shipped game" }, path, shipped::names());
            if looks_like_path && let CommandError::Usage { help, .. } = &mut failure {
                *help = None;
            }
            Err(failure)
        }
    }

    fn references_of(&self, path: &Path) -> PackReferences {
        let file = self.known.get(&displayed_path(path)).and_then(|(_, index)| self.files.get(*index));
        file.map_or_else(PackReferences::default, |file| scan(&file.text))
    }

    /// Adds the other files of the pack whose manifest is in a directory.
    fn add_rest_of_pack(&mut self, root: &Path) -> Result<(), CommandError> {
        if !self.added_packs.insert(root.to_owned()) {
            return Ok(());
        }
        let mut found = Vec::new();
        find_sources(root, Some(root), allowed_paths(), &mut found)?;
        found.iter().try_for_each(|file| self.add_file(file, false))
    }

    fn add_file(&mut self, path: &Path, is_requested: bool) -> Result<(), CommandError> {
        let shown = displayed_path(path);
        let short = path.strip_prefix("./").unwrap_or(path);
        let text = if self.known.contains_key(&shown) { String::new() } else { read_source(path)? };
        self.add_text(shown, short, text, is_requested)
    }

    /// Adds the text of a file. `shown`: the path that messages show.
    fn add_text(&mut self, shown: String, path: &Path, text: String, is_requested: bool) -> Result<(), CommandError> {
        if is_requested {
            self.requested.insert(shown.clone());
        }
        if let Some((known, _)) = self.known.get(&shown) {
            return if known == path {
                Ok(())
            } else {
                Err(CommandError::Problem(format!("two files are shown as `{shown}`: rename one of them")))
            };
        }
        self.bytes += text.len() as u64;
        if self.bytes > MAX_SOURCES_BYTES || self.files.len() >= MAX_SOURCE_FILES {
            return Err(CommandError::Problem(format!(
                "the sources are too large: at most {MAX_SOURCE_FILES} files and {MAX_SOURCES_BYTES} bytes are read"
            )));
        }
        self.known.insert(shown.clone(), (path.to_owned(), self.files.len()));
        self.files.push(SourceFile { path: shown, text });
        Ok(())
    }
}

/// Reads the text of a source file.
pub fn read_source(path: &Path) -> Result<String, CommandError> {
    read_bounded(path, MAX_SOURCE_BYTES, "a source file")
}

/// Reads the text of a source file that the command formats in place.
pub fn read_source_to_replace(path: &Path) -> Result<String, CommandError> {
    to_text(path, files::read_to_replace(path, MAX_SOURCE_BYTES, "a source file")?)
}

/// Reads the UTF-8 text of a file, or of the standard input (`-`), of at most `max` bytes. `what`: the kind of file that has this limit, for
/// the message.
pub fn read_bounded(path: &Path, max: u64, what: &str) -> Result<String, CommandError> {
    if is_stdin(path) {
        return to_text(Path::new(STDIN_SHOWN), files::read_stdin(max, what)?);
    }
    to_text(path, files::read(path, max, what)?)
}

/// Whether a path means the standard input.
pub fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == STDIN
}

/// The bytes of a file as text.
pub fn to_text(path: &Path, bytes: Vec<u8>) -> Result<String, CommandError> {
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let line = error.as_bytes().iter().take(good).filter(|byte| **byte == b'\n').count() + 1;
        CommandError::Problem(format!("`{}` is not UTF-8 text: invalid byte in line {line}", displayed_path(path)))
    })
}

/// Collects all `.fz` files in a directory and its subdirectories, sorted by path. Skips hidden entries, `target` and linked directories.
/// `root`: the folder of the pack (default: the directory). Links may lead only into it, and into the folders `allowed`.
pub fn find_sources(
    directory: &Path,
    root: Option<&Path>,
    allowed: &[PathBuf],
    found: &mut Vec<PathBuf>,
) -> Result<(), CommandError> {
    fizzle::files::find_sources(directory, root.unwrap_or(directory), allowed, found).map_err(|error| match error {
        fizzle::Error::Read { ref source, .. } if source.kind() == std::io::ErrorKind::PermissionDenied => {
            // The system's own refusals have a number.
            let is_link = source.raw_os_error().is_none();
            let help = if is_link { ", or allow its folder with `--allow-path FOLDER`" } else { "" };
            CommandError::Problem(format!("{error}{help}"))
        }
        error => CommandError::usage(error.to_string()),
    })
}

/// The folder of the pack that a folder belongs to. Notes a manifest above it that is not used.
pub fn pack_root(folder: &Path) -> Option<PathBuf> {
    match fizzle::files::find_pack_root(folder) {
        PackRoot::Found(root) => Some(root),
        PackRoot::Foreign(manifest) => {
            output::note(format!(
                "note: `{}` is not used: it belongs to another user, or everyone can write to its folder",
                displayed_path(&manifest)
            ));
            None
        }
        PackRoot::None => None,
    }
}

/// Checks that a file is no link that leads out of its pack.
pub fn check_link_in_pack(file: &Path) -> Result<(), CommandError> {
    let Some(root) = pack_root(file.parent().unwrap_or(Path::new(""))) else { return Ok(()) };
    check_link(file, &root, &[]).map_err(|error| CommandError::Problem(format!("`{}`: {error}", displayed_path(file))))
}

/// For a relative path inside of a pack whose manifest is above the working directory: the path by way of the pack's folder, such as
/// `../../cards/x.fz`.
fn relative_to_pack(path: &Path) -> Option<PathBuf> {
    if path.is_absolute() || matches!(fizzle::files::find_pack_root(path), PackRoot::Found(_)) {
        return None;
    }
    let whole = path.canonicalize().ok()?;
    let here = Path::new(".").canonicalize().ok()?;
    let root = pack_root(if whole.is_dir() { &whole } else { whole.parent()? })?;
    let up = here.strip_prefix(&root).ok()?.components().count();
    let mut written: PathBuf = std::iter::repeat_n("..", up).collect();
    written.push(whole.strip_prefix(&root).ok()?);
    Some(written)
}
