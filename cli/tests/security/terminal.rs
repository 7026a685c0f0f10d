//! No control character, mark of the writing direction or invisible character of a stranger's text reaches the terminal: those in names are
//! refused, all others are escaped. Shown under a pseudo-terminal, where the program prints colours, and through pipes.

use super::{TOY, command, fizzle, new_folder, printed, toy_folder};
use fizzle_grammar::hidden_characters::{first_hidden, hidden_characters};
use fizzle_runtime::ir::Artifact;
use fizzle_runtime::ir::artifact;
use std::fs;
use std::path::Path;

/// Clears the screen, sets the title, paints, reverses, hides, and ends the line.
const HOSTILE: &str = "\u{1b}[2J\u{1b}]0;owned\u{7}\u{1b}[45m\u{9b}31m\u{202e}\u{2066}\u{200b}\u{7f}\r";

/// A part of [`HOSTILE`] that a file name can contain on every system with a terminal of this kind.
const HOSTILE_NAME: &str = "x\u{1b}[45m\u{9b}2J\u{202e}\ny";

/// Runs a command under a pseudo-terminal, and returns its exit status and everything that it printed.
#[cfg(unix)]
fn run_in_terminal(arguments: &[&str], folder: &Path) -> (i32, String) {
    use std::io::Read;
    let pair = nix::pty::openpty(None, None).unwrap();
    let mut child = command(arguments, folder)
        .env("TERM", "xterm-256color")
        .env_remove("NO_COLOR")
        .stdin(pair.slave.try_clone().unwrap())
        .stdout(pair.slave.try_clone().unwrap())
        .stderr(pair.slave)
        .spawn()
        .unwrap();
    let mut master = fs::File::from(pair.master);
    let (mut bytes, mut buffer) = (Vec::new(), [0; 4096]);
    // Reading fails when the program has ended and nothing is left.
    while let Ok(count @ 1..) = master.read(&mut buffer) {
        bytes.extend_from_slice(&buffer[..count]);
    }
    let status = child.wait().unwrap().code().unwrap();
    (status, String::from_utf8(bytes).unwrap())
}

/// The text without the colours of the program, as a person could see it.
fn without_colours(text: &str) -> String {
    let mut plain = String::new();
    let mut rest = text;
    while let Some(at) = rest.find("\u{1b}[") {
        plain.push_str(&rest[..at]);
        let after = &rest[at + 2..];
        let end = after.find(|c: char| !c.is_ascii_digit() && c != ';').unwrap_or(after.len());
        if after[end..].starts_with('m') {
            rest = &after[end + 1..];
        } else {
            plain.push('\u{1b}');
            rest = after;
        }
    }
    plain + rest
}

fn assert_clean(what: &str, text: &str) {
    assert!(!text.contains("\u{1b}[45m"), "{what}: {text:?}");
    let plain = without_colours(text).replace("\r\n", "\n");
    let hidden: Vec<char> = hidden_characters(&plain).map(|(_, hidden)| hidden).filter(|c| !matches!(c, '\n' | '\t')).collect();
    assert!(hidden.is_empty(), "{what}: {hidden:?} in {text:?}");
}

/// Runs a command through pipes, and under a terminal if there are any. Returns the status, and what was printed through the pipes.
fn run_everywhere(arguments: &[&str], folder: &Path) -> (i32, String) {
    let output = command(arguments, folder).output().unwrap();
    let text = printed(&output);
    assert_clean(&format!("{arguments:?}"), &text);
    let status = output.status.code().unwrap();
    #[cfg(unix)]
    {
        let (in_terminal, text) = run_in_terminal(arguments, folder);
        assert_clean(&format!("{arguments:?} in a terminal"), &text);
        assert_eq!(in_terminal, status, "{arguments:?}: {text}");
    }
    (status, text)
}

/// The terminal of these tests is one for the program: it prints colours.
#[cfg(unix)]
#[test]
fn the_program_prints_colours_in_a_terminal() {
    let folder = toy_folder("colours");
    fs::write(folder.join("wrong.fz"), "card \"A\" { nonsense }\n").unwrap();
    let (status, text) = run_in_terminal(&["check", "."], &folder);
    assert_eq!(status, 1);
    assert!(text.contains("\u{1b}["), "{text}");
    assert_clean("colours", &text);
}

