//! Card statistics: which cards of a game were drawn and played. An observer reads the event records of the machine after each step.

use fizzle_results::CardCount;
use fizzle_runtime::ir::ObjectRef;
use fizzle_runtime::ir::Visibility;
use fizzle_runtime::ir::verbs::{ANNOUNCE, PUT};
use fizzle_runtime::program::Program;
use fizzle_runtime::state::layout as at;
use fizzle_runtime::vm::{Machine, Record};
use std::collections::BTreeMap;

/// The counts of cards, by deck and definition number.
pub type Counts = BTreeMap<(usize, u32), CardCount>;

/// Static data of a program for the observer.
#[derive(Clone, Debug)]
pub struct ObservedZones {
    /// Per zone instance: its owner, if only the owner sees the objects in it.
    private: Vec<Option<usize>>,
    /// Per play of the format: whether it uses a card outside of the field.
    uses_cards: Vec<bool>,
}

impl ObservedZones {
    /// Collects the data of a program.
    pub fn new(program: &Program) -> Self {
        let private = (0..program.layout.instances).map(|instance| {
            let owned = program.zone_of(instance).is_some_and(|zone| zone.visibility == Visibility::Owner);
            program.zone_owner(instance).filter(|_| owned)
        });
        let on_field = |zone: usize| program.library.zones.get(zone).is_some_and(|zone| zone.field);
        let uses_cards = program.format.plays.iter().map(|play| {
            let elsewhere = play.from.is_empty() || play.from.iter().any(|zone| !on_field(zone.index()));
            !play.nowhere && elsewhere
        });
        Self { private: private.collect(), uses_cards: uses_cards.collect() }
    }
}

/// Observes one game.
#[derive(Debug)]
pub struct CardObserver<'a> {
    zones: &'a ObservedZones,
    /// The objects at the start of the game, by slot.
    cards: Vec<ObservedCard>,
}

#[derive(Clone, Copy, Debug)]
struct ObservedCard {
    definition: u32,
    owner: usize,
    drawn: bool,
    played: bool,
}

impl<'a> CardObserver<'a> {
    /// Starts to observe a game before its first step. Turns the recording of events on.
    pub fn new(zones: &'a ObservedZones, machine: &mut Machine) -> Self {
        machine.recording = true;
        let state = &machine.state;
        let card = |slot| ObservedCard {
            definition: state.column(slot, at::DEFINITION),
            owner: state.column(slot, at::OWNER) as usize,
            drawn: false,
            played: false,
        };
        Self { zones, cards: (0..state.slots()).map(card).collect() }
    }

    /// Reads and removes the events since the last call.
    pub fn read_log(&mut self, machine: &mut Machine) {
        let mut log = std::mem::take(&mut machine.log);
        for record in log.drain(..) {
            let Record::Event { action, args, happened: true, .. } = &record else { continue };
            match (*action, args.as_slice()) {
                (PUT, [it, into, ..]) => {
                    let viewer = usize::try_from(*into).ok().and_then(|into| self.zones.private.get(into)).copied().flatten();
                    if let Some(card) = self.card(machine, *it)
                        && viewer == Some(card.owner)
                    {
                        card.drawn = true;
                    }
                }
                (ANNOUNCE, [who, it, play, ..]) => {
                    let uses_card = usize::try_from(*play).ok().and_then(|play| self.zones.uses_cards.get(play)).copied();
                    if let Some(card) = self.card(machine, *it)
                        && uses_card == Some(true)
                        && usize::try_from(*who) == Ok(card.owner)
                    {
                        card.drawn = true;
                        card.played = true;
                    }
                }
                _ => {}
            }
        }
        // Returns the empty list, so that its memory is reused.
        machine.log = log;
    }

    /// The card of an object reference. `None` if its slot has another definition now.
    fn card(&mut self, machine: &Machine, it: i64) -> Option<&mut ObservedCard> {
        let slot = ObjectRef::from_value(it).slot();
        let definition = machine.state.column(slot, at::DEFINITION);
        self.cards.get_mut(slot).filter(|card| slot != 0 && card.definition == definition)
    }

    /// The counts of the game. `deck_of`: the deck of each seat; `winner`: the seat that won.
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
