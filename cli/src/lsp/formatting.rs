//! Formatting of a document or of some of its items.

use super::position::Lines;
use super::server_state::ServerState;
use super::uri;
use lsp_types::{Range, TextEdit, Uri};

/// The edits that format a document, or the items that a range touches.
pub fn formatting(world: &ServerState, uri: &Uri, range: Option<Range>) -> Option<Vec<TextEdit>> {
    let open = world.documents.get(&uri::path_of(uri))?;
    let lines = Lines::of(&open.text);
    let formatted = fizzle_grammar::format(&open.text);
    let mut edits = difference(&open.text, &formatted, &lines);
    if let Some(range) = range {
        let wanted = items(&open.text, lines.bytes(&open.text, range));
        let inside = |edit: &TextEdit| {
            let bytes = lines.bytes(&open.text, edit.range);
            wanted.start <= bytes.start && bytes.end <= wanted.end
        };
        // The formatter looks at lines one by one, so that any of its changes can be made alone.
        edits.retain(inside);
    }
    Some(edits)
}

/// From the beginning of the first item that a range touches to the end of the last one.
fn items(text: &str, range: std::ops::Range<u32>) -> std::ops::Range<u32> {
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

/// Edits for runs of lines that differ. Formatting changes white space only: between two places where as many other characters were
/// seen in both texts and a line begins, the texts are the same line.
fn difference(old: &str, new: &str, lines: &Lines) -> Vec<TextEdit> {
    if old == new {
        return Vec::new();
    }
    let (was, is) = (marks(old), marks(new));
    let mut edits = Vec::new();
    let (mut from_old, mut from_new) = (0, 0);
    let mut at = 0;
    let mut ends: Vec<(usize, usize)> = Vec::new();
    for (count, byte) in &was {
        while is.get(at).is_some_and(|(other, _)| other < count) {
            at += 1;
        }
        if let Some((other, place)) = is.get(at)
            && other == count
        {
            ends.push((*byte, *place));
        }
    }
    ends.push((old.len(), new.len()));
    for (to_old, to_new) in ends {
        let (before, after) = (old.get(from_old..to_old).unwrap_or(""), new.get(from_new..to_new).unwrap_or(""));
        if before != after {
            edits.push(TextEdit { range: lines.range(old, from_old as u32..to_old as u32), new_text: after.to_owned() });
        }
        (from_old, from_new) = (to_old, to_new);
    }
    edits
}

/// The first bytes of lines that have something in them, each with the number of characters before it that are no white space.
fn marks(text: &str) -> Vec<(usize, usize)> {
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
