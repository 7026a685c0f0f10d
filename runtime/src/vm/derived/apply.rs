//! What a continuous effect does in one layer: whether it exists, on what it works, and the values that it writes.

use super::layers::LayerEffect;
use super::{ActiveClause, ActiveProhibition, DerivedValues, EFFECT_COPIED, EffectArgs};
use crate::ir::{AbilityBundleId, AbilityKind, Change, FnId, Modification, ModificationId, TraitSetId, WordSetChange, has_zone};
use crate::program::Program;
use crate::state::{ObjectRef, State};
use crate::vm::eval::{EvalContext, Scratch};
use crate::vm::inline_vecs::{Args, Slots};
use crate::vm::optimized::{LANES, MOST_CAPTURES};
use smallvec::SmallVec;
use std::collections::BTreeSet;

/// What has begun to apply.
#[derive(Debug, Default)]
pub(super) struct LayerProgress {
    /// Effects that go on in later layers though their source lost them (CR 613.6).
    pub(super) begun: BTreeSet<usize>,
    /// What they began to affect, and affect in later layers too: effect, selector, slots.
    kept: Vec<(usize, Option<FnId>, Slots)>,
    /// Effects of this layer that were found to depend on each other in a circle.
    pub(super) circles: Vec<Vec<usize>>,
}

impl LayerProgress {
    fn slots(&self, c: &LayerEffect, change: &Modification) -> Option<Slots> {
        let known = self.kept.iter().find(|(family, selector, _)| *family == c.family && *selector == change.selector);
        known.map(|(_, _, slots)| slots.clone())
    }
}

/// A change of one object, ready to be written.
struct ValueWrite<'a> {
    change: &'a Change,
    slot: usize,
    value: i64,
    /// The bound of what is added, the word that another one stands for.
    floor: Option<i64>,
}

impl DerivedValues {
    /// The first arguments of an effect's functions: the controller of a static ability is whoever controls its source by now.
    fn args_now(&self, c: &LayerEffect) -> EffectArgs {
        let mut args = c.args.clone();
        if c.unit.is_some()
            && let Some(you) = args.get_mut(1)
        {
            *you = i64::from(self.word(c.source.slot(), 0) as i32);
        }
        args
    }

    /// Whether an effect exists now: begun in an earlier layer, or its ability is still there and its condition holds.
    pub(super) fn works(
        &self,
        program: &Program,
        state: &State,
        scratch: &mut Scratch,
        c: &LayerEffect,
        progress: &LayerProgress,
    ) -> bool {
        if progress.begun.contains(&c.family) {
            return true;
        }
        if let Some(unit) = c.unit {
            let column = program.row.units + unit as usize / 32;
            if self.word(c.source.slot(), column) & (1 << (unit % 32)) == 0 {
                return false;
            }
        }
        let condition = c.ability.and_then(|a| program.library.abilities.get(a.index())).and_then(|a| match &a.kind {
            AbilityKind::Static { condition, .. } => *condition,
            _ => None,
        });
        let world = EvalContext { program, state, derived: self };
        condition.is_none_or(|f| world.test(scratch, f, self.args_now(c).get(..2).unwrap_or(&[])))
    }

    /// The slots that a change of an effect affects now.
    fn affected(&self, program: &Program, state: &State, scratch: &mut Scratch, c: &LayerEffect, change: &Modification) -> Slots {
        let meant = |slot: &usize| self.restricted_slots.is_empty() || self.restricted_slots.contains(slot);
        if let Some(whom) = &c.whom {
            return whom
                .iter()
                .map(|it| ObjectRef(*it))
                .filter(|it| state.exists(*it))
                .map(ObjectRef::slot)
                .filter(meant)
                .collect();
        }
        let Some(selector) = change.selector else {
            return Some(c.source.slot()).filter(|slot| state.exists(c.source) && meant(slot)).into_iter().collect();
        };
        let world = EvalContext { program, state, derived: self };
        let mut slots = Slots::new();
        let mut args = self.args_now(c);
        let zones = (0..program.layout.instances).filter(|zone| has_zone(change.zones, program.layout.kind(*zone)));
        let items = zones.map(|zone| state.zone_items(program, zone));
        if self.restricted_slots.is_empty() && args.len() <= MOST_CAPTURES {
            let mut filter = world.applied(scratch, selector, &args);
            for some in items.flat_map(|items| items.chunks(LANES)) {
                let mut objects = [0; LANES];
                let Some(objects) = objects.get_mut(..some.len()) else { continue };
                objects.iter_mut().zip(some).for_each(|(place, item)| *place = *item as i32);
                let kept = world.retain_lanes(scratch, &mut filter, objects);
                slots.extend(objects.iter().take(kept).map(|item| ObjectRef(*item as u32).slot()));
            }
            return slots;
        }
        args.push(0);
        for item in items.flatten().filter(|item| meant(&ObjectRef(**item).slot())) {
            if let Some(last) = args.last_mut() {
                *last = ObjectRef(*item).value();
            }
            if world.test(scratch, selector, &args) {
                slots.push(ObjectRef(*item).slot());
            }
        }
        slots
    }

