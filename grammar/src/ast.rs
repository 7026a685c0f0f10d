//! The abstract syntax tree (AST): the items of a file with spans, before name resolution.
//!
//! The tree contains no names of a game and no verbs. A verb call is a [`Call`], a reference to any entity is a [`Phrase`]; the
//! compiler resolves their words. All editions of the language have this one tree, in the forms of the newest edition.

mod ability;
mod card;
mod expr;
mod fact;
mod item;
mod layout;
mod param;
mod rules;
mod scenario;
mod statement;

pub use crate::span::{Name, Path, Span};
pub use ability::{
    Ability, AbilityKind, ClauseKind, CostPart, CostedAbility, DeclarationClause, DeclareStatement, KeywordArgument,
    KeywordBlock, Payment, PaymentClause, Play, RestrictedPool, TriggerChange, UseLimit,
};
pub use card::{Card, Deck, DeckSection, Face};
pub use expr::{
    Aggregate, BinaryOp, Division, Expr, ExprKind, Head, Phrase, PhraseFilter, PhraseFilterKind, Quantifier, TotalTest,
};
pub use fact::{Fact, PAIR_PARTS, UNLABELLED_PRICE, pair_part};
pub use item::{
    Action, CostSymbol, Difference, DifferenceKind, Item, ItemKind, Memory, MemoryKind, Pack, PrintRule, Relation, TextEntry,
    TextItem, TextPattern, UnlabelledFact, Variable, VariableKind, WordsAndAbilities, WordsOfUnits,
};
pub use layout::{
    ArrowEnds, FacePart, FaceStat, LAYOUT_WORDS, Layout, LayoutEntry, LayoutEntryKind, LayoutFace, LayoutRow, LayoutRowKind,
    LinkKind, RowStyle, Tone, WordHue,
};
pub use param::{Param, TypeRef};
pub use rules::{AnnouncePolicy, AnnouncedChoices, DeckRule, MatchRules, PeriodDecl, TurnEntry};
pub use scenario::{
    Answer, DeckExpr, FizzledPart, MatchHeader, MatchStep, NamedPosition, Position, PositionEntry, PositionPlayer, PositionValue,
    Scenario, ScenarioStep, ScenarioStepKind, Stage,
};
pub use statement::{
    AssignOp, Block, Call, Duration, DurationPoint, Link, Modification, ModificationKind, Moment, NthTime, Pattern, Statement,
    StatementKind, Subject, WindowSetting, crosses_zone,
};
