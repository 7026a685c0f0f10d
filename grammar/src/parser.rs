//! The pest grammar.
#[derive(pest_derive::Parser)]
#[grammar = "fizzle.pest"]
pub(crate) struct Grammar;
