//! Inlay hints: after the words of a choice, that it is made on announcement, and that the ability fizzles if no announced choice is legal
//! any more. A choice that is made on resolution has none.

use super::server_state::ServerState;
use fizzle_compiler::session::{AnnounceableChoice, FileRange, Game};
use lsp_types::{InlayHint, InlayHintKind, InlayHintLabel, InlayHintParams, InlayHintTooltip};

/// The most hints of an answer.
const MAX_HINTS: usize = 2_000;

const ANNOUNCED: &str = "announced";
const ANNOUNCED_LAST: &str = "announced, can fizzle";
const FIZZLES_WHOLE: &str =
    "Chosen on announcement. If no announced choice is legal any more on resolution, the whole object does nothing.";
const FIZZLES_PARAGRAPH: &str = "Chosen on announcement. If no announced choice of the paragraph is legal any more on resolution, the paragraph does nothing.";

/// Answers `textDocument/inlayHint`.
pub fn inlay_hints(state: &ServerState, params: &InlayHintParams) -> Option<Vec<InlayHint>> {
    let file = state.file_number(&params.text_document.uri)?;
    let (text, lines) = state.text(file)?;
    let game = state.game_near(file)?;
    let (from, to) = (lines.byte(&text, params.range.start), lines.byte(&text, params.range.end));
    let mut hints = Vec::new();
    for placed in &state.session.store().document(file)?.items {
        let Some(result) = game.results.get(&placed.number) else { continue };
        for (end, is_last) in announced(state, game, &result.announceable_choices) {
            if end.file != file || end.end < from || end.end > to || hints.len() >= MAX_HINTS {
                continue;
            }
            let whole = game.announce_policy().is_some_and(|policy| policy.fizzle_whole);
            hints.push(InlayHint {
                position: lines.position(&text, end.end),
                label: InlayHintLabel::String(if is_last { ANNOUNCED_LAST } else { ANNOUNCED }.to_owned()),
                kind: Some(InlayHintKind::TYPE),
                text_edits: None,
                tooltip: Some(InlayHintTooltip::String(if whole { FIZZLES_WHOLE } else { FIZZLES_PARAGRAPH }.to_owned())),
                padding_left: Some(true),
                padding_right: Some(true),
                data: None,
            });
        }
    }
    Some(hints)
}

/// The places of the choices that are announced, and whether each is the last one of what fizzles as one.
fn announced(state: &ServerState, game: &Game<'_>, choices: &[AnnounceableChoice]) -> Vec<(FileRange, bool)> {
    let Some(policy) = game.announce_policy() else { return Vec::new() };
    let announced: Vec<&AnnounceableChoice> = choices.iter().filter(|choice| policy.announces(&choice.site)).collect();
    // the paragraphs of a card fizzle as one, or each separately
    let unit = |choice: &AnnounceableChoice| (!(choice.is_paragraph && policy.fizzle_whole)).then_some(choice.ability);
    let is_last =
        |index: usize, choice: &AnnounceableChoice| !announced.iter().skip(index + 1).any(|later| unit(later) == unit(choice));
    let placed = announced.iter().enumerate().filter_map(|(index, choice)| {
        let place = state.session.place(choice.span)?;
        Some((place, is_last(index, choice)))
    });
    placed.collect()
}
