//! The numbers of abilities and copies among all objects, kept as objects move: fuel is charged by them at each change, so they must not be counted from
//! scratch each time.

use super::State;
use super::layout as at;
use crate::tables::LinkedTables;

impl State {
    /// Sets the zone of a slot: an instance, [`at::NOWHERE`] or [`at::NOT_YET_PLACED`]. The lists of zones are not changed.
    pub fn set_zone(&mut self, program: &LinkedTables, slot: usize, zone: u32) {
        let before = self.totals_of(program, slot);
        self.set_column(slot, at::ZONE, zone);
        self.change_totals(before, self.totals_of(program, slot));
    }

    /// Sets the definition of a slot.
    pub fn set_definition(&mut self, program: &LinkedTables, slot: usize, definition: u32) {
        let before = self.totals_of(program, slot);
        self.set_column(slot, at::DEFINITION, definition);
        self.change_totals(before, self.totals_of(program, slot));
    }

    /// Writes the copy of a slot: its flags and the copied row; nothing if it is no copy.
    pub fn write_copy(&mut self, program: &LinkedTables, slot: usize, words: &[u32]) {
        let before = self.totals_of(program, slot);
        let holder = self.cell(slot, at::COPY);
        self.block.replace(holder, words);
        self.change_totals(before, self.totals_of(program, slot));
    }

    /// The share of an object in the totals. An object in no zone has none.
    fn totals_of(&self, program: &LinkedTables, slot: usize) -> AbilityTotals {
        let (definition, zone) = (self.column(slot, at::DEFINITION) as usize, self.column(slot, at::ZONE));
        if zone >= at::NOT_YET_PLACED {
            return [0; 4];
        }
        let counts = &program.ability_counts;
        let of = |numbers: &[u32]| numbers.get(definition).copied().unwrap_or(0);
        let in_field = Some(program.layout.kind(zone as usize)) == program.field;
        let is_copy = in_field && !self.copied_row(slot).is_empty();
        let statics = if is_copy { 0 } else { of(if in_field { &counts.statics_in_field } else { &counts.statics_elsewhere }) };
        let granting = if in_field && !is_copy { of(&counts.granting_in_field) } else { 0 };
        [statics, of(&counts.abilities), u32::from(is_copy), granting]
    }

    fn change_totals(&mut self, before: AbilityTotals, now: AbilityTotals) {
        if before == now {
            return;
        }
        for (number, (before, now)) in before.into_iter().zip(now).enumerate() {
            let total = self.block.get(at::ABILITY_TOTALS + number);
            self.block.set(at::ABILITY_TOTALS + number, total.wrapping_sub(before).wrapping_add(now));
        }
    }

    /// The numbers as they were kept.
    #[must_use]
    pub fn ability_totals(&self) -> AbilityTotals {
        [0, 1, 2, 3].map(|number| self.block.get(at::ABILITY_TOTALS + number))
    }

    /// The same numbers, counted from scratch.
    #[must_use]
    pub fn count_abilities(&self, program: &LinkedTables) -> AbilityTotals {
        let add = |all: AbilityTotals, more: AbilityTotals| std::array::from_fn(|n| all[n].wrapping_add(more[n]));
        (1..self.slots()).map(|slot| self.totals_of(program, slot)).fold([0; 4], add)
    }
}

/// The static abilities of objects that are active in the zone of the object, all abilities, both by the definitions of the objects; the number of
/// copies in the field, whose static abilities are counted nowhere here; and those of the first that may give static abilities.
pub type AbilityTotals = [u32; 4];
