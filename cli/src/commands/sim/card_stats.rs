//! What becomes of the cards of a game: which came to their owners, which were used. Watched from outside, by what the machine records.

use super::stats::{self, Rate};
use fizzle_runtime::ir::Visibility;
use fizzle_runtime::ir::verbs::{ANNOUNCE, PUT};
use fizzle_runtime::program::Program;
use fizzle_runtime::state::{ObjectRef, layout as at};
use fizzle_runtime::vm::{Machine, Record};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What is counted of a card of a deck.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CardCount {
    /// Games that began with it.
    pub games: u64,
    /// Copies with which these games began, all together.
    pub copies: u64,
    /// Games in which one was drawn: it came into a zone that only its owner sees, or was played.
    pub drawn: u64,
    /// Those of them that its deck won.
    pub drawn_won: u64,
    /// Games in which its owner used one: by a play of the format, not by an ability that it has.
    pub played: u64,
    /// Those of them that its deck won.
    pub played_won: u64,
    /// How often its deck won when it was drawn.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when_drawn: Option<Rate>,
    /// How often its deck won when it was played.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when_played: Option<Rate>,
}

impl CardCount {
    /// Adds the counts of other games.
    pub fn add(&mut self, other: &Self) {
        stats::add([
            (&mut self.games, other.games),
            (&mut self.copies, other.copies),
            (&mut self.drawn, other.drawn),
            (&mut self.drawn_won, other.drawn_won),
            (&mut self.played, other.played),
            (&mut self.played_won, other.played_won),
        ]);
    }

    /// Computes the rates.
    pub fn rate(&mut self) {
        self.when_drawn = Rate::of(self.drawn_won, self.drawn);
        self.when_played = Rate::of(self.played_won, self.played);
    }

    /// Whether the counts can be those of so many games.
    pub fn is_sound(&self, games: u64) -> bool {
        let falling = [games, self.games, self.drawn, self.played].windows(2).all(|pair| pair.first() >= pair.last());
        falling && self.games <= self.copies && self.drawn_won <= self.drawn && self.played_won <= self.played.min(self.drawn_won)
    }
}

/// The counts of games, by deck and definition.
pub type Counts = BTreeMap<(usize, u32), CardCount>;

/// What a program says of what is to be watched.
#[derive(Clone, Debug)]
pub struct ObservedZones {
    /// Per zone instance: the player who alone sees what is in it.
    private: Vec<Option<usize>>,
    /// Per play of the format: whether it uses cards that are not on the field.
    ways: Vec<bool>,
}

impl ObservedZones {
    /// Those of a program.
    pub fn new(program: &Program) -> Self {
        let private = (0..program.layout.instances).map(|instance| {
            let owned = program.zone_of(instance).is_some_and(|zone| zone.visibility == Visibility::Owner);
            program.zone_owner(instance).filter(|_| owned)
        });
        let on_field = |zone: usize| program.library.zones.get(zone).is_some_and(|zone| zone.field);
        let ways = program.format.plays.iter().map(|play| {
            let elsewhere = play.from.is_empty() || play.from.iter().any(|zone| !on_field(zone.index()));
            !play.nowhere && elsewhere
        });
        Self { private: private.collect(), ways: ways.collect() }
    }
}

/// Watches one game.
#[derive(Debug)]
pub struct CardObserver<'a> {
    sights: &'a ObservedZones,
    /// The cards with which it began, by slot.
    cards: Vec<Card>,
}

#[derive(Clone, Copy, Debug)]
struct Card {
    definition: u32,
    owner: usize,
    drawn: bool,
    played: bool,
}

impl<'a> CardObserver<'a> {
    /// Begins to watch a game that has not begun.
    pub fn new(sights: &'a ObservedZones, machine: &mut Machine) -> Self {
        machine.recording = true;
        let state = &machine.state;
        let card = |slot| Card {
            definition: state.column(slot, at::DEFINITION),
            owner: state.column(slot, at::OWNER) as usize,
            drawn: false,
            played: false,
        };
        Self { sights, cards: (0..state.slots()).map(card).collect() }
    }

    /// Looks at what has happened since.
    pub fn look(&mut self, machine: &mut Machine) {
        let mut log = std::mem::take(&mut machine.log);
        for record in log.drain(..) {
            let Record::Event { action, args, happened: true, .. } = &record else { continue };
            match (*action, args.as_slice()) {
                (PUT, [it, into, ..]) => {
                    let seer = usize::try_from(*into).ok().and_then(|into| self.sights.private.get(into)).copied().flatten();
                    if let Some(card) = self.card(machine, *it)
                        && seer == Some(card.owner)
                    {
                        card.drawn = true;
                    }
                }
                (ANNOUNCE, [who, it, play, ..]) => {
                    let way = usize::try_from(*play).ok().and_then(|play| self.sights.ways.get(play)).copied();
                    if let Some(card) = self.card(machine, *it)
                        && way == Some(true)
                        && usize::try_from(*who) == Ok(card.owner)
                    {
                        card.drawn = true;
                        card.played = true;
                    }
                }
                _ => {}
            }
        }
        // Its room is used again.
        machine.log = log;
    }

    /// The card, unless something else has its place by now.
    fn card(&mut self, machine: &Machine, it: i64) -> Option<&mut Card> {
        let slot = ObjectRef::from_value(it).slot();
        let definition = machine.state.column(slot, at::DEFINITION);
        self.cards.get_mut(slot).filter(|card| slot != 0 && card.definition == definition)
    }

    /// What is counted of the game. `deck_of`: the deck of each seat; `winner`: the seat that won.
    pub fn counts(&self, deck_of: &[usize], winner: Option<usize>) -> Counts {
        let mut counts = Counts::new();
        for card in self.cards.iter().skip(1) {
            let Some(deck) = deck_of.get(card.owner) else { continue };
            let count = counts.entry((*deck, card.definition)).or_default();
            count.games = 1;
            count.copies += 1;
            count.drawn |= u64::from(card.drawn);
            count.played |= u64::from(card.played);
            let won = u64::from(winner == Some(card.owner));
            count.drawn_won = count.drawn * won;
            count.played_won = count.played * won;
        }
        counts
    }
}
