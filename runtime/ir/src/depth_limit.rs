//! Limits the depth to which the only recursive type of the IR ([`PeriodEntry`]) is deserialised, so that forged bytes cannot
//! exhaust the stack.

use crate::format::PeriodEntry;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::cell::Cell;

/// The maximum nesting of repetitions.
const MAX_DEPTH: u32 = 16;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Deserialises the entries of a repetition. Returns an error below [`MAX_DEPTH`] levels.
pub(super) fn deserialize_entries<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PeriodEntry>, D::Error> {
    let depth = DEPTH.get();
    if depth >= MAX_DEPTH {
        return Err(D::Error::custom("repetitions are nested too deeply"));
    }
    DEPTH.set(depth + 1);
    let entries = Vec::deserialize(deserializer);
    DEPTH.set(depth);
    entries
}
