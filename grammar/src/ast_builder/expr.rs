//! Expressions and phrases.

use smol_str::SmolStr;

use super::{AstBuilder, BuildResult, CHAIN_LIMIT, CstNode, too_long, unreadable};
use crate::ast::{Aggregate, BinaryOp, Expr, ExprKind, Head, Name, Phrase, PhraseFilter, PhraseFilterKind, Quantifier, Span};
use crate::edition;
use crate::parser::Rule;

/// Chains of `and` and `or` longer than this are built as balanced trees.
const FLAT: usize = 8;

/// A bare head as an expression.
fn headed(head: Head, span: Span) -> Expr {
    Expr { kind: ExprKind::Phrase(Phrase { quantifier: None, other: false, head, posts: Vec::new() }), span }
}

/// A word as an expression.
pub(super) fn worded(text: &str, span: Span) -> Expr {
    headed(Head::Word(Name { text: SmolStr::new(text), span }), span)
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    Expr { kind: ExprKind::Binary { op, left: Box::new(left), right: Box::new(right) }, span }
}

/// Joins operands of an associative operator: to the left while they are few, balanced when they are many.
fn join(op: BinaryOp, mut operands: Vec<Expr>) -> Option<Expr> {
    if operands.len() > FLAT {
        let right = operands.split_off(operands.len() / 2);
        return Some(binary(op, join(op, operands)?, join(op, right)?));
    }
    operands.into_iter().reduce(|left, right| binary(op, left, right))
}

impl AstBuilder {
    /// Any node that stands for a value.
    pub(crate) fn expr(&self, node: CstNode<'_>) -> BuildResult<Expr> {
        let span = self.span(&node);
        match node.as_rule() {
            Rule::expr
            | Rule::operand
            | Rule::pattern_subject
            | Rule::pattern_object
            | Rule::clause_object
            | Rule::plain_subject
            | Rule::plain_object => self.either(node),
            Rule::both => {
                let operands = self
                    .kids(node)
                    .filter(|kid| kid.as_rule() != Rule::k_and)
                    .map(|kid| self.expr(kid))
                    .collect::<BuildResult<_>>()?;
                join(BinaryOp::And, operands).ok_or_else(|| unreadable(span))
            }
            Rule::negated => self.negated(node),
            Rule::comparison | Rule::with_condition => self.comparison(node),
            Rule::sum | Rule::plain_sum => self.sum(node),
            Rule::product | Rule::plain_product => self.product(node),
            Rule::unary | Rule::plain_unary => self.unary(node),
            Rule::choice => self.choice(node),
            Rule::aggregate | Rule::plain_aggregate => self.aggregate(node),
            Rule::random_number => self.random_number(node),
            Rule::phrase | Rule::object_phrase | Rule::plain_phrase | Rule::value => self.phrase(node),
            Rule::value_number => self.unary(node),
            Rule::divided => self.expr(self.kids(node).need()?),
            Rule::atom | Rule::noun_atom | Rule::possessive => {
                let head = self.atom(node)?;
                Ok(headed(head, span))
            }
            Rule::your => Ok(headed(self.your(node)?, span)),
            _ => Ok(headed(self.base(node)?, span)),
        }
    }

    fn either(&self, node: CstNode<'_>) -> BuildResult<Expr> {
        let span = self.span(&node);
        let mut kids = self.kids(node);
        if kids.peek() == Some(Rule::group) {
            // the subject of a pattern in parentheses
            let head = self.base(kids.need()?)?;
            let posts = kids.map(|kid| self.post(kid)).collect::<BuildResult<_>>()?;
            return Ok(Expr { kind: ExprKind::Phrase(Phrase { quantifier: None, other: false, head, posts }), span });
        }
        let operands = kids
            .filter(|kid| !matches!(kid.as_rule(), Rule::k_or | Rule::k_into | Rule::k_to))
            .map(|kid| self.expr(kid))
            .collect::<BuildResult<_>>()?;
        join(BinaryOp::Or, operands).ok_or_else(|| unreadable(span))
    }

