//! The page on limits lists each limit with its value and code, and the shipped games are far below the limits.

#![allow(clippy::disallowed_methods, reason = "a test reads its files")]

use fizzle_compiler::SourceFile;
use fizzle_compiler::limits::{LIMITS, MAX_ITEMS};
use fizzle_compiler::session::Session;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The row of the page for each limit.
fn rows() -> String {
    let mut rows = String::new();
    for limit in LIMITS {
        let code = limit.code.map_or_else(|| "–".to_owned(), |code| format!("`{}`", code.code));
        rows.push_str(&format!("| `{}` | {} | {code} |", limit.name, limit.value));
        rows.push('\n');
    }
    rows
}

#[test]
fn the_page_lists_all_limits() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/limits.md");
    let page = fs::read_to_string(path).expect("the page exists");
    for row in rows().lines() {
        let start = row.trim_end_matches('|').trim_end();
        assert!(page.lines().any(|line| line.starts_with(start)), "the page lacks `{start} | WHY |`");
    }
    let listed = page.lines().filter(|line| line.starts_with("| `MAX_")).count();
    assert_eq!(listed, LIMITS.len(), "the page lists a limit that does not exist");
}

/// How many items a session has of a file, and the messages of its syntax errors.
fn items_and_errors(session: &Session, path: &str) -> (usize, Vec<String>) {
    let store = session.store();
    let document = store.number(path).and_then(|file| store.document(file)).expect("the session has the file");
    let errors =
        store.item_source(document.gaps).map_or_else(Vec::new, |gaps| gaps.errors.iter().map(ToString::to_string).collect());
    (document.items.len(), errors)
}

#[test]
fn items_beyond_the_limit_are_not_read() {
    let file = |path: &str, count: usize| SourceFile { path: path.to_owned(), text: "zone a\n".repeat(count) };
    let more = "more than 131072 items; the rest of the file is not read";
    let mut session = Session::default();
    session.keep(&[file("many.fz", MAX_ITEMS - 1), file("two.fz", 2), file("one.fz", 1)]);
    assert_eq!(items_and_errors(&session, "many.fz"), (MAX_ITEMS - 1, Vec::new()));
    assert_eq!(items_and_errors(&session, "two.fz"), (1, vec![more.to_owned()]));
    assert_eq!(items_and_errors(&session, "one.fz"), (0, vec![more.to_owned()]));

    // an edit keeps what the file had, and a removed file makes room
    session.set("two.fz", "zone b\nzone c\n");
    assert_eq!(items_and_errors(&session, "two.fz"), (1, vec![more.to_owned()]));
    session.remove("many.fz");
    session.set("two.fz", "zone b\nzone c\n");
    session.set("one.fz", "zone d\n");
    assert_eq!(items_and_errors(&session, "two.fz"), (2, Vec::new()));
    assert_eq!(items_and_errors(&session, "one.fz"), (1, Vec::new()));
}

/// The codes that a session reports.
fn codes(session: &mut Session) -> BTreeSet<&'static str> {
    session.check();
    session.problems(None).values().flatten().map(|problem| problem.code.code).collect()
}

/// Scenarios that repeat a named position of 900 effects, and one with an unknown word behind them.
fn repeating(scenarios: usize) -> String {
    let effects = "effect { draw 1 };  ".repeat(900);
    let mut text = format!("position p {{ A: {{ {effects} }} }}\n");
    for number in 0..scenarios {
        text.push_str(&format!("scenario \"s{number}\" from p {{ at A's turn.draw; expect life of A == 0 }}\n"));
    }
    text + "scenario \"last\" from p { at A's turn.draw; expect blurbs of A == 0 }\n"
}

#[test]
fn what_a_limit_of_the_game_left_out_is_checked_when_there_is_room_again() {
    let mut session = Session::default();
    session.set("tiny/pack.fz", include_str!("games/tiny.fz"));
    for _ in 0..2 {
        session.set("tiny/scenarios.fz", &repeating(80));
        assert!(codes(&mut session).contains("E0209"));
        session.set("tiny/scenarios.fz", &repeating(20));
        assert_eq!(codes(&mut session), BTreeSet::from(["E0201"]));
    }
}
