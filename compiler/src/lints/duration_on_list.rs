//! Lint: durations of a resolving text whose condition requires its card to be elsewhere than on the list.

use super::wrong_zone::collect_zones_of_this;
use crate::diagnostics::{Diagnostic, codes};
use crate::lower::Lowering;
use fizzle_grammar::ast::Expr;

impl<'a> Lowering<'a> {
    /// Reports `for as long as this in ZONE` in the text of a card: the card is on the list while the text resolves, so the effect never begins.
    pub fn lint_lasting_condition(&mut self, condition: &'a Expr) {
        let names = self.names;
        // What a trigger or a gained ability in the text begins comes later.
        if self.paragraph_level != Some(self.funs.len()) || !names.text_resolvers.resolve_on_list() {
            return;
        }
        let Some(list) = names.list_zone() else { return };
        let mut places = Vec::new();
        collect_zones_of_this(condition, &mut places);
        for (zone, span) in places {
            let is_other = names.zone_id(&zone.text).is_some() && zone.text != list && self.local_type(&zone.text).is_none();
            if !is_other {
                continue;
            }
            let text = self.source_words(span);
            let message = format!("`{text}` is never true here: the card is in `{list}` while its text resolves");
            self.report(
                Diagnostic::new(&codes::CONSTANT_CONDITION, span, message)
                    .label("the effect does not begin")
                    .help(format!("write `until this leaves {}` in place of `for as long as …`", zone.text)),
            );
        }
    }
}