    fn negated(&self, node: CstNode<'_>) -> BuildResult<Expr> {
        self.prefixed(node, Rule::k_not, ExprKind::Not, "so many `not` cancel out")
    }

    /// A prefix operator, written any number of times, and its operand.
    fn prefixed(
        &self,
        node: CstNode<'_>,
        operator: Rule,
        wrap: fn(Box<Expr>) -> ExprKind,
        too_many: &'static str,
    ) -> BuildResult<Expr> {
        let span = self.span(&node);
        let mut kids = self.kids(node);
        let mut operators = Vec::new();
        while let Some(one) = kids.next_if(operator) {
            operators.push(self.span(&one));
        }
        if operators.len() > CHAIN_LIMIT {
            return Err(too_long(span, too_many));
        }
        let mut value = self.expr(kids.need()?)?;
        for operator in operators.into_iter().rev() {
            let span = operator.to(value.span);
            value = Expr { kind: wrap(Box::new(value)), span };
        }
        Ok(value)
    }

    fn comparison(&self, node: CstNode<'_>) -> BuildResult<Expr> {
        let span = self.span(&node);
        let mut kids = self.kids(node);
        let left = self.expr(kids.need()?)?;
        let Some(test) = kids.next() else { return Ok(left) };
        let left = Box::new(left);
        let kind = match test.as_rule() {
            Rule::cmp => {
                let op = match test.as_str() {
                    "==" => BinaryOp::Equal,
                    "!=" => BinaryOp::NotEqual,
                    "<=" => BinaryOp::LessEqual,
                    ">=" => BinaryOp::GreaterEqual,
                    "<" => BinaryOp::Less,
                    _ => BinaryOp::Greater,
                };
                ExprKind::Binary { op, left, right: Box::new(self.expr(kids.need()?)?) }
            }
            Rule::can_test => {
                let mut test = self.kids(test);
                test.take_if(Rule::k_can);
                let mut passive = test.take_if(Rule::k_be);
                let mut verb = self.name(&test.need()?);
                edition::rename_event(&mut verb, &mut passive);
                let object = test.next().map(|object| self.expr(object)).transpose()?.map(Box::new);
                ExprKind::Can { left, passive, verb, object }
            }
            Rule::has_test => ExprKind::Has { left, word: self.name(&self.kids(test).find_label()?) },
            Rule::shares_test => {
                let mut test = self.kids(test);
                let traits = self.name(&test.find(Rule::name)?);
                ExprKind::Shares { left, traits, right: Box::new(self.expr(test.find(Rule::sum)?)?) }
            }
            _ => {
                let mut test = self.kids(test);
                test.take_if(Rule::k_is);
                let negated = test.take_if(Rule::k_not);
                ExprKind::Is { left, right: Box::new(self.expr(test.need()?)?), negated }
            }
        };
        Ok(Expr { kind, span })
    }

    fn sum(&self, node: CstNode<'_>) -> BuildResult<Expr> {
        let span = self.span(&node);
        let mut kids = self.kids(node);
        let mut value = self.expr(kids.need()?)?;
        let mut length = 0;
        while let Some(sign) = kids.next() {
            length += 1;
            if length > CHAIN_LIMIT {
                return Err(too_long(span, "name parts of this sum with `let`"));
            }
            let op = if sign.as_rule() == Rule::plus { BinaryOp::Add } else { BinaryOp::Subtract };
            value = binary(op, value, self.expr(kids.need()?)?);
        }
        Ok(value)
    }

    fn product(&self, node: CstNode<'_>) -> BuildResult<Expr> {
        let span = self.span(&node);
        let mut kids = self.kids(node);
        let mut value = self.expr(kids.need()?)?;
        let mut length = 0;
        while let Some(sign) = kids.next() {
            length += 1;
            if length > CHAIN_LIMIT {
                return Err(too_long(span, "name parts of this product with `let`"));
            }
            let right = self.expr(kids.need()?)?;
            if sign.as_rule() == Rule::star {
                value = binary(BinaryOp::Multiply, value, right);
                continue;
            }
            let rounded = kids.need()?;
            let end = self.span(&rounded);
            let up = self.kids(rounded).any(|kid| kid.as_rule() == Rule::k_up);
            value = binary(if up { BinaryOp::DivideUp } else { BinaryOp::DivideDown }, value, right);
            value.span = value.span.to(end);
        }
        Ok(value)
    }

