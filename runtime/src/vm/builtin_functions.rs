//! The evaluators of the built-in functions; their rows are in [`crate::ir::verbs`].

#![deny(clippy::wildcard_enum_match_arm)]

use super::inline_vecs::{InlineWords, Items};
use crate::ir::format::{EITHER_WAY, is_either_way};
use crate::ir::verbs::BuiltinFunction;
use crate::ir::{ObjectRef, Payment};
use crate::records::PENDING_SOURCE;
use crate::records::{ENTRY_KIND, entry_kind};
use crate::state::State;
use crate::state::layout as at;
use crate::tables::LinkedTables;
use crate::vm::affordable_query::AffordableQuery;
use crate::vm::eval_context::EvalContext;
use crate::vm::scratch::Scratch;
use smallvec::SmallVec;

/// A unit that accepts every kind.
const ANY_KIND: i32 = -1;

/// Evaluates the built-in function with the number `builtin`.
pub fn evaluate(world: &EvalContext<'_>, scratch: &mut Scratch, builtin: u16, args: &[i64]) -> i64 {
    let a = args.first().copied().unwrap_or(0);
    let b = args.get(1).copied().unwrap_or(0);
    let Some(function) = BuiltinFunction::from_number(builtin) else { return 0 };
    match function {
        BuiltinFunction::Min => a.min(b),
        BuiltinFunction::Max => a.max(b),
        BuiltinFunction::Price => {
            let mut units: Items = (0..32).filter(|bit| b & (1 << bit) != 0).map(|bit| 1i32.wrapping_shl(bit)).collect();
            while (units.len() as i64) < a && units.len() < 256 {
                units.push(ANY_KIND);
            }
            scratch.make_list(units)
        }
        BuiltinFunction::Generic => scratch.make_list(std::iter::repeat_n(ANY_KIND, a.clamp(0, 256) as usize)),
        BuiltinFunction::Plus => {
            let units: Items = scratch.list(a).iter().chain(scratch.list(b)).copied().collect();
            scratch.make_list(units)
        }
        BuiltinFunction::Reduced => {
            let mut units = Items::from_slice(scratch.list(a));
            let mut left = b;
            while left > 0 {
                // Of a unit of a kind or of two of any kind, the second of these two is removed last.
                let any = units.iter().rposition(|unit| *unit == ANY_KIND);
                let hybrid = || units.iter().rposition(|unit| is_hybrid(*unit, generic_kinds(world)));
                let Some(index) = any.or_else(hybrid) else { break };
                units.remove(index);
                left -= 1;
            }
            scratch.make_list(units)
        }
        BuiltinFunction::UnitsOf => scratch.list(a).iter().filter(|unit| has_kind(**unit, b)).count() as i64,
        BuiltinFunction::WithoutUnits => {
            let mut left = args.get(2).copied().unwrap_or(0);
            let mut units = Items::from_slice(scratch.list(a));
            units.retain(|unit| {
                let removed = left > 0 && has_kind(*unit, b);
                left -= i64::from(removed);
                !removed
            });
            scratch.make_list(units)
        }
        BuiltinFunction::AtLeast => {
            let units = at_least(world, scratch.list(a), b.clamp(0, 256) as usize);
            scratch.make_list(units)
        }
        BuiltinFunction::OneOf => scratch.make_list([if a == 0 { ANY_KIND } else { a as i32 }]),
        BuiltinFunction::Due => {
            let units = world.units_due(scratch, a, ObjectRef::from_value(b));
            scratch.make_list(units)
        }
        BuiltinFunction::Payable => {
            let units: InlineWords = scratch.list(args.get(2).copied().unwrap_or(0)).iter().map(|unit| *unit as u32).collect();
            usize::try_from(a)
                .map_or(0, |player| i64::from(world.is_payable_now(scratch, player, ObjectRef::from_value(b), &units)))
        }
        BuiltinFunction::Affordable => {
            AffordableQuery::from_arguments(scratch, args).map_or(0, |query| world.payable_times(scratch, &query))
        }
        BuiltinFunction::AnnouncedFrom => {
            let it = ObjectRef::from_value(a);
            if !world.state.exists(it) {
                return -1;
            }
            let entry = world.state.column(it.slot(), at::ENTRY) as usize;
            let origin = if entry == 0 { 0 } else { world.state.block.get(entry + crate::records::ENTRY_ORIGIN) };
            let zone = if origin == 0 { world.state.zone(it.slot()) } else { Some(origin as usize - 1) };
            zone.map_or(-1, |zone| world.program.layout.kind(zone) as i64)
        }
        BuiltinFunction::TargetsAnnounced => {
            super::announced_choices::count_targets(world.program, world.state, ObjectRef::from_value(a)) as i64
        }
        BuiltinFunction::ProducesUnits => {
            i64::from(u32::try_from(a).ok().and_then(|code| world.program.play(code)).is_some_and(|play| play.during_payment))
        }
        BuiltinFunction::IsAbilityPlay => {
            let covered =
                u32::try_from(a).ok().and_then(|code| world.program.play(code)).is_some_and(|play| play.while_concealed);
            i64::from(a >= i64::from(crate::tables::ABILITY_PLAY) && !covered)
        }
        BuiltinFunction::Units => scratch.list(a).len() as i64,
        BuiltinFunction::ZoneKind => usize::try_from(a).map_or(-1, |z| {
            let kind = world.program.layout.kind(z);
            if kind == usize::MAX { -1 } else { kind as i64 }
        }),
        BuiltinFunction::GameNumber => i64::from(world.state.block.get(at::GAME_NUMBER)),
        BuiltinFunction::PreviousLoser => i64::from(world.state.block.get(at::PREVIOUS_LOSER) as i32),
        BuiltinFunction::Exists => i64::from(a >= 0),
        BuiltinFunction::IsPlaying => {
            usize::try_from(a).map_or(0, |p| i64::from(p < world.program.players() && !world.state.has_lost(p)))
        }
        BuiltinFunction::HasWon => {
            i64::from(world.state.block.get(at::OUTCOME) == 1 && i64::from(world.state.block.get(at::WINNER)) == a)
        }
        BuiltinFunction::IsDrawn => i64::from(world.state.block.get(at::OUTCOME) == 2),
        BuiltinFunction::ExtraTurnNumber => i64::from(world.state.block.get(at::EXTRA_TURN_NUMBER)),
        BuiltinFunction::TurnNumber => i64::from(world.state.turn()),
        BuiltinFunction::ListSize => list_objects(world).len() as i64,
        BuiltinFunction::Waiting => world.state.block.len(at::PENDING_TRIGGERS) as i64,
        BuiltinFunction::WaitingOf => {
            let of = |record: &&u32| world.state.block.get(**record as usize + PENDING_SOURCE) == a as u32;
            world.state.block.list(at::PENDING_TRIGGERS).iter().filter(of).count() as i64
        }
        BuiltinFunction::Resolving => i64::from(world.state.block.get(at::RESOLVING_COUNT) != 0),
        BuiltinFunction::WordCount => i64::from((a as u32).count_ones()),
        BuiltinFunction::PositionOf => {
            let it = ObjectRef::from_value(a);
            if !world.state.exists(it) {
                return 0;
            }
            let zone = world.state.zone(it.slot());
            let place = zone.and_then(|z| world.state.zone_items(world.program, z).iter().position(|item| *item == it.0));
            place.map_or(0, |p| p as i64 + 1)
        }
        BuiltinFunction::PileSize => {
            let it = ObjectRef::from_value(a);
            if world.state.exists(it) { world.state.pile(it.slot()).len() as i64 } else { 0 }
        }
        BuiltinFunction::BeforeMove => reference_before_move(world, ObjectRef::from_value(a)).value(),
        BuiltinFunction::BeforeLeaving => reference_before_leaving(world, ObjectRef::from_value(a)).value(),
        BuiltinFunction::Current => current_reference(world.state, world.program, ObjectRef::from_value(a)).value(),
        BuiltinFunction::Became => {
            let (it, moved) = (ObjectRef::from_value(a), scratch.list(b));
            let found = moved.iter().find(|object| has_become(it, ObjectRef::from_value(i64::from(**object))));
            found.map_or(0, |object| i64::from(*object))
        }
        BuiltinFunction::BecameEach => {
            let mut before: SmallVec<[ObjectRef; 8]> =
                scratch.list(a).iter().map(|object| ObjectRef::from_value(i64::from(*object))).collect();
            before.sort_unstable_by_key(|it| it.slot());
            let became = |object: &i32| {
                let object = ObjectRef::from_value(i64::from(*object));
                let first = before.partition_point(|it| it.slot() < object.slot());
                before.iter().skip(first).take_while(|it| it.slot() == object.slot()).any(|it| has_become(*it, object))
            };
            let units: Items = scratch.list(b).iter().copied().filter(became).collect();
            scratch.make_list(units)
        }
        BuiltinFunction::IsAbility => i64::from(world.definition(ObjectRef::from_value(a)) == Some(0)),
        BuiltinFunction::IsTriggered => {
            let it = ObjectRef::from_value(a);
            let entry = if world.state.exists(it) { world.state.column(it.slot(), at::ENTRY) as usize } else { 0 };
            i64::from(entry != 0 && world.state.block.get(entry + ENTRY_KIND) == entry_kind::TRIGGER)
        }
        BuiltinFunction::ListTop => list_objects(world).last().map_or(0, |top| ObjectRef(*top).value()),
        BuiltinFunction::Faces => {
            let definition = world.state.column(ObjectRef::from_value(a).slot(), at::DEFINITION);
            let sides = world.program.definition(definition).filter(|d| d.combined_faces.is_none()).map_or(0, |d| d.faces.len());
            1 + sides as i64
        }
        BuiltinFunction::Created => i64::from(world.is_created(ObjectRef::from_value(a))),
        BuiltinFunction::User => {
            let it = ObjectRef::from_value(a);
            let entry = if world.state.exists(it) { world.state.column(it.slot(), at::ENTRY) as usize } else { 0 };
            if entry == 0 { crate::ir::NO_PLAYER } else { world.state.block.int(entry + crate::records::ENTRY_USER) }
        }
    }
}

