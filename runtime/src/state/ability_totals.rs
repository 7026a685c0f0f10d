//! The numbers of abilities of all objects, kept as objects move: fuel is charged by them at each change, so they must not be counted from scratch each time.

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

    fn change_totals(&mut self, before: [u32; 2], now: [u32; 2]) {
        if before == now {
            return;
        }
        for (number, (before, now)) in before.into_iter().zip(now).enumerate() {
            let total = self.block.get(at::ABILITY_TOTALS + number);
            self.block.set(at::ABILITY_TOTALS + number, total.wrapping_sub(before).wrapping_add(now));
        }
    }

    /// The static abilities of objects in other zones than the field, and all abilities, by the definitions of the objects.
    #[must_use]
    pub fn ability_totals(&self) -> [u32; 2] {
        [self.block.get(at::ABILITY_TOTALS), self.block.get(at::ABILITY_TOTALS + 1)]
    }

    /// The same numbers, counted from scratch.
    #[must_use]
    pub fn count_abilities(&self, program: &LinkedTables) -> [u32; 2] {
        let of = |slot| abilities_of(program, self.column(slot, at::DEFINITION), self.column(slot, at::ZONE));
        (1..self.slots())
            .map(of)
            .fold([0, 0], |[others, all], [more_others, more]| [others.wrapping_add(more_others), all.wrapping_add(more)])
    }
}

/// The static abilities of an object of a definition, if its zone is not the field, and all its abilities. An object in no zone has none.
fn abilities_of(program: &LinkedTables, definition: u32, zone: u32) -> [u32; 2] {
    let counts = &program.ability_counts;
    let all = counts.abilities.get(definition as usize).copied().unwrap_or(0);
    if all == 0 || zone >= at::NOT_YET_PLACED {
        return [0, 0];
    }
    let is_field = Some(program.layout.kind(zone as usize)) == program.field;
    let others = if is_field { 0 } else { counts.statics_elsewhere.get(definition as usize).copied().unwrap_or(0) };
    [others, all]
}
