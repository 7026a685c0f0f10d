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
    child
        .stdin
        .take()
        .unwrap()
        .write_all("? 青銅の鎧\ntext 青銅の鎧青銅の鎧\nhelp\nconcede\nno\nconcede\nyes\n".as_bytes())
        .unwrap();
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8_lossy(&output.stdout);
    for line in [
        "青銅の鎧: creature, nature",
        "no card is called `青銅の鎧青銅の鎧`",
        "? NAME, text NAME",
        "log, log all",
        "the game goes on",
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

/// Cards that cost nothing, and decks of them. The first deck is the person's, the second one the bot's.
const FREE: &str = r#"
card "Pick Two" {
  instant  red  mana_cost {0}
  does {
    choose 2 {
      - gain 3
      - draw 1
      - scry 1
    }
  }
}

card "Zap" {
  instant  red  mana_cost {0}
  does { deal 2 damage to target recipient }
}

card "Eager Lions" {
  creature  white  mana_cost {0}  power 1  toughness 1
  haste
}

deck "a picks" { format magic; main { 20 "Pick Two"  20 "Zap"  20 "Hill Giant" } }

deck "b lions" { format magic; main { 40 "Eager Lions"  20 "Plains" } }

deck "c other" { format magic; main { 40 "Lightning Bolt"  20 "Forest" } }
"#;

/// What the program says to these lines with decks of the made cards.
fn play_free(name: &str, decks: [&str; 2], lines: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("play-{name}"));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("pack.fz"), "pack free_cards { edition 1; extends magic }\n").unwrap();
    std::fs::write(folder.join("cards.fz"), FREE).unwrap();
    play(&[folder.to_str().unwrap(), "--format", "magic", "--deck", decks[0], "--deck", decks[1]], lines)
}

#[test]
fn options_are_counted_from_one_and_choices_told_in_words() {
    let lines = "#1\n1 1\n1\n１　2\npass\nundo\nlog all\nquit\n";
    let said = play_free("modes", ["a picks", "b lions"], lines);
    assert!(said.contains("> option 1 (mode 1) was picked twice; answer with 2 numbers of options"), "{said}");
    assert!(said.contains("> 1 option was picked; answer with 2 numbers of options"), "{said}");
    assert!(said.contains("    choosing “You gain 3 life”, “Draw a card”\n"), "{said}");
    let said = play_free("player", ["a picks", "b lions"], "Zap\n#3\nzap #3\n1\nquit\n");
    assert!(said.contains("> `Zap` could be several options: ") && said.contains("    1  A (you)\n"), "{said}");
    assert!(said.contains("  you: cast Zap #") && said.contains("    choosing you\n"), "{said}");
}

#[test]
fn what_was_taken_back_is_not_told_again() {
    let said = play_free("undo", ["a picks", "b lions"], "zap #3\n1\nlog\nundo\nlog\nundo\nlog all\nundo\nquit\n");
    let parts: Vec<&str> = said.split("your last answer is taken back\n").collect();
    assert!(parts.len() == 3 && parts[0].matches("    choosing you\n").count() == 2, "once as it happens, once by `log`: {said}");
    assert!(!parts[1].contains("choosing you") && !parts[2].contains("choosing you"), "{said}");
    // the position comes without what was told before it, and what led to it can be asked for
    assert!(parts[2].starts_with("\nturn 1, yours"), "{said}");
    assert_eq!(parts[2].matches("draw: you, 7").count(), 1, "{said}");
    assert!(parts[2].contains("there is nothing to undo"), "{said}");
}

#[test]
fn pairs_say_which_object_goes_with_which() {
    let said = play_free("pairs", ["b lions", "b lions"], &"2\n".repeat(60));
    let pair = said.lines().find(|line| line.contains("Eager Lions #") && line.contains(" → Eager Lions #"));
    assert!(pair.is_some_and(|line| line.ends_with(" (B's)")), "{said}");
}

#[test]
fn what_a_price_lacks_is_said_and_words_are_shown() {
    let said = play_free("lack", ["c other", "b lions"], "?\n2\n?\nquit\n");
    assert!(said.contains("it cannot be paid for: nothing pays {R} (play.cast.cost, "), "{said}");
    assert!(said.contains(" Lightning Bolt instant red {R}\n"), "{said}");
}

#[test]
fn a_card_is_asked_for_by_name_or_by_a_number_that_is_there() {
    let said = play(&["--format", "magic"], "text\ntext #999\ntext #1\nquit\n");
    for line in ["`text NAME` shows the text of a card", "nothing that you know has the number `#999`"] {
        assert!(said.contains(line), "{said}");
    }
}

#[test]
fn a_summon_is_told_without_the_places_it_passes_through() {
    let said = play(&["--format", "yugioh", "--seed", "3"], "2\nlog\nquit\n");
    let told: Vec<&str> = said.lines().filter(|line| line.starts_with("  ") && line.contains("Card Trooper #")).collect();
    assert!(told.iter().any(|line| line.ends_with(" from your hand into field")), "{said}");
    for word in ["arriving", "find place", "is summoned", "finish summon"] {
        assert!(!said.contains(word), "`{word}` is in\n{said}");
    }
}
