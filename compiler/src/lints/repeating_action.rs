//! Lint: patterns about an action that only repeats another one. It happens once however often it repeats, and not where the turn or a rule has
//! the other action alone.

use crate::diagnostics::{Diagnostic, codes};
use crate::lower::Lowering;
use fizzle_grammar::ast::Pattern;
use fizzle_ir::ActionId;
use fizzle_ir::scenario::third_person;

impl<'a> Lowering<'a> {
    /// Reports `when you draw` if `draw` is `n times { draw_card(who) }`. A pattern with a condition is about how often it repeats.
    pub fn lint_repeating_action(&mut self, action: ActionId, pattern: &'a Pattern) {
        let names = self.names;
        let Some((name, declared)) = names.actions.get_index(action.index()).filter(|_| pattern.condition.is_none()) else {
            return;
        };
        let Some(repeated) = names.action_effects.repeats.get(name) else { return };
        let verb = &pattern.verb;
        let meant = if verb.text == *name { repeated.to_string() } else { third_person(repeated) };
        let message =
            format!("`{name}` happens once for all that it repeats: the turn or a rule of the game has `{repeated}` alone");
        self.report(
            Diagnostic::new(&codes::REPEATING_ACTION, verb.span, message)
                .also(declared.span, format!("`{name}` repeats `{repeated}`"))
                .help(format!("write `{meant}`, which happens each time"))
                .fix(verb.text.as_str(), meant),
        );
    }
}
