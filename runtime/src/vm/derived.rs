//! Values after continuous effects: the controller, properties, words and units of every object.
//!
//! A cache outside the state and its hash. Rows are recomputed for the slots that changed when no continuous effect that is about
//! looks at them, and from scratch, layer by layer, when one does. Within a layer, effects apply in the order of their timestamps,
//! except that one which depends on another waits for it (found by trial application, CR 613.8); an effect that began to apply in an
//! earlier layer goes on in later ones though its source lost it (CR 613.6).

use super::eval::{Scratch, World};
use crate::ir::{AbilityId, AbilityKind, Change, EventPattern, ModId, Place};
use crate::program::Program;
use crate::state::{Ref, State, layout as at};
use crate::watch::Watch;
use std::collections::BTreeMap;

/// Payload of a last-known record: reference, definition shown, owner, zone instance, definition printed, then the derived row and the
/// statuses.
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
/// List of ends, four words each: kind, a, b, turn it began in.
pub const EFFECT_UNTIL: usize = 7;
/// List of abilities.
pub const EFFECT_ABILITIES: usize = 8;
/// It ends when an ability of it was used.
pub const EFFECT_ONCE: usize = 9;
/// Words of an effect record.
pub const EFFECT_WORDS: usize = 10;

/// A prohibition in force that comes from a continuous effect.
#[derive(Clone, Debug, PartialEq)]
pub struct Forbidding {
    /// What.
    pub pattern: EventPattern,
    /// (source, controller, captures…): the first arguments of its filter.
    pub args: Vec<i64>,
    /// For refusals: the ability, or none for the effect of something that resolved.
    pub ability: Option<AbilityId>,
}

/// A clause about declarations in force.
#[derive(Clone, Debug, PartialEq)]
pub struct Holding {
    /// Which change says it.
    pub change: ModId,
    /// (source, controller, captures…): the first arguments of its functions.
    pub args: Vec<i64>,
    /// The ability, or none for the effect of something that resolved.
    pub ability: Option<AbilityId>,
}

/// The cache.
#[derive(Clone, Debug, Default)]
pub struct Derived {
    rows: Vec<u32>,
    stride: usize,
    /// Objects that have a dense unit, sorted by slot.
    holders: Vec<Vec<Ref>>,
    /// How often more than once a slot has a dense unit: two effects that grant the same give it twice.
    copies: BTreeMap<(usize, u32), u32>,
    /// Prohibitions by continuous effects.
    pub forbidding: Vec<Forbidding>,
    /// Clauses about declarations.
    pub clauses: Vec<Holding>,
    dirty: Vec<usize>,
    all_dirty: bool,
    /// What the continuous effects that are about look at; none when none is about.
    watch: Option<Watch>,
    /// Slots whose static abilities are among them.
    sources: Vec<usize>,
    /// Zone kind of each slot as of the last refresh, plus one.
    kinds: Vec<u8>,
}

impl PartialEq for Derived {
    fn eq(&self, other: &Self) -> bool {
        self.rows == other.rows
            && self.holders == other.holders
            && self.copies == other.copies
            && self.forbidding == other.forbidding
            && self.clauses == other.clauses
    }
}

/// The slots that effects began to affect: family, selector, slots.
type Kept = Vec<(usize, Option<crate::ir::FnId>, Vec<usize>)>;

/// One effect in one layer.
#[derive(Clone, Debug)]
struct Contribution {
    stamp: u32,
    source: Ref,
    /// (source, controller, captures…).
    args: Vec<i64>,
    change: ModId,
    /// The unit that must still be on the source, for static abilities.
    unit: Option<u32>,
    ability: Option<AbilityId>,
    whom: Option<Vec<u32>>,
    /// Applies in more than one layer: exists on once begun.
    family: usize,
    /// Of an ability that its source has more than once: which one, from 0.
    copy: u32,
}

impl Derived {
    /// A word of a slot's row.
    #[inline]
    #[must_use]
    pub fn word(&self, slot: usize, column: usize) -> u32 {
        self.rows.get(slot * self.stride + column).copied().unwrap_or(0)
    }

    fn set_word(&mut self, slot: usize, column: usize, value: u32) {
        if let Some(word) = self.rows.get_mut(slot * self.stride + column) {
            *word = value;
        }
    }

    /// The objects that have a dense unit.
    #[must_use]
    pub fn holders(&self, unit: u32) -> &[Ref] {
        self.holders.get(unit as usize).map_or(&[], Vec::as_slice)
    }

