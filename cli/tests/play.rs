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
        "the game is over: B (the bot) has won\n",
    ] {
        assert!(said.contains(line), "`{line}` is not in\n{said}");
    }
}

#[test]
fn an_empty_line_decides_nothing() {
    let said = play(&["--format", "duel_magic"], "\n\nno\nquit\n");
    let asked = said.matches("You may take a mulligan\n").count();
    assert_eq!(asked, 1, "it is asked once, and answered by the word: {said}");
    assert_eq!(said.matches("> answer `yes` or `no`; `help` says what else there is\n").count(), 2, "{said}");
    let after = said.split("You may take a mulligan\n").nth(1).unwrap();
    assert!(!after.contains("from your hand into your deck"), "the hand is kept: {after}");
    let said = play(&["--format", "magic"], "no\n\nquit\n");
    assert!(said.contains("> answer with the number of an option, 1 to ") && said.contains(", or `pass`; `help`"), "{said}");
}

#[test]
fn refusals_are_grouped_by_reason() {
    let said = play(&["--format", "magic", "--seed", "3"], "no\n?\nquit\n");
    let lines: Vec<&str> = said.lines().filter(|line| line.contains(": ") && line.contains("shipped:magic/")).collect();
    assert!(!lines.is_empty(), "{said}");
    let mut reasons: Vec<(&str, &str)> = Vec::new();
    for line in &lines {
        let (plays, why) = line.split_once(": ").unwrap();
        let play = plays.split(" #").next().unwrap();
        assert!(!reasons.contains(&(play, why)), "one reason is said twice:\n{said}");
        reasons.push((play, why));
        assert!(
            why.contains(" (play.") || why.contains(" (rule.") || why.contains(" (activated."),
            "the path comes after the words: {line}"
        );
    }
}

#[test]
fn seats_turns_and_steps_have_names() {
    let said = play(&["--format", "magic"], &("no\n".to_owned() + &"1\n".repeat(40)));
    for what in [
        "A (you) plays ",
        "B (the bot greedy) plays ",
        "B's turn begins",
        "your turn begins",
        "\nturn 1, ",
        "B's hand: ",
        "A (you)",
    ] {
        assert!(said.contains(what), "`{what}` is not in\n{said}");
    }
    for what in ["player 0", "player 1", "turn.", "precombat_main"] {
        assert!(!said.contains(what), "`{what}` is in\n{said}");
    }
    assert!(said.contains("precombat main"), "{said}");
}

#[test]
fn what_is_declared_is_told() {
    let said = play(&["--format", "magic", "--seed", "5"], &("2\n".repeat(60) + &"1\n".repeat(100)));
    assert!(said.lines().any(|line| line.contains(": attack → you")), "{said}");
    assert!(said.contains("\n  B's combat, declare attackers:\n"), "{said}");
    let said = play(&["--format", "duel_masters", "--seed", "2"], &("no\n".to_owned() + &"1\n".repeat(80)));
    assert!(said.lines().any(|line| line.contains(": attack player") || line.contains(": attack creature → ")), "{said}");
}
