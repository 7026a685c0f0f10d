//! Formats: playable sets of rules, with their decks and cards.

use crate::error::UnknownName;
use crate::{Deck, Error, Pack};
use fizzle_runtime::game::SeatCards;
use fizzle_runtime::ir::{self, CompiledGame, DefId};
use fizzle_runtime::program::Program;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// A format of a pack: a game itself, or a difference of one. A clone is cheap.
#[derive(Clone, Debug)]
pub struct Format {
    pack: Pack,
    /// Indices into the games of the pack, and into the formats of the game.
    game: usize,
    index: usize,
}

impl Format {
    /// The format of valid indices.
    pub(crate) fn new(pack: Pack, game: usize, index: usize) -> Self {
        Self { pack, game, index }
    }

    /// The game that the format belongs to.
    pub(crate) fn game(&self) -> &CompiledGame {
        &self.pack.games()[self.game]
    }

    fn tables(&self) -> &ir::Format {
        &self.game().formats[self.index]
    }

    /// Its name, as sources write it.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.tables().name
    }

    /// Its title, for people. Its name if the sources give none.
    #[must_use]
    pub fn title(&self) -> &str {
        if self.tables().title.is_empty() { self.name() } else { &self.tables().title }
    }

    /// The name of the format that it extends; `None` for a game itself.
    #[must_use]
    pub fn base(&self) -> Option<&str> {
        self.tables().base.as_deref()
    }

    /// How many players a game can have, and so how many decks it needs. From 1 to 8.
    #[must_use]
    pub fn players(&self) -> RangeInclusive<usize> {
        usize::from(self.tables().min_players)..=usize::from(self.tables().max_players)
    }

    /// The names of the cards that decks can have, in alphabetical order; tokens and parts of cards are none. Deck rules of the format may
    /// forbid some: see [`Format::check_deck`].
    #[must_use]
    pub fn cards(&self) -> Vec<String> {
        let definitions = self.game().library.definitions.present().skip(1);
        let mut names: Vec<String> = definitions.filter(|card| is_deck_card(card)).map(|card| card.name.clone()).collect();
        names.sort_unstable();
        // A card and its errata have the same name.
        names.dedup();
        names
    }

    /// The decks of the pack for this format, then those for the formats that it extends, nearest first.
    #[must_use]
    pub fn decks(&self) -> Vec<Deck> {
        let ancestors = self.ancestors();
        let decks = ancestors.iter().flat_map(|name| self.game().decks.iter().filter(move |deck| deck.format == *name));
        decks.map(|deck| self.to_deck(deck)).collect()
    }

    /// The deck with a name, regardless of the format of the game that it is for.
    ///
    /// # Errors
    /// [`Error::Unknown`] if the pack has no deck of this name.
    pub fn deck(&self, name: &str) -> Result<Deck, Error> {
        let decks = &self.game().decks;
        let found = decks.iter().find(|deck| deck.name == name);
        let unknown = || UnknownName::new("deck", name, decks.iter().map(|deck| deck.name.as_str()));
        Ok(self.to_deck(found.ok_or_else(unknown)?))
    }

    /// The deck rules of the format that a deck breaks, each as a sentence. Empty if the deck is legal. A game can be started with a deck that
    /// is not legal.
    ///
    /// # Errors
    /// [`Error::Unknown`] if a card of the deck does not exist.
    pub fn check_deck(&self, deck: &Deck) -> Result<Vec<String>, Error> {
        let resolved = self.resolve(deck)?;
        let seats = *self.players().start();
        let program = self.link(std::slice::from_ref(&resolved), seats)?;
        let problems = fizzle_runtime::deck::check(&program, &resolved, &self.ancestors());
        Ok(problems.iter().map(ToString::to_string).collect())
    }

    fn ancestors(&self) -> Vec<String> {
        self.game().ancestors(self.name())
    }

    fn to_deck(&self, deck: &ir::Deck) -> Deck {
        let definitions = &self.game().library.definitions;
        let name = |card: &DefId| definitions.get(card.index()).map_or_else(String::new, |card| card.name.clone());
        let mut made = Deck::new(deck.name.clone());
        made.format = Some(deck.format.clone());
        for (section, cards) in &deck.sections {
            made.sections.push((section.clone(), cards.iter().map(|(count, card)| (*count, name(card))).collect()));
        }
        made
    }

    /// The deck with the numbers of its cards.
    pub(crate) fn resolve(&self, deck: &Deck) -> Result<ir::Deck, Error> {
        let definitions = &self.game().library.definitions;
        let card = |name: &str| {
            let mut cards = definitions.numbered().skip(1).filter(|(_, card)| is_deck_card(card));
            let found = cards.find(|(_, card)| card.name == name);
            found.map(|(number, _)| DefId(number as u32)).ok_or_else(|| {
                let known = definitions.present().filter(|card| is_deck_card(card)).map(|card| card.name.as_str());
                UnknownName::new("card", name, known)
            })
        };
        let mut sections = Vec::new();
        for (section, cards) in &deck.sections {
            let numbers = cards.iter().map(|(count, name)| Ok((*count, card(name)?)));
            sections.push((section.clone(), numbers.collect::<Result<_, UnknownName>>()?));
        }
        let format = deck.format.clone().unwrap_or_default();
        Ok(ir::Deck { name: deck.name.clone(), format, sections, ..ir::Deck::default() })
    }

    /// Links the format for the cards of some decks.
    pub(crate) fn link(&self, decks: &[ir::Deck], seats: usize) -> Result<Arc<Program>, Error> {
        let cards = decks.iter().flat_map(|deck| &deck.sections).flat_map(|(_, cards)| cards);
        let pool: Vec<DefId> = cards.map(|(_, card)| *card).collect();
        let program = Program::link_for(self.game(), self.index, &pool, seats);
        let players = self.players();
        let refused = || format!("{seats} decks given, `{}` takes {} to {}", self.name(), players.start(), players.end());
        Ok(Arc::new(program.ok_or_else(|| Error::Start(refused().into()))?))
    }

    /// The linked format and the cards of each seat.
    pub(crate) fn set_up(&self, decks: &[Deck]) -> Result<(Arc<Program>, Vec<SeatCards>), Error> {
        let decks = decks.iter().map(|deck| self.resolve(deck)).collect::<Result<Vec<_>, _>>()?;
        let program = self.link(&decks, decks.len())?;
        let seats = decks.iter().map(|deck| fizzle_runtime::game::seat_cards(&program, deck)).collect();
        Ok((program, seats))
    }
}

/// Whether a definition is a card that decks can have.
fn is_deck_card(card: &ir::Definition) -> bool {
    !card.token && !card.part && !card.name.is_empty()
}
