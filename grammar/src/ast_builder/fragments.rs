//! Builds patterns, moments, durations, modifications and facts.

use super::expr::word_head;
use super::{AstBuilder, BuildResult, Children, CstNode};
use crate::ast::{
    Duration, DurationPoint, Expr, ExprKind, Fact, Head, Modification, ModificationKind, Moment, Name, NthTime, Pattern, Phrase,
    UNLABELLED_PRICE, crosses_zone,
};
use crate::edition;
use crate::parser::Rule;

/// The words of the rule `ordinal`.
const ORDINALS: [&str; 10] = ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth"];

impl AstBuilder {
    /// `SUBJECT VERBED OBJECT from ATOM where COND`, also with `would` and `cannot`.
    pub(super) fn pattern(&self, node: CstNode<'_>) -> BuildResult<Box<Pattern>> {
        let span = self.span(&node);
        let mut kids = self.children(node);
        let together = match kids.peek() {
            Some(Rule::one_or_more) => Some(self.span(&kids.require()?)),
            _ => None,
        };
        let subject = self.expr(kids.require()?)?;
        let mut pattern = self.pattern_from_verb(subject, &mut kids)?;
        pattern.one_or_more = together;
        pattern.span = span;
        Ok(Box::new(pattern))
    }

    /// The part of a pattern after its subject. Stops before `until`.
    pub(super) fn pattern_from_verb(&self, subject: Expr, kids: &mut Children<'_>) -> BuildResult<Pattern> {
        let mut passive = false;
        let verb = loop {
            let kid = kids.require()?;
            match kid.as_rule() {
                Rule::k_is | Rule::k_be => passive = true,
                Rule::name => break kid,
                _ => {}
            }
        };
        let mut verb = self.name(&verb);
        edition::rename_event(&mut verb, &mut passive);
        let mut span = subject.span.to(verb.span);
        let mut pattern = Pattern {
            one_or_more: None,
            subject,
            passive,
            verb,
            object: None,
            from: None,
            condition: None,
            nth_time: None,
            span,
        };
        loop {
            match kids.peek() {
                Some(Rule::k_by) => _ = kids.require()?,
                Some(Rule::pattern_object | Rule::plain_object) => pattern.object = Some(self.expr(kids.require()?)?),
                Some(rule @ (Rule::pattern_from | Rule::pattern_where)) => {
                    let part = kids.require()?;
                    span = span.to(self.span(&part));
                    let value = self.children(part).nth(1);
                    let value = value.map(|value| self.expr(value)).transpose()?;
                    if rule == Rule::pattern_from {
                        pattern.from = value;
                    } else {
                        pattern.condition = value;
                    }
                }
                _ => break,
            }
        }
        match &pattern.object {
            Some(object) => span = span.to(object.span),
            None if crosses_zone(&pattern.verb) => self.has_shorthand.set(true),
            None => {}
        }
        pattern.span = span;
        Ok(pattern)
    }

    /// `, the second time each PERIOD`
    pub(super) fn nth_time(&self, node: CstNode<'_>) -> BuildResult<NthTime> {
        let span = self.span(&node);
        let mut kids = self.children(node);
        let written = self.name(&kids.find(Rule::ordinal)?);
        let number = ORDINALS.iter().position(|word| *word == written.text).map_or(1, |index| index as u32 + 1);
        Ok(NthTime { number, period_path: self.path(&kids.find(Rule::path)?)?, span })
    }

    pub(super) fn moment(&self, node: CstNode<'_>) -> BuildResult<Box<Moment>> {
        let span = self.span(&node);
        let (mut start, mut next, mut whose, mut path) = (false, false, None, None);
        for kid in self.children(node) {
            match kid.as_rule() {
                Rule::k_start => start = true,
                Rule::k_next => next = true,
                Rule::whose => {
                    let span = self.span(&kid);
                    let owner = self.children(kid).require()?;
                    whose = Some(if owner.as_rule() == Rule::k_your { word_head("you", span) } else { self.expr(owner)? });
                }
                Rule::path => path = Some(self.path(&kid)?),
                Rule::atom => whose = Some(self.expr(kid)?),
                _ => {}
            }
        }
        let span_path = path.ok_or_else(|| super::unexpected_tree(span))?;
        Ok(Box::new(Moment { start, whose, next, period_path: span_path }))
    }

    /// `until A or B`, `for as long as COND`. The node includes these words.
    pub(super) fn until(&self, node: CstNode<'_>) -> BuildResult<Duration> {
        let mut kids = self.children(node);
        if kids.next_if(Rule::k_for).is_some() {
            let held = kids.find(Rule::held)?;
            let span = self.span(&held);
            let condition = self.expr(self.children(held).require()?)?;
            return Ok(Duration { points: vec![DurationPoint::Failure(Box::new(condition))], span });
        }
        let duration = kids.find(Rule::duration)?;
        let span = self.span(&duration);
        let mut points = Vec::new();
        for kid in self.children(duration) {
            match kid.as_rule() {
                Rule::moment => points.push(DurationPoint::Moment(self.moment(kid)?)),
                Rule::plain_pattern => points.push(DurationPoint::Event(self.pattern(kid)?)),
                _ => {}
            }
        }
        Ok(Duration { points, span })
    }

