//! What the program that runs the server allows and adds ([`Host`]): reading and writing files, and the requests `fizzle/…`.

use fizzle_compiler::SourceFile;
use serde_json::Value;
use std::path::Path;
use std::sync::Arc;

/// What the server may do with files, and which further requests it answers. The default is nothing: all sources come in messages.
#[derive(Clone, Debug, Default)]
pub struct Host {
    /// Whether it reads the sources of open folders, and of the packs that open documents belong to.
    pub reads_files: bool,
    /// Writes a copy of an embedded file, and creates the folders above it; returns whether it is written. `None`: editors cannot open
    /// embedded files.
    pub write_copy: Option<fn(&Path, &[u8]) -> bool>,
    /// Answers the requests `fizzle/…`, which are about compiled sources.
    pub pack_requests: Option<Arc<dyn PackRequests>>,
}

/// Answers requests about the sources of a session, as they are in the editor.
pub trait PackRequests: Send + Sync + std::fmt::Debug {
    /// The methods that it answers, such as `fizzle/preview`.
    fn methods(&self) -> &[&'static str];

    /// Answers a request. It runs on a separate thread, while the server answers other requests.
    ///
    /// # Errors
    /// In words: why there is no answer.
    fn answer(&self, request: PackRequest) -> Result<Value, String>;
}

/// A request about the sources of a session.
#[derive(Clone, Debug)]
pub struct PackRequest {
    /// The method.
    pub method: String,
    /// The parameters.
    pub params: Value,
    /// The path of the document in `params.textDocument`, as the compiler knows it; empty if there is none.
    pub path: String,
    /// The line of `params.position`, from 1; 0 if there is none.
    pub line: u32,
    /// All sources.
    pub files: Vec<SourceFile>,
}
