//! Syntax tree of a fact: a printed word with its values.

use super::expr::Expr;
use crate::span::{Name, Span};

/// The words of the two facts that `2/2` stands for, and of the two changes of `+1/+1`, until the compiler replaces them by the
/// properties that the game declares as a pair. No name has blanks.
pub const PAIR_PARTS: [&str; 2] = ["first of pair", "second of pair"];

/// The place in the pair of a word of [`PAIR_PARTS`].
#[must_use]
pub fn pair_part(word: &Name) -> Option<usize> {
    PAIR_PARTS.iter().position(|part| *part == word.text)
}

/// The word of the fact that a price alone stands for, until the compiler replaces it by the property that the game declares. No name has
/// blanks.
pub const UNLABELLED_PRICE: &str = "unlabelled price";

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
