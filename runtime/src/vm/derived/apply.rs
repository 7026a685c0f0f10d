//! Application of a continuous effect in one layer: whether it applies, to which objects, and which values it writes.

use crate::ir::ObjectRef;
use crate::ir::{AbilityBundleId, AbilityKind, Change, FnId, Modification, ModificationId, TraitSetId, WordSetChange, has_zone};
use crate::program::Program;
use crate::records::EFFECT_COPIED;
use crate::state::State;
use crate::vm::derived::values::LayerEffect;
use crate::vm::derived::values::{ActiveClause, ActiveProhibition, DerivedValues, EffectArgs};
use crate::vm::eval_context::EvalContext;
use crate::vm::inline_vecs::{Args, Slots};
use crate::vm::optimized::code::MAX_CAPTURES;
use crate::vm::optimized::lanes::LANES;
use crate::vm::scratch::Scratch;
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};

/// Work of a modification, in addition to that for each object that it changes.
const WORK_PER_CHANGE: u64 = 8;

/// Progress of applying effects, layer by layer.
#[derive(Debug, Default)]
pub(super) struct LayerProgress {
    /// Effects that have begun, which continue in later layers even if their source lost the ability (CR 613.6).
    pub(super) begun: BTreeSet<usize>,
    /// Objects that a begun effect affects in all of its layers, by effect and selector.
    affected: BTreeMap<(usize, Option<FnId>), Slots>,
    /// Effects of this layer that depend on each other in a circle.
    pub(super) circles: Vec<Vec<usize>>,
    /// Families and layers of the effects that wait or have applied, once an effect has granted static abilities.
    pub(super) known: Option<BTreeSet<(usize, usize)>>,
    /// The number of effects that come from granted abilities.
    pub(super) granted: usize,
}

impl LayerProgress {
    /// Forgets an effect that does not apply: it may be granted again.
    pub(super) fn forget(&mut self, c: &LayerEffect) {
        if let Some(known) = &mut self.known {
            known.remove(&(c.family, c.layer));
        }
    }

    fn slots(&self, c: &LayerEffect, change: &Modification) -> Option<Slots> {
        self.affected.get(&(c.family, change.selector)).cloned()
    }
}

/// A change of one object, ready to be written.
struct ValueWrite<'a> {
    change: &'a Change,
    slot: usize,
    value: i64,
    /// The lower bound of an addition, or the word that is substituted.
    floor: Option<i64>,
}

impl DerivedValues {
    /// Returns the first arguments of an effect's functions. The controller of a static ability is the current controller of its
    /// source.
    fn current_args(&self, c: &LayerEffect) -> EffectArgs {
        let mut args = c.args.clone();
        if c.unit.is_some()
            && let Some(you) = args.get_mut(1)
        {
            *you = i64::from(self.word(c.source.slot(), 0) as i32);
        }
        args
    }

