//! The texts of formats equal those of the reference, for which each format with `text` items or keywords renders all cards again.
//!
//! Compared are the shipped games, the examples, and made-up formats: each changes one entry of a shipped game, or takes
//! one over from it, or replaces a keyword.

#![allow(clippy::disallowed_methods, reason = "a test reads its files")]

mod common;

use common::problems;
use fizzle_compiler::session::Session;
use fizzle_compiler::{Compilation, SourceFile};
use fizzle_ir::Texts;
use std::ops::Range;
use std::path::{Path, PathBuf};

/// The number of made-up formats of one compilation.
const FORMATS: usize = 40;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All sources below a folder, without scenarios.
fn sources(folder: &str) -> Vec<SourceFile> {
    let mut files = Vec::new();
    common::sources_below(&root().join(folder), folder, &mut files);
    files.retain(|file| !file.path.contains("scenarios"));
    files
}

/// Compiles files with texts, as usual and as the reference.
fn both(files: &[SourceFile]) -> [Compilation; 2] {
    let session = || {
        let mut session = Session::default();
        session.keep(files);
        session
    };
    [session().compile(true), session().compile_with_reference_texts()]
}

fn texts(compilation: &Compilation) -> Vec<&Texts> {
    let games = compilation.artifact.iter().flat_map(|artifact| &artifact.games);
    games.flat_map(|game| &game.texts).collect()
}

/// Compares the texts of files with those of the reference. Returns how many entries of formats there are, and how many of them have texts of cards.
fn assert_equal(name: &str, files: &[SourceFile]) -> (usize, usize) {
    let [usual, reference] = both(files);
    assert!(usual.artifact.is_some(), "{name}: {}", problems(&usual));
    let (found, expected) = (texts(&usual), texts(&reference));
    let formats = |texts: &[&Texts]| texts.iter().map(|texts| (texts.language.clone(), texts.format.clone())).collect::<Vec<_>>();
    for (one, other) in found.iter().zip(&expected) {
        let place = format!("{name}: {} of `{}`", one.language, one.format);
        for (text, wanted) in one.cards.iter().zip(&other.cards) {
            assert_eq!(text, wanted, "{place}");
        }
        assert_eq!(one.cards.len(), other.cards.len(), "{place}: cards");
        assert!(one == other, "{place}: names, rules or prompts");
    }
    assert_eq!(formats(&found), formats(&expected), "{name}");
    assert_eq!(usual.gaps, reference.gaps, "{name}");
    let of_formats = found.iter().filter(|texts| !texts.format.is_empty());
    (of_formats.clone().count(), of_formats.filter(|texts| !texts.cards.is_empty()).count())
}

#[test]
fn texts_of_shipped_formats_equal_the_reference() {
    let (_, with_cards) = assert_equal("cards", &sources("cards"));
    assert!(with_cards > 0, "no shipped format has separate texts");
    let mut files = sources("cards");
    files.extend(sources("examples"));
    assert_equal("examples", &files);
}

/// An entry of a `text` item, with its lines in a file.
struct Entry {
    file: usize,
    lines: Range<usize>,
    text: String,
}

/// The entries of the text items of a language.
fn text_entries(files: &[SourceFile], language: &str) -> Vec<Entry> {
    let mut found = Vec::new();
    for (file, source) in files.iter().enumerate() {
        let lines: Vec<&str> = source.text.lines().collect();
        let mut is_open = false;
        let mut start = None;
        for (line, text) in lines.iter().enumerate() {
            if text.starts_with("text ") {
                is_open = text.starts_with(&format!("text {language} {{"));
            } else if text.starts_with('}') {
                is_open = false;
            }
            let indent = text.len() - text.trim_start().len();
            if indent == 2 && !text.trim().starts_with(['}', '"', '/']) {
                start = Some(line);
            }
            let next = lines.get(line + 1).map_or("", |next| next.trim());
            if text.ends_with('"')
                && !next.starts_with('"')
                && let (true, Some(start)) = (is_open, start.take())
            {
                let text = lines[start..=line].join("\n").trim().to_owned();
                if !text.starts_with("rule ") {
                    found.push(Entry { file, lines: start..line + 1, text });
                }
            }
        }
    }
    found
}

/// Blanks lines of a source.
fn blank(source: &mut SourceFile, blanked: &Range<usize>) {
    let lines = source.text.lines().enumerate();
    let lines: Vec<&str> = lines.map(|(line, text)| if blanked.contains(&line) { "" } else { text }).collect();
    source.text = lines.join("\n") + "\n";
}

