//! Syntax tree of abilities, declarations, plays and payments.

use super::expr::Expr;
use super::fact::Fact;
use super::param::Param;
use super::statement::{Block, Modification, Moment, Pattern, Statement};
use crate::span::{Name, Path, Span};
use smol_str::SmolStr;

/// `declare ACTION by X { … }`: a declaration, one decision that pairs objects with objects or players.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclareStatement {
    /// The action whose events the pairs become.
    pub action: Name,
    /// The player who declares; `None` for `you`.
    pub by: Option<Expr>,
    /// The objects that can be declared.
    pub from: Option<Expr>,
    /// The objects or players that they are paired with.
    pub onto: Option<Expr>,
    /// The condition that a pair must meet.
    pub condition: Option<Expr>,
    /// The greatest number of pairs per object; `None` for one.
    pub max_pairs: Option<Expr>,
    /// `before costs { … }`: executed before costs are paid.
    pub before_costs: Option<Block>,
    /// `on rollback { … }`: reverts the statements of `before costs` if a rollback cannot undo everything.
    pub on_rollback: Option<Block>,
    /// The whole statement.
    pub span: Span,
}

/// A clause about the declarations of an action: a requirement, cardinality, implication or cost.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclarationClause {
    /// The subject, without `some` or `each`.
    pub subject: Expr,
    /// `some` was written before the subject.
    pub some: bool,
    /// `be` was written before the verb.
    pub passive: bool,
    /// The verb as written.
    pub verb: Name,
    /// The other side of the pair: the object of the verb, or the phrase after `by`.
    pub object: Option<Expr>,
    /// `where COND`
    pub condition: Option<Expr>,
    /// The constraint.
    pub kind: ClauseKind,
    /// The whole clause.
    pub span: Span,
}

/// The constraint of a clause.
#[derive(Clone, Debug, PartialEq)]
pub enum ClauseKind {
    /// `must`
    Must,
    /// `cannot … alone`
    Alone,
    /// `no more than N … can`, `no fewer than N … can` (`together`), or `cannot be … by more than N`.
    Count {
        /// `more`, else `fewer`.
        more: bool,
        /// The number.
        count: Expr,
        /// The number is written first: all pairs are counted together, not per object.
        together: bool,
    },
    /// `unless N X also VERB`
    Unless {
        /// The least number of others.
        count: Expr,
        /// The objects that are counted.
        others: Expr,
        /// The verb after `also`.
        verb: Name,
    },
    /// `unless price EXPR`
    Price(Expr),
    /// `unless cost { … }`
    Cost(Block),
}

/// One ability.
#[derive(Clone, Debug, PartialEq)]
pub struct Ability {
    /// `in ZONE, ZONE`: the zones where it works, in place of the field.
    pub zones: Vec<Name>,
    /// `immediately`
    pub immediately: bool,
    /// `off list`
    pub off_list: bool,
    /// `missable`
    pub can_miss_timing: bool,
    /// `concealed`
    pub concealed: bool,
    /// The keyword with a block that it was expanded from.
    pub keyword: Option<Name>,
    /// Its kind and contents.
    pub kind: AbilityKind,
    /// The whole ability.
    pub span: Span,
}

