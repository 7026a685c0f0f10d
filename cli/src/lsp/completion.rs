//! Completion: what fits where the cursor is, by the words before it and by type.

mod candidates;
mod context;

use super::server_state::ServerState;
use candidates::Candidates;
use context::{Context, Expected};
use lsp_types::{CompletionList, CompletionParams, CompletionResponse, CompletionTextEdit, Range, TextEdit};

/// No more are offered at once; the list is asked for again as the word grows.
const MOST: usize = 400;

/// Answers the request.
pub fn completion(world: &ServerState, params: &CompletionParams) -> Option<CompletionResponse> {
    let (file, byte) = world.at(&params.text_document_position)?;
    let (text, lines) = world.text(file)?;
    let game = world.session.analysis().and_then(|analysis| analysis.game_of(file));
    let context = Context::at(&text, byte, game)?;
    let mut candidates = Candidates::new(world, game, &context);
    for expected in &context.expected {
        candidates.add(expected);
    }
    let range = Range { start: lines.position(&text, context.replaced.start), end: lines.position(&text, context.replaced.end) };
    let written = text.get(context.replaced.start as usize..byte as usize).unwrap_or("");
    let written = written.trim_start_matches(['"', '《']).to_lowercase();
    let mut items = candidates.done();
    let fits = |label: &str| {
        let label = label.to_lowercase();
        let mut letters = label.chars();
        written.chars().all(|wanted| letters.any(|letter| letter == wanted))
    };
    items.retain(|item| fits(item.filter_text.as_deref().unwrap_or(&item.label)));
    let is_incomplete = items.len() > MOST;
    if is_incomplete {
        items.sort_by_key(|item| {
            let label = item.filter_text.as_deref().unwrap_or(&item.label).to_lowercase();
            (!label.starts_with(&written), item.sort_text.clone())
        });
        items.truncate(MOST);
    }
    for item in &mut items {
        let new_text = item.insert_text.take().unwrap_or_else(|| item.label.clone());
        item.text_edit = Some(CompletionTextEdit::Edit(TextEdit { range, new_text }));
    }
    // A list that was cut off, or found while names are typed between quotes, is asked for again.
    let is_incomplete = is_incomplete || matches!(context.expected.as_slice(), [Expected::Quoted(_)]);
    Some(CompletionResponse::List(CompletionList { is_incomplete, items }))
}
