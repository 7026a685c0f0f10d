//! Tests of `fizzle play` at the terminal: prompts, card texts, events, undo, and the end of a game.
#![expect(clippy::unwrap_used, reason = "a test")]

use std::io::Write;
use std::process::{Command, Stdio};

/// Runs `fizzle play` with `lines` as input and returns its output.
fn play(args: &[&str], lines: &str) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fizzle"));
    let mut child = command.arg("play").args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    String::from_utf8(child.wait_with_output().unwrap().stdout).unwrap()
}

#[test]
fn prompts_are_in_words_and_prices_in_symbols() {
    let output = play(&["--format", "duel_magic"], "1\n1\n1\n1\nquit\n");
    assert!(output.contains("you: You may take a mulligan (yes or no)\n"), "{output}");
    assert!(!output.contains("declare_mulligan"), "{output}");
    let output = play(&["--format", "magic"], "quit\n");
    assert!(output.contains("{B}") && !output.contains("black_mana"), "{output}");
}

#[test]
fn explain_describes_choices_in_words() {
    let explain = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_fizzle")).arg("explain").args(args).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let output = explain(&["Cryptic Command"]);
    assert!(output.contains("Choose two: chosen on announcement") && output.contains("{1}{U}{U}{U}"), "{output}");
    let output = explain(&["Duress"]);
    assert!(output.contains("A noncreature, nonland card in that opponent's hand: chosen on resolution"), "{output}");
    let output = explain(&["デーモン・ハンド", "--lang", "ja"]);
    assert!(output.contains("相手のクリーチャー1体: 解決時に選ぶ"), "{output}");
}

#[test]
fn card_texts_concession_and_winner_are_shown() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_fizzle"));
    command.args(["play", "--format", "duel_masters"]).stdin(Stdio::piped()).stdout(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all("? 青銅の鎧\ntext 青銅の鎧青銅の鎧\nhelp\nconcede\nno\nconcede\nyes\n".as_bytes())
        .unwrap();
    let finished = child.wait_with_output().unwrap();
    let output = String::from_utf8_lossy(&finished.stdout);
    for line in [
        "Nature Creature — Beast Folk",
        "no card is called `青銅の鎧青銅の鎧`",
        "? NAME, text NAME",
        "log, log all",
        "the game continues",
        "You lose",
        // After a concession no rule is named as the reason.
        "the game is over: greedy B has won\n",
    ] {
        assert!(output.contains(line), "`{line}` is not in\n{output}");
    }
}

#[test]
fn empty_lines_answer_nothing() {
    let output = play(&["--format", "duel_magic", "--seed", "2"], "\n\nno\nquit\n");
    let prompts = output.matches("You may take a mulligan (yes or no)\n").count();
    assert_eq!(prompts, 1, "the decision is shown once and answered by `no`: {output}");
    assert_eq!(output.matches("> answer `yes` or `no`; `help` lists all commands\n").count(), 2, "{output}");
    let after = output.split("You may take a mulligan (yes or no)\n").nth(1).unwrap();
    assert!(!after.contains("your hand → your deck"), "the hand is kept: {after}");
    let output = play(&["--format", "magic"], "no\n\nquit\n");
    assert!(
        output.contains("> answer with the number of an option, 1 to ") && output.contains(", or `pass`; `help`"),
        "{output}"
    );
}

#[test]
fn refusals_are_grouped_by_reason() {
    let output = play(&["--format", "magic", "--seed", "3"], "no\n?\nquit\n");
    let lines: Vec<&str> = output.lines().filter(|line| line.contains(": ") && line.contains("shipped:magic/")).collect();
    assert!(!lines.is_empty(), "{output}");
    let mut reasons: Vec<(&str, &str)> = Vec::new();
    for line in &lines {
        let (plays, why) = line.split_once(": ").unwrap();
        let play = plays.split(" #").next().unwrap();
        assert!(!reasons.contains(&(play, why)), "one reason is shown twice:\n{output}");
        reasons.push((play, why));
        assert!(
            why.contains(" (play.") || why.contains(" (rule.") || why.contains(" (activated."),
            "the path comes after the words: {line}"
        );
    }
}

