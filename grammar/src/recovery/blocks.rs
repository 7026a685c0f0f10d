//! Error recovery for blocks and card heads: inserts missing braces and blanks unreadable heads, so that the rest of the item is parsed and its
//! name is known.
//!
//! Inserted text replaces blanks of the same length or is appended to the item; positions in the file do not move. Up to 8 repairs per item are
//! tried before its members are parsed one by one.

use smol_str::SmolStr;

use super::members::{BLOCK_WORDS, ItemText, explain, first_braces, first_word, place_span};
use crate::ast::{Card, Item, ItemKind, Span};
use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::item_parser::{ItemError, read_item};
use crate::lexer::{TokenKind, is_reserved, tokens};
use crate::padding::pad_end;
use crate::parser::{ParseFailure, Rule};

/// Rules that the parser expects where a block begins.
pub(crate) const BLOCK_RULES: [Rule; 11] = [
    Rule::open,
    Rule::block,
    Rule::members,
    Rule::card_members,
    Rule::play_body,
    Rule::turn_body,
    Rule::names_in_braces,
    Rule::differences,
    Rule::scenario_body,
    Rule::layout_body,
    Rule::layout_rows,
];

/// The greatest number of heads and blocks repaired per item before its members are parsed one by one.
const MAX_REPAIRS: usize = 8;

/// Repairs the item as long as parsing stops at a missing brace or an unreadable head. Each repair adds its error to `errors`.
pub(crate) fn repair_block(place: ItemText<'_>, fixed: &mut String, refusal: &ParseFailure, errors: &mut Vec<SyntaxError>) {
    let mut refusal = refusal.clone();
    for _ in 0..MAX_REPAIRS {
        let Some((better, error)) = insert_braces(place, fixed, &refusal).or_else(|| blank_head(place, fixed, &refusal)) else {
            return;
        };
        errors.push(error);
        *fixed = better;
        match read_item(place.file, place.base, fixed) {
            Err(ItemError::Grammar(next)) => refusal = next,
            _ => return,
        }
    }
}

/// Inserts a missing `{`. If no `}` of the item is surplus, also inserts a `}` after the following lines that are indented further.
///
/// Returns `None` if the parser does not get further with the inserted braces.
pub(crate) fn insert_braces(place: ItemText<'_>, fixed: &str, refusal: &ParseFailure) -> Option<(String, SyntaxError)> {
    if !refusal.expected.iter().any(|rule| BLOCK_RULES.contains(rule)) {
        return None;
    }
    let (open, width) = brace_position(fixed, refusal.at)?;
    let surplus = has_surplus_close(fixed);
    // `card "X" word {`: the brace exists, with an unexpected word before it
    if !surplus && opens_later_in_line(fixed.get(open + width..).unwrap_or("")) {
        return None;
    }
    let mut better = fixed.to_owned();
    better.replace_range(open..open + width, &pad_end("{", width));
    let end = if surplus {
        refusal.at
    } else {
        let end = end_of_lines(place.text, open).min(before_close(fixed, open)?);
        let inside = better.get(open + width..end).filter(|inside| !inside.trim().is_empty())?;
        // words after the name of an item are an error in its head, not its body
        let of_head = !tokens(fixed.get(..open)?).iter().any(|token| token.kind == TokenKind::OpenBrace);
        if of_head && !place.text.get(open..end.min(place.length))?.contains('\n') && !inside.contains('{') {
            return None;
        }
        insert_close(&mut better, end)?;
        end
    };
    let reached = match read_item(place.file, place.base, &better) {
        Err(ItemError::Grammar(next)) => next.at,
        _ => usize::MAX,
    };
    if reached <= end {
        return None;
    }
    let error = explain(place, fixed, refusal);
    // a notation is not a missing brace
    (!matches!(error.kind, SyntaxErrorKind::Notation { .. })).then_some((better, error))
}

/// Whether the line has a `{` that does not belong to another block.
fn opens_later_in_line(rest: &str) -> bool {
    let rest = rest.trim_start_matches([' ', '\n']);
    let all = tokens(rest);
    let line = all.iter().take_while(|token| !matches!(token.kind, TokenKind::Newline | TokenKind::CloseBrace));
    let before: Vec<_> = line.take_while(|token| token.kind != TokenKind::OpenBrace).collect();
    let opened = all.get(before.len()).is_some_and(|token| token.kind == TokenKind::OpenBrace);
    opened && !before.iter().any(|token| BLOCK_WORDS.contains(&token.text(rest)))
}

