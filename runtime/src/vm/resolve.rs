//! Resolution of objects on the list (CR 608): checks legality again, runs the text paragraph by paragraph, and lets objects
//! fizzle.

use crate::ir::ObjectRef;
use crate::ir::scenario::FizzledPart;
use crate::ir::verbs::{FIZZLE, RESOLVE, START_RESOLVING};
use crate::ir::{AbilityId, AbilityKind, FnId, NO_PLAYER, cause};
use crate::program::Program;
use crate::records::event::Event;
use crate::records::frame::{KIND, body, kind, paragraphs, resolve};
use crate::records::{ENTRY_KIND, ENTRY_PARAGRAPHS, ENTRY_PLAY, ENTRY_RESOLVING, ENTRY_SOURCE, ENTRY_USER, entry_kind};
use crate::state::block::Handle;
use crate::state::layout as at;
use crate::vm::choices::ChoiceReason;
use crate::vm::commit_segment::EffectContext;
use crate::vm::machine::{Machine, Record};
use smallvec::SmallVec;
use std::sync::Arc;

impl Machine {
    pub(crate) fn resume_resolve(&mut self, program: &Program, frame: Handle) {
        let entry = self.word(frame + resolve::ENTRY) as usize;
        let object = ObjectRef(self.word(frame + resolve::OBJECT));
        match self.word(frame + resolve::PHASE) {
            0 if entry == 0 => self.set(frame + resolve::PHASE, 1),
            0 => {
                self.set(frame + resolve::PHASE, 1);
                let depth = self.word(at::RESOLVING_COUNT) + 1;
                self.set(at::RESOLVING_COUNT, depth);
                self.set(entry + ENTRY_RESOLVING, 1);
                let code = self.word(entry + ENTRY_PLAY);
                let user = i64::from(self.word(entry + ENTRY_USER));
                let play = if self.word(entry + ENTRY_KIND) == entry_kind::TRIGGER { None } else { program.play(code) };
                match play {
                    Some(play) if play.runs_text || play.immediate => {
                        let cause = if play.runs_text { cause::EFFECT } else { cause::RULE };
                        let args = self.play_args(entry, object, user as usize);
                        self.push_body(
                            play.body,
                            &args,
                            EffectContext { cause, source: object, player: user, ..EffectContext::default() },
                        );
                    }
                    _ => {
                        self.push_paragraphs(entry, frame, false);
                    }
                }
            }
            1 => {
                self.set(frame + resolve::PHASE, 2);
                let depth = self.word(at::RESOLVING_COUNT).saturating_sub(1);
                self.set(at::RESOLVING_COUNT, depth);
                let current = self.state.current(object.slot());
                // An ability that resolves without waiting does not affect its source, which may be on the list itself.
                let on_list = !object.is_none()
                    && self.state.exists(object)
                    && self.state.zone(object.slot()) == self.program.list
                    && self.state.column(object.slot(), at::ENTRY) as usize == entry;
                if on_list && self.program.list.is_some() {
                    if self.state.column(object.slot(), at::DEFINITION) == 0 {
                        self.state.set_column(object.slot(), at::ENTRY, 0);
                        self.delete_from_list(object.slot());
                    } else if let Some(action) = program.remove_action() {
                        self.propose_alone(action, &[object.value()], [cause::RULE, 0, self.state.active() as i64, NO_PLAYER]);
                    }
                }
                let verb = if self.word(frame + resolve::FIZZLED) != 0 { FIZZLE } else { RESOLVE };
                let user = i64::from(self.word(entry + ENTRY_USER));
                let what = if on_list { ObjectRef(self.word(entry + ENTRY_SOURCE)) } else { current };
                let args = [what.value(), user, i64::from(self.word(entry + ENTRY_PLAY))];
                let args = args.get(..if verb == FIZZLE { 2 } else { 3 }).unwrap_or(&args);
                if self.is_hooked(verb) {
                    self.propose_alone(verb, args, [cause::RULE, 0, user, NO_PLAYER]);
                } else {
                    self.record_unobserved_event();
                    self.record(|| Record::Event {
                        action: verb,
                        args: args.to_vec(),
                        cause: [cause::RULE, 0, user, NO_PLAYER],
                        happened: true,
                    });
                }
            }
            _ => {
                if self.state.column(object.slot(), at::ENTRY) as usize == entry {
                    self.state.set_column(object.slot(), at::ENTRY, 0);
                }
                self.free_entry(entry);
                self.pop_frame();
            }
        }
    }

