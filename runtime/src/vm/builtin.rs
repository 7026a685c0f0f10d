//! The evaluators of the built-in functions, in the order of `ir::verbs::BUILTINS`.

use super::announce::{ENTRY_KIND, entry_kind};
use super::eval::{EvalContext, Scratch};
use super::hooks::PENDING_SOURCE;
use super::inline_vecs::{InlineWords, Items};
use crate::ir::verbs::BUILTINS;
use crate::state::{ObjectRef, layout as at};

/// A unit that accepts every kind.
const ANY_KIND: i32 = -1;

/// Evaluates the built-in function with the number `builtin`.
pub fn evaluate(world: &EvalContext<'_>, scratch: &mut Scratch, builtin: u16, args: &[i64]) -> i64 {
    let a = args.first().copied().unwrap_or(0);
    let b = args.get(1).copied().unwrap_or(0);
    match builtin {
        number::MIN => a.min(b),
        number::MAX => a.max(b),
        number::PRICE => {
            let mut units: Items = (0..32).filter(|bit| b & (1 << bit) != 0).map(|bit| 1i32.wrapping_shl(bit)).collect();
            while (units.len() as i64) < a && units.len() < 256 {
                units.push(ANY_KIND);
            }
            scratch.make_list(units)
        }
        number::GENERIC => scratch.make_list(std::iter::repeat_n(ANY_KIND, a.clamp(0, 256) as usize)),
        number::PLUS => {
            let units: Items = scratch.list(a).iter().chain(scratch.list(b)).copied().collect();
            scratch.make_list(units)
        }
        number::REDUCED => {
            let mut units = Items::from_slice(scratch.list(a));
            let mut left = b;
            while left > 0 {
                let Some(index) = units.iter().rposition(|unit| *unit == ANY_KIND) else { break };
                units.remove(index);
                left -= 1;
            }
            scratch.make_list(units)
        }
        number::UNITS_OF => scratch.list(a).iter().filter(|unit| has_kind(**unit, b)).count() as i64,
        number::WITHOUT_UNITS => {
            let mut left = args.get(2).copied().unwrap_or(0);
            let mut units = Items::from_slice(scratch.list(a));
            units.retain(|unit| {
                let removed = left > 0 && has_kind(*unit, b);
                left -= i64::from(removed);
                !removed
            });
            scratch.make_list(units)
        }
        number::AT_LEAST => {
            let mut units = Items::from_slice(scratch.list(a));
            units.resize(units.len().max(b.clamp(0, 256) as usize), ANY_KIND);
            scratch.make_list(units)
        }
        number::ONE_OF => scratch.make_list([if a == 0 { ANY_KIND } else { a as i32 }]),
        number::DUE => {
            let units = world.units_due(scratch, a, ObjectRef::from_value(b));
            scratch.make_list(units)
        }
        number::PAYABLE => {
            let units: InlineWords = scratch.list(args.get(2).copied().unwrap_or(0)).iter().map(|unit| *unit as u32).collect();
            usize::try_from(a)
                .map_or(0, |player| i64::from(world.is_payable_now(scratch, player, ObjectRef::from_value(b), &units)))
        }
        number::AFFORDABLE => {
            let units: InlineWords = scratch.list(args.get(2).copied().unwrap_or(0)).iter().map(|unit| *unit as u32).collect();
            let [step, less] = [3, 4].map(|i| args.get(i).copied().unwrap_or(0).clamp(0, 256) as usize);
            usize::try_from(a)
                .map_or(0, |player| world.payable_times(scratch, player, ObjectRef::from_value(b), &units, step, less))
        }
        number::ANNOUNCED_FROM => {
            let it = ObjectRef::from_value(a);
            if !world.state.exists(it) {
                return -1;
            }
            let entry = world.state.column(it.slot(), at::ENTRY) as usize;
            let origin = if entry == 0 { 0 } else { world.state.block.get(entry + super::announce::ENTRY_ORIGIN) };
            let zone = if origin == 0 { world.state.zone(it.slot()) } else { Some(origin as usize - 1) };
            zone.map_or(-1, |zone| world.program.layout.kind(zone) as i64)
        }
        number::TARGETS_ANNOUNCED => {
            super::announced_choices::count_targets(world.program, world.state, ObjectRef::from_value(a)) as i64
        }
        number::PRODUCES_UNITS => {
            i64::from(u32::try_from(a).ok().and_then(|code| world.program.play(code)).is_some_and(|play| play.during_payment))
        }
        number::IS_ABILITY_PLAY => {
            let covered =
                u32::try_from(a).ok().and_then(|code| world.program.play(code)).is_some_and(|play| play.while_concealed);
            i64::from(a >= i64::from(crate::program::ABILITY_PLAY) && !covered)
        }
        number::UNITS => scratch.list(a).len() as i64,
        number::ZONE_KIND => usize::try_from(a).map_or(-1, |z| {
            let kind = world.program.layout.kind(z);
            if kind == usize::MAX { -1 } else { kind as i64 }
        }),
        number::GAME_NUMBER => i64::from(world.state.block.get(at::GAME_NUMBER)),
        number::PREVIOUS_LOSER => i64::from(world.state.block.get(at::PREVIOUS_LOSER) as i32),
        number::EXISTS => i64::from(a >= 0),
        number::IS_PLAYING => {
            usize::try_from(a).map_or(0, |p| i64::from(p < world.program.players() && !world.state.has_lost(p)))
        }
        number::HAS_WON => {
            i64::from(world.state.block.get(at::OUTCOME) == 1 && i64::from(world.state.block.get(at::WINNER)) == a)
        }
        number::IS_DRAWN => i64::from(world.state.block.get(at::OUTCOME) == 2),
        number::EXTRA_TURN_NUMBER => i64::from(world.state.block.get(at::EXTRA_TURN_NUMBER)),
        number::TURN_NUMBER => i64::from(world.state.turn()),
        number::LIST_SIZE => list_objects(world).len() as i64,
        number::WAITING => world.state.block.len(at::PENDING_TRIGGERS) as i64,
        number::WAITING_OF => {
            let of = |record: &&u32| world.state.block.get(**record as usize + PENDING_SOURCE) == a as u32;
            world.state.block.list(at::PENDING_TRIGGERS).iter().filter(of).count() as i64
        }
        number::RESOLVING => i64::from(world.state.block.get(at::RESOLVING_COUNT) != 0),
        number::WORD_COUNT => i64::from((a as u32).count_ones()),
        number::POSITION_OF => {
            let it = ObjectRef::from_value(a);
            if !world.state.exists(it) {
                return 0;
            }
            let zone = world.state.zone(it.slot());
            let place = zone.and_then(|z| world.state.zone_items(world.program, z).iter().position(|item| *item == it.0));
            place.map_or(0, |p| p as i64 + 1)
        }
        number::PILE_SIZE => {
            let it = ObjectRef::from_value(a);
            if world.state.exists(it) { world.state.pile(it.slot()).len() as i64 } else { 0 }
        }
        number::CURRENT => current_reference(world, ObjectRef::from_value(a)).value(),
        number::IS_ABILITY => i64::from(world.definition(ObjectRef::from_value(a)) == Some(0)),
        number::IS_TRIGGERED => {
            let it = ObjectRef::from_value(a);
            let entry = if world.state.exists(it) { world.state.column(it.slot(), at::ENTRY) as usize } else { 0 };
            i64::from(entry != 0 && world.state.block.get(entry + ENTRY_KIND) == entry_kind::TRIGGER)
        }
        number::LIST_TOP => list_objects(world).last().map_or(0, |top| ObjectRef(*top).value()),
        number::FACES => {
            let definition = world.state.column(ObjectRef::from_value(a).slot(), at::DEFINITION);
            let sides = world.program.definition(definition).filter(|d| d.combined_faces.is_none()).map_or(0, |d| d.faces.len());
            1 + sides as i64
        }
        number::CREATED => i64::from(world.is_created(ObjectRef::from_value(a))),
        number::USER => {
            let it = ObjectRef::from_value(a);
            let entry = if world.state.exists(it) { world.state.column(it.slot(), at::ENTRY) as usize } else { 0 };
            if entry == 0 { crate::ir::NO_PLAYER } else { world.state.block.int(entry + super::announce::ENTRY_USER) }
        }
        _ => 0,
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

/// The numbers of the built-in functions in [`BUILTINS`].
pub(crate) mod number {
    use super::number_of;
    pub const MIN: u16 = number_of("min");
    pub const MAX: u16 = number_of("max");
    pub const PRICE: u16 = number_of("price");
    pub const GENERIC: u16 = number_of("generic");
    pub const PLUS: u16 = number_of("plus");
    pub const REDUCED: u16 = number_of("reduced");
    pub const UNITS_OF: u16 = number_of("units_of");
    pub const WITHOUT_UNITS: u16 = number_of("without_units");
    pub const AT_LEAST: u16 = number_of("at_least");
    pub const ONE_OF: u16 = number_of("one_of");
    pub const DUE: u16 = number_of("due");
    pub const PAYABLE: u16 = number_of("payable");
    pub const AFFORDABLE: u16 = number_of("affordable");
    pub const ANNOUNCED_FROM: u16 = number_of("announced_from");
    pub const TARGETS_ANNOUNCED: u16 = number_of("targets_announced");
    pub const PRODUCES_UNITS: u16 = number_of("produces_units");
    pub const IS_ABILITY_PLAY: u16 = number_of("is_ability_play");
    pub const UNITS: u16 = number_of("units");
    pub const ZONE_KIND: u16 = number_of("zone_kind");
    pub const GAME_NUMBER: u16 = number_of("game_number");
    pub const PREVIOUS_LOSER: u16 = number_of("previous_loser");
    pub const EXISTS: u16 = number_of("exists");
    pub const IS_PLAYING: u16 = number_of("is_playing");
    pub const HAS_WON: u16 = number_of("has_won");
    pub const IS_DRAWN: u16 = number_of("is_drawn");
    pub const EXTRA_TURN_NUMBER: u16 = number_of("extra_turn_number");
    pub const TURN_NUMBER: u16 = number_of("turn_number");
    pub const LIST_SIZE: u16 = number_of("list_size");
    pub const WAITING: u16 = number_of("waiting");
    pub const WAITING_OF: u16 = number_of("waiting_of");
    pub const RESOLVING: u16 = number_of("resolving");
    pub const WORD_COUNT: u16 = number_of("word_count");
    pub const POSITION_OF: u16 = number_of("position_of");
    pub const PILE_SIZE: u16 = number_of("pile_size");
    pub const CURRENT: u16 = number_of("current");
    pub const IS_ABILITY: u16 = number_of("is_ability");
    pub const IS_TRIGGERED: u16 = number_of("is_triggered");
    pub const LIST_TOP: u16 = number_of("list_top");
    pub const FACES: u16 = number_of("faces");
    pub const CREATED: u16 = number_of("created");
    pub const USER: u16 = number_of("user");
}

/// Returns the number of a built-in function. An unknown name fails compilation.
#[expect(clippy::panic, reason = "evaluated only at compile time")]
const fn number_of(name: &str) -> u16 {
    let mut number = 0;
    while number < BUILTINS.len() {
        if bytes_equal(BUILTINS[number].name.as_bytes(), name.as_bytes()) {
            return number as u16;
        }
        number += 1;
    }
    panic!("no built-in function of this name");
}

const fn bytes_equal(a: &[u8], b: &[u8]) -> bool {
    let mut at = 0;
    while at < a.len() && at < b.len() && a[at] == b[at] {
        at += 1;
    }
    at == a.len() && at == b.len()
}

/// Returns whether a unit is of one of these kinds. A unit that accepts every kind is of none.
fn has_kind(unit: i32, kinds: i64) -> bool {
    unit != ANY_KIND && i64::from(unit) & kinds != 0
}

fn list_objects<'a>(world: &EvalContext<'a>) -> &'a [u32] {
    world.program.list.map_or(&[], |list| world.state.zone_items(world.program, list))
}

/// Returns the current reference to the object of a stale reference, if the object is in a public zone and moved only once since.
/// Else returns none.
fn current_reference(world: &EvalContext<'_>, it: ObjectRef) -> ObjectRef {
    if it.is_none() || world.state.exists(it) {
        return it;
    }
    let current = world.state.current(it.slot());
    let public = world.state.zone(it.slot()).is_some_and(|z| world.program.is_public(z));
    if public && current.incarnation() == it.incarnation() + 1 { current } else { ObjectRef::NONE }
}
