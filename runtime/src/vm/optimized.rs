//! The optimized interpreter: a second tier for pure functions that build no lists, or only count or fold them.
//!
//! A function is translated on its first call ([`translate`]). Translation resolves places to columns and words of the state,
//! propagates constants and copies, inlines short callees, and fuses each value with its destination (register, branch or
//! result).
//!
//! Invariant: value and fuel are those of the reference interpreter (`EvalContext::run`) for all arguments and fuel limits.
//! Functions that cannot be translated run there. The tests of this module compare both tiers on random functions.

mod aggregate;
mod call_cache;
mod filter_cache;
mod partial_eval;
mod read_set;
mod run;
#[cfg(test)]
mod tests;
mod translate;
mod vectorized;

use crate::ir::op::{Binary, Place};
use crate::ir::{ActionId, DefId, FnId, Function, KeywordId, PeriodId, TraitSetId, Type, ZoneKindId};
use crate::program::Program;
use crate::vm::dependencies::DepSet;
use aggregate::Aggregate;
pub(crate) use aggregate::MAX_CAPTURES;
pub(crate) use call_cache::{CallCache, CallKey, CallReads, function_dependencies};
pub(crate) use filter_cache::FilterCache;
pub(crate) use partial_eval::{EnteringObject, KnownInputs, PartialResult};
pub(crate) use read_set::ReadSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
pub(crate) use vectorized::{LANES, LaneRegisters};

/// Registers of an optimized function, those of constants included.
const MAX_REGISTERS: usize = 32;

/// A register of an optimized function. It is not the register of the IR operation that it was translated from.
type LocalReg = u8;

/// An optimized function, ready to run.
#[derive(Clone, Debug)]
pub(crate) struct OptimizedFunction {
    code: Box<[Instruction]>,
    /// For each instruction, a mask of the registers that it reads.
    reads: Box<[u32]>,
    /// Masks of the registers that any instruction reads, and of those that any instruction stores to.
    read_registers: u32,
    written_registers: u32,
    /// Whether every branch leads forward.
    is_forward_only: bool,
    /// Whether no instruction runs another function. Then the instructions that an object reaches determine its fuel.
    is_flat: bool,
    /// The registers of arguments and captures, list after list.
    operands: Box<[LocalReg]>,
    aggregates: Box<[Aggregate]>,
    /// The initial registers apart from the parameters: constants, and zeros.
    start: Registers,
    /// The number of parameters. They occupy the first registers.
    params: usize,
    /// A mask of the parameters that are objects.
    reference_params: u32,
    /// The dependencies of each instruction.
    dependencies: Box<[DepSet]>,
    /// What the function reads, if its calls are cached.
    pub(crate) cached_reads: Option<CallReads>,
    /// What the function reads as a filter of its last parameter. Computed when it first runs as a filter.
    read_set_as_filter: OnceLock<Option<ReadSet>>,
}

/// A value and its destination.
#[derive(Clone, Copy, Debug)]
struct Instruction {
    value: Value,
    then: Destination,
    /// The number of IR operations that the instruction stands for.
    fuel: u16,
}

/// Where the value of an instruction goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Destination {
    /// Into a register.
    Store(LocalReg),
    /// Jumps to this instruction if the value is 0, else continues with the next one.
    JumpIfZero(u16),
    /// Jumps to this instruction if the value is not 0, else continues with the next one.
    JumpIfNonZero(u16),
    /// Jumps to this instruction.
    Jump(u16),
    /// Returns the value to the caller.
    Return,
}

/// A range of [`OptimizedFunction::operands`].
#[derive(Clone, Copy, Debug)]
struct Operands {
    first: u16,
    count: u16,
}

/// What an instruction computes. Values that read a stale object read its last-known information.
#[derive(Clone, Copy, Debug)]
enum Value {
    Register(LocalReg),
    Binary {
        op: Binary,
        a: LocalReg,
        b: LocalReg,
    },
    Not(LocalReg),
    /// A player, object or thing, converted to another of these types.
    Cast {
        of: LocalReg,
        from: Type,
        into: Type,
    },
    /// A bit of a derived row.
    Bit {
        of: LocalReg,
        bit: u8,
        column: u16,
    },
    /// A word of a derived row, as a number.
    Row {
        of: LocalReg,
        column: u16,
    },
    /// A word of a derived row, as a mask.
    Mask {
        of: LocalReg,
        column: u16,
    },
    Owner(LocalReg),
    Controller(LocalReg),
    Status {
        of: LocalReg,
        status: u16,
    },
    PlayerVariable {
        of: LocalReg,
        variable: u16,
    },
    /// A variable of the game, at a fixed word of the state.
    GameVariable {
        cell: u32,
        variable: u16,
    },
    /// Any other place.
    Get {
        of: LocalReg,
        place: Place,
    },
    GetKey {
        of: LocalReg,
        key: LocalReg,
        place: Place,
    },
    NextKey {
        of: LocalReg,
        after: LocalReg,
        place: Place,
    },
    HasSomeWord {
        of: LocalReg,
        word: LocalReg,
        traits: TraitSetId,
    },
    HasCommonWord {
        a: LocalReg,
        b: LocalReg,
        traits: TraitSetId,
    },
    HasKeyword {
        of: LocalReg,
        keyword: KeywordId,
    },
    HighestArgument {
        of: LocalReg,
        keyword: KeywordId,
    },
    IsCard {
        of: LocalReg,
        card: DefId,
    },
    Exists(LocalReg),
    InZone {
        of: LocalReg,
        kind: u8,
    },
    ZoneOf {
        player: LocalReg,
        zone: ZoneKindId,
    },
    Opponent(LocalReg),
    ActivePlayer,
    InPeriod(PeriodId),
    Call {
        function: FnId,
        args: Operands,
    },
    Builtin {
        builtin: u16,
        args: Operands,
    },
    /// A call in which nothing conceals an object.
    CallUnconcealed {
        function: FnId,
        args: Operands,
        of: LocalReg,
    },
    /// A legality query: whether nothing forbids an event.
    IsAllowed {
        action: ActionId,
        args: Operands,
        this: LocalReg,
        you: LocalReg,
        paying: bool,
    },
    /// A count or fold over the objects of a zone.
    Aggregate(u16),
}

