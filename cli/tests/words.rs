//! Names, comments and messages of the Rust sources use plain technical English: the words that [`SWEPT`] lists have a standard term instead.
//!
//! Exceptions are in `words/allowed.txt`, one line for each file and word with the number of uses. The list only shrinks: a use that is not listed
//! fails the test, and so does a line of the list that is no longer needed.

#![allow(clippy::unwrap_used, missing_docs)]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

/// A word or phrase, and what to write instead.
const SWEPT: &[(&str, &str)] = &[
    ("all the same", "nevertheless"),
    ("anew", "again, from scratch"),
    ("asked", "requested, queried, evaluated; a player decides or answers"),
    ("unasked", "automatically"),
    ("beside", "in addition to, next to"),
    ("besides", "also"),
    ("comes of it", "result"),
    ("come of it", "result"),
    ("goes on", "continues"),
    ("go on", "continue"),
    ("hangs on", "depends on"),
    ("hang on", "depend on"),
    ("is gone", "was removed, is stale"),
    ("are gone", "were removed, are stale"),
    ("lies", "is"),
    ("lying", "is in a zone"),
    ("looks at", "reads"),
    ("look at", "read"),
    ("nobody", "no player, or say who"),
    ("of its own", "separate"),
    ("remembered", "cached, recorded"),
    ("said", "reported, written"),
    ("somebody", "a player, the author, the caller"),
    ("tell", "report, return, show"),
    ("tells", "reports, returns, shows"),
    ("told", "reported, returned, shown"),
    ("under way", "in progress"),
    ("way out", "suggestion"),
    ("whatever", "any, regardless of"),
    ("wherever", "everywhere"),
    ("whoever", "the caller, the player"),
];

/// Folders that are not sources of this project.
const SKIPPED: [&str; 4] = ["target", "node_modules", ".git", "cards"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !SKIPPED.contains(&name.as_str()) {
                sources(&path, found);
            }
        } else if name.ends_with(".rs") || name.ends_with(".pest") {
            found.push(path);
        }
    }
    found.sort();
}

/// The text as lower-case words: `_` and capitals inside of names end a word, lines and comment marks are blanks.
fn words(text: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut after_lower = false;
    for letter in text.chars() {
        let splits = !letter.is_alphabetic() || letter.is_uppercase() && after_lower;
        if splits && !words.last().unwrap().is_empty() {
            words.push(String::new());
        }
        if letter.is_alphabetic() {
            words.last_mut().unwrap().extend(letter.to_lowercase());
        }
        after_lower = letter.is_lowercase();
    }
    words
}

/// How often each swept phrase is in a text.
fn uses(text: &str) -> BTreeMap<&'static str, usize> {
    let words = words(text);
    let mut uses = BTreeMap::new();
    for (phrase, _) in SWEPT {
        let wanted: Vec<&str> = phrase.split(' ').collect();
        let count = words.windows(wanted.len()).filter(|at| at.iter().eq(wanted.iter())).count();
        if count > 0 {
            uses.insert(*phrase, count);
        }
    }
    uses
}

#[test]
fn words_are_split_at_underscores_and_capitals() {
    assert_eq!(
        uses("fn is_told() { Asked } // goes\n// on, untold").into_iter().collect::<Vec<_>>(),
        [("asked", 1), ("goes on", 1), ("told", 1)]
    );
}

#[test]
fn sources_use_standard_terms() {
    let mut found = Vec::new();
    sources(&root(), &mut found);
    let listed = fs::read_to_string(root().join("cli/tests/words/allowed.txt")).unwrap();
    let mut allowed: BTreeMap<(String, String), usize> = BTreeMap::new();
    for line in listed.lines().filter(|line| !line.starts_with('#')) {
        let (file, rest) = line.split_once(": ").unwrap();
        let (count, phrase) = rest.split_once(' ').unwrap();
        allowed.insert((file.to_owned(), phrase.to_owned()), count.parse().unwrap());
    }
    let mut report = String::new();
    let mut all = String::new();
    for path in found {
        let file = path.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        if file == "cli/tests/words.rs" {
            continue;
        }
        for (phrase, count) in uses(&fs::read_to_string(&path).unwrap()) {
            writeln!(all, "{file}: {count} {phrase}").unwrap();
            let limit = allowed.remove(&(file.clone(), phrase.to_owned())).unwrap_or(0);
            let instead = SWEPT.iter().find(|(swept, _)| *swept == phrase).unwrap().1;
            if count > limit {
                writeln!(report, "{file}: `{phrase}` {count} times, {limit} allowed; instead: {instead}").unwrap();
            } else if count < limit {
                writeln!(report, "{file}: `{phrase}` only {count} times: the list allows {limit}; lower it").unwrap();
            }
        }
    }
    for ((file, phrase), _) in allowed {
        writeln!(report, "{file}: no `{phrase}` any more: remove the line of the list").unwrap();
    }
    if std::env::var_os("FIZZLE_LIST_WORDS").is_some() {
        fs::write(root().join("cli/tests/words/allowed.txt"), all).unwrap();
    }
    assert!(report.is_empty(), "{report}");
}
