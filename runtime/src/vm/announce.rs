//! Announcements: using an object in the stages that the format declares, which pay costs, move it to the list, and make its
//! announced choices.
//!
//! An announcement that can be abandoned keeps a mark: a copy of the state that abandoning restores. A random number or a reveal is a
//! barrier: from then on the mark is the state just after it, with the announcement rolled back (CR 733).

use super::choices::ChoiceReason;
use super::decision::{Decision, DecisionKind};
use super::inline_vecs::{Args, InlineWords};
use crate::ir::ObjectRef;
use crate::ir::op::{Place, WriteMode};
use crate::ir::verbs::{ANNOUNCE, CHOSEN};
use crate::ir::{AbilityId, AbilityKind, AnnounceStage, ChoiceSiteId, FnId, NO_PLAYER, Op, Play, PlayId, Type, cause};
use crate::program::Program;
use crate::records::TRIGGER_CODE;
use crate::records::frame::{KIND, announce, kind, pay, resolve, window};
use crate::records::{
    ENTRY_EXTRAS, ENTRY_KEPT_ABILITIES, ENTRY_KIND, ENTRY_OPTIONS, ENTRY_ORIGIN, ENTRY_PARAGRAPHS, ENTRY_PLAY, ENTRY_RESOLVING,
    ENTRY_SOURCE, ENTRY_USER, ENTRY_WORDS, entry_kind,
};
use crate::state::block::Handle;
use crate::state::layout as at;
use crate::tables::ABILITY_PLAY;
use crate::vm::commit_segment::EffectContext;
use crate::vm::decision::picked_words;
use crate::vm::machine::{Machine, Record};
use smallvec::SmallVec;
use std::sync::Arc;

/// The functions of an object's text paragraphs.
pub(crate) type Paragraphs = SmallVec<[FnId; 4]>;

/// Flags of an announce frame.
mod flag {
    /// The announcement has no price.
    pub const FREE: u32 = 1;
    /// A mark was taken for it.
    pub const MARKED: u32 = 2;
    /// A part of its cost did not happen.
    pub const UNPAID: u32 = 4;
}

/// Flag of an announce frame: new targets are chosen for an object that is on the list already.
pub(super) const REANNOUNCED: u32 = 8;

/// Bits of the flags from this one on hold the player who changes the targets, plus one.
pub(super) const CHANGER_SHIFT: u32 = 8;

/// An effect's request to use an object.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct UseRequest<'a> {
    /// The play that the effect names.
    pub by: Option<PlayId>,
    /// The extra arguments that the effect passes to the play.
    pub extra_args: &'a [i64],
    /// The use is free of its price.
    pub free: bool,
}

impl Machine {
    fn new_entry(&mut self, kind: u32, play: u32, user: usize, source: ObjectRef) -> Handle {
        let entry = self.state.block.alloc(ENTRY_WORDS);
        self.set(entry + ENTRY_KIND, kind);
        self.set(entry + ENTRY_PLAY, play);
        self.set(entry + ENTRY_USER, user as u32);
        self.set(entry + ENTRY_SOURCE, source.0);
        entry
    }

    fn add_paragraph(&mut self, entry: Handle, function: FnId, args: &[u32]) {
        let count = self.program.function(function).map_or(0, |f| f.registers.len());
        let registers = self.state.block.alloc(count.max(1));
        for (i, arg) in args.iter().enumerate().take(count) {
            self.set(registers + i, *arg);
        }
        self.write_text_slots(function, registers);
        self.state.block.extend(entry + ENTRY_PARAGRAPHS, &[function.0, registers as u32]);
    }

    /// Frees an entry, unless it is being resolved.
    pub(crate) fn release_entry(&mut self, entry: Handle) {
        if entry != 0 && self.word(entry + ENTRY_RESOLVING) == 0 {
            self.free_entry(entry);
        }
    }

    /// Frees an entry, even while it is being resolved.
    pub(crate) fn free_entry(&mut self, entry: Handle) {
        if entry == 0 {
            return;
        }
        let paragraphs = self.state.block.list(entry + ENTRY_PARAGRAPHS).to_vec();
        for pair in paragraphs.chunks(2) {
            let &[function, registers] = pair else { continue };
            self.free_registers(FnId(function), registers as usize);
            self.state.block.free(registers as usize);
        }
        self.state.block.clear(entry + ENTRY_PARAGRAPHS);
        self.state.block.clear(entry + ENTRY_EXTRAS);
        self.state.block.clear(entry + ENTRY_OPTIONS);
        self.state.block.clear(entry + ENTRY_KEPT_ABILITIES);
        self.state.block.free(entry);
    }