    /// Returns the object that a move of a resolving trigger is about, if the trigger looked back at the move of that object and names it as it
    /// was: the card where that move put it (CR 400.7, 603.10). `None` if it has moved since, if its zone is hidden, or for any other event.
    pub(crate) fn followed_object(&self, event: &Event) -> Option<ObjectRef> {
        let it = ObjectRef::from_value(event.args[0]);
        if !self.program.moves_first_object(event.action) || it.is_none() || self.state.exists(it) {
            return None;
        }
        // An action that looks back is about an object where it is in play: what has left is not destroyed once more.
        self.program.format.actions.get(event.action as usize).filter(|action| !action.looks_back)?;
        let mut frames = self.state.block.list(at::FRAMES).iter().rev().map(|frame| *frame as usize);
        let frame = frames.find(|frame| self.word(frame + KIND) == kind::PARAGRAPHS)?;
        let entry = self.word(frame + paragraphs::ENTRY) as usize;
        if self.word(entry + ENTRY_KIND) != entry_kind::TRIGGER {
            return None;
        }
        let ability = self.program.library.abilities.get(self.word(entry + ENTRY_PLAY) as usize)?;
        let AbilityKind::Triggered { pattern, body, .. } = &ability.kind else { return None };
        let function = self.program.function(*body).filter(|_| pattern.looks_back)?;
        let registers = *self.state.block.list(entry + ENTRY_PARAGRAPHS).get(1)? as usize;
        // The arguments of the event are behind the source and its controller.
        let mut given = function.registers.iter().take(usize::from(function.params)).enumerate().skip(2);
        given.any(|(register, ty)| ty.is_reference() && self.word(registers + register) == it.0).then_some(())?;
        Some(super::builtin_functions::current_reference(&self.state, &self.program, it)).filter(|it| !it.is_none())
    }

    fn push_paragraphs(&mut self, entry: Handle, resolve_frame: Handle, owned: bool) {
        let frame = self.push_frame(kind::PARAGRAPHS, paragraphs::WORDS);
        self.set(frame + paragraphs::ENTRY, entry as u32);
        self.set(frame + paragraphs::RESOLVE, resolve_frame as u32);
        self.set(frame + paragraphs::OWNED, u32::from(owned));
    }

    /// Runs the paragraphs of an object's text: the announced ones if the object is resolving, else its current ones.
    pub(crate) fn run_text(&mut self, object: ObjectRef) {
        let frames = self.state.block.list(at::FRAMES).to_vec();
        let resolving = frames.iter().rev().map(|f| *f as usize).find(|f| {
            self.word(f + KIND) == kind::RESOLVE
                && ObjectRef(self.word(f + resolve::OBJECT)).slot() == object.slot()
                && self.word(self.word(f + resolve::ENTRY) as usize + ENTRY_KIND) == entry_kind::PLAY
        });
        if let Some(frame) = resolving {
            let entry = self.word(frame + resolve::ENTRY) as usize;
            self.push_paragraphs(entry, frame, false);
            return;
        }
        let user = self.controller(object);
        let user = self.seat(user) as u32;
        let entry = self.state.block.alloc(crate::records::ENTRY_WORDS);
        self.set(entry + ENTRY_KIND, entry_kind::PLAY);
        self.set(entry + ENTRY_USER, user);
        self.set(entry + ENTRY_SOURCE, object.0);
        for function in self.paragraphs_of(object) {
            let count = self.program.function(function).map_or(0, |f| f.registers.len());
            let registers = self.state.block.alloc(count.max(1));
            self.set(registers, object.0);
            self.set(registers + 1, user);
            self.write_text_slots(function, registers);
            self.state.block.extend(entry + ENTRY_PARAGRAPHS, &[function.0, registers as u32]);
        }
        self.push_paragraphs(entry, 0, true);
    }

