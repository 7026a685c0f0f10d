//! Expressions and phrases.

use super::{Name, Span};

/// An expression.
#[derive(Clone, Debug, PartialEq)]
pub struct Expr {
    /// What it is.
    pub kind: ExprKind,
    /// Where.
    pub span: Span,
}

/// The kinds of expressions.
#[derive(Clone, Debug, PartialEq)]
pub enum ExprKind {
    /// `or`, `and`, comparisons, arithmetic.
    Binary {
        /// Which.
        op: BinaryOp,
        /// Left.
        left: Box<Expr>,
        /// Right.
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
    /// `X shares TRAITS with Y`: both have one of its words.
    Shares {
        /// An object.
        left: Box<Expr>,
        /// The traits item.
        traits: Name,
        /// Another one.
        right: Box<Expr>,
    },
    /// `X can VERB`, `X can be VERBED`, `X can VERB Y`: nothing forbids it.
    Can {
        /// The subject.
        left: Box<Expr>,
        /// `be` was written.
        passive: bool,
        /// The word of the action or play.
        verb: Name,
        /// What the verb is done to.
        object: Option<Box<Expr>>,
    },
    /// `if COND { A } otherwise { B }`
    If {
        /// The condition.
        condition: Box<Expr>,
        /// When it holds.
        then: Box<Expr>,
        /// When it does not.
        otherwise: Box<Expr>,
    },
    /// `count of X`, `sum of P of X`, `highest P of X`, `lowest P of X`
    Aggregate {
        /// Which.
        kind: Aggregate,
        /// The property, except for `count`.
        property: Option<Name>,
        /// Over what.
        over: Box<Expr>,
    },
    /// `random A to B`: a number by chance, both included.
    RandomNumber {
        /// The lowest.
        from: Box<Expr>,
        /// The highest.
        to: Box<Expr>,
    },
    /// A phrase, down to a single atom.
    Phrase(Phrase),
}

/// The binary operators.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is its operator")]
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

/// What is computed over a selection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each is its word")]
pub enum Aggregate {
    Count,
    Sum,
    Highest,
    Lowest,
}

/// `QUANTIFIER? other? HEAD POST*`
#[derive(Clone, Debug, PartialEq)]
pub struct Phrase {
    /// How many, and who decides; `None` for a bare head.
    pub quantifier: Option<Quantifier>,
    /// `other`
    pub other: bool,
    /// The head.
    pub head: Head,
    /// All belong to the head.
    pub posts: Vec<PhraseFilter>,
}

/// How many, and who decides.
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
        /// How many; one if not written.
        count: Option<Box<Expr>>,
        /// `up to` was written.
        up_to: bool,
    },
    /// `1 to 3 card`, `1 to 3 target card`
    Range {
        /// At least.
        least: Box<Expr>,
        /// At most.
        most: Box<Expr>,
        /// `target` was written.
        target: bool,
    },
    /// `random 2`
    Random(Box<Expr>),
    /// `top 2`
    Top(Box<Expr>),
    /// `bottom 2`
    Bottom(Box<Expr>),
    /// `some`: is there one?
    Some,
    /// `no`: is there none?
    No,
}

/// A division: `divide 3 among them, at least 1 each as share`.
#[derive(Clone, Debug, PartialEq)]
pub struct Division {
    /// Who divides, if not the controller.
    pub subject: Option<Expr>,
    /// How much.
    pub amount: Expr,
    /// Among what.
    pub among: Expr,
    /// How much each gets at least.
    pub least: Option<Expr>,
    /// The name of the division.
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
        /// Whose: an expression that is a single phrase (`you`, `it`, `opponent`, a name, or another possessive).
        owner: Box<Expr>,
        /// What of it.
        word: Name,
    },
}

/// A condition after the head.
#[derive(Clone, Debug, PartialEq)]
pub struct PhraseFilter {
    /// Which.
    pub kind: PhraseFilterKind,
    /// Where.
    pub span: Span,
}

/// The kinds of posts. An atom is a head without quantifier and without posts of its own.
#[derive(Clone, Debug, PartialEq)]
pub enum PhraseFilterKind {
    /// `of ATOM`
    Of(Expr),
    /// `in ATOM` or `from ATOM` (`from` is remembered for the formatter only)
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
}
