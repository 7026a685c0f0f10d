//! `--watch`: a command runs again after each change of its sources, until it is interrupted. Whatever happens to the files meanwhile, it goes on.

use crate::failure::{CommandError, ExitStatus};
use crate::load::plural;
use crate::output;
use crate::paths::{self, SourceSet};
use crossbeam_channel::Receiver;
use fizzle_compiler::SourceFile;
use notify::{EventKind, RecommendedWatcher, RecursiveMode, Watcher};
use std::collections::BTreeMap;
use std::io::{IsTerminal, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU8, Ordering};
use std::time::{Duration, Instant};

/// Changes that follow each other so closely are one.
const DEBOUNCE: Duration = Duration::from_millis(50);

/// Changes that never pause are looked at after so long all the same.
const MAX_DEBOUNCE: Duration = Duration::from_secs(1);

/// The status of the last run: that of the program, when it is interrupted.
static LAST: AtomicU8 = AtomicU8::new(ExitStatus::Success as u8);

/// What a run came to.
#[derive(Debug)]
pub struct RunSummary {
    /// How it ended.
    pub status: ExitStatus,
    /// The same in one line, for people.
    pub result: String,
}

/// Runs something, and again whenever the sources are others. `human`: results are told to people.
pub fn watch(
    paths: &[String],
    human: bool,
    mut run: impl FnMut(SourceSet) -> Result<RunSummary, CommandError>,
) -> Result<ExitStatus, CommandError> {
    if let Some(binary) = paths.iter().find(|path| path.ends_with(".fzb")) {
        return Err(CommandError::usage(format!("`{binary}` is compiled already: watch the sources that it was made of")));
    }
    let mut known: Option<BTreeMap<String, String>> = None;
    let mut unread = String::new();
    let roots = roots(paths);
    if roots.is_empty() {
        // What is not there at all is told as always.
        SourceSet::read(paths, &[], false)?;
        return Err(CommandError::usage("what is inside the program does not change: there is nothing to watch"));
    }
    ctrlc::set_handler(|| std::process::exit(i32::from(LAST.load(Ordering::SeqCst))))
        .map_err(|error| CommandError::usage(format!("interruptions cannot be heeded: {error}")))?;
    let (send, events) = crossbeam_channel::unbounded();
    let mut watcher = notify::recommended_watcher(move |event| {
        // Without a receiver the program ends.
        let _ = send.send(event);
    })
    .map_err(unwatchable)?;
    loop {
        // First look out for changes, then read: so none is missed.
        let mut told = false;
        for root in &roots {
            look_at(&mut watcher, root)?;
        }
        match SourceSet::read(paths, &[], false) {
            Ok(given) => {
                unread.clear();
                let texts = texts(&given.files);
                let changes = known.as_ref().map(|known| changes(known, &texts));
                if changes.as_ref().is_none_or(|changes| !changes.is_empty()) {
                    announce(changes.as_deref(), human);
                    round(given, human, &mut run);
                    told = true;
                }
                known = Some(texts);
            }
            Err(failure @ CommandError::Usage { .. }) if known.is_none() => return Err(failure),
            Err(failure) => {
                let message = failure.to_string();
                LAST.store(failure.status() as u8, Ordering::SeqCst);
                if message != unread {
                    announce(None, human && known.is_some());
                    output::error(&failure);
                    told = true;
                }
                unread = message;
                // When it can be read again, that is told, too.
                known = Some(BTreeMap::new());
            }
        }
        if told && human {
            output::line("waiting for changes; Ctrl-C ends it");
        }
        wait(&events, &roots)?;
    }
}

/// One run, whatever comes of it.
fn round(given: SourceSet, human: bool, run: &mut impl FnMut(SourceSet) -> Result<RunSummary, CommandError>) {
    let start = Instant::now();
    let (status, result) = match catch_unwind(AssertUnwindSafe(|| run(given))) {
        Ok(Ok(round)) => (round.status, round.result),
        Ok(Err(failure)) => {
            output::error(&failure);
            (failure.status(), "nothing was run".to_owned())
        }
        Err(_) => (ExitStatus::Defect, "please report it, with the sources as they are now".to_owned()),
    };
    LAST.store(status as u8, Ordering::SeqCst);
    if human {
        let took = start.elapsed();
        output::line(format!("{result} ({} ms)", took.as_millis()));
    }
}

