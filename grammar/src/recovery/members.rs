//! Error recovery by members: explains why an item cannot be parsed, and keeps its valid members.
//!
//! The body is split into members (abilities, statements, steps, …). Each is parsed alone; those that fail are reported and blanked. The rest
//! is then parsed again as a whole. A failing member with a block is split the same way, up to 4 levels deep.

use std::cell::OnceCell;

use super::blocks;
use super::prices;
use crate::ast::{Item, Span};
use crate::error::{SyntaxError, SyntaxErrorKind, nearest};
use crate::item_parser::{ItemError, read_item};
use crate::lexer::{Token, TokenKind, is_reserved, tokens};
use crate::padding::{pad_end, pad_start};
use crate::parser::{ParseFailure, Rule, read};
use crate::suggestions::{Site, notation};

/// How many levels deep failing members are split.
const MAX_NESTED_REPAIRS: usize = 4;

/// The greatest number of errors reported per item.
pub(super) const MAX_ERRORS: usize = 32;

/// The greatest number of attempts to replace a number in one member. What is left of it is split, and its parts have attempts of their own.
const MAX_NUMBER_ATTEMPTS: usize = 4;

/// The greatest number of words replaced in one member.
const MAX_WORDS_REPLACED: usize = 8;

/// How often the repairs of an item read its text again, all together. Members nest, and each repair is an attempt that can fail.
const MAX_PASSES: usize = 32;

/// The length of the items that are always repaired, in bytes: shorter items count as this long.
const MIN_COUNTED_BYTES: usize = 4096;

/// Words that begin a block.
pub(crate) const BLOCK_WORDS: [&str; 23] = [
    "does",
    "when",
    "whenever",
    "while",
    "always",
    "activated",
    "at",
    "if",
    "in",
    "immediately",
    "off",
    "unlisted",
    "missable",
    "timely",
    "face",
    "back",
    "until",
    "trigger",
    "step",
    "phase",
    "repeat",
    "for",
    "choose",
];

/// The text of an item, and its position in the file.
#[derive(Clone, Copy)]
pub(crate) struct ItemText<'t> {
    pub(crate) file: u32,
    /// The item as written.
    pub(crate) text: &'t str,
    /// The offset of the item in the file.
    pub(crate) base: u32,
    /// The length of the item. Text beyond it was added to close brackets.
    pub(crate) length: usize,
}

/// Parses the valid parts of an item that the grammar refused, and returns the errors of the rest.
pub(crate) fn recover(place: ItemText<'_>, lines: &str, refusal: &ParseFailure) -> (Option<Item>, Vec<SyntaxError>) {
    let mut errors = Vec::new();
    let members_rule = first_word(lines).and_then(body_rule);
    let mut fixed = lines.to_owned();
    let mut next = Some(refusal.clone());
    if prices::repair_prices(place, &mut fixed, &mut errors) {
        next = match read_item(place.file, place.base, &fixed) {
            Err(ItemError::Grammar(next)) => Some(next),
            _ => None,
        };
    }
    if let Some(refusal) = &next {
        blocks::repair_block(place, &mut fixed, refusal, &mut errors);
    }
    if let Some(members_rule) = members_rule {
        let end = fixed.len();
        let mut repair = MemberRepair { place, bytes_left: fixed.len().max(MIN_COUNTED_BYTES) * MAX_PASSES };
        repair.repair_members(&mut fixed, 0, end, members_rule, MAX_NESTED_REPAIRS, &mut errors);
    }
    if errors.is_empty() {
        return (None, vec![explain(place, lines, refusal)]);
    }
    match read_item(place.file, place.base, &fixed) {
        Ok(mut item) => {
            blocks::mark_unread(place, &mut item, lines, &fixed);
            (Some(item), errors)
        }
        Err(ItemError::Builder(error)) => {
            errors.push(error);
            (None, errors)
        }
        Err(ItemError::Grammar(refusal)) => {
            // the head of the item is wrong as well
            if first_braces(lines).is_none_or(|(open, _)| refusal.at <= open) {
                errors.insert(0, explain(place, lines, &refusal));
            }
            (None, errors)
        }
    }
}

/// The grammar rule for the members of an item, by the first word of the item.
fn body_rule(word: &str) -> Option<Rule> {
    Some(match word {
        "card" | "token" | "keyword" | "rule" | "errata" => Rule::some_members,
        "format" => Rule::some_differences,
        "scenario" | "stage" => Rule::some_steps,
        "position" => Rule::some_positions,
        "turn" | "phase" | "step" | "before" | "after" => Rule::some_entries,
        "action" | "setup" | "state" | "append" => Rule::some_statements,
        _ => return None,
    })
}

/// The grammar rule for the contents of a member's block.
fn inner_rule(outer: Rule, member: &str) -> Option<Rule> {
    let mut words = member.split([' ', '{', '(']).filter(|word| !word.is_empty());
    let first = words.next().unwrap_or("");
    match outer {
        Rule::some_members | Rule::some_statements => match first {
            "activated" | "window" => None,
            "face" | "back" | "until" => Some(Rule::some_members),
            _ => Some(Rule::some_statements),
        },
        Rule::some_entries => Some(if first == "at" { Rule::some_statements } else { Rule::some_entries }),
        Rule::some_differences if matches!(first, "append" | "replace") && member.contains("layout") => None,
        Rule::some_differences if first == "replace" => words.next().and_then(body_rule),
        Rule::some_differences => body_rule(first),
        Rule::some_steps if first == "position" => Some(Rule::some_positions),
        Rule::some_positions => Some(Rule::some_position_entries),
        _ => None,
    }
}

