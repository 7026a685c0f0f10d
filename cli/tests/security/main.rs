//! Tests that a stranger's files are safe: what reaches the terminal, which files are read and written, how commands end, and how much is
//! printed. `docs/security.md` lists what they show.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

mod ends;
mod files;
mod kept_tables;
mod limits;
mod terminal;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// A small game with decks.
const TOY: &str = include_str!("../toy/pack.fz");

/// A new folder, named after the test.
fn new_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("security").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// A new folder with the toy game.
fn toy_folder(name: &str) -> PathBuf {
    let folder = new_folder(name);
    fs::write(folder.join("pack.fz"), TOY).unwrap();
    folder
}

fn command(arguments: &[&str], folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fizzle"));
    command.args(arguments).current_dir(folder).stdin(Stdio::null());
    command
}

fn fizzle(line: &str, folder: &Path) -> Output {
    command(&line.split(' ').collect::<Vec<_>>(), folder).output().unwrap()
}

/// Everything that a command printed.
fn printed(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Runs a command that must succeed.
fn succeed(line: &str, folder: &Path) -> String {
    let output = fizzle(line, folder);
    assert_eq!(output.status.code(), Some(0), "{line}: {}", printed(&output));
    printed(&output)
}

/// Runs a command that must end with a status and a message.
fn refuse(line: &str, folder: &Path, status: i32, message: &str) -> String {
    let output = fizzle(line, folder);
    let text = printed(&output);
    assert_eq!(output.status.code(), Some(status), "{line}: {text}");
    assert!(text.contains(message), "{line}: {text}");
    text
}

/// The files of a folder with their contents, to see that nothing changed.
fn contents(folder: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(contents(&path));
        } else if path.is_file() {
            found.push((path.clone(), fs::read(&path).unwrap()));
        }
    }
    found.sort();
    found
}
