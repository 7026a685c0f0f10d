//! Calls of pure functions: chooses the tier that runs a call. The order is: a cached result, native code, the optimized interpreter, the
//! reference interpreter.
//!
//! All tiers return the same value and charge the same fuel. Reference mode uses the reference interpreter alone.

use super::inline_vecs::InlineWords;
use super::scratch::Scratch;
use crate::ir::{FnId, Function, Type};
use crate::vm::eval_context::{EvalContext, MAX_CALL_DEPTH};
use crate::vm::optimized::call_cache::CallKey;
use crate::vm::optimized::code::OptimizedFunction;

/// Fuel of a call that is too deep to be evaluated.
const FUEL_AT_MAX_DEPTH: u64 = 16;

impl EvalContext<'_> {
    /// Calls a pure function with its arguments (`this` and `you` first) and returns its result. Lists are passed as scratch
    /// handles.
    ///
    /// Calls the optimized form of the function if there is one, and stores results in the call cache. Charges the same fuel in
    /// all cases.
    pub fn call(&self, scratch: &mut Scratch, function: FnId, args: &[i64]) -> i64 {
        let Some(code) = self.program.function(function) else { return 0 };
        // The verifier rejects direct recursion; a prohibition that queries its own action ends here. Its callers may try all objects of a crowded field,
        // so this is charged. Without fuel nothing is evaluated, so that the loops of all callers end quickly.
        if scratch.depth > MAX_CALL_DEPTH {
            scratch.fuel = scratch.fuel.saturating_add(FUEL_AT_MAX_DEPTH);
            return 0;
        }
        if scratch.fuel > scratch.limit {
            return 0;
        }
        let optimized = if scratch.reference_mode { None } else { self.program.optimized.get(self.program, function, code) };
        let cacheable = optimized
            .and_then(|optimized| Some((optimized.cached_as, optimized.cached_reads.as_ref()?)))
            .filter(|(_, reads)| self.can_cache(scratch, reads.queries_legality));
        let Some((cached_as, reads)) = cacheable else { return self.evaluate(scratch, function, (code, optimized), args) };
        let key = CallKey::new(cached_as, args, reads.args);
        if let Some((value, fuel)) = scratch.calls.get(self.derived, key, reads.dependencies) {
            debug_assert_eq!(
                scratch.recompute_for_check(|scratch| self.evaluate(scratch, function, (code, optimized), args)),
                (value, fuel),
                "{} of {args:?}",
                code.name
            );
            return scratch.charge_cached(fuel, value);
        }
        let before = scratch.fuel;
        let value = self.evaluate(scratch, function, (code, optimized), args);
        if scratch.fuel <= scratch.limit {
            scratch.calls.insert(self.derived, key, value, scratch.fuel - before);
        }
        value
    }

    fn evaluate(
        &self,
        scratch: &mut Scratch,
        function: FnId,
        (code, optimized): (&Function, Option<&OptimizedFunction>),
        args: &[i64],
    ) -> i64 {
        let mark = scratch.mark();
        let is_list = code.result.is_some_and(Type::is_list);
        let give_back = |scratch: &mut Scratch, result: i64| {
            if is_list {
                scratch.release_all_but(mark, result)
            } else {
                scratch.release(mark);
                result
            }
        };
        #[cfg(feature = "jit")]
        if let Some(result) = crate::jit::enter(self, scratch, function, args) {
            return give_back(scratch, result);
        }
        #[cfg(not(feature = "jit"))]
        let _ = function;
        #[cfg(feature = "jit")]
        let before = scratch.fuel;
        scratch.depth += 1;
        let result = match optimized {
            Some(optimized) => self.run_optimized(scratch, optimized, args),
            None => {
                let base = scratch.registers.len();
                scratch.registers.extend_from_slice(args);
                self.run(scratch, code, base)
            }
        };
        scratch.depth -= 1;
        #[cfg(feature = "jit")]
        crate::jit::count_executed(self.program, function, scratch.fuel.saturating_sub(before));
        give_back(scratch, result)
    }

    /// As [`EvalContext::call`], for a condition. Frees the lists that the call made.
    pub fn test(&self, scratch: &mut Scratch, function: FnId, args: &[i64]) -> bool {
        let mark = scratch.mark();
        let result = self.call(scratch, function, args) != 0;
        scratch.release(mark);
        result
    }

    /// As [`EvalContext::call`], for a number. Frees the lists that the call made.
    pub fn number(&self, scratch: &mut Scratch, function: FnId, args: &[i64]) -> i64 {
        let mark = scratch.mark();
        let result = self.call(scratch, function, args);
        scratch.release(mark);
        result
    }

    /// As [`EvalContext::call`], for a list, whose words are returned. Frees the lists that the call made.
    pub(crate) fn items(&self, scratch: &mut Scratch, function: FnId, args: &[i64]) -> InlineWords {
        let mark = scratch.mark();
        let handle = self.call(scratch, function, args);
        let items = scratch.list(handle).iter().map(|item| *item as u32).collect();
        scratch.release(mark);
        items
    }
}