pub(crate) fn first_word(text: &str) -> Option<&str> {
    text.split([' ', '\n', '{', '(']).find(|word| !word.is_empty())
}

/// The byte offsets of the first complete pair of braces that is not inside another bracket.
pub(crate) fn first_braces(text: &str) -> Option<(usize, usize)> {
    let (mut depth, mut open) = (0_usize, None);
    for token in tokens(text) {
        if token.kind.opens() {
            if depth == 0 && token.kind == TokenKind::OpenBrace && open.is_none() {
                open = Some(token.start as usize);
            }
            depth += 1;
        } else if token.kind.closes() {
            depth = depth.saturating_sub(1);
            if let Some(start) = open
                && depth == 0
                && token.kind == TokenKind::CloseBrace
            {
                return Some((start, token.start as usize));
            }
        }
    }
    None
}

/// The repair of the members of one item, within a bound of work.
struct MemberRepair<'t> {
    place: ItemText<'t>,
    /// The number of bytes that may still be read again.
    bytes_left: usize,
}

impl MemberRepair<'_> {
    /// Counts bytes that are read again. Returns false if there are too many: then the repair ends, with the errors that it found.
    fn allows(&mut self, bytes: usize) -> bool {
        let left = self.bytes_left.checked_sub(bytes);
        self.bytes_left = left.unwrap_or(0);
        left.is_some()
    }

    /// Parses the members between the first braces of `fixed[from..to]` one by one; reports and blanks those that fail.
    fn repair_members(
        &mut self,
        fixed: &mut String,
        from: usize,
        to: usize,
        members_rule: Rule,
        rounds: usize,
        errors: &mut Vec<SyntaxError>,
    ) {
        let place = self.place;
        let Some((open, close)) = fixed.get(from..to).and_then(first_braces) else { return };
        let (open, close) = (from + open + 1, from + close);
        let Some(body) = fixed.get(open..close) else { return };
        for (start, end) in split_members(body) {
            let (start, end) = (open + start, open + end);
            if errors.len() >= MAX_ERRORS || !self.allows(end - start) {
                return;
            }
            let Some(member) = fixed.get(start..end) else { continue };
            let Err(mut refusal) = read(members_rule, member).map(drop) else { continue };
            if let Some((better, found)) = self.repair_numbers(member, start, members_rule, &refusal) {
                fixed.replace_range(start..end, &better);
                errors.extend(found);
                match read(members_rule, &better).map(drop) {
                    Ok(()) => continue,
                    Err(further) => refusal = further,
                }
            }
            let Some(member) = fixed.get(start..end) else { continue };
            // the expected end is that of the member, not of the item
            let mut expected = refusal.expected;
            let ends = expected.len();
            expected.retain(|rule| *rule != Rule::EOI);
            if expected.len() < ends {
                expected.push(Rule::link);
            }
            let refusal = ParseFailure { at: start + refusal.at, expected };
            // the explanation reads the item up to the error
            if !self.allows(refusal.at) {
                return;
            }
            if let Some((better, error)) = blocks::insert_braces(place, fixed, &refusal) {
                let further = better.len() - fixed.len();
                *fixed = better;
                push_error(errors, error);
                return self.repair_members(fixed, from, to + further, members_rule, rounds, errors);
            }
            let error = explain(place, fixed, &refusal);
            if let Some((better, found)) = self.replace_words(fixed, (start, end), members_rule, &error) {
                found.into_iter().for_each(|error| push_error(errors, error));
                *fixed = better;
                continue;
            }
            if rounds > 0
                && let Some(inner) = inner_rule(members_rule, member)
            {
                let mut found = Vec::new();
                let mut trial = fixed.clone();
                self.repair_members(&mut trial, start, end, inner, rounds - 1, &mut found);
                if !found.is_empty() && trial.get(start..end).is_some_and(|member| read(members_rule, member).is_ok()) {
                    found.into_iter().for_each(|error| push_error(errors, error));
                    *fixed = trial;
                    continue;
                }
            }
            push_error(errors, error);
            let blank = " ".repeat(end - start);
            fixed.replace_range(start..end, &blank);
        }
    }

    /// Replaces words whose errors say by what, and reserved words in the place of a name, until the member can be parsed. Returns the new text of
    /// the item and the errors.
    ///
    /// A reserved word becomes another name of its length, so that only the uses of the name are lost.
    fn replace_words(
        &mut self,
        fixed: &str,
        (start, end): (usize, usize),
        rule: Rule,
        first: &SyntaxError,
    ) -> Option<(String, Vec<SyntaxError>)> {
        let place = self.place;
        if !matches!(first.kind, SyntaxErrorKind::Notation { replacement: Some(_), .. } | SyntaxErrorKind::Reserved { .. }) {
            return None;
        }
        let (mut better, mut errors, mut next) = (fixed.to_owned(), Vec::new(), first.clone());
        for _ in 0..MAX_WORDS_REPLACED {
            let span = next.span;
            let (from, to) = (span.start.checked_sub(place.base)? as usize, span.end.checked_sub(place.base)? as usize);
            let word = better.get(from..to).filter(|_| start <= from && from < to && to <= end)?;
            let with = match &next.kind {
                SyntaxErrorKind::Notation { replacement: Some(with), .. } if with.len() <= word.len() => with.to_string(),
                SyntaxErrorKind::Reserved { word } => format!("_{}", word.get(1..)?),
                _ => return None,
            };
            if !self.allows(to + end - start) {
                return None;
            }
            let with = pad_end(&with, word.len());
            better.replace_range(from..to, &with);
            errors.push(next);
            match read(rule, better.get(start..end)?).map(drop) {
                Ok(()) => return Some((better, errors)),
                Err(refusal) => {
                    next = explain(place, &better, &ParseFailure { at: start + refusal.at, expected: refusal.expected });
                }
            }
        }
        None
    }

    /// Replaces numbers in words or with separators by digits, if the parser then gets further. Returns the new member and the errors.
    ///
    /// Tries the last two numbers of the statement in which the parser stopped; those before it were accepted as names.
    fn repair_numbers(
        &mut self,
        member: &str,
        start: usize,
        rule: Rule,
        refusal: &ParseFailure,
    ) -> Option<(String, Vec<SyntaxError>)> {
        let further = |text: &str| match read(rule, text).map(drop) {
            Ok(()) => usize::MAX,
            Err(refusal) => refusal.at,
        };
        let numbers = written_numbers(member);
        let (mut better, mut reached, mut errors) = (member.to_owned(), refusal.at, Vec::new());
        let (mut attempts, mut next) = (0, 0);
        while reached != usize::MAX {
            let statement = member.get(..reached).and_then(|before| before.rfind(['\n', ';'])).map_or(0, |end| end + 1);
            let end = numbers.partition_point(|number| number.from <= reached);
            let first = numbers.partition_point(|number| number.to < statement).max(next).max(end.saturating_sub(2));
            let before = reached;
            for number in numbers.get(first..end).unwrap_or(&[]) {
                attempts += 1;
                // a text that the parser refuses is parsed twice
                if attempts > MAX_NUMBER_ATTEMPTS || !self.allows(2 * member.len()) {
                    break;
                }
                let mut trial = better.clone();
                trial.replace_range(number.from..number.to, &pad_start(&number.digits, number.to - number.from));
                let at = further(&trial);
                if at > reached {
                    let written = member.get(number.from..number.to).unwrap_or("");
                    let kind =
                        SyntaxErrorKind::Expected { found: format!("`{written}`").into(), expected: vec!["a number".to_owned()] };
                    let span = place_span(self.place, start + number.from, start + number.to);
                    let help = format!("{}: `{}`", number.help, number.digits);
                    errors.push(SyntaxError { span, kind, help: Some(help) });
                    (better, reached) = (trial, at);
                }
            }
            next = end;
            if reached == before || attempts > MAX_NUMBER_ATTEMPTS {
                break;
            }
        }
        (!errors.is_empty()).then_some((better, errors))
    }
}

