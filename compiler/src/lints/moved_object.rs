//! Lint: statements that change an object after the statement before has moved it out of the field.

use crate::action_effects::relocated_name;
use crate::diagnostics::{Diagnostic, codes};
use crate::lower::Lowering;
use crate::phrase_syntax::{as_phrase, bare_word};
use crate::verb_forms::is_inflected_form;
use fizzle_grammar::ast::{Call, Expr, Head, Link, ModificationKind, PhraseFilterKind, Span, Statement, StatementKind};
use smol_str::SmolStr;

impl<'a> Lowering<'a> {
    /// Reports a statement that writes statuses or numbers of an object which the statement before has moved to a zone where they mean
    /// nothing: `exile target creature; tap it`.
    pub fn lint_moved_object(&mut self, statement: &'a Statement, next: &'a Statement) {
        let Some(call) = only_call(statement).filter(|call| !call.may) else { return };
        let [moved] = call.operands.as_slice() else { return };
        let names = self.names;
        let Some((_, zone)) = names.action_effects.moves.iter().find(|(name, _)| is_inflected_form(name, &call.verb.text, false))
        else {
            return;
        };
        // `if you do` and `otherwise` depend on what has happened.
        if !matches!(next.link, Link::Next | Link::Then) {
            return;
        }
        let (object, what) = match &next.kind {
            StatementKind::Calls(_) => {
                let Some(second) = only_call(next) else { return };
                let marks = &names.action_effects.marks;
                let Some(verb) = marks.iter().find(|name| is_inflected_form(name, &second.verb.text, false)) else { return };
                let [object] = second.operands.as_slice() else { return };
                (object, verb.clone())
            }
            StatementKind::Gets { whom, mods, .. } => {
                let is_number = |kind: &ModificationKind| matches!(kind, ModificationKind::Add { .. });
                if !mods.iter().all(|change| is_number(&change.kind)) {
                    return;
                }
                (&**whom, SmolStr::new("gets"))
            }
            _ => return,
        };
        if !self.is_same_object(object, moved, call) {
            return;
        }
        let help = self.suggest_order(call, moved, next, object);
        let text = self.sources.slice(object.span).to_owned();
        let message = format!("`{text}` is in `{zone}` now, where `{what}` changes nothing");
        self.report(
            Diagnostic::new(&codes::ACTS_ON_MOVED, self.first_line(next.span), message)
                .also(call.span, "this moves it")
                .help(help),
        );
    }

    /// Reports a statement that moves or marks a name, or assigns to a status of it, although its object was moved in this block or one
    /// around it: the name is still that of the object as it was. Keeps the names of what the statement moves.
    pub fn lint_stale_write(&mut self, statement: &'a Statement) {
        match &statement.kind {
            StatementKind::Calls(calls) if self.fun().batch_depth == 0 => {
                self.lint_stale_call(statement, calls);
                let relocates = &self.names.action_effects.relocates;
                let known = |verb: &str| relocates.iter().any(|name| is_inflected_form(name, verb, false));
                for call in calls.iter().filter(|call| !call.may) {
                    let name = relocated_name(call, known).filter(|name| name.text != "it");
                    let Some(name) = name.filter(|name| call.binding.as_ref().is_none_or(|made| made.text != name.text)) else {
                        continue;
                    };
                    self.fun().moved_names.push((name.text.clone(), call.span));
                }
                for made in calls.iter().filter_map(|call| call.binding.as_ref()) {
                    self.fun().moved_names.retain(|(name, _)| *name != made.text);
                }
            }
            StatementKind::Let { name, .. } => self.fun().moved_names.retain(|(moved, _)| *moved != name.text),
            StatementKind::Assign { place, .. } => {
                let Some(phrase) = as_phrase(place) else { return };
                let Head::Word(status) = &phrase.head else { return };
                if !self.names.statuses.iter().any(|declared| declared.name.text == status.text) {
                    return;
                }
                let [filter] = phrase.filters.as_slice() else { return };
                let PhraseFilterKind::Of(owner) = &filter.kind else { return };
                let Some(name) = bare_word(owner) else { return };
                let Some((_, moved)) = self.fun().moved_names.iter().rev().find(|(moved, _)| *moved == name.text).cloned() else {
                    return;
                };
                let message = format!("`{}` names the object before it was moved, so this writes nothing", name.text);
                self.report_stale_name(statement, message, moved);
            }
            _ => {}
        }
    }