    pub(crate) fn resume_paragraphs(&mut self, frame: Handle) {
        let entry = self.word(frame + paragraphs::ENTRY) as usize;
        let owned = self.word(frame + paragraphs::OWNED) != 0;
        if self.word(frame + paragraphs::CHECKED) == 0 {
            self.set(frame + paragraphs::CHECKED, 1);
            if !owned && (!self.condition_still_holds(entry) || self.fizzles_whole(entry)) {
                self.mark_fizzled(frame);
                self.drop_frames_above(self.word(frame + paragraphs::RESOLVE) as usize);
                return;
            }
            if !owned && !self.start_resolving(frame, entry) {
                return;
            }
        }
        let index = self.word(frame + paragraphs::INDEX) as usize;
        let pairs = self.state.block.list(entry + ENTRY_PARAGRAPHS).to_vec();
        let Some(&[function, registers]) = pairs.chunks(2).nth(index) else {
            if !owned && self.word(frame + paragraphs::RAN) == 0 && !pairs.is_empty() {
                self.mark_fizzled(frame);
            }
            if owned {
                self.free_entry(entry);
            }
            self.pop_frame();
            return;
        };
        self.set(frame + paragraphs::INDEX, index as u32 + 1);
        let (function, registers) = (FnId(function), registers as usize);
        let resolving = self.word(frame + paragraphs::RESOLVE) as usize;
        if resolving != 0 && self.word(resolving + resolve::OBJECT) == self.word(entry + ENTRY_SOURCE) {
            // The text of a card on the list may have changed meanwhile. An ability keeps its text (CR 113.7a, 612.1).
            self.write_text_slots(function, registers);
        }
        if !owned && !self.program.format.announce.fizzle_whole && self.fizzles_in_part(entry, function, registers) {
            let source = ObjectRef(self.word(entry + ENTRY_SOURCE));
            self.record(|| Record::FizzledPart { source, part: FizzledPart::Paragraph(index as u32) });
            return;
        }
        let ran = self.word(frame + paragraphs::RAN) + 1;
        self.set(frame + paragraphs::RAN, ran);
        let source = ObjectRef(self.word(entry + ENTRY_SOURCE));
        let player = i64::from(self.word(entry + ENTRY_USER));
        let pushed =
            self.push_body(function, &[], EffectContext { cause: cause::EFFECT, source, player, ..EffectContext::default() });
        self.set(pushed + body::ANNOUNCED, u32::from(!owned));
        let declared = self.is_declared(entry);
        self.set(pushed + body::DECLARED, u32::from(declared));
        let count = self.program.function(function).map_or(0, |f| f.registers.len());
        for register in 0..count {
            let word = self.word(registers + register);
            if self.is_list_register(function, register) {
                let items = self.state.block.items(word as usize).to_vec();
                self.state.block.replace(pushed + body::REGISTERS + register, &items);
            } else {
                self.set(pushed + body::REGISTERS + register, word);
            }
        }
    }

    /// Checks whether the resolution is forbidden, which wastes the use. Returns false if it is forbidden, or if a proposed event
    /// must happen first.
    fn start_resolving(&mut self, frame: Handle, entry: Handle) -> bool {
        if !self.is_hooked(START_RESOLVING) {
            self.record_unobserved_event();
            return true;
        }
        let source = ObjectRef(self.word(entry + ENTRY_SOURCE)).value();
        let resolving = self.word(frame + paragraphs::RESOLVE) as usize;
        let link = if resolving == 0 { 0 } else { ObjectRef(self.word(resolving + resolve::OBJECT)).value() };
        let user = i64::from(self.word(entry + ENTRY_USER));
        let (args, cause) = ([source, link, user], [cause::RULE, source, user, NO_PLAYER]);
        if self.forbidden(START_RESOLVING, &args, cause).is_some() {
            self.record(|| Record::Event { action: START_RESOLVING, args: args.to_vec(), cause, happened: false });
            self.pop_frame();
        } else {
            self.propose_alone(START_RESOLVING, &args, cause);
        }
        false
    }

    /// Drops the frames of a play whose object fizzles as a whole, including what the play would do before or after (CR 608.2b).
    fn drop_frames_above(&mut self, resolving: Handle) {
        while let Some(top) = self.state.top_frame() {
            if top == resolving {
                break;
            }
            self.drop_frame(top);
        }
    }

    fn mark_fizzled(&mut self, frame: Handle) {
        let resolving = self.word(frame + paragraphs::RESOLVE) as usize;
        if resolving != 0 {
            self.set(resolving + resolve::FIZZLED, 1);
        }
    }

    /// Checks the condition of a trigger (intervening if) again (CR 603.4).
    fn condition_still_holds(&mut self, entry: Handle) -> bool {
        if self.word(entry + ENTRY_KIND) != entry_kind::TRIGGER {
            return true;
        }
        let program = Arc::clone(&self.program);
        let ability = self.word(entry + ENTRY_PLAY) as usize;
        let Some(AbilityKind::Triggered { condition: Some(condition), .. }) =
            program.library.abilities.get(ability).map(|a| &a.kind)
        else {
            return true;
        };
        let registers = self.state.block.list(entry + ENTRY_PARAGRAPHS).get(1).copied().unwrap_or(0) as usize;
        let params = program.function(*condition).map_or(0, |f| usize::from(f.params));
        let args: Vec<i64> = (0..params).map(|i| self.state.block.int(registers + i)).collect();
        self.test(*condition, &args)
    }

    /// Returns whether an entry is a trigger whose leading `you may` was answered when it was put on the list.
    fn is_declared(&self, entry: Handle) -> bool {
        self.word(entry + ENTRY_KIND) == entry_kind::TRIGGER
            && self.is_declared_on_placing(AbilityId(self.word(entry + ENTRY_PLAY)))
    }

