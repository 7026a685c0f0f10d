//! Writes diagnostics as a SARIF 2.1.0 document, the exchange format of code scanners.

use super::render::{MAX_DIAGNOSTICS_LISTED, omission_message};
use super::{CODES, Diagnostic, Severity, TextFix};
use crate::sources::Sources;
use fizzle_grammar::ast::Span;
use serde_json::{Value, json};

/// The document of the diagnostics. `version`: the version of the program.
#[must_use]
pub fn sarif(diagnostics: &[Diagnostic], sources: &Sources, version: &str) -> Value {
    let rules: Vec<Value> = CODES
        .iter()
        .map(|code| {
            json!({
                "id": code.code,
                "shortDescription": { "text": code.summary },
                "fullDescription": { "text": code.about },
                "help": { "text": code.explanation() },
                "defaultConfiguration": { "level": level(code.severity) },
            })
        })
        .collect();
    let listed = diagnostics.iter().take(MAX_DIAGNOSTICS_LISTED);
    let mut results: Vec<Value> = listed.map(|diagnostic| result(diagnostic, sources)).collect();
    let omitted = diagnostics.iter().map(Diagnostic::count).sum::<usize>() - results.len();
    if omitted > 0 {
        results.push(json!({ "level": "none", "kind": "informational", "message": { "text": omission_message(omitted) } }));
    }
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "fizzle", "version": version, "rules": rules } },
            "columnKind": "unicodeCodePoints",
            "results": results,
        }],
    })
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
    }
}

fn result(diagnostic: &Diagnostic, sources: &Sources) -> Value {
    let mut text = diagnostic.message.clone();
    if !diagnostic.label.is_empty() {
        text.push_str(": ");
        text.push_str(&diagnostic.label);
    }
    for help in &diagnostic.help {
        text.push_str("\nhelp: ");
        text.push_str(help);
    }
    let mut result = json!({
        "ruleId": diagnostic.code.code,
        "level": level(diagnostic.severity),
        "message": { "text": text },
        "locations": [location(diagnostic.span, sources)],
    });
    let index = CODES.iter().position(|code| code.code == diagnostic.code.code);
    let related: Vec<Value> = diagnostic
        .labels
        .iter()
        .enumerate()
        .map(|(id, (span, label))| {
            let mut place = location(*span, sources);
            if let Value::Object(map) = &mut place {
                map.insert("id".to_owned(), json!(id));
                map.insert("message".to_owned(), json!({ "text": label }));
            }
            place
        })
        .collect();
    if let Value::Object(map) = &mut result {
        map.insert("ruleIndex".to_owned(), json!(index));
        if !related.is_empty() {
            map.insert("relatedLocations".to_owned(), json!(related));
        }
        let fixes: Vec<Value> = diagnostic.fixes.iter().filter_map(|fix| sarif_fix(fix, sources)).collect();
        if !fixes.is_empty() {
            map.insert("fixes".to_owned(), json!(fixes));
        }
    }
    result
}

/// The SARIF object of a fix; `None` if its word is not in the source.
fn sarif_fix(fix: &TextFix, sources: &Sources) -> Option<Value> {
    let (start, end) = fix.bytes(sources.slice(fix.span))?;
    let place = location(Span { start, end, ..fix.span }, sources);
    let (file, region) = (&place["physicalLocation"]["artifactLocation"], &place["physicalLocation"]["region"]);
    Some(json!({
        "description": { "text": format!("replace `{}` by `{}`", fix.word, fix.with) },
        "artifactChanges": [{
            "artifactLocation": file,
            "replacements": [{ "deletedRegion": region, "insertedContent": { "text": fix.with } }],
        }],
    }))
}

fn location(span: Span, sources: &Sources) -> Value {
    let (start, end) = (sources.place(span.file, span.start), sources.place(span.file, span.end));
    json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri(sources.path(span.file)) },
            "region": { "startLine": start.line, "startColumn": start.column, "endLine": end.line, "endColumn": end.column },
        },
    })
}

/// A path as a URI reference: relative paths unchanged, absolute paths with a scheme. Other characters are percent-encoded.
fn uri(path: &str) -> String {
    let mut uri = String::new();
    if path.starts_with('/') {
        uri.push_str("file://");
    } else if path.as_bytes().get(1) == Some(&b':') {
        uri.push_str("file:///");
    }
    for byte in path.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => uri.push(char::from(byte)),
            b':' if uri.starts_with("file:") => uri.push(':'),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}
