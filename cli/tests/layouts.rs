//! The formatter on random layouts of all shipped files: it changes no meaning, loses no comment, and formatting again changes nothing.
//!
//! `FIZZLE_LAYOUTS` says how many layouts of files are tried (the short form of CI is 300, the long one 10,000).

#![allow(clippy::unwrap_used, clippy::panic, missing_docs)]

#[path = "shipped/sources.rs"]
mod sources;

use fizzle_compiler::SourceFile;
use fizzle_grammar::lexer::{Token, TokenKind, tokens};
use fizzle_grammar::{format, parse_file};
use fizzle_runtime::bot::Dice;
use fizzle_runtime::ir::Artifact;
use fizzle_runtime::program::Program;

fn layouts() -> u64 {
    std::env::var("FIZZLE_LAYOUTS").ok().and_then(|n| n.parse().ok()).unwrap_or(300)
}

/// The same tokens with other white space: as much as an author may change without meaning something else.
fn laid_out(text: &str, dice: &mut Dice) -> String {
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
                // Empty lines, below what is no comment: a doc comment belongs to the item right below it.
                let bare = all[..at].iter().rev().find(solid).is_none_or(|token| !token.kind.is_trivia());
                if bare && dice.below(6) == 0 {
                    out.push_str(&end.repeat(1 + dice.below(3) as usize));
                }
            }
            // What is indented stays so; how far does not matter.
            TokenKind::Blank if line_starts => out.push_str(&blank(1 + dice.below(9), dice)),
            TokenKind::Blank => {
                let bracket = |token: Option<&Token>| token.is_some_and(|token| token.kind.opens() || token.kind.closes());
                let least = u32::from(!bracket(before) || token.text(text).len() > 1);
                out.push_str(&blank(least.max(1) + dice.below(4), dice));
            }
            _ => {
                out.push_str(token.text(text));
                // A block may be opened at the end of a line.
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

fn blank(width: u32, dice: &mut Dice) -> String {
    if dice.below(12) == 0 { "\t".into() } else { " ".repeat(width as usize) }
}

/// Everything but white space.
fn solid(text: &str) -> Vec<(TokenKind, &str)> {
    let keep = |token: &Token| !matches!(token.kind, TokenKind::Blank | TokenKind::Newline);
    tokens(text).iter().filter(|token| keep(token)).map(|token| (token.kind, token.text(text).trim_end())).collect()
}

/// The tree without spans.
fn tree(file: &str, text: &str) -> String {
    let parsed = parse_file(0, text);
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
fn random_layouts_of_shipped_files_mean_the_same() {
    let files = sources::sources();
    let trees: Vec<String> = files.iter().map(|file| tree(&file.path, &file.text)).collect();
    for seed in 0..layouts() {
        let mut dice = Dice::new(seed);
        let at = dice.below(files.len() as u32) as usize;
        let file = &files[at];
        let messy = laid_out(&file.text, &mut dice);
        let once = format(&messy);
        assert_eq!(format(&once), once, "{}, layout {seed}: formatting again changes something", file.path);
        assert!(solid(&once) == solid(&file.text), "{}, layout {seed}: something but white space changed", file.path);
        assert!(tree(&file.path, &once) == trees[at], "{}, layout {seed}: the meaning changed\n{messy}", file.path);
    }
}

/// The hash of the rules of every format; none where two players are no table.
fn hashes(files: Vec<SourceFile>) -> Vec<(String, Option<u64>)> {
    let result = fizzle_compiler::compile(files);
    let artifact: Artifact = result.artifact.unwrap_or_else(|| panic!("{:?}", result.diagnostics));
    let of = |format: usize, game: &_| Program::link_for(game, format, &[], 2).map(|program| program.rules_hash);
    let games = artifact.games.iter();
    games.flat_map(|game| game.formats.iter().enumerate().map(move |(n, format)| (format.name.clone(), of(n, game)))).collect()
}

#[test]
fn formatted_packs_have_the_same_rules() {
    let files = sources::sources();
    let right = hashes(files.clone());
    for seed in 0..layouts().div_ceil(300) {
        let mut dice = Dice::new(seed);
        let again = files.iter().map(|file| SourceFile { text: format(&laid_out(&file.text, &mut dice)), ..file.clone() });
        assert_eq!(hashes(again.collect()), right, "layout {seed}");
    }
}
