//! Copies (CR 707): objects that become copies, objects that are created as copies, and copies of objects on the list.

use super::derived;
use crate::ir::ObjectRef;
use crate::ir::{AnnounceStage, FnId, ModificationId};
use crate::records::frame::{announce, kind};
use crate::records::{
    EFFECT_CAPTURES, EFFECT_CONTROLLER, EFFECT_COPIED, EFFECT_LOCKED, EFFECT_SOURCE, EFFECT_STAMP, EFFECT_UNTIL, EFFECT_WHOM,
    EFFECT_WORDS, UNTIL_EVENT, UNTIL_FAILURE,
};
use crate::records::{
    ENTRY_EXTRAS, ENTRY_KIND, ENTRY_OPTIONS, ENTRY_PARAGRAPHS, ENTRY_PLAY, ENTRY_SOURCE, ENTRY_USER, ENTRY_WORDS, KNOWN_ROW,
    entry_kind, last_known_entry,
};
use crate::state::block::Handle;
use crate::state::layout as at;
use crate::vm::budgets::Budget;
use crate::vm::derived::values::DerivedValues;
use crate::vm::inline_vecs::InlineWords;
use crate::vm::machine::Machine;
use std::sync::Arc;

/// Exceptions of a copy: what it does not copy, or has in addition.
pub(crate) struct Exceptions<'a> {
    /// The modifications.
    pub mods: &'a [ModificationId],
    /// The first arguments of their functions.
    pub args: &'a [i64],
}

/// How long a copy lasts.
pub(crate) struct CopyDuration {
    /// The object that begins the effect.
    pub source: ObjectRef,
    /// Its ends, four words each; none: for good.
    pub ends: InlineWords,
}

/// What a copy of an object on the list takes over.
struct ListedModel {
    /// The entry, with what was chosen.
    entry: Handle,
    /// Whether the object is a card or a copy of one; else it is an ability.
    is_card: bool,
    definition: u32,
    face: u32,
    /// The first status in the last-known record; `None` for an object that is on the list.
    statuses: Option<usize>,
}

impl Machine {
    /// Makes objects copies of `model` as it is now, for a duration or, with `enters`, as they enter the field.
    pub(crate) fn begin_copies(
        &mut self,
        whom: &[u32],
        model: ObjectRef,
        enters: bool,
        except: &Exceptions<'_>,
        duration: &CopyDuration,
    ) {
        let stamp = self.state.take_timestamp();
        for it in whom.iter().map(|it| ObjectRef(*it)).filter(|it| self.state.exists(*it)).collect::<Vec<_>>() {
            let Some(row) = self.copied_row(model, it, except) else { return };
            if enters {
                let cardless = self.state.copy_flags(it.slot()) & at::COPY_CARDLESS;
                self.set_copy(it.slot(), at::COPY_ENTERING | cardless, &row);
                continue;
            }
            let record = self.state.block.alloc(EFFECT_WORDS);
            self.set(record + EFFECT_STAMP, stamp);
            self.set(record + EFFECT_SOURCE, duration.source.0);
            self.set(record + EFFECT_CONTROLLER, except.args.get(1).copied().unwrap_or(0) as u32);
            self.set(record + EFFECT_LOCKED, 1);
            self.state.block.extend(record + EFFECT_WHOM, &[it.0]);
            // The exceptions are evaluated now; only the ends of the duration read captured values later.
            if duration.ends.chunks(4).any(|end| matches!(end.first(), Some(&(UNTIL_EVENT | UNTIL_FAILURE)))) {
                let captures: InlineWords = except.args.iter().skip(2).map(|value| *value as u32).collect();
                self.state.block.extend(record + EFFECT_CAPTURES, &captures);
            }
            self.state.block.extend(record + EFFECT_UNTIL, &duration.ends);
            self.state.block.extend(record + EFFECT_COPIED, &row);
            self.state.block.push(at::EFFECTS, record as u32);
            self.charge_new_effect();
        }
        self.derived.mark_effects_dirty();
        self.record_object_change();
    }

    /// Returns the copiable row of `model`, changed by exceptions for the object `it` that becomes the copy.
    pub(crate) fn copied_row(&mut self, model: ObjectRef, it: ObjectRef, except: &Exceptions<'_>) -> Option<Vec<u32>> {
        let program = Arc::clone(&self.program);
        let row = derived::copiable_row(&program, &self.state, model)?;
        let (world, scratch) = self.world();
        let fuel = std::mem::take(&mut scratch.fuel);
        let row = DerivedValues::with_changes(world, scratch, row, it, except.mods, except.args);
        scratch.fuel = fuel;
        Some(row)
    }

