//! What becomes of warnings: allowed at the place by a comment `// allow W0701: REASON`, told or denied by the command line, else by the
//! manifest of the pack. Errors stay errors.

use super::{CODES, Diagnostic, Severity, codes};
use crate::sources::Sources;
use fizzle_grammar::ast::{Name, Span};
use fizzle_grammar::lexer::{Token, TokenKind, tokens};
use std::collections::BTreeSet;

/// Stands for all warnings.
const ALL: &str = "warnings";

/// How an allowance begins.
const BEGIN: &str = "// allow ";

/// Which warnings are not told, and which are errors. What names a code goes before `warnings`, what is denied before what is allowed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LintLevels {
    allow: BTreeSet<String>,
    deny: BTreeSet<String>,
}

impl LintLevels {
    /// Does not tell a warning.
    ///
    /// # Errors
    ///
    /// What is wrong with the code.
    pub fn allow(&mut self, code: &str) -> Result<(), String> {
        self.allow.insert(known(code)?);
        Ok(())
    }

    /// Makes an error of a warning.
    ///
    /// # Errors
    ///
    /// What is wrong with the code.
    pub fn deny(&mut self, code: &str) -> Result<(), String> {
        self.deny.insert(known(code)?);
        Ok(())
    }

    /// Whether a warning is denied or allowed, if anything is said of it.
    fn denies(&self, code: &str) -> Option<bool> {
        [code, ALL]
            .into_iter()
            .find_map(|name| self.deny.contains(name).then_some(true).or_else(|| self.allow.contains(name).then_some(false)))
    }
}

/// The code of a warning as it is declared, or `warnings`.
fn known(code: &str) -> Result<String, String> {
    if code.eq_ignore_ascii_case(ALL) {
        return Ok(ALL.to_owned());
    }
    match codes::find(code) {
        Some(found) if found.severity == Severity::Warning => Ok(found.code.to_owned()),
        Some(found) => Err(format!("`{}` is an error, and errors can be neither allowed nor denied", found.code)),
        None => Err(format!("there is no warning `{code}`")),
    }
}

/// The warnings that there are, for messages.
fn all_warnings() -> String {
    let names: Vec<String> =
        CODES.iter().filter(|code| code.severity == Severity::Warning).map(|code| format!("`{}`", code.code)).collect();
    format!("warnings are {}; `warnings` means all of them", names.join(", "))
}

/// What a manifest says of warnings. Codes that do not exist are told.
pub fn of_manifest(allow: &[Name], deny: &[Name], diagnostics: &mut Vec<Diagnostic>) -> LintLevels {
    let mut levels = LintLevels::default();
    let mut tell = |name: &Name, problem: String| {
        diagnostics.push(Diagnostic::new(&codes::BAD_SETTING, name.span, problem).help(all_warnings()));
    };
    for name in allow {
        levels.allow(&name.text).unwrap_or_else(|problem| tell(name, problem));
    }
    for name in deny {
        levels.deny(&name.text).unwrap_or_else(|problem| tell(name, problem));
    }
    levels
}

/// A comment that allows a warning for what it stands behind or above.
#[derive(Debug)]
struct AllowComment {
    code: String,
    span: Span,
    /// Where: first byte, and the one behind the last.
    covers: (u32, u32),
    used: bool,
}

/// The allowances of a file.
#[derive(Debug)]
pub struct AllowComments(Vec<AllowComment>);

impl AllowComments {
    /// Those of a text.
    #[must_use]
    pub fn of(file: u32, text: &str) -> Self {
        Self(allowances(file, text))
    }

    /// Whether a text can have some.
    #[must_use]
    pub fn may_be_in(text: &str) -> bool {
        text.contains(BEGIN)
    }

    /// Whether a warning that begins at a byte is allowed.
    pub fn take(&mut self, code: &str, start: u32) -> bool {
        let mut taken = false;
        for allowance in &mut self.0 {
            if allowance.code == code && (allowance.covers.0..allowance.covers.1).contains(&start) {
                allowance.used = true;
                taken = true;
            }
        }
        taken
    }

