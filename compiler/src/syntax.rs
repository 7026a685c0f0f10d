//! Syntax errors of the grammar as diagnostics.

use crate::diagnostics::{Diagnostic, codes};
use fizzle_grammar::{SyntaxError, SyntaxErrorKind};

/// The diagnostic of a syntax error.
#[must_use]
pub fn diagnostic(error: &SyntaxError) -> Diagnostic {
    let code = if error.is_slight() { &codes::LOOSE_DOCS } else { &codes::SYNTAX };
    let mut made = Diagnostic::new(code, error.span, error.to_string());
    if let Some(help) = &error.help {
        made = made.help(help.clone());
        if let SyntaxErrorKind::UnknownItem { word } = &error.kind
            && let Some(known) = help.strip_prefix("did you mean `").and_then(|rest| rest.strip_suffix("`?"))
        {
            made = made.fix(word.as_str(), known);
        }
    }
    made
}
