//! The text tree: the content of a rules text in one normal form, independent of how the source phrases it. All languages are rendered
//! from it.

use fizzle_grammar::ast::Span;
use smol_str::SmolStr;

/// The kind of a node of the text tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is named after the form of the language that it stands for")]
pub enum TextNodeKind {
    /// Nothing was written.
    Nil,
    /// A hole of a pattern: it matches any node.
    Hole,
    /// A word. A quoted name, a number and a price have kinds of their own.
    Word,
    /// The turn, phase or step of a moment: a word that is no condition.
    Period,
    Quoted,
    Number,
    Price,
    List,
    /// A function call: the text is its name, the children are its arguments.
    Call,
    /// A phrase: the children are its quantifier, its head and its filters. The text is `other` or empty.
    Phrase,
    /// The text says which quantifier it is. The children are numbers.
    Quantifier,
    // Filters of a phrase.
    Of,
    In,
    /// `that (not candidate in ZONE)`: the only child is the zone.
    NotIn,
    /// A condition on the candidate: the only child is an expression.
    That,
    /// The text is the operator. It has two children.
    Binary,
    Not,
    Negative,
    /// `X is Y`. As a filter it has only the child `Y`. The text is `not` or empty.
    Is,
    /// `X has Y`, with the same shape as `Is`.
    Has,
    Shares,
    Can,
    Choice,
    /// The text says which aggregate it is. The children are the property (or `Nil`) and what is aggregated.
    Aggregate,
    Random,
    /// A sequence of statements: each child is a statement. The text says what governs all of them: `if`, `at`, `each` or `times`. It is empty
    /// for a block that nothing governs.
    Block,
    /// A statement: the text is its link to the one before, the only child is the action.
    Statement,
    /// A verb: the text is its name. The children are the subject, `may`, the adverbs, the binding, then the operands in the order of the
    /// parameters.
    Do,
    /// Several verbs of one statement.
    Sentence,
    Let,
    Assign,
    If,
    ForEach,
    Divide,
    /// The text is the action. The children are who declares, from and onto what.
    Declare,
    Times,
    Repeat,
    AtOnce,
    Modes,
    Gets,
    Becomes,
    CreateCopy,
    CopyListed,
    Cannot,
    Clause,
    Delayed,
    DelayedWhen,
    Standing,
    Trigger,
    // Changes of an object.
    Change,
    // Ends of durations.
    Until,
    Moment,
    /// The text is the action. The children are the subject, the object, the source, the condition, and the word `passive` or `Nil`.
    Event,
    /// A condition on the sum of a property of all that is chosen; the text is the comparison. The children are the property and the number.
    Total,
    /// One event of a period by its number. The children are the event, the number and the period.
    NthTime,
    // Abilities. The last child of each is a list of zones.
    When,
    Causing,
    AsSoon,
    At,
    Instead,
    Static,
    Defines,
    Does,
    Cost,
    Option,
    Activated,
    Keyword,
    Limit,
    /// A form that no text is rendered from.
    Other,
}

/// A node of the text tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextNode {
    /// The kind, which determines the meaning of the text and the children.
    pub kind: TextNodeKind,
    /// Its word, operator or name. The meaning depends on the kind.
    pub text: SmolStr,
    /// Its children. Their order depends on the kind.
    pub kids: Vec<TextNode>,
    /// The place in the source.
    pub span: Span,
}

impl TextNode {
    /// Creates a node.
    #[must_use]
    pub fn new(kind: TextNodeKind, text: impl Into<SmolStr>, kids: Vec<Self>, span: Span) -> Self {
        Self { kind, text: text.into(), kids, span }
    }

    /// Creates a node for something that is not written.
    #[must_use]
    pub fn nil() -> Self {
        Self::new(TextNodeKind::Nil, "", Vec::new(), Span::default())
    }

    /// Creates a word.
    #[must_use]
    pub fn word(text: &str, span: Span) -> Self {
        Self::new(TextNodeKind::Word, text, Vec::new(), span)
    }

    /// The last of the acts that a sentence joins by `and`; another act itself.
    #[must_use]
    pub fn last_act(&self) -> &Self {
        let joined = self.kids.last().filter(|_| self.kind == TextNodeKind::Sentence);
        joined.unwrap_or(self)
    }

    /// Whether this node is `Nil`.
    #[must_use]
    pub fn is_nil(&self) -> bool {
        self.kind == TextNodeKind::Nil
    }

    /// Whether this is the duration `until end of turn`.
    #[must_use]
    pub fn is_until_end_of_turn(&self) -> bool {
        let [moment] = self.kids.as_slice() else { return false };
        self.kind == TextNodeKind::Until
            && moment.kind == TextNodeKind::Moment
            && moment.text == "end"
            && moment.kid(0).text == "turn"
            && moment.kid(1).is_nil()
    }

    /// Whether it is this word.
    #[must_use]
    pub fn is_word(&self, word: &str) -> bool {
        self.kind == TextNodeKind::Word && self.text == word
    }

    /// The child at this index, or `Nil` if there is none.
    #[must_use]
    pub fn kid(&self, index: usize) -> &Self {
        static NIL: std::sync::LazyLock<TextNode> = std::sync::LazyLock::new(TextNode::nil);
        self.kids.get(index).unwrap_or(&NIL)
    }

