//! Tests of the formats, one row each, and of what is refused.

use super::*;
use crate::Pack;
use fizzle_runtime::ir::{CompiledGame, Format};
use std::fmt::Write as _;
use std::sync::LazyLock;

/// Magic with cards whose names are hard: two that differ by an apostrophe, one that begins with digits, one with brackets, one with quotes.
static PACK: LazyLock<Pack> = LazyLock::new(|| {
    let manifest = "pack mine {\n  edition 2\n  title \"Mine\"\n  extends magic\n}\n";
    let twin = |name: &str| format!("pack {name} {{ edition 2  extends magic }}\ncard \"Twin Ember\" {{ }}\n");
    let files = [
        ("mine/pack.fz", manifest.to_owned()),
        ("mine/cards.fz", include_str!("tests/hard_names.fz").to_owned()),
        ("sets/crimson.fz", twin("crimson")),
        ("sets/azure.fz", twin("azure")),
    ];
    Pack::compile(files).expect("the pack compiles")
});

fn game(format: &str) -> (&'static CompiledGame, &'static Format) {
    let found = PACK.games().iter().find_map(|game| Some((game, game.formats.iter().find(|it| it.name == format)?)));
    found.expect("the pack has the format")
}

fn resolve(extension: Option<&str>, text: &str) -> ResolvedList {
    let (game, format) = game("magic");
    match DeckList::read(extension, text) {
        Ok(list) => list.resolve(game, format, "list"),
        Err(problem) => ResolvedList { problems: vec![problem], ..ResolvedList::default() },
    }
}

/// The cards in words: `main: 4 Shock; side: 2 Duress`.
fn cards(list: &ResolvedList) -> String {
    let mut words = String::new();
    let mut section = "";
    for card in &list.cards {
        let separator = if words.is_empty() {
            ""
        } else if card.section == section {
            ", "
        } else {
            "; "
        };
        let heading = if card.section == section { String::new() } else { format!("{}: ", card.section) };
        let _ = write!(words, "{separator}{heading}{} {}", card.count, card.name);
        section = &card.section;
    }
    words
}

#[track_caller]
fn reads(extension: Option<&str>, text: &str, expected: &str) -> ResolvedList {
    let list = resolve(extension, text);
    assert_eq!(list.problems, [], "{text}");
    assert_eq!(cards(&list), expected, "{text}");
    list
}

/// The problems in words, as `LINE: TEXT`.
#[track_caller]
fn refused(extension: Option<&str>, text: &str) -> Vec<String> {
    let problems = resolve(extension, text).problems;
    assert!(!problems.is_empty(), "{text}");
    problems.iter().map(|problem| format!("{}: {}", problem.line, problem.kind)).collect()
}

