//! Diagnostics: converts the problems of the session, and publishes them if they changed.

use super::server_state::ServerState;
use fizzle_compiler::diagnostics::Severity;
use fizzle_compiler::diagnostics::render::{MAX_DIAGNOSTICS_LISTED, omission_message};
use fizzle_compiler::session::Problem;
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location, NumberOrString,
    PublishDiagnosticsParams,
};
use std::collections::BTreeSet;

/// At most this many problems of one file are published. A last one says how many more there are.
const MAX_DIAGNOSTICS_PER_FILE: usize = 1000;

/// The source name that editors show next to a diagnostic.
pub const SOURCE: &str = "fizzle";

/// Computes the diagnostics of `files` (`None`: all files) and returns those that differ from the ones last published. Records them as
/// published. Shipped files have none.
pub fn changed_diagnostics(state: &mut ServerState, files: Option<&BTreeSet<usize>>) -> Vec<PublishDiagnosticsParams> {
    let problems = state.session.problems(files);
    let numbers: Vec<usize> = state.session.store().documents().map(|(number, _)| number).collect();
    let mut changed = Vec::new();
    let mut published: usize = state.published_diagnostics.values().map(Vec::len).sum();
    for number in numbers.into_iter().filter(|number| files.is_none_or(|files| files.contains(number))) {
        let Some(path) = state.session.store().document(number).map(|document| document.path.to_string()) else { continue };
        if super::shipped_copies::is_shipped(&path) {
            continue;
        }
        let problems = problems.get(&number).map_or(&[][..], Vec::as_slice);
        let published_before = state.published_diagnostics.get(&path).map_or(0, Vec::len);
        let left = MAX_DIAGNOSTICS_LISTED.saturating_sub(published - published_before);
        let shown = problems.len().min(MAX_DIAGNOSTICS_PER_FILE).min(left);
        let mut found: Vec<Diagnostic> = problems.iter().take(shown).map(|problem| diagnostic(state, problem)).collect();
        let omitted = problems.iter().map(|problem| problem.more.saturating_add(1)).sum::<usize>() - shown;
        if omitted > 0 {
            found.push(omission(omitted));
        }
        found.extend(state.scenario_failures.get(&path).cloned());
        if state.published_diagnostics.get(&path).map_or(&[][..], Vec::as_slice) == found {
            continue;
        }
        let version = state.documents.get(&path).map(|open| open.version);
        let Some(uri) = state.uri(&path) else { continue };
        published = published - published_before + found.len();
        if found.is_empty() {
            state.published_diagnostics.remove(&path);
        } else {
            state.published_diagnostics.insert(path, found.clone());
        }
        changed.push(PublishDiagnosticsParams { uri, diagnostics: found, version });
    }
    changed
}

/// The entry at the start of a file that says how many problems are not published.
fn omission(count: usize) -> Diagnostic {
    Diagnostic {
        severity: Some(DiagnosticSeverity::INFORMATION),
        source: Some(SOURCE.to_owned()),
        message: omission_message(count),
        ..Diagnostic::default()
    }
}

/// Converts a problem to a diagnostic of the protocol. Label and help become part of the message.
pub fn diagnostic(state: &ServerState, problem: &Problem) -> Diagnostic {
    let related = problem.related.iter().filter_map(|(place, message)| {
        Some(DiagnosticRelatedInformation { location: state.location(place)?, message: message.clone() })
    });
    let mut message = problem.message.clone();
    if !problem.label.is_empty() {
        message.push_str(&format!(" ({})", problem.label));
    }
    for help in &problem.help {
        message.push_str(&format!("\nhelp: {help}"));
    }
    let Location { range, .. } = state.location(&problem.place).unwrap_or_else(|| state.unknown_location());
    let unused = problem.code.code == "W0701";
    Diagnostic {
        range,
        severity: Some(match problem.severity {
            Severity::Error => DiagnosticSeverity::ERROR,
            Severity::Warning => DiagnosticSeverity::WARNING,
        }),
        code: Some(NumberOrString::String(problem.code.code.to_owned())),
        source: Some(SOURCE.to_owned()),
        message,
        related_information: Some(related.collect::<Vec<_>>()).filter(|related| !related.is_empty()),
        tags: unused.then(|| vec![DiagnosticTag::UNNECESSARY]),
        ..Diagnostic::default()
    }
}
