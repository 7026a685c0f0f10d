//! Cache of playable objects: for each zone that a player may play from, the objects in it and the plays that each may be for.
//!
//! Key: zone kind and player. An entry is valid while the objects of the zone are the same and none of them changed. It is filled
//! from prints ([`applicability`]) and narrowed by the [`RefusalCache`](crate::vm::cache_entries::RefusalCache). Players are asked
//! step after step while nothing moves, so most lookups hit. A hit compares revisions, or the objects one by one; a miss
//! classifies every object of the zone. Debug builds recompute every hit and compare.

use super::dependencies::DepSet;
use crate::applicability::{self, MAX_PLAYS, PlaySet};
use crate::ir::ObjectRef;
use crate::ir::ZoneKindId;
use crate::program::Program;
use crate::state::layout as at;
use crate::vm::cache_entries::TurnPositionId;
use crate::vm::cache_entries::{CachedZone, PlayCandidate, PlayableCache, PlayableObject};
use crate::vm::derived::values::DerivedValues;
use crate::vm::machine::Machine;

impl PlayableCache {
    /// Begins an enumeration: no zone is loaded. Returns an empty list for candidates.
    pub(super) fn begin(&mut self) -> Vec<PlayCandidate> {
        self.zones.clear();
        self.objects.clear();
        std::mem::take(&mut self.candidates)
    }

    /// Ends an enumeration and keeps the list of candidates for reuse.
    pub(super) fn end(&mut self, candidates: Vec<PlayCandidate>) {
        self.candidates = candidates;
    }

    /// Loads the zones of a play that are not loaded yet.
    pub(super) fn load_zones(
        &mut self,
        machine: &mut Machine,
        program: &Program,
        zones: &[ZoneKindId],
        (player, turn_position): (usize, TurnPositionId),
    ) {
        for kind in zones {
            if self.zones.iter().any(|(known, _)| known == kind) {
                continue;
            }
            let start = self.objects.len();
            let place = self.cached_zone_index(machine, program, *kind, player);
            for playable in self.cached_zones.get(place).map_or(&[][..], |zone| zone.objects.as_slice()) {
                // The condition of a play may read what is announced of the object, so plays with announced choices are not
                // refused here.
                let refused = |key| {
                    machine.plays_refused_for_print(
                        turn_position,
                        key,
                        playable.plays.possible & !program.announced_plays,
                        player,
                    )
                };
                let possible = playable.plays.possible & !playable.refusal_key.map_or(0, refused);
                self.objects.push((playable.object, PlaySet { possible, ..playable.plays }));
            }
            self.zones.push((*kind, start..self.objects.len()));
        }
    }

    /// Adds the objects in the zones of a play that it may be for.
    pub(super) fn add_candidates(&self, zones: &[ZoneKindId], code: usize, candidates: &mut Vec<PlayCandidate>) {
        for zone in zones {
            let Some((_, range)) = self.zones.iter().find(|(known, _)| known == zone) else { continue };
            for (object, plays) in self.objects.get(range.clone()).unwrap_or(&[]) {
                if applicability::includes(plays.possible, code) {
                    let applies = code < MAX_PLAYS && plays.certain & (1 << code) != 0;
                    candidates.push(PlayCandidate { object: *object, applies });
                }
            }
        }
    }

    /// Returns the index of the valid entry for a zone kind and player. Computes the entry if it is missing or stale.
    fn cached_zone_index(&mut self, machine: &mut Machine, program: &Program, kind: ZoneKindId, player: usize) -> usize {
        machine.refresh();
        let items = program.zone_instance(kind.index(), player).map_or(&[][..], |zone| machine.state.zone_items(program, zone));
        let place = self
            .cached_zones
            .iter()
            .position(|zone| zone.kind == kind && zone.player == player)
            .unwrap_or(self.cached_zones.len());
        let now = machine.derived.revisions().current();
        match self.cached_zones.get_mut(place) {
            Some(zone) if !machine.scratch.reference_mode && zone.is_valid(&machine.derived, items) => {
                debug_assert_eq!(zone.items, items, "{kind:?} of {player}");
                debug_assert_eq!(zone.objects, machine.playable_in(program, kind, player, &zone.items), "{kind:?} of {player}");
                zone.revision = now;
                return place;
            }
            Some(_) => {}
            None => self.cached_zones.push(CachedZone { kind, player, revision: 0, items: Vec::new(), objects: Vec::new() }),
        }
        let Some(zone) = self.cached_zones.get_mut(place) else { return place };
        zone.revision = now;
        zone.items.clear();
        zone.items.extend_from_slice(items);
        zone.objects.clear();
        machine.add_playable(program, (kind, player), &zone.items, &mut zone.objects);
        place
    }
}

impl CachedZone {
    /// Returns whether the zone contains the same objects as before and none of them changed.
    fn is_valid(&self, derived: &DerivedValues, items: &[u32]) -> bool {
        let changes = derived.revisions();
        let same = |item: &u32| derived.is_unchanged_since(ObjectRef(*item).slot(), DepSet::NONE, self.revision);
        changes.unchanged_since(self.revision, DepSet::OBJECTS)
            || changes.unchanged_since(self.revision, DepSet::NONE) && self.items == items && items.iter().all(same)
    }
}

impl Machine {
    /// Returns what a player may play of some objects in a zone.
    fn playable_in(&mut self, program: &Program, zone: ZoneKindId, player: usize, items: &[u32]) -> Vec<PlayableObject> {
        let mut objects = Vec::new();
        self.add_playable(program, (zone, player), items, &mut objects);
        objects
    }

    /// As [`Machine::playable_in`], into a list that exists.
    fn add_playable(
        &mut self,
        program: &Program,
        (zone, player): (ZoneKindId, usize),
        items: &[u32],
        objects: &mut Vec<PlayableObject>,
    ) {
        let shared = program.library.zones.get(zone.index()).is_some_and(|zone| !zone.each_player);
        for it in items.iter().map(|item| ObjectRef(*item)) {
            let controller = i64::from(self.derived.word(it.slot(), 0) as i32);
            if !shared || controller == player as i64 {
                objects.push(self.playable_object(program, it, zone));
            }
        }
    }

    fn playable_object(&mut self, program: &Program, object: ObjectRef, zone: ZoneKindId) -> PlayableObject {
        let unknown_print = PlayableObject { object, plays: PlaySet::ANY, refusal_key: None };
        let slot = object.slot();
        let definition = self.derived.word(slot, program.row.definition) as usize;
        let (Some(plays), Some(template)) = (program.applicable_plays.get(definition), program.templates.get(definition)) else {
            return unknown_print;
        };
        let columns = program.print_columns();
        let as_printed = template.get(columns.clone()) == self.derived.part_of_row(slot, columns);
        if self.scratch.reference_mode || !as_printed || program.faces(self.state.column(slot, at::DEFINITION)) != (0..=0) {
            return unknown_print;
        }
        PlayableObject { object, plays: *plays, refusal_key: self.definition_in_zone(definition, zone) }
    }
}
