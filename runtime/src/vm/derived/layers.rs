//! The order in which continuous effects apply (CR 613): by layer; within a layer characteristic-defining effects first, then by
//! timestamp and dependency.
//!
//! Dependency is found by trial application, tried only for pairs where one effect writes what the other reads ([`RowAccess`]).
//! Effects that depend on each other in a cycle fall back to timestamps (CR 613.8b). The invariant checker repeats the
//! computation with all pairs tried.

use super::apply::LayerProgress;
use crate::ir::ObjectRef;
use crate::ir::{AbilityId, AbilityKind, Change, ModificationId};
use crate::program::Program;
use crate::records::{
    EFFECT_CAPTURES, EFFECT_CONTROLLER, EFFECT_COPIED, EFFECT_LOCKED, EFFECT_MODS, EFFECT_SOURCE, EFFECT_STAMP, EFFECT_WHOM,
};
use crate::state::{State, layout as at};
use crate::tables::RowAccess;
use crate::vm::derived::values::LayerEffect;
use crate::vm::derived::values::{DerivedValues, EffectArgs, sort_slots};
use crate::vm::scratch::Scratch;
use smallvec::SmallVec;
use std::collections::VecDeque;
use std::collections::btree_map::{BTreeMap, Entry};

/// The most effects that come from granted static abilities at once: what one of them does to each object of a crowded field takes as long as a
/// thousand operations. With more, the game ends by its fuel. On a board that players fill there are some dozens.
const MAX_GRANTED: usize = 10_000;

/// Adds modifications to an effect, one [`LayerEffect`] per layer.
fn add_changes(all: &mut Vec<LayerEffect>, program: &Program, effect: &LayerEffect, changes: &[ModificationId]) {
    let first = all.len();
    for id in changes {
        let Some(change) = program.modification(id.0) else { continue };
        // Prohibitions and clauses change no object. They apply after all layers (CR 613.11), and only if the source still has
        // the ability.
        let forbids = matches!(change.change, Change::Prohibit(_) | Change::ConstrainDeclarations(_));
        let layer = if forbids { program.library.layers.len().max(1) } else { usize::from(change.layer) };
        let of = |table: &[RowAccess]| table.get(id.index()).copied().unwrap_or_default();
        let (writes, reads) = (of(&program.modification_row_writes), of(&program.modification_row_reads));
        match all.iter_mut().skip(first).find(|one| one.layer == layer) {
            Some(one) => {
                one.changes.push(*id);
                one.writes = one.writes.union(writes);
                one.reads = one.reads.union(reads);
            }
            None => all.push(LayerEffect {
                layer,
                changes: SmallVec::from_slice(&[*id]),
                defining: change.defining,
                writes,
                reads,
                ..effect.clone()
            }),
        }
    }
}

impl DerivedValues {
    /// Recomputes everything from scratch.
    pub(super) fn rebuild(&mut self, program: &Program, state: &State, scratch: &mut Scratch) {
        std::mem::swap(&mut self.rows, &mut self.rows_before);
        self.rows.clear();
        self.rows.resize(state.slots() * self.stride, 0);
        self.kinds.clear();
        self.written_slots.clear();
        for slot in 1..state.slots() {
            self.write_base_row(program, state, slot);
            self.record_kind(program, state, slot);
        }
        self.rebuild_holders(program, state);
        self.apply_all(program, state, scratch);
        let before = std::mem::take(&mut self.rows_before);
        // If there were no rows before, all objects count as changed already.
        if !before.is_empty() {
            self.compare_rows(&before, 0..state.slots());
        }
        self.rows_before = before;
    }

    /// Resets the dirty slots and those that effects wrote, and reapplies all effects to all objects. Other rows keep their base
    /// values.
    pub(super) fn reapply_all(&mut self, program: &Program, state: &State, scratch: &mut Scratch, dirty: &[usize]) {
        let mut slots = std::mem::take(&mut self.written_slots);
        slots.extend_from_slice(dirty);
        sort_slots(&mut slots);
        let mut before = std::mem::take(&mut self.rows_before);
        before.clear();
        slots.iter().for_each(|slot| before.extend_from_slice(self.row(*slot)));
        self.reset_all(program, state, &slots);
        dirty.iter().for_each(|slot| self.record_kind(program, state, *slot));
        self.apply_all(program, state, scratch);
        for (slot, before) in slots.iter().zip(before.chunks(self.stride.max(1))) {
            if self.row(*slot) != before {
                self.record_slot_change(*slot);
            }
        }
        // A row that effects write for the first time is assumed to have changed.
        let written = std::mem::take(&mut self.written_slots);
        let new = written.iter().filter(|slot| slots.binary_search(slot).is_err());
        new.for_each(|slot| self.record_slot_change(*slot));
        self.written_slots = written;
        self.rows_before = before;
    }