    /// Returns the paragraphs of an object's text in printed order; gained ones come last.
    pub(crate) fn paragraphs_of(&mut self, object: ObjectRef) -> Paragraphs {
        let program = Arc::clone(&self.program);
        let (world, _) = self.world();
        let printed =
            world.definition(object).and_then(|d| program.definition_bundles.get(d as usize)).map_or(&[][..], Vec::as_slice);
        let mut units: InlineWords = printed.iter().copied().filter(|u| world.has_bundle(object, *u)).collect();
        units.extend(world.bundles_of(object).filter(|u| !printed.contains(u)));
        units
            .iter()
            .filter_map(|u| program.bundles.get(*u as usize))
            .filter_map(|u| program.format.bundles.get(u.index()))
            .flat_map(|u| &u.abilities)
            .filter_map(|a| match program.library.abilities.get(a.index()).map(|a| &a.kind) {
                Some(AbilityKind::Paragraph { body }) => Some(*body),
                _ => None,
            })
            .collect()
    }

    /// Begins to announce a play. `extra_args` are the extra arguments that an effect passes.
    pub(crate) fn announce_play(
        &mut self,
        code: u32,
        object: ObjectRef,
        face: u32,
        user: usize,
        free: bool,
        extra_args: &[i64],
    ) -> Handle {
        let program = Arc::clone(&self.program);
        let Some(play) = program.play(code) else { return 0 };
        let markable = !free && (program.has_plays_while_paying || self.state.marks.is_empty() && play.price.is_some());
        if markable {
            self.advance_mark();
            let copy = self.state.block.clone();
            self.state.marks.push(copy);
            self.set(at::BARRIER, 0);
        }
        if face != 0 {
            self.state.set_column(object.slot(), at::FACE, face);
            self.derived.mark_dirty(object.slot());
        }
        if let Some(status) = play.announced {
            self.state.set_column(object.slot(), at::STATUSES + usize::from(status), 1);
            self.derived.mark_dirty(object.slot());
        }
        let kind = if code >= ABILITY_PLAY { entry_kind::ABILITY } else { entry_kind::PLAY };
        let entry = self.new_entry(kind, code, user, object);
        self.record_use_key(entry, code, object, user);
        let mut extras: Vec<u32> = extra_args.iter().map(|value| *value as u32).collect();
        extras.resize(play.extra_params.len(), 0);
        self.state.block.replace(entry + ENTRY_EXTRAS, &extras);
        if play.runs_text {
            for body in self.paragraphs_of(object) {
                self.add_paragraph(entry, body, &[object.0, user as u32]);
            }
        } else if !play.immediate {
            let args: Vec<u32> = [object.0, user as u32].into_iter().chain(extras).collect();
            self.add_paragraph(entry, play.body, &args);
        }
        if free && kind == entry_kind::PLAY && !play.immediate && self.has_values_stage() {
            self.state.block.extend(entry + ENTRY_OPTIONS, &[super::cost_options::FREE, 1]);
        }
        let frame = self.push_frame(kind::ANNOUNCE, announce::WORDS);
        self.set(frame + announce::PLAY, code);
        self.set(frame + announce::OBJECT, object.0);
        self.set(frame + announce::USER, user as u32);
        self.set(frame + announce::ENTRY, entry as u32);
        let flags = if free { flag::FREE } else { 0 } | if markable { flag::MARKED } else { 0 };
        self.set(frame + announce::FLAGS, flags);
        let origin = self.state.zone(object.slot()).map_or(0, |z| z as u32 + 1);
        self.set(frame + announce::ORIGIN, origin);
        self.set(entry + ENTRY_ORIGIN, origin);
        frame
    }

    /// Begins to announce a waiting trigger.
    pub(crate) fn announce_trigger(&mut self, ability: AbilityId, source: ObjectRef, controller: i64, args: &[u32]) {
        let program = Arc::clone(&self.program);
        let Some(AbilityKind::Triggered { body, .. }) = program.library.abilities.get(ability.index()).map(|a| &a.kind) else {
            return;
        };
        let user = self.seat(controller);
        let entry = self.new_entry(entry_kind::TRIGGER, ability.0, user, source);
        self.record_use_key(entry, ability.0 | TRIGGER_CODE, source, user);
        let mut all = vec![source.0, user as u32];
        all.extend_from_slice(args);
        self.add_paragraph(entry, *body, &all);
        let frame = self.push_frame(kind::ANNOUNCE, announce::WORDS);
        self.set(frame + announce::PLAY, u32::MAX);
        self.set(frame + announce::OBJECT, source.0);
        self.set(frame + announce::USER, user as u32);
        self.set(frame + announce::ENTRY, entry as u32);
        self.set(frame + announce::FLAGS, flag::FREE);
    }

    /// Returns the arguments of a play's functions: the object, the player, its extra arguments.
    pub(crate) fn play_args(&self, entry: Handle, object: ObjectRef, user: usize) -> Args {
        let extras = self.state.block.list(entry + ENTRY_EXTRAS).iter().map(|word| i64::from(*word as i32));
        [object.value(), user as i64].into_iter().chain(extras).collect()
    }