    fn unary(&self, node: CstNode<'_>) -> BuildResult<Expr> {
        self.prefixed(node, Rule::minus, ExprKind::Negative, "so many `-` cancel out")
    }

    /// `if A { x } otherwise if B { y } otherwise { z }`
    fn choice(&self, node: CstNode<'_>) -> BuildResult<Expr> {
        let span = self.span(&node);
        let parts: Vec<CstNode<'_>> = self.kids(node).filter(|kid| kid.as_rule() == Rule::expr).collect();
        if parts.len() > 2 * CHAIN_LIMIT {
            return Err(too_long(span, "write fewer `otherwise if`"));
        }
        let mut parts = parts.into_iter().rev();
        let mut value = self.expr(parts.next().ok_or_else(|| unreadable(span))?)?;
        while let (Some(then), Some(condition)) = (parts.next(), parts.next()) {
            let (then, condition) = (self.expr(then)?, self.expr(condition)?);
            let here = Span { end: span.end, ..condition.span };
            let kind = ExprKind::If { condition: Box::new(condition), then: Box::new(then), otherwise: Box::new(value) };
            value = Expr { kind, span: here };
        }
        value.span = span;
        Ok(value)
    }

    fn random_number(&self, node: CstNode<'_>) -> BuildResult<Expr> {
        let span = self.span(&node);
        let mut ends = self.kids(node).filter(|kid| matches!(kid.as_rule(), Rule::number | Rule::group));
        let mut end = || self.expr(ends.next().ok_or_else(|| unreadable(span))?);
        let kind = ExprKind::RandomNumber { from: Box::new(end()?), to: Box::new(end()?) };
        Ok(Expr { kind, span })
    }

    fn aggregate(&self, node: CstNode<'_>) -> BuildResult<Expr> {
        let span = self.span(&node);
        let mut kids = self.kids(node);
        let kind = match kids.need()?.as_rule() {
            Rule::k_count => Aggregate::Count,
            Rule::k_sum => Aggregate::Sum,
            Rule::k_highest => Aggregate::Highest,
            _ => Aggregate::Lowest,
        };
        kids.take_if(Rule::k_of);
        let property = kids.next_if(Rule::name).map(|name| self.name(&name));
        kids.take_if(Rule::k_of);
        Ok(Expr { kind: ExprKind::Aggregate { kind, property, over: Box::new(self.expr(kids.need()?)?) }, span })
    }

    /// A core and its posts; `plain_phrase` has its head in place of a core.
    fn phrase(&self, node: CstNode<'_>) -> BuildResult<Expr> {
        let span = self.span(&node);
        let mut kids = self.kids(node);
        let core = kids.need()?;
        let mut phrase = match core.as_rule() {
            Rule::counted | Rule::grouped => self.counted(core)?,
            Rule::ranged => self.ranged(core)?,
            Rule::quantified => self.quantified(core)?,
            Rule::filter => {
                let mut parts = self.kids(core);
                let other = parts.take_if(Rule::k_other);
                Phrase { quantifier: None, other, head: self.atom(parts.need()?)?, posts: Vec::new() }
            }
            Rule::value_number | Rule::phrase => return self.expr(core),
            Rule::atom => Phrase { quantifier: None, other: false, head: self.atom(core)?, posts: Vec::new() },
            _ => Phrase { quantifier: None, other: false, head: self.base(core)?, posts: Vec::new() },
        };
        for post in kids {
            phrase.posts.push(self.post(post)?);
        }
        Ok(Expr { kind: ExprKind::Phrase(phrase), span })
    }

