//! What is refused whatever else there is, and remembered, so that most windows in which there is nothing to do cost next to nothing.
//!
//! A moment alone refuses much: outside of its main phase a player summons nothing, or nothing without a certain keyword. A moment is
//! whose turn it is and which spans are open. It says nothing about the state, so that what is remembered of it never ends. What else
//! refuses a play to everything there is (a second summoning in a turn) holds until what was looked at changes. Neither is part of a state.

use super::Machine;
use super::dependencies::DepSet;
use super::eval::MOST_ARGUMENTS;
use super::optimized::{KnownInputs, PartialResult};
use crate::applicability::PLAYS;
use crate::ir::{FnId, Play, ZoneKindId};
use crate::state::layout as at;

/// Remembered moments.
const MOMENTS: usize = 128;
/// Places where a moment may be remembered.
const PLACES: usize = 4;
/// Spans of a moment that is remembered.
const SPANS: usize = 12;

/// Where a moment is remembered; nothing for one that is not.
pub(crate) type TurnPositionId = Option<usize>;

/// Verdicts on plays.
#[derive(Clone, Debug, Default)]
pub(crate) struct RefusalCache {
    known: Vec<RefusalEntry>,
    /// The numbers of definitions that were asked about, plus one, in each zone kind from which something is played.
    definitions: Vec<u16>,
    /// How many these are.
    asked: u16,
    /// For each play and player whether it is refused now, by what it is for and by its condition, as far as it was asked.
    now: Vec<Option<CachedRefusal>>,
}

#[derive(Clone, Debug, Default)]
struct RefusalEntry {
    active: u32,
    spans: Vec<u32>,
    /// For each activated ability, by its number, and player whether it is refused, as far as it was asked.
    abilities: Vec<Option<bool>>,
    /// For each player which plays of the format are refused, as far as it was asked.
    plays: Vec<Option<u64>>,
    /// For each definition in a zone kind, by its number, and player which plays are refused to what it prints, as far as it was asked.
    refused: Vec<Option<u64>>,
}

/// A definition in a zone kind, as moments know it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct DefinitionInZone {
    /// Its small number.
    number: u16,
    definition: u32,
    zone: ZoneKindId,
    /// The plays from there.
    from_there: u64,
}

/// Whether a play is refused, as long as what was looked at stays as it is.
#[derive(Clone, Copy, Debug)]
struct CachedRefusal {
    refused: bool,
    at: u64,
    seen: DepSet,
}

impl RefusalEntry {
    fn is(&self, active: u32, spans: &[u32]) -> bool {
        self.active == active && self.spans == spans && !self.spans.is_empty()
    }
}

/// Remembers something in a list that grows.
pub(super) fn keep<T: Clone>(list: &mut Vec<Option<T>>, place: usize, value: T) {
    if list.len() <= place {
        list.resize(place + 1, None);
    }
    list.get_mut(place).into_iter().for_each(|known| *known = Some(value.clone()));
}

impl PartialResult {
    /// Whether it refuses, and whether that can be remembered of a moment: not when telling takes too long, which depends on what was
    /// remembered before.
    fn for_good(self) -> (bool, bool) {
        (self.value == Some(0), !self.ran_out)
    }
}

impl Machine {
    /// The moment that it is now.
    pub(crate) fn turn_position(&mut self) -> TurnPositionId {
        let (active, spans) = (self.word(at::ACTIVE), self.state.block.list(at::OPEN));
        if self.scratch.reference_mode || spans.is_empty() || spans.len() > SPANS {
            return None;
        }
        let mixed = spans.iter().fold(active, |all, span| all.wrapping_mul(0x9E37_79B1).rotate_left(7) ^ span);
        let place = (mixed ^ mixed >> 15) as usize;
        let known = &mut self.scratch.refusals.known;
        if known.is_empty() {
            known.resize(MOMENTS, RefusalEntry::default());
        }
        let places = || (place..place + PLACES).map(|place| place % MOMENTS);
        let wanted = |place: &usize| known.get(*place).is_some_and(|moment| moment.spans.is_empty() || moment.is(active, spans));
        let place = places().find(wanted).unwrap_or(place % MOMENTS);
        let moment = known.get_mut(place)?;
        if !moment.is(active, spans) {
            moment.active = active;
            moment.spans.clear();
            moment.spans.extend_from_slice(spans);
            moment.abilities.clear();
            moment.plays.clear();
            moment.refused.clear();
        }
        Some(place)
    }

    /// Whether a player is refused an activated ability at a moment, whatever it is on: its condition is false by the moment alone.
    /// `number` tells abilities apart.
    pub(crate) fn ability_refused_at(&mut self, moment: TurnPositionId, number: usize, play: &Play, player: usize) -> bool {
        let Some(moment) = moment else { return false };
        let place = number * self.program.players() + player;
        let verdict = |machine: &Self| machine.scratch.refusals.known.get(moment)?.abilities.get(place).copied().flatten();
        if let Some(refused) = verdict(self) {
            return refused;
        }
        let (refused, kept) = self.is_refused_by(play, player, KnownInputs::Moment).for_good();
        if let Some(moment) = self.scratch.refusals.known.get_mut(moment).filter(|_| kept) {
            keep(&mut moment.abilities, place, refused);
        }
        refused
    }

