//! Converts syntax errors of the grammar to diagnostics.

use crate::call_syntax::{self, SECOND_STATEMENT};
use crate::diagnostics::{Code, Diagnostic, allow_comparisons, codes};
use crate::names::NameTable;
use crate::sources::Sources;
use crate::verb_forms::{is_inflected_form, is_third_person_of};
use fizzle_grammar::{SyntaxError, SyntaxErrorKind};
use smol_str::SmolStr;
use std::collections::BTreeSet;

/// Codes of diagnostics about a name that is not declared.
const UNRESOLVED_NAME_CODES: [&Code; 8] = [
    &codes::UNKNOWN_FORMAT,
    &codes::UNKNOWN_NAME,
    &codes::UNKNOWN_TYPE,
    &codes::UNKNOWN_VERB,
    &codes::UNKNOWN_FACT,
    &codes::UNKNOWN_PERIOD,
    &codes::UNKNOWN_PATH,
    &codes::BAD_ADVERB,
];

/// How messages begin whose suggestion is about the form of the line, not about its phrases.
const FORMS: [&str; 2] = ["a colon separates", SECOND_STATEMENT];

/// Whether a diagnostic is about a name whose declaration cannot be parsed.
#[must_use]
pub fn is_caused_by_unparsed(problem: &Diagnostic, lost: &BTreeSet<SmolStr>, sources: &Sources) -> bool {
    if lost.is_empty() || !UNRESOLVED_NAME_CODES.iter().any(|code| code.code == problem.code.code) {
        return false;
    }
    let written = sources.slice(problem.span);
    let word = written.rsplit('.').next().unwrap_or(written).trim_matches('"');
    // inflected forms are compared one by one, within the limit of comparisons
    let is_form = |name: &SmolStr| is_third_person_of(name, word) || is_inflected_form(name, word, true);
    lost.contains(word) || allow_comparisons(lost.len()) && lost.iter().any(is_form)
}

/// The diagnostic of a syntax error. `names`: those of the game of its file.
#[must_use]
pub fn diagnostic(error: &SyntaxError, names: Option<&NameTable<'_>>, sources: &Sources) -> Diagnostic {
    let code = match error.kind {
        SyntaxErrorKind::HiddenCharacter { .. } => &codes::HIDDEN_CHARACTER,
        _ if error.is_recoverable() => &codes::UNATTACHED_DOCS,
        _ => &codes::SYNTAX,
    };
    let mut diagnostic = Diagnostic::new(code, error.span, error.to_string());
    if let Some(help) = &error.help {
        diagnostic = diagnostic.help(help.clone());
        if let SyntaxErrorKind::UnknownItem { word } = &error.kind
            && let Some(known) = help.strip_prefix("did you mean `").and_then(|rest| rest.strip_suffix("`?"))
        {
            diagnostic = diagnostic.fix(word.as_str(), known);
        }
    }
    if let SyntaxErrorKind::Notation { replacement: Some(replacement), .. } = &error.kind {
        diagnostic = diagnostic.fix(sources.slice(error.span), replacement.as_str());
    }
    match names {
        Some(names) => {
            let explained = call_syntax::explain(diagnostic, error, names, sources);
            // What is wrong with the form of the line comes first, then what the phrase is called.
            let is_about_form = FORMS.iter().any(|form| explained.message.starts_with(form));
            match names.foreign_phrase_help(&explained, sources).filter(|_| is_about_form) {
                Some(help) => explained.help(help),
                None => names.add_foreign_phrase_help(explained, sources),
            }
        }
        None => diagnostic,
    }
}
