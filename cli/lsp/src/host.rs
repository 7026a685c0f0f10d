//! What the server may do in addition to its messages: the program that runs it decides.

use std::path::Path;

/// What the server may do with files. The default is nothing: all sources come in messages.
#[derive(Clone, Copy, Debug, Default)]
pub struct Host {
    /// Whether it reads the sources of open folders, and of the packs that open documents belong to.
    pub reads_files: bool,
    /// Writes a copy of an embedded file, and creates the folders above it; returns whether it is written. `None`: editors cannot open
    /// embedded files.
    pub write_copy: Option<fn(&Path, &[u8]) -> bool>,
}
