//! Objects that become others and stay the same for the rules: a card that is announced (CR 400.7g), one that resolves (CR 400.7a), and an object
//! on which another one is put.
//!
//! A move makes a new incarnation, so references to the old one are stale. Here those that mean what became of it are replaced: in effects, in
//! variables and statuses without keys, in what was announced, and in triggers that wait. What a body that runs has in its registers stays, and so do
//! counts against usage limits.

use super::machine::Machine;
use crate::ir::{ObjectRef, Place, Type};
use crate::records::{
    EFFECT_CAPTURES, EFFECT_SOURCE, EFFECT_WHOM, ENTRY_EXTRAS, ENTRY_PARAGRAPHS, ENTRY_PLAY, ENTRY_SOURCE, PENDING_ABILITY,
    PENDING_ARGS, PENDING_SOURCE, captured_types, last_known_entry, pending_types,
};
use crate::state::block::Handle;
use crate::state::layout as at;
use std::sync::Arc;

impl Machine {
    /// Extends continuous effects that affect an object to the one that it became.
    pub(crate) fn extend_effects(&mut self, before: ObjectRef, after: ObjectRef) {
        let mut followed = false;
        if before == after {
            return;
        }
        for record in self.state.block.list(at::EFFECTS).to_vec() {
            let whom = record as usize + EFFECT_WHOM;
            if self.state.block.list(whom).contains(&before.0) {
                self.state.block.push(whom, after.0);
                followed = true;
            }
        }
        if followed {
            self.derived.mark_effects_dirty();
        }
    }

    /// As [`Machine::extend_effects`]; everything else that refers to the object refers to what it became, too.
    pub(crate) fn replace_object(&mut self, before: ObjectRef, after: ObjectRef) {
        if before == after {
            return;
        }
        self.extend_effects(before, after);
        self.replace_in_variables(before, after);
        let program = Arc::clone(&self.program);
        for record in self.state.block.list(at::EFFECTS).to_vec() {
            let record = record as usize;
            let types = captured_types(&program, &self.state.block, record);
            self.replace_values(record + EFFECT_CAPTURES, types, before, after);
            self.replace_word(record + EFFECT_SOURCE, before, after);
        }
        for record in self.state.block.list(at::PENDING_TRIGGERS).to_vec() {
            let record = record as usize;
            let types = pending_types(&program, self.word(record + PENDING_ABILITY));
            self.replace_values(record + PENDING_ARGS, types, before, after);
            self.replace_word(record + PENDING_SOURCE, before, after);
        }
        let list = program.list.map_or(Vec::new(), |list| self.state.zone_items(&program, list).to_vec());
        for item in list {
            let entry = self.state.column(ObjectRef(item).slot(), at::ENTRY) as usize;
            if entry != 0 {
                self.replace_in_entry(entry, before, after);
            }
        }
        for record in self.state.block.list(at::LAST_KNOWN_ROWS).to_vec() {
            let entry = self.word(last_known_entry(&program, record as usize)) as usize;
            if entry != 0 {
                self.replace_in_entry(entry, before, after);
            }
        }
        // What effects captured and lists of variables may have changed.
        self.derived.mark_effects_dirty();
    }

    fn replace_in_variables(&mut self, before: ObjectRef, after: ObjectRef) {
        let program = Arc::clone(&self.program);
        let number = |index: usize| u16::try_from(index).unwrap_or(u16::MAX);
        for (index, variable) in program.library.globals.iter().enumerate() {
            let cell = program.layout.global(index);
            if variable.ty.is_reference() && self.word(cell) == before.0 {
                self.replace_variable(Place::Global(number(index)), 0, cell, after);
            } else if matches!(variable.ty, Type::Objects | Type::Things) {
                self.replace_items(cell, before, after);
            }
        }
        let references = |ty: Type, has_keys: bool| ty.is_reference() && !has_keys;
        for player in 0..program.players() {
            for (index, variable) in program.library.player_variables.iter().enumerate() {
                let cell = program.layout.player(player, index);
                if references(variable.ty, variable.keys.is_some()) && self.word(cell) == before.0 {
                    self.replace_variable(Place::Player(number(index)), player as i64, cell, after);
                }
            }
        }
        for (index, status) in program.library.statuses.iter().enumerate() {
            if !references(status.ty, status.keys.is_some()) {
                continue;
            }
            let column = at::STATUSES + index;
            let slots: Vec<usize> =
                self.state.slots_with(column).filter(|slot| self.state.column(*slot, column) == before.0).collect();
            for slot in slots {
                let cell = self.state.cell_for_write(slot, column);
                let of = self.state.current(slot).value();
                self.replace_variable(Place::Status(number(index)), of, cell, after);
            }
        }
    }

    /// Replaces the value of a variable or status. It still means the same object, so no timestamp is renewed and no effect ends by it.
    fn replace_variable(&mut self, place: Place, of: i64, cell: usize, after: ObjectRef) {
        self.derived.invalidate_write(place, of);
        self.set(cell, after.0);
        self.record_write(place, of);
    }

    fn replace_word(&mut self, word: usize, before: ObjectRef, after: ObjectRef) {
        if self.word(word) == before.0 {
            self.set(word, after.0);
        }
    }

    /// Replaces the source and the choices of something on the list.
    fn replace_in_entry(&mut self, entry: Handle, before: ObjectRef, after: ObjectRef) {
        let program = Arc::clone(&self.program);
        self.replace_word(entry + ENTRY_SOURCE, before, after);
        let play = program.play(self.word(entry + ENTRY_PLAY));
        self.replace_values(entry + ENTRY_EXTRAS, play.map_or(&[], |play| &play.extra_params), before, after);
        for pair in self.state.block.list(entry + ENTRY_PARAGRAPHS).to_vec().chunks_exact(2) {
            let &[function, registers] = pair else { continue };
            let types = program.function(crate::ir::FnId(function)).map_or(&[][..], |function| function.registers.as_slice());
            for (index, ty) in types.iter().enumerate() {
                let register = registers as usize + index;
                if ty.is_reference() {
                    self.replace_word(register, before, after);
                } else if matches!(ty, Type::Objects | Type::Things) {
                    self.replace_items(register, before, after);
                }
            }
        }
    }

    /// Replaces references in a list of values of these types.
    fn replace_values(&mut self, holder: usize, types: &[Type], before: ObjectRef, after: ObjectRef) {
        for (index, ty) in types.iter().enumerate() {
            if ty.is_reference() && self.state.block.item(holder, index) == before.0 {
                self.state.block.set_item(holder, index, after.0);
            }
        }
    }

    /// Replaces references in a list of objects.
    fn replace_items(&mut self, holder: usize, before: ObjectRef, after: ObjectRef) {
        for index in 0..self.state.block.len(holder) {
            if self.state.block.item(holder, index) == before.0 {
                self.state.block.set_item(holder, index, after.0);
            }
        }
    }
}
