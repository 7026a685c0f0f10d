//! The reference in the book is what the program prints. `FIZZLE_WRITE_REFERENCE=1 cargo test -p fizzle-cli --test reference` writes it anew.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs, reason = "tests")]

use std::path::Path;
use std::process::Command;

fn page() -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_fizzle")).args(["explain", "--reference"]).output().unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_page_is_fresh() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/reference.md");
    let page = page();
    if std::env::var_os("FIZZLE_WRITE_REFERENCE").is_some() {
        std::fs::write(&path, &page).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    let differs = written.lines().zip(page.lines()).position(|(a, b)| a != b);
    assert!(written == page, "docs/reference.md is not as the program has it, from line {differs:?} on: write it anew");
}

/// Nothing of the grammar's own notation is left over, and every reserved word and every rule that a rule is made of is there.
#[test]
fn the_grammar_is_readable() {
    let page = page();
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
            assert!(!is_name || named.contains(&word), "`{word}` is no rule that is shown, in: {line}");
            assert!(!word.starts_with("k_") && !word.contains("SOI") && !word.contains("EOI"), "{line}");
        }
    }
}
