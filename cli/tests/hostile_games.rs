//! Packs whose games would not end, or would fill the memory: each ends by the budget that its first line names (`// ends by: NAME`). It ends so from
//! its sources and from the compiled pack. The budgets count work, so nothing here measures time.

#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile")
}

/// What the program prints when it runs the scenario of a pack.
fn output(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_fizzle")).args(arguments).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn hostile_games_end_by_their_budget() {
    let mut files: Vec<PathBuf> = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    let compiled = std::env::temp_dir().join(format!("fizzle-hostile-{}.fzb", std::process::id()));
    let compiled = compiled.to_str().unwrap();
    let mut wrong = Vec::new();
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        let budget = text.lines().next().unwrap().strip_prefix("// ends by: ").unwrap();
        let expected = format!("it exceeded its budget of {budget}\n");
        let file = file.to_str().unwrap();
        let built = output(&["build", file, "-o", compiled]);
        for (form, found) in
            [("sources", output(&["test", file])), ("compiled", output(&["test", compiled, "--filter", "hostile"]))]
        {
            if !found.contains(&expected) {
                wrong.push(format!("{file} ({form}): {found}{built}"));
            }
        }
    }
    fs::remove_file(compiled).unwrap();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
