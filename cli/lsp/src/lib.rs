//! The language server, `fizzle lsp`: implements the Language Server Protocol. Each capability has its own file.
//!
//! [`serve`] takes messages from a connection and sends messages to it; [`serve_stream`] frames them over two streams, [`serve_stdio`] over stdin
//! and stdout. What the server may do with files is the decision of the program ([`Host`]).

mod code_actions;
mod code_lens;
mod completion;
mod definition;
mod diagnostics;
pub mod docs;
mod document_symbols;
mod documents;
mod folding;
mod formatting;
mod host;
mod hover;
mod inlay_hints;
pub mod name_index;
mod pack_requests;
mod position;
mod references;
mod rename;
pub mod resolve;
mod semantic_tokens;
mod server;
mod server_state;
mod shipped_copies;
mod signature_help;
mod text_buffer;
mod transport;
mod uri;
mod workspace;
mod workspace_symbols;

pub use host::{Host, PackRequest, PackRequests};
pub use server::{SessionEnd, serve, serve_bytes, serve_stdio, serve_stream};
pub use transport::serialize_message;
