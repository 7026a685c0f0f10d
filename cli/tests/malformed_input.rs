//! Inputs from strangers: garbage, truncation, nesting, invalid UTF-8 and absurd numbers get an error, quickly, and exit status 1.
//! And the messages for a file with five mistakes.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const PACK: &str = "pack strange {\n  edition 1\n  extends duel_masters\n}\n";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("hostile").join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("pack.fz"), PACK).unwrap();
    folder
}

fn fizzle(args: &[&str], folder: &Path) -> (i32, String) {
    let output = Command::new(env!("CARGO_BIN_EXE_fizzle")).args(args).current_dir(folder).output().unwrap();
    (output.status.code().unwrap(), String::from_utf8_lossy(&output.stderr).into_owned())
}

fn refused(name: &str, content: &[u8], expected: &str) {
    let folder = folder(name);
    fs::write(folder.join("strange.fz"), content).unwrap();
    let (status, message) = fizzle(&["check", "."], &folder);
    assert_eq!(status, 1, "{name}: {message}");
    assert!(message.contains(expected), "{name}: {message}");
    assert!(message.len() < 20_000, "{name}: a message of {} bytes", message.len());
}

#[test]
fn sources() {
    refused(
        "brackets",
        format!("card \"x\" {{ does {{ let a = {}", "(".repeat(10_000_000)).as_bytes(),
        "nested more than 64 deep",
    );
    refused("braces", format!("card \"x\" {{ does {{ {}", "if true { ".repeat(50_000)).as_bytes(), "nested more than 64 deep");
    refused("utf8", b"card \"\xff\xfe\" { creature }", "not UTF-8");
    refused("number", b"card \"n\" { creature cost 99999999999999999999999 }", "too large");
    refused("quote", b"card \"n { creature }\n", "E0");
    refused("nothing", b"\x00\x01\x02\x03", "E0");
}

/// What has no end is read up to the bound of what it should be.
#[cfg(unix)]
#[test]
fn devices() {
    let folder = folder("devices");
    for (line, most) in [("check /dev/zero", "33554432"), ("replay /dev/zero", "67108864"), ("merge /dev/zero", "16777216")] {
        let (status, message) = fizzle(&line.split(' ').collect::<Vec<_>>(), &folder);
        assert_eq!(status, 1, "{line}: {message}");
        assert!(message.contains("/dev/zero") && message.contains(most), "{line}: {message}");
    }
}

/// A deck file that cannot be read is told of where it cannot be read.
#[test]
fn decks_with_mistakes() {
    let folder = folder("decks");
    fs::write(folder.join("deck.fz"), "deck \"D\" { format duel_masters  main { 4294967296 \"Aqua Guard\" } }").unwrap();
    let (status, message) = fizzle(&["deck", "check", "deck.fz"], &folder);
    assert_eq!(status, 1, "{message}");
    assert!(message.contains("deck.fz:1:40") && message.contains("too large"), "{message}");
}

#[test]
fn compiled_packs_traces_and_decks() {
    let folder = folder("compiled");
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
    // One byte anywhere: whoever reads all of it notices, whoever reads a part of it notices or does not need it.
    let sim = ["sim", "one.fzb", "--format", "duel_masters", "--games", "1", "--message-format", "json"];
    fs::write(folder.join("one.fzb"), &good).unwrap();
    let whole = fizzle(&sim, &folder);
    assert_eq!(whole.0, 0, "{}", whole.1);
    let mut refused = 0;
    for part in 0..24 {
        let mut damaged = good.clone();
        let at = 40 + part * (good.len() - 41) / 24;
        damaged[at] ^= 0x10;
        fs::write(folder.join("one.fzb"), &damaged).unwrap();
        let (status, message) = fizzle(&["test", "one.fzb"], &folder);
        assert!(status == 1 && message.contains("`one.fzb`: the compiled pack"), "byte {at}: {message}");
        let played = fizzle(&sim, &folder);
        refused += usize::from(played.0 == 1);
        assert!(played.0 == 0 || (played.0 == 1 && played.1.contains("`one.fzb`: the compiled pack")), "byte {at}: {}", played.1);
    }
    assert!(refused > 4, "{refused} of 24 were noticed by who plays");
}

#[test]
fn five_mistakes_are_five_messages_at_their_places() {
    let folder = folder("five");
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
    // The caret under `creture` stands after eight wide characters: it is aligned by the width of what is above it.
    let caret = message.lines().find(|line| line.contains("^^^^^^^")).unwrap();
    let above = message.lines().find(|line| line.contains("creture fire")).unwrap();
    let width = |text: &str| text.chars().map(|c| if (c as u32) >= 0x1100 && !"│─┌".contains(c) { 2 } else { 1 }).sum::<usize>();
    let at = above.find("creture").unwrap();
    assert_eq!(width(above.get(..at).unwrap()), width(caret.get(..caret.find('^').unwrap()).unwrap()), "{message}");
}

#[test]
fn one_card_two_formats_two_outcomes() {
    let folder = folder("explain");
    let said = |format: &str| {
        let output = Command::new(env!("CARGO_BIN_EXE_fizzle"))
            .args(["explain", "スチーム・ハエタタキ", "--format", format])
            .current_dir(&folder)
            .output()
            .unwrap();
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    let lenient = said("duel_magic");
    let strict = said("duel_magic_targets");
    assert!(lenient.contains("it may be announced with nothing to choose"), "{lenient}");
    assert!(!strict.contains("it may be announced with nothing to choose"), "{strict}");
    assert_ne!(lenient, strict);
}
