//! Shared by lints: what a card prints, as evidence about the plays that use it. It shows which of them resolve its text, and where they put it.

use crate::names::{Meaning, NameTable};
use crate::phrase_syntax::{as_phrase, bare_word};
use fizzle_grammar::ast::{BinaryOp, Block, Card, Expr, ExprKind, Fact, Head, Phrase, PhraseFilterKind, Play, StatementKind};

/// Maximum depth to which nouns are expanded.
pub(super) const MAX_NOUN_DEPTH: u32 = 16;

/// What the print of a card proves. Methods return `None` where it decides nothing.
pub(super) struct PrintedFacts<'n, 'a> {
    pub names: &'n NameTable<'a>,
    /// The name of the card; empty if only words are known.
    pub name: &'n str,
    /// What the card prints.
    pub facts: &'n [Fact],
    /// A word that it prints in addition; empty if there is none.
    pub word: &'n str,
    /// Whether all that it prints is known, so that it lacks all other words.
    pub is_whole: bool,
}

/// A condition, and the value that it has where a statement is.
pub(super) type Guard<'t> = (&'t Expr, bool);

impl<'n, 'a> PrintedFacts<'n, 'a> {
    /// Those of a card.
    pub fn of_card(names: &'n NameTable<'a>, card: &'n Card) -> Self {
        Self { names, name: &card.name.text, facts: &card.facts, word: "", is_whole: true }
    }

    /// Those of any card that prints a word.
    pub fn of_word(names: &'n NameTable<'a>, word: &'n str) -> Self {
        Self { names, name: "", facts: &[], word, is_whole: false }
    }

    /// Whether a play may resolve the text of the card.
    pub fn may_resolve_text(&self, play: &Play, count: usize) -> bool {
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
    pub fn matches_word(&self, word: &str, depth: u32) -> Option<bool> {
        if word == "card" || word == "object" {
            return Some(true);
        }
        let depth = depth.checked_sub(1)?;
        let is_word = |fact: &Fact| fact.value.is_none() && fact.args.is_empty() && fact.word.text == word;
        let printed = self.word == word || self.facts.iter().any(is_word);
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
                let quoted = |fact: &Fact| {
                    let value = fact.value.as_deref().and_then(as_phrase);
                    value.is_some_and(|value| matches!(&value.head, Head::Quoted(word) if word.text == name.text))
                };
                Some(self.name == name.text || self.facts.iter().any(quoted))
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
    pub fn holds(&self, condition: &Expr, subject: &dyn Fn(&str) -> bool, depth: u32) -> Option<bool> {
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
                Head::Call { name, args } => self.function_holds(&name.text, args, subject, depth),
                _ => None,
            },
            _ => None,
        }
    }

    /// Whether a declared function of the card holds: `stays(it)`.
    fn function_holds(&self, name: &str, args: &[Expr], subject: &dyn Fn(&str) -> bool, depth: u32) -> Option<bool> {
        let [argument] = args else { return None };
        let function = self.names.functions.get(name)?;
        let [(param, _)] = function.params.as_slice() else { return None };
        let is_about = bare_word(argument).is_some_and(|word| subject(&word.text));
        if !is_about || self.names.text_resolvers.replaced_functions.contains(name) {
            return None;
        }
        self.holds(function.body, &|word| word == param, depth)
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
