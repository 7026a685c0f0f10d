//! Commits of primitive events: moves, creates, attaches, shuffles and deletes objects, and applies writes.

use super::copy::Exceptions;
use super::dependencies::DepSet;
use super::derived::copiable_row;
use super::direct_write::DirectWrite;
use crate::ir::ObjectRef;
use crate::ir::encoding_limits::MAX_INCARNATION;
use crate::ir::verbs::{self, position};
use crate::ir::{PACKED_WORD, Place, zone_bit};
use crate::program::Program;
use crate::records::event::{Event, decode_place, decode_write_mode};
use crate::records::{ENTRY_RESOLVING, KNOWN_ROW, last_known_entry, last_known_text, last_known_words};
use crate::state::block::Handle;
use crate::state::layout as at;
use crate::vm::budgets::Budget;
use crate::vm::effect_charges::{FUEL_PER_MEMBER, FUEL_PER_SHUFFLED};
use crate::vm::machine::Machine;
use std::sync::Arc;

impl Machine {
    /// Commits one primitive event. Returns the object that it moved or created, or `ObjectRef::NONE` if there is none; `None` if
    /// it failed.
    pub(crate) fn commit(&mut self, program: &Program, event: &Event) -> Option<ObjectRef> {
        match event.action {
            // A write records its own changes. A write that is part of no event makes no action happen, so there is no event to
            // record.
            verbs::WRITE if !event.is_part() => {}
            // These events only report progress; they change nothing else.
            verbs::WRITE
            | verbs::BEGIN
            | verbs::FINISH
            | verbs::ANNOUNCE
            | verbs::START_RESOLVING
            | verbs::RESOLVE
            | verbs::FIZZLE
            | verbs::CHOSEN => self.record_event(),
            verbs::PUT if event.move_host().is_none() => {
                match self.kinds_of_move(ObjectRef::from_value(event.args[0]), event.args[1]) {
                    Some(kinds) => self.record_move(kinds),
                    None => self.record_object_change(),
                }
            }
            verbs::CREATE | verbs::ERASE | verbs::SHUFFLE | verbs::REVEAL | verbs::LOOK => self.record_object_change(),
            _ => self.record_change(),
        }
        let a = event.args;
        let it = ObjectRef::from_value(a[0]);
        match event.action {
            verbs::PUT => {
                let leaves_pile = a[6] != 0 && usize::try_from(a[1]).is_ok_and(|into| into < program.layout.instances);
                if leaves_pile && !self.promote_member(it) {
                    return None;
                }
                self.perform_move(program, event)
            }
            verbs::ATTACH => self.attach(it, ObjectRef::from_value(a[1]), a[2] != 0),
            verbs::SHIFT => self.shift(it, usize::try_from(a[1]).ok()?),
            verbs::SHUFFLE => {
                let zone = usize::try_from(a[0]).ok().filter(|z| *z < self.program.layout.instances)?;
                self.shuffle_zone(zone);
                Some(ObjectRef::NONE)
            }
            verbs::REVEAL | verbs::LOOK => {
                if !self.state.exists(it) {
                    return None;
                }
                let all = event.action == verbs::REVEAL;
                let players = if all { 0..self.program.players() } else { self.seat(a[1])..self.seat(a[1]) + 1 };
                players.for_each(|player| self.show(player, it));
                self.set_barrier();
                Some(it)
            }
            verbs::WIN => {
                let won = self.word(at::PLAYERS_WON) | (1 << self.seat(a[0]).min(31));
                self.set(at::PLAYERS_WON, won);
                Some(ObjectRef::NONE)
            }
            verbs::LOSE => {
                let lost = self.word(at::PLAYERS_LOST) | (1 << self.seat(a[0]).min(31));
                self.set(at::PLAYERS_LOST, lost);
                Some(ObjectRef::NONE)
            }
            verbs::TIE => {
                self.finish(2, u32::MAX);
                Some(ObjectRef::NONE)
            }
            verbs::WRITE => {
                if let Some(place) = decode_place(a[0], a[1]) {
                    if let Place::Status(_) = place
                        && !self.state.exists(ObjectRef::from_value(a[2]))
                    {
                        return None;
                    }
                    let key = (a[5] != -1).then_some(a[5]);
                    self.apply_write(DirectWrite { place, of: a[2], key, how: decode_write_mode(a[3]), value: a[4] });
                }
                Some(ObjectRef::NONE)
            }
            verbs::ERASE => {
                if !self.state.exists(it) {
                    return None;
                }
                self.record_last_known(it);
                self.delete_object(it.slot());
                Some(ObjectRef::NONE)
            }
            _ => Some(ObjectRef::NONE),
        }
    }

