//! Bounds the number of live effects (effects with a duration and delayed triggers) and charges additional fuel for them and for crowded fields. Operations are counted where they run; the limit is in [`super::budgets`].
//!
//! Each change of the state may make the machine compute derived values, look for triggers and try replacements again. What that costs depends on
//! what caches hold, so it is not counted as it is done. Instead each change is charged for the largest part of it: in proportion to the live
//! effects, and to the square of the objects in the field and of their static abilities where there are many, since each may depend on each. The
//! charge depends on the state alone, so it is the same with and without caches. Games between players stay below: with 20 effects a
//! hundred changes cost a thousandth of a decision's fuel, with 60 static abilities a seventh.

use crate::records::{EFFECT_MODS, EFFECT_WORDS};
use crate::state::layout as at;
use crate::vm::budgets::Budget;
use crate::vm::machine::Machine;

/// Fuel for each live effect at a change.
const FUEL_PER_EFFECT: u64 = 32;

/// Objects in the field that are free of charge: their static abilities cost less than the change itself.
const FREE_OBJECTS: u64 = 100;

/// Fuel for each event that is committed.
const FUEL_PER_EVENT: usize = 16;

/// Fuel for each member of a pile that moves.
pub(crate) const FUEL_PER_MEMBER: usize = 32;

/// Fuel for each object of a zone that is shuffled: it becomes a new one.
pub(crate) const FUEL_PER_SHUFFLED: usize = 4;

/// Static abilities that are free of charge. To try their pairs costs less than the change itself.
const FREE_STATICS: u64 = 4;

/// Fuel for each pair of static abilities: whether one depends on the other may be tried.
const FUEL_PER_PAIR: u64 = 8;

/// Abilities in all zones that are free of charge: looking through them costs less than the change itself.
const FREE_ABILITIES: u64 = 1_024;

/// Fuel for each further ability: each event goes through those that its action may trigger.
const FUEL_PER_ABILITY: u64 = 16;

/// Effects and objects, one of each, that cost as much as an operation if the effect is applied to the object.
const PAIRS_PER_FUEL: u64 = 3;

impl Machine {
    /// Charges a change of the state for what it makes the machine compute again.
    pub(crate) fn charge_change(&mut self) {
        let effects = self.state.block.len(at::EFFECTS) as u64;
        let grants = self.program.ability_counts.granted > 0;
        // No more objects are in the field than there are.
        if effects == 0 && !grants && self.state.slots() as u64 <= FREE_OBJECTS {
            self.charge_abilities(0);
            return;
        }
        let objects = self.field_size();
        self.charge_abilities(objects);
        let crowd = if objects > FREE_OBJECTS { objects * objects / 4 } else { 0 };
        self.scratch.fuel = self.scratch.fuel.saturating_add(effects * (FUEL_PER_EFFECT + objects / 4) + crowd);
    }

    /// Charges an event of a batch for the continuous effects that are applied again before the next one, to each object of the field.
    pub(crate) fn charge_reapplied_effects(&mut self) {
        let effects = self.statics_at_work() + self.state.block.len(at::EFFECTS) as u64;
        self.scratch.fuel = self.scratch.fuel.saturating_add(effects * self.field_size() / PAIRS_PER_FUEL);
    }

    /// Charges the events of a batch, of which some are committed: all of them are looked at again, and a committed one can be a record of the log.
    pub(crate) fn charge_events(&mut self, all: usize, committed: usize) {
        self.charge_items(all + FUEL_PER_EVENT * committed);
    }

    /// Charges work on a list that the number of operations does not show, such as shuffling a zone.
    pub(crate) fn charge_items(&mut self, items: usize) {
        self.scratch.fuel = self.scratch.fuel.saturating_add(items as u64);
    }

    /// Charges a new live effect, and ends the game if there are too many.
    pub(crate) fn charge_new_effect(&mut self) {
        self.scratch.fuel = self.scratch.fuel.saturating_add(EFFECT_WORDS as u64);
        self.charge_change();
        if self.state.block.len(at::EFFECTS) > self.limits.effects {
            self.exceed(Budget::Effects);
        }
    }

    /// The active static abilities of all objects. A copy may have as many as any definition.
    fn statics_at_work(&self) -> u64 {
        let [statics, _, copies, _] = self.state.ability_totals().map(u64::from);
        statics + copies * u64::from(self.program.ability_counts.max_in_field)
    }

    /// Charges a change for the abilities of the objects, which are counted as objects move (`state::ability_totals`). A copy may give as many static
    /// abilities as any definition.
    fn charge_abilities(&mut self, objects: u64) {
        let counts = &self.program.ability_counts;
        let [_, all, copies, mut granting] = self.state.ability_totals().map(u64::from);
        let statics = self.statics_at_work();
        let mut charge = all.saturating_sub(FREE_ABILITIES) * FUEL_PER_ABILITY;
        if statics > FREE_STATICS {
            charge += statics * statics * FUEL_PER_PAIR;
        }
        if counts.granted > 0 {
            granting += copies * u64::from(counts.max_granting) + self.granting_effects();
            // Each gives abilities to each object, which may affect each object; and after each of them all given abilities are searched for new ones.
            let given = 3 * granting * objects;
            charge = given.saturating_mul(u64::from(counts.granted)).saturating_mul(granting + objects).saturating_add(charge);
        }
        self.scratch.fuel = self.scratch.fuel.saturating_add(charge);
    }

    /// The number of live effects that give static abilities.
    fn granting_effects(&self) -> u64 {
        let block = &self.state.block;
        let gives = |effect: &u32| {
            let changes = block.list(*effect as usize + EFFECT_MODS);
            changes.iter().any(|id| self.program.ability_counts.granting_modifications.get(*id as usize) == Some(&true))
        };
        block.list(at::EFFECTS).iter().filter(|effect| gives(effect)).count() as u64
    }

    /// The number of objects in the field.
    fn field_size(&self) -> u64 {
        self.program.field_instances.iter().map(|instance| self.state.zone_items(&self.program, *instance).len() as u64).sum()
    }
}
