//! Open documents: their texts take precedence over the files on disk.

use super::text_buffer::TextBuffer;
use lsp_types::{TextDocumentContentChangeEvent, Uri};
use std::collections::BTreeMap;

/// An open document.
#[derive(Clone, Debug)]
pub struct OpenDocument {
    /// Its URI, as the editor spells it.
    pub uri: Uri,
    /// The version number that the editor assigned.
    pub version: i32,
    /// Its text.
    pub text: String,
}

impl OpenDocument {
    /// Applies changes in order; a change without a range replaces the whole text.
    pub fn apply_changes(&mut self, changes: Vec<TextDocumentContentChangeEvent>) {
        let mut buffer = TextBuffer::new(&self.text);
        for change in changes {
            match change.range {
                None => buffer = TextBuffer::new(&change.text),
                Some(range) => buffer.replace(range, &change.text),
            }
        }
        self.text = buffer.into_text();
    }
}

/// All open documents by path.
pub type Documents = BTreeMap<String, OpenDocument>;
