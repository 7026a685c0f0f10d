//! Tests of `check --watch` and `test --watch`: a process runs while its files change, and its output is checked.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// The time limit for a line of output, with a reserve for busy machines.
const MAX_WAIT: Duration = Duration::from_secs(120);

struct WatchProcess {
    child: Child,
    lines: Receiver<String>,
}

impl WatchProcess {
    fn start(arguments: &[&str], folder: &Path) -> Self {
        // Both streams share a pipe, so that their lines stay in order.
        let (reader, writer) = std::io::pipe().unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_fizzle"))
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(writer.try_clone().unwrap())
            .stderr(writer)
            .spawn()
            .unwrap();
        let (send, lines) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(reader).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Self { child, lines }
    }

    /// Waits for a line that contains a text. Returns all lines up to it.
    fn wait_for(&self, text: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.lines.recv_timeout(MAX_WAIT).unwrap_or_else(|_| panic!("no `{text}` in {lines:#?}"));
            assert!(!line.contains("internal error") && !line.contains('\u{1b}'), "{line}");
            lines.push(line);
            if lines.last().unwrap().contains(text) {
                return lines;
            }
        }
    }

    /// Sends SIGINT, as Ctrl-C does, and returns the exit status.
    fn interrupt(mut self) -> Option<i32> {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for WatchProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn new_pack_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("watch").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let mut new = Command::new(env!("CARGO_BIN_EXE_fizzle"));
    new.args(["new", "sparks", "--game", "duel_masters"]).current_dir(&folder);
    assert!(new.output().unwrap().status.success());
    folder
}

#[test]
fn check_reruns_when_files_change() {
    let folder = new_pack_folder("check");
    let cards = folder.join("sparks/cards.fz");
    let good = std::fs::read_to_string(&cards).unwrap();
    let process = WatchProcess::start(&["check", "sparks", "--watch"], &folder);
    process.wait_for("5 files, no problems (");
    process.wait_for("waiting for changes");
    // A mistake is reported, then corrected.
    std::fs::write(&cards, good.replacen("power", "powre", 1)).unwrap();
    let output = process.wait_for("1 error, 0 warnings (").join("\n");
    assert!(output.contains("`sparks/cards.fz` changed") && output.contains("did you mean `power`?"), "{output}");
    process.wait_for("waiting for changes");
    std::fs::write(&cards, &good).unwrap();
    process.wait_for("5 files, no problems (");
    process.wait_for("waiting for changes");
    // Changes that affect no source do not trigger a check. The next line reports a new source.
    std::fs::write(&cards, &good).unwrap();
    std::fs::write(folder.join("sparks/notes.txt"), "powre").unwrap();
    std::fs::create_dir(folder.join("sparks/more")).unwrap();
    std::fs::write(folder.join("sparks/more/card.fz"), "").unwrap();
    assert_eq!(process.wait_for("is new").len(), 1);
    process.wait_for("6 files, no problems (");
    // The process continues after a truncated file, invalid UTF-8, and a removed folder.
    std::fs::write(&cards, &good[..good.len() / 2]).unwrap();
    process.wait_for("error");
    process.wait_for("waiting for changes");
    std::fs::write(&cards, [0xff, 0xfe]).unwrap();
    process.wait_for("is not UTF-8 text");
    process.wait_for("waiting for changes");
    std::fs::rename(folder.join("sparks"), folder.join("elsewhere")).unwrap();
    process.wait_for("there is no file");
    process.wait_for("waiting for changes");
    std::fs::write(folder.join("elsewhere/cards.fz"), &good).unwrap();
    std::fs::rename(folder.join("elsewhere"), folder.join("sparks")).unwrap();
    process.wait_for("6 files, no problems (");
    process.wait_for("waiting for changes");
    std::fs::remove_file(folder.join("sparks/more/card.fz")).unwrap();
    process.wait_for("5 files, no problems (");
    process.wait_for("waiting for changes");
    assert_eq!(process.interrupt(), Some(0));
}

/// A file that cannot be read changes no other one, neither when it appears nor when it is removed.
#[test]
fn an_unreadable_file_is_no_change_of_others() {
    let folder = new_pack_folder("unreadable");
    let process = WatchProcess::start(&["check", "sparks", "--watch"], &folder);
    process.wait_for("5 files, no problems (");
    process.wait_for("waiting for changes");
    let bad = folder.join("sparks/bad.fz");
    std::fs::write(&bad, [0xff, 0xfe]).unwrap();
    process.wait_for("is not UTF-8 text");
    process.wait_for("waiting for changes");
    std::fs::remove_file(&bad).unwrap();
    let output = process.wait_for("5 files, no problems (");
    assert!(output.len() == 2 && output[0] == "the sources can be read again", "{output:?}");
    process.wait_for("waiting for changes");
    // What changed meanwhile is reported.
    std::fs::write(&bad, [0xff, 0xfe]).unwrap();
    process.wait_for("is not UTF-8 text");
    process.wait_for("waiting for changes");
    std::fs::write(&bad, "").unwrap();
    let output = process.wait_for("6 files, no problems (");
    assert!(output.len() == 2 && output[0] == "`sparks/bad.fz` is new", "{output:?}");
    process.wait_for("waiting for changes");
    assert_eq!(process.interrupt(), Some(0));
}

#[test]
fn scenarios_rerun_when_files_change() {
    let folder = new_pack_folder("test");
    let cards = folder.join("sparks/cards.fz");
    let good = std::fs::read_to_string(&cards).unwrap();
    let process = WatchProcess::start(&["test", "sparks/scenarios.fz", "--watch"], &folder);
    let output = process.wait_for(" passed, 0 failed");
    assert_eq!(output.len(), 1, "passed scenarios are not listed: {output:?}");
    process.wait_for("waiting for changes");
    // Another file of the same pack, which was not named on the command line: a card changes, so its scenario fails.
    std::fs::write(&cards, good.replacen("sowing(1)", "sowing(2)", 1)).unwrap();
    let output = process.wait_for(" passed, 1 failed").join("\n");
    assert!(output.contains("`sparks/cards.fz` changed") && output.contains("failed  "), "{output}");
    process.wait_for("waiting for changes");
    std::fs::write(&cards, good.replacen("power", "powre", 1)).unwrap();
    process.wait_for("1 error in the sources");
    process.wait_for("waiting for changes");
    assert_eq!(process.interrupt(), Some(1));
}

#[test]
fn unwatchable_inputs_are_refused() {
    let folder = new_pack_folder("wrong");
    for (arguments, expected) in [
        (&["check", "magic", "--watch"][..], "shipped packs cannot be watched"),
        (&["check", "nowhere.fz", "--watch"], "there is no file"),
        (&["test", "sparks.fzb", "--watch"], "is a compiled pack and cannot be watched"),
        (&["check", "sparks", "--watch", "--message-format", "sarif"], "cannot be combined with `--watch`"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_fizzle")).args(arguments).current_dir(&folder).output().unwrap();
        let stderr = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(expected), "{arguments:?}: {stderr}");
    }
}
