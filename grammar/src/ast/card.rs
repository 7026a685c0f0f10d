//! Syntax tree of cards and decks.

use smol_str::SmolStr;

use super::ability::Ability;
use super::fact::Fact;
use crate::span::{Name, Span};

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
