//! All printing of the program: results to stdout, everything else to stderr. Colours only on a terminal; a closed pipe is not an error.

use crate::failure::CommandError;
use anstream::ColorChoice;
use clap::ValueEnum;
use fizzle_compiler::Compilation;
use fizzle_compiler::diagnostics::render::{render, to_json};
use fizzle_compiler::diagnostics::sarif::sarif;
use std::fmt::Display;
use std::io::{IsTerminal, Write};

/// The format of messages and results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// For people.
    #[default]
    Human,
    /// One JSON object per line.
    Json,
}

/// Prints a line of a result to stdout.
pub fn line(text: impl Display) {
    let mut stdout = anstream::stdout().lock();
    let _ = writeln!(stdout, "{text}");
}

/// Prints text without a line end to stdout, such as a prompt.
pub fn prompt(text: impl Display) {
    let mut stdout = anstream::stdout().lock();
    let _ = write!(stdout, "{text}").and_then(|()| stdout.flush());
}

/// Prints a line that is not part of the result to stderr.
pub fn note(text: impl Display) {
    let mut stderr = anstream::stderr().lock();
    let _ = writeln!(stderr, "{text}");
}

/// Prints the error of a command, and its help, to stderr.
pub fn error(failure: &CommandError) {
    if matches!(failure, CommandError::AlreadyReported) {
        return;
    }
    note(format!("\u{1b}[1;31merror\u{1b}[0m: {failure}"));
    if let Some(help) = failure.help() {
        note(format!("  help: {help}"));
    }
}

/// Whether messages on stderr are coloured.
pub fn wants_colours() -> bool {
    anstream::AutoStream::choice(&std::io::stderr()) != ColorChoice::Never
}

/// Whether stderr is a terminal.
pub fn is_terminal() -> bool {
    std::io::stderr().is_terminal()
}

/// Prints the diagnostics of a compilation as one SARIF document to stdout. Returns the numbers of errors and of warnings.
pub fn sarif_document(compilation: &Compilation) -> (usize, usize) {
    line(sarif(&compilation.diagnostics, &compilation.sources, env!("CARGO_PKG_VERSION")));
    let errors = compilation.diagnostics.iter().filter(|d| d.is_error()).count();
    (errors, compilation.diagnostics.len() - errors)
}

/// Prints the diagnostics of a compilation to stderr. Returns the numbers of errors and of warnings.
pub fn diagnostics(compilation: &Compilation, format: MessageFormat) -> (usize, usize) {
    let mut text = String::new();
    let colours = wants_colours();
    for diagnostic in &compilation.diagnostics {
        match format {
            MessageFormat::Human => text.push_str(&render(diagnostic, &compilation.sources, colours)),
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
