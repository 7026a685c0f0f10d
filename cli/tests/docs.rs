//! Every code block of every Markdown page is compiled or run.
//!
//! - `` ```fz GAME `` — source of a pack that extends GAME: checked, formatted, and its scenarios run.
//! - `` ```fz fragment `` — items shown alone: they must parse.
//! - `` ```sh `` — command lines; those that begin with `cargo run` or `fizzle` are run in the project's root and must succeed.
//! - `` ```text `` and `` ```rust,ignore `` — not code of the language: diagrams, schemas, excerpts.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

struct Block {
    page: PathBuf,
    line: usize,
    info: String,
    text: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

fn pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.') && name != "target" {
                pages(&path, found);
            }
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
    found.sort();
}

fn blocks() -> Vec<Block> {
    let mut found = Vec::new();
    pages(&root(), &mut found);
    let mut all = Vec::new();
    for page in found {
        let text = fs::read_to_string(&page).unwrap();
        let mut open: Option<Block> = None;
        for (number, line) in text.lines().enumerate() {
            if let Some(info) = line.trim_start().strip_prefix("```") {
                match open.take() {
                    Some(block) => all.push(block),
                    None => {
                        open = Some(Block {
                            page: page.clone(),
                            line: number + 1,
                            info: info.trim().to_owned(),
                            text: String::new(),
                        });
                    }
                }
            } else if let Some(block) = &mut open {
                block.text.push_str(line);
                block.text.push('\n');
            }
        }
        assert!(open.is_none(), "{}: a code block is not closed", page.display());
    }
    all
}

fn place(block: &Block) -> String {
    format!("{}:{}", block.page.strip_prefix(root()).unwrap().display(), block.line)
}

fn fizzle(args: &[&str], folder: &Path) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_fizzle")).args(args).current_dir(folder).output().unwrap()
}

#[test]
fn every_block_says_what_it_is() {
    for block in blocks() {
        let first = block.info.split([' ', ',']).next().unwrap_or("");
        assert!(["fz", "sh", "text", "rust"].contains(&first), "{}: a block marked `{}`", place(&block), block.info);
        assert!(first != "rust" || block.info == "rust,ignore", "{}: put Rust examples into examples/", place(&block));
    }
}

#[test]
fn source_blocks_compile_and_their_scenarios_pass() {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("docs");
    for (number, block) in blocks().iter().enumerate() {
        let Some(game) = block.info.strip_prefix("fz ") else { continue };
        if game == "fragment" {
            let parsed = fizzle_grammar::parse_file(0, &block.text);
            assert!(parsed.errors.is_empty(), "{}: {:?}", place(block), parsed.errors);
            continue;
        }
        let folder = scratch.join(format!("page{number}"));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("pack.fz"), format!("pack page{number} {{\n  edition 1\n  extends {game}\n}}\n")).unwrap();
        fs::write(folder.join("block.fz"), &block.text).unwrap();
        for command in [&["check", "."][..], &["fmt", "--check", "."], &["test", "."]] {
            let output = fizzle(command, &folder);
            assert!(output.status.success(), "{}: fizzle {command:?}\n{}", place(block), String::from_utf8_lossy(&output.stderr));
        }
    }
}

#[test]
fn command_lines_run() {
    for block in blocks().iter().filter(|b| b.info == "sh") {
        for line in block.text.lines() {
            let command = line.strip_prefix("cargo run --release -- ").or_else(|| line.strip_prefix("fizzle "));
            let Some(command) = command else { continue };
            let command = command.split(" #").next().unwrap_or(command);
            let words: Vec<&str> = command.split_whitespace().collect();
            let output = fizzle(&words, &root());
            assert!(output.status.success(), "{}: {line}\n{}", place(block), String::from_utf8_lossy(&output.stderr));
        }
    }
}
