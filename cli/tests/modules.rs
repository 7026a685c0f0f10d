//! The graph of modules of each crate: which modules depend on each other in a cycle.
//!
//! A module depends on another one if a path in it names that module or an item of it. A large cycle is one room, however many files it has, so
//! the largest cycle of each crate may only shrink: [`LARGEST_CYCLE`] is an exact figure. `FIZZLE_SHOW_MODULES=1` prints the cycles.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "tests")]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

/// The number of modules in the largest cycle of each crate.
const LARGEST_CYCLE: [(&str, usize); 8] = [
    ("grammar", 5),
    ("compiler", 4),
    ("runtime", 6),
    ("runtime/ir", 3),
    ("runtime/bots", 0),
    ("cli", 6),
    ("cli/lsp", 2),
    ("cli/results", 0),
];

type Graph = BTreeMap<String, BTreeSet<String>>;

fn rust_files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            rust_files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

/// The tokens of a source without comments, strings and its unit tests: names, `::`, and single other characters.
fn tokens(text: &str) -> Vec<String> {
    let text = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or("");
    let (mut tokens, mut rest) = (Vec::new(), text);
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if first == '"' {
            let end = rest[1..].char_indices().scan(false, |escaped, (at, c)| {
                let ends = c == '"' && !*escaped;
                *escaped = c == '\\' && !*escaped;
                Some((at, ends))
            });
            end.into_iter().find(|(_, ends)| *ends).map_or(rest.len(), |(at, _)| at + 2)
        } else if rest.starts_with("'\"'") || rest.starts_with("'\\''") {
            rest[1..].find('\'').map_or(rest.len(), |at| at + 2).max(3)
        } else if first.is_alphanumeric() || first == '_' {
            let length = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
            tokens.push(rest[..length].to_owned());
            length
        } else if rest.starts_with("::") {
            tokens.push("::".to_owned());
            2
        } else {
            if !first.is_whitespace() {
                tokens.push(first.to_string());
            }
            first.len_utf8()
        };
        rest = &rest[length..];
    }
    tokens
}

/// All paths from a token on, with the trees of `use` expanded; the number of the token behind them.
fn paths(tokens: &[String], mut at: usize, prefix: &[String], found: &mut Vec<Vec<String>>) -> usize {
    let mut path = prefix.to_vec();
    loop {
        match tokens.get(at).map(String::as_str) {
            Some("{") => {
                at += 1;
                while let Some(token) = tokens.get(at).filter(|token| *token != "}") {
                    at = if token == "," { at + 1 } else { paths(tokens, at, &path, found).max(at + 1) };
                }
                return at + 1;
            }
            Some(name) if name.chars().all(|c| c.is_alphanumeric() || c == '_') => path.push(name.to_owned()),
            _ => {
                found.push(path);
                return at;
            }
        }
        at += 1;
        if tokens.get(at).is_none_or(|token| token != "::") {
            found.push(path);
            return at;
        }
        at += 1;
    }
}

