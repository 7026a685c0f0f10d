//! Lexer, parser, syntax tree and formatter of the Fizzle language.
//!
//! ```text
//! text -> tokens (lossless) -> items (one broken item never hides the next) -> significant newlines
//!      -> pest grammar, one item at a time -> syntax tree
//! ```
//!
//! The crate contains no names of a game and no verbs, reads no files, and never panics: for any text the result is a list of items and a
//! list of errors. [`parse_file`] parses a whole text, [`split`] and [`parse_item`] parse single items again, [`format()`] formats a text.
//!
//! # Where to look
//!
//! | What | Where |
//! |---|---|
//! | The grammar | `fizzle.pest` |
//! | Tokens, and the split into items | `lexer`, `item_splitter`, `newlines` |
//! | The syntax tree, and how it is built | [`ast`], `ast_builder` |
//! | Errors, and what is parsed after one | `error`, `recovery`, `suggestions`, `foreign_files` |
//! | The formatter | `formatter`, `padding` |
//! | Editions of the language, and rewriting older ones | `edition`, `upgrade` |

// Code that pest generates without its stack guard refers to `alloc`. The splitter bounds the nesting (`item_splitter::MAX_DEPTH`).
extern crate alloc;

pub mod ast;
mod ast_builder;
mod cst;
pub mod edition;
pub mod error;
mod foreign_files;
mod formatter;
mod item_parser;
pub mod item_splitter;
pub mod lexer;
mod newlines;
mod padding;
mod parser;
pub mod place;
mod recovery;
mod span;
mod suggestions;
mod upgrade;
pub mod visit;

pub use ast_builder::{MAX_CHAIN_LINKS, MAX_TREE_DEPTH};
pub use edition::Edition;
pub use error::{SyntaxError, SyntaxErrorKind};
pub use fizzle_hidden_characters as hidden_characters;
pub use formatter::{FormattedText, format, format_items};
pub use item_splitter::{ItemRange, MAX_ERRORS, SplitFile, item_ranges, split};
pub use upgrade::upgrade;

use item_parser::ItemError;

/// The source of the grammar of one item, with examples in its comments. The reference is generated from it.
pub const GRAMMAR: &str = include_str!("fizzle.pest");

/// The result of parsing a file: the items that could be parsed, and the errors.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// The items, in source order.
    pub items: Vec<ast::Item>,
    /// The errors, in source order.
    pub errors: Vec<SyntaxError>,
    /// Names of items that could not be parsed. The compiler does not report them as undeclared.
    pub unparsed_names: Vec<smol_str::SmolStr>,
}

/// Parses the text of a whole file. `file` is its number in spans.
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

/// Combines the items of a split file, which the caller parsed by [`parse_item`], with the errors of the splitter.
///
/// `items` has one entry per item range of `split`, in the same order.
#[must_use]
pub fn assemble(text: &str, split: SplitFile, items: Vec<(Option<ast::Item>, Vec<SyntaxError>)>) -> Parsed {
    let mut parsed = Parsed { items: Vec::with_capacity(items.len()), ..Parsed::default() };
    for ((item, mut errors), range) in items.into_iter().zip(&split.items) {
        if item.is_none() {
            parsed
                .unparsed_names
                .extend(recovery::blocks::declared_names(text.get(range.start as usize..range.end as usize).unwrap_or("")));
        }
        parsed.items.extend(item);
        parsed.errors.append(&mut errors);
    }
    parsed.errors.extend(split.errors);
    parsed.errors.sort_by_key(|error| error.span);
    parsed
}

