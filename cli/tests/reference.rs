//! Tests that the reference and the vocabularies in the book equal the output of the program. `FIZZLE_WRITE_REFERENCE=1 cargo test -p fizzle-cli --test
//! reference` rewrites it.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

use std::path::Path;
use std::process::Command;

/// The standard output of `fizzle reference`, with the format of a vocabulary.
fn reference_page(format: Option<&str>) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_fizzle")).arg("reference").args(format).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[track_caller]
fn assert_is_up_to_date(file: &str, page: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs").join(file);
    if std::env::var_os("FIZZLE_WRITE_REFERENCE").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    let differs = written.lines().zip(page.lines()).position(|(a, b)| a != b);
    assert!(
        written == page,
        "docs/{file} differs from the program's output, first at line {differs:?}: set FIZZLE_WRITE_REFERENCE=1 to rewrite it"
    );
}

#[test]
fn reference_page_is_up_to_date() {
    assert_is_up_to_date("reference.md", &reference_page(None));
}

/// The vocabularies of the shipped games: the format, the page of the book.
const VOCABULARIES: &[(&str, &str)] = &[
    ("magic", "vocabulary/magic.md"),
    ("yugioh", "vocabulary/yugioh.md"),
    ("duel_masters", "vocabulary/duel-masters.md"),
    ("duel_magic", "vocabulary/duel-magic.md"),
];

#[test]
fn vocabularies_are_up_to_date() {
    for (format, file) in VOCABULARIES {
        assert_is_up_to_date(file, &reference_page(Some(format)));
    }
}

/// A card author finds a meaning for every word of a shipped game, but for words of trait sets, which the names of their sets explain.
#[test]
fn every_word_of_a_shipped_game_has_a_meaning() {
    for (format, _) in VOCABULARIES {
        for section in reference_page(Some(format)).split("\n## ").skip(1).filter(|section| !section.starts_with("Words")) {
            for row in section.lines().filter(|line| line.starts_with("| `")) {
                assert!(!row.contains("` |  |"), "{format}: no meaning: {row}");
            }
        }
    }
}

/// The printed grammar contains no notation of the parser generator, and every rule that it refers to.
#[test]
fn reference_grammar_is_complete_and_readable() {
    let page = reference_page(None);
    let grammar = page.split("## Grammar").nth(1).unwrap().split("## Diagnostics").next().unwrap();
    let rules: Vec<&str> = grammar.lines().filter(|line| !line.starts_with("        ")).collect();
    let is_rule = |line: &&&str| line.split_once(" = ").is_some_and(|(name, _)| !name.contains(' '));
    let named: Vec<&str> = rules.iter().filter(is_rule).filter_map(|line| line.split(' ').next()).collect();
    assert!(named.len() > 250, "{} rules", named.len());
    let mut inside = false;
    for line in &rules {
        if line.starts_with("```") {
            inside = !inside;
            continue;
        }
        let body = line.split_once(" = ").map_or(*line, |(_, body)| body);
        for word in body.split(|c: char| !(c.is_ascii_alphanumeric() || "_\"'".contains(c))).filter(|_| inside) {
            let is_name = word.starts_with(|c: char| c.is_ascii_lowercase()) && !word.contains(['"', '\'']) && word != "newline";
            assert!(!is_name || named.contains(&word), "the rule `{word}` is not shown, in: {line}");
            assert!(!word.starts_with("k_") && !word.contains("SOI") && !word.contains("EOI"), "{line}");
        }
    }
}
