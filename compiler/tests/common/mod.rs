//! What the tests share.
#![allow(dead_code, reason = "each test file uses a part of it")]

use fizzle_compiler::diagnostics::render::render;
use fizzle_compiler::{Compilation, SourceFile, compile};

/// Compiles the text of one pack.
pub fn compile_one(text: &str) -> Compilation {
    compile_files(&[("game/pack.fz", text)])
}

/// Compiles files.
pub fn compile_files(files: &[(&str, &str)]) -> Compilation {
    compile(files.iter().map(|(path, text)| SourceFile { path: (*path).to_owned(), text: (*text).to_owned() }).collect())
}

/// All problems, as the user sees them.
pub fn problems(compilation: &Compilation) -> String {
    compilation.diagnostics.iter().map(|problem| render(problem, &compilation.sources, false)).collect()
}

/// `CODE line:column message` of all problems.
pub fn told(compilation: &Compilation) -> Vec<String> {
    compilation
        .diagnostics
        .iter()
        .map(|problem| {
            let place = compilation.sources.place(problem.span.file, problem.span.start);
            format!("{} {}:{} {}", problem.code.code, place.line, place.column, problem.message)
        })
        .collect()
}
