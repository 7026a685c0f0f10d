//! Suggestions for statements in the form of printed texts, which the language divides into several or writes in another order.

use super::Lowering;
use crate::diagnostics::{Diagnostic, codes};
use crate::names::{Meaning, Signature};
use fizzle_grammar::ast::{Call, Expr, Name, Span};
use fizzle_ir::Type;
use fizzle_ir::scenario::third_person;
use fizzle_ir::verbs::SHUFFLE;

/// Statements that the grammar reads as verbs behind `may`, and that are no actions.
const NO_ACTIONS: [&str; 4] = ["copy", "declare", "divide", "repeat"];

impl<'a> Lowering<'a> {
    /// Reports `you may copy it`: a statement that is no action behind `may`.
    pub fn report_offered_statement(&mut self, call: &Call) -> bool {
        let verb = call.verb.text.as_str();
        if !call.may || !NO_ACTIONS.contains(&verb) {
            return false;
        }
        let statement = self.sources.slice(Span { start: call.verb.span.start, ..call.span }).trim().to_owned();
        let is_you = call.subject.as_ref().is_none_or(|subject| self.sources.slice(subject.span) == "you");
        let follows_colon = self.text_before(call.span).trim_end().ends_with(':');
        let help = match is_you {
            true if follows_colon => format!(
                "let a number decide, in braces without the colon: `{{ choose number from 0 to 1 as n; if n == 1 {{ {statement} }} }}`"
            ),
            true => format!("let a number decide: `choose number from 0 to 1 as n; if n == 1 {{ {statement} }}`"),
            false => format!("let the player decide on an action: `PLAYER may ACTION; if you do, {statement}`"),
        };
        let message = format!("`{verb}` is a statement, and `may` is followed by an action");
        self.report(Diagnostic::new(&codes::UNKNOWN_VERB, call.verb.span, message).help(help));
        true
    }

    /// The player that the last subject in parentheses of this block chooses: `target opponent` of `(target opponent) draws 1`.
    fn chosen_subject_before(&self, span: Span) -> Option<String> {
        let block = self.text_before(span).rsplit(['{', '}']).next()?;
        let at = ["(target ", "(1 "].iter().filter_map(|begin| block.rfind(begin)).max()?;
        let chosen = block.get(at + 1..)?.split_once(')')?.0;
        let is_player = matches!(chosen.rsplit(' ').next(), Some("player" | "opponent"));
        is_player.then(|| chosen.to_owned())
    }

    /// For `it` that is meant as the player chosen before: how to name that player.
    ///
    /// `form`: the text with the name `chosen` in the place of `it`.
    pub fn suggest_named_player(&self, span: Span, form: &str) -> Option<String> {
        let chosen = self.chosen_subject_before(span)?;
        Some(format!("for the player, choose first, `choose {chosen} as chosen`, and write `{form}`"))
    }

    /// Whether the subject of a call is reported already.
    pub fn has_refused_subject(&self, call: &Call) -> bool {
        let Some(subject) = &call.subject else { return false };
        let is_within =
            |span: Span| span.file == subject.span.file && subject.span.start <= span.start && span.end <= subject.span.end;
        self.diagnostics.last().is_some_and(|problem| problem.code.code == codes::UNCLEAR_IT.code && is_within(problem.span))
    }

    /// For `opponent shuffles deck`: the zone of the subject.
    pub fn suggest_zone_of_subject(&self, word: &str, before: &str) -> Option<String> {
        let statement = before.rsplit(':').next().unwrap_or(before).trim_start();
        let subject = match statement.strip_prefix('(') {
            Some(inside) => inside.split_once(')')?.0,
            None => statement.split(' ').next().filter(|subject| matches!(*subject, "you" | "opponent" | "active"))?,
        };
        let is_name = subject.bytes().all(|c| c.is_ascii_lowercase() || c == b'_');
        is_name.then(|| match subject {
            "you" => format!("write `your {word}`"),
            _ => format!("write `{word} of {subject}`"),
        })
    }

    /// For `when piece enters marked`: the status as a condition of the event.
    pub fn suggest_status_of_arrival(&self, word: &str, before: &str) -> Option<String> {
        let is_status = |meaning: &Meaning| matches!(meaning, Meaning::Status(n) if self.names.types[1].get(usize::from(*n)) == Some(&Type::Bool));
        let event = before.rfind("when").and_then(|at| before.get(at..))?.trim_end();
        let is_place = event.ends_with(" enters") || event.ends_with(" leaves");
        (is_place && self.names.meanings(word).iter().any(is_status))
            .then(|| format!("write it as a condition of the event: `{event} where {word} of it`"))
    }