    /// Performs the move of an event: into a zone, or on top of an object there.
    pub(in crate::vm) fn perform_move(&mut self, program: &Program, put: &Event) -> Option<ObjectRef> {
        let it = ObjectRef::from_value(put.args[0]);
        let into = usize::try_from(put.args[1]).ok()?;
        let flags = put.args[4] as u32;
        if put.move_host().is_none() {
            let under = usize::try_from(put.args[2]).ok();
            return self.move_object(program, it, into, under, put.args[3] == position::BOTTOM, flags);
        }
        let moved = self.attach(it, put.move_host(), false)?;
        for status in program.library.statuses_on_arrival(flags) {
            self.state.set_column(moved.slot(), at::STATUSES + status, 1);
        }
        Some(moved)
    }

    /// Creates the object of an event, in no zone yet: a separate event moves it into its zone.
    pub(crate) fn create_object(&mut self, event: &Event) -> Option<ObjectRef> {
        let a = event.args;
        let owner = self.seat(a[2]);
        usize::try_from(a[1]).ok().filter(|z| *z < self.program.layout.instances)?;
        let program = Arc::clone(&self.program);
        let model = ObjectRef::from_value(a[3]);
        let mut definition = a[0] as u32;
        if !model.is_none() {
            // CR 707.2: the copied object is read at the moment of creation.
            definition = copiable_row(&program, &self.state, model)?.get(program.row.definition).copied()?;
            if definition == crate::records::NAMELESS {
                definition = program.nameless().unwrap_or(0);
            }
        }
        let Some(made) = self.state.new_object(&program, definition, owner) else {
            self.exceed(Budget::Objects);
            return None;
        };
        self.state.set_zone(&program, made.slot(), at::NOT_YET_PLACED);
        let except = usize::try_from(a[4] - 1).ok().and_then(|n| program.library.exceptions.get(n));
        if !model.is_none() || except.is_some() {
            // The changes of a token that is no copy belong to its copiable values, too (CR 111.3).
            let model = if model.is_none() { made } else { model };
            let args = [event.cause[1], event.cause[2]];
            let except = Exceptions { mods: except.map_or(&[], Vec::as_slice), args: &args };
            let Some(row) = self.copied_row(model, made, &except) else {
                self.delete_object(made.slot());
                return None;
            };
            self.set_copy(made.slot(), at::COPY_CARDLESS, &row);
        } else if let Some(row) = created_row(&program, definition, a[6]) {
            self.set_copy(made.slot(), at::COPY_CARDLESS, &row);
        }
        self.derived.mark_dirty(made.slot());
        Some(made)
    }

    /// Deletes an ability from the list and records the move, since state rules may read the list. Frees its entry, unless it is
    /// being resolved.
    pub(crate) fn delete_from_list(&mut self, slot: usize) {
        let kind = self.state.zone(slot).map_or(usize::MAX, |zone| self.program.layout.kind(zone));
        self.delete_object(slot);
        self.record_move(zone_bit(kind));
    }

