//! Diagnostics while typing: what the session finds, as the protocol has it.

use super::server_state::ServerState;
use fizzle_compiler::diagnostics::Severity;
use fizzle_compiler::session::Problem;
use lsp_types::{
    Diagnostic, DiagnosticRelatedInformation, DiagnosticSeverity, DiagnosticTag, Location, NumberOrString,
    PublishDiagnosticsParams,
};
use std::collections::BTreeSet;

/// More are not shown for one file.
const MOST: usize = 1000;

/// The name under which diagnostics are shown.
pub const SOURCE: &str = "fizzle";

/// Of the given files, those whose diagnostics are others than were last told.
pub fn changed_diagnostics(world: &mut ServerState, files: Option<&BTreeSet<usize>>) -> Vec<PublishDiagnosticsParams> {
    let problems = world.session.problems(files);
    let numbers: Vec<usize> = world.session.store().documents().map(|(number, _)| number).collect();
    let mut told = Vec::new();
    for number in numbers.into_iter().filter(|number| files.is_none_or(|files| files.contains(number))) {
        let Some(path) = world.session.store().document(number).map(|document| document.path.to_string()) else { continue };
        if super::shipped_copies::is_shipped(&path) {
            continue;
        }
        let mut found: Vec<Diagnostic> =
            problems.get(&number).into_iter().flatten().take(MOST).map(|problem| diagnostic(world, problem)).collect();
        found.extend(world.failures.get(&path).cloned());
        if world.published.get(&path).map_or(&[][..], Vec::as_slice) == found {
            continue;
        }
        let version = world.documents.get(&path).map(|open| open.version);
        let Some(uri) = world.uri(&path) else { continue };
        if found.is_empty() {
            world.published.remove(&path);
        } else {
            world.published.insert(path, found.clone());
        }
        told.push(PublishDiagnosticsParams { uri, diagnostics: found, version });
    }
    told
}

/// A problem as the protocol has it.
pub fn diagnostic(world: &ServerState, problem: &Problem) -> Diagnostic {
    let related = problem.related.iter().filter_map(|(place, message)| {
        Some(DiagnosticRelatedInformation { location: world.location(place)?, message: message.clone() })
    });
    let mut message = problem.message.clone();
    if !problem.label.is_empty() {
        message.push_str(&format!(" ({})", problem.label));
    }
    for help in &problem.help {
        message.push_str(&format!("\nhelp: {help}"));
    }
    let Location { range, .. } = world.location(&problem.place).unwrap_or_else(|| world.nowhere());
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
