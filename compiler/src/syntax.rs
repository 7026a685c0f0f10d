//! Syntax errors of the grammar as diagnostics.

use crate::diagnostics::{Diagnostic, codes};
use fizzle_grammar::SyntaxError;

/// The diagnostic of a syntax error.
#[must_use]
pub fn diagnostic(error: &SyntaxError) -> Diagnostic {
    let mut made = Diagnostic::new(&codes::SYNTAX, error.span, error.to_string());
    if let Some(help) = &error.help {
        made = made.help(help.clone());
    }
    made
}