/// The modules of a crate with those that each depends on. Names are paths without `crate`.
fn module_graph(folder: &str) -> Graph {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(folder).join("src");
    let mut files = Vec::new();
    rust_files(&source, &mut files);
    let mut texts = BTreeMap::new();
    for file in files {
        let name =
            file.strip_prefix(&source).unwrap().with_extension("").to_string_lossy().replace(std::path::MAIN_SEPARATOR, "::");
        let name = if matches!(name.as_str(), "lib" | "main") { String::new() } else { name };
        if !name.split("::").any(|part| part == "tests" || part == "testing") {
            texts.insert(name, tokens(&fs::read_to_string(&file).unwrap()));
        }
    }
    let module_of =
        |path: &[String]| (1..=path.len()).rev().map(|length| path[..length].join("::")).find(|name| texts.contains_key(name));
    let mut graph = Graph::new();
    for (module, tokens) in &texts {
        let here: Vec<String> = module.split("::").filter(|part| !part.is_empty()).map(str::to_owned).collect();
        let child =
            |name: &str| texts.contains_key(&here.iter().map(String::as_str).chain([name]).collect::<Vec<_>>().join("::"));
        let mut dependencies = BTreeSet::new();
        let mut at = 0;
        while at < tokens.len() {
            let token = tokens[at].as_str();
            // The path of a visibility (`pub(in crate::text)`) is no dependency.
            let is_visibility = at >= 3 && tokens[at - 3..at] == ["pub", "(", "in"];
            let begins = !is_visibility && (at == 0 || tokens[at - 1] != "::");
            let leads_on = tokens.get(at + 1).is_some_and(|next| next == "::");
            if !begins || !leads_on || !(matches!(token, "crate" | "super" | "self") || child(token)) {
                at += 1;
                continue;
            }
            let mut found = Vec::new();
            at = paths(tokens, at, &[], &mut found).max(at + 1);
            for path in found {
                let mut base = if path[0] == "crate" { Vec::new() } else { here.clone() };
                for part in &path {
                    match part.as_str() {
                        "crate" | "self" => {}
                        "super" => {
                            base.pop();
                        }
                        name => base.push(name.to_owned()),
                    }
                }
                dependencies.extend(module_of(&base).filter(|name| name != module));
            }
        }
        graph.insert(module.clone(), dependencies);
    }
    graph
}

/// All modules that a module leads to.
fn reachable<'g>(graph: &'g Graph, from: &str) -> BTreeSet<&'g str> {
    let mut reached = BTreeSet::new();
    let mut open = vec![from];
    while let Some(module) = open.pop() {
        for next in graph.get(module).into_iter().flatten() {
            if reached.insert(next.as_str()) {
                open.push(next);
            }
        }
    }
    reached
}

/// The cycles of a graph, the largest first: modules that lead to each other.
fn cycles(graph: &Graph) -> Vec<BTreeSet<&str>> {
    let reach: BTreeMap<&str, BTreeSet<&str>> = graph.keys().map(|module| (module.as_str(), reachable(graph, module))).collect();
    let mut cycles: BTreeSet<BTreeSet<&str>> = BTreeSet::new();
    for (module, reached) in &reach {
        if reached.contains(module) {
            cycles.insert(reached.iter().copied().filter(|other| reach[other].contains(module)).collect());
        }
    }
    let mut cycles: Vec<_> = cycles.into_iter().collect();
    cycles.sort_by_key(|cycle| std::cmp::Reverse(cycle.len()));
    cycles
}

#[test]
fn cycles_are_found() {
    let graph = [("a", vec!["b"]), ("b", vec!["c", "d"]), ("c", vec!["a"]), ("d", vec![])]
        .map(|(module, next)| (module.to_owned(), next.into_iter().map(str::to_owned).collect()));
    assert_eq!(cycles(&Graph::from(graph)), [BTreeSet::from(["a", "b", "c"])]);
}

#[test]
fn paths_of_use_trees_are_expanded() {
    let mut found = Vec::new();
    paths(&tokens("crate::a::{self, b::{C, d::E}, F};"), 0, &[], &mut found);
    let found: Vec<String> = found.iter().map(|path| path.join("::")).collect();
    assert_eq!(found, ["crate::a::self", "crate::a::b::C", "crate::a::b::d::E", "crate::a::F"]);
}

#[test]
fn cycles_of_modules_do_not_grow() {
    let mut report = Vec::new();
    for (folder, largest) in LARGEST_CYCLE {
        let graph = module_graph(folder);
        let cycles = cycles(&graph);
        if std::env::var_os("FIZZLE_SHOW_MODULES").is_some() {
            for cycle in &cycles {
                println!("{folder}: {} modules: {}", cycle.len(), cycle.iter().copied().collect::<Vec<_>>().join(", "));
            }
        }
        let found = cycles.first().map_or(0, BTreeSet::len);
        if found != largest {
            report.push(format!("{folder}: the largest cycle has {found} modules, `LARGEST_CYCLE` says {largest}"));
        }
    }
    assert!(report.is_empty(), "{}", report.join("\n"));
}