    /// Returns whether all announced choices are illegal by now, if the format's policy lets an object fizzle as a whole.
    fn fizzles_whole(&mut self, entry: Handle) -> bool {
        if !self.program.format.announce.fizzle_whole {
            return false;
        }
        let pairs = self.state.block.list(entry + ENTRY_PARAGRAPHS).to_vec();
        let mut any = (false, false, false);
        for pair in pairs.chunks(2) {
            let &[function, registers] = pair else { continue };
            for (_, status) in self.announced_choice_status(entry, FnId(function), registers as usize) {
                any = (any.0 | status.wanted, any.1 | status.chosen, any.2 | status.legal);
            }
        }
        (any.0 || any.1) && !any.2
    }

    /// Removes the chosen modes that fizzle from a paragraph: each mode is a separate unit. Returns whether the paragraph fizzles: its own
    /// choices are illegal by now, or those of all its chosen modes.
    fn fizzles_in_part(&mut self, entry: Handle, function: FnId, registers: Handle) -> bool {
        let units = self.announced_choice_status(entry, function, registers);
        let fizzled = |status: &ChoiceStatus| status.wanted && !status.legal;
        if units.iter().any(|(mode, status)| mode.is_none() && fizzled(status)) {
            return true;
        }
        for (mode, status) in &units {
            let Some((modes, slot)) = mode else { continue };
            let holder = registers + usize::from(*modes);
            let chosen = self.state.block.list(holder).to_vec();
            if fizzled(status)
                && let Some(mode) = chosen.get(usize::from(*slot)).copied()
            {
                let source = ObjectRef(self.word(entry + ENTRY_SOURCE));
                self.record(|| Record::FizzledPart { source, part: FizzledPart::Mode(mode) });
                self.state.block.set_item(holder, usize::from(*slot), FIZZLED_MODE);
            }
        }
        // What has no mode runs, and so does a mode without announced choices.
        let runs = |mode: &Option<(u16, u16)>| {
            let holder = mode.map(|(modes, _)| registers + usize::from(modes));
            holder.is_none_or(|holder| self.state.block.list(holder).iter().any(|mode| *mode != FIZZLED_MODE))
        };
        !(units.is_empty() || units.iter().any(|(mode, _)| runs(mode)))
    }

    /// Returns the state of a paragraph's announced choices, by the chosen mode that they belong to: the register of the modes and the slot.
    fn announced_choice_status(&mut self, entry: Handle, function: FnId, registers: Handle) -> ChoiceStatuses {
        let program = Arc::clone(&self.program);
        let mut units = ChoiceStatuses::new();
        let user = i64::from(self.word(entry + ENTRY_USER));
        let why = ChoiceReason { kind: self.entry_cause(entry), waiting: self.object_of_entry(entry) };
        let declared = self.is_declared(entry);
        let mut from = 0;
        while let Some((pc, site, dst)) = self.next_announced_choice(function, registers, from) {
            from = pc + 1;
            let Some(it) = program.library.sites.get(site.index()) else { continue };
            if it.modes.is_some() || it.divides {
                continue;
            }
            let mode = it.mode.and_then(|(modes, slot, _)| Some((program.library.sites.get(modes.index())?.dst, slot)));
            // A choice whose minimum is zero, for example for an option that was not paid, is not missing.
            let wanted = declared || !it.optional && (it.min.is_none() || self.min_choices(function, registers, site) > 0);
            let made = self.state.block.list(registers + usize::from(dst)).to_vec();
            let still = |machine: &mut Self| {
                let legal = machine.announced_candidates(function, registers, site, user, why);
                made.iter().any(|item| legal.contains(item))
            };
            let is_legal = !made.is_empty() && still(self);
            let unit = units.iter().position(|(known, _)| *known == mode).unwrap_or_else(|| {
                units.push((mode, ChoiceStatus::default()));
                units.len() - 1
            });
            let Some((_, status)) = units.get_mut(unit) else { continue };
            status.wanted |= wanted;
            status.chosen |= !made.is_empty();
            status.legal |= is_legal;
        }
        units
    }
}

/// Stands in the list of chosen modes for one that fizzled.
const FIZZLED_MODE: u32 = u32::MAX;

/// The state of some announced choices: whether one was needed, whether one was made, whether one is still legal.
#[derive(Clone, Copy, Debug, Default)]
struct ChoiceStatus {
    wanted: bool,
    chosen: bool,
    legal: bool,
}

type ChoiceStatuses = SmallVec<[(Option<(u16, u16)>, ChoiceStatus); 2]>;
