//! Row access: which columns of derived rows modifications read and write, including abilities that they give. It decides which
//! effects may depend on each other.

#![deny(clippy::wildcard_enum_match_arm)]

use super::LinkedTables;
use crate::ir::operands::StateRead;
use crate::ir::{AbilityBundleId, AbilityKind, Change, FnId, KeywordId, Modification, Place};

/// A set of columns of derived rows, as masks. For properties and trait sets, bit 63 means all from number 63 on. Ability bundles
/// share a bit if their dense numbers are equal modulo 64. Dense numbers are those of the bundles of the match, so which of them share a
/// bit, and how many pairs of effects are tried, does not depend on other loaded packs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RowAccess {
    pub(super) properties: u64,
    pub(super) words: u64,
    pub(super) bundles: u64,
    pub(super) controller: bool,
    pub(super) texts: bool,
}

impl RowAccess {
    fn bit(n: usize) -> u64 {
        1 << n.min(63)
    }

    /// Whether two sets have a column in common.
    #[must_use]
    pub fn intersects(self, other: Self) -> bool {
        self.properties & other.properties != 0
            || self.words & other.words != 0
            || self.bundles & other.bundles != 0
            || (self.controller && other.controller)
            || (self.texts && other.texts)
    }

    /// The union of two sets.
    #[must_use]
    pub fn union(self, other: Self) -> Self {
        Self {
            properties: self.properties | other.properties,
            words: self.words | other.words,
            bundles: self.bundles | other.bundles,
            controller: self.controller || other.controller,
            texts: self.texts || other.texts,
        }
    }

    /// The bit of a dense bundle; several bundles share one.
    pub(super) fn bundle_mask(dense: u32) -> u64 {
        1 << (dense % 64)
    }

    /// Whether the set contains any bundle.
    #[must_use]
    pub fn has_bundles(self) -> bool {
        self.bundles != 0
    }

    /// Whether the set contains all bundles, as for modifications that remove abilities.
    #[must_use]
    pub fn has_all_bundles(self) -> bool {
        self.bundles == u64::MAX
    }

    /// Whether the set may contain a dense bundle.
    #[must_use]
    pub fn has_bundle(self, dense: u32) -> bool {
        self.bundles & Self::bundle_mask(dense) != 0
    }

    /// Whether the set contains the controller.
    #[must_use]
    pub fn has_controller(self) -> bool {
        self.controller
    }

    /// What a modification writes. `bundles`: the bundles of the match, ascending.
    pub(super) fn writes_of(change: &Modification, bundles: &[AbilityBundleId]) -> Self {
        let mask = |bundle: &AbilityBundleId| bundles.binary_search(bundle).map_or(0, |dense| Self::bundle_mask(dense as u32));
        let mut written = Self::default();
        match &change.change {
            Change::Add { property, .. } | Change::Set { property, .. } => written.properties = Self::bit(usize::from(*property)),
            Change::SetController(_) => written.controller = true,
            Change::Switch(a, b) => written.properties = Self::bit(usize::from(*a)) | Self::bit(usize::from(*b)),
            Change::GainWord(traits, _)
            | Change::LoseWord(traits, _)
            | Change::LoseAllWords(traits)
            | Change::GainAllWords(traits)
            | Change::ChangeWordByValue { traits, .. } => {
                written.words = Self::bit(traits.index());
            }
            Change::SubstituteWord { .. } => (written.texts, written.bundles) = (true, u64::MAX),
            Change::GainBundle(unit) => written.bundles = mask(unit),
            Change::GainBundleByValue { bundles: units, .. } => {
                written.bundles = units.iter().fold(0, |all, unit| all | mask(unit));
            }
            Change::LoseKeyword(_) | Change::LoseAbilities | Change::LoseStatics => written.bundles = u64::MAX,
            Change::Prohibit(_) | Change::ConstrainDeclarations(_) => {}
        }
        written
    }
}

/// The functions that select the affected objects of a modification and compute its value.
pub(crate) fn roots_of(change: &Modification) -> Vec<FnId> {
    let (value, other) = change.change.value_functions();
    [change.selector, value, other].into_iter().flatten().collect()
}

