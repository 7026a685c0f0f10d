//! The parser of one item or expression: from its text to its syntax tree.

use crate::ast::{Expr, Item};
use crate::ast_builder::AstBuilder;
use crate::edition::spellings::spellings;
use crate::error::SyntaxError;
use crate::parser::{ParseFailure, Rule, read};
use smol_str::SmolStr;
use std::collections::BTreeMap;

/// The reason why there is no item.
pub(crate) enum ItemError {
    /// The grammar refused it.
    Grammar(ParseFailure),
    /// The grammar accepted it, but the tree builder found an error.
    Builder(SyntaxError),
}

/// Parses one item. `lines` is its text with significant newlines only; `base` is its offset in the file.
pub(crate) fn read_item(file: u32, base: u32, lines: &str) -> Result<Item, ItemError> {
    read_item_with_names(file, base, lines, BTreeMap::new())
}

/// Parses one item, and reads the names that begin at some bytes of the file as others.
pub(crate) fn read_item_with_names(file: u32, base: u32, lines: &str, names: BTreeMap<u32, SmolStr>) -> Result<Item, ItemError> {
    let nodes = read(Rule::one_item, lines).map_err(ItemError::Grammar)?;
    let builder = AstBuilder::new(file, base).with_other_names(names);
    match nodes.first() {
        Some(node) if node.as_rule() != Rule::EOI => {
            let mut item = builder.item(node).map_err(ItemError::Builder)?;
            item.spellings = spellings(node, file, base);
            // A list that has grown has room for more; those of a copy are exact, which halves what an item occupies.
            Ok(item.clone())
        }
        _ => Err(ItemError::Grammar(ParseFailure { at: 0, expected: Vec::new() })),
    }
}

/// Parses one expression.
pub(crate) fn read_expression(lines: &str) -> Result<Expr, ItemError> {
    let nodes = read(Rule::one_expression, lines).map_err(ItemError::Grammar)?;
    let builder = AstBuilder::new(0, 0);
    match nodes.first() {
        Some(node) => builder.expr(node).map_err(ItemError::Builder),
        None => Err(ItemError::Grammar(ParseFailure { at: 0, expected: Vec::new() })),
    }
}
