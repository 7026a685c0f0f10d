//! Renders diagnostics: with source excerpts for readers, and as JSON objects for programs.

use super::{Diagnostic, Severity};
use crate::sources::Sources;
use codespan_reporting::diagnostic as excerpt;
use codespan_reporting::term;
use fizzle_grammar::ast::Span;
use serde_json::{Value, json};

/// The maximal length of a line in an excerpt, in bytes. Longer lines are not shown.
const MAX_LINE_BYTES: usize = 1000;

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

/// Renders one diagnostic with source excerpts.
#[must_use]
pub fn render(diagnostic: &Diagnostic, sources: &Sources, coloured: bool) -> String {
    if !lines_are_short(diagnostic, sources) {
        return render_without_excerpt(diagnostic, sources);
    }
    let severity = match diagnostic.severity {
        Severity::Error => excerpt::Severity::Error,
        Severity::Warning => excerpt::Severity::Warning,
    };
    let range = |span: Span| span.start as usize..span.end.max(span.start) as usize;
    let mut labels =
        vec![excerpt::Label::primary(diagnostic.span.file, range(diagnostic.span)).with_message(diagnostic.label.clone())];
    for (span, label) in &diagnostic.labels {
        labels.push(excerpt::Label::secondary(span.file, range(*span)).with_message(label.clone()));
    }
    let notes = diagnostic.help.iter().map(|help| format!("help: {help}")).collect();
    let shown = excerpt::Diagnostic::new(severity)
        .with_code(diagnostic.code.code)
        .with_message(&diagnostic.message)
        .with_labels(labels)
        .with_notes(notes);
    let config = term::Config::default();
    if coloured {
        let mut ansi = term::termcolor::Ansi::new(Vec::new());
        if term::emit_to_write_style(&mut ansi, &config, sources, &shown).is_ok() {
            return String::from_utf8_lossy(ansi.get_ref()).into_owned();
        }
    }
    term::emit_into_string(&config, sources, &shown).unwrap_or_else(|_| render_without_excerpt(diagnostic, sources))
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
    text
}

/// Whether all lines of an excerpt are short enough.
fn lines_are_short(diagnostic: &Diagnostic, sources: &Sources) -> bool {
    std::iter::once(diagnostic.span).chain(diagnostic.labels.iter().map(|(span, _)| *span)).all(|span| {
        let text = sources.text(span.file).as_bytes();
        let start = (span.start as usize).min(text.len());
        let before = text.iter().take(start).rev().take(MAX_LINE_BYTES).position(|byte| *byte == b'\n');
        let after = text.iter().skip(start).take(MAX_LINE_BYTES).position(|byte| *byte == b'\n');
        (before.is_some() || start < MAX_LINE_BYTES) && (after.is_some() || text.len() - start < MAX_LINE_BYTES)
    })
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
