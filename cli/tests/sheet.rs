//! Tests of `fizzle sheet`: names of cards are escaped, every card is on the page, and its text is rendered from its program.

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

/// A text without its line ends.
fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A call without rules text is written with the name of its action, and `sheet` and `explain` report its position. For a compiled pack they report no
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
        assert!(args.contains(&"-o") || words(&stdout).contains("wobble this creature") && !stdout.contains('⟦'), "{stdout}");
        assert!(
            stderr.contains("cards.fz:4:") && stderr.contains("no `en` rules text for `") && stderr.contains("` in `Wobbler`"),
            "{args:?}: {stderr}"
        );
    }
    run(&["build", ".", "-o", "pack.fzb"]);
    let (stdout, stderr) = run(&["explain", "Wobbler", "pack.fzb"]);
    assert!(words(&stdout).contains("wobble this creature") && !stderr.contains("no `en` rules text"), "{stdout}{stderr}");
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
        let cards = sheet.split("\n\n");
        cards.into_iter().find(|card| card.split("  ").next() == Some(name)).unwrap().to_owned()
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
        "Continuous Trap",
        "Each time you draw a card(s), gain 300 LP.",
        "Two",
        "Continuous Trap",
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
    assert!(written("a.txt").starts_with("A*b  "));
    assert!(written("plain").starts_with("A*b  "));
    assert!(written("a.md").starts_with("## A\\*b Cost 1\n\n*"), "{}", written("a.md"));
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

/// The lines of the cards of a pack, in a language.
fn printed(name: &str, game: &str, source: &str, language: &str) -> Vec<String> {
    let folder = write_pack_extending(game, name, source);
    sheet(&folder, language, "sheet.txt").lines().map(str::to_owned).collect()
}

/// A line with one text at its left and one at its right, 76 columns wide. Letters of East Asia take two columns.
fn line(left: &str, right: &str) -> String {
    let columns = |text: &str| text.chars().map(|letter| if u32::from(letter) >= 0x2E80 { 2 } else { 1 }).sum::<usize>();
    format!("{left}{}{right}", " ".repeat(76 - columns(left) - columns(right)))
}

#[test]
fn zeros_that_a_card_writes_are_printed() {
    let magic = "card \"Ooze\" { creature  subtype \"Ooze\"  green  mana_cost {0}  power 0  toughness 0 }\n\
                 card \"Wall\" { creature  subtype \"Wall\"  white  mana_cost {W}  power 0  toughness 4 }\n\
                 card \"Field\" { land }\n";
    let expected = [
        line("Ooze", "{0}"),
        "  Green Creature — Ooze".to_owned(),
        line("", "0/0"),
        String::new(),
        line("Wall", "{W}"),
        "  Creature — Wall".to_owned(),
        line("", "0/4"),
        String::new(),
        // A card without a price and numbers prints none.
        "Field".to_owned(),
        "  Land".to_owned(),
    ];
    let lines = printed("zeros_magic", "magic", magic, "en");
    assert_eq!(lines.iter().take(expected.len()).collect::<Vec<_>>(), expected.iter().collect::<Vec<_>>());

    let monster = "card \"Nil\" { monster  dark  race \"Fiend\"  level 4  atk 0  def 0 }\n";
    let lines = printed("zeros_yugioh", "yugioh", monster, "en");
    assert_eq!(lines[..3], [line("Nil", "Level 4"), "  DARK Monster — Fiend".to_owned(), line("", "ATK 0  DEF 0")]);

    let creature = "card 《零》 { creature  light  race \"Guardian\"  cost 0  power 0 }\n";
    let lines = printed("zeros_duel", "duel_masters", creature, "ja");
    assert_eq!(lines[..3], [line("零", "コスト 0"), "  光・クリーチャー — ガーディアン".to_owned(), line("", "パワー 0")]);
}

