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

pub use copiable_values::{NAMELESS, copiable_row, naming_definition};
pub(crate) use layers::LayerEffect;
pub use text_change::last_known_text;

use super::dependencies::{DepSet, Revisions, STATUS_DEPENDENCIES};
use super::eval::Scratch;
use crate::ir::{AbilityId, EventPattern, ModificationId, Place};
use crate::program::{Program, RowAccess};
use crate::read_mask::ReadMask;
use crate::state::{ObjectRef, State, layout as at};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Offset of the derived row in a last-known record. Before it: reference, shown definition, owner, zone instance, printed
/// definition. After it: statuses, copiable values, list of word substitutions.
pub const KNOWN_ROW: usize = 5;

/// Payload of an effect record: timestamp.
pub const EFFECT_STAMP: usize = 0;
/// Source object.
pub const EFFECT_SOURCE: usize = 1;
/// Controller.
pub const EFFECT_CONTROLLER: usize = 2;
/// List of modifications.
pub const EFFECT_MODS: usize = 3;
/// Whether the set of affected objects is fixed.
pub const EFFECT_LOCKED: usize = 4;
/// List of the fixed affected objects.
pub const EFFECT_WHOM: usize = 5;
/// List of captured values.
pub const EFFECT_CAPTURES: usize = 6;
/// List of duration ends, four words each: kind, a, b, turn in which it began. For an event, the last word says whether it is
/// matched before it happens.
pub const EFFECT_UNTIL: usize = 7;
/// Kind of a duration end that is an event.
pub(crate) const UNTIL_EVENT: u32 = 3;
/// List of abilities that the effect itself has (triggers, replacements).
pub const EFFECT_ABILITIES: usize = 8;
/// Whether the effect ends when one of its abilities was used.
pub const EFFECT_ONCE: usize = 9;
/// For a copy effect: the row that its object becomes.
pub const EFFECT_COPIED: usize = 10;
/// Number of words of an effect record.
pub const EFFECT_WORDS: usize = 11;

/// The first arguments of an effect's functions.
pub type EffectArgs = SmallVec<[i64; 4]>;

/// A prohibition in force that comes from a continuous effect.
#[derive(Clone, Debug, PartialEq)]
pub struct ActiveProhibition {
    /// The events that it forbids.
    pub pattern: EventPattern,
    /// (source, controller, captures…): the first arguments of its filter.
    pub args: EffectArgs,
    /// The static ability that it comes from; `None` for an effect of something that resolved.
    pub ability: Option<AbilityId>,
}

/// A clause about declarations in force.
#[derive(Clone, Debug, PartialEq)]
pub struct ActiveClause {
    /// The modification that contains the clause.
    pub change: ModificationId,
    /// (source, controller, captures…): the first arguments of its functions.
    pub args: EffectArgs,
    /// The static ability that it comes from; `None` for an effect of something that resolved.
    pub ability: Option<AbilityId>,
}

