//! Builds the forms that the compiler expands by declarations of the game: abilities with their costs first, keywords with a block, and
//! pairs of numbers.

use super::{AstBuilder, BuildResult, Children, CstNode, MAX_CHAIN_LINKS};
use crate::ast::{
    Block, CostPart, CostedAbility, Expr, ExprKind, Fact, Head, KeywordArgument, KeywordBlock, Link, Modification,
    ModificationKind, Name, PAIR_PARTS, Phrase, Span, Statement, StatementKind,
};
use crate::error::{SyntaxError, SyntaxErrorKind};
use crate::parser::Rule;

impl AstBuilder {
    pub(super) fn costed(&self, kids: Children<'_>) -> BuildResult<CostedAbility> {
        self.has_shorthand.set(true);
        let mut costed = CostedAbility { label: None, parts: Vec::new(), produces: None, body: Block::default() };
        for kid in kids {
            match kid.as_rule() {
                Rule::quoted => costed.label = Some(self.name(&kid)),
                Rule::cost_part => {
                    let part = self.cost_part(self.children(kid).require()?)?;
                    let limited = |part: &CostPart| matches!(part, CostPart::Limit(_));
                    if limited(&part) && costed.parts.iter().any(limited) {
                        let kind = SyntaxErrorKind::Notation { message: "an ability has one limit".into(), replacement: None };
                        let help = Some("leave one of them out".to_owned());
                        return Err(SyntaxError { span: self.span(&kid), kind, help });
                    }
                    costed.parts.push(part);
                }
                Rule::play_produces => {
                    costed.body.span = self.span(&kid);
                    costed.produces = Some(self.expr(self.children(kid).find(Rule::expr)?)?);
                }
                Rule::block | Rule::line => costed.body = self.block(kid)?,
                _ => {}
            }
        }
        Ok(costed)
    }

    fn cost_part(&self, node: CstNode<'_>) -> BuildResult<CostPart> {
        let span = self.span(&node);
        let rule = node.as_rule();
        Ok(match rule {
            Rule::k_usable_while_paying => CostPart::DuringPayment,
            Rule::limit => CostPart::Limit(self.limit(node)?),
            Rule::price => CostPart::Symbols(self.price(node), span),
            Rule::play_when => CostPart::When(self.expr(self.children(node).find(Rule::expr)?)?),
            Rule::play_price => {
                let mut parts = self.children(node);
                CostPart::Price(self.expr(parts.find(Rule::expr)?)?, self.inner_condition(&mut parts, Rule::price_if)?)
            }
            _ => {
                let calls = self.children(node).filter(|kid| kid.as_rule() == Rule::call).map(|call| self.call(call));
                let kind = StatementKind::Calls(calls.collect::<BuildResult<_>>()?);
                CostPart::Statement(Statement { link: Link::Next, kind, span })
            }
        })
    }

    pub(super) fn keyword_block(&self, mut kids: Children<'_>, span: Span) -> BuildResult<KeywordBlock> {
        self.has_shorthand.set(true);
        let label = kids.next_if(Rule::quoted).map(|label| self.name(&label));
        let keyword = self.name(&kids.find(Rule::name)?);
        let mut uses = Vec::new();
        if let Some(written) = kids.next_if(Rule::keyword_args) {
            for kid in self.children(written) {
                if kid.as_rule() == Rule::keyword_group {
                    let values = self.arguments(kid)?.into_iter();
                    let plain = |value: Expr| KeywordArgument { label: argument_label(&value), value };
                    uses.push(values.map(plain).collect());
                } else {
                    uses.push(vec![self.keyword_number(kid)?]);
                }
            }
        } else {
            uses.push(Vec::new());
        }
        if uses.len() > MAX_CHAIN_LINKS {
            return Err(super::chain_too_long(span, "write fewer numbers"));
        }
        let last = kids.require()?;
        let colon = last.as_rule() == Rule::colon_body;
        let body = if colon { self.body(&mut self.children(last))? } else { self.block(last)? };
        Ok(KeywordBlock { label, keyword, uses, colon, body })
    }