impl EvalContext<'_> {
    /// Returns whether an object was created: a token, or a copy that is not a card.
    fn is_created(&self, it: ObjectRef) -> bool {
        let definition = self.state.column(it.slot(), at::DEFINITION) as usize;
        let is_token = self.program.tokens.get(definition).is_some_and(|is| *is);
        !it.is_none() && (is_token || self.state.copy_flags(it.slot()) & at::COPY_CARDLESS != 0)
    }
}

/// A price with at least `least` units, with further ones of any kind. What no pool can hold is paid otherwise and does not count (CR 107.4f, 601.2f): a
/// unit that can be paid so stands for one more.
fn at_least(world: &EvalContext<'_>, units: &[i32], least: usize) -> Items {
    let generic = generic_kinds(world);
    let spare = units.len().saturating_sub(least);
    let mut units = Items::from_slice(units);
    units.resize(units.len().max(least), ANY_KIND);
    // A unit of two of any kind, or of a kind, is one of any kind where it may not stand for less (CR 107.4e, 601.2f).
    let is_bound = |at: &usize| least > 0 && units.get(*at).is_some_and(|unit| is_hybrid(*unit, generic));
    let hybrids: SmallVec<[usize; 8]> = (0..units.len()).filter(is_bound).collect();
    for at in hybrids.into_iter().skip(spare) {
        if let Some(unit) = units.get_mut(at) {
            *unit = ANY_KIND;
        }
    }
    if least > 0 && generic != u32::MAX {
        let is_other =
            |unit: &i32| *unit as u32 & !generic & !EITHER_WAY != 0 && !is_either_way(*unit as u32) && *unit != ANY_KIND;
        let others: SmallVec<[usize; 8]> = (0..units.len()).filter(|at| units.get(*at).is_some_and(is_other)).collect();
        for at in others.into_iter().skip(spare) {
            if let Some(unit) = units.get_mut(at) {
                *unit |= EITHER_WAY as i32;
            }
            units.push(ANY_KIND);
        }
    }
    units
}