#[test]
fn seats_turns_and_steps_have_names() {
    let output = play(&["--format", "magic"], &("no\n".to_owned() + &"1\n".repeat(40)));
    for what in [
        "A (you) plays ",
        "B (the bot greedy) plays ",
        "Turn 2, greedy B\n",
        "Turn 3, A\n",
        "\nturn 1, yours: ",
        "greedy B: life total 20, hand 7",
        "A (you)",
    ] {
        assert!(output.contains(what), "`{what}` is not in\n{output}");
    }
    for what in ["player 0", "player 1", "turn.", "precombat_main"] {
        assert!(!output.contains(what), "`{what}` is in\n{output}");
    }
    assert!(output.contains("precombat main"), "{output}");
}

#[test]
fn declarations_are_shown() {
    let output = play(&["--format", "magic", "--seed", "5"], &("2\n".repeat(60) + &"1\n".repeat(100)));
    assert!(output.lines().any(|line| line.contains(": attack → you") || line.contains(": attack → greedy B")), "{output}");
    assert!(output.contains("\n  greedy B: combat, declare attackers\n"), "{output}");
    let output = play(&["--format", "duel_masters", "--seed", "2"], &("no\n".to_owned() + &"1\n".repeat(80)));
    assert!(output.lines().any(|line| line.contains(": attack player") || line.contains(": attack creature → ")), "{output}");
}

/// Cards that cost nothing, and decks of them. The first deck named is the person's, the second one the bot's.
const FREE_CARDS: &str = r#"
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

/// As [`play`], with decks of [`FREE_CARDS`].
fn play_with_free_cards(name: &str, decks: [&str; 2], lines: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("play-{name}"));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("pack.fz"), "pack free_cards { edition 1; extends magic }\n").unwrap();
    std::fs::write(folder.join("cards.fz"), FREE_CARDS).unwrap();
    play(&[folder.to_str().unwrap(), "--format", "magic", "--deck", decks[0], "--deck", decks[1]], lines)
}

#[test]
fn options_count_from_one_and_choices_are_shown_in_words() {
    let lines = "#3\n1 1\n1\n１　2\npass\nundo\nlog all\nquit\n";
    let output = play_with_free_cards("modes", ["a picks", "b lions"], lines);
    assert!(output.contains("> option 1 (You gain 3 life) was picked twice; answer with 2 numbers of options"), "{output}");
    assert!(output.contains("> 1 option was picked; answer with 2 numbers of options"), "{output}");
    assert!(output.contains("    choosing “You gain 3 life”, “Draw a card”\n"), "{output}");
    let output = play_with_free_cards("player", ["a picks", "b lions"], "Pick Two\nzap #4\n1\nquit\n");
    assert!(output.contains("> `Pick Two` could be several options: 2, 4, 5\n") && output.contains("    1  You\n"), "{output}");
    assert!(output.contains("  You: cast Zap #") && output.contains("    choosing you\n"), "{output}");
}

#[test]
fn undone_events_are_not_shown_again() {
    let output = play_with_free_cards("undo", ["a picks", "b lions"], "zap #4\n1\nlog\nundo\nlog\nundo\nlog all\nundo\nquit\n");
    let parts: Vec<&str> = output.split("your last answer is taken back\n").collect();
    assert!(
        parts.len() == 3 && parts[0].matches("    choosing you\n").count() == 2,
        "shown once as it happens, and once by `log`: {output}"
    );
    assert!(!parts[1].contains("choosing you") && !parts[2].contains("choosing you"), "{output}");
    // After an undo the position is shown without earlier events; `log all` still shows those that led to it.
    assert!(parts[2].starts_with("\nturn 1, yours"), "{output}");
    assert_eq!(parts[2].matches("draw 7: you").count(), 1, "{output}");
    assert!(parts[2].contains("there is nothing to take back"), "{output}");
}

