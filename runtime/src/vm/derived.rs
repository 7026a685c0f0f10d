//! Derived values: controller, shown definition, properties, words and abilities of every object after continuous effects (CR
//! 613).
//!
//! A cache outside of the state and its hash: one row of columns per object slot. [`DerivedValues::mark_dirty`] and
//! [`DerivedValues::mark_effects_dirty`] invalidate it. Reading a valid row costs a load; fuel never includes a refresh.
//! [`DerivedValues::refresh`] recomputes only the rows of dirty slots if no active continuous effect reads them; else it
//! reapplies all effects, layer by layer ([`layers`], [`apply`]).
//! The invariant checker compares the cache with [`DerivedValues::from_scratch`] and [`DerivedValues::all_pairs`].

mod apply;
mod copiable_values;
mod layers;
mod text_change;
pub mod values;

pub use crate::records::NAMELESS;
pub use crate::records::last_known_text;
pub use copiable_values::{copiable_row, naming_definition};

use crate::ir::AbilityId;
use crate::ir::ObjectRef;
use crate::program::Program;
use crate::read_mask::ReadMask;
use crate::records::{EFFECT_COPIED, EFFECT_MODS, EFFECT_WHOM};
use crate::state::{State, layout as at};
use crate::vm::derived::values::{DerivedValues, FULL_REBUILD_THRESHOLD};
use crate::vm::scratch::Scratch;

impl DerivedValues {
    /// Brings the cache up to date. Costs nothing if nothing is dirty.
    #[inline]
    pub fn refresh(&mut self, program: &Program, state: &State, scratch: &mut Scratch) {
        if self.is_dirty() {
            self.make_up_to_date(program, state, scratch);
        }
    }

    fn make_up_to_date(&mut self, program: &Program, state: &State, scratch: &mut Scratch) {
        // The cost depends on what is cached, so it is not charged to the game's fuel, but counted apart.
        let fuel = std::mem::take(&mut scratch.fuel);
        if fuel > scratch.limit {
            scratch.give_up_derived_values();
        }
        let uncovering = std::mem::replace(&mut scratch.in_unconcealed_call, true);
        self.update(program, state, scratch);
        scratch.in_unconcealed_call = uncovering;
        let evaluated = std::mem::replace(&mut scratch.fuel, fuel);
        if evaluated > scratch.limit {
            scratch.give_up_derived_values();
        }
        scratch.count_derived_work(evaluated);
        if scratch.has_given_up_derived_values() {
            scratch.use_up_fuel();
            // What was computed is not all that applies.
            self.all_dirty = true;
        }
    }

    fn update(&mut self, program: &Program, state: &State, scratch: &mut Scratch) {
        self.stride = program.row.stride;
        let continuous = |record: &u32| {
            let record = *record as usize;
            state.block.len(record + EFFECT_MODS) != 0 || state.block.len(record + EFFECT_COPIED) != 0
        };
        let effects = state.block.list(at::EFFECTS).iter().any(continuous) || !program.rule_statics.is_empty();
        let matters = match self.effect_reads {
            None => effects,
            Some(watch) => watch.all || self.dirty.iter().any(|slot| self.is_slot_read(program, state, watch, *slot)),
        };
        let mut dirty = std::mem::take(&mut self.dirty);
        dirty.sort_unstable();
        dirty.dedup();
        self.rows.resize(state.slots() * self.stride, 0);
        if self.all_dirty || self.holders.len() != program.bundles.len() {
            self.rebuild(program, state, scratch);
        } else if self.effects_dirty || matters {
            let local = self.effect_reads.is_some() && self.is_local && !self.effects_dirty;
            let alone = local && !dirty.iter().any(|slot| self.is_source(*slot));
            if !alone || !self.rebuild_slots(program, state, scratch, &dirty) {
                self.reapply_all(program, state, scratch, &dirty);
            }
        } else {
            for slot in &dirty {
                self.reset(program, state, *slot);
                self.record_kind(program, state, *slot);
            }
            let started = match self.effect_reads {
                None => self.any_static_works(program, state),
                Some(_) => dirty.iter().any(|slot| self.has_working_static(program, state, *slot)),
            };
            if started {
                self.reapply_all(program, state, scratch, &dirty);
            }
        }
        dirty.clear();
        self.dirty = dirty;
        self.all_dirty = false;
        self.effects_dirty = false;
    }

    /// Computes the cache from scratch, for the invariant checker.
    #[must_use]
    pub fn from_scratch(program: &Program, state: &State, scratch: &mut Scratch) -> Self {
        Self::compute(program, state, scratch, false)
    }

    /// As [`DerivedValues::from_scratch`], trying every pair of effects of a layer for dependency, regardless of what they read
    /// and write.
    #[must_use]
    pub fn all_pairs(program: &Program, state: &State, scratch: &mut Scratch) -> Self {
        Self::compute(program, state, scratch, true)
    }

