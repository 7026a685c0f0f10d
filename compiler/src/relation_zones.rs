//! The names of the zones of relations, which no source can write.

use smol_str::{SmolStr, format_smolstr};

/// The name of the zone of a relation. No source can contain it, and it begins as internal names do.
#[must_use]
pub fn zone_of(relation: &str) -> SmolStr {
    format_smolstr!("_{relation} pairs")
}

/// The relation of a zone; `None` if the zone has a name in the source.
#[must_use]
pub fn relation_of(zone: &str) -> Option<&str> {
    zone.strip_prefix('_')?.strip_suffix(" pairs")
}
