//! One file per command: its arguments, and what it does.

pub mod bench;
pub mod build;
pub mod check;
pub mod deck;
pub mod explain;
pub mod fmt;
pub mod jit_option;
pub mod lsp;
pub mod merge;
pub mod new;
pub mod play;
pub mod replay;
pub mod sheet;
pub mod sim;
pub mod test;