/// The kinds that pay for a unit of any kind.
fn generic_kinds(world: &EvalContext<'_>) -> u32 {
    world.program.format.payments.first().map_or(u32::MAX, Payment::generic_kinds)
}

/// Whether a unit is paid by a kind, or by two of any kind.
fn is_hybrid(unit: i32, generic: u32) -> bool {
    is_either_way(unit as u32) && unit as u32 & !generic & !EITHER_WAY == 0
}

/// Returns whether a unit is of one of these kinds. A unit that accepts every kind is of none.
fn has_kind(unit: i32, kinds: i64) -> bool {
    unit != ANY_KIND && i64::from(unit) & kinds != 0
}

fn list_objects<'a>(world: &EvalContext<'a>) -> &'a [u32] {
    world.program.list.map_or(&[], |list| world.state.zone_items(world.program, list))
}

/// Returns the reference to an object before its last move, if there is last-known information about that; a stale reference itself.
fn reference_before_move(world: &EvalContext<'_>, it: ObjectRef) -> ObjectRef {
    if it.is_none() || !world.state.exists(it) {
        return it;
    }
    let rows =
        world.state.block.list(at::LAST_KNOWN_ROWS).iter().rev().map(|row| ObjectRef(world.state.block.get(*row as usize)));
    let is_earlier = |before: &ObjectRef| before.slot() == it.slot() && before.incarnation() + 1 == it.incarnation();
    rows.into_iter().find(is_earlier).unwrap_or(ObjectRef::NONE)
}