/// Parses one item of a split text. The errors exclude those that the splitter reported.
///
/// The item is present in spite of errors if its valid parts can be parsed; for a card at least its name.
#[must_use]
pub fn parse_item(file: u32, text: &str, split: &SplitFile, range: &ItemRange) -> (Option<ast::Item>, Vec<SyntaxError>) {
    let tokens = split.tokens.get(range.tokens.clone()).unwrap_or(&[]);
    let lines = newlines::significant_lines(text, tokens, &range.open);
    let written = text.get(range.start as usize..range.end as usize).unwrap_or("");
    let place = recovery::ItemText { file, text: written, base: range.start, length: written.len() };
    // unclosed symbols were reported by the splitter; they are blanked here
    let near = split.errors_near(range.start, range.end);
    let symbols = near.iter().filter(|error| matches!(error.kind, SyntaxErrorKind::UnclosedSymbol { .. }));
    let mut blanked: Vec<(usize, usize)> = Vec::new();
    for symbol in symbols.filter(|error| range.start <= error.span.start && error.span.end <= range.end) {
        let (start, end) = ((symbol.span.start - range.start) as usize, (symbol.span.end - range.start) as usize);
        // if nothing of the price is left, the name of its fact is blanked too; symbols before it are blank
        let trimmed = |end: usize| lines.get(..end).unwrap_or("").trim_end_matches(' ');
        let (mut first, mut before) = (start, trimmed(start));
        while let Some((known, _)) = blanked.pop_if(|(_, end)| *end >= before.len()) {
            (first, before) = (known, trimmed(known));
        }
        let word = before.trim_end_matches(|c: char| c == '_' || c.is_alphanumeric()).len();
        let is_followed_by_brace = lines.get(end..).is_some_and(|rest| rest.trim_start_matches(' ').starts_with('{'));
        blanked.push((if is_followed_by_brace { first } else { word }, end));
    }
    let mut lines = blank(lines, &blanked);
    if range.intended_keyword.is_some_and(|keyword| !insert_keyword(&mut lines, keyword)) {
        return (None, Vec::new());
    }
    if range.unparseable || range.guessed {
        return (recovery::blocks::name_only_card(place, &lines), Vec::new());
    }
    let read = || match item_parser::read_item(file, range.start, &lines) {
        Ok(item) => (Some(item), Vec::new()),
        Err(ItemError::Builder(error)) => (None, vec![error]),
        Err(ItemError::Grammar(refusal)) => recovery::recover(place, &lines, &refusal),
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
    // an error of the splitter explains other errors on the same line; an unclosed brace those at the end of the item
    let known = |error: &SyntaxError| {
        near.iter().any(|other| {
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

/// Parses one item of a split text; `None` if the item or the splitter has any error in it.
///
/// Its spans are relative to the byte `from`, which is at most the start of the item.
#[must_use]
pub fn parse_item_strict(file: u32, from: u32, text: &str, split: &SplitFile, range: &ItemRange) -> Option<ast::Item> {
    let touched = |error: &SyntaxError| error.span.end >= range.start && error.span.start <= range.end;
    if range.unparseable
        || range.intended_keyword.is_some()
        || !range.open.is_empty()
        || split.errors_near(range.start, range.end).iter().any(touched)
    {
        return None;
    }
    let lines = newlines::significant_lines(text, split.tokens.get(range.tokens.clone())?, &[]);
    let mut item = with_large_stack(range.depth, || item_parser::read_item(file, range.start - from, &lines).ok())??;
    item.docs.clone_from(&range.docs);
    Some(item)
}

/// Parses the first item of a text again, and reads the names that begin at some bytes as others; `None` if it has an error.
#[must_use]
pub fn parse_item_with_names(
    file: u32,
    text: &str,
    names: std::collections::BTreeMap<u32, smol_str::SmolStr>,
) -> Option<ast::Item> {
    let split = item_splitter::split(file, text);
    let range = split.items.first()?;
    let lines = newlines::significant_lines(text, split.tokens.get(range.tokens.clone())?, &[]);
    let read = || item_parser::read_item_with_names(file, range.start, &lines, names).ok();
    let mut item = with_large_stack(range.depth, read)??;
    item.docs.clone_from(&range.docs);
    Some(item)
}

/// Replaces ranges of bytes by blanks.
fn blank(lines: String, ranges: &[(usize, usize)]) -> String {
    if ranges.is_empty() {
        return lines;
    }
    let mut bytes = lines.into_bytes();
    for (start, end) in ranges {
        if let Some(range) = bytes.get_mut(*start..*end) {
            range.fill(b' ');
        }
    }
    String::from_utf8(bytes).unwrap_or_default()
}

/// Replaces the first word by the intended keyword without moving other text. Uses blanks after the word if the keyword is longer.
///
/// Returns false, and changes nothing, if there is not enough room.
fn insert_keyword(lines: &mut String, keyword: &str) -> bool {
    let word = lines.find([' ', '{', '"', '《']).unwrap_or(0);
    let blanks = lines.get(word..).unwrap_or("").bytes().take_while(|byte| *byte == b' ').count();
    let quoted = lines.get(word + blanks..).is_some_and(|rest| rest.starts_with(['"', '《', '{']));
    let room = word + if quoted { blanks } else { blanks.saturating_sub(1) };
    if word == 0 || keyword.len() > room {
        return false;
    }
    let length = keyword.len().max(word);
    lines.replace_range(..length, &padding::pad_end(keyword, length));
    true
}

/// Removes errors on lines that use a reserved word which an earlier error reports as a name.
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

/// The line that contains a byte.
fn line_of(text: &str, byte: u32) -> &str {
    let byte = (byte as usize).min(text.len());
    let start = text.get(..byte).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline + 1);
    text.get(start..).and_then(|rest| rest.split('\n').next()).unwrap_or("")
}

/// The deepest nesting that is parsed on the stack of the caller; it fits in debug builds as well.
const SAFE_DEPTH: usize = 10;

/// Runs a parser on a thread with a stack of 32 MiB if the text is nested deeper than [`SAFE_DEPTH`].
///
/// Returns `None` if the thread cannot be created.
pub(crate) fn with_large_stack<T: Send>(depth: usize, read: impl FnOnce() -> T + Send) -> Option<T> {
    if depth <= SAFE_DEPTH {
        return Some(read());
    }
    std::thread::scope(|scope| std::thread::Builder::new().stack_size(32 << 20).spawn_scoped(scope, read).ok()?.join().ok())
}

fn same_line(text: &str, one: ast::Span, other: ast::Span) -> bool {
    let (first, last) = (one.start.min(other.start) as usize, one.start.max(other.start) as usize);
    text.get(first..last).is_some_and(|between| !between.trim_end().contains('\n'))
}

/// Parses one expression, for tests and tools.
///
/// # Errors
///
/// The first syntax error of the text.
pub fn parse_expression(text: &str) -> Result<ast::Expr, SyntaxError> {
    let tokens = lexer::tokens(text);
    let span = ast::Span { file: 0, start: 0, end: u32::try_from(text.len()).unwrap_or(u32::MAX) };
    let too_deep = SyntaxError { span, kind: SyntaxErrorKind::TooDeep { limit: item_splitter::MAX_DEPTH }, help: None };
    let (mut depth, mut deepest) = (0_usize, 0);
    for token in &tokens {
        if token.kind.opens() {
            depth += 1;
            deepest = deepest.max(depth);
        } else if token.kind.closes() {
            depth = depth.saturating_sub(1);
        }
    }
    if deepest > item_splitter::MAX_DEPTH {
        return Err(too_deep);
    }
    let lines = newlines::significant_lines(text, &tokens, &[]);
    let base = tokens.first().map_or(0, |token| token.start);
    let read = || {
        item_parser::read_expression(&lines).map_err(|failure| match failure {
            ItemError::Builder(error) => error,
            ItemError::Grammar(refusal) => {
                recovery::explain(recovery::ItemText { file: 0, text, base, length: lines.len() }, &lines, &refusal)
            }
        })
    };
    with_large_stack(deepest, read).unwrap_or(Err(too_deep))
}
