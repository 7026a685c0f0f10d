//! Which derived values continuous effects read and write, and what comes of the abilities that they give: it tells which effects may depend on
//! each other.

use super::Program;
use crate::ir::{AbilityBundleId, AbilityKind, Change, FnId, KeywordId, Library, Modification, Op, Place};
use std::collections::BTreeSet;

/// Columns of derived rows that something reads or writes, as masks: of properties and sets of words bit 63 stands for all from 63 on, of
/// units each bit for those with the same remainder by 64.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowAccess {
    pub(super) properties: u64,
    pub(super) words: u64,
    pub(super) units: u64,
    pub(super) controller: bool,
    pub(super) texts: bool,
}

impl RowAccess {
    fn bit(n: usize) -> u64 {
        1 << n.min(63)
    }

    /// Whether two uses meet.
    #[must_use]
    pub fn meets(self, other: Self) -> bool {
        self.properties & other.properties != 0
            || self.words & other.words != 0
            || self.units & other.units != 0
            || (self.controller && other.controller)
            || (self.texts && other.texts)
    }

    /// Both together.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            properties: self.properties | other.properties,
            words: self.words | other.words,
            units: self.units | other.units,
            controller: self.controller || other.controller,
            texts: self.texts || other.texts,
        }
    }

    /// Bits of units; some share one.
    fn of_unit(unit: AbilityBundleId) -> u64 {
        1 << (unit.index() % 64)
    }

    /// Whether any unit may be written, or read.
    #[must_use]
    pub fn has_units(self) -> bool {
        self.units != 0
    }

    /// Whether all units may be written, as by what takes them.
    #[must_use]
    pub fn has_all_units(self) -> bool {
        self.units == u64::MAX
    }

    /// Whether a unit may be written, or read.
    #[must_use]
    pub fn has_unit(self, unit: AbilityBundleId) -> bool {
        self.units & Self::of_unit(unit) != 0
    }

    /// Whether the controller is written.
    #[must_use]
    pub fn has_controller(self) -> bool {
        self.controller
    }

    pub(super) fn written_by(change: &Modification) -> Self {
        let mut written = Self::default();
        match &change.change {
            Change::Add { property, .. } | Change::Set { property, .. } => written.properties = Self::bit(usize::from(*property)),
            Change::Controller(_) => written.controller = true,
            Change::Switch(a, b) => written.properties = Self::bit(usize::from(*a)) | Self::bit(usize::from(*b)),
            Change::Word(traits, _)
            | Change::NotWord(traits, _)
            | Change::NoWords(traits)
            | Change::AllWords(traits)
            | Change::Given { traits, .. } => {
                written.words = Self::bit(traits.index());
            }
            Change::Instead { .. } => (written.texts, written.units) = (true, u64::MAX),
            Change::Unit(unit) => written.units = Self::of_unit(*unit),
            Change::Pick { units, .. } => written.units = units.iter().fold(0, |all, unit| all | Self::of_unit(*unit)),
            Change::NotKeyword(_) | Change::NoAbilities | Change::NoStatics => written.units = u64::MAX,
            Change::Cannot(_) | Change::Clause(_) => {}
        }
        written
    }
}

/// The functions that decide on whom a mod works and with which value.
pub(crate) fn roots_of(change: &Modification) -> Vec<FnId> {
    let mut roots: Vec<FnId> = change.selector.into_iter().collect();
    match &change.change {
        Change::Add { value, floor, .. } => {
            roots.push(*value);
            roots.extend(*floor);
        }
        Change::Set { value, .. }
        | Change::Controller(value)
        | Change::Given { word: value, .. }
        | Change::Pick { which: value, .. } => roots.push(*value),
        Change::Instead { new, old, .. } => roots.extend([*new, *old]),
        _ => {}
    }
    roots
}

/// Visits all operations of functions and of those that they call.
fn for_each_op(library: &Library, roots: &[FnId], mut visit: impl FnMut(&Op)) {
    let mut open = roots.to_vec();
    let mut seen: BTreeSet<FnId> = BTreeSet::new();
    while let Some(id) = open.pop() {
        if !seen.insert(id) {
            continue;
        }
        let Some(function) = library.functions.get(id.index()) else { continue };
        for op in &function.ops {
            match op {
                Op::Call { function, .. } | Op::CallUnconcealed { function, .. } => open.push(*function),
                Op::Filter { filter, .. } => open.push(*filter),
                Op::Fold { value, .. } => open.push(*value),
                _ => {}
            }
            visit(op);
        }
    }
}

