//! Prints diagnostics and code of the packs given.
#![allow(clippy::disallowed_methods, clippy::print_stdout, clippy::print_stderr, clippy::unwrap_used)]
use fizzle_compiler::{SourceFile, compile, diagnostics::render::render};
fn walk(path: &std::path::Path, files: &mut Vec<SourceFile>) {
    if path.is_dir() {
        let mut all: Vec<_> = std::fs::read_dir(path).unwrap().map(|e| e.unwrap().path()).collect();
        all.sort();
        for p in all { walk(&p, files); }
    } else if path.extension().is_some_and(|e| e == "fz") {
        files.push(SourceFile { path: path.to_string_lossy().into_owned(), text: std::fs::read_to_string(path).unwrap() });
    }
}
fn main() {
    let mut files = Vec::new();
    let mut dump = false;
    let mut test: Option<String> = None;
    for arg in std::env::args().skip(1) {
        if arg == "--dump" { dump = true; continue; }
        if let Some(filter) = arg.strip_prefix("--test") { test = Some(filter.trim_start_matches('=').to_owned()); continue; }
        walk(std::path::Path::new(&arg), &mut files);
    }
    let start = std::time::Instant::now();
    let c = compile(files);
    eprintln!("{:?}", start.elapsed());
    for d in &c.diagnostics { eprintln!("{}", render(d, &c.sources, false)); }
    eprintln!("{} problems", c.diagnostics.len());
    if let Some(artifact) = &c.artifact {
        if let Err(e) = fizzle_runtime::verify::verify(artifact) { eprintln!("UNSOUND {e}"); }
        for game in &artifact.games {
            eprintln!("{}: {} functions, {} sites, {} definitions, {} formats, {} scenarios, {} units", game.name, game.library.functions.len(), game.library.sites.len(), game.library.definitions.len(), game.formats.len(), game.scenarios.len(), game.formats[0].units.len());
            if let Some(filter) = &test {
                let runner = fizzle_runtime::scenario::Runner::new(game);
                let mut passed = 0;
                for scenario in &game.scenarios {
                    if !scenario.title.contains(filter.as_str()) { continue; }
                    match std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| runner.run(scenario, false))) {
                        Ok(Ok(())) => passed += 1,
                        Ok(Err(f)) => eprintln!("FAILED {} ({}:{}): {}", scenario.title, game.library.files[f.source.file as usize], f.source.line, f.message),
                        Err(_) => eprintln!("PANIC {}", scenario.title),
                    }
                }
                eprintln!("{passed} of {} passed", game.scenarios.len());
            }
            if dump {
                for (i, f) in game.library.functions.iter().enumerate() {
                    println!("fn {i} `{}` params {} -> {:?}", f.name, f.params, f.result);
                    println!("   {:?}", f.registers);
                    for (k, op) in f.ops.iter().enumerate() { println!("   {k:3} {op:?}   @{}", f.sources[k].line); }
                }
                for (i, s) in game.library.sites.iter().enumerate() { println!("site {i} {s:?}"); }
                for (i, a) in game.library.abilities.iter().enumerate() { println!("ability {i} {a:?}"); }
                for (i, a) in game.library.mods.iter().enumerate() { println!("mod {i} {a:?}"); }
                for (i, a) in game.library.definitions.iter().enumerate() { println!("def {i} {a:?}"); }
                for f in &game.formats { println!("{f:#?}"); }
                println!("{:#?}", game.scenarios);
            }
        }
    }
}
