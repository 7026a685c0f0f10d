//! Lint levels: warnings are allowed at a place by a comment `// allow W0701: REASON`, and allowed or denied by the command line, or else
//! by the manifest of the pack. Errors cannot be allowed.

use super::{CODES, Diagnostic, Severity, codes};
use fizzle_grammar::ast::{Name, Span};
use fizzle_grammar::lexer::{Token, TokenKind, tokens};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The name of all warnings together.
const ALL_WARNINGS: &str = "warnings";

/// The start of an allow comment.
const ALLOW_PREFIX: &str = "// allow ";

/// Allowed and denied warnings. A code takes precedence over `warnings`, and `deny` over `allow`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LintLevels {
    allow: BTreeSet<String>,
    deny: BTreeSet<String>,
}

impl LintLevels {
    /// Allows a warning: it is not reported.
    ///
    /// # Errors
    ///
    /// Returns a message if the code is unknown or not that of a warning.
    pub fn allow(&mut self, code: &str) -> Result<(), String> {
        self.allow.insert(warning_code(code)?);
        Ok(())
    }

    /// Denies a warning: it becomes an error.
    ///
    /// # Errors
    ///
    /// Returns a message if the code is unknown or not that of a warning.
    pub fn deny(&mut self, code: &str) -> Result<(), String> {
        self.deny.insert(warning_code(code)?);
        Ok(())
    }

    /// Whether a warning is denied (`true`) or allowed (`false`); `None` if no level is set.
    fn denies(&self, code: &str) -> Option<bool> {
        [code, ALL_WARNINGS]
            .into_iter()
            .find_map(|name| self.deny.contains(name).then_some(true).or_else(|| self.allow.contains(name).then_some(false)))
    }
}

/// The declared code of a warning, or `warnings`.
fn warning_code(code: &str) -> Result<String, String> {
    if code.eq_ignore_ascii_case(ALL_WARNINGS) {
        return Ok(ALL_WARNINGS.to_owned());
    }
    match codes::find(code) {
        Some(found) if found.severity == Severity::Warning => Ok(found.code.to_owned()),
        Some(found) => Err(format!("`{}` is an error: only warnings can be allowed or denied", found.code)),
        None => Err(format!("no warning has the code `{code}`")),
    }
}

/// The list of all warnings, for messages.
fn all_warnings() -> String {
    let names: Vec<String> =
        CODES.iter().filter(|code| code.severity == Severity::Warning).map(|code| format!("`{}`", code.code)).collect();
    format!("warnings are {}; `warnings` names all of them", names.join(", "))
}

/// The lint levels of a manifest. Reports unknown codes.
pub fn of_manifest(allow: &[Name], deny: &[Name], diagnostics: &mut Vec<Diagnostic>) -> LintLevels {
    let mut levels = LintLevels::default();
    let mut report = |name: &Name, problem: String| {
        diagnostics.push(Diagnostic::new(&codes::BAD_SETTING, name.span, problem).help(all_warnings()));
    };
    for name in allow {
        levels.allow(&name.text).unwrap_or_else(|problem| report(name, problem));
    }
    for name in deny {
        levels.deny(&name.text).unwrap_or_else(|problem| report(name, problem));
    }
    levels
}

/// A comment that allows a warning for the line before it or the block below it.
#[derive(Debug)]
struct AllowComment {
    code: String,
    span: Span,
    /// The covered bytes: the first, and one past the last.
    covered: (u32, u32),
}

/// Bytes that comments with the same code cover.
#[derive(Debug)]
struct CoveredRange {
    start: u32,
    end: u32,
    /// The numbers of the comments.
    comments: Vec<usize>,
    /// The last range that begins before this one and does not end before its start. All others that contain a byte of this one precede it
    /// in turn.
    outer: Option<usize>,
    is_used: bool,
}

/// The allow comments of a file.
#[derive(Debug)]
pub struct AllowComments {
    /// In source order.
    comments: Vec<AllowComment>,
    /// What they cover, by code and in the order of the first bytes.
    ranges: BTreeMap<String, Vec<CoveredRange>>,
}

impl AllowComments {
    /// The allow comments of a text.
    #[must_use]
    pub fn of(file: u32, text: &str) -> Self {
        let comments = allow_comments(file, text);
        let mut by_range: BTreeMap<(&str, u32, Reverse<u32>), Vec<usize>> = BTreeMap::new();
        for (number, AllowComment { code, covered, .. }) in comments.iter().enumerate() {
            by_range.entry((code, covered.0, Reverse(covered.1))).or_default().push(number);
        }
        let mut ranges: BTreeMap<String, Vec<CoveredRange>> = BTreeMap::new();
        for ((code, start, Reverse(end)), comments) in by_range {
            if !ranges.contains_key(code) {
                ranges.insert(code.to_owned(), Vec::new());
            }
            let Some(known) = ranges.get_mut(code) else { continue };
            let mut outer = known.len().checked_sub(1);
            while let Some(range) = outer.and_then(|number| known.get(number)).filter(|range| range.end <= start) {
                outer = range.outer;
            }
            known.push(CoveredRange { start, end, comments, outer, is_used: false });
        }
        Self { comments, ranges }
    }