    /// Makes the object in a slot a copy.
    pub(crate) fn set_copy(&mut self, slot: usize, flags: u32, row: &[u32]) {
        let program = Arc::clone(&self.program);
        let words: Vec<u32> = std::iter::once(flags).chain(row.iter().copied()).collect();
        self.state.write_copy(&program, slot, &words);
        self.derived.mark_dirty(slot);
        self.record_object_change();
    }

    /// Updates the copy of a moved object: an object that enters the field as a copy is one there; in any other zone it is itself
    /// again (CR 707.2).
    pub(crate) fn update_copy_on_move(&mut self, slot: usize, into: usize) {
        let program = Arc::clone(&self.program);
        let flags = self.state.copy_flags(slot);
        let enters = flags & at::COPY_ENTERING != 0 && Some(program.layout.kind(into)) == program.field;
        if enters {
            let mut copy = self.state.block.list(self.state.cell(slot, at::COPY)).to_vec();
            if let Some(flags) = copy.first_mut() {
                *flags &= !at::COPY_ENTERING;
            }
            self.state.write_copy(&program, slot, &copy);
        } else if flags & at::COPY_CARDLESS == 0 {
            self.state.write_copy(&program, slot, &[]);
        }
    }

    /// Copies an object on the list, or one that has left it without having resolved (CR 608.2h), with the choices, numbers and
    /// payments of its announcement. The copy is not announced (CR 707.10).
    pub(crate) fn duplicate(&mut self, object: ObjectRef, user: i64) -> Option<ObjectRef> {
        let program = Arc::clone(&self.program);
        let list = program.list?;
        let model = self.copied_from_list(object, list)?;
        let user = self.seat(user);
        let row = derived::copiable_row(&program, &self.state, object)?;
        let Some(made) = self.state.new_object(&program, model.definition, user) else {
            self.exceed(Budget::Objects);
            return None;
        };
        self.state.set_column(made.slot(), at::FACE, model.face);
        for (number, status) in program.library.statuses.iter().enumerate() {
            // Statuses hold what was chosen for the object.
            let (column, from) = (
                at::STATUSES + number,
                model.statuses.map_or_else(|| self.state.cell(object.slot(), at::STATUSES + number), |first| first + number),
            );
            if status.keys.is_some() {
                let pairs = self.state.block.list(from).to_vec();
                if !pairs.is_empty() {
                    let holder = self.state.cell_for_write(made.slot(), column);
                    self.state.block.replace(holder, &pairs);
                }
            } else {
                let value = self.word(from);
                self.state.set_column(made.slot(), column, value);
            }
        }
        if model.is_card {
            self.set_copy(made.slot(), at::COPY_CARDLESS, &row);
        }
        self.state.put_into_zone(&program, made.slot(), list, false);
        let stamp = self.state.take_timestamp();
        self.state.set_column(made.slot(), at::ENTERED_AT, stamp);
        let copy = self.copy_entry(model.entry, user, model.is_card.then_some(made));
        self.state.set_column(made.slot(), at::ENTRY, copy as u32);
        self.derived.mark_dirty(made.slot());
        self.record_change();
        Some(made)
    }

    /// Returns what a copy of an object takes over: from the object on the list, or from its last-known information.
    fn copied_from_list(&self, object: ObjectRef, list: usize) -> Option<ListedModel> {
        let (program, slot) = (&self.program, object.slot());
        if self.state.exists(object) {
            let entry = self.state.column(slot, at::ENTRY) as usize;
            let is_card = self.state.column(slot, at::DEFINITION) != 0;
            let [definition, face] = [self.definition_of_copy(slot), self.state.column(slot, at::FACE)];
            let on_list = self.state.zone(slot) == Some(list) && entry != 0;
            return on_list.then_some(ListedModel { entry, is_card, definition, face, statuses: None });
        }
        let rows = self.state.block.list(at::LAST_KNOWN_ROWS).iter().rev().map(|row| *row as usize);
        let record = rows.into_iter().find(|row| !object.is_none() && self.word(*row) == object.0)?;
        let place = last_known_entry(program, record);
        let entry = self.word(place) as usize;
        let [definition, face] = [self.word(place + 1), self.word(place + 2)];
        let statuses = Some(record + KNOWN_ROW + program.row.stride);
        (entry != 0).then_some(ListedModel { entry, is_card: self.word(record + 4) != 0, definition, face, statuses })
    }

