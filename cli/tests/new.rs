//! Tests of `fizzle new` for shipped games and formats: the created pack checks without warnings, is formatted, passes its scenarios and
//! plays.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::path::Path;
use std::process::Command;

fn fizzle(arguments: &[&str], folder: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_fizzle")).args(arguments).current_dir(folder).output().unwrap();
    let (stdout, stderr) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{arguments:?}\n{stdout}{stderr}");
    stdout.into_owned()
}

#[test]
fn new_packs_check_test_and_play() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for game in ["magic", "yugioh", "yugioh_2010", "duel_masters", "duel_magic", "duel_magic_quick"] {
        let name = format!("my_{game}");
        let output = fizzle(&["new", &name, "--game", game], &folder);
        let files = std::fs::read_dir(folder.join(&name)).unwrap().count();
        assert_eq!(files, 5, "a manifest, cards with a keyword, a deck, a format, scenarios");
        assert_eq!(fizzle(&["check", &name], &folder), "5 files, no problems\n");
        fizzle(&["fmt", "--check", &name], &folder);
        assert!(fizzle(&["test", &name], &folder).contains("0 failed"));
        // Without options, the format and the deck of the pack are played.
        let (decks, stderr) = played_decks(&[name.as_str()], &folder);
        assert_eq!(
            (decks[0].as_str(), stderr.as_str()),
            (name.as_str(), ""),
            "the pack's own deck is played, without a warning about illegal decks"
        );
        let summary = fizzle(&["sim", &name, "--games", "1"], &folder);
        assert!(
            summary.starts_with(&format!("1 game of {name}_house")) && summary.contains(&format!("\n  {name} ")),
            "{summary}"
        );
        // The commands that `fizzle new` suggests work.
        let next: Vec<&str> = output.lines().filter_map(|line| line.trim().strip_prefix("fizzle ")).collect();
        let sim = next.iter().find(|line| line.starts_with("sim")).unwrap();
        assert!(fizzle(&sim.split(' ').collect::<Vec<_>>(), &folder).contains("10 games"), "{game}");
    }
}

/// The names of the decks that a simulation of one game played, and its error output.
fn played_decks(arguments: &[&str], folder: &Path) -> (Vec<String>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_fizzle"))
        .arg("sim")
        .args(arguments)
        .args(["--games", "1", "--out", "decks.json"])
        .current_dir(folder)
        .output()
        .unwrap();
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{stderr}");
    let result: serde_json::Value = serde_json::from_slice(&std::fs::read(folder.join("decks.json")).unwrap()).unwrap();
    let names = result["decks"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned());
    (names.collect(), stderr)
}

#[test]
fn decks_of_the_pack_are_preferred() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own-decks");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    fizzle(&["new", "mine", "--game", "duel_magic"], &folder);
    let house = ["--format", "mine_house"];
    let (names, stderr) = played_decks(&[&["mine"], &house[..]].concat(), &folder);
    assert_eq!(names[0], "mine", "the pack's own deck comes before decks of the formats that it extends");
    assert_ne!(names[1], "mine", "a single deck plays against a shipped one");
    assert_eq!(stderr, "");
    fizzle(&["build", "mine", "-o", "mine.fzb"], &folder);
    assert_eq!(played_decks(&[&["mine.fzb"], &house[..]].concat(), &folder).0, names);
    // A second deck, and an illegal one that is declared before both.
    let more = "deck \"broken\" {\n  format mine_house\n  main { 4 \"Dew Gatherer\" }\n}\n\ndeck \"second\" {\n  format mine_house\n  main {\n    \
                4 \"Dew Gatherer\"  4 \"Scorching Trail\"  4 《凶戦士ブレイズ・クロー》  4 《荒野の勇騎》  4 《青銅の鎧》  4 《幻緑の双月》\n    \
                4 《フォレスト・ホーネット》  4 《ボルシャック・ドラゴン》  4 《クリムゾン・ハンマー》  4 《ナチュラル・トラップ》\n    \
                4 《トルネード・フレーム》  4 《鳥神兵クウザ》  2 《ボルテール・ドラゴン》\n  }\n}\n";
    std::fs::write(folder.join("mine/more.fz"), more).unwrap();
    let (names, stderr) = played_decks(&[&["mine"], &house[..]].concat(), &folder);
    assert_eq!(names, ["second", "mine"], "decks for the format itself come before decks for its base");
    let skip_warning =
        "the deck `broken` is not legal in mine_house: section `main` has 4 cards, at least 50 are needed: skipped";
    assert!(stderr.contains(skip_warning), "{stderr}");
}

#[test]
fn every_card_of_the_magic_deck_is_played() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new-colours");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    fizzle(&["new", "mine", "--game", "magic"], &folder);
    let output = fizzle(
        &["sim", "mine", "--deck", "mine", "--games", "6", "--bot", "greedy", "--cards", "--message-format", "json"],
        &folder,
    );
    let result: serde_json::Value = serde_json::from_str(&output).unwrap();
    let cards = result["cards"][0].as_object().unwrap();
    assert!(cards.len() >= 10, "{cards:?}");
    for (name, card) in cards {
        assert!(card["played"].as_u64().unwrap() > 0, "{name} is never played: {card}");
    }
}

#[test]
fn illegal_decks_are_played_if_none_is_legal() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("all-illegal");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    fizzle(&["new", "mine", "--game", "duel_masters"], &folder);
    let small = "format small extends duel_masters {\n  deck rules { main 30 }\n}\n";
    std::fs::write(folder.join("mine/small.fz"), small).unwrap();
    let (names, stderr) = played_decks(&["mine", "--format", "small"], &folder);
    assert_eq!(names, ["mine", "mine"], "a shipped deck that is illegal, too, does not replace the pack's own deck");
    assert!(stderr.contains("the deck `mine` is not legal in small: ") && !stderr.contains("skipped"), "{stderr}");
}
