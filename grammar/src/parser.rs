//! The generated pest parser, with the functions that the generated code calls: from a text to its concrete syntax tree.
//!
//! A text is parsed with guards first: a rule fails at once if it cannot begin with the next character or word. If that fails, the text is parsed
//! again without guards, so that pest collects everything that it expected.

use std::cell::Cell;

use pest::error::{ErrorVariant, InputLocation};
use pest::{Atomicity, ParseResult, Parser, ParserState};

use crate::cst::Cst;

/// Generated from `fizzle.pest` by `build.rs`.
#[allow(clippy::all, clippy::pedantic, dead_code, unused_imports, missing_docs, reason = "the code is generated")]
mod generated {
    use super::Grammar;

    include!(concat!(env!("OUT_DIR"), "/grammar.rs"));
}

pub(crate) use generated::Rule;

/// The parser that pest generates.
pub(crate) struct Grammar;

thread_local! {
    /// Disables all guards, so that pest tries every rule and collects all expected rules at the position where it fails.
    static COLLECT_ALL_EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// The whole input, and the current byte offset.
#[inline]
fn input_and_offset<'i>(state: &ParserState<'i, Rule>) -> (&'i str, usize) {
    let here = state.position();
    (here.span(here).get_input(), here.pos())
}

/// Whether the character at a position is in a first set: ASCII characters by bit, any other character, the end of the text.
#[inline]
pub(crate) fn fits(text: &str, at: usize, ascii: u128, wide: bool, end: bool) -> bool {
    match text.as_bytes().get(at) {
        Some(next) if next.is_ascii() => ascii >> next & 1 == 1,
        Some(_) => wide,
        None => end,
    }
}

/// Guard of a rule: fails if the rule cannot begin with the next character. `build.rs` computes the set.
#[inline]
pub(crate) fn may_begin(
    state: Box<ParserState<'_, Rule>>,
    ascii: u128,
    wide: bool,
    end: bool,
) -> ParseResult<Box<ParserState<'_, Rule>>> {
    let (text, at) = input_and_offset(&state);
    if fits(text, at, ascii, wide, end) || COLLECT_ALL_EXPECTED.get() { Ok(state) } else { Err(state) }
}

/// Guard of a rule that always begins with a word: fails if the text does not continue with the word.
#[inline]
pub(crate) fn begins_with<'i>(state: Box<ParserState<'i, Rule>>, word: &str) -> ParseResult<Box<ParserState<'i, Rule>>> {
    let (text, at) = input_and_offset(&state);
    if self::word(text, at, word).is_some() || COLLECT_ALL_EXPECTED.get() { Ok(state) } else { Err(state) }
}

/// The end of a word, if the text continues with it.
#[inline]
pub(crate) fn word(text: &str, at: usize, word: &str) -> Option<usize> {
    text.as_bytes().get(at..)?.starts_with(word.as_bytes()).then(|| at + word.len())
}

/// The end of the next character, if it passes the test.
#[inline]
pub(crate) fn one(text: &str, at: usize, fits: impl Fn(char) -> bool) -> Option<usize> {
    let next = text.get(at..)?.chars().next().filter(|next| fits(*next))?;
    Some(at + next.len_utf8())
}

/// Repeats a matcher while it matches, and returns the last end.
#[inline]
pub(crate) fn many(mut at: usize, next: impl Fn(usize) -> Option<usize>) -> usize {
    while let Some(end) = next(at) {
        at = end;
    }
    at
}

/// The offset after all blanks.
#[inline]
pub(crate) fn blanks(text: &str, at: usize) -> usize {
    many(at, |at| (text.as_bytes().get(at) == Some(&b' ')).then(|| at + 1))
}

type State<'i> = Box<ParserState<'i, Rule>>;

/// The body of a rule or of a part of it. It is a function pointer, so that pest's generic methods are compiled only once.
type Reader = for<'i> fn(State<'i>) -> ParseResult<State<'i>>;

