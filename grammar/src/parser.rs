//! The pest grammar, and how one item is read by it.

use std::cell::Cell;

use pest::error::{ErrorVariant, InputLocation};
use pest::{Atomicity, ParseResult, Parser, ParserState};

use crate::ast::{Expr, Item};
use crate::ast_builder::AstBuilder;
use crate::cst::Cst;
use crate::edition;
use crate::error::SyntaxError;

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
    static COLLECT_ALL_EXPECTED: Cell<bool> = const { Cell::new(false) };
}

/// All that is read, and how much of it has been.
#[inline]
fn here<'i>(state: &ParserState<'i, Rule>) -> (&'i str, usize) {
    let here = state.position();
    (here.span(here).get_input(), here.pos())
}

/// Whether something that begins with these characters can begin here.
#[inline]
pub(crate) fn fits(text: &str, at: usize, ascii: u128, wide: bool, end: bool) -> bool {
    match text.as_bytes().get(at) {
        Some(next) if next.is_ascii() => ascii >> next & 1 == 1,
        Some(_) => wide,
        None => end,
    }
}

/// Refuses a rule that cannot begin with the next character. Which those are, `build.rs` has found out.
#[inline]
pub(crate) fn may_begin(
    state: Box<ParserState<'_, Rule>>,
    ascii: u128,
    wide: bool,
    end: bool,
) -> ParseResult<Box<ParserState<'_, Rule>>> {
    let (text, at) = here(&state);
    if fits(text, at, ascii, wide, end) || COLLECT_ALL_EXPECTED.get() { Ok(state) } else { Err(state) }
}

/// Refuses a rule that begins with this word where it does not stand.
#[inline]
pub(crate) fn begins_with<'i>(state: Box<ParserState<'i, Rule>>, word: &str) -> ParseResult<Box<ParserState<'i, Rule>>> {
    let (text, at) = here(&state);
    if self::word(text, at, word).is_some() || COLLECT_ALL_EXPECTED.get() { Ok(state) } else { Err(state) }
}

/// Where a word ends that stands here.
#[inline]
pub(crate) fn word(text: &str, at: usize, word: &str) -> Option<usize> {
    text.as_bytes().get(at..)?.starts_with(word.as_bytes()).then(|| at + word.len())
}

/// Where a character ends that stands here.
#[inline]
pub(crate) fn one(text: &str, at: usize, fits: impl Fn(char) -> bool) -> Option<usize> {
    let next = text.get(at..)?.chars().next().filter(|next| fits(*next))?;
    Some(at + next.len_utf8())
}

/// Goes on as long as it goes on.
#[inline]
pub(crate) fn many(mut at: usize, next: impl Fn(usize) -> Option<usize>) -> usize {
    while let Some(end) = next(at) {
        at = end;
    }
    at
}

/// The first place behind blanks.
#[inline]
pub(crate) fn blanks(text: &str, at: usize) -> usize {
    many(at, |at| (text.as_bytes().get(at) == Some(&b' ')).then(|| at + 1))
}

type State<'i> = Box<ParserState<'i, Rule>>;

/// Reads something, or refuses to. A pointer: pest's methods are compiled once for all of them, not anew for each.
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

/// Goes to a place further on.
#[inline]
fn go_to<'i>(state: State<'i>, text: &str, at: usize, end: usize) -> ParseResult<State<'i>> {
    state.match_string(text.get(at..end).unwrap_or(""))
}