    /// `2`, `2 other card`, `2 target card`, `(x)`, `(x) card`, `(x)'s hand`
    fn counted(&self, node: CstNode<'_>) -> BuildResult<Phrase> {
        let mut kids = self.kids(node);
        let count = kids.need()?;
        let count_span = self.span(&count);
        let count = self.base(count)?;
        let target = kids.take_if(Rule::k_target);
        let other = kids.take_if(Rule::k_other);
        match kids.next() {
            None => Ok(Phrase { quantifier: None, other: false, head: count, posts: Vec::new() }),
            Some(node) if node.as_rule() == Rule::noun_atom => {
                let head = self.atom(node)?;
                let count = Box::new(headed(count, count_span));
                let quantifier =
                    if target { Quantifier::Target { count: Some(count), up_to: false } } else { Quantifier::Exactly(count) };
                Ok(Phrase { quantifier: Some(quantifier), other, head, posts: Vec::new() })
            }
            Some(node) => {
                let head = self.possessives(count, count_span, std::iter::once(node).chain(kids))?;
                Ok(Phrase { quantifier: None, other: false, head, posts: Vec::new() })
            }
        }
    }

    /// `1 to 3 target card`
    fn ranged(&self, node: CstNode<'_>) -> BuildResult<Phrase> {
        let mut kids = self.kids(node);
        let least = Box::new(self.expr(kids.need()?)?);
        kids.take_if(Rule::k_to);
        let most = Box::new(self.expr(kids.need()?)?);
        let target = kids.take_if(Rule::k_target);
        let other = kids.take_if(Rule::k_other);
        let head = self.atom(kids.need()?)?;
        Ok(Phrase { quantifier: Some(Quantifier::Range { least, most, target }), other, head, posts: Vec::new() })
    }

    fn quantified(&self, node: CstNode<'_>) -> BuildResult<Phrase> {
        let mut kids = self.kids(node);
        let quantifier = self.quantifier(kids.need()?)?;
        let other = kids.take_if(Rule::k_other);
        Ok(Phrase { quantifier: Some(quantifier), other, head: self.atom(kids.need()?)?, posts: Vec::new() })
    }

    fn quantifier(&self, node: CstNode<'_>) -> BuildResult<Quantifier> {
        let span = self.span(&node);
        let kid = self.kids(node).need()?;
        Ok(match kid.as_rule() {
            Rule::k_each | Rule::k_all => Quantifier::Each,
            Rule::k_some => Quantifier::Some,
            Rule::k_no => Quantifier::No,
            Rule::k_target => Quantifier::Target { count: None, up_to: false },
            Rule::any_number => Quantifier::AnyNumber,
            Rule::up_to_count => {
                let mut kids = self.kids(kid);
                kids.take_if(Rule::k_up);
                kids.take_if(Rule::k_to);
                let count = Box::new(self.expr(kids.need()?)?);
                if kids.take_if(Rule::k_target) {
                    Quantifier::Target { count: Some(count), up_to: true }
                } else {
                    Quantifier::UpTo(count)
                }
            }
            rule => {
                let count = match self.kids(kid).nth(1) {
                    Some(count) => self.expr(count)?,
                    None => headed(Head::Number(1), span),
                };
                let count = Box::new(count);
                match rule {
                    Rule::random => Quantifier::Random(count),
                    Rule::top => Quantifier::Top(count),
                    _ => Quantifier::Bottom(count),
                }
            }
        })
    }

    /// An atom: a base and what it possesses.
    pub(super) fn atom(&self, node: CstNode<'_>) -> BuildResult<Head> {
        let mut kids = self.kids(node);
        let base = kids.need()?;
        let span = self.span(&base);
        let head = self.base(base)?;
        self.possessives(head, span, kids)
    }

