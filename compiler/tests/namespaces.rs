//! Packs of one game with cards of the same names: what each name means, and what is reported.

mod common;

use common::{TINY, compile_files, problems, summaries};
use fizzle_compiler::diagnostics::render::render;
use fizzle_compiler::packs::{is_fixture_path, join_path};
use fizzle_compiler::session::Session;
use fizzle_compiler::{Compilation, SourceFile, compile};
use std::collections::BTreeSet;

const RED: &str = "pack red { edition 2; extends tiny }\ncard \"Ember\" { piece  power 1 }\n";
const BLUE: &str = "pack blue { edition 2; extends tiny }\ncard \"Ember\" { piece  power 2 }\n";

fn both(uses: &str, created: &str) -> String {
    format!(
        "pack both {{ edition 2; extends tiny; uses {uses} }}\ncard \"Kindling\" {{ piece  power 1  when this enters field {{ create \"{created}\" into field }} }}\n"
    )
}

/// The small game with files.
fn with_game(files: &[(&str, &str)]) -> Compilation {
    let mut all = vec![("tiny/pack.fz", TINY)];
    all.extend_from_slice(files);
    compile_files(&all)
}

/// The names of the cards of the only game.
fn card_names(compilation: &Compilation) -> Vec<String> {
    assert!(compilation.artifact.is_some(), "{}", problems(compilation));
    let artifact = compilation.artifact.as_ref().expect("checked above");
    assert_eq!(artifact.games.len(), 1);
    artifact.games[0].library.definitions.numbered().map(|(_, card)| card.name.to_string()).collect()
}

#[test]
fn sibling_packs_may_have_cards_of_one_name() {
    let compilation = with_game(&[("sets/red.fz", RED), ("sets/blue.fz", BLUE)]);
    assert_eq!(summaries(&compilation), [""; 0], "{}", problems(&compilation));
    let names = card_names(&compilation);
    assert!(names.contains(&"red.Ember".to_owned()) && names.contains(&"blue.Ember".to_owned()), "{names:?}");
}

/// A file without a manifest has no name to qualify its cards with, so they keep theirs.
#[test]
fn cards_of_a_file_without_a_manifest_keep_their_names() {
    let alone = "card \"Ember\" { piece  power 9 }\ndeck \"D\" { format tiny  main { 4 \"Ember\" } }\n";
    let compilation = with_game(&[("sets/red.fz", RED), ("alone.fz", alone)]);
    assert_eq!(summaries(&compilation), [""; 0], "{}", problems(&compilation));
    let names = card_names(&compilation);
    assert!(names.contains(&"red.Ember".to_owned()) && names.contains(&"Ember".to_owned()), "{names:?}");
    let compilation = with_game(&[("one.fz", alone), ("two.fz", &alone.replace("\"D\"", "\"E\""))]);
    assert_eq!(summaries(&compilation), ["E0106 1:6 the card `Ember` is declared twice"], "{}", problems(&compilation));
}

#[test]
fn a_pack_takes_a_name_of_its_game_with_a_warning() {
    let own = "pack own { edition 2; extends tiny }\ncard \"Bear\" { piece  power 7 }\ndeck \"D\" { format tiny  main { 1 \"Bear\"  2 \"tiny.Bear\" } }\n";
    let compilation = with_game(&[("own/pack.fz", own)]);
    let found = summaries(&compilation);
    assert!(found.iter().any(|line| line.starts_with("W0718 2:6 `tiny` has a card `Bear` already")), "{found:?}");
    assert!(found.iter().all(|line| line.starts_with('W')), "{found:?}");
    let artifact = compilation.artifact.as_ref().expect("only warnings");
    let game = &artifact.games[0];
    let listed: Vec<(u32, &str)> = game.decks[0].sections[0]
        .1
        .iter()
        .map(|(count, card)| (*count, game.library.definitions.get(card.index()).map_or("", |card| card.name.as_str())))
        .collect();
    assert_eq!(listed, [(1, "Bear"), (2, "tiny.Bear")]);
}

#[test]
fn names_of_fixtures_are_free() {
    let fixtures = "card \"Dummy\" { piece  power 1 }\n";
    let own = "pack own { edition 2; extends tiny }\ncard \"Dummy\" { piece  power 7 }\n";
    let compilation = with_game(&[("tiny/cards/fixtures.fz", fixtures), ("own/pack.fz", own)]);
    assert_eq!(summaries(&compilation), [""; 0], "{}", problems(&compilation));
    assert!(is_fixture_path("shipped:magic/scenarios/a.fz") && !is_fixture_path("magic/cards/scenarios.fz"));
}