    /// Deletes an object; its slot can be reused.
    pub(crate) fn delete_object(&mut self, slot: usize) {
        let program = Arc::clone(&self.program);
        let host = ObjectRef(self.state.column(slot, at::HOST));
        if host.is_none() {
            self.state.remove_from_zone(&program, slot);
        } else {
            self.leave_pile(slot, host);
        }
        let members = self.state.pile(slot).to_vec();
        let pile = self.state.cell(slot, at::PILE);
        self.state.block.clear(pile);
        for member in members {
            // Cards of its pile become separate objects in its zone.
            let part = ObjectRef(member).slot();
            let zone = self.state.zone(part);
            self.state.set_column(part, at::HOST, 0);
            if let Some(zone) = zone
                && self.new_incarnation(part)
            {
                let stamp = self.state.take_timestamp();
                self.state.set_column(part, at::ENTERED_AT, stamp);
                self.state.put_into_zone(&program, part, zone, false);
            }
            self.derived.mark_dirty(part);
        }
        let entry = self.state.column(slot, at::ENTRY) as usize;
        if entry != 0 {
            self.retire_entry(self.state.current(slot), entry);
        }
        self.state.free_object(&program, slot);
        self.derived.mark_dirty(slot);
    }

    /// Records last-known information of an object that is about to leave, if its zone keeps it or is the list.
    pub(crate) fn record_last_known(&mut self, it: ObjectRef) {
        if !self.state.exists(it) || self.state.block.list(at::LAST_KNOWN_ROWS).iter().any(|row| self.word(*row as usize) == it.0)
        {
            return;
        }
        let slot = it.slot();
        let keeps_last_known =
            self.state.zone(slot).and_then(|z| self.program.zone_of(z)).is_some_and(|z| z.keeps_last_known || z.list);
        if !keeps_last_known {
            return;
        }
        let program = Arc::clone(&self.program);
        self.derived.refresh(&program, &self.state, &mut self.scratch);
        let stride = program.row.stride;
        let statuses = program.library.statuses.len();
        let record = self.state.block.alloc(last_known_words(&program));
        self.set(record, it.0);
        let definition = self.state.column(slot, at::DEFINITION);
        let shown = self.derived.word(slot, program.row.definition);
        self.set(record + 1, shown);
        self.set(record + 4, definition);
        let owner = self.state.column(slot, at::OWNER);
        self.set(record + 2, owner);
        let zone = self.state.column(slot, at::ZONE);
        self.set(record + 3, zone);
        for column in 0..stride {
            let word = self.derived.word(slot, column);
            self.set(record + KNOWN_ROW + column, word);
        }
        for (status, variable) in program.library.statuses.iter().enumerate() {
            let place = record + KNOWN_ROW + stride + status;
            if variable.keys.is_some() {
                let pairs = self.state.block.list(self.state.cell(slot, at::STATUSES + status)).to_vec();
                self.state.block.extend(place, &pairs);
            } else {
                let word = self.state.column(slot, at::STATUSES + status);
                self.set(place, word);
            }
        }
        let copiable = copiable_row(&program, &self.state, it).unwrap_or_default();
        for (column, word) in copiable.into_iter().enumerate() {
            self.set(record + KNOWN_ROW + stride + statuses + column, word);
        }
        let text = self.derived.text(slot);
        self.state.block.replace(last_known_text(&program, record), &text);
        // For copies of what leaves the list.
        let copied = [self.definition_of_copy(slot), self.state.column(slot, at::FACE)];
        for (place, word) in (last_known_entry(&program, record) + 1..).zip(copied) {
            self.set(place, word);
        }
        self.state.block.push(at::LAST_KNOWN_ROWS, record as u32);
    }

    /// Keeps the entry of an object that has left the list with its last-known information, so that the object can be copied (CR
    /// 608.2h, 707.10). Frees it if there is no such information; the entry of an object that resolves is freed after that.
    fn retire_entry(&mut self, it: ObjectRef, entry: Handle) {
        if self.word(entry + ENTRY_RESOLVING) != 0 {
            return;
        }
        let program = Arc::clone(&self.program);
        match self.world().0.last_known_row(it) {
            Some(record) => self.set(last_known_entry(&program, record), entry as u32),
            None => self.release_entry(entry),
        }
    }

    /// Deletes all last-known information. Between turns with an empty list nothing refers to it.
    pub(crate) fn clear_last_known(&mut self) {
        // Pure code reads it through objects.
        self.derived.bump_revisions(DepSet::OBJECTS);
        let program = Arc::clone(&self.program);
        while let Some(record) = self.state.block.pop(at::LAST_KNOWN_ROWS) {
            self.free_last_known(&program, record as usize);
        }
    }

