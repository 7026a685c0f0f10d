//! Cache of plays that are refused without reading an object. It decides nothing: `vm/legal_plays.rs` does, `view/refusal.rs` words it.
//!
//! Two tables. The first is keyed by turn position (active player and open periods) and holds refusals that follow from it alone,
//! such as "no summon outside of the main phase", and the activated abilities that remain. They are constant for a program, are never
//! invalidated, and pass to later games of the program (128 positions, 4-way associative, at most 12 open periods). The second holds,
//! for each play and player, a refusal that is the same for all objects (a second summon in a turn), valid until one of its
//! dependencies changes. A hit costs one lookup; a miss is one partial evaluation of the play's condition. The test `reference_mode`
//! compares games with and without the cache.

use super::dependencies::DepSet;
use crate::applicability::MAX_PLAYS;
use crate::ir::{FnId, Play, ZoneKindId};
use crate::program::Program;
use crate::state::layout as at;
use crate::tables::ABILITY_PLAY;
use crate::vm::cache_entries::{CachedRefusal, DefinitionInZone, RefusalCache, RefusalEntry, TurnPositionId, store};
use crate::vm::eval_context::MAX_ARGUMENTS;
use crate::vm::machine::Machine;
use crate::vm::optimized::known_inputs::{KnownInputs, PartialResult};
use std::sync::Arc;

/// Turn positions in the cache.
const MAX_TURN_POSITIONS: usize = 128;
/// Places where a turn position may be stored.
const WAYS: usize = 4;
/// A turn position with more open periods is not cached.
const MAX_OPEN_PERIODS: usize = 12;

impl PartialResult {
    /// Returns whether the result is a refusal, and whether it may be cached for a turn position. A result that exceeded the
    /// limit of operations may not: where an evaluation stops depends on other caches.
    fn as_refusal(self) -> (bool, bool) {
        (self.value == Some(0), !self.exceeds_limit)
    }
}

impl Machine {
    /// Returns the cache index of the current turn position, and creates its entry if necessary.
    pub(crate) fn turn_position(&mut self) -> TurnPositionId {
        let (active, periods) = (self.word(at::ACTIVE_PLAYER), self.state.block.list(at::OPEN_PERIODS));
        if self.scratch.reference_mode || periods.is_empty() || periods.len() > MAX_OPEN_PERIODS {
            return None;
        }
        let mixed = periods.iter().fold(active, |all, period| all.wrapping_mul(0x9E37_79B1).rotate_left(7) ^ period);
        let place = (mixed ^ mixed >> 15) as usize;
        let known = &mut self.scratch.refusals.by_turn_position;
        if known.is_empty() {
            known.resize(MAX_TURN_POSITIONS, RefusalEntry::default());
        }
        let places = || (place..place + WAYS).map(|place| place % MAX_TURN_POSITIONS);
        let wanted =
            |place: &usize| known.get(*place).is_some_and(|entry| entry.periods.is_empty() || entry.matches(active, periods));
        let place = places().find(wanted).unwrap_or(place % MAX_TURN_POSITIONS);
        let entry = known.get_mut(place)?;
        if !entry.matches(active, periods) {
            entry.active = active;
            entry.periods.clear();
            entry.periods.extend_from_slice(periods);
            entry.open_abilities.clear();
            entry.refused_plays.clear();
            entry.refused_for_print.clear();
        }
        Some(place)
    }

    /// Returns the numbers of the activated abilities that a turn position does not refuse to a player for all objects: their conditions are not false
    /// by the turn position alone.
    pub(crate) fn abilities_open_at(&mut self, program: &Program, position: TurnPositionId, player: usize) -> Arc<[u32]> {
        let known = |machine: &Self| {
            machine.scratch.refusals.by_turn_position.get(position?)?.open_abilities.get(player).cloned().flatten()
        };
        if let Some(open) = known(self) {
            return open;
        }
        let (mut open, mut may_cache) = (Vec::new(), true);
        for (n, (_, ability)) in (0..).zip(&program.activated) {
            let Some(play) = program.play(ABILITY_PLAY + ability.0) else { continue };
            let (refused, cacheable) = match position {
                Some(_) => self.evaluate_condition(play, player, KnownInputs::TurnPosition).as_refusal(),
                None => (false, false),
            };
            may_cache &= cacheable;
            open.extend((!refused).then_some(n));
        }
        let open: Arc<[u32]> = open.into();
        let entry = position.filter(|_| may_cache).and_then(|place| self.scratch.refusals.by_turn_position.get_mut(place));
        if let Some(entry) = entry {
            store(&mut entry.open_abilities, player, Arc::clone(&open));
        }
        open
    }

    /// Returns a mask of the plays of the format that a turn position refuses to a player for all objects: bit `n` for play `n`.
    pub(crate) fn plays_refused_at(&mut self, position: TurnPositionId, player: usize) -> u64 {
        let Some(place) = position else { return 0 };
        let known =
            |machine: &Self| machine.scratch.refusals.by_turn_position.get(place)?.refused_plays.get(player).copied().flatten();
        if let Some(refused) = known(self) {
            return refused;
        }
        let (refused, may_cache) = self.refused_among(u64::MAX, player, KnownInputs::TurnPosition);
        if let Some(entry) = self.scratch.refusals.by_turn_position.get_mut(place).filter(|_| may_cache) {
            store(&mut entry.refused_plays, player, refused);
        }
        refused
    }

