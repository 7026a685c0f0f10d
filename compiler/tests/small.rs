//! A small game of its own, compiled whole.

use fizzle_compiler::diagnostics::render::render;
use fizzle_compiler::{Compilation, SourceFile, compile};

fn small() -> Compilation {
    let text = include_str!("games/small.fz").to_owned();
    compile(vec![SourceFile { path: "small/pack.fz".to_owned(), text }])
}

fn problems(compilation: &Compilation) -> String {
    compilation.diagnostics.iter().map(|d| render(d, &compilation.sources, false)).collect()
}

#[test]
fn compiles() {
    let compilation = small();
    assert!(compilation.artifact.is_some(), "{}", problems(&compilation));
    assert!(compilation.diagnostics.is_empty(), "{}", problems(&compilation));
}