    /// Returns whether an effect applies now: it began in an earlier layer, or its ability still exists and its condition holds.
    pub(super) fn applies(
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
            let column = program.row.bundles + unit as usize / 32;
            if self.word(c.source.slot(), column) & (1 << (unit % 32)) == 0 {
                return false;
            }
        }
        let condition = c.ability.and_then(|a| program.library.abilities.get(a.index())).and_then(|a| match &a.kind {
            AbilityKind::Static { condition, .. } => *condition,
            _ => None,
        });
        let world = EvalContext { program, state, derived: self };
        condition.is_none_or(|f| world.test(scratch, f, self.current_args(c).get(..2).unwrap_or(&[])))
    }

    /// Returns the slots that a change of an effect affects now.
    fn affected_slots(
        &self,
        program: &Program,
        state: &State,
        scratch: &mut Scratch,
        c: &LayerEffect,
        change: &Modification,
    ) -> Slots {
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
        let mut args = self.current_args(c);
        let zones = (0..program.layout.instances).filter(|zone| has_zone(change.zones, program.layout.kind(*zone)));
        let items = zones.map(|zone| state.zone_items(program, zone));
        if self.restricted_slots.is_empty() && args.len() <= MAX_CAPTURES {
            let mut filter = world.bind(scratch, selector, &args);
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

    /// Returns the values of an effect's function for some slots.
    fn values(&self, program: &Program, state: &State, scratch: &mut Scratch, c: &LayerEffect, f: FnId, slots: &[usize]) -> Args {
        let world = EvalContext { program, state, derived: self };
        let args = self.current_args(c);
        let object = |slot: &usize| state.current(*slot);
        if args.len() > MAX_CAPTURES {
            let of = |slot: &usize| {
                let all: Args = args.iter().copied().chain([object(slot).value()]).collect();
                world.number(scratch, f, &all)
            };
            return slots.iter().map(of).collect();
        }
        let mut function = world.bind(scratch, f, &args);
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

    /// Returns everything about an effect that another one could change: whether it applies, to which slots, with which values.
    /// `None` if it does not apply.
    pub(super) fn footprint(
        &self,
        program: &Program,
        state: &State,
        scratch: &mut Scratch,
        c: &LayerEffect,
        progress: &LayerProgress,
    ) -> Option<Vec<(Slots, Args)>> {
        if !self.applies(program, state, scratch, c, progress) {
            return None;
        }
        let mut all = Vec::new();
        for change in c.changes.iter().filter_map(|id| program.modification(id.0)) {
            let slots = match progress.slots(c, change) {
                Some(slots) => slots,
                None => self.affected_slots(program, state, scratch, c, change),
            };
            let mut values = Args::new();
            let (value, floor) = change.change.value_functions();
            for f in [value, floor].into_iter().flatten() {
                values.extend(self.values(program, state, scratch, c, f, &slots));
            }
            all.push((slots, values));
        }
        Some(all)
    }

    /// Applies an effect in its layer. All affected slots and values of the layer are computed before anything is written.
    pub(super) fn apply(
        &mut self,
        program: &Program,
        state: &State,
        scratch: &mut Scratch,
        c: &LayerEffect,
        mut progress: Option<&mut LayerProgress>,
    ) {
        self.gained.clear();
        if let Some(progress) = progress.as_deref_mut() {
            progress.begun.insert(c.family);
        }
        if let Some(record) = c.copied {
            let row = state.block.list(record + EFFECT_COPIED);
            for it in c.whom.iter().flatten().map(|it| ObjectRef(*it)).filter(|it| state.exists(*it)) {
                let start = it.slot() * self.stride;
                if let Some(place) = self.rows.get_mut(start..start + self.stride) {
                    place.iter_mut().zip(row).skip(1).for_each(|(place, word)| *place = *word);
                    super::copiable_values::apply_concealment(program, state, it.slot(), place);
                }
                self.mark_written(it.slot());
                self.units_written = true;
                self.copies.retain(|(other, _), _| *other != it.slot());
            }
            return;
        }
        let mut writes: SmallVec<[ValueWrite<'_>; 8]> = SmallVec::new();
        for id in &c.changes {
            let Some(change) = program.modification(id.0) else { continue };
            if let Change::ConstrainDeclarations(_) = &change.change {
                let args = self.current_args(c);
                self.clauses.push(ActiveClause { change: *id, args, ability: c.ability });
                continue;
            }
            if let Change::Prohibit(pattern) = &change.change {
                let args = self.current_args(c);
                self.prohibitions.push(ActiveProhibition { pattern: pattern.clone(), args, ability: c.ability });
                continue;
            }
            let known = progress.as_ref().and_then(|progress| progress.slots(c, change));
            let slots = match known {
                Some(slots) => slots,
                None => {
                    let slots = self.affected_slots(program, state, scratch, c, change);
                    if let Some(progress) = progress.as_deref_mut() {
                        progress.affected.insert((c.family, change.selector), slots.clone());
                    }
                    slots
                }
            };
            if !scratch.count_derived_work(WORK_PER_CHANGE + slots.len() as u64) {
                return;
            }
            let mut numbers = |f: FnId| self.values(program, state, scratch, c, f, &slots);
            let (value, floor) = change.change.value_functions();
            let (values, floors) = (value.map(&mut numbers), floor.map(&mut numbers));
            for (n, slot) in slots.into_iter().enumerate() {
                let value = values.as_ref().and_then(|values| values.get(n)).copied().unwrap_or(0);
                let floor = floors.as_ref().and_then(|floors| floors.get(n)).copied();
                // CR 800.4a, b: no effect gives control to a player who has left.
                let gone = usize::try_from(value).is_ok_and(|seat| state.has_left(seat));
                if gone && matches!(change.change, Change::SetController(_)) {
                    continue;
                }
                writes.push(ValueWrite { change: &change.change, slot, value, floor });
            }
        }
        for write in writes {
            self.write(program, &write, c.copy);
        }
    }

    /// Returns a row of copied values, changed by exceptions for the object that becomes the copy.
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
        let changes = || changes.iter().filter_map(|id| program.modification(id.0)).map(|it| &it.change);
        changes().filter_map(replaced_characteristic).for_each(|replaced| alone.drop_definitions(program, replaced));
        for change in changes() {
            let mut number = |f: FnId| world.number(scratch, f, &args);
            let (value, floor) = change.value_functions();
            let (value, floor) = (value.map_or(0, &mut number), floor.map(&mut number));
            alone.write(program, &ValueWrite { change, slot: 0, value, floor }, 1);
        }
        alone.rows
    }

    /// Drops what defines a characteristic from a copied row (CR 707.9d): an ability of the card, or the whole keyword that does it.
    fn drop_definitions(&mut self, program: &Program, replaced: Characteristic) {
        for (dense, ability) in &program.statics {
            let Some(AbilityKind::Static { modifications, .. }) =
                program.library.abilities.get(ability.index()).map(|it| &it.kind)
            else {
                continue;
            };
            let mut changes = modifications.iter().filter_map(|id| program.modification(id.0));
            if changes.any(|it| it.defining && written_characteristic(&it.change) == Some(replaced)) {
                let column = program.row.bundles + *dense as usize / 32;
                let bits = self.word(0, column) & !(1 << (dense % 32));
                self.set_word(0, column, bits);
            }
        }
    }

    /// Writes a change. `copy` is the index of the ability if its source has it several times.
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
            Change::SetController(_) => self.set_word(slot, 0, write.value as u32),
            Change::GainWord(traits, word) => self.write_word(program, slot, *traits, usize::from(*word), true),
            Change::LoseWord(traits, word) => self.write_word(program, slot, *traits, usize::from(*word), false),
            Change::LoseAllWords(traits) => self.write_words(program, slot, *traits, false),
            Change::GainAllWords(traits) => self.write_words(program, slot, *traits, true),
            Change::ChangeWordByValue { traits, how, .. } => {
                let words = program.library.traits.get(traits.index()).map_or(0, |set| set.words.len());
                let Some(word) = word_of(write.value).filter(|word| *word < words) else { return };
                if *how == WordSetChange::GainOnly {
                    self.write_words(program, slot, *traits, false);
                }
                self.write_word(program, slot, *traits, word, *how != WordSetChange::Lose);
            }
            Change::SubstituteWord { traits, .. } => {
                self.write_text(program, slot, *traits, [write.value, write.floor.unwrap_or(0)]);
            }
            Change::GainBundle(unit) => self.write_unit(program, slot, *unit, copy),
            Change::GainBundleByValue { bundles: units, .. } => {
                if let Some(unit) = word_of(write.value).and_then(|number| units.get(number)) {
                    self.write_unit(program, slot, *unit, copy);
                }
            }
            Change::LoseKeyword(keyword) => {
                self.units_written = true;
                for (dense, id) in program.bundles.iter().enumerate() {
                    let unit = program.format.bundles.get(id.index());
                    if unit.is_some_and(|u| u.keyword.as_ref().is_some_and(|(k, _)| k == keyword)) {
                        let column = program.row.bundles + dense / 32;
                        let bits = self.word(slot, column) & !(1 << (dense % 32));
                        self.set_word(slot, column, bits);
                        self.copies.remove(&(slot, dense as u32));
                    }
                }
            }
            Change::LoseAbilities => {
                self.units_written = true;
                for word in 0..program.row.bundle_words {
                    self.set_word(slot, program.row.bundles + word, 0);
                }
                self.copies.retain(|(other, _), _| *other != slot);
            }
            Change::LoseStatics => {
                self.units_written = true;
                for (word, bits) in program.static_bundles.iter().enumerate() {
                    let column = program.row.bundles + word;
                    let left = self.word(slot, column) & !bits;
                    self.set_word(slot, column, left);
                }
                self.copies.retain(|(other, unit), _| {
                    let bits = program.static_bundles.get(*unit as usize / 32).copied().unwrap_or(0);
                    *other != slot || bits & (1 << (unit % 32)) == 0
                });
            }
            Change::Prohibit(_) | Change::ConstrainDeclarations(_) => {}
        }
    }

    fn write_unit(&mut self, program: &Program, slot: usize, unit: AbilityBundleId, copy: u32) {
        let Ok(dense) = program.bundles.binary_search(&unit) else { return };
        self.units_written = true;
        let column = program.row.bundles + dense / 32;
        let before = self.word(slot, column);
        let bit = 1 << (dense % 32);
        // Only the first copy of a granting ability adds copies; otherwise grants that grant themselves would never end.
        if before & bit != 0 && copy == 0 {
            let copies = self.copies.entry((slot, dense as u32)).or_insert(0);
            *copies += 1;
            self.gained.push((slot, dense as u32, *copies));
        } else if before & bit == 0 {
            self.gained.push((slot, dense as u32, 0));
        }
        self.set_word(slot, column, before | bit);
    }

    fn write_word(&mut self, program: &Program, slot: usize, traits: TraitSetId, word: usize, has: bool) {
        let column = program.row.words.get(traits.index()).copied().unwrap_or(0) + word / 32;
        let bit = 1u32 << (word % 32);
        let before = self.word(slot, column);
        self.set_word(slot, column, if has { before | bit } else { before & !bit });
    }

    /// Adds all words of a set, or removes them.
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

/// Decodes the index of a word from a value (0 is none).
fn word_of(value: i64) -> Option<usize> {
    usize::try_from(value).ok()?.checked_sub(1)
}

/// A property, or the words of a trait set.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Characteristic {
    Property(u16),
    Words(TraitSetId),
}

