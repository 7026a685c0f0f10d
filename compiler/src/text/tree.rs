//! The text tree: what a rules text says, in one shape however it was written. Texts of all languages are made from it.

use fizzle_grammar::ast::Span;
use smol_str::SmolStr;

/// What a node of the text tree is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[expect(missing_docs, reason = "each is named after the form of the language that it stands for")]
pub enum TextNodeKind {
    /// Nothing was written.
    Nil,
    /// In patterns: whatever is there.
    Hole,
    /// A word; a number; a quoted name; the text of a price.
    Word,
    Quoted,
    Number,
    Price,
    List,
    /// A function with its arguments.
    Call,
    /// Quantifier, head, posts. The text is `other` or nothing.
    Phrase,
    /// Its text says which; kids are numbers.
    Quantifier,
    // Posts of a phrase.
    Of,
    In,
    /// Test of the candidate: kids are a value (the candidate itself left out).
    That,
    /// The text is the operator: two kids.
    Binary,
    Not,
    Negative,
    /// `X is Y`; as a post only `Y`. The text is `not` or nothing.
    Is,
    /// `X has Y`, likewise.
    Has,
    Shares,
    Can,
    Choice,
    /// The text says which; kids are the property (or nothing) and what it is over.
    Aggregate,
    Random,
    /// Statements in a row; each kid is a statement.
    Block,
    /// A statement: the text is its link; the only kid says what is done.
    Statement,
    /// A verb: the text is its name; kids are the subject, whether it may, adverbs, binding, then operands by parameter.
    Do,
    /// Several verbs at once.
    Sentence,
    Let,
    Assign,
    If,
    ForEach,
    Divide,
    /// The text is the action: who, from, onto.
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
    // Changes.
    Change,
    // Ends of durations.
    Until,
    Moment,
    /// The text is the action; kids are subject, object, from, condition; then whether it is passive.
    Event,
    // Abilities. The last kid of each is a list of zones.
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
    /// What no text is made of.
    Other,
}

/// A node.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextNode {
    /// What it is.
    pub kind: TextNodeKind,
    /// Its word.
    pub text: SmolStr,
    /// Its parts.
    pub kids: Vec<TextNode>,
    /// Where it was written.
    pub span: Span,
}

impl TextNode {
    /// A node.
    #[must_use]
    pub fn new(kind: TextNodeKind, text: impl Into<SmolStr>, kids: Vec<Self>, span: Span) -> Self {
        Self { kind, text: text.into(), kids, span }
    }

    /// Nothing.
    #[must_use]
    pub fn nil() -> Self {
        Self::new(TextNodeKind::Nil, "", Vec::new(), Span::default())
    }

    /// A word.
    #[must_use]
    pub fn word(text: &str, span: Span) -> Self {
        Self::new(TextNodeKind::Word, text, Vec::new(), span)
    }

    /// Whether nothing was written.
    #[must_use]
    pub fn is_nil(&self) -> bool {
        self.kind == TextNodeKind::Nil
    }

    /// Whether it is this word.
    #[must_use]
    pub fn is_word(&self, word: &str) -> bool {
        self.kind == TextNodeKind::Word && self.text == word
    }

    /// A part.
    #[must_use]
    pub fn kid(&self, index: usize) -> &Self {
        static NIL: std::sync::LazyLock<TextNode> = std::sync::LazyLock::new(TextNode::nil);
        self.kids.get(index).unwrap_or(&NIL)
    }

    /// Whether it or a part of it is this word.
    #[must_use]
    pub fn mentions(&self, word: &str) -> bool {
        self.is_word(word) || self.kids.iter().any(|kid| kid.mentions(word))
    }

    /// With every such word replaced.
    #[must_use]
    pub fn with(&self, word: &str, value: &Self) -> Self {
        if self.is_word(word) {
            return value.clone();
        }
        let kids = self.kids.iter().map(|kid| kid.with(word, value)).collect();
        Self { kind: self.kind, text: self.text.clone(), kids, span: self.span }
    }

    /// How many parts it has that say something.
    #[must_use]
    pub fn weight(&self) -> usize {
        let own = usize::from(!matches!(self.kind, TextNodeKind::Nil | TextNodeKind::Hole));
        own + self.kids.iter().map(Self::weight).sum::<usize>()
    }

    /// The holes of a pattern.
    pub fn holes(&self, found: &mut Vec<SmolStr>) {
        if self.kind == TextNodeKind::Hole {
            found.push(self.text.clone());
        }
        for kid in &self.kids {
            kid.holes(found);
        }
    }
}

/// Whether a word of a pattern stands for whatever is there: a capital letter, digits perhaps.
#[must_use]
pub fn is_hole(word: &str) -> bool {
    let mut chars = word.chars();
    chars.next().is_some_and(|first| first.is_ascii_uppercase()) && chars.all(|c| c.is_ascii_digit())
}
