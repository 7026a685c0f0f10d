//! Compiles or runs every code block of every Markdown page, and checks links, quotes and lists. The info string of a block says how:
//!
//! - `` ```fz GAME `` — source of a pack that extends GAME. It must check without errors, be formatted, and its scenarios must pass. All such blocks
//!   of one page are files of one pack.
//! - `` ```fz GAME wrong `` — a separate pack that `fizzle check` must refuse; with `` fails `` one that `fizzle test` must refuse. A following
//!   `` ```text said `` must be part of the output.
//! - `` ```fz fragment `` — single items that must parse.
//! - `` ```fz quote FILE `` — lines of a file of this project, compared without white space. A line `// …` stands for omitted lines.
//! - `` ```fz house N PACK/FILE `` — step N of a page that builds a pack: see `house_format_page_builds_step_by_step`.
//! - `` ```sh `` — command lines. Those that begin with `cargo run` or `fizzle` run in the root of the project and must succeed. A command that runs until it
//!   is ended, such as `fizzle serve`, is a `` ```text `` block.
//!   `` ```sh house `` runs next to the pack that the page builds. `` ```text house `` must be part of the output of the last such command or wrong
//!   step.
//! - `` ```text printed `` — the output of the command line directly before it, compared line by line without numbers. A line `…` stands for
//!   omitted lines.
//! - `` ```diff `` — a change of this project; `.ci/pages` applies and compiles it.
//! - `` ```text `` and `` ```rust,ignore `` — not source of the language: diagrams, schemas, excerpts. They are not checked.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A code block of a page.
struct Block {
    page: PathBuf,
    line: usize,
    info: String,
    text: String,
}

/// The root of the project.
fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap().to_path_buf()
}

/// Adds all Markdown files below a folder, in a fixed order.
fn collect_pages(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            if !name.starts_with('.') && name != "target" && name != "node_modules" {
                collect_pages(&path, found);
            }
        } else if name.ends_with(".md") {
            found.push(path);
        }
    }
    found.sort();
}

/// Reads all code blocks of all pages.
fn read_blocks() -> Vec<Block> {
    let mut found = Vec::new();
    collect_pages(&root(), &mut found);
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

/// The page and line of a block, for messages.
fn location(block: &Block) -> String {
    format!("{}:{}", block.page.strip_prefix(root()).unwrap().display(), block.line)
}

/// Runs the program in a folder.
fn run_fizzle(args: &[&str], folder: &Path) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_fizzle")).args(args).current_dir(folder).output().unwrap()
}

#[test]
fn every_block_has_a_known_info_string() {
    for block in read_blocks() {
        let first = block.info.split([' ', ',']).next().unwrap_or("");
        assert!(["diff", "fz", "sh", "text", "rust"].contains(&first), "{}: a block marked `{}`", location(&block), block.info);
        assert!(first != "rust" || block.info == "rust,ignore", "{}: put Rust examples into examples/", location(&block));
    }
}

/// Creates a pack that extends a game, in an empty folder.
fn create_pack(name: &str, game: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("docs").join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("pack.fz"), format!("pack {name} {{\n  edition 2\n  extends {game}\n}}\n")).unwrap();
    folder
}

#[test]
fn source_blocks_compile_and_their_scenarios_pass() {
    let mut packs: BTreeMap<(PathBuf, String), Vec<Block>> = BTreeMap::new();
    for block in read_blocks() {
        let Some(game) = block.info.strip_prefix("fz ") else { continue };
        if game == "fragment" {
            let parsed = fizzle_grammar::parse_file(0, &block.text);
            assert!(parsed.errors.is_empty(), "{}: {:?}", location(&block), parsed.errors);
        } else if !game.contains(' ') {
            packs.entry((block.page.clone(), game.to_owned())).or_default().push(block);
        }
    }
    for (number, ((page, game), blocks)) in packs.iter().enumerate() {
        let folder = create_pack(&format!("page{number}"), game);
        for block in blocks {
            fs::write(folder.join(format!("line{}.fz", block.line)), &block.text).unwrap();
        }
        for command in [&["check", "."][..], &["fmt", "--check", "."], &["test", "."]] {
            let output = run_fizzle(command, &folder);
            let printed = [output.stdout, output.stderr].concat();
            assert!(output.status.success(), "{}: fizzle {command:?}\n{}", page.display(), String::from_utf8_lossy(&printed));
        }
    }
}

