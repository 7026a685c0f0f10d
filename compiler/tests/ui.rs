//! Wrong sources and what is said about them. Each file of `ui/` marks what it expects: `//~ CODE text` tells of its own line, `//~^ CODE text`
//! of the line above (one more `^`, one more line up). All messages as people see them stand in `ui/*.stderr`: `BLESS=1` writes them.

#![allow(clippy::disallowed_methods, reason = "a test reads its files")]

mod common;

use common::{compile_example, problems};
use fizzle_compiler::Compilation;
use fizzle_compiler::diagnostics::CODES;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// A problem that a file announces: file, line, code, a part of the message.
type Expected = (u32, u32, String, String);

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/ui")
}

fn sorted(folder: &Path) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    found.sort();
    found
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

/// What is announced and not told, and what is told and not announced.
fn compare(compilation: &Compilation) -> String {
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
        wrong.push_str(&format!("  not told: line {line}: {code} {text}\n"));
    }
    wrong
}

#[test]
fn wrong_sources_are_told_as_expected() {
    let (mut wrong, mut codes, mut files) = (String::new(), BTreeSet::new(), 0);
    for topic in sorted(&folder()).into_iter().filter(|path| path.is_dir()) {
        let mut golden = String::new();
        for path in sorted(&topic) {
            files += 1;
            let name = path.strip_prefix(folder()).expect("inside").display().to_string();
            let compilation = compile_example(&fs::read_to_string(&path).expect("UTF-8"));
            codes.extend(compilation.diagnostics.iter().map(|problem| problem.code.code));
            let found = compare(&compilation);
            if !found.is_empty() {
                wrong.push_str(&format!("{name}\n{found}"));
            }
            golden.push_str(&format!("==== {name}\n\n{}\n", problems(&compilation)));
        }
        let file = topic.with_extension("stderr");
        if std::env::var_os("BLESS").is_some() {
            fs::write(&file, &golden).expect("written");
        } else if fs::read_to_string(&file).unwrap_or_default() != golden {
            wrong.push_str(&format!("{}: messages have changed: read them, then BLESS=1\n", file.display()));
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
    assert!(files >= 150, "{files} files");
    let missing: Vec<&str> = CODES.iter().map(|code| code.code).filter(|code| !codes.contains(code)).collect();
    assert!(missing.is_empty(), "no file has {missing:?}");
}

/// No message shows the inside of the compiler: names of grammar rules, of types, of variants. Each says a way out.
#[test]
fn messages_speak_of_the_language_alone() {
    for topic in sorted(&folder()).into_iter().filter(|path| path.is_dir()) {
        for path in sorted(&topic) {
            for problem in compile_example(&fs::read_to_string(&path).expect("UTF-8")).diagnostics {
                assert!(!problem.help.is_empty(), "{}: no way out of: {}", path.display(), problem.message);
                let said = [&problem.message, &problem.label]
                    .into_iter()
                    .chain(&problem.help)
                    .chain(problem.labels.iter().map(|l| &l.1));
                for text in said {
                    // What is quoted is the user's or the language's.
                    let own: String = text.split('`').step_by(2).collect::<Vec<_>>().join(" ");
                    let inside = ["::", "k_", "Some(", "None", "Rule", "Token", "Expr", "_post", "Span {", "Type::"];
                    assert!(!inside.iter().any(|word| own.contains(word)), "{}: {text}", path.display());
                    assert!(!text.ends_with('.') || text.ends_with("…"), "{}: {text}", path.display());
                }
            }
        }
    }
}
