//! Completion: finds the place of the cursor by the grammar and what the types expect there ([`Context`]), lists candidates in the order in which
//! they fit ([`Candidates`]), and filters them by the typed text.
//!
//! The place (`place.rs` of the grammar) leads to classes of words (`expected.rs`), and these to the words (`candidates.rs`). If a whole class is
//! wrong, the cause is in one of the first two; if one word is wrong, in the last.

mod candidates;
pub mod context;
mod expected;
pub mod operand_type;
pub mod sentence_verb;
mod snippets;
mod words;

use super::server_state::ServerState;
use candidates::Candidates;
use context::Context;
use expected::Expected;
use lsp_types::{CompletionList, CompletionParams, CompletionResponse, CompletionTextEdit, Range, TextEdit};

/// At most this many items are returned. A truncated list is marked incomplete, so that the editor requests it again as the word grows.
const MAX_ITEMS: usize = 400;

/// Answers `textDocument/completion`.
pub fn completion(state: &ServerState, params: &CompletionParams) -> Option<CompletionResponse> {
    let (file, byte) = state.byte_at(&params.text_document_position)?;
    let (text, lines) = state.text(file)?;
    let game = state.game_near(file);
    let context = Context::at(&text, byte, game)?;
    let mut candidates = Candidates::new(state, game, &context);
    for expected in &context.expected {
        candidates.add(expected);
    }
    let range = Range {
        start: lines.position(&text, context.replaced_range.start),
        end: lines.position(&text, context.replaced_range.end),
    };
    let typed = text.get(context.replaced_range.start as usize..byte as usize).unwrap_or("");
    let written = typed.trim_start_matches(['"', '《']).to_lowercase();
    let mut items = candidates.into_items();
    let matches_typed = |label: &str| {
        let label = label.to_lowercase();
        let mut letters = label.chars();
        written.chars().all(|wanted| letters.any(|letter| letter == wanted))
    };
    items.retain(|item| matches_typed(item.filter_text.as_deref().unwrap_or(&item.label)));
    let is_incomplete = items.len() > MAX_ITEMS;
    if is_incomplete {
        items.sort_by_key(|item| {
            let label = item.filter_text.as_deref().unwrap_or(&item.label).to_lowercase();
            (!label.starts_with(&written), item.sort_text.clone())
        });
        items.truncate(MAX_ITEMS);
    }
    for item in &mut items {
        let new_text = item.insert_text.take().unwrap_or_else(|| item.label.clone());
        item.text_edit = Some(CompletionTextEdit::Edit(TextEdit { range, new_text }));
    }
    // The editor must request the list again if it was truncated, or while a name between quotes is typed.
    let is_incomplete = is_incomplete || matches!(context.expected.as_slice(), [Expected::Quoted(_)]);
    Some(CompletionResponse::List(CompletionList { is_incomplete, items }))
}
