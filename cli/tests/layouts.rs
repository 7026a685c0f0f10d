//! Tests of the formatter on random layouts of all shipped files: it preserves the syntax tree and all comments, and it is idempotent.
//!
//! `FIZZLE_LAYOUTS` sets the number of layouts (a quick run has 300, a full run 10,000).

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "shipped/sources.rs"]
mod sources;

use fizzle_compiler::SourceFile;
use fizzle_grammar::lexer::{Token, TokenKind, tokens};
use fizzle_grammar::{format, parse_file};
use fizzle_runtime::dice::Dice;
use fizzle_runtime::ir::Artifact;
use fizzle_runtime::program::Program;

fn layout_count() -> u64 {
    std::env::var("FIZZLE_LAYOUTS").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

/// The same tokens with different white space, as far as an author may change it without a change of meaning.
fn random_layout(text: &str, dice: &mut Dice) -> String {
    let mut out = String::new();
    let all: Vec<Token> = tokens(text).into_iter().collect();
    let solid = |token: &&Token| !matches!(token.kind, TokenKind::Blank | TokenKind::Newline);
    let end = if dice.below(8) == 0 { "\r\n" } else { "\n" };
    for (at, token) in all.iter().enumerate() {
        let before = all[..at].last();
        let after = all.get(at + 1);
        let line_starts = before.is_none_or(|before| before.kind == TokenKind::Newline);
        match token.kind {
            TokenKind::Newline => {
                out.push_str(&" ".repeat(if dice.below(4) == 0 { dice.below(3) as usize } else { 0 }));
                out.push_str(end);
                // Empty lines, but not after a comment: a doc comment belongs to the item directly below it.
                let bare = all[..at].iter().rev().find(solid).is_none_or(|token| !token.kind.is_trivia());
                if bare && dice.below(6) == 0 {
                    out.push_str(&end.repeat(1 + dice.below(3) as usize));
                }
            }
            // Indented lines stay indented; the width does not matter.
            TokenKind::Blank if line_starts => out.push_str(&random_blank(1 + dice.below(9), dice)),
            TokenKind::Blank => {
                let bracket = |token: Option<&Token>| token.is_some_and(|token| token.kind.opens() || token.kind.closes());
                let min_width = u32::from(!bracket(before) || token.text(text).len() > 1);
                out.push_str(&random_blank(min_width.max(1) + dice.below(4), dice));
            }
            _ => {
                out.push_str(token.text(text));
                // A line break is allowed after an opening brace.
                if token.kind == TokenKind::OpenBrace
                    && after.is_some_and(|after| after.kind == TokenKind::Blank)
                    && dice.below(9) == 0
                {
                    out.push_str(end);
                }
            }
        }
    }
    out
}

fn random_blank(width: u32, dice: &mut Dice) -> String {
    if dice.below(12) == 0 { "\t".into() } else { " ".repeat(width as usize) }
}

/// All tokens except white space.
fn significant_tokens(text: &str) -> Vec<(TokenKind, &str)> {
    let keep = |token: &Token| !matches!(token.kind, TokenKind::Blank | TokenKind::Newline);
    tokens(text).iter().filter(|token| keep(token)).map(|token| (token.kind, token.text(text).trim_end())).collect()
}

/// The syntax tree as text, without spans.
fn tree_without_spans(file: &str, text: &str) -> String {
    let mut parsed = parse_file(0, text);
    parsed.items.iter_mut().for_each(|item| item.spellings.clear());
    assert!(parsed.errors.is_empty(), "{file}: {:?}\n{text}", parsed.errors);
    let shown = format!("{:?}", parsed.items);
    let mut parts = shown.split("Span { file");
    let mut kept = parts.next().unwrap_or("").to_owned();
    for part in parts {
        kept.push_str(part.split_once('}').map_or("", |(_, rest)| rest));
    }
    kept
}

#[test]
fn formatting_random_layouts_preserves_the_tree() {
    let files = sources::sources();
    let trees: Vec<String> = files.iter().map(|file| tree_without_spans(&file.path, &file.text)).collect();
    for seed in 0..layout_count() {
        let mut dice = Dice::new(seed);
        let at = dice.below(files.len() as u32) as usize;
        let file = &files[at];
        let unformatted = random_layout(&file.text, &mut dice);
        let formatted = format(&unformatted);
        assert_eq!(format(&formatted), formatted, "{}, layout {seed}: formatting again changes something", file.path);
        assert!(
            significant_tokens(&formatted) == significant_tokens(&file.text),
            "{}, layout {seed}: something but white space changed",
            file.path
        );
        assert!(
            tree_without_spans(&file.path, &formatted) == trees[at],
            "{}, layout {seed}: the meaning changed\n{unformatted}",
            file.path
        );
    }
}

/// The rules hash of every format; `None` if the format cannot be linked for two players.
fn rules_hashes(files: Vec<SourceFile>) -> Vec<(String, Option<u64>)> {
    let result = fizzle_compiler::compile(files);
    let artifact: Artifact = result.artifact.unwrap_or_else(|| panic!("{:?}", result.diagnostics));
    let of = |format: usize, game: &_| Program::link_for(game, format, &[], 2).map(|program| program.rules_hash);
    let games = artifact.games.iter();
    games.flat_map(|game| game.formats.iter().enumerate().map(move |(n, format)| (format.name.clone(), of(n, game)))).collect()
}

#[test]
fn formatting_preserves_the_rules() {
    let files = sources::sources();
    let expected = rules_hashes(files.clone());
    for seed in 0..layout_count().div_ceil(300) {
        let mut dice = Dice::new(seed);
        let files_formatted =
            files.iter().map(|file| SourceFile { text: format(&random_layout(&file.text, &mut dice)), ..file.clone() });
        assert_eq!(rules_hashes(files_formatted.collect()), expected, "layout {seed}");
    }
}
