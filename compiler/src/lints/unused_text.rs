//! Lint: cards whose `does { … }` no play runs.

use crate::diagnostics::{Diagnostic, codes};
use crate::lower::Lowering;
use crate::names::{Meaning, NameTable};
use crate::phrase_syntax::{as_phrase, bare_word};
use fizzle_grammar::ast::{
    AbilityKind, BinaryOp, Block, Card, Expr, ExprKind, Head, Phrase, PhraseFilterKind, Play, StatementKind,
};

/// Maximum depth to which nouns are expanded.
const MAX_NOUN_DEPTH: u32 = 16;

impl<'a> Lowering<'a> {
    /// Reports a text of a card that no play runs, as far as the print of the card proves it.
    pub fn lint_text(&mut self, card: &'a Card) {
        let names = self.names;
        let carriers = &names.text_runners;
        let known = |fact: &fizzle_grammar::ast::Fact| !names.meanings(&fact.word.text).is_empty();
        // A game without plays is unfinished, so nothing is reported.
        if card.unread.is_some() || carriers.has_other_runners || names.plays.is_empty() || !card.facts.iter().all(known) {
            return;
        }
        let Some(text) = card.abilities.iter().find(|ability| matches!(ability.kind, AbilityKind::Does(_))) else { return };
        let judge = PrintedFacts { names, card };
        if carriers.plays.iter().any(|(play, count)| judge.may_run_text(play, *count)) {
            return;
        }
        let span = self.first_line(text.span);
        let help = "make it a trigger, `when … { … }`, or an activated ability, `activated { … does { … } }`";
        self.report(match carriers.plays.first() {
            Some((play, _)) => {
                let (name, place) = play.name.as_ref().map_or(("", play.span), |name| (name.text.as_str(), name.span));
                let message = format!("no play resolves the text of `{}`", card.name.text);
                Diagnostic::new(&codes::TEXT_NEVER_RESOLVED, span, message)
                    .label("no play for this card resolves this text")
                    .also(place, format!("`{name}` resolves texts, but not of such a card"))
                    .help(help)
            }
            None => Diagnostic::new(&codes::TEXT_NEVER_RESOLVED, span, "no play of this game resolves the texts of cards")
                .help("write `resolve text of it` in a play: `play NAME(it: object) { … does { resolve text of it } }`")
                .help(help),
        });
    }
}

/// What the print of a card proves. Methods return `None` where it decides nothing.
struct PrintedFacts<'n, 'a> {
    names: &'n NameTable<'a>,
    card: &'n Card,
}

/// A condition, and the value that it has where a statement is.
type Guard<'t> = (&'t Expr, bool);

