//! Tests of `fizzle bench`: the selected benchmarks print their rows; unknown names are refused.

#![allow(clippy::unwrap_used, missing_docs)]

use std::process::Command;

fn bench(args: &[&str]) -> (Option<i32>, String, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_fizzle")).arg("bench").args(args).output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    (output.status.code(), text(output.stdout), text(output.stderr))
}

#[test]
fn selected_benchmarks_print_one_json_object_per_line() {
    let (code, out, _) = bench(&["vanilla monsters: ", "--seconds", "0.01", "--message-format", "json"]);
    assert_eq!(code, Some(0));
    let rows: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let named = |what: &str| rows.iter().find(|row| row["name"].as_str().unwrap().ends_with(what)).unwrap();
    assert!(rows.iter().all(|row| row["value"].as_f64().unwrap() > 0.0 && row["unit"].is_string()));
    assert!(rows.iter().all(|row| row["name"].as_str().unwrap().contains("vanilla monsters")));
    assert_eq!(named("copy of a state")["of"], "times a copy of the same bytes");
    assert_eq!((named("restoring a game")["unit"].as_str(), named("step and undo")["unit"].as_str()), (Some("ns"), Some("us")));
    // The state of two players is smaller than 32 KB at the start.
    assert!(named("state at the start")["value"].as_f64().unwrap() < 32.0);
}

#[test]
fn wide_boards_scripts_and_compilation_have_rows() {
    let names = ["compile", "script", "30 static", "60 permanents: legal", "vanilla creatures: game saved"];
    let (code, out, _) = bench(&[&names[..], &["--seconds", "0.01", "--message-format", "json"]].concat());
    assert_eq!(code, Some(0));
    let rows: Vec<serde_json::Value> = out.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert!(rows.iter().all(|row| row["value"].as_f64().unwrap() > 0.0));
    let names_and_units: Vec<(&str, &str)> =
        rows.iter().map(|row| (row["name"].as_str().unwrap(), row["unit"].as_str().unwrap())).collect();
    assert_eq!(
        names_and_units,
        [
            ("compile: all shipped packs, from cold", "cards/s"),
            ("compile: the same from a compiled pack", "cards/s"),
            ("compile: all checked again after an edit of one card", "ms"),
            ("Magic, vanilla creatures: game saved and loaded", "us"),
            ("Magic, vanilla creatures: decisions of the script", "decisions/s"),
            ("Magic, vanilla creatures: games of the script", "games/s"),
            ("Magic, 60 permanents: legal actions, 99th percentile", "us"),
            ("Magic, 30 static abilities: decisions", "decisions/s"),
            ("Magic, 30 static abilities: legal actions, 99th percentile", "us"),
            ("Magic, 30 static abilities: all values from nothing", "us"),
        ]
    );
    let edit = rows.iter().find(|row| row["unit"] == "ms").unwrap();
    assert_eq!(edit["of"], "times as soon as from cold");
    assert!(edit["ratio"].as_f64().unwrap() > 1.0, "{edit}");
}

#[test]
fn unknown_benchmarks_are_refused() {
    let (code, _, err) = bench(&["no such thing", "--seconds", "0.01"]);
    assert_eq!(code, Some(2));
    assert!(err.contains("`no such thing`"), "{err}");
    assert_eq!(bench(&["--seconds", "0"]).0, Some(2));
}