    /// Returns a mask of the plays in `plays` that a turn position refuses to a player for an object with the print of a
    /// definition, in a zone kind. `plays` must be all plays that the object may be for, because the result is cached without it.
    pub(super) fn plays_refused_for_print(
        &mut self,
        position: TurnPositionId,
        key: DefinitionInZone,
        plays: u64,
        player: usize,
    ) -> u64 {
        let Some(position) = position else { return 0 };
        let DefinitionInZone { number, definition, zone, plays_from_zone: from_there } = key;
        let place = usize::from(number) * self.program.players() + player;
        let known = |machine: &Self| {
            machine.scratch.refusals.by_turn_position.get(position)?.refused_for_print.get(place).copied().flatten()
        };
        if let Some(refused) = known(self) {
            return refused;
        }
        // Plays that are refused for all objects need no second evaluation.
        let open_plays = plays & from_there & !self.plays_refused_at(Some(position), player);
        let inputs = KnownInputs::Print { definition: definition as usize, zone: zone.index() };
        let (refused, may_cache) = self.refused_among(open_plays, player, inputs);
        if let Some(entry) = self.scratch.refusals.by_turn_position.get_mut(position).filter(|_| may_cache) {
            store(&mut entry.refused_for_print, place, refused);
        }
        refused
    }

    /// Returns which of some plays of the format are refused to a player, and whether the result may be cached.
    fn refused_among(&mut self, plays: u64, player: usize, inputs: KnownInputs) -> (u64, bool) {
        let program = std::sync::Arc::clone(&self.program);
        let (mut refused, mut may_cache) = (0, true);
        for (n, play) in program.format.plays.iter().enumerate().take(MAX_PLAYS).filter(|(n, _)| plays & (1 << n) != 0) {
            let (this, cacheable) = self.evaluate_condition(play, player, inputs).as_refusal();
            refused |= u64::from(this) << n;
            may_cache &= cacheable;
        }
        (refused, may_cache)
    }

    /// Returns the cache key of a definition in a zone kind, and assigns its number if necessary. Returns `None` if nothing is
    /// played from the zone kind, or if no number is left.
    pub(super) fn definition_in_zone(&mut self, definition: usize, zone: ZoneKindId) -> Option<DefinitionInZone> {
        let RefusalCache { definition_numbers: definitions, numbered_definitions: count, .. } = &mut self.scratch.refusals;
        let zones = &self.program.play_zones;
        if definitions.is_empty() {
            definitions.resize(self.program.library.definitions.len() * zones.len(), 0);
        }
        let (place, (_, from_there)) = zones.iter().enumerate().find(|(_, (known, _))| *known == zone)?;
        let number = definitions.get_mut(definition * zones.len() + place)?;
        if *number == 0 {
            *count = count.checked_add(1)?;
            *number = *count;
        }
        Some(DefinitionInZone { number: *number - 1, definition: definition as u32, zone, plays_from_zone: *from_there })
    }

    /// Returns whether a play is refused now for all objects without further faces: its object filter or its condition is false
    /// for all. `number` identifies the play. `applies` says that some object is known to pass the object filter.
    pub(crate) fn is_refused_for_all(&mut self, number: usize, play: &Play, player: usize, applies: bool) -> bool {
        if self.scratch.reference_mode {
            return false;
        }
        let place = 2 * (number * self.program.players() + player);
        // The condition may read what is announced of the object.
        let condition = play.condition.filter(|_| play.announced.is_none());
        !applies && self.is_false_for_all(place, play, play.object_filter, player)
            || self.is_false_for_all(place + 1, play, condition, player)
    }

    /// Returns whether a function of a play is 0 now for all objects. `place` identifies the function.
    fn is_false_for_all(&mut self, place: usize, play: &Play, function: Option<FnId>, player: usize) -> bool {
        if function.is_none() {
            return false;
        }
        let known = self.scratch.refusals.by_state.get(place).copied().flatten();
        let hypothetical = self.scratch.is_hypothetical();
        if let Some(known) =
            known.filter(|known| !hypothetical && self.derived.revisions().unchanged_since(known.revision, known.dependencies))
        {
            return known.is_refused;
        }
        let PartialResult { value, dependencies: seen, .. } = self.evaluate_for_all(play, function, player, KnownInputs::State);
        let refused = value == Some(0);
        if !hypothetical {
            let at = self.derived.revisions().current();
            store(
                &mut self.scratch.refusals.by_state,
                place,
                CachedRefusal { is_refused: refused, revision: at, dependencies: seen },
            );
        }
        refused
    }

    /// Evaluates the condition of a play for all objects at once. A value of 0 refuses the play.
    fn evaluate_condition(&mut self, play: &Play, player: usize, inputs: KnownInputs) -> PartialResult {
        self.evaluate_for_all(play, play.condition, player, inputs)
    }

    /// Evaluates a function of a play with an unknown object.
    fn evaluate_for_all(&mut self, play: &Play, function: Option<FnId>, player: usize, inputs: KnownInputs) -> PartialResult {
        let Some(function) = function else {
            return PartialResult { value: None, dependencies: DepSet::NONE, exceeds_limit: false };
        };
        let mut args = [0; MAX_ARGUMENTS];
        args[1] = player as i64;
        let args = args.get(..2 + play.extra_params.len()).unwrap_or(&args);
        let (world, scratch) = self.world();
        world.evaluate_partially(scratch, function, args, 1, inputs)
    }
}