/// The offset and width of the text that a brace can replace without moving other text: a blank, `:`, `->` or `=>`.
fn brace_position(fixed: &str, at: usize) -> Option<(usize, usize)> {
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

/// Whether a `}` has no matching `{`.
fn has_surplus_close(text: &str) -> bool {
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

/// The end of the lines after `at` that are indented further than the line of `at`; if there are none, the end of that line.
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

/// The offset of the byte before the `}` that closes the block around `at`; the end of the text if there is none.
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

/// Writes `}` over a blank, and a newline over the next one; or appends `}` at the end.
fn insert_close(text: &mut String, at: usize) -> Option<()> {
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

/// Blanks everything between the keyword of a card and its braces except for the name. An unquoted name becomes a placeholder word.
fn blank_head(place: ItemText<'_>, fixed: &str, refusal: &ParseFailure) -> Option<(String, SyntaxError)> {
    let (open, _) = first_braces(fixed)?;
    let before = fixed.get(..open)?;
    let word = first_word(before)?;
    if refusal.at > open || before.contains('\n') || !matches!(word, "card" | "token") {
        return None;
    }
    let name = find_card_name(before)?;
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
        Err(ItemError::Grammar(next)) if next.at <= open => None,
        _ if better == fixed => None,
        _ => Some((better, explain(place, fixed, refusal))),
    }
}

/// The name of a card in any spelling, without quotes, and its bytes.
struct CardName {
    start: usize,
    end: usize,
    text: SmolStr,
}

/// Finds the name after the first word of an item: the first quoted token, or all words up to the braces or the end of the line.
fn find_card_name(lines: &str) -> Option<CardName> {
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

/// A card with only a name, in the place of one that cannot be parsed.
pub(crate) fn name_only_card(place: ItemText<'_>, lines: &str) -> Option<Item> {
    let word = first_word(lines).filter(|word| matches!(*word, "card" | "token"))?;
    let mut item = read_item(place.file, place.base, &format!("{word} x {{ }}")).ok()?;
    item.span = place_span(place, 0, place.length);
    mark_unread(place, &mut item, lines, "");
    match &item.kind {
        ItemKind::Card(card) if card.name.text != "x" => Some(item),
        _ => None,
    }
}

/// Records what was not parsed, since other parts may name it: the quoted names of a card, the words of a scenario. Restores the name of a card
/// if a placeholder replaced it.
///
/// `read` is the repaired text that was parsed in the place of `lines`.
pub(crate) fn mark_unread(place: ItemText<'_>, item: &mut Item, lines: &str, read: &str) {
    let card = match &mut item.kind {
        ItemKind::Card(card) => card,
        ItemKind::Scenario(scenario) => {
            let words = tokens(lines).into_iter().filter(|token| token.kind == TokenKind::Word);
            let is_unread = |start: usize, end: usize| read.get(start..end) != lines.get(start..end);
            let unread = words.filter(|token| is_unread(token.start as usize, token.end as usize));
            scenario.unread = unread.map(|token| SmolStr::new(token.text(lines))).collect();
            return;
        }
        _ => return,
    };
    let name = find_card_name(lines);
    let quoted = tokens(lines).into_iter().filter(|token| token.kind == TokenKind::Quoted);
    let unread = quoted.filter(|token| {
        let (start, end) = (token.start as usize, token.end as usize);
        read.get(start..end) != lines.get(start..end) && name.as_ref().is_none_or(|name| name.start != start)
    });
    let inner = |text: &str| SmolStr::new(text.trim_start_matches(['"', '《']).trim_end_matches(['"', '》']));
    card.unread = Some(unread.map(|token| inner(token.text(lines))).collect());
    if let Some(name) = name.filter(|name| read.get(name.start..name.end) != lines.get(name.start..name.end)) {
        set_card_name(card, name.text, place_span(place, name.start, name.end));
    }
}

fn set_card_name(card: &mut Card, text: SmolStr, span: Span) {
    card.name.text = text;
    card.name.span = span;
    card.span.start = span.start;
    card.span.end = card.span.end.max(span.end);
}

/// The names that an unparsed item probably declares: the first name after its keyword; for `traits` and `layers` all words.
pub(crate) fn declared_names(item: &str) -> Vec<SmolStr> {
    let all = tokens(item);
    let words = all.iter().filter(|token| token.kind == TokenKind::Word).map(|token| token.text(item));
    let keyword = all.first().map_or("", |token| token.text(item));
    let second = if keyword == "state" { 2 } else { 1 };
    let several = if matches!(keyword, "traits" | "layers") { usize::MAX } else { 1 };
    words.skip(second).filter(|word| !is_reserved(word)).take(several).map(SmolStr::new).collect()
}
