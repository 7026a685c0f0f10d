//! Prices that are written as elsewhere: with small letters, with blanks or commas, or where deeds are paid. What is read in their place is as long.

use super::members::{BLOCK_WORDS, ItemText, place_span};
use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::lexer::{Token, TokenKind, is_reserved, tokens};

/// Puts what can be read in the place of prices that cannot, and tells of them. Says whether there were some.
pub(crate) fn repair_prices(place: ItemText<'_>, fixed: &mut String, errors: &mut Vec<SyntaxError>) -> bool {
    let known = errors.len();
    while let Some(wrong) = find(fixed) {
        let width = wrong.end - wrong.start;
        let read = if wrong.read.len() > width { String::new() } else { wrong.read };
        fixed.replace_range(wrong.start..wrong.end, &format!("{read:width$}"));
        let found = format!("`{}`", wrong.written).into();
        let kind = SyntaxErrorKind::Expected { found, expected: vec![wrong.expected.to_owned()] };
        let end = wrong.start + wrong.lead + wrong.written.len();
        errors.push(SyntaxError { span: place_span(place, wrong.start + wrong.lead, end), kind, help: Some(wrong.help) });
    }
    errors.len() > known
}

/// A price that cannot be read.
struct MalformedPrice {
    /// What is replaced.
    start: usize,
    end: usize,
    /// By what.
    read: String,
    /// How far behind the start that stands which is told of.
    lead: usize,
    written: String,
    expected: &'static str,
    help: String,
}

fn find(text: &str) -> Option<MalformedPrice> {
    let all: Vec<Token> = tokens(text).into_iter().filter(|token| token.kind != TokenKind::Blank).collect();
    let item = all.first().map_or("", |token| token.text(text));
    let card = matches!(item, "card" | "token" | "errata");
    // of each open brace, the words before it
    let mut open: Vec<(&str, &str)> = Vec::new();
    for (index, token) in all.iter().enumerate() {
        let back = |n: usize| index.checked_sub(n).and_then(|at| all.get(at));
        let word = |n: usize| back(n).map_or("", |token| token.text(text));
        let ahead = all.get(index + 1..).unwrap_or(&[]);
        let found = match token.kind {
            TokenKind::Symbol => apart(text, back(1), &all[index..]),
            TokenKind::OpenBrace if card && open.len() == 1 && back(1).is_some_and(|token| names(token, text)) => {
                small(text, token.start as usize)
            }
            TokenKind::Word if token.text(text) == "cost" => match open.last() {
                Some((_, "activated") | ("option" | "cost", _)) => paid(text, token, ahead),
                Some(_) if item == "play" && open.len() == 1 => paid(text, token, ahead),
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

/// Whether a token is the name of a fact, or a symbol of its price.
fn names(token: &Token, text: &str) -> bool {
    let word = token.text(text);
    match token.kind {
        TokenKind::Symbol => true,
        TokenKind::Word => !is_reserved(word) && !BLOCK_WORDS.contains(&word) && word != "values",
        _ => false,
    }
}

/// `{2} {R}`
fn apart(text: &str, before: Option<&Token>, all: &[Token]) -> Option<MalformedPrice> {
    if before.is_some_and(|token| token.kind == TokenKind::Symbol) {
        return None;
    }
    let symbols: Vec<&Token> = all.iter().take_while(|token| token.kind == TokenKind::Symbol).collect();
    let (first, last) = (symbols.first()?, symbols.last()?);
    let (start, end) = (first.start as usize, last.end as usize);
    let written = text.get(start..end)?.to_owned();
    let read: String = symbols.iter().map(|token| token.text(text)).collect();
    let help = format!("there are no blanks in a price: `{read}`");
    (read != written).then_some(MalformedPrice { start, end, read, lead: 0, written, expected: "a price", help })
}

/// `{r}`, `{2,R}`
fn small(text: &str, start: usize) -> Option<MalformedPrice> {
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
    let help = format!("a symbol of a price has digits or capitals, and braces of its own: `{read}`");
    Some(MalformedPrice { start, end, read, lead: 0, written, expected: "a price", help })
}

/// `cost {R}`, `cost { {R} }`
fn paid(text: &str, cost: &Token, ahead: &[Token]) -> Option<MalformedPrice> {
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
    let help = format!("units are paid as a price: `price {price}`; `cost {{ … }}` is what is done");
    Some(MalformedPrice { start, end, read: String::new(), lead, written, expected: "what is done, in braces", help })
}
