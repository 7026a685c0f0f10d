//! Builds statements and blocks.

use super::expr::word_head;
use super::{AstBuilder, BuildResult, Children, CstNode, MAX_CHAIN_LINKS, chain_too_long, unexpected_tree};
use crate::ast::{AssignOp, Block, Call, Division, Expr, Link, Name, Span, Statement, StatementKind, Subject, WindowSetting};
use crate::parser::Rule;
use smol_str::SmolStr;

impl AstBuilder {
    pub(crate) fn block(&self, node: CstNode<'_>) -> BuildResult<Block> {
        let span = self.span(&node);
        let statements = self.nested(1, span, || self.statements(&mut self.children(node)))?;
        Ok(Block { statements, span })
    }

    /// Statements and the links between them.
    fn statements(&self, kids: &mut Children<'_>) -> BuildResult<Vec<Statement>> {
        let mut statements = Vec::new();
        let mut link = Link::Next;
        for kid in kids {
            match kid.as_rule() {
                Rule::link => link = self.link(kid),
                Rule::statement => {
                    statements.push(self.statement(kid, link)?);
                    link = Link::Next;
                }
                Rule::linked_block => {
                    statements.push(self.linked_block(kid, link)?);
                    link = Link::Next;
                }
                _ => {}
            }
        }
        Ok(statements)
    }

    pub(super) fn link(&self, node: CstNode<'_>) -> Link {
        match self.children(node).next().map(|kid| kid.as_rule()) {
            Some(Rule::k_then) => Link::Then,
            Some(Rule::if_you_do) => Link::IfYouDo,
            _ => Link::Otherwise,
        }
    }

    /// `if you do { … }`: a block after a link.
    pub(super) fn linked_block(&self, node: CstNode<'_>, link: Link) -> BuildResult<Statement> {
        let span = self.span(&node);
        Ok(Statement { link, kind: StatementKind::Block(self.block(self.children(node).find(Rule::block)?)?), span })
    }

    pub(super) fn statement(&self, node: CstNode<'_>, link: Link) -> BuildResult<Statement> {
        let span = self.span(&node);
        let node = self.children(node).require()?;
        let rule = node.as_rule();
        let mut kids = self.children(node);
        let kind = match rule {
            Rule::let_ => StatementKind::Let {
                name: self.name(&kids.find(Rule::name)?),
                value: Box::new(self.expr(kids.find(Rule::expr)?)?),
            },
            Rule::if_ => self.if_statement(kids, span)?,
            Rule::divide => StatementKind::Divide(Box::new(self.divide(kids)?)),
            Rule::for_each => StatementKind::ForEach {
                name: self.name(&kids.find(Rule::name)?),
                list: Box::new(self.expr(kids.find(Rule::expr)?)?),
                body: self.block(kids.find(Rule::block)?)?,
            },
            Rule::repeat => StatementKind::Repeat {
                condition: Box::new(self.expr(kids.find(Rule::expr)?)?),
                body: self.block(kids.find(Rule::block)?)?,
            },
            Rule::simultaneously => StatementKind::Simultaneously(self.block(kids.find(Rule::block)?)?),
            Rule::delayed => StatementKind::DelayedAt {
                moment: self.moment(kids.find(Rule::moment)?)?,
                body: self.block(kids.find(Rule::block)?)?,
            },
            Rule::delayed_when => StatementKind::DelayedWhen {
                immediately: kids.take_if(Rule::k_immediately),
                once: !kids.take_if(Rule::k_whenever),
                pattern: self.pattern(kids.find(Rule::pattern)?)?,
                until: kids.next_if(Rule::until).map(|until| self.until(until)).transpose()?,
                body: self.block(kids.find(Rule::block)?)?,
            },
            Rule::standing => StatementKind::TemporaryAbilities {
                until: self.until(kids.find(Rule::until)?)?,
                once: kids.next_if(Rule::once).is_some(),
                abilities: self.abilities(kids.find(Rule::members)?)?,
            },
            Rule::create_copy => {
                let (mut model, mut except, mut into, mut under, mut name) = (None, Vec::new(), None, None, None);
                let mut adverbs = Vec::new();
                for kid in kids {
                    match kid.as_rule() {
                        Rule::sum => model = Some(self.expr(kid)?),
                        Rule::mod_ => except.extend(self.modifications(kid)?),
                        Rule::operand => into = Some(self.expr(kid)?),
                        Rule::under_whom => under = Some(self.expr(self.children(kid).find(Rule::operand)?)?),
                        Rule::adverb => adverbs.push(self.trimmed_name(&kid)),
                        Rule::binding => name = Some(self.name(&self.children(kid).find(Rule::name)?)),
                        _ => {}
                    }
                }
                let (Some(model), Some(into)) = (model, into) else { return Err(unexpected_tree(span)) };
                StatementKind::CreateCopy {
                    model: Box::new(model),
                    except,
                    into: Box::new(into),
                    under: under.map(Box::new),
                    adverbs,
                    name,
                }
            }
            Rule::copy_listed => {
                let model = self.expr(kids.find(Rule::sum)?)?;
                let choosing = kids.take_if(Rule::new_targets);
                let name = kids.next_if(Rule::binding).map(|binding| self.children(binding).find(Rule::name)).transpose()?;
                StatementKind::CopyListed { model: Box::new(model), choosing, name: name.map(|name| self.name(&name)) }
            }
            Rule::reflexive => StatementKind::Trigger(self.block(kids.find(Rule::block)?)?),
            Rule::window => self.window(kids)?,
            Rule::modes => self.modes(kids)?,
            Rule::declare => StatementKind::Declare(Box::new(self.declare(kids, span)?)),
            Rule::clause_now => StatementKind::Clause {
                clause: Box::new(self.clause(kids.find(Rule::clause)?)?),
                until: kids.next_if(Rule::until).map(|until| self.until(until)).transpose()?,
            },
            Rule::calls => {
                let calls =
                    kids.filter(|kid| kid.as_rule() == Rule::call).map(|call| self.call(call)).collect::<BuildResult<_>>()?;
                StatementKind::Calls(calls)
            }
            _ => self.value_statement(kids)?,
        };
        Ok(Statement { link, kind, span })
    }