    /// Tells those that allow nothing.
    pub fn unused(&self) -> impl Iterator<Item = Diagnostic> {
        self.0.iter().filter(|allowance| !allowance.used).map(unused)
    }
}

/// What becomes of a warning: denied, allowed, or told as it is.
#[must_use]
pub fn denied(code: &str, given: &LintLevels, pack: Option<&LintLevels>) -> Option<bool> {
    given.denies(code).or_else(|| pack.and_then(|levels| levels.denies(code)))
}

/// What helps where a warning is denied.
#[must_use]
pub fn help_for_denied(code: &str) -> String {
    format!("warnings are denied here; where it is meant so, write `// allow {code}: REASON` above it")
}

/// Applies levels: `given` by the command line, `packs` by the manifest of each file. Allowances that allow nothing are told.
pub fn apply(diagnostics: &mut Vec<Diagnostic>, given: &LintLevels, packs: &[LintLevels], sources: &Sources) {
    let mut allowances: Vec<AllowComments> =
        (0..sources.len() as u32).map(|file| AllowComments::of(file, sources.text(file))).collect();
    let failed = diagnostics.iter().any(Diagnostic::is_error);
    diagnostics.retain(|problem| {
        let place = problem.span;
        let allowed = |allowances: &mut AllowComments| allowances.take(problem.code.code, place.start);
        problem.is_error() || !allowances.get_mut(place.file as usize).is_some_and(allowed)
    });
    // Where something is wrong, warnings may be missing.
    if !failed {
        diagnostics.extend(allowances.iter().flat_map(AllowComments::unused));
    }
    diagnostics.retain_mut(|problem| {
        if problem.is_error() {
            return true;
        }
        let code = problem.code.code;
        match denied(code, given, packs.get(problem.span.file as usize)) {
            Some(true) => {
                problem.severity = Severity::Error;
                problem.help.push(help_for_denied(code));
                true
            }
            Some(false) => false,
            None => true,
        }
    });
}

fn unused(allowance: &AllowComment) -> Diagnostic {
    let code = &allowance.code;
    let problem = match known(code) {
        Ok(_) => format!("`{code}` is not told here"),
        Err(problem) => problem,
    };
    Diagnostic::new(&codes::UNUSED_ALLOWANCE, allowance.span, problem)
        .help("remove it: an allowance stands behind its line, or right above what it is about")
}

/// The allowances of a file: `// allow W0701, W0702: REASON`.
fn allowances(file: u32, text: &str) -> Vec<AllowComment> {
    let mut found = Vec::new();
    if !AllowComments::may_be_in(text) {
        return found;
    }
    let tokens = tokens(text);
    for (index, token) in tokens.iter().enumerate().filter(|(_, token)| token.kind == TokenKind::Comment) {
        let Some(rest) = token.text(text).strip_prefix(BEGIN) else { continue };
        let listed = rest.split(':').next().unwrap_or("");
        let mut at = token.start + BEGIN.len() as u32;
        for part in listed.split(',') {
            let code = part.trim();
            let start = at + (part.len() - part.trim_start().len()) as u32;
            at += part.len() as u32 + 1;
            let is_code =
                code.len() == 5 && code.starts_with(['E', 'W']) && code.bytes().skip(1).all(|byte| byte.is_ascii_alphanumeric());
            if is_code {
                let span = Span { file, start, end: start + code.len() as u32 };
                found.push(AllowComment { code: code.to_owned(), span, covers: covers(&tokens, index), used: false });
            }
        }
    }
    found
}

/// What a comment is about: the line that it ends, else what begins below it, with its block.
fn covers(tokens: &[Token], comment: usize) -> (u32, u32) {
    let own = tokens.iter().take(comment).rev().take_while(|token| token.kind != TokenKind::Newline);
    if let Some(first) = own.filter(|token| !token.kind.is_trivia()).last() {
        return (first.start, tokens.get(comment).map_or(first.end, |token| token.start));
    }
    let below = tokens.iter().enumerate().skip(comment + 1).find(|(_, token)| !token.kind.is_trivia());
    let Some((first, begin)) = below else { return (0, 0) };
    let (mut depth, mut end) = (0_usize, begin.end);
    for token in tokens.iter().skip(first) {
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