/// Returns the reference to an object before the move by which it left play (the field, zones that keep objects, the list), if there is
/// last-known information about that. Returns the reference itself if it is in play or came from elsewhere (CR 608.2h).
fn reference_before_leaving(world: &EvalContext<'_>, it: ObjectRef) -> ObjectRef {
    let block = &world.state.block;
    let in_play = |zone: usize| world.program.zone_of(zone).is_some_and(|kind| kind.field || kind.keeps_objects || kind.list);
    let left_play = |reference: ObjectRef| {
        let row = world.last_known_row(reference)?;
        Some(in_play(block.get(row + 3) as usize))
    };
    let is_in_play = match world.state.exists(it) {
        true => world.state.zone(it.slot()).is_some_and(in_play),
        false => it.is_none() || left_play(it) == Some(true),
    };
    let Some(incarnation) = it.incarnation().checked_sub(1).filter(|_| !is_in_play) else { return it };
    let before = ObjectRef::new(it.slot(), incarnation);
    if left_play(before) == Some(true) { before } else { it }
}

/// Whether an object is `it` after a move, or `it` itself.
fn has_become(it: ObjectRef, object: ObjectRef) -> bool {
    !it.is_none() && it.slot() == object.slot() && it.incarnation() <= object.incarnation()
}

/// Returns the current reference to the object of a stale reference, if the object is in a public zone and moved only once since.
/// Else returns none.
pub(crate) fn current_reference(state: &State, program: &LinkedTables, it: ObjectRef) -> ObjectRef {
    if it.is_none() || state.exists(it) {
        return it;
    }
    let current = state.current(it.slot());
    let public = state.zone(it.slot()).is_some_and(|zone| program.is_public(zone));
    if public && current.incarnation() == it.incarnation() + 1 { current } else { ObjectRef::NONE }
}
