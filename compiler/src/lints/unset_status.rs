//! Lint: prohibitions with a condition on a status that only the forbidden event would set.

use crate::action_effects::WrittenStatus;
use crate::diagnostics::{Diagnostic, codes};
use crate::lower::Lowering;
use crate::phrase_syntax::{as_phrase, bare_word};
use crate::verb_forms::is_inflected_form;
use fizzle_grammar::ast::{Expr, ExprKind, Head, Pattern, Phrase, PhraseFilterKind, Span};

/// A status that a prohibition reads, although only the forbidden action sets it.
struct UnsetStatus {
    /// The action.
    action: String,
    /// How it sets the status.
    written: WrittenStatus,
    /// Where the status is read.
    read: Span,
    /// For a read in the subject of the pattern: the filter and its condition.
    in_subject: Option<(Span, Span)>,
}

impl Lowering<'_> {
    /// Reports `creature cannot attack where its attacked is you` if `attack` is what sets `attacked`: the event does not happen, so the status has
    /// its old value. The parameter from which it is set is what is meant.
    pub fn lint_unset_status(&mut self, pattern: &Pattern) {
        let Some(UnsetStatus { action, written, read, in_subject }) = self.find_unset_status(pattern) else { return };
        let (status, param) = (&written.status, &written.param);
        let text = |span: Span| self.sources.slice(span).to_owned();
        let verb = text(Span { start: pattern.subject.span.end, end: pattern.verb.span.start, ..pattern.span });
        let object = pattern.object.as_ref().map_or_else(String::new, |object| format!(" {}", text(object.span)));
        let (subject, condition) = match (&pattern.condition, in_subject) {
            (_, Some((filter, test))) => {
                let subject = format!(
                    "{}{}",
                    text(Span { end: filter.start, ..pattern.subject.span }).trim_end(),
                    text(Span { start: filter.end, ..pattern.subject.span })
                );
                (subject, self.replaced(test, read, param))
            }
            (Some(condition), None) => (text(pattern.subject.span), self.replaced(condition.span, read, param)),
            (None, None) => return,
        };
        let help = format!("write the parameter of the event: `{subject}{verb}{action}{object} where {condition}`");
        let message = format!("`{action}` sets `{status}` only as it happens, so here it has its old value");
        self.report(Diagnostic::new(&codes::UNSET_STATUS, read, message).help(help));
    }

    /// The first status that the pattern reads of its object and that its action sets.
    fn find_unset_status(&self, pattern: &Pattern) -> Option<UnsetStatus> {
        let actions = &self.names.actions;
        let (number, ..) =
            actions.get_full(actions.keys().find(|name| is_inflected_form(name, &pattern.verb.text, pattern.passive))?)?;
        // Events of more special actions match, too.
        let of_action = |(index, (_, signature)): (usize, (_, &crate::names::Signature))| {
            index == number || signature.parent.is_some_and(|parent| parent.index() == number)
        };
        let fitting = actions.iter().enumerate().filter(|(index, entry)| of_action((*index, (entry.0, entry.1))));
        for (_, (name, signature)) in fitting {
            let it = signature.params.first()?.0.as_str();
            for written in self.names.action_effects.sets.get(name).into_iter().flatten() {
                if pattern.condition.as_ref().is_some_and(|condition| self.contains_word(condition.span, &written.param)) {
                    continue;
                }
                let is_own = |phrase: &Phrase| match (&phrase.head, phrase.filters.as_slice()) {
                    (Head::Word(word), [filter]) => {
                        let of = if let PhraseFilterKind::Of(of) = &filter.kind { bare_word(of) } else { None };
                        word.text == written.status && of.is_some_and(|of| of.text == "it" || of.text == it)
                    }
                    (Head::Possessive { owner, word }, []) => {
                        word.text == written.status && bare_word(owner).is_some_and(|owner| owner.text == "it")
                    }
                    _ => false,
                };
                let found =
                    |read, in_subject| UnsetStatus { action: name.to_string(), written: written.clone(), read, in_subject };
                if let Some(read) = pattern.condition.as_ref().and_then(|condition| find_read(condition, &is_own)) {
                    return Some(found(read, None));
                }
                let is_bare = |phrase: &Phrase| matches!(&phrase.head, Head::Word(word) if phrase.filters.is_empty() && word.text == written.status);
                let filters = as_phrase(&pattern.subject).map_or(&[][..], |phrase| &phrase.filters);
                for filter in filters.iter().filter(|_| pattern.condition.is_none()) {
                    if let PhraseFilterKind::With(test) | PhraseFilterKind::That(test) = &filter.kind
                        && let Some(read) = find_read(test, &is_bare)
                    {
                        return Some(found(read, Some((filter.span, test.span))));
                    }
                }
            }
        }
        None
    }

    /// A text in which one part is replaced.
    fn replaced(&self, whole: Span, part: Span, by: &str) -> String {
        let before = self.sources.slice(Span { end: part.start, ..whole });
        format!("{before}{by}{}", self.sources.slice(Span { start: part.end, ..whole })).trim().to_owned()
    }

    /// Whether a text contains a word.
    fn contains_word(&self, span: Span, word: &str) -> bool {
        self.sources.slice(span).split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == word)
    }
}

/// The first phrase in a condition that passes a test, not within selections of other objects.
fn find_read(expr: &Expr, is_read: &impl Fn(&Phrase) -> bool) -> Option<Span> {
    match &expr.kind {
        ExprKind::Binary { left, right, .. } | ExprKind::Is { left, right, .. } => {
            find_read(left, is_read).or_else(|| find_read(right, is_read))
        }
        ExprKind::Not(inner) | ExprKind::Negative(inner) | ExprKind::Has { left: inner, .. } => find_read(inner, is_read),
        ExprKind::Phrase(phrase) if phrase.quantifier.is_none() => match &phrase.head {
            _ if is_read(phrase) => Some(expr.span),
            Head::Group(inner) if phrase.filters.is_empty() => find_read(inner, is_read),
            Head::Call { args, .. } => args.iter().find_map(|arg| find_read(arg, is_read)),
            _ => None,
        },
        _ => None,
    }
}
