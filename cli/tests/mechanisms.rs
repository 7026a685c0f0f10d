//! Runs the scenarios of a tiny game that shows the mechanisms of the kernel one at a time.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::process::Command;

#[test]
fn every_mechanism_does_what_its_scenario_says() {
    let output = Command::new(env!("CARGO_BIN_EXE_fizzle"))
        .args(["test", "tests/mechanisms"])
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{text}\n{}", String::from_utf8_lossy(&output.stderr));
    assert!(text.lines().filter(|line| line.starts_with("passed")).count() >= 14, "{text}");
}