    /// How often an object has a dense unit that it has.
    #[must_use]
    pub fn times(&self, unit: u32, it: Ref) -> u32 {
        if self.copies.is_empty() { 1 } else { 1 + self.copies.get(&(it.slot(), unit)).copied().unwrap_or(0) }
    }

    /// A slot changed.
    pub fn touch(&mut self, slot: usize) {
        if !self.all_dirty {
            self.dirty.push(slot);
        }
    }

    /// Anything may have changed.
    pub fn touch_all(&mut self) {
        self.all_dirty = true;
    }

    /// Whether a refresh is due.
    #[must_use]
    pub fn is_dirty(&self) -> bool {
        self.all_dirty || !self.dirty.is_empty()
    }

    /// What the continuous effects look at that were about at the last refresh.
    #[must_use]
    pub fn watch(&self) -> Watch {
        self.watch.unwrap_or_default()
    }

    /// Whether writing a place may change derived values.
    #[must_use]
    pub fn watches(&self, place: Place) -> bool {
        self.watch.is_some_and(|watch| watch.contains(place))
    }

    /// Brings the cache up to date.
    pub fn refresh(&mut self, program: &Program, state: &State, scratch: &mut Scratch) {
        if !self.is_dirty() {
            return;
        }
        // What the cache costs depends on what is cached: it is no part of the game's fuel.
        let fuel = std::mem::take(&mut scratch.fuel);
        self.update(program, state, scratch);
        scratch.fuel = fuel;
    }

    fn update(&mut self, program: &Program, state: &State, scratch: &mut Scratch) {
        self.stride = program.row.stride;
        let continuous = |record: &u32| state.block.len(*record as usize + EFFECT_MODS) != 0;
        let effects = state.block.list(at::EFFECTS).iter().any(continuous) || !program.rule_statics.is_empty();
        let matters = match self.watch {
            None => effects,
            Some(watch) => watch.all || self.dirty.iter().any(|slot| self.is_watched(program, state, watch, *slot)),
        };
        if self.all_dirty || matters || self.holders.len() != program.units.len() {
            self.rebuild(program, state, scratch);
        } else {
            let mut dirty = std::mem::take(&mut self.dirty);
            dirty.sort_unstable();
            dirty.dedup();
            self.rows.resize(state.slots() * self.stride, 0);
            for slot in &dirty {
                self.unhold(program, *slot);
                self.base_row(program, state, *slot);
                self.hold(program, state, *slot);
                self.note_kind(program, state, *slot);
            }
            let started = match self.watch {
                None => self.any_static_works(program, state),
                Some(_) => dirty.iter().any(|slot| self.has_static(program, state, *slot)),
            };
            self.dirty = dirty;
            if started {
                self.rebuild(program, state, scratch);
            }
        }
        self.dirty.clear();
        self.all_dirty = false;
    }

    /// The cache computed from scratch, for the checks of the harness.
    #[must_use]
    pub fn from_scratch(program: &Program, state: &State, scratch: &mut Scratch) -> Self {
        let mut derived = Self { stride: program.row.stride, ..Self::default() };
        let fuel = std::mem::take(&mut scratch.fuel);
        derived.rebuild(program, state, scratch);
        scratch.fuel = fuel;
        derived
    }

    /// Whether the continuous effects look at a slot, where it was or where it is, or come from it.
    fn is_watched(&self, program: &Program, state: &State, watch: Watch, slot: usize) -> bool {
        let before = self.kinds.get(slot).copied().unwrap_or(0).checked_sub(1).map(usize::from);
        let now = state.zone(slot).map(|zone| program.layout.kind(zone));
        let it = state.current(slot);
        let locked = |record: &u32| state.block.list(*record as usize + EFFECT_WHOM).contains(&it.0);
        before.into_iter().chain(now).any(|kind| watch.looks_into(kind))
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
        let Some(zone) = state.zone(slot).filter(|_| state.column(slot, at::HOST) == 0) else { return false };
        program.statics.iter().any(|(unit, ability)| {
            let zones = program.library.abilities.get(ability.index()).map_or(0, |a| a.zones);
            let column = program.row.units + *unit as usize / 32;
            zones & (1u32 << program.layout.kind(zone).min(31)) != 0 && self.word(slot, column) & (1 << (unit % 32)) != 0
        })
    }