    /// Stores a value that the cost of the current announcement computed, as an extra argument of its play.
    pub(crate) fn store_cost_result(&mut self, slot: usize, value: u32) {
        let frames = self.state.block.list(at::FRAMES);
        let Some(frame) = frames.iter().rev().map(|f| *f as usize).find(|f| self.word(f + KIND) == kind::ANNOUNCE) else {
            return;
        };
        let entry = self.word(frame + announce::ENTRY) as usize;
        self.state.block.overwrite(entry + ENTRY_EXTRAS, slot, &[value]);
        let code = self.word(frame + announce::PLAY);
        if code == u32::MAX || self.program.play(code).is_none_or(|play| play.runs_text) {
            return;
        }
        if let Some(&[function, registers]) = self.state.block.list(entry + ENTRY_PARAGRAPHS).get(..2)
            && self.program.function(FnId(function)).is_some_and(|f| f.registers.len() > slot + 2)
        {
            self.set(registers as usize + slot + 2, value);
        }
    }

    /// Marks the current announcement or declaration as unpaid: a part of its cost did not happen.
    pub(crate) fn fail_cost(&mut self) {
        let frames: InlineWords = InlineWords::from_slice(self.state.block.list(at::FRAMES));
        // The costs that a copy of the machine tries to pay have no announcement.
        let tried = self.scratch.tries_costs_from.saturating_sub(1);
        for frame in frames.iter().skip(tried).rev().map(|frame| *frame as Handle) {
            if self.word(frame + KIND) == kind::ANNOUNCE {
                let flags = self.word(frame + announce::FLAGS);
                self.set(frame + announce::FLAGS, flags | flag::UNPAID);
                return;
            }
            if self.fail_declaration(frame) {
                return;
            }
        }
        self.scratch.has_failed_cost |= self.scratch.tries_costs_from > 0;
    }

    /// Lets an effect use an object, without permission, by the play it names or else by the first play that accepts the object.
    /// `free` waives the price.
    pub(crate) fn use_object(
        &mut self,
        object: ObjectRef,
        user: i64,
        how: UseRequest<'_>,
        report: Handle,
        register: Option<u16>,
    ) {
        let user = self.seat(user);
        let Some((code, face)) = self.play_for_effect(object, user, how) else { return };
        self.announce_play(code, object, face, user, how.free, how.extra_args);
        if let Some(register) = register {
            self.report(report, Some((register, true)), None);
        }
    }

    /// Returns the play by which an effect can use an object, and the face; `None` if there is none.
    pub(super) fn play_for_effect(&mut self, object: ObjectRef, user: usize, how: UseRequest<'_>) -> Option<(u32, u32)> {
        if !self.state.exists(object) {
            return None;
        }
        let program = Arc::clone(&self.program);
        let faces = self.faces_for_effect(object);
        program.format.plays.iter().enumerate().find_map(|(code, play)| {
            let named = how.by.is_some_and(|by| by.index() == code);
            let other = play.during_payment
                || play.nowhere
                || play.effect_params != 0
                || play.object_filter.is_none()
                || play.announced.is_some();
            if !named && (how.by.is_some() || other) {
                return None;
            }
            let can_use = |face: &u32| self.with_face(object, *face, |machine| machine.can_use_by(code, play, object, user, how));
            faces.iter().copied().find(can_use).map(|face| (code as u32, face))
        })
    }

    /// Returns the faces with which an effect can use an object. A trigger that uses its own card uses a face that has the
    /// trigger.
    fn faces_for_effect(&self, object: ObjectRef) -> Vec<u32> {
        let program = &self.program;
        let definition = self.state.column(object.slot(), at::DEFINITION);
        let all: Vec<u32> = program.faces(definition).collect();
        let frames = self.state.block.list(at::FRAMES);
        let entry = frames.iter().rev().map(|frame| *frame as usize).find(|frame| self.word(frame + KIND) == kind::RESOLVE);
        let Some(entry) = entry.map(|frame| self.word(frame + resolve::ENTRY) as usize).filter(|_| all.len() > 1) else {
            return all;
        };
        if self.word(entry + ENTRY_KIND) != entry_kind::TRIGGER || ObjectRef(self.word(entry + ENTRY_SOURCE)) != object {
            return all;
        }
        let ability = AbilityId(self.word(entry + ENTRY_PLAY));
        let has = |face: &u32| {
            let units = program
                .definition_bundles
                .get(program.shown_definition(definition, *face, None) as usize)
                .map_or(&[][..], Vec::as_slice);
            let units = units.iter().filter_map(|unit| program.format.bundles.get(program.bundles.get(*unit as usize)?.index()));
            units.into_iter().any(|unit| unit.abilities.contains(&ability))
        };
        let those: Vec<u32> = all.iter().copied().filter(has).collect();
        if those.is_empty() { all } else { those }
    }

    /// Returns whether an effect can use an object by a play.
    fn can_use_by(&mut self, code: usize, play: &Play, object: ObjectRef, user: usize, how: UseRequest<'_>) -> bool {
        let args = [object.value(), user as i64];
        let applies = play.object_filter.is_none_or(|applies| self.test(applies, &args));
        applies && self.with_status(object, play.announced, |machine| machine.can_use_as_announced(code, play, object, user, how))
    }