    /// The modifications of several nodes.
    pub(super) fn all_modifications<'n>(&self, nodes: impl Iterator<Item = CstNode<'n>>) -> BuildResult<Vec<Modification>> {
        let mut all = Vec::new();
        for node in nodes {
            all.extend(self.modifications(node)?);
        }
        Ok(all)
    }

    /// The modification of a node; two for a pair such as `+1/+1`.
    pub(super) fn modifications(&self, node: CstNode<'_>) -> BuildResult<Vec<Modification>> {
        let mut kids = self.children(node);
        match kids.next_if(Rule::mod_pair) {
            Some(pair) => self.modification_pair(pair),
            None => Ok(vec![self.modification(node)?]),
        }
    }

    fn modification(&self, node: CstNode<'_>) -> BuildResult<Modification> {
        let span = self.span(&node);
        let mut kids = self.children(node);
        let kind = kids.require()?;
        let rule = kind.as_rule();
        let mut parts = self.children(kind);
        let kind = match rule {
            Rule::mod_add => {
                let negative = parts.require()?.as_rule() == Rule::minus;
                let amount = self.expr(parts.require()?)?;
                ModificationKind::Add { negative, amount, property: self.name(&parts.require()?) }
            }
            Rule::mod_instead => {
                let traits = self.name(&parts.require()?);
                let new = self.expr(parts.find(Rule::atom)?)?;
                ModificationKind::Instead { traits, new, old: self.expr(parts.find(Rule::atom)?)? }
            }
            Rule::mod_none => {
                parts.take_if(Rule::k_no);
                if parts.take_if(Rule::k_static) {
                    ModificationKind::NoStatics
                } else if let Some(name) = parts.next_if(Rule::name) {
                    ModificationKind::None(self.name(&name))
                } else {
                    ModificationKind::NoAbilities
                }
            }
            Rule::mod_every => ModificationKind::Every(self.name(&parts.find_label()?)),
            Rule::mod_switch => ModificationKind::Switch(self.name(&parts.find_label()?), self.name(&parts.find_label()?)),
            Rule::mod_not => ModificationKind::Not(self.name(&parts.find_label()?)),
            _ if parts.peek() == Some(Rule::mod_keyword) => {
                let (name, args) = self.call_form(parts.require()?)?;
                ModificationKind::Word { name, args }
            }
            _ => {
                let name = self.name(&parts.require()?);
                match parts.next() {
                    Some(only) if only.as_rule() == Rule::k_only => ModificationKind::Only(name),
                    Some(value) => ModificationKind::Set { property: name, value: self.expr(value)? },
                    None => ModificationKind::Word { name, args: Vec::new() },
                }
            }
        };
        let floor =
            kids.next_if(Rule::floor).and_then(|floor| self.children(floor).nth(1)).map(|floor| self.expr(floor)).transpose()?;
        let layer = kids.next_if(Rule::mod_layer).map(|layer| self.children(layer).find_label()).transpose()?;
        Ok(Modification { kind, floor, in_layer: layer.map(|name| self.name(&name)), span })
    }

    /// The facts of a node. Several quoted names after one word are several facts.
    pub(super) fn facts(&self, node: CstNode<'_>) -> BuildResult<Vec<Fact>> {
        let span = self.span(&node);
        let kind = self.children(node).require()?;
        let rule = kind.as_rule();
        if rule == Rule::fact_pair {
            return self.fact_pair(kind);
        }
        if rule == Rule::fact_call {
            let (word, args) = self.call_form(kind)?;
            return Ok(vec![Fact { word, value: None, args, span }]);
        }
        if rule == Rule::fact_price {
            self.has_shorthand.set(true);
            let word = Name { text: UNLABELLED_PRICE.into(), span };
            let value = Some(Box::new(self.expr(self.children(kind).require()?)?));
            return Ok(vec![Fact { word, value, args: Vec::new(), span }]);
        }
        let mut kids = self.children(kind);
        if rule == Rule::fact_quoted {
            self.has_shorthand.set(true);
            let fact = |kid: CstNode<'_>| Fact { word: self.name(&kid), value: None, args: Vec::new(), span: self.span(&kid) };
            return Ok(kids.filter(|kid| kid.as_rule() == Rule::quoted).map(fact).collect());
        }
        let word = self.name(&kids.require()?);
        let mut facts = Vec::new();
        let mut negative = None;
        for kid in kids {
            if kid.as_rule() == Rule::minus {
                negative = Some(self.span(&kid));
                continue;
            }
            // The word may have no value, which then is a fact without a word.
            if matches!(kid.as_rule(), Rule::price | Rule::quoted) {
                self.has_shorthand.set(true);
            }
            let mut value = self.expr(kid)?;
            if let Some(sign) = negative {
                let span = sign.to(value.span);
                value = Expr { kind: ExprKind::Negative(Box::new(value)), span };
            }
            let span = if facts.is_empty() { word.span.to(value.span) } else { value.span };
            facts.push(Fact { word: word.clone(), value: Some(Box::new(value)), args: Vec::new(), span });
        }
        if facts.is_empty() {
            facts.push(Fact { word, value: None, args: Vec::new(), span });
        }
        Ok(facts)
    }

    /// A word or path of a statement as an expression, such as the path of a step.
    pub(super) fn word_expr(&self, node: &CstNode<'_>) -> Expr {
        let span = self.span(node);
        let name = self.trimmed_name(node);
        Expr {
            kind: ExprKind::Phrase(Phrase { quantifier: None, other: false, head: Head::Word(name), filters: Vec::new() }),
            span,
        }
    }
}
