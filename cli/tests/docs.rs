//! Every code block of every Markdown page is compiled or run.
//!
//! - `` ```fz GAME `` — source of a pack that extends GAME: checked, formatted, and its scenarios run. Such blocks of one page are files of one pack.
//! - `` ```fz GAME wrong `` — the same on its own, and it must not compile; `` fails ``: a scenario of it must fail. `` ```text said `` is part of
//!   what was said then.
//! - `` ```fz fragment `` — items shown alone: they must parse.
//! - `` ```fz quote FILE `` — lines of a file of this project, apart from white space; a line `// …` stands for what is left out.
//! - `` ```fz house N PACK/FILE `` — step N of a page that builds a pack: see `a_house_format_is_built_step_by_step`.
//! - `` ```sh `` — command lines; those that begin with `cargo run` or `fizzle` are run in the project's root and must succeed.
//!   `` ```sh house `` are run beside the pack that the page builds, and `` ```text house `` is what the last command or step said.
//! - `` ```text printed `` — what the command line right before it prints, line by line, whatever the numbers are; a line `…` stands for what is
//!   left out.
//! - `` ```text `` and `` ```rust,ignore `` — not code of the language: diagrams, schemas, excerpts.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::collections::{BTreeMap, BTreeSet};
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
            if !name.starts_with('.') && name != "target" && name != "node_modules" {
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

/// Empties a folder and makes a pack there that extends a game.
fn scratch_pack(name: &str, game: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("docs").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("pack.fz"), format!("pack {name} {{\n  edition 1\n  extends {game}\n}}\n")).unwrap();
    folder
}

#[test]
fn source_blocks_compile_and_their_scenarios_pass() {
    let mut packs: BTreeMap<(PathBuf, String), Vec<Block>> = BTreeMap::new();
    for block in blocks() {
        let Some(game) = block.info.strip_prefix("fz ") else { continue };
        if game == "fragment" {
            let parsed = fizzle_grammar::parse_file(0, &block.text);
            assert!(parsed.errors.is_empty(), "{}: {:?}", place(&block), parsed.errors);
        } else if !game.contains(' ') {
            packs.entry((block.page.clone(), game.to_owned())).or_default().push(block);
        }
    }
    for (number, ((page, game), blocks)) in packs.iter().enumerate() {
        let folder = scratch_pack(&format!("page{number}"), game);
        for block in blocks {
            fs::write(folder.join(format!("line{}.fz", block.line)), &block.text).unwrap();
        }
        for command in [&["check", "."][..], &["fmt", "--check", "."], &["test", "."]] {
            let output = fizzle(command, &folder);
            let said = [output.stdout, output.stderr].concat();
            assert!(output.status.success(), "{}: fizzle {command:?}\n{}", page.display(), String::from_utf8_lossy(&said));
        }
    }
}

#[test]
fn wrong_blocks_say_what_is_wrong() {
    let mut said = String::new();
    for block in blocks() {
        let words: Vec<&str> = block.info.split(' ').collect();
        let command = match words[..] {
            ["fz", _, "wrong"] => "check",
            ["fz", _, "fails"] => "test",
            ["text", "said"] => {
                assert!(said.contains(block.text.trim_end()), "{}: what was said is\n{said}", place(&block));
                continue;
            }
            _ => continue,
        };
        let folder = scratch_pack("wrong", words[1]);
        fs::write(folder.join("cards.fz"), &block.text).unwrap();
        let output = fizzle(&[command, "."], &folder);
        said = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert_eq!(output.status.code(), Some(1), "{}: {said}", place(&block));
    }
}

