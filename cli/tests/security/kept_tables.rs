//! The folder of running tables of `serve`: what others have put there is not waited for, followed or overwritten.

#![cfg(all(unix, feature = "serve"))]

use super::{command, printed, toy_folder};
use std::fs::{self, File};
use std::io::{BufRead, BufReader};
use std::os::unix::fs::symlink;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::time::Duration;

/// The time limit for a line of output, with a reserve for busy machines.
const MAX_WAIT: Duration = Duration::from_secs(60);

/// A server that runs.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Starts a server with the folder `K`. Returns it, and what it prints up to its address.
fn serve(folder: &Path) -> (Served, String) {
    let (reader, writer) = std::io::pipe().unwrap();
    let mut serve = command(&["serve", ".", "--keep", "K", "--port", "0"], folder);
    let server = Served(serve.stdout(writer.try_clone().unwrap()).stderr(writer).spawn().unwrap());
    drop(serve);
    let (send, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(reader).lines().map_while(Result::ok) {
            let _ = send.send(line);
        }
    });
    let mut text = String::new();
    loop {
        let line = lines.recv_timeout(MAX_WAIT).unwrap_or_else(|error| panic!("{error}: {text}"));
        text.push_str(&line);
        text.push('\n');
        if line.starts_with("http://127.0.0.1:") {
            return (server, text);
        }
    }
}

/// Starts a server that must refuse its folder.
fn refuse_to_serve(folder: &Path, message: &str) {
    let mut child = command(&["serve", ".", "--keep", "K", "--port", "0"], folder)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // A server that waits, or runs, is ended.
    let mut left = MAX_WAIT.as_millis() / 20;
    while child.try_wait().unwrap().is_none() && left > 0 {
        std::thread::sleep(Duration::from_millis(20));
        left -= 1;
    }
    let _ = child.kill();
    let output = child.wait_with_output().unwrap();
    let text = printed(&output);
    assert_eq!(output.status.code(), Some(2), "{message}: {text}");
    assert!(text.contains(message), "{message}: {text}");
}

fn make_pipe(path: &Path) {
    assert!(Command::new("mkfifo").arg(path).status().unwrap().success());
}

/// A table that cannot be read is named with the reason, and the server starts.
#[test]
fn tables_that_cannot_be_read_are_named() {
    let folder = toy_folder("kept-tables");
    let keep = folder.join("K");
    fs::create_dir_all(keep.join("folder.table")).unwrap();
    make_pipe(&keep.join("pipe.table"));
    symlink("/dev/zero", keep.join("zero.table")).unwrap();
    fs::write(folder.join("elsewhere"), "").unwrap();
    symlink("../elsewhere", keep.join("link.table")).unwrap();
    File::create(keep.join("large.table")).unwrap().set_len((64 << 20) + 1).unwrap();
    fs::write(keep.join("garbage\u{202e}\n.table"), "garbage").unwrap();
    let (_server, text) = serve(&folder);
    for expected in [
        "the saved table `K/folder.table` cannot be read: is a directory",
        "the saved table `K/pipe.table` cannot be read: it is not a regular file",
        "the saved table `K/zero.table` cannot be read: it is a link",
        "the saved table `K/link.table` cannot be read: it is a link",
        "the saved table `K/large.table` cannot be read: it is too large, the limit is 67108864 bytes",
        "the saved table `K/garbage\\u{202e}\\u{a}.table` cannot be read: this version of the program did not write it, or it is damaged",
    ] {
        assert!(text.contains(expected), "{expected}: {text}");
    }
}

/// A lock is a regular file, which keeps its content. Nothing is opened or created through a link.
#[test]
fn locks_are_regular_files() {
    let folder = toy_folder("kept-locks");
    let (keep, lock) = (folder.join("K"), folder.join("K/lock"));
    fs::create_dir(&keep).unwrap();
    fs::write(folder.join("kept"), "kept").unwrap();
    make_pipe(&lock);
    refuse_to_serve(&folder, "`K/lock`: it is not a regular file");
    for target in ["../kept", "../new"] {
        fs::remove_file(&lock).unwrap();
        symlink(target, &lock).unwrap();
        refuse_to_serve(&folder, "`K/lock`: it is a link");
    }
    assert_eq!(fs::read_to_string(folder.join("kept")).unwrap(), "kept");
    assert!(!folder.join("new").exists());
    fs::remove_file(&lock).unwrap();
    fs::write(&lock, "kept").unwrap();
    let (_server, _) = serve(&folder);
    assert_eq!(fs::read_to_string(&lock).unwrap(), "kept");
}

/// The folders in the folder of tables are real ones. The folder itself, which the command line names, can be a link.
#[test]
fn folders_of_tables_are_no_links() {
    let folder = toy_folder("kept-folders");
    fs::create_dir_all(folder.join("place")).unwrap();
    fs::create_dir(folder.join("outside")).unwrap();
    symlink("place", folder.join("K")).unwrap();
    symlink("../outside", folder.join("K/traces")).unwrap();
    refuse_to_serve(&folder, "`K/traces`: it is a link");
    fs::remove_file(folder.join("K/traces")).unwrap();
    fs::write(folder.join("K/traces"), "").unwrap();
    refuse_to_serve(&folder, "`K/traces`: it is not a folder");
    fs::remove_file(folder.join("K/traces")).unwrap();
    let (_server, _) = serve(&folder);
    symlink("../outside", folder.join("K/2")).unwrap();
    refuse_to_serve(&folder, "`K/2`: it is a link");
    fs::remove_file(folder.join("K/2")).unwrap();
    fs::create_dir(folder.join("K/2")).unwrap();
    symlink("../../outside", folder.join("K/2/traces")).unwrap();
    refuse_to_serve(&folder, "`K/2/traces`: it is a link");
    fs::remove_file(folder.join("K/2/traces")).unwrap();
    let (_second, _) = serve(&folder);
    assert!(folder.join("K/2/lock").is_file());
    assert!(fs::read_dir(folder.join("outside")).unwrap().next().is_none(), "nothing is written outside");
}
