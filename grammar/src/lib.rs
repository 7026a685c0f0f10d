//! From text to tree.
pub mod error;
pub mod items;
mod lines;
mod parser;
pub mod tokens;
pub mod tree;
