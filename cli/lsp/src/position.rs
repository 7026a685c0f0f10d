//! Conversion between byte offsets and the positions of the protocol, which count lines and UTF-16 code units.

use lsp_types::{Position, Range};

/// The bytes between two offsets whose UTF-16 units are counted in advance, so that positions on long lines are found quickly.
const BLOCK: usize = 512;

/// The byte offsets at which the lines of a text begin, and the UTF-16 units before each block of bytes.
#[derive(Clone, Debug, Default)]
pub struct LineIndex {
    starts: Vec<u32>,
    /// For each multiple of [`BLOCK`], the units before it; a character that contains it does not count.
    units: Vec<u32>,
}

impl LineIndex {
    /// Indexes a text. Lines end in `\n`, `\r\n` or `\r`.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        let mut units = Vec::with_capacity(bytes.len() / BLOCK + 1);
        let (mut before, mut last) = (0, 0);
        for (at, byte) in bytes.iter().enumerate() {
            let is_inside = (0x80..0xC0).contains(byte);
            if at % BLOCK == 0 {
                units.push(if is_inside { before - last } else { before });
            }
            if !is_inside {
                last = if *byte >= 0xF0 { 2 } else { 1 };
                before += last;
            }
            if *byte == b'\n' || *byte == b'\r' && bytes.get(at + 1) != Some(&b'\n') {
                starts.push(at as u32 + 1);
            }
        }
        if bytes.len().is_multiple_of(BLOCK) {
            units.push(before);
        }
        Self { starts, units }
    }

    /// The UTF-16 units before a byte offset, which is rounded down to a character.
    fn units_before(&self, text: &str, byte: usize) -> u32 {
        let end = text.floor_char_boundary(byte);
        let block = end / BLOCK;
        let start = text.floor_char_boundary(block * BLOCK);
        let after = text.get(start..end).unwrap_or("").encode_utf16().count() as u32;
        self.units.get(block).copied().unwrap_or(0) + after
    }

    /// The position of a byte offset. An offset inside a character is rounded down; one beyond the text is its end.
    pub fn position(&self, text: &str, byte: u32) -> Position {
        let byte = byte.min(text.len() as u32);
        let line = self.starts.partition_point(|start| *start <= byte).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or(0) as usize;
        let character = self.units_before(text, byte as usize) - self.units_before(text, start);
        Position { line: line as u32, character }
    }

    /// The byte offset of a position. A column beyond the line is the end of the line, and a line beyond the text is the end of the text.
    /// A position inside a surrogate pair is rounded down.
    pub fn byte(&self, text: &str, position: Position) -> u32 {
        let Some(start) = self.starts.get(position.line as usize).copied() else { return text.len() as u32 };
        let start = start as usize;
        let end = self.starts.get(position.line as usize + 1).map_or(text.len(), |end| *end as usize);
        let end = start + text.get(start..end).unwrap_or("").trim_end_matches(['\r', '\n']).len();
        let wanted = self.units_before(text, start).saturating_add(position.character);
        let block = self.units.partition_point(|units| *units <= wanted).saturating_sub(1);
        let from = text.floor_char_boundary(block * BLOCK).clamp(start, end);
        let mut units = self.units_before(text, from);
        for (at, character) in text.get(from..end).unwrap_or("").char_indices() {
            units += character.len_utf16() as u32;
            if units > wanted {
                return (from + at) as u32;
            }
        }
        end as u32
    }

    /// Converts a byte range to a range of the protocol.
    pub fn range(&self, text: &str, bytes: std::ops::Range<u32>) -> Range {
        Range { start: self.position(text, bytes.start), end: self.position(text, bytes.end) }
    }

    /// Converts a range of the protocol to a byte range. The result is empty if the end is before the start.
    pub fn bytes(&self, text: &str, range: Range) -> std::ops::Range<u32> {
        let start = self.byte(text, range.start);
        start..self.byte(text, range.end).max(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_utf_16_units() {
        let text = "a《竜》b\r\n🐉x\rlast";
        let lines = LineIndex::new(text);
        for (byte, line, character) in
            [(0, 0, 0), (1, 0, 1), (4, 0, 2), (7, 0, 3), (10, 0, 4), (13, 1, 0), (17, 1, 2), (19, 2, 0)]
        {
            let position = Position { line, character };
            assert_eq!(lines.position(text, byte), position, "byte {byte}");
            assert_eq!(lines.byte(text, position), byte, "{position:?}");
        }
        assert_eq!(lines.byte(text, Position { line: 0, character: 99 }), 11);
        assert_eq!(lines.byte(text, Position { line: 1, character: 1 }), 13);
        assert_eq!(lines.byte(text, Position { line: 9, character: 9 }), text.len() as u32);
    }

    #[test]
    fn positions_on_long_lines_are_those_of_a_count() {
        let long: String = "a《竜🐉".chars().cycle().take(3 * BLOCK).collect();
        let text = format!("{long}\r\nshort\n{long}");
        let lines = LineIndex::new(&text);
        for (at, character) in text.char_indices().filter(|(_, character)| !matches!(character, '\r' | '\n')) {
            let before = text.get(..at).unwrap_or("");
            let line_start = before.rfind('\n').map_or(0, |end| end + 1);
            let position = Position {
                line: before.matches('\n').count() as u32,
                character: before.get(line_start..).unwrap_or("").encode_utf16().count() as u32,
            };
            for byte in at..at + character.len_utf8() {
                assert_eq!(lines.position(&text, byte as u32), position, "byte {byte}");
            }
            assert_eq!(lines.byte(&text, position), at as u32, "{position:?}");
        }
        assert_eq!(lines.position(&text, text.len() as u32).line, 2);
    }
}