    /// `if A {…} otherwise if B {…} otherwise {…}`, built from the end.
    fn if_statement(&self, kids: Children<'_>, span: Span) -> BuildResult<StatementKind> {
        let parts: Vec<CstNode<'_>> = kids.filter(|kid| matches!(kid.as_rule(), Rule::expr | Rule::block)).collect();
        if parts.len() > 2 * MAX_CHAIN_LINKS {
            return Err(chain_too_long(span, "write fewer `otherwise if`"));
        }
        self.nested(parts.len() / 2, span, || self.if_parts(parts, span))
    }

    fn if_parts(&self, parts: Vec<CstNode<'_>>, span: Span) -> BuildResult<StatementKind> {
        let mut otherwise = None;
        let mut parts = parts.into_iter().rev().peekable();
        let mut last = true;
        while let Some(block) = parts.next() {
            let then = self.block(block)?;
            // of two successive blocks, the last one has no condition
            if last && parts.peek().is_some_and(|kid| kid.as_rule() == Rule::block) {
                otherwise = Some(then);
                last = false;
                continue;
            }
            last = false;
            let condition = self.expr(parts.next().ok_or_else(|| unexpected_tree(span))?)?;
            let here = Span { end: span.end, ..condition.span };
            let kind = StatementKind::If { condition: Box::new(condition), then, otherwise };
            if parts.peek().is_none() {
                return Ok(kind);
            }
            otherwise = Some(Block { statements: vec![Statement { link: Link::Next, kind, span: here }], span: here });
        }
        Err(unexpected_tree(span))
    }

    /// `x divides 3 among them, at least 1 each as share`
    fn divide(&self, mut kids: Children<'_>) -> BuildResult<Division> {
        let subject = match kids.next_if(Rule::subject) {
            Some(subject) => Some(self.subject(subject)?.who),
            None => None,
        };
        let amount = self.expr(kids.find(Rule::divided)?)?;
        let among = self.expr(kids.find(Rule::sum)?)?;
        let least = kids.next_if(Rule::at_least).map(|least| self.children(least).find(Rule::sum)).transpose()?;
        let least = least.map(|least| self.expr(least)).transpose()?;
        let name = self.name(&self.children(kids.find(Rule::binding)?).find(Rule::name)?);
        Ok(Division { subject, amount, among, min_each: least, name })
    }