    /// Whether a text may contain allow comments.
    #[must_use]
    pub fn may_be_in(text: &str) -> bool {
        text.contains(ALLOW_PREFIX)
    }

    /// Whether a warning that begins at a byte is allowed. Marks the comment as used.
    pub fn allows_at(&mut self, code: &str, start: u32) -> bool {
        let Some(ranges) = self.ranges.get_mut(code) else { return false };
        let mut next = ranges.partition_point(|range| range.start <= start).checked_sub(1);
        let mut is_allowed = false;
        while let Some(range) = next.and_then(|number| ranges.get_mut(number)) {
            if start < range.end {
                range.is_used = true;
                is_allowed = true;
            }
            next = range.outer;
        }
        is_allowed
    }

    /// The diagnostics of allow comments that allow nothing.
    pub fn unused(&self) -> impl Iterator<Item = Diagnostic> {
        let unused = self.ranges.values().flatten().filter(|range| !range.is_used).flat_map(|range| &range.comments);
        unused.filter_map(|number| self.comments.get(*number)).map(unused_diagnostic)
    }
}

/// Whether a warning is denied (`true`), allowed (`false`) or reported as a warning (`None`).
#[must_use]
pub fn is_denied(code: &str, given: &LintLevels, pack: Option<&LintLevels>) -> Option<bool> {
    given.denies(code).or_else(|| pack.and_then(|levels| levels.denies(code)))
}

/// The help of a denied warning.
#[must_use]
pub fn help_for_denied(code: &str) -> String {
    format!("warnings are denied here; if this is intended, write `// allow {code}: REASON` above it")
}

fn unused_diagnostic(allowance: &AllowComment) -> Diagnostic {
    let code = &allowance.code;
    let problem = match warning_code(code) {
        Ok(_) => format!("`{code}` is not reported here"),
        Err(problem) => problem,
    };
    Diagnostic::new(&codes::UNUSED_ALLOW_COMMENT, allowance.span, problem)
        .help("remove it: an `allow` comment is at the end of its line or right above the code that it covers")
}

/// Finds the allow comments of a file: `// allow W0701, W0702: REASON`.
fn allow_comments(file: u32, text: &str) -> Vec<AllowComment> {
    let mut found = Vec::new();
    if !AllowComments::may_be_in(text) {
        return found;
    }
    let tokens = tokens(text);
    let below = next_significant(&tokens);
    let mut blocks = BTreeMap::new();
    for (index, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Comment) {
        let Some(rest) = token.text(text).strip_prefix(ALLOW_PREFIX) else { continue };
        let listed = rest.split(':').next().unwrap_or("");
        let mut at = token.start + ALLOW_PREFIX.len() as u32;
        for part in listed.split(',') {
            let code = part.trim();
            let start = at + (part.len() - part.trim_start().len()) as u32;
            at += part.len() as u32 + 1;
            let is_code =
                code.len() == 5 && code.starts_with(['E', 'W']) && code.bytes().skip(1).all(|byte| byte.is_ascii_alphanumeric());
            if is_code {
                let span = Span { file, start, end: start + code.len() as u32 };
                found.push(AllowComment {
                    code: code.to_owned(),
                    span,
                    covered: covered_bytes(&tokens, index, &below, &mut blocks),
                });
            }
        }
    }
    found
}

/// For each token: the first one behind it that is no blank or comment.
fn next_significant(tokens: &[Token]) -> Vec<Option<usize>> {
    let mut found = vec![None; tokens.len()];
    let mut next = None;
    for (number, token) in tokens.iter().enumerate().rev() {
        if let Some(place) = found.get_mut(number) {
            *place = next;
        }
        if !token.kind.is_trivia() {
            next = Some(number);
        }
    }
    found
}

/// The bytes that a comment covers: the line that it ends, else the line below it with its block. `below`: the tokens behind comments.
/// `blocks`: the blocks that are known, by their first token.
fn covered_bytes(
    tokens: &[Token],
    comment: usize,
    below: &[Option<usize>],
    blocks: &mut BTreeMap<usize, (u32, u32)>,
) -> (u32, u32) {
    let before = tokens.get(..comment).unwrap_or(&[]);
    let own = before.iter().rev().take_while(|token| token.kind != TokenKind::Newline);
    if let Some(first) = own.filter(|token| !token.kind.is_trivia()).last() {
        return (first.start, tokens.get(comment).map_or(first.end, |token| token.start));
    }
    let Some(first) = below.get(comment).copied().flatten() else { return (0, 0) };
    *blocks.entry(first).or_insert_with(|| block_from(tokens.get(first..).unwrap_or(&[])))
}

/// The bytes of the line that begins with the first token, with its block.
fn block_from(tokens: &[Token]) -> (u32, u32) {
    let Some(begin) = tokens.first() else { return (0, 0) };
    let (mut depth, mut end) = (0_usize, begin.end);
    for token in tokens {
        if token.kind.opens() {
            depth += 1;
        } else if token.kind.closes() {
            if depth == 0 {
                break;
            }
            depth -= 1;
        } else if token.kind == TokenKind::Newline && depth == 0 {
            break;
        }
        end = token.end;
    }
    (begin.start, end)
}
