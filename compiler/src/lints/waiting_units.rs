//! Lint: activated abilities that only make units and wait on the list.

use crate::diagnostics::{Diagnostic, codes};
use crate::lower::Lowering;
use crate::phrase_syntax::as_phrase;
use fizzle_grammar::ast::{Ability, Head, Play, Span, StatementKind};

/// The verbs that make units.
const PRODUCING_VERBS: [&str; 2] = ["add", "produce"];

impl Lowering<'_> {
    /// Reports `{T}: add {G}`, which waits on the list and is not used while a price is paid. An ability of a keyword with a block is what
    /// its declaration says.
    pub fn lint_waiting_units(&mut self, ability: &Ability, play: &Play) {
        if play.immediate || play.during_payment || play.produces.is_some() || ability.keyword.is_some() {
            return;
        }
        let [statement] = play.body.statements.as_slice() else { return };
        let StatementKind::Calls(calls) = &statement.kind else { return };
        let [call] = calls.as_slice() else { return };
        let verb = call.verb.text.as_str();
        if !PRODUCING_VERBS.contains(&verb) || self.names.actions.contains_key(verb) {
            return;
        }
        let [units] = call.operands.as_slice() else { return };
        if !as_phrase(units).is_some_and(|phrase| matches!(phrase.head, Head::Price(_))) {
            return;
        }
        let price = self.sources.slice(units.span).to_owned();
        let costs = self.sources.slice(Span { end: statement.span.start, ..ability.span }).trim();
        let costs = costs.strip_suffix(['{', ' ']).map_or(costs, str::trim_end);
        let costs = if costs.ends_with(':') && !costs.contains(['\n', ';']) { costs } else { "COST:" };
        let help = format!("what is used while a price is paid is written `{costs} produces {price}`");
        let message = "this waits on the list before it adds units";
        self.report(Diagnostic::new(&codes::WAITING_UNITS, call.span, message).help(help));
    }
}
