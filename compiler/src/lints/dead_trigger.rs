//! Triggers on what nothing does, triggers that set themselves off, and links to what cannot fail.

use crate::diagnostics::{Diagnostic, codes};
use crate::formats::ResolvedFormat;
use crate::lower::Lowering;
use crate::lower::pattern::{EventVerb, inflected};
use crate::lower::phrase::{bare_word, is_word};
use crate::names::NameTable;
use fizzle_grammar::ast::{Block, Link, Pattern, Span, Statement, StatementKind};
use fizzle_runtime::ir::Op;
use fizzle_runtime::ir::op::Function;
use fizzle_runtime::ir::verbs::VERBS;
use fizzle_runtime::program::LEAVE_GAME_ACTION;
use std::collections::BTreeSet;

impl<'a> Lowering<'a> {
    /// Remembers the event of a trigger, to see in the end whether anything does it.
    pub fn suspect_trigger(&mut self, verbed: EventVerb, pattern: &'a Pattern) {
        if let EventVerb::Action(action) = verbed
            && action.index() >= VERBS.len()
        {
            self.awaited.push((action.index(), pattern.verb.span));
        }
    }

    /// Tells triggers on actions that nothing does: no card, rule, play or turn, under no format. `done` is what the library's code does.
    pub fn suspect_triggers(&mut self, models: &[ResolvedFormat<'a>], done: BTreeSet<usize>) {
        let happens = reachable_actions(self.names, models, done);
        for (action, span) in std::mem::take(&mut self.awaited) {
            if !happens.contains(&action) {
                self.diagnostics.extend(never_happens(self.names, action, span));
            }
        }
    }

    /// Tells a trigger whose own text does again what it waits for, whatever happens.
    pub fn suspect_circle(&mut self, pattern: &'a Pattern, body: &'a Block) {
        // What `this` does may end the ability that waits for it: it may have left where it works.
        let you = is_word(&pattern.subject, "you");
        if !you || pattern.passive || pattern.object.is_some() || pattern.from.is_some() || pattern.condition.is_some() {
            return;
        }
        let Some(action) = self.names.actions.keys().find(|name| inflected(name, &pattern.verb.text, pattern.passive)).cloned()
        else {
            return;
        };
        let again = body.statements.iter().find_map(|statement| {
            let StatementKind::Calls(calls) = &statement.kind else { return None };
            let [call] = calls.as_slice() else { return None };
            let plain = statement.link == Link::Next && !call.may && call.prepositions.is_empty() && call.verb.text == action;
            let actor = call
                .subject
                .as_ref()
                .map_or(Some("you"), |subject| bare_word(&subject.who).filter(|_| !subject.each).map(|word| word.text.as_str()));
            let some = match call.operands.as_slice() {
                [] => true,
                [amount] => self.sources.slice(amount.span).parse::<u32>().is_ok_and(|n| n > 0),
                _ => false,
            };
            let same = actor == Some("you") && some;
            (plain && same).then_some(statement.span)
        });
        if let Some(span) = again {
            let text = self.sources.slice(pattern.span).split_whitespace().collect::<Vec<_>>().join(" ");
            self.report(
                Diagnostic::new(&codes::TRIGGERS_ITSELF, span, format!("this sets off `{text}` again, and so on without end"))
                    .also(pattern.span, "the trigger")
                    .help("let it be declined (`you may …`), limit it (`limit 1 per turn`), or say which events it is about (`where …`)"),
            );
        }
    }

    /// Tells `if you do` and `otherwise` behind what always happens.
    pub fn suspect_link(&mut self, statement: &'a Statement, next: &'a Statement) {
        let steady = statement.link == Link::Next
            && matches!(
                statement.kind,
                StatementKind::Let { .. }
                    | StatementKind::Assign { .. }
                    | StatementKind::Gets { .. }
                    | StatementKind::Cannot { .. }
                    | StatementKind::Delayed { .. }
                    | StatementKind::DelayedWhen { .. }
                    | StatementKind::Standing { .. }
            );
        let (link, help) = match next.link {
            Link::IfYouDo if steady => ("if you do", "leave the link out, or put it behind what may fail"),
            Link::Otherwise if steady => ("otherwise", "this never happens: take it out, or put it behind what may fail"),
            _ => return,
        };
        let problem =
            Diagnostic::new(&codes::CANNOT_FAIL, self.first_line(next.span), format!("what `{link}` links to cannot fail"));
        self.report(problem.also(statement.span, "this always happens").help(help));
    }

    /// The first line of a span.
    pub fn first_line(&self, span: Span) -> Span {
        let text = self.sources.slice(span);
        let length = text.find('\n').unwrap_or(text.len()) as u32;
        Span { end: span.start + length, ..span }
    }
}

/// The actions that some code does.
pub fn carried_out(functions: &[Function]) -> BTreeSet<usize> {
    let mut done: BTreeSet<usize> = BTreeSet::new();
    for op in functions.iter().flat_map(|function| &function.ops) {
        match op {
            Op::Propose { events, .. } => done.extend(events.iter().map(|event| event.action.index())),
            Op::Declare(declare) => drop(done.insert(declare.action.index())),
            Op::ProposePairs { action, .. } => drop(done.insert(action.index())),
            _ => {}
        }
    }
    done
}

/// The actions that happen when some are `done`: these, what others are of them, and what the machine does by itself.
pub fn reachable_actions(names: &NameTable<'_>, models: &[ResolvedFormat<'_>], mut done: BTreeSet<usize>) -> BTreeSet<usize> {
    done.extend([LEAVE_GAME_ACTION, "remove_from_list"].iter().filter_map(|name| names.actions.get_index_of(*name)));
    let more: Vec<(usize, usize)> = models
        .iter()
        .flat_map(|model| model.treats.values())
        .filter_map(|treat| {
            Some((names.actions.get_index_of(&treat.action.text)?, names.actions.get_index_of(&treat.into.text)?))
        })
        .chain(names.actions.values().enumerate().filter_map(|(id, action)| Some((id, action.parent?.index()))))
        .collect();
    while more.iter().any(|(from, into)| done.contains(from) && done.insert(*into)) {}
    done
}

/// Tells a trigger on an action that never happens.
pub fn never_happens(names: &NameTable<'_>, action: usize, span: Span) -> Option<Diagnostic> {
    let (name, declared) = names.actions.get_index(action)?;
    let problem = Diagnostic::new(&codes::NEVER_HAPPENS, span, format!("nothing does `{name}`, so this never triggers"))
        .also(declared.span, "declared here")
        .help(format!("do it somewhere: a statement `{name} …` of a card, a rule or the turn"));
    Some(problem)
}
