//! Simulations are the same for any number of jobs, and their shards merge to the whole.

use std::process::Command;

fn fizzle(args: &[&str]) -> (String, i32) {
    let output = Command::new(env!("CARGO_BIN_EXE_fizzle")).args(args).output().expect("it runs");
    (String::from_utf8(output.stdout).expect("UTF-8"), output.status.code().expect("a status"))
}

/// The result without what depends on the clock.
fn result(args: &[&str]) -> serde_json::Value {
    let (text, status) = fizzle(args);
    assert_eq!(status, 0, "{args:?}: {text}");
    let mut value: serde_json::Value = serde_json::from_str(text.lines().last().expect("a line")).expect("JSON");
    let fields = value.as_object_mut().expect("an object");
    fields.remove("seconds");
    fields.remove("games_per_second");
    value
}

#[test]
fn jobs_do_not_matter_and_shards_merge() {
    let common = ["sim", "--format", "duel_masters", "--games", "9", "--seed", "4", "--message-format", "json"];
    let whole = result(&common);
    assert_eq!(whole, result(&[&common[..], &["--jobs", "1"]].concat()));
    let directory = std::env::temp_dir().join(format!("fizzle-shards-{}", std::process::id()));
    std::fs::create_dir_all(&directory).expect("a directory");
    let parts: Vec<String> = (1..=3).map(|i| directory.join(format!("{i}.json")).to_string_lossy().into_owned()).collect();
    for (i, part) in parts.iter().enumerate() {
        result(&[&common[..], &["--shard", &format!("{}/3", i + 1), "--out", part]].concat());
    }
    let all: Vec<&str> = parts.iter().map(String::as_str).collect();
    assert_eq!(whole, result(&[&["merge", "--message-format", "json"], &all[..]].concat()));
    let (_, status) = fizzle(&[&["merge"], &all[..2]].concat());
    assert_eq!(status, 1, "a shard is missing");
}

#[test]
fn traces_replay() {
    let directory = std::env::temp_dir().join(format!("fizzle-traces-{}", std::process::id()));
    let folder = directory.to_string_lossy().into_owned();
    result(&["sim", "--format", "duel_magic", "--games", "2", "--traces", &folder, "--message-format", "json"]);
    let trace = directory.join("game-1.fzt").to_string_lossy().into_owned();
    let (text, status) = fizzle(&["replay", &trace]);
    assert_eq!(status, 0);
    assert!(text.contains("the same rules"), "{text}");
}

#[test]
fn a_compiled_pack_plays_as_its_sources() {
    let path = std::env::temp_dir().join(format!("fizzle-{}.fzb", std::process::id())).to_string_lossy().into_owned();
    assert_eq!(fizzle(&["build", "duel_masters", "-o", &path]).1, 0);
    let rest = ["--format", "duel_masters", "--games", "3", "--message-format", "json"];
    assert_eq!(result(&[&["sim", &path], &rest[..]].concat()), result(&[&["sim"], &rest[..]].concat()));
}
