//! Messages of failed expectations in scenarios: each form of expectation reports the actual value.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

/// Expectations that fail, each with a part of the message that it must produce.
const FAILING_EXPECTATIONS: &[(&str, &str)] = &[
    ("expect bears in graveyard of B", "\"Grizzly Bears\" (bears) is in battlefield"),
    ("expect not bears in battlefield", "\"Grizzly Bears\" (bears) is in battlefield"),
    ("expect bolt in hand of B", "\"Lightning Bolt\" (bolt) is in A's hand"),
    ("expect life of A == 22", "life of A is 20"),
    ("expect life of A > life of B", "life of B is 20, life of A is 20"),
    ("expect power of bears == 3", "power of \"Grizzly Bears\" (bears) is 2"),
    ("expect count of hand of A == 3", "there are 1: [\"Lightning Bolt\" (bolt)]"),
    ("expect no creature of B", "there is [\"Grizzly Bears\" (bears), \"Serra Angel\" (angel)]"),
    ("expect some creature of A", "none"),
    ("expect bears is artifact", "of \"Grizzly Bears\" (bears): creature"),
    ("expect bears is white", "of \"Grizzly Bears\" (bears): green"),
    ("expect bears has flying", "\"Grizzly Bears\" (bears) does not have `flying`"),
    ("expect angel has haste", "\"Serra Angel\" (angel) does not have `haste`, only vigilance, flying"),
    ("expect not angel has vigilance", "the keywords of \"Serra Angel\" (angel): vigilance, flying"),
    ("expect bears is tapped", "\"Grizzly Bears\" (bears) is not tapped"),
    ("expect not mountain is tapped or life of A == 1", "\"Mountain\" (mountain) is tapped; life of A is 20"),
    ("expect life of A == 20 and life of B == 7", "life of B is 20"),
    ("expect active is B", "hold: the active player is A"),
    ("expect monarch is A", "monarch is no player"),
    ("expect controller of bears is A", "the controller of \"Grizzly Bears\" (bears) is B"),
    ("expect bears is \"Hill Giant\"", "\"Grizzly Bears\" (bears)"),
    ("expect list is [bolt]", "the list is [], expected is [\"Lightning Bolt\" (bolt)]"),
    ("expect asked B", "A is asked to act"),
    ("expect choices [bolt, bears]", "\"Grizzly Bears\" (bears) is not legal"),
    ("expect events [draw]", "`draw` did not happen"),
    ("expect events [draw]", " to act in A's turn.precombat_main: pass, cast "),
    ("expect life of B == 7", " to act in A's turn.precombat_main: pass, cast \"Lightning Bolt\" (bolt)"),
    ("A casts bolt\n  expect life of B == 7", " to choose (`"),
    ("A casts bolt choosing bears\n  A passes\n  expect list is []", " to act in A's turn.precombat_main: "),
    ("expect windows of A [turn.beginning.upkeep]", "A was asked to act in [turn.precombat_main]"),
    ("refuse A casts bolt", "A may cast"),
    ("refuse A passes", "A may pass"),
    ("A casts bolt\n  refuse A chooses bears", "A may choose"),
    ("A casts bolt\n  expect choices [bears, angel, A, B, nothing]", "nothing is not legal"),
    ("A casts bolt choosing bears\n  A passes\n  expect bears in battlefield of B\n  expect life of A == 3", "life of A is 20"),
    ("A casts bolt choosing bears\n  B passes\n  expect bears in battlefield of B", "; before, A passed at line "),
    ("A casts bolt choosing bears\n  B passes\n  A chooses angel", "as nothing else was possible"),
    ("A pays with mountain", "A has no payment to choose"),
    ("refuse B chooses bears", "B is not asked, and nothing else refuses it: A is asked to act"),
    ("refuse B casts \"Lightning Bolt\"", "B is not asked, and nothing else refuses it: A is asked to act"),
    ("refuse A casts angel because rule.haste", "it is refused, but not by `rule.haste`: "),
];

/// Plays that are refused, each with the position of player A, the moment, the steps, and parts of the message: what fails, with its values.
const REFUSED_PLAYS: &[(&str, &str, &str, &[&str])] = &[
    (
        "hand \"Grizzly Bears\" as bears, battlefield 2 \"Forest\"",
        "turn.beginning.upkeep",
        "A casts bears",
        &[
            "play.cast does not allow it now: ",
            "the card_type of \"Grizzly Bears\" (bears): creature",
            "the game is in A's turn.beginning.upkeep",
        ],
    ),
    (
        "hand \"Forest\" as first, hand \"Forest\" as second",
        "turn.precombat_main",
        "A play_lands first\n  A play_lands second",
        &["play.play_land does not allow it now: lands_played of A is 1, `land_drops(A)` is 1"],
    ),
    (
        "graveyard \"Grizzly Bears\" as bears, battlefield 2 \"Forest\"",
        "turn.precombat_main",
        "A casts bears",
        &["is in A's graveyard", "does not have `flashback`", "does not have `from_graveyard`"],
    ),
    (
        "battlefield \"Grizzly Bears\" as bears, battlefield 2 \"Forest\"",
        "turn.precombat_main",
        "A casts bears",
        &["\"Grizzly Bears\" (bears) is in battlefield, and it is used from hand, graveyard, exile"],
    ),
];