    /// Deletes the last-known information of an object that has moved and is still the same object.
    fn forget_last_known(&mut self, program: &Program, it: ObjectRef) {
        let rows = self.state.block.list(at::LAST_KNOWN_ROWS);
        let Some(index) = rows.iter().position(|row| self.word(*row as usize) == it.0) else { return };
        self.derived.bump_revisions(DepSet::OBJECTS);
        if let Some(record) = self.state.block.remove(at::LAST_KNOWN_ROWS, index) {
            self.free_last_known(program, record as usize);
        }
    }

    fn free_last_known(&mut self, program: &Program, record: usize) {
        let first = KNOWN_ROW + program.row.stride;
        for (status, variable) in program.library.statuses.iter().enumerate() {
            if variable.keys.is_some() {
                self.state.block.clear(record + first + status);
            }
        }
        self.state.block.clear(last_known_text(program, record));
        let entry = self.word(last_known_entry(program, record)) as usize;
        self.free_entry(entry);
        self.state.block.free(record);
    }

    /// Returns the kinds of the two zones of a move, one bit each. `None` if the move may change other objects: a source of
    /// effects, an object with static abilities, or a pile.
    pub(crate) fn kinds_of_move(&mut self, it: ObjectRef, into: i64) -> Option<u32> {
        self.refresh();
        let slot = it.slot();
        let into = usize::try_from(into).ok().filter(|zone| *zone < self.program.layout.instances)?;
        let from = self.state.zone(slot).filter(|_| self.state.exists(it))?;
        let alone = self.state.column(slot, at::HOST) == 0 && self.state.pile(slot).is_empty();
        let shown = self.derived.word(slot, self.program.row.definition) as usize;
        let has_statics = |definition: usize| self.program.has_statics.get(definition).copied().unwrap_or(true);
        let printed = self.state.column(slot, at::DEFINITION) as usize;
        let quiet = alone && !self.derived.is_source(slot) && !has_statics(shown) && !has_statics(printed);
        let bit = |zone: usize| zone_bit(self.program.layout.kind(zone));
        quiet.then(|| bit(from) | bit(into))
    }

    fn new_incarnation(&mut self, slot: usize) -> bool {
        let incarnation = self.state.column(slot, at::INCARNATION) + 1;
        if incarnation >= MAX_INCARNATION {
            self.exceed(Budget::Objects);
            return false;
        }
        self.state.set_column(slot, at::INCARNATION, incarnation);
        true
    }

    /// Moves an object into a zone instance. Its pile splits if the kind of zone changes. A concealing status that does not move
    /// along may disclose the object.
    pub(crate) fn move_object(
        &mut self,
        program: &Program,
        it: ObjectRef,
        into: usize,
        under: Option<usize>,
        bottom: bool,
        flags: u32,
    ) -> Option<ObjectRef> {
        let stays = self.state.zone(it.slot()) == program.list && Some(program.layout.kind(into)) == program.field;
        let kept = |status: usize| stays && program.library.statuses.get(status).is_some_and(|status| status.kept_on_field);
        if self.state.concealing_status(program, it.slot()).is_some_and(|status| !kept(status)) {
            self.disclose(it);
        }
        self.move_with(program, it, into, under, bottom, (flags, None))
    }