    /// Whether this node or one of its descendants is this word.
    #[must_use]
    pub fn mentions(&self, word: &str) -> bool {
        self.is_word(word) || self.kids.iter().any(|kid| kid.mentions(word))
    }

    /// A copy in which every occurrence of the word is replaced.
    #[must_use]
    pub fn replace_word(&self, word: &str, value: &Self) -> Self {
        if self.is_word(word) {
            return value.clone();
        }
        let kids = self.kids.iter().map(|kid| kid.replace_word(word, value)).collect();
        Self { kind: self.kind, text: self.text.clone(), kids, span: self.span }
    }

    /// The number of nodes that are neither `Nil` nor holes. A heavier pattern is more specific.
    #[must_use]
    pub fn weight(&self) -> usize {
        let own = usize::from(!matches!(self.kind, TextNodeKind::Nil | TextNodeKind::Hole));
        own + self.kids.iter().map(Self::weight).sum::<usize>()
    }

    /// The number of nodes, counted up to a bound.
    #[must_use]
    pub fn weight_up_to(&self, bound: usize) -> usize {
        let mut weight = 1;
        for kid in &self.kids {
            if weight >= bound {
                break;
            }
            weight += kid.weight_up_to(bound - weight);
        }
        weight.min(bound)
    }

    /// Adds the names of all holes of a pattern.
    pub fn collect_holes(&self, found: &mut Vec<SmolStr>) {
        if self.kind == TextNodeKind::Hole {
            found.push(self.text.clone());
        }
        for kid in &self.kids {
            kid.collect_holes(found);
        }
    }
}

/// Collects the operands of `a or b or c`.
pub fn collect_alternatives(node: &TextNode, out: &mut Vec<TextNode>) {
    if node.kind == TextNodeKind::Binary && node.text == "or" {
        node.kids.iter().for_each(|kid| collect_alternatives(kid, out));
    } else {
        out.push(node.clone());
    }
}

/// Whether one of several kinds has filters that are not those of the others: `card in hand or creature`.
#[must_use]
pub fn has_places(head: &TextNode) -> bool {
    let mut kinds = Vec::new();
    collect_alternatives(head, &mut kinds);
    kinds.iter().any(|kind| kind.kind == TextNodeKind::Phrase)
}

/// Whether a word of a pattern is a hole: one capital letter, and perhaps digits behind it.
#[must_use]
pub fn is_hole(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(|first| first.is_ascii_uppercase()) && chars.all(|c| c.is_ascii_digit())
}

/// A number that becomes less for each thing of a kind, at least 0, and these things: `max(0, 2 - count of X)`. `None` for other numbers.
pub(in crate::text) fn reduced_number(node: &TextNode) -> Option<(&TextNode, &TextNode)> {
    let is_zero = |node: &TextNode| node.kind == TextNodeKind::Number && node.text == "0";
    let number = match (node.kind, node.text.as_str(), node.kids.as_slice()) {
        (TextNodeKind::Call, "max", [zero, number] | [number, zero]) if is_zero(zero) => number,
        _ => return None,
    };
    let (most, count) = (number.kid(0), number.kid(1));
    let is_reduced = number.kind == TextNodeKind::Binary
        && number.text == "-"
        && most.kind == TextNodeKind::Number
        && count.kind == TextNodeKind::Aggregate
        && count.text == "count";
    is_reduced.then(|| (most, count.kid(1)))
}

/// Whether a filter compares with a computed value: `with power < power of this`.
pub(in crate::text) fn is_computed(post: &TextNode) -> bool {
    let test = post.kid(0);
    let compares = matches!(test.text.as_str(), "==" | "<=" | ">=" | "<" | ">");
    let other =
        matches!(test.kid(1).kind, TextNodeKind::Phrase | TextNodeKind::Aggregate | TextNodeKind::Binary | TextNodeKind::Call);
    post.kind == TextNodeKind::That && test.kind == TextNodeKind::Binary && compares && other
}

/// Whether two nodes are equal except for their places in the source.
pub(in crate::text) fn equal_ignoring_spans(a: &TextNode, b: &TextNode) -> bool {
    a.kind == b.kind
        && a.text == b.text
        && a.kids.len() == b.kids.len()
        && a.kids.iter().zip(&b.kids).all(|(a, b)| equal_ignoring_spans(a, b))
}

/// Collects the operands of `a and b and c`.
pub(in crate::text) fn collect_conditions<'n>(node: &'n TextNode, out: &mut Vec<&'n TextNode>) {
    if node.kind == TextNodeKind::Binary && node.text == "and" {
        node.kids.iter().for_each(|kid| collect_conditions(kid, out));
    } else {
        out.push(node);
    }
}

/// Whether a number is how many things there are of the kind that a selection is from: `up to (count of creature) target creature`.
pub fn is_count_of_all(number: &TextNode, head: &TextNode) -> bool {
    let is_kind = |of: &TextNode| {
        let noun = if of.kind == TextNodeKind::Phrase && of.kids.len() == 2 { of.kid(1) } else { of };
        head.kind == TextNodeKind::Word && noun.kind == TextNodeKind::Word && noun.text == head.text
    };
    number.kind == TextNodeKind::Aggregate && number.text == "count" && is_kind(number.kid(1))
}
