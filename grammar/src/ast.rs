//! The abstract syntax tree (AST): the items of a file with spans, before name resolution.
//!
//! The tree contains no names of a game and no verbs. A verb call is a [`Call`], a reference to any entity is a [`Phrase`]; the
//! compiler resolves their words. All editions of the language have this one tree, in the forms of the newest edition.

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
    /// The file, as numbered by the caller that loads the files.
    pub file: u32,
    /// First byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that contains both spans. They belong to the same file.
    #[must_use]
    pub fn to(self, other: Self) -> Self {
        Self { file: self.file, start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

/// A word or quoted name with its span.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The text without quotes.
    pub text: SmolStr,
    /// Its bytes, quotes included.
    pub span: Span,
}

impl Name {
    /// Whether the source has quotes around it.
    #[must_use]
    pub fn is_quoted(&self) -> bool {
        (self.span.end - self.span.start) as usize > self.text.len()
    }
}

/// A dotted path such as `turn.combat.damage` or `keyword.ninja`. Scenario paths such as `A's turn.main` store the player separately.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    /// At least one part.
    pub parts: Vec<Name>,
    /// The whole path.
    pub span: Span,
}
