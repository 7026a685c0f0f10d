//! The evaluators of the built-in functions, in the order of `ir::verbs::BUILTINS`.

use super::eval::{Scratch, World};
use crate::state::{Ref, layout as at};

/// A unit that accepts every kind.
const ANY: i32 = -1;

/// Evaluates built-in number `builtin`.
pub fn evaluate(world: &World<'_>, scratch: &mut Scratch, builtin: u16, args: &[i64]) -> i64 {
    let a = args.first().copied().unwrap_or(0);
    let b = args.get(1).copied().unwrap_or(0);
    let name = crate::ir::verbs::BUILTINS.get(usize::from(builtin)).map_or("", |row| row.name);
    match name {
        "min" => a.min(b),
        "max" => a.max(b),
        "price" => {
            let mut units: Vec<i32> = (0..32).filter(|bit| b & (1 << bit) != 0).map(|bit| 1i32.wrapping_shl(bit)).collect();
            while (units.len() as i64) < a && units.len() < 256 {
                units.push(ANY);
            }
            scratch.make_list(units)
        }
        "generic" => scratch.make_list(std::iter::repeat_n(ANY, a.clamp(0, 256) as usize)),
        "plus" => {
            let units: Vec<i32> = scratch.list(a).iter().chain(scratch.list(b)).copied().collect();
            scratch.make_list(units)
        }
        "reduced" => {
            let mut units = scratch.list(a).to_vec();
            let mut left = b;
            while left > 0 {
                let Some(index) = units.iter().rposition(|unit| *unit == ANY) else { break };
                units.remove(index);
                left -= 1;
            }
            scratch.make_list(units)
        }
        "units_of" => scratch.list(a).iter().filter(|unit| is_of(**unit, b)).count() as i64,
        "without_units" => {
            let mut left = args.get(2).copied().unwrap_or(0);
            let mut units = scratch.list(a).to_vec();
            units.retain(|unit| {
                let gone = left > 0 && is_of(*unit, b);
                left -= i64::from(gone);
                !gone
            });
            scratch.make_list(units)
        }
        "at_least" => {
            let mut units = scratch.list(a).to_vec();
            units.resize(units.len().max(b.clamp(0, 256) as usize), ANY);
            scratch.make_list(units)
        }
        "one_of" => scratch.make_list([if a == 0 { ANY } else { a as i32 }]),
        "due" => {
            let units = world.due(scratch, a, Ref::from_value(b));
            scratch.make_list(units)
        }
        "payable" => {
            let units: Vec<u32> = scratch.list(args.get(2).copied().unwrap_or(0)).iter().map(|unit| *unit as u32).collect();
            usize::try_from(a).map_or(0, |player| i64::from(world.payable(scratch, player, Ref::from_value(b), &units)))
        }
        "affordable" => {
            let units: Vec<u32> = scratch.list(args.get(2).copied().unwrap_or(0)).iter().map(|unit| *unit as u32).collect();
            let [step, less] = [3, 4].map(|i| args.get(i).copied().unwrap_or(0).clamp(0, 256) as usize);
            usize::try_from(a).map_or(0, |player| world.affordable(scratch, player, Ref::from_value(b), &units, step, less))
        }
        "came_from" => {
            let it = Ref::from_value(a);
            if !world.state.exists(it) {
                return -1;
            }
            let entry = world.state.column(it.slot(), at::ENTRY) as usize;
            let origin = if entry == 0 { 0 } else { world.state.block.get(entry + super::announce::ENTRY_ORIGIN) };
            let zone = if origin == 0 { world.state.zone(it.slot()) } else { Some(origin as usize - 1) };
            zone.map_or(-1, |zone| world.program.layout.kind(zone) as i64)
        }
        "targets_announced" => super::lifted::count_targets(world.program, world.state, Ref::from_value(a)) as i64,
        "makes_units" => i64::from(u32::try_from(a).ok().and_then(|code| world.program.play(code)).is_some_and(|play| play.pays)),
        "of_ability" => {
            let covered = u32::try_from(a).ok().and_then(|code| world.program.play(code)).is_some_and(|play| play.covered);
            i64::from(a >= i64::from(crate::program::ABILITY_PLAY) && !covered)
        }
        "units" => scratch.list(a).len() as i64,
        "zone_kind" => usize::try_from(a).map_or(-1, |z| {
            let kind = world.program.layout.kind(z);
            if kind == usize::MAX { -1 } else { kind as i64 }
        }),
        "game_number" => i64::from(world.state.block.get(at::GAME)),
        "loser_before" => i64::from(world.state.block.get(at::LOSER) as i32),
        "is_somebody" => i64::from(a >= 0),
        "is_playing" => usize::try_from(a).map_or(0, |p| i64::from(p < world.program.players() && !world.state.has_lost(p))),
        "has_won" => i64::from(world.state.block.get(at::OUTCOME) == 1 && i64::from(world.state.block.get(at::WINNER)) == a),
        "is_drawn" => i64::from(world.state.block.get(at::OUTCOME) == 2),
        "extra_turn_number" => i64::from(world.state.block.get(at::EXTRA_NOW)),
        "turn_number" => i64::from(world.state.turn()),
        "list_size" => list(world).len() as i64,
        "waiting" => world.state.block.len(at::PENDING) as i64,
        "resolving" => i64::from(world.state.block.get(at::RESOLVING) != 0),
        "words_count" => i64::from((a as u32).count_ones()),
        "place_of" => {
            let it = Ref::from_value(a);
            if !world.state.exists(it) {
                return 0;
            }
            let zone = world.state.zone(it.slot());
            let place = zone.and_then(|z| world.state.zone_items(world.program, z).iter().position(|item| *item == it.0));
            place.map_or(0, |p| p as i64 + 1)
        }
        "pile_size" => {
            let it = Ref::from_value(a);
            if world.state.exists(it) { world.state.pile(it.slot()).len() as i64 } else { 0 }
        }
        "now" => now(world, Ref::from_value(a)).value(),
        "is_ability" => i64::from(world.definition(Ref::from_value(a)) == Some(0)),
        "list_top" => list(world).last().map_or(0, |top| Ref(*top).value()),
        "faces" => {
            let definition = world.state.column(Ref::from_value(a).slot(), at::DEFINITION);
            let sides = world.program.definition(definition).filter(|d| d.joined.is_none()).map_or(0, |d| d.faces.len());
            1 + sides as i64
        }
        "created" => {
            let it = Ref::from_value(a);
            let definition = world.state.column(it.slot(), at::DEFINITION);
            let token = definition != 0 && world.program.library.definitions.get(definition as usize).is_some_and(|d| d.token);
            i64::from(!it.is_none() && (token || world.state.copy_flags(it.slot()) & at::COPY_CARDLESS != 0))
        }
        "user" => {
            let it = Ref::from_value(a);
            let entry = if world.state.exists(it) { world.state.column(it.slot(), at::ENTRY) as usize } else { 0 };
            if entry == 0 { crate::ir::NO_PLAYER } else { world.state.block.int(entry + super::announce::ENTRY_USER) }
        }
        _ => 0,
    }
}

/// Whether a unit is one of these kinds, but not of every kind.
fn is_of(unit: i32, kinds: i64) -> bool {
    unit != ANY && i64::from(unit) & kinds != 0
}

fn list<'a>(world: &World<'a>) -> &'a [u32] {
    world.program.list.map_or(&[], |list| world.state.zone_items(world.program, list))
}

/// What a reference became when it last moved, if that is in a public zone and it moved once only.
fn now(world: &World<'_>, it: Ref) -> Ref {
    if it.is_none() || world.state.exists(it) {
        return it;
    }
    let current = world.state.current(it.slot());
    let public = world.state.zone(it.slot()).is_some_and(|z| world.program.is_public(z));
    if public && current.incarnation() == it.incarnation() + 1 { current } else { Ref::NONE }
}