    /// Second half of [`Machine::can_use_by`]: runs for an object that the play accepts, while its announced status is set.
    fn can_use_as_announced(&mut self, code: usize, play: &Play, object: ObjectRef, user: usize, how: UseRequest<'_>) -> bool {
        let mut args = vec![object.value(), user as i64];
        if how.by.is_some() && self.limit_reached(code as u32, object, user) {
            return false;
        }
        args.extend_from_slice(how.extra_args);
        args.resize(2 + play.extra_params.len(), 0);
        // An effect that names its play must fulfil the play's condition. Restrictions on the turn position do not bind effects.
        if how.by.is_some() && play.condition.is_some_and(|condition| !self.test(condition, &args)) {
            return false;
        }
        if play.cost_possible.is_some_and(|possible| !self.test(possible, &args)) {
            return false;
        }
        let announce_args = [user as i64, object.value(), code as i64];
        if self.forbidden(ANNOUNCE, &announce_args, [cause::EFFECT, object.value(), user as i64, NO_PLAYER]).is_some() {
            return false;
        }
        self.is_payable_somehow(code as u32, play, object, user, &args, how.free)
            // An effect cannot begin what lacks a target (CR 601.2c, 608.2g).
            && (!self.program.format.announce.requires_choices
                || self.has_choices_for_effect(code as u32, play, object, user, how))
    }

    pub(crate) fn resume_announce(&mut self, program: &Program, frame: Handle) {
        let stages: &[AnnounceStage] = if program.format.announce.stages.is_empty() {
            &[AnnounceStage::List, AnnounceStage::Choices, AnnounceStage::Pay]
        } else {
            &program.format.announce.stages
        };
        let stage = self.word(frame + announce::STAGE) as usize;
        let code = self.word(frame + announce::PLAY);
        let play = if code == u32::MAX { None } else { program.play(code) };
        let is_reannounced = self.word(frame + announce::FLAGS) & REANNOUNCED != 0;
        if is_reannounced && stages.get(stage) != Some(&AnnounceStage::Choices) {
            self.pop_frame();
            return;
        }
        match stages.get(stage) {
            Some(AnnounceStage::Pay) => self.stage_pay(frame, play),
            Some(AnnounceStage::List) => {
                self.set(frame + announce::STAGE, stage as u32 + 1);
                self.stage_list(frame, play);
            }
            Some(AnnounceStage::Values) => self.stage_values(frame, play),
            Some(AnnounceStage::Choices) => self.stage_choices(frame, stage),
            None if stage == stages.len() => {
                self.set(frame + announce::STAGE, stage as u32 + 1);
                self.finish_announcement(frame, play);
            }
            None => self.end_announce(frame, play),
        }
    }

    fn stage_pay(&mut self, frame: Handle, play: Option<&Play>) {
        let free = self.word(frame + announce::FLAGS) & flag::FREE != 0;
        // The card itself, or the object that has the activated ability (not the ability on the list).
        let entry = self.word(frame + announce::ENTRY) as usize;
        let object = ObjectRef(self.word(entry + ENTRY_SOURCE));
        let user = self.word(frame + announce::USER) as usize;
        let args = self.play_args(entry, object, user);
        let step = self.word(frame + announce::AWAITING);
        self.set(frame + announce::AWAITING, step + 1);
        let further = match (step.checked_sub(2), play) {
            (Some(number), Some(play)) => self.further_cost(play, entry, object, number as usize),
            _ => None,
        };
        match (step, play) {
            (0, Some(play)) => {
                let of_card = self.word(entry + ENTRY_KIND) == entry_kind::PLAY && !play.immediate && self.has_values_stage();
                if let Some(price) = play.price.filter(|_| !free || of_card) {
                    let units = self.items(price, &args);
                    if !units.is_empty() {
                        let pushed = self.push_frame(kind::PAY, pay::WORDS);
                        self.set(pushed + pay::PLAYER, user as u32);
                        self.set(pushed + pay::PAYMENT, play.payment.0);
                        self.state.block.extend(pushed + pay::UNITS, &units);
                        let marked = u32::from(self.word(frame + announce::FLAGS) & flag::MARKED != 0);
                        self.set(pushed + pay::MARKED, marked);
                        self.set(pushed + pay::OBJECT, object.0);
                        self.set(pushed + pay::FOR_ABILITY, u32::from(play.is_ability()));
                    }
                }
            }
            (1, Some(play)) => {
                if let Some(cost) = play.cost {
                    let behalf =
                        EffectContext { cause: cause::COST, source: object, player: user as i64, ..EffectContext::default() };
                    self.push_body(cost, &args, behalf);
                }
            }
            _ if further.is_some_and(|_| self.word(frame + announce::FLAGS) & flag::UNPAID == 0) => {
                if let Some(cost) = further {
                    let behalf =
                        EffectContext { cause: cause::COST, source: object, player: user as i64, ..EffectContext::default() };
                    self.push_body(cost, &[object.value(), user as i64], behalf);
                }
            }
            _ if self.word(frame + announce::FLAGS) & flag::UNPAID != 0 => {
                if self.word(frame + announce::FLAGS) & flag::MARKED != 0 {
                    self.abandon();
                } else {
                    self.drop_announcement(frame, entry);
                }
            }
            _ => {
                self.set(frame + announce::AWAITING, 0);
                let stage = self.word(frame + announce::STAGE);
                self.set(frame + announce::STAGE, stage + 1);
            }
        }
    }

