//! Prints the compiled tables of packs, for work on the compiler: `dump PATH... [--code] [--test[=TITLE]]`.
#![expect(clippy::disallowed_methods, clippy::print_stdout, reason = "a command-line tool, not a part of the compiler")]

use fizzle_compiler::diagnostics::render::render;
use fizzle_compiler::{SourceFile, compile};
use fizzle_ir::CompiledGame;
use fizzle_runtime::scenario::ScenarioRunner;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let (mut files, mut code, mut test) = (Vec::new(), false, None);
    for arg in std::env::args().skip(1) {
        match (arg.as_str(), arg.strip_prefix("--test")) {
            ("--code", _) => code = true,
            (_, Some(title)) => test = Some(title.trim_start_matches('=').to_owned()),
            _ => collect(Path::new(&arg), &mut files)?,
        }
    }
    let compilation = compile(files);
    for problem in &compilation.diagnostics {
        println!("{}", render(problem, &compilation.sources, false));
    }
    let Some(artifact) = &compilation.artifact else { return Ok(()) };
    if let Err(problem) = fizzle_ir::verify::verify(artifact) {
        println!("not sound: {problem}");
    }
    for game in &artifact.games {
        let library = &game.library;
        println!(
            "{}: {} cards, {} functions, {} sites, {} abilities, {} formats, {} scenarios",
            game.name,
            library.definitions.len(),
            library.functions.len(),
            library.sites.len(),
            library.abilities.len(),
            game.formats.len(),
            game.scenarios.len()
        );
        if let Some(title) = &test {
            run(game, title);
        }
        if code {
            print(game);
        }
    }
    Ok(())
}

fn collect(path: &Path, files: &mut Vec<SourceFile>) -> std::io::Result<()> {
    if path.is_dir() {
        let mut entries = std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
        entries.sort();
        for entry in entries {
            collect(&entry, files)?;
        }
    } else if path.extension().is_some_and(|extension| extension == "fz") {
        files.push(SourceFile { path: path.to_string_lossy().into_owned(), text: std::fs::read_to_string(path)? });
    }
    Ok(())
}

fn run(game: &CompiledGame, title: &str) {
    let runner = ScenarioRunner::new(game);
    let chosen: Vec<_> = game.scenarios.iter().filter(|scenario| scenario.title.contains(title)).collect();
    let mut passed = 0;
    for scenario in &chosen {
        match runner.run(scenario, false) {
            Ok(()) => passed += 1,
            Err(failure) => {
                let file = game.library.files.get(failure.source.file as usize).map_or("", String::as_str);
                println!("failed: {} ({file}:{}): {}", scenario.title, failure.source.line, failure.message);
            }
        }
    }
    println!("{passed} of {} scenarios passed", chosen.len());
}

fn print(game: &CompiledGame) {
    let library = &game.library;
    for (number, function) in library.functions.numbered() {
        println!("function {number} `{}`: {} parameters, result {:?}", function.name, function.params, function.result);
        println!("    {:?}", function.registers);
        for (number, (op, source)) in function.ops.iter().zip(&function.sources).enumerate() {
            println!("    {number:3} {op:?}   line {}", source.line);
        }
    }
    for (number, site) in library.sites.numbered() {
        println!("site {number} {site:?}");
    }
    for (number, ability) in library.abilities.numbered() {
        println!("ability {number} {ability:?}");
    }
    for (number, change) in library.modifications.numbered() {
        println!("mod {number} {change:?}");
    }
    for (number, definition) in library.definitions.numbered() {
        println!("definition {number} {definition:?}");
    }
    for format in &game.formats {
        println!("{format:#?}");
    }
}
