//! Checks operands that count something: they must not be negative.

use super::Lowering;
use crate::diagnostics::{Diagnostic, codes};
use crate::phrase_syntax::as_phrase;
use fizzle_grammar::ast::{Call, Expr, ExprKind, Head, Phrase, Quantifier, Span};
use fizzle_ir::{ActionId, Type};

/// Returns the absolute value of a negative literal: `-2`, `(-2)`.
fn negative_literal(expr: &Expr) -> Option<i64> {
    match &expr.kind {
        ExprKind::Negative(inner) => literal_number(inner).filter(|number| *number > 0),
        _ => match as_phrase(expr).map(|phrase| (&phrase.head, &phrase.quantifier, phrase.filters.is_empty())) {
            Some((Head::Group(inner), None, true)) => negative_literal(inner),
            _ => None,
        },
    }
}

fn literal_number(expr: &Expr) -> Option<i64> {
    match as_phrase(expr).map(|phrase| (&phrase.head, &phrase.quantifier, phrase.filters.is_empty())) {
        Some((Head::Number(number), None, true)) => Some(*number),
        _ => None,
    }
}

impl<'a> Lowering<'a> {
    /// Resolves `deal 3 damage to X`, if there is an action `deal_damage` with a number: returns the action and the number.
    pub fn counting_action(&self, call: &'a Call) -> Option<(ActionId, &'a Expr)> {
        let first = call.operands.first()?;
        let first = if let ExprKind::Negative(inner) = &first.kind { inner.as_ref() } else { first };
        let phrase = as_phrase(first)?;
        let Phrase { quantifier: Some(Quantifier::Exactly(count)), other: false, head: Head::Word(noun), filters: posts } =
            phrase
        else {
            return None;
        };
        if !posts.is_empty() {
            return None;
        }
        let id = self.names.actions.values().position(|action| {
            let named = action.name.strip_suffix(noun.text.as_str()).and_then(|name| name.strip_suffix('_'));
            named.is_some_and(|verb| verb == call.verb.text || crate::verb_forms::is_third_person_of(verb, &call.verb.text))
                && action.params.iter().any(|(_, ty)| *ty == Type::Number)
        })?;
        Some((ActionId(id as u32), count))
    }

    /// Reports `draw 2 cards`, `gain 3 life`, if the verb takes a number without a noun.
    pub fn report_number_with_noun(&mut self, expr: &'a Expr) -> bool {
        let Some(Phrase { quantifier: Some(Quantifier::Exactly(count)), other: false, head: Head::Word(noun), filters: posts }) =
            as_phrase(expr)
        else {
            return false;
        };
        let names = self.names;
        let verb = self.fun().verb.and_then(|verb| names.actions.get_index(verb.index())).map(|(name, _)| name.as_str());
        let (Some(verb), true) = (verb, posts.is_empty()) else { return false };
        let number = self.sources.slice(count.span).to_owned();
        let message = format!("`{verb}` takes only a number, without `{}`", noun.text);
        let whole = self.sources.slice(expr.span).to_owned();
        let problem = Diagnostic::new(&codes::TYPE_MISMATCH, expr.span, message);
        self.report(problem.help(format!("write `{verb} {number}`")).fix(whole, number));
        true
    }

    /// Reports a negative literal where objects or players are counted.
    pub fn report_negative_count(&mut self, count: &Expr) -> bool {
        let Some(number) = negative_literal(count) else { return false };
        self.report_count_below_zero(count.span, number, &number.to_string());
        true
    }

    /// Reports the sign in `destroy -1 creature`.
    pub fn report_negative_noun(&mut self, expr: &Expr, inner: &Expr) -> bool {
        let counted = as_phrase(inner).and_then(|phrase| match &phrase.quantifier {
            Some(Quantifier::Exactly(count)) => literal_number(count),
            _ => None,
        });
        let Some(count) = counted else { return false };
        let noun = self.sources.slice(inner.span).to_owned();
        self.report_count_below_zero(expr.span, count, &noun);
        true
    }

    fn report_count_below_zero(&mut self, span: Span, below: i64, instead: &str) {
        let problem =
            Diagnostic::new(&codes::MISSING_COUNT, span, format!("`-{below}` is not a count: a count cannot be negative"));
        self.report(problem.help(format!("leave the `-` out: `{instead}`")));
    }

    /// Reports a negative literal directly after a verb: `draw -1`. In parentheses an action may have one: `shift(-1)`.
    pub fn report_negative_operand(&mut self, call: &Call, operand: &'a Expr) -> bool {
        let behind = self.sources.text(call.verb.span.file).get(call.verb.span.end as usize..).unwrap_or("");
        if behind.starts_with('(') {
            return false;
        }
        let Some(number) = negative_literal(operand) else { return false };
        let verb = call.verb.text.as_str();
        let message = format!("`{verb}` takes a count, which cannot be negative");
        let problem = Diagnostic::new(&codes::MISSING_COUNT, operand.span, message)
            .help(format!("leave the `-` out: `{verb} {number}`"))
            .help(format!("for an action that takes negative numbers write parentheses: `{verb}(-{number})`"));
        self.report(problem);
        true
    }
}
