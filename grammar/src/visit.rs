//! Visitor over the names of a syntax tree: reports every name with its role, and the scopes of local names.
//!
//! Editors use it to find, rename and colour names; lints use it to find uses. Names are not resolved here.

mod expr;
mod items;
pub mod mutate;
mod scenario;
mod statement;

use crate::ast::{Expr, Item, Name, Path};

/// The kind of a declaration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each variant is named after its item")]
pub enum DeclKind {
    Pack,
    Format,
    Traits,
    TraitWord,
    Property,
    Status,
    Player,
    Global,
    Constant,
    Layer,
    Zone,
    Noun,
    Function,
    Action,
    Keyword,
    Rule,
    StateRule,
    Play,
    Payment,
    Period,
    Card,
    Deck,
    Scenario,
    Stage,
    Position,
}

/// The role of a name at its position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameRole {
    /// The name is declared here, for the whole game.
    Declares(DeclKind),
    /// The name is declared here and replaces the declaration of the base of a format.
    Replaces(DeclKind),
    /// The name is bound here, until its scope ends.
    Binds,
    /// A parameter of the enclosing declaration.
    Parameter,
    /// A word of an expression, or the word after a possessor.
    Word,
    /// A function, keyword or variable with arguments in parentheses.
    Called,
    /// A quoted name in an expression: a card, or a word of an open trait set.
    Quoted,
    /// The word of an action or play.
    Verb,
    /// A reference to a declaration of this kind.
    RefersTo(DeclKind),
    /// A printed word of a card: a trait word, property, trait set or keyword.
    Fact,
    /// A property, trait set, word or keyword that a modification changes.
    Changed,
    /// A type.
    Type,
    /// A player of a scenario.
    Seat,
    /// A word of a setting, or a preposition.
    Setting,
}

/// Receives the names and scopes of a tree, in source order as far as scopes allow.
pub trait Visitor {
    /// A name.
    fn name(&mut self, role: NameRole, name: &Name);
    /// A dotted path: a phase or step, or a part of a format.
    fn path(&mut self, path: &Path);
    /// A phase or step is declared around what follows, until [`Visitor::leave`].
    fn period(&mut self, name: &Name);
    /// A scope of local names begins.
    fn enter(&mut self);
    /// The parameters of the event of this verb can be used as names until the scope ends.
    fn event(&mut self, verb: &Name);
    /// The innermost scope ends.
    fn leave(&mut self);
}

/// Visits an expression.
pub fn expression(node: &Expr, visitor: &mut impl Visitor) {
    expr::expr(node, visitor);
}

/// Visits an item.
pub fn item(item: &Item, visitor: &mut impl Visitor) {
    items::item(item, false, visitor);
}

fn names<'n>(role: NameRole, names: impl IntoIterator<Item = &'n Name>, visitor: &mut impl Visitor) {
    for name in names {
        visitor.name(role, name);
    }
}
