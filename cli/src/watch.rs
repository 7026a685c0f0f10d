//! `--watch`: runs a command again after each change of its sources, until Ctrl-C. Files that cannot be read, errors and panics of a run
//! are reported, and the loop continues.

use crate::failure::{CommandError, ExitStatus};
use crate::load::plural;
use crate::output;
use crate::paths::{self, SourceSet};
use crossbeam_channel::Receiver;
use fizzle_compiler::SourceFile;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// Changes with shorter pauses between them count as one.
const DEBOUNCE: Duration = Duration::from_millis(50);

/// The longest wait for a pause: after it the command runs although changes continue.
const MAX_DEBOUNCE: Duration = Duration::from_secs(1);

/// The exit status of the last run. The program ends with it on Ctrl-C.
static LAST_STATUS: AtomicU8 = AtomicU8::new(ExitStatus::Success as u8);

/// The result of a run.
#[derive(Debug)]
pub struct RunSummary {
    /// The exit status that the run would have.
    pub status: ExitStatus,
    /// The result in one line, for people.
    pub result: String,
}

/// Runs a command, and again whenever the text of a source changes. Returns only on an error. `human`: print results for people.
///
/// # Errors
/// There is nothing to watch, a path does not exist at the start, or watching fails.
pub fn watch(
    paths: &[String],
    human: bool,
    mut run: impl FnMut(SourceSet) -> Result<RunSummary, CommandError>,
) -> Result<ExitStatus, CommandError> {
    if let Some(binary) = paths.iter().find(|path| path.ends_with(".fzb")) {
        return Err(CommandError::usage(format!("`{binary}` is a compiled pack and cannot be watched; watch its sources")));
    }
    if paths.iter().any(|path| path == crate::files::STDIN) {
        return Err(CommandError::usage("the standard input cannot be watched"));
    }
    // The texts of the last run.
    let mut known: Option<BTreeMap<String, String>> = None;
    // The error of reading since then.
    let mut last_failure: Option<String> = None;
    let roots = find_watched_folders(paths);
    if roots.is_empty() {
        // A path that does not exist is reported as without `--watch`.
        SourceSet::read_paths(paths, &[], false)?;
        return Err(CommandError::usage("shipped packs cannot be watched"));
    }
    ctrlc::set_handler(|| std::process::exit(i32::from(LAST_STATUS.load(Ordering::SeqCst))))
        .map_err(|error| CommandError::usage(format!("cannot install the Ctrl-C handler: {error}")))?;
    let (send, events) = crossbeam_channel::unbounded();
    let mut watcher = notify::recommended_watcher(move |event| {
        // Sending fails only if the receiver was dropped: then the program ends.
        let _ = send.send(event);
    })
    .map_err(watch_error)?;
    loop {
        // Watching starts before reading, so that no change is missed.
        let mut reported = false;
        for root in &roots {
            watch_folder(&mut watcher, root)?;
        }
        match SourceSet::read_paths(paths, &[], false) {
            Ok(given) => {
                let is_readable_again = last_failure.take().is_some();
                let texts = texts_by_path(&given.files);
                let changes = known.as_ref().map(|known| describe_changes(known, &texts));
                if is_readable_again || changes.as_ref().is_none_or(|changes| !changes.is_empty()) {
                    print_changes(changes.as_deref(), human);
                    run_once(given, human, &mut run);
                    reported = true;
                }
                known = Some(texts);
            }
            Err(failure @ CommandError::Usage { .. }) if known.is_none() && last_failure.is_none() => return Err(failure),
            Err(failure) => {
                let message = failure.to_string();
                LAST_STATUS.store(failure.status() as u8, Ordering::SeqCst);
                if last_failure.as_ref() != Some(&message) {
                    output::error(&failure);
                    reported = true;
                }
                last_failure = Some(message);
            }
        }
        if reported && human {
            output::line("waiting for changes; stop with Ctrl-C");
        }
        wait_for_change(&events, &roots)?;
    }
}

/// Runs the command once, and reports its result, its error or its panic.
fn run_once(given: SourceSet, human: bool, run: &mut impl FnMut(SourceSet) -> Result<RunSummary, CommandError>) {
    let start = Instant::now();
    let (status, result) = match catch_unwind(AssertUnwindSafe(|| run(given))) {
        Ok(Ok(round)) => (round.status, round.result),
        Ok(Err(failure)) => {
            output::error(&failure);
            (failure.status(), "nothing was run".to_owned())
        }
        Err(_) => (ExitStatus::Defect, "include the current sources in the report".to_owned()),
    };
    LAST_STATUS.store(status as u8, Ordering::SeqCst);
    if human {
        let took = start.elapsed();
        output::line(format!("{result} ({} ms)", took.as_millis()));
    }
}

