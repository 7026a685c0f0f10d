//! From text to tree.
mod build;
pub mod error;
mod format;
pub mod items;
mod lines;
mod parser;
mod recover;
pub mod tokens;
pub mod tree;

pub use error::{SyntaxError, SyntaxErrorKind};
pub use format::format;
pub use items::{ItemRange, Split, item_ranges, split};

use parser::Failure;

/// What a file holds: the items that can be read, and what is wrong with the rest.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Parsed {
    /// In the order of the file.
    pub items: Vec<tree::Item>,
    /// In the order of the file.
    pub errors: Vec<SyntaxError>,
}

/// Reads a whole file.
#[must_use]
pub fn parse_file(file: u32, text: &str) -> Parsed {
    if u32::try_from(text.len()).is_err() {
        let span = tree::Span { file, start: 0, end: 0 };
        return Parsed { items: Vec::new(), errors: vec![SyntaxError { span, kind: SyntaxErrorKind::FileTooLarge, help: None }] };
    }
    let split = items::split(file, text);
    let mut parsed = Parsed { items: Vec::with_capacity(split.items.len()), errors: Vec::new() };
    for range in &split.items {
        let (item, mut errors) = parse_item(file, text, &split, range);
        parsed.items.extend(item);
        parsed.errors.append(&mut errors);
    }
    parsed.errors.extend(split.errors);
    parsed.errors.sort_by_key(|error| error.span);
    parsed
}

/// Reads one item of a text that was split; its errors are those that the splitter did not report.
#[must_use]
pub fn parse_item(file: u32, text: &str, split: &Split, range: &ItemRange) -> (Option<tree::Item>, Vec<SyntaxError>) {
    if range.hopeless {
        return (None, Vec::new());
    }
    let tokens = split.tokens.get(range.tokens.clone()).unwrap_or(&[]);
    let lines = lines::significant_lines(text, tokens, &range.open);
    let (item, mut errors) = match parser::read_item(file, range.start, &lines) {
        Ok(item) => (Some(item), Vec::new()),
        Err(Failure::Wrong(error)) => (None, vec![error]),
        Err(Failure::Refused(refusal)) => {
            let place = recover::Place { file, base: range.start, length: (range.end - range.start) as usize };
            recover::recover(place, &lines, &refusal)
        }
    };
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
    let item = item.map(|mut item| {
        item.docs.clone_from(&range.docs);
        item
    });
    (item, errors)
}

fn same_line(text: &str, one: tree::Span, other: tree::Span) -> bool {
    let (first, last) = (one.start.min(other.start) as usize, one.start.max(other.start) as usize);
    text.get(first..last).is_some_and(|between| !between.trim_end().contains('\n'))
}

/// Reads one expression, for tests and tools.
///
/// # Errors
///
/// What is wrong with the text.
pub fn parse_expression(text: &str) -> Result<tree::Expr, SyntaxError> {
    let tokens = tokens::tokens(text);
    let lines = lines::significant_lines(text, &tokens, &[]);
    parser::read_expression(&lines).map_err(|failure| match failure {
        Failure::Wrong(error) => error,
        Failure::Refused(refusal) => recover::explain(recover::Place { file: 0, base: 0, length: lines.len() }, &lines, &refusal),
    })
}
