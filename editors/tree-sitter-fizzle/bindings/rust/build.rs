//! Compiles the generated parser.

use std::path::Path;

fn main() {
    let source = Path::new("src");
    let parser = source.join("parser.c");
    println!("cargo:rerun-if-changed={}", parser.display());
    // Almost all of the file is tables; optimisation gains little, and what it costs is paid at every clean build.
    cc::Build::new().std("c11").include(source).file(&parser).opt_level(1).warnings(false).compile("tree-sitter-fizzle");
}
