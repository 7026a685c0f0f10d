//! Tests of `fizzle sheet`: names of cards are escaped, every card is on the page, and its text follows its program.

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

fn write_pack(name: &str, source: &str) -> PathBuf {
    write_pack_extending("duel_masters", name, source)
}

fn write_pack_extending(game: &str, name: &str, source: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sheet").join(name);
    fs::create_dir_all(&folder).unwrap();
    fs::write(folder.join("pack.fz"), format!("pack strange {{\n  edition 1\n  extends {game}\n}}\n")).unwrap();
    fs::write(folder.join("cards.fz"), source).unwrap();
    folder
}

fn sheet(folder: &Path, language: &str, file: &str) -> String {
    let args = ["sheet", ".", "--lang", language, "-o", file];
    let output = Command::new(env!("CARGO_BIN_EXE_fizzle")).args(args).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    fs::read_to_string(folder.join(file)).unwrap()
}

/// The names of the tags of a page.
fn tags(page: &str) -> Vec<&str> {
    page.split('<').skip(1).map(|rest| rest.split([' ', '>', '\n']).next().unwrap()).collect()
}

#[test]
fn hostile_names_are_escaped() {
    let source = r#"
card 《<script>alert("x")</script>》 { creature fire cost 1 power 1000 }
card 《</article></main>'&amp;'》 { creature fire cost 1 power 1000 }
card 《<img src=x onerror=alert(1)>》 {
  creature fire cost 2 power 1000 race "<b>Bold</b>"
  when this enters battle { destroy 1 creature of opponent that is "<b>Bold</b>" }
  when this is destroyed { bounce each creature of you that is not 《<script>alert("x")</script>》 }
}
"#;
    let folder = write_pack("hostile", source);
    for language in ["en", "ja"] {
        let page = sheet(&folder, language, "sheet.html");
        let known = ["!DOCTYPE", "html", "meta", "title", "style", "main", "article", "h2", "p"];
        for tag in tags(&page) {
            assert!(known.contains(&tag.trim_start_matches('/')), "<{tag}> in {page}");
        }
        assert_eq!(tags(&page).iter().filter(|tag| **tag == "article").count(), 3, "{page}");
        assert_eq!(tags(&page).iter().filter(|tag| **tag == "/article").count(), 3, "{page}");
        assert!(page.contains("<h2>&lt;script&gt;alert(&quot;x&quot;)&lt;/script&gt;</h2>"), "{page}");
        assert!(page.contains("&#39;&amp;amp;&#39;"), "{page}");
        assert!(page.contains(&format!("<html lang=\"{language}\">")), "{page}");
    }
}

#[test]
fn texts_follow_a_changed_number() {
    let card = |cards: u32| {
        format!("card 《引く者》 {{\n  creature water cost 3 power 2000\n  when this enters battle {{ draw {cards} }}\n}}\n")
    };
    let page = |cards| sheet(&write_pack("number", &card(cards)), "ja", "sheet.html");
    let (one, four) = (page(1), page(4));
    assert!(one.contains("カードを1枚引く"), "{one}");
    assert_eq!(one.replace("1枚引く", "4枚引く"), four);
}

#[test]
fn page_style_fits_any_paper_size() {
    let page = sheet(&write_pack("paper", "card 《長い者》 { creature water cost 3 power 2000 }\n"), "en", "Sheet.HTML");
    assert!(page.starts_with("<!DOCTYPE html>"), "{page}");
    assert!(page.contains("@page{") && !page.contains("size:A4") && !page.contains("overflow:hidden"), "{page}");
}