    /// Moves the card to the list, or creates an object there for an ability.
    fn stage_list(&mut self, frame: Handle, play: Option<&Play>) {
        let program = Arc::clone(&self.program);
        let entry = self.word(frame + announce::ENTRY) as usize;
        let object = ObjectRef(self.word(frame + announce::OBJECT));
        let user = self.word(frame + announce::USER) as usize;
        let Some(list) = program.list else { return };
        if play.is_some_and(|p| p.immediate) {
            return;
        }
        let is_card = self.word(entry + ENTRY_KIND) == entry_kind::PLAY;
        let unlisted =
            self.word(entry + ENTRY_KIND) == entry_kind::TRIGGER && self.is_off_list(AbilityId(self.word(entry + ENTRY_PLAY)));
        if !is_card && (!program.format.timing.uses_list || unlisted) {
            return;
        }
        let mut kinds = None;
        let placed = if is_card {
            if object.is_none() {
                return;
            }
            // The announcement's own move reveals nothing that a rollback would have to respect, so it sets no barrier.
            let (barrier, disclosures) = (self.word(at::BARRIER), self.disclosures);
            let had = self.price_abilities(object);
            let written = self.statuses_of_cost(play, object);
            kinds = self.kinds_of_move(object, list as i64);
            let moved = self.move_with(&program, object, list, Some(user), false, (0, play.and_then(|play| play.announced)));
            self.set(at::BARRIER, barrier);
            self.disclosures = disclosures;
            let Some(moved) = moved else {
                // The payment moved the card away, so there is nothing left to use.
                self.drop_announcement(frame, entry);
                return;
            };
            let paragraphs = self.state.block.list(entry + ENTRY_PARAGRAPHS).to_vec();
            for pair in paragraphs.chunks(2) {
                if let &[function, registers] = pair {
                    self.set(registers as usize, moved.0);
                    self.write_text_slots(FnId(function), registers as usize);
                }
            }
            self.set(entry + ENTRY_SOURCE, moved.0);
            self.extend_effects(object, moved);
            for (status, value) in written {
                self.write(Place::Status(status), moved.value(), WriteMode::Set, value);
            }
            if !had.is_empty() {
                let has = self.price_abilities(moved);
                let lost: InlineWords = had.iter().filter(|ability| !has.contains(ability)).map(|ability| ability.0).collect();
                self.state.block.extend(entry + ENTRY_KEPT_ABILITIES, &lost);
            }
            moved
        } else {
            let Some(made) = self.state.new_object(&program, 0, user) else {
                self.exceed(crate::vm::budgets::Budget::Objects);
                return;
            };
            self.state.put_into_zone(&program, made.slot(), list, false);
            let stamp = self.state.take_timestamp();
            self.state.set_column(made.slot(), at::ENTERED_AT, stamp);
            self.derived.mark_dirty(made.slot());
            // A concealed source of an ability on the list is shown.
            let source = ObjectRef(self.word(entry + ENTRY_SOURCE));
            self.show_source(source);
            made
        };
        match kinds {
            Some(kinds) => self.record_move(kinds),
            None => self.record_object_change(),
        }
        self.state.set_column(placed.slot(), at::ENTRY, entry as u32);
        self.set(frame + announce::OBJECT, placed.0);
    }

    /// Returns the statuses of an object that the numbers and the cost of its play write to it, with their values. Where the cost is paid before
    /// the object moves to the list, they pass to the object there.
    fn statuses_of_cost(&self, play: Option<&Play>, object: ObjectRef) -> Vec<(u16, i64)> {
        let costs = play.into_iter().flat_map(|play| [play.numbers, play.cost]).flatten();
        let mut written: Vec<u16> = Vec::new();
        for op in costs.filter_map(|cost| self.program.function(cost)).flat_map(|cost| &cost.ops) {
            if let Op::Write { place: Place::Status(status), of: 0, .. } = op
                && !written.contains(status)
            {
                written.push(*status);
            }
        }
        let value = |status: &u16| self.state.block.int(self.state.cell(object.slot(), at::STATUSES + usize::from(*status)));
        written.iter().map(|status| (*status, value(status))).filter(|(_, value)| *value != 0).collect()
    }

    fn is_off_list(&self, ability: AbilityId) -> bool {
        let kind = self.program.library.abilities.get(ability.index()).map(|a| &a.kind);
        matches!(kind, Some(AbilityKind::Triggered { off_list: true, .. }))
    }