    /// Whether a static ability is on an object in a zone where it works.
    fn any_static_works(&self, program: &Program, state: &State) -> bool {
        program.statics.iter().any(|(unit, ability)| {
            let zones = program.library.abilities.get(ability.index()).map_or(0, |a| a.zones);
            self.holders(*unit)
                .iter()
                .any(|it| state.zone(it.slot()).is_some_and(|z| zones & (1u32 << program.layout.kind(z).min(31)) != 0))
        })
    }

    fn unhold(&mut self, program: &Program, slot: usize) {
        for unit in 0..program.units.len() {
            let column = program.row.units + unit / 32;
            if self.word(slot, column) & (1 << (unit % 32)) != 0
                && let Some(holders) = self.holders.get_mut(unit)
            {
                holders.retain(|it| it.slot() != slot);
            }
        }
    }

    fn hold(&mut self, program: &Program, state: &State, slot: usize) {
        if state.zone(slot).is_none() || state.column(slot, at::HOST) != 0 {
            return;
        }
        for unit in 0..program.units.len() {
            let column = program.row.units + unit / 32;
            if self.word(slot, column) & (1 << (unit % 32)) != 0
                && let Some(holders) = self.holders.get_mut(unit)
            {
                let it = state.current(slot);
                let place = holders.partition_point(|other| other.slot() < slot);
                holders.insert(place, it);
            }
        }
    }

    fn base_row(&mut self, program: &Program, state: &State, slot: usize) {
        let start = slot * self.stride;
        let Some(row) = self.rows.get_mut(start..start + self.stride) else { return };
        let shown = program.shown(state.column(slot, at::DEFINITION), state.column(slot, at::FACE), state.zone(slot));
        let template = program.templates.get(shown as usize);
        match template {
            Some(template) if state.zone(slot).is_some() => row.copy_from_slice(template),
            _ => row.fill(0),
        }
        if state.is_concealed(program, slot) {
            row.iter_mut().skip(program.row.units).for_each(|word| *word = 0);
        }
        if let Some(controller) = row.first_mut()
            && state.zone(slot).is_some()
        {
            *controller = state.column(slot, at::CONTROLLER);
        }
    }

    fn rebuild(&mut self, program: &Program, state: &State, scratch: &mut Scratch) {
        self.rows.clear();
        self.rows.resize(state.slots() * self.stride, 0);
        self.kinds.clear();
        for slot in 1..state.slots() {
            self.base_row(program, state, slot);
            self.note_kind(program, state, slot);
        }
        self.all_holders(program, state);
        self.sources.clear();
        self.forbidding.clear();
        self.clauses.clear();
        self.copies.clear();
        let mut waiting = self.contributions(program, state);
        self.watch = None;
        if waiting.is_empty() {
            return;
        }
        self.attend(program, &waiting);
        let mut begun: Vec<usize> = Vec::new();
        let mut kept: Kept = Vec::new();
        let layers = program.library.layers.len().max(1);
        // What forbids changes no object: it comes after all layers (CR 613.11), and only from what still has the ability.
        let layer_of = |c: &Contribution| match program.change(c.change.0) {
            Some(m) if matches!(m.change, Change::Cannot(_) | Change::Clause(_)) => layers,
            Some(m) => usize::from(m.layer),
            None => 0,
        };
        for layer in 0..=layers {
            let mut here: Vec<Contribution> = Vec::new();
            waiting.retain(|c| {
                let in_layer = layer_of(c) == layer;
                if in_layer {
                    here.push(c.clone());
                }
                !in_layer
            });
            here.sort_by_key(|c| c.stamp);
            while !here.is_empty() {
                let next = if here
                    .iter()
                    .enumerate()
                    .any(|(i, c)| here.iter().enumerate().any(|(j, o)| i != j && o.may_change(program, c)))
                {
                    self.first_independent(program, state, scratch, &here, &begun)
                } else {
                    0
                };
                let contribution = here.remove(next);
                if self.works(program, state, scratch, &contribution, &begun) {
                    begun.push(contribution.family);
                    self.apply(program, state, scratch, &contribution, Some(&mut kept));
                    // A newly gained static ability joins in, from this layer on.
                    if matches!(program.change(contribution.change.0).map(|m| &m.change), Some(Change::Unit(_))) {
                        let known: Vec<(usize, ModId)> = waiting.iter().chain(&here).map(|c| (c.family, c.change)).collect();
                        self.all_holders(program, state);
                        for late in self.contributions(program, state) {
                            let fresh = !begun.contains(&late.family) && !known.contains(&(late.family, late.change));
                            if fresh {
                                self.attend(program, std::slice::from_ref(&late));
                            }
                            if fresh && layer_of(&late) > layer {
                                waiting.push(late);
                            } else if fresh && layer_of(&late) == layer {
                                here.push(late);
                            }
                        }
                    }
                }
            }
        }
        self.all_holders(program, state);
    }

