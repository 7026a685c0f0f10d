//! Additional fuel for continuous effects and crowded fields. Operations are counted where they run; the limit is in [`super::budgets`].
//!
//! Each change of the state may make the machine compute derived values, look for triggers and try replacements again. What that costs depends on
//! what caches hold, so it is not counted as it is done. Instead each change is charged for the largest part of it: in proportion to the live
//! effects, and to the square of the objects in the field where there are many. The charge depends on the state alone, so it is the same with and
//! without caches. Games between players stay far below: 20 effects and 60 permanents cost a thousandth of a decision's fuel with each hundred
//! changes.

use crate::records::EFFECT_WORDS;
use crate::state::layout as at;
use crate::vm::budgets::Budget;
use crate::vm::machine::Machine;

/// Fuel for each live effect at a change.
const FUEL_PER_EFFECT: u64 = 32;

/// Objects in the field that are free of charge: their static abilities cost less than the change itself.
const FREE_OBJECTS: u64 = 100;

impl Machine {
    /// Charges a change of the state for what it makes the machine compute again.
    pub(crate) fn charge_change(&mut self) {
        let effects = self.state.block.len(at::EFFECTS) as u64;
        let objects = self.field_size();
        if effects == 0 && objects <= FREE_OBJECTS {
            return;
        }
        let crowd = if objects > FREE_OBJECTS { objects * objects / 4 } else { 0 };
        self.scratch.fuel = self.scratch.fuel.saturating_add(effects * (FUEL_PER_EFFECT + objects / 4) + crowd);
    }

    /// Charges a new live effect, and ends the game if there are too many.
    pub(crate) fn charge_new_effect(&mut self) {
        self.scratch.fuel = self.scratch.fuel.saturating_add(EFFECT_WORDS as u64);
        self.charge_change();
        if self.state.block.len(at::EFFECTS) > self.limits.effects {
            self.exceed(Budget::Effects);
        }
    }

    /// The number of objects in the field.
    fn field_size(&self) -> u64 {
        let Some(kind) = self.program.field else { return 0 };
        let shared = self.program.library.zones.get(kind).is_some_and(|zone| !zone.each_player);
        let players = if shared { 1 } else { self.program.players() };
        let instances = (0..players).filter_map(|player| self.program.zone_instance(kind, player));
        instances.map(|instance| self.state.zone_items(&self.program, instance).len() as u64).sum()
    }
}