    fn compute(program: &Program, state: &State, scratch: &mut Scratch, all_pairs: bool) -> Self {
        let mut derived = Self { stride: program.row.stride, tries_all_pairs: all_pairs, ..Self::default() };
        let fuel = std::mem::take(&mut scratch.fuel);
        let uncovering = std::mem::replace(&mut scratch.in_unconcealed_call, true);
        derived.rebuild(program, state, scratch);
        scratch.in_unconcealed_call = uncovering;
        let evaluated = std::mem::replace(&mut scratch.fuel, fuel);
        if evaluated > scratch.limit {
            scratch.give_up_derived_values();
        }
        scratch.count_derived_work(evaluated);
        derived
    }

    /// Returns whether active effects read a slot in its old or new zone, are locked to its object, or come from it.
    fn is_slot_read(&self, program: &Program, state: &State, watch: ReadMask, slot: usize) -> bool {
        let before = self.kinds.get(slot).copied().unwrap_or(0).checked_sub(1).map(usize::from);
        let now = state.zone(slot).map(|zone| program.layout.kind(zone));
        let it = state.current(slot);
        let locked = |record: &u32| state.block.list(*record as usize + EFFECT_WHOM).contains(&it.0);
        before.into_iter().chain(now).any(|kind| watch.reads_zone(kind))
            || self.sources.contains(&slot)
            || state.block.list(at::EFFECTS).iter().any(locked)
    }

    fn record_kind(&mut self, program: &Program, state: &State, slot: usize) {
        if self.kinds.len() <= slot {
            self.kinds.resize(slot + 1, 0);
        }
        if let Some(kind) = self.kinds.get_mut(slot) {
            *kind = state.zone(slot).map_or(0, |zone| program.layout.kind(zone) as u8 + 1);
        }
    }

    /// Returns whether a slot has a static ability that works in its zone.
    fn has_working_static(&self, program: &Program, state: &State, slot: usize) -> bool {
        let works = |(unit, ability): &(u32, AbilityId)| {
            let zones = program.library.abilities.get(ability.index()).map_or(0, |a| a.zones);
            let column = program.row.bundles + *unit as usize / 32;
            state.is_in_zone_kinds(program, slot, zones) && self.word(slot, column) & (1 << (unit % 32)) != 0
        };
        state.column(slot, at::HOST) == 0 && program.statics.iter().any(works)
    }

    /// Returns whether any object has a static ability that works in its zone.
    fn any_static_works(&self, program: &Program, state: &State) -> bool {
        program.statics.iter().any(|(unit, ability)| {
            let zones = program.library.abilities.get(ability.index()).map_or(0, |a| a.zones);
            self.holders(*unit).iter().any(|it| state.is_in_zone_kinds(program, it.slot(), zones))
        })
    }

    /// Removes an object from the holder lists of its bundles.
    fn remove_from_holders(&mut self, program: &Program, slot: usize) {
        self.for_each_holder_list(program, slot, |holders| {
            let place = holders.partition_point(|other| other.slot() < slot);
            if holders.get(place).is_some_and(|other| other.slot() == slot) {
                holders.remove(place);
            }
        });
    }

    /// Adds an object to the holder lists of its bundles.
    fn add_to_holders(&mut self, program: &Program, state: &State, slot: usize) {
        if state.zone(slot).is_none() || state.column(slot, at::HOST) != 0 {
            return;
        }
        let it = state.current(slot);
        self.for_each_holder_list(program, slot, |holders| {
            let place = holders.partition_point(|other| other.slot() < slot);
            match holders.get_mut(place).filter(|other| other.slot() == slot) {
                Some(same) => *same = it,
                None => holders.insert(place, it),
            }
        });
    }

    /// Applies a function to the holder list of each bundle that an object has.
    fn for_each_holder_list(&mut self, program: &Program, slot: usize, mut does: impl FnMut(&mut Vec<ObjectRef>)) {
        for word in 0..program.row.bundle_words {
            let mut bits = self.word(slot, program.row.bundles + word);
            while bits != 0 {
                let unit = word * 32 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                self.holders.get_mut(unit).into_iter().for_each(&mut does);
            }
        }
    }

    /// Resets objects to their values without effects.
    fn reset_all(&mut self, program: &Program, state: &State, slots: &[usize]) {
        if slots.len() < FULL_REBUILD_THRESHOLD {
            slots.iter().for_each(|slot| self.reset(program, state, *slot));
        } else {
            slots.iter().for_each(|slot| self.write_base_row(program, state, *slot));
            self.rebuild_holders(program, state);
        }
    }

    /// Resets an object to its values without effects.
    fn reset(&mut self, program: &Program, state: &State, slot: usize) {
        self.remove_from_holders(program, slot);
        self.write_base_row(program, state, slot);
        self.add_to_holders(program, state, slot);
    }

    fn write_base_row(&mut self, program: &Program, state: &State, slot: usize) {
        let start = slot * self.stride;
        if let Some(row) = self.rows.get_mut(start..start + self.stride) {
            copiable_values::write_base_row(program, state, slot, row);
        }
    }

    fn rebuild_holders(&mut self, program: &Program, state: &State) {
        self.holders.resize(program.bundles.len(), Vec::new());
        for holders in &mut self.holders {
            holders.clear();
        }
        for slot in 1..state.slots() {
            if state.zone(slot).is_some() && state.column(slot, at::HOST) == 0 {
                let it = state.current(slot);
                self.for_each_holder_list(program, slot, |holders| holders.push(it));
            }
        }
        self.units_written = false;
    }
}
