//! Maps in the order of insertion, with a hash for short names: what is asked for a word is asked tens of thousands of times.

/// A map in the order of insertion. Its hash is seeded anew in each process, so no text can be made for it.
pub type IndexMap<K, V> = indexmap::IndexMap<K, V, foldhash::fast::RandomState>;
