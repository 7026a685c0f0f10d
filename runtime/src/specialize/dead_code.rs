//! Dead-code elimination and jump threading after constant folding. Operations keep their numbers.

#![deny(clippy::wildcard_enum_match_arm)]

use crate::ir::{Function, Library, Op};
use crate::liveness::Liveness;

/// Replaces operations whose results are not live with no-ops, and redirects jumps to their final targets.
pub(super) fn eliminate_dead_code(library: &Library, function: &mut Function) {
    let liveness = Liveness::of(library, function);
    for (pc, op) in function.ops.iter_mut().enumerate() {
        if op.destination().is_some_and(|dst| !liveness.is_live(pc + 1, dst)) {
            *op = Op::Jump { to: pc as u32 + 1 };
        }
    }
    // From the last operation on, so that the target of every forward jump is final. Backward jumps are not followed.
    let mut ends: Vec<u32> = (0..=function.ops.len() as u32).collect();
    for (pc, op) in function.ops.iter().enumerate().rev() {
        if let Op::Jump { to } = op
            && let Some(end) = ends.get(*to as usize).copied()
            && let Some(place) = ends.get_mut(pc)
        {
            *place = end;
        }
    }
    for op in &mut function.ops {
        if let Op::Jump { to } | Op::JumpUnless { to, .. } = op {
            *to = ends.get(*to as usize).copied().unwrap_or(*to);
        }
    }
}