    fn window(&self, mut kids: Children<'_>) -> BuildResult<StatementKind> {
        let name = self.name(&kids.find(Rule::name)?);
        let mut settings = Vec::new();
        for setting in kids {
            match setting.as_rule() {
                Rule::window_value => {
                    let mut parts = self.children(setting);
                    let word = self.name(&parts.require()?);
                    settings.push(WindowSetting { word, names: Vec::new(), value: Some(self.expr(parts.require()?)?) });
                }
                Rule::window_names => {
                    let mut parts = self.children(setting);
                    let word = self.name(&parts.require()?);
                    settings.push(WindowSetting { word, names: parts.map(|part| self.name(&part)).collect(), value: None });
                }
                _ => {}
            }
        }
        Ok(StatementKind::Window { name, settings })
    }

    fn modes(&self, kids: Children<'_>) -> BuildResult<StatementKind> {
        let (mut least, mut repeats, mut count, mut modes) = (None, false, None, Vec::new());
        let whole = kids.span();
        for kid in kids {
            match kid.as_rule() {
                Rule::k_choose => {}
                Rule::up_to => least = Some(0),
                Rule::modes_least => least = Some(self.small_number(&self.children(kid).require()?)?),
                Rule::repeats => repeats = true,
                Rule::mode => {
                    let span = self.span(&kid);
                    modes.push(Block { statements: self.statements(&mut self.children(kid))?, span });
                }
                _ => count = Some(self.expr(kid)?),
            }
        }
        Ok(StatementKind::Modes { count: Box::new(count.ok_or_else(|| unexpected_tree(whole))?), least, repeats, modes })
    }

    /// Statements that begin with a value: `X gets …`, `X cannot …`, `X = …`, `X times {…}`.
    fn value_statement(&self, mut kids: Children<'_>) -> BuildResult<StatementKind> {
        let first = self.expr(kids.find(Rule::operand)?)?;
        let tail = kids.require()?;
        let rule = tail.as_rule();
        if rule == Rule::assign {
            // children omit `=` as punctuation, so the operator is taken from the text
            let how = match tail.as_str().get(..2) {
                Some("+=") => AssignOp::Add,
                Some("-=") => AssignOp::Subtract,
                _ => AssignOp::Set,
            };
            return Ok(StatementKind::Assign {
                place: Box::new(first),
                op: how,
                value: Box::new(self.expr(self.children(tail).find(Rule::expr)?)?),
            });
        }
        let mut parts = self.children(tail);
        match rule {
            Rule::gets => {
                let (mut mods, mut until) = (Vec::new(), None);
                for part in parts {
                    match part.as_rule() {
                        Rule::mod_ => mods.extend(self.modifications(part)?),
                        Rule::until => until = Some(self.until(part)?),
                        _ => {}
                    }
                }
                Ok(StatementKind::Gets { whom: Box::new(first), mods, until })
            }
            Rule::becomes => {
                let (mut model, mut except, mut until) = (None, Vec::new(), None);
                let enters = parts.peek() == Some(Rule::k_enters);
                for part in parts {
                    match part.as_rule() {
                        Rule::sum => model = Some(self.expr(part)?),
                        Rule::mod_ => except.extend(self.modifications(part)?),
                        Rule::until => until = Some(self.until(part)?),
                        _ => {}
                    }
                }
                let model = model.ok_or_else(|| unexpected_tree(first.span))?;
                Ok(StatementKind::Becomes { whom: Box::new(first), model: Box::new(model), enters, except, until })
            }
            Rule::lead_cannot => {
                parts.take_if(Rule::k_cannot);
                let pattern = self.pattern_from_verb(first, &mut parts)?;
                let until = parts.next_if(Rule::until).map(|until| self.until(until)).transpose()?;
                Ok(StatementKind::Cannot { pattern: Box::new(pattern), until })
            }
            _ => Ok(StatementKind::Times { count: Box::new(first), body: self.block(parts.find(Rule::block)?)? }),
        }
    }

