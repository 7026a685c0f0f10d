//! Tests of `fizzle sim`: results do not depend on the number of jobs, shards merge to the whole, and traces replay.

use std::process::Command;

fn fizzle(args: &[&str]) -> (String, i32) {
    let output = Command::new(env!("CARGO_BIN_EXE_fizzle")).args(args).output().expect("the program starts");
    (String::from_utf8(output.stdout).expect("UTF-8"), output.status.code().expect("a status"))
}

/// The JSON result of a simulation, without the fields that depend on time.
fn result_without_times(args: &[&str]) -> serde_json::Value {
    let (text, status) = fizzle(args);
    assert_eq!(status, 0, "{args:?}: {text}");
    let mut value: serde_json::Value = serde_json::from_str(text.lines().last().expect("a line")).expect("JSON");
    let fields = value.as_object_mut().expect("an object");
    fields.remove("seconds");
    fields.remove("games_per_second");
    value
}

#[test]
fn results_do_not_depend_on_jobs_and_shards_merge() {
    let common = ["sim", "--format", "duel_masters", "--games", "9", "--seed", "4", "--message-format", "json"];
    let whole = result_without_times(&common);
    assert_eq!(whole, result_without_times(&[&common[..], &["--jobs", "1"]].concat()));
    let directory = std::env::temp_dir().join(format!("fizzle-shards-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let parts: Vec<String> = (1..=3).map(|i| directory.join(format!("{i}.json")).to_string_lossy().into_owned()).collect();
    for (i, part) in parts.iter().enumerate() {
        result_without_times(&[&common[..], &["--shard", &format!("{}/3", i + 1), "--out", part]].concat());
    }
    let all: Vec<&str> = parts.iter().map(String::as_str).collect();
    assert_eq!(whole, result_without_times(&[&["merge", "--message-format", "json"], &all[..]].concat()));
    let (_, status) = fizzle(&[&["merge"], &all[..2]].concat());
    assert_eq!(status, 1, "a shard is missing");
}

#[test]
fn output_is_a_summary_or_one_json_object() {
    let common = ["sim", "--format", "duel_masters", "--games", "2"];
    let (text, _) = fizzle(&common);
    assert!(text.starts_with("2 games of duel_masters") && !text.contains('{'), "{text}");
    assert!(text.contains(" games a second, ") && text.trim_end().ends_with("95% intervals"), "{text}");
    let (json, _) = fizzle(&[&common[..], &["--message-format", "json"]].concat());
    assert_eq!(json.lines().count(), 1, "{json}");
    assert!(json.starts_with('{'), "{json}");
}

#[test]
fn traces_can_be_replayed() {
    let directory = std::env::temp_dir().join(format!("fizzle-traces-{}", std::process::id()));
    let folder = directory.to_string_lossy().into_owned();
    result_without_times(&["sim", "--format", "duel_magic", "--games", "2", "--traces", &folder, "--message-format", "json"]);
    let trace = directory.join("game-1.fzt").to_string_lossy().into_owned();
    let (text, status) = fizzle(&["replay", &trace]);
    assert_eq!(status, 0);
    assert!(text.contains("the same rules"), "{text}");
    // If a state rule ended the game, it is shown.
    result_without_times(&[
        "sim",
        "--format",
        "yugioh",
        "--games",
        "1",
        "--bot",
        "greedy",
        "--traces",
        &folder,
        "--message-format",
        "json",
    ]);
    let (text, status) = fizzle(&["replay", &directory.join("game-0.fzt").to_string_lossy()]);
    assert_eq!(status, 0);
    assert!(text.contains(" (a player has no LP left) in turn"), "{text}");
}

#[test]
fn compiled_packs_play_like_their_sources() {
    let path = std::env::temp_dir().join(format!("fizzle-{}.fzb", std::process::id())).to_string_lossy().into_owned();
    assert_eq!(fizzle(&["build", "duel_masters", "-o", &path]).1, 0);
    let rest = ["--format", "duel_masters", "--games", "3", "--message-format", "json"];
    assert_eq!(
        result_without_times(&[&["sim", &path], &rest[..]].concat()),
        result_without_times(&[&["sim"], &rest[..]].concat())
    );
}

/// Effects that depend on each other end the game by a budget. The cards of the game alone decide when, not other loaded ones.
#[test]
fn budgets_are_those_of_the_cards_in_the_game() {
    let source = r#"pack twofold { edition 2; extends magic; allow warnings }
card "Twofold" {
  enchantment {W}
  always: creature that is white gets +1/+1
  always: bearer of this gets "Treefolk" only, power = 0, toughness = 4, no abilities, no mana in layer abilities
}
deck "Copies" { format magic main { 23 "Plains"; 37 "Twofold" } }
format free extends magic { deck rules { main 0 to 4000 copies 4000 } }
"#;
    let directory = std::env::temp_dir().join(format!("fizzle-budgets-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let [path, compiled] = ["twofold.fz", "twofold.fzb"].map(|name| directory.join(name).to_string_lossy().into_owned());
    std::fs::write(&path, source).expect("it is written");
    assert_eq!(fizzle(&["build", &path, "-o", &compiled]).1, 0);
    let play = ["sim", "--format", "free", "--deck", "Copies", "--deck", "Copies", "--games", "2", "--seed", "60"];
    let play = [&play[..], &["--message-format", "json"]].concat();
    let from_sources = result_without_times(&[&play[..], &[&path]].concat());
    assert!(from_sources["budgets"]["fuel"].as_u64() > Some(0), "{from_sources}");
    assert_eq!(from_sources, result_without_times(&[&play[..], &[&compiled]].concat()));
}

#[test]
fn partially_loaded_packs_play_like_their_sources() {
    let directory = std::env::temp_dir().join(format!("fizzle-packed-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let (pack, traces) = (directory.join("all.fzb"), directory.join("traces"));
    let (pack, traces) = (pack.to_string_lossy(), traces.to_string_lossy());
    assert_eq!(fizzle(&["build", "magic", "yugioh", "duel_magic", "-o", &pack]).1, 0);
    for format in ["magic", "yugioh", "duel_magic"] {
        let rest = ["--format", format, "--games", "3", "--cards", "--message-format", "json"];
        let packed = result_without_times(&[&["sim", &*pack, "--traces", &*traces], &rest[..]].concat());
        assert_eq!(packed, result_without_times(&[&["sim"], &rest[..]].concat()), "{format}");
        for game in 0..3 {
            let (text, status) = fizzle(&["replay", &format!("{traces}/game-{game}.fzt"), &pack]);
            assert!(status == 0 && text.contains("the same rules"), "{format}: {text}");
        }
    }
    // A compiled pack does not have the words of an exception to the number of copies.
    let explained = |args: &[&str]| {
        let (text, status) = fizzle(args);
        (text.replace(" with exceptions", " except basic_land"), status)
    };
    for what in ["Grizzly Bears", "《コアキャリバー》", "magic", "Quixotic Zyzzyva"] {
        assert_eq!(
            explained(&["explain", what, &pack]),
            explained(&["explain", what, "magic", "yugioh", "duel_magic"]),
            "{what}"
        );
    }
}

#[test]
fn match_results_are_consistent_and_shards_merge() {
    let common = ["sim", "--format", "duel_magic", "--games", "5", "--seed", "3", "--best-of", "3", "--message-format", "json"];
    let whole = result_without_times(&common);
    let number = |value: &serde_json::Value| value.as_u64().expect("a number");
    assert_eq!(number(&whole["matches"]), 5);
    let sum = |field: &str| whole[field].as_array().expect("a list").iter().map(number).sum::<u64>();
    assert_eq!(number(&whole["games"]), sum("wins") + number(&whole["draws"]));
    assert!((10..=15).contains(&number(&whole["games"])), "two or three games each: {whole}");
    assert_eq!(sum("match_wins"), 5);
    assert_eq!(whole, result_without_times(&[&common[..], &["--jobs", "1"]].concat()));
    let directory = std::env::temp_dir().join(format!("fizzle-matches-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let parts: Vec<String> = (1..=2).map(|i| directory.join(format!("{i}.json")).to_string_lossy().into_owned()).collect();
    for (i, part) in parts.iter().enumerate() {
        result_without_times(&[&common[..], &["--shard", &format!("{}/2", i + 1), "--out", part]].concat());
    }
    let all: Vec<&str> = parts.iter().map(String::as_str).collect();
    assert_eq!(whole, result_without_times(&[&["merge", "--message-format", "json"], &all[..]].concat()));
    let single = result_without_times(&["sim", "--format", "duel_magic", "--games", "1", "--message-format", "json"]);
    for field in ["best_of", "matches", "match_wins"] {
        assert!(single.get(field).is_none(), "`{field}` without --best-of");
    }
}

#[test]
fn games_of_a_match_can_be_replayed() {
    let directory = std::env::temp_dir().join(format!("fizzle-match-traces-{}", std::process::id()));
    let folder = directory.to_string_lossy().into_owned();
    let sim =
        ["sim", "--format", "duel_magic", "--games", "1", "--best-of", "3", "--traces", &folder, "--message-format", "json"];
    result_without_times(&sim);
    let trace = directory.join("match-0-game-2.fzt");
    let head = String::from_utf8_lossy(&std::fs::read(&trace).expect("a second game")).into_owned();
    assert!(head.contains("\"game_number\":2") && !head.contains("\"loser_before\":null"), "{}", &head[..400]);
    let (text, status) = fizzle(&["replay", &trace.to_string_lossy()]);
    assert_eq!(status, 0);
    assert!(text.contains("the same rules"), "{text}");
}
