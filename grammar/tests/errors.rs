//! Messages for invalid texts, as `line:column text: message [help]`.

#![allow(clippy::disallowed_methods, reason = "a test reads the shipped files")]

mod common;

use fizzle_grammar::{SyntaxErrorKind, parse_file};

/// The messages for a text.
fn messages(text: &str) -> Vec<String> {
    let parsed = parse_file(0, text);
    let show = |error: &fizzle_grammar::SyntaxError| {
        let before = &text[..error.span.start as usize];
        let line = before.matches('\n').count() + 1;
        let column = before.rsplit('\n').next().unwrap_or("").chars().count() + 1;
        let place = &text[error.span.start as usize..error.span.end as usize];
        let help = error.help.as_ref().map_or(String::new(), |help| format!(" [{help}]"));
        format!("{line}:{column} {place}: {error}{help}")
    };
    parsed.errors.iter().map(show).collect()
}

fn single_message(text: &str) -> String {
    let messages = messages(text);
    assert_eq!(messages.len(), 1, "{text}\n{messages:#?}");
    messages.into_iter().next().unwrap_or_default()
}

#[test]
fn every_mistake_is_reported_and_valid_items_are_kept() {
    let text = "card Black Lotus { relic }\n\
                crad \"X\" { relic }\n\
                card \"good\" { relic }\n\
                action target(x: number) { draw 1 }\n\
                card \"str {\n}\n\
                rule fine { you cannot draw }\n";
    assert_eq!(
        messages(text),
        [
            "1:12 Lotus: expected `{`, found `Lotus` [a name of several words is quoted: `card \"Black Lotus\"`]",
            "2:1 crad: no item begins with `crad` [did you mean `card`?]",
            "4:8 target: `target` is a reserved word and cannot be a name [choose another name]",
            "5:6 \"str {: this name is never closed [close it with `\"` on the same line]",
        ]
    );
    // `crad` is parsed as the intended keyword.
    let kept: Vec<String> = parse_file(0, text).items.iter().map(|item| common::short(&item.kind)).collect();
    // The name of a card with an unreadable head is known.
    assert_eq!(kept.len(), 5, "{kept:?}");
    let names = ["'Black Lotus'", "'X'", "'good'", "'str'", "'fine'"];
    assert!(kept.iter().zip(names).all(|(kept, name)| kept.contains(name)), "{kept:?}");
}

#[test]
fn two_mistakes_in_a_card_are_two_errors_and_valid_members_are_kept() {
    let text = "card \"x\" {\n  creature\n  dose { draw 1 }\n  when this enters battle { draw 1; destroy 1 creature of; discard 1 }\n  does { draw 2 }\n}\n";
    assert_eq!(
        messages(text),
        [
            "3:3 dose: expected a word that begins a block, found `dose` [did you mean `does`?]",
            "4:58 ;: expected a noun or a value, found `;`",
        ]
    );
    let shown = common::short(&parse_file(0, text).items[0].kind);
    assert!(shown.contains("'creature'") && shown.contains("'discard'") && shown.contains("operands: [2]"), "{shown}");
    assert!(!shown.contains("'destroy'"), "{shown}");
}

#[test]
fn a_missing_brace_hides_no_further_item() {
    let text = "card \"a\" {\n  does {\n    draw 1\n}\nrule after { you cannot draw }\n";
    assert_eq!(messages(text), ["2:8 {: this `{` is never closed [add the missing `}`]"]);
    assert_eq!(parse_file(0, text).items.len(), 2);
}

#[test]
fn common_mistakes_get_a_help() {
    for (body, help) in [
        ("if x = 3 { draw 1 }", "`==` compares"),
        ("let x == 3", "set a value with `=`"),
        ("then draw 1", "needs a statement before it"),
        ("if you do { draw 1 }", "needs a statement before it"),
        ("let x = a / 2", "write the rounding of a quotient"),
        ("x draws 2", "in parentheses: `(x) draws …`"),
        ("let each = 2", "choose another name"),
        ("draw “x”", "straight quotes"),
        ("if a && b { draw 1 }", "joined by `and` and `or`"),
    ] {
        let messages = messages(&format!("setup {{ {body} }}"));
        assert!(messages.iter().any(|message| message.contains(help)), "{body}: {messages:#?}");
    }
    assert!(single_message("format f extends g {\n  replce constant x = 3\n}").contains("did you mean `replace`?"));
    assert!(single_message("does { draw 1 }\n").contains("remove the extra `}` above"));
    assert!(single_message("rule r { you cannot draw }\n}\n").contains("expected the end of the item"));
    assert!(single_message("payment p of kinds { pool x }").contains("`from` is missing"));
    assert!(single_message("constant x = 99999999999999999999").contains("too large"));
}

#[test]
fn a_broken_difference_or_step_does_not_affect_others() {
    let text = "format f extends g {\n  remove\n  ban \"X\"\n  errata \"Z\" { whenevr x { draw 1 } }\n}\n\
                scenario \"s\" {\n  format f\n  A passes\n  expect x y\n  B passes\n}\n";
    let messages = messages(text);
    assert_eq!(messages.len(), 3, "{messages:#?}");
    assert!(messages[1].contains("did you mean `whenever`?"), "{messages:#?}");
    let parsed = parse_file(0, text);
    let shown = common::short(&parsed.items[1].kind);
    assert!(shown.contains("Pass(['A'])") && shown.contains("Pass(['B'])"), "{shown}");
}

