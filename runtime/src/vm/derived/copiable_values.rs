//! Copiable values (CR 707.2): the print of an object, as changed by copy effects, faces and concealment.

use crate::ir::ObjectRef;
use crate::program::Program;
use crate::records::NAMELESS;
use crate::records::{EFFECT_COPIED, EFFECT_STAMP, EFFECT_WHOM};
use crate::state::{State, layout as at};

/// Writes the row of an object before continuous effects: its controller, then its copiable values.
pub(super) fn write_base_row(program: &Program, state: &State, slot: usize, row: &mut [u32]) {
    row.fill(0);
    let zone = state.zone(slot);
    if zone.is_none() && !state.is_unplaced(slot) {
        return;
    }
    let own = state.copied_row(slot);
    if own.is_empty() {
        let shown = program.shown_definition(state.column(slot, at::DEFINITION), state.column(slot, at::FACE), zone);
        if let Some(template) = program.templates.get(shown as usize) {
            row.copy_from_slice(template);
        }
    } else {
        row.iter_mut().zip(own).for_each(|(place, word)| *place = *word);
    }
    apply_concealment(program, state, slot, row);
    if let Some(controller) = row.first_mut() {
        *controller = state.column(slot, at::CONTROLLER);
    }
}

/// Gives a concealed object the values that the rules define and no others (CR 708.2); if they define none, it loses its
/// abilities. Applied after copy effects (CR 613.2b).
pub(super) fn apply_concealment(program: &Program, state: &State, slot: usize, row: &mut [u32]) {
    let Some(status) = state.concealing_status(program, slot) else { return };
    match program.disguise(status).and_then(|values| program.templates.get(values as usize)) {
        Some(template) => {
            row.iter_mut().zip(template).skip(1).for_each(|(place, word)| *place = *word);
            if program.library.statuses.get(status).is_some_and(|status| status.nameless)
                && let Some(name) = row.get_mut(program.row.definition)
            {
                *name = NAMELESS;
            }
        }
        None => row.iter_mut().skip(program.row.bundles).for_each(|word| *word = 0),
    }
}

/// Returns the definition that names an object: its own or that of its face, or for a copy that of the copied object.
#[must_use]
pub fn naming_definition(program: &Program, state: &State, slot: usize) -> u32 {
    let it = state.current(slot);
    let copies = |record: &u32| {
        let record = *record as usize;
        state.block.len(record + EFFECT_COPIED) != 0 && state.block.list(record + EFFECT_WHOM).contains(&it.0)
    };
    let copy = !state.copied_row(slot).is_empty() || state.block.list(at::EFFECTS).iter().any(copies);
    let row = if copy && !state.is_concealed(program, slot) { copiable_row(program, state, it) } else { None };
    row.and_then(|row| row.get(program.row.definition).copied()).unwrap_or_else(|| {
        let (own, face) = (state.column(slot, at::DEFINITION), state.column(slot, at::FACE));
        if face > 1 { program.shown_definition(own, face, state.zone(slot)) } else { own }
    })
}

/// Returns the copiable values of an object as a row whose controller column has no meaning. For an object that has left, these
/// are last-known values; `None` if there are none.
#[must_use]
pub fn copiable_row(program: &Program, state: &State, it: ObjectRef) -> Option<Vec<u32>> {
    if !state.exists(it) {
        let known = state.block.list(at::LAST_KNOWN_ROWS).iter().rev().map(|row| *row as usize);
        let record = known.into_iter().find(|row| state.block.get(*row) == it.0 && it.0 != 0)?;
        let first = record + crate::records::KNOWN_ROW + program.row.stride + program.library.statuses.len();
        return Some((0..program.row.stride).map(|column| state.block.get(first + column)).collect());
    }
    let mut row = vec![0; program.row.stride];
    write_base_row(program, state, it.slot(), &mut row);
    let latest = state
        .block
        .list(at::EFFECTS)
        .iter()
        .map(|record| *record as usize)
        .filter(|record| state.block.len(record + EFFECT_COPIED) != 0)
        .filter(|record| state.block.list(record + EFFECT_WHOM).contains(&it.0))
        .max_by_key(|record| state.block.get(record + EFFECT_STAMP));
    if let Some(record) = latest {
        row.iter_mut().zip(state.block.list(record + EFFECT_COPIED)).for_each(|(place, word)| *place = *word);
        apply_concealment(program, state, it.slot(), &mut row);
    }
    Some(row)
}