    /// `2`, `+2`, `-1`, `IV`
    fn keyword_number(&self, node: CstNode<'_>) -> BuildResult<KeywordArgument> {
        let span = self.span(&node);
        let mut parts = self.children(node);
        let sign = match parts.peek() {
            Some(Rule::plus) => "plus_",
            Some(Rule::minus) => "minus_",
            _ => "",
        };
        if !sign.is_empty() {
            parts.require()?;
        }
        let digits = parts.require()?;
        let number =
            if digits.as_rule() == Rule::roman { roman(digits.as_str()) } else { i64::from(self.small_number(&digits)?) };
        let phrase = Phrase { quantifier: None, other: false, head: Head::Number(number), filters: Vec::new() };
        let mut value = Expr { kind: ExprKind::Phrase(phrase), span };
        if sign == "minus_" {
            value = Expr { kind: ExprKind::Negative(Box::new(value)), span };
        }
        let sign = if number == 0 { "" } else { sign };
        Ok(KeywordArgument { value, label: format!("{sign}{number}").into() })
    }

    /// `2/-1` as two facts.
    pub(super) fn fact_pair(&self, node: CstNode<'_>) -> BuildResult<Vec<Fact>> {
        let span = self.span(&node);
        let numbers = self.signed_pair(node)?;
        let fact = |(part, (negative, number)): (&&str, (bool, Expr))| {
            let place = number.span;
            let value = if negative { Expr { kind: ExprKind::Negative(Box::new(number)), span: place } } else { number };
            Fact { word: Name { text: (*part).into(), span: place }, value: Some(Box::new(value)), args: Vec::new(), span }
        };
        Ok(PAIR_PARTS.iter().zip(numbers).map(fact).collect())
    }

    /// `+1/+1` as two modifications.
    pub(super) fn modification_pair(&self, node: CstNode<'_>) -> BuildResult<Vec<Modification>> {
        let span = self.span(&node);
        let numbers = self.signed_pair(node)?;
        let change = |(part, (negative, amount)): (&&str, (bool, Expr))| {
            let property = Name { text: (*part).into(), span: amount.span };
            Modification { kind: ModificationKind::Add { negative, amount, property }, floor: None, in_layer: None, span }
        };
        Ok(PAIR_PARTS.iter().zip(numbers).map(change).collect())
    }

    /// The numbers of a pair, and whether each has a `-`.
    fn signed_pair(&self, node: CstNode<'_>) -> BuildResult<Vec<(bool, Expr)>> {
        self.has_shorthand.set(true);
        let (mut numbers, mut negative) = (Vec::new(), false);
        for kid in self.children(node) {
            match kid.as_rule() {
                Rule::minus => negative = true,
                Rule::plus | Rule::slash => negative = false,
                _ => numbers.push((std::mem::take(&mut negative), self.expr(kid)?)),
            }
        }
        Ok(numbers)
    }
}

/// How labels write an argument in parentheses.
fn argument_label(value: &Expr) -> smol_str::SmolStr {
    match &value.kind {
        ExprKind::Negative(inner) => format!("minus_{}", argument_label(inner)).into(),
        ExprKind::Phrase(Phrase { head: Head::Number(number), .. }) => format!("{number}").into(),
        ExprKind::Phrase(Phrase { head: Head::Word(word), .. }) => word.text.clone(),
        _ => smol_str::SmolStr::default(),
    }
}

/// The value of a Roman number of `I`, `V` and `X`: a lower digit before a higher one is subtracted.
fn roman(text: &str) -> i64 {
    let digit = |letter: char| match letter {
        'I' => 1,
        'V' => 5,
        _ => 10,
    };
    let digits: Vec<i64> = text.chars().map(digit).collect();
    let following = digits.iter().skip(1).chain(std::iter::once(&0));
    digits.iter().zip(following).map(|(digit, next)| if digit < next { -digit } else { *digit }).sum()
}
