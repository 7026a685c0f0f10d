//! The commands of the program: one module per command, with its arguments and its `run` function. `main.rs` lists
//! them in its enum of commands.

pub mod bench;
pub mod build;
pub mod check;
pub mod completions;
pub mod deck;
pub mod explain;
pub mod fmt;
pub mod jit_option;
pub mod lsp;
pub mod man;
pub mod merge;
pub mod new;
pub mod play;
pub mod reference;
pub mod replay;
#[cfg(feature = "serve")]
pub mod serve;
pub mod sheet;
pub mod sim;
pub mod test;
