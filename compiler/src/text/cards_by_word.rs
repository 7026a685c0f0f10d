//! Index of the cards of a game by the words that they print. It is built at the first request, once for all cards and languages.

use super::printed_words::printed_words;
use crate::names::NameTable;
use fizzle_grammar::ast::Card;
use smol_str::SmolStr;
use std::cell::OnceCell;
use std::collections::BTreeMap;

/// The cards of a game by the words that they print.
pub struct CardsByWord<'a> {
    names: &'a NameTable<'a>,
    /// The numbers of cards in the name table, in ascending order.
    numbers: OnceCell<BTreeMap<SmolStr, Vec<usize>>>,
}

impl<'a> CardsByWord<'a> {
    /// An index that is not built yet.
    pub(in crate::text) fn new(names: &'a NameTable<'a>) -> Self {
        Self { names, numbers: OnceCell::new() }
    }

    /// The cards that print a word, with their names, in the order of their declarations. `None` if there are more than `most`.
    pub(in crate::text) fn printing(&self, word: &str, most: usize) -> Option<Vec<(&'a SmolStr, &'a Card)>> {
        let names = self.names;
        let numbers = self.numbers.get_or_init(|| Self::build(names)).get(word).map_or(&[][..], Vec::as_slice);
        let cards = numbers.iter().filter_map(|number| {
            let (name, card) = names.cards.get_index(*number)?;
            Some((name, (*card)?))
        });
        (numbers.len() <= most).then(|| cards.collect())
    }

    fn build(names: &NameTable<'_>) -> BTreeMap<SmolStr, Vec<usize>> {
        let mut made: BTreeMap<SmolStr, Vec<usize>> = BTreeMap::new();
        for (number, card) in names.cards.values().enumerate() {
            for word in card.iter().flat_map(|card| printed_words(card)) {
                let numbers = made.entry(word).or_default();
                // a card may print a word several times
                if numbers.last() != Some(&number) {
                    numbers.push(number);
                }
            }
        }
        made
    }
}
