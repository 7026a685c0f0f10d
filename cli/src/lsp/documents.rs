//! What the editor has open: texts that count instead of those on disk.

use super::position::Lines;
use lsp_types::{TextDocumentContentChangeEvent, Uri};
use std::collections::BTreeMap;

/// An open document.
#[derive(Clone, Debug)]
pub struct OpenDocument {
    /// As the editor names it.
    pub uri: Uri,
    /// As the editor counts it.
    pub version: i32,
    /// Its text.
    pub text: String,
}

impl OpenDocument {
    /// Takes over changes, in order.
    pub fn change(&mut self, changes: Vec<TextDocumentContentChangeEvent>) {
        for change in changes {
            match change.range {
                None => self.text = change.text,
                Some(range) => {
                    let bytes = Lines::of(&self.text).bytes(&self.text, range);
                    self.text.replace_range(bytes.start as usize..bytes.end as usize, &change.text);
                }
            }
        }
    }
}

/// All open documents by path.
pub type Documents = BTreeMap<String, OpenDocument>;
