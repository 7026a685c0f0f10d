//! A text in chunks, for edits by positions of the protocol: an edit reads the chunks around it and the counts of the others, not the text.
//!
//! Each chunk knows its line ends and UTF-16 units. The text is never split within `\r\n`, so a chunk knows its line ends by itself.

use lsp_types::{Position, Range};

/// The length of a chunk in bytes; chunks may have up to twice of it.
const CHUNK_BYTES: usize = 2048;

/// A text in chunks; none is empty.
#[derive(Debug, Default)]
pub struct TextBuffer {
    chunks: Vec<Chunk>,
    /// The number of bytes that were counted or copied, for tests.
    work: u64,
}

#[derive(Debug)]
struct Chunk {
    text: String,
    /// The number of its line ends: `\n`, `\r\n` and `\r`.
    line_ends: usize,
    /// The number of its UTF-16 units.
    units: usize,
}

impl Chunk {
    fn new(text: String) -> Self {
        let line_ends = line_starts(&text).count();
        let units = text.chars().map(char::len_utf16).sum();
        Self { text, line_ends, units }
    }
}

/// The offsets at which the lines of a text begin, except for the first.
fn line_starts(text: &str) -> impl Iterator<Item = usize> {
    let bytes = text.as_bytes();
    let ends = |at: &usize| bytes[*at] == b'\n' || bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    (0..bytes.len()).filter(ends).map(|at| at + 1)
}

impl TextBuffer {
    /// Splits a text into chunks.
    pub fn new(text: &str) -> Self {
        Self { chunks: split(text), work: text.len() as u64 }
    }

    /// The whole text.
    pub fn into_text(self) -> String {
        self.chunks.iter().map(|chunk| chunk.text.as_str()).collect()
    }

    /// Replaces the text of a range. Positions are as those of [`super::position::LineIndex`]: beyond the line or the text they are its end, and
    /// the range is empty if the end is before the start.
    pub fn replace(&mut self, range: Range, with: &str) {
        let (first, start) = self.place_of(range.start);
        let (mut last, mut end) = self.place_of(range.end);
        if (last, end) < (first, start) {
            (last, end) = (first, start);
        }
        let is_last = last + 1 >= self.chunks.len();
        if let Some(chunk) = self.chunks.get_mut(first)
            && first == last
            && (first == 0 || start > 0)
            && (is_last || end < chunk.text.len())
            && (1..=2 * CHUNK_BYTES).contains(&(chunk.text.len() + with.len() - (end - start)))
        {
            let mut text = std::mem::take(&mut chunk.text);
            text.replace_range(start..end, with);
            self.work += text.len() as u64;
            *chunk = Chunk::new(text);
            return;
        }
        // with a neighbour on each side, so that a line end at their border is seen as a whole
        let (from, to) = (first.saturating_sub(1), (last + 2).min(self.chunks.len()));
        let length = |chunks: &[Chunk]| chunks.iter().map(|chunk| chunk.text.len()).sum::<usize>();
        let start = start + length(&self.chunks[from..first.min(to)]);
        let end = end + length(&self.chunks[from..last.min(to)]);
        let mut text: String = self.chunks[from..to].iter().map(|chunk| chunk.text.as_str()).collect();
        text.replace_range(start..end, with);
        self.work += text.len() as u64;
        self.chunks.splice(from..to, split(&text));
    }

