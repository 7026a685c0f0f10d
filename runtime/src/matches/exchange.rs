//! Exchanges of cards between the sections of a deck, between two games of a match.
//!
//! Invariants: the deck as a whole keeps its registered cards, only sections that the format names change, and the new deck is legal.

use super::{Match, MatchPhase};
use crate::deck::{self, DeckProblem};
use crate::dice::Dice;
use crate::ir::{Deck, DefId};
use crate::program::Program;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Why an exchange is not legal.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ExchangeError {
    /// The match is not between two games.
    #[error("cards are exchanged between two games only: {0}")]
    NotNow(String),
    /// The player is ready for the game with this number.
    #[error("this player is ready for game {0} and exchanges no more")]
    Ready(u32),
    /// There is no such seat.
    #[error("there is no player {0}")]
    Seat(usize),
    /// A section changes that the format does not allow to change.
    #[error("section `{section}` takes no part in the exchange, but {changed} of its cards would change")]
    Section {
        /// The section.
        section: String,
        /// The number of cards that would change.
        changed: u32,
    },
    /// The deck would have other cards than those registered.
    #[error("the deck must be made of the cards registered: {registered} of `{card}`, not {given}")]
    Pool {
        /// The card.
        card: String,
        /// The number of registered copies.
        registered: u32,
        /// The number of copies in the new deck.
        given: u32,
    },
    /// The new deck breaks deck rules.
    #[error("{}", super::join_problems(.0))]
    Rules(Vec<DeckProblem>),
}

/// The sections of a deck: name, then counts of cards.
pub type DeckSections = Vec<(String, Vec<(u32, DefId)>)>;

impl Match {
    /// Replaces the sections of a player's deck from the next game on.
    ///
    /// # Errors
    /// [`ExchangeError`]: why the exchange is not legal. The match is then unchanged.
    pub fn exchange(&mut self, program: &Arc<Program>, seat: usize, sections: DeckSections) -> Result<(), ExchangeError> {
        match self.phase {
            MatchPhase::Playing if self.best_of == 1 => {
                return Err(ExchangeError::NotNow("the match has one game".to_owned()));
            }
            MatchPhase::Playing => return Err(ExchangeError::NotNow(format!("game {} is being played", self.game))),
            MatchPhase::Over => return Err(ExchangeError::NotNow("the match is over".to_owned())),
            MatchPhase::Exchanging => {}
        }
        let (Some(before), Some(registered)) = (self.current.get(seat), self.registered.get(seat)) else {
            return Err(ExchangeError::Seat(seat));
        };
        if self.is_ready(seat) {
            return Err(ExchangeError::Ready(self.game.saturating_add(1)));
        }
        let after = Deck { sections, ..before.clone() };
        self.check_exchange(program, registered, before, &after)?;
        if let Some(current) = self.current.get_mut(seat) {
            *current = after;
        }
        Ok(())
    }

    /// Checks that cards of a deck may be exchanged so that it is another one.
    pub(super) fn check_exchange(
        &self,
        program: &Arc<Program>,
        registered: &Deck,
        before: &Deck,
        after: &Deck,
    ) -> Result<(), ExchangeError> {
        let (had, has) = (pool(registered), pool(after));
        for card in had.keys().chain(has.keys()) {
            let count = |pool: &BTreeMap<DefId, u32>| pool.get(card).copied().unwrap_or(0);
            if count(&had) != count(&has) {
                let name = program.library.definitions.get(card.index()).map_or_else(String::new, |d| d.name.clone());
                return Err(ExchangeError::Pool { card: name, registered: count(&had), given: count(&has) });
            }
        }
        let fixed = before.sections.iter().chain(&after.sections).map(|(name, _)| name);
        for section in fixed.filter(|name| !program.format.match_rules.exchange.contains(name)) {
            let changed = count_changes(&section_pool(before, section), &section_pool(after, section));
            if changed > 0 {
                return Err(ExchangeError::Section { section: section.clone(), changed });
            }
        }
        let problems = deck::check(program, after, &self.ancestors);
        if problems.is_empty() { Ok(()) } else { Err(ExchangeError::Rules(problems)) }
    }

