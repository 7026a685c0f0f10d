//! How many abilities each definition has: what the machine reads again with each change while objects with them exist.

use super::LinkedTables;
use crate::ir::{AbilityBundleId, AbilityKind, has_zone};

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
    /// The largest number of static abilities that an effect gives to an object at once.
    pub granted: u32,
}

impl AbilityCounts {
    /// Counts the abilities of all definitions of a program.
    pub(super) fn new(program: &LinkedTables) -> Self {
        let kinds = program.library.zones.len();
        let in_field = |zones: u32| program.field.is_some_and(|field| has_zone(zones, field));
        let elsewhere = |zones: u32| (0..kinds).any(|kind| Some(kind) != program.field && has_zone(zones, kind));
        let count = |bundles: &mut dyn Iterator<Item = AbilityBundleId>| -> [u32; 3] {
            let mut counts = [0; 3];
            let abilities = bundles.filter_map(|bundle| program.format.bundles.get(bundle.index()));
            let abilities = abilities.flat_map(|bundle| &bundle.abilities);
            for ability in abilities.filter_map(|id| program.library.abilities.get(id.index())) {
                let is_static = matches!(ability.kind, AbilityKind::Static { .. });
                counts[0] += u32::from(is_static && in_field(ability.zones));
                counts[1] += u32::from(is_static && elsewhere(ability.zones));
                counts[2] += 1;
            }
            counts
        };
        let mut all_counts = Self::default();
        for bundles in &program.definition_bundles {
            let [field, others, all] =
                count(&mut bundles.iter().filter_map(|dense| program.bundles.get(*dense as usize).copied()));
            all_counts.statics_in_field.push(field);
            all_counts.statics_elsewhere.push(others);
            all_counts.abilities.push(all);
            all_counts.max_in_field = all_counts.max_in_field.max(field);
        }
        let granted = program.library.modifications.present().map(|m| count(&mut m.change.granted_bundles().iter().copied())[0]);
        all_counts.granted = granted.max().unwrap_or(0);
        all_counts
    }
}
