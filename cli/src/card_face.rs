//! Lays out a card as text, as its game prints it: the name and the price, the kinds, the rules text, the numbers at the foot.

use crate::output::wrap;
use console::measure_text_width;
use fizzle_runtime::ir::{CompiledGame, DefId, Format};
use fizzle_runtime::program::Program;
use fizzle_table::face::{PrintedCard, printed_card};
use fizzle_table::protocol::Lang;
use std::sync::Arc;

/// The columns of a card that is not shown at a narrower terminal.
const CARD_WIDTH: usize = 76;
/// The fewest columns between what stands at the left and at the right of a line.
const MIN_GAP: usize = 2;
/// The indentation of everything under the name.
const INDENT: &str = "  ";
/// The fewest cards that are linked into one program. More of them take a larger game for each look.
const MIN_CARDS_PER_PROGRAM: usize = 64;
/// The most programs that are linked for the cards of a game. Linking one reads the whole library, so that their number must not grow with it.
const MAX_PROGRAMS: usize = 16;

/// A card with its rules text.
#[derive(Clone, Debug, Default)]
pub struct CardFace {
    /// What is printed around the text.
    pub printed: PrintedCard,
    /// The lines of the rules text.
    pub text: Vec<String>,
}

/// What is printed on some cards, in the format with this number. A card that cannot be linked has its name only.
pub fn printed_cards(game: &CompiledGame, format: usize, cards: &[DefId], lang: Lang) -> Vec<PrintedCard> {
    let mut printed = Vec::with_capacity(cards.len());
    for some in cards.chunks(cards_per_program(cards.len())) {
        let program = Program::link(game, format, some).map(Arc::new);
        let of =
            |card: &DefId| program.as_ref().map_or_else(|| named(game, *card), |program| printed_by(game, program, *card, lang));
        printed.extend(some.iter().map(of));
    }
    printed
}

/// How many of some cards are linked into one program.
fn cards_per_program(cards: usize) -> usize {
    cards.div_ceil(MAX_PROGRAMS).max(MIN_CARDS_PER_PROGRAM)
}

/// What is printed on a card of a program.
pub fn printed_by(game: &CompiledGame, program: &Arc<Program>, card: DefId, lang: Lang) -> PrintedCard {
    printed_card(game, program, card, lang).unwrap_or_else(|| named(game, card))
}

/// Only the name of a card.
fn named(game: &CompiledGame, card: DefId) -> PrintedCard {
    let name = game.library.definitions.get(card.index()).map_or_else(String::new, |definition| definition.name.clone());
    PrintedCard { name, ..PrintedCard::default() }
}

/// What is printed on one card. `format`: the one that lays it out; `None`: the first one of the game.
pub fn printed(game: &CompiledGame, format: Option<&Format>, card: DefId, lang: Lang) -> PrintedCard {
    let number = format.and_then(|format| game.formats.iter().position(|known| known.name == format.name)).unwrap_or(0);
    printed_cards(game, number, &[card], lang).pop().unwrap_or_default()
}

impl CardFace {
    /// The head of the card: its name, and what is in its corner at the right.
    pub fn head(&self) -> [&str; 2] {
        [&self.printed.name, &self.printed.corner]
    }

    /// Everything under the name, paragraph by paragraph: the kinds, further properties, the rules text, the numbers.
    pub fn paragraphs(&self) -> impl Iterator<Item = String> {
        let further = self.printed.further.join(", ");
        let parts = [self.printed.line.clone(), further].into_iter().chain(self.text.iter().cloned());
        parts.chain([self.printed.stat.clone()]).filter(|part| !part.is_empty())
    }

    /// The lines of the card for a width in columns.
    pub fn lines(&self, width: Option<usize>) -> Vec<String> {
        let width = width.map_or(CARD_WIDTH, |columns| columns.min(CARD_WIDTH));
        let mut lines = vec![justified(&self.printed.name, &self.printed.corner, width)];
        lines.extend(self.body(width));
        lines
    }

    /// Everything under the name, for a width in columns.
    fn body(&self, width: usize) -> Vec<String> {
        let indent = INDENT.len();
        let line = |text: &str| {
            let wrapped = wrap::with_hanging_indent(&format!("{INDENT}{text}"), width, indent);
            wrapped.split('\n').map(str::to_owned).collect::<Vec<_>>()
        };
        let mut lines = Vec::new();
        let before = [self.printed.line.clone(), self.printed.further.join(", ")];
        for part in before.iter().chain(&self.text).filter(|part| !part.is_empty()) {
            lines.extend(line(part));
        }
        if !self.printed.stat.is_empty() {
            lines.push(justified("", &self.printed.stat, width));
        }
        lines
    }
}

/// A line with one text at its left and one at its right.
pub fn justified(left: &str, right: &str, width: usize) -> String {
    if right.is_empty() {
        return left.to_owned();
    }
    let used = measure_text_width(left) + measure_text_width(right);
    let gap = width.saturating_sub(used).max(MIN_GAP);
    format!("{left}{}{right}", " ".repeat(gap))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn face(name: &str, line: &str, text: &str) -> CardFace {
        let printed = PrintedCard {
            name: name.to_owned(),
            corner: "{0}".to_owned(),
            line: line.to_owned(),
            stat: "0/0".to_owned(),
            further: Vec::new(),
        };
        CardFace { printed, text: vec![text.to_owned()] }
    }

    #[test]
    fn many_cards_take_few_programs() {
        assert_eq!(cards_per_program(0), MIN_CARDS_PER_PROGRAM);
        for cards in [1_usize, 64, 65, 1_000, 1_025, 20_000, 100_001] {
            let programs = cards.div_ceil(cards_per_program(cards));
            assert!(programs <= MAX_PROGRAMS, "{programs} programs for {cards} cards");
        }
    }

    #[test]
    fn price_and_numbers_are_in_the_right_corners() {
        let lines = face("Ooze", "Creature — Ooze", "Trample").lines(Some(40));
        let right = |text: &str, left: &str| format!("{left}{}{text}", " ".repeat(40 - left.len() - text.len()));
        assert_eq!(lines, [right("{0}", "Ooze"), "  Creature — Ooze".to_owned(), "  Trample".to_owned(), right("0/0", "")]);
    }

    #[test]
    fn wide_letters_take_two_columns() {
        let lines = face("光の精霊", "光・クリーチャー", &"破壊する".repeat(10)).lines(Some(40));
        assert_eq!(lines[0], format!("光の精霊{}{{0}}", " ".repeat(40 - 8 - 3)));
        for line in &lines {
            assert!(measure_text_width(line) <= 40, "{line}");
        }
        assert_eq!(lines.len(), 6, "{lines:?}");
    }
}
