//! Golden diagnostics. Each file of `ui/` marks what it expects: `//~ CODE text` on its own line, `//~^ CODE text` on the line above (one
//! more `^` per line up). The rendered messages of a file are next to it, in `NAME.stderr`; `BLESS=1` writes them.

#![allow(clippy::disallowed_methods, reason = "a test reads its files")]

mod common;

use common::{compile_example, problems};
use fizzle_compiler::diagnostics::CODES;
use fizzle_compiler::{Compilation, SourceFile, compile};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// A diagnostic that a file expects: file, line, code, a part of the message.
type Expected = (u32, u32, String, String);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui")
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> =
        fs::read_dir(folder).expect("the folder exists").map(|entry| entry.expect("the entry can be read").path()).collect();
    found.sort();
    found
}

/// The wrong sources, topic by topic.
fn cases() -> Vec<PathBuf> {
    let files = sorted(&folder()).iter().flat_map(|topic| sorted(topic)).collect::<Vec<_>>();
    files.into_iter().filter(|path| path.extension().is_some_and(|kind| kind == "fz")).collect()
}

/// The messages that have no source.
fn goldens_without_source() -> Vec<PathBuf> {
    let files = sorted(&folder()).iter().flat_map(|topic| sorted(topic)).collect::<Vec<_>>();
    files.into_iter().filter(|path| !path.with_extension("fz").exists()).collect()
}

fn marks(compilation: &Compilation) -> Vec<Expected> {
    let mut found = Vec::new();
    for file in 0..compilation.sources.len() as u32 {
        for (number, line) in compilation.sources.text(file).lines().enumerate() {
            for mark in line.split("//~").skip(1) {
                let up = mark.chars().take_while(|c| *c == '^').count();
                let (code, text) = mark[up..].trim().split_once(' ').unwrap_or((mark[up..].trim(), ""));
                found.push((file, (number + 1 - up) as u32, code.to_owned(), text.trim().to_owned()));
            }
        }
    }
    found
}

/// The expected diagnostics that are missing, and the reported ones that are not expected.
fn mismatches(compilation: &Compilation) -> String {
    let mut open = marks(compilation);
    let mut wrong = String::new();
    for problem in &compilation.diagnostics {
        let line = compilation.sources.place(problem.span.file, problem.span.start).line;
        let fits = |(file, at, code, text): &Expected| {
            (*file, *at, code.as_str()) == (problem.span.file, line, problem.code.code) && problem.message.contains(text.as_str())
        };
        match open.iter().position(fits) {
            Some(index) => drop(open.remove(index)),
            None => wrong.push_str(&format!("  not expected: line {line}: {} {}\n", problem.code.code, problem.message)),
        }
    }
    for (_, line, code, text) in open {
        wrong.push_str(&format!("  not reported: line {line}: {code} {text}\n"));
    }
    wrong
}

#[test]
fn wrong_sources_give_the_expected_diagnostics() {
    let (mut wrong, mut codes) = (String::new(), BTreeSet::new());
    for path in cases() {
        let name = path.strip_prefix(folder()).expect("the path is inside the folder").display().to_string();
        let compilation = compile_example(&fs::read_to_string(&path).expect("the file is UTF-8"));
        codes.extend(compilation.diagnostics.iter().map(|problem| problem.code.code));
        let found = mismatches(&compilation);
        if !found.is_empty() {
            wrong.push_str(&format!("{name}\n{found}"));
        }
        let (golden, messages) = (path.with_extension("stderr"), problems(&compilation));
        if std::env::var_os("BLESS").is_some() {
            fs::write(&golden, &messages).expect("the golden file can be written");
        } else if fs::read_to_string(&golden).ok().as_ref() != Some(&messages) {
            wrong.push_str(&format!("{}: messages have changed; review them, then set BLESS=1\n", golden.display()));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert_eq!(goldens_without_source(), Vec::<PathBuf>::new(), "messages of a source that is not there");
    let missing: Vec<&str> = CODES.iter().map(|code| code.code).filter(|code| !codes.contains(code)).collect();
    assert!(missing.is_empty(), "no file provokes {missing:?}");
}

/// How often each diagnostic occurs: its code, its message, its file and its line.
fn occurrences(compilation: &Compilation) -> BTreeMap<(&str, String, u32, u32), usize> {
    let mut counts = BTreeMap::new();
    for problem in &compilation.diagnostics {
        let line = compilation.sources.place(problem.span.file, problem.span.start).line;
        *counts.entry((problem.code.code, problem.message.clone(), problem.span.file, line)).or_default() += 1;
    }
    counts
}

/// A fix that an editor applies removes the diagnostic that has it.
#[test]
fn fixes_remove_their_diagnostics() {
    let (mut wrong, mut fixes) = (String::new(), 0);
    for path in cases() {
        let before = compile_example(&fs::read_to_string(&path).expect("the file is UTF-8"));
        let known = occurrences(&before);
        for problem in &before.diagnostics {
            let line = before.sources.place(problem.span.file, problem.span.start).line;
            let key = (problem.code.code, problem.message.clone(), problem.span.file, line);
            for fix in &problem.fixes {
                fixes += 1;
                let Some((start, end)) = fix.bytes(before.sources.slice(fix.span)) else {
                    wrong.push_str(&format!("{}: line {line}: the word of the fix is not there\n", path.display()));
                    continue;
                };
                let files = (0..before.sources.len() as u32).map(|file| {
                    let mut text = before.sources.text(file).to_owned();
                    if file == fix.span.file {
                        text.replace_range(start as usize..end as usize, &fix.with);
                    }
                    SourceFile { path: before.sources.path(file).to_owned(), text }
                });
                let after = compile(files.collect());
                if occurrences(&after).get(&key) >= known.get(&key) {
                    wrong.push_str(&format!("{}: line {line}: `{}` stays: {}\n", path.display(), fix.with, problem.message));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(fixes >= 60, "{fixes} fixes");
}

/// Messages do not expose the compiler (names of grammar rules, types or variants), and each has a suggestion.
#[test]
fn messages_do_not_expose_the_compiler() {
    for path in cases() {
        for problem in compile_example(&fs::read_to_string(&path).expect("the file is UTF-8")).diagnostics {
            assert!(!problem.help.is_empty(), "{}: no suggestion for: {}", path.display(), problem.message);
            let texts =
                [&problem.message, &problem.label].into_iter().chain(&problem.help).chain(problem.labels.iter().map(|l| &l.1));
            for text in texts {
                // Quoted text belongs to the user or the language.
                let own: String = text.split('`').step_by(2).collect::<Vec<_>>().join(" ");
                let inside = ["::", "k_", "Some(", "None", "Rule", "Token", "Expr", "_post", "Span {", "Type::"];
                assert!(!inside.iter().any(|word| own.contains(word)), "{}: {text}", path.display());
                assert!(!text.ends_with('.') || text.ends_with("…"), "{}: {text}", path.display());
            }
        }
    }
}
