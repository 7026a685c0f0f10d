//! From text to tree: tokens, items, the grammar, the syntax tree and the formatter.
//!
//! ```text
//! text -> tokens (nothing lost) -> items (one broken item never hides the next) -> lines (which newlines count)
//!      -> pest, one item at a time -> tree
//! ```
//!
//! The crate knows no game and no verb, reads no file, and never panics: whatever the text, the result is a list of items and a list of
//! errors. [`parse_file`] reads a file, [`split`] and [`parse_item`] re-read single items, [`format()`] prints.

// What pest generates without its stack guard names it; brackets are counted before (`items::DEPTH_LIMIT`).
extern crate alloc;

pub mod ast;
mod ast_builder;
mod cst;
pub mod edition;
pub mod error;
mod formatter;
pub mod item_splitter;
pub mod lexer;
mod newlines;
mod parser;
mod recovery;
mod suggestions;
pub mod visit;

pub use edition::Edition;
pub use error::{SyntaxError, SyntaxErrorKind};
pub use formatter::format;
pub use item_splitter::{ItemRange, SplitFile, item_ranges, split};

use parser::ItemError;

/// The grammar of one item as it is written, with examples in comments: a reference can be made of it.
pub const GRAMMAR: &str = include_str!("fizzle.pest");

/// What a file holds: the items that can be read, and what is wrong with the rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// In the order of the file.
    pub items: Vec<ast::Item>,
    /// In the order of the file.
    pub errors: Vec<SyntaxError>,
    /// Names that the items have that cannot be read: that nothing is called so is not said.
    pub unparsed_names: Vec<smol_str::SmolStr>,
}

/// Reads a whole file.
#[must_use]
pub fn parse_file(file: u32, text: &str) -> Parsed {
    if u32::try_from(text.len()).is_err() {
        let span = ast::Span { file, start: 0, end: 0 };
        let errors = vec![SyntaxError { span, kind: SyntaxErrorKind::FileTooLarge, help: None }];
        return Parsed { errors, ..Parsed::default() };
    }
    let split = item_splitter::split(file, text);
    let items: Vec<_> = split.items.iter().map(|range| parse_item(file, text, &split, range)).collect();
    assemble(text, split, items)
}

/// Puts the items of a split file together again, whoever read them by [`parse_item`].
#[must_use]
pub fn assemble(text: &str, split: SplitFile, items: Vec<(Option<ast::Item>, Vec<SyntaxError>)>) -> Parsed {
    let mut parsed = Parsed { items: Vec::with_capacity(items.len()), ..Parsed::default() };
    for ((item, mut errors), range) in items.into_iter().zip(&split.items) {
        if item.is_none() {
            parsed
                .unparsed_names
                .extend(recovery::blocks::names(text.get(range.start as usize..range.end as usize).unwrap_or("")));
        }
        parsed.items.extend(item);
        parsed.errors.append(&mut errors);
    }
    parsed.errors.extend(split.errors);
    parsed.errors.sort_by_key(|error| error.span);
    parsed
}

/// Reads one item of a text that was split; its errors are those that the splitter did not report.
#[must_use]
pub fn parse_item(file: u32, text: &str, split: &SplitFile, range: &ItemRange) -> (Option<ast::Item>, Vec<SyntaxError>) {
    let tokens = split.tokens.get(range.tokens.clone()).unwrap_or(&[]);
    let mut lines = newlines::significant_lines(text, tokens, &range.open);
    let written = text.get(range.start as usize..range.end as usize).unwrap_or("");
    let place = recovery::ItemText { file, text: written, base: range.start, length: written.len() };
    // what was told of these is all that is wrong with them
    let symbols = split.errors.iter().filter(|error| matches!(error.kind, SyntaxErrorKind::UnclosedSymbol { .. }));
    for symbol in symbols.filter(|error| range.start <= error.span.start && error.span.end <= range.end) {
        let (start, end) = ((symbol.span.start - range.start) as usize, (symbol.span.end - range.start) as usize);
        // a fact of which nothing is left goes as well
        let before = lines.get(..start).unwrap_or("").trim_end_matches(' ');
        let word = before.trim_end_matches(|c: char| c == '_' || c.is_alphanumeric()).len();
        let goes_on = lines.get(end..).is_some_and(|rest| rest.trim_start_matches(' ').starts_with('{'));
        let start = if goes_on { start } else { word };
        lines.replace_range(start..end, &" ".repeat(end - start));
    }
    if range.intended_keyword.is_some_and(|meant| !put_keyword(&mut lines, meant)) {
        return (None, Vec::new());
    }
    if range.unparseable || range.guessed {
        return (recovery::blocks::name_only_card(place, &lines), Vec::new());
    }
    let read = || match parser::read_item(file, range.start, &lines) {
        Ok(item) => (Some(item), Vec::new()),
        Err(ItemError::Wrong(error)) => (None, vec![error]),
        Err(ItemError::Refused(refusal)) => recovery::recover(place, &lines, &refusal),
    };
    let (item, mut errors) = with_large_stack(range.depth, read).unwrap_or_else(|| {
        let span = ast::Span { file, start: range.start, end: range.end };
        (
            None,
            vec![SyntaxError {
                span,
                kind: SyntaxErrorKind::TooDeep { limit: SAFE_DEPTH },
                help: Some(error::NESTING_HELP.to_owned()),
            }],
        )
    });
    // what the splitter has reported on a line explains whatever else is wrong there
    let known = |error: &SyntaxError| {
        split.errors.iter().any(|other| {
            other.span.start >= range.start
                && other.span.end <= range.end
                && (matches!(other.kind, SyntaxErrorKind::UnclosedBrace { .. }) && error.span.end >= range.end
                    || !matches!(other.kind, SyntaxErrorKind::UnclosedBrace { .. }) && same_line(text, other.span, error.span))
        })
    };
    errors.retain(|error| !known(error));
    if range.intended_keyword.is_some() && item.is_none() {
        errors.clear();
    }
    dedup_reserved_name_errors(text, &mut errors);
    let item = item.or_else(|| recovery::blocks::name_only_card(place, &lines)).map(|mut item| {
        item.docs.clone_from(&range.docs);
        item
    });
    (item, errors)
}

