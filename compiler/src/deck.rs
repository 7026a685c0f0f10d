//! Lowers decks: lists of cards by section.

use crate::diagnostics::{Diagnostic, codes};
use crate::lower::Lowering;
use fizzle_grammar::ast::{Deck as Written, Name};
use fizzle_ir::Deck;
use fizzle_ir::encoding_limits::MAX_OBJECTS;
use smol_str::SmolStr;

impl Lowering<'_> {
    /// Reports more copies than a game can have objects, and limits their number.
    pub(crate) fn check_copies(&mut self, count: u32, card: &Name) -> u32 {
        let most = MAX_OBJECTS as u32;
        if count > most {
            let message = format!("{count} copies exceed the {most} objects that a game can have");
            self.report(Diagnostic::new(&codes::BAD_DECK, card.span, message).help(format!("write at most {most}")));
        }
        count.min(most)
    }

    /// Lowers a deck of the game `game`. `formats`: the names of its formats.
    pub fn deck(&mut self, written: &Written, game: &str, formats: &[SmolStr]) -> Deck {
        self.check_name(&written.name);
        let format = written.format.as_ref().map_or(game, |format| format.text.as_str());
        if let Some(name) = &written.format
            && !formats.contains(&name.text)
        {
            self.report(
                Diagnostic::new(&codes::UNKNOWN_FORMAT, name.span, format!("there is no format `{}` in this game", name.text))
                    .did_you_mean(&name.text, formats.iter().map(SmolStr::as_str)),
            );
        }
        let mut sections = Vec::new();
        let mut total: u32 = 0;
        for section in &written.sections {
            let mut cards = Vec::new();
            for (count, name) in &section.cards {
                match self.names.card_id(name) {
                    Some(_) if self.names.is_face(name) => {
                        let message = format!("`{}` is a face, not a card by itself", name.text);
                        self.report_not_here(name.span, &message, "name the card by its front");
                    }
                    Some(card) => {
                        let count = self.check_copies(*count, name);
                        let before = total;
                        total = total.saturating_add(count);
                        if total <= MAX_OBJECTS as u32 {
                            cards.push((count, card));
                        } else if before <= MAX_OBJECTS as u32 {
                            let message = format!("the deck exceeds the {MAX_OBJECTS} objects that a game can have");
                            self.report(
                                Diagnostic::new(&codes::BAD_DECK, name.span, message).label("up to here").help("leave cards out"),
                            );
                        }
                    }
                    None => self.report_unknown_card(name),
                }
            }
            sections.push((section.name.text.to_string(), cards));
        }
        let source = self.sources.source(written.name.span);
        Deck { name: written.name.text.to_string(), format: format.to_owned(), sections, source }
    }
}