/// Names with hidden characters are refused by every command that reads sources, with code, place and help.
#[test]
fn hidden_characters_in_names_are_refused() {
    let hostile = HOSTILE;
    let commands: [&[&str]; 9] = [
        &["check", "."],
        &["check", ".", "--message-format", "json"],
        &["check", ".", "--message-format", "sarif"],
        &["test", "."],
        &["play", ".", "--format", "toy"],
        &["sheet", "."],
        &["explain", "Stone", "."],
        &["deck", "check", "pack.fz"],
        &["sim", ".", "--format", "toy", "--games", "1"],
    ];
    let sources = [
        ("card", TOY.replace("\"Stone\"", &format!("\"St{hostile}one\""))),
        ("title", TOY.replacen("pack toy {", &format!("pack toy {{\n  title \"T{hostile}\""), 1)),
        ("deck", TOY.replace("deck \"Rocks\"", &format!("deck \"R{hostile}ocks\""))),
        ("scenario", format!("{TOY}\nscenario \"s{hostile}\" {{ format toy }}\n")),
        ("format", format!("{TOY}\nformat other extends toy {{ title \"{hostile}\" }}\n")),
        ("word", format!("{TOY}\nconstant o\u{34f}ne = 1\n")),
    ];
    for (name, source) in sources {
        assert!(first_hidden(&source.replace('\n', "")).is_some(), "{name}: the source has the name");
        let folder = new_folder(&format!("names-{name}"));
        fs::write(folder.join("pack.fz"), &source).unwrap();
        for arguments in commands {
            let (status, text) = run_everywhere(arguments, &folder);
            assert_eq!(status, 1, "{name}, {arguments:?}: {text}");
            assert!(text.contains("E0002") && text.contains("hidden character"), "{name}, {arguments:?}: {text}");
        }
        let text = printed(&fizzle("check .", &folder));
        assert!(text.contains("is not allowed in a name") && text.contains("help: remove it"), "{name}: {text}");
        assert!(text.contains("pack.fz:"), "{name}: {text}");
        // The formatter changes only white space, and prints no name.
        run_everywhere(&["fmt", "--check", "."], &folder);
        run_everywhere(&["fmt", "."], &folder);
    }
}

/// Names in all scripts, emoji and accents are allowed.
#[test]
fn visible_names_are_allowed() {
    let folder = toy_folder("visible");
    let names = ["凶戦士ブレイズ・クロー", "e\u{301}clair", "👩\u{200d}🚀 ❤\u{fe0f}", "葛\u{e0100}城", "می\u{200c}خواهم", "שלום"];
    let stone = "card \"Stone\"";
    assert!(TOY.contains(stone));
    let body = TOY.split(stone).nth(1).unwrap().lines().next().unwrap();
    let cards: String = names.iter().map(|name| format!("card \"{name}\"{body}\n")).collect();
    fs::write(folder.join("cards.fz"), cards).unwrap();
    let text = printed(&fizzle("check .", &folder));
    assert!(!text.contains("error"), "{text}");
    let text = printed(&fizzle("sheet .", &folder));
    for name in names {
        assert!(text.contains(name), "{name}: {text}");
    }
}

/// Hidden characters outside of names are allowed in comments. Messages that show such a line escape them, with the mark under its place.
#[test]
fn source_excerpts_are_escaped() {
    let folder = toy_folder("excerpts");
    fs::write(folder.join("cards.fz"), format!("card \"A\" {{ nonsense }} // {HOSTILE}\n")).unwrap();
    let (status, text) = run_everywhere(&["check", "."], &folder);
    assert_eq!(status, 1, "{text}");
    assert!(text.contains("\\u{1b}[2J\\u{1b}]0;owned\\u{7}\\u{1b}[45m\\u{9b}31m\\u{202e}\\u{2066}\\u{200b}\\u{7f}"), "{text}");
    // The marks are under the word, although an escape before it is wider than what it stands for.
    fs::write(folder.join("cards.fz"), "card \"A\" \u{feff}{ nonsense }\n").unwrap();
    let (_, text) = run_everywhere(&["check", "."], &folder);
    let line = text.lines().find(|line| line.contains("\\u{feff}")).unwrap();
    let marks = text.lines().find(|line| line.contains("^^^^^^^^")).unwrap();
    let column = |line: &str, part: &str| line[..line.find(part).unwrap()].chars().count();
    assert_eq!(column(line, "nonsense"), column(marks, "^^^^^^^^"), "{text}");
    assert!(text.contains("cards.fz:1:13"), "{text}");
    for format in ["json", "sarif"] {
        let (_, text) = run_everywhere(&["check", ".", "--message-format", format], &folder);
        for line in text.lines().filter(|line| line.starts_with('{')) {
            serde_json::from_str::<serde_json::Value>(line).unwrap();
        }
    }
}

