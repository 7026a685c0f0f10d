//! Excerpts of lines that cannot be printed as they are: long lines are cut around the reported text, and hidden characters are escaped. The
//! excerpt keeps the line numbers and columns of the source.

use crate::sources::Sources;
use codespan_reporting::files::{Error, Files};
use fizzle_grammar::ast::Span;
use fizzle_grammar::hidden_characters::{escape_hidden, hidden_characters};
use std::collections::BTreeMap;
use std::ops::Range;

/// A longer line is cut, in bytes.
const MAX_LINE_BYTES: usize = 500;

/// How much of a line is shown before the reported text, in bytes.
const BYTES_BEFORE: usize = 60;

/// How much of a line is shown from the start of the reported text on, in bytes.
const BYTES_FROM: usize = 180;

/// The most bytes of reported text whose lines are shown as they are.
const MAX_SPAN_BYTES: usize = 64 << 10;

/// Marks where a line is cut.
const CUT: &str = "…";

/// Whether all lines of a span can be printed as they are.
pub fn is_printable(sources: &Sources, span: Span) -> bool {
    let text = sources.text(span.file);
    let range = lines_of(sources, span);
    if range.len() > MAX_SPAN_BYTES || !is_visible(sources.path(span.file)) {
        return false;
    }
    text.get(range).unwrap_or("").lines().all(|line| line.len() <= MAX_LINE_BYTES && is_visible(line))
}

fn is_visible(line: &str) -> bool {
    hidden_characters(line).all(|(_, character)| character == '\t')
}

/// The bytes of the lines that a span touches.
fn lines_of(sources: &Sources, span: Span) -> Range<usize> {
    let line = |byte: u32| {
        let number = sources.line_index(span.file, byte as usize).unwrap_or(0);
        sources.line_range(span.file, number).unwrap_or(0..0)
    };
    line(span.start).start..line(span.end.max(span.start)).end
}

/// The lines at the starts of some spans, cut and escaped. A label that begins outside of what is shown of its line is moved to the cut.
#[derive(Debug)]
pub struct Excerpts<'s> {
    sources: &'s Sources,
    files: BTreeMap<u32, ExcerptFile>,
}

#[derive(Debug, Default)]
struct ExcerptFile {
    path: String,
    text: String,
    lines: Vec<ExcerptLine>,
}

#[derive(Debug)]
struct ExcerptLine {
    /// The index of the line in the source, from 0.
    index: usize,
    /// Where the line starts in the text of the excerpt.
    start: usize,
    /// Offsets of the shown characters, in order: in the source, and in the text of the excerpt. The last ones are those of the end.
    offsets: Vec<(usize, usize)>,
}

impl<'s> Excerpts<'s> {
    /// The excerpts for some spans. Of two spans in one line, the first decides what is shown of it.
    pub fn new(sources: &'s Sources, spans: impl IntoIterator<Item = Span>) -> Self {
        let mut shown: BTreeMap<(u32, usize), Range<usize>> = BTreeMap::new();
        for span in spans {
            let start = span.start as usize;
            let index = sources.line_index(span.file, start).unwrap_or(0);
            let line = sources.line_range(span.file, index).unwrap_or(0..0);
            let text = sources.text(span.file);
            shown.entry((span.file, index)).or_insert_with(|| {
                let content = text.get(line.clone()).unwrap_or("").trim_end_matches(['\n', '\r']).len();
                let line = line.start..line.start + content;
                if line.len() <= MAX_LINE_BYTES {
                    return line;
                }
                let from = text.floor_char_boundary(start.saturating_sub(BYTES_BEFORE).max(line.start).min(line.end));
                let to = text.ceil_char_boundary((start + BYTES_FROM).min(line.end));
                from..to
            });
        }
        let mut files: BTreeMap<u32, ExcerptFile> = BTreeMap::new();
        for ((number, index), range) in shown {
            let file = files.entry(number).or_default();
            file.path = escape_hidden(sources.path(number)).into_owned();
            let line = sources.line_range(number, index).unwrap_or(0..0);
            file.add_line(index, sources.text(number), &line, range);
        }
        Self { sources, files }
    }