    fn drop_announcement(&mut self, frame: Handle, entry: Handle) {
        if self.word(frame + announce::FLAGS) & flag::MARKED != 0 {
            self.state.marks.pop();
        }
        self.free_entry(entry);
        self.pop_frame();
    }

    /// Returns the first announced choice of a paragraph from operation `from` on: operation, choice site, destination register.
    pub(crate) fn next_announced_choice(
        &self,
        function: FnId,
        registers: Handle,
        from: usize,
    ) -> Option<(usize, ChoiceSiteId, u16)> {
        super::announced_choices::next_choice(&self.program, &self.state, function, registers, from)
    }

    fn stage_choices(&mut self, frame: Handle, stage: usize) {
        let entry = self.word(frame + announce::ENTRY) as usize;
        let index = self.word(frame + announce::PARAGRAPH) as usize;
        let paragraphs = self.state.block.list(entry + ENTRY_PARAGRAPHS).to_vec();
        let Some(&[function, registers]) = paragraphs.chunks(2).nth(index) else {
            self.set(frame + announce::STAGE, stage as u32 + 1);
            self.set(frame + announce::PARAGRAPH, 0);
            self.set(frame + announce::PC, 0);
            return;
        };
        let (function, registers) = (FnId(function), registers as usize);
        let from = self.word(frame + announce::PC) as usize;
        let Some((pc, site, dst)) = self.next_announced_choice(function, registers, from) else {
            self.set(frame + announce::PARAGRAPH, index as u32 + 1);
            self.set(frame + announce::PC, 0);
            return;
        };
        if self.word(frame + announce::AWAITING) != 0 {
            self.set(frame + announce::AWAITING, 0);
            if self.pending_decision().kind == super::decision::DecisionKind::Divide {
                let shares = self.take_shares();
                self.state.block.replace(registers + usize::from(dst), &shares);
                self.set(frame + announce::PC, pc as u32 + 1);
                return;
            }
            let (choices, _) = self.take_answer();
            let mut items = picked_words(&choices, self.candidate_type_at(site));
            if self.program.library.sites.get(site.index()).is_some_and(|s| s.modes.is_some()) {
                items.sort_unstable();
            }
            if self.word(frame + announce::FLAGS) & REANNOUNCED != 0 {
                let before = self.state.block.list(registers + usize::from(dst)).to_vec();
                self.keep_division(function, registers, self.candidate_type_at(site), &before, &items);
            }
            self.state.block.replace(registers + usize::from(dst), &items);
            self.set(frame + announce::PC, pc as u32 + 1);
            if self.is_hooked(CHOSEN) {
                let source = ObjectRef(self.word(registers)).value();
                let user = i64::from(self.word(frame + announce::USER));
                let chooser = match self.program.library.sites.get(site.index()).map(|site| site.chooser) {
                    Some(crate::ir::Chooser::Player(reg)) => self.state.block.int(registers + usize::from(reg)),
                    _ => user,
                };
                let kind = self.entry_cause(entry);
                let waiting = self.announced_object(frame);
                self.propose_chosen_events(site, &choices, waiting, [kind, source, user, chooser]);
            } else {
                self.record_unobserved_choice(&choices);
            }
            return;
        }
        let user = i64::from(self.word(frame + announce::USER));
        let kind = self.entry_cause(entry);
        let why = ChoiceReason { kind, waiting: self.announced_object(frame) };
        let mut decision = self.site_decision(function, registers, site, user, why);
        if let Some(decision) = &mut decision {
            self.retain_legal_modes(decision, (function, site), ObjectRef(self.word(registers)).value(), why.waiting);
        }
        let changed_by = (self.word(frame + announce::FLAGS) >> CHANGER_SHIFT).checked_sub(1);
        let is_reannounced = self.word(frame + announce::FLAGS) & REANNOUNCED != 0;
        let decision = if is_reannounced {
            decision.and_then(|it| self.other_targets(it, site, registers, dst, changed_by))
        } else {
            decision
        };
        match decision {
            Some(decision)
                if !is_reannounced
                    && self.needs_targets(frame, entry, site)
                    && self.min_choices(function, registers, site) > decision.min =>
            {
                self.abandon();
            }
            Some(decision)
                if decision.kind == DecisionKind::Modes
                    && self.lacks_target(entry, site)
                    && self.min_choices(function, registers, site) > decision.min =>
            {
                self.drop_trigger(frame, entry);
            }
            Some(decision) if !decision.options.is_empty() && decision.max > 0 => {
                self.set(frame + announce::AWAITING, 1);
                self.show_candidates(&decision);
                self.ask(&decision);
            }
            _ if !is_reannounced && self.lacks_target(entry, site) && self.min_choices(function, registers, site) > 0 => {
                self.drop_trigger(frame, entry);
            }
            _ => self.set(frame + announce::PC, pc as u32 + 1),
        }
    }

