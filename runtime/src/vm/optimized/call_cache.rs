//! Cache of results of pure calls and aggregates.
//!
//! Key: the function (or the number of an aggregate) and the arguments that it reads, at most 4; conditions of plays with the same code share
//! their results. Value: the result and its fuel.
//! 64 entries, direct-mapped. An entry is valid while no dependency of the function has a revision newer than the entry's. A hit
//! charges the recorded fuel, so that fuel does not depend on the cache. A miss evaluates the function and stores the result,
//! unless fuel ran out. Functions of fewer than 8 operations are not cached. The cache is bypassed for hypothetical announcements
//! and unconcealed calls, and for functions with legality queries while a continuous effect forbids anything. Debug builds
//! recompute every hit and compare value and fuel.

use crate::ir::op::{Op, Place};
use crate::ir::{FnId, Function, NO_PLAYER, Type};
use crate::tables::LinkedTables;
use crate::vm::dependencies::DepSet;
use crate::vm::derived::values::DerivedValues;
use crate::vm::optimized::code::LocalReg;

/// Arguments in the key of an entry.
const MAX_KEY_ARGUMENTS: usize = 4;
/// Distinguishes numbers of aggregates from those of functions.
const AGGREGATE_TAG: u32 = 1 << 31;
/// Entries of the cache.
const ENTRIES: usize = 64;
/// A function with fewer operations, its callees included, is evaluated faster than it is looked up.
const MIN_OPERATIONS: u32 = 8;
/// Nested functions that the analysis visits, the analysed one included.
const MAX_ANALYSED_DEPTH: u32 = 6;
/// Operations that the analysis visits, those of callees included.
pub(super) const MAX_ANALYSED_OPERATIONS: u32 = 2000;

/// The key of a call: the function, and the values of the arguments that it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CallKey {
    function: FnId,
    args: [i64; MAX_KEY_ARGUMENTS],
}

#[derive(Clone, Copy, Debug)]
struct CallEntry {
    key: CallKey,
    /// The revision at which the result was computed ([`DerivedValues::revisions`]).
    revision: u64,
    value: i64,
    fuel: u64,
}

/// The cache. Not part of the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct CallCache(Vec<Option<CallEntry>>);

/// What a function reads: its arguments, and its dependencies on the state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct CallReads {
    /// A mask of the arguments that it reads.
    pub args: u32,
    /// Whether it makes legality queries. Then its results can be cached only while no continuous effect forbids anything.
    pub queries_legality: bool,
    /// What it reads of the state.
    pub dependencies: DepSet,
    /// The number of its operations, those of callees included.
    operations: u32,
}

impl CallKey {
    /// Makes the key of a call. `reads` is the mask of the arguments that the function reads.
    #[inline]
    pub(crate) fn new(function: FnId, args: &[i64], mut reads: u32) -> Self {
        let mut key = Self { function, args: [NO_PLAYER; MAX_KEY_ARGUMENTS] };
        for place in &mut key.args {
            if reads == 0 {
                break;
            }
            *place = args.get(reads.trailing_zeros() as usize).copied().unwrap_or(0);
            reads &= reads - 1;
        }
        key
    }

    /// Makes the key of an aggregate from its number and the values that it depends on.
    #[inline]
    pub(super) fn of_aggregate(number: u32, values: impl Iterator<Item = i64>) -> Self {
        let mut key = Self { function: FnId(AGGREGATE_TAG | number), args: [NO_PLAYER; MAX_KEY_ARGUMENTS] };
        key.args.iter_mut().zip(values).for_each(|(place, value)| *place = value);
        key
    }

    fn index(&self) -> usize {
        let mixed =
            self.args.iter().fold(u64::from(self.function.0), |all, arg| all.wrapping_mul(0x9E37_79B9).wrapping_add(*arg as u64));
        (mixed ^ mixed >> 17) as usize % ENTRIES
    }
}

impl CallCache {
    /// Returns the result and the fuel of a call if it is cached and no dependency has changed since.
    #[inline]
    pub(crate) fn get(&self, derived: &DerivedValues, key: CallKey, dependencies: DepSet) -> Option<(i64, u64)> {
        let entry = self.0.get(key.index())?.as_ref()?;
        (entry.key == key && derived.revisions().unchanged_since(entry.revision, dependencies))
            .then_some((entry.value, entry.fuel))
    }

    /// Stores the result and the fuel of a call.
    pub(crate) fn insert(&mut self, derived: &DerivedValues, key: CallKey, value: i64, fuel: u64) {
        if self.0.is_empty() {
            self.0.resize(ENTRIES, None);
        }
        if let Some(place) = self.0.get_mut(key.index()) {
            *place = Some(CallEntry { key, revision: derived.revisions().current(), value, fuel });
        }
    }
}

/// Returns what a function reads, or `None` if its result may depend on more than arguments and tracked dependencies.
pub(super) fn call_reads(program: &LinkedTables, function: &Function) -> Option<CallReads> {
    CallReads::of(program, function, MAX_ANALYSED_DEPTH)
}