    /// Applies all effects to base rows.
    fn apply_all(&mut self, program: &Program, state: &State, scratch: &mut Scratch) {
        self.sources.clear();
        self.prohibitions.clear();
        self.clauses.clear();
        self.copies.clear();
        self.texts.clear();
        // The game ends at its next step.
        if scratch.has_given_up_derived_values() {
            return;
        }
        let mut waiting = std::mem::take(&mut scratch.effects);
        self.add_effects(program, state, &mut waiting);
        // Each layer looks through those that wait, and each effect has been put together from its modifications.
        let changes: usize = waiting.iter().map(|effect| effect.changes.len()).sum();
        scratch.count_derived_work((changes + waiting.len() * program.library.layers.len() / 4) as u64);
        self.effect_reads = None;
        self.is_local = may_be_local(program, &waiting);
        self.writes = waiting.iter().map(|effect| effect.closure_writes(program)).fold(RowAccess::default(), RowAccess::union);
        if !waiting.is_empty() {
            self.record_dependencies(program, &waiting);
            self.apply_layers(program, state, scratch, &mut waiting);
            if self.units_written {
                self.rebuild_holders(program, state);
            }
        }
        waiting.clear();
        scratch.effects = waiting;
        self.sort_written();
    }

    /// As [`DerivedValues::reapply_all`] for some slots, if these are no sources of effects and all active effects are local.
    /// Returns false if another effect becomes active: then everything must be recomputed.
    pub(super) fn rebuild_slots(&mut self, program: &Program, state: &State, scratch: &mut Scratch, slots: &[usize]) -> bool {
        let has_static = |derived: &Self| slots.iter().any(|slot| derived.has_working_static(program, state, *slot));
        for slot in slots {
            self.remove_from_holders(program, *slot);
            self.write_base_row(program, state, *slot);
            self.record_kind(program, state, *slot);
            self.texts.remove(slot);
        }
        self.copies.retain(|(slot, _), _| !slots.contains(slot));
        if has_static(self) {
            return false;
        }
        let mut effects = std::mem::take(&mut scratch.effects);
        self.add_effects(program, state, &mut effects);
        // Prohibitions and clauses that are local stay as they are. The others do not apply yet.
        let last = program.library.layers.len().max(1);
        let inactive: Vec<LayerEffect> =
            effects.extract_if(.., |effect| effect.layer == last).filter(|effect| !effect.is_local(program)).collect();
        self.restricted_slots.extend_from_slice(slots);
        self.apply_layers(program, state, scratch, &mut effects);
        self.restricted_slots.clear();
        effects.clear();
        scratch.effects = effects;
        for slot in slots {
            self.add_to_holders(program, state, *slot);
        }
        self.units_written = false;
        self.sort_written();
        let begins = |effect: &LayerEffect| self.applies(program, state, scratch, effect, &LayerProgress::default());
        self.is_local && !inactive.iter().any(begins) && !has_static(self)
    }