/// Numbers that the text of a card defines are shown as `*`; back faces follow their card, once.
#[test]
fn defined_numbers_and_faces_are_printed() {
    let source = "card \"Moor Lurker\" {\n  creature  subtype \"Lhurgoyf\"  green  mana_cost {G}\n  \
                  defines { power = count of creature in graveyard, toughness = 2 }\n}\n\
                  card \"Front\" {\n  creature  subtype \"Human\"  blue  mana_cost {U}  power 1  toughness 1\n  \
                  back \"Rear\" { creature  subtype \"Insect\"  blue  power 3  toughness 2  front_value 1  flying }\n}\n";
    let lines = printed("faces", "magic", source, "en");
    assert!(lines.contains(&line("", "*/*")), "{lines:?}");
    assert_eq!(lines.iter().filter(|line| line.starts_with("Front")).count(), 1, "{lines:?}");
    let rear: Vec<&String> = lines.iter().skip_while(|line| *line != "Rear").take(4).collect();
    assert_eq!(rear, [&"Rear".to_owned(), &"  Blue Creature — Insect".to_owned(), &"  Flying".to_owned(), &line("", "3/2")]);
    let joined = "card \"Whole\" {\n  creature light race \"Guardian\" cost 5 power 4000\n  \
                  face \"Half\" { spell light cost 2 does { draw 1 } }\n}\n";
    let lines = printed("twinpact", "duel_masters", joined, "en");
    for name in ["Whole ", "Half "] {
        assert_eq!(lines.iter().filter(|line| line.starts_with(name)).count(), 1, "{lines:?}");
    }
}

/// The text of each card, unwrapped, in a language.
fn texts(name: &str, game: &str, cards: &[(&str, &str)], language: &str) -> Vec<String> {
    let card = |(at, (facts, text)): (usize, &(&str, &str))| format!("card \"Card {at}\" {{ {facts}  {text} }}\n");
    let folder = write_pack_extending(game, name, &cards.iter().enumerate().map(card).collect::<String>());
    let cards: serde_json::Value = serde_json::from_str(&sheet(&folder, language, "sheet.json")).unwrap();
    let lines = |card: &serde_json::Value| {
        card["text"].as_array().unwrap().iter().map(|line| line.as_str().unwrap().to_owned()).collect::<Vec<_>>().join(" / ")
    };
    cards.as_array().unwrap().iter().map(lines).collect()
}

/// What a text selects is printed where it is selected, also if only `in them` refers to it; statements without effect print nothing.
#[test]
fn texts_keep_what_they_select() {
    let red = "sorcery red mana_cost {R}";
    let both = "does { choose 2 target creature as them; deal 2 damage to each creature in them }";
    let cards = [
        (red, both),
        (red, "does { exile target creature of hand }"),
        (red, "does { if life of you > 3 { draw 1 } otherwise { } }"),
        (red, "does { let n = 3 }"),
        (red, "does { each opponent discards each card in hand }"),
    ];
    let expected = [
        "Choose two target creatures. Card 0 deals 2 damage to each of them.",
        "Exile target creature card from a hand.",
        "If your life total is greater than 3, draw a card.",
        "",
        "Each opponent discards their hand.",
    ];
    assert_eq!(texts("selected_en", "magic", &cards, "en"), expected);
    let japanese = texts("selected_ja", "magic", &cards, "ja");
    assert_eq!(japanese[0], "クリーチャー2体を対象とする。Card 0はその中の各クリーチャーにそれぞれ2点のダメージを与える。");
    assert_eq!(japanese[4], "各対戦相手はそれぞれ自分の手札をすべて捨てる。");
}

/// A phase is no word for damage, and a place is printed once.
#[test]
fn phases_and_places_are_named_as_their_games_do() {
    let white = "enchantment white mana_cost {W}";
    let cards = [(white, "at start of combat of you { gain 1 }"), (white, "at end of combat of opponent { draw 1 }")];
    let expected =
        ["At the beginning of combat on your turn, you gain 1 life.", "At end of combat on each opponent's turn, draw a card."];
    assert_eq!(texts("combat_en", "magic", &cards, "en"), expected);
    let expected =
        ["あなたのターンの戦闘の開始時に、あなたは1点のライフを得る。", "各対戦相手のターンの戦闘終了時に、カードを1枚引く。"];
    assert_eq!(texts("combat_ja", "magic", &cards, "ja"), expected);
    let cards = [
        ("spell", "does { destroy each card in field of opponent }"),
        ("spell", "does { opponent discards each card in hand }"),
        ("spell continuous", "opponent cannot activate spell"),
    ];
    let expected = [
        "Destroy all monsters and face-up Spells/Traps your opponent controls.",
        "Your opponent discards their entire hand.",
        "Your opponent cannot activate Spell Cards.",
    ];
    assert_eq!(texts("places_en", "yugioh", &cards, "en"), expected);
    let expected = [
        "①：相手フィールドのモンスターと表側表示の魔法・罠カード全てを破壊する。",
        "①：相手は手札を全て捨てる。",
        "①：相手は魔法カードを発動できない。",
    ];
    assert_eq!(texts("places_ja", "yugioh", &cards, "ja"), expected);
}