/// The cache of derived values.
#[derive(Debug, Default)]
pub struct DerivedValues {
    rows: Vec<u32>,
    /// Scratch memory for rows before an update.
    rows_before: Vec<u32>,
    stride: usize,
    /// For each dense unit number, the objects that have the ability bundle, sorted by slot.
    holders: Vec<Vec<ObjectRef>>,
    /// Word substitutions in the texts of objects, by slot (CR 612).
    texts: BTreeMap<usize, Vec<text_change::WordSubstitution>>,
    /// Additional copies of an ability bundle, by slot and dense unit number: two effects that grant the same bundle grant it
    /// twice.
    copies: BTreeMap<(usize, u32), u32>,
    /// Active prohibitions of continuous effects.
    pub prohibitions: Vec<ActiveProhibition>,
    /// Active clauses about declarations.
    pub clauses: Vec<ActiveClause>,
    dirty: Vec<usize>,
    all_dirty: bool,
    /// The set of effects, or what they do, may have changed. Changed objects are in `dirty`.
    effects_dirty: bool,
    /// Slots whose rows effects wrote in the last refresh, sorted. All other rows equal their base rows.
    written_slots: Vec<usize>,
    /// While effects are applied: whether they have written a slot.
    is_written: Vec<bool>,
    /// An effect granted or removed ability bundles since `holders` was built.
    units_written: bool,
    /// What the active continuous effects read; `None` if no effect is active.
    effect_reads: Option<ReadMask>,
    /// Slots whose static abilities are among the active effects.
    sources: Vec<usize>,
    /// Zone kind of each slot as of the last refresh, plus one.
    kinds: Vec<u8>,
    /// Every pair of effects is tried for dependency (for the invariant checker).
    tries_all_pairs: bool,
    /// Slots that effects are applied to now; empty means all.
    restricted_slots: Vec<usize>,
    /// Each effect computes an object's change from that object alone, and the order of effects does not depend on other objects.
    is_local: bool,
    /// What the effects may write. Includes effects whose condition is false, and static abilities that effects grant.
    writes: RowAccess,
    revisions: Revisions,
    /// Revision of the last change of the object in each slot, and of each part of its statuses.
    slot_revisions: Vec<u64>,
    status_revisions: Vec<u64>,
}

impl Clone for DerivedValues {
    fn clone(&self) -> Self {
        let mut copy = Self::default();
        copy.clone_from(self);
        copy
    }

    fn clone_from(&mut self, other: &Self) {
        let Self {
            rows,
            rows_before: _,
            stride,
            holders,
            texts,
            copies,
            prohibitions: forbidding,
            clauses,
            dirty,
            all_dirty,
            effects_dirty,
            written_slots,
            is_written: _,
            units_written,
            effect_reads: watch,
            sources,
            kinds,
            tries_all_pairs: all_pairs,
            restricted_slots,
            is_local: local,
            writes,
            revisions: changes,
            slot_revisions: _,
            status_revisions: _,
        } = other;
        self.rows.clone_from(rows);
        self.stride = *stride;
        self.holders.clone_from(holders);
        self.texts.clone_from(texts);
        self.copies.clone_from(copies);
        self.prohibitions.clone_from(forbidding);
        self.clauses.clone_from(clauses);
        self.dirty.clone_from(dirty);
        self.all_dirty = *all_dirty;
        self.effects_dirty = *effects_dirty;
        self.written_slots.clone_from(written_slots);
        self.units_written = *units_written;
        self.effect_reads.clone_from(watch);
        self.sources.clone_from(sources);
        self.kinds.clone_from(kinds);
        self.tries_all_pairs = *all_pairs;
        self.restricted_slots.clone_from(restricted_slots);
        self.is_local = *local;
        self.writes = *writes;
        // Entries that were computed before belong to another state.
        self.revisions.continue_after(changes);
    }
}

/// From this number of objects on, all holder lists are rebuilt: that is quicker than removing and inserting each object. Debug
/// builds use a lower number, so that tests cover both ways.
const FULL_REBUILD_THRESHOLD: usize = if cfg!(debug_assertions) { 3 } else { 32 };

/// Sorts slots and removes duplicates.
fn sort_slots(slots: &mut Vec<usize>) {
    slots.sort_unstable();
    slots.dedup();
}

/// Sets an element of a list, which grows if necessary.
fn set_growing(list: &mut Vec<u64>, place: usize, value: u64) {
    if list.len() <= place {
        list.resize(place + 1, 0);
    }
    list.get_mut(place).into_iter().for_each(|old| *old = value);
}

impl PartialEq for DerivedValues {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows
            && self.holders == other.holders
            && self.texts == other.texts
            && self.copies == other.copies
            && self.prohibitions == other.prohibitions
            && self.clauses == other.clauses
    }
}

impl DerivedValues {
    /// Returns a word of a slot's row; 0 if there is none.
    #[inline]
    #[must_use]
    pub fn word(&self, slot: usize, column: usize) -> u32 {
        self.rows.get(slot * self.stride + column).copied().unwrap_or(0)
    }