#[test]
fn pairs_show_both_objects() {
    let output = play_with_free_cards("pairs", ["b lions", "b lions"], &"2\n".repeat(60));
    let pair = output.lines().find(|line| line.contains("Eager Lions #") && line.contains(" → Eager Lions #"));
    assert!(pair.is_some_and(|line| line.ends_with(" (greedy B's)")), "{output}");
}

#[test]
fn missing_price_parts_and_card_words_are_shown() {
    let output = play_with_free_cards("lack", ["c other", "b lions"], "?\n2\n?\nquit\n");
    assert!(output.contains("it cannot be paid for: nothing pays {R} (play.cast.cost, "), "{output}");
    assert!(output.contains(" Lightning Bolt {R} instant\n"), "{output}");
}

#[test]
fn text_command_requires_a_known_name_or_number() {
    let output = play(&["--format", "magic"], "text\ntext #999\ntext #1\nquit\n");
    for line in ["`text NAME` shows the text of a card", "you know no object with the number `#999`"] {
        assert!(output.contains(line), "{output}");
    }
}

#[test]
fn summons_are_shown_without_intermediate_zones() {
    let output = play(&["--format", "yugioh"], "3\nlog\nquit\n");
    let lines: Vec<&str> = output.lines().filter(|line| line.starts_with("  ") && line.contains("Card Trooper #")).collect();
    assert!(lines.iter().any(|line| line.ends_with(": your hand → field")), "{output}");
    for word in ["arriving", "find place", "is summoned", "finish summon"] {
        assert!(!output.contains(word), "`{word}` is in\n{output}");
    }
}

#[test]
fn matches_count_their_games() {
    // Cards are exchanged in one of the formats only.
    for (format, lines) in [("magic", "concede\nyes\nconcede\nyes\n"), ("duel_magic", "concede\nyes\nfoo\nready\nconcede\nyes\n")]
    {
        let output = play(&["--format", format, "--best-of", "3"], lines);
        for line in [
            "game 1, best of 3, the score is 0 to 0\n",
            "game 2, best of 3, the score is 0 to 1\n",
            "the match is over: greedy B has won, 0 to 2\n",
        ] {
            assert!(output.contains(line), "{format}: `{line}` is not in\n{output}");
        }
        assert!(!output.contains("game 3"), "{output}");
    }
    let output = play(&["--format", "magic", "--best-of", "1"], "concede\nyes\n");
    assert!(output.ends_with("the match is over: greedy B has won, 0 to 1\n"), "{output}");
}

#[test]
fn passing_ends_where_it_says() {
    let output = play(&["--format", "magic", "--seed", "3"], "until mine\nhold\nuntil end\nquit\n");
    let turns: Vec<&str> = output.lines().filter(|line| line.starts_with("turn ")).collect();
    assert!(turns[0].starts_with("turn 1, yours") && turns[1].starts_with("turn 3, yours"), "{turns:?}");
    assert!(output.contains("> nothing passes by itself\n"), "{output}");
    // Where nothing can be passed, it is refused.
    let output = play(&["--format", "duel_magic", "--seed", "2"], "until end\nquit\n");
    assert!(output.contains("> only where you could pass: answer `yes` or `no`"), "{output}");
}

#[test]
fn one_object_is_explained_by_name_or_number() {
    let output = play_with_free_cards("why", ["a picks", "b lions"], "why Hill Giant\nwhy #1\nwhy no such card\nquit\n");
    assert!(output.contains("> which one: #1, #2, #7\n"), "{output}");
    assert!(
        output.contains("cast Hill Giant #1: what it asks for does not hold now: `spell_time(it, you)` (play.cast.when, "),
        "{output}"
    );
    assert!(output.contains("> you see no `no such card`\n"), "{output}");
}