    fn apply_layers(&mut self, program: &Program, state: &State, scratch: &mut Scratch, waiting: &mut Vec<LayerEffect>) {
        let mut progress = LayerProgress::default();
        let mut here = VecDeque::new();
        let mut copies: BTreeMap<u32, u32> = BTreeMap::new();
        for layer in 0..=program.library.layers.len().max(1) {
            here.extend(waiting.extract_if(.., |c| c.layer == layer));
            let mut written = sort_by_timestamp(&mut here);
            progress.circles.clear();
            // With too many effects the game ends at its next step; until then no more apply.
            while !here.is_empty() && !scratch.has_given_up_derived_values() {
                let next = self.next_effect(program, state, scratch, here.make_contiguous(), written, &mut progress);
                let Some(contribution) = here.remove(next) else { break };
                if !self.applies(program, state, scratch, &contribution, &progress) {
                    progress.forget(&contribution);
                    continue;
                }
                self.is_local &= contribution.is_local(program);
                self.apply(program, state, scratch, &contribution, Some(&mut progress));
                // Copy effects come first and none reads what another one writes, so what they grant is searched once, after the last one.
                if contribution.copied.is_some() {
                    copies.extend(contribution.whom.iter().flatten().map(|it| (*it, contribution.stamp)));
                    if here.front().is_some_and(|next| next.copied.is_some()) {
                        continue;
                    }
                }
                // For restricted slots, the caller checks at the end whether a static ability was granted.
                if contribution.may_grant_statics(program) && self.restricted_slots.is_empty() {
                    self.add_granted(
                        program,
                        state,
                        scratch,
                        (&contribution, &std::mem::take(&mut copies)),
                        (waiting, &mut here),
                        &mut progress,
                    );
                    written = sort_by_timestamp(&mut here);
                } else if contribution.writes.has_bundles() && waiting.iter().chain(&here).any(|c| c.reads.has_bundles()) {
                    // Legality queries read the holder lists.
                    self.rebuild_holders(program, state);
                }
            }
        }
    }

    /// Adds static abilities that an effect granted in its layer, or the copy effects before it and itself, by object; they apply from this layer on.
    /// Their timestamp is that of the effect if it is later than that of the object (CR 613.7a).
    fn add_granted(
        &mut self,
        program: &Program,
        state: &State,
        scratch: &mut Scratch,
        (grant, copies): (&LayerEffect, &BTreeMap<u32, u32>),
        (waiting, here): (&mut Vec<LayerEffect>, &mut VecDeque<LayerEffect>),
        progress: &mut LayerProgress,
    ) {
        let layer = grant.layer;
        self.rebuild_holders(program, state);
        let known = progress.known.get_or_insert_with(|| waiting.iter().chain(here.iter()).map(LayerEffect::place).collect());
        // Effects of what resolved are all known: nothing grants one.
        let mut all = Vec::new();
        if grant.may_change_texts(program) {
            self.add_statics(program, state, &mut all);
        } else {
            self.add_gained(program, state, &mut all);
        }
        for mut late in all {
            let is_new = known.insert(late.place());
            if !is_new || late.layer < layer || progress.begun.contains(&late.family) {
                continue;
            }
            progress.granted += 1;
            if progress.granted > MAX_GRANTED {
                scratch.give_up_derived_values();
                return;
            }
            late.stamp = late.stamp.max(copies.get(&late.source.0).copied().unwrap_or(grant.stamp));
            self.is_local = false;
            self.record_dependencies(program, std::slice::from_ref(&late));
            if late.layer > layer { waiting.push(late) } else { here.push_back(late) }
        }
    }

    /// Records what effects read, and their sources.
    fn record_dependencies(&mut self, program: &Program, effects: &[LayerEffect]) {
        let mut watch = self.effect_reads.unwrap_or_default();
        for effect in effects {
            for change in &effect.changes {
                watch = watch.union(program.modification_reads.get(change.index()).copied().unwrap_or_default());
            }
            if effect.unit.is_some() && !self.sources.contains(&effect.source.slot()) {
                self.sources.push(effect.source.slot());
            }
        }
        self.effect_reads = Some(watch);
    }

    /// Adds all effects that could apply: static abilities of objects and rules, and effects of what resolved.
    fn add_effects(&self, program: &Program, state: &State, all: &mut Vec<LayerEffect>) {
        self.add_statics(program, state, all);
        add_resolved(program, state, all);
    }

    /// Adds the effects of the static abilities of objects and rules.
    fn add_statics(&self, program: &Program, state: &State, all: &mut Vec<LayerEffect>) {
        for ability in &program.rule_statics {
            add_static(all, program, *ability, None, (ObjectRef::NONE, crate::ir::NO_PLAYER), 0, 0);
        }
        for (unit, ability) in &program.statics {
            for it in self.holders(*unit) {
                self.add_statics_of(program, state, all, (*unit, *ability), *it, 0..self.copies_of(*unit, *it));
            }
        }
    }