    /// Returns the object on the list that is being announced; none if what is announced does not wait there.
    pub(super) fn announced_object(&self, frame: Handle) -> ObjectRef {
        let object = ObjectRef(self.word(frame + announce::OBJECT));
        let waits = self.state.exists(object) && self.state.zone(object.slot()) == self.program.list;
        if waits { object } else { ObjectRef::NONE }
    }

    /// Returns whether a choice site asks for explicit targets or modes, not for "any number" of them.
    fn requires_choice(&self, site: ChoiceSiteId) -> bool {
        self.program.library.sites.get(site.index()).is_some_and(|it| (it.target || it.modes.is_some()) && it.min.is_some())
    }

    /// Returns whether an announcement with a mark is illegal without its explicit targets or modes at a choice site (CR 601.2b, c, 733.1).
    fn needs_targets(&self, frame: Handle, entry: Handle, site: ChoiceSiteId) -> bool {
        self.program.format.announce.requires_choices
            && self.word(entry + ENTRY_KIND) != entry_kind::TRIGGER
            && self.word(frame + announce::FLAGS) & flag::MARKED != 0
            && self.requires_choice(site)
    }

    /// Returns whether a trigger needs explicit targets or modes at a choice site and the format announces nothing without targets.
    fn lacks_target(&self, entry: Handle, site: ChoiceSiteId) -> bool {
        self.program.format.announce.requires_choices
            && self.word(entry + ENTRY_KIND) == entry_kind::TRIGGER
            && self.requires_choice(site)
    }

    /// Removes a trigger that lacks a target from the list.
    fn drop_trigger(&mut self, frame: Handle, entry: Handle) {
        let object = ObjectRef(self.word(frame + announce::OBJECT));
        if !object.is_none() {
            self.state.set_column(object.slot(), at::ENTRY, 0);
            self.delete_from_list(object.slot());
        }
        self.drop_announcement(frame, entry);
    }

    /// Keeps the division when targets change: a new target takes the share of the one that it replaces (CR 115.7f).
    fn keep_division(&mut self, function: FnId, registers: Handle, of: Type, before: &[u32], after: &[u32]) {
        let thing = |item: &u32| if of == Type::Players { ObjectRef::of_player(*item as usize).0 } else { *item };
        let removed = before.iter().filter(|item| !after.contains(item)).map(thing);
        let added = after.iter().filter(|item| !before.contains(item)).map(thing);
        let changed: Vec<(u32, u32)> = removed.zip(added).collect();
        let program = Arc::clone(&self.program);
        for op in program.function(function).map_or(&[][..], |code| code.ops.as_slice()) {
            let Op::Divide { dst, .. } = op else { continue };
            let mut shares = self.state.block.list(registers + usize::from(*dst)).to_vec();
            for item in shares.iter_mut().step_by(2) {
                if let Some((_, to)) = changed.iter().find(|(from, _)| from == item) {
                    *item = *to;
                }
            }
            self.state.block.replace(registers + usize::from(*dst), &shares);
        }
    }

    /// Restricts a decision to a new choice for an announced object, of as many as there were: of targets, or of what else the format lets
    /// players choose on announcement.
    /// The earlier ones stay options (CR 115.7d), unless a player must change them to others (CR 115.7a). `None` for modes and divisions, or if
    /// there are too few others.
    fn other_targets(
        &self,
        mut decision: Decision,
        site: ChoiceSiteId,
        registers: Handle,
        dst: u16,
        changed_by: Option<u32>,
    ) -> Option<Decision> {
        let it = self.program.library.sites.get(site.index()).filter(|it| it.modes.is_none() && !it.divides)?;
        // Only what is chosen can be changed to another one; a word or number of a copy is chosen again.
        let is_chosen = matches!(it.candidate_type, Type::Objects | Type::Players | Type::Things);
        if changed_by.is_some() && !is_chosen {
            return None;
        }
        let before = self.state.block.list(registers + usize::from(dst));
        let was = super::choices::candidate_options(before, it.candidate_type);
        if let Some(player) = changed_by {
            decision.player = player as usize;
            decision.options.retain(|choice| !was.contains(choice));
            decision.min = before.len() as i64;
            decision.max = decision.min;
            return Some(decision).filter(|decision| decision.options.len() >= before.len());
        }
        for choice in was {
            if !decision.options.contains(&choice) {
                decision.options.push(choice);
            }
        }
        decision.min = before.len() as i64;
        decision.max = decision.min;
        Some(decision)
    }

    /// Returns the cause of an entry's events: an effect, or the rules if it is a play that runs no text.
    pub(crate) fn entry_cause(&self, entry: Handle) -> i64 {
        let of_rules = self.word(entry + ENTRY_KIND) == entry_kind::PLAY
            && self.program.play(self.word(entry + ENTRY_PLAY)).is_some_and(|play| !play.runs_text);
        if of_rules { cause::RULE } else { cause::EFFECT }
    }