#[test]
fn searched_cards_have_names() {
    let pack = "card \"Free Tutor\" { sorcery  black  mana_cost {0}  does {\n  search\n  put 1 card in your deck into your hand\n} }\n\
        deck \"a tutors\" { format magic; main { 30 \"Free Tutor\"  30 \"Swamp\" } }\n";
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("play-tutor");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("pack.fz"), "pack tutors { edition 2; extends magic }\n").unwrap();
    std::fs::write(folder.join("cards.fz"), pack).unwrap();
    let folder = folder.to_str().unwrap();
    let output = play(&[folder, "--format", "magic", "--deck", "a tutors", "--deck", "a tutors"], "pass\n2\nshow\nquit\n");
    assert!(output.contains(" Swamp #") && !output.contains("a hidden object in deck"), "{output}");
}

/// A scenario with a position and steps.
const SCENARIOS: &str = r#"
scenario "the lions wait: a position" {
  format magic
  position {
    A: { hand "Zap" as zap; deck 5 "Plains"; battlefield "Eager Lions", 2 "Plains" }
    B: { deck 5 "Plains"; battlefield "Hill Giant" tapped }
  }
  at A's turn.precombat_main
  A casts zap choosing B
}

scenario "nothing" {
  format magic
  position { A: { hand "Zap" } }
  at A's turn.precombat_main
}
"#;

/// A pack with [`FREE_CARDS`] and [`SCENARIOS`]; the path of the latter.
fn pack_with_scenarios(name: &str) -> String {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("play-{name}"));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("pack.fz"), "pack free_cards { edition 1; extends magic }\n").unwrap();
    std::fs::write(folder.join("cards.fz"), FREE_CARDS).unwrap();
    let scenarios = folder.join("scenarios.fz");
    std::fs::write(&scenarios, SCENARIOS).unwrap();
    scenarios.to_str().unwrap().to_owned()
}

#[test]
fn a_game_begins_in_the_position_of_a_scenario() {
    let file = pack_with_scenarios("position");
    // The title has a colon; a part of it is enough.
    for title in ["the lions wait: a position", "LIONS"] {
        let output = play(&["--position", &format!("{file}:{title}")], "quit\n");
        assert!(output.starts_with("the lions wait: a position\nMagic\nA (you)\nB (the bot greedy)\n"), "{output}");
        assert!(output.contains(" Eager Lions 1/1") && output.contains(" Hill Giant 3/3 (tapped)\n"), "{output}");
        assert!(output.contains("  2  cast Zap #"), "{output}");
    }
    let output = play(&["--position", &format!("{file}:lions"), "--steps", "all", "--as", "B"], "quit\n");
    assert!(
        output.starts_with("the lions wait: a position, after 2 of 2 steps\nMagic\nA (the bot greedy)\nB (you)\n"),
        "{output}"
    );
    let refused = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_fizzle")).arg("play").args(args).output().unwrap();
        assert!(!output.status.success());
        String::from_utf8(output.stderr).unwrap()
    };
    assert!(refused(&["--position", &file]).contains("2 scenarios in "));
    assert!(refused(&["--position", &format!("{file}:lion king")]).contains("there is no scenario `lion king`"));
    assert!(refused(&["--position", &format!("{file}:lions"), "--steps", "x"]).contains("write a number of steps, or `all`"));
    assert!(refused(&["--position", &format!("{file}:lions"), "--as", "C"]).contains("there is no seat `C`"));
    assert!(refused(&["--position", &format!("{file}:lions"), "--output", "x.fzt"]).contains("cannot be used with"));
}

#[test]
fn the_table_shows_what_the_layout_shows() {
    let output = play(&["--format", "magic"], &"pass\n".repeat(40));
    for bookkeeping in ["began untapped", "has attacked", "_"] {
        assert!(!output.contains(bookkeeping), "`{bookkeeping}` is in\n{output}");
    }
    assert!(output.contains(" (tapped)"), "{output}");
    // Both rows of a zone have its label once for each player.
    let labels = |table: &str| table.lines().filter(|line| line.trim().starts_with("battlefield:")).count();
    assert!(output.split("\nturn ").all(|table| labels(table) <= 2), "{output}");
    // What a layout counts by places is no number.
    let output = play(&["--format", "yugioh"], &"1\n".repeat(20));
    assert!(output.contains("\n  field:\n") && !output.contains("(place "), "{output}");
}

