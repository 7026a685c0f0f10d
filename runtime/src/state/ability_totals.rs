//! The numbers of abilities and copies among all objects, kept as objects move: fuel is charged by them at each change, so they must not be counted from
//! scratch each time.

use super::State;
use super::layout as at;
use crate::tables::LinkedTables;

impl State {
    /// Sets the zone of a slot: an instance, [`at::NOWHERE`] or [`at::NOT_YET_PLACED`]. The lists of zones are not changed.
    pub fn set_zone(&mut self, program: &LinkedTables, slot: usize, zone: u32) {
        let definition = self.column(slot, at::DEFINITION);
        let before = abilities_of(program, definition, self.column(slot, at::ZONE));
        self.set_column(slot, at::ZONE, zone);
        self.change_totals(before, abilities_of(program, definition, zone));
    }

    /// Sets the definition of a slot.
    pub fn set_definition(&mut self, program: &LinkedTables, slot: usize, definition: u32) {
        let zone = self.column(slot, at::ZONE);
        let before = abilities_of(program, self.column(slot, at::DEFINITION), zone);
        self.set_column(slot, at::DEFINITION, definition);
        self.change_totals(before, abilities_of(program, definition, zone));
    }

    /// Writes the copy of a slot: its flags and the copied row; nothing if it is no copy.
    pub fn write_copy(&mut self, slot: usize, words: &[u32]) {
        let copies = |state: &Self| [0, 0, u32::from(!state.copied_row(slot).is_empty())];
        let before = copies(self);
        let holder = self.cell(slot, at::COPY);
        self.block.replace(holder, words);
        self.change_totals(before, copies(self));
    }

    fn change_totals(&mut self, before: Totals, now: Totals) {
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
    pub fn ability_totals(&self) -> Totals {
        [0, 1, 2].map(|number| self.block.get(at::ABILITY_TOTALS + number))
    }

    /// The same numbers, counted from scratch.
    #[must_use]
    pub fn count_abilities(&self, program: &LinkedTables) -> Totals {
        (1..self.slots()).fold([0; 3], |[statics, all, copies], slot| {
            let [more_statics, more, _] = abilities_of(program, self.column(slot, at::DEFINITION), self.column(slot, at::ZONE));
            let is_copy = u32::from(!self.copied_row(slot).is_empty());
            [statics.wrapping_add(more_statics), all.wrapping_add(more), copies + is_copy]
        })
    }
}

/// The static abilities of objects that are active in the zone of the object, all abilities, both by the definitions of the objects, and the number of
/// copies.
pub type Totals = [u32; 3];

/// The abilities of an object of a definition. An object in no zone has none.
fn abilities_of(program: &LinkedTables, definition: u32, zone: u32) -> Totals {
    let counts = &program.ability_counts;
    let all = counts.abilities.get(definition as usize).copied().unwrap_or(0);
    if all == 0 || zone >= at::NOT_YET_PLACED {
        return [0; 3];
    }
    let is_field = Some(program.layout.kind(zone as usize)) == program.field;
    let statics = if is_field { &counts.statics_in_field } else { &counts.statics_elsewhere };
    [statics.get(definition as usize).copied().unwrap_or(0), all, 0]
}