/// Prints what has changed. Clears a terminal first.
fn print_changes(changes: Option<&[String]>, human: bool) {
    let Some(changes) = changes.filter(|_| human) else { return };
    output::clear_terminal();
    match changes {
        [] => output::line("the sources can be read again"),
        [one] => output::line(one),
        several => output::line(format!("{} changed", plural(several.len(), "file"))),
    }
}

fn texts_by_path(files: &[SourceFile]) -> BTreeMap<String, String> {
    files.iter().map(|file| (file.path.clone(), file.text.clone())).collect()
}

/// One line for each file that is new, changed or removed.
fn describe_changes(before: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in now {
        match before.get(path) {
            None => found.push(format!("`{path}` is new")),
            Some(old) if old != text => found.push(format!("`{path}` changed")),
            Some(_) => {}
        }
    }
    found.extend(before.keys().filter(|path| !now.contains_key(*path)).map(|path| format!("`{path}` was removed")));
    found
}

/// A folder where sources may change.
#[derive(Debug, PartialEq, Eq)]
struct WatchedFolder {
    path: PathBuf,
    mode: RecursiveMode,
}

/// The folders to watch: for each path its pack, else the folder itself, or the folder of the file. Shipped packs have none.
fn find_watched_folders(given: &[String]) -> Vec<WatchedFolder> {
    let mut roots: Vec<WatchedFolder> = Vec::new();
    for path in given.iter().map(Path::new).filter(|path| path.exists()) {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let folder = if path.is_dir() { path.as_path() } else { path.parent().unwrap_or(&path) };
        let root = match paths::pack_root(folder) {
            Some(pack) => WatchedFolder { path: pack, mode: RecursiveMode::Recursive },
            None if path.is_dir() => WatchedFolder { path, mode: RecursiveMode::Recursive },
            None => WatchedFolder { path: folder.to_owned(), mode: RecursiveMode::NonRecursive },
        };
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    roots
}

/// Watches a folder. While it does not exist, watches its nearest existing ancestor, so that its return is noticed.
fn watch_folder(watcher: &mut RecommendedWatcher, root: &WatchedFolder) -> Result<(), CommandError> {
    // The folder may have been replaced by another one of the same name.
    let _ = watcher.unwatch(&root.path);
    if root.path.exists() {
        match watcher.watch(&root.path, root.mode) {
            Ok(()) => return Ok(()),
            Err(error) if root.path.exists() => return Err(watch_error(error)),
            Err(_) => {}
        }
    }
    match root.path.ancestors().skip(1).find(|above| above.is_dir()) {
        Some(above) => watcher.watch(above, RecursiveMode::NonRecursive).map_err(watch_error),
        None => Ok(()),
    }
}

fn watch_error(error: notify::Error) -> CommandError {
    CommandError::usage(format!("cannot watch files: {error}"))
}

/// Waits for a change, then until changes pause for [`DEBOUNCE`], at most [`MAX_DEBOUNCE`].
fn wait_for_change(events: &Receiver<notify::Result<notify::Event>>, roots: &[WatchedFolder]) -> Result<(), CommandError> {
    let ended = || CommandError::Defect("the file watcher has stopped".into());
    while !may_affect_sources(&events.recv().map_err(|_| ended())?, roots) {}
    let start = Instant::now();
    while start.elapsed() < MAX_DEBOUNCE && events.recv_timeout(DEBOUNCE).is_ok() {}
    Ok(())
}

/// Whether a source may have changed.
fn may_affect_sources(event: &notify::Result<notify::Event>, roots: &[WatchedFolder]) -> bool {
    // After an error changes may have been missed, so the sources are read again.
    let Ok(event) = event else { return true };
    if matches!(event.kind, EventKind::Access(_)) {
        return false;
    }
    event.need_rescan() || event.paths.is_empty() || event.paths.iter().any(|path| is_source(path, roots))
}

/// Whether a path may be a source or a folder of sources.
fn is_source(path: &Path, roots: &[WatchedFolder]) -> bool {
    let inside = roots.iter().find_map(|root| path.strip_prefix(&root.path).ok());
    let skipped = inside.into_iter().flatten().any(|part| part.to_string_lossy().starts_with('.') || part == "target");
    !skipped && path.extension().is_none_or(|extension| extension == "fz")
}
