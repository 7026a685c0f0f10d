//! Lint: triggers on actions that nothing proposes, triggers that trigger themselves, and links to statements that cannot fail.

use crate::diagnostics::{Diagnostic, codes};
use crate::formats::ResolvedFormat;
use crate::lower::Lowering;
use crate::lower::pattern::EventVerb;
use crate::names::NameTable;
use crate::phrase_syntax::{as_phrase, bare_word, is_word};
use fizzle_grammar::ast::{Block, Call, Expr, Head, Link, Pattern, Span, Statement, StatementKind};
use fizzle_ir::Op;
use fizzle_ir::format::LEAVE_GAME_ACTION;
use fizzle_ir::op::Function;
use fizzle_ir::verbs::VERBS;
use std::collections::BTreeSet;

impl<'a> Lowering<'a> {
    /// Records the action of a trigger. Whether anything proposes it is known after everything is lowered.
    pub fn record_trigger(&mut self, verbed: EventVerb, pattern: &'a Pattern) {
        if let EventVerb::Action(action) = verbed
            && action.index() >= VERBS.len()
        {
            self.awaited_actions.push((action.index(), pattern.verb.span));
        }
    }

    /// Reports a trigger whose own text unconditionally does again what it waits for.
    pub fn lint_self_trigger(&mut self, pattern: &'a Pattern, body: &'a Block) {
        // Only triggers about `you` are checked: an action of `this` may end the ability, because the object may have left the zone where
        // it works.
        let you = is_word(&pattern.subject, "you");
        if !you || pattern.passive || pattern.object.is_some() || pattern.from.is_some() || pattern.condition.is_some() {
            return;
        }
        let found = self.names.action_of_form(&pattern.verb.text, pattern.passive);
        let Some((action, _)) = found.and_then(|id| self.names.actions.get_index(id.index())) else { return };
        let again = body.statements.iter().find_map(|statement| {
            let StatementKind::Calls(calls) = &statement.kind else { return None };
            let [call] = calls.as_slice() else { return None };
            let plain = statement.link == Link::Next && !call.may && call.prepositions.is_empty() && call.verb.text == *action;
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
                Diagnostic::new(&codes::TRIGGERS_ITSELF, span, format!("this triggers `{text}` again, without end"))
                    .also(pattern.span, "the trigger")
                    .help("make it optional (`you may …`), limit it (`limit 1 per turn`), or restrict its events (`where …`)"),
            );
        }
    }

    /// Reports `if you do` and `otherwise` behind a statement that cannot fail.
    pub fn lint_link(&mut self, statement: &'a Statement, next: &'a Statement) {
        let steady = statement.link == Link::Next
            && matches!(
                statement.kind,
                StatementKind::Let { .. }
                    | StatementKind::Assign { .. }
                    | StatementKind::Gets { .. }
                    | StatementKind::Cannot { .. }
                    | StatementKind::DelayedAt { .. }
                    | StatementKind::DelayedWhen { .. }
                    | StatementKind::TemporaryAbilities { .. }
            );
        let (link, help) = match next.link {
            Link::IfYouDo if steady => ("if you do", "leave the link out, or write it after a statement that can fail"),
            Link::Otherwise if steady => {
                ("otherwise", "this never happens: leave it out, or write it after a statement that can fail")
            }
            _ => return,
        };
        let problem = Diagnostic::new(
            &codes::CANNOT_FAIL,
            self.first_line(next.span),
            format!("the statement before `{link}` cannot fail"),
        );
        self.report(problem.also(statement.span, "this always happens").help(help));
    }

    /// Reports an `if you do` that follows an offer, but not directly: it tests the statement between them. That is meant where this statement
    /// chooses something, since there may be nothing to choose.
    pub fn lint_offer_before_link(&mut self, offer: &'a Statement, between: &'a Statement, next: &'a Statement) {
        let offers = matches!(&offer.kind, StatementKind::Calls(calls) if calls.iter().any(|call| call.may));
        let is_number = |it: &Expr| as_phrase(it).is_some_and(|it| it.quantifier.is_none() && matches!(it.head, Head::Number(_)));
        let counts = |call: &Call| !call.may && call.prepositions.is_empty() && call.operands.iter().all(is_number);
        let is_plain = matches!(&between.kind, StatementKind::Calls(calls) if calls.iter().all(counts));
        if next.link != Link::IfYouDo || between.link != Link::Next || !offers || !is_plain {
            return;
        }
        let message = "`if you do` tests the statement before it, not the offer";
        let problem = Diagnostic::new(&codes::CANNOT_FAIL, self.first_line(next.span), message);
        let problem = problem.also(offer.span, "the offer").also(between.span, "this is tested");
        self.report(problem.help("write the part with `if you do` directly behind the offer"));
    }

    /// The first line of a span.
    pub fn first_line(&self, span: Span) -> Span {
        let text = self.sources.slice(span);
        let length = text.find('\n').unwrap_or(text.len()) as u32;
        Span { end: span.start + length, ..span }
    }
}

/// The actions that some code proposes, by number.
pub fn proposed_actions(functions: &[Function]) -> BTreeSet<usize> {
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

/// All actions that can happen if those in `done` do: these, their aliases and parents, and what the machine proposes.
pub fn reachable_actions(names: &NameTable<'_>, models: &[ResolvedFormat<'_>], mut done: BTreeSet<usize>) -> BTreeSet<usize> {
    done.extend([LEAVE_GAME_ACTION, "remove_from_list"].iter().filter_map(|name| names.actions.get_index_of(*name)));
    let more: Vec<(usize, usize)> = models
        .iter()
        .flat_map(|model| model.action_aliases.values())
        .filter_map(|treat| {
            Some((names.actions.get_index_of(&treat.action.text)?, names.actions.get_index_of(&treat.into.text)?))
        })
        .chain(names.actions.values().enumerate().filter_map(|(id, action)| Some((id, action.parent?.index()))))
        .collect();
    while more.iter().any(|(from, into)| done.contains(from) && done.insert(*into)) {}
    done
}

/// The diagnostic for a trigger on an action that never happens.
pub fn dead_trigger_diagnostic(names: &NameTable<'_>, action: usize, span: Span) -> Option<Diagnostic> {
    let (name, declared) = names.actions.get_index(action)?;
    let problem = Diagnostic::new(&codes::NEVER_HAPPENS, span, format!("`{name}` never happens, so this never triggers"))
        .also(declared.span, "declared here")
        .help(format!("write a statement `{name} …` in a card, a rule or the turn"));
    Some(problem)
}
