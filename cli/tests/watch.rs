//! `check --watch` and `test --watch` as somebody who writes sees them: a process, files that change under it, what it says.

#![cfg(unix)]
#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Longer than anything takes, on a machine that is busy with other things, too.
const PATIENCE: Duration = Duration::from_secs(120);

struct Watched {
    child: Child,
    said: Receiver<String>,
}

impl Watched {
    fn start(arguments: &[&str], folder: &Path) -> Self {
        // One pipe for both, so that what is told keeps its order.
        let (reader, writer) = std::io::pipe().unwrap();
        let child = Command::new(env!("CARGO_BIN_EXE_fizzle"))
            .args(arguments)
            .current_dir(folder)
            .stdin(Stdio::null())
            .stdout(writer.try_clone().unwrap())
            .stderr(writer)
            .spawn()
            .unwrap();
        let (send, said) = channel();
        std::thread::spawn(move || {
            for line in BufReader::new(reader).lines().map_while(Result::ok) {
                if send.send(line).is_err() {
                    return;
                }
            }
        });
        Self { child, said }
    }

    /// Waits until a line contains a text, and gives all lines until then.
    fn until(&self, text: &str) -> Vec<String> {
        let mut lines = Vec::new();
        loop {
            let line = self.said.recv_timeout(PATIENCE).unwrap_or_else(|_| panic!("no `{text}` in {lines:#?}"));
            assert!(!line.contains("defect") && !line.contains('\u{1b}'), "{line}");
            lines.push(line);
            if lines.last().unwrap().contains(text) {
                return lines;
            }
        }
    }

    /// Ctrl-C; the exit status.
    fn interrupt(mut self) -> Option<i32> {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args(["-INT", &pid]).status().unwrap().success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("watch").join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let mut new = Command::new(env!("CARGO_BIN_EXE_fizzle"));
    new.args(["new", "sparks", "--game", "duel_masters"]).current_dir(&folder);
    assert!(new.output().unwrap().status.success());
    folder
}

#[test]
fn a_check_follows_the_files() {
    let folder = folder("check");
    let cards = folder.join("sparks/cards.fz");
    let good = std::fs::read_to_string(&cards).unwrap();
    let watched = Watched::start(&["check", "sparks", "--watch"], &folder);
    watched.until("5 files, no problems (");
    watched.until("waiting for changes");
    // A mistake, told with its place, and mended.
    std::fs::write(&cards, good.replacen("power", "powre", 1)).unwrap();
    let said = watched.until("1 error, 0 warnings (").join("\n");
    assert!(said.contains("`sparks/cards.fz` changed") && said.contains("did you mean `power`?"), "{said}");
    watched.until("waiting for changes");
    std::fs::write(&cards, &good).unwrap();
    watched.until("5 files, no problems (");
    watched.until("waiting for changes");
    // What changes no source is no reason to check again; the next line is that of a new file.
    std::fs::write(&cards, &good).unwrap();
    std::fs::write(folder.join("sparks/notes.txt"), "powre").unwrap();
    std::fs::create_dir(folder.join("sparks/more")).unwrap();
    std::fs::write(folder.join("sparks/more/card.fz"), "").unwrap();
    assert_eq!(watched.until("is new").len(), 1);
    watched.until("6 files, no problems (");
    // Half of a file, no text at all, no file, no folder: it goes on.
    std::fs::write(&cards, &good[..good.len() / 2]).unwrap();
    watched.until("error");
    watched.until("waiting for changes");
    std::fs::write(&cards, [0xff, 0xfe]).unwrap();
    watched.until("is not UTF-8 text");
    watched.until("waiting for changes");
    std::fs::rename(folder.join("sparks"), folder.join("elsewhere")).unwrap();
    watched.until("there is no file");
    watched.until("waiting for changes");
    std::fs::write(folder.join("elsewhere/cards.fz"), &good).unwrap();
    std::fs::rename(folder.join("elsewhere"), folder.join("sparks")).unwrap();
    watched.until("6 files, no problems (");
    watched.until("waiting for changes");
    std::fs::remove_file(folder.join("sparks/more/card.fz")).unwrap();
    watched.until("5 files, no problems (");
    watched.until("waiting for changes");
    assert_eq!(watched.interrupt(), Some(0));
}

#[test]
fn scenarios_are_played_again() {
    let folder = folder("test");
    let cards = folder.join("sparks/cards.fz");
    let good = std::fs::read_to_string(&cards).unwrap();
    let watched = Watched::start(&["test", "sparks/scenarios.fz", "--watch"], &folder);
    let said = watched.until(" passed, 0 failed");
    assert_eq!(said.len(), 1, "what passes is not listed: {said:?}");
    watched.until("waiting for changes");
    // A file of the same pack that was not given itself: a card that does more than its scenario expects.
    std::fs::write(&cards, good.replacen("sowing(1)", "sowing(2)", 1)).unwrap();
    let said = watched.until(" passed, 1 failed").join("\n");
    assert!(said.contains("`sparks/cards.fz` changed") && said.contains("failed  "), "{said}");
    watched.until("waiting for changes");
    std::fs::write(&cards, good.replacen("power", "powre", 1)).unwrap();
    watched.until("1 error in the sources");
    watched.until("waiting for changes");
    assert_eq!(watched.interrupt(), Some(1));
}

#[test]
fn what_cannot_change_is_not_watched() {
    let folder = folder("wrong");
    for (arguments, told) in [
        (&["check", "magic", "--watch"][..], "there is nothing to watch"),
        (&["check", "nowhere.fz", "--watch"], "there is no file"),
        (&["test", "sparks.fzb", "--watch"], "is compiled already"),
        (&["check", "sparks", "--watch", "--message-format", "sarif"], "a SARIF document has an end"),
    ] {
        let output = Command::new(env!("CARGO_BIN_EXE_fizzle")).args(arguments).current_dir(&folder).output().unwrap();
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(2), "{said}");
        assert!(said.contains(told), "{arguments:?}: {said}");
    }
}
