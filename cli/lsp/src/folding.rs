//! Folding ranges: the brackets of items and blocks that span several lines, and runs of comments.

use super::server_state::ServerState;
use fizzle_grammar::lexer::{Token, TokenKind};
use fizzle_grammar::split;
use lsp_types::{FoldingRange, FoldingRangeKind, FoldingRangeParams};

/// The most ranges of an answer.
const MAX_RANGES: usize = 20_000;

/// Answers `textDocument/foldingRange`.
pub fn folding_ranges(state: &ServerState, params: &FoldingRangeParams) -> Option<Vec<FoldingRange>> {
    let (text, lines) = state.text(state.file_number(&params.text_document.uri)?)?;
    let line = |byte: u32| lines.position(&text, byte).line;
    let split = split(0, &text);
    let mut found = Vec::new();
    for item in &split.items {
        for (open, close) in pairs(split.tokens.get(item.tokens.clone()).unwrap_or_default()) {
            // the line of the closing bracket stays visible
            let (first, last) = (line(open.start), line(close.start).saturating_sub(1));
            if first < last {
                found.push(range(first, last, None));
            }
        }
    }
    for (first, last) in comment_runs(&split.tokens, &text) {
        let (first, last) = (line(first), line(last));
        if first < last {
            found.push(range(first, last, Some(FoldingRangeKind::Comment)));
        }
    }
    found.sort_by_key(|range| (range.start_line, std::cmp::Reverse(range.end_line)));
    found.dedup_by_key(|range| range.start_line);
    found.truncate(MAX_RANGES);
    Some(found)
}

fn range(start_line: u32, end_line: u32, kind: Option<FoldingRangeKind>) -> FoldingRange {
    FoldingRange { start_line, end_line, kind, ..FoldingRange::default() }
}

/// The brackets of an item with the brackets that close them. Brackets that are not closed yet are left out.
fn pairs(tokens: &[Token]) -> Vec<(Token, Token)> {
    let mut open: Vec<Token> = Vec::new();
    let mut found = Vec::new();
    for token in tokens {
        if token.kind.opens() {
            open.push(*token);
        } else if token.kind.closes() {
            found.extend(open.pop().map(|open| (open, *token)));
        }
    }
    found
}

/// The first and last byte of each run of comments of one kind that have lines of their own.
fn comment_runs(tokens: &[Token], text: &str) -> Vec<(u32, u32)> {
    let mut runs: Vec<(TokenKind, u32, u32)> = Vec::new();
    let mut begins_line = true;
    // how many newlines came since the last comment
    let mut newlines = 0;
    for token in tokens {
        match token.kind {
            TokenKind::Newline => {
                begins_line = true;
                newlines += token.text(text).matches('\n').count();
            }
            TokenKind::Blank => {}
            kind @ (TokenKind::Comment | TokenKind::Doc) if begins_line => {
                match runs.last_mut() {
                    Some((last, _, end)) if *last == kind && newlines == 1 => *end = token.start,
                    _ => runs.push((kind, token.start, token.start)),
                }
                (begins_line, newlines) = (false, 0);
            }
            _ => {
                begins_line = false;
                newlines = 2;
            }
        }
    }
    runs.into_iter().map(|(_, start, end)| (start, end)).collect()
}