    pub(crate) fn call(&self, node: CstNode<'_>) -> BuildResult<Call> {
        let span = self.span(&node);
        let mut call = Call {
            subject: None,
            may: false,
            verb: Name { text: "".into(), span },
            operands: Vec::new(),
            prepositions: Vec::new(),
            adverbs: Vec::new(),
            binding: None,
            span,
        };
        let mut kids = self.children(node);
        while let Some(rule) = kids.peek() {
            let kid = kids.require()?;
            match rule {
                Rule::verb_with_arguments => {
                    (call.verb, call.operands) = self.call_form(kid)?;
                    call.verb.text = current_verb(&call.verb.text);
                }
                Rule::subject => call.subject = Some(self.subject(kid)?),
                Rule::k_may => call.may = true,
                Rule::verb => {
                    call.verb = self.name(&kid);
                    call.verb.text = current_verb(call.verb.text.trim_end());
                }
                Rule::plan_call => self.plan_call(kid, &mut call)?,
                Rule::operand if call.verb.text == "settle" && kid.as_str().trim_end() == "rules" => {
                    call.verb.text = "check_state_rules".into();
                }
                Rule::operand => call.operands.push(self.expr(kid)?),
                Rule::with_preposition => {
                    let mut parts = self.children(kid);
                    let word = self.name(&parts.require()?);
                    call.prepositions.push((word, self.expr(parts.require()?)?));
                }
                Rule::adverb => call.adverbs.push(self.trimmed_name(&kid)),
                Rule::binding => call.binding = Some(self.name(&self.children(kid).find(Rule::name)?)),
                _ => {}
            }
        }
        Ok(call)
    }

    /// The name of a node that may include trailing blanks.
    pub(super) fn trimmed_name(&self, node: &CstNode<'_>) -> Name {
        self.name_at(node.as_str().trim_end(), self.span(node))
    }

    /// `insert step PATH after this`, `skip step PATH`
    fn plan_call(&self, node: CstNode<'_>, call: &mut Call) -> BuildResult<()> {
        let mut kids = self.children(node);
        call.verb = self.name(&kids.require()?);
        if call.verb.text.starts_with("skip") {
            call.verb.text = if kids.take_if(Rule::k_to) { "skip_to" } else { "skip" }.into();
        }
        call.operands.push(self.word_expr(&kids.find(Rule::path)?));
        if let Some(place) = kids.next_if(Rule::plan_where) {
            let mut parts = self.children(place);
            let word = self.name(&parts.require()?);
            call.prepositions.push((word, self.expr(parts.require()?)?));
        }
        Ok(())
    }

    fn subject(&self, node: CstNode<'_>) -> BuildResult<Subject> {
        let span = self.span(&node);
        let kid = self.children(node).require()?;
        if kid.as_rule() == Rule::each_subject {
            let mut kids = self.children(kid);
            let _each = kids.require()?;
            let other = kids.take_if(Rule::k_other);
            let who = kids.require()?;
            return Ok(Subject { each: true, other, who: word_head(who.as_str(), self.span(&who)), span });
        }
        let who: Expr = match kid.as_rule() {
            Rule::k_you | Rule::k_opponent | Rule::k_active | Rule::k_this | Rule::k_it => word_head(kid.as_str(), span),
            _ => self.expr(kid)?,
        };
        Ok(Subject { each: false, other: false, who, span })
    }
}

/// The verb in the newest edition, as one name: `resolve text of` becomes `resolve_text`.
fn current_verb(written: &str) -> SmolStr {
    let written = crate::edition::renamed_verb(written).unwrap_or(written);
    match written.split(' ').next() {
        Some("resolve" | "resolves") if written.contains(' ') => "resolve_text".into(),
        Some("restore" | "restores") if written.contains(' ') => "restore_use".into(),
        Some("check" | "checks") if written.contains(' ') => "check_state_rules".into(),
        _ => written.into(),
    }
}