impl LinkedTables {
    /// The dense bundles that a modification may give.
    fn granted_bundles(&self, change: &Change) -> Vec<u32> {
        change
            .granted_bundles()
            .iter()
            .filter_map(|unit| self.bundles.binary_search(unit).ok())
            .map(|dense| dense as u32)
            .collect()
    }

    /// What the static abilities of dense bundles write, by the current closures of their modifications.
    pub(super) fn closure_of(&self, units: &[u32]) -> RowAccess {
        let abilities = self.statics.iter().filter(|(unit, _)| units.contains(unit));
        let mods = abilities.flat_map(|(_, ability)| match self.library.abilities.get(ability.index()).map(|a| &a.kind) {
            Some(AbilityKind::Static { modifications: mods, .. }) => mods.as_slice(),
            _ => &[],
        });
        mods.filter_map(|id| self.modification_closure.get(id.index()))
            .fold(RowAccess::default(), |all, writes| all.union(*writes))
    }

    /// Computes what each modification writes including the static abilities that it gives, as the least fixpoint.
    pub(super) fn compute_modification_closures(&mut self) {
        self.modification_closure.clone_from(&self.modification_row_writes);
        let brought = self.library.modifications.numbered().filter(|(number, _)| self.specialized.can_apply(*number));
        let gives = brought.map(|(number, change)| (number, self.granted_bundles(&change.change)));
        let giving: Vec<(usize, Vec<u32>)> = gives.filter(|(_, units)| units.iter().any(|unit| self.is_static(*unit))).collect();
        self.may_grant_statics = !giving.is_empty();
        let mut grows = self.may_grant_statics;
        while grows {
            grows = false;
            for (number, units) in &giving {
                let further = self.closure_of(units);
                if let Some(known) = self.modification_closure.get_mut(*number) {
                    let all = known.union(further);
                    grows |= all != *known;
                    *known = all;
                }
            }
        }
    }

    /// The derived values that functions read.
    pub(super) fn reads_of(&self, roots: &[FnId]) -> RowAccess {
        let library = &self.library;
        let mut read = RowAccess::default();
        let slots = |id: &FnId| library.functions.get(id.index()).is_some_and(|function| !function.text_slots.is_empty());
        // Text slots of the roots only: callees receive words as arguments.
        read.texts = roots.iter().any(slots);
        library.for_each_op(roots, |_, op| match op.state_read() {
            StateRead::Place(Place::Property(n)) => read.properties |= RowAccess::bit(usize::from(n)),
            StateRead::Place(Place::Words(traits)) | StateRead::Words(traits) => read.words |= RowAccess::bit(traits.index()),
            StateRead::Place(Place::Controller) => read.controller = true,
            StateRead::Keyword(keyword) => read.bundles |= self.bundles_with_keyword(keyword),
            StateRead::Legality => read.bundles = u64::MAX,
            // Not computed from rows.
            StateRead::Nothing
            | StateRead::Place(
                Place::Printed(_)
                | Place::Status(_)
                | Place::Player(_)
                | Place::Global(_)
                | Place::Owner
                | Place::Zone
                | Place::Definition
                | Place::SourceOf
                | Place::Host
                | Place::Face,
            )
            | StateRead::Name
            | StateRead::Existence
            | StateRead::Zone(_)
            | StateRead::ZoneContents(_)
            | StateRead::ActivePlayer
            | StateRead::Periods
            | StateRead::Builtin(_)
            | StateRead::Concealed
            | StateRead::Statement => {}
        });
        read
    }

    /// The bits of the bundles of a keyword.
    fn bundles_with_keyword(&self, keyword: KeywordId) -> u64 {
        let known = |unit: &AbilityBundleId| self.format.bundles.get(unit.index()).and_then(|unit| unit.keyword.as_ref());
        let of_keyword = |unit: &AbilityBundleId| known(unit).is_some_and(|(known, _)| *known == keyword);
        let dense = (0..).zip(&self.bundles).filter(|(_, unit)| of_keyword(unit));
        dense.fold(0, |all, (dense, _)| all | RowAccess::bundle_mask(dense))
    }
}
