//! Properties of any text: tokens are lossless, nothing panics, formatting changes only white space and is idempotent.

use fizzle_grammar::lexer::{Token, TokenKind, tokens};
use fizzle_grammar::{format, parse_expression, parse_file};
use proptest::prelude::*;

const SAMPLE: &str = include_str!("sample.fz");

/// Random sequences of tokens of the language.
fn random_tokens() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "card",
        "rule",
        "action",
        "format",
        "scenario",
        "turn",
        "step",
        "does",
        "when",
        "if",
        "then",
        "otherwise",
        "you",
        "may",
        "draw",
        "choose",
        "x",
        "火",
        "1",
        "-",
        "+",
        "=",
        "==",
        "-=",
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ",",
        ";",
        ":",
        ".",
        "'s",
        "\"N\"",
        "《名》",
        "\"",
        "《",
        "{2}",
        "{U}",
        "//c",
        "/// d",
        "\n",
        "\n",
        "\n  ",
        "  ",
        " ",
        " ",
        "\r\n",
        "\u{3000}",
        "of",
        "with",
        "and",
        "gets",
        "cannot",
        "@",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

/// The sample with a random part replaced by random tokens.
fn damaged_sample() -> impl Strategy<Value = String> {
    let marks: Vec<usize> = SAMPLE.char_indices().map(|(at, _)| at).collect();
    let count = marks.len();
    (0..count, 0..12_usize, random_tokens()).prop_map(move |(from, length, soup)| {
        let start = marks[from];
        let end = marks.get(from + length).copied().unwrap_or(SAMPLE.len());
        let soup: String = soup.chars().take(8).collect();
        format!("{}{soup}{}", &SAMPLE[..start], &SAMPLE[end..])
    })
}

fn significant_tokens(text: &str) -> Vec<(TokenKind, String)> {
    let keep = |token: &Token| !matches!(token.kind, TokenKind::Blank | TokenKind::Newline);
    tokens(text).iter().filter(|token| keep(token)).map(|token| (token.kind, token.text(text).trim_end().to_owned())).collect()
}

/// The `Debug` text of the tree without spans, and the number of errors.
fn tree_without_spans(text: &str) -> (String, usize) {
    let parsed = parse_file(0, text);
    let shown = format!("{:?}", parsed.items);
    let mut parts = shown.split("Span { file");
    let mut kept = parts.next().unwrap_or("").to_owned();
    for part in parts {
        kept.push_str(part.split_once('}').map_or("", |(_, rest)| rest));
    }
    (kept, parsed.errors.len())
}

fn check_invariants(text: &str) {
    let all = tokens(text);
    let mut at = 0;
    for token in &all {
        assert_eq!(token.start, at, "{text:?}");
        assert!(token.end > token.start);
        at = token.end;
    }
    assert_eq!(at as usize, text.len());
    let parsed = parse_file(0, text);
    for error in &parsed.errors {
        assert!(error.span.start <= error.span.end && error.span.end as usize <= text.len(), "{text:?} {error:?}");
        assert!(
            text.is_char_boundary(error.span.start as usize) && text.is_char_boundary(error.span.end as usize),
            "{text:?} {error:?}"
        );
    }
    let _ = parse_expression(text);
    let once = format(text);
    assert_eq!(format(&once), once, "formatting again changes {text:?}");
    assert_eq!(significant_tokens(&once), significant_tokens(text));
}

#[test]
fn the_sample_parses_and_survives_formatting() {
    check_invariants(SAMPLE);
    let parsed = parse_file(0, SAMPLE);
    assert!(parsed.errors.is_empty(), "{:#?}", parsed.errors);
    assert_eq!(tree_without_spans(SAMPLE), tree_without_spans(&format(SAMPLE)));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_characters(text in any::<String>()) {
        check_invariants(&text);
    }

    #[test]
    fn random_bytes(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check_invariants(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn random_words(text in random_tokens()) {
        check_invariants(&text);
    }

    #[test]
    fn damaged_samples(text in damaged_sample()) {
        check_invariants(&text);
    }

    #[test]
    fn formatting_keeps_the_meaning_of_damaged_samples(text in damaged_sample()) {
        if parse_file(0, &text).errors.is_empty() {
            prop_assert_eq!(tree_without_spans(&text), tree_without_spans(&format(&text)));
        }
    }

    #[test]
    fn line_breaks_of_a_right_text_may_be_indented_at_will(indents in prop::collection::vec(1..5_usize, 200)) {
        let mut indents = indents.into_iter().cycle();
        let messy: Vec<String> = SAMPLE.lines().map(|line| {
            let start = line.trim_start();
            if start.len() == line.len() { line.to_owned() } else { format!("{}{start}", " ".repeat(indents.next().unwrap_or(1))) }
        }).collect();
        prop_assert_eq!(tree_without_spans(SAMPLE), tree_without_spans(&messy.join("\n")));
        prop_assert_eq!(format(SAMPLE), format(&messy.join("\n")));
    }
}