impl Value {
    /// Returns the registers that the value reads, apart from lists of operands.
    fn registers(self) -> [Option<LocalReg>; 2] {
        match self {
            Self::Register(a)
            | Self::Not(a)
            | Self::Bit { of: a, .. }
            | Self::Row { of: a, .. }
            | Self::Mask { of: a, .. }
            | Self::Owner(a)
            | Self::Controller(a)
            | Self::Status { of: a, .. }
            | Self::PlayerVariable { of: a, .. }
            | Self::Get { of: a, .. }
            | Self::HasKeyword { of: a, .. }
            | Self::HighestArgument { of: a, .. }
            | Self::IsCard { of: a, .. }
            | Self::Exists(a)
            | Self::InZone { of: a, .. }
            | Self::ZoneOf { player: a, .. }
            | Self::Opponent(a)
            | Self::Cast { of: a, .. }
            | Self::CallUnconcealed { of: a, .. } => [Some(a), None],
            Self::Binary { a, b, .. }
            | Self::GetKey { of: a, key: b, .. }
            | Self::NextKey { of: a, after: b, .. }
            | Self::HasSomeWord { of: a, word: b, .. }
            | Self::HasCommonWord { a, b, .. } => [Some(a), Some(b)],
            Self::IsAllowed { this, you, .. } => [Some(this), Some(you)],
            Self::GameVariable { .. }
            | Self::ActivePlayer
            | Self::InPeriod(_)
            | Self::Call { .. }
            | Self::Builtin { .. }
            | Self::Aggregate(_) => [None; 2],
        }
    }
}

/// The registers of an optimized function.
#[derive(Clone, Copy, Debug)]
struct Registers([i64; MAX_REGISTERS]);

impl Registers {
    #[inline]
    fn get(&self, reg: LocalReg) -> i64 {
        self.0.get(usize::from(reg)).copied().unwrap_or(0)
    }

    #[inline]
    fn set(&mut self, reg: LocalReg, value: i64) {
        if let Some(place) = self.0.get_mut(usize::from(reg)) {
            *place = value;
        }
    }
}

impl OptimizedFunction {
    /// Returns the registers at the start of a call.
    #[inline]
    fn begin(&self, args: &[i64]) -> Registers {
        let mut registers = self.start;
        for (place, arg) in registers.0.iter_mut().take(self.params).zip(args) {
            *place = *arg;
        }
        registers
    }

    fn operands(&self, range: Operands) -> &[LocalReg] {
        let first = usize::from(range.first);
        self.operands.get(first..first + usize::from(range.count)).unwrap_or(&[])
    }
}

/// The optimized functions of a program. Each is translated on its first call.
#[derive(Debug, Default)]
pub(crate) struct OptimizedFunctions {
    functions: Box<[OnceLock<Option<Box<OptimizedFunction>>>]>,
    /// The number of aggregates that have a number.
    aggregate_count: AtomicU32,
}

impl Clone for OptimizedFunctions {
    fn clone(&self) -> Self {
        Self { functions: self.functions.clone(), aggregate_count: AtomicU32::new(self.aggregate_count.load(Ordering::Relaxed)) }
    }
}

impl OptimizedFunctions {
    /// Creates the table with no function translated.
    pub(crate) fn new(functions: usize) -> Self {
        Self { functions: (0..functions).map(|_| OnceLock::new()).collect(), aggregate_count: AtomicU32::new(0) }
    }

    /// Returns a number that no aggregate has yet.
    fn next_aggregate_number(&self) -> u32 {
        self.aggregate_count.fetch_add(1, Ordering::Relaxed)
    }

    /// Returns the optimized form of a function, or `None` if it cannot be translated.
    #[inline]
    pub(crate) fn get(&self, program: &Program, id: FnId, code: &Function) -> Option<&OptimizedFunction> {
        self.functions.get(id.index())?.get_or_init(|| translate::translate(program, code).map(Box::new)).as_deref()
    }
}

/// The bit of a register in a register mask.
fn bit(reg: LocalReg) -> u32 {
    1u32.checked_shl(u32::from(reg)).unwrap_or(0)
}
