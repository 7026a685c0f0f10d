//! All printing of the program: results to stdout, everything else to stderr. Colours only on a terminal; a closed pipe is not an error.
//!
//! Everything printed passes through here, and its hidden characters are escaped (`\u{202e}`): names of files, source text, traces and
//! errors may come from strangers. Only the colours of this module and of the renderer of diagnostics are written as they are,
//! and source text that `fizzle fmt -` prints into a pipe or file.

pub mod wrap;

use crate::failure::CommandError;
use anstream::ColorChoice;
use clap::ValueEnum;
use fizzle_compiler::diagnostics::render::{
    MAX_DIAGNOSTICS_LISTED, MAX_DIAGNOSTICS_PRINTED, omission_message, render, shorten_quoted, to_json,
};
use fizzle_compiler::diagnostics::sarif::sarif;
use fizzle_compiler::{Compilation, Diagnostic};
use fizzle_grammar::hidden_characters::{escape_hidden, escape_hidden_with, escape_line, first_hidden};
use serde_json::json;
use std::fmt::Display;
use std::io::{ErrorKind, IsTerminal, Write};
use std::sync::OnceLock;

/// The format of messages and results.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum MessageFormat {
    /// For people.
    #[default]
    Human,
    /// One JSON object per line.
    Json,
}

/// The style of the words at the start of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Style {
    /// For a title.
    Bold,
    /// For what succeeded.
    Green,
    /// For what failed.
    Red,
    /// For what a person must answer.
    Cyan,
}

impl Style {
    /// The number of the style in an escape sequence of terminals.
    fn code(self) -> u8 {
        match self {
            Self::Bold => 1,
            Self::Red => 31,
            Self::Green => 32,
            Self::Cyan => 36,
        }
    }
}

/// The first error of writing to stdout or stderr. A closed pipe is none.
static WRITE_ERROR: OnceLock<String> = OnceLock::new();

/// Writes text that is escaped already, and keeps the first error for [`finish`].
fn write(mut stream: impl Write, name: &str, text: &str) {
    let written = stream.write_all(text.as_bytes()).and_then(|()| stream.flush());
    if let Err(error) = written
        && error.kind() != ErrorKind::BrokenPipe
    {
        let _ = WRITE_ERROR.set(format!("cannot write to {name}: {error}"));
    }
}

/// What messages call stdout.
const STDOUT: &str = "the standard output";

fn to_stdout(text: &str) {
    write(anstream::stdout().lock(), STDOUT, text);
}

fn to_stderr(text: &str) {
    write(anstream::stderr().lock(), "the standard error output", text);
}

/// Returns the first error of writing what was printed.
///
/// # Errors
/// Something could not be written, for example since the disk is full.
pub fn finish() -> Result<(), CommandError> {
    WRITE_ERROR.get().map_or(Ok(()), |message| Err(CommandError::usage(message.clone())))
}

/// Prints a line of a result to stdout.
pub fn line(text: impl Display) {
    to_stdout(&escape_hidden(&format!("{text}\n")));
}

/// Prints a line of a result that begins with words in a style.
pub fn styled_line(style: Style, words: &str, rest: impl Display) {
    let code = style.code();
    to_stdout(&format!("\u{1b}[{code}m{}\u{1b}[0m{}\n", escape_line(words), escape_hidden(&rest.to_string())));
}

/// Prints a line of a game, at a terminal wrapped between words to its width. Further lines have the same indentation and a little more.
pub fn wrapped_line(text: impl Display) {
    let text = escape_hidden(&text.to_string()).into_owned();
    to_stdout(&format!("{}\n", wrap::to_width(&text, wrap::terminal_width())));
}

/// As [`wrapped_line`], with words in a style at its beginning.
pub fn wrapped_title(style: Style, words: &str, rest: impl Display) {
    let words = escape_line(words);
    let text = wrap::to_width(&format!("{words}{}", escape_hidden(&rest.to_string())), wrap::terminal_width());
    // Words that are wrapped themselves have no style.
    match text.strip_prefix(&*words) {
        Some(rest) => to_stdout(&format!("\u{1b}[{}m{words}\u{1b}[0m{rest}\n", style.code())),
        None => to_stdout(&format!("{text}\n")),
    }
}

/// Prints a line of JSON to stdout. Hidden characters can only be in its strings; they become escapes of JSON.
pub fn json_line(value: impl Display) {
    to_stdout(&escaped_json(&value));
}

/// A line of JSON with escapes for hidden characters.
fn escaped_json(value: &impl Display) -> String {
    let escape = |hidden: char| hidden.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect();
    escape_hidden_with(&format!("{value}\n"), escape).into_owned()
}

/// Prints text without a line end to stdout, such as a prompt.
pub fn prompt(text: impl Display) {
    to_stdout(&escape_hidden(&text.to_string()));
}

/// Prints source text to stdout. It is exact, unless stdout is a terminal: then hidden characters are escaped.
pub fn source(text: &str) {
    if std::io::stdout().is_terminal() {
        to_stdout(&escape_hidden(text));
    } else {
        write(std::io::stdout().lock(), STDOUT, text);
    }
}

