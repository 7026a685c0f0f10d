//! Blocks without their braces, and heads of cards that cannot be read: what is put in their place so that all the rest is read, and its name known.

use smol_str::SmolStr;

use super::members::{BLOCK_WORDS, ItemText, brace, explain, first_word, place_span};
use crate::ast::{Card, Item, ItemKind, Span};
use crate::error::SyntaxError;
use crate::lexer::{TokenKind, is_reserved, tokens};
use crate::parser::{ItemError, ParseFailure, Rule, read_item};

/// What is wanted where a block begins.
pub(crate) const OPENS: [Rule; 9] = [
    Rule::open,
    Rule::block,
    Rule::members,
    Rule::card_members,
    Rule::play_body,
    Rule::turn_body,
    Rule::names_in_braces,
    Rule::differences,
    Rule::scenario_body,
];

/// How many heads and blocks of one item are mended before its members are looked at.
const ROUNDS: usize = 8;

/// Mends what stops the reading of an item, as long as it is a head or a missing brace.
pub(crate) fn repair_block(place: ItemText<'_>, fixed: &mut String, refusal: &ParseFailure, errors: &mut Vec<SyntaxError>) {
    let mut refusal = refusal.clone();
    for _ in 0..ROUNDS {
        let Some((better, error)) = block(place, fixed, &refusal).or_else(|| head(place, fixed, &refusal)) else { return };
        errors.push(error);
        *fixed = better;
        match read_item(place.file, place.base, fixed) {
            Err(ItemError::Refused(next)) => refusal = next,
            _ => return,
        }
    }
}

/// Puts `{` where a block lacks it, and `}` where the item lacks that as well: at the end of the lines that stand further right.
pub(crate) fn block(place: ItemText<'_>, fixed: &str, refusal: &ParseFailure) -> Option<(String, SyntaxError)> {
    if !refusal.wanted.iter().any(|rule| OPENS.contains(rule)) {
        return None;
    }
    let (open, width) = room(fixed, refusal.at)?;
    let surplus = closes_too_much(fixed);
    // `card "X" word {`: the brace is there, but something stands before it
    if !surplus && opened_later(fixed.get(open + width..).unwrap_or("")) {
        return None;
    }
    let mut better = fixed.to_owned();
    better.replace_range(open..open + width, &format!("{:width$}", "{"));
    let end = if surplus {
        refusal.at
    } else {
        let end = end_of_lines(place.text, open).min(before_close(fixed, open)?);
        let inside = better.get(open + width..end).filter(|inside| !inside.trim().is_empty())?;
        // behind the name of an item stands what does not belong there, rather than all of its body
        let of_head = !tokens(fixed.get(..open)?).iter().any(|token| token.kind == TokenKind::OpenBrace);
        if of_head && !place.text.get(open..end.min(place.length))?.contains('\n') && !inside.contains('{') {
            return None;
        }
        close(&mut better, end)?;
        end
    };
    let reached = match read_item(place.file, place.base, &better) {
        Err(ItemError::Refused(next)) => next.at,
        _ => usize::MAX,
    };
    if reached <= end {
        return None;
    }
    Some((better, explain(place, fixed, refusal)))
}

/// Whether a brace stands further on in a line, and not that of another block.
fn opened_later(rest: &str) -> bool {
    let rest = rest.trim_start_matches([' ', '\n']);
    let all = tokens(rest);
    let line = all.iter().take_while(|token| !matches!(token.kind, TokenKind::Newline | TokenKind::CloseBrace));
    let before: Vec<_> = line.take_while(|token| token.kind != TokenKind::OpenBrace).collect();
    let opened = all.get(before.len()).is_some_and(|token| token.kind == TokenKind::OpenBrace);
    opened && !before.iter().any(|token| BLOCK_WORDS.contains(&token.text(rest)))
}