    /// For `shuffle hand into deck`: the move and the shuffle.
    pub fn suggest_move_and_shuffle(&mut self, call: &Call, action: usize, word: &Name, zone: &Expr) -> Option<String> {
        let operand = call.operands.first().filter(|_| action == SHUFFLE as usize)?;
        if !matches!(word.text.as_str(), "into" | "onto" | "to") {
            return None;
        }
        let what = self.sources.slice(operand.span);
        let what = if self.guess(operand) == Some(Type::Zone) { format!("each card in {what}") } else { what.to_owned() };
        let zone = self.sources.slice(zone.span);
        let subject = call.subject.as_ref().map(|subject| self.sources.slice(subject.span)).filter(|subject| *subject != "you");
        let help = match subject {
            Some(subject) => format!("write two statements: `{subject} puts {what} into {zone}; {subject} shuffles {zone}`"),
            None => format!("write two statements: `put {what} into {zone}; shuffle {zone}`"),
        };
        // The object was reported as no zone.
        if self.diagnostics.last().is_some_and(|problem| problem.span == operand.span) {
            self.diagnostics.pop();
        }
        Some(help)
    }

    /// For a name that a cost binds and that an effect reads after the cost: how the effect learns of it.
    pub fn suggest_kept_name(&mut self, name: &Name) -> Option<String> {
        let is_unused = |problem: &Diagnostic| {
            problem.code.code == codes::UNUSED.code
                && problem.span.file == name.span.file
                && self.sources.slice(problem.span) == name.text.as_str()
                && self.owner.span.start <= problem.span.start
                && problem.span.end <= self.owner.span.end
        };
        let at = self.diagnostics.iter().rposition(is_unused)?;
        let named = self.diagnostics.get(at)?.span;
        let block = self.text_before(named).rsplit('{').next().map(str::len)?;
        let head = self.text_before(Span { start: named.start.saturating_sub(block as u32), end: named.end, ..named });
        if !head.trim_end().trim_end_matches('{').trim_end().ends_with("cost") {
            return None;
        }
        self.diagnostics.remove(at);
        Some(format!(
            "`{0}` ends with the cost: declare `status kept: object` outside of the card, write `kept of this = {0}` in `cost`, and `kept of this` here",
            name.text
        ))
    }

    /// The passive, for a verb that is done to its object. `foe`: another object that takes part, as a condition.
    pub fn suggest_done_to(&self, name: &str, signature: &Signature, text: &str, done: &str, verb: Span) -> String {
        let second = signature.params.iter().skip(1).find(|(_, ty)| matches!(ty, Type::Object | Type::Thing));
        let mut help = format!("write `{text} {done}`");
        if let Some((other, _)) = second {
            help = format!("{help}, or for the other one `card {done} where {other} is {text}`");
        }
        // An action of another pack cannot be declared otherwise.
        let is_own = self.names.scopes.pack_of(verb.file) == self.names.scopes.pack_of(signature.span.file);
        if is_own && let Some((it, _)) = signature.params.first() {
            help = format!("{help}; if `{it}` is the one that acts, declare `action {name}(…) by {it}`");
        }
        help
    }

    /// For `when player discards_card`: the passive of the action, if the verb is joined with its noun.
    pub fn suggest_passive_of_joined(&self, word: &str) -> Option<String> {
        let (verb, noun) = word.rsplit_once('_')?;
        let is_noun = noun == "card"
            || self.names.meanings(noun).iter().any(|meaning| matches!(meaning, Meaning::Noun | Meaning::Word(..)));
        let (name, signature) = self.names.actions.iter().find(|(name, _)| third_person(name) == verb || *name == verb)?;
        let is_done = matches!(signature.params.first(), Some((_, Type::Object | Type::Objects | Type::Thing)));
        (is_noun && is_done).then(|| format!("write `{noun} is {}`", self.names.participle_of_action(name)))
    }

    /// For an action that belongs to its object, in the passive: the active form with the same modal verb.
    pub fn active_form(&self, pattern_between: &str, name: &str) -> String {
        match pattern_between.split(' ').next() {
            Some(mood @ ("cannot" | "would" | "must")) => format!("{mood} {name}"),
            _ => third_person(name),
        }
    }

    /// For a zone with `with STATUS`, where a zone is needed: the status alone.
    pub fn suggest_status_behind_zone(&self, text: &str) -> Option<String> {
        let (zone, status) = text.split_once(" with ")?;
        let is_zone = zone.split(' ').any(|word| self.is_zone_word(word));
        let is_status = self.names.meanings(status).iter().any(|meaning| matches!(meaning, Meaning::Status(_)));
        (is_zone && is_status).then(|| format!("write the status alone behind the zone: `{zone} {status}`"))
    }

    /// For `who is opponent of controller of this` and `not opponent is active`: the test of a player for an opponent.
    pub fn suggest_test_for_opponent(&self, condition: &str, behind: &str) -> Option<String> {
        if let Some(player) = condition.strip_suffix(" is ").filter(|player| !player.contains(['(', ')'])) {
            let of_you = ["of controller of this", "of owner of this", "of you"].iter().any(|whose| behind.trim() == *whose);
            return of_you.then(|| format!("`opponent` is that of `you` already: write `{player} is opponent`"));
        }
        let (open, not) = match condition.trim_end() {
            "" => ("", ""),
            "not" => ("", "not "),
            "not (" => ("(", "not "),
            _ => return None,
        };
        let test = behind.trim().strip_prefix("is ")?;
        let (denied, who) = test.strip_prefix("not ").map_or(("", test), |who| ("not ", who));
        let who = if open.is_empty() { who } else { who.strip_suffix(')')? };
        (who == "active").then(|| format!("write the one player first: `{not}{denied}active is opponent`"))
    }
}
