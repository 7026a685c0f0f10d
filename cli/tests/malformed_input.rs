//! Tests with malformed and hostile input: garbage, truncation, deep nesting, invalid UTF-8 and huge numbers produce an error quickly,
//! with exit status 1. Also tests the messages for a file with five mistakes.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PACK: &str = "pack strange {\n  edition 1\n  extends duel_masters\n}\n";

fn pack_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile").join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("pack.fz"), PACK).unwrap();
    folder
}

fn fizzle(args: &[&str], folder: &Path) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_fizzle")).args(args).current_dir(folder).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn assert_refused(name: &str, content: &[u8], expected: &str) {
    let folder = pack_folder(name);
    fs::write(folder.join("strange.fz"), content).unwrap();
    let (status, message) = fizzle(&["check", "."], &folder);
    assert_eq!(status, 1, "{name}: {message}");
    assert!(message.contains(expected), "{name}: {message}");
    assert!(message.len() < 20_000, "{name}: a message of {} bytes", message.len());
}

#[test]
fn malformed_sources_are_refused() {
    assert_refused(
        "brackets",
        format!("card \"x\" {{ does {{ let a = {}", "(".repeat(10_000_000)).as_bytes(),
        "nested more than 64 levels deep",
    );
    assert_refused(
        "braces",
        format!("card \"x\" {{ does {{ {}", "if true { ".repeat(50_000)).as_bytes(),
        "nested more than 64 levels deep",
    );
    assert_refused("utf8", b"card \"\xff\xfe\" { creature }", "not UTF-8");
    assert_refused("number", b"card \"n\" { creature cost 99999999999999999999999 }", "too large");
    assert_refused("quote", b"card \"n { creature }\n", "E0");
    assert_refused("nothing", b"\x00\x01\x02\x03", "E0");
}

/// Files without an end, and files that keep the reader waiting, are not read.
#[cfg(unix)]
#[test]
fn devices_are_refused() {
    let folder = pack_folder("devices");
    for line in ["check /dev/zero", "replay /dev/zero", "merge /dev/zero"] {
        let (status, message) = fizzle(&line.split(' ').collect::<Vec<_>>(), &folder);
        assert_eq!(status, 2, "{line}: {message}");
        assert!(message.contains("`/dev/zero`: it is not a regular file"), "{line}: {message}");
    }
}

/// Files that are too large are not read.
#[test]
fn large_files_are_refused() {
    let folder = pack_folder("large");
    for (line, name, limit) in [
        ("check large.fz", "large.fz", 33_554_432),
        ("replay large.fzt", "large.fzt", 8_388_608),
        ("merge large.json", "large.json", 8_388_608),
    ] {
        let file = fs::File::create(folder.join(name)).unwrap();
        // The file has no blocks on the disk.
        file.set_len(limit + 1).unwrap();
        let (status, message) = fizzle(&line.split(' ').collect::<Vec<_>>(), &folder);
        assert_eq!(status, 1, "{line}: {message}");
        assert!(message.contains(name) && message.contains(&limit.to_string()), "{line}: {message}");
        fs::remove_file(folder.join(name)).unwrap();
    }
}

/// An error in a deck file is reported with its position.
#[test]
fn deck_errors_have_positions() {
    let folder = pack_folder("decks");
    fs::write(folder.join("deck.fz"), "deck \"D\" { format duel_masters  main { 4294967296 \"Aqua Guard\" } }").unwrap();
    let (status, message) = fizzle(&["deck", "check", "deck.fz"], &folder);
    assert_eq!(status, 1, "{message}");
    assert!(message.contains("deck.fz:1:40") && message.contains("too large"), "{message}");
}

