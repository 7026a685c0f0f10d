//! Code actions: the fixes of diagnostics, as quick fixes.

use super::server_state::ServerState;
use fizzle_compiler::session::Problem;
use lsp_types::{CodeAction, CodeActionKind, CodeActionOrCommand, CodeActionParams, CodeActionResponse, TextEdit, WorkspaceEdit};
use std::collections::BTreeSet;

/// Answers `textDocument/codeAction`: the fixes of all problems that touch the range.
pub fn code_actions(state: &ServerState, params: &CodeActionParams) -> Option<CodeActionResponse> {
    if params.context.only.as_ref().is_some_and(|only| !only.iter().any(|kind| "quickfix".starts_with(kind.as_str()))) {
        return Some(Vec::new());
    }
    let file = state.file_number(&params.text_document.uri)?;
    let (text, lines) = state.text(file)?;
    let range = lines.bytes(&text, params.range);
    let problems = state.session.problems(Some(&BTreeSet::from([file])));
    let near = |problem: &&Problem| problem.place.start <= range.end && range.start <= problem.place.end;
    let found = problems.get(&file).into_iter().flatten().filter(near);
    Some(
        found
            .flat_map(|problem| problem.fixes.iter().filter_map(|(place, with)| quick_fix(state, problem, place, with)))
            .collect(),
    )
}

fn quick_fix(
    state: &ServerState,
    problem: &Problem,
    place: &fizzle_compiler::session::FileRange,
    with: &str,
) -> Option<CodeActionOrCommand> {
    let location = state.location(place)?;
    let (text, _) = state.text(place.file)?;
    let word = text.get(place.bytes())?;
    let title = if word.is_empty() { format!("Add `{with}`") } else { format!("Replace `{word}` by `{with}`") };
    let edit = TextEdit { range: location.range, new_text: with.to_owned() };
    Some(CodeActionOrCommand::CodeAction(CodeAction {
        title,
        kind: Some(CodeActionKind::QUICKFIX),
        diagnostics: Some(vec![super::diagnostics::diagnostic(state, problem)]),
        edit: Some(WorkspaceEdit {
            changes: Some(std::iter::once((location.uri, vec![edit])).collect()),
            ..WorkspaceEdit::default()
        }),
        is_preferred: Some(true),
        ..CodeAction::default()
    }))
}
