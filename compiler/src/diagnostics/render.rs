//! Renders diagnostics: with source excerpts for readers, and as JSON objects for programs.

use super::excerpt::{self, Excerpts};
use super::{Diagnostic, Severity};
use crate::sources::Sources;
use codespan_reporting::diagnostic as codespan;
use codespan_reporting::files::Files;
use codespan_reporting::term;
use fizzle_grammar::ast::Span;
use fizzle_grammar::hidden_characters::escape_hidden;
use serde_json::{Value, json};
use std::borrow::Cow;
use std::ops::Range;

/// The most diagnostics that are printed for people at a time.
pub const MAX_DIAGNOSTICS_PRINTED: usize = 200;

/// The most diagnostics that are listed for programs at a time: JSON, SARIF, editors.
pub const MAX_DIAGNOSTICS_LISTED: usize = 10_000;

/// The message for diagnostics beyond a limit.
#[must_use]
pub fn omission_message(count: usize) -> String {
    format!(
        "{count} more {} not shown: correct the first ones, then check again",
        if count == 1 { "problem is" } else { "problems are" }
    )
}

/// The most labels of a diagnostic that are shown.
const MAX_LABELS: usize = 20;

/// A longer part of a message between backquotes or quotation marks is cut, in characters.
pub const MAX_QUOTED_CHARS: usize = 160;

/// How much of a cut part is shown: its first and its last characters.
const QUOTED_CHARS_SHOWN: (usize, usize) = (100, 40);

/// A longer message, label or help is cut, in characters.
pub const MAX_MESSAGE_CHARS: usize = 4000;

/// Cuts quoted names, prices and other texts of a source that are too long for a message, and messages that are too long as a whole.
#[must_use]
pub fn shorten_quoted(text: &str) -> Cow<'_, str> {
    // A text with so few bytes has no more characters.
    if text.len() <= MAX_QUOTED_CHARS {
        return Cow::Borrowed(text);
    }
    let mut short = String::new();
    let mut rest = text;
    while let Some(open) = rest.find(['`', '"']) {
        let (before, from) = rest.split_at(open);
        let (quote, inside) = from.split_at(1);
        short.push_str(before);
        short.push_str(quote);
        let Some((quoted, after)) = inside.split_once(quote) else {
            rest = inside;
            break;
        };
        push_shortened(&mut short, quoted);
        short.push_str(quote);
        rest = after;
    }
    short.push_str(rest);
    if let Some((end, _)) = short.char_indices().nth(MAX_MESSAGE_CHARS) {
        short.truncate(end);
        short.push('…');
    }
    if short == text { Cow::Borrowed(text) } else { Cow::Owned(short) }
}

/// Appends a quoted text, cut if it is too long.
fn push_shortened(short: &mut String, quoted: &str) {
    if quoted.chars().nth(MAX_QUOTED_CHARS).is_none() {
        return short.push_str(quoted);
    }
    let (first, last) = QUOTED_CHARS_SHOWN;
    let start = quoted.char_indices().nth(first).map_or(quoted.len(), |(at, _)| at);
    let end = quoted.char_indices().rev().nth(last - 1).map_or(0, |(at, _)| at);
    short.push_str(quoted.get(..start).unwrap_or(""));
    short.push('…');
    short.push_str(quoted.get(end..).unwrap_or(""));
}

/// Renders one diagnostic with source excerpts. Hidden characters of the source and of names are escaped.
#[must_use]
pub fn render(diagnostic: &Diagnostic, sources: &Sources, coloured: bool) -> String {
    let spans = || std::iter::once(diagnostic.span).chain(diagnostic.labels.iter().take(MAX_LABELS).map(|(span, _)| *span));
    if spans().all(|span| excerpt::is_printable(sources, span)) {
        let range = |span: Span| span.start as usize..span.end.max(span.start) as usize;
        return render_with(sources, range, diagnostic, sources, coloured);
    }
    let excerpts = Excerpts::new(sources, spans());
    render_with(&excerpts, |span| excerpts.range(span), diagnostic, sources, coloured)
}

