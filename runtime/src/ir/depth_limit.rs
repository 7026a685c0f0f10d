//! The one type of the representation that contains itself is read only as deep as a turn can be: forged bytes cannot exhaust the stack.

use super::PeriodEntry;
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::cell::Cell;

/// The deepest nesting of repetitions.
const LIMIT: u32 = 16;

thread_local! {
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// Reads the entries of a repetition.
pub(super) fn shallow<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<PeriodEntry>, D::Error> {
    let depth = DEPTH.get();
    if depth >= LIMIT {
        return Err(D::Error::custom("repetitions are nested too deeply"));
    }
    DEPTH.set(depth + 1);
    let entries = Vec::deserialize(deserializer);
    DEPTH.set(depth);
    entries
}
