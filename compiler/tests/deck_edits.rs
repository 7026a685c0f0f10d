//! Edits of decks in a session: what is checked again, and that the result is that of a compilation.

#![allow(clippy::unwrap_used, reason = "a test")]

use fizzle_compiler::session::{CheckScope, Session};
use fizzle_compiler::{Compilation, SourceFile, compile};
use std::collections::BTreeSet;

const DECKS: &str = "small/decks.fz";

fn findings(compilation: &Compilation) -> BTreeSet<(String, u32, String)> {
    let one = |problem: &fizzle_compiler::Diagnostic| {
        (compilation.sources.path(problem.span.file).to_owned(), problem.span.start, problem.message.clone())
    };
    compilation.diagnostics.iter().map(one).collect()
}

/// No declaration names a deck, so that a change of decks has only scenarios checked again, also if the name is part of declarations.
#[test]
fn decks_are_checked_without_the_declarations() {
    let match_between = |a: &str, b: &str| format!("scenario \"{a} and {b}\" {{ match {{ A: \"{a}\"  B: \"{b}\" }} }}\n");
    let file = |path: &str, text: String| SourceFile { path: path.to_owned(), text };
    let with_decks = |decks: &str| {
        vec![
            file("small/pack.fz", include_str!("games/small.fz").to_owned()),
            file("small/scenarios.fz", match_between("Mine", "Mine") + &match_between("Mine", "hand")),
            file(DECKS, decks.to_owned()),
        ]
    };
    let mut decks =
        "card \"Wolf\" { creature green cost {1}{G} power 2 }\ndeck \"Mine\" { main { 4 \"Bolt\"  4 \"Bear\" } }\n".to_owned();
    let mut session = Session::default();
    session.keep(&with_decks(&decks));
    session.check();
    for (from, to) in [("\"Mine\"", "\"hand\""), ("\"hand\"", "\"1\""), ("\"1\"", "\"Mine\""), ("4 \"Bear\"", "4 \"Baer\"")] {
        let edited = decks.replace(from, to);
        assert_ne!(edited, decks, "{from}");
        decks = edited;
        session.set(DECKS, &decks);
        assert_ne!(session.check(), CheckScope::All, "{from} -> {to}");
        let expected = findings(&compile(with_decks(&decks)));
        assert!(!expected.is_empty(), "{from} -> {to}");
        assert_eq!(findings(&session.to_compilation()), expected, "{from} -> {to}");
    }
}
