//! `fizzle new` for every shipped game and format: what it makes checks without a warning, is formatted, passes its scenarios and plays.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::path::Path;
use std::process::Command;

fn fizzle(arguments: &[&str], folder: &Path) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_fizzle")).args(arguments).current_dir(folder).output().unwrap();
    let (said, complained) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{arguments:?}\n{said}{complained}");
    said.into_owned()
}

#[test]
fn what_is_made_checks_tests_and_plays() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    for game in ["magic", "yugioh", "yugioh_2010", "duel_masters", "duel_magic", "duel_magic_quick"] {
        let name = format!("my_{game}");
        let said = fizzle(&["new", &name, "--game", game], &folder);
        let files = std::fs::read_dir(folder.join(&name)).unwrap().count();
        assert_eq!(files, 5, "a manifest, cards with a keyword, a deck, a format, scenarios");
        assert_eq!(fizzle(&["check", &name], &folder), "5 files, no problems\n");
        fizzle(&["fmt", "--check", &name], &folder);
        assert!(fizzle(&["test", &name], &folder).contains("0 failed"));
        // Without any option its own format and deck are played.
        let (decks, complained) = decks(&[name.as_str()], &folder);
        assert_eq!(
            (decks[0].as_str(), complained.as_str()),
            (name.as_str(), ""),
            "no deck of the game is illegal in the house format"
        );
        let played = fizzle(&["sim", &name, "--games", "1"], &folder);
        assert!(played.starts_with(&format!("1 game of {name}_house")) && played.contains(&format!("\n  {name} ")), "{played}");
        // The commands that it names are those that work.
        let next: Vec<&str> = said.lines().filter_map(|line| line.trim().strip_prefix("fizzle ")).collect();
        let sim = next.iter().find(|line| line.starts_with("sim")).unwrap();
        assert!(fizzle(&sim.split(' ').collect::<Vec<_>>(), &folder).contains("10 games"), "{game}");
    }
}

/// The decks that a simulation of one game played.
fn decks(arguments: &[&str], folder: &Path) -> (Vec<String>, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_fizzle"))
        .arg("sim")
        .args(arguments)
        .args(["--games", "1", "--out", "decks.json"])
        .current_dir(folder)
        .output()
        .unwrap();
    let complained = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{complained}");
    let result: serde_json::Value = serde_json::from_slice(&std::fs::read(folder.join("decks.json")).unwrap()).unwrap();
    let names = result["decks"].as_array().unwrap().iter().map(|name| name.as_str().unwrap().to_owned());
    (names.collect(), complained)
}

#[test]
fn the_decks_of_a_pack_come_first() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("own-decks");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    fizzle(&["new", "mine", "--game", "duel_magic"], &folder);
    let house = ["--format", "mine_house"];
    let (names, complained) = decks(&[&["mine"], &house[..]].concat(), &folder);
    assert_eq!(names[0], "mine", "its own deck, though formats that it extends have more");
    assert_ne!(names[1], "mine", "who has one deck plays it against one that comes with the program");
    assert_eq!(complained, "");
    fizzle(&["build", "mine", "-o", "mine.fzb"], &folder);
    assert_eq!(decks(&[&["mine.fzb"], &house[..]].concat(), &folder).0, names);
    // a second one, and one that is not legal before both
    let more = "deck \"broken\" {\n  format mine_house\n  main { 4 \"Dew Gatherer\" }\n}\n\ndeck \"second\" {\n  format mine_house\n  main {\n    \
                4 \"Dew Gatherer\"  4 \"Scorching Trail\"  4 《凶戦士ブレイズ・クロー》  4 《無頼勇騎タイガ》  4 《青銅の鎧》  4 《幻緑の双月》\n    \
                4 《フォレスト・ホーネット》  4 《ボルシャック・ドラゴン》  4 《クリムゾン・ハンマー》  4 《ナチュラル・トラップ》\n    \
                4 《トルネード・フレーム》  4 《鳥神兵クウザ》  2 《ボルテール・ドラゴン》\n  }\n}\n";
    std::fs::write(folder.join("mine/more.fz"), more).unwrap();
    let (names, complained) = decks(&[&["mine"], &house[..]].concat(), &folder);
    assert_eq!(names, ["second", "mine"], "what is made for the format itself goes before what is made for its base");
    let passed =
        "the deck `broken` is not legal in mine_house: section `main` has 4 cards, at least 50 are needed: it is passed over";
    assert!(complained.contains(passed), "{complained}");
}

#[test]
fn the_cards_of_the_deck_for_magic_can_be_played() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("new-colours");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    fizzle(&["new", "mine", "--game", "magic"], &folder);
    let said = fizzle(
        &["sim", "mine", "--deck", "mine", "--games", "6", "--bot", "greedy", "--cards", "--message-format", "json"],
        &folder,
    );
    let result: serde_json::Value = serde_json::from_str(&said).unwrap();
    let cards = result["cards"][0].as_object().unwrap();
    assert!(cards.len() >= 10, "{cards:?}");
    for (name, card) in cards {
        assert!(card["played"].as_u64().unwrap() > 0, "{name} is never played: {card}");
    }
}

#[test]
fn decks_that_are_all_illegal_are_treated_alike() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("all-illegal");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    fizzle(&["new", "mine", "--game", "duel_masters"], &folder);
    let small = "format small extends duel_masters {\n  deck rules { main 30 }\n}\n";
    std::fs::write(folder.join("mine/small.fz"), small).unwrap();
    let (names, complained) = decks(&["mine", "--format", "small"], &folder);
    assert_eq!(names, ["mine", "mine"], "no shipped deck, which is no more legal, takes the place of the own one");
    assert!(
        complained.contains("the deck `mine` is not legal in small: ") && !complained.contains("passed over"),
        "{complained}"
    );
}
