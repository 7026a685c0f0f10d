//! Lint: cards whose text (`does { … }`) no play resolves.

use super::printed_facts::PrintedFacts;
use crate::diagnostics::{Diagnostic, codes};
use crate::lower::Lowering;
use fizzle_grammar::ast::{AbilityKind, Card};

impl<'a> Lowering<'a> {
    /// Reports a text of a card that no play resolves, as far as the print of the card proves it.
    pub fn lint_text(&mut self, card: &'a Card) {
        let names = self.names;
        let carriers = &names.text_resolvers;
        let known = |fact: &fizzle_grammar::ast::Fact| !names.meanings(&fact.word.text).is_empty();
        // A game without plays is unfinished, so nothing is reported.
        if card.unread.is_some() || carriers.has_other_resolvers || names.plays.is_empty() || !card.facts.iter().all(known) {
            return;
        }
        let Some(text) = card.abilities.iter().find(|ability| matches!(ability.kind, AbilityKind::Does(_))) else { return };
        let judge = PrintedFacts::of_card(names, card);
        if carriers.plays.iter().any(|(play, count)| judge.may_resolve_text(play, *count)) {
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
