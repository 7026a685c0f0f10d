//! Enumerates the legal plays of a player: permission, price, costs and choices are checked before a play is offered. Finds
//! the reason why others are not; [`crate::view::refusal`] words it for the player.
//!
//! Candidates come from the [`PlayableCache`](super::playable_cache). Invariant: an offered play can be announced to the end.

use super::announce::UseRequest;
use super::decision::Choice;
use super::hooks::Obstacle;
use super::inline_vecs::Args;
use crate::applicability::MAX_PLAYS;
use crate::ir::ObjectRef;
use crate::ir::operands::OpClass;
use crate::ir::verbs::ANNOUNCE;
use crate::ir::{Ability, AbilityKind, NO_PLAYER, Op, Play, PlayId, WindowRules, cause};
use crate::program::Program;
use crate::records::EFFECT_COPIED;
use crate::state::layout as at;
use crate::tables::ABILITY_PLAY;
use crate::vm::cache_entries::PlayCandidate;
use crate::vm::eval_context::MAX_ARGUMENTS;
use crate::vm::machine::Machine;
use std::ops::RangeInclusive;
use std::sync::Arc;

/// The most plays that are offered in one decision: several hundred objects with a hundred plays each. With more, the fuel is used up.
const MAX_OFFERED: usize = 1 << 16;

/// For so many objects it costs less to evaluate a play one by one than to ask first whether it is refused for all of them.
const MAX_CANDIDATES_TRIED_SINGLY: usize = 3;

impl Machine {
    /// Returns all plays that a player could announce to the end now. `paying` selects those that are usable while paying.
    pub(crate) fn plays_offered(&mut self, player: usize, window: &WindowRules, paying: bool) -> Vec<Choice> {
        let mut offered = Vec::new();
        let program = Arc::clone(&self.program);
        self.offer_plays(&program, &mut offered, player, window, paying);
        offered
    }

    /// Adds the legal plays of a player to a list.
    pub(crate) fn offer_plays(
        &mut self,
        program: &Program,
        offered: &mut Vec<Choice>,
        player: usize,
        window: &WindowRules,
        paying: bool,
    ) {
        let mut playable = std::mem::take(&mut self.scratch.playable);
        let mut candidates = playable.begin();
        self.derived.refresh(program, &self.state, &mut self.scratch);
        let position = self.turn_position();
        let refused_plays = self.plays_refused_at(position, player);
        for (code, play) in program.format.plays.iter().enumerate() {
            if offered.len() > MAX_OFFERED {
                self.scratch.use_up_fuel();
                break;
            }
            let refused = code < MAX_PLAYS && refused_plays & (1 << code) != 0 || program.specialized.is_dead_play(code);
            if play.effect_params != 0 || refused || !is_offered_in(window, play, paying) {
                continue;
            }
            if play.nowhere {
                if self.refusal(code as u32, play, ObjectRef::NONE, player).is_none() {
                    offered.push(Choice::Play { play: code as u32, object: ObjectRef::NONE, face: 0 });
                }
                continue;
            }
            let zones = if self.scratch.reference_mode { &play.from } else { program.specialized.zones_of(code, play) };
            playable.load_zones(self, program, zones, (player, position));
            candidates.clear();
            playable.add_candidates(zones, code, &mut candidates);
            let applies = candidates.iter().any(|candidate| candidate.applies);
            let refused = candidates.len() > MAX_CANDIDATES_TRIED_SINGLY && self.is_refused_for_all(code, play, player, applies);
            for PlayCandidate { object, applies } in candidates.iter().copied() {
                for face in self.usable_faces(play, object).filter(|face| !refused || *face != 0) {
                    let refusal = |machine: &mut Self| machine.refusal_of(code as u32, play, object, player, applies);
                    if self.with_face(object, face, refusal).is_none() {
                        offered.push(Choice::Play { play: code as u32, object, face: face as u8 });
                    }
                }
            }
        }
        for n in self.abilities_open_at(program, position, player).iter().map(|n| *n as usize) {
            if offered.len() > MAX_OFFERED {
                self.scratch.use_up_fuel();
                break;
            }
            let Some((unit, ability)) = program.activated.get(n) else { continue };
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
            if !is_offered_in(window, play, paying) {
                continue;
            }
            let code = ABILITY_PLAY + ability.0;
            candidates.clear();
            let (state, derived) = (&self.state, &self.derived);
            let is_of_player = |slot: usize| derived.word(slot, 0) as i32 == player as i32;
            let works =
                |object: &ObjectRef| state.is_in_zone_kinds(program, object.slot(), *zones) && is_of_player(object.slot());
            let holders = derived.holders(*unit).iter().copied().filter(works);
            candidates.extend(holders.map(|object| PlayCandidate { object, applies: false }));
            if candidates.len() > MAX_CANDIDATES_TRIED_SINGLY && self.is_refused_for_all(number, play, player, false) {
                continue;
            }
            for PlayCandidate { object, .. } in candidates.iter().copied() {
                if self.refusal(code, play, object, player).is_none() {
                    offered.push(Choice::Play { play: code, object, face: 0 });
                }
            }
        }
        playable.end(candidates);
        self.scratch.playable = playable;
        for (code, object) in self.concealed_abilities_of(player) {
            if let Some(play) = program.play(code)
                && is_offered_in(window, play, paying)
                && self.is_in_zone_of_ability(code, object)
                && self.refusal_if_active(code, play, object, player, false).is_none()
            {
                offered.push(Choice::Play { play: code, object, face: 0 });
            }
        }
    }