/// What an exception of a copy gives instead of what is copied. What it adds to the copied values replaces nothing.
fn replaced_characteristic(change: &Change) -> Option<Characteristic> {
    let replaces = matches!(
        change,
        Change::Set { .. } | Change::LoseAllWords(_) | Change::ChangeWordByValue { how: WordSetChange::GainOnly, .. }
    );
    if replaces { written_characteristic(change) } else { None }
}

/// The characteristic that a change writes; an ability with such a change that defines it is not copied where it is replaced.
fn written_characteristic(change: &Change) -> Option<Characteristic> {
    match *change {
        Change::Add { property, .. } | Change::Set { property, .. } => Some(Characteristic::Property(property)),
        Change::GainWord(traits, _)
        | Change::LoseWord(traits, _)
        | Change::LoseAllWords(traits)
        | Change::GainAllWords(traits)
        | Change::ChangeWordByValue { traits, .. } => Some(Characteristic::Words(traits)),
        Change::Switch(..)
        | Change::SetController(_)
        | Change::SubstituteWord { .. }
        | Change::GainBundle(_)
        | Change::GainBundleByValue { .. }
        | Change::LoseKeyword(_)
        | Change::LoseAbilities
        | Change::LoseStatics
        | Change::Prohibit(_)
        | Change::ConstrainDeclarations(_) => None,
    }
}
