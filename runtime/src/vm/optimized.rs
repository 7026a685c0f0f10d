//! The optimized interpreter: a second tier for pure functions that build no lists, or only count or fold them.
//!
//! A function is translated on its first call ([`translate`]). Translation resolves places to columns and words of the state,
//! propagates constants and copies, inlines short callees, and fuses each value with its destination (register, branch or
//! result).
//!
//! Invariant: value and fuel are those of the reference interpreter (`EvalContext::run`) for all arguments and fuel limits.
//! Functions that cannot be translated run there. The tests of this module compare both tiers on random functions.

pub(crate) mod aggregate;
mod cached_filter;
pub(crate) mod call_cache;
pub(crate) mod code;
pub(crate) mod filter_cache;
pub(crate) mod known_inputs;
pub(crate) mod lanes;
pub(crate) mod partial_eval;
pub(crate) mod read_set;
mod run;
#[cfg(test)]
mod tests;
mod translate;
mod vectorized;

use crate::ir::{FnId, Function};
use crate::program::Program;
use code::{OptimizedFunction, OptimizedFunctions};

impl OptimizedFunctions {
    /// Returns the optimized form of a function, or `None` if it cannot be translated.
    #[inline]
    pub(crate) fn get(&self, program: &Program, id: FnId, code: &Function) -> Option<&OptimizedFunction> {
        self.functions.get(id.index())?.get_or_init(|| translate::translate(program, id, code).map(Box::new)).as_deref()
    }
}
