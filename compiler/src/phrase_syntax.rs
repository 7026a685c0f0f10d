//! Helpers on the syntax of phrases that need no names: bare words, heads with their `of`, conditions.

use fizzle_grammar::ast::{Ability, AbilityKind, BinaryOp, Expr, ExprKind, Head, Name, Pattern, Phrase, Span, TotalTest};

/// A head together with the `of` that belongs to its word: `hand of owner of it`.
#[derive(Clone, Debug)]
pub struct Atom<'a> {
    /// The head.
    pub head: AtomHead<'a>,
    /// What follows its `of`.
    pub of: Option<Box<Atom<'a>>>,
}

/// The head of an atom.
#[derive(Clone, Copy, Debug)]
pub enum AtomHead<'a> {
    /// An expression.
    Expr(&'a Expr),
    /// A word that was the head of the phrase itself.
    Word(&'a Name),
}

impl<'a> Atom<'a> {
    /// Returns the atom of an expression without `of`.
    #[must_use]
    pub fn of_expr(expr: &'a Expr) -> Self {
        Self { head: AtomHead::Expr(expr), of: None }
    }

    /// Returns the atom of a word without `of`.
    #[must_use]
    pub fn of_word(name: &'a Name) -> Self {
        Self { head: AtomHead::Word(name), of: None }
    }

    /// Returns the word of the head, if the head is a bare word.
    #[must_use]
    pub fn word(&self) -> Option<&'a Name> {
        match self.head {
            AtomHead::Expr(expr) => bare_word(expr),
            AtomHead::Word(name) => Some(name),
        }
    }

    /// Returns its span, `of` included.
    #[must_use]
    pub fn span(&self) -> Span {
        let head = match self.head {
            AtomHead::Expr(expr) => expr.span,
            AtomHead::Word(name) => name.span,
        };
        self.of.as_ref().map_or(head, |of| head.to(of.span()))
    }

    /// Whether it is `you`.
    #[must_use]
    pub fn is_you(&self) -> bool {
        self.of.is_none() && self.word().is_some_and(|word| word.text == "you")
    }
}

/// A condition that follows the head of a phrase.
#[derive(Clone, Debug)]
pub enum PhraseCondition<'a> {
    /// `of ATOM`
    Of(Atom<'a>),
    /// `in ATOM`, `from ATOM`
    In(Atom<'a>),
    /// `with COND`, `that (COND)`
    Holds(&'a Expr),
    /// `without WORD`
    Without(&'a Name),
    /// `that is X`
    Is(&'a Expr, bool),
    /// `that has WORD`
    Has(&'a Name),
    /// `with total PROPERTY == N`
    Total(&'a TotalTest, Span),
}

/// Returns the phrase, if the expression is a phrase.
pub fn as_phrase(expr: &Expr) -> Option<&Phrase> {
    match &expr.kind {
        ExprKind::Phrase(phrase) => Some(phrase),
        _ => None,
    }
}

/// Returns the operands that an expression joins by `or`; the expression itself if it joins none.
pub fn alternatives(expr: &Expr) -> Vec<&Expr> {
    match &expr.kind {
        ExprKind::Binary { op: BinaryOp::Or, left, right } => {
            let mut parts = alternatives(left);
            parts.extend(alternatives(right));
            parts
        }
        _ => vec![expr],
    }
}

/// Returns the word of an expression that is a bare word: no quantifier, no `other`, no filters.
pub fn bare_word(expr: &Expr) -> Option<&Name> {
    let phrase = as_phrase(expr)?;
    match &phrase.head {
        Head::Word(name) if phrase.quantifier.is_none() && !phrase.other && phrase.filters.is_empty() => Some(name),
        _ => None,
    }
}

/// Whether an expression is this bare word.
pub fn is_word(expr: &Expr, word: &str) -> bool {
    bare_word(expr).is_some_and(|name| name.text == word)
}

/// The event that a triggered ability waits for.
#[must_use]
pub fn awaited_event(ability: &Ability) -> Option<&Pattern> {
    match &ability.kind {
        AbilityKind::When { pattern, .. } => Some(pattern),
        _ => None,
    }
}