#[test]
fn refused_plays_name_what_fails() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("expect-refused");
    std::fs::create_dir_all(&folder).unwrap();
    let mut source = String::new();
    for (number, (position, moment, steps, _)) in REFUSED_PLAYS.iter().enumerate() {
        let _ = writeln!(
            source,
            "scenario \"{number}\" {{\n  format magic\n  position {{ A: {{ {position} }} }}\n  at A's {moment}\n  {steps}\n}}\n"
        );
    }
    let (results, stderr) = run_scenarios(&folder, &source);
    let mut wrong = String::new();
    for (number, (_, _, steps, expected)) in REFUSED_PLAYS.iter().enumerate() {
        let result = results.iter().find(|one| one["name"] == number.to_string().as_str());
        let message = result.map_or("", |one| one["message"].as_str().unwrap());
        for part in expected.iter().filter(|part| !message.contains(**part)) {
            let _ = writeln!(wrong, "`{steps}`\n  expected: {part}\n  message:  {message}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}{stderr}");
}

/// Runs `fizzle test` on a source. Returns the results of its scenarios as JSON, and the error output.
fn run_scenarios(folder: &Path, source: &str) -> (Vec<serde_json::Value>, String) {
    std::fs::write(folder.join("fails.fz"), source).unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_fizzle"))
        .args(["test", "fails.fz", "--message-format", "json"])
        .current_dir(folder)
        .output()
        .unwrap();
    let (stdout, stderr) = (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap());
    (stdout.lines().filter_map(|line| serde_json::from_str(line).ok()).collect(), stderr)
}

#[test]
fn refusals_name_the_missing_part_of_a_price() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("expect-price");
    std::fs::create_dir_all(&folder).unwrap();
    let scenario = |mana: &str| {
        format!(
            "scenario \"{mana}\" {{\n  format duel_masters\n  position {{ A: {{ hand 《ボルシャック・ドラゴン》 as dragon, mana {mana} }} }}\n  \
             at A's turn.main\n  A summons dragon\n}}\n"
        )
    };
    let source = scenario("6 《アクア・ハルカス》") + &scenario("2 《ボルシャック・ドラゴン》");
    let (results, stderr) = run_scenarios(&folder, &source);
    let message = |number: usize| results.get(number).map_or("", |one| one["message"].as_str().unwrap());
    let lacks = "cost of play.summon cannot be paid: of {5}{fire} nothing pays ";
    assert!(message(0).contains(&format!("{lacks}{{fire}}")), "{}{stderr}", message(0));
    assert!(message(1).contains(&format!("{lacks}{{4}}")), "{}{stderr}", message(1));
}

/// A number without a name says nothing, so the message names the call; a step that `go to` has skipped is explained.
#[test]
fn failures_name_the_call_and_the_declined_question() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("expect-declined");
    std::fs::create_dir_all(&folder).unwrap();
    let scenario = |name: &str, zones: &str, step: &str| {
        format!(
            "scenario \"{name}\" {{\n  format yugioh\n  position {{ A: {{ deck 5 \"Battle Ox\"; {zones} }} B: {{ deck 5 \"Battle Ox\" }} }}\n  \
             at A's turn.main1\n  {step}\n}}\n"
        )
    };
    let card = "card \"Dia\" {\n  monster  dark  \"Fiend\"  level 4  atk 0  def 0\n  in hand immediately \"special_summon\" discard 1 other card in your hand,\n    \
                when callable(this, you): begin_summon(this, you, by_special)\n}\n";
    let full = scenario("full", "hand \"Dia\" as dia, \"Battle Ox\"; field 5 \"Battle Ox\"", "A special_summon dia");
    let skipped = scenario("skipped", "field \"Battle Ox\"", "go to A's turn.battle.start_step");
    let (results, stderr) = run_scenarios(&folder, &format!("{card}{full}{skipped}"));
    let message = |number: usize| results.get(number).map_or("", |one| one["message"].as_str().unwrap());
    assert!(message(0).contains("card.Dia does not allow it now: `has_room(A, 0)` does not hold;"), "{}{stderr}", message(0));
    assert!(message(1).contains("`go to` has answered no to a question on the way: A is "), "{}{stderr}", message(1));
    assert!(message(1).contains("(`active may hold_battle`)"), "{}{stderr}", message(1));
}

