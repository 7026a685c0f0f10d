//! Decks as plain data: names of cards, by section.

use fizzle_runtime::game::MAIN_SECTION;

/// A deck: how many of which cards, by section. Names are checked when a game starts, or by [`Format::check_deck`](crate::Format::check_deck).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Deck {
    /// Its name. Free to choose for a deck that is not in the pack.
    pub name: String,
    /// The format that it is for; `None`: any.
    pub format: Option<String>,
    /// The sections in their order: the name, then the number of copies and the name of each card. A section `main` is where the game draws
    /// from; what the other ones are for is for the format to say.
    pub sections: Vec<(String, Vec<(u32, String)>)>,
}

impl Deck {
    /// A deck without cards.
    #[must_use]
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), format: None, sections: Vec::new() }
    }

    /// A deck of these cards in its section `main`, one copy for each mention.
    #[must_use]
    pub fn from_cards<C: Into<String>>(name: impl Into<String>, cards: impl IntoIterator<Item = C>) -> Self {
        cards.into_iter().fold(Self::new(name), |deck, card| deck.with(MAIN_SECTION, 1, card))
    }

    /// Adds copies of a card to a section, which is added if there is none of this name.
    #[must_use]
    pub fn with(mut self, section: impl Into<String>, copies: u32, card: impl Into<String>) -> Self {
        let (section, card) = (section.into(), card.into());
        if !self.sections.iter().any(|(name, _)| *name == section) {
            self.sections.push((section.clone(), Vec::new()));
        }
        if let Some((_, cards)) = self.sections.iter_mut().find(|(name, _)| *name == section) {
            match cards.iter_mut().find(|(_, name)| *name == card) {
                Some((count, _)) => *count = count.saturating_add(copies),
                None => cards.push((copies, card)),
            }
        }
        self
    }

    /// The number of cards in all sections.
    #[must_use]
    pub fn len(&self) -> usize {
        self.sections.iter().flat_map(|(_, cards)| cards).map(|(count, _)| *count as usize).sum()
    }

    /// Whether it has no cards.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