/// A number in words or with separators.
struct WrittenNumber {
    from: usize,
    to: usize,
    digits: String,
    help: &'static str,
}

/// The numbers in words and with separators of a text, in their order.
fn written_numbers(text: &str) -> Vec<WrittenNumber> {
    let found = tokens(text);
    let mut numbers = Vec::new();
    let mut index = 0;
    while let Some(token) = found.get(index) {
        index += 1;
        let (from, mut to) = (token.start as usize, token.end as usize);
        let word = token.text(text);
        if let Some(number) = crate::suggestions::number_word(word) {
            numbers.push(WrittenNumber { from, to, digits: number.to_string(), help: "numbers are written in digits" });
        } else if token.kind == TokenKind::Number && word.len() <= 3 {
            let mut digits = word.to_owned();
            while let Some([comma, group]) = found.get(index..index + 2) {
                let group_digits = group.text(text);
                if comma.text(text) != "," || group_digits.len() != 3 || !group_digits.bytes().all(|byte| byte.is_ascii_digit()) {
                    break;
                }
                digits.push_str(group_digits);
                to = group.end as usize;
                index += 2;
            }
            if digits.len() > word.len() {
                numbers.push(WrittenNumber { from, to, digits, help: "a number has no separators" });
            }
        }
    }
    numbers
}

/// Adds an error and removes earlier errors that overlap it, so that `2,000` in the place of a comparison is reported once.
fn push_error(errors: &mut Vec<SyntaxError>, error: SyntaxError) {
    errors.retain(|known| known.span.start >= error.span.end || error.span.start >= known.span.end);
    errors.push(error);
}

