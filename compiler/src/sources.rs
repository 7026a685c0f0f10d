//! The table of source files. Converts byte offsets to lines and columns; the line starts of a file are computed at the first conversion.

use codespan_reporting::files::{Error, Files};
use fizzle_grammar::ast::Span;
use fizzle_ir::op::Source;
use std::ops::Range;
use std::sync::OnceLock;

/// A source file as handed to [`crate::compile`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceFile {
    /// Its path, for messages and for finding its pack. Parts are separated by `/`.
    pub path: String,
    /// Its text.
    pub text: String,
}

/// All source files of a compilation, by number; or the items of all files, each with its place there.
#[derive(Clone, Debug, Default)]
pub struct Sources {
    files: Vec<SourceEntry>,
    /// The files that the entries are parts of, by number. Empty if the entries are files.
    whole_files: Vec<String>,
}

/// The place of a part in its file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Origin {
    /// The number of the file.
    pub file: u32,
    /// The line and column of its first byte.
    pub place: LineColumn,
}

#[derive(Clone, Debug)]
struct SourceEntry {
    path: String,
    text: String,
    /// Its place, if it is a part of a file.
    origin: Option<Origin>,
    /// Byte offsets at which lines start, computed on demand.
    lines: OnceLock<Vec<usize>>,
    /// The number of characters before each block of [`BLOCK`] bytes, computed on demand.
    characters: OnceLock<Vec<u32>>,
}

/// Characters are counted from the start of a block, so that columns of long lines cost no more than those of short ones.
const BLOCK: usize = 1024;

/// The number of characters that begin in some bytes of a text.
fn count_characters(bytes: &[u8]) -> u32 {
    bytes.iter().filter(|byte| !matches!(byte, 0x80..=0xbf)).count() as u32
}

impl SourceEntry {
    fn new(file: SourceFile) -> Self {
        Self { path: file.path, text: file.text, origin: None, lines: OnceLock::new(), characters: OnceLock::new() }
    }

    /// The number of characters before a byte.
    fn characters_before(&self, byte: usize) -> u32 {
        let bytes = self.text.as_bytes();
        let counts = self.characters.get_or_init(|| {
            let sums = bytes.chunks(BLOCK).scan(0, |sum, block| {
                *sum += count_characters(block);
                Some(*sum)
            });
            std::iter::once(0).chain(sums).collect()
        });
        let byte = byte.min(bytes.len());
        let block = byte / BLOCK;
        counts.get(block).copied().unwrap_or(0) + count_characters(bytes.get(block * BLOCK..byte).unwrap_or(&[]))
    }

    fn lines(&self) -> &[usize] {
        self.lines.get_or_init(|| codespan_reporting::files::line_starts(&self.text).collect())
    }
}

/// A line and column. The column counts characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineColumn {
    /// From 1.
    pub line: u32,
    /// From 1.
    pub column: u32,
}

impl LineColumn {
    /// The place behind a text that begins here.
    #[must_use]
    pub fn after(self, text: &str) -> Self {
        match text.rsplit_once('\n') {
            Some((lines, last)) => Self {
                line: self.line + 1 + lines.bytes().filter(|byte| *byte == b'\n').count() as u32,
                column: 1 + count_characters(last.as_bytes()),
            },
            None => Self { column: self.column + count_characters(text.as_bytes()), ..self },
        }
    }
}

impl Sources {
    /// Creates the table.
    #[must_use]
    pub fn new(files: Vec<SourceFile>) -> Self {
        Self { files: files.into_iter().map(SourceEntry::new).collect(), whole_files: Vec::new() }
    }

    /// Replaces the file of this number, or adds a file at the end.
    pub fn set(&mut self, number: u32, file: SourceFile) {
        match self.files.get_mut(number as usize) {
            Some(entry) => *entry = SourceEntry::new(file),
            None => self.files.push(SourceEntry::new(file)),
        }
    }

    /// Sets the files that the entries are parts of, and the place of each entry, by number.
    pub fn set_origins(&mut self, files: Vec<String>, origins: &[(u32, Origin)]) {
        self.whole_files = files;
        for (number, origin) in origins {
            if let Some(entry) = self.files.get_mut(*number as usize) {
                entry.origin = Some(*origin);
            }
        }
    }

    /// The paths of all files, for the tables of the compiled game.
    #[must_use]
    pub fn file_paths(&self) -> Vec<String> {
        if self.whole_files.is_empty() {
            self.files.iter().map(|entry| entry.path.clone()).collect()
        } else {
            self.whole_files.clone()
        }
    }

    /// The number of files.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// Whether there is no file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// The path of a file.
    #[must_use]
    pub fn path(&self, file: u32) -> &str {
        self.files.get(file as usize).map_or("", |entry| &entry.path)
    }

    /// The text of a file.
    #[must_use]
    pub fn text(&self, file: u32) -> &str {
        self.files.get(file as usize).map_or("", |entry| &entry.text)
    }

    /// The text of a span.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        self.text(span.file).get(span.start as usize..span.end as usize).unwrap_or("")
    }

    /// The line and column of a byte offset; 1 and 1 for an unknown file.
    #[must_use]
    pub fn place(&self, file: u32, byte: u32) -> LineColumn {
        let Some(entry) = self.files.get(file as usize) else { return LineColumn { line: 1, column: 1 } };
        let byte = byte as usize;
        let line = entry.lines().partition_point(|start| *start <= byte).saturating_sub(1);
        let start = entry.lines().get(line).copied().unwrap_or(0);
        let column = entry.characters_before(byte).saturating_sub(entry.characters_before(start)) + 1;
        LineColumn { line: line as u32 + 1, column }
    }

    /// The start of a span as a source position of the IR: in its file, also if the entry is a part of one.
    #[must_use]
    pub fn source(&self, span: Span) -> Source {
        let place = self.place(span.file, span.start);
        match self.files.get(span.file as usize).and_then(|entry| entry.origin) {
            Some(origin) => {
                let column = if place.line == 1 { origin.place.column + place.column - 1 } else { place.column };
                Source { file: origin.file, line: origin.place.line + place.line - 1, column }
            }
            None => Source { file: span.file, line: place.line, column: place.column },
        }
    }
}

impl<'a> Files<'a> for Sources {
    type FileId = u32;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, id: u32) -> Result<&'a str, Error> {
        self.files.get(id as usize).map(|entry| entry.path.as_str()).ok_or(Error::FileMissing)
    }

    fn source(&'a self, id: u32) -> Result<&'a str, Error> {
        self.files.get(id as usize).map(|entry| entry.text.as_str()).ok_or(Error::FileMissing)
    }

    fn line_index(&'a self, id: u32, byte: usize) -> Result<usize, Error> {
        let entry = self.files.get(id as usize).ok_or(Error::FileMissing)?;
        Ok(entry.lines().partition_point(|start| *start <= byte).saturating_sub(1))
    }

    fn line_range(&'a self, id: u32, line: usize) -> Result<Range<usize>, Error> {
        let entry = self.files.get(id as usize).ok_or(Error::FileMissing)?;
        let start = entry.lines().get(line).copied().ok_or(Error::LineTooLarge { given: line, max: entry.lines().len() })?;
        let end = entry.lines().get(line + 1).copied().unwrap_or(entry.text.len());
        Ok(start..end)
    }
}