#[test]
fn a_decision_shows_where_passing_leads() {
    let output = play_with_free_cards("leads", ["a picks", "b lions"], "zap\n2\nquit\n");
    // Without a draw step: the first turn begins without one.
    assert!(output.contains("you: Your move (if all pass: precombat main)\n"), "{output}");
    let cast = output.lines().find(|line| line.contains("You: cast Zap #")).unwrap();
    let number = cast.rsplit('#').next().unwrap();
    assert!(output.contains(&format!("you: Your move (if all pass: Zap #{number} resolves)\n")), "{output}");
}

/// Cards with two abilities that wait at once, with two that are used, and with another face.
const FACES: &str = r#"
card "Twin" { creature  1/1  {0}
  when this enters: draw 1
  when this enters: gain 1
}

card "Rod" { artifact  {0}
  {1}, when some creature of opponent: draw 1
  {1}, when some creature of opponent: gain 1
}

card "Turner" { creature  1/1  {0}
  activated "turn" { immediately  does { face of this = 2 } }
  back "Turned" { creature  3/3 }
}

card "Grip" { artifact  {0}
  you cannot cast creature
}

scenario "turned" {
  format magic
  position {
    A: { battlefield "Turner" as turner, "Rod", 2 "Plains"; hand "Twin"; deck 3 "Plains" }
    B: { battlefield "Hill Giant"; deck 3 "Plains" }
  }
  at A's turn.precombat_main
  A turns turner
}

scenario "gripped" {
  format magic
  position { A: { battlefield "Grip", "Rod", 2 "Plains"; hand "Twin"; deck 3 "Plains" }  B: { deck 3 "Plains" } }
  at A's turn.precombat_main
}
"#;

#[test]
fn faces_and_abilities_of_one_card_are_distinguished() {
    let folder = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("play-faces");
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("pack.fz"), format!("pack faces {{ edition 2  extends magic }}\n{FACES}")).unwrap();
    let pack = folder.to_str().unwrap();
    let file = folder.join("pack.fz").to_str().unwrap().to_owned();
    let output = play(&[pack, "--position", &format!("{file}:turned"), "--steps", "all"], "cast Twin\nquit\n");
    for part in ["#2 Turned 3/3", "activate Rod #3: {1}: Draw a card.", "activate Rod #3: {1}: You gain 1 life."] {
        assert!(output.contains(part), "`{part}` is not in\n{output}");
    }
    let output = play(&[pack, "--position", &format!("{file}:turned"), "--steps", "all"], "cast Twin\n1\n1\n1\nquit\n");
    assert!(output.contains(": When Twin enters the battlefield, draw a card.\n"), "{output}");
    // Why a play is not offered, by the rules text of what forbids it.
    let output = play(&[pack, "--position", &format!("{file}:gripped")], "?\nquit\n");
    for part in ["the text of Grip forbids it: “You can't cast creature spells.”", "does not hold now: “{1}: Draw a card."]
    {
        assert!(output.contains(part), "`{part}` is not in\n{output}");
    }
}

#[test]
fn undo_takes_back_the_pass_with_which_until_begins() {
    let output = play(&["--format", "magic", "--seed", "3"], "no\n2\nuntil end\nundo\nundo\nquit\n");
    let parts: Vec<&str> = output.split("your last answer is taken back\n").collect();
    assert_eq!(parts.len(), 3, "{output}");
    assert!(parts[1].contains("\nturn 1, yours") && parts[1].contains("battlefield: #8 Swamp"), "the land stays: {output}");
    assert!(!parts[2].contains("battlefield: #8 Swamp"), "then the land is taken back: {output}");
}