    /// Returns the abilities of a player's objects that work only while these are concealed.
    fn concealed_abilities_of(&mut self, player: usize) -> Vec<(u32, ObjectRef)> {
        if self.program.concealed_abilities.is_empty() {
            return Vec::new();
        }
        let given = self.may_gain_concealed_abilities();
        let concealed = self.program.concealing_statuses.iter().flat_map(|status| self.state.slots_with(at::STATUSES + status));
        let mut slots: Vec<usize> = concealed
            .filter(|slot| self.state.zone(*slot).is_some() && self.state.column(*slot, at::HOST) == 0)
            .filter(|slot| given || self.may_have_concealed_abilities(*slot))
            .collect();
        slots.sort_unstable();
        slots.dedup();
        let mut found = Vec::new();
        for slot in slots {
            let object = self.state.current(slot);
            if self.controller(object) == player as i64 {
                found.extend(self.abilities_while_concealed(object).into_iter().map(|code| (code, object)));
            }
        }
        found
    }

    /// Returns whether an effect may give objects abilities that work while they are concealed.
    fn may_gain_concealed_abilities(&self) -> bool {
        let copy = |record: &u32| self.state.block.len(*record as usize + EFFECT_COPIED) != 0;
        self.program.may_grant_concealed || self.state.block.list(at::EFFECTS).iter().any(copy)
    }

    /// Returns whether a concealed object prints abilities that work while it is concealed, or is a copy.
    fn may_have_concealed_abilities(&self, slot: usize) -> bool {
        let printed =
            self.printed_units(slot).is_some_and(|(_, units)| units.iter().any(|unit| self.program.has_concealed_ability(*unit)));
        printed || !self.state.copied_row(slot).is_empty()
    }

    /// Returns the definition that an object would show, and the ability bundles printed on it.
    fn printed_units(&self, slot: usize) -> Option<(usize, &[u32])> {
        let (program, state) = (&self.program, &self.state);
        let shown =
            program.shown_definition(state.column(slot, at::DEFINITION), state.column(slot, at::FACE), state.zone(slot)) as usize;
        Some((shown, program.definition_bundles.get(shown)?.as_slice()))
    }

    /// Returns the printed abilities that work while an object is concealed, if no effect can give or remove any; else `None`.
    fn printed_concealed_abilities(&mut self, slot: usize) -> Option<Vec<u32>> {
        self.refresh();
        let (shown, units) = self.printed_units(slot)?;
        let as_printed = !self.derived.writes().has_all_bundles()
            && !self.may_gain_concealed_abilities()
            && self.program.has_statics.get(shown) == Some(&false)
            && self.state.copied_row(slot).is_empty();
        let printed = self.program.concealed_abilities.iter().filter(|(unit, _)| units.contains(unit));
        as_printed.then(|| printed.map(|(_, ability)| ABILITY_PLAY + ability.0).collect())
    }

    /// Returns the abilities that work while an object is concealed, among those that it would have unconcealed; none if it is
    /// not concealed.
    ///
    /// Debug builds compare the printed abilities with a trial; reference mode always runs the trial.
    pub(crate) fn abilities_while_concealed(&mut self, object: ObjectRef) -> Vec<u32> {
        let slot = object.slot();
        if self.program.concealed_abilities.is_empty()
            || !self.state.exists(object)
            || !self.state.is_concealed(&self.program, slot)
        {
            return Vec::new();
        }
        match self.printed_concealed_abilities(slot).filter(|_| !self.scratch.reference_mode) {
            Some(printed) => {
                debug_assert_eq!(
                    printed,
                    self.concealed_abilities_by_trial(object),
                    "printed abilities must equal those of the trial"
                );
                printed
            }
            None => self.concealed_abilities_by_trial(object),
        }
    }

