//! Syntax tree of a fact: a printed word with its values.

use super::expr::Expr;
use crate::span::{Name, Span};

/// `fire`, `cost 3`, `cost {2}{U}`, `race "Dragon"`, `breaker(2)`
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// The word.
    pub word: Name,
    /// The value after the word: a number, a price, a truth value or a quoted name.
    pub value: Option<Box<Expr>>,
    /// Arguments in parentheses.
    pub args: Vec<Expr>,
    /// The whole of it.
    pub span: Span,
}