    /// The definition of a copy of the object in a slot. A copy of a concealed object does not copy what is concealed.
    pub(crate) fn definition_of_copy(&self, slot: usize) -> u32 {
        let disguise = self.state.concealing_status(&self.program, slot).and_then(|status| self.program.disguise(status));
        disguise.unwrap_or_else(|| self.state.column(slot, at::DEFINITION))
    }

    /// Copies an entry. `source` is the object whose text the copy runs; `None` for an ability, which keeps its source.
    fn copy_entry(&mut self, entry: usize, user: usize, source: Option<ObjectRef>) -> usize {
        let copy = self.state.block.alloc(ENTRY_WORDS);
        for word in [ENTRY_KIND, ENTRY_PLAY, ENTRY_SOURCE] {
            let value = self.word(entry + word);
            self.set(copy + word, value);
        }
        self.set(copy + ENTRY_USER, user as u32);
        if let Some(source) = source {
            self.set(copy + ENTRY_SOURCE, source.0);
        }
        for list in [ENTRY_EXTRAS, ENTRY_OPTIONS] {
            let items = self.state.block.list(entry + list).to_vec();
            self.state.block.replace(copy + list, &items);
        }
        for pair in self.state.block.list(entry + ENTRY_PARAGRAPHS).to_vec().chunks(2) {
            let &[function, registers] = pair else { continue };
            let (id, registers) = (FnId(function), registers as usize);
            let count = self.program.function(id).map_or(0, |f| f.registers.len());
            let block = self.state.block.alloc(count.max(1));
            for register in 0..count {
                let word = self.word(registers + register);
                if self.is_list_register(id, register) {
                    let items = self.state.block.items(word as usize).to_vec();
                    self.state.block.replace(block + register, &items);
                } else {
                    self.set(block + register, word);
                }
            }
            if let Some(source) = source {
                self.set(block, source.0);
            }
            self.set(block + 1, user as u32);
            self.state.block.extend(copy + ENTRY_PARAGRAPHS, &[function, block as u32]);
        }
        copy
    }

    /// Lets a player choose new targets for a copy on the list.
    pub(crate) fn choose_new_targets(&mut self, made: ObjectRef, user: i64) {
        let user = self.seat(user) as u32;
        self.repeat_choices(made, user, super::announce::REANNOUNCED);
    }

    /// Lets a player change the target of an object on the list to another one that would be legal for its user (CR 115.7a).
    pub(crate) fn change_target(&mut self, object: ObjectRef, chooser: i64) {
        let entry = self.state.column(object.slot(), at::ENTRY) as usize;
        let user = self.word(entry + ENTRY_USER);
        let chooser = self.seat(chooser) as u32 + 1;
        self.repeat_choices(object, user, super::announce::REANNOUNCED | chooser << super::announce::CHANGER_SHIFT);
    }

    /// Repeats the choices of an object on the list.
    fn repeat_choices(&mut self, made: ObjectRef, user: u32, flags: u32) {
        let stages = &self.program.format.announce.stages;
        // The default stages are list, choices, pay.
        let stage = if stages.is_empty() { Some(1) } else { stages.iter().position(|stage| *stage == AnnounceStage::Choices) };
        let Some(stage) = stage else { return };
        let entry = self.state.column(made.slot(), at::ENTRY) as usize;
        let of_trigger = self.word(entry + ENTRY_KIND) == entry_kind::TRIGGER;
        let play = if of_trigger { u32::MAX } else { self.word(entry + ENTRY_PLAY) };
        let frame = self.push_frame(kind::ANNOUNCE, announce::WORDS);
        self.set(frame + announce::STAGE, stage as u32);
        self.set(frame + announce::PLAY, play);
        self.set(frame + announce::OBJECT, made.0);
        self.set(frame + announce::USER, user);
        self.set(frame + announce::ENTRY, entry as u32);
        self.set(frame + announce::FLAGS, flags);
    }

    /// Turns an object to another face: it stays the same object and gets a new timestamp (CR 613.7g, 701.28).
    pub(crate) fn turn_over(&mut self, it: ObjectRef, face: i64) {
        let slot = it.slot();
        if !self.state.exists(it) {
            return;
        }
        let definition = self.state.column(slot, at::DEFINITION);
        let single = self.program.definition(definition).is_some_and(|d| d.combined_faces.is_none());
        let before = self.state.column(slot, at::FACE);
        let Some(face) = u32::try_from(face).ok().filter(|face| single && self.program.faces(definition).contains(face)) else {
            return;
        };
        if face != before.max(1) {
            self.state.set_column(slot, at::FACE, if face == 1 { 0 } else { face });
            self.renew_timestamp(slot);
            self.record_change();
        }
    }
}