    /// The values of an effect's function for some slots.
    fn values(&self, program: &Program, state: &State, scratch: &mut Scratch, c: &LayerEffect, f: FnId, slots: &[usize]) -> Args {
        let world = EvalContext { program, state, derived: self };
        let args = self.args_now(c);
        let object = |slot: &usize| state.current(*slot);
        if args.len() > MOST_CAPTURES {
            let of = |slot: &usize| {
                let all: Args = args.iter().copied().chain([object(slot).value()]).collect();
                world.number(scratch, f, &all)
            };
            return slots.iter().map(of).collect();
        }
        let mut function = world.applied(scratch, f, &args);
        let mut all = Args::new();
        for some in slots.chunks(LANES) {
            let (mut objects, mut values) = ([0; LANES], [0; LANES]);
            let Some(objects) = objects.get_mut(..some.len()) else { continue };
            objects.iter_mut().zip(some).for_each(|(place, slot)| *place = object(slot).0 as i32);
            world.apply_to_all(scratch, &mut function, objects, &mut values);
            all.extend_from_slice(values.get(..some.len()).unwrap_or(&[]));
        }
        all
    }

    /// What could change by another effect: whether it works, on whom, with which values.
    pub(super) fn footprint(
        &self,
        program: &Program,
        state: &State,
        scratch: &mut Scratch,
        c: &LayerEffect,
        progress: &LayerProgress,
    ) -> Option<Vec<(Slots, Args)>> {
        if !self.works(program, state, scratch, c, progress) {
            return None;
        }
        let mut all = Vec::new();
        for change in c.changes.iter().filter_map(|id| program.change(id.0)) {
            let slots = match progress.slots(c, change) {
                Some(slots) => slots,
                None => self.affected(program, state, scratch, c, change),
            };
            let mut values = Args::new();
            for f in value_of(&change.change).into_iter().chain(floor_of(&change.change)) {
                values.extend(self.values(program, state, scratch, c, f, &slots));
            }
            all.push((slots, values));
        }
        Some(all)
    }

