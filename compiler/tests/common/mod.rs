//! Helpers of the compiler's integration tests.
#![allow(dead_code, reason = "each test file uses some of the helpers")]

use fizzle_compiler::diagnostics::render::render;
use fizzle_compiler::{Compilation, SourceFile, compile};
use std::fs;
use std::path::{Path, PathBuf};

/// All sources below a folder, in the order of their paths.
#[allow(clippy::disallowed_methods, reason = "a test reads its files")]
pub fn sources_below(folder: &Path, prefix: &str, found: &mut Vec<SourceFile>) {
    let mut entries: Vec<PathBuf> =
        fs::read_dir(folder).expect("the folder exists").map(|entry| entry.expect("an entry").path()).collect();
    entries.sort();
    for path in entries {
        let name = format!("{prefix}/{}", path.file_name().expect("a name").to_string_lossy());
        if path.is_dir() {
            sources_below(&path, &name, found);
        } else if name.ends_with(".fz") {
            found.push(SourceFile { path: name, text: fs::read_to_string(&path).expect("the file can be read") });
        }
    }
}

/// Compiles the text of one pack.
pub fn compile_one(text: &str) -> Compilation {
    compile_files(&[("game/pack.fz", text)])
}

/// Compiles files, given as path and text.
pub fn compile_files(files: &[(&str, &str)]) -> Compilation {
    compile(files.iter().map(|(path, text)| SourceFile { path: (*path).to_owned(), text: (*text).to_owned() }).collect())
}

/// All diagnostics, rendered as users see them.
pub fn problems(compilation: &Compilation) -> String {
    compilation.diagnostics.iter().map(|problem| render(problem, &compilation.sources, false)).collect()
}

/// `CODE line:column message` of all diagnostics.
pub fn summaries(compilation: &Compilation) -> Vec<String> {
    compilation
        .diagnostics
        .iter()
        .map(|problem| {
            let place = compilation.sources.place(problem.span.file, problem.span.start);
            format!("{} {}:{} {}", problem.code.code, place.line, place.column, problem.message)
        })
        .collect()
}

/// A small game that examples extend.
pub const TINY: &str = include_str!("../games/tiny.fz");

/// Compiles an example: items of the small game, a pack that extends it, or several files, each after a line `// FILE.fz`.
pub fn compile_example(text: &str) -> Compilation {
    let mut files = vec![("tiny/pack.fz".to_owned(), TINY.to_owned())];
    let first = if text.starts_with("pack ") { "own/pack.fz" } else { "tiny/example.fz" };
    let named = |line: &str| line.strip_prefix("// ").filter(|name| name.ends_with(".fz")).map(str::to_owned);
    for line in text.split_inclusive('\n') {
        match named(line.trim_end()) {
            Some(name) => files.push((name, String::new())),
            None if files.len() == 1 => files.push((first.to_owned(), line.to_owned())),
            None => files.last_mut().expect("the game is the first file").1.push_str(line),
        }
    }
    compile(files.into_iter().map(|(path, text)| SourceFile { path, text }).collect())
}
