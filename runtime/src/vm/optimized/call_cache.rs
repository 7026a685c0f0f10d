//! Results that are remembered as long as nothing changes: `has_room(you, 1)` is the same for each card of a hand.

use super::LocalReg;
use crate::ir::op::{Op, Place};
use crate::ir::{FnId, Function, NO_PLAYER};
use crate::program::Program;
use crate::vm::dependencies::DepSet;
use crate::vm::derived::DerivedValues;
use crate::vm::eval::{EvalContext, Scratch};

/// Arguments of a call that is remembered.
const ARGUMENTS: usize = 4;
/// Numbers of tallies, told from those of functions.
const TALLIES: u32 = 1 << 31;
/// Remembered calls.
const CALLS: usize = 64;
/// Functions with fewer operations, their calls included, are not worth it.
const MIN_OPERATIONS: u32 = 8;
/// Calls within calls that are looked into.
const DEPTH: u32 = 6;
/// What calls more than so many operations is not looked into.
pub(super) const MOST: u32 = 2000;

/// A call as one that can be remembered: the function, and the arguments that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallKey {
    function: FnId,
    args: [i64; ARGUMENTS],
}

#[derive(Clone, Copy, Debug)]
struct CallEntry {
    key: CallKey,
    /// How often something had changed ([`DerivedValues::revisions`]).
    at: u64,
    value: i64,
    fuel: u64,
}

/// Remembered calls. No part of a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallCache(Vec<Option<CallEntry>>);

/// What can be remembered of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallReads {
    /// The arguments that it reads.
    pub args: u32,
    /// Whether it asks what is possible: only as long as no continuous effect forbids anything.
    pub possible: bool,
    /// What it looks at.
    pub parts: DepSet,
    /// How many operations it has, as far as was looked.
    work: u32,
}

impl CallKey {
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

    /// The key of a tally, by its number, and the values it depends on.
    #[inline]
    pub(super) fn of_tally(number: u32, values: impl Iterator<Item = i64>) -> Self {
        let mut key = Self { function: FnId(TALLIES | number), args: [NO_PLAYER; ARGUMENTS] };
        key.args.iter_mut().zip(values).for_each(|(place, value)| *place = value);
        key
    }

    fn place(&self) -> usize {
        let mixed =
            self.args.iter().fold(u64::from(self.function.0), |all, arg| all.wrapping_mul(0x9E37_79B9).wrapping_add(*arg as u64));
        (mixed ^ mixed >> 17) as usize % CALLS
    }
}

impl CallCache {
    /// What a call gave, and what fuel it took, if no part that it looks at has changed since.
    #[inline]
    pub(crate) fn get(&self, derived: &DerivedValues, key: CallKey, parts: DepSet) -> Option<(i64, u64)> {
        let known = self.0.get(key.place())?.as_ref()?;
        (known.key == key && derived.revisions().unchanged_since(known.at, parts)).then_some((known.value, known.fuel))
    }

    /// Remembers a call.
    pub(crate) fn insert(&mut self, derived: &DerivedValues, key: CallKey, value: i64, fuel: u64) {
        if self.0.is_empty() {
            self.0.resize(CALLS, None);
        }
        if let Some(place) = self.0.get_mut(key.place()) {
            *place = Some(CallEntry { key, at: derived.revisions().current(), value, fuel });
        }
    }
}

impl Scratch {
    /// Whether pure code sees something other than the state of the game: a hypothetical announcement, or an object that is not concealed from it.
    #[inline]
    pub(crate) fn is_hypothetical(&self) -> bool {
        self.in_unconcealed_call || self.supposed.is_some()
    }
}

impl EvalContext<'_> {
    /// Whether results that depend on this can be remembered now.
    #[inline]
    pub(crate) fn remembers(&self, scratch: &Scratch, possible: bool) -> bool {
        !scratch.is_hypothetical() && !(possible && self.derived.forbids())
    }
}

/// What a function reads, if it depends on nothing but its arguments and what [`DerivedValues::revisions`] tells of.
pub(super) fn reads(program: &Program, function: &Function) -> Option<CallReads> {
    CallReads::of(program, function, DEPTH)
}

