//! Builds expressions and phrases.

use smol_str::SmolStr;

use super::{AstBuilder, BuildResult, CstNode, MAX_CHAIN_LINKS, chain_too_long, unexpected_tree};
use crate::ast::{
    Aggregate, BinaryOp, Expr, ExprKind, Head, Name, Phrase, PhraseFilter, PhraseFilterKind, Quantifier, Span, TotalTest,
    crosses_zone,
};
use crate::edition;
use crate::parser::Rule;

/// The greatest number of operands of `and` and `or` that are nested to the left. Longer chains become balanced trees.
const MAX_LEFT_NESTED: usize = 8;

/// A bare head as an expression.
fn bare_head(head: Head, span: Span) -> Expr {
    Expr { kind: ExprKind::Phrase(Phrase { quantifier: None, other: false, head, filters: Vec::new() }), span }
}

/// A word as an expression.
pub(super) fn word_head(text: &str, span: Span) -> Expr {
    bare_head(Head::Word(Name { text: SmolStr::new(text), span }), span)
}

fn binary(op: BinaryOp, left: Expr, right: Expr) -> Expr {
    let span = left.span.to(right.span);
    Expr { kind: ExprKind::Binary { op, left: Box::new(left), right: Box::new(right) }, span }
}

/// Joins the operands of an associative operator, as a balanced tree of groups of at most [`MAX_LEFT_NESTED`] operands.
fn join(op: BinaryOp, mut operands: Vec<Expr>) -> Option<Expr> {
    if operands.len() > MAX_LEFT_NESTED {
        let right = operands.split_off(operands.len() / 2);
        return Some(binary(op, join(op, operands)?, join(op, right)?));
    }
    operands.into_iter().reduce(|left, right| binary(op, left, right))
}

/// The comparison of the rule `cmp`.
fn comparison_op(node: &CstNode<'_>) -> BinaryOp {
    match node.as_str() {
        "==" => BinaryOp::Equal,
        "!=" => BinaryOp::NotEqual,
        "<=" => BinaryOp::LessEqual,
        ">=" => BinaryOp::GreaterEqual,
        "<" => BinaryOp::Less,
        _ => BinaryOp::Greater,
    }
}

impl AstBuilder {
    /// Any node with a value.
    pub(crate) fn expr(&self, node: CstNode<'_>) -> BuildResult<Expr> {
        let span = self.span(&node);
        match node.as_rule() {
            Rule::expr
            | Rule::operand
            | Rule::pattern_subject
            | Rule::pattern_object
            | Rule::clause_object
            | Rule::plain_subject
            | Rule::plain_object => self.disjunction(node),
            Rule::both => {
                let operands = self
                    .children(node)
                    .filter(|kid| kid.as_rule() != Rule::k_and)
                    .map(|kid| self.expr(kid))
                    .collect::<BuildResult<_>>()?;
                join(BinaryOp::And, operands).ok_or_else(|| unexpected_tree(span))
            }
            Rule::negated => self.chain(node, |node| self.negation(node)),
            Rule::comparison | Rule::with_condition => self.comparison(node),
            Rule::sum | Rule::plain_sum => self.chain(node, |node| self.sum(node)),
            Rule::product | Rule::plain_product => self.chain(node, |node| self.product(node)),
            Rule::unary | Rule::plain_unary => self.chain(node, |node| self.unary(node)),
            Rule::choice => self.chain(node, |node| self.choice(node)),
            Rule::aggregate | Rule::plain_aggregate => self.aggregate(node),
            Rule::random_number => self.random_number(node),
            Rule::phrase | Rule::object_phrase | Rule::plain_phrase | Rule::value => self.phrase(node),
            Rule::value_number => self.unary(node),
            Rule::divided => self.expr(self.children(node).require()?),
            Rule::atom | Rule::noun_atom | Rule::possessive => {
                let head = self.atom(node)?;
                Ok(bare_head(head, span))
            }
            Rule::your => Ok(bare_head(self.pronoun_possessive(node)?, span)),
            _ => Ok(bare_head(self.atom_base(node)?, span)),
        }
    }

