//! The pest grammar, and how one item is read by it.

use pest::Parser;
use pest::error::{ErrorVariant, InputLocation};

use crate::build::Builder;
use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::tree::{Expr, Item, Span};

/// Generated from `fizzle.pest`.
#[derive(pest_derive::Parser)]
#[grammar = "fizzle.pest"]
pub(crate) struct Grammar;

/// Where pest gave up and what it wanted: rules, not words yet.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) at: usize,
    pub(crate) wanted: Vec<Rule>,
}

/// Reads text by an entry rule; says where it stops being readable.
pub(crate) fn read(rule: Rule, text: &str) -> Result<pest::iterators::Pairs<'_, Rule>, Refusal> {
    Grammar::parse(rule, text).map_err(|error| {
        let at = match error.location {
            InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
        };
        let wanted = match error.variant {
            ErrorVariant::ParsingError { positives, .. } => positives,
            ErrorVariant::CustomError { .. } => Vec::new(),
        };
        Refusal { at, wanted }
    })
}

/// Why an item could not be built.
pub(crate) enum Failure {
    /// The grammar refused it.
    Refused(Refusal),
    /// The grammar took it, but it cannot be.
    Wrong(SyntaxError),
}

/// Reads one item whose lines were rewritten.
pub(crate) fn read_item(file: u32, base: u32, lines: &str) -> Result<Item, Failure> {
    let mut pairs = read(Rule::one_item, lines).map_err(Failure::Refused)?;
    let builder = Builder { file, base };
    match pairs.next() {
        Some(pair) if pair.as_rule() != Rule::EOI => builder.item(pair).map_err(Failure::Wrong),
        _ => Err(Failure::Refused(Refusal { at: 0, wanted: Vec::new() })),
    }
}

/// Reads one expression.
pub(crate) fn read_expression(lines: &str) -> Result<Expr, Failure> {
    let mut pairs = read(Rule::one_expression, lines).map_err(Failure::Refused)?;
    let builder = Builder { file: 0, base: 0 };
    match pairs.next() {
        Some(pair) => builder.expr(pair).map_err(Failure::Wrong),
        None => Err(Failure::Refused(Refusal { at: 0, wanted: Vec::new() })),
    }
}

/// The error for a refusal, before anything is known about its context.
pub(crate) fn plain_error(file: u32, base: u32, at: usize) -> SyntaxError {
    let start = base + u32::try_from(at).unwrap_or(0);
    let kind = SyntaxErrorKind::Expected { found: "".into(), expected: Vec::new() };
    SyntaxError { span: Span { file, start, end: start + 1 }, kind, help: None }
}