/// The byte ranges of the members of a body: the parts between newlines and semicolons outside of inner brackets.
fn split_members(body: &str) -> Vec<(usize, usize)> {
    let (mut found, mut depth, mut start) = (Vec::new(), 0_usize, 0);
    let mut part = |from: usize, to: usize| {
        if body.get(from..to).is_some_and(|text| !text.trim().is_empty()) {
            found.push((from, to));
        }
    };
    for token in tokens(body) {
        if token.kind.opens() {
            depth += 1;
        } else if token.kind.closes() {
            depth = depth.saturating_sub(1);
        } else if depth == 0 && matches!(token.kind, TokenKind::Newline | TokenKind::Semicolon) {
            part(start, token.start as usize);
            start = token.end as usize;
        }
    }
    part(start, body.len());
    found
}

/// The error for a position at which the grammar refused the text.
pub(crate) fn explain(place: ItemText<'_>, lines: &str, refusal: &ParseFailure) -> SyntaxError {
    let rest = lines.get(refusal.at..).unwrap_or("");
    let at = refusal.at + rest.len() - rest.trim_start_matches(' ').len();
    let token = if at < place.length { tokens(lines.get(at..).unwrap_or("")).first().copied() } else { None };
    let text = token.map_or("", |token| lines.get(at..at + token.end as usize).unwrap_or(""));
    let found = match token {
        None => "the end of the item".to_owned(),
        Some(token) if token.kind == TokenKind::Newline => "the end of the line".to_owned(),
        Some(_) => format!("`{text}`"),
    };
    // an error at the end of a line is reported after its last word, not after a comment
    let at = if token.is_none_or(|token| token.kind == TokenKind::Newline) {
        lines.get(..at).unwrap_or("").trim_end_matches(' ').len()
    } else {
        at
    };
    let end = at + if text == "\n" { 0 } else { text.len() };
    let span = place_span(place, at, end.max(at));
    let context = ErrorContext { lines, at, token, text, expected: &refusal.expected, words: OnceCell::new() };
    if let Some(error) = context.unknown_block_error(place) {
        return error;
    }
    if let Some(error) = context.article_error(place).or_else(|| context.notation_error(place)) {
        return error;
    }
    let help = context.help();
    let names_only = !refusal.expected.is_empty()
        && refusal.expected.iter().all(|rule| matches!(rule, Rule::name | Rule::quoted | Rule::param | Rule::rparen));
    if names_only && is_reserved(text) {
        return SyntaxError {
            span,
            kind: SyntaxErrorKind::Reserved { word: text.into() },
            help: Some(context.suggestion().unwrap_or_else(|| "choose another name".to_owned())),
        };
    }
    SyntaxError {
        span,
        kind: SyntaxErrorKind::Expected { found: found.into(), expected: describe_expected(&refusal.expected) },
        help,
    }
}

pub(crate) fn place_span(place: ItemText<'_>, start: usize, end: usize) -> Span {
    let at = |byte: usize| place.base + u32::try_from(byte.min(place.length)).unwrap_or(0);
    Span { file: place.file, start: at(start), end: at(end) }
}

/// The context of the position where parsing stopped.
struct ErrorContext<'t> {
    lines: &'t str,
    at: usize,
    token: Option<Token>,
    text: &'t str,
    expected: &'t [Rule],
    /// The tokens before the position, last first, once they were needed.
    words: OnceCell<Vec<&'t str>>,
}

impl<'t> ErrorContext<'t> {
    fn expects_any(&self, rules: &[Rule]) -> bool {
        self.expected.iter().any(|wanted| rules.contains(wanted))
    }

    /// The tokens before the position, last first.
    fn before(&self) -> &[&'t str] {
        self.words.get_or_init(|| {
            let text = self.lines.get(..self.at).unwrap_or("");
            let words = tokens(text).into_iter().filter(|token| token.kind != TokenKind::Blank);
            words.rev().map(|token| text.get(token.start as usize..token.end as usize).unwrap_or("")).collect()
        })
    }

    /// The text directly after the token.
    fn after(&self) -> &str {
        self.lines.get(self.at + self.text.len()..).unwrap_or("")
    }

    /// The error for `when a NOUN …`: an article before the subject of an event.
    fn article_error(&self, place: ItemText<'_>) -> Option<SyntaxError> {
        let text = self.lines.get(..self.at)?;
        let all: Vec<Token> = tokens(text).into_iter().filter(|token| token.kind != TokenKind::Blank).collect();
        let word = |token: &Token| text.get(token.start as usize..token.end as usize).unwrap_or("");
        let from = all.iter().rposition(|token| matches!(word(token), "when" | "whenever" | "{" | "}" | "\n" | ";"))?;
        let [event, article, noun, ..] = all.get(from..)? else { return None };
        let (event, article_word) = (word(event), word(article));
        if !matches!(event, "when" | "whenever")
            || !matches!(article_word, "a" | "an" | "the" | "another")
            || noun.kind != TokenKind::Word
        {
            return None;
        }
        let kind = SyntaxErrorKind::Expected {
            found: format!("`{article_word}`").into(),
            expected: vec!["the subject of the event".to_owned()],
        };
        let help = Some(match article_word {
            "another" => format!("write `other`: `{event} other {} …`", word(noun)),
            _ => format!("leave `{article_word}` out: `{event} {} …`", word(noun)),
        });
        Some(SyntaxError { span: place_span(place, article.start as usize, article.end as usize), kind, help })
    }