#[test]
fn nesting_depth_is_limited() {
    let deep = format!("card \"x\" {{ does {{ draw {} }} }}\nrule r {{ you cannot draw }}", "(".repeat(1_000_000));
    let parsed = parse_file(0, &deep);
    assert_eq!(parsed.items.len(), 1);
    assert!(matches!(parsed.errors[0].kind, SyntaxErrorKind::TooDeep { .. }), "{:?}", parsed.errors);
    for chain in [
        format!("{}y", "not ".repeat(1000)),
        format!("y{}", " + 1".repeat(1000)),
        format!("y{}", " * 2".repeat(1000)),
        format!("{}y", "- ".repeat(1000)),
        format!("y{}", "'s z".repeat(1000)),
    ] {
        let parsed = parse_file(0, &format!("constant x = {chain}"));
        assert!(matches!(parsed.errors[0].kind, SyntaxErrorKind::TooDeep { .. }), "{:?}", parsed.errors);
    }
    // What reads a path may read each of its beginnings.
    let path = |names: usize| parse_file(0, &format!("format f extends g {{ remove turn{} }}", ".a".repeat(names - 1)));
    assert!(matches!(path(65).errors[0].kind, SyntaxErrorKind::TooDeep { .. }), "{:?}", path(65).errors);
    assert!(path(64).errors.is_empty());
    // long but flat
    assert!(parse_file(0, &format!("constant x = y{}", " or z".repeat(5000))).errors.is_empty());
    for depth in [8, 10, 11, 32, 60, 62] {
        let nested = format!("constant x = {}1{}", "(".repeat(depth), ")".repeat(depth));
        assert!(parse_file(0, &nested).errors.is_empty());
        let nested = format!("setup {{ {}draw{} }}", "if a { ".repeat(depth), " }".repeat(depth));
        assert!(parse_file(0, &nested).errors.is_empty());
    }
}

#[test]
fn doc_comments_attach_to_the_item_below() {
    let text = "/// lost\n\n/// One.\n/// Two.\ncard \"a\" { }\n// no\ncard \"b\" { }\n";
    let parsed = parse_file(3, text);
    assert_eq!(parsed.items[0].docs, "One.\nTwo.");
    assert_eq!(parsed.items[1].docs, "");
    assert_eq!((parsed.items[0].span.file, parsed.items[0].span.start as usize), (3, text.find("card").unwrap_or(0)));
    let ranges = fizzle_grammar::item_ranges(text);
    assert_eq!(ranges[0].docs_start as usize, text.find("/// One").unwrap_or(0));
}

#[test]
fn reserved_words_are_refused_as_names() {
    for word in fizzle_grammar::lexer::RESERVED {
        assert!(!parse_file(0, &format!("constant {word} = 1")).errors.is_empty(), "{word}");
        assert!(parse_file(0, &format!("constant {word}s_of_x = 1")).errors.is_empty(), "{word}");
    }
}

/// If any single token of the first item is missing, the items below it are still parsed.
#[test]
fn a_mistake_in_the_first_item_hides_no_other_item() {
    let cards = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../cards");
    let mut files = Vec::new();
    let mut folders = vec![cards];
    while let Some(folder) = folders.pop() {
        let mut entries: Vec<_> = std::fs::read_dir(folder)
            .expect("the folder can be read")
            .map(|entry| entry.expect("the entry can be read").path())
            .collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "fz") {
                files.push(path);
            }
        }
    }
    let mut tried = 0;
    for path in files {
        let text = std::fs::read_to_string(&path).expect("the file is UTF-8");
        let ranges = fizzle_grammar::item_ranges(&text);
        let [first, second, ..] = ranges.as_slice() else { continue };
        let (start, end) = (first.start as usize, first.end as usize);
        let valid_count = ranges.len() - 1;
        let rest = &text[second.docs_start as usize..ranges.get(3).map_or(text.len(), |range| range.docs_start as usize)];
        let tokens: Vec<_> = fizzle_grammar::lexer::tokens(&text[start..end]).into_iter().skip(1).collect();
        let solid: Vec<_> = tokens.iter().filter(|token| !token.kind.is_trivia()).step_by(4).take(4).collect();
        for token in solid {
            let (from, to) = (start + token.start as usize, start + token.end as usize);
            let broken = format!("{}{}\n\n{rest}", &text[start..from], &text[to..end]);
            let read = parse_file(0, &broken).items.len();
            assert!(read >= valid_count.min(2), "{}: without `{}`: {read} of {valid_count}", path.display(), &text[from..to]);
            tried += 1;
        }
    }
    assert!(tried > 500, "{tried}");
}

#[test]
fn the_rest_of_a_text_with_too_many_errors_is_not_read() {
    let limit = fizzle_grammar::MAX_ERRORS;
    let head = "card \"first\" { relic }\n";
    let parsed = parse_file(0, &format!("{head}{}card \"last\" {{ relic }}\n", "\"\n".repeat(limit + 7)));
    assert_eq!(parsed.errors.len(), limit + 1);
    let last = parsed.errors.last().expect("an error");
    assert_eq!(last.to_string(), "more than 20000 errors; the rest of the file is not read");
    assert_eq!(last.span.start as usize, head.len() + 2 * limit - 1, "the first token that is not read");
    assert_eq!(parsed.items.len(), 1);
    // As many as are kept: all is read.
    let parsed = parse_file(0, &format!("{head}{}card \"last\" {{ relic }}\n", "\"\n".repeat(limit - 1)));
    assert_eq!((parsed.errors.len(), parsed.items.len()), (limit - 1, 2));
}
