//! Results that are remembered as long as nothing changes: `has_room(you, 1)` is the same for each card of a hand.

use crate::ir::op::{Op, Place};
use crate::ir::verbs::BUILTINS;
use crate::ir::{FnId, Function, NO_PLAYER};
use crate::program::Program;
use crate::vm::derived::Derived;
use crate::vm::eval::Scratch;

/// Arguments of a call that is remembered.
const ARGUMENTS: usize = 4;
/// Remembered calls.
const CALLS: usize = 64;
/// Functions with fewer operations, their calls included, are not worth it.
const LEAST: u32 = 8;
/// Calls within calls that are looked into.
const DEPTH: u32 = 6;
/// What calls more than so many operations is not looked into.
const MOST: u32 = 2000;

/// A call as one that can be remembered: the function, and the arguments that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Key {
    function: FnId,
    args: [i64; ARGUMENTS],
}

#[derive(Clone, Copy, Debug)]
struct Known {
    key: Key,
    /// [`Derived::changes`] at the time.
    changes: u64,
    value: i64,
    fuel: u64,
}

/// Remembered calls. No part of a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memo(Vec<Option<Known>>);

impl Key {
    /// The key of a call; `reads` says which arguments the function reads.
    #[inline]
    pub(crate) fn new(function: FnId, args: &[i64], mut reads: u32) -> Self {
        let mut key = Self { function, args: [NO_PLAYER; ARGUMENTS] };
        for place in &mut key.args {
            if reads == 0 {
                break;
            }
            *place = args.get(reads.trailing_zeros() as usize).copied().unwrap_or(0);
            reads &= reads - 1;
        }
        key
    }

    fn place(&self) -> usize {
        let mixed =
            self.args.iter().fold(u64::from(self.function.0), |all, arg| all.wrapping_mul(0x9E37_79B9).wrapping_add(*arg as u64));
        (mixed ^ mixed >> 17) as usize % CALLS
    }
}

impl Memo {
    /// What a call gave, and what fuel it took, if nothing has changed since.
    #[inline]
    pub(crate) fn recall(&self, derived: &Derived, key: Key) -> Option<(i64, u64)> {
        let known = self.0.get(key.place())?.as_ref()?;
        (known.changes == derived.changes() && known.key == key).then_some((known.value, known.fuel))
    }

    /// Remembers a call.
    pub(crate) fn remember(&mut self, derived: &Derived, key: Key, value: i64, fuel: u64) {
        if self.0.is_empty() {
            self.0.resize(CALLS, None);
        }
        if let Some(place) = self.0.get_mut(key.place()) {
            *place = Some(Known { key, changes: derived.changes(), value, fuel });
        }
    }
}

impl Scratch {
    /// Whether pure code sees the state of the game, and nothing is only supposed.
    #[inline]
    pub(crate) fn sees_things_as_they_are(&self) -> bool {
        !self.uncovering && self.supposed.is_none()
    }
}

/// Which arguments a function reads, if its calls are worth to be remembered and depend on nothing but these and on what
/// [`Derived::changes`] counts.
pub(super) fn reads(program: &Program, function: &Function) -> Option<u32> {
    let mut left = MOST;
    let reads = read_by(program, function, DEPTH, &mut left)?;
    (MOST - left >= LEAST && reads.count_ones() as usize <= ARGUMENTS).then_some(reads)
}

fn read_by(program: &Program, function: &Function, depth: u32, left: &mut u32) -> Option<u32> {
    let depth = depth.checked_sub(1)?;
    if function.params > 32 || !function.slots.is_empty() {
        return None;
    }
    let mut mask = 0u32;
    let read = |mask: &mut u32, reg: u16| {
        if reg < function.params {
            *mask |= 1 << reg;
        }
    };
    for op in &function.ops {
        *left = left.checked_sub(1)?;
        let (callee, args) = match op {
            Op::Call { function, args, .. } => (function, args),
            Op::Filter { filter: each, captures, list, .. } | Op::Fold { value: each, captures, list, .. } => {
                read(&mut mask, *list);
                (each, captures)
            }
            Op::Builtin { builtin, .. } if BUILTINS.get(usize::from(*builtin)).is_none_or(|it| it.name != "list_size") => {
                return None;
            }
            // Something changes about them that is not counted.
            Op::Possible { .. } | Op::Uncovered { .. } | Op::Get { place: Place::SourceOf | Place::Definition, .. } => {
                return None;
            }
            op => {
                op.for_each_read(|reg| read(&mut mask, reg));
                continue;
            }
        };
        let callee = program.function(*callee)?;
        let used = read_by(program, callee, depth, left)?;
        for (n, reg) in args.iter().enumerate() {
            if used & 1u32.checked_shl(n as u32).unwrap_or(0) != 0 {
                read(&mut mask, *reg);
            }
        }
    }
    Some(mask)
}