    /// The error for a notation of printed texts or of another language.
    fn notation_error(&self, place: ItemText<'_>) -> Option<SyntaxError> {
        let before = self.before();
        let found = notation(&Site::new(self.text, self.after(), before))?;
        let written = self.lines.get(..self.at)?.trim_end_matches([' ', '\n']);
        let (start, end) = match before.first().filter(|_| found.is_before) {
            Some(last) => (written.len().saturating_sub(last.len()), written.len()),
            None => (self.at, self.at + self.text.trim_end_matches('\n').len()),
        };
        let kind = SyntaxErrorKind::Notation { message: found.message.into(), replacement: found.replacement.map(Into::into) };
        Some(SyntaxError { span: place_span(place, start, end), kind, help: Some(found.help) })
    }

    /// The error for a block whose first word is no block keyword.
    fn unknown_block_error(&self, place: ItemText<'_>) -> Option<SyntaxError> {
        let text = self.lines.get(..self.at)?;
        let mut first: Option<Token> = None;
        for token in tokens(text) {
            match token.kind {
                TokenKind::Blank => {}
                TokenKind::Newline | TokenKind::Semicolon | TokenKind::OpenBrace | TokenKind::CloseBrace => first = None,
                _ => first = first.or(Some(token)),
            }
        }
        let first = first.filter(|first| first.kind == TokenKind::Word)?;
        let word = first.text(text);
        // a phrase with `during` is never an event, regardless of its words
        let opens = self.text == "{" && self.expects_any(&[Rule::price, Rule::k_cannot, Rule::pattern_object]);
        if !opens && word != "during" {
            return None;
        }
        let rest = self.lines.get(first.end as usize..).unwrap_or("").split(['{', '\n']).next().unwrap_or("");
        let rest: Vec<&str> = rest.split_whitespace().collect();
        let opening = crate::suggestions::block_suggestion(word, &rest);
        let known = crate::item_splitter::is_item_keyword(word) || is_reserved(word) || BLOCK_WORDS.contains(&word);
        if known && opening.is_none() {
            return None;
        }
        let help = match nearest(word, BLOCK_WORDS.into_iter().filter(|word| !matches!(*word, "unlisted" | "timely"))) {
            _ if word == "else" => "write `otherwise`".to_owned(),
            _ if let Some(help) = opening => help,
            Some(word) => format!("did you mean `{word}`?"),
            None => "blocks begin with words such as `when`, `at`, `if`, `while`, `does`, `activated` or `step`".to_owned(),
        };
        let span = place_span(place, first.start as usize, first.end as usize);
        let kind = SyntaxErrorKind::Expected {
            found: format!("`{word}`").into(),
            expected: vec!["a word that begins a block".to_owned()],
        };
        Some(SyntaxError { span, kind, help: Some(help) })
    }

    fn suggestion(&self) -> Option<String> {
        crate::suggestions::suggestion_for(self.text, self.after(), self.before())
    }

