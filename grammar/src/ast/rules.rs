//! Syntax tree of announcement policies, turns, deck rules and match rules.

use super::expr::Expr;
use super::statement::{Block, Statement};
use crate::span::{Name, Span};

/// An announcement policy: which choices are made on announcement, and what fizzles.
#[derive(Clone, Debug, PartialEq)]
pub struct AnnouncePolicy {
    /// `announce like FORMAT`
    pub like: Option<Name>,
    /// `stages a, b, c`
    pub stages: Vec<Name>,
    /// `announce targets`, `announce choices …` lines.
    pub announced: Vec<AnnouncedChoices>,
    /// `without choices allowed`, `without choices refused`
    pub without_choices: Option<Name>,
    /// `needs ACTION, …`: what the text of an object must be able to do.
    pub needs: Vec<Name>,
    /// `fizzle paragraph|whole`, and `prohibitions once|again` behind a comma: all words.
    pub fizzle: Vec<Name>,
    /// The whole of it.
    pub span: Span,
}

/// `announce targets`, `announce choices mandatory by controller in first sentence public, except destroy of own`
#[derive(Clone, Debug, PartialEq)]
pub struct AnnouncedChoices {
    /// `targets` or `choices`, and all words up to `, except`.
    pub words: Vec<Name>,
    /// `except ACTION of own`: the actions.
    pub except: Vec<Name>,
    /// The whole of it.
    pub span: Span,
}

/// An entry of a turn, phase or step.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnEntry {
    /// `phase NAME when COND { … }` or `step …`
    Period(PeriodDecl),
    /// `repeat while COND { … }` around periods.
    Repeat {
        /// Checked after the entries are done; they are repeated while it holds.
        condition: Expr,
        /// The repeated entries.
        entries: Vec<TurnEntry>,
        /// The whole of it.
        span: Span,
    },
    /// A statement of the enclosing period.
    Statement(Statement),
    /// `at end of each step { … }` / `at start of each phase { … }`
    Each {
        /// `start`; else `end`.
        start: bool,
        /// `step`, `phase` or `turn`.
        what: Name,
        /// The statements.
        body: Block,
    },
}

/// A phase or step.
#[derive(Clone, Debug, PartialEq)]
pub struct PeriodDecl {
    /// `phase`; else `step`.
    pub is_phase: bool,
    /// Its name.
    pub name: Name,
    /// `when COND`: the period is skipped unless it holds.
    pub condition: Option<Box<Expr>>,
    /// Statements and nested periods.
    pub entries: Vec<TurnEntry>,
    /// The whole of it.
    pub span: Span,
}

/// One line of `deck rules`.
#[derive(Clone, Debug, PartialEq)]
pub enum DeckRule {
    /// `main 40`, `side 0 to 12`
    Size {
        /// `main`, `side`
        section: Name,
        /// The least number of cards.
        min: u32,
        /// The greatest number of cards.
        max: u32,
    },
    /// `copies 4`, `copies 4 except SELECTION`, `copies 1 of SELECTION`
    Copies {
        /// The greatest number of copies of one card.
        max: u32,
        /// The cards with this limit, in place of the general one. `None`: it is the general limit.
        of: Option<Expr>,
        /// Cards without this limit.
        except: Option<Expr>,
    },
    /// `refuse card with COND "message"`, `… in main, side`
    Refuse {
        /// The refused cards.
        cards: Expr,
        /// The reason, for messages.
        message: Name,
        /// The sections that the rule covers; all sections if empty.
        sections: Vec<Name>,
    },
}

/// `match { … }`: several games between the same players.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchRules {
    /// `best of 3`
    pub best_of: Option<(u32, Span)>,
    /// `exchange main, side`: the sections that exchange cards between two games.
    pub exchange: Vec<Name>,
    /// `minutes 2 to 3`: the time allowed for the exchange.
    pub minutes: Option<(u32, u32, Span)>,
    /// `aids paper, pen`: the aids that players may use.
    pub aids: Vec<Name>,
    /// Lines that repeat an earlier one.
    pub repeated: Vec<Span>,
    /// The whole of it.
    pub span: Span,
}