    /// Adds the effects of the static abilities that the last effect gave, in the order of [`DerivedValues::add_statics`].
    fn add_gained(&mut self, program: &Program, state: &State, all: &mut Vec<LayerEffect>) {
        self.gained.sort_unstable_by_key(|(slot, unit, copy)| (*unit, *slot, *copy));
        for (unit, ability) in &program.statics {
            let first = self.gained.partition_point(|(_, other, _)| other < unit);
            let gained = self.gained.get(first..).unwrap_or_default().iter().take_while(|(_, other, _)| other == unit);
            for (slot, _, copy) in gained {
                self.add_statics_of(program, state, all, (*unit, *ability), state.current(*slot), *copy..*copy + 1);
            }
        }
    }

    /// Adds the effects of a static ability of an object, for some of its copies, if it is active in the object's zone.
    fn add_statics_of(
        &self,
        program: &Program,
        state: &State,
        all: &mut Vec<LayerEffect>,
        (unit, ability): (u32, AbilityId),
        it: ObjectRef,
        copies: std::ops::Range<u32>,
    ) {
        let zones = program.library.abilities.get(ability.index()).map_or(0, |ability| ability.zones);
        if !state.is_in_zone_kinds(program, it.slot(), zones) || state.column(it.slot(), at::HOST) != 0 {
            return;
        }
        let controller = i64::from(self.word(it.slot(), 0));
        for copy in copies {
            add_static(all, program, ability, Some(unit), (it, controller), state.column(it.slot(), at::ENTERED_AT), copy);
        }
    }

    /// Returns the earliest effect of the layer that depends on no other. Effects that depend on each other in a circle ignore
    /// each other from then on (CR 613.8b). A characteristic-defining effect never waits for another kind (CR 613.8a).
    fn next_effect(
        &self,
        program: &Program,
        state: &State,
        scratch: &mut Scratch,
        here: &[LayerEffect],
        written: RowAccess,
        progress: &mut LayerProgress,
    ) -> usize {
        if !self.tries_all_pairs && here.first().is_some_and(|first| !first.may_change_by(program, written)) {
            return 0;
        }
        let first = here.first().map_or(0, LayerEffect::rank);
        let here = here.get(..here.iter().take_while(|c| c.rank() == first).count()).unwrap_or(here);
        let mut needs: Vec<Option<Vec<usize>>> = vec![None; here.len()];
        for i in 0..here.len() {
            let all = self.transitive_dependencies(program, state, scratch, here, progress, &mut needs, i);
            if all
                .iter()
                .all(|j| self.transitive_dependencies(program, state, scratch, here, progress, &mut needs, *j).contains(&i))
            {
                if !all.is_empty() {
                    progress.circles.push(all.iter().filter_map(|j| here.get(*j)).map(|c| c.family).collect());
                }
                return i;
            }
        }
        0
    }

    /// Returns the effects of a layer that one depends on, directly or not.
    #[expect(clippy::too_many_arguments, reason = "the world of an evaluation, and what is known of the layer")]
    fn transitive_dependencies(
        &self,
        program: &Program,
        state: &State,
        scratch: &mut Scratch,
        here: &[LayerEffect],
        progress: &LayerProgress,
        needs: &mut [Option<Vec<usize>>],
        from: usize,
    ) -> Vec<usize> {
        let mut found: Vec<usize> = Vec::new();
        let mut open = vec![from];
        while let Some(i) = open.pop() {
            let Some(need) = needs.get_mut(i) else { continue };
            let need = need.get_or_insert_with(|| self.direct_dependencies(program, state, scratch, here, progress, i));
            for j in need.iter() {
                if !found.contains(j) {
                    found.push(*j);
                    open.push(*j);
                }
            }
        }
        found
    }

    /// Returns the effects of a layer that one depends on directly: applying them first would change whether it applies, to which
    /// objects, or what it does to them (CR 613.8a).
    fn direct_dependencies(
        &self,
        program: &Program,
        state: &State,
        scratch: &mut Scratch,
        here: &[LayerEffect],
        progress: &LayerProgress,
        i: usize,
    ) -> Vec<usize> {
        let Some(c) = here.get(i) else { return Vec::new() };
        let circle = |other: &LayerEffect| {
            progress.circles.iter().any(|circle| circle.contains(&c.family) && circle.contains(&other.family))
        };
        let may = |(j, other): &(usize, &LayerEffect)| {
            *j != i && (self.tries_all_pairs || other.may_change(program, c)) && !circle(other)
        };
        let others: Vec<(usize, &LayerEffect)> = here.iter().enumerate().filter(may).collect();
        if others.is_empty() {
            return Vec::new();
        }
        let before = self.footprint(program, state, scratch, c, progress);
        let mut needs = Vec::new();
        let mut trial = Self::default();
        for (j, other) in others {
            if !self.applies(program, state, scratch, other, progress) {
                continue;
            }
            if !scratch.count_trial(state.slots()) {
                break;
            }
            trial.clone_from(self);
            trial.apply(program, state, scratch, other, None);
            if trial.footprint(program, state, scratch, c, progress) != before {
                needs.push(j);
            }
        }
        needs
    }
}

