//! Cards, decks, and the differences of formats.

use smol_str::SmolStr;

use super::{Ability, Block, Expr, Item, Name, Path, PeriodDecl, Span, TurnEntry};

/// A card or token.
#[derive(Clone, Debug, PartialEq)]
pub struct Card {
    /// `token` (else `card`).
    pub token: bool,
    /// Its name.
    pub name: Name,
    /// Printed facts and keywords, in the order written.
    pub facts: Vec<Fact>,
    /// Its abilities, in the order written.
    pub abilities: Vec<Ability>,
    /// Further faces, in order.
    pub faces: Vec<Face>,
    /// Quoted names in what could not be read of it. None: all of it could.
    pub unread: Option<Vec<SmolStr>>,
    /// From its name to its end.
    pub span: Span,
}

/// A further face of a card: `face NAME { … }`, `back NAME { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct Face {
    /// `face`: where no single face shows, the card has what all its faces have (`back`: only what its front has).
    pub joined: bool,
    /// What it prints.
    pub card: Card,
}

/// `fire`, `cost 3`, `cost {2}{U}`, `race "Dragon"`, `breaker(2)`
#[derive(Clone, Debug, PartialEq)]
pub struct Fact {
    /// The word.
    pub word: Name,
    /// A value after the word: number, price, quoted name.
    pub value: Option<Box<Expr>>,
    /// Arguments in parentheses.
    pub args: Vec<Expr>,
    /// Where.
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
    /// Count and card.
    pub cards: Vec<(u32, Name)>,
}

/// One difference of a format.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// What is done.
    pub kind: DifferenceKind,
    /// Where.
    pub span: Span,
}

/// The kinds of differences.
#[derive(Clone, Debug, PartialEq)]
pub enum DifferenceKind {
    /// `replace ITEM`
    Replace(Box<Item>),
    /// `replace step PATH { … }` (or `phase`)
    ReplaceSpan {
        /// Which.
        path: Path,
        /// Its new entries.
        entries: Vec<TurnEntry>,
    },
    /// `remove PATH`
    Remove(Path),
    /// `before PATH step NAME …` or `after PATH …`
    Insert {
        /// `before` (else `after`).
        before: bool,
        /// Next to which span.
        path: Path,
        /// The new span.
        span: PeriodDecl,
    },
    /// `append PATH { … }`
    Append {
        /// An action, step, phase or the setup.
        path: Path,
        /// Statements added at its end.
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
