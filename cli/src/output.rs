//! All printing: results to stdout, everything else to stderr. Colours only on a terminal; a closed pipe is no error.

use crate::failure::CommandError;
use anstream::ColorChoice;
use clap::ValueEnum;
use fizzle_compiler::Compilation;
use fizzle_compiler::diagnostics::render::{render, to_json};
use fizzle_compiler::diagnostics::sarif::sarif;
use std::fmt::Display;
use std::io::{IsTerminal, Write};

/// How messages are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// For people.
    #[default]
    Human,
    /// One JSON object a line.
    Json,
}

/// A line of a result.
pub fn line(text: impl Display) {
    let mut stdout = anstream::stdout().lock();
    let _ = writeln!(stdout, "{text}");
}

/// A result without a line end, such as a prompt.
pub fn prompt(text: impl Display) {
    let mut stdout = anstream::stdout().lock();
    let _ = write!(stdout, "{text}").and_then(|()| stdout.flush());
}

/// A line beside the result.
pub fn note(text: impl Display) {
    let mut stderr = anstream::stderr().lock();
    let _ = writeln!(stderr, "{text}");
}

/// Why a command stopped.
pub fn error(failure: &CommandError) {
    if matches!(failure, CommandError::AlreadyReported) {
        return;
    }
    note(format!("\u{1b}[1;31merror\u{1b}[0m: {failure}"));
    if let Some(help) = failure.help() {
        note(format!("  help: {help}"));
    }
}

/// Whether stderr is a terminal that wants colours.
pub fn coloured() -> bool {
    anstream::AutoStream::choice(&std::io::stderr()) != ColorChoice::Never
}

/// Whether somebody looks at stderr.
pub fn is_watched() -> bool {
    std::io::stderr().is_terminal()
}

/// The diagnostics of a compilation as one document, the result of the command. Returns the numbers of errors and of warnings.
pub fn sarif_document(compilation: &Compilation) -> (usize, usize) {
    line(sarif(&compilation.diagnostics, &compilation.sources, env!("CARGO_PKG_VERSION")));
    let errors = compilation.diagnostics.iter().filter(|d| d.is_error()).count();
    (errors, compilation.diagnostics.len() - errors)
}

/// The diagnostics of a compilation, to stderr. Returns the numbers of errors and of warnings.
pub fn diagnostics(compilation: &Compilation, format: MessageFormat) -> (usize, usize) {
    let mut text = String::new();
    let coloured = coloured();
    for diagnostic in &compilation.diagnostics {
        match format {
            MessageFormat::Human => text.push_str(&render(diagnostic, &compilation.sources, coloured)),
            MessageFormat::Json => text.push_str(&to_json(diagnostic, &compilation.sources).to_string()),
        }
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    let mut stderr = anstream::stderr().lock();
    let _ = stderr.write_all(text.as_bytes());
    let errors = compilation.diagnostics.iter().filter(|d| d.is_error()).count();
    (errors, compilation.diagnostics.len() - errors)
}