/// Arguments that the command line does not know are quoted in its messages, each with one hidden character: a renderer may drop others but not this.
#[cfg(unix)]
#[test]
fn unknown_arguments_are_escaped() {
    let folder = toy_folder("arguments");
    for hidden in
        ["\u{7}", "\u{8}", "\u{c}", "\u{1b}[45m", "\u{1b}]0;x\u{7}", "\u{7f}", "\u{9b}31m", "\u{200b}", "\u{202e}", "\u{2028}"]
    {
        for argument in [hidden.to_owned(), format!("--{hidden}"), format!("--games={hidden}"), format!("-x{hidden}")] {
            let (status, text) = run_everywhere(&["sim", &argument], &folder);
            assert_ne!(status, 0, "{argument:?}: {text}");
            let (status, text) = run_everywhere(&[&argument], &folder);
            assert_eq!(status, 2, "{argument:?}: {text}");
        }
    }
    // A name cannot begin a line.
    let (status, text) = run_everywhere(&["sim", "--games=1\nerror: x"], &folder);
    assert_eq!(status, 2, "{text}");
    assert!(!text.lines().any(|line| line.starts_with("error: x")), "{text}");
}

/// Names of files and arguments of the command line are escaped, also where they end a line.
#[cfg(unix)]
#[test]
fn file_names_are_escaped() {
    let folder = new_folder("file-names");
    let inner = folder.join(HOSTILE_NAME);
    fs::create_dir_all(&inner).unwrap();
    fs::write(inner.join("pack.fz"), TOY).unwrap();
    fs::write(inner.join(format!("{HOSTILE_NAME}.fz")), "card \"A\" { nonsense }\n").unwrap();
    fs::write(inner.join(format!("{HOSTILE_NAME}.fzt")), "no trace").unwrap();
    fs::write(inner.join(format!("{HOSTILE_NAME}.json")), "no result").unwrap();
    fs::write(inner.join(format!("{HOSTILE_NAME}.fzb")), "no pack").unwrap();
    let name = |end: &str| format!("{HOSTILE_NAME}/{HOSTILE_NAME}{end}");
    let commands: Vec<Vec<String>> = [
        vec!["check", "."],
        vec!["check", &name(".fz")],
        vec!["check", ".", "--message-format", "json"],
        vec!["check", &name(".fzb")],
        vec!["test", "."],
        vec!["fmt", "--check", "."],
        vec!["sheet", HOSTILE_NAME],
        vec!["deck", "check", &name(".fz")],
        vec!["replay", &name(".fzt")],
        vec!["merge", &name(".json")],
        vec!["merge", &name("")],
        vec!["play", ".", "--format", HOSTILE],
        vec!["play", HOSTILE],
        vec!["explain", HOSTILE],
        vec!["build", &name(".fz"), "-o", &name(".fz")],
        vec!["sim", "--format", "duel_masters", "--games", "1", "--deck", HOSTILE],
        vec!["new", HOSTILE],
        vec!["new", "new", "--game", HOSTILE],
        vec![HOSTILE],
        vec!["check", HOSTILE],
    ]
    .into_iter()
    .map(|arguments| arguments.into_iter().map(str::to_owned).collect())
    .collect();
    for arguments in &commands {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let (status, text) = run_everywhere(&arguments, &folder);
        assert!((1..=2).contains(&status) || arguments[0] == "fmt", "{arguments:?}: {status} {text}");
        // A line end in a name does not begin a line.
        assert!(!text.contains("\ny/") && !text.contains("\ny."), "{arguments:?}: {text}");
    }
}