    fn finish_announcement(&mut self, frame: Handle, play: Option<&Play>) {
        if self.word(frame + announce::FLAGS) & flag::MARKED != 0 {
            self.state.marks.pop();
            let flags = self.word(frame + announce::FLAGS) & !flag::MARKED;
            self.set(frame + announce::FLAGS, flags);
        }
        let entry = self.word(frame + announce::ENTRY) as usize;
        self.count_entry_use(entry);
        if play.is_none() {
            return;
        }
        let user = i64::from(self.word(frame + announce::USER));
        let object = ObjectRef(self.word(frame + announce::OBJECT)).value();
        let code = i64::from(self.word(frame + announce::PLAY));
        let args = [user, object, code];
        self.record_event();
        if self.is_hooked(ANNOUNCE) {
            self.propose_alone(ANNOUNCE, &args, [cause::RULE, object, user, NO_PLAYER]);
        } else {
            self.find_state_triggers();
            self.record(|| Record::Event {
                action: ANNOUNCE,
                args: args.to_vec(),
                cause: [cause::RULE, object, user, NO_PLAYER],
                happened: true,
            });
        }
    }

    fn end_announce(&mut self, frame: Handle, play: Option<&Play>) {
        let entry = self.word(frame + announce::ENTRY);
        let object = ObjectRef(self.word(frame + announce::OBJECT));
        let timing = self.program.format.timing;
        let inline = self.word(at::RESOLVING_COUNT) != 0 && !timing.nested_use_waits;
        let of_trigger = self.word(entry as usize + ENTRY_KIND) == entry_kind::TRIGGER;
        let unlisted = of_trigger && self.is_off_list(AbilityId(self.word(entry as usize + ENTRY_PLAY)));
        let now = play.is_some_and(|p| p.immediate) || unlisted || !timing.uses_list || self.program.list.is_none() || inline;
        self.pop_frame();
        if now {
            let pushed = self.push_frame(kind::RESOLVE, resolve::WORDS);
            self.set(pushed + resolve::OBJECT, object.0);
            self.set(pushed + resolve::ENTRY, entry);
        }
    }

    /// Abandons the current announcement by restoring its mark. Decisions answered since then still count for the budgets.
    pub(crate) fn abandon(&mut self) {
        let Some(mark) = self.state.marks.pop() else { return };
        let counted = [at::DECISIONS, at::TURN_DECISIONS].map(|word| (word, self.word(word)));
        self.state.block = mark;
        for (word, count) in counted {
            self.set(word, count);
        }
        self.derived.mark_all_dirty();
        self.producers.clear();
    }

    /// Moves all marks to the present if a barrier was set, that is, if chance or a reveal was part of a payment. Each mark
    /// becomes the current state with its announcement rolled back; enclosing announcements move theirs too.
    pub(crate) fn advance_mark(&mut self) {
        if self.word(at::BARRIER) == 0 || self.state.marks.is_empty() {
            return;
        }
        self.set(at::BARRIER, 0);
        let copy = self.state.block.clone();
        for index in (0..self.state.marks.len()).rev() {
            self.roll_back();
            if let Some(mark) = self.state.marks.get_mut(index) {
                mark.copy_from(&self.state.block);
            }
        }
        self.state.block = copy;
        self.derived.mark_all_dirty();
    }

    /// Rolls back the innermost announcement with a mark: drops its frames and returns its object to its previous zone.
    fn roll_back(&mut self) {
        while let Some(top) = self.state.top_frame() {
            let kind_of = self.word(top + KIND);
            if kind_of == kind::ANNOUNCE {
                let marked = self.word(top + announce::FLAGS) & flag::MARKED != 0;
                let user = self.word(top + announce::USER);
                self.roll_back_one(top);
                // The player who abandons acts again.
                if let Some(outer) = self.state.top_frame()
                    && self.word(outer + KIND) == kind::WINDOW
                {
                    self.set(outer + window::ACTOR, user);
                }
                if marked {
                    return;
                }
                continue;
            }
            if kind_of == kind::WINDOW || self.rewind_to_declaration(top) {
                return;
            }
            self.drop_frame(top);
        }
    }

    /// Rolls back the announcement on top: its object returns to its previous zone, or is deleted if it is an ability.
    pub(crate) fn roll_back_one(&mut self, frame: Handle) {
        let object = ObjectRef(self.word(frame + announce::OBJECT));
        let origin = self.word(frame + announce::ORIGIN);
        let entry = self.word(frame + announce::ENTRY) as usize;
        let on_list = self.program.list.is_some() && self.state.zone(object.slot()) == self.program.list;
        if on_list && self.state.column(object.slot(), at::ENTRY) as usize == entry {
            self.state.set_column(object.slot(), at::ENTRY, 0);
            if self.word(entry + ENTRY_KIND) == entry_kind::PLAY && origin != 0 {
                self.move_with(&Arc::clone(&self.program), object, origin as usize - 1, None, false, (0, None));
            } else {
                self.delete_from_list(object.slot());
            }
        }
        self.free_entry(entry);
        self.pop_frame();
    }
}
