//! What pure code reads: the program, the state, and the values derived from both.

use super::derived::values::DerivedValues;
use super::scratch::Scratch;
use crate::program::Program;
use crate::state::State;

/// Nested calls. A deeper call returns 0.
pub(crate) const MAX_CALL_DEPTH: u32 = 200;

/// What pure code reads.
#[derive(Clone, Copy)]
pub struct EvalContext<'a> {
    /// The rules.
    pub program: &'a Program,
    /// The state.
    pub state: &'a State,
    /// Values after continuous effects.
    pub derived: &'a DerivedValues,
}

/// Arguments of built-in functions and events. Further ones are ignored.
pub(crate) const MAX_ARGUMENTS: usize = 16;

/// Returns register `reg` of the window at `base`.
#[inline]
#[must_use]
pub fn get(scratch: &Scratch, base: usize, reg: u16) -> i64 {
    scratch.registers.get(base + usize::from(reg)).copied().unwrap_or(0)
}

/// Sets the register at an absolute index.
#[inline]
pub fn set(scratch: &mut Scratch, index: usize, value: i64) {
    if let Some(place) = scratch.registers.get_mut(index) {
        *place = value;
    }
}
