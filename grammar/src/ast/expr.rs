//! Syntax tree of expressions and phrases.

use crate::span::{Name, Span};

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// Its kind and operands.
    pub kind: ExprKind,
    /// The whole of it.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// A binary operator: logical, comparison or arithmetic.
    Binary {
        /// The operator.
        op: BinaryOp,
        /// The left operand.
        left: Box<Expr>,
        /// The right operand.
        right: Box<Expr>,
    },
    /// `not X`
    Not(Box<Expr>),
    /// `-X`
    Negative(Box<Expr>),
    /// `X is Y`, `X is not Y`
    Is {
        /// The value.
        left: Box<Expr>,
        /// A word, noun, name or value.
        right: Box<Expr>,
        /// `not` was written.
        negated: bool,
    },
    /// `X has KEYWORD`
    Has {
        /// The object.
        left: Box<Expr>,
        /// The keyword.
        word: Name,
    },
    /// `X shares TRAITS with Y`: both have the same word of the trait set.
    Shares {
        /// An object.
        left: Box<Expr>,
        /// The trait set.
        traits: Name,
        /// The other object.
        right: Box<Expr>,
    },
    /// `X can VERB`, `X can be VERBED`, `X can VERB Y`, `X can be VERBED by Y`: a legality query, true if nothing forbids the event.
    Can {
        /// The subject.
        left: Box<Expr>,
        /// `be` was written.
        passive: bool,
        /// The verb of the action or play.
        verb: Name,
        /// The object of the verb, or who does it.
        object: Option<Box<Expr>>,
    },
    /// `if COND { A } otherwise { B }`
    If {
        /// The condition.
        condition: Box<Expr>,
        /// The value if it holds.
        then: Box<Expr>,
        /// The value if it does not hold.
        otherwise: Box<Expr>,
    },
    /// `count of X`, `sum of P of X`, `highest P of X`, `lowest P of X`
    Aggregate {
        /// The function.
        kind: Aggregate,
        /// The aggregated property; `None` for `count`.
        property: Option<Name>,
        /// The selection.
        over: Box<Expr>,
    },
    /// `random A to B`: a random number; both bounds are included.
    RandomNumber {
        /// The least number.
        from: Box<Expr>,
        /// The greatest number.
        to: Box<Expr>,
    },
    /// A phrase; a single atom is a phrase without quantifier and filters.
    Phrase(Phrase),
}

/// The binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is named after its operator")]
pub enum BinaryOp {
    Or,
    And,
    Equal,
    NotEqual,
    LessEqual,
    GreaterEqual,
    Less,
    Greater,
    Add,
    Subtract,
    Multiply,
    /// `a / b rounded down`
    DivideDown,
    /// `a / b rounded up`
    DivideUp,
}

/// An aggregate function over a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is named after its word")]
pub enum Aggregate {
    Count,
    Sum,
    Highest,
    Lowest,
}

/// `QUANTIFIER? other? HEAD FILTER*`
#[derive(Clone, Debug, PartialEq)]
pub struct Phrase {
    /// How many objects, and who chooses them; `None` for a bare head.
    pub quantifier: Option<Quantifier>,
    /// `other` was written.
    pub other: bool,
    /// The noun, value or group.
    pub head: Head,
    /// The conditions after the head, in source order. All apply to the head.
    pub filters: Vec<PhraseFilter>,
}

/// How many objects, and who chooses them.
#[derive(Clone, Debug, PartialEq)]
pub enum Quantifier {
    /// `each`, `all`
    Each,
    /// `2 creature`, `(X) creature`
    Exactly(Box<Expr>),
    /// `up to 2`
    UpTo(Box<Expr>),
    /// `any number of`
    AnyNumber,
    /// `target`, `2 target`, `up to 2 target`
    Target {
        /// The number; `None` for one.
        count: Option<Box<Expr>>,
        /// `up to` was written.
        up_to: bool,
    },
    /// `1 to 3 card`, `1 to 3 target card`
    Range {
        /// The least number.
        min: Box<Expr>,
        /// The greatest number.
        max: Box<Expr>,
        /// `target` was written.
        target: bool,
    },
    /// `random 2`
    Random(Box<Expr>),
    /// `top 2`
    Top(Box<Expr>),
    /// `bottom 2`
    Bottom(Box<Expr>),
    /// `some`: true if there is at least one.
    Some,
    /// `no`: true if there is none.
    No,
}

/// A division: `divide 3 among them, at least 1 each as share`.
#[derive(Clone, Debug, PartialEq)]
pub struct Division {
    /// The player who divides; `None` for the controller.
    pub subject: Option<Expr>,
    /// The divided amount.
    pub amount: Expr,
    /// The objects and players that receive shares.
    pub among: Expr,
    /// `at least N each`: the minimum share.
    pub min_each: Option<Expr>,
    /// `as NAME`: the name of the division.
    pub name: Name,
}

/// The head of a phrase.
#[derive(Clone, Debug, PartialEq)]
pub enum Head {
    /// A word: noun, property, zone, local name, `this`, `it`, `you`, `opponent`, `active`, `players`, `candidate`, `player`.
    Word(Name),
    /// A quoted card name (or quoted word of an open trait set).
    Quoted(Name),
    /// A whole number.
    Number(i64),
    /// `true`, `false`
    Bool(bool),
    /// `{2}{U}`: the symbols without braces.
    Price(Vec<Name>),
    /// `(EXPR)`
    Group(Box<Expr>),
    /// `[a, b]`
    List(Vec<Expr>),
    /// `name(a, b)`
    Call {
        /// A function, built-in or declared.
        name: Name,
        /// Its arguments.
        args: Vec<Expr>,
    },
    /// `your hand`, `its owner`, `X's power`: the possessor, then the word.
    Possessive {
        /// The possessor: a single phrase (`you`, `it`, `opponent`, a name, or another possessive).
        owner: Box<Expr>,
        /// The possessed property, zone or player.
        word: Name,
    },
}

/// A condition after the head of a phrase.
#[derive(Clone, Debug, PartialEq)]
pub struct PhraseFilter {
    /// Its kind and operand.
    pub kind: PhraseFilterKind,
    /// The whole of it.
    pub span: Span,
}

/// The kinds of filters. An ATOM is a head without quantifier and filters.
#[derive(Clone, Debug, PartialEq)]
pub enum PhraseFilterKind {
    /// `of ATOM`
    Of(Expr),
    /// `in ATOM` or `from ATOM`
    In(Expr),
    /// `with COND`: one comparison, word or group.
    With(Expr),
    /// `without WORD`
    Without(Name),
    /// `that is WORD`, `that is not WORD`
    ThatIs {
        /// The word, noun or value.
        what: Expr,
        /// `not` was written.
        negated: bool,
    },
    /// `that has WORD`
    ThatHas(Name),
    /// `that (COND)`
    That(Expr),
    /// `with total PROPERTY == N`: a condition on all that is chosen together.
    Total(Box<TotalTest>),
}

/// `total PROPERTY <= N`
#[derive(Clone, Debug, PartialEq)]
pub struct TotalTest {
    /// The number of each chosen thing: a property, status, or function of it.
    pub property: Name,
    /// How their sum is compared.
    pub op: BinaryOp,
    /// What it is compared with.
    pub amount: Expr,
}
