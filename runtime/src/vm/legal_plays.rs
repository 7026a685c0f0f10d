//! What a player may play: permission, price, cost and choices, checked before it is offered. And why not.

use super::Machine;
use super::decision::Choice;
use super::derived::EFFECT_COPIED;
use super::eval::MOST_ARGUMENTS;
use super::hooks::Obstacle;
use super::playable_cache::PlayCandidate;
use crate::applicability::PLAYS;
use crate::ir::verbs::ANNOUNCE;
use crate::ir::{Ability, AbilityKind, NO_PLAYER, Play, WindowRules, cause};
use crate::program::{ABILITY_PLAY, Program};
use crate::state::{ObjectRef, layout as at};
use std::ops::RangeInclusive;
use std::sync::Arc;

impl Machine {
    /// All plays that a player could announce to the end now. `paying`: those offered while a price is being paid.
    pub(crate) fn plays_offered(&mut self, player: usize, window: &WindowRules, paying: bool) -> Vec<Choice> {
        let mut offered = Vec::new();
        let program = Arc::clone(&self.program);
        self.offer_plays(&program, &mut offered, player, window, paying);
        offered
    }

    /// Adds them to a list.
    pub(crate) fn offer_plays(
        &mut self,
        program: &Program,
        offered: &mut Vec<Choice>,
        player: usize,
        window: &WindowRules,
        paying: bool,
    ) {
        let mut lying = std::mem::take(&mut self.scratch.playable);
        let mut candidates = lying.begin();
        self.derived.refresh(program, &self.state, &mut self.scratch);
        let moment = self.turn_position();
        let refused_plays = self.plays_refused_at(moment, player);
        for (code, play) in program.format.plays.iter().enumerate() {
            let refused = code < PLAYS && refused_plays & (1 << code) != 0 || program.specialized.is_idle_play(code);
            if play.effect_params != 0 || refused || !offered_in(window, play, paying) {
                continue;
            }
            if play.nowhere {
                if self.refusal(code as u32, play, ObjectRef::NONE, player).is_none() {
                    offered.push(Choice::Play { play: code as u32, object: ObjectRef::NONE, face: 0 });
                }
                continue;
            }
            let zones = if self.scratch.reference_mode { &play.from } else { program.specialized.zones_of(code, play) };
            lying.load_zones(self, program, zones, (player, moment));
            candidates.clear();
            lying.add_candidates(zones, code, &mut candidates);
            // To ask about everything takes as long as to ask about one thing.
            let applies = candidates.iter().any(|candidate| candidate.applies);
            let refused = candidates.len() > 1 && self.is_refused_for_all(code, play, player, applies);
            for PlayCandidate { object, applies } in candidates.iter().copied() {
                for face in self.usable_faces(play, object).filter(|face| !refused || *face != 0) {
                    let refusal = |machine: &mut Self| machine.refusal_of(code as u32, play, object, player, applies);
                    if self.showing(object, face, refusal).is_none() {
                        offered.push(Choice::Play { play: code as u32, object, face: face as u8 });
                    }
                }
            }
        }
        for (n, (unit, ability)) in program.activated.iter().enumerate() {
            self.derived.refresh(program, &self.state, &mut self.scratch);
            if self.derived.holders(*unit).is_empty() {
                continue;
            }
            let Some(Ability { kind: AbilityKind::Activated { play }, zones, .. }) =
                program.library.abilities.get(ability.index())
            else {
                continue;
            };
            let number = program.format.plays.len() + n;
            if !offered_in(window, play, paying) || self.ability_refused_at(moment, n, play, player) {
                continue;
            }
            let code = ABILITY_PLAY + ability.0;
            candidates.clear();
            let (state, derived) = (&self.state, &self.derived);
            let is_of_player = |slot: usize| derived.word(slot, 0) as i32 == player as i32;
            let works = |object: &ObjectRef| state.lies_in(program, object.slot(), *zones) && is_of_player(object.slot());
            let holders = derived.holders(*unit).iter().copied().filter(works);
            candidates.extend(holders.map(|object| PlayCandidate { object, applies: false }));
            if candidates.len() > 1 && self.is_refused_for_all(number, play, player, false) {
                continue;
            }
            for PlayCandidate { object, .. } in candidates.iter().copied() {
                if self.refusal(code, play, object, player).is_none() {
                    offered.push(Choice::Play { play: code, object, face: 0 });
                }
            }
        }
        lying.end(candidates);
        self.scratch.playable = lying;
        for (code, object) in self.concealed_abilities_of(player) {
            if let Some(play) = program.play(code)
                && offered_in(window, play, paying)
                && self.refusal(code, play, object, player).is_none()
            {
                offered.push(Choice::Play { play: code, object, face: 0 });
            }
        }
    }

