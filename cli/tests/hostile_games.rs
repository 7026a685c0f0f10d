//! Packs whose games would not end, or would fill the memory: each ends by the budget that its first line names (`// ends by: NAME`). It ends so from
//! its sources and from the compiled pack. The budgets count work, so nothing here measures time. A line that begins with `//× N ` stands for N copies
//! of the rest, in which `#` is the number of the copy, from 1 on, and `@` the number before it.

#![allow(clippy::unwrap_used, missing_docs, reason = "tests")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/hostile")
}

/// What the program prints when it runs the scenario of a pack.
fn output(arguments: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_fizzle")).args(arguments).output().unwrap();
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Writes the repetitions out.
fn expand(text: &str) -> String {
    let mut expanded = String::new();
    for line in text.split_inclusive('\n') {
        match line.strip_prefix("//× ").and_then(|rest| rest.split_once(' ')) {
            Some((count, rest)) => {
                let copy = |number: u32| rest.replace('#', &number.to_string()).replace('@', &(number - 1).to_string());
                expanded.extend((1..=count.parse().unwrap()).map(copy));
            }
            None => expanded.push_str(line),
        }
    }
    expanded
}

/// What is wrong with the games of a pack: they end by another budget, from the sources or from the compiled pack.
fn check(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).unwrap();
    let budget = text.lines().next().unwrap().strip_prefix("// ends by: ").unwrap();
    let expected = format!("it exceeded its budget of {budget}\n");
    let name = file.file_stem().unwrap().to_string_lossy();
    let temporary = std::env::temp_dir().join(format!("fizzle-hostile-{}-{name}", std::process::id()));
    fs::create_dir_all(&temporary).unwrap();
    let (compiled, source) = (temporary.join("pack.fzb"), temporary.join("pack.fz"));
    fs::write(&source, expand(&text)).unwrap();
    let (compiled, file) = (compiled.to_str().unwrap(), source.to_str().unwrap());
    let built = output(&["build", file, "-o", compiled]);
    let found = [("sources", output(&["test", file])), ("compiled", output(&["test", compiled, "--filter", "hostile"]))];
    fs::remove_dir_all(&temporary).unwrap();
    let wrong = found.into_iter().filter(|(_, found)| !found.contains(&expected));
    wrong.map(|(form, found)| format!("{name} ({form}): {found}{built}")).collect()
}

#[test]
fn hostile_games_end_by_their_budget() {
    let mut files: Vec<PathBuf> = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    assert!(!files.is_empty());
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let wrong: Vec<String> = std::thread::scope(|scope| {
        let shares: Vec<_> = (0..threads)
            .map(|share| {
                let files = files.iter().skip(share).step_by(threads);
                scope.spawn(move || files.flat_map(|file| check(file)).collect::<Vec<_>>())
            })
            .collect();
        shares.into_iter().flat_map(|share| share.join().unwrap()).collect()
    });
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