/// What a function looks at, if that can be told.
pub(crate) fn parts_read(program: &Program, function: FnId) -> Option<DepSet> {
    CallReads::of(program, program.function(function)?, DEPTH).map(|reads| reads.parts)
}

/// The registers that a tally depends on, by the parameters of the functions that it calls, each given with what it captures.
pub(super) fn tally_reads<'a>(
    program: &Program,
    from: Option<LocalReg>,
    functions: impl Iterator<Item = (FnId, &'a [LocalReg])>,
) -> Option<(Vec<LocalReg>, bool, DepSet)> {
    let mut regs: Vec<LocalReg> = from.into_iter().collect();
    let (mut possible, mut parts) = (false, DepSet::OBJECTS);
    for (id, captures) in functions {
        let reads = CallReads::of(program, program.function(id)?, DEPTH)?;
        possible |= reads.possible;
        parts |= reads.parts;
        // The last argument is the object.
        for (n, reg) in captures.iter().enumerate() {
            if reads.args & 1u32.checked_shl(n as u32).unwrap_or(0) != 0 && !regs.contains(reg) {
                regs.push(*reg);
            }
        }
    }
    (regs.len() <= ARGUMENTS).then_some((regs, possible, parts))
}

impl CallReads {
    /// Whether calls are worth to be remembered.
    pub(super) fn is_worth_it(&self) -> bool {
        self.work >= MIN_OPERATIONS && self.args.count_ones() as usize <= ARGUMENTS
    }

    fn of(program: &Program, function: &Function, depth: u32) -> Option<Self> {
        let depth = depth.checked_sub(1)?;
        if function.params > 32 || !function.slots.is_empty() {
            return None;
        }
        let mut all = Self::default();
        let bit = |reg: u16| if reg < function.params { 1 << reg } else { 0 };
        for op in &function.ops {
            all.work += 1;
            if !matches!(op, Op::IsAllowed { .. }) {
                all.parts |= DepSet::of_op(op);
            }
            let (callee, args) = match op {
                Op::Call { function, args, .. } => (function, args),
                Op::Filter { filter: each, captures, list, .. } | Op::Fold { value: each, captures, list, .. } => {
                    all.args |= bit(*list);
                    (each, captures)
                }
                Op::Builtin { builtin, .. } if DepSet::of_builtin(*builtin) == DepSet::UNKNOWN => return None,
                Op::IsAllowed { action, .. } => {
                    if program.format.treats.iter().any(|treat| treat.action == *action) {
                        return None;
                    }
                    // When continuous effects forbid something it is not remembered.
                    all.possible = true;
                    let forbidding = &program.hooks.get(action.index())?.prohibitions;
                    if !forbidding.is_empty() {
                        all.parts |= DepSet::OBJECTS;
                        all.args |= bit(0) | bit(1);
                        op.for_each_read(|reg| all.args |= bit(reg));
                    }
                    for hook in forbidding {
                        if let Some(filter) = program.prohibition_filter(hook.ability) {
                            let used = Self::of(program, program.function(filter)?, depth)?;
                            all.parts |= used.parts;
                            all.work += used.work;
                            if all.work > MOST {
                                return None;
                            }
                        }
                    }
                    continue;
                }
                // Something changes about them that is not counted.
                Op::CallUnconcealed { .. } | Op::Get { place: Place::SourceOf | Place::Definition, .. } => return None,
                op => {
                    op.for_each_read(|reg| all.args |= bit(reg));
                    continue;
                }
            };
            let used = Self::of(program, program.function(*callee)?, depth)?;
            all.possible |= used.possible;
            all.parts |= used.parts;
            all.work += used.work;
            if all.work > MOST {
                return None;
            }
            for (n, reg) in args.iter().enumerate() {
                if used.args & 1u32.checked_shl(n as u32).unwrap_or(0) != 0 {
                    all.args |= bit(*reg);
                }
            }
        }
        Some(all)
    }
}