    /// Reports calls that move or mark a name of a moved object: `put x into hand; put x into pile`.
    fn lint_stale_call(&mut self, statement: &'a Statement, calls: &'a [Call]) {
        // `if you do` and `otherwise` depend on what has happened.
        if self.fun().moved_names.is_empty() || !matches!(statement.link, Link::Next | Link::Then) {
            return;
        }
        let effects = &self.names.action_effects;
        let acts = |verb: &str| effects.relocates.iter().chain(&effects.marks).any(|name| is_inflected_form(name, verb, false));
        for call in calls {
            let Some(name) = relocated_name(call, acts) else { continue };
            let Some((_, moved)) = self.fun().moved_names.iter().rev().find(|(moved, _)| *moved == name.text).cloned() else {
                continue;
            };
            let message = format!("`{}` names the object before it was moved, so `{}` does nothing", name.text, call.verb.text);
            self.report_stale_name(statement, message, moved);
        }
    }

    fn report_stale_name(&mut self, statement: &Statement, message: String, moved: Span) {
        // reported already, by the statement before
        let at = self.first_line(statement.span);
        if self.diagnostics.iter().any(|known| known.span == at && known.code.code == codes::ACTS_ON_MOVED.code) {
            return;
        }
        let verb = self.sources.slice(moved).to_owned();
        let help = match verb.contains(" as ") {
            true => "write the name that this statement gives the moved object".to_owned(),
            false => format!("name the moved object, and write that name: `{verb} as moved`"),
        };
        self.report(Diagnostic::new(&codes::ACTS_ON_MOVED, at, message).also(moved, "this moves it").help(help));
    }

    /// Takes the names of moved objects that a condition mentions: where it holds, such an object was perhaps not moved.
    pub fn take_tested_names(&mut self, condition: &Expr) -> Vec<(SmolStr, Span)> {
        if self.fun().moved_names.is_empty() {
            return Vec::new();
        }
        let tested = self.sources.slice(condition.span).to_owned();
        let mentions = |name: &SmolStr| tested.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name);
        self.fun().moved_names.extract_if(.., |(name, _)| mentions(name)).collect()
    }

    /// The two statements in their other order, with a name for what they are about.
    fn suggest_order(&self, call: &Call, moved: &Expr, next: &Statement, object: &Expr) -> String {
        let slice = |span: Span| self.sources.slice(span).trim();
        let own_name = bare_word(moved).map(|name| name.text.as_str());
        let name = own_name.or_else(|| call.binding.as_ref().map(|name| name.text.as_str())).unwrap_or("chosen");
        let with_name = |whole: Span, part: Span, from: u32| {
            let (before, behind) = (Span { start: from, end: part.start, ..whole }, Span { start: part.end, ..whole });
            format!("{}{name}{}", self.sources.slice(before), spaced(slice(behind)))
        };
        let first = with_name(call.span, moved.span, call.span.start);
        let first = first.split(" as ").next().unwrap_or("").to_owned();
        let second = with_name(next.span, object.span, next.span.start);
        let second = second.trim_start_matches("then ");
        if [first.as_str(), second, slice(moved.span)].iter().any(|text| text.contains(['\n', ';', '{'])) {
            return "write this statement before the one that moves the object, or leave it out".to_owned();
        }
        let choice = if own_name.is_some() { String::new() } else { format!("choose {} as {name}; ", slice(moved.span)) };
        format!("write it before the object moves: `{choice}{second}; {first}`")
    }

    /// Whether an operand is what a call has moved: `it`, the name that the call binds, or the name that it uses.
    fn is_same_object(&self, object: &Expr, moved: &Expr, call: &Call) -> bool {
        let Some(word) = bare_word(object) else { return false };
        // Several objects are no `it`, but a name of them is.
        let is_one = as_phrase(moved).is_some_and(|phrase| phrase.quantifier.is_some()) || bare_word(moved).is_some();
        is_one
            && (word.text == "it"
                || call.binding.as_ref().is_some_and(|name| name.text == word.text)
                || bare_word(moved).is_some_and(|name| name.text == word.text && name.text != "this"))
    }
}

/// A text behind a blank, unless it is empty.
fn spaced(text: &str) -> String {
    if text.is_empty() { String::new() } else { format!(" {text}") }
}

/// The only call of a statement.
fn only_call(statement: &Statement) -> Option<&Call> {
    let StatementKind::Calls(calls) = &statement.kind else { return None };
    let [call] = calls.as_slice() else { return None };
    Some(call)
}
