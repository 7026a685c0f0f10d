//! Formatting: the edits that turn a document, or some of its items, into formatted text.

use super::position::LineIndex;
use super::server_state::ServerState;
use super::uri;
use lsp_types::{Range, TextEdit, Uri};

/// Answers `textDocument/formatting` and `rangeFormatting`: formats the document, or the items that `range` touches.
pub fn formatting(state: &ServerState, uri: &Uri, range: Option<Range>) -> Option<Vec<TextEdit>> {
    let open = state.documents.get(&uri::path_of(uri))?;
    let lines = LineIndex::new(&open.text);
    let formatted = fizzle_grammar::format(&open.text);
    let mut edits = line_edits(&open.text, &formatted, &lines);
    if let Some(range) = range {
        let wanted = enclosing_items(&open.text, lines.bytes(&open.text, range));
        let inside = |edit: &TextEdit| {
            let bytes = lines.bytes(&open.text, edit.range);
            wanted.start <= bytes.start && bytes.end <= wanted.end
        };
        // The formatter works line by line, so any subset of its edits can be applied.
        edits.retain(inside);
    }
    Some(edits)
}

/// Extends a range to the items that it touches: from the first line of the first one to the end of the last one.
fn enclosing_items(text: &str, range: std::ops::Range<u32>) -> std::ops::Range<u32> {
    let touched =
        fizzle_grammar::item_ranges(text).into_iter().filter(|item| item.docs_start <= range.end && range.start <= item.end);
    let mut whole = range.clone();
    for item in touched {
        let line =
            text.get(..item.docs_start as usize).and_then(|before| before.rfind('\n')).map_or(0, |newline| newline as u32 + 1);
        whole = whole.start.min(line)..whole.end.max(item.end + 1);
    }
    whole
}

/// Edits for runs of lines that differ. Formatting changes white space only. So two lines correspond if the same number of other
/// characters precedes them; such lines bound the runs.
fn line_edits(old: &str, new: &str, lines: &LineIndex) -> Vec<TextEdit> {
    if old == new {
        return Vec::new();
    }
    let (old_marks, new_marks) = (line_marks(old), line_marks(new));
    let mut edits = Vec::new();
    let (mut from_old, mut from_new) = (0, 0);
    let mut next_new = 0;
    let mut boundaries: Vec<(usize, usize)> = Vec::new();
    for (count, byte) in &old_marks {
        while new_marks.get(next_new).is_some_and(|(other, _)| other < count) {
            next_new += 1;
        }
        if let Some((other, place)) = new_marks.get(next_new)
            && other == count
        {
            boundaries.push((*byte, *place));
        }
    }
    boundaries.push((old.len(), new.len()));
    for (to_old, to_new) in boundaries {
        let (before, after) = (old.get(from_old..to_old).unwrap_or(""), new.get(from_new..to_new).unwrap_or(""));
        if before != after {
            edits.push(TextEdit { range: lines.range(old, from_old as u32..to_old as u32), new_text: after.to_owned() });
        }
        (from_old, from_new) = (to_old, to_new);
    }
    edits
}

/// For each line that is not blank: the number of characters before it that are not white space, and the offset of its first byte.
fn line_marks(text: &str) -> Vec<(usize, usize)> {
    let mut found = Vec::new();
    let mut count = 0;
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let solid = line.chars().filter(|character| !character.is_whitespace() && *character != '\u{feff}').count();
        if solid > 0 {
            found.push((count, start));
        }
        count += solid;
        start += line.len();
    }
    found
}