/// Where a brace finds room without moving anything: a blank, or what other languages write for it.
fn room(fixed: &str, at: usize) -> Option<(usize, usize)> {
    let rest = fixed.get(at..)?;
    if rest.starts_with("->") || rest.starts_with("=>") {
        return Some((at, 2));
    }
    if rest.starts_with([':', ' ', '\n']) {
        return Some((at, 1));
    }
    let before = at.checked_sub(1)?;
    fixed.get(before..at).filter(|blank| matches!(*blank, " " | "\n")).map(|_| (before, 1))
}

/// Whether a `}` closes nothing.
fn closes_too_much(text: &str) -> bool {
    let mut depth = 0_usize;
    for token in tokens(text) {
        match token.kind {
            TokenKind::OpenBrace => depth += 1,
            TokenKind::CloseBrace if depth == 0 => return true,
            TokenKind::CloseBrace => depth -= 1,
            _ => {}
        }
    }
    false
}

/// The end of the lines below a place that stand further right than its own; else of that one.
fn end_of_lines(text: &str, at: usize) -> usize {
    let indent = |line: &str| line.len() - line.trim_start_matches([' ', '\t', '\u{3000}', '\u{a0}']).len();
    let start = text.get(..at).unwrap_or("").rfind('\n').map_or(0, |newline| newline + 1);
    let (mut from, mut end, mut own) = (start, text.len(), None);
    for line in text.get(start..).unwrap_or("").split('\n') {
        let to = from + line.len();
        match own {
            None => (own, end) = (Some(indent(line)), to),
            Some(_) if line.trim().is_empty() => {}
            Some(own) if indent(line) > own => end = to,
            Some(_) => break,
        }
        from = to + 1;
    }
    end
}

/// The place right before the brace that closes what a place stands in; the end, if nothing does.
fn before_close(text: &str, at: usize) -> Option<usize> {
    let mut depth = 0_usize;
    for token in tokens(text.get(at..)?) {
        if token.kind == TokenKind::OpenBrace {
            depth += 1;
        } else if token.kind == TokenKind::CloseBrace {
            let Some(less) = depth.checked_sub(1) else { return (at + token.start as usize).checked_sub(1) };
            depth = less;
        }
    }
    Some(text.len())
}

/// Puts `}` at a blank, or at the end, and a new line behind it.
fn close(text: &mut String, at: usize) -> Option<()> {
    if at >= text.len() {
        text.push('}');
        return Some(());
    }
    text.get(at..=at).filter(|blank| matches!(*blank, " " | "\n"))?;
    text.replace_range(at..=at, "}");
    if text.get(at + 1..at + 2) == Some(" ") {
        text.replace_range(at + 1..at + 2, "\n");
    }
    Some(())
}

/// Blanks what cannot be read between the first word of an item and its braces, save for the name.
fn head(place: ItemText<'_>, fixed: &str, refusal: &ParseFailure) -> Option<(String, SyntaxError)> {
    let (open, _) = brace(fixed)?;
    let before = fixed.get(..open)?;
    let word = first_word(before)?;
    if refusal.at > open || before.contains('\n') || !matches!(word, "card" | "token") {
        return None;
    }
    let name = named(before)?;
    let mut better = word.to_owned();
    better.push_str(&" ".repeat(name.start - word.len()));
    let written = fixed.get(name.start..name.end)?;
    let quoted =
        tokens(written).first().is_some_and(|token| token.kind == TokenKind::Quoted && token.end as usize == written.len());
    if quoted {
        better.push_str(written);
    } else {
        better.push_str(&"x".repeat(name.end - name.start));
    }
    better.push_str(&" ".repeat(open - name.end));
    better.push_str(fixed.get(open..)?);
    match read_item(place.file, place.base, &better) {
        Err(ItemError::Refused(next)) if next.at <= open => None,
        _ if better == fixed => None,
        _ => Some((better, explain(place, fixed, refusal))),
    }
}