/// A part without rules text is shown as source, and `sheet` and `explain` report its position. For a compiled pack they report no
/// position.
#[test]
fn parts_without_words_are_reported() {
    let source = "action wobble(it: object) { tap it }\ncard 《Wobbler》 {\n  creature water cost 3 power 2000\n  \
                  when this enters battle { untap this then 2 times { wobble this } }\n}\n";
    let folder = write_pack("unsaid", source);
    let run = |args: &[&str]| {
        let output = Command::new(env!("CARGO_BIN_EXE_fizzle")).args(args).current_dir(&folder).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        (String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    for args in [&["sheet", "."][..], &["explain", "Wobbler", "."], &["sheet", ".", "-o", "sheet.html"]] {
        let (stdout, stderr) = run(args);
        assert!(args.contains(&"-o") || stdout.contains('⟦'), "{stdout}");
        assert!(
            stderr.contains("cards.fz:4:") && stderr.contains("no `en` rules text for `") && stderr.contains("` in `Wobbler`"),
            "{args:?}: {stderr}"
        );
    }
    run(&["build", ".", "-o", "pack.fzb"]);
    let (_, stderr) = run(&["explain", "Wobbler", "pack.fzb"]);
    assert!(
        stderr.contains("no `en` rules text for `") && stderr.contains("` in `Wobbler`") && !stderr.contains("cards.fz"),
        "{stderr}"
    );
    let (_, stderr) = run(&["explain", "コアキャリバー"]);
    assert!(!stderr.contains("no words"), "{stderr}");
}

/// The sheet of a format shows its own texts of replaced keywords and corrected cards. A format that extends it shows the same.
#[test]
fn sheets_of_formats_show_their_own_texts() {
    let sheet = |format: Option<&str>| {
        let args = ["sheet", "duel_masters"].into_iter().chain(format.iter().flat_map(|name| ["--format", *name]));
        let output = Command::new(env!("CARGO_BIN_EXE_fizzle")).args(args).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    };
    let card = |sheet: &str, name: &str| {
        let rest = sheet.split(&format!("\n{name}\n")).nth(1).unwrap();
        rest.split("\n\n").next().unwrap().to_owned()
    };
    let (usual, own, heir) = (sheet(None), sheet(Some("duel_magic")), sheet(Some("duel_magic_quick")));
    for name in ["光牙忍ハヤブサマル", "完全不明"] {
        assert_ne!(card(&usual, name), card(&own, name), "{name}");
        assert_eq!(card(&own, name), card(&heir, name), "{name}");
    }
    assert_eq!(card(&usual, "スチーム・ハエタタキ"), card(&own, "スチーム・ハエタタキ"));
    assert_eq!(usual, sheet(Some("duel_masters")));
}

/// Plain text shows printed words, too. Two triggers that differ only in their event are merged into one line; triggers with different
/// effects are not.
#[test]
fn lines_with_equal_texts_are_merged() {
    let card = |name: &str, one: u32, other: u32| {
        format!(
            "card \"{name}\" {{\n  trap  continuous\n  immediately when you draw {{ gain {one} }}\n  \
             immediately when you normal_draw {{ gain {other} }}\n}}\n"
        )
    };
    let folder = write_pack_extending("yugioh", "lines", &(card("Same", 300, 300) + &card("Two", 300, 400)));
    let page = sheet(&folder, "en", "sheet.txt");
    let lines: Vec<&str> = page.lines().filter(|line| !line.is_empty()).map(str::trim).collect();
    let expected = [
        "Same",
        "trap, continuous",
        "Each time you draw a card(s), gain 300 LP.",
        "Two",
        "trap, continuous",
        "When you draw a card(s) by a card effect, gain 300 LP.",
        "When you draw during your Draw Phase, gain 400 LP.",
    ];
    assert_eq!(lines, expected);
}

#[test]
fn each_ending_has_its_layout_and_others_are_refused() {
    let folder = write_pack("endings", "card \"A*b\" {\n  creature fire race \"Human\" cost 1 power 1000\n  speed_attacker\n}\n");
    let print = |file: &str| {
        let path = folder.join(file);
        let output = std::process::Command::new(env!("CARGO_BIN_EXE_fizzle"))
            .args(["print".as_ref(), folder.as_os_str(), "-o".as_ref(), path.as_os_str()])
            .output()
            .unwrap();
        (output.status.code(), std::fs::read_to_string(&path), String::from_utf8(output.stderr).unwrap())
    };
    let written = |file: &str| {
        let (status, text, messages) = print(file);
        assert_eq!(status, Some(0), "{messages}");
        assert!(messages.contains("1 card in "), "{messages}");
        text.unwrap()
    };
    assert!(written("a.html").starts_with("<!DOCTYPE html>"));
    assert!(written("a.HTM").starts_with("<!DOCTYPE html>"));
    assert!(written("a.txt").starts_with("A*b\n  "));
    assert!(written("plain").starts_with("A*b\n  "));
    assert!(written("a.md").starts_with("## A\\*b\n\n*"), "{}", written("a.md"));
    let cards: serde_json::Value = serde_json::from_str(&written("a.json")).unwrap();
    assert_eq!((&cards[0]["name"], cards[0]["text"].as_array().unwrap().len()), (&"A*b".into(), 1), "{cards}");
    for file in ["a.pdf", "a.docx"] {
        let (status, text, messages) = print(file);
        assert_eq!((status, text.is_err()), (Some(2), true), "{messages}");
        assert!(messages.contains("cards are written as `.html`, `.md`, `.json` or `.txt`"), "{messages}");
    }
}

#[test]
fn without_cards_no_file_is_written() {
    let folder = write_pack("no_cards", "deck \"None\" { format duel_masters }\n");
    let file = folder.join("out.html");
    let output = std::process::Command::new(env!("CARGO_BIN_EXE_fizzle"))
        .args(["print".as_ref(), folder.as_os_str(), "-o".as_ref(), file.as_os_str()])
        .output()
        .unwrap();
    let messages = String::from_utf8(output.stderr).unwrap();
    assert_eq!((output.status.code(), file.exists()), (Some(1), false), "{messages}");
    assert!(messages.contains("there is no card in ") && messages.contains("nothing was written"), "{messages}");
}
