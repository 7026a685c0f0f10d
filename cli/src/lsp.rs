//! The language server, `fizzle lsp`: implements the Language Server Protocol over stdin and stdout. Each capability has its own file.

mod code_actions;
mod code_lens;
mod completion;
mod definition;
mod diagnostics;
mod document_symbols;
mod documents;
mod formatting;
mod hover;
pub mod name_index;
mod position;
mod references;
mod rename;
pub mod resolve;
mod semantic_tokens;
mod server;
mod server_state;
mod shipped_copies;
mod transport;
mod uri;
mod workspace;
mod workspace_symbols;

pub use server::{SessionEnd, serve};