#[test]
fn damaged_files_are_refused() {
    let folder = pack_folder("compiled");
    let (status, message) = fizzle(&["build", ".", "-o", "good.fzb"], &folder);
    assert_eq!(status, 0, "{message}");
    let good = fs::read(folder.join("good.fzb")).unwrap();
    let mut flipped = good.clone();
    for place in flipped.iter_mut().skip(64).step_by(97) {
        *place ^= 0x55;
    }
    let files: [(&str, &[u8]); 4] = [
        ("empty.fzb", b""),
        ("garbage.fzb", &[7; 5000]),
        ("short.fzb", good.get(..good.len() / 2).unwrap()),
        ("flipped.fzb", &flipped),
    ];
    for (name, content) in files {
        fs::write(folder.join(name), content).unwrap();
        for command in [&["test", name][..], &["replay", name], &["deck", "check", name, "--format", "duel_masters"]] {
            let (status, message) = fizzle(command, &folder);
            assert_eq!(status, 1, "{command:?}: {message}");
            assert!(message.contains(name), "{command:?}: {message}");
        }
    }
    // One damaged byte: a command that reads the whole pack detects it. A command that reads a part detects it, or does not need that byte.
    let sim = ["sim", "one.fzb", "--format", "duel_masters", "--games", "1", "--message-format", "json"];
    fs::write(folder.join("one.fzb"), &good).unwrap();
    let whole = fizzle(&sim, &folder);
    assert_eq!(whole.0, 0, "{}", whole.1);
    let mut refused = 0;
    for part in 0..24 {
        let mut damaged = good.clone();
        let offset = 40 + part * (good.len() - 41) / 24;
        damaged[offset] ^= 0x10;
        fs::write(folder.join("one.fzb"), &damaged).unwrap();
        let (status, message) = fizzle(&["test", "one.fzb"], &folder);
        assert!(status == 1 && message.contains("`one.fzb`: the compiled pack"), "byte {offset}: {message}");
        let played = fizzle(&sim, &folder);
        refused += usize::from(played.0 == 1);
        assert!(
            played.0 == 0 || (played.0 == 1 && played.1.contains("`one.fzb`: the compiled pack")),
            "byte {offset}: {}",
            played.1
        );
    }
    assert!(refused > 4, "simulations detected only {refused} of 24 damaged packs");
}

#[test]
fn each_mistake_is_reported_at_its_position() {
    let folder = pack_folder("five");
    let source = "\
card 《五つの間違い》 { creture fire cost 3 power 3000
  when this entres battle { draw 1 }
  when this enters battle { destroy 1 creature of oponent with power <= 2000 }
  does { put 《存在しない札》 into your hnad }
}

card 《無事な札》 { creature fire cost 2 power 2000 }
";
    fs::write(folder.join("five.fz"), source).unwrap();
    let (status, message) = fizzle(&["check", "."], &folder);
    assert_eq!(status, 1);
    let found: Vec<String> = message
        .lines()
        .filter_map(|line| line.trim_start().strip_prefix("┌─ "))
        .map(|place| place.rsplit(['/', ' ']).next().unwrap().to_owned())
        .collect();
    let expected = ["five.fz:1:17", "five.fz:2:13", "five.fz:3:51", "five.fz:4:14", "five.fz:4:33"];
    assert_eq!(found, expected, "{message}");
    for help in ["`creature`", "`enters`", "`opponent`", "`hand`"] {
        assert!(message.contains(&format!("did you mean {help}?")), "{message}");
    }
    // The caret under `creture` follows wide characters, so it must be aligned by display width.
    let caret = message.lines().find(|line| line.contains("^^^^^^^")).unwrap();
    let above = message.lines().find(|line| line.contains("creture fire")).unwrap();
    let width = |text: &str| text.chars().map(|c| if (c as u32) >= 0x1100 && !"│─┌".contains(c) { 2 } else { 1 }).sum::<usize>();
    let at = above.find("creture").unwrap();
    assert_eq!(width(above.get(..at).unwrap()), width(caret.get(..caret.find('^').unwrap()).unwrap()), "{message}");
}

#[test]
fn explanations_differ_by_format() {
    let folder = pack_folder("explain");
    let explain = |format: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_fizzle"))
            .args(["explain", "スチーム・ハエタタキ", "--format", format])
            .current_dir(&folder)
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let lenient = explain("duel_magic");
    let strict = explain("duel_magic_targets");
    assert!(lenient.contains("it may be announced if there is nothing to choose"), "{lenient}");
    assert!(!strict.contains("it may be announced if there is nothing to choose"), "{strict}");
    assert_ne!(lenient, strict);
}
