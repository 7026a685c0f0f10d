//! What lies where a player may play from, and which plays each object could be for. What lies in a zone is remembered until an object moves or
//! changes: a player is asked in one step after the other, and between most of them nothing of that happens.

use super::Machine;
use super::dependencies::DepSet;
use super::derived::DerivedValues;
use super::refusal_cache::{DefinitionInZone, TurnPositionId};
use crate::applicability::{self, PLAYS, PlaySet};
use crate::ir::ZoneKindId;
use crate::program::Program;
use crate::state::{ObjectRef, layout as at};
use std::ops::Range;

/// What lies in the zones from which a player may play, each looked into once. Its memory is used again.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlayableCache {
    zones: Vec<(ZoneKindId, Range<usize>)>,
    /// The objects there, and the plays that each could be for.
    objects: Vec<(ObjectRef, PlaySet)>,
    /// Those that one play could be for.
    candidates: Vec<PlayCandidate>,
    /// What lay in the zones of each player when they were last looked into.
    known: Vec<CachedZone>,
}

/// An object that a play could be for.
#[derive(Clone, Copy, Debug)]
pub(super) struct PlayCandidate {
    pub object: ObjectRef,
    /// Whether its print tells that the play is for it.
    pub applies: bool,
}

/// What lies in a zone for a player to play.
#[derive(Clone, Debug)]
struct CachedZone {
    kind: ZoneKindId,
    player: usize,
    /// How often something had changed ([`Derived::changes`](super::derived::DerivedValues::revisions)).
    at: u64,
    /// All that lay there.
    items: Vec<u32>,
    /// What of it the player could play.
    objects: Vec<PlayableObject>,
}

/// An object in a zone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PlayableObject {
    object: ObjectRef,
    /// The plays that it could be for, as far as its words and keywords tell, with each of its faces (see [`applicability`]).
    plays: PlaySet,
    /// What tells which of them a moment refuses; nothing where a print does not tell.
    told: Option<DefinitionInZone>,
}

impl PlayableCache {
    /// Nothing was looked into yet. Returns a list for candidates.
    pub(super) fn begin(&mut self) -> Vec<PlayCandidate> {
        self.zones.clear();
        self.objects.clear();
        std::mem::take(&mut self.candidates)
    }

    /// The list for candidates is used again.
    pub(super) fn end(&mut self, candidates: Vec<PlayCandidate>) {
        self.candidates = candidates;
    }

    /// Looks into those of the zones of a play that were not looked into yet.
    pub(super) fn load_zones(
        &mut self,
        machine: &mut Machine,
        program: &Program,
        zones: &[ZoneKindId],
        (player, moment): (usize, TurnPositionId),
    ) {
        for kind in zones {
            if self.zones.iter().any(|(known, _)| known == kind) {
                continue;
            }
            let start = self.objects.len();
            let place = self.zone(machine, program, *kind, player);
            for lain in self.known.get(place).map_or(&[][..], |zone| zone.objects.as_slice()) {
                // What is announced of an object may count for the condition.
                let refused =
                    |told| machine.plays_refused_for_print(moment, told, lain.plays.possible & !program.announcing, player);
                let may = lain.plays.possible & !lain.told.map_or(0, refused);
                self.objects.push((lain.object, PlaySet { possible: may, ..lain.plays }));
            }
            self.zones.push((*kind, start..self.objects.len()));
        }
    }

    /// Adds what lies in the zones of a play and could be for it.
    pub(super) fn add_candidates(&self, zones: &[ZoneKindId], code: usize, candidates: &mut Vec<PlayCandidate>) {
        for zone in zones {
            let Some((_, range)) = self.zones.iter().find(|(known, _)| known == zone) else { continue };
            for (object, plays) in self.objects.get(range.clone()).unwrap_or(&[]) {
                if applicability::includes(plays.possible, code) {
                    let applies = code < PLAYS && plays.certain & (1 << code) != 0;
                    candidates.push(PlayCandidate { object: *object, applies });
                }
            }
        }
    }

    /// Where it is known what lies in a zone for a player.
    fn zone(&mut self, machine: &mut Machine, program: &Program, kind: ZoneKindId, player: usize) -> usize {
        machine.refresh();
        let items = program.instance(kind.index(), player).map_or(&[][..], |zone| machine.state.zone_items(program, zone));
        let place = self.known.iter().position(|zone| zone.kind == kind && zone.player == player).unwrap_or(self.known.len());
        let now = machine.derived.revisions().current();
        match self.known.get_mut(place) {
            Some(zone) if !machine.scratch.reference_mode && zone.is_as_it_was(&machine.derived, items) => {
                debug_assert_eq!(zone.items, items, "{kind:?} of {player}");
                debug_assert_eq!(zone.objects, machine.playable_in(program, kind, player, &zone.items), "{kind:?} of {player}");
                zone.at = now;
                return place;
            }
            Some(_) => {}
            None => self.known.push(CachedZone { kind, player, at: 0, items: Vec::new(), objects: Vec::new() }),
        }
        let Some(zone) = self.known.get_mut(place) else { return place };
        zone.at = now;
        zone.items.clear();
        zone.items.extend_from_slice(items);
        zone.objects.clear();
        machine.add_lain(program, (kind, player), &zone.items, &mut zone.objects);
        place
    }
}

impl CachedZone {
    /// Whether there lie the same objects, and none of them changed.
    fn is_as_it_was(&self, derived: &DerivedValues, items: &[u32]) -> bool {
        let changes = derived.revisions();
        let same = |item: &u32| derived.is_unchanged_since(ObjectRef(*item).slot(), DepSet::NONE, self.at);
        changes.unchanged_since(self.at, DepSet::OBJECTS)
            || changes.unchanged_since(self.at, DepSet::NONE) && self.items == items && items.iter().all(same)
    }
}

impl Machine {
    /// What of some objects in a zone a player could play.
    fn playable_in(&mut self, program: &Program, zone: ZoneKindId, player: usize, items: &[u32]) -> Vec<PlayableObject> {
        let mut objects = Vec::new();
        self.add_lain(program, (zone, player), items, &mut objects);
        objects
    }

    /// As [`Machine::playable_in`], added to others.
    fn add_lain(
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
                objects.push(self.lain(program, it, zone));
            }
        }
    }

    fn lain(&mut self, program: &Program, object: ObjectRef, zone: ZoneKindId) -> PlayableObject {
        let anything = PlayableObject { object, plays: PlaySet::ANY, told: None };
        let slot = object.slot();
        let definition = self.derived.word(slot, program.row.definition) as usize;
        let (Some(plays), Some(template)) = (program.plays_for.get(definition), program.templates.get(definition)) else {
            return anything;
        };
        let columns = program.telling_columns();
        let as_printed = template.get(columns.clone()) == self.derived.part_of_row(slot, columns);
        if self.scratch.reference_mode || !as_printed || program.faces(self.state.column(slot, at::DEFINITION)) != (0..=0) {
            return anything;
        }
        PlayableObject { object, plays: *plays, told: self.told(definition, zone) }
    }
}
