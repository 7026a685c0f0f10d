//! A game at the terminal: the texts of cards, and how it ends.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::io::Write;
use std::process::{Command, Stdio};

/// What the program says to these lines.
fn play(args: &[&str], lines: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fizzle"));
    let mut child = command.arg("play").args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn a_person_is_asked_in_words_and_sees_symbols() {
    let said = play(&["--format", "duel_magic"], "1\n1\n1\n1\nquit\n");
    assert!(said.contains("yes or no: You may take a mulligan\n"), "{said}");
    assert!(!said.contains("declare_mulligan"), "{said}");
    let said = play(&["--format", "magic"], "quit\n");
    assert!(said.contains("{B}") && !said.contains("black_mana"), "{said}");
}

#[test]
fn choices_are_explained_in_words() {
    let explain = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_fizzle")).arg("explain").args(args).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let said = explain(&["Cryptic Command"]);
    assert!(said.contains("Choose two: chosen on announcement") && said.contains("mana_cost {1}{U}{U}{U}"), "{said}");
    let said = explain(&["Duress"]);
    assert!(said.contains("A noncreature, nonland card in that opponent's hand: chosen on resolution"), "{said}");
    let said = explain(&["デーモン・ハンド", "--lang", "ja"]);
    assert!(said.contains("相手のクリーチャー1体: 解決時に選ぶ"), "{said}");
}

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
        // who gave it up was not beaten by a rule
        "the game is over: player 1 (the bot) has won\n",
    ] {
        assert!(said.contains(line), "`{line}` is not in\n{said}");
    }
}