    /// As [`Machine::move_object`], without disclosing. The last argument holds the arrival statuses as flags, and one more
    /// status to set on arrival.
    pub(crate) fn move_with(
        &mut self,
        program: &Program,
        it: ObjectRef,
        into: usize,
        under: Option<usize>,
        bottom: bool,
        (flags, also): (u32, Option<u16>),
    ) -> Option<ObjectRef> {
        if !self.state.exists(it) || into >= program.layout.instances {
            return None;
        }
        let slot = it.slot();
        self.record_last_known(it);
        let host = ObjectRef(self.state.column(slot, at::HOST));
        let from = self.state.zone(slot);
        if host.is_none() {
            self.state.remove_from_zone(program, slot);
        } else {
            self.leave_pile(slot, host);
        }
        let entry = self.state.column(slot, at::ENTRY) as usize;
        if entry != 0 && program.list != Some(into) {
            self.state.set_column(slot, at::ENTRY, 0);
            self.retire_entry(it, entry);
        }
        let keeps = |zone: usize| program.zone_of(zone).is_some_and(|zone| zone.keeps_objects);
        let stays_same = from.is_some_and(keeps) && keeps(into);
        let resolves = from.is_some() && from == program.list && program.field == Some(program.layout.kind(into));
        if stays_same {
            self.forget_last_known(program, it);
        } else if !self.new_incarnation(slot) {
            return None;
        }
        let was = self.state.concealed(program, slot);
        if !stays_same {
            let statuses = program.library.statuses.iter().enumerate().filter(|(_, status)| resolves && status.kept_on_field);
            let kept: Vec<(usize, u32)> =
                statuses.map(|(n, _)| (n, self.state.column(slot, at::STATUSES + n))).filter(|(_, value)| *value != 0).collect();
            self.state.reset_statuses(program, slot);
            for (status, value) in kept {
                self.state.set_column(slot, at::STATUSES + status, value);
            }
            self.update_copy_on_move(slot, into);
        }
        // A card that was used or turned as a separate face enters the field with that face.
        let definition = program.definition(self.state.column(slot, at::DEFINITION));
        let enters = Some(program.layout.kind(into)) == program.field && definition.is_some_and(|d| d.combined_faces.is_none());
        let keeps_face = enters && self.state.column(slot, at::FACE) > 1;
        if program.list != Some(into) && !keeps_face && !stays_same {
            self.state.set_column(slot, at::FACE, 0);
        }
        let owner = self.state.column(slot, at::OWNER) as usize;
        let controller = under.filter(|p| *p < program.players()).or_else(|| program.zone_owner(into)).unwrap_or(owner);
        self.state.set_column(slot, at::CONTROLLER, controller as u32);
        let mut arriving = program.library.statuses_on_arrival(flags);
        arriving.extend(also.map(usize::from));
        let conceals =
            program.concealing_statuses.iter().any(|status| arriving.contains(status)) || self.state.is_concealed(program, slot);
        self.carry_knowledge(program, slot, (from, into), (was, conceals.then_some(controller)));
        let stamp = self.state.take_timestamp();
        self.state.set_column(slot, at::ENTERED_AT, stamp);
        self.state.put_into_zone(program, slot, into, bottom);
        for status in arriving {
            self.state.set_column(slot, at::STATUSES + status, 1);
        }
        self.derived.mark_dirty(slot);
        let moved = self.state.current(slot);
        if resolves {
            // CR 400.7a: effects on a spell apply to the permanent that it becomes.
            self.extend_effects(it, moved);
        }
        self.charge_items(FUEL_PER_MEMBER * self.state.pile(slot).len());
        let splits = from.is_none_or(|z| program.layout.kind(z) != program.layout.kind(into));
        let members = self.state.pile(slot).to_vec();
        if splits && !members.is_empty() {
            // Members move by separate events. A member whose move does not happen stays as an object where the pile was.
            let pile = self.state.cell(slot, at::PILE);
            self.state.block.clear(pile);
            for member in members {
                let part = ObjectRef(member).slot();
                self.state.set_column(part, at::HOST, 0);
                self.state.set_zone(program, part, at::NOWHERE);
                if let Some(from) = from {
                    self.state.put_into_zone(program, part, from, false);
                }
                self.derived.mark_dirty(part);
            }
        } else {
            for member in members {
                self.state.set_column(ObjectRef(member).slot(), at::HOST, moved.0);
                self.state.set_zone(program, ObjectRef(member).slot(), into as u32);
                self.derived.record_slot_change(ObjectRef(member).slot());
            }
        }
        Some(moved)
    }