/// Compiled packs with hidden characters in names are refused, and the message escapes the name.
#[test]
fn compiled_packs_with_hidden_characters_are_refused() {
    let folder = toy_folder("compiled");
    assert_eq!(fizzle("build . -o good.fzb", &folder).status.code(), Some(0));
    let bytes = fs::read(folder.join("good.fzb")).unwrap();
    let good = artifact::decode(&bytes).unwrap();
    let changes: [fn(&mut Artifact); 6] = [
        |artifact| artifact.games[0].name.push_str(HOSTILE),
        |artifact| artifact.games[0].formats[0].title.push_str(HOSTILE),
        |artifact| artifact.games[0].decks[0].name.push_str(HOSTILE),
        |artifact| artifact.games[0].decks[0].sections[0].0.push('\u{202e}'),
        |artifact| artifact.games[0].library_mut().zones[0].name.push('\u{200b}'),
        |artifact| artifact.games[0].formats[0].actions[0].name.push('\u{1b}'),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let mut forged = good.clone();
        change(&mut forged);
        let problem = fizzle_runtime::ir::verify::verify(&forged).unwrap_err().to_string();
        assert!(problem.contains("hidden character"), "{number}: {problem}");
    }
    // The same in the bytes of a file: names are replaced by others of the same length.
    for (name, hostile) in
        [("Stone", "\u{1b}[2Jx"), ("Kings", "K\u{202e}s"), ("deploy", "\u{9b}\u{9b}\u{9b}"), ("Rocks", "\u{1b}]0;x")]
    {
        assert_eq!(name.len(), hostile.len());
        let mut forged = bytes.clone();
        while let Some(at) = forged.windows(name.len()).position(|part| part == name.as_bytes()) {
            forged[at..at + name.len()].copy_from_slice(hostile.as_bytes());
        }
        fs::write(folder.join("forged.fzb"), artifact::with_valid_checksums(&forged).unwrap()).unwrap();
        for arguments in [
            &["check", "forged.fzb"][..],
            &["sheet", "forged.fzb"],
            &["test", "forged.fzb"],
            &["play", "forged.fzb", "--format", "toy"],
            &["sim", "forged.fzb", "--format", "toy", "--games", "1"],
        ] {
            let (status, text) = run_everywhere(arguments, &folder);
            assert_eq!(status, 1, "{name}, {arguments:?}: {text}");
            // Loading the whole pack also compares the hash of the rules, which contains most names.
            assert!(text.contains("hidden character") || text.contains("other rules"), "{name}, {arguments:?}: {text}");
        }
    }
}

/// Names in traces and results are escaped.
#[test]
fn traces_and_results_are_escaped() {
    let folder = toy_folder("records");
    assert_eq!(fizzle("sim . --format toy --games 1 --traces traces --out a.json", &folder).status.code(), Some(0));
    let trace = fs::read(folder.join("traces/game-0.fzt")).unwrap();
    let mut trace = fizzle_runtime::trace::Trace::decode(&trace).unwrap();
    for (_, cards) in trace.header.decks.iter_mut().flatten() {
        cards[0].push_str(HOSTILE);
    }
    fs::write(folder.join("card.fzt"), trace.encode()).unwrap();
    trace.header.format = HOSTILE.to_owned();
    fs::write(folder.join("format.fzt"), trace.encode()).unwrap();
    for file in ["card.fzt", "format.fzt"] {
        let (status, text) = run_everywhere(&["replay", file, "."], &folder);
        assert!((1..=2).contains(&status) && text.contains("\\u{202e}"), "{file}: {text}");
    }
    let result = fs::read_to_string(folder.join("a.json")).unwrap();
    let mut result: serde_json::Value = serde_json::from_str(&result).unwrap();
    result["decks"][0] = HOSTILE.into();
    result["bots"][0] = HOSTILE.into();
    result["format"] = HOSTILE.into();
    fs::write(folder.join("b.json"), result.to_string()).unwrap();
    for arguments in [&["merge", "b.json"][..], &["merge", "b.json", "--cards"], &["merge", "b.json", "--message-format", "json"]]
    {
        let (status, text) = run_everywhere(arguments, &folder);
        assert_eq!(status, 0, "{arguments:?}: {text}");
        assert!(text.contains("\\u{202e}") || text.contains("\\u202e"), "{arguments:?}: {text}");
    }
}
