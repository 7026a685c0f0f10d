//! Conversion between byte offsets and the positions of the protocol, which count lines and UTF-16 code units.

use lsp_types::{Position, Range};

/// The byte offsets at which the lines of a text begin.
#[derive(Clone, Debug, Default)]
pub struct LineIndex {
    starts: Vec<u32>,
}

impl LineIndex {
    /// Indexes a text. Lines end in `\n`, `\r\n` or `\r`.
    pub fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (at, byte) in bytes.iter().enumerate() {
            if *byte == b'\n' || *byte == b'\r' && bytes.get(at + 1) != Some(&b'\n') {
                starts.push(at as u32 + 1);
            }
        }
        Self { starts }
    }

    /// The position of a byte offset. An offset inside a character is rounded down; one beyond the text is its end.
    pub fn position(&self, text: &str, byte: u32) -> Position {
        let byte = byte.min(text.len() as u32);
        let line = self.starts.partition_point(|start| *start <= byte).saturating_sub(1);
        let start = self.starts.get(line).copied().unwrap_or(0) as usize;
        let mut end = byte as usize;
        while !text.is_char_boundary(end) {
            end -= 1;
        }
        let before = text.get(start..end).unwrap_or("");
        Position { line: line as u32, character: before.encode_utf16().count() as u32 }
    }

    /// The byte offset of a position. A column beyond the line is the end of the line, and a line beyond the text is the end of the text.
    /// A position inside a surrogate pair is rounded down.
    pub fn byte(&self, text: &str, position: Position) -> u32 {
        let Some(start) = self.starts.get(position.line as usize).copied() else { return text.len() as u32 };
        let end = self.starts.get(position.line as usize + 1).copied().unwrap_or(text.len() as u32);
        let line = text.get(start as usize..end as usize).unwrap_or("").trim_end_matches(['\r', '\n']);
        let mut units = 0;
        for (at, character) in line.char_indices() {
            units += character.len_utf16() as u32;
            if units > position.character {
                return start + at as u32;
            }
        }
        start + line.len() as u32
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
}