    /// Returns all rows, and the length of one in words.
    #[cfg(feature = "jit")]
    pub(crate) fn rows(&self) -> (&[u32], usize) {
        (&self.rows, self.stride)
    }

    /// Returns some columns of a slot's row.
    pub(crate) fn part_of_row(&self, slot: usize, columns: std::ops::Range<usize>) -> Option<&[u32]> {
        let row = slot * self.stride;
        self.rows.get(row + columns.start..row + columns.end)
    }

    /// Writes a word of a slot's row for an effect.
    fn set_word(&mut self, slot: usize, column: usize, value: u32) {
        self.mark_written(slot);
        if let Some(word) = self.rows.get_mut(slot * self.stride + column) {
            *word = value;
        }
    }

    /// Records that an effect wrote values of a slot.
    fn mark_written(&mut self, slot: usize) {
        if self.is_written.len() <= slot {
            self.is_written.resize(slot + 1, false);
        }
        if let Some(known) = self.is_written.get_mut(slot).filter(|known| !**known) {
            *known = true;
            self.written_slots.push(slot);
        }
    }

    /// Sorts the written slots after all effects were applied.
    fn sort_written(&mut self) {
        for slot in &self.written_slots {
            self.is_written.get_mut(*slot).into_iter().for_each(|known| *known = false);
        }
        sort_slots(&mut self.written_slots);
    }

    /// Returns the objects that have the ability bundle with a dense unit number.
    #[must_use]
    pub fn holders(&self, unit: u32) -> &[ObjectRef] {
        self.holders.get(unit as usize).map_or(&[], Vec::as_slice)
    }

    /// Returns how many copies of an ability bundle an object has, if it has it.
    #[must_use]
    pub fn copies_of(&self, unit: u32, it: ObjectRef) -> u32 {
        if self.copies.is_empty() { 1 } else { 1 + self.copies.get(&(it.slot(), unit)).copied().unwrap_or(0) }
    }

    /// Marks a slot dirty.
    pub fn mark_dirty(&mut self, slot: usize) {
        self.bump_revisions(DepSet::OBJECTS);
        self.record_slot_change(slot);
        if !self.all_dirty {
            self.dirty.push(slot);
        }
    }

    /// Marks everything dirty.
    pub fn mark_all_dirty(&mut self) {
        self.bump_revisions(DepSet::UNKNOWN);
        self.all_dirty = true;
    }

    /// Records that the object in a slot, apart from its statuses, changed at the current revision. The caller has bumped that
    /// revision, and nothing was evaluated since.
    pub(crate) fn record_slot_change(&mut self, slot: usize) {
        let now = self.revisions.current();
        set_growing(&mut self.slot_revisions, slot, now);
    }

    /// Records that a status of an object changes at the next revision. The caller bumps it next.
    pub(crate) fn record_status_change(&mut self, slot: usize, status: u16) {
        let next = self.revisions.current() + 1;
        DepSet::of(Place::Status(status))
            .numbers()
            .for_each(|part| set_growing(&mut self.status_revisions, slot * STATUS_DEPENDENCIES + part as usize, next));
    }

    /// Returns the row of a slot.
    fn row(&self, slot: usize) -> &[u32] {
        self.rows.get(slot * self.stride..(slot + 1) * self.stride).unwrap_or(&[])
    }

    /// Records a change of those objects whose rows differ from `before`.
    fn compare_rows(&mut self, before: &[u32], slots: impl Iterator<Item = usize>) {
        for slot in slots {
            let row = slot * self.stride..(slot + 1) * self.stride;
            if self.rows.get(row.clone()) != before.get(row) {
                self.record_slot_change(slot);
            }
        }
    }

    /// Returns whether an object and some of its statuses are unchanged since revision `count`. Does not cover changes of
    /// everything, which the caller checks.
    #[inline]
    pub(crate) fn is_unchanged_since(&self, slot: usize, statuses: DepSet, count: u64) -> bool {
        let earlier = |at: Option<&u64>| at.is_none_or(|at| *at <= count);
        earlier(self.slot_revisions.get(slot))
            && statuses.numbers().all(|part| earlier(self.status_revisions.get(slot * STATUS_DEPENDENCIES + part as usize)))
    }