    /// Remembers what effects look at, and where they come from.
    fn attend(&mut self, program: &Program, effects: &[Contribution]) {
        let mut watch = self.watch.unwrap_or_default();
        for effect in effects {
            watch = watch.union(program.mod_watch.get(effect.change.index()).copied().unwrap_or_default());
            if effect.unit.is_some() && !self.sources.contains(&effect.source.slot()) {
                self.sources.push(effect.source.slot());
            }
        }
        self.watch = Some(watch);
    }

    fn all_holders(&mut self, program: &Program, state: &State) {
        self.holders.resize(program.units.len(), Vec::new());
        for holders in &mut self.holders {
            holders.clear();
        }
        for slot in 1..state.slots() {
            if state.zone(slot).is_none() || state.column(slot, at::HOST) != 0 {
                continue;
            }
            for word in 0..program.row.unit_words {
                let mut bits = self.word(slot, program.row.units + word);
                while bits != 0 {
                    let unit = word * 32 + bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    if let Some(holders) = self.holders.get_mut(unit) {
                        holders.push(state.current(slot));
                    }
                }
            }
        }
    }

    /// All effects that could apply: static abilities of objects and rules, effects of what resolved.
    fn contributions(&self, program: &Program, state: &State) -> Vec<Contribution> {
        let mut all = Vec::new();
        let mut add_static = |unit: Option<u32>, ability: AbilityId, source: Ref, controller: i64, stamp: u32, copy: u32| {
            if let Some(AbilityKind::Static { mods, .. }) = program.library.abilities.get(ability.index()).map(|a| &a.kind) {
                let family = (copy as usize) << 48 | (ability.index() << 12) | source.slot();
                for change in mods {
                    all.push(Contribution {
                        stamp,
                        source,
                        args: vec![source.value(), controller],
                        change: *change,
                        unit,
                        ability: Some(ability),
                        whom: None,
                        family,
                        copy,
                    });
                }
            }
        };
        for ability in &program.rule_statics {
            add_static(None, *ability, Ref::NONE, crate::ir::NO_PLAYER, 0, 0);
        }
        for (unit, ability) in &program.statics {
            for it in self.holders(*unit) {
                let works_here = state.zone(it.slot()).is_some_and(|z| {
                    program.library.abilities.get(ability.index()).is_some_and(|a| a.zones & (1 << program.layout.kind(z)) != 0)
                });
                if works_here {
                    let controller = i64::from(self.word(it.slot(), 0));
                    for copy in 0..self.times(*unit, *it) {
                        add_static(Some(*unit), *ability, *it, controller, state.column(it.slot(), at::ENTERED), copy);
                    }
                }
            }
        }
        for (number, record) in state.block.list(at::EFFECTS).iter().enumerate() {
            let record = *record as usize;
            let source = Ref(state.block.get(record + EFFECT_SOURCE));
            let mut args = vec![source.value(), state.block.int(record + EFFECT_CONTROLLER)];
            args.extend(state.block.list(record + EFFECT_CAPTURES).iter().map(|v| i64::from(*v as i32)));
            let locked = state.block.get(record + EFFECT_LOCKED) != 0;
            let whom = locked.then(|| state.block.list(record + EFFECT_WHOM).to_vec());
            for change in state.block.list(record + EFFECT_MODS) {
                all.push(Contribution {
                    stamp: state.block.get(record + EFFECT_STAMP),
                    source,
                    args: args.clone(),
                    change: ModId(*change),
                    unit: None,
                    ability: None,
                    whom: whom.clone(),
                    family: (1 << 40) | number,
                    copy: 0,
                });
            }
        }
        all
    }

    /// The first arguments of an effect's functions: the controller of a static ability is whoever controls its source by now.
    fn args_now(&self, c: &Contribution) -> Vec<i64> {
        let mut args = c.args.clone();
        if c.unit.is_some()
            && let Some(you) = args.get_mut(1)
        {
            *you = i64::from(self.word(c.source.slot(), 0) as i32);
        }
        args
    }

