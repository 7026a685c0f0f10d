//! Syntax tree of cards, decks, and the differences of formats.

use smol_str::SmolStr;

use super::{Ability, Block, Expr, Item, Name, Path, PeriodDecl, Span, TurnEntry};

/// A card or token.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// `token`; else `card`.
    pub is_token: bool,
    /// Its name.
    pub name: Name,
    /// Printed facts and keywords, in source order.
    pub facts: Vec<Fact>,
    /// Its abilities, in source order.
    pub abilities: Vec<Ability>,
    /// Further faces, in source order.
    pub faces: Vec<Face>,
    /// Quoted names in the parts that could not be parsed; `None` if the whole card was parsed.
    pub unread: Option<Vec<SmolStr>>,
    /// From its name to its end.
    pub span: Span,
}

/// A further face of a card: `face NAME { … }`, `back NAME { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// `face`: while no single face is shown, the card has the facts of all its faces. `back`: only those of its front.
    pub joined: bool,
    /// Its name, facts and abilities.
    pub card: Card,
}

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

/// `deck "…" { format F  main { 4 "…" }  side { … } }`
#[derive(Clone, Debug, PartialEq)]
pub struct Deck {
    /// Its name.
    pub name: Name,
    /// `format NAME`
    pub format: Option<Name>,
    /// Sections by name.
    pub sections: Vec<DeckSection>,
}

/// `main { 4 "…" … }`
#[derive(Clone, Debug, PartialEq)]
pub struct DeckSection {
    /// `main`, `side`
    pub name: Name,
    /// Number of copies and name of each card.
    pub cards: Vec<(u32, Name)>,
}

/// One difference of a format.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The change.
    pub kind: DifferenceKind,
    /// The whole of it.
    pub span: Span,
}

/// The kinds of differences.
#[derive(Clone, Debug, PartialEq)]
pub enum DifferenceKind {
    /// `replace ITEM`
    Replace(Box<Item>),
    /// `replace step PATH { … }` (or `phase`)
    ReplacePeriod {
        /// The period that is replaced.
        path: Path,
        /// Its new entries.
        entries: Vec<TurnEntry>,
    },
    /// `remove PATH`
    Remove(Path),
    /// `before PATH step NAME …` or `after PATH …`
    Insert {
        /// `before`; else `after`.
        before: bool,
        /// The existing period next to which it is inserted.
        path: Path,
        /// The new period.
        period: PeriodDecl,
    },
    /// `append PATH { … }`
    Append {
        /// An action, step, phase or the setup.
        path: Path,
        /// Statements appended at its end.
        body: Block,
    },
    /// An added item.
    Add(Box<Item>),
    /// `ban CARD, …`
    Ban(Vec<Name>),
    /// `restrict CARD, …`
    Restrict(Vec<Name>),
    /// `errata CARD { … }`
    Errata(Card),
}