    fn disjunction(&self, node: CstNode<'_>) -> BuildResult<Expr> {
        let span = self.span(&node);
        let mut kids = self.children(node);
        if kids.peek() == Some(Rule::group) {
            // a subject of a pattern in parentheses
            let head = self.atom_base(kids.require()?)?;
            let posts = self.filters(kids, span)?;
            return Ok(Expr { kind: ExprKind::Phrase(Phrase { quantifier: None, other: false, head, filters: posts }), span });
        }
        let operands = kids
            .filter(|kid| !matches!(kid.as_rule(), Rule::k_or | Rule::k_into | Rule::k_to))
            .map(|kid| self.expr(kid))
            .collect::<BuildResult<_>>()?;
        join(BinaryOp::Or, operands).ok_or_else(|| unexpected_tree(span))
    }

    fn negation(&self, node: CstNode<'_>) -> BuildResult<Expr> {
        self.prefix_chain(node, Rule::k_not, ExprKind::Not, "remove `not` in pairs")
    }

    /// A prefix operator, repeated any number of times, and its operand.
    fn prefix_chain(
        &self,
        node: CstNode<'_>,
        operator: Rule,
        wrap: fn(Box<Expr>) -> ExprKind,
        too_many: &'static str,
    ) -> BuildResult<Expr> {
        let span = self.span(&node);
        let mut kids = self.children(node);
        let mut operators = Vec::new();
        while let Some(one) = kids.next_if(operator) {
            operators.push(self.span(&one));
        }
        if operators.len() > MAX_CHAIN_LINKS {
            return Err(chain_too_long(span, too_many));
        }
        let mut value = self.expr(kids.require()?)?;
        for operator in operators.into_iter().rev() {
            let span = operator.to(value.span);
            value = Expr { kind: wrap(Box::new(value)), span };
        }
        Ok(value)
    }

    fn comparison(&self, node: CstNode<'_>) -> BuildResult<Expr> {
        let span = self.span(&node);
        let mut kids = self.children(node);
        let left = self.expr(kids.require()?)?;
        let Some(test) = kids.next() else { return Ok(left) };
        let left = Box::new(left);
        let kind = match test.as_rule() {
            Rule::cmp => {
                let op = comparison_op(&test);
                ExprKind::Binary { op, left, right: Box::new(self.expr(kids.require()?)?) }
            }
            Rule::can_test => {
                let mut test = self.children(test);
                test.take_if(Rule::k_can);
                let mut passive = test.take_if(Rule::k_be);
                let mut verb = self.name(&test.require()?);
                edition::rename_event(&mut verb, &mut passive);
                test.take_if(Rule::k_by);
                let object = test.next().map(|object| self.expr(object)).transpose()?.map(Box::new);
                if object.is_none() && crosses_zone(&verb) {
                    self.has_shorthand.set(true);
                }
                ExprKind::Can { left, passive, verb, object }
            }
            Rule::has_test => ExprKind::Has { left, word: self.name(&self.children(test).find_label()?) },
            Rule::shares_test => {
                let mut test = self.children(test);
                let traits = self.name(&test.find(Rule::name)?);
                ExprKind::Shares { left, traits, right: Box::new(self.expr(test.find(Rule::sum)?)?) }
            }
            _ => {
                let mut test = self.children(test);
                test.take_if(Rule::k_is);
                let negated = test.take_if(Rule::k_not);
                ExprKind::Is { left, right: Box::new(self.expr(test.require()?)?), negated }
            }
        };
        Ok(Expr { kind, span })
    }

