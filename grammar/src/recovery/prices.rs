//! Error recovery for prices: rewrites prices with small letters, blanks or commas, and removes a `cost` block that contains only a price.
//!
//! The replacement has the length of the original, so that positions do not move.

use super::members::{BLOCK_WORDS, ItemText, MAX_ERRORS, place_span};
use crate::error::{NEW_LINE_HELP, SyntaxError, SyntaxErrorKind};
use crate::lexer::{Token, TokenKind, is_reserved, tokens};
use crate::padding::pad_end;

/// Replaces malformed prices and reports them, at most [`MAX_ERRORS`] of an item. Returns whether there were any.
///
/// A repaired price can become part of a longer one, so each is searched from the start of the item.
pub(crate) fn repair_prices(place: ItemText<'_>, fixed: &mut String, errors: &mut Vec<SyntaxError>) -> bool {
    let known = errors.len();
    while errors.len() < known + MAX_ERRORS
        && let Some(wrong) = find_malformed(fixed)
    {
        let width = wrong.end - wrong.start;
        let read = if wrong.replacement.len() > width { String::new() } else { wrong.replacement };
        fixed.replace_range(wrong.start..wrong.end, &pad_end(&read, width));
        let found = format!("`{}`", wrong.written).into();
        let kind = SyntaxErrorKind::Expected { found, expected: vec![wrong.expected.to_owned()] };
        let end = wrong.start + wrong.reported_offset + wrong.written.len();
        errors.push(SyntaxError {
            span: place_span(place, wrong.start + wrong.reported_offset, end),
            kind,
            help: Some(wrong.help),
        });
    }
    errors.len() > known
}

/// A price that the grammar refuses, and its replacement.
struct MalformedPrice {
    /// First byte of the replaced text.
    start: usize,
    /// One past its last byte.
    end: usize,
    /// The text that replaces it; padded with blanks.
    replacement: String,
    /// Offset of the reported text from `start`.
    reported_offset: usize,
    written: String,
    expected: &'static str,
    help: String,
}

fn find_malformed(text: &str) -> Option<MalformedPrice> {
    let all: Vec<Token> = tokens(text).into_iter().filter(|token| token.kind != TokenKind::Blank).collect();
    let item = all.first().map_or("", |token| token.text(text));
    let card = matches!(item, "card" | "token" | "errata");
    // the two words before each open brace
    let mut open: Vec<(&str, &str)> = Vec::new();
    for (index, token) in all.iter().enumerate() {
        let back = |n: usize| index.checked_sub(n).and_then(|at| all.get(at));
        let word = |n: usize| back(n).map_or("", |token| token.text(text));
        let ahead = all.get(index + 1..).unwrap_or(&[]);
        let found = match token.kind {
            TokenKind::Symbol => spaced_symbols(text, back(1), &all[index..]),
            TokenKind::OpenBrace if card && open.len() == 1 && back(1).is_some_and(|token| precedes_price(token, text)) => {
                malformed_symbol(text, token.start as usize)
            }
            TokenKind::Word if token.text(text) == "cost" => match open.last() {
                Some((_, "activated") | ("option" | "cost", _)) => price_in_cost(text, token, ahead),
                Some(_) if item == "play" && open.len() == 1 => price_in_cost(text, token, ahead),
                _ => None,
            },
            _ => None,
        };
        if found.is_some() {
            return found;
        }
        match token.kind {
            TokenKind::OpenBrace => open.push((word(2), word(1))),
            TokenKind::CloseBrace => drop(open.pop()),
            _ => {}
        }
    }
    None
}

/// Whether a price can follow the token: it is the name of a fact, or a symbol of the same price.
fn precedes_price(token: &Token, text: &str) -> bool {
    let word = token.text(text);
    match token.kind {
        TokenKind::Symbol => true,
        TokenKind::Word => !is_reserved(word) && !BLOCK_WORDS.contains(&word) && word != "values",
        _ => false,
    }
}