    /// The chunk of a position, and the offset in it. The end of the text is the end of the last chunk.
    fn place_of(&mut self, position: Position) -> (usize, usize) {
        let last = self.chunks.len().saturating_sub(1);
        let end = (last, self.chunks.last().map_or(0, |chunk| chunk.text.len()));
        let (mut index, mut offset) = (0, 0);
        let mut lines = position.line as usize;
        if lines > 0 {
            let found = self.chunks.iter().position(|chunk| {
                let is_here = chunk.line_ends >= lines;
                lines -= if is_here { 0 } else { chunk.line_ends };
                is_here
            });
            let Some(found) = found else { return end };
            index = found;
            offset = line_starts(&self.chunks[found].text).nth(lines - 1).unwrap_or(0);
            self.work += self.chunks[found].text.len() as u64;
        }
        let mut left = position.character as usize;
        while let Some(chunk) = self.chunks.get(index) {
            if offset == 0 && chunk.line_ends == 0 && chunk.units <= left {
                left -= chunk.units;
            } else {
                self.work += chunk.text.len() as u64;
                for (at, character) in chunk.text[offset..].char_indices() {
                    if matches!(character, '\r' | '\n') || character.len_utf16() > left {
                        return (index, offset + at);
                    }
                    left -= character.len_utf16();
                }
            }
            (index, offset) = (index + 1, 0);
        }
        end
    }
}

/// Splits a text into chunks, at the borders of characters and not within `\r\n`.
fn split(text: &str) -> Vec<Chunk> {
    let mut chunks = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let mut end = CHUNK_BYTES.min(rest.len());
        while !rest.is_char_boundary(end) || rest.as_bytes()[end - 1] == b'\r' && rest.as_bytes().get(end) == Some(&b'\n') {
            end += 1;
        }
        let (chunk, behind) = rest.split_at(end);
        chunks.push(Chunk::new(chunk.to_owned()));
        rest = behind;
    }
    chunks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::position::LineIndex;

    fn at(line: u32, character: u32) -> Position {
        Position { line, character }
    }

    /// Edits at positions of all kinds give the same text as with an index of the whole text.
    #[test]
    fn edits_of_chunks_equal_edits_of_the_text() {
        let mut text = "a《竜》b\r\n🐉x\rlast\n".repeat(400) + &"long line 🐉 ".repeat(900) + "\r";
        let mut buffer = TextBuffer::new(&text);
        let mut random = 1_u32;
        let mut next = |below: u32| {
            random = random.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (random >> 8) % below
        };
        let texts = ["", "", "x", "\n", "\r", "🐉", "\r\n\r\n"].map(str::to_owned);
        let long = "word 《竜》\r\n".repeat(700);
        for number in 0..3_000 {
            let start = at(next(1_300), if number % 3 == 0 { next(12_000) } else { next(6) });
            let end = at(start.line + next(if number % 50 == 0 { 300 } else { 3 }), next(9));
            let with = if number % 97 == 0 { &long } else { &texts[next(7) as usize] };
            let bytes = LineIndex::new(&text).bytes(&text, Range { start, end });
            text.replace_range(bytes.start as usize..bytes.end as usize, with);
            buffer.replace(Range { start, end }, with);
            if number % 10 == 0 {
                let whole: String = buffer.chunks.iter().map(|chunk| chunk.text.as_str()).collect();
                assert_eq!(whole, text, "edit {number}");
            }
        }
        assert_eq!(buffer.into_text(), text);
    }

    #[test]
    fn an_empty_text_can_be_edited() {
        let mut buffer = TextBuffer::new("");
        buffer.replace(Range { start: at(3, 4), end: at(0, 0) }, "ab");
        buffer.replace(Range { start: at(0, 0), end: at(9, 9) }, "");
        buffer.replace(Range { start: at(0, 1), end: at(0, 1) }, "c");
        assert_eq!(buffer.into_text(), "c");
    }

    /// The work of an edit does not depend on the length of the text or of the line.
    #[test]
    fn an_edit_reads_few_chunks() {
        for text in ["y".repeat(1 << 20), "line\n".repeat(200_000)] {
            for (line, character) in [(0, 0), (0, 500_000), (100_000, 2), (u32::MAX, 0)] {
                let mut buffer = TextBuffer::new(&text);
                let before = buffer.work;
                for _ in 0..10_000 {
                    let start = at(line, character);
                    buffer.replace(Range { start, end: start }, "x");
                }
                let bytes = (buffer.work - before) / 10_000;
                assert!(bytes <= 16 * CHUNK_BYTES as u64, "{bytes} bytes per edit at {line}:{character}");
            }
        }
    }
}