    /// Which plays of the format a moment refuses a player, whatever they are about: bit `n` for play `n`.
    pub(crate) fn plays_refused_at(&mut self, moment: TurnPositionId, player: usize) -> u64 {
        let Some(place) = moment else { return 0 };
        let known = |machine: &Self| machine.scratch.refusals.known.get(place)?.plays.get(player).copied().flatten();
        if let Some(refused) = known(self) {
            return refused;
        }
        let (refused, kept) = self.refused_among(u64::MAX, player, KnownInputs::Moment);
        if let Some(moment) = self.scratch.refusals.known.get_mut(place).filter(|_| kept) {
            keep(&mut moment.plays, player, refused);
        }
        refused
    }

    /// Which plays of the format a moment refuses a player for what has the words and keywords that a definition prints, and lies in a
    /// zone kind: bit `n` for play `n` of those in `plays`, which are all that it could be for.
    pub(super) fn plays_refused_for_print(
        &mut self,
        moment: TurnPositionId,
        told: DefinitionInZone,
        plays: u64,
        player: usize,
    ) -> u64 {
        let Some(moment) = moment else { return 0 };
        let DefinitionInZone { number, definition, zone, from_there } = told;
        let place = usize::from(number) * self.program.players() + player;
        let known = |machine: &Self| machine.scratch.refusals.known.get(moment)?.refused.get(place).copied().flatten();
        if let Some(refused) = known(self) {
            return refused;
        }
        // What is refused to everything needs no second question.
        let asked = plays & from_there & !self.plays_refused_at(Some(moment), player);
        let sees = KnownInputs::Print { definition: definition as usize, zone: zone.index() };
        let (refused, kept) = self.refused_among(asked, player, sees);
        if let Some(moment) = self.scratch.refusals.known.get_mut(moment).filter(|_| kept) {
            keep(&mut moment.refused, place, refused);
        }
        refused
    }

    /// Which of some plays of the format are refused a player, and whether that can be remembered.
    fn refused_among(&mut self, plays: u64, player: usize, sees: KnownInputs) -> (u64, bool) {
        let program = std::sync::Arc::clone(&self.program);
        let (mut refused, mut kept) = (0, true);
        for (n, play) in program.format.plays.iter().enumerate().take(PLAYS).filter(|(n, _)| plays & (1 << n) != 0) {
            let (this, for_good) = self.is_refused_by(play, player, sees).for_good();
            refused |= u64::from(this) << n;
            kept &= for_good;
        }
        (refused, kept)
    }

    /// What tells what a moment refuses to a definition in a zone kind, if it is asked about.
    pub(super) fn told(&mut self, definition: usize, zone: ZoneKindId) -> Option<DefinitionInZone> {
        let RefusalCache { definitions, asked, .. } = &mut self.scratch.refusals;
        let zones = &self.program.play_zones;
        if definitions.is_empty() {
            definitions.resize(self.program.library.definitions.len() * zones.len(), 0);
        }
        let (place, (_, from_there)) = zones.iter().enumerate().find(|(_, (known, _))| *known == zone)?;
        let number = definitions.get_mut(definition * zones.len() + place)?;
        if *number == 0 {
            *asked = asked.checked_add(1)?;
            *number = *asked;
        }
        Some(DefinitionInZone { number: *number - 1, definition: definition as u32, zone, from_there: *from_there })
    }

    /// Whether a play is refused now whatever it is about, as long as that shows no other face: there is nothing that it is for, or its
    /// condition fails. `number` tells plays apart; `applies` says that there is something that it is for.
    pub(crate) fn is_refused_for_all(&mut self, number: usize, play: &Play, player: usize, applies: bool) -> bool {
        if self.scratch.reference_mode {
            return false;
        }
        let place = 2 * (number * self.program.players() + player);
        // What is announced of an object may count for the condition.
        let condition = play.condition.filter(|_| play.announced.is_none());
        !applies && self.is_false_for_all(place, play, play.object_filter, player)
            || self.is_false_for_all(place + 1, play, condition, player)
    }

    /// Whether a function of a play gives 0 now whatever the play is about. `place` tells the functions apart.
    fn is_false_for_all(&mut self, place: usize, play: &Play, function: Option<FnId>, player: usize) -> bool {
        if function.is_none() {
            return false;
        }
        let known = self.scratch.refusals.now.get(place).copied().flatten();
        let hypothetical = self.scratch.is_hypothetical();
        if let Some(known) = known.filter(|known| !hypothetical && self.derived.revisions().unchanged_since(known.at, known.seen))
        {
            return known.refused;
        }
        let PartialResult { value, seen, .. } = self.foresee_of(play, function, player, KnownInputs::State);
        let refused = value == Some(0);
        if !hypothetical {
            let at = self.derived.revisions().current();
            keep(&mut self.scratch.refusals.now, place, CachedRefusal { refused, at, seen });
        }
        refused
    }

    /// What the condition of a play gives whatever it is about: 0 refuses it.
    fn is_refused_by(&mut self, play: &Play, player: usize, sees: KnownInputs) -> PartialResult {
        self.foresee_of(play, play.condition, player, sees)
    }

    /// What a function of a play gives whatever the play is about.
    fn foresee_of(&mut self, play: &Play, function: Option<FnId>, player: usize, sees: KnownInputs) -> PartialResult {
        let Some(function) = function else { return PartialResult { value: None, seen: DepSet::NONE, ran_out: false } };
        let mut args = [0; MOST_ARGUMENTS];
        args[1] = player as i64;
        let args = args.get(..2 + play.extra_params.len()).unwrap_or(&args);
        let (world, scratch) = self.world();
        world.evaluate_partially(scratch, function, args, 1, sees)
    }
}
