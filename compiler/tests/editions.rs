//! Editions of the language: a game with every spelling of the first edition compiles, and means the same when it is rewritten into the second.
#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

mod common;

use common::{compile_one, problems};
use fizzle_grammar::edition::first_edition_forms;
use fizzle_grammar::parse_file;
use fizzle_grammar::upgrade;
use fizzle_ir::rules_hash;
use std::collections::BTreeSet;

const FIRST: &str = include_str!("editions/first.fz");
const SECOND: &str = include_str!("editions/second.fz");

/// A text in the second edition and in its one layout. The number in the manifest is left to the program.
fn rewritten(text: &str) -> String {
    let parsed = parse_file(0, text);
    let (text, left_alone) = upgrade(text, &parsed.items, |_| false);
    assert!(left_alone.is_empty());
    fizzle_grammar::format(&text.replace("edition 1", "edition 2"))
}

#[test]
fn rewriting_gives_the_second_edition_and_changes_nothing_more() {
    assert_eq!(rewritten(FIRST), SECOND);
    assert_eq!(rewritten(SECOND), SECOND);
}

#[test]
fn both_editions_have_the_same_rules() {
    let hashes = [FIRST, SECOND].map(|text| {
        let compilation = compile_one(text);
        assert_eq!(problems(&compilation), "");
        let artifact = compilation.artifact.unwrap();
        let game = &artifact.games[0];
        game.formats.iter().map(|format| rules_hash::of_format(&game.library, format)).collect::<Vec<_>>()
    });
    assert!(!hashes[0].is_empty());
    assert_eq!(hashes[0], hashes[1]);
}

#[test]
fn the_game_holds_every_form_of_the_first_edition() {
    let parsed = parse_file(0, FIRST);
    let used: BTreeSet<&str> =
        parsed.items.iter().flat_map(|item| &item.spellings).map(|spelling| spelling.written.as_str()).collect();
    // Third persons follow their verbs.
    let missing: Vec<&str> = first_edition_forms()
        .filter(|form| {
            !used.contains(form) && !matches!(*form, "carries out" | "ceases" | "ceased" | "refunds" | "stores" | "perform")
        })
        .collect();
    assert_eq!(missing, Vec::<&str>::new());
}

#[test]
fn forms_of_another_edition_are_errors_with_a_fix() {
    let first_in_second =
        "pack small { edition 2 }\nzone field { shared; field; public; remembers }\nturn { step only { priority } }";
    let compilation = compile_one(first_in_second);
    let problem = compilation.diagnostics.iter().find(|problem| problem.code.code == "E0109").unwrap();
    assert_eq!(compilation.sources.slice(problem.span), "remembers");
    assert_eq!(problem.fixes[0].with, "keeps last known");
    let second_in_first = first_in_second.replace("edition 2", "edition 1").replace("remembers", "keeps last known");
    let compilation = compile_one(&second_in_first);
    let problem = compilation.diagnostics.iter().find(|problem| problem.code.code == "E0109").unwrap();
    assert_eq!(compilation.sources.slice(problem.span), "keeps last known");
    assert_eq!(problem.fixes[0].with, "remembers");
}

#[test]
fn names_of_the_first_edition_stay_reserved() {
    let text = "pack small { edition 2 }\nfunction now(it: object): object = it\nturn { step only { priority } }";
    assert!(problems(&compile_one(text)).contains("the name `now` is reserved"), "{}", problems(&compile_one(text)));
}