/// The kinds of abilities.
#[derive(Clone, Debug, PartialEq)]
pub enum AbilityKind {
    /// `when PATTERN, if COND { … }`
    When {
        /// The event that it triggers on.
        pattern: Box<Pattern>,
        /// `, if COND`: the intervening condition.
        condition: Option<Box<Expr>>,
        /// `, limit N per PERIOD`
        limit: Option<Box<UseLimit>>,
        /// Its statements.
        body: Block,
    },
    /// `when PATTERN, WHAT triggers again`, `… cannot trigger`, `… cannot trigger optionally`
    TriggerChange {
        /// The event that it triggers on.
        pattern: Box<Pattern>,
        /// The objects whose abilities are affected.
        whose: Box<Expr>,
        /// What becomes of them.
        change: TriggerChange,
    },
    /// `as soon as COND { … }`
    AsSoon {
        /// The condition that triggers it when it becomes true.
        condition: Box<Expr>,
        /// Its statements.
        body: Block,
    },
    /// `at start of PERIOD { … }`
    At {
        /// The moment that it triggers at.
        moment: Box<Moment>,
        /// `, if COND`
        condition: Option<Box<Expr>>,
        /// `, limit N per PERIOD`
        limit: Option<Box<UseLimit>>,
        /// Its statements.
        body: Block,
    },
    /// `if PATTERN would …, instead { … }`
    Instead {
        /// The replaced event.
        pattern: Box<Pattern>,
        /// `and COND`
        condition: Option<Box<Expr>>,
        /// `may instead`
        optional: bool,
        /// The statements that are executed in its place.
        body: Block,
    },
    /// `PATTERN` with `cannot`
    Cannot(Box<Pattern>),
    /// `X must VERB` and other clauses about declarations.
    Clause(Box<DeclarationClause>),
    /// `while COND { … }`, or `always { … }` (no condition)
    Static {
        /// The ability works while this holds.
        condition: Option<Box<Expr>>,
        /// `gets` and `cannot` clauses without `until`.
        clauses: Vec<Statement>,
    },
    /// `defines { MOD, … }`: values that the object has in every zone (characteristic-defining).
    Defines(Vec<Modification>),
    /// `does { … }`
    Does(Block),
    /// `cost { … }`: a mandatory additional cost of using the object.
    Cost(Block),
    /// `additional cost STATUS { when COND  price EXPR  cost BLOCK }`: an optional additional cost; or `alternative cost STATUS { … }`.
    Option {
        /// The status that records that the player chose it.
        status: Name,
        /// `alternative cost`: it replaces the usual price.
        instead: bool,
        /// Its condition, price and cost.
        play: Box<Play>,
    },
    /// `activated "label" { … }`
    Activated(Box<Play>),
    /// A keyword used inside a keyword, rule or block of facts.
    Keyword(Box<Fact>),
    /// `COST, COST: STATEMENT`: an activated ability with its costs first. The compiler expands it.
    Costed(Box<CostedAbility>),
    /// `KEYWORD ARGUMENT { … }`: a keyword that is declared `with body`. The compiler expands it.
    KeywordBlock(Box<KeywordBlock>),
}

/// `"LABEL" {2}, {T}, discard 1 card in your hand, when COND, limit 1 per turn: STATEMENT`
#[derive(Clone, Debug, PartialEq)]
pub struct CostedAbility {
    /// The label.
    pub label: Option<Name>,
    /// What comes before the colon, in source order.
    pub parts: Vec<CostPart>,
    /// `produces EXPR` in place of statements.
    pub produces: Option<Expr>,
    /// Its statements.
    pub body: Block,
}

/// A part before the colon of a [`CostedAbility`].
#[derive(Clone, Debug, PartialEq)]
pub enum CostPart {
    /// `{2}{R}`: units, or symbols that are declared as costs.
    Symbols(Vec<Name>, Span),
    /// `price EXPR`, `price EXPR if COND`
    Price(Expr, Option<Box<Expr>>),
    /// A statement of the cost.
    Statement(Statement),
    /// `when COND`
    When(Expr),
    /// `limit N per PERIOD`
    Limit(UseLimit),
    /// `usable while paying`
    DuringPayment,
}

/// `"LABEL" KEYWORD ARGUMENT { … }`
#[derive(Clone, Debug, PartialEq)]
pub struct KeywordBlock {
    /// A label in place of the one that the keyword gives.
    pub label: Option<Name>,
    /// The keyword.
    pub keyword: Name,
    /// Its arguments; several lists for `KEYWORD 1, 2 { … }`, which is an ability for each.
    pub uses: Vec<Vec<KeywordArgument>>,
    /// The body follows a colon; else it is a block.
    pub colon: bool,
    /// The statements that `body` stands for.
    pub body: Block,
}

/// An argument of a [`KeywordBlock`].
#[derive(Clone, Debug, PartialEq)]
pub struct KeywordArgument {
    /// Its value.
    pub value: Expr,
    /// How labels write it: `plus_2`, `minus_1`, `3`.
    pub label: SmolStr,
}

