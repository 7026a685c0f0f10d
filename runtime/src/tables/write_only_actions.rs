//! Which actions only write numbers, so that their events can be committed without a batch.

use crate::ir::{FnId, Format, Function, Library, Op, Place};

/// Returns, for each action, whether its body only writes numbers and has no loop.
pub(super) fn write_only_actions<'f>(
    library: &Library,
    format: &Format,
    function: impl Fn(FnId) -> Option<&'f Function>,
) -> Vec<bool> {
    let is_simple_place = |place: Place| match place {
        Place::Status(n) => library
            .statuses
            .get(usize::from(n))
            .is_some_and(|it| !it.conceals && !it.updates_timestamp && !it.clears_effects && !it.ty.is_list()),
        Place::Player(_) => true,
        Place::Global(n) => library.globals.get(usize::from(n)).is_some_and(|it| !it.ty.is_list()),
        _ => false,
    };
    let is_write_only = |code: &Function| {
        let fits = |(pc, op): (usize, &Op)| match op {
            Op::Jump { to } | Op::JumpUnless { to, .. } => *to as usize > pc,
            Op::Write { place, .. } | Op::WriteKey { place, .. } => is_simple_place(*place),
            Op::Return { .. } => true,
            op => op.destination().is_some(),
        };
        code.text_slots.is_empty() && code.reachable().all(fits)
    };
    format.actions.iter().map(|action| action.body.and_then(&function).is_some_and(is_write_only)).collect()
}