/// Renders a diagnostic with excerpts of some files. `range`: the bytes of a span in them.
fn render_with<'f>(
    files: &'f impl Files<'f, FileId = u32>,
    range: impl Fn(Span) -> Range<usize>,
    diagnostic: &Diagnostic,
    sources: &Sources,
    coloured: bool,
) -> String {
    let severity = match diagnostic.severity {
        Severity::Error => codespan::Severity::Error,
        Severity::Warning => codespan::Severity::Warning,
    };
    let mut labels = vec![
        codespan::Label::primary(diagnostic.span.file, range(diagnostic.span)).with_message(escape_hidden(&diagnostic.label)),
    ];
    for (span, label) in diagnostic.labels.iter().take(MAX_LABELS) {
        labels.push(codespan::Label::secondary(span.file, range(*span)).with_message(escape_hidden(label)));
    }
    let omitted = diagnostic.labels.len().saturating_sub(MAX_LABELS);
    let omission = (omitted > 0).then(|| format!("{omitted} more places are not shown"));
    let notes = diagnostic.help.iter().map(|help| format!("help: {}", escape_hidden(help))).chain(omission).collect();
    let shown = codespan::Diagnostic::new(severity)
        .with_code(diagnostic.code.code)
        .with_message(escape_hidden(&diagnostic.message))
        .with_labels(labels)
        .with_notes(notes);
    let config = term::Config::default();
    if coloured {
        let mut ansi = term::termcolor::Ansi::new(Vec::new());
        if term::emit_to_write_style(&mut ansi, &config, files, &shown).is_ok() {
            return String::from_utf8_lossy(ansi.get_ref()).into_owned();
        }
    }
    term::emit_into_string(&config, files, &shown).unwrap_or_else(|_| render_without_excerpt(diagnostic, sources))
}

/// Renders a diagnostic without an excerpt.
fn render_without_excerpt(diagnostic: &Diagnostic, sources: &Sources) -> String {
    let place = sources.place(diagnostic.span.file, diagnostic.span.start);
    let path = sources.path(diagnostic.span.file);
    let Diagnostic { code, severity, message, help, .. } = diagnostic;
    let mut text = format!("{}[{}]: {message}\n  ┌─ {path}:{}:{}\n", severity.word(), code.code, place.line, place.column);
    for help in help {
        text.push_str(&format!("  = help: {help}\n"));
    }
    escape_hidden(&text).into_owned()
}

/// The JSON object of a diagnostic, as `--message-format json` prints it.
#[must_use]
pub fn to_json(diagnostic: &Diagnostic, sources: &Sources) -> Value {
    let mut object = json!({
        "code": diagnostic.code.code,
        "severity": diagnostic.severity.word(),
        "message": diagnostic.message,
    });
    let labels: Vec<Value> = diagnostic
        .labels
        .iter()
        .take(MAX_LABELS)
        .map(|(span, label)| {
            let mut entry = json!({ "message": label });
            add_place(&mut entry, *span, sources);
            entry
        })
        .collect();
    add_place(&mut object, diagnostic.span, sources);
    if let Value::Object(map) = &mut object {
        map.insert("labels".to_owned(), Value::Array(labels));
        map.insert("help".to_owned(), json!(diagnostic.help));
    }
    object
}

fn add_place(object: &mut Value, span: Span, sources: &Sources) {
    let (start, end) = (sources.place(span.file, span.start), sources.place(span.file, span.end));
    if let Value::Object(map) = object {
        map.insert("file".to_owned(), json!(sources.path(span.file)));
        map.insert("line".to_owned(), json!(start.line));
        map.insert("column".to_owned(), json!(start.column));
        map.insert("end_line".to_owned(), json!(end.line));
        map.insert("end_column".to_owned(), json!(end.column));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_quoted_names_are_cut() {
        let short = "unknown card `火` in `x`";
        assert_eq!(shorten_quoted(short), short);
        let name = "火".repeat(200);
        let cut = shorten_quoted(&format!("unknown card `{name}`; did you mean `x`?")).into_owned();
        assert_eq!(cut, format!("unknown card `{}…{}`; did you mean `x`?", "火".repeat(100), "火".repeat(40)));
        assert_eq!(shorten_quoted(&cut), cut);
        let cut = shorten_quoted(&format!("there is no card \"{name}\", `{name}`")).into_owned();
        assert_eq!(cut.chars().filter(|c| *c == '…').count(), 2);
        let listed = shorten_quoted(&"word, ".repeat(100_000)).into_owned();
        assert_eq!(listed.chars().count(), MAX_MESSAGE_CHARS + 1);
        // 140 characters of three bytes each are not too many.
        let name = format!("`{}`", "火".repeat(MAX_QUOTED_CHARS));
        assert_eq!(shorten_quoted(&name), name);
    }
}