    /// Computes [`Machine::abilities_while_concealed`] by a trial.
    fn concealed_abilities_by_trial(&mut self, object: ObjectRef) -> Vec<u32> {
        let program = Arc::clone(&self.program);
        self.while_unconcealed(object, |machine| {
            let (world, _) = machine.world();
            let has = |(unit, _): &&(u32, crate::ir::AbilityId)| world.has_bundle(object, *unit);
            program.concealed_abilities.iter().filter(has).map(|(_, ability)| ABILITY_PLAY + ability.0).collect()
        })
    }

    /// Evaluates something while the concealing statuses of an object are cleared, and restores them.
    pub(super) fn while_unconcealed<T>(&mut self, object: ObjectRef, evaluate: impl FnOnce(&mut Self) -> T) -> T {
        let slot = object.slot();
        let columns: Vec<usize> = self.program.concealing_statuses.iter().map(|status| at::STATUSES + status).collect();
        let before: Vec<u32> = columns.iter().map(|column| self.state.column(slot, *column)).collect();
        columns.iter().for_each(|column| self.state.set_column(slot, *column, 0));
        self.derived.mark_dirty(slot);
        let value = evaluate(self);
        columns.iter().zip(before).for_each(|(column, value)| self.state.set_column(slot, *column, value));
        self.derived.mark_dirty(slot);
        value
    }

    /// Returns whether an immediate ability uses its own object for free first, and no play can use that object: its price would be paid for
    /// nothing (CR 101.2, 702.143a).
    fn uses_own_object_in_vain(&mut self, play: &Play, object: ObjectRef, player: usize) -> bool {
        let Some(by) = self.free_use_of_own_object(play) else { return false };
        let how = UseRequest { by, extra_args: &[], free: true };
        let can_use = |machine: &mut Self| machine.play_for_effect(object, player, how).is_some();
        let possible = if play.while_concealed { self.while_unconcealed(object, can_use) } else { can_use(self) };
        !possible
    }

    /// Returns the play that an immediate ability names where it uses its own object for free, before anything but writes; `None` if it does not.
    fn free_use_of_own_object(&self, play: &Play) -> Option<Option<PlayId>> {
        let mut ops = self.program.function(play.body).filter(|_| play.immediate)?.ops.iter();
        match ops.find(|op| !matches!(op.class(), OpClass::Pure | OpClass::PureOfSource) && !matches!(op, Op::Write { .. }))? {
            Op::Use { object: 0, by, args, free: true, .. } if args.is_empty() => Some(*by),
            _ => None,
        }
    }

    /// Evaluates something while a boolean status of an object is set, and restores the status.
    pub(crate) fn with_status<T>(&mut self, object: ObjectRef, status: Option<u16>, evaluate: impl FnOnce(&mut Self) -> T) -> T {
        let Some(column) = status.map(|status| at::STATUSES + usize::from(status)) else { return evaluate(self) };
        let before = self.state.column(object.slot(), column);
        self.state.set_column(object.slot(), column, 1);
        self.derived.mark_dirty(object.slot());
        let value = evaluate(self);
        self.state.set_column(object.slot(), column, before);
        self.derived.mark_dirty(object.slot());
        value
    }

