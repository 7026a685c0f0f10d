//! The syntax tree: what was written, with spans, before any name means anything.
//!
//! The tree knows no game and no verb. A verb call is [`Call`], a reference to anything is [`Phrase`]; the compiler finds out what
//! the words stand for.

mod ability;
mod card;
mod expr;
mod item;
mod rules;
mod scenario;
mod statement;

pub use ability::{
    Ability, AbilityKind, ClauseKind, DeclarationClause, DeclareStatement, Payment, PaymentClause, Play, UseLimit,
};
pub use card::{Card, Deck, DeckSection, Difference, DifferenceKind, Face, Fact};
pub use expr::{Aggregate, BinaryOp, Division, Expr, ExprKind, Head, Phrase, PhraseFilter, PhraseFilterKind, Quantifier};
pub use item::{
    Action, Item, ItemKind, Pack, Param, PrintRule, TextEntry, TextItem, TextPattern, TypeRef, Variable, VariableKind,
};
pub use rules::{AnnouncePolicy, AnnouncedChoices, DeckRule, MatchRules, PeriodDecl, TurnEntry};
pub use scenario::{
    Answer, DeckExpr, MatchHeader, MatchStep, PositionEntry, PositionPlayer, Scenario, ScenarioStep, ScenarioStepKind,
};
pub use statement::{
    AssignOp, Block, Call, Duration, DurationPoint, Link, Modification, ModificationKind, Moment, Pattern, Statement,
    StatementKind, Subject, WindowSetting,
};

use smol_str::SmolStr;

/// A range of bytes of one source file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// The file, as numbered by whoever reads files.
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that holds both (of the same file).
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A word or quoted name with its place. Quotes are removed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The text without quotes.
    pub text: SmolStr,
    /// Where it stands, quotes included.
    pub span: Span,
}

impl Name {
    /// Whether it is written in quotes.
    #[must_use]
    pub fn is_quoted(&self) -> bool {
        (self.span.end - self.span.start) as usize > self.text.len()
    }
}

/// A dotted path such as `turn.combat.damage` or `keyword.ninja`; possessive scenario paths have their player apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// At least one part.
    pub parts: Vec<Name>,
    /// The whole path.
    pub span: Span,
}