/// Adds the effect of a static ability of an object, or of a rule.
fn add_static(
    all: &mut Vec<LayerEffect>,
    program: &Program,
    ability: AbilityId,
    unit: Option<u32>,
    (source, controller): (ObjectRef, i64),
    stamp: u32,
    copy: u32,
) {
    let Some(AbilityKind::Static { modifications, .. }) = program.library.abilities.get(ability.index()).map(|a| &a.kind) else {
        return;
    };
    let effect = LayerEffect {
        layer: 0,
        stamp,
        source,
        args: EffectArgs::from_slice(&[source.value(), controller]),
        changes: SmallVec::new(),
        unit,
        ability: Some(ability),
        whom: None,
        family: (copy as usize) << 48 | (ability.index() << 12) | source.slot(),
        copy,
        defining: false,
        copied: None,
        writes: RowAccess::default(),
        reads: RowAccess::default(),
    };
    add_changes(all, program, &effect, modifications);
}

/// Adds the effects of what resolved. A copy effect writes all copiable values, so of those of one object only the last one is added: hundreds of
/// copies of one object cost as much as one.
fn add_resolved(program: &Program, state: &State, all: &mut Vec<LayerEffect>) {
    let mut copies: BTreeMap<u32, usize> = BTreeMap::new();
    for (number, record) in state.block.list(at::EFFECTS).iter().enumerate() {
        let record = *record as usize;
        let source = ObjectRef(state.block.get(record + EFFECT_SOURCE));
        let mut args = EffectArgs::from_slice(&[source.value(), state.block.int(record + EFFECT_CONTROLLER)]);
        args.extend(state.block.list(record + EFFECT_CAPTURES).iter().map(|v| i64::from(*v as i32)));
        let locked = state.block.get(record + EFFECT_LOCKED) != 0;
        let effect = LayerEffect {
            layer: 0,
            stamp: state.block.get(record + EFFECT_STAMP),
            source,
            args,
            changes: SmallVec::new(),
            unit: None,
            ability: None,
            whom: locked.then(|| state.block.list(record + EFFECT_WHOM).to_vec()),
            family: (1 << 40) | number,
            copy: 0,
            defining: false,
            copied: None,
            writes: RowAccess::default(),
            reads: RowAccess::default(),
        };
        if state.block.len(record + EFFECT_COPIED) != 0 {
            let effect = LayerEffect { copied: Some(record), ..effect };
            match last_copy(&mut copies, &effect, all.len()).and_then(|place| all.get_mut(place)) {
                Some(earlier) if earlier.stamp <= effect.stamp => *earlier = effect,
                Some(_) => {}
                None => all.push(effect),
            }
        } else {
            let mods: SmallVec<[ModificationId; 8]> =
                state.block.list(record + EFFECT_MODS).iter().map(|id| ModificationId(*id)).collect();
            add_changes(all, program, &effect, &mods);
        }
    }
}

/// Returns the place of an earlier copy effect of the only object of a copy effect; records `place` if there is none.
fn last_copy(copies: &mut BTreeMap<u32, usize>, effect: &LayerEffect, place: usize) -> Option<usize> {
    let &[it] = effect.whom.as_deref()? else { return None };
    match copies.entry(it) {
        Entry::Occupied(known) => Some(*known.get()),
        Entry::Vacant(free) => {
            free.insert(place);
            None
        }
    }
}

/// Sorts effects of a layer into the order without dependencies. Returns what all of them write.
fn sort_by_timestamp(effects: &mut VecDeque<LayerEffect>) -> RowAccess {
    effects.make_contiguous().sort_by_key(|c| (c.rank(), c.stamp));
    effects.iter().map(|c| c.writes).fold(RowAccess::default(), RowAccess::union)
}