#[test]
fn wrong_blocks_report_the_quoted_messages() {
    let mut printed = String::new();
    for block in read_blocks() {
        let words: Vec<&str> = block.info.split(' ').collect();
        let command = match words[..] {
            ["fz", _, "wrong"] => "check",
            ["fz", _, "fails"] => "test",
            ["text", "said"] => {
                assert!(printed.contains(block.text.trim_end()), "{}: the output is\n{printed}", location(&block));
                continue;
            }
            _ => continue,
        };
        let folder = create_pack("wrong", words[1]);
        fs::write(folder.join("cards.fz"), &block.text).unwrap();
        let output = run_fizzle(&[command, "."], &folder);
        printed = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
        assert_eq!(output.status.code(), Some(1), "{}: {printed}", location(&block));
    }
}

/// The file of each link `[…](PATH)`, and the heading of each link `[…](PATH#HEADING)`, exist.
#[test]
fn links_have_targets() {
    let mut found = Vec::new();
    collect_pages(&root(), &mut found);
    for page in found {
        let text = fs::read_to_string(&page).unwrap();
        for part in text.split("](").skip(1) {
            let link = part.split(')').next().unwrap_or("");
            if link.contains("://") || link.contains(char::is_whitespace) {
                continue;
            }
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = if path.is_empty() { page.clone() } else { page.parent().unwrap().join(path) };
            assert!(target.exists(), "{}: {link} has no target", page.display());
            if !heading.is_empty() {
                let text = fs::read_to_string(&target).unwrap();
                let headings = text.lines().filter(|line| line.starts_with('#')).map(|line| {
                    let is_kept = |c: &char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_');
                    line.trim_start_matches('#')
                        .trim()
                        .to_lowercase()
                        .chars()
                        .filter(is_kept)
                        .collect::<String>()
                        .replace(' ', "-")
                });
                assert!(headings.into_iter().any(|slug| slug == heading), "{}: {link}: no such heading", page.display());
            }
        }
    }
}

#[test]
fn command_lines_succeed() {
    for block in read_blocks().iter().filter(|b| b.info == "sh") {
        for line in block.text.lines() {
            let command = line.strip_prefix("cargo run --release -- ").or_else(|| line.strip_prefix("fizzle "));
            let Some(command) = command else { continue };
            let command = command.split(" #").next().unwrap_or(command);
            let words = shell_words(command);
            let output = run_fizzle(&words.iter().map(String::as_str).collect::<Vec<_>>(), &root());
            assert!(output.status.success(), "{}: {line}\n{}", location(block), String::from_utf8_lossy(&output.stderr));
        }
    }
}

/// The words of a command line; blanks between double quotes do not separate words.
fn shell_words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (number, part) in line.split('"').enumerate() {
        if number % 2 == 1 {
            words.push(part.to_owned());
        } else {
            words.extend(part.split_whitespace().map(str::to_owned));
        }
    }
    words
}

/// Replaces all numbers of a line by `0`, and collapses white space. Numbers depend on the rules and on the computer.
fn mask_numbers(line: &str) -> String {
    let mut masked = String::new();
    for (offset, letter) in line.char_indices() {
        let is_digit = |at: Option<char>| at.is_some_and(|letter| letter.is_ascii_digit());
        let is_inside_number = letter == '.' && is_digit(line[offset + 1..].chars().next()) && masked.ends_with('0');
        if !is_digit(Some(letter)) && !is_inside_number {
            masked.push(letter);
        } else if !masked.ends_with('0') {
            masked.push('0');
        }
    }
    collapse_whitespace(&masked)
}

#[test]
fn quoted_output_equals_printed_output() {
    let blocks = read_blocks();
    for pair in blocks.windows(2).filter(|pair| pair[1].info == "text printed") {
        let (line, quoted) = (pair[0].text.trim(), &pair[1]);
        let command = line.strip_prefix("fizzle ").filter(|_| pair[0].info == "sh" && pair[0].page == quoted.page);
        let command = command.unwrap_or_else(|| panic!("{}: one command line must come before it", location(quoted)));
        let output = run_fizzle(&command.split_whitespace().collect::<Vec<_>>(), &root());
        assert!(output.status.success(), "{}: {line}", location(quoted));
        let printed = String::from_utf8(output.stdout).unwrap();
        let mut printed = printed.lines().map(mask_numbers).peekable();
        let mut has_gap = false;
        for expected in quoted.text.lines() {
            if expected.trim() == "…" {
                has_gap = true;
                continue;
            }
            let masked = mask_numbers(expected);
            while has_gap && printed.peek().is_some_and(|line| *line != masked) {
                printed.next();
            }
            assert_eq!(printed.next().as_deref(), Some(&*masked), "{}: after `{line}`", location(quoted));
            has_gap = false;
        }
        assert!(has_gap || printed.next().is_none(), "{}: more is printed", location(quoted));
    }
}