/// Reads one item of a text that was split, if nothing at all is wrong with it. Its spans count from `from`, which is not behind its start.
#[must_use]
pub fn parse_item_strict(file: u32, from: u32, text: &str, split: &SplitFile, range: &ItemRange) -> Option<ast::Item> {
    let touched = |error: &SyntaxError| error.span.end >= range.start && error.span.start <= range.end;
    if range.unparseable || range.intended_keyword.is_some() || !range.open.is_empty() || split.errors.iter().any(touched) {
        return None;
    }
    let lines = newlines::significant_lines(text, split.tokens.get(range.tokens.clone())?, &[]);
    let mut item = with_large_stack(range.depth, || parser::read_item(file, range.start - from, &lines).ok())??;
    item.docs.clone_from(&range.docs);
    Some(item)
}

/// Puts the keyword that was meant in the place of the first word, with the blank behind it if need be: all places stay what they were.
fn put_keyword(lines: &mut String, meant: &str) -> bool {
    let word = lines.find([' ', '{', '"', '《']).unwrap_or(0);
    let blanks = lines.get(word..).unwrap_or("").bytes().take_while(|byte| *byte == b' ').count();
    let quoted = lines.get(word + blanks..).is_some_and(|rest| rest.starts_with(['"', '《', '{']));
    let room = word + if quoted { blanks } else { blanks.saturating_sub(1) };
    if word == 0 || meant.len() > room {
        return false;
    }
    let length = meant.len().max(word);
    lines.replace_range(..length, &format!("{meant:<length$}"));
    true
}

/// A reserved word that was taken for a name is told once, where it is given: the lines that use it are wrong for that reason alone.
fn dedup_reserved_name_errors(text: &str, errors: &mut Vec<SyntaxError>) {
    let reserved: Vec<(smol_str::SmolStr, ast::Span)> = errors
        .iter()
        .filter_map(|error| match &error.kind {
            SyntaxErrorKind::Reserved { word } => Some((word.clone(), error.span)),
            _ => None,
        })
        .collect();
    errors.retain(|error| {
        let line = line_of(text, error.span.start);
        let uses = |word: &str| lexer::tokens(line).iter().any(|token| token.text(line) == word);
        !reserved.iter().any(|(word, at)| *at != error.span && at.start < error.span.start && uses(word))
    });
}

/// The line of a byte.
fn line_of(text: &str, byte: u32) -> &str {
    let byte = (byte as usize).min(text.len());
    let start = text.get(..byte).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1);
    text.get(start..).and_then(|rest| rest.split('\n').next()).unwrap_or("")
}

/// Nesting that any stack has room for, however the program was built.
const SAFE_DEPTH: usize = 10;

/// Reads on a stack of its own what is nested more deeply than usual. None if there is no such stack to be had.
fn with_large_stack<T: Send>(depth: usize, read: impl FnOnce() -> T + Send) -> Option<T> {
    if depth <= SAFE_DEPTH {
        return Some(read());
    }
    std::thread::scope(|scope| std::thread::Builder::new().stack_size(32 << 20).spawn_scoped(scope, read).ok()?.join().ok())
}

fn same_line(text: &str, one: ast::Span, other: ast::Span) -> bool {
    let (first, last) = (one.start.min(other.start) as usize, one.start.max(other.start) as usize);
    text.get(first..last).is_some_and(|between| !between.trim_end().contains('\n'))
}

/// Reads one expression, for tests and tools.
///
/// # Errors
///
/// What is wrong with the text.
pub fn parse_expression(text: &str) -> Result<ast::Expr, SyntaxError> {
    let tokens = lexer::tokens(text);
    let span = ast::Span { file: 0, start: 0, end: u32::try_from(text.len()).unwrap_or(u32::MAX) };
    let too_deep = SyntaxError { span, kind: SyntaxErrorKind::TooDeep { limit: item_splitter::DEPTH_LIMIT }, help: None };
    let (mut depth, mut deepest) = (0_usize, 0);
    for token in &tokens {
        if token.kind.opens() {
            depth += 1;
            deepest = deepest.max(depth);
        } else if token.kind.closes() {
            depth = depth.saturating_sub(1);
        }
    }
    if deepest > item_splitter::DEPTH_LIMIT {
        return Err(too_deep);
    }
    let lines = newlines::significant_lines(text, &tokens, &[]);
    let base = tokens.first().map_or(0, |token| token.start);
    let read = || {
        parser::read_expression(&lines).map_err(|failure| match failure {
            ItemError::Wrong(error) => error,
            ItemError::Refused(refusal) => {
                recovery::explain(recovery::ItemText { file: 0, text, base, length: lines.len() }, &lines, &refusal)
            }
        })
    };
    with_large_stack(deepest, read).unwrap_or(Err(too_deep))
}