    fn possessives<'i>(&self, mut head: Head, mut span: Span, names: impl Iterator<Item = CstNode<'i>>) -> BuildResult<Head> {
        let mut length = 0;
        for name in names.filter(|name| name.as_rule() == Rule::name) {
            length += 1;
            let word = self.name(&name);
            if length > CHAIN_LIMIT {
                return Err(too_long(span.to(word.span), "name a part of this chain with `let`"));
            }
            let end = word.span;
            head = Head::Possessive { owner: Box::new(headed(head, span)), word };
            span = span.to(end);
        }
        Ok(head)
    }

    /// `your hand`, `its owner's hand`
    fn your(&self, node: CstNode<'_>) -> BuildResult<Head> {
        let mut kids = self.kids(node);
        let whose = kids.need()?;
        let span = self.span(&whose);
        let head = Head::Word(Name { text: SmolStr::new(if whose.as_rule() == Rule::k_its { "it" } else { "you" }), span });
        self.possessives(head, span, kids)
    }

    /// A head that possesses nothing.
    fn base(&self, node: CstNode<'_>) -> BuildResult<Head> {
        Ok(match node.as_rule() {
            Rule::quoted => Head::Quoted(self.name(&node)),
            Rule::number => Head::Number(self.number(&node)?),
            Rule::price => Head::Price(self.price(node)),
            Rule::group => Head::Group(Box::new(self.expr(self.kids(node).need()?)?)),
            Rule::list => Head::List(self.kids(node).map(|kid| self.expr(kid)).collect::<BuildResult<_>>()?),
            Rule::your => self.your(node)?,
            Rule::possessive => self.atom(node)?,
            Rule::word_or_call => {
                let mut kids = self.kids(node);
                let word = kids.need()?;
                match kids.next() {
                    Some(called) => {
                        let mut name = self.name(&word);
                        if let Some(renamed) = edition::renamed_function(&name.text) {
                            name.text = renamed.into();
                        }
                        Head::Call { name, args: self.called(called)? }
                    }
                    None => Head::Word(self.name(&word)),
                }
            }
            Rule::pronoun | Rule::k_true | Rule::k_false if matches!(node.as_str(), "true" | "false") => {
                Head::Bool(node.as_str() == "true")
            }
            _ => Head::Word(Name { text: node.as_str().trim_end().into(), span: self.span(&node) }),
        })
    }

    /// `name(a, b)`: the name and the arguments.
    pub(super) fn call_form(&self, node: CstNode<'_>) -> BuildResult<(Name, Vec<Expr>)> {
        let mut kids = self.kids(node);
        let name = self.name(&kids.need()?);
        Ok((name, self.called(kids.need()?)?))
    }

    /// `(a, b)` behind a name.
    fn called(&self, node: CstNode<'_>) -> BuildResult<Vec<Expr>> {
        let arguments = self.kids(node).find(Rule::arguments)?;
        self.kids(arguments).map(|kid| self.expr(kid)).collect()
    }

    fn price(&self, node: CstNode<'_>) -> Vec<Name> {
        let unit = |symbol: CstNode<'_>| {
            let text = symbol.as_str().trim_start_matches('{').trim_end_matches('}');
            Name { text: text.into(), span: self.span(&symbol) }
        };
        node.into_inner().map(unit).collect()
    }

    fn post(&self, node: CstNode<'_>) -> BuildResult<PhraseFilter> {
        let span = self.span(&node);
        let rule = node.as_rule();
        let mut kids = self.kids(node);
        let mut negated = false;
        let last = loop {
            let kid = kids.need()?;
            match kid.as_rule() {
                Rule::k_of
                | Rule::k_in
                | Rule::k_from
                | Rule::k_with
                | Rule::k_without
                | Rule::k_that
                | Rule::k_is
                | Rule::k_has => {}
                Rule::k_not => negated = true,
                _ => break kid,
            }
        };
        let kind = match rule {
            Rule::of_post => PhraseFilterKind::Of(self.expr(last)?),
            Rule::in_post | Rule::from_post => PhraseFilterKind::In(self.expr(last)?),
            Rule::with_post => PhraseFilterKind::With(self.expr(last)?),
            Rule::without_post => PhraseFilterKind::Without(self.name(&last)),
            Rule::that_is => PhraseFilterKind::ThatIs { what: self.expr(last)?, negated },
            Rule::that_has => PhraseFilterKind::ThatHas(self.name(&last)),
            // the grammar leaves `that (…)`: the condition without its parentheses
            _ => PhraseFilterKind::That(self.expr(self.kids(last).need()?)?),
        };
        Ok(PhraseFilter { kind, span })
    }
}