/// Replaces each run of white space by one blank.
fn collapse_whitespace(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Source text without its comments, which a quote may leave out.
fn without_comments(text: &str) -> String {
    let code = |line: &str| line.split("//").next().unwrap_or(line).to_owned();
    text.lines().map(code).collect::<Vec<_>>().join("\n")
}

#[test]
fn quotes_occur_in_the_source() {
    for block in read_blocks() {
        let Some(file) = block.info.strip_prefix("fz quote ") else { continue };
        let source = collapse_whitespace(&without_comments(
            &fs::read_to_string(root().join(file)).unwrap_or_else(|e| panic!("{}: {file}: {e}", location(&block))),
        ));
        let mut rest = source.as_str();
        for part in block.text.split("// …\n").map(|part| collapse_whitespace(&without_comments(part))) {
            let Some(at) = rest.find(&part) else {
                panic!("{}: not in {file}, or not after the lines above it: {part}", location(&block))
            };
            assert!(!part.is_empty(), "{}: nothing is quoted", location(&block));
            rest = &rest[at + part.len()..];
        }
    }
}

/// A line `Shown: DX-001, DX-002 in `FILE`; …` lists claims that scenarios of that file in `cards/` must cover.
#[test]
fn claims_are_covered_by_the_named_files() {
    let mut found = Vec::new();
    collect_pages(&root().join("docs"), &mut found);
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

/// A paragraph ``Plays of `FORMAT`: `a`, `b`.`` lists exactly the plays of the format.
#[test]
fn lists_of_plays_are_complete() {
    let mut found = Vec::new();
    collect_pages(&root().join("docs"), &mut found);
    let mut lists = 0;
    for page in found {
        let text = fs::read_to_string(&page).unwrap().replace("\r\n", "\n");
        for list in text.split("\n\n").filter_map(|paragraph| paragraph.strip_prefix("Plays of `")) {
            lists += 1;
            let (format, plays) = list.split_once("`: ").unwrap_or_else(|| panic!("{}: {list}", page.display()));
            let listed: BTreeSet<&str> = plays.split('`').skip(1).step_by(2).collect();
            let output = run_fizzle(&["explain", format], &root());
            let printed = String::from_utf8_lossy(&output.stdout).replace("\n    ", " ");
            let line = printed.lines().find_map(|line| line.strip_prefix("plays (a scenario says `A PLAY X`): "));
            let declared = line.unwrap_or_else(|| panic!("no plays of {format}")).replace(" (new)", "");
            assert_eq!(listed, declared.split(", ").collect(), "{}: plays of {format}", page.display());
        }
    }
    assert!(lists > 0, "no page lists plays");
}

/// The files of a pack by path. Paths begin with the folder of the pack.
type Pack = BTreeMap<String, String>;

fn read_pack(folder: &Path, name: &str) -> Pack {
    let entries = fs::read_dir(folder.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    let names = entries.map(|entry| format!("{name}/{}", entry.unwrap().file_name().to_string_lossy()));
    names.map(|file| (file.clone(), fs::read_to_string(folder.join(&file)).unwrap())).collect()
}

/// Empties a folder and writes a pack into it.
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
    /// The pack before the step.
    pack_before: Pack,
    /// The pack before the step, with the scenarios of the step.
    only_scenarios: Pack,
}

/// The pack that a page has built so far.
struct TutorialPack {
    name: String,
    folder: PathBuf,
    pack: Pack,
    written_files: BTreeSet<String>,
    step: Step,
    output: String,
}

impl TutorialPack {
    /// Adds the text of a block to a file. The first block of a file replaces it; later blocks are appended, or (`inside`) inserted before its last
    /// brace.
    fn add_text(&self, pack: &mut Pack, file: &str, inside: bool, text: &str) {
        let old = if self.written_files.contains(file) { pack.get(file).cloned().unwrap_or_default() } else { String::new() };
        let new = match old.trim_end().strip_suffix('}') {
            _ if old.is_empty() => text.to_owned(),
            Some(body) if inside => format!("{body}\n{text}}}\n"),
            _ => format!("{old}\n{text}"),
        };
        pack.insert(file.to_owned(), new);
    }

    fn process_block(&mut self, block: &Block) {
        let place = location(block);
        let words: Vec<&str> = block.info.split(' ').collect();
        match words[..] {
            ["sh", _] => {
                for line in block.text.lines() {
                    let command: Vec<&str> =
                        line.strip_prefix("fizzle ").expect("a command of fizzle").split_whitespace().collect();
                    let output = run_fizzle(&command, &self.folder);
                    assert!(output.status.success(), "{place}: {line}\n{}", String::from_utf8_lossy(&output.stderr));
                    self.output = String::from_utf8_lossy(&output.stdout).into_owned();
                    if let ["new", name, ..] = command[..] {
                        name.clone_into(&mut self.name);
                        self.pack = read_pack(&self.folder, name);
                    }
                }
            }
            ["text", _] => assert!(self.output.contains(block.text.trim_end()), "{place}: the output is\n{}", self.output),
            ["fz", _, number, file, ref how @ ..] => {
                if self.step.number != number {
                    self.finish_step();
                    self.step =
                        Step { number: number.to_owned(), pack_before: self.pack.clone(), only_scenarios: self.pack.clone() };
                }
                let inside = how.contains(&"inside");
                let mut pack = self.pack.clone();
                self.add_text(&mut pack, file, inside, &block.text);
                if how.contains(&"wrong") {
                    let folder = self.folder.with_file_name("wrong");
                    write_pack(&folder, &pack);
                    let output = run_fizzle(&["check", &self.name], &folder);
                    assert!(!output.status.success(), "{place}: nothing is wrong with it");
                    self.output = String::from_utf8_lossy(&output.stderr).into_owned();
                    return;
                }
                if file.ends_with("scenarios.fz") {
                    let mut scenarios = std::mem::take(&mut self.step.only_scenarios);
                    self.add_text(&mut scenarios, file, inside, &block.text);
                    self.step.only_scenarios = scenarios;
                }
                self.written_files.insert(file.to_owned());
                self.pack = pack;
                write_pack(&self.folder, &self.pack);
            }
            _ => panic!("{place}: `{}`", block.info),
        }
    }

    /// Checks that the pack is correct after a step, and that the scenarios of the step fail without it.
    fn finish_step(&self) {
        let (name, number) = (self.name.as_str(), &self.step.number);
        if number.is_empty() {
            return;
        }
        for command in [&["check", name][..], &["fmt", "--check", name], &["test", name]] {
            let output = run_fizzle(command, &self.folder);
            let printed = [output.stdout, output.stderr].concat();
            assert!(output.status.success(), "step {number}: fizzle {command:?}\n{}", String::from_utf8_lossy(&printed));
        }
        assert!(self.step.pack_before != self.step.only_scenarios, "step {number} has no scenario");
        let folder = self.folder.with_file_name("without");
        write_pack(&folder, &self.step.only_scenarios);
        assert!(!run_fizzle(&["test", name], &folder).status.success(), "step {number}: its scenarios pass without it");
    }
}

/// `` ```fz house N PACK/FILE `` is the first text of a file, or is appended to it; with ` inside` it is inserted before the last brace. After each
/// step the pack must check without errors and its scenarios must pass; the scenarios of the step must fail without the step. A ` wrong` block must
/// not compile, and is dropped. The final pack must equal the folder `examples/PACK`.
#[test]
fn house_format_page_builds_step_by_step() {
    let mut houses: BTreeMap<PathBuf, Vec<Block>> = BTreeMap::new();
    for block in read_blocks() {
        if block.info.split(' ').nth(1) == Some("house") {
            houses.entry(block.page.clone()).or_default().push(block);
        }
    }
    assert!(!houses.is_empty());
    for (number, blocks) in houses.into_values().enumerate() {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("house{number}/right"));
        write_pack(&folder, &Pack::new());
        fs::create_dir_all(&folder).unwrap();
        let mut builder = TutorialPack {
            name: String::new(),
            folder,
            pack: Pack::new(),
            written_files: BTreeSet::new(),
            step: Step::default(),
            output: String::new(),
        };
        for block in &blocks {
            builder.process_block(block);
        }
        builder.finish_step();
        let example = read_pack(&root().join("examples"), &builder.name);
        for file in builder.pack.keys().chain(example.keys()) {
            assert_eq!(builder.pack.get(file), example.get(file), "examples/{file} is not what the page builds");
        }
    }
}