impl PrintedFacts<'_, '_> {
    /// Whether a play may run the text of the card.
    fn may_run_text(&self, play: &Play, count: usize) -> bool {
        let Some(param) = play.params.first() else { return true };
        if self.matches_word(&param.ty.name.text, MAX_NOUN_DEPTH) == Some(false) {
            return false;
        }
        let mut places = Vec::new();
        collect_guards(&play.body, &mut Vec::new(), &mut places);
        let holds = |(condition, wanted): &Guard<'_>| {
            let subject = |word: &str| word == param.name.text || word == "it";
            self.holds(condition, &subject, MAX_NOUN_DEPTH).is_none_or(|holds| holds == *wanted)
        };
        places.len() < count || places.iter().any(|guards| guards.iter().all(holds))
    }

    /// Whether the card matches a word: a trait word, or a noun.
    fn matches_word(&self, word: &str, depth: u32) -> Option<bool> {
        if word == "card" || word == "object" {
            return Some(true);
        }
        let depth = depth.checked_sub(1)?;
        let printed = self.card.facts.iter().any(|fact| fact.value.is_none() && fact.args.is_empty() && fact.word.text == word);
        self.names.meanings(word).iter().find_map(|meaning| match meaning {
            Meaning::Word(..) => Some(Some(printed)),
            Meaning::Noun => Some(self.names.nouns.get(word).and_then(|noun| match as_phrase(noun) {
                Some(phrase) => self.matches_phrase(phrase, depth),
                None => self.holds(noun, &|_| false, depth),
            })),
            _ => None,
        })?
    }

    fn matches_phrase(&self, phrase: &Phrase, depth: u32) -> Option<bool> {
        let candidate = |word: &str| word == "candidate";
        let mut all = match &phrase.head {
            Head::Word(name) => self.matches_word(&name.text, depth),
            Head::Group(inner) => self.holds(inner, &candidate, depth),
            _ => None,
        };
        for post in &phrase.filters {
            let one = match &post.kind {
                PhraseFilterKind::With(condition) | PhraseFilterKind::That(condition) => self.holds(condition, &candidate, depth),
                PhraseFilterKind::Without(word) => self.matches_word(&word.text, depth).map(|is| !is),
                PhraseFilterKind::ThatIs { what, negated } => self.matches_value(what, depth).map(|is| is != *negated),
                _ => None,
            };
            all = and(all, one);
        }
        all
    }

    /// Whether the card is `what`, as in `is WHAT`.
    fn matches_value(&self, what: &Expr, depth: u32) -> Option<bool> {
        let phrase = as_phrase(what)?;
        match (&phrase.head, phrase.filters.is_empty()) {
            (Head::Quoted(name), true) => {
                let quoted = |fact: &fizzle_grammar::ast::Fact| {
                    let value = fact.value.as_deref().and_then(as_phrase);
                    value.is_some_and(|value| matches!(&value.head, Head::Quoted(word) if word.text == name.text))
                };
                Some(self.card.name.text == name.text || self.card.facts.iter().any(quoted))
            }
            (Head::Word(word), true) => self.matches_word(&word.text, depth),
            (Head::Group(inner), true) => match &inner.kind {
                ExprKind::Binary { op: BinaryOp::Or, left, right } => {
                    or(self.matches_value(left, depth), self.matches_value(right, depth))
                }
                _ => self.matches_value(inner, depth),
            },
            _ => None,
        }
    }

    /// Whether a condition holds for the card. `subject` accepts the words that refer to the card.
    fn holds(&self, condition: &Expr, subject: &dyn Fn(&str) -> bool, depth: u32) -> Option<bool> {
        let depth = depth.checked_sub(1)?;
        match &condition.kind {
            ExprKind::Binary { op: BinaryOp::And, left, right } => {
                and(self.holds(left, subject, depth), self.holds(right, subject, depth))
            }
            ExprKind::Binary { op: BinaryOp::Or, left, right } => {
                or(self.holds(left, subject, depth), self.holds(right, subject, depth))
            }
            ExprKind::Not(inner) => self.holds(inner, subject, depth).map(|holds| !holds),
            ExprKind::Is { left, right, negated } => {
                let about = bare_word(left).is_some_and(|word| subject(&word.text));
                self.matches_value(right, depth).filter(|_| about).map(|is| is != *negated)
            }
            ExprKind::Phrase(phrase) if phrase.quantifier.is_none() && phrase.filters.is_empty() => match &phrase.head {
                Head::Group(inner) => self.holds(inner, subject, depth),
                Head::Word(word) => self.matches_word(&word.text, depth),
                _ => None,
            },
            _ => None,
        }
    }
}

fn and(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    match (a, b) {
        (Some(false), _) | (_, Some(false)) => Some(false),
        (Some(true), Some(true)) => Some(true),
        _ => None,
    }
}

fn or(a: Option<bool>, b: Option<bool>) -> Option<bool> {
    and(a.map(|a| !a), b.map(|b| !b)).map(|neither| !neither)
}

/// Collects the `resolve text of` statements, each with the conditions around it.
fn collect_guards<'t>(block: &'t Block, guards: &mut Vec<Guard<'t>>, found: &mut Vec<Vec<Guard<'t>>>) {
    for statement in &block.statements {
        match &statement.kind {
            StatementKind::Calls(calls) => {
                let carried = calls.iter().filter(|call| call.verb.text == "resolve_text");
                found.extend(carried.map(|_| guards.clone()));
            }
            StatementKind::If { condition, then, otherwise } => {
                guards.push((condition, true));
                collect_guards(then, guards, found);
                guards.pop();
                if let Some(otherwise) = otherwise {
                    guards.push((condition, false));
                    collect_guards(otherwise, guards, found);
                    guards.pop();
                }
            }
            StatementKind::Block(body)
            | StatementKind::Simultaneously(body)
            | StatementKind::ForEach { body, .. }
            | StatementKind::Times { body, .. }
            | StatementKind::Repeat { body, .. } => collect_guards(body, guards, found),
            StatementKind::Modes { modes, .. } => modes.iter().for_each(|mode| collect_guards(mode, guards, found)),
            _ => {}
        }
    }
}