    fn help(&self) -> Option<String> {
        let before = self.before();
        let last = before.first().copied().unwrap_or("");
        if let Some(help) = self.suggestion() {
            return Some(help);
        }
        let is_word = self.token.is_some_and(|token| token.kind == TokenKind::Word);
        if is_word && self.expects_any(&[Rule::colon]) && !is_reserved(last) && matches!(before.get(1), Some(&("(" | ","))) {
            return Some(format!("write the type after a colon: `{last}: {}`", self.text));
        }
        let head = before.last().copied().unwrap_or("");
        if is_word
            && head == "format"
            && self.expects_any(&[Rule::k_extends])
            && nearest(self.text, std::iter::once("extends")).is_none()
        {
            let from = self.lines.get(head.len()..).unwrap_or("").split(['{', '\n']).next().unwrap_or("");
            let name = from.split(" extends").next().unwrap_or("").trim();
            let word = name.to_lowercase().replace(' ', "_");
            return Some(format!("a name is one word; write a title in quotes: `format {word} \"{name}\" extends …`"));
        }
        if self.text == "=" && self.expects_any(&[Rule::cmp, Rule::is_test, Rule::plus]) {
            return Some("`==` compares; `=` sets a value, as a separate statement".to_owned());
        }
        if self.text == "==" && self.expects_any(&[Rule::equals]) {
            return Some("`=` sets a value; `==` compares".to_owned());
        }
        if self.expects_any(&[Rule::rounded, Rule::k_rounded]) {
            return Some("write the rounding of a quotient: `a / b rounded up` or `a / b rounded down`".to_owned());
        }
        if matches!(self.text, "then" | "otherwise") && matches!(last, "{" | "-") {
            return Some(format!("`{}` needs a statement before it", self.text));
        }
        if self.text == "/" && matches!(before.get(1), Some(&("+" | "-"))) && before.contains(&"gets") {
            let (sign, first) = (before.get(1).copied().unwrap_or("+"), last);
            let rest: String =
                self.after().trim_start_matches(' ').chars().take_while(|c| "+-".contains(*c) || c.is_ascii_digit()).collect();
            let rest = if rest.len() > 1 { rest } else { "+1".to_owned() };
            return Some(format!("write the property of each change: `{sign}{first} PROPERTY, {rest} PROPERTY`"));
        }
        if matches!(self.text, "your" | "its" | "opponent") && last == "until" {
            return Some(format!("write its start or its end: `until start of {} next turn`", self.text));
        }
        if self.token.is_some_and(|token| token.kind == TokenKind::Number) && before.get(1) == Some(&"with") && !is_reserved(last)
        {
            let rest = self.after().trim_start_matches(' ');
            let less = ["or less", "or fewer", "or lower"].iter().any(|words| rest.starts_with(words));
            let more = ["or more", "or greater", "or higher"].iter().any(|words| rest.starts_with(words));
            return Some(match (less, more) {
                (true, _) => format!("write `with {last} <= {}`", self.text),
                (_, true) => format!("write `with {last} >= {}`", self.text),
                _ => format!("compare it: `with {last} == {0}`, `with {last} >= {0}`", self.text),
            });
        }
        if self.text == "else" {
            return Some("write `otherwise`".to_owned());
        }
        if self.text == "do" && last == "you" && matches!(before.get(2), Some(&("{" | "-"))) {
            return Some("`if you do` needs a statement before it".to_owned());
        }
        let head = before.last().copied().unwrap_or("");
        if matches!(head, "card" | "token" | "deck" | "scenario")
            && !before.contains(&"{")
            && self.token.is_some_and(|token| token.kind != TokenKind::OpenBrace)
        {
            let from = self.lines.get(head.len()..).unwrap_or("");
            let name = from.split(['{', '\n']).next().unwrap_or("").trim();
            if is_word && last.starts_with(['"', '《']) && matches!(head, "card" | "token") {
                return Some(format!("write printed facts in the braces: `{head} {last} {{ {} … }}`", self.text));
            }
            if !name.is_empty() && !name.contains(['"', '《']) {
                return Some(format!("a name of several words is quoted: `{head} \"{name}\"`"));
            }
        }
        let starts = |at: usize| matches!(before.get(at), None | Some(&("{" | "}" | "\n" | ";")));
        if self.token.is_some_and(|token| matches!(token.kind, TokenKind::Number | TokenKind::Word))
            && starts(2)
            && last.ends_with('s')
            && last != "does"
            && !is_reserved(last)
            && let Some(name) = before.get(1)
            && *name != "\n"
            && !is_reserved(name)
        {
            return Some(format!("write a named subject in parentheses: `({name}) {last} …`"));
        }
        // `starting_shields = 4`
        let item = before.last().copied().unwrap_or("");
        if item == "format"
            && matches!(last, "\n" | "{" | ";" | "replace")
            && self.after().trim_start_matches(' ').starts_with("= ")
        {
            let value = self.after().split(['\n', ';', '}']).next().unwrap_or("").trim();
            return Some(format!("write what it is: `replace constant {} {value}`", self.text));
        }
        if let Some(help) = self.help_for_layout(last, before) {
            return Some(help);
        }
        if self.expects_any(&[Rule::difference]) && self.token.is_some_and(|token| token.kind == TokenKind::Word) {
            let known = crate::suggestions::DIFFERENCE_KEYWORDS;
            if let Some(word) = nearest(self.text, known.into_iter().chain(crate::item_splitter::ITEM_KEYWORDS)) {
                return Some(format!("did you mean `{word}`?"));
            }
            let word = match self.text {
                "delete" | "drop" | "disable" | "skip" | "no" | "without" | "cancel" => "remove",
                "change" | "override" | "modify" | "set" | "redefine" | "update" | "edit" | "instead" => "replace",
                "forbid" | "disallow" | "illegal" => "ban",
                "limit" => "restrict",
                "insert" => "after",
                "extend" | "add" => "append",
                _ => "",
            };
            return Some(match word {
                "" => "a difference begins with `replace`, `remove`, `before`, `after`, `append`, `ban`, `restrict` or `errata`, or is an item".to_owned(),
                word => format!("did you mean `{word}`?"),
            });
        }
        let closed = before.iter().find(|word| **word != "\n") == Some(&"}");
        if closed && self.expects_any(&[Rule::EOI]) && self.token.is_some_and(|token| token.kind == TokenKind::Word) {
            return Some("the item ends with this `}`; begin the next item on a new line".to_owned());
        }
        // where a line can end, the name would be a word after a verb
        if is_reserved(self.text) && self.expects_any(&[Rule::name]) && !self.expects_any(&[Rule::link, Rule::k_then]) {
            return Some(format!("`{}` is a reserved word and cannot be a name", self.text));
        }
        if self.token.is_some_and(|token| token.kind == TokenKind::Word) {
            let words: Vec<String> = self.expected.iter().filter_map(|rule| keyword_text(*rule)).collect();
            if let Some(word) = nearest(self.text, words.iter().map(String::as_str))
                && word != self.text
                && !is_reserved(self.text)
            {
                return Some(format!("did you mean `{word}`?"));
            }
        }
        if self.expects_any(&[Rule::position_cards, Rule::position_value]) {
            return Some("write cards as `ZONE \"NAME\" as x`, and variables as `VARIABLE 5`".to_owned());
        }
        // a keyword without its block
        let line = before.iter().take_while(|word| !matches!(**word, "{" | "}" | "\n" | ";"));
        let opens = |word: &str| {
            BLOCK_WORDS.contains(&word)
                || matches!(word, "cost" | "values" | "numbers" | "costs" | "rollback" | "first" | "defines" | "simultaneously")
        };
        let word = line.copied().find(|word| opens(word)).filter(|_| self.expects_any(&blocks::BLOCK_RULES))?;
        let between = if word == last { "" } else { " …" };
        Some(format!("write the block of `{word}` in braces: `{word}{between} {{ … }}`"))
    }

