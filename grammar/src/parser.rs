//! The pest grammar, and how one item is read by it.

use std::cell::Cell;

use pest::error::{ErrorVariant, InputLocation};
use pest::{ParseResult, Parser, ParserState};

use crate::build::Builder;
use crate::error::SyntaxError;
use crate::tree::{Expr, Item};

/// Generated from `fizzle.pest` by `build.rs`.
#[allow(clippy::all, clippy::pedantic, dead_code, unused_imports, missing_docs, reason = "it is generated")]
mod generated {
    use super::Grammar;

    include!(concat!(env!("OUT_DIR"), "/grammar.rs"));
}

pub(crate) use generated::Rule;

/// The parser.
pub(crate) struct Grammar;

thread_local! {
    /// Every rule is tried, so that pest knows all that could stand where it gave up.
    static THOROUGH: Cell<bool> = const { Cell::new(false) };
}

/// What is left to be read.
#[inline]
fn rest<'i>(state: &ParserState<'i, Rule>) -> &'i [u8] {
    let here = state.position();
    here.span(here).get_input().as_bytes().get(here.pos()..).unwrap_or(&[])
}

/// Refuses a rule that cannot begin with the next character. Which those are, `build.rs` has found out.
#[inline]
pub(crate) fn may_begin(
    state: Box<ParserState<'_, Rule>>,
    ascii: u128,
    wide: bool,
    end: bool,
) -> ParseResult<Box<ParserState<'_, Rule>>> {
    let fits = match rest(&state).first() {
        Some(next) if next.is_ascii() => ascii >> next & 1 == 1,
        Some(_) => wide,
        None => end,
    };
    if fits || THOROUGH.get() { Ok(state) } else { Err(state) }
}

/// Refuses a rule that begins with this word where it does not stand.
#[inline]
pub(crate) fn begins_with<'i>(state: Box<ParserState<'i, Rule>>, word: &str) -> ParseResult<Box<ParserState<'i, Rule>>> {
    if rest(&state).starts_with(word.as_bytes()) || THOROUGH.get() { Ok(state) } else { Err(state) }
}

/// Where pest gave up and what it wanted: rules, not words yet.
#[derive(Clone, Debug)]
pub(crate) struct Refusal {
    pub(crate) at: usize,
    pub(crate) wanted: Vec<Rule>,
}

/// Reads text by an entry rule; says where it stops being readable.
pub(crate) fn read(rule: Rule, text: &str) -> Result<pest::iterators::Pairs<'_, Rule>, Refusal> {
    if let Ok(pairs) = Grammar::parse(rule, text) {
        return Ok(pairs);
    }
    THOROUGH.set(true);
    let again = Grammar::parse(rule, text);
    THOROUGH.set(false);
    again.map_err(|error| {
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

#[cfg(test)]
mod tests {
    use super::{Grammar, Rule};
    use pest::Parser;

    /// Does a rule read all of a text?
    fn reads(rule: Rule, text: &str) -> bool {
        let tokens = crate::tokens::tokens(text);
        let lines = crate::lines::significant_lines(text, &tokens, &[]);
        let lines = lines.trim_end();
        Grammar::parse(rule, lines).is_ok_and(|mut pairs| pairs.next().is_some_and(|pair| pair.as_span().end() == lines.len()))
    }

    #[test]
    fn examples_in_the_grammar_hold() {
        let (mut good, mut bad): (Vec<&str>, Vec<&str>) = (Vec::new(), Vec::new());
        let (mut count, mut wrong) = (0, Vec::new());
        for line in crate::GRAMMAR.lines() {
            if let Some(text) = line.strip_prefix("// + ") {
                good.push(text);
            } else if let Some(text) = line.strip_prefix("// - ") {
                bad.push(text);
            } else if !line.starts_with("//") && !line.trim().is_empty() {
                let name = line.split([' ', '=']).next().unwrap_or("");
                let rule = Rule::all_rules().iter().find(|rule| format!("{rule:?}") == name);
                let Some(rule) = rule else {
                    assert!(good.is_empty() && bad.is_empty(), "examples above {name}, which is no rule");
                    continue;
                };
                count += good.len() + bad.len();
                wrong.extend(good.drain(..).filter(|text| !reads(*rule, text)).map(|text| format!("{name} refuses: {text}")));
                wrong.extend(bad.drain(..).filter(|text| reads(*rule, text)).map(|text| format!("{name} takes: {text}")));
            }
        }
        assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        assert!(count > 100, "only {count} examples");
    }
}