/// Says what has changed, on an empty screen if there is one.
fn announce(changes: Option<&[String]>, human: bool) {
    let Some(changes) = changes.filter(|_| human) else { return };
    let mut stdout = std::io::stdout();
    if stdout.is_terminal() {
        let _ = stdout.write_all(b"\x1b[H\x1b[2J\x1b[3J");
    }
    match changes {
        [one] => output::line(one),
        several => output::line(format!("{} changed", plural(several.len(), "file"))),
    }
}

fn texts(files: &[SourceFile]) -> BTreeMap<String, String> {
    files.iter().map(|file| (file.path.clone(), file.text.clone())).collect()
}

/// What is there, is gone or reads otherwise than before.
fn changes(before: &BTreeMap<String, String>, now: &BTreeMap<String, String>) -> Vec<String> {
    let mut found = Vec::new();
    for (path, text) in now {
        match before.get(path) {
            None => found.push(format!("`{path}` is new")),
            Some(old) if old != text => found.push(format!("`{path}` changed")),
            Some(_) => {}
        }
    }
    found.extend(before.keys().filter(|path| !now.contains_key(*path)).map(|path| format!("`{path}` is gone")));
    found
}

/// A folder where sources may change.
#[derive(Debug, PartialEq, Eq)]
struct WatchedFolder {
    path: PathBuf,
    mode: RecursiveMode,
}

/// The packs around the paths, else the folders, or those of the files. What is inside the program has none.
fn roots(given: &[String]) -> Vec<WatchedFolder> {
    let mut roots: Vec<WatchedFolder> = Vec::new();
    for path in given.iter().map(Path::new).filter(|path| path.exists()) {
        let path = path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let root = match paths::pack_above(&path.join("x")) {
            Some(pack) => WatchedFolder { path: pack, mode: RecursiveMode::Recursive },
            None if path.is_dir() => WatchedFolder { path, mode: RecursiveMode::Recursive },
            None => WatchedFolder { path: path.parent().map_or(path.clone(), Path::to_owned), mode: RecursiveMode::NonRecursive },
        };
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    roots
}

/// Looks out for changes in a folder, or, while it is not there, for its return.
fn look_at(watcher: &mut RecommendedWatcher, root: &WatchedFolder) -> Result<(), CommandError> {
    // It may be another folder of the same name.
    let _ = watcher.unwatch(&root.path);
    if root.path.exists() {
        match watcher.watch(&root.path, root.mode) {
            Ok(()) => return Ok(()),
            Err(error) if root.path.exists() => return Err(unwatchable(error)),
            Err(_) => {}
        }
    }
    match root.path.ancestors().skip(1).find(|above| above.is_dir()) {
        Some(above) => watcher.watch(above, RecursiveMode::NonRecursive).map_err(unwatchable),
        None => Ok(()),
    }
}

fn unwatchable(error: notify::Error) -> CommandError {
    CommandError::usage(format!("changes cannot be watched for: {error}"))
}

/// Waits for a change, and until there are no more of them.
fn wait(events: &Receiver<notify::Result<notify::Event>>, roots: &[WatchedFolder]) -> Result<(), CommandError> {
    let ended = || CommandError::Defect("nobody looks out for changes any more".into());
    while !matters(&events.recv().map_err(|_| ended())?, roots) {}
    let start = Instant::now();
    while start.elapsed() < MAX_DEBOUNCE && events.recv_timeout(DEBOUNCE).is_ok() {}
    Ok(())
}

/// Whether a source may have changed.
fn matters(event: &notify::Result<notify::Event>, roots: &[WatchedFolder]) -> bool {
    // If something was missed, looking is right.
    let Ok(event) = event else { return true };
    if matches!(event.kind, EventKind::Access(_)) {
        return false;
    }
    event.need_rescan() || event.paths.is_empty() || event.paths.iter().any(|path| is_source(path, roots))
}

/// Whether a path may be a source, or a folder of them.
fn is_source(path: &Path, roots: &[WatchedFolder]) -> bool {
    let inside = roots.iter().find_map(|root| path.strip_prefix(&root.path).ok());
    let skipped = inside.into_iter().flatten().any(|part| part.to_string_lossy().starts_with('.') || part == "target");
    !skipped && path.extension().is_none_or(|extension| extension == "fz")
}