    /// A suggestion for what a layout or a stage lacks. `last`: the word before; `before`: all tokens before, last first.
    fn help_for_layout(&self, last: &str, before: &[&str]) -> Option<String> {
        for (rule, words, help) in LAYOUT_PARTS {
            if self.expects_any(&[rule]) {
                let close = if self.token.is_some_and(|token| token.kind == TokenKind::Word) {
                    nearest(self.text, words.iter().copied())
                } else {
                    None
                };
                return Some(close.map_or_else(|| help.to_owned(), |word| format!("did you mean `{word}`?")));
            }
        }
        let is_in_layout = matches!(first_word(self.lines), Some("layout" | "format"));
        let line: Vec<&str> = before.iter().take_while(|word| !matches!(**word, "{" | "}" | "\n" | ";")).copied().collect();
        match last {
            "row" | "tiles" | "fan" | "pile" | "backs" if is_in_layout => Some(format!("name the zones: `{last} ZONE, …`")),
            "face" if is_in_layout => Some("say which objects it is for: `face card { … }`".to_owned()),
            "turned" | "dim" | "forward" if self.expects_any(&[Rule::k_when]) => Some(format!("write `{last} when COND`")),
            "stage" if self.expects_any(&[Rule::quoted]) => {
                Some("give the stage a title: `stage \"…\" for card { … }`".to_owned())
            }
            _ if is_in_layout && line.contains(&"hue") && self.expects_any(&[Rule::number]) => {
                Some("write the hue of the word in degrees: `hue WORD 30`".to_owned())
            }
            _ => None,
        }
    }
}

/// The words that begin parts of layouts, by a rule that such a part has: the rule, the words, and a suggestion.
const LAYOUT_PARTS: [(Rule, &[&str], &str); 4] = [
    (
        Rule::row_plain,
        &["row", "tiles", "fan", "pile", "backs", "places", "left", "right"],
        "write how the objects of a zone are shown: `row ZONE`, `tiles ZONE`, `fan ZONE`, `pile ZONE`, `backs ZONE`",
    ),
    (
        Rule::layout_area,
        &["seat", "middle", "plate", "hidden", "beside", "under", "arrow", "forward", "face", "hue"],
        "rows are written in `seat { … }` or `middle { … }`",
    ),
    (
        Rule::face_hue,
        &["hue", "corner", "line", "stat", "turned", "dim", "count", "mark"],
        "a face has `hue TRAITS`, `corner PROPERTY`, `line TRAITS`, `stat PROPERTY`, `turned when COND`, `dim when COND`, `count STATUS`, `mark STATUS`",
    ),
    (Rule::plate_large, &["large", "show"], "a plate has `large VARIABLE` and `show VARIABLE`"),
];

/// The text of a keyword rule; `None` for keywords of older editions.
pub(crate) fn keyword_text(rule: Rule) -> Option<String> {
    if crate::edition::is_old(rule) {
        return None;
    }
    format!("{rule:?}").strip_prefix("k_").map(|word| word.replace('_', " "))
}

/// Descriptions of the expected rules, the most specific first; at most 5.
fn describe_expected(wanted: &[Rule]) -> Vec<String> {
    let mut words: Vec<(u8, String)> = wanted.iter().filter_map(|rule| describe_rule(*rule)).collect();
    if wanted.iter().any(|rule| matches!(rule, Rule::link | Rule::k_then)) {
        words.push((2, "the end of the line".to_owned()));
    }
    words.sort();
    words.dedup();
    // if a block can follow, `(`, a noun and the colon of a one-line body are unlikely to be meant
    if words.iter().any(|(_, word)| word == "`{`") {
        words.retain(|(_, word)| !matches!(word.as_str(), "`(`" | "a noun or a value" | "`:`" | "an expression"));
    }
    // a wide description includes the narrower ones
    let all = ["a noun or a value", "an expression"].into_iter().find(|wide| words.iter().any(|(_, word)| word == wide));
    words.retain(|(_, word)| {
        all.is_none_or(|wide| word == wide || !matches!(word.as_str(), "a name" | "a quoted name" | "a number" | "an expression"))
    });
    let telling = words.iter().filter(|(rank, _)| *rank < 3).count();
    words.truncate(if telling > 0 { telling.min(5) } else { 5 });
    words.into_iter().map(|(_, word)| word).collect()
}

