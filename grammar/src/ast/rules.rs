//! The rules of a game around its cards: announcing, the turn, deck and match rules.

use super::{Block, Expr, Name, Span, Statement};

/// What is announced, what fizzles.
#[derive(Clone, Debug, PartialEq)]
pub struct AnnouncePolicy {
    /// `announce like FORMAT`
    pub like: Option<Name>,
    /// `stages a, b, c`
    pub stages: Vec<Name>,
    /// `lift …` lines.
    pub announced: Vec<AnnouncedChoices>,
    /// `none allowed|refused`
    pub without_choices: Option<Name>,
    /// `fizzle paragraph|whole`
    pub fizzle: Option<Name>,
    /// Where.
    pub span: Span,
}

/// `lift targets`, `lift choices mandatory by controller in first sentence public, except destroy of own`
#[derive(Clone, Debug, PartialEq)]
pub struct AnnouncedChoices {
    /// `targets` or `choices` and all further words up to `, except`.
    pub words: Vec<Name>,
    /// `except ACTION of own`: the actions.
    pub except: Vec<Name>,
    /// Where.
    pub span: Span,
}

/// An entry of a turn, phase or step.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnEntry {
    /// `phase NAME when COND { … }` or `step …`
    Span(PeriodDecl),
    /// `repeat while COND { … }` around spans.
    Repeat {
        /// Checked when the children are through.
        condition: Expr,
        /// What is repeated.
        entries: Vec<TurnEntry>,
        /// Where.
        span: Span,
    },
    /// A statement of the enclosing span.
    Statement(Statement),
    /// `at end of each step { … }` / `at start of each phase { … }`
    Each {
        /// `start` (else `end`).
        start: bool,
        /// `step`, `phase` or `turn`.
        what: Name,
        /// What is done.
        body: Block,
    },
}

/// A phase or step.
#[derive(Clone, Debug, PartialEq)]
pub struct PeriodDecl {
    /// `phase` (else `step`).
    pub phase: bool,
    /// Its name.
    pub name: Name,
    /// `when COND`: skipped otherwise.
    pub condition: Option<Box<Expr>>,
    /// Statements and children.
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
        /// At least.
        min: u32,
        /// At most.
        max: u32,
    },
    /// `copies 4`, `copies 4 except SELECTION`, `copies 1 of SELECTION`
    Copies {
        /// At most so many of one card.
        most: u32,
        /// The only cards to which it applies, instead of the number for all others.
        of: Option<Expr>,
        /// Cards to which it does not apply.
        except: Option<Expr>,
    },
    /// `refuse card with COND "message"`, `… in main, side`
    Refuse {
        /// Which cards.
        cards: Expr,
        /// Why.
        message: Name,
        /// In these sections only; empty: in all.
        sections: Vec<Name>,
    },
}

/// `match { … }`: several games between the same players.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MatchRules {
    /// `best of 3`
    pub best_of: Option<(u32, Span)>,
    /// `exchange main, side`: the sections between which cards are exchanged between two games.
    pub exchange: Vec<Name>,
    /// `minutes 2 to 3`: the time allowed for that.
    pub minutes: Option<(u32, u32, Span)>,
    /// `aids paper, pen`: what may be used at the table.
    pub aids: Vec<Name>,
    /// What is said a second time.
    pub repeated: Vec<Span>,
    /// The whole of it.
    pub span: Span,
}
