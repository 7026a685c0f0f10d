//! Announced choices: finds the choice sites of a text that are answered on announcement, and counts the explicit targets that
//! were announced.

use crate::ir::ObjectRef;
use crate::ir::{ChoiceSiteId, FnId, Op};
use crate::program::Program;
use crate::records::ENTRY_PARAGRAPHS;
use crate::state::block::Handle;
use crate::state::{State, layout as at};

/// Returns the first announced choice of a paragraph from operation `start` on: see `Machine::next_announced_choice`.
pub(super) fn next_choice(
    program: &Program,
    state: &State,
    function: FnId,
    registers: Handle,
    start: usize,
) -> Option<(usize, ChoiceSiteId, u16)> {
    let code = program.function(function)?;
    code.ops.iter().enumerate().skip(start).find_map(|(pc, op)| match op {
        Op::Choose { dst, site } | Op::ChooseModes { dst, site } | Op::Divide { dst, site }
            if program.is_announced(*site) && is_mode_chosen(program, state, *site, registers) =>
        {
            Some((pc, *site, *dst))
        }
        _ => None,
    })
}

fn is_mode_chosen(program: &Program, state: &State, site: ChoiceSiteId, registers: Handle) -> bool {
    let Some(site) = program.library.sites.get(site.index()) else { return false };
    let Some((modes, slot, mode)) = site.mode else { return true };
    let Some(modes) = program.library.sites.get(modes.index()) else { return false };
    let chosen = state.block.list(registers + usize::from(modes.dst));
    chosen.get(usize::from(slot)) == Some(&u32::from(mode))
}

/// Returns how many explicit targets were announced for an object on the list (CR 601.2c); 0 for any other object.
pub(super) fn count_targets(program: &Program, state: &State, it: ObjectRef) -> usize {
    let entry = if state.exists(it) { state.column(it.slot(), at::ENTRY) as usize } else { 0 };
    if entry == 0 {
        return 0;
    }
    let mut count = 0;
    for pair in state.block.list(entry + ENTRY_PARAGRAPHS).chunks(2) {
        let &[function, registers] = pair else { continue };
        let (function, registers) = (FnId(function), registers as usize);
        let mut next = 0;
        while let Some((pc, site, dst)) = next_choice(program, state, function, registers, next) {
            next = pc + 1;
            if program.library.sites.get(site.index()).is_some_and(|it| it.target && it.modes.is_none() && !it.divides) {
                count += state.block.list(registers + usize::from(dst)).len();
            }
        }
    }
    count
}