impl Program {
    /// The bit of a dense unit.
    pub(super) fn bits_of(&self, unit: u32) -> u64 {
        self.units.get(unit as usize).map_or(0, |unit| RowAccess::of_unit(*unit))
    }

    /// The dense units that a mod may give.
    fn given_by(&self, change: &Change) -> Vec<u32> {
        let given = match change {
            Change::Unit(unit) => std::slice::from_ref(unit),
            Change::Pick { units, .. } => units.as_slice(),
            _ => &[],
        };
        given.iter().filter_map(|unit| self.units.binary_search(unit).ok()).map(|dense| dense as u32).collect()
    }

    /// What the static abilities of dense units lead to, as far as is known what each mod leads to.
    pub(super) fn led_to_by(&self, units: &[u32]) -> RowAccess {
        let abilities = self.statics.iter().filter(|(unit, _)| units.contains(unit));
        let mods = abilities.flat_map(|(_, ability)| match self.library.abilities.get(ability.index()).map(|a| &a.kind) {
            Some(AbilityKind::Static { mods, .. }) => mods.as_slice(),
            _ => &[],
        });
        mods.filter_map(|id| self.modification_closure.get(id.index()))
            .fold(RowAccess::default(), |all, writes| all.union(*writes))
    }

    /// Finds out what each mod writes together with the static abilities that it gives, and with those that they give.
    pub(super) fn find_what_mods_lead_to(&mut self) {
        self.modification_closure.clone_from(&self.modification_row_writes);
        let brought = self.library.mods.numbered().filter(|(number, _)| self.specialized.can_apply(*number));
        let gives = brought.map(|(number, change)| (number, self.given_by(&change.change)));
        let giving: Vec<(usize, Vec<u32>)> = gives.filter(|(_, units)| units.iter().any(|unit| self.is_static(*unit))).collect();
        self.gives_statics = !giving.is_empty();
        let mut grows = self.gives_statics;
        while grows {
            grows = false;
            for (number, units) in &giving {
                let further = self.led_to_by(units);
                if let Some(known) = self.modification_closure.get_mut(*number) {
                    let all = known.union(further);
                    grows |= all != *known;
                    *known = all;
                }
            }
        }
    }

    /// What decides what functions give.
    pub(super) fn read_by(&self, roots: &[FnId]) -> RowAccess {
        let library = &self.library;
        let mut read = RowAccess::default();
        let slots = |id: &FnId| library.functions.get(id.index()).is_some_and(|function| !function.slots.is_empty());
        // Only what is evaluated as such has words of its own: what it calls gets them from it.
        read.texts = roots.iter().any(slots);
        for_each_op(library, roots, |op| match op {
            Op::Get { place: Place::Property(n), .. } => read.properties |= RowAccess::bit(usize::from(*n)),
            Op::Get { place: Place::Words(traits), .. }
            | Op::HasWord { traits, .. }
            | Op::HasSomeWord { traits, .. }
            | Op::HasCommonWord { traits, .. } => read.words |= RowAccess::bit(traits.index()),
            Op::Get { place: Place::Controller, .. } => read.controller = true,
            Op::HasKeyword { keyword, .. } | Op::KeywordValue { keyword, .. } => read.units |= self.units_with_keyword(*keyword),
            Op::IsAllowed { .. } => read.units = u64::MAX,
            _ => {}
        });
        read
    }

    /// The bits of the units that are a keyword.
    fn units_with_keyword(&self, keyword: KeywordId) -> u64 {
        let known = |unit: &AbilityBundleId| self.format.units.get(unit.index()).and_then(|unit| unit.keyword.as_ref());
        let is_it = |unit: &&AbilityBundleId| known(unit).is_some_and(|(known, _)| *known == keyword);
        self.units.iter().filter(is_it).fold(0, |all, unit| all | RowAccess::of_unit(*unit))
    }
}
