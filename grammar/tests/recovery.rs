//! Error recovery of cards whose head or blocks cannot be parsed: the messages, and the parts that are kept.

use fizzle_grammar::ast::ItemKind;
use fizzle_grammar::parse_file;

/// Messages with their lines; for each card its name, the numbers of facts and abilities, and quoted names that were not parsed.
fn summary(text: &str) -> String {
    let parsed = parse_file(0, text);
    let line = |byte: u32| text[..byte as usize].matches('\n').count() + 1;
    let mut parts: Vec<String> = parsed.errors.iter().map(|error| format!("{}: {error}", line(error.span.start))).collect();
    for item in &parsed.items {
        if let ItemKind::Card(card) = &item.kind {
            let unread = card.unread.as_ref().map_or(String::new(), |unread| format!(" without {unread:?}"));
            parts.push(format!("{} {}+{}{unread}", card.name.text, card.facts.len(), card.abilities.len()));
        }
    }
    parts.join("; ")
}

#[test]
fn a_block_without_its_brace_is_reported_once_and_parsed() {
    let cases = [
        ("card \"A\" {\n  spell\n  does\n    draw 1\n  }\n}\n", "3: expected `{`, found the end of the line; A 1+1 without []"),
        ("card \"A\" {\n  spell\n  does draw 1 }\n  power 3\n}\n", "3: expected `{`, found `draw`; A 2+1 without []"),
        ("card \"A\" {\n  spell\n  does draw 1\n  power 3\n}\n", "3: expected `{`, found `draw`; A 2+1 without []"),
        ("card \"A\" { spell  does draw 1 }\n", "1: expected `{`, found `draw`; A 1+1 without []"),
        (
            "card \"A\" {\n  when this enters field\n    draw 1\n    draw 2\n  power 3\n}\n",
            "2: expected `{` or `,`, found the end of the line; A 1+1 without []",
        ),
        ("card \"A\" {\n  when this enters field:\n    draw 1\n}\n", "A 0+1"),
        (
            "card \"A\" {\n  does {\n    if x > 3\n      draw 1\n    draw 2\n  }\n}\n",
            "3: expected `{`, found the end of the line; A 0+1 without []",
        ),
        ("card \"A\"\n  spell\n  power 3\n", "1: expected `{`, found the end of the line; A 2+0 without []"),
        ("card \"A\"\n  spell\n  power 3\n}\n", "1: expected `{`, found the end of the line; A 2+0 without []"),
    ];
    for (text, expected) in cases {
        assert_eq!(summary(text), expected, "{text}");
    }
}

#[test]
fn an_unreadable_head_keeps_the_name() {
    let cases = [
        ("card \"A\" fast { spell  power 3 }\n", "1: expected `{`, found `fast`; A 2+0 without []"),
        ("card Flying Bear { spell  power 3 }\n", "1: expected `{`, found `Bear`; Flying Bear 2+0 without []"),
        ("card { spell }\n", "1: expected a name or a quoted name, found `{`"),
        ("card 「A」 { spell }\n", "1: unknown character `「`; 1: unknown character `」`; A 1+0 without []"),
        ("card \"A { spell }\n", "1: this name is never closed; A 0+0 without []"),
        ("creature \"A\" { power 3 }\n", "1: no item begins with `creature`; A 0+0 without []"),
        (
            "card \"A\" { race \"X\" of \"Y\"\n  power 3 }\n",
            "1: expected a quoted name, an ability or a printed fact, `,` or the end of the line, found `of`; A 1+0 without [\"X\", \"Y\"]",
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(summary(text), expected, "{text}");
    }
}

/// Replacements are padded to any width: format strings have widths of 16 bits.
#[test]
fn long_replacements_keep_their_places() {
    let prices = format!("card \"A\" {{ spell cost {} }}\n", "{2} ".repeat(30_000));
    let numbers = format!("card \"A\" {{ spell does {{\n= = =\ndraw 1{}\n}} }}\n", ",000".repeat(20_000));
    let block = format!("card \"A\" {{\n  spell\n  does{}draw 1\n  power 3\n}}\n", " ".repeat(70_000));
    for (text, expected) in [(prices, "expected a price, found"), (numbers, "expected"), (block, "3: expected `{`, found `draw`")]
    {
        let found = summary(&text);
        assert!(found.contains(expected) && found.contains("A "), "{}", &found[..found.len().min(400)]);
    }
}

/// An item has at most 32 errors of each repair, regardless of how much of it is wrong.
#[test]
fn repairs_of_an_item_are_limited() {
    for (member, count) in
        [("cost {r} ", 2_000), ("does { draw one one } ", 1_000), ("does { draw one\n draw 1,000 2 }\n", 1_000)]
    {
        let text = format!("card \"A\" {{ spell\n = = =\n {} }}\n", member.repeat(count));
        let errors = parse_file(0, &text).errors.len();
        assert!((1..=64).contains(&errors), "{member}: {errors} errors");
    }
}
