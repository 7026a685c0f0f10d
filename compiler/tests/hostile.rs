//! Hostile packs: each file of `hostile/` extends Duel Masters, and must be refused or compiled within a bound of allocated bytes.
//!
//! The first line of a file is `// CODES; N MB`: the codes that are reported, all of them, or `ok`; and the maximum number of bytes that are allocated
//! beyond those of Duel Masters alone: to compile it with its rules texts, to check it in a session as editors do, and to format it. In the text `⟦N×TEXT⟧` stands for N copies of TEXT. A line that begins with `//× N ` stands for N
//! copies of the rest, in which `#` is the number of the copy, from 1 on, and `@` the number before it.
//!
//! `HOSTILE=NAME` tests one file, and `HOSTILE_FIGURES=1` prints what each allocates.

#![allow(clippy::disallowed_methods, clippy::print_stderr, reason = "a test reads its files, and prints figures")]

mod common;
#[path = "common/measure.rs"]
mod measure;

use fizzle_compiler::SourceFile;
use fizzle_compiler::diagnostics::render::render;
use fizzle_compiler::session::Session;
use measure::{allocated, measure_with};
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The longest that rendered messages may be, in bytes for each diagnostic.
const MAX_MESSAGE_BYTES: usize = 20_000;

/// The most megabytes that exist at one time while a file is compiled with Duel Masters, so that nothing keeps what is only counted.
const MAX_PEAK_MB: u64 = 300;

/// The number of diagnostics that are rendered.
const RENDERED: usize = 200;

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join(name)
}

/// Writes the repetitions out.
fn expand(text: &str) -> String {
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("//× ").and_then(|rest| rest.split_once(' ')) {
            Some((count, rest)) => {
                for number in 1..=count.parse::<u32>().expect("a number of copies") {
                    out.push_str(&copies(rest).replace('#', &number.to_string()).replace('@', &(number - 1).to_string()));
                }
            }
            None => out.push_str(&copies(line)),
        }
    }
    out
}

/// Writes `⟦N×TEXT⟧` out; repetitions nest.
fn copies(text: &str) -> String {
    let Some(end) = text.find('⟧') else { return text.to_owned() };
    let start = text[..end].rfind('⟦').expect("an opening bracket");
    let inner = &text[start + '⟦'.len_utf8()..end];
    let (count, inner) = inner.split_once('×').expect("a number of copies");
    let inner = inner.replace("\\n", "\n").repeat(count.parse().expect("a number"));
    copies(&format!("{}{inner}{}", &text[..start], &text[end + '⟧'.len_utf8()..]))
}

/// Checks files in a session. Returns the codes that it reports.
fn check_in_session(files: &[SourceFile]) -> BTreeSet<&'static str> {
    let mut session = Session::default();
    session.keep(files);
    session.check();
    session.problems(None).values().flatten().map(|problem| problem.code.code).collect()
}

/// The tests share the files, so that they run in parallel.
const SHARES: usize = 4;

#[test]
fn hostile_packs_are_bounded() {
    check(0);
}

#[test]
fn hostile_packs_of_the_second_share_are_bounded() {
    check(1);
}

#[test]
fn hostile_packs_of_the_third_share_are_bounded() {
    check(2);
}

#[test]
fn hostile_packs_of_the_last_share_are_bounded() {
    check(3);
}

/// Checks each fourth file, from this one on.
fn check(share: usize) {
    let mut game = Vec::new();
    common::sources_below(&folder("../cards/duel_masters"), "duel_masters", &mut game);
    // Without its scenarios, which would take half of the time.
    game.retain(|file| !file.path.contains("/scenarios/"));
    let base = measure_with(game.clone(), true).bytes;
    let session_base = allocated(|| drop(check_in_session(&game)));
    let only = std::env::var("HOSTILE").unwrap_or_default();
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder("tests/hostile")).expect("the folder exists").map(|entry| entry.expect("an entry").path()).collect();
    files.sort();
    let mut wrong = String::new();
    for path in files.into_iter().skip(share).step_by(SHARES) {
        let name = path.file_stem().expect("a name").to_string_lossy().into_owned();
        if !only.is_empty() && name != only {
            continue;
        }
        let text = fs::read_to_string(&path).expect("the file can be read");
        let (first, rest) = text.split_once('\n').expect("two lines");
        let (codes, megabytes) = first.trim_start_matches("// ").split_once("; ").expect("codes; N MB");
        let bound: u64 = megabytes.trim_end_matches(" MB").parse().expect("a number");
        let expected: BTreeSet<&str> = codes.split(' ').filter(|code| *code != "ok").collect();
        let mut all = game.clone();
        all.push(SourceFile {
            path: "hostile/pack.fz".to_owned(),
            text: format!("pack hostile {{ edition 2; extends duel_masters }}\n{}", expand(rest)),
        });
        let size = all.last().map_or(0, |file| file.text.len());
        let hostile = all.last().map_or(String::new(), |file| file.text.clone());
        let formatting = allocated(|| drop(fizzle_grammar::format(&hostile)));
        let session = allocated(|| drop(check_in_session(&all)));
        let measured = measure_with(all, true);
        let found: BTreeSet<&str> = measured.compilation.diagnostics.iter().map(|problem| problem.code.code).collect();
        let megabytes_beyond = |bytes: u64, base: u64| bytes.saturating_sub(base) >> 20;
        let figures = [megabytes_beyond(measured.bytes, base), megabytes_beyond(session, session_base), formatting >> 20];
        let bytes = figures.into_iter().max().unwrap_or(0);
        if std::env::var_os("HOSTILE_FIGURES").is_some() {
            let first = measured.compilation.diagnostics.first().map_or("", |problem| problem.message.as_str());
            let first: String = first.chars().take(120).collect();
            eprintln!("{name:20} {size:8} B {bytes:5} MB of {figures:?} peak {:5} MB {found:?} {first}", measured.peak >> 20);
        }
        if found != expected {
            wrong.push_str(&format!("{name}: reported {found:?}, not {expected:?}\n"));
        }
        if bytes > bound {
            wrong.push_str(&format!("{name}: allocated {bytes} MB, not at most {bound}\n"));
        }
        if measured.peak >> 20 > MAX_PEAK_MB {
            wrong.push_str(&format!("{name}: {} MB exist at one time, not at most {MAX_PEAK_MB}\n", measured.peak >> 20));
        }
        for problem in measured.compilation.diagnostics.iter().take(RENDERED) {
            let length = render(problem, &measured.compilation.sources, false).len();
            if length > MAX_MESSAGE_BYTES {
                wrong.push_str(&format!("{name}: a message of {length} bytes: {}\n", problem.code.code));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}