    /// Builds a chain. Its first operand is one level deeper for each link.
    fn chain(&self, node: CstNode<'_>, build: impl FnOnce(CstNode<'_>) -> BuildResult<Expr>) -> BuildResult<Expr> {
        let links = self.children(node).count() / 2;
        self.nested(links.min(MAX_CHAIN_LINKS), self.span(&node), || build(node))
    }

    fn sum(&self, node: CstNode<'_>) -> BuildResult<Expr> {
        let span = self.span(&node);
        let mut kids = self.children(node);
        let mut value = self.expr(kids.require()?)?;
        let mut length = 0;
        while let Some(sign) = kids.next() {
            length += 1;
            if length > MAX_CHAIN_LINKS {
                return Err(chain_too_long(span, "name parts of this sum with `let`"));
            }
            let op = if sign.as_rule() == Rule::plus { BinaryOp::Add } else { BinaryOp::Subtract };
            value = binary(op, value, self.expr(kids.require()?)?);
        }
        Ok(value)
    }

    fn product(&self, node: CstNode<'_>) -> BuildResult<Expr> {
        let span = self.span(&node);
        let mut kids = self.children(node);
        let mut value = self.expr(kids.require()?)?;
        let mut length = 0;
        while let Some(sign) = kids.next() {
            length += 1;
            if length > MAX_CHAIN_LINKS {
                return Err(chain_too_long(span, "name parts of this product with `let`"));
            }
            let right = self.expr(kids.require()?)?;
            if sign.as_rule() == Rule::star {
                value = binary(BinaryOp::Multiply, value, right);
                continue;
            }
            let rounded = kids.require()?;
            let end = self.span(&rounded);
            let up = self.children(rounded).any(|kid| kid.as_rule() == Rule::k_up);
            value = binary(if up { BinaryOp::DivideUp } else { BinaryOp::DivideDown }, value, right);
            value.span = value.span.to(end);
        }
        Ok(value)
    }

    fn unary(&self, node: CstNode<'_>) -> BuildResult<Expr> {
        self.prefix_chain(node, Rule::minus, ExprKind::Negative, "remove `-` in pairs")
    }

    /// `if A { x } otherwise if B { y } otherwise { z }`
    fn choice(&self, node: CstNode<'_>) -> BuildResult<Expr> {
        let span = self.span(&node);
        let parts: Vec<CstNode<'_>> = self.children(node).filter(|kid| kid.as_rule() == Rule::expr).collect();
        if parts.len() > 2 * MAX_CHAIN_LINKS {
            return Err(chain_too_long(span, "write fewer `otherwise if`"));
        }
        let mut parts = parts.into_iter().rev();
        let mut value = self.expr(parts.next().ok_or_else(|| unexpected_tree(span))?)?;
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
        let mut ends = self.children(node).filter(|kid| matches!(kid.as_rule(), Rule::number | Rule::group));
        let mut end = || self.expr(ends.next().ok_or_else(|| unexpected_tree(span))?);
        let kind = ExprKind::RandomNumber { from: Box::new(end()?), to: Box::new(end()?) };
        Ok(Expr { kind, span })
    }

    fn aggregate(&self, node: CstNode<'_>) -> BuildResult<Expr> {
        let span = self.span(&node);
        let mut kids = self.children(node);
        let kind = match kids.require()?.as_rule() {
            Rule::k_count => Aggregate::Count,
            Rule::k_sum => Aggregate::Sum,
            Rule::k_highest => Aggregate::Highest,
            _ => Aggregate::Lowest,
        };
        kids.take_if(Rule::k_of);
        let property = kids.next_if(Rule::name).map(|name| self.name(&name));
        kids.take_if(Rule::k_of);
        Ok(Expr { kind: ExprKind::Aggregate { kind, property, over: Box::new(self.expr(kids.require()?)?) }, span })
    }

    /// A phrase: a core and its filters. `plain_phrase` has a head in the place of a core.
    fn phrase(&self, node: CstNode<'_>) -> BuildResult<Expr> {
        let span = self.span(&node);
        let mut kids = self.children(node);
        let core = kids.require()?;
        let mut phrase = match core.as_rule() {
            Rule::counted | Rule::grouped => self.counted_phrase(core)?,
            Rule::ranged => self.ranged_phrase(core)?,
            Rule::quantified => self.quantified_phrase(core)?,
            Rule::filter => {
                let mut parts = self.children(core);
                let other = parts.take_if(Rule::k_other);
                Phrase { quantifier: None, other, head: self.atom(parts.require()?)?, filters: Vec::new() }
            }
            Rule::value_number | Rule::phrase => return self.expr(core),
            Rule::atom => Phrase { quantifier: None, other: false, head: self.atom(core)?, filters: Vec::new() },
            _ => Phrase { quantifier: None, other: false, head: self.atom_base(core)?, filters: Vec::new() },
        };
        phrase.filters = self.filters(kids, span)?;
        Ok(Expr { kind: ExprKind::Phrase(phrase), span })
    }

    /// `2`, `2 other card`, `2 target card`, `(x)`, `(x) card`, `(x)'s hand`
    fn counted_phrase(&self, node: CstNode<'_>) -> BuildResult<Phrase> {
        let mut kids = self.children(node);
        let count = kids.require()?;
        let count_span = self.span(&count);
        let count = self.atom_base(count)?;
        let target = kids.take_if(Rule::k_target);
        let other = kids.take_if(Rule::k_other);
        match kids.next() {
            None => Ok(Phrase { quantifier: None, other: false, head: count, filters: Vec::new() }),
            Some(node) if node.as_rule() == Rule::noun_atom => {
                let head = self.atom(node)?;
                let count = Box::new(bare_head(count, count_span));
                let quantifier =
                    if target { Quantifier::Target { count: Some(count), up_to: false } } else { Quantifier::Exactly(count) };
                Ok(Phrase { quantifier: Some(quantifier), other, head, filters: Vec::new() })
            }
            Some(node) => {
                let head = self.possessives(count, count_span, std::iter::once(node).chain(kids))?;
                Ok(Phrase { quantifier: None, other: false, head, filters: Vec::new() })
            }
        }
    }

    /// `1 to 3 target card`
    fn ranged_phrase(&self, node: CstNode<'_>) -> BuildResult<Phrase> {
        let mut kids = self.children(node);
        let least = Box::new(self.expr(kids.require()?)?);
        kids.take_if(Rule::k_to);
        let most = Box::new(self.expr(kids.require()?)?);
        let target = kids.take_if(Rule::k_target);
        let other = kids.take_if(Rule::k_other);
        let head = self.atom(kids.require()?)?;
        Ok(Phrase { quantifier: Some(Quantifier::Range { min: least, max: most, target }), other, head, filters: Vec::new() })
    }

    fn quantified_phrase(&self, node: CstNode<'_>) -> BuildResult<Phrase> {
        let mut kids = self.children(node);
        let quantifier = self.quantifier(kids.require()?)?;
        let other = kids.take_if(Rule::k_other);
        Ok(Phrase { quantifier: Some(quantifier), other, head: self.atom(kids.require()?)?, filters: Vec::new() })
    }

    fn quantifier(&self, node: CstNode<'_>) -> BuildResult<Quantifier> {
        let span = self.span(&node);
        let kid = self.children(node).require()?;
        Ok(match kid.as_rule() {
            Rule::k_each | Rule::k_all => Quantifier::Each,
            Rule::k_some => Quantifier::Some,
            Rule::k_no => Quantifier::No,
            Rule::k_target => Quantifier::Target { count: None, up_to: false },
            Rule::any_number => Quantifier::AnyNumber,
            Rule::up_to_count => {
                let mut kids = self.children(kid);
                kids.take_if(Rule::k_up);
                kids.take_if(Rule::k_to);
                let count = Box::new(self.expr(kids.require()?)?);
                if kids.take_if(Rule::k_target) {
                    Quantifier::Target { count: Some(count), up_to: true }
                } else {
                    Quantifier::UpTo(count)
                }
            }
            rule => {
                let count = match self.children(kid).nth(1) {
                    Some(count) => self.expr(count)?,
                    None => bare_head(Head::Number(1), span),
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

    /// An atom: a base, and possessives after it.
    pub(super) fn atom(&self, node: CstNode<'_>) -> BuildResult<Head> {
        let mut kids = self.children(node);
        let base = kids.require()?;
        let span = self.span(&base);
        let head = self.atom_base(base)?;
        self.possessives(head, span, kids)
    }

    fn possessives<'i>(&self, mut head: Head, mut span: Span, names: impl Iterator<Item = CstNode<'i>>) -> BuildResult<Head> {
        let mut length = 0;
        for name in names.filter(|name| name.as_rule() == Rule::name) {
            length += 1;
            let word = self.name(&name);
            if length > MAX_CHAIN_LINKS {
                return Err(chain_too_long(span.to(word.span), "name a part of this chain with `let`"));
            }
            let end = word.span;
            head = Head::Possessive { owner: Box::new(bare_head(head, span)), word };
            span = span.to(end);
        }
        Ok(head)
    }

    /// `your hand`, `its owner's hand`
    fn pronoun_possessive(&self, node: CstNode<'_>) -> BuildResult<Head> {
        let mut kids = self.children(node);
        let whose = kids.require()?;
        let span = self.span(&whose);
        let head = Head::Word(Name { text: SmolStr::new(if whose.as_rule() == Rule::k_its { "it" } else { "you" }), span });
        self.possessives(head, span, kids)
    }

    /// A head without possessives.
    fn atom_base(&self, node: CstNode<'_>) -> BuildResult<Head> {
        Ok(match node.as_rule() {
            Rule::quoted => Head::Quoted(self.name(&node)),
            Rule::number => Head::Number(self.number(&node)?),
            Rule::price => Head::Price(self.price(node)),
            Rule::group => {
                let inner = self.children(node).require()?;
                Head::Group(Box::new(self.nested(1, self.span(&node), || self.expr(inner))?))
            }
            Rule::list => {
                let items = || self.children(node).map(|kid| self.expr(kid)).collect::<BuildResult<_>>();
                Head::List(self.nested(1, self.span(&node), items)?)
            }
            Rule::your => self.pronoun_possessive(node)?,
            Rule::possessive => self.atom(node)?,
            Rule::word_or_call => {
                let mut kids = self.children(node);
                let word = kids.require()?;
                match kids.next() {
                    Some(called) => {
                        let mut name = self.name(&word);
                        if let Some(renamed) = edition::renamed_function(&name.text) {
                            name.text = renamed.into();
                        }
                        Head::Call { name, args: self.arguments(called)? }
                    }
                    None => Head::Word(self.name(&word)),
                }
            }
            Rule::pronoun | Rule::k_true | Rule::k_false if matches!(node.as_str(), "true" | "false") => {
                Head::Bool(node.as_str() == "true")
            }
            _ => Head::Word(self.trimmed_name(&node)),
        })
    }

    /// `name(a, b)`: the name and the arguments.
    pub(super) fn call_form(&self, node: CstNode<'_>) -> BuildResult<(Name, Vec<Expr>)> {
        let mut kids = self.children(node);
        let name = self.name(&kids.require()?);
        Ok((name, self.arguments(kids.require()?)?))
    }

    /// `(a, b)` after a name.
    pub(super) fn arguments(&self, node: CstNode<'_>) -> BuildResult<Vec<Expr>> {
        let arguments = self.children(node).find(Rule::arguments)?;
        self.nested(1, self.span(&node), || self.children(arguments).map(|kid| self.expr(kid)).collect())
    }

    pub(super) fn price(&self, node: CstNode<'_>) -> Vec<Name> {
        node.into_inner().map(|symbol| self.symbol(&symbol)).collect()
    }

    /// A symbol without its braces.
    pub(super) fn symbol(&self, node: &CstNode<'_>) -> Name {
        let text = node.as_str().trim_start_matches('{').trim_end_matches('}');
        Name { text: text.into(), span: self.span(node) }
    }

    /// The filters of a phrase. Each `of` can be one level of meaning, so that their number is limited.
    fn filters<'n>(&self, nodes: impl Iterator<Item = CstNode<'n>>, span: Span) -> BuildResult<Vec<PhraseFilter>> {
        let mut filters = Vec::new();
        for node in nodes {
            if filters.len() >= MAX_CHAIN_LINKS {
                return Err(chain_too_long(span, "name a part of this chain with `let`"));
            }
            filters.push(self.filter(node)?);
        }
        Ok(filters)
    }

    fn filter(&self, node: CstNode<'_>) -> BuildResult<PhraseFilter> {
        let span = self.span(&node);
        let rule = node.as_rule();
        let mut kids = self.children(node);
        if rule == Rule::total_post {
            let property = self.name(&kids.find(Rule::name)?);
            let op = comparison_op(&kids.find(Rule::cmp)?);
            let amount = self.expr(kids.find(Rule::plain_sum)?)?;
            return Ok(PhraseFilter { kind: PhraseFilterKind::Total(Box::new(TotalTest { property, op, amount })), span });
        }
        let mut negated = false;
        let last = loop {
            let kid = kids.require()?;
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
            // only `that (…)` is left: the condition without its parentheses
            _ => PhraseFilterKind::That(self.expr(self.children(last).require()?)?),
        };
        Ok(PhraseFilter { kind, span })
    }
}