/// A shipped game with formats of which every second one changes an entry of its texts, and the others have an entry instead of the game.
fn with_changed_entries(game: &str, language: &str, offset: usize) -> Vec<SourceFile> {
    let mut files = sources(&format!("cards/{game}"));
    let entries = text_entries(&files, language);
    assert!(entries.len() > FORMATS, "{game}: {} entries", entries.len());
    let mut formats = String::new();
    for number in 0..FORMATS {
        let entry = &entries[(offset + number * entries.len() / FORMATS) % entries.len()];
        let is_setting = entry.text.starts_with("style ");
        let text = if number % 2 == 0 && !is_setting {
            entry.text.replacen(": \"", ": \"☆", 1)
        } else {
            blank(&mut files[entry.file], &entry.lines);
            entry.text.clone()
        };
        // every fourth format extends the one before it
        let base = if number % 4 == 3 { format!("f{}", number - 1) } else { game.to_owned() };
        formats.push_str(&format!("format f{number} \"f\" extends {base} {{\n  text {language} {{\n    {text}\n  }}\n}}\n"));
    }
    files.push(SourceFile { path: format!("cards/{game}/made_up.fz"), text: formats });
    files
}

fn assert_changed_entries(game: &str) {
    for (language, offset) in [("en", 0), ("ja", 3), ("en", 11), ("ja", 7)] {
        let files = with_changed_entries(game, language, offset);
        let (entries, with_cards) = assert_equal(&format!("{game} {language} {offset}"), &files);
        // how many of the sample concern shipped cards varies with the entries
        assert!(with_cards > FORMATS / 8, "{game} {language}: {with_cards} of {entries} formats have texts of cards");
    }
}

#[test]
fn texts_of_formats_that_change_entries_of_magic_equal_the_reference() {
    assert_changed_entries("magic");
}

#[test]
fn texts_of_formats_that_change_entries_of_duel_masters_equal_the_reference() {
    assert_changed_entries("duel_masters");
}

#[test]
fn texts_of_formats_that_change_entries_of_yugioh_equal_the_reference() {
    assert_changed_entries("yugioh");
}

#[test]
fn texts_of_formats_that_replace_keywords_equal_the_reference() {
    for game in ["magic", "duel_masters", "yugioh"] {
        let mut files = sources(&format!("cards/{game}"));
        let lines = files.iter().flat_map(|file| file.text.lines());
        let keywords: Vec<(String, String)> = lines
            .filter_map(|line| line.strip_prefix("keyword ")?.split_once(" {"))
            .filter(|(name, body)| !name.contains(['(', ' ']) && body.ends_with('}'))
            .map(|(name, body)| (name.to_owned(), format!("{{{body}")))
            .collect();
        let mut formats = String::new();
        for (number, pair) in keywords.windows(2).take(FORMATS).enumerate() {
            let ((name, _), (_, body)) = (&pair[0], &pair[1]);
            formats.push_str(&format!("format f{number} \"f\" extends {game} {{\n  replace keyword {name} {body}\n}}\n"));
        }
        files.push(SourceFile { path: format!("cards/{game}/made_up.fz"), text: formats });
        assert_equal(&format!("keywords of {game}"), &files);
    }
}

/// A text whose sentence depends on the names of all countable things: its own name is repeated if another thing may be meant.
#[test]
fn texts_of_formats_that_name_another_noun_equal_the_reference() {
    let mut files = sources("cards/magic");
    let text = "card \"Boris\" { legendary creature {1} 1/1  when this attacks: this deals 1 damage to each opponent }
format nouns \"f\" extends magic {
  text en { name artifact: \"attacks\", \"attacks\" }
}
format others \"f\" extends magic {
  text en { name artifact: \"relic\", \"relics\" }
}
";
    files.push(SourceFile { path: "cards/magic/made_up.fz".to_owned(), text: text.to_owned() });
    assert_equal("nouns", &files);
    let [usual, _] = both(&files);
    let lines_in = |format: &str| -> Vec<&str> {
        let of_format = texts(&usual).into_iter().filter(|texts| texts.language == "en" && texts.format == format);
        let lines = of_format.flat_map(|texts| &texts.cards).flat_map(|card| &card.lines);
        lines.map(String::as_str).filter(|line| line.contains("Boris")).collect()
    };
    assert_eq!(lines_in(""), ["Whenever Boris attacks, it deals 1 damage to each opponent."]);
    assert_eq!(lines_in("nouns"), ["Whenever Boris attacks, Boris deals 1 damage to each opponent."]);
    assert!(lines_in("others").is_empty());
}
