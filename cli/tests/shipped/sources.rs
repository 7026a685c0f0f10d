//! The sources of the shipped packs, for tests and benchmarks.

use fizzle_compiler::SourceFile;
use std::path::Path;

/// All source files below `cards/`, sorted by path.
pub fn sources() -> Vec<SourceFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let mut files = Vec::new();
    collect(&root.join("cards"), root, &mut files);
    files
}

fn collect(folder: &Path, root: &Path, files: &mut Vec<SourceFile>) {
    let mut entries: Vec<_> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            collect(&path, root, files);
        } else if path.extension().is_some_and(|e| e == "fz") {
            let name = path.strip_prefix(root).unwrap().to_string_lossy().replace('\\', "/");
            files.push(SourceFile { path: name, text: std::fs::read_to_string(&path).unwrap() });
        }
    }
}
