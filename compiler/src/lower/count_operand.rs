//! Numbers that count something, and so are never below zero.

use super::Lowering;
use super::phrase::as_phrase;
use crate::diagnostics::{Diagnostic, codes};
use fizzle_grammar::ast::{Call, Expr, ExprKind, Head, Phrase, Quantifier, Span};
use fizzle_runtime::ir::{ActionId, Type};

/// The number that is written below zero: `-2`, `(-2)`.
fn below_zero(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Negative(inner) => plain(inner).filter(|number| *number > 0),
        _ => match as_phrase(expr).map(|phrase| (&phrase.head, &phrase.quantifier, phrase.posts.is_empty())) {
            Some((Head::Group(inner), None, true)) => below_zero(inner),
            _ => None,
        },
    }
}

fn plain(expr: &Expr) -> Option<i64> {
    match as_phrase(expr).map(|phrase| (&phrase.head, &phrase.quantifier, phrase.posts.is_empty())) {
        Some((Head::Number(number), None, true)) => Some(*number),
        _ => None,
    }
}

impl<'a> Lowering<'a> {
    /// `deal 3 damage to X`, where an action is called `deal_damage`: the action, and the number.
    pub fn counted(&self, call: &'a Call) -> Option<(ActionId, &'a Expr)> {
        let first = call.operands.first()?;
        let first = if let ExprKind::Negative(inner) = &first.kind { inner.as_ref() } else { first };
        let phrase = as_phrase(first)?;
        let Phrase { quantifier: Some(Quantifier::Exactly(count)), other: false, head: Head::Word(noun), posts } = phrase else {
            return None;
        };
        if !posts.is_empty() {
            return None;
        }
        let id = self.names.actions.values().position(|action| {
            let named = action.name.strip_suffix(noun.text.as_str()).and_then(|name| name.strip_suffix('_'));
            named.is_some_and(|verb| verb == call.verb.text || super::pattern::third_person(verb, &call.verb.text))
                && action.params.iter().any(|(_, ty)| *ty == Type::Number)
        })?;
        Some((ActionId(id as u32), count))
    }

    /// `draw 2 cards`, `gain 3 life`, where the verb takes a number alone.
    pub fn number_with_noun(&mut self, expr: &'a Expr) -> bool {
        let Some(Phrase { quantifier: Some(Quantifier::Exactly(count)), other: false, head: Head::Word(noun), posts }) =
            as_phrase(expr)
        else {
            return false;
        };
        let names = self.names;
        let verb = self.fun().verb.and_then(|verb| names.actions.get_index(verb.index())).map(|(name, _)| name.as_str());
        let (Some(verb), true) = (verb, posts.is_empty()) else { return false };
        let number = self.sources.slice(count.span).to_owned();
        let message = format!("`{verb}` takes a number alone, without `{}`", noun.text);
        let whole = self.sources.slice(expr.span).to_owned();
        let problem = Diagnostic::new(&codes::TYPE_MISMATCH, expr.span, message);
        self.report(problem.help(format!("write `{verb} {number}`")).fix(whole, number));
        true
    }

    /// Tells a number below zero where somebody or something is counted.
    pub fn report_negative_count(&mut self, count: &Expr) -> bool {
        let Some(number) = below_zero(count) else { return false };
        self.tell_count(count.span, number, &number.to_string());
        true
    }

    /// `destroy -1 creature`: tells a sign before how many.
    pub fn tell_negative_noun(&mut self, expr: &Expr, inner: &Expr) -> bool {
        let counted = as_phrase(inner).and_then(|phrase| match &phrase.quantifier {
            Some(Quantifier::Exactly(count)) => plain(count),
            _ => None,
        });
        let Some(count) = counted else { return false };
        let noun = self.sources.slice(inner.span).to_owned();
        self.tell_count(expr.span, count, &noun);
        true
    }

    fn tell_count(&mut self, span: Span, below: i64, instead: &str) {
        let problem = Diagnostic::new(&codes::HOW_MANY, span, format!("`-{below}` counts nothing: a count is not below zero"));
        self.report(problem.help(format!("leave the `-` out: `{instead}`")));
    }

    /// `draw -1`: tells a number below zero right behind a verb. In parentheses an action may be given one: `shift(-1)`.
    pub fn tell_negative_operand(&mut self, call: &Call, operand: &'a Expr) -> bool {
        let behind = self.sources.text(call.verb.span.file).get(call.verb.span.end as usize..).unwrap_or("");
        if behind.starts_with('(') {
            return false;
        }
        let Some(number) = below_zero(operand) else { return false };
        let verb = call.verb.text.as_str();
        let message = format!("`{verb}` counts, and a count is not below zero");
        let problem = Diagnostic::new(&codes::HOW_MANY, operand.span, message)
            .help(format!("leave the `-` out: `{verb} {number}`"))
            .help(format!("an action that takes numbers below zero is given them in parentheses: `{verb}(-{number})`"));
        self.report(problem);
        true
    }
}
