//! The language server, `fizzle lsp`: speaks the Language Server Protocol over stdin and stdout. One capability, one file.

mod code_actions;
mod code_lens;
mod completion;
mod definition;
mod diagnostics;
mod document_symbols;
mod documents;
mod formatting;
mod hover;
pub mod index;
mod mirror;
mod position;
mod references;
mod rename;
pub mod resolve;
mod semantic_tokens;
mod server;
mod transport;
mod uri;
mod workspace;
mod workspace_symbols;
mod world;

pub use server::serve;