/// Returns whether effects are local (see [`DerivedValues::changes_are_local`]) as long as the others do not apply and no effect
/// can make these apply. Effects that may depend on each other are not local, since changes elsewhere could decide their order.
fn may_be_local(program: &Program, effects: &[LayerEffect]) -> bool {
    let others = |n: usize| effects.iter().enumerate().filter(move |(m, _)| *m != n).map(|(_, other)| other);
    // What all effects of a layer write, and those of all layers. Only an effect that this may change is compared with each other one; then one of
    // them soon does, or it is the only one with its columns. So the work is in proportion to the number of effects.
    let mut of_layers: SmallVec<[RowAccess; 16]> = SmallVec::new();
    for effect in effects {
        if of_layers.len() <= effect.layer {
            of_layers.resize(effect.layer + 1, RowAccess::default());
        }
        if let Some(written) = of_layers.get_mut(effect.layer) {
            *written = written.union(effect.writes);
        }
    }
    let of_all = of_layers.iter().copied().fold(RowAccess::default(), RowAccess::union);
    let of_layer = |layer: usize| of_layers.get(layer).copied().unwrap_or_default();
    let depends = |n: usize, one: &LayerEffect| {
        one.may_change_by(program, of_layer(one.layer))
            && others(n).any(|other| other.layer == one.layer && other.may_change(program, one))
    };
    let rests = |n: usize, one: &LayerEffect| {
        one.copied.is_none() && !(one.may_change_by(program, of_all) && others(n).any(|other| other.may_change(program, one)))
    };
    let mut all = effects.iter().enumerate();
    all.all(|(n, one)| (one.is_local(program) || rests(n, one)) && !depends(n, one))
}

impl LayerEffect {
    /// Returns what distinguishes it from all others: its family and its layer.
    fn place(&self) -> (usize, usize) {
        (self.family, self.layer)
    }

    /// Copy effects come first, then within a layer characteristic-defining effects (CR 613.2, 613.3).
    fn rank(&self) -> u8 {
        match (self.copied, self.defining) {
            (Some(_), _) => 0,
            (None, true) => 1,
            (None, false) => 2,
        }
    }

    /// Returns what it writes, including the static abilities that it grants.
    fn closure_writes(&self, program: &Program) -> RowAccess {
        let all = self.changes.iter().filter_map(|id| program.modification_closure.get(id.index()));
        all.fold(RowAccess::default(), |all, one| all.union(*one))
    }

    /// Returns whether it reads no object except each one that it affects.
    fn is_local(&self, program: &Program) -> bool {
        let local = |id: &ModificationId| {
            program.modification_reads.get(id.index()).is_some_and(|watch| !watch.all && !watch.places && !watch.other_objects)
        };
        self.copied.is_none() && self.changes.iter().all(local)
    }

    /// Returns whether it may grant static abilities.
    fn may_grant_statics(&self, program: &Program) -> bool {
        let grants = |id: &ModificationId| {
            program.modification(id.0).is_some_and(|m| program.may_grant(&m.change, |unit| program.is_static(unit)))
        };
        self.copied.is_some() || self.changes.iter().any(grants)
    }

    /// Returns whether it can give objects other abilities than the bundles that it names: those of a copied object, or of other words in a text.
    fn may_change_texts(&self, program: &Program) -> bool {
        let substitutes =
            |id: &ModificationId| program.modification(id.0).is_some_and(|it| matches!(it.change, Change::SubstituteWord { .. }));
        self.copied.is_some() || self.changes.iter().any(substitutes)
    }

    /// Returns whether applying this effect could change whether, to which objects or how another one applies.
    fn may_change(&self, program: &Program, other: &Self) -> bool {
        other.may_change_by(program, self.writes)
    }

    /// Returns whether writes could change whether, to which objects or how this effect applies: they intersect what it reads.
    fn may_change_by(&self, program: &Program, writes: RowAccess) -> bool {
        // Rules of the game have no bundle, and exist always.
        let unit = self.unit.filter(|dense| (*dense as usize) < program.bundles.len());
        let existence = unit.is_some_and(|unit| writes.has_bundle(unit) || writes.has_controller());
        existence || writes.intersects(self.reads)
    }
}