/// The name of a card, however it is written.
struct CardName {
    start: usize,
    end: usize,
    text: SmolStr,
}

/// What stands behind the first word of an item, up to its braces or the end of its line.
fn named(lines: &str) -> Option<CardName> {
    let all = tokens(lines);
    let solid = || all.iter().filter(|token| !token.kind.is_trivia());
    let word = solid().next()?;
    let stops = |kind: TokenKind| matches!(kind, TokenKind::Newline | TokenKind::OpenBrace | TokenKind::CloseBrace);
    let head =
        all.iter().take_while(|token| !stops(token.kind)).filter(|token| token.start > word.start && !token.kind.is_trivia());
    let head: Vec<_> = head.collect();
    let quoted = |kind| matches!(kind, TokenKind::Quoted | TokenKind::UnclosedQuote);
    let (first, last) = match head.iter().find(|token| quoted(token.kind)) {
        Some(token) => (token, token),
        None => (head.first()?, head.last()?),
    };
    let (start, end) = (first.start as usize, last.end as usize);
    let written = lines.get(start..end)?;
    let written = if first.kind == TokenKind::UnclosedQuote { written.split('{').next().unwrap_or("") } else { written };
    let marks = |c: char| c.is_whitespace() || "\"'《》「」『』【】（）()[]“”„‘’«»<>:=".contains(c);
    let text = written.trim_matches(marks);
    let is_name = text.chars().any(char::is_alphanumeric) && !is_reserved(text);
    is_name.then(|| CardName { start, end, text: text.into() })
}

/// What is left of a card that cannot be read: its name.
pub(crate) fn name_only_card(place: ItemText<'_>, lines: &str) -> Option<Item> {
    let word = first_word(lines).filter(|word| matches!(*word, "card" | "token"))?;
    let mut item = read_item(place.file, place.base, &format!("{word} x {{ }}")).ok()?;
    item.span = place_span(place, 0, place.length);
    note(place, &mut item, lines, "");
    match &item.kind {
        ItemKind::Card(card) if card.name.text != "x" => Some(item),
        _ => None,
    }
}

/// Notes on a card that not all of it was read, and its name where another one stood in for it. `read`: what was read in the place of `lines`.
pub(crate) fn note(place: ItemText<'_>, item: &mut Item, lines: &str, read: &str) {
    let ItemKind::Card(card) = &mut item.kind else { return };
    let name = named(lines);
    let quoted = tokens(lines).into_iter().filter(|token| token.kind == TokenKind::Quoted);
    let unread = quoted.filter(|token| {
        let (start, end) = (token.start as usize, token.end as usize);
        read.get(start..end) != lines.get(start..end) && name.as_ref().is_none_or(|name| name.start != start)
    });
    let inner = |text: &str| SmolStr::new(text.trim_start_matches(['"', '《']).trim_end_matches(['"', '》']));
    card.unread = Some(unread.map(|token| inner(token.text(lines))).collect());
    if let Some(name) = name.filter(|name| read.get(name.start..name.end) != lines.get(name.start..name.end)) {
        rename(card, name.text, place_span(place, name.start, name.end));
    }
}

fn rename(card: &mut Card, text: SmolStr, span: Span) {
    card.name.text = text;
    card.name.span = span;
    card.span.start = span.start;
    card.span.end = card.span.end.max(span.end);
}

/// The names that an item declares, as far as its words tell: the first one behind its keyword, and the words of a set.
pub(crate) fn names(item: &str) -> Vec<SmolStr> {
    let all = tokens(item);
    let words = all.iter().filter(|token| token.kind == TokenKind::Word).map(|token| token.text(item));
    let keyword = all.first().map_or("", |token| token.text(item));
    let second = if keyword == "state" { 2 } else { 1 };
    let several = if matches!(keyword, "traits" | "layers") { usize::MAX } else { 1 };
    words.skip(second).filter(|word| !is_reserved(word)).take(several).map(SmolStr::new).collect()
}