/// A description of a rule, and its rank: the lowest is the most specific.
fn describe_rule(rule: Rule) -> Option<(u8, String)> {
    if crate::edition::is_old(rule) {
        return None;
    }
    let fixed = |rank: u8, text: &str| Some((rank, text.to_owned()));
    match rule {
        Rule::open
        | Rule::block
        | Rule::members
        | Rule::play_body
        | Rule::turn_body
        | Rule::names_in_braces
        | Rule::differences
        | Rule::layout_body
        | Rule::layout_rows
        | Rule::position_body
        | Rule::scenario_body => fixed(1, "`{`"),
        Rule::close => fixed(1, "`}`"),
        Rule::lparen | Rule::params | Rule::called => fixed(2, "`(`"),
        Rule::rparen => fixed(1, "`)`"),
        Rule::lbrack | Rule::list | Rule::paths => fixed(2, "`[`"),
        Rule::rbrack => fixed(1, "`]`"),
        Rule::comma => fixed(2, "`,`"),
        Rule::colon => fixed(1, "`:`"),
        Rule::equals => fixed(1, "`=`"),
        Rule::statement | Rule::calls | Rule::call | Rule::lead | Rule::verb => fixed(0, "a statement"),
        Rule::ability | Rule::fact | Rule::on_event | Rule::does => fixed(0, "an ability or a printed fact"),
        Rule::difference => fixed(0, "a difference"),
        Rule::step | Rule::act => fixed(0, "a step of the scenario"),
        Rule::position_player | Rule::position => fixed(0, "a player's position: `A: { … }`"),
        Rule::position_cards | Rule::position_value | Rule::position_effect => {
            fixed(0, "a zone with a card, or a variable with a value")
        }
        Rule::layout_area
        | Rule::layout_plate
        | Rule::layout_hidden
        | Rule::layout_link
        | Rule::layout_arrow
        | Rule::layout_forward
        | Rule::layout_face
        | Rule::layout_hues => fixed(
            0,
            "a part of a layout (`seat`, `middle`, `plate`, `hidden`, `beside`, `under`, `arrow`, `forward`, `face`, `hue`)",
        ),
        Rule::row_plain | Rule::row_places | Rule::layout_side => {
            fixed(0, "a row (`row`, `tiles`, `fan`, `pile`, `backs`, `places N by STATUS:`, `left`, `right`)")
        }
        Rule::face_hue
        | Rule::face_corner
        | Rule::face_line
        | Rule::face_stat
        | Rule::face_turned
        | Rule::face_dim
        | Rule::face_count
        | Rule::face_mark => {
            fixed(0, "a part of a face (`hue`, `corner`, `line`, `stat`, `turned when`, `dim when`, `count`, `mark`)")
        }
        Rule::plate_large | Rule::plate_show => fixed(0, "`large` or `show` with a variable of players"),
        Rule::turn_span => fixed(0, "a phase or step"),
        Rule::expr
        | Rule::both
        | Rule::negated
        | Rule::comparison
        | Rule::sum
        | Rule::product
        | Rule::unary
        | Rule::operand
        | Rule::value
        | Rule::plain_sum
        | Rule::plain_product
        | Rule::plain_unary
        | Rule::with_condition => fixed(0, "an expression"),
        Rule::phrase
        | Rule::object_phrase
        | Rule::plain_phrase
        | Rule::quantified
        | Rule::filter
        | Rule::counted
        | Rule::grouped
        | Rule::atom
        | Rule::noun_atom
        | Rule::pattern_subject => fixed(0, "a noun or a value"),
        Rule::group => fixed(3, "`(`"),
        Rule::pattern | Rule::would_pattern | Rule::plain_pattern => fixed(0, "an event such as `this enters …`"),
        Rule::moment | Rule::duration => fixed(0, "`start of …` or `end of …`"),
        Rule::mod_ => fixed(0, "a change such as `+1 power`"),
        Rule::name | Rule::word | Rule::path_word | Rule::word_or_call | Rule::param => fixed(0, "a name"),
        Rule::path => fixed(0, "a path"),
        Rule::quoted => fixed(0, "a quoted name"),
        Rule::number => fixed(0, "a number"),
        Rule::type_ref => fixed(0, "a type"),
        Rule::price => fixed(3, "a price"),
        Rule::rounded => fixed(0, "`rounded up` or `rounded down`"),
        Rule::cmp | Rule::is_test | Rule::has_test | Rule::can_test => fixed(3, "a comparison"),
        Rule::minus => fixed(4, "`-`"),
        Rule::plus | Rule::star | Rule::slash => fixed(4, "an operator"),
        Rule::of_post
        | Rule::in_post
        | Rule::from_post
        | Rule::with_post
        | Rule::without_post
        | Rule::that_is
        | Rule::that_has
        | Rule::that_group => fixed(4, "a condition such as `with …`"),
        Rule::with_preposition | Rule::preposition => fixed(4, "a preposition"),
        Rule::until => fixed(4, "`until`"),
        Rule::EOI => fixed(2, "the end of the item"),
        Rule::choosing => fixed(4, "`choosing`"),
        Rule::answer | Rule::choosing_one => fixed(0, "an answer"),
        Rule::k_then
        | Rule::k_otherwise
        | Rule::k_true
        | Rule::k_false
        | Rule::if_you_do
        | Rule::link
        | Rule::adverb
        | Rule::apostrophe
        | Rule::binding => None,
        _ => {
            let word = keyword_text(rule)?;
            Some((3, format!("`{word}`")))
        }
    }
}