    /// Puts an object into another zone as the same object, without a new incarnation.
    fn shift(&mut self, it: ObjectRef, into: usize) -> Option<ObjectRef> {
        let slot = it.slot();
        if !self.state.exists(it) || into >= self.program.layout.instances || self.state.column(slot, at::HOST) != 0 {
            return None;
        }
        let program = Arc::clone(&self.program);
        self.state.remove_from_zone(&program, slot);
        self.state.put_into_zone(&program, slot, into, false);
        self.charge_items(FUEL_PER_MEMBER * self.state.pile(slot).len());
        for member in self.state.pile(slot).to_vec() {
            self.state.set_zone(&program, ObjectRef(member).slot(), into as u32);
        }
        self.derived.mark_all_dirty();
        Some(it)
    }

    /// Replaces the top object of a pile by the next member, which takes over zone position, statuses and the rest of the pile.
    /// Returns false if the incarnation limit is reached.
    fn promote_member(&mut self, it: ObjectRef) -> bool {
        let program = Arc::clone(&self.program);
        let slot = it.slot();
        let mut members = self.state.pile(slot).to_vec();
        let (Some(top), Some(zone)) = (members.pop(), self.state.zone(slot)) else { return true };
        let top = ObjectRef(top).slot();
        self.record_last_known(it);
        let pile = self.state.cell(slot, at::PILE);
        self.state.block.clear(pile);
        self.state.set_column(top, at::HOST, 0);
        if !self.new_incarnation(top) {
            return false;
        }
        self.state.copy_statuses(&program, slot, top);
        let controller = self.state.column(slot, at::CONTROLLER);
        self.state.set_column(top, at::CONTROLLER, controller);
        let stamp = self.state.take_timestamp();
        self.state.set_column(top, at::ENTERED_AT, stamp);
        self.state.put_into_zone(&program, top, zone, false);
        let holder = program.layout.zone(zone);
        let place = self.state.zone_items(&program, zone).iter().position(|item| *item == it.0);
        if let (Some(place), Some(item)) = (place, self.state.block.pop(holder)) {
            self.state.block.insert(holder, place, item);
        }
        let now = self.state.current(top);
        let pile = self.state.cell(top, at::PILE);
        for member in members {
            self.state.set_column(ObjectRef(member).slot(), at::HOST, now.0);
            self.state.block.push(pile, member);
        }
        self.derived.mark_dirty(top);
        true
    }

    fn leave_pile(&mut self, slot: usize, host: ObjectRef) {
        let holder = self.state.cell(host.slot(), at::PILE);
        let current = self.state.current(slot).0;
        if let Some(index) = self.state.block.list(holder).iter().position(|m| *m == current) {
            self.state.block.remove(holder, index);
        }
        self.state.set_column(slot, at::HOST, 0);
        let program = Arc::clone(&self.program);
        self.state.set_zone(&program, slot, at::NOWHERE);
    }

