//! The program lists its targets. With this test, it is built together with the other tests.

#![allow(clippy::expect_used, reason = "a test")]

use std::process::Command;

#[test]
fn targets_are_listed() {
    let output = Command::new(env!("CARGO_BIN_EXE_fizzle-fuzz")).arg("--list").output().expect("it runs");
    let listed = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    for target in fizzle_fuzz::targets::TARGETS {
        assert!(listed.contains(target.name), "{}: {listed}", target.name);
    }
}
