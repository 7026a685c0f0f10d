//! The cache of derived values: rows, holders and the effects in force, with what changed when. [`super`] computes them.

use crate::ir::ObjectRef;
use crate::ir::{AbilityId, EventPattern, ModificationId, Place, TraitSetId};
use crate::read_mask::ReadMask;
use crate::state::block::Handle;
use crate::tables::RowAccess;
use crate::vm::dependencies::{DepSet, Revisions};
use smallvec::SmallVec;
use std::collections::BTreeMap;

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
    pub(crate) rows: Vec<u32>,
    /// Scratch memory for rows before an update.
    pub(crate) rows_before: Vec<u32>,
    pub(crate) stride: usize,
    /// For each dense unit number, the objects that have the ability bundle, sorted by slot.
    pub(crate) holders: Vec<Vec<ObjectRef>>,
    /// Word substitutions in the texts of objects, by slot (CR 612).
    pub(crate) texts: BTreeMap<usize, Vec<WordSubstitution>>,
    /// Additional copies of an ability bundle, by slot and dense unit number: two effects that grant the same bundle grant it
    /// twice.
    pub(crate) copies: BTreeMap<(usize, u32), u32>,
    /// Active prohibitions of continuous effects.
    pub prohibitions: Vec<ActiveProhibition>,
    /// Active clauses about declarations.
    pub clauses: Vec<ActiveClause>,
    pub(crate) dirty: Vec<usize>,
    pub(crate) all_dirty: bool,
    /// The set of effects, or what they do, may have changed. Changed objects are in `dirty`.
    pub(crate) effects_dirty: bool,
    /// Slots whose rows effects wrote in the last refresh, sorted. All other rows equal their base rows.
    pub(crate) written_slots: Vec<usize>,
    /// While effects are applied: whether they have written a slot.
    pub(crate) is_written: Vec<bool>,
    /// An effect granted or removed ability bundles since `holders` was built.
    pub(crate) units_written: bool,
    /// While effects are applied: the bundles that the last effect gave, as slot, dense unit number and index among the copies.
    pub(crate) gained: Vec<(usize, u32, u32)>,
    /// What the active continuous effects read; `None` if no effect is active.
    pub(crate) effect_reads: Option<ReadMask>,
    /// Slots whose static abilities are among the active effects.
    pub(crate) sources: Vec<usize>,
    /// Zone kind of each slot as of the last refresh, plus one.
    pub(crate) kinds: Vec<u8>,
    /// Every pair of effects is tried for dependency (for the invariant checker).
    pub(crate) tries_all_pairs: bool,
    /// Slots that effects are applied to now; empty means all.
    pub(crate) restricted_slots: Vec<usize>,
    /// Each effect computes an object's change from that object alone, and the order of effects does not depend on other objects.
    pub(crate) is_local: bool,
    /// What the effects may write. Includes effects whose condition is false, and static abilities that effects grant.
    pub(crate) writes: RowAccess,
    pub(crate) revisions: Revisions,
    /// Revision of the last change of the object in each slot.
    pub(crate) slot_revisions: Vec<u64>,
    /// For each slot, the statuses that have ever changed. Most objects change few of them.
    pub(crate) status_revisions: Vec<Vec<StatusRevision>>,
}

/// When a status of an object changed last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct StatusRevision {
    /// The dependency of the status, as a mask ([`DepSet::statuses`]).
    pub(crate) part: u64,
    /// The revision.
    pub(crate) at: u64,
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
            gained: _,
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
pub(crate) const FULL_REBUILD_THRESHOLD: usize = if cfg!(debug_assertions) { 3 } else { 32 };

/// Sorts slots and removes duplicates.
pub(crate) fn sort_slots(slots: &mut Vec<usize>) {
    slots.sort_unstable();
    slots.dedup();
}

/// Sets an element of a list, which grows if necessary.
pub(crate) fn set_growing(list: &mut Vec<u64>, place: usize, value: u64) {
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

/// One change of a text: every word of a trait set that is printed as `old` reads as `new`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WordSubstitution {
    pub(crate) traits: TraitSetId,
    pub(crate) old: u16,
    pub(crate) new: u16,
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
    pub(crate) fn set_word(&mut self, slot: usize, column: usize, value: u32) {
        self.mark_written(slot);
        if let Some(word) = self.rows.get_mut(slot * self.stride + column) {
            *word = value;
        }
    }

    /// Records that an effect wrote values of a slot.
    pub(crate) fn mark_written(&mut self, slot: usize) {
        if self.is_written.len() <= slot {
            self.is_written.resize(slot + 1, false);
        }
        if let Some(known) = self.is_written.get_mut(slot).filter(|known| !**known) {
            *known = true;
            self.written_slots.push(slot);
        }
    }

    /// Sorts the written slots after all effects were applied.
    pub(crate) fn sort_written(&mut self) {
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
        let (part, at) = (DepSet::of(Place::Status(status)).statuses(), self.revisions.current() + 1);
        if self.status_revisions.len() <= slot {
            self.status_revisions.resize(slot + 1, Vec::new());
        }
        let Some(known) = self.status_revisions.get_mut(slot) else { return };
        match known.iter_mut().find(|known| known.part == part) {
            Some(known) => known.at = at,
            None => known.push(StatusRevision { part, at }),
        }
    }

    /// Returns the row of a slot.
    pub(crate) fn row(&self, slot: usize) -> &[u32] {
        self.rows.get(slot * self.stride..(slot + 1) * self.stride).unwrap_or(&[])
    }

    /// Records a change of those objects whose rows differ from `before`.
    pub(crate) fn compare_rows(&mut self, before: &[u32], slots: impl Iterator<Item = usize>) {
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
        let statuses = statuses.statuses();
        earlier(self.slot_revisions.get(slot))
            && self.status_revisions.get(slot).into_iter().flatten().all(|known| known.at <= count || known.part & statuses == 0)
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
}

/// One effect within one layer.
#[derive(Clone, Debug)]
pub(crate) struct LayerEffect {
    pub(crate) layer: usize,
    pub(crate) stamp: u32,
    pub(crate) source: ObjectRef,
    /// (source, controller, captures…).
    pub(crate) args: EffectArgs,
    pub(crate) changes: SmallVec<[ModificationId; 2]>,
    /// For static abilities: the dense unit number of the bundle that the source must still have.
    pub(crate) unit: Option<u32>,
    pub(crate) ability: Option<AbilityId>,
    pub(crate) whom: Option<Vec<u32>>,
    /// Number of the whole effect: once begun, it continues in later layers.
    pub(crate) family: usize,
    /// Index of the ability if its source has it several times, from 0.
    pub(crate) copy: u32,
    /// It is a characteristic-defining ability (CR 604.3).
    pub(crate) defining: bool,
    /// The record of a copy effect.
    pub(crate) copied: Option<Handle>,
    /// What it writes.
    pub(crate) writes: RowAccess,
    /// What its affected objects and values depend on.
    pub(crate) reads: RowAccess,
}
