//! A game at the terminal: the texts of cards, and how it ends.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn a_person_reads_cards_and_is_told_who_won() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fizzle"));
    command.args(["play", "--format", "duel_masters"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all("? 青銅の鎧\ntext 青銅の鎧青銅の鎧\nhelp\nconcede\n".as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    for line in [
        "青銅の鎧: creature, nature",
        "no card is called `青銅の鎧青銅の鎧`",
        "? NAME, text NAME",
        "you lose",
        "the game is over: player 1 (the bot) has won",
    ] {
        assert!(said.contains(line), "`{line}` is not in\n{said}");
    }
}
