//! Values after continuous effects: the controller, definition shown, properties, words and units of every object.
//!
//! A cache outside the state and its hash. Rows are recomputed for the slots that changed when no continuous effect that is about
//! looks at them, and from scratch, layer by layer, when one does (`order`, `apply`). `copies`: what is copied of an object.

mod apply;
mod copiable_values;
mod layers;
mod text_change;

pub use copiable_values::{NAMELESS, copiable, identity};
pub(crate) use layers::LayerEffect;
pub use text_change::known_text;

use super::dependencies::{DepSet, Revisions, STATUS_PARTS};
use super::eval::Scratch;
use crate::ir::{AbilityId, EventPattern, ModificationId, Place};
use crate::program::{Program, RowAccess};
use crate::read_mask::ReadMask;
use crate::state::{ObjectRef, State, layout as at};
use smallvec::SmallVec;
use std::collections::BTreeMap;

/// Payload of a last-known record: reference, definition shown, owner, zone instance, definition printed, then the derived row, the
/// statuses, the copiable values and the list of changes of its text.
pub const KNOWN_ROW: usize = 5;

/// Payload of an effect record: timestamp.
pub const EFFECT_STAMP: usize = 0;
/// Source object.
pub const EFFECT_SOURCE: usize = 1;
/// Controller.
pub const EFFECT_CONTROLLER: usize = 2;
/// List of mods.
pub const EFFECT_MODS: usize = 3;
/// Whether the affected objects are locked.
pub const EFFECT_LOCKED: usize = 4;
/// List of locked objects.
pub const EFFECT_WHOM: usize = 5;
/// List of captured values.
pub const EFFECT_CAPTURES: usize = 6;
/// List of ends, four words each: kind, a, b, turn it began in (of an event whether it is matched in the state before it).
pub const EFFECT_UNTIL: usize = 7;
/// The kind of an end that is an event.
pub(crate) const UNTIL_EVENT: u32 = 3;
/// List of abilities.
pub const EFFECT_ABILITIES: usize = 8;
/// It ends when an ability of it was used.
pub const EFFECT_ONCE: usize = 9;
/// The row that its object becomes, of a copy effect.
pub const EFFECT_COPIED: usize = 10;
/// Words of an effect record.
pub const EFFECT_WORDS: usize = 11;

/// The first arguments of an effect's functions.
pub type EffectArgs = SmallVec<[i64; 4]>;

/// A prohibition in force that comes from a continuous effect.
#[derive(Clone, Debug, PartialEq)]
pub struct ActiveProhibition {
    /// What.
    pub pattern: EventPattern,
    /// (source, controller, captures…): the first arguments of its filter.
    pub args: EffectArgs,
    /// For refusals: the ability, or none for the effect of something that resolved.
    pub ability: Option<AbilityId>,
}

/// A clause about declarations in force.
#[derive(Clone, Debug, PartialEq)]
pub struct ActiveClause {
    /// Which change says it.
    pub change: ModificationId,
    /// (source, controller, captures…): the first arguments of its functions.
    pub args: EffectArgs,
    /// The ability, or none for the effect of something that resolved.
    pub ability: Option<AbilityId>,
}