/// Clears the terminal, if stdout is one.
pub fn clear_terminal() {
    if std::io::stdout().is_terminal() {
        to_stdout("\u{1b}[H\u{1b}[2J\u{1b}[3J");
    }
}

/// Prints a line that is not part of the result to stderr.
pub fn note(text: impl Display) {
    to_stderr(&escape_hidden(&format!("{text}\n")));
}

/// Prints a line of JSON that is not part of the result to stderr.
pub fn json_note(value: impl Display) {
    to_stderr(&escaped_json(&value));
}

/// Prints the error of a command, and its help, to stderr.
pub fn error(failure: &CommandError) {
    if matches!(failure, CommandError::AlreadyReported) {
        return;
    }
    // The message is one line of a limited length, also if a name that it quotes has line ends.
    to_stderr(&format!("\u{1b}[1;31merror\u{1b}[0m: {}\n", escape_line(&shorten_quoted(&failure.to_string()))));
    if let Some(help) = failure.help() {
        note(format!("  help: {}", escape_line(&shorten_quoted(help))));
    }
}

/// Prints the error of wrong usage without its colours to stderr. It quotes arguments, or their values behind `=`, which may have hidden characters.
pub fn usage(message: &str, arguments: &[String]) {
    let mut text = message.to_owned();
    for argument in arguments.iter().filter(|argument| first_hidden(argument).is_some()) {
        let value = argument.split_once('=').map_or("", |(_, value)| value);
        for part in [argument.as_str(), argument.trim_start_matches('-'), value].into_iter().filter(|part| !part.is_empty()) {
            text = text.replace(part, &escape_line(part));
        }
    }
    let mut plain = String::new();
    for (number, part) in text.split("\u{1b}[").enumerate() {
        let code = if number == 0 { 0 } else { part.find('m').map_or(0, |end| end + 1) };
        plain.push_str(part.get(code..).unwrap_or(""));
    }
    note(plain.trim_end());
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
    json_line(sarif(&compilation.diagnostics, &compilation.sources, env!("CARGO_PKG_VERSION")));
    count(compilation)
}

/// Prints the first diagnostics of a compilation to stderr, and how many more there are. Returns the numbers of errors and of warnings.
pub fn diagnostics(compilation: &Compilation, format: MessageFormat) -> (usize, usize) {
    let mut text = String::new();
    let all = &compilation.diagnostics;
    let most = match format {
        MessageFormat::Human => MAX_DIAGNOSTICS_PRINTED,
        MessageFormat::Json => MAX_DIAGNOSTICS_LISTED,
    };
    let colours = wants_colours();
    for diagnostic in all.iter().take(most) {
        match format {
            // The renderer escapes what it quotes.
            MessageFormat::Human => text.push_str(&render(diagnostic, &compilation.sources, colours)),
            MessageFormat::Json => text.push_str(&escaped_json(&to_json(diagnostic, &compilation.sources))),
        }
        if !text.ends_with('\n') {
            text.push('\n');
        }
    }
    let omitted = all.iter().map(Diagnostic::count).sum::<usize>() - all.len().min(most);
    if omitted > 0 {
        let message = omission_message(omitted);
        match format {
            MessageFormat::Human => text.push_str(&format!("{message}\n")),
            MessageFormat::Json => {
                text.push_str(&escaped_json(&json!({ "severity": "note", "message": message, "omitted": omitted })));
            }
        }
    }
    to_stderr(&text);
    count(compilation)
}

/// The numbers of errors and of warnings.
fn count(compilation: &Compilation) -> (usize, usize) {
    let count = |errors: bool| {
        let all = compilation.diagnostics.iter().filter(|diagnostic| diagnostic.is_error() == errors);
        all.map(Diagnostic::count).sum()
    };
    (count(true), count(false))
}

/// A command line argument quoted so that a shell reads it as this one word, and a command does not read it as an option.
pub fn shell_quoted(argument: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+:,@%=".contains(c) || cfg!(windows) && c == '\\';
    if argument.starts_with('-') {
        return shell_quoted(&format!("./{argument}"));
    }
    if argument.chars().all(is_plain) && !argument.is_empty() {
        argument.to_owned()
    } else if cfg!(windows) {
        // A name of a file cannot contain a quotation mark there.
        format!("\"{argument}\"")
    } else {
        format!("'{}'", argument.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_for_a_shell() {
        assert_eq!(shell_quoted("/tmp/my_set-2"), "/tmp/my_set-2");
        assert_eq!(shell_quoted("-rf"), "./-rf");
        if cfg!(unix) {
            assert_eq!(shell_quoted("my game"), "'my game'");
            assert_eq!(shell_quoted("a\"; $(x) `y` 'z"), r#"'a"; $(x) `y` '\''z'"#);
            assert_eq!(shell_quoted(""), "''");
        }
    }

    #[test]
    fn hidden_characters_in_json_are_escapes() {
        let text = "a\u{202e}b\u{7f}\u{e0041}火";
        let line = escaped_json(&json!([text]));
        assert_eq!(line, "[\"a\\u202eb\\u007f\\udb40\\udc41火\"]\n");
        assert_eq!(serde_json::from_str::<Vec<String>>(&line).expect("JSON"), [text]);
    }
}