/// `{2} {R}`: blanks between symbols.
fn spaced_symbols(text: &str, before: Option<&Token>, all: &[Token]) -> Option<MalformedPrice> {
    if before.is_some_and(|token| token.kind == TokenKind::Symbol) {
        return None;
    }
    let symbols: Vec<&Token> = all.iter().take_while(|token| token.kind == TokenKind::Symbol).collect();
    let (first, last) = (symbols.first()?, symbols.last()?);
    let (start, end) = (first.start as usize, last.end as usize);
    if before.is_some_and(|token| token.kind != TokenKind::Newline)
        && let Some(ability) = price_before_ability(text, &symbols, all.get(symbols.len()..)?)
    {
        return Some(ability);
    }
    let written = text.get(start..end)?.to_owned();
    let read: String = symbols.iter().map(|token| token.text(text)).collect();
    let help = format!("a price has no blanks: `{read}`");
    (read != written).then_some(MalformedPrice {
        start,
        end,
        replacement: read,
        reported_offset: 0,
        written,
        expected: "a price",
        help,
    })
}

/// `{2} {T}: …` after a printed fact: the last symbols are the cost of an ability that begins in this line.
fn price_before_ability(text: &str, symbols: &[&Token], behind: &[Token]) -> Option<MalformedPrice> {
    let gap = symbols.windows(2).rev().find_map(|pair| match pair {
        [one, other] if one.end < other.start => Some((one.end as usize, other.start as usize)),
        _ => None,
    });
    let (start, cost) = gap?;
    let ends = |kind: TokenKind| kind == TokenKind::Newline || kind == TokenKind::Semicolon || kind.opens() || kind.closes();
    let next = behind.iter().map(|token| token.kind).take_while(|kind| !ends(*kind));
    let is_ability = next.clone().any(|kind| kind == TokenKind::Colon) && {
        let first = next.clone().next();
        matches!(first, Some(TokenKind::Colon | TokenKind::Comma))
    };
    let end = symbols.last()?.end as usize;
    let written = text.get(cost..end)?.to_owned();
    is_ability.then(|| MalformedPrice {
        start,
        end: cost,
        replacement: ";".to_owned(),
        reported_offset: cost - start,
        written,
        expected: "a new line or `;`",
        help: NEW_LINE_HELP.to_owned(),
    })
}

/// `{r}`, `{2,R}`: small letters, or several symbols in one pair of braces.
fn malformed_symbol(text: &str, start: usize) -> Option<MalformedPrice> {
    let inside = text.get(start + 1..)?.split('}').next()?;
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | ',');
    let parts: Vec<&str> = inside.split(',').filter(|part| !part.is_empty()).collect();
    let part = |part: &&str| part.bytes().all(|c| c.is_ascii_digit()) || part.split('/').all(|half| half.len() == 1);
    if parts.is_empty() || !inside.chars().all(fits) || !parts.iter().all(part) {
        return None;
    }
    let read: String = parts.iter().map(|part| format!("{{{}}}", part.to_uppercase())).collect();
    let shut = start + inside.len() + 2;
    let written = text.get(start..shut)?.to_owned();
    let blank = text.get(shut..)?.len() - text.get(shut..)?.trim_start_matches([' ', '\n']).len();
    let end = shut.max((start + read.len()).min(shut + blank));
    let help = format!("write each price symbol in braces, with digits or capitals: `{read}`");
    Some(MalformedPrice { start, end, replacement: read, reported_offset: 0, written, expected: "a price", help })
}

/// `cost {R}`, `cost { {R} }`: a price where statements are expected.
fn price_in_cost(text: &str, cost: &Token, ahead: &[Token]) -> Option<MalformedPrice> {
    let inner = match ahead.first()?.kind {
        TokenKind::OpenBrace => ahead.get(1..)?,
        _ => ahead,
    };
    let symbols: Vec<&Token> = inner.iter().take_while(|token| token.kind == TokenKind::Symbol).collect();
    let last = symbols.last()?;
    let shut = if inner.len() < ahead.len() { inner.get(symbols.len())? } else { last };
    if inner.len() < ahead.len() && shut.kind != TokenKind::CloseBrace {
        return None;
    }
    let (start, end) = (cost.start as usize, shut.end as usize);
    let from = ahead.first()?.start as usize;
    let price: String = symbols.iter().map(|token| token.text(text)).collect();
    let (lead, written) = (from - start, text.get(from..end)?.to_owned());
    let help = format!("write units as a price: `price {price}`; `cost {{ … }}` contains statements");
    Some(MalformedPrice {
        start,
        end,
        replacement: String::new(),
        reported_offset: lead,
        written,
        expected: "statements in braces",
        help,
    })
}