#[test]
fn a_name_of_several_packs_is_ambiguous_where_none_is_nearer() {
    let user = both("\"../red\", \"../blue\"", "Ember");
    let files = [("red/pack.fz", RED), ("blue/pack.fz", BLUE), ("both/pack.fz", user.as_str())];
    let compilation = with_game(&files);
    assert_eq!(summaries(&compilation), ["E0222 2:67 `Ember` could be a card of several packs"], "{}", problems(&compilation));
    assert_eq!(compilation.diagnostics[0].help, ["write `\"red.Ember\"`", "write `\"blue.Ember\"`"]);
    for known in ["red.Ember", "blue.Ember"] {
        let user = both("\"../red\", \"../blue\"", known);
        let compilation = with_game(&[files[0], files[1], ("both/pack.fz", &user)]);
        assert_eq!(summaries(&compilation), [""; 0], "{}", problems(&compilation));
    }
    // Only one of the two is used: it is nearer.
    let user = both("\"../blue\"", "Ember");
    let compilation = with_game(&[files[0], files[1], ("both/pack.fz", &user)]);
    assert_eq!(summaries(&compilation), [""; 0], "{}", problems(&compilation));
}

#[test]
fn paths_of_packs_are_checked() {
    let user = both("\"../rde\"", "Bear");
    let compilation = with_game(&[("red/pack.fz", RED), ("both/pack.fz", &user)]);
    assert_eq!(summaries(&compilation), ["E0102 1:43 there is no pack at `../rde`"], "{}", problems(&compilation));
    assert_eq!(compilation.diagnostics[0].help, ["did you mean `../red`?"]);
    let a = "pack a { edition 2; extends tiny; uses \"../b\" }\n";
    let b = "pack b { edition 2; extends tiny; uses \"../a\" }\n";
    let c = "pack c { edition 2; extends tiny; uses \"../a\" }\n";
    let compilation = with_game(&[("a/pack.fz", a), ("b/pack.fz", b), ("c/pack.fz", c)]);
    let cycle = "packs use each other in a cycle";
    assert_eq!(summaries(&compilation), [format!("E0103 1:40 {cycle}"), format!("E0103 1:40 {cycle}")]);
    let file = both("\"../sets/red.fz\"", "Ember");
    let compilation = with_game(&[("sets/red.fz", RED), ("both/pack.fz", &file)]);
    assert_eq!(summaries(&compilation), [""; 0], "{}", problems(&compilation));
}

#[test]
fn paths_are_joined_without_regard_to_links() {
    for (directory, path, joined) in [
        ("a/b", "../c", "a/c"),
        ("", "../c", "../c"),
        ("..", "../c", "../../c"),
        ("/a", "../../c", "/c"),
        ("a", "/c/./d", "/c/d"),
        ("a", ".", "a"),
    ] {
        assert_eq!(join_path(directory, path), joined, "{directory} {path}");
    }
}

#[test]
fn long_chains_of_packs_end_soon() {
    let chain = |count: usize| -> Vec<SourceFile> {
        let mut files = vec![SourceFile { path: "tiny/pack.fz".to_owned(), text: TINY.to_owned() }];
        files.extend((0..count).map(|n| {
            let uses = if n == 0 { String::new() } else { format!("; uses \"../p{}\"", n - 1) };
            let text = format!("pack p{n} {{ edition 2; extends tiny{uses} }}\ncard \"Ember\" {{ piece  power 1 }}\n");
            SourceFile { path: format!("p{n}/pack.fz"), text }
        }));
        files
    };
    // Each builds on all before it, so the name is taken again and again.
    let found = compile(chain(40));
    assert!(found.diagnostics.iter().all(|problem| problem.code.code == "W0718"), "{}", problems(&found));
    // Too many to be compared: declared twice.
    let found = compile(chain(2000));
    assert!(found.diagnostics.iter().all(|problem| problem.code.code == "E0106"), "{}", problems(&found));
}

/// What a compilation reports: file, place, code and message.
fn findings(compilation: &Compilation) -> BTreeSet<(String, String)> {
    let sources = &compilation.sources;
    compilation.diagnostics.iter().map(|it| (sources.path(it.span.file).to_owned(), render(it, sources, false))).collect()
}

#[test]
fn edits_in_a_session_report_what_a_compilation_reports() {
    let mut files = vec![
        ("tiny/pack.fz".to_owned(), TINY.to_owned()),
        ("red/pack.fz".to_owned(), RED.to_owned()),
        ("blue/pack.fz".to_owned(), BLUE.replace("Ember", "Spark")),
        ("both/pack.fz".to_owned(), both("\"../red\", \"../blue\"", "Ember")),
    ];
    let mut session = Session::default();
    for (path, text) in &files {
        session.set(path, text);
    }
    session.check();
    let own_ember = format!("{}card \"Ember\" {{ piece  power 3 }}\n", both("\"../red\", \"../blue\"", "Ember"));
    for (file, text) in [
        (2, BLUE.to_owned()),
        (3, both("\"../blue\"", "Ember")),
        (3, both("\"../red\", \"../blue\"", "red.Ember")),
        (3, own_ember),
        (1, RED.replace("pack red", "pack crimson")),
        (3, both("\"../red\", \"../blue\"", "Ember")),
        (2, BLUE.replace("Ember", "Bear")),
        (2, BLUE.replace("card \"Ember\"", "card \"Spark\"")),
    ] {
        files[file].1 = text;
        session.set(&files[file].0, &files[file].1);
        session.check();
        let whole = files.iter().map(|(path, text)| SourceFile { path: path.clone(), text: text.clone() }).collect();
        assert_eq!(findings(&session.to_compilation()), findings(&compile(whole)), "{}", files[file].1);
    }
}
