//! Runs the scenarios of a tiny game (`tests/mechanisms`) that uses the mechanisms of the kernel one at a time.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::fs;
use std::path::Path;
use std::process::Command;

/// Runs all scenarios of a folder. Each of them passes.
fn assert_scenarios_pass(folder: &str) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let output = Command::new(env!("CARGO_BIN_EXE_fizzle")).args(["test", folder]).current_dir(root).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    let sources = fs::read_dir(root.join(folder)).unwrap().map(|entry| fs::read_to_string(entry.unwrap().path()).unwrap());
    let written: usize = sources.map(|source| source.lines().filter(|line| line.starts_with("scenario ")).count()).sum();
    assert!(written > 0, "{folder} has no scenarios");
    assert_eq!(text.lines().filter(|line| line.starts_with("passed")).count(), written, "{text}");
}

#[test]
fn kernel_scenarios_pass() {
    assert_scenarios_pass("tests/mechanisms");
}

/// Scenarios of shipped games with further cards, for which the texts of these games have no words.
#[test]
fn scenarios_with_own_cards_pass() {
    assert_scenarios_pass("tests/own_cards");
}

/// The verifier accepts the compiled pack of the game.
#[test]
fn kernel_scenarios_compile_to_a_valid_pack() {
    let pack = std::env::temp_dir().join(format!("fizzle-mechanisms-{}.fzb", std::process::id()));
    let fizzle = |args: &[&std::ffi::OsStr]| {
        let output =
            Command::new(env!("CARGO_BIN_EXE_fizzle")).args(args).current_dir(env!("CARGO_MANIFEST_DIR")).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    fizzle(&["build".as_ref(), "tests/mechanisms".as_ref(), "-o".as_ref(), pack.as_os_str()]);
    fizzle(&["check".as_ref(), pack.as_os_str()]);
    std::fs::remove_file(pack).unwrap();
}