/// [`ParserState::rule`].
pub(crate) fn rule(state: State<'_>, rule: Rule, reader: Reader) -> ParseResult<State<'_>> {
    state.rule(rule, reader)
}

/// [`ParserState::sequence`].
pub(crate) fn sequence(state: State<'_>, reader: Reader) -> ParseResult<State<'_>> {
    state.sequence(reader)
}

/// [`ParserState::optional`].
pub(crate) fn optional(state: State<'_>, reader: Reader) -> ParseResult<State<'_>> {
    state.optional(reader)
}

/// [`ParserState::repeat`].
pub(crate) fn repeat(state: State<'_>, reader: Reader) -> ParseResult<State<'_>> {
    state.repeat(reader)
}

/// [`ParserState::lookahead`].
pub(crate) fn lookahead(state: State<'_>, is_positive: bool, reader: Reader) -> ParseResult<State<'_>> {
    state.lookahead(is_positive, reader)
}

/// [`ParserState::atomic`].
pub(crate) fn atomic(state: State<'_>, atomicity: Atomicity, reader: Reader) -> ParseResult<State<'_>> {
    state.atomic(atomicity, reader)
}

/// Consumes the text up to `end`.
#[inline]
fn consume_to<'i>(state: State<'i>, text: &str, at: usize, end: usize) -> ParseResult<State<'i>> {
    state.match_string(text.get(at..end).unwrap_or(""))
}

/// Skips blanks, unless the current rule is atomic.
#[inline]
pub(crate) fn skip_blanks(state: State<'_>) -> ParseResult<State<'_>> {
    let (text, at) = input_and_offset(&state);
    let end = blanks(text, at);
    if end == at || state.atomicity() != Atomicity::NonAtomic { Ok(state) } else { consume_to(state, text, at, end) }
}

/// The result of a generated matcher. The outer `Err` passes the state to pest's own code, which is needed to collect expected rules.
type MatchAttempt<'i> = Result<ParseResult<State<'i>>, State<'i>>;

/// A generated matcher: the end of the text that a rule matches from an offset on, or `None`.
type Matcher = fn(&str, usize) -> Option<usize>;

/// Runs a matcher for a rule that emits one node.
pub(crate) fn token(state: State<'_>, rule: Rule, matcher: Matcher) -> MatchAttempt<'_> {
    if COLLECT_ALL_EXPECTED.get() {
        return Err(state);
    }
    let (text, at) = input_and_offset(&state);
    Ok(match matcher(text, at) {
        Some(end) => state.rule(rule, |state| consume_to(state, text, at, end)),
        None => Err(state),
    })
}

/// Runs a matcher for a rule that emits no node.
pub(crate) fn silent(state: State<'_>, matcher: Matcher) -> MatchAttempt<'_> {
    if COLLECT_ALL_EXPECTED.get() || state.atomicity() != Atomicity::NonAtomic {
        return Err(state);
    }
    let (text, at) = input_and_offset(&state);
    Ok(match matcher(text, at) {
        Some(end) if end == at => Ok(state),
        Some(end) => consume_to(state, text, at, end),
        None => Err(state),
    })
}

/// The offset where pest failed, and the rules that it expected there.
#[derive(Clone, Debug)]
pub(crate) struct ParseFailure {
    pub(crate) at: usize,
    pub(crate) expected: Vec<Rule>,
}

/// Parses a text by an entry rule, without the reasons if it is refused.
pub(crate) fn read_accepted(rule: Rule, text: &str) -> Option<Cst<'_>> {
    Grammar::parse(rule, text).ok().map(|pairs| Cst::from_pairs(text, pairs))
}

/// Parses a text by an entry rule.
///
/// # Errors
///
/// The furthest offset that was reached, and all rules expected there. Costs a second parse without guards.
pub(crate) fn read(rule: Rule, text: &str) -> Result<Cst<'_>, ParseFailure> {
    if let Some(nodes) = read_accepted(rule, text) {
        return Ok(nodes);
    }
    COLLECT_ALL_EXPECTED.set(true);
    let again = Grammar::parse(rule, text);
    COLLECT_ALL_EXPECTED.set(false);
    again.map(|pairs| Cst::from_pairs(text, pairs)).map_err(|error| {
        let at = match error.location {
            InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
        };
        let wanted = match error.variant {
            ErrorVariant::ParsingError { positives, .. } => positives,
            ErrorVariant::CustomError { .. } => Vec::new(),
        };
        ParseFailure { at, expected: wanted }
    })
}

#[cfg(test)]
mod tests {
    use super::{Grammar, Rule};
    use pest::Parser;

    /// Whether a rule matches the whole text.
    fn reads(rule: Rule, text: &str) -> bool {
        let tokens = crate::lexer::tokens(text);
        let lines = crate::newlines::significant_lines(text, &tokens, &[]);
        let lines = lines.trim_end();
        Grammar::parse(rule, lines).is_ok_and(|mut pairs| pairs.next().is_some_and(|pair| pair.as_span().end() == lines.len()))
    }

    #[test]
    fn grammar_examples_parse_as_stated() {
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