/// Returns the dependencies of a function, or `None` if they cannot be bounded.
pub(crate) fn function_dependencies(program: &LinkedTables, function: FnId) -> Option<DepSet> {
    CallReads::of(program, program.function(function)?, MAX_ANALYSED_DEPTH).map(|reads| reads.dependencies)
}

/// Returns the registers that an aggregate depends on, whether it makes legality queries, and its dependencies. `functions` are
/// its filters and its fold, each with its captures. Returns `None` if they cannot be bounded, or if the registers do not fit
/// into a key.
pub(super) fn aggregate_reads<'a>(
    program: &LinkedTables,
    from: Option<LocalReg>,
    functions: impl Iterator<Item = (FnId, &'a [LocalReg])>,
) -> Option<(Vec<LocalReg>, bool, DepSet)> {
    let mut regs: Vec<LocalReg> = from.into_iter().collect();
    let (mut queries_legality, mut dependencies) = (false, DepSet::OBJECTS);
    for (id, captures) in functions {
        let reads = CallReads::of(program, program.function(id)?, MAX_ANALYSED_DEPTH)?;
        queries_legality |= reads.queries_legality;
        dependencies |= reads.dependencies;
        // The last argument is the object.
        for (n, reg) in captures.iter().enumerate() {
            if reads.args & 1u32.checked_shl(n as u32).unwrap_or(0) != 0 && !regs.contains(reg) {
                regs.push(*reg);
            }
        }
    }
    (regs.len() <= MAX_KEY_ARGUMENTS).then_some((regs, queries_legality, dependencies))
}

impl CallReads {
    /// Returns whether calls are worth caching.
    pub(super) fn is_worth_caching(&self) -> bool {
        self.operations >= MIN_OPERATIONS && self.args.count_ones() as usize <= MAX_KEY_ARGUMENTS
    }

    fn of(program: &LinkedTables, function: &Function, depth: u32) -> Option<Self> {
        let depth = depth.checked_sub(1)?;
        if function.params > 32 || !function.text_slots.is_empty() {
            return None;
        }
        let mut all = Self::default();
        let bit = |reg: u16| if reg < function.params { 1 << reg } else { 0 };
        for op in &function.ops {
            all.operations += 1;
            if !matches!(op, Op::IsAllowed { .. }) {
                all.dependencies |= DepSet::of_op(op);
            }
            let (callee, args) = match op {
                Op::Call { function, args, .. } => (function, args),
                Op::Filter { filter: each, captures, list, .. }
                | Op::Fold { value: each, captures, list, .. }
                | Op::Completing { value: each, captures, list, .. } => {
                    all.args |= bit(*list);
                    (each, captures)
                }
                Op::Builtin { builtin, .. } if DepSet::of_builtin(*builtin) == DepSet::UNKNOWN => return None,
                Op::IsAllowed { action, args, paying, .. } => {
                    if program.format.action_aliases.iter().any(|treat| treat.action == *action) {
                        return None;
                    }
                    // Results are not cached while a continuous effect forbids anything.
                    all.queries_legality = true;
                    let forbidding = &program.hooks.get(action.index())?.prohibitions;
                    let declared = program.format.actions.get(action.index());
                    let conditions = declared.filter(|_| *paying).map_or(&[][..], |declared| &declared.cost_conditions);
                    if !forbidding.is_empty() {
                        all.dependencies |= DepSet::OBJECTS;
                    }
                    if !(forbidding.is_empty() && conditions.is_empty()) {
                        all.args |= bit(0) | bit(1);
                        op.for_each_read(|reg| all.args |= bit(reg));
                    }
                    // An action of no player is impossible, also where nothing forbids it.
                    let by_player = |params: &[(String, Type)]| matches!(params.first(), Some((_, Type::Player)));
                    if declared.is_some_and(|declared| by_player(&declared.params)) {
                        all.args |= args.first().map_or(0, |reg| bit(*reg));
                    }
                    let filters = forbidding.iter().filter_map(|hook| program.prohibition_filter(hook.ability));
                    for function in filters.chain(conditions.iter().copied()) {
                        let used = Self::of(program, program.function(function)?, depth)?;
                        all.dependencies |= used.dependencies;
                        all.operations += used.operations;
                        if all.operations > MAX_ANALYSED_OPERATIONS {
                            return None;
                        }
                    }
                    continue;
                }
                // No revision is recorded for what these read.
                Op::CallUnconcealed { .. } | Op::Get { place: Place::SourceOf | Place::Definition, .. } => return None,
                op => {
                    op.for_each_read(|reg| all.args |= bit(reg));
                    continue;
                }
            };
            let used = Self::of(program, program.function(*callee)?, depth)?;
            all.queries_legality |= used.queries_legality;
            all.dependencies |= used.dependencies;
            all.operations += used.operations;
            if all.operations > MAX_ANALYSED_OPERATIONS {
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