/// The cache.
#[derive(Debug, Default)]
pub struct DerivedValues {
    rows: Vec<u32>,
    /// Memory for rows as they were.
    rows_before: Vec<u32>,
    stride: usize,
    /// Objects that have a dense unit, sorted by slot.
    holders: Vec<Vec<ObjectRef>>,
    /// What stands for which word in the texts of objects, by slot.
    texts: BTreeMap<usize, Vec<text_change::WordSubstitution>>,
    /// How often more than once a slot has a dense unit: two effects that grant the same give it twice.
    copies: BTreeMap<(usize, u32), u32>,
    /// Prohibitions by continuous effects.
    pub forbidding: Vec<ActiveProhibition>,
    /// Clauses about declarations.
    pub clauses: Vec<ActiveClause>,
    dirty: Vec<usize>,
    all_dirty: bool,
    /// Effects may be others, or do something else; what they work on is told by what is dirty.
    effects_dirty: bool,
    /// The slots whose rows effects wrote, in order, as of the last refresh: all others are as they are without effects.
    written_slots: Vec<usize>,
    /// While effects are applied: which slots these have written so far.
    is_written: Vec<bool>,
    /// An effect gave units to objects, or took some, since the holders were found.
    units_written: bool,
    /// What the continuous effects that are about look at; none when none is about.
    watch: Option<ReadMask>,
    /// Slots whose static abilities are among them.
    sources: Vec<usize>,
    /// Zone kind of each slot as of the last refresh, plus one.
    kinds: Vec<u8>,
    /// Every pair of effects is tried for dependence (for the checks of the harness).
    all_pairs: bool,
    /// The slots that effects apply to now; all, if there are none.
    restricted_slots: Vec<usize>,
    /// Each effect changes each object by what that object is, whatever others are, and in an order that does not hang on others.
    local: bool,
    /// What the effects that are about write, those included that do not work now, and the static abilities that they give.
    writes: RowAccess,
    changes: Revisions,
    /// How often something had changed when the object in each slot last did, and when each part of its statuses did.
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
            forbidding,
            clauses,
            dirty,
            all_dirty,
            effects_dirty,
            written_slots,
            is_written: _,
            units_written,
            watch,
            sources,
            kinds,
            all_pairs,
            restricted_slots: alone,
            local,
            writes,
            changes,
            slot_revisions: _,
            status_revisions: _,
        } = other;
        self.rows.clone_from(rows);
        self.stride = *stride;
        self.holders.clone_from(holders);
        self.texts.clone_from(texts);
        self.copies.clone_from(copies);
        self.forbidding.clone_from(forbidding);
        self.clauses.clone_from(clauses);
        self.dirty.clone_from(dirty);
        self.all_dirty = *all_dirty;
        self.effects_dirty = *effects_dirty;
        self.written_slots.clone_from(written_slots);
        self.units_written = *units_written;
        self.watch.clone_from(watch);
        self.sources.clone_from(sources);
        self.kinds.clone_from(kinds);
        self.all_pairs = *all_pairs;
        self.restricted_slots.clone_from(alone);
        self.local = *local;
        self.writes = *writes;
        // What was remembered before is of another state.
        self.changes.continue_after(changes);
    }
}

/// From so many objects on it is quicker to find all holders anew than to take each out and put it in again. (A debug build has them sooner.)
const FULL_REBUILD_THRESHOLD: usize = if cfg!(debug_assertions) { 3 } else { 32 };

/// Puts slots in order, each once.
fn sort_slots(slots: &mut Vec<usize>) {
    slots.sort_unstable();
    slots.dedup();
}

/// Puts a number into a list that grows.
fn put(list: &mut Vec<u64>, place: usize, value: u64) {
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
            && self.forbidding == other.forbidding
            && self.clauses == other.clauses
    }
}

impl DerivedValues {
    /// A word of a slot's row.
    #[inline]
    #[must_use]
    pub fn word(&self, slot: usize, column: usize) -> u32 {
        self.rows.get(slot * self.stride + column).copied().unwrap_or(0)
    }

    /// All rows, and how long one is.
    #[cfg(feature = "jit")]
    pub(crate) fn rows(&self) -> (&[u32], usize) {
        (&self.rows, self.stride)
    }

    /// Some columns of a slot's row.
    pub(crate) fn part_of_row(&self, slot: usize, columns: std::ops::Range<usize>) -> Option<&[u32]> {
        let row = slot * self.stride;
        self.rows.get(row + columns.start..row + columns.end)
    }

    /// An effect writes a word of a slot's row.
    fn set_word(&mut self, slot: usize, column: usize, value: u32) {
        self.mark_written(slot);
        if let Some(word) = self.rows.get_mut(slot * self.stride + column) {
            *word = value;
        }
    }

    /// An effect writes values of a slot.
    fn mark_written(&mut self, slot: usize) {
        if self.is_written.len() <= slot {
            self.is_written.resize(slot + 1, false);
        }
        if let Some(known) = self.is_written.get_mut(slot).filter(|known| !**known) {
            *known = true;
            self.written_slots.push(slot);
        }
    }

    /// What effects wrote, in order and each slot once; they are applied.
    fn sort_written(&mut self) {
        for slot in &self.written_slots {
            self.is_written.get_mut(*slot).into_iter().for_each(|known| *known = false);
        }
        sort_slots(&mut self.written_slots);
    }

