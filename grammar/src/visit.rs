//! Walks a tree and tells every name in it, with the role that it plays and the scope it stands in: what editors need to find, rename
//! and colour what is written. Nothing is resolved here.

mod expr;
mod items;
mod scenario;
mod statement;

use crate::ast::{Item, Name, Path};

/// What kind of thing a declaration declares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is its item")]
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
    Span,
    Card,
    Deck,
    Scenario,
}

/// What a name is doing where it stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameRole {
    /// It is declared here, for the whole game.
    Declares(DeclKind),
    /// It is declared again here, in the place of what the base of a format has.
    Replaces(DeclKind),
    /// It is bound here, until its scope ends.
    Binds,
    /// A parameter of what is declared around it.
    Parameter,
    /// A word of an expression, or the word after a possessor.
    Word,
    /// A function, keyword or variable with arguments in parentheses.
    Called,
    /// A quoted name in an expression: a card, or a word of an open trait set.
    Quoted,
    /// The word of an action or play.
    Verb,
    /// It means something of this kind.
    Of(DeclKind),
    /// A word on a card: a trait word, property, trait set or keyword.
    Fact,
    /// A changed property, trait set, word or keyword.
    Changed,
    /// A type.
    Type,
    /// A player of a scenario.
    Seat,
    /// A fixed word of the language.
    Setting,
}

/// Is told what stands in a tree, in the order of the tree.
pub trait Visitor {
    /// A name.
    fn name(&mut self, role: NameRole, name: &Name);
    /// A dotted path: a phase or step, or a part of a format.
    fn path(&mut self, path: &Path);
    /// A phase or step is declared around what follows, until [`Visitor::leave`].
    fn span(&mut self, name: &Name);
    /// A scope of local names begins.
    fn enter(&mut self);
    /// What an event of this verb brings along has its names until the scope ends.
    fn event(&mut self, verb: &Name);
    /// The innermost scope ends.
    fn leave(&mut self);
}

/// Walks an item.
pub fn item(item: &Item, visitor: &mut impl Visitor) {
    items::item(item, false, visitor);
}

fn names<'n>(role: NameRole, names: impl IntoIterator<Item = &'n Name>, visitor: &mut impl Visitor) {
    for name in names {
        visitor.name(role, name);
    }
}
