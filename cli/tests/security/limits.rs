//! How much is printed about a stranger's sources: the number of diagnostics, the length of excerpts and of quoted names.

use super::{command, fizzle, printed, refuse, toy_folder};
use serde_json::Value;
use std::fs;
use std::path::Path;

/// Cards with one error each.
fn wrong_cards(count: usize) -> String {
    (0..count).map(|number| format!("card \"{number}\" {{ wrong }}\n")).collect()
}

#[test]
fn at_most_200_diagnostics_are_printed_for_people() {
    let folder = toy_folder("people");
    for (count, omission) in
        [(200, None), (201, Some("1 more problem is not shown")), (5_000, Some("4800 more problems are not shown"))]
    {
        fs::write(folder.join("cards.fz"), wrong_cards(count)).unwrap();
        let text = refuse("check .", &folder, 1, &format!("{count} errors"));
        assert_eq!(text.matches("error[").count(), count.min(200));
        assert_eq!(text.contains("not shown"), omission.is_some());
        assert!(text.contains(omission.unwrap_or("")), "{}", &text[text.len() - 500..]);
        // Commands that compile before their work print the same.
        assert_eq!(printed(&fizzle("test .", &folder)).matches("error[").count(), count.min(200));
    }
}

#[test]
fn at_most_10_000_diagnostics_are_listed_for_programs() {
    let folder = toy_folder("programs");
    fs::write(folder.join("cards.fz"), wrong_cards(10_020)).unwrap();
    let output = command(&["check", ".", "--message-format", "json"], &folder).output().unwrap();
    let lines: Vec<Value> =
        String::from_utf8(output.stderr).unwrap().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(lines.len(), 10_001);
    let last = lines.last().unwrap();
    assert_eq!((&last["severity"], &last["omitted"]), (&"note".into(), &20.into()), "{last}");
    let output = command(&["check", ".", "--message-format", "sarif"], &folder).output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let results = document["runs"][0]["results"].as_array().unwrap();
    assert_eq!(results.len(), 10_001);
    let last = results.last().unwrap();
    assert!(last["message"]["text"].as_str().unwrap().starts_with("20 more problems"), "{last}");
}

/// A long line is cut around the reported text, at any place in it.
#[test]
fn long_lines_are_cut_around_the_reported_text() {
    let folder = toy_folder("long-lines");
    let filler = "// 火".repeat(20_000);
    let blanks = " ".repeat(50_000);
    let many = "piece ".repeat(10_000);
    for (name, source, column) in [
        ("start", format!("card \"A\" {{ wrong }} {filler}"), 12),
        ("middle", format!("card \"A\" {blanks}{{ wrong }} {filler}"), 50_012),
        ("end", format!("card \"A\" {{ {many} wrong }}"), 60_013),
    ] {
        fs::write(folder.join("cards.fz"), source).unwrap();
        let text = printed(&fizzle("check .", &folder));
        let start = text.find("`wrong`").unwrap();
        let part = &text[text[..start].rfind("error[").unwrap()..];
        let part = &part[..part.find("\n\n").unwrap()];
        assert!(part.len() < 1_500, "{name}: {part}");
        assert!(part.contains(&format!("cards.fz:1:{column}")), "{name}: {part}");
        let line = part.lines().find(|line| line.contains("wrong }")).unwrap();
        let marks = part.lines().find(|line| line.contains("^^^^^")).unwrap();
        // The marks are under the word, counted in columns of the terminal.
        let width = |text: &str| text.chars().map(|c| if (c as u32) >= 0x3000 { 2 } else { 1 }).sum::<usize>();
        assert_eq!(width(&line[..line.find("wrong").unwrap()]), width(&marks[..marks.find('^').unwrap()]), "{name}: {part}");
        assert!(line.contains('…'), "{name}: {part}");
    }
}

/// Long names and prices are cut in messages of all kinds.
#[test]
fn long_names_are_cut() {
    let folder = toy_folder("long-names");
    let name = "火".repeat(20_000);
    fs::write(
        folder.join("cards.fz"),
        format!("card \"A\" {{ piece {{ {name} }} }}\ndeck \"D\" {{ format toy main {{ 1 \"{name}\" }} }}\n"),
    )
    .unwrap();
    for format in ["human", "json"] {
        let text = refuse(&format!("check . --message-format {format}"), &folder, 1, "火…火");
        assert!(text.len() < 20_000, "{format}: {} bytes", text.len());
    }
    let output = command(&["check", ".", "--message-format", "sarif"], &folder).output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    let results = document["runs"][0]["results"].to_string();
    assert!(results.contains("火…火") && results.len() < 20_000, "{} bytes", results.len());
}

/// Errors of commands and of the formatter have a limited length and number, too.
#[test]
fn errors_of_commands_are_limited() {
    let folder = toy_folder("errors");
    let name = "x".repeat(50_000);
    for line in
        [format!("check {name}"), format!("explain {name} ."), format!("sim . --format {name}"), format!("deck check {name} .")]
    {
        let text = refuse(&line, &folder, 2, "x…x");
        assert!(text.len() < 5_000, "{} bytes", text.len());
    }
    let broken = "card \"A\" { ( }\n".repeat(3);
    for number in 0..250 {
        fs::write(folder.join(format!("{number}.fz")), &broken).unwrap();
    }
    let text = refuse("fmt --edition 2 .", &folder, 1, "50 more problems are not shown");
    assert_eq!(text.matches("not rewritten").count(), 200);
}

/// The page about security names the constant of each limit, and the file that declares it.
#[test]
fn documented_limits_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
    let page = fs::read_to_string(root.join("docs/security.md")).unwrap();
    let mut found = 0;
    for line in page.lines().filter(|line| line.starts_with('|')) {
        let Some((file, rest)) = line.split('`').nth(1).zip(line.split('`').nth(3)) else { continue };
        if file.ends_with(".rs") && rest.starts_with("MAX_") {
            let source = fs::read_to_string(root.join(file)).unwrap();
            assert!(source.contains(&format!("const {rest}: ")), "{line}");
            found += 1;
        }
    }
    assert!(found >= 15, "{found} limits");
    for path in page.split('`').skip(1).step_by(2).filter(|word| word.contains('/') && !word.contains(' ')) {
        assert!(root.join(path).exists(), "`{path}`");
    }
}