    /// Records that continuous effects, or what they do, may have changed: the next refresh reapplies all of them.
    pub(crate) fn mark_effects_dirty(&mut self) {
        self.bump_revisions(DepSet::OBJECTS);
        self.effects_dirty = true;
    }

    /// Bumps the revision of dependencies of pure code.
    pub(crate) fn bump_revisions(&mut self, parts: DepSet) {
        self.revisions.bump(parts);
    }

    /// Invalidates all cache entries that were computed at revision `changes` or earlier.
    pub(crate) fn invalidate_before(&mut self, changes: u64) {
        self.revisions.invalidate_before(changes);
    }

    /// Returns the revisions of the state and of derived values.
    pub(crate) fn revisions(&self) -> &Revisions {
        &self.revisions
    }

    /// Restores the contents of `before`, which receives the current contents. The revision counter continues, since this is a
    /// change, too.
    pub fn restore(&mut self, before: &mut Self) {
        self.revisions.continue_after(&before.revisions);
        std::mem::swap(self, before);
        std::mem::swap(&mut self.revisions, &mut before.revisions);
    }

    /// Returns whether a refresh has something to do.
    #[inline]
    #[must_use]
    pub fn is_dirty(&self) -> bool {
        self.all_dirty || self.effects_dirty || !self.dirty.is_empty()
    }

    /// Returns what the continuous effects read that were active at the last refresh.
    #[must_use]
    pub fn effect_reads(&self) -> ReadMask {
        self.effect_reads.unwrap_or_default()
    }

    /// Returns whether a write to a place may change derived values.
    #[must_use]
    pub fn is_place_read(&self, place: Place) -> bool {
        self.effect_reads.is_some_and(|watch| watch.contains(place))
    }

    /// Invalidates rows for a write to a status of an object, or a variable of a player or the game.
    pub(crate) fn invalidate_write(&mut self, place: Place, of: i64) {
        if !self.is_place_read(place) {
            return;
        }
        let slot = ObjectRef::from_value(of).slot();
        match place {
            Place::Status(_) if self.is_local && !self.is_source(slot) => self.mark_dirty(slot),
            _ => self.mark_effects_dirty(),
        }
    }

    /// Brings the cache up to date. Costs nothing if nothing is dirty.
    #[inline]
    pub fn refresh(&mut self, program: &Program, state: &State, scratch: &mut Scratch) {
        if self.is_dirty() {
            self.make_up_to_date(program, state, scratch);
        }
    }

    fn make_up_to_date(&mut self, program: &Program, state: &State, scratch: &mut Scratch) {
        // The cost depends on what is cached, so it is not charged to the game's fuel.
        let fuel = std::mem::take(&mut scratch.fuel);
        let uncovering = std::mem::replace(&mut scratch.in_unconcealed_call, true);
        self.update(program, state, scratch);
        scratch.in_unconcealed_call = uncovering;
        scratch.fuel = fuel;
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

    /// Returns whether a moved object that is no source of effects changes only its own values, as of the last refresh. Effects
    /// that do not apply count only once they do.
    #[must_use]
    pub fn changes_are_local(&self) -> bool {
        self.is_local
    }

    /// Returns what the continuous effects may write, as of the last refresh. Includes effects that do not apply now, and static
    /// abilities that effects grant; excludes what copy effects write.
    pub(crate) fn writes(&self) -> RowAccess {
        self.writes
    }

    /// Returns whether a continuous effect forbids anything.
    #[inline]
    #[must_use]
    pub fn forbids(&self) -> bool {
        !self.prohibitions.is_empty()
    }

    /// Returns whether the object in a slot is the source of active continuous effects.
    #[must_use]
    pub fn is_source(&self, slot: usize) -> bool {
        self.sources.contains(&slot)
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
        scratch.fuel = fuel;
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