    /// Evaluates something while an object shows a face (0: its current one), and restores the face.
    pub(crate) fn with_face<T>(&mut self, object: ObjectRef, face: u32, evaluate: impl FnOnce(&mut Self) -> T) -> T {
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

    /// Returns the faces with which a play can use an object: single faces if the object goes to the list from outside of the
    /// field, else 0.
    pub(crate) fn usable_faces(&self, play: &Play, object: ObjectRef) -> RangeInclusive<u32> {
        let in_field =
            self.state.zone(object.slot()).is_some_and(|zone| Some(self.program.layout.kind(zone)) == self.program.field);
        if play.immediate || in_field || play.announced.is_some() {
            return 0..=0;
        }
        self.program.faces(self.state.column(object.slot(), at::DEFINITION))
    }

    /// Returns the objects that a play of the format could use.
    fn objects_for_play(&mut self, play: &Play, player: usize) -> Vec<ObjectRef> {
        let program = Arc::clone(&self.program);
        let mut objects = Vec::new();
        for zone in &play.from {
            let Some(instance) = program.zone_instance(zone.index(), player) else { continue };
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

    /// Returns why a player cannot announce a play now; `None` if it is legal.
    pub fn refusal(&mut self, code: u32, play: &Play, object: ObjectRef, player: usize) -> Option<Obstacle> {
        self.refusal_of(code, play, object, player, false)
    }

    /// As [`Machine::refusal`]. `applies` says that the print of the object already proves that the play accepts it.
    fn refusal_of(&mut self, code: u32, play: &Play, object: ObjectRef, player: usize, applies: bool) -> Option<Obstacle> {
        if code >= ABILITY_PLAY {
            let works_concealed = !play.while_concealed || self.abilities_while_concealed(object).contains(&code);
            if !works_concealed || !self.is_in_zone_of_ability(code, object) || self.controller(object) != player as i64 {
                return Some(Obstacle::Permission(code));
            }
        }
        self.refusal_if_active(code, play, object, player, applies)
    }

    /// Returns whether an object is in a zone in which an activated ability works.
    fn is_in_zone_of_ability(&self, code: u32, object: ObjectRef) -> bool {
        let ability = self.program.library.abilities.get((code - ABILITY_PLAY) as usize);
        ability.is_some_and(|ability| self.state.is_in_zone_kinds(&self.program, object.slot(), ability.zones))
    }

    /// As [`Machine::refusal_of`], for a play of the format, or for an activated ability of the player that is known to work.
    fn refusal_if_active(&mut self, code: u32, play: &Play, object: ObjectRef, player: usize, applies: bool) -> Option<Obstacle> {
        let seat = player as i64;
        if !applies && play.object_filter.is_some_and(|applies| !self.test(applies, &[object.value(), seat])) {
            return Some(Obstacle::Permission(code));
        }
        self.with_status(object, play.announced, |machine| machine.refusal_as_announced(code, play, object, player))
    }

    /// Second half of [`Machine::refusal`]: runs for an object that the play accepts, while its announced status is set.
    fn refusal_as_announced(&mut self, code: u32, play: &Play, object: ObjectRef, player: usize) -> Option<Obstacle> {
        let seat = player as i64;
        // Values that its cost will store are not known yet and count as 0.
        let mut args = [0; MAX_ARGUMENTS];
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
        if code >= ABILITY_PLAY && self.uses_own_object_in_vain(play, object, player) {
            return Some(Obstacle::Permission(code));
        }
        if !self.is_payable_somehow(code, play, object, player, args, false) {
            return Some(Obstacle::Cost(code));
        }
        if let Some(reason) = self.unmet_need_of(play, object, player) {
            return Some(reason);
        }
        if self.program.format.announce.requires_choices && !self.has_choices(code, play, object, player) {
            return Some(Obstacle::NoChoice(code));
        }
        None
    }

    /// Returns what forbids the actions that the texts of a play need; `None` if one of several texts can be done.
    fn unmet_need_of(&mut self, play: &Play, object: ObjectRef, player: usize) -> Option<Obstacle> {
        if self.program.format.announce.needs.is_empty() {
            return None;
        }
        let known = Args::from_slice(&[object.value(), player as i64]);
        let mut reason = None;
        for text in self.texts_of(play, object) {
            reason = Some(self.unmet_need(text, &known, false)?);
        }
        reason
    }

    /// Returns why a player cannot announce a play, for scenarios and user interfaces. For several faces, the reason of the first
    /// one if all are refused.
    pub fn why_not(&mut self, code: u32, object: ObjectRef, player: usize) -> Option<Obstacle> {
        let program = Arc::clone(&self.program);
        let play = program.play(code)?;
        let in_place = code >= ABILITY_PLAY || play.nowhere || self.objects_for_play(play, player).contains(&object);
        if !in_place {
            return Some(Obstacle::Permission(code));
        }
        let mut why = None;
        for face in self.usable_faces(play, object) {
            why = why.or(Some(self.with_face(object, face, |machine| machine.refusal(code, play, object, player))?));
        }
        why
    }
}

fn is_offered_in(window: &WindowRules, play: &Play, paying: bool) -> bool {
    if paying {
        return play.during_payment;
    }
    window.plays.is_empty() || window.plays.iter().any(|name| *name == play.name || play.classes.contains(name))
}
