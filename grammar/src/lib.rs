//! From text to tree.
mod build;
pub mod error;
pub mod items;
mod lines;
mod parser;
pub mod tokens;
pub mod tree;

pub use error::{SyntaxError, SyntaxErrorKind};
pub use items::{ItemRange, item_ranges};

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
    let split = items::split(file, text);
    let mut parsed = Parsed { items: Vec::with_capacity(split.items.len()), errors: split.errors };
    for range in &split.items {
        if range.hopeless {
            continue;
        }
        let tokens = split.tokens.get(range.tokens.clone()).unwrap_or(&[]);
        let lines = lines::significant_lines(text, tokens, &range.open);
        match parser::read_item(file, range.start, &lines) {
            Ok(mut item) => {
                item.docs.clone_from(&range.docs);
                parsed.items.push(item);
            }
            Err(Failure::Wrong(error)) => parsed.errors.push(error),
            Err(Failure::Refused(refusal)) => {
                let mut error = parser::plain_error(file, range.start, refusal.at);
                error.help = Some(format!("{:?}", refusal.wanted));
                parsed.errors.push(error);
            }
        }
    }
    parsed
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
        Failure::Refused(refusal) => parser::plain_error(0, 0, refusal.at),
    })
}
