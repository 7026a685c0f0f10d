//! How many abilities each definition has: what the machine reads again with each change while objects with them exist.

use super::LinkedTables;
use crate::ir::{AbilityBundleId, AbilityKind, Modification, ModificationId, has_zone};
use std::collections::BTreeSet;

/// The numbers of abilities of definitions, with those of their keywords.
#[derive(Clone, Debug, Default)]
pub struct AbilityCounts {
    /// Of each definition: static abilities that are active in the field.
    pub statics_in_field: Vec<u32>,
    /// Of each definition: static abilities that are active in other zones.
    pub statics_elsewhere: Vec<u32>,
    /// Of each definition: abilities of any kind.
    pub abilities: Vec<u32>,
    /// The largest number of static abilities of a definition that are active in the field.
    pub max_in_field: u32,
    /// Of each definition: static abilities that are active in the field and may give static abilities to objects.
    pub granting_in_field: Vec<u32>,
    /// The largest number of these of a definition.
    pub max_granting: u32,
    /// Of each modification: whether it may give static abilities to objects.
    pub granting_modifications: Vec<bool>,
    /// The largest number of static abilities that an effect gives to an object, with those that these give in turn.
    pub granted: u32,
}

impl AbilityCounts {
    /// Counts the abilities of all definitions of a program.
    pub(super) fn new(program: &LinkedTables) -> Self {
        let kinds = program.library.zones.len();
        let in_field = |zones: u32| program.field.is_some_and(|field| has_zone(zones, field));
        let elsewhere = |zones: u32| (0..kinds).any(|kind| Some(kind) != program.field && has_zone(zones, kind));
        let gives_statics = |id: &ModificationId| {
            program.modification(id.0).is_some_and(|it| program.may_grant(&it.change, |bundle| program.is_static(bundle)))
        };
        let count = |bundles: &mut dyn Iterator<Item = AbilityBundleId>| -> [u32; 4] {
            let mut counts = [0; 4];
            let abilities = bundles.filter_map(|bundle| program.format.bundles.get(bundle.index()));
            let abilities = abilities.flat_map(|bundle| &bundle.abilities);
            for ability in abilities.filter_map(|id| program.library.abilities.get(id.index())) {
                if let AbilityKind::Static { modifications, .. } = &ability.kind {
                    counts[0] += u32::from(in_field(ability.zones));
                    counts[1] += u32::from(elsewhere(ability.zones));
                    counts[2] += u32::from(in_field(ability.zones) && modifications.iter().any(gives_statics));
                }
                counts[3] += 1;
            }
            counts
        };
        let mut all_counts = Self::default();
        let modifications = 0..program.modification_reads.len();
        all_counts.granting_modifications = modifications.map(|number| gives_statics(&ModificationId(number as u32))).collect();
        for bundles in &program.definition_bundles {
            let [field, others, granting, all] =
                count(&mut bundles.iter().filter_map(|dense| program.bundles.get(*dense as usize).copied()));
            all_counts.statics_in_field.push(field);
            all_counts.statics_elsewhere.push(others);
            all_counts.granting_in_field.push(granting);
            all_counts.abilities.push(all);
            all_counts.max_granting = all_counts.max_granting.max(granting);
            all_counts.max_in_field = all_counts.max_in_field.max(field);
        }
        let applied = program.library.modifications.numbered().filter(|(number, _)| program.specialized.can_apply(*number));
        all_counts.granted = applied.map(|(_, it)| granted_statics(program, it)).max().unwrap_or(0);
        all_counts
    }
}

/// Up to this number, the static abilities that a modification gives in turn are counted.
const MAX_GRANTED_STATICS: u32 = 100;

/// The number of static abilities that a modification gives to an object, with those that these give in turn.
fn granted_statics(program: &LinkedTables, modification: &Modification) -> u32 {
    let mut open = modification.change.granted_bundles().to_vec();
    let mut known: BTreeSet<AbilityBundleId> = open.iter().copied().collect();
    let mut number = 0;
    while number < MAX_GRANTED_STATICS
        && let Some(bundle) = open.pop().and_then(|bundle| program.format.bundles.get(bundle.index()))
    {
        for ability in bundle.abilities.iter().filter_map(|id| program.library.abilities.get(id.index())) {
            let AbilityKind::Static { modifications, .. } = &ability.kind else { continue };
            number += 1;
            let given =
                modifications.iter().filter_map(|id| program.modification(id.0)).flat_map(|it| it.change.granted_bundles());
            open.extend(given.copied().filter(|bundle| known.insert(*bundle)));
        }
    }
    number
}