impl KeywordArgument {
    /// Whether a sign was written before the number.
    #[must_use]
    pub fn is_signed(&self) -> bool {
        self.label.starts_with("plus_") || self.label.starts_with("minus_")
    }
}

/// A play, or the body of an activated ability, which has no parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct Play {
    /// The name, or the label of an activated ability.
    pub name: Option<Name>,
    /// The object played, and further arguments that an effect supplies when it uses the play.
    pub params: Vec<Param>,
    /// `from hand, graveyard`. `field` and `nowhere` are not resolved here.
    pub from: Vec<Name>,
    /// `when COND`
    pub condition: Option<Expr>,
    /// `price EXPR`
    pub price: Option<Expr>,
    /// The condition of `price EXPR if COND`.
    pub price_condition: Option<Box<Expr>>,
    /// `announce numbers { … }`
    pub numbers: Option<Block>,
    /// `produces EXPR`
    pub produces: Option<Expr>,
    /// `cost { … }`
    pub cost: Option<Block>,
    /// `immediately`
    pub immediate: bool,
    /// `usable while paying`
    pub during_payment: bool,
    /// A keyword with a block declares it, and so whether it can be used while paying.
    pub from_keyword: bool,
    /// `announced STATUS`: a status that the object has from its announcement on.
    pub announced: Option<Name>,
    /// `class NAME`: classes of plays, for filters.
    pub classes: Vec<Name>,
    /// `limit N per PERIOD`
    pub limit: Option<UseLimit>,
    /// `does { … }`
    pub body: Block,
    /// The whole play.
    pub span: Span,
}

impl Play {
    /// A play that does `body`, with nothing else.
    #[must_use]
    pub fn new(body: Block, span: Span) -> Self {
        Self {
            name: None,
            params: Vec::new(),
            from: Vec::new(),
            condition: None,
            price: None,
            price_condition: None,
            numbers: None,
            produces: None,
            cost: None,
            immediate: false,
            during_payment: false,
            from_keyword: false,
            announced: None,
            classes: Vec::new(),
            limit: None,
            body,
            span,
        }
    }
}

/// `limit N per PERIOD by player`: a usage limit.
#[derive(Clone, Debug, PartialEq)]
pub struct UseLimit {
    /// The number of uses.
    pub count: u32,
    /// The period after which the count restarts.
    pub period_path: Path,
    /// `name` or `player`: the uses that are counted together; `None` for those of one object.
    pub by: Option<Name>,
    /// The whole limit.
    pub span: Span,
}

/// `payment mana of civilization { from SELECTION  produces EXPR  by BLOCK  pool NAME }`
#[derive(Clone, Debug, PartialEq)]
pub struct Payment {
    /// Its name.
    pub name: Name,
    /// The trait set whose words are the kinds of units.
    pub kinds: Name,
    /// The producers.
    pub clauses: Vec<PaymentClause>,
    /// The player variable that holds produced units (the pool), if the game has one.
    pub pool: Option<Name>,
    /// Kinds that are never stored in the pool.
    pub except: Vec<Name>,
    /// Pools whose units pay only for some objects.
    pub restricted: Vec<RestrictedPool>,
}

/// `pool NAME when COND` of a payment.
#[derive(Clone, Debug, PartialEq)]
pub struct RestrictedPool {
    /// The player variable that holds its units: a number for each kind.
    pub name: Name,
    /// The condition on what is paid for.
    pub condition: Expr,
}

/// `from SELECTION  produces EXPR  by BLOCK` of a payment.
#[derive(Clone, Debug, PartialEq)]
pub struct PaymentClause {
    /// The producers, as a selection: `each card in your mana that is not tapped`.
    pub from: Expr,
    /// The kinds that one producer (`candidate`) can produce: a trait set, or units written as a price.
    pub produces: Expr,
    /// How often one producer can be used; `None` for once.
    pub times: Option<Expr>,
    /// `when COND`: the clause pays only for objects (`this`) that meet it.
    pub condition: Option<Expr>,
    /// The statements that using a producer executes; `it` is the producer.
    pub by: Block,
}

/// What becomes of triggered abilities on an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriggerChange {
    /// They trigger once more.
    Again,
    /// They do not trigger.
    Never,
    /// Optional ones do not trigger.
    NotOptionally,
}
