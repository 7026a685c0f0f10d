//! Abilities, declarations, plays and payments.

use super::{Block, Expr, Fact, Modification, Moment, Name, Param, Path, Pattern, Span, Statement};

/// `declare ACTION by X { … }`: somebody pairs objects with objects or players.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclareStatement {
    /// What each pair becomes an event of.
    pub action: Name,
    /// Who declares, if not `you`.
    pub by: Option<Expr>,
    /// Which objects.
    pub from: Option<Expr>,
    /// With which objects or players.
    pub onto: Option<Expr>,
    /// Which pairs.
    pub condition: Option<Expr>,
    /// How many pairs each object may have.
    pub most: Option<Expr>,
    /// What comes before costs are paid.
    pub first: Option<Block>,
    /// What undoes that, where not all can be taken back.
    pub undone: Option<Block>,
    /// The whole statement.
    pub span: Span,
}

/// What holds for declarations of an action.
#[derive(Clone, Debug, PartialEq)]
pub struct DeclarationClause {
    /// About whom; `some` and `each` are taken off.
    pub subject: Expr,
    /// `some` stood before it.
    pub some: bool,
    /// `be` stood before the verb.
    pub passive: bool,
    /// The verb as written.
    pub verb: Name,
    /// The other side: the object of the verb, or what stands behind `by`.
    pub object: Option<Expr>,
    /// `where COND`
    pub condition: Option<Expr>,
    /// What it says.
    pub kind: ClauseKind,
    /// The whole clause.
    pub span: Span,
}

/// What a clause says.
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
        /// It stood in front: all are counted together.
        together: bool,
    },
    /// `unless N X also VERB`
    Unless {
        /// How many.
        count: Expr,
        /// Of what.
        others: Expr,
        /// The verb again.
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
    /// `in ZONE, ZONE`: where it works instead of the field.
    pub zones: Vec<Name>,
    /// `immediately`
    pub immediately: bool,
    /// `unlisted`
    pub off_list: bool,
    /// `timely`
    pub can_miss_timing: bool,
    /// `concealed`
    pub concealed: bool,
    /// What kind.
    pub kind: AbilityKind,
    /// The whole ability.
    pub span: Span,
}

/// The kinds of abilities.
#[derive(Clone, Debug, PartialEq)]
pub enum AbilityKind {
    /// `when PATTERN, if COND { … }`
    When {
        /// On what.
        pattern: Box<Pattern>,
        /// The intervening condition.
        condition: Option<Box<Expr>>,
        /// How often.
        limit: Option<Box<UseLimit>>,
        /// What.
        body: Block,
    },
    /// `when PATTERN, WHAT triggers again`, `… cannot trigger`
    Causing {
        /// On what.
        pattern: Box<Pattern>,
        /// Whose abilities.
        whose: Box<Expr>,
        /// Once more (else not at all).
        again: bool,
    },
    /// `as soon as COND { … }`
    AsSoon {
        /// What holds.
        condition: Box<Expr>,
        /// What.
        body: Block,
    },
    /// `at start of SPAN { … }`
    At {
        /// When.
        moment: Box<Moment>,
        /// `, if COND`
        condition: Option<Box<Expr>>,
        /// How often.
        limit: Option<Box<UseLimit>>,
        /// What.
        body: Block,
    },
    /// `if PATTERN would …, instead { … }`
    Instead {
        /// Instead of what.
        pattern: Box<Pattern>,
        /// `and COND`
        condition: Option<Box<Expr>>,
        /// `may instead`
        optional: bool,
        /// What happens in its place.
        body: Block,
    },
    /// `PATTERN` with `cannot`
    Cannot(Box<Pattern>),
    /// `X must VERB` and the like
    Clause(Box<DeclarationClause>),
    /// `while COND { … }`, or `always { … }` (no condition)
    Static {
        /// Works while this holds.
        condition: Option<Box<Expr>>,
        /// `gets` and `cannot` clauses without `until`.
        clauses: Vec<Statement>,
    },
    /// `defines { MOD, … }`: what the object is, wherever it is.
    Defines(Vec<Modification>),
    /// `does { … }`
    Does(Block),
    /// `cost { … }`: a further cost of using the object.
    Cost(Block),
    /// `option STATUS { when COND  price EXPR  cost BLOCK }`: a further price that may be paid, or (`instead`) one in the place of the usual one.
    Option {
        /// The status that says that it was chosen.
        status: Name,
        /// In the place of the usual price.
        instead: bool,
        /// When, price and cost.
        play: Box<Play>,
    },
    /// `activated "label" { … }`
    Activated(Box<Play>),
    /// A keyword used inside a keyword, rule or block of facts.
    Keyword(Box<Fact>),
}

/// A play, or the body of an activated ability (whose parameter is absent).
#[derive(Clone, Debug, PartialEq)]
pub struct Play {
    /// Name, or label of an activated ability.
    pub name: Option<Name>,
    /// The object played, and what an effect that uses it gives besides.
    pub params: Vec<Param>,
    /// `from hand, graveyard` (`field`, `nowhere` are words like any other here).
    pub from: Vec<Name>,
    /// `when COND`
    pub condition: Option<Expr>,
    /// `price EXPR`
    pub price: Option<Expr>,
    /// `price EXPR if COND`
    pub usual: Option<Box<Expr>>,
    /// `values { … }`
    pub numbers: Option<Block>,
    /// `yields EXPR`
    pub produces: Option<Expr>,
    /// `cost { … }`
    pub cost: Option<Block>,
    /// `at once`
    pub immediate: bool,
    /// `pays`
    pub during_payment: bool,
    /// `announced STATUS`: the object has it from the announcement on.
    pub announced: Option<Name>,
    /// Further single words, such as a class of plays for filters: `class NAME`.
    pub classes: Vec<Name>,
    /// How often.
    pub limit: Option<UseLimit>,
    /// `does { … }`
    pub body: Block,
    /// The whole play.
    pub span: Span,
}

/// `limit N per SPAN by player`: how often something may be used.
#[derive(Clone, Debug, PartialEq)]
pub struct UseLimit {
    /// So often.
    pub count: u32,
    /// In each of these.
    pub span_path: Path,
    /// What is counted together: `name`, `player`; without it, the uses of one object.
    pub by: Option<Name>,
    /// The whole limit.
    pub span: Span,
}

/// `payment mana of civilization { from SELECTION  yields EXPR  by BLOCK  pool NAME }`
#[derive(Clone, Debug, PartialEq)]
pub struct Payment {
    /// Its name.
    pub name: Name,
    /// The traits that are the kinds of units.
    pub kinds: Name,
    /// What can pay.
    pub clauses: Vec<PaymentClause>,
    /// Player variable (a list of units) that holds units made by hand, if the game has one.
    pub pool: Option<Name>,
    /// Kinds that no variable holds.
    pub except: Vec<Name>,
}

/// `from SELECTION  yields EXPR  by BLOCK` of a payment.
#[derive(Clone, Debug, PartialEq)]
pub struct PaymentClause {
    /// The simple producers: a selection (`each card in your mana that is not tapped`).
    pub from: Expr,
    /// The kinds that one producer (`candidate`) can yield: a trait set, or the units as a price.
    pub produces: Expr,
    /// How often a producer can be used (once).
    pub times: Option<Expr>,
    /// Only for what this holds of (`this`).
    pub condition: Option<Expr>,
    /// What using it does; `it` is the producer.
    pub by: Block,
}