    /// Whether an effect exists now: begun in an earlier layer, or its ability is still there and its condition holds.
    fn works(&self, program: &Program, state: &State, scratch: &mut Scratch, c: &Contribution, begun: &[usize]) -> bool {
        if begun.contains(&c.family) {
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
        let world = World { program, state, derived: self };
        condition.is_none_or(|f| world.test(scratch, f, self.args_now(c).get(..2).unwrap_or(&[])))
    }

    /// The slots that an effect affects now.
    fn affected(&self, program: &Program, state: &State, scratch: &mut Scratch, c: &Contribution) -> Vec<usize> {
        if let Some(whom) = &c.whom {
            return whom.iter().map(|it| Ref(*it)).filter(|it| state.exists(*it)).map(Ref::slot).collect();
        }
        let Some(change) = program.change(c.change.0) else { return Vec::new() };
        let Some(selector) = change.selector else {
            return if state.exists(c.source) { vec![c.source.slot()] } else { Vec::new() };
        };
        let world = World { program, state, derived: self };
        let mut slots = Vec::new();
        let mut args = self.args_now(c);
        args.push(0);
        for instance in 0..program.layout.instances {
            if change.zones & (1 << program.layout.kind(instance)) == 0 {
                continue;
            }
            for item in state.zone_items(program, instance) {
                if let Some(last) = args.last_mut() {
                    *last = Ref(*item).value();
                }
                if world.test(scratch, selector, &args) {
                    slots.push(Ref(*item).slot());
                }
            }
        }
        slots
    }

    fn value(
        &self,
        program: &Program,
        state: &State,
        scratch: &mut Scratch,
        c: &Contribution,
        f: crate::ir::FnId,
        slot: usize,
    ) -> i64 {
        let mut args = self.args_now(c);
        args.push(state.current(slot).value());
        World { program, state, derived: self }.number(scratch, f, &args)
    }

    /// `kept`: what an effect began to affect in an earlier layer, it affects in later ones too (CR 613.6).
    fn apply(&mut self, program: &Program, state: &State, scratch: &mut Scratch, c: &Contribution, kept: Option<&mut Kept>) {
        let Some(change) = program.change(c.change.0).cloned() else { return };
        if let Change::Cannot(pattern) = &change.change {
            let args = self.args_now(c);
            self.forbidding.push(Forbidding { pattern: pattern.clone(), args, ability: c.ability });
            return;
        }
        if let Change::Clause(_) = &change.change {
            let args = self.args_now(c);
            self.clauses.push(Holding { change: c.change, args, ability: c.ability });
            return;
        }
        // All affected objects are found, and all values computed, before anything is written.
        let known = kept
            .as_ref()
            .and_then(|k| k.iter().find(|(family, selector, _)| *family == c.family && *selector == change.selector));
        let slots = match known {
            Some((_, _, slots)) => slots.clone(),
            None => self.affected(program, state, scratch, c),
        };
        if let Some(kept) = kept {
            kept.push((c.family, change.selector, slots.clone()));
        }
        let mut writes: Vec<(usize, usize, u32)> = Vec::new();
        let mut gained: Vec<(usize, u32)> = Vec::new();
        let mut lost: Vec<(usize, Option<u32>)> = Vec::new();
        for slot in slots {
            match &change.change {
                Change::Add { property, value, floor } => {
                    let column = program.row.properties + usize::from(*property);
                    let before = i64::from(self.word(slot, column) as i32);
                    let mut after = before.saturating_add(self.value(program, state, scratch, c, *value, slot));
                    if let Some(floor) = floor {
                        after = after.max(self.value(program, state, scratch, c, *floor, slot).min(before));
                    }
                    writes.push((slot, column, after as i32 as u32));
                }
                Change::Set { property, value } => {
                    let column = program.row.properties + usize::from(*property);
                    let after = self.value(program, state, scratch, c, *value, slot);
                    writes.push((slot, column, after as i32 as u32));
                }
                Change::Controller(value) => {
                    let after = self.value(program, state, scratch, c, *value, slot);
                    // CR 800.4a, b: nobody who left controls anything by an effect.
                    if !usize::try_from(after).is_ok_and(|seat| state.has_left(seat)) {
                        writes.push((slot, 0, after as u32));
                    }
                }
                Change::Word(traits, word) | Change::NotWord(traits, word) => {
                    let column = program.row.words.get(traits.index()).copied().unwrap_or(0) + usize::from(*word) / 32;
                    let bit = 1u32 << (word % 32);
                    let before = self.word(slot, column);
                    let after = if matches!(change.change, Change::Word(..)) { before | bit } else { before & !bit };
                    writes.push((slot, column, after));
                }
                Change::Unit(unit) => {
                    if let Ok(dense) = program.units.binary_search(unit) {
                        let column = program.row.units + dense / 32;
                        let before = self.word(slot, column);
                        let bit = 1 << (dense % 32);
                        // What is granted by something granted twice counts once: grants that grant themselves come to an end.
                        if before & bit != 0 && c.copy == 0 {
                            gained.push((slot, dense as u32));
                        }
                        writes.push((slot, column, before | bit));
                    }
                }
                Change::NotKeyword(keyword) => {
                    let mut words: Vec<u32> =
                        (0..program.row.unit_words).map(|word| self.word(slot, program.row.units + word)).collect();
                    for (dense, id) in program.units.iter().enumerate() {
                        let is_it = program
                            .format
                            .units
                            .get(id.index())
                            .is_some_and(|u| u.keyword.as_ref().is_some_and(|(k, _)| k == keyword));
                        if is_it && let Some(word) = words.get_mut(dense / 32) {
                            *word &= !(1 << (dense % 32));
                            lost.push((slot, Some(dense as u32)));
                        }
                    }
                    writes.extend(words.into_iter().enumerate().map(|(word, bits)| (slot, program.row.units + word, bits)));
                }
                Change::NoAbilities => {
                    lost.push((slot, None));
                    for word in 0..program.row.unit_words {
                        writes.push((slot, program.row.units + word, 0));
                    }
                }
                Change::NoStatics => {
                    for (word, bits) in program.static_units.iter().enumerate() {
                        let column = program.row.units + word;
                        let before = self.word(slot, column);
                        let gone = before & bits;
                        lost.extend((0..32).filter(|bit| gone & (1 << bit) != 0).map(|bit| (slot, Some(word as u32 * 32 + bit))));
                        writes.push((slot, column, before & !bits));
                    }
                }
                Change::Cannot(_) | Change::Clause(_) => {}
            }
        }
        for (slot, column, value) in writes {
            self.set_word(slot, column, value);
        }
        for key in gained {
            *self.copies.entry(key).or_insert(0) += 1;
        }
        for (slot, unit) in lost {
            self.copies.retain(|(other, copy), _| *other != slot || unit.is_some_and(|unit| unit != *copy));
        }
    }

    /// The earliest effect that does not depend on another one of the layer; the earliest of all when they form a circle.
    fn first_independent(
        &self,
        program: &Program,
        state: &State,
        scratch: &mut Scratch,
        here: &[Contribution],
        begun: &[usize],
    ) -> usize {
        for (i, c) in here.iter().enumerate() {
            if !here.iter().enumerate().any(|(j, other)| i != j && other.may_change(program, c)) {
                return i;
            }
            let before = self.footprint(program, state, scratch, c, begun);
            let depends = here.iter().enumerate().any(|(j, other)| {
                if i == j || !other.may_change(program, c) || !self.works(program, state, scratch, other, begun) {
                    return false;
                }
                let mut trial = self.clone();
                trial.apply(program, state, scratch, other, None);
                trial.footprint(program, state, scratch, c, begun) != before
            });
            if !depends {
                return i;
            }
        }
        0
    }

    /// What could change by another effect: whether it works, on whom, with which values.
    fn footprint(
        &self,
        program: &Program,
        state: &State,
        scratch: &mut Scratch,
        c: &Contribution,
        begun: &[usize],
    ) -> (bool, Vec<usize>, Vec<i64>) {
        if !self.works(program, state, scratch, c, begun) {
            return (false, Vec::new(), Vec::new());
        }
        let slots = self.affected(program, state, scratch, c);
        let value = program.change(c.change.0).and_then(|m| match &m.change {
            Change::Add { value, .. } | Change::Set { value, .. } | Change::Controller(value) => Some(*value),
            _ => None,
        });
        let values =
            value.map_or_else(Vec::new, |f| slots.iter().map(|s| self.value(program, state, scratch, c, f, *s)).collect());
        (true, slots, values)
    }
}

impl Contribution {
    /// Whether applying this one could change whether, on whom or how another one works: its writes meet the other's reads.
    fn may_change(&self, program: &Program, other: &Self) -> bool {
        let use_of = |table: &[crate::program::RowUse], id: ModId| table.get(id.index()).copied().unwrap_or_default();
        let writes = use_of(&program.mod_writes, self.change);
        writes.meets(use_of(&program.mod_reads, other.change)) || (writes.has_units() && other.unit.is_some())
    }
}