    /// The bytes of the text of the excerpt that show a span, up to the end of its first line.
    pub fn range(&self, span: Span) -> Range<usize> {
        let index = self.sources.line_index(span.file, span.start as usize).unwrap_or(0);
        let line = self.files.get(&span.file).and_then(|file| file.lines.iter().find(|line| line.index == index));
        let Some(line) = line else { return 0..0 };
        let start = line.shown(span.start as usize);
        start..line.shown(span.end as usize).max(start)
    }

    fn file(&self, id: u32) -> Result<&ExcerptFile, Error> {
        self.files.get(&id).ok_or(Error::FileMissing)
    }
}

impl ExcerptFile {
    fn add_line(&mut self, index: usize, source: &str, line: &Range<usize>, shown: Range<usize>) {
        let start = self.text.len();
        let text = source.get(shown.clone()).unwrap_or("");
        if shown.start > line.start {
            self.text.push_str(CUT);
        }
        let mut hidden = hidden_characters(text).filter(|(_, character)| *character != '\t').peekable();
        let mut offsets = Vec::with_capacity(text.len() + 1);
        for (at, character) in text.char_indices() {
            offsets.push((shown.start + at, self.text.len()));
            if hidden.next_if(|(hidden, _)| *hidden == at).is_some() {
                self.text.extend(character.escape_unicode());
            } else {
                self.text.push(character);
            }
        }
        offsets.push((shown.end, self.text.len()));
        if source.get(shown.end..line.end).is_some_and(|rest| !rest.trim_end_matches(['\n', '\r']).is_empty()) {
            self.text.push_str(CUT);
        }
        self.text.push('\n');
        self.lines.push(ExcerptLine { index, start, offsets });
    }

    fn line_at(&self, byte: usize) -> usize {
        self.lines.partition_point(|line| line.start <= byte).saturating_sub(1)
    }
}

impl ExcerptLine {
    /// The offset in the excerpt of a byte of the source: that of the nearest shown character.
    fn shown(&self, byte: usize) -> usize {
        let index = self.offsets.partition_point(|(source, _)| *source < byte);
        self.offsets.get(index).or(self.offsets.last()).map_or(self.start, |(_, shown)| *shown)
    }

    /// The byte of the source that is shown at an offset of the excerpt.
    fn source(&self, byte: usize) -> usize {
        let index = self.offsets.partition_point(|(_, shown)| *shown < byte);
        self.offsets.get(index).or(self.offsets.last()).map_or(0, |(source, _)| *source)
    }
}

impl<'a> Files<'a> for Excerpts<'_> {
    type FileId = u32;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, id: u32) -> Result<&'a str, Error> {
        Ok(&self.file(id)?.path)
    }

    fn source(&'a self, id: u32) -> Result<&'a str, Error> {
        Ok(&self.file(id)?.text)
    }

    fn line_index(&'a self, id: u32, byte: usize) -> Result<usize, Error> {
        Ok(self.file(id)?.line_at(byte))
    }

    fn line_number(&'a self, id: u32, line: usize) -> Result<usize, Error> {
        let lines = &self.file(id)?.lines;
        lines.get(line).map(|line| line.index + 1).ok_or(Error::LineTooLarge { given: line, max: lines.len() })
    }

    fn column_number(&'a self, id: u32, line: usize, byte: usize) -> Result<usize, Error> {
        let lines = &self.file(id)?.lines;
        let line = lines.get(line).ok_or(Error::LineTooLarge { given: line, max: lines.len() })?;
        Ok(self.sources.place(id, line.source(byte) as u32).column as usize)
    }

    fn line_range(&'a self, id: u32, line: usize) -> Result<Range<usize>, Error> {
        let file = self.file(id)?;
        let start = file.lines.get(line).ok_or(Error::LineTooLarge { given: line, max: file.lines.len() })?.start;
        Ok(start..file.lines.get(line + 1).map_or(file.text.len(), |next| next.start))
    }
}