    /// The objects that have a dense unit.
    #[must_use]
    pub fn holders(&self, unit: u32) -> &[ObjectRef] {
        self.holders.get(unit as usize).map_or(&[], Vec::as_slice)
    }

    /// How often an object has a dense unit that it has.
    #[must_use]
    pub fn times(&self, unit: u32, it: ObjectRef) -> u32 {
        if self.copies.is_empty() { 1 } else { 1 + self.copies.get(&(it.slot(), unit)).copied().unwrap_or(0) }
    }

    /// A slot changed.
    pub fn mark_dirty(&mut self, slot: usize) {
        self.changed(DepSet::OBJECTS);
        self.object_changed(slot);
        if !self.all_dirty {
            self.dirty.push(slot);
        }
    }

    /// Anything may have changed.
    pub fn mark_all_dirty(&mut self) {
        self.changed(DepSet::UNKNOWN);
        self.all_dirty = true;
    }

    /// The object in a slot is another one now, or something of it is other than it was, statuses apart; that is noted already, and nothing
    /// was asked since.
    pub(crate) fn object_changed(&mut self, slot: usize) {
        let now = self.changes.current();
        put(&mut self.slot_revisions, slot, now);
    }

    /// A status of an object has changed, or is about to; it is noted next.
    pub(crate) fn status_changes(&mut self, slot: usize, status: u16) {
        let next = self.changes.current() + 1;
        DepSet::of(Place::Status(status))
            .each()
            .for_each(|part| put(&mut self.status_revisions, slot * STATUS_PARTS + part as usize, next));
    }

    /// The values of a slot.
    fn row(&self, slot: usize) -> &[u32] {
        self.rows.get(slot * self.stride..(slot + 1) * self.stride).unwrap_or(&[])
    }

    /// Those objects changed, of some, whose values were others before.
    fn compare_rows(&mut self, before: &[u32], slots: impl Iterator<Item = usize>) {
        for slot in slots {
            let row = slot * self.stride..(slot + 1) * self.stride;
            if self.rows.get(row.clone()) != before.get(row) {
                self.object_changed(slot);
            }
        }
    }

    /// Whether an object, and some of its statuses, are as they were after so many changes, as long as not everything changed.
    #[inline]
    pub(crate) fn is_unchanged_since(&self, slot: usize, statuses: DepSet, count: u64) -> bool {
        let earlier = |at: Option<&u64>| at.is_none_or(|at| *at <= count);
        earlier(self.slot_revisions.get(slot))
            && statuses.each().all(|part| earlier(self.status_revisions.get(slot * STATUS_PARTS + part as usize)))
    }

    /// Continuous effects may be others, or apply otherwise: all of them are applied anew.
    pub(crate) fn effects_changed(&mut self) {
        self.changed(DepSet::OBJECTS);
        self.effects_dirty = true;
    }

    /// Something changed that pure code may look at.
    pub(crate) fn changed(&mut self, parts: DepSet) {
        self.changes.bump(parts);
    }

    /// Nothing that was remembered after at most so many changes holds any more.
    pub(crate) fn invalidate_before(&mut self, changes: u64) {
        self.changes.invalidate_before(changes);
    }

    /// What changed that pure code may look at: what stands in the state, and derived values.
    pub(crate) fn revisions(&self) -> &Revisions {
        &self.changes
    }

    /// Everything is as it was `before`, which gets what is there now. That is a change, too.
    pub fn restore(&mut self, before: &mut Self) {
        self.changes.continue_after(&before.changes);
        std::mem::swap(self, before);
        std::mem::swap(&mut self.changes, &mut before.changes);
    }

    /// Whether a refresh is due.
    #[inline]
    #[must_use]
    pub fn is_dirty(&self) -> bool {
        self.all_dirty || self.effects_dirty || !self.dirty.is_empty()
    }

    /// What the continuous effects look at that were about at the last refresh.
    #[must_use]
    pub fn watch(&self) -> ReadMask {
        self.watch.unwrap_or_default()
    }

    /// Whether writing a place may change derived values.
    #[must_use]
    pub fn watches(&self, place: Place) -> bool {
        self.watch.is_some_and(|watch| watch.contains(place))
    }