    /// Attaches an object: as a member of the host's pile (`below`), or on top of the host, whose pile and statuses it takes
    /// over.
    fn attach(&mut self, it: ObjectRef, host: ObjectRef, below: bool) -> Option<ObjectRef> {
        if !self.state.exists(it) || !self.state.exists(host) || it == host {
            return None;
        }
        let program = Arc::clone(&self.program);
        let (top, part) = if below { (host, it) } else { (it, host) };
        if ObjectRef(self.state.column(host.slot(), at::HOST)).slot() == it.slot()
            && self.state.column(host.slot(), at::HOST) != 0
        {
            return None; // An object cannot go under a member of its pile.
        }
        let zone = self.state.zone(host.slot())?;
        let host_controller = self.state.column(host.slot(), at::CONTROLLER);
        let place = self.state.zone_items(&program, zone).iter().position(|item| *item == host.0);
        self.record_last_known(if below { part } else { top });
        // Piles do not nest: the members of both objects' piles join the new pile.
        let mut members = Vec::new();
        for loses in if below { vec![part] } else { vec![top, part] } {
            self.charge_items(FUEL_PER_MEMBER * self.state.pile(loses.slot()).len());
            members.extend_from_slice(self.state.pile(loses.slot()));
            let pile = self.state.cell(loses.slot(), at::PILE);
            self.state.block.clear(pile);
        }
        for moved in if below { vec![part] } else { vec![top, part] } {
            let outer = ObjectRef(self.state.column(moved.slot(), at::HOST));
            let from = self.state.zone(moved.slot());
            if outer.is_none() {
                self.state.remove_from_zone(&program, moved.slot());
            } else {
                self.leave_pile(moved.slot(), outer);
            }
            if from != Some(zone) {
                let was = self.state.concealed(&program, moved.slot());
                self.carry_knowledge(&program, moved.slot(), (from, zone), (was, None));
            }
            if !self.new_incarnation(moved.slot()) {
                return None;
            }
        }
        if !below {
            let slot = top.slot();
            let entry = self.state.column(slot, at::ENTRY) as usize;
            if entry != 0 {
                self.state.set_column(slot, at::ENTRY, 0);
                self.release_entry(entry);
            }
            self.state.copy_statuses(&program, part.slot(), slot);
            self.state.set_column(slot, at::FACE, 0);
            self.state.set_column(slot, at::CONTROLLER, host_controller);
            let stamp = self.state.take_timestamp();
            self.state.set_column(slot, at::ENTERED_AT, stamp);
            self.state.put_into_zone(&program, slot, zone, false);
            if let Some(place) = place {
                let holder = program.layout.zone(zone);
                if let Some(item) = self.state.block.pop(holder) {
                    let place = place.min(self.state.block.len(holder));
                    self.state.block.insert(holder, place, item);
                }
            }
        }
        if !below {
            let emptied = self.state.cell(part.slot(), at::PILE);
            self.state.block.clear(emptied);
        }
        let top_now = self.state.current(top.slot());
        if !below {
            self.replace_object(host, top_now);
        }
        members.push(self.state.current(part.slot()).0);
        let pile = self.state.cell(top.slot(), at::PILE);
        for member in members {
            let slot = ObjectRef(member).slot();
            self.state.reset_statuses(&program, slot);
            self.state.set_column(slot, at::HOST, top_now.0);
            self.state.set_zone(&program, slot, zone as u32);
            self.state.block.push(pile, member);
            self.derived.mark_dirty(slot);
        }
        self.derived.mark_dirty(top.slot());
        Some(top_now)
    }

    /// Shuffles a zone. Its objects get new incarnations, so that no player can follow them.
    fn shuffle_zone(&mut self, instance: usize) {
        let program = Arc::clone(&self.program);
        let holder = program.layout.zone(instance);
        let items = self.state.block.list(holder).to_vec();
        self.charge_items(FUEL_PER_SHUFFLED * items.len());
        let mut shuffled = self.shuffled(items);
        self.order_as_scripted(&mut shuffled);
        let mut fresh = Vec::with_capacity(shuffled.len());
        for item in shuffled {
            let slot = ObjectRef(item).slot();
            if !self.new_incarnation(slot) {
                return;
            }
            self.state.set_column(slot, at::KNOWN_TO, 0);
            fresh.push(self.state.current(slot).0);
            self.derived.mark_dirty(slot);
        }
        self.state.block.replace(holder, &fresh);
    }
}

/// Returns the row of a created object if its words differ from the print: the creating text's words were changed (CR 612.4,
/// 707.2). Copies of the object copy them. `None` if they are as printed.
fn created_row(program: &Program, definition: u32, packed: i64) -> Option<Vec<u32>> {
    let words = program.library.changeable_words(program.definition(definition)?);
    let mut packed = packed;
    let mut now = Vec::new();
    for (traits, _) in &words {
        let set = program.library.traits.get(traits.index())?;
        let word = usize::try_from(packed % PACKED_WORD).ok()?.checked_sub(1)?;
        now.push((*traits, u16::try_from(word).ok().filter(|word| usize::from(*word) < set.words.len())?));
        packed /= PACKED_WORD;
    }
    if now == words {
        return None;
    }
    let mut row = program.templates.get(definition as usize)?.clone();
    for (changes, has) in [(&words, false), (&now, true)] {
        for (traits, word) in changes {
            let column = program.row.words.get(traits.index())? + usize::from(*word) / 32;
            let place = row.get_mut(column)?;
            *place = if has { *place | 1 << (word % 32) } else { *place & !(1 << (word % 32)) };
        }
    }
    Some(row)
}