    /// The sections of a player's deck after cards of two sections were swapped. Cards that a section lacks are added to the other one
    /// without being removed, so that [`Match::exchange`] reports a changed pool.
    #[must_use]
    pub fn swap_cards(&self, seat: usize, gives: (&str, &[(u32, DefId)]), takes: (&str, &[(u32, DefId)])) -> DeckSections {
        let mut sections = self.deck(seat).map_or_else(DeckSections::new, |deck| deck.sections.clone());
        for ((from, cards), (to, _)) in [(gives, takes), (takes, gives)] {
            for (count, card) in cards {
                take(&mut sections, from, *card, *count);
                add(&mut sections, to, *card, *count);
            }
        }
        sections
    }
}

fn add(sections: &mut DeckSections, section: &str, card: DefId, count: u32) {
    if !sections.iter().any(|(name, _)| name == section) {
        sections.push((section.to_owned(), Vec::new()));
    }
    let Some((_, cards)) = sections.iter_mut().find(|(name, _)| name == section) else { return };
    match cards.iter_mut().find(|(_, known)| *known == card) {
        Some((number, _)) => *number = number.saturating_add(count),
        None => cards.push((count, card)),
    }
}

fn take(sections: &mut DeckSections, section: &str, card: DefId, mut count: u32) {
    for (_, cards) in sections.iter_mut().filter(|(name, _)| name == section) {
        for (number, _) in cards.iter_mut().filter(|(_, known)| *known == card) {
            let taken = count.min(*number);
            *number -= taken;
            count -= taken;
        }
        cards.retain(|(number, _)| *number > 0);
    }
}

fn pool(deck: &Deck) -> BTreeMap<DefId, u32> {
    count_cards(deck.sections.iter().flat_map(|(_, cards)| cards))
}

fn section_pool(deck: &Deck, section: &str) -> BTreeMap<DefId, u32> {
    count_cards(deck.sections.iter().filter(|(name, _)| name == section).flat_map(|(_, cards)| cards))
}

fn count_cards<'a>(cards: impl Iterator<Item = &'a (u32, DefId)>) -> BTreeMap<DefId, u32> {
    let mut pool: BTreeMap<DefId, u32> = BTreeMap::new();
    for (count, card) in cards.filter(|(count, _)| *count > 0) {
        let number = pool.entry(*card).or_default();
        *number = number.saturating_add(*count);
    }
    pool
}

fn count_changes(a: &BTreeMap<DefId, u32>, b: &BTreeMap<DefId, u32>) -> u32 {
    let of = |pool: &BTreeMap<DefId, u32>, card: &DefId| pool.get(card).copied().unwrap_or(0);
    let more = |a: &BTreeMap<DefId, u32>, b: &BTreeMap<DefId, u32>| -> u32 {
        a.iter().map(|(card, count)| count.saturating_sub(of(b, card))).fold(0, u32::saturating_add)
    };
    more(a, b).max(more(b, a))
}

/// A random exchange of equally many cards between neighbouring sections, for bots. The number of cards and the cards are uniform.
#[must_use]
pub fn random_exchange(program: &Program, deck: &Deck, seed: u64) -> DeckSections {
    let mut sections = deck.sections.clone();
    let names = &program.format.match_rules.exchange;
    let mut dice = Dice::new(seed);
    let place = |sections: &DeckSections, name: &String| sections.iter().position(|(known, _)| known == name);
    for pair in names.windows(2) {
        let [first, second] = pair else { continue };
        let (Some(a), Some(b)) = (place(&sections, first), place(&sections, second)) else { continue };
        let single = |sections: &DeckSections, at: usize| -> Vec<DefId> {
            let cards = sections.get(at).map_or(&[][..], |(_, cards)| cards.as_slice());
            cards.iter().flat_map(|(count, card)| std::iter::repeat_n(*card, *count as usize)).collect()
        };
        let (mut ours, mut theirs) = (single(&sections, a), single(&sections, b));
        dice.shuffle(&mut ours);
        dice.shuffle(&mut theirs);
        let size = dice.below(ours.len().min(theirs.len()) as u32 + 1) as usize;
        for (mine, other) in ours.into_iter().zip(theirs).take(size) {
            for (card, from, to) in [(mine, first, second), (other, second, first)] {
                take(&mut sections, from, card, 1);
                add(&mut sections, to, card, 1);
            }
        }
    }
    sections
}