    /// The abilities of what a player controls that work only while it is concealed.
    fn concealed_abilities_of(&mut self, player: usize) -> Vec<(u32, ObjectRef)> {
        if self.program.concealed_abilities.is_empty() {
            return Vec::new();
        }
        let given = self.may_be_given_covered();
        let concealed = self.program.concealing.iter().flat_map(|status| self.state.slots_with(at::STATUSES + status));
        let mut slots: Vec<usize> = concealed
            .filter(|slot| self.state.zone(*slot).is_some() && self.state.column(*slot, at::HOST) == 0)
            .filter(|slot| given || self.shows_covered(*slot))
            .collect();
        slots.sort_unstable();
        slots.dedup();
        let mut found = Vec::new();
        for slot in slots {
            let object = self.state.current(slot);
            if self.controller(object) == player as i64 {
                found.extend(self.covered_abilities(object).into_iter().map(|code| (code, object)));
            }
        }
        found
    }

    /// Whether something may give an object abilities that work while it is concealed.
    fn may_be_given_covered(&self) -> bool {
        let copy = |record: &u32| self.state.block.len(*record as usize + EFFECT_COPIED) != 0;
        self.program.gives_covered || self.state.block.list(at::EFFECTS).iter().any(copy)
    }

    /// Whether what is concealed would show, if nothing concealed it, abilities that work while it is, or be a copy of something.
    fn shows_covered(&self, slot: usize) -> bool {
        let printed = self.printed_units(slot).is_some_and(|(_, units)| units.iter().any(|unit| self.program.is_covered(*unit)));
        printed || !self.state.copied(slot).is_empty()
    }

    /// The definition that an object would show, and the units that it prints.
    fn printed_units(&self, slot: usize) -> Option<(usize, &[u32])> {
        let (program, state) = (&self.program, &self.state);
        let shown = program.shown(state.column(slot, at::DEFINITION), state.column(slot, at::FACE), state.zone(slot)) as usize;
        Some((shown, program.definition_units.get(shown)?.as_slice()))
    }

    /// The abilities that work while an object is concealed, if they are those that it prints: nothing gives any or takes them.
    fn printed_covered(&mut self, slot: usize) -> Option<Vec<u32>> {
        self.refresh();
        let (shown, units) = self.printed_units(slot)?;
        let as_printed = !self.derived.writes().has_all_units()
            && !self.may_be_given_covered()
            && self.program.has_statics.get(shown) == Some(&false)
            && self.state.copied(slot).is_empty();
        let printed = self.program.concealed_abilities.iter().filter(|(unit, _)| units.contains(unit));
        as_printed.then(|| printed.map(|(_, ability)| ABILITY_PLAY + ability.0).collect())
    }

    /// The abilities that work while an object is concealed, and that it would have if nothing concealed it; none while nothing does.
    pub(crate) fn covered_abilities(&mut self, object: ObjectRef) -> Vec<u32> {
        let slot = object.slot();
        if self.program.concealed_abilities.is_empty()
            || !self.state.exists(object)
            || !self.state.is_concealed(&self.program, slot)
        {
            return Vec::new();
        }
        match self.printed_covered(slot).filter(|_| !self.scratch.reference_mode) {
            Some(printed) => {
                debug_assert_eq!(printed, self.uncovered_abilities(object), "what is concealed has what it prints");
                printed
            }
            None => self.uncovered_abilities(object),
        }
    }

    /// As [`Machine::covered_abilities`], of what is concealed: it is tried what it would be.
    fn uncovered_abilities(&mut self, object: ObjectRef) -> Vec<u32> {
        let program = Arc::clone(&self.program);
        let slot = object.slot();
        let columns: Vec<usize> = program.concealing.iter().map(|status| at::STATUSES + status).collect();
        let before: Vec<u32> = columns.iter().map(|column| self.state.column(slot, *column)).collect();
        columns.iter().for_each(|column| self.state.set_column(slot, *column, 0));
        self.derived.mark_dirty(slot);
        let (world, _) = self.world();
        let has = |(unit, _): &&(u32, crate::ir::AbilityId)| world.has_unit(object, *unit);
        let found = program.concealed_abilities.iter().filter(has).map(|(_, ability)| ABILITY_PLAY + ability.0).collect();
        columns.iter().zip(before).for_each(|(column, value)| self.state.set_column(slot, *column, value));
        self.derived.mark_dirty(slot);
        found
    }

    /// Evaluates something while a bool status holds of an object.
    pub(crate) fn holding<T>(&mut self, object: ObjectRef, status: Option<u16>, evaluate: impl FnOnce(&mut Self) -> T) -> T {
        let Some(column) = status.map(|status| at::STATUSES + usize::from(status)) else { return evaluate(self) };
        let before = self.state.column(object.slot(), column);
        self.state.set_column(object.slot(), column, 1);
        self.derived.mark_dirty(object.slot());
        let value = evaluate(self);
        self.state.set_column(object.slot(), column, before);
        self.derived.mark_dirty(object.slot());
        value
    }

