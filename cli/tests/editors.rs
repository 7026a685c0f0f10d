//! Tests that syntax highlighters outside of the program know all keywords: the Visual Studio Code extension and the script of the book.

#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use fizzle_grammar::item_splitter::ITEM_KEYWORDS;
use fizzle_grammar::lexer::RESERVED;
use std::collections::BTreeSet;
use std::path::Path;

fn read(path: &str) -> String {
    std::fs::read_to_string(Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(path)).unwrap()
}

fn missing_words(known: &BTreeSet<&str>) -> Vec<&'static str> {
    RESERVED.into_iter().chain(ITEM_KEYWORDS).filter(|word| !known.contains(word)).collect()
}

#[test]
fn extension_grammar_contains_all_keywords() {
    let text = read("editors/vscode/syntaxes/fizzle.tmLanguage.json");
    let grammar: serde_json::Value = serde_json::from_str(&text).unwrap();
    let mut patterns = Vec::new();
    for part in grammar["repository"].as_object().unwrap().values() {
        patterns.extend(part["patterns"].as_array().unwrap().iter().filter_map(|pattern| pattern["match"].as_str()));
    }
    // `\b` and `\s` are not parts of words.
    let patterns: Vec<String> = patterns.iter().map(|pattern| pattern.replace("\\b", " ").replace("\\s", " ")).collect();
    let known = patterns.iter().flat_map(|pattern| pattern.split(|c: char| !c.is_alphanumeric() && c != '_')).collect();
    assert_eq!(missing_words(&known), Vec::<&str>::new());
    // The grammar includes exactly the patterns of its repository.
    let parts: BTreeSet<&str> = grammar["repository"].as_object().unwrap().keys().map(String::as_str).collect();
    let included = grammar["patterns"].as_array().unwrap().iter().filter_map(|one| one["include"].as_str()?.strip_prefix('#'));
    assert_eq!(included.collect::<BTreeSet<_>>(), parts);
}

#[test]
fn book_script_contains_all_keywords() {
    let text = read("docs/theme/fizzle.js");
    let known = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    assert_eq!(missing_words(&known), Vec::<&str>::new());
}

/// The summary lists every page exactly once.
#[test]
fn summary_lists_every_page() {
    let summary = read("docs/SUMMARY.md");
    let listed: Vec<&str> = summary.split("](").skip(1).filter_map(|part| part.split(')').next()).collect();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs");
    let mut pages = Vec::new();
    for folder in ["", "cookbook/", "vocabulary/"] {
        for entry in std::fs::read_dir(root.join(folder)).unwrap() {
            let name = entry.unwrap().file_name().to_string_lossy().into_owned();
            if name.ends_with(".md") && name != "SUMMARY.md" {
                pages.push(format!("{folder}{name}"));
            }
        }
    }
    pages.sort();
    let mut sorted: Vec<String> = listed.iter().map(ToString::to_string).collect();
    sorted.sort();
    assert_eq!(sorted, pages);
}
