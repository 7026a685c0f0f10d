//! Diagnostics of the compiler as plain data.

use fizzle_compiler::Sources;
use fizzle_compiler::diagnostics::{self, render};
use std::fmt;

/// How bad a diagnostic is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Severity {
    /// The sources do not compile.
    Error,
    /// The sources compile, but this is probably not meant.
    Warning,
}

/// A problem that the compiler found in sources.
///
/// [`Display`](fmt::Display) writes one line, `file:line:column: error[CODE]: message`; [`Diagnostic::rendered`] has an excerpt of the source.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Diagnostic {
    /// The stable code of the problem, such as `E0201`. `fizzle explain CODE` describes it at length.
    pub code: String,
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong: lowercase, without a final period, names in backticks.
    pub message: String,
    /// The path of the file, as it was handed to [`Pack::compile`](crate::Pack::compile); `shipped:PATH` for a shipped file.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1, in characters.
    pub column: u32,
    /// Suggestions, the most helpful one first. Can be empty.
    pub help: Vec<String>,
    /// The whole message with an excerpt of the source, over several lines, without colours.
    pub rendered: String,
}

impl Diagnostic {
    /// Converts a diagnostic of the compiler.
    pub(crate) fn new(from: &diagnostics::Diagnostic, sources: &Sources) -> Self {
        let place = sources.place(from.span.file, from.span.start);
        Self {
            code: from.code.code.to_owned(),
            severity: if from.is_error() { Severity::Error } else { Severity::Warning },
            message: from.message.clone(),
            file: sources.path(from.span.file).to_owned(),
            line: place.line,
            column: place.column,
            help: from.help.clone(),
            rendered: render::render(from, sources, false),
        }
    }

    /// Whether the sources do not compile because of it.
    #[must_use]
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let severity = if self.is_error() { "error" } else { "warning" };
        write!(f, "{}:{}:{}: {severity}[{}]: {}", self.file, self.line, self.column, self.code, self.message)
    }
}