#[test]
fn each_format_is_read() {
    let both = "main: 4 Shock, 2 Mountain; side: 2 Duress";
    let rows = [
        (None, "4 Shock\n2 Mountain\n\n2 Duress\n"),
        (None, "Shock×4\nMountain ×2\n\n2枚 Duress\n"),
        (Some("txt"), "4x Shock\n2X Mountain\nSideboard\n2 Duress\n"),
        (Some("dec"), "// a list\n# of mine\n4 shock\nMountain x2\nSB: 2 duress\n"),
        (None, "Deck\r\n4 Shock (M21) 159\r\n2 Mountain (M21) 269a *F*\r\n\r\nSideboard\r\n2 Duress (M19) 94\r\n"),
        (
            Some("dck"),
            "[metadata]\nName=Burn\n[Avatar]\n\n[Main]\n4 Shock|M21|1\n2 Mountain|M21\n[Sideboard]\n2 Duress|M19|[94]\n",
        ),
        (
            Some("dck"),
            "NAME:Burn\n4 [M21:159] Shock\n2 [M21:269] Mountain\nSB: 2 [M19:94] Duress\nLAYOUT MAIN:(1,1)(NONE,false,50)|([M21:159])\n",
        ),
        (None, "Main: 6\n4x\tShock\n2\tMountain\nSideboard: 2\n2x\tDuress\n"),
        (None, "Main Deck:\n4 Shock [Burn]\nMountain\nMountain\nSide Deck:\n2 Duress\n"),
        (None, "\u{feff}deck \"Mine\" { format magic main { 4 \"Shock\" 2 \"Mountain\" } side { 2 \"Duress\" } }"),
        (
            Some("cod"),
            "<?xml version=\"1.0\"?>\n<cockatrice_deck version=\"1\"><deckname>Burn</deckname>\n<zone name=\"main\"><card number=\"4\" name=\"Shock\"/>\
             <card number='2' name='Mountain'/></zone>\n<zone name=\"side\"><card number=\"2\" name=\"Duress\"></card></zone>\
             <zone name=\"tokens\"><card number=\"1\" name=\"Goblin\"/></zone></cockatrice_deck>",
        ),
        (
            Some("cod"),
            "<cockatrice_deck><zone name=\"Tokens\"><card number=\"1\" name=\"Goblin\"/></zone><zone name=\"main\"><card number=\"4\" name=\"Shock\"/>\
             <card number=\"2\" name=\"Mountain\"/></zone><zone name=\"side\"><card number=\"2\" name=\"Duress\"/></zone></cockatrice_deck>",
        ),
    ];
    for (extension, text) in rows {
        let expected = if text.contains("Mountain\nMountain") {
            both.replace("2 Mountain", "1 Mountain, 1 Mountain")
        } else {
            both.to_owned()
        };
        reads(extension, text, &expected);
    }
}

#[test]
fn names_of_decks_are_read() {
    let name = |extension, text| resolve(extension, text).deck.name;
    assert_eq!(name(Some("dck"), "[metadata]\nName = Burn\n[Main]\n4 Shock"), "Burn");
    assert_eq!(name(None, "About\nName Burn it\n\nDeck\n4 Shock"), "Burn it");
    assert_eq!(
        name(
            Some("cod"),
            "<cockatrice_deck><deckname>R&amp;D &#65;</deckname><zone name=\"main\"><card name=\"Shock\"/></zone></cockatrice_deck>"
        ),
        "R&D A"
    );
    assert_eq!(name(None, "deck \"Mine\" { main { \"Shock\" } }"), "Mine");
    assert_eq!(name(None, "4 Shock"), "list");
}

#[test]
fn names_of_cards_are_found_as_people_write_them() {
    reads(None, "1 TORMOD\u{2019}S  crypt", "main: 1 Tormod's Crypt");
    reads(None, "1 Loyal Cathar // Unhallowed Cathar", "main: 1 Loyal Cathar");
    reads(None, "1 loyal cathar/unhallowed cathar", "main: 1 Loyal Cathar");
    reads(None, "1 7 Tools\n7 Tools", "main: 1 7 Tools, 1 7 Tools");
    reads(None, "2 Erase (Not the Other One) (UNH) 9", "main: 2 Erase (Not the Other One)");
    reads(None, "1 \"Brand\" of Ash", "main: 1 \"Brand\" of Ash");
    // The exact name decides.
    reads(None, "1 O'Neil\n2 O\u{2019}Neil", "main: 1 O'Neil, 2 O\u{2019}Neil");
    assert_eq!(refused(None, "1 o'neil"), ["1: `o'neil` can be `O'Neil` or `O\u{2019}Neil`: write the name as the card has it"]);
    assert_eq!(refused(None, "1 Unhallowed Cathar"), ["1: there is no card `Unhallowed Cathar`"]);
    assert_eq!(refused(None, "1 Loyal Cathar // Shock"), ["1: there is no card `Loyal Cathar // Shock`"]);
}