/// Skips blanks where pest would.
#[inline]
pub(crate) fn skip_blanks(state: State<'_>) -> ParseResult<State<'_>> {
    let (text, at) = here(&state);
    let end = blanks(text, at);
    if end == at || state.atomicity() != Atomicity::NonAtomic { Ok(state) } else { go_to(state, text, at, end) }
}

/// What a plain function makes of an attempt; nothing, where pest is to make its own: it says what it wants only of what it tried.
type MatchAttempt<'i> = Result<ParseResult<State<'i>>, State<'i>>;

/// Where what a plain function reads from a place on ends, if it stands there.
type Matcher = fn(&str, usize) -> Option<usize>;

/// Reads a word that pest is told of.
pub(crate) fn token(state: State<'_>, rule: Rule, matcher: Matcher) -> MatchAttempt<'_> {
    if COLLECT_ALL_EXPECTED.get() {
        return Err(state);
    }
    let (text, at) = here(&state);
    Ok(match matcher(text, at) {
        Some(end) => state.rule(rule, |state| go_to(state, text, at, end)),
        None => Err(state),
    })
}

/// Reads what leaves nothing in the tree.
pub(crate) fn passed(state: State<'_>, matcher: Matcher) -> MatchAttempt<'_> {
    if COLLECT_ALL_EXPECTED.get() || state.atomicity() != Atomicity::NonAtomic {
        return Err(state);
    }
    let (text, at) = here(&state);
    Ok(match matcher(text, at) {
        Some(end) if end == at => Ok(state),
        Some(end) => go_to(state, text, at, end),
        None => Err(state),
    })
}

/// Where pest gave up and what it wanted: rules, not words yet.
#[derive(Clone, Debug)]
pub(crate) struct ParseFailure {
    pub(crate) at: usize,
    pub(crate) wanted: Vec<Rule>,
}

/// Reads text by an entry rule; says where it stops being readable.
pub(crate) fn read(rule: Rule, text: &str) -> Result<Cst<'_>, ParseFailure> {
    if let Ok(pairs) = Grammar::parse(rule, text) {
        return Ok(Cst::of(text, pairs));
    }
    COLLECT_ALL_EXPECTED.set(true);
    let again = Grammar::parse(rule, text);
    COLLECT_ALL_EXPECTED.set(false);
    again.map(|pairs| Cst::of(text, pairs)).map_err(|error| {
        let at = match error.location {
            InputLocation::Pos(at) | InputLocation::Span((at, _)) => at,
        };
        let wanted = match error.variant {
            ErrorVariant::ParsingError { positives, .. } => positives,
            ErrorVariant::CustomError { .. } => Vec::new(),
        };
        ParseFailure { at, wanted }
    })
}

/// Why an item could not be built.
pub(crate) enum ItemError {
    /// The grammar refused it.
    Refused(ParseFailure),
    /// The grammar took it, but it cannot be.
    Wrong(SyntaxError),
}

/// Reads one item whose lines were rewritten.
pub(crate) fn read_item(file: u32, base: u32, lines: &str) -> Result<Item, ItemError> {
    let nodes = read(Rule::one_item, lines).map_err(ItemError::Refused)?;
    let builder = AstBuilder { file, base };
    match nodes.first() {
        Some(node) if node.as_rule() != Rule::EOI => {
            let mut item = builder.item(node).map_err(ItemError::Wrong)?;
            item.spellings = edition::spellings(node, file, base);
            Ok(item)
        }
        _ => Err(ItemError::Refused(ParseFailure { at: 0, wanted: Vec::new() })),
    }
}

/// Reads one expression.
pub(crate) fn read_expression(lines: &str) -> Result<Expr, ItemError> {
    let nodes = read(Rule::one_expression, lines).map_err(ItemError::Refused)?;
    let builder = AstBuilder { file: 0, base: 0 };
    match nodes.first() {
        Some(node) => builder.expr(node).map_err(ItemError::Wrong),
        None => Err(ItemError::Refused(ParseFailure { at: 0, wanted: Vec::new() })),
    }
}

#[cfg(test)]
mod tests {
    use super::{Grammar, Rule};
    use pest::Parser;

    /// Does a rule read all of a text?
    fn reads(rule: Rule, text: &str) -> bool {
        let tokens = crate::lexer::tokens(text);
        let lines = crate::newlines::significant_lines(text, &tokens, &[]);
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
