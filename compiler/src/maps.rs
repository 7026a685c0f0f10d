//! Maps in the order of insertion, with a fast hash: the tables of names are queried tens of thousands of times.

/// A map in the order of insertion. Its hash is seeded in each process, so no input can be built to collide.
pub type IndexMap<K, V> = indexmap::IndexMap<K, V, foldhash::fast::RandomState>;

/// A set in the order of insertion, with the same hash.
pub type IndexSet<K> = indexmap::IndexSet<K, foldhash::fast::RandomState>;
