//! Lint: triggers on an action that puts the ability's own object into the field. The event happens before the move, so that an ability that
//! works only in the field never triggers on it.

use crate::diagnostics::{Diagnostic, codes};
use crate::lower::Lowering;
use crate::phrase_syntax::is_word;
use crate::verb_forms::participle;
use fizzle_grammar::ast::Pattern;
use fizzle_ir::ActionId;

impl<'a> Lowering<'a> {
    /// Reports `when this is VERBed` of an ability that works only in the field, if the action puts its object there.
    pub fn lint_arrival_trigger(&mut self, action: ActionId, pattern: &'a Pattern, zones: u32) {
        let names = self.names;
        if !pattern.passive || !is_word(&pattern.subject, "this") || zones != self.field_mask() {
            return;
        }
        let Some((name, declared)) = names.actions.get_index(action.index()) else { return };
        let Some(next) = names.action_effects.arrivals.get(name) else { return };
        let field = names.field_zone().unwrap_or_default();
        let text = self.sources.slice(pattern.span).split_whitespace().collect::<Vec<_>>().join(" ");
        let message = format!("`{text}` happens before this is in `{field}`, the only zone where this ability works");
        let help = match next {
            Some(next) => format!(
                "wait for what happens after the move: `when this is {}`; the description of `{name}` shows a form for this event only, if there is one",
                participle(next)
            ),
            None => format!("wait for the move: `when this enters {field} {{ … }}`"),
        };
        self.report(
            Diagnostic::new(&codes::INACTIVE_ABILITY, pattern.span, message).also(declared.span, "declared here").help(help),
        );
    }
}