    /// Evaluates something while an object shows a face (0: as it is).
    pub(crate) fn showing<T>(&mut self, object: ObjectRef, face: u32, evaluate: impl FnOnce(&mut Self) -> T) -> T {
        if face == 0 {
            return evaluate(self);
        }
        let before = self.state.column(object.slot(), at::FACE);
        self.state.set_column(object.slot(), at::FACE, face);
        self.derived.mark_dirty(object.slot());
        let value = evaluate(self);
        self.state.set_column(object.slot(), at::FACE, before);
        self.derived.mark_dirty(object.slot());
        value
    }

    /// The faces as which a play uses an object: one of its own for what goes to the list from where no single face shows.
    pub(crate) fn usable_faces(&self, play: &Play, object: ObjectRef) -> RangeInclusive<u32> {
        let in_field =
            self.state.zone(object.slot()).is_some_and(|zone| Some(self.program.layout.kind(zone)) == self.program.field);
        if play.immediate || in_field || play.announced.is_some() {
            return 0..=0;
        }
        self.program.faces(self.state.column(object.slot(), at::DEFINITION))
    }

    /// The objects that a play of the format could be about.
    fn sources(&mut self, play: &Play, player: usize) -> Vec<ObjectRef> {
        let program = Arc::clone(&self.program);
        let mut objects = Vec::new();
        for zone in &play.from {
            let Some(instance) = program.instance(zone.index(), player) else { continue };
            let shared = program.zone_owner(instance).is_none();
            for item in self.state.zone_items(&program, instance).to_vec() {
                let object = ObjectRef(item);
                if !shared || self.controller(object) == player as i64 {
                    objects.push(object);
                }
            }
        }
        objects
    }

    /// Why a play cannot be announced by a player now; `None` when it can.
    pub fn refusal(&mut self, code: u32, play: &Play, object: ObjectRef, player: usize) -> Option<Obstacle> {
        self.refusal_of(code, play, object, player, false)
    }

    /// As [`Machine::refusal`]; `applies`: the print of the object tells already that the play is for it.
    fn refusal_of(&mut self, code: u32, play: &Play, object: ObjectRef, player: usize, applies: bool) -> Option<Obstacle> {
        let seat = player as i64;
        if code >= ABILITY_PLAY {
            let ability = self.program.library.abilities.get((code - ABILITY_PLAY) as usize);
            let works = ability.is_some_and(|ability| self.state.lies_in(&self.program, object.slot(), ability.zones));
            let covered = !play.while_concealed || self.covered_abilities(object).contains(&code);
            if !works || !covered || self.controller(object) != seat {
                return Some(Obstacle::Permission(code));
            }
        }
        if !applies && play.object_filter.is_some_and(|applies| !self.test(applies, &[object.value(), seat])) {
            return Some(Obstacle::Permission(code));
        }
        self.holding(object, play.announced, |machine| machine.refusal_so(code, play, object, player))
    }

    /// As [`Machine::refusal`], of what the play is for, as it would be announced.
    fn refusal_so(&mut self, code: u32, play: &Play, object: ObjectRef, player: usize) -> Option<Obstacle> {
        let seat = player as i64;
        // What its cost keeps is not known yet.
        let mut args = [0; MOST_ARGUMENTS];
        let [this, you, ..] = &mut args;
        (*this, *you) = (object.value(), seat);
        let args = args.get(..2 + play.extra_params.len()).unwrap_or(&args);
        if play.condition.is_some_and(|allows| !self.test(allows, args)) {
            return Some(Obstacle::Permission(code));
        }
        if let Some(reason) =
            self.forbidden(ANNOUNCE, &[seat, object.value(), i64::from(code)], [cause::RULE, object.value(), seat, NO_PLAYER])
        {
            return Some(reason);
        }
        if play.limit.is_some() && self.limit_reached(code, object, player) {
            return Some(Obstacle::Limit(code));
        }
        if let Some(possible) = play.cost_possible
            && !self.test(possible, args)
        {
            return Some(Obstacle::Cost(code));
        }
        if !self.is_payable_somehow(code, play, object, player, args, false) {
            return Some(Obstacle::Cost(code));
        }
        if self.program.format.announce.requires_choices && !self.has_choices(play, object, player) {
            return Some(Obstacle::NoChoice(code));
        }
        None
    }

    /// Why a play of this name cannot be announced: for scenarios and screens.
    pub fn why_not(&mut self, code: u32, object: ObjectRef, player: usize) -> Option<Obstacle> {
        let program = Arc::clone(&self.program);
        let play = program.play(code)?;
        let in_place = code >= ABILITY_PLAY || play.nowhere || self.sources(play, player).contains(&object);
        if !in_place {
            return Some(Obstacle::Permission(code));
        }
        let mut why = None;
        for face in self.usable_faces(play, object) {
            why = why.or(Some(self.showing(object, face, |machine| machine.refusal(code, play, object, player))?));
        }
        why
    }
}

fn offered_in(window: &WindowRules, play: &Play, paying: bool) -> bool {
    if paying {
        return play.during_payment;
    }
    window.plays.is_empty() || window.plays.iter().any(|name| *name == play.name || play.classes.contains(name))
}
