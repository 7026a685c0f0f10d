//! Prints a tree in a short form for tests: the `Debug` text without spans and absent parts.
#![allow(dead_code, missing_docs, clippy::panic, reason = "shared by several test programs; each uses a part")]

use std::fmt::Debug;

use fizzle_grammar::ast::{AbilityKind, ItemKind, StatementKind};
use fizzle_grammar::{parse_expression, parse_file};

/// The only item of a text. The text must be valid.
pub fn item(text: &str) -> ItemKind {
    let mut parsed = parse_file(0, text);
    assert!(parsed.errors.is_empty(), "{text}\n{:?}", parsed.errors);
    assert_eq!(parsed.items.len(), 1, "{text}");
    parsed.items.remove(0).kind
}

/// The statements of a block, one per line.
pub fn statements(text: &str) -> String {
    let ItemKind::Setup(block) = item(&format!("setup {{\n{text}\n}}")) else { panic!("the item is no setup") };
    let show = |statement: &fizzle_grammar::ast::Statement| format!("{:?} {}", statement.link, short(&statement.kind));
    block.statements.iter().map(show).collect::<Vec<_>>().join("\n")
}

/// The only statement of a text.
pub fn statement(text: &str) -> StatementKind {
    let ItemKind::Setup(mut block) = item(&format!("setup {{\n{text}\n}}")) else { panic!("the item is no setup") };
    assert_eq!(block.statements.len(), 1, "{text}");
    block.statements.remove(0).kind
}

/// The only ability of a text.
pub fn ability(text: &str) -> AbilityKind {
    let ItemKind::Rule { mut abilities, .. } = item(&format!("rule r {{\n{text}\n}}")) else { panic!("the item is no rule") };
    assert_eq!(abilities.len(), 1, "{text}");
    abilities.remove(0).kind
}

/// The short form of an expression.
pub fn expression(text: &str) -> String {
    match parse_expression(text) {
        Ok(expr) => short(&expr),
        Err(error) => panic!("{text}: {error:?}"),
    }
}

/// The short form of a value.
pub fn short(value: &impl Debug) -> String {
    let mut text = format!("{value:?}");
    remove_all(&mut text, ", span: Span {", "}");
    remove_all(&mut text, "span: Span {", "}");
    strip_wrapper(&mut text, "Name { text: ", " }");
    strip_wrapper(&mut text, "Expr { kind: ", " }");
    strip_wrapper(&mut text, "Phrase(Phrase { quantifier: None, other: false, head: ", ", filters: [] })");
    for absent in [
        "subject: None, ",
        "may: false, ",
        "strict: false, ",
        ", operands: []",
        ", prepositions: []",
        ", adverbs: []",
        ", binding: None",
        ", object: None",
        ", from: None",
        ", condition: None",
        "passive: false, ",
        ", floor: None",
        ", in_layer: None",
        ", add_layer: None",
        ", switch_layer: None",
        ", updates_timestamp: false",
        ", clears_effects: false",
        ", until: None",
        ", args: []",
        ", filters: []",
        "acting_param: None, ",
        "immediately: false, ",
        "quantifier: None, ",
        "other: false, ",
        "zones: [], ",
        "immediately: false, ",
        "off_list: false, ",
        "unstoppable: false, ",
        "selective: false, ",
        "timing_neutral: false, ",
        ", match_header: None",
        ", conceals: false",
        ", one_of: []",
        ", disguise: None",
        ", nameless: false",
        ", revealed_on_leaving: false",
        ", announced: None",
        ", kept_on_field: false",
        ", price_condition: None",
        ", numbers: None",
        ", produces: None",
        ", times: None",
        ", limit: None",
        "can_miss_timing: false, ",
        "one_or_more: None, ",
        ", nth_time: None",
        ", memory: None",
        "concealed: false, ",
        "keyword: None, ",
        ", faces: []",
        ", unread: None",
        ", value: None",
        ", spellings: []",
    ] {
        text = text.replace(absent, "");
    }
    for wrapper in ["Word(", "Number(", "Quoted(", "Group(", "Moment("] {
        // `Word("x")` is `"x"`
        if wrapper == "Word(" || wrapper == "Number(" {
            strip_wrapper(&mut text, wrapper, ")");
        }
    }
    text.replace('"', "'")
}

fn remove_all(text: &mut String, from: &str, to: &str) {
    while let Some(start) = text.find(from) {
        let end = text[start..].find(to).map_or(text.len(), |end| start + end + to.len());
        text.replace_range(start..end, "");
    }
}

/// Replaces `open X close` by `X` if brackets in X are balanced. Other uses of `open` do not change.
fn strip_wrapper(text: &mut String, open: &str, close: &str) {
    let mut from = 0;
    while let Some(start) = text[from..].find(open).map(|at| from + at) {
        let inner = start + open.len();
        let mut depth = 0_i32;
        let end = text[inner..].char_indices().find_map(|(at, c)| {
            if depth == 0 && text[inner + at..].starts_with(close) {
                return Some(inner + at);
            }
            depth += match c {
                '(' | '[' | '{' => 1,
                ')' | ']' | '}' => -1,
                _ => 0,
            };
            (depth < 0).then_some(usize::MAX)
        });
        match end {
            Some(end) if end != usize::MAX => {
                text.replace_range(end..end + close.len(), "");
                text.replace_range(start..inner, "");
                from = start;
            }
            _ => from = inner,
        }
    }
}