/// What `[…](PATH)` or `[…](PATH#HEADING)` leads to is there.
#[test]
fn links_lead_somewhere() {
    let mut found = Vec::new();
    pages(&root(), &mut found);
    for page in found {
        let text = fs::read_to_string(&page).unwrap();
        for part in text.split("](").skip(1) {
            let link = part.split(')').next().unwrap_or("");
            if link.contains("://") || link.contains(char::is_whitespace) {
                continue;
            }
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            let goal = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            assert!(goal.exists(), "{}: {link} leads nowhere", page.display());
            if !heading.is_empty() {
                let text = fs::read_to_string(&goal).unwrap();
                let headings = text.lines().filter(|line| line.starts_with('#')).map(|line| {
                    let kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
                    line.trim_start_matches('#').trim().to_lowercase().chars().filter(kept).collect::<String>().replace(' ', "-")
                });
                assert!(headings.into_iter().any(|one| one == heading), "{}: {link}: no such heading", page.display());
            }
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

/// The words of a line, with one sign for all numbers: they change with the rules, and with the machine.
fn without_numbers(line: &str) -> String {
    let mut masked = String::new();
    for (place, letter) in line.char_indices() {
        let digit = |at: Option<char>| at.is_some_and(|letter| letter.is_ascii_digit());
        let within = letter == '.' && digit(line[place + 1..].chars().next()) && masked.ends_with('0');
        if !digit(Some(letter)) && !within {
            masked.push(letter);
        } else if !masked.ends_with('0') {
            masked.push('0');
        }
    }
    plain(&masked)
}

#[test]
fn what_is_shown_is_what_is_printed() {
    let blocks = blocks();
    for pair in blocks.windows(2).filter(|pair| pair[1].info == "text printed") {
        let (line, shown) = (pair[0].text.trim(), &pair[1]);
        let command = line.strip_prefix("fizzle ").filter(|_| pair[0].info == "sh" && pair[0].page == shown.page);
        let command = command.unwrap_or_else(|| panic!("{}: one command line must come before it", place(shown)));
        let output = fizzle(&command.split_whitespace().collect::<Vec<_>>(), &root());
        assert!(output.status.success(), "{}: {line}", place(shown));
        let printed = String::from_utf8(output.stdout).unwrap();
        let mut printed = printed.lines().map(without_numbers).peekable();
        let mut left_out = false;
        for wanted in shown.text.lines() {
            if wanted.trim() == "…" {
                left_out = true;
                continue;
            }
            let wanted = without_numbers(wanted);
            while left_out && printed.peek().is_some_and(|line| *line != wanted) {
                printed.next();
            }
            assert_eq!(printed.next().as_deref(), Some(&*wanted), "{}: after `{line}`", place(shown));
            left_out = false;
        }
        assert!(left_out || printed.next().is_none(), "{}: more is printed", place(shown));
    }
}

/// The words of a text, one blank between them.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn quotes_occur_in_the_source() {
    for block in blocks() {
        let Some(file) = block.info.strip_prefix("fz quote ") else { continue };
        let source = plain(&fs::read_to_string(root().join(file)).unwrap_or_else(|e| panic!("{}: {file}: {e}", place(&block))));
        let mut rest = source.as_str();
        for part in block.text.split("// …\n").map(plain) {
            let Some(at) = rest.find(&part) else {
                panic!("{}: not in {file}, or not after the lines above it: {part}", place(&block))
            };
            assert!(!part.is_empty(), "{}: nothing is quoted", place(&block));
            rest = &rest[at + part.len()..];
        }
    }
}

/// A line `Shown: DX-001, DX-002 in `FILE`; …` names claims that scenarios of that file in `cards/` cover.
#[test]
fn shown_claims_are_covered_by_the_files_named() {
    let mut found = Vec::new();
    pages(&root().join("docs"), &mut found);
    for page in found {
        let text = fs::read_to_string(&page).unwrap();
        for line in text.lines().filter_map(|line| line.strip_prefix("Shown: ")) {
            for part in line.trim_end_matches('.').split("; ") {
                let (claims, file) = part.split_once(" in `").unwrap_or_else(|| panic!("{}: {part}", page.display()));
                let source = fs::read_to_string(root().join("cards").join(file.trim_end_matches('`')))
                    .unwrap_or_else(|e| panic!("{file}: {e}"));
                let covered: BTreeSet<&str> = source
                    .lines()
                    .filter_map(|line| line.strip_prefix("scenario ")?.rsplit_once(" covers "))
                    .flat_map(|(_, claims)| claims.trim_end_matches([' ', '{']).split(", "))
                    .collect();
                for claim in claims.split(", ") {
                    assert!(covered.contains(claim), "{}: {file} does not cover {claim}", page.display());
                }
            }
        }
    }
}

/// A paragraph ``Plays of `FORMAT`: `a`, `b`.`` names all plays of the format, and no others.
#[test]
fn lists_of_plays_are_whole() {
    let mut found = Vec::new();
    pages(&root().join("docs"), &mut found);
    let mut lists = 0;
    for page in found {
        let text = fs::read_to_string(&page).unwrap().replace("\r\n", "\n");
        for list in text.split("\n\n").filter_map(|paragraph| paragraph.strip_prefix("Plays of `")) {
            lists += 1;
            let (format, plays) = list.split_once("`: ").unwrap_or_else(|| panic!("{}: {list}", page.display()));
            let listed: BTreeSet<&str> = plays.split('`').skip(1).step_by(2).collect();
            let output = fizzle(&["explain", format], &root());
            let said = String::from_utf8_lossy(&output.stdout).replace("\n    ", " ");
            let line = said.lines().find_map(|line| line.strip_prefix("plays (a scenario says `A PLAY X`): "));
            let known = line.unwrap_or_else(|| panic!("no plays of {format}")).replace(" (new)", "");
            assert_eq!(listed, known.split(", ").collect(), "{}: plays of {format}", page.display());
        }
    }
    assert!(lists > 0, "no page lists plays");
}

/// The files of a pack, by their paths beginning with the pack's folder.
type Pack = BTreeMap<String, String>;

fn read_pack(folder: &Path, name: &str) -> Pack {
    let entries = fs::read_dir(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let names = entries.map(|entry| format!("{name}/{}", entry.unwrap().file_name().to_string_lossy()));
    names.map(|file| (file.clone(), fs::read_to_string(folder.join(&file)).unwrap())).collect()
}

/// Empties the folder and writes the pack there.
fn write_pack(folder: &Path, pack: &Pack) {
    let _ = fs::remove_dir_all(folder);
    for (file, text) in pack {
        let path = folder.join(file);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
}

/// One step of a page that builds a pack.
#[derive(Default)]
struct Step {
    number: String,
    /// The pack as it was before the step.
    before: Pack,
    /// The same with nothing of the step but its scenarios.
    only_shown: Pack,
}

/// What a page has built so far.
struct House {
    name: String,
    folder: PathBuf,
    pack: Pack,
    written: BTreeSet<String>,
    step: Step,
    said: String,
}

impl House {
    /// The first block of a file is all of it; later ones are put at its end, or (`inside`) before its last brace.
    fn put(&self, pack: &mut Pack, file: &str, inside: bool, text: &str) {
        let old = if self.written.contains(file) { pack.get(file).cloned().unwrap_or_default() } else { String::new() };
        let new = match old.trim_end().strip_suffix('}') {
            _ if old.is_empty() => text.to_owned(),
            Some(body) if inside => format!("{body}\n{text}}}\n"),
            _ => format!("{old}\n{text}"),
        };
        pack.insert(file.to_owned(), new);
    }

    fn block(&mut self, block: &Block) {
        let at = place(block);
        let words: Vec<&str> = block.info.split(' ').collect();
        match words[..] {
            ["sh", _] => {
                for line in block.text.lines() {
                    let command: Vec<&str> =
                        line.strip_prefix("fizzle ").expect("a command of fizzle").split_whitespace().collect();
                    let output = fizzle(&command, &self.folder);
                    assert!(output.status.success(), "{at}: {line}\n{}", String::from_utf8_lossy(&output.stderr));
                    self.said = String::from_utf8_lossy(&output.stdout).into_owned();
                    if let ["new", name, ..] = command[..] {
                        name.clone_into(&mut self.name);
                        self.pack = read_pack(&self.folder, name);
                    }
                }
            }
            ["text", _] => assert!(self.said.contains(block.text.trim_end()), "{at}: what was said is\n{}", self.said),
            ["fz", _, number, file, ref how @ ..] => {
                if self.step.number != number {
                    self.end_of_step();
                    self.step = Step { number: number.to_owned(), before: self.pack.clone(), only_shown: self.pack.clone() };
                }
                let inside = how.contains(&"inside");
                let mut pack = self.pack.clone();
                self.put(&mut pack, file, inside, &block.text);
                if how.contains(&"wrong") {
                    let folder = self.folder.with_file_name("wrong");
                    write_pack(&folder, &pack);
                    let output = fizzle(&["check", &self.name], &folder);
                    assert!(!output.status.success(), "{at}: nothing is wrong with it");
                    self.said = String::from_utf8_lossy(&output.stderr).into_owned();
                    return;
                }
                if file.ends_with("scenarios.fz") {
                    let mut shown = std::mem::take(&mut self.step.only_shown);
                    self.put(&mut shown, file, inside, &block.text);
                    self.step.only_shown = shown;
                }
                self.written.insert(file.to_owned());
                self.pack = pack;
                write_pack(&self.folder, &self.pack);
            }
            _ => panic!("{at}: `{}`", block.info),
        }
    }

    /// The pack is well, and the scenarios of the step do not pass without the step.
    fn end_of_step(&self) {
        let (name, number) = (self.name.as_str(), &self.step.number);
        if number.is_empty() {
            return;
        }
        for command in [&["check", name][..], &["fmt", "--check", name], &["test", name]] {
            let output = fizzle(command, &self.folder);
            let said = [output.stdout, output.stderr].concat();
            assert!(output.status.success(), "step {number}: fizzle {command:?}\n{}", String::from_utf8_lossy(&said));
        }
        assert!(self.step.before != self.step.only_shown, "step {number} has no scenario");
        let folder = self.folder.with_file_name("without");
        write_pack(&folder, &self.step.only_shown);
        assert!(!fizzle(&["test", name], &folder).status.success(), "step {number}: its scenarios pass without it");
    }
}

/// `` ```fz house N PACK/FILE `` is the first text of a file or goes to its end, with ` inside` before its last brace. After each step
/// the pack is checked, and its scenarios pass; those of the step fail without the step. ` wrong` blocks are tried and must not compile.
/// What stands at the end is the folder `examples/PACK`.
#[test]
fn a_house_format_is_built_step_by_step() {
    let mut houses: BTreeMap<PathBuf, Vec<Block>> = BTreeMap::new();
    for block in blocks() {
        if block.info.split(' ').nth(1) == Some("house") {
            houses.entry(block.page.clone()).or_default().push(block);
        }
    }
    assert!(!houses.is_empty());
    for (number, blocks) in houses.into_values().enumerate() {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("house{number}/right"));
        write_pack(&folder, &Pack::new());
        fs::create_dir_all(&folder).unwrap();
        let mut house = House {
            name: String::new(),
            folder,
            pack: Pack::new(),
            written: BTreeSet::new(),
            step: Step::default(),
            said: String::new(),
        };
        for block in &blocks {
            house.block(block);
        }
        house.end_of_step();
        let example = read_pack(&root().join("examples"), &house.name);
        for file in house.pack.keys().chain(example.keys()) {
            assert_eq!(house.pack.get(file), example.get(file), "examples/{file} is not what the page builds");
        }
    }
}