    /// A status of an object, or a variable of a player or the game, is written.
    pub(crate) fn written(&mut self, place: Place, of: i64) {
        if !self.watches(place) {
            return;
        }
        let slot = ObjectRef::from_value(of).slot();
        match place {
            Place::Status(_) if self.local && !self.is_source(slot) => self.mark_dirty(slot),
            _ => self.effects_changed(),
        }
    }

    /// Brings the cache up to date.
    #[inline]
    pub fn refresh(&mut self, program: &Program, state: &State, scratch: &mut Scratch) {
        if self.is_dirty() {
            self.make_up_to_date(program, state, scratch);
        }
    }

    fn make_up_to_date(&mut self, program: &Program, state: &State, scratch: &mut Scratch) {
        // What the cache costs depends on what is cached: it is no part of the game's fuel.
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
        let matters = match self.watch {
            None => effects,
            Some(watch) => watch.all || self.dirty.iter().any(|slot| self.is_watched(program, state, watch, *slot)),
        };
        let mut dirty = std::mem::take(&mut self.dirty);
        dirty.sort_unstable();
        dirty.dedup();
        self.rows.resize(state.slots() * self.stride, 0);
        if self.all_dirty || self.holders.len() != program.units.len() {
            self.rebuild(program, state, scratch);
        } else if self.effects_dirty || matters {
            let local = self.watch.is_some() && self.local && !self.effects_dirty;
            let alone = local && !dirty.iter().any(|slot| self.is_source(*slot));
            if !alone || !self.rebuild_slots(program, state, scratch, &dirty) {
                self.reapply_all(program, state, scratch, &dirty);
            }
        } else {
            for slot in &dirty {
                self.reset(program, state, *slot);
                self.note_kind(program, state, *slot);
            }
            let started = match self.watch {
                None => self.any_static_works(program, state),
                Some(_) => dirty.iter().any(|slot| self.has_static(program, state, *slot)),
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

    /// Whether what moves, unless it is the source of effects, changes nothing but its own values, as of the last refresh. Effects that do
    /// not work count only once they do.
    #[must_use]
    pub fn changes_are_local(&self) -> bool {
        self.local
    }

    /// What the continuous effects that are about may write, as of the last refresh: those included that do not work now, and the
    /// static abilities that they give. Not what copies copy.
    pub(crate) fn writes(&self) -> RowAccess {
        self.writes
    }

    /// Whether some continuous effect forbids something.
    #[inline]
    #[must_use]
    pub fn forbids(&self) -> bool {
        !self.forbidding.is_empty()
    }

    /// Whether an object is the source of continuous effects.
    #[must_use]
    pub fn is_source(&self, slot: usize) -> bool {
        self.sources.contains(&slot)
    }

    /// The cache computed from scratch, for the checks of the harness.
    #[must_use]
    pub fn from_scratch(program: &Program, state: &State, scratch: &mut Scratch) -> Self {
        Self::computed(program, state, scratch, false)
    }

    /// As [`DerivedValues::from_scratch`], trying every pair of effects of a layer for dependence, whatever they read and write.
    #[must_use]
    pub fn all_pairs(program: &Program, state: &State, scratch: &mut Scratch) -> Self {
        Self::computed(program, state, scratch, true)
    }

    fn computed(program: &Program, state: &State, scratch: &mut Scratch, all_pairs: bool) -> Self {
        let mut derived = Self { stride: program.row.stride, all_pairs, ..Self::default() };
        let fuel = std::mem::take(&mut scratch.fuel);
        let uncovering = std::mem::replace(&mut scratch.in_unconcealed_call, true);
        derived.rebuild(program, state, scratch);
        scratch.in_unconcealed_call = uncovering;
        scratch.fuel = fuel;
        derived
    }

    /// Whether the continuous effects look at a slot, where it was or where it is, or come from it.
    fn is_watched(&self, program: &Program, state: &State, watch: ReadMask, slot: usize) -> bool {
        let before = self.kinds.get(slot).copied().unwrap_or(0).checked_sub(1).map(usize::from);
        let now = state.zone(slot).map(|zone| program.layout.kind(zone));
        let it = state.current(slot);
        let locked = |record: &u32| state.block.list(*record as usize + EFFECT_WHOM).contains(&it.0);
        before.into_iter().chain(now).any(|kind| watch.reads_zone(kind))
            || self.sources.contains(&slot)
            || state.block.list(at::EFFECTS).iter().any(locked)
    }

    fn note_kind(&mut self, program: &Program, state: &State, slot: usize) {
        if self.kinds.len() <= slot {
            self.kinds.resize(slot + 1, 0);
        }
        if let Some(kind) = self.kinds.get_mut(slot) {
            *kind = state.zone(slot).map_or(0, |zone| program.layout.kind(zone) as u8 + 1);
        }
    }

    /// Whether a slot has a static ability that works where it is.
    fn has_static(&self, program: &Program, state: &State, slot: usize) -> bool {
        let works = |(unit, ability): &(u32, AbilityId)| {
            let zones = program.library.abilities.get(ability.index()).map_or(0, |a| a.zones);
            let column = program.row.units + *unit as usize / 32;
            state.lies_in(program, slot, zones) && self.word(slot, column) & (1 << (unit % 32)) != 0
        };
        state.column(slot, at::HOST) == 0 && program.statics.iter().any(works)
    }

    /// Whether a static ability is on an object in a zone where it works.
    fn any_static_works(&self, program: &Program, state: &State) -> bool {
        program.statics.iter().any(|(unit, ability)| {
            let zones = program.library.abilities.get(ability.index()).map_or(0, |a| a.zones);
            self.holders(*unit).iter().any(|it| state.lies_in(program, it.slot(), zones))
        })
    }

    /// An object is no holder of its units any more.
    fn unhold(&mut self, program: &Program, slot: usize) {
        self.of_units(program, slot, |holders| {
            let place = holders.partition_point(|other| other.slot() < slot);
            if holders.get(place).is_some_and(|other| other.slot() == slot) {
                holders.remove(place);
            }
        });
    }

    /// An object holds the units that it has.
    fn hold(&mut self, program: &Program, state: &State, slot: usize) {
        if state.zone(slot).is_none() || state.column(slot, at::HOST) != 0 {
            return;
        }
        let it = state.current(slot);
        self.of_units(program, slot, |holders| {
            let place = holders.partition_point(|other| other.slot() < slot);
            match holders.get_mut(place).filter(|other| other.slot() == slot) {
                Some(same) => *same = it,
                None => holders.insert(place, it),
            }
        });
    }

    /// Does something with the holders of each unit that an object has.
    fn of_units(&mut self, program: &Program, slot: usize, mut does: impl FnMut(&mut Vec<ObjectRef>)) {
        for word in 0..program.row.unit_words {
            let mut bits = self.word(slot, program.row.units + word);
            while bits != 0 {
                let unit = word * 32 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                self.holders.get_mut(unit).into_iter().for_each(&mut does);
            }
        }
    }

    /// Objects are as they are without effects.
    fn reset_all(&mut self, program: &Program, state: &State, slots: &[usize]) {
        if slots.len() < FULL_REBUILD_THRESHOLD {
            slots.iter().for_each(|slot| self.reset(program, state, *slot));
        } else {
            slots.iter().for_each(|slot| self.base_row(program, state, *slot));
            self.all_holders(program, state);
        }
    }

    /// An object is as it is without effects.
    fn reset(&mut self, program: &Program, state: &State, slot: usize) {
        self.unhold(program, slot);
        self.base_row(program, state, slot);
        self.hold(program, state, slot);
    }

    fn base_row(&mut self, program: &Program, state: &State, slot: usize) {
        let start = slot * self.stride;
        if let Some(row) = self.rows.get_mut(start..start + self.stride) {
            copiable_values::base_row(program, state, slot, row);
        }
    }

    fn all_holders(&mut self, program: &Program, state: &State) {
        self.holders.resize(program.units.len(), Vec::new());
        for holders in &mut self.holders {
            holders.clear();
        }
        for slot in 1..state.slots() {
            if state.zone(slot).is_some() && state.column(slot, at::HOST) == 0 {
                let it = state.current(slot);
                self.of_units(program, slot, |holders| holders.push(it));
            }
        }
        self.units_written = false;
    }
}
