//! Between bytes and the positions of the protocol: lines, and UTF-16 units in a line.

use lsp_types::{Position, Range};

/// Where the lines of a text begin.
#[derive(Clone, Debug, Default)]
pub struct Lines {
    starts: Vec<u32>,
}

impl Lines {
    /// Of a text. Lines end in `\n`, `\r\n` or `\r`.
    pub fn of(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for (at, byte) in bytes.iter().enumerate() {
            if *byte == b'\n' || *byte == b'\r' && bytes.get(at + 1) != Some(&b'\n') {
                starts.push(at as u32 + 1);
            }
        }
        Self { starts }
    }

    /// The position of a byte. A byte inside of a character counts as its beginning.
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

    /// The byte of a position. Beyond the end of a line is its end, beyond the last line the end of the text, within a pair of
    /// surrogates before it.
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

    /// The range of some bytes.
    pub fn range(&self, text: &str, bytes: std::ops::Range<u32>) -> Range {
        Range { start: self.position(text, bytes.start), end: self.position(text, bytes.end) }
    }

    /// The bytes of a range. A range whose end lies before its start is empty.
    pub fn bytes(&self, text: &str, range: Range) -> std::ops::Range<u32> {
        let start = self.byte(text, range.start);
        start..self.byte(text, range.end).max(start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn units_are_those_of_utf_16() {
        let text = "a《竜》b\r\n🐉x\rlast";
        let lines = Lines::of(text);
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
