//! What folding leaves lying about: values that nobody reads any more, and jumps to jumps. Operations keep their numbers.

use crate::ir::{Function, Library, Op};
use crate::liveness::Liveness;

/// Puts jumps past them in the place of operations whose values do not matter, and lets jumps go to where they lead in the end.
pub(super) fn eliminate_dead_code(library: &Library, function: &mut Function) {
    let liveness = Liveness::of(library, function);
    for (pc, op) in function.ops.iter_mut().enumerate() {
        if op.written().is_some_and(|dst| !liveness.is_live(pc + 1, dst)) {
            *op = Op::Jump { to: pc as u32 + 1 };
        }
    }
    // From the last one on, so that all that a jump leads on to is known, but where it goes back.
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