/// A player who is asked something else cannot give the answer in any game, so that its refusal proves nothing.
#[test]
fn an_answer_to_another_question_is_not_refused() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("expect-other-question");
    std::fs::create_dir_all(&folder).unwrap();
    let scenario = |step: &str| {
        format!(
            "scenario \"{step}\" {{\n  format magic\n  position {{ A: {{ hand \"Shock\" as shock; battlefield \"Mountain\" }} \
             B: {{ battlefield \"Grizzly Bears\" as bears, \"Hill Giant\" as giant }} }}\n  at A's turn.precombat_main\n  {step}\n}}\n"
        )
    };
    let steps =
        ["refuse A chooses bears", "refuse A says yes", "refuse A chooses modes 1", "A casts shock; refuse A chooses shock"];
    let source: String = steps.iter().map(|step| scenario(step)).collect();
    let (results, stderr) = run_scenarios(&folder, &source);
    let message = |number: usize| results.get(number).and_then(|one| one["message"].as_str()).unwrap_or("");
    for number in 0..3 {
        let expected = "A has another decision, so nothing refuses the answer: A is asked to act";
        assert!(message(number).contains(expected), "{}{stderr}", message(number));
    }
    assert_eq!(message(3), "", "{stderr}");
}

#[test]
fn failed_expectations_report_the_actual_value() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("expect");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let mut source = String::new();
    for (number, (expectation, _)) in FAILING_EXPECTATIONS.iter().enumerate() {
        let _ = writeln!(
            source,
            "scenario \"{number}\" {{\n  format magic\n  position {{\n    \
             A: {{ hand \"Lightning Bolt\" as bolt; battlefield \"Mountain\", battlefield \"Mountain\" tapped as mountain }}\n    \
             B: {{ hand \"Lightning Bolt\", \"Serra Angel\"; battlefield \"Mountain\"; battlefield \"Grizzly Bears\" as bears, battlefield \"Serra Angel\" as angel }}\n  }}\n  \
             at A's turn.precombat_main\n  {expectation}\n}}\n"
        );
    }
    let (results, stderr) = run_scenarios(&folder, &source);
    let mut wrong = String::new();
    for (number, (expectation, expected)) in FAILING_EXPECTATIONS.iter().enumerate() {
        let result = results.iter().find(|one| one["name"] == number.to_string().as_str());
        let message = result.map_or("", |one| one["message"].as_str().unwrap());
        if !message.contains(expected) {
            let _ = writeln!(wrong, "`{expectation}`\n  expected: {expected}\n  message:  {message}");
        }
    }
    assert!(wrong.is_empty(), "{wrong}{stderr}");
}

/// An expectation has the operations of a decision for itself. One that needs more says so, and the game does not count them.
#[test]
fn an_expectation_that_needs_too_many_operations_says_so() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("expect_operations");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let source = "scenario \"0\" {\n  format magic\n  position { A: { deck 800 \"Swamp\" } B: { deck 3 \"Swamp\" } }\n  at A's turn.precombat_main\n  \
                  expect 0 <= count of (card in deck of A with (count of (card in deck of A with mana_value + 0 >= 0)) >= 0)\n}\n";
    let (results, stderr) = run_scenarios(&folder, source);
    let message = results.first().map_or("", |one| one["message"].as_str().unwrap());
    assert!(message.ends_with("needs more than 20000000 operations"), "{message}\n{stderr}");
}

/// All expectations and decisions of a scenario together have the operations of fifty decisions.
#[test]
fn a_scenario_that_needs_too_many_operations_says_so() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("scenario_operations");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let expectation =
        "  expect 0 <= count of (card in deck of A with (count of (card in deck of A with mana_value + 0 >= 0)) >= 0)\n";
    let head = "  format magic\n  position { A: { deck 500 \"Swamp\" } B: { deck 3 \"Swamp\" } }\n  at A's turn.precombat_main\n";
    let source =
        format!("scenario \"one\" {{\n{head}{expectation}}}\nscenario \"many\" {{\n{head}{}}}\n", expectation.repeat(1_000));
    let (results, stderr) = run_scenarios(&folder, &source);
    let message = |name: &str| results.iter().find(|one| one["name"] == name).and_then(|one| one["message"].as_str());
    assert_eq!(message("one"), Some(""), "{stderr}");
    assert!(
        message("many").is_some_and(|message| message.ends_with("the scenario needs more than 1000000000 operations")),
        "{results:?}"
    );
}