    /// Applies an effect in its layer: all that it affects is found, and all values are computed, before anything is written.
    pub(super) fn apply(
        &mut self,
        program: &Program,
        state: &State,
        scratch: &mut Scratch,
        c: &LayerEffect,
        mut progress: Option<&mut LayerProgress>,
    ) {
        if let Some(progress) = progress.as_deref_mut() {
            progress.begun.insert(c.family);
        }
        if let Some(record) = c.copied {
            let row = state.block.list(record + EFFECT_COPIED);
            for it in c.whom.iter().flatten().map(|it| ObjectRef(*it)).filter(|it| state.exists(*it)) {
                let start = it.slot() * self.stride;
                if let Some(place) = self.rows.get_mut(start..start + self.stride) {
                    place.iter_mut().zip(row).skip(1).for_each(|(place, word)| *place = *word);
                    super::copiable_values::disguise(program, state, it.slot(), place);
                }
                self.mark_written(it.slot());
                self.units_written = true;
                self.copies.retain(|(other, _), _| *other != it.slot());
            }
            return;
        }
        let mut writes: SmallVec<[ValueWrite<'_>; 8]> = SmallVec::new();
        for id in &c.changes {
            let Some(change) = program.change(id.0) else { continue };
            if let Change::Clause(_) = &change.change {
                let args = self.args_now(c);
                self.clauses.push(ActiveClause { change: *id, args, ability: c.ability });
                continue;
            }
            if let Change::Cannot(pattern) = &change.change {
                let args = self.args_now(c);
                self.forbidding.push(ActiveProhibition { pattern: pattern.clone(), args, ability: c.ability });
                continue;
            }
            let known = progress.as_ref().and_then(|progress| progress.slots(c, change));
            let slots = match known {
                Some(slots) => slots,
                None => {
                    let slots = self.affected(program, state, scratch, c, change);
                    if let Some(progress) = progress.as_deref_mut() {
                        progress.kept.push((c.family, change.selector, slots.clone()));
                    }
                    slots
                }
            };
            let mut numbers = |f: FnId| self.values(program, state, scratch, c, f, &slots);
            let values = value_of(&change.change).map(&mut numbers);
            let floors = floor_of(&change.change).map(&mut numbers);
            for (n, slot) in slots.into_iter().enumerate() {
                let value = values.as_ref().and_then(|values| values.get(n)).copied().unwrap_or(0);
                let floor = floors.as_ref().and_then(|floors| floors.get(n)).copied();
                // CR 800.4a, b: nobody who left controls anything by an effect.
                let gone = usize::try_from(value).is_ok_and(|seat| state.has_left(seat));
                if gone && matches!(change.change, Change::Controller(_)) {
                    continue;
                }
                writes.push(ValueWrite { change: &change.change, slot, value, floor });
            }
        }
        for write in writes {
            self.write(program, &write, c.copy);
        }
    }

    /// A row of copied values with exceptions for the object that becomes the copy.
    pub(in crate::vm) fn with_changes(
        world: EvalContext<'_>,
        scratch: &mut Scratch,
        row: Vec<u32>,
        it: ObjectRef,
        changes: &[ModificationId],
        args: &[i64],
    ) -> Vec<u32> {
        let program = world.program;
        let mut args = args.to_vec();
        args.push(it.value());
        let mut alone = Self { rows: row, stride: program.row.stride, ..Self::default() };
        for change in changes.iter().filter_map(|id| program.change(id.0)).map(|m| &m.change) {
            let mut number = |f: FnId| world.number(scratch, f, &args);
            let value = value_of(change).map_or(0, &mut number);
            let floor = floor_of(change).map(&mut number);
            alone.write(program, &ValueWrite { change, slot: 0, value, floor }, 1);
        }
        alone.rows
    }

    /// `copy`: of an ability that its source has more than once, which one.
    fn write(&mut self, program: &Program, write: &ValueWrite<'_>, copy: u32) {
        let slot = write.slot;
        let property = |number: u16| program.row.properties + usize::from(number);
        match write.change {
            Change::Add { property: number, .. } => {
                let before = i64::from(self.word(slot, property(*number)) as i32);
                let after = before.saturating_add(write.value);
                let after = write.floor.map_or(after, |floor| after.max(floor.min(before)));
                self.set_word(slot, property(*number), after as i32 as u32);
            }
            Change::Set { property: number, .. } => self.set_word(slot, property(*number), write.value as i32 as u32),
            Change::Switch(a, b) => {
                let [first, second] = [*a, *b].map(|number| self.word(slot, property(number)));
                self.set_word(slot, property(*a), second);
                self.set_word(slot, property(*b), first);
            }
            Change::Controller(_) => self.set_word(slot, 0, write.value as u32),
            Change::Word(traits, word) => self.write_word(program, slot, *traits, usize::from(*word), true),
            Change::NotWord(traits, word) => self.write_word(program, slot, *traits, usize::from(*word), false),
            Change::NoWords(traits) => self.write_words(program, slot, *traits, false),
            Change::AllWords(traits) => self.write_words(program, slot, *traits, true),
            Change::Given { traits, how, .. } => {
                let words = program.library.traits.get(traits.index()).map_or(0, |set| set.words.len());
                let Some(word) = word_of(write.value).filter(|word| *word < words) else { return };
                if *how == WordSetChange::Alone {
                    self.write_words(program, slot, *traits, false);
                }
                self.write_word(program, slot, *traits, word, *how != WordSetChange::Lost);
            }
            Change::Instead { traits, .. } => {
                self.write_text(program, slot, *traits, [write.value, write.floor.unwrap_or(0)]);
            }
            Change::Unit(unit) => self.write_unit(program, slot, *unit, copy),
            Change::Pick { units, .. } => {
                if let Some(unit) = word_of(write.value).and_then(|number| units.get(number)) {
                    self.write_unit(program, slot, *unit, copy);
                }
            }
            Change::NotKeyword(keyword) => {
                self.units_written = true;
                for (dense, id) in program.units.iter().enumerate() {
                    let unit = program.format.units.get(id.index());
                    if unit.is_some_and(|u| u.keyword.as_ref().is_some_and(|(k, _)| k == keyword)) {
                        let column = program.row.units + dense / 32;
                        let bits = self.word(slot, column) & !(1 << (dense % 32));
                        self.set_word(slot, column, bits);
                        self.copies.remove(&(slot, dense as u32));
                    }
                }
            }
            Change::NoAbilities => {
                self.units_written = true;
                for word in 0..program.row.unit_words {
                    self.set_word(slot, program.row.units + word, 0);
                }
                self.copies.retain(|(other, _), _| *other != slot);
            }
            Change::NoStatics => {
                self.units_written = true;
                for (word, bits) in program.static_units.iter().enumerate() {
                    let column = program.row.units + word;
                    let left = self.word(slot, column) & !bits;
                    self.set_word(slot, column, left);
                }
                self.copies.retain(|(other, unit), _| {
                    let bits = program.static_units.get(*unit as usize / 32).copied().unwrap_or(0);
                    *other != slot || bits & (1 << (unit % 32)) == 0
                });
            }
            Change::Cannot(_) | Change::Clause(_) => {}
        }
    }

    fn write_unit(&mut self, program: &Program, slot: usize, unit: AbilityBundleId, copy: u32) {
        let Ok(dense) = program.units.binary_search(&unit) else { return };
        self.units_written = true;
        let column = program.row.units + dense / 32;
        let before = self.word(slot, column);
        let bit = 1 << (dense % 32);
        // What is granted by something granted twice counts once: grants that grant themselves come to an end.
        if before & bit != 0 && copy == 0 {
            *self.copies.entry((slot, dense as u32)).or_insert(0) += 1;
        }
        self.set_word(slot, column, before | bit);
    }

    fn write_word(&mut self, program: &Program, slot: usize, traits: TraitSetId, word: usize, has: bool) {
        let column = program.row.words.get(traits.index()).copied().unwrap_or(0) + word / 32;
        let bit = 1u32 << (word % 32);
        let before = self.word(slot, column);
        self.set_word(slot, column, if has { before | bit } else { before & !bit });
    }

    /// All words of a set, or none.
    fn write_words(&mut self, program: &Program, slot: usize, traits: TraitSetId, all: bool) {
        let first = program.row.words.get(traits.index()).copied().unwrap_or(0);
        let words = program.library.traits.get(traits.index()).map_or(0, |set| set.words.len());
        for column in 0..words.div_ceil(32) {
            let bits = (words - column * 32).min(32) as u32;
            let value = if all { u32::MAX >> (32 - bits) } else { 0 };
            self.set_word(slot, first + column, value);
        }
    }
}

/// The index of a word that is a value.
fn word_of(value: i64) -> Option<usize> {
    usize::try_from(value).ok()?.checked_sub(1)
}

fn value_of(change: &Change) -> Option<FnId> {
    match change {
        Change::Add { value, .. }
        | Change::Set { value, .. }
        | Change::Controller(value)
        | Change::Given { word: value, .. }
        | Change::Pick { which: value, .. }
        | Change::Instead { new: value, .. } => Some(*value),
        _ => None,
    }
}

fn floor_of(change: &Change) -> Option<FnId> {
    match change {
        Change::Add { floor, .. } => *floor,
        Change::Instead { old, .. } => Some(*old),
        _ => None,
    }
}
