//! Guards of state rules: a status without which a rule does nothing. `if some card in hand with broken { … }` does nothing while no
//! object is broken.
//!
//! Key: a state rule. Value: its guard, or that it has none. Valid for the program, and never invalidated; passes to later games of
//! the program. A hit reads one column of the state and, while no object has the status, saves the evaluation of the rule's
//! condition. A miss is one partial evaluation of the condition for each status that it reads. Debug builds evaluate the
//! conditions of skipped rules; reference mode skips none.

use crate::ir::{FnId, NO_PLAYER};
use crate::read_mask::ReadMask;
use crate::state::layout as at;
use crate::vm::cache_entries::{RuleGuard, store};
use crate::vm::machine::Machine;
use crate::vm::optimized::known_inputs::KnownInputs;

/// Statuses that are tried for a rule.
const MAX_TRIED_STATUSES: usize = 16;

impl Machine {
    /// Returns whether a state rule does nothing because no object has the status that it needs. `acts` is its condition.
    pub(crate) fn is_rule_idle(&mut self, rule: usize, acts: FnId) -> bool {
        if self.scratch.reference_mode {
            return false;
        }
        let known = self.scratch.rule_guards.0.get(rule).copied().flatten();
        let guard = known.unwrap_or_else(|| {
            let guard = self.find_rule_guard(acts);
            store(&mut self.scratch.rule_guards.0, rule, guard);
            guard
        });
        let RuleGuard::Status(status) = guard else { return false };
        let idle = !self.state.any_slot_with(at::STATUSES + usize::from(status));
        if cfg!(debug_assertions) && idle {
            let args = [0, self.state.active() as i64];
            let (world, scratch) = self.world();
            let (value, _) = scratch.recompute_for_check(|scratch| world.call(scratch, acts, &args));
            debug_assert_eq!(value, 0, "rule {rule} acts without status {status}");
        }
        idle
    }

    fn find_rule_guard(&mut self, acts: FnId) -> RuleGuard {
        let statuses: Vec<u16> = ReadMask::of_body(&self.program, acts).statuses().take(MAX_TRIED_STATUSES).collect();
        let (world, scratch) = self.world();
        // The result is kept for later games, so it cannot depend on the fuel that is left.
        let aside = scratch.suspend_fuel();
        let guards = |status: &u16| {
            let inputs = KnownInputs::WithoutStatus(*status);
            world.evaluate_partially(scratch, acts, &[0, NO_PLAYER], 0b11, inputs).value == Some(0)
        };
        let guard = statuses.into_iter().find(guards).map_or(RuleGuard::Unguarded, RuleGuard::Status);
        scratch.restore_fuel(aside);
        guard
    }
}