#[test]
fn sections_are_those_of_the_format() {
    let has = "it has `main` (60 to 250 cards), `side` (0 to 15 cards)";
    assert_eq!(
        refused(None, "Commander:\n1 Shock\n1 Duress\n[Main]\n4 Shock"),
        [format!("1: the format has no section `Commander`: {has}")]
    );
    assert_eq!(
        refused(None, "4 Shock\nCommander\n1 Duress"),
        [format!("2: there is no card `Commander`, and no section of this name: {has}; a comment begins with `//`")]
    );
    // The number can be that of copies, or that of the cards below.
    assert_eq!(refused(None, "Shock (4)"), ["1: there is no card `Shock (4)` (did you mean `Shock`?)"]);
    assert_eq!(
        refused(None, "Spells (4)\n4 Shock"),
        [format!("1: there is no card `Spells (4)`, and no section of this name: {has}; a comment begins with `//`")]
    );
    reads(None, "Main (4)\n4 Shock\nSideboard (2):\n2 Duress", "main: 4 Shock; side: 2 Duress");
    // An unknown section without cards is no problem: programs write all that they know.
    reads(Some("dck"), "[Planes]\n[Main]\n4 Shock\n[Schemes]", "main: 4 Shock");
    assert_eq!(refused(None, "4 Mountian"), ["1: there is no card `Mountian` (did you mean `Mountain`?)"]);
}

#[test]
fn blank_lines_begin_the_second_section_only_where_that_is_clear() {
    let notes = |text: &str, expected: &str| reads(None, text, expected).notes.join("|");
    let one = "the cards from line 3 on, behind the blank line, are in section `side`";
    assert_eq!(notes("4 Shock\n\n2 Duress", "main: 4 Shock; side: 2 Duress"), one);
    assert_eq!(notes("\n\n4 Shock\n\n// Spells\n2 Duress", "main: 4 Shock, 2 Duress"), "");
    assert_eq!(notes("Deck\n\n4 Shock\n\n2 Duress", "main: 4 Shock, 2 Duress"), "");
    assert!(notes("4 Shock\n\n2 Duress\n\n3 Mountain", "main: 4 Shock, 2 Duress, 3 Mountain").contains("3 groups"));
    assert_eq!(notes("4 Shock\n\n// Sideboard\n2 Duress", "main: 4 Shock; side: 2 Duress"), "");
}

#[test]
fn what_is_no_list_is_refused() {
    let passcodes = "0: the list names cards by their passcodes";
    for (extension, text) in [
        (Some("ydk"), "#created by me\n#main\n46986414\n#extra\n!side\n"),
        (Some("YDK"), ""),
        (None, "#main\n46986414\n46986414\n"),
        (Some("txt"), "46986414\n89631139\n"),
        (None, "ydke://o6lXBQ==!!!"),
    ] {
        assert!(refused(extension, text).concat().starts_with(passcodes), "{text}");
    }
    assert_eq!(refused(None, " \n// nothing\n"), ["0: the list has no cards; write lines such as `4 NAME`"]);
    assert_eq!(
        refused(None, "deck \"A\" { }\ndeck \"B\" { }")[0],
        "0: a list has one `deck` and nothing else; a file with more needs a name that ends in `.fz`"
    );
    assert!(refused(None, "deck \"A\" {\n  main { 4 Shock\n").concat().contains(": "));
}

#[test]
fn wrong_xml_is_refused() {
    let xml = |text: &str| refused(Some("cod"), text).concat();
    assert_eq!(xml("<deck/>"), "1: the XML is no deck of Cockatrice: its first element is `deck`, not `cockatrice_deck`");
    assert!(xml("<!DOCTYPE a [<!ENTITY b \"c\">]><cockatrice_deck/>").contains("it has a document type"));
    assert!(xml("<cockatrice_deck>\n<zone>").contains("it ends inside of an element"));
    assert!(xml("<cockatrice_deck>\n</zone>").starts_with("2: the XML cannot be read: "));
    assert!(xml(&format!("<cockatrice_deck>{}", "<zone>".repeat(1000))).contains("nested too deeply"));
    assert!(xml("").contains("it has no element"));
    assert!(xml("4 Shock").contains("it has no element"));
    let card = |card: &str| xml(&format!("<cockatrice_deck>\n<zone name=\"main\">{card}</zone></cockatrice_deck>"));
    assert_eq!(card("<card number=\"-1\" name=\"Shock\"/>"), "2: a line has 1 to 250 copies, not -1");
    assert_eq!(card("<card number=\"1\"/>"), "2: a number without the name of a card");
    assert_eq!(card("<card name=\"Sho&#x202e;ck\"/>"), "2: the name has the hidden character `\\u{202e}`");
}

#[test]
fn sizes_are_limited() {
    assert_eq!(
        refused(None, "0 Shock\n251 Shock\n99999999999999999999 Shock"),
        [
            "1: a line has 1 to 250 copies, not 0",
            "2: a line has 1 to 250 copies, not 251",
            "3: a line has 1 to 250 copies, not 999999999999",
        ]
    );
    assert_eq!(refused(None, "4\n4 "), ["1: a number without the name of a card"]);
    assert_eq!(refused(None, &format!("4 {}", "a".repeat(201))), ["1: the name has more than 200 characters"]);
    assert_eq!(refused(None, "4 Sho\u{202e}ck\n4 Sho\u{7}ck").len(), 2);
    assert_eq!(refused(None, &"1 Shock\n".repeat(1001)), ["1001: the list has more than 1000 lines with cards"]);
    assert_eq!(refused(None, &"250 Shock\n".repeat(17)), ["17: the list has more than 4095 cards"]);
    assert_eq!(refused(None, &"a".repeat(MAX_LIST_BYTES as usize + 1)), ["0: the list is too large: the limit is 262144 bytes"]);
    assert!(refused(None, &"1 Nothing of this name\n".repeat(200)).len() <= MAX_PROBLEMS);
    // Large lists without cards take no time.
    assert_eq!(refused(None, &"\n#\n".repeat(60_000)).len(), 1);
    assert_eq!(refused(None, &"a\n".repeat(100_000)).len(), MAX_PROBLEMS);
    assert_eq!(refused(None, &format!("1 Shock {}", "(a)".repeat(80_000))), ["1: the name has more than 200 characters"]);
    assert_eq!(refused(Some("cod"), &format!("<cockatrice_deck {}/>", "a=\"\" ".repeat(40_000))).len(), 1);
}

#[test]
fn a_deck_is_the_same_after_it_was_written_and_read() {
    let text = "52 Mountain\n4 Shock\n1 \"Brand\" of Ash\n1 O'Neil\n1 Erase (Not the Other One)\n1 7 Tools\n\n2 Duress";
    let list = resolve(None, text);
    assert_eq!(list.problems, []);
    let (game, _) = game("magic");
    let source = to_source(&list.deck, game);
    assert!(source.starts_with("deck \"list\" {\n  format magic\n  main {\n    52 \"Mountain\"\n"), "{source}");
    assert_eq!(fizzle_grammar::format(&source), source);
    for written in [source, to_plain_list(&list.deck, game)] {
        let again = resolve(None, &written);
        assert_eq!(again.problems, [], "{written}");
        assert_eq!(again.deck.sections, list.deck.sections, "{written}");
    }
}

/// Two packs have a card of one name: in a list, the name of the pack comes before it.
#[test]
fn cards_of_several_packs_are_listed_with_their_packs() {
    let list = resolve(None, "4 crimson.Twin Ember\n2 azure.twin ember\n");
    assert_eq!(cards(&list), "main: 4 crimson.Twin Ember, 2 azure.Twin Ember");
    let list = resolve(None, "4 Twin Ember\n");
    let problem = list.problems.first().expect("a problem").to_string();
    assert!(problem.contains("crimson.Twin Ember") && problem.contains("azure.Twin Ember"), "{problem}");
}
