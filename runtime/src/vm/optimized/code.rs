//! The code of the optimized interpreter as data: instructions, registers, and the table of translated functions.

use super::call_cache::CallReads;
use super::read_set::ReadSet;
use crate::ir::op::{Binary, FoldKind, Place};
use crate::ir::{ActionId, DefId, FnId, KeywordId, PeriodId, TraitSetId, Type, ZoneKindId};
use crate::vm::dependencies::DepSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

/// Registers of an optimized function, those of constants included.
pub(crate) const MAX_REGISTERS: usize = 32;

/// A register of an optimized function. It is not the register of the IR operation that it was translated from.
pub(crate) type LocalReg = u8;

/// An optimized function, ready to run.
#[derive(Clone, Debug)]
pub(crate) struct OptimizedFunction {
    pub(crate) code: Box<[Instruction]>,
    /// For each instruction, a mask of the registers that it reads.
    pub(crate) reads: Box<[u32]>,
    /// Masks of the registers that any instruction reads, and of those that any instruction stores to.
    pub(crate) read_registers: u32,
    pub(crate) written_registers: u32,
    /// Whether every branch leads forward.
    pub(crate) is_forward_only: bool,
    /// Whether no instruction runs another function. Then the instructions that an object reaches determine its fuel.
    pub(crate) is_flat: bool,
    /// The registers of arguments and captures, list after list.
    pub(crate) operands: Box<[LocalReg]>,
    pub(crate) aggregates: Box<[Aggregate]>,
    /// The initial registers apart from the parameters: constants, and zeros.
    pub(crate) start: Registers,
    /// The number of parameters. They occupy the first registers.
    pub(crate) params: usize,
    /// A mask of the parameters that are objects.
    pub(crate) reference_params: u32,
    /// The dependencies of each instruction.
    pub(crate) dependencies: Box<[DepSet]>,
    /// What the function reads, if its calls are cached.
    pub(crate) cached_reads: Option<CallReads>,
    /// The function whose number its cached results have: the first condition of a play of the format with the same code; else the function itself.
    pub(crate) cached_as: FnId,
    /// What the function reads as a filter of its last parameter. Computed when it first runs as a filter.
    pub(crate) read_set_as_filter: OnceLock<Option<ReadSet>>,
}

/// A value and its destination.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Instruction {
    pub(crate) value: Value,
    pub(crate) then: Destination,
    /// The number of IR operations that the instruction stands for.
    pub(crate) fuel: u16,
}

/// Where the value of an instruction goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Destination {
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
pub(crate) struct Operands {
    pub(crate) first: u16,
    pub(crate) count: u16,
}

/// What an instruction computes. Values that read a stale object read its last-known information.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Value {
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
    pub(crate) fn registers(self) -> [Option<LocalReg>; 2] {
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
pub(crate) struct Registers(pub(crate) [i64; MAX_REGISTERS]);

impl Registers {
    #[inline]
    pub(crate) fn get(&self, reg: LocalReg) -> i64 {
        self.0.get(usize::from(reg)).copied().unwrap_or(0)
    }

    #[inline]
    pub(crate) fn set(&mut self, reg: LocalReg, value: i64) {
        if let Some(place) = self.0.get_mut(usize::from(reg)) {
            *place = value;
        }
    }
}

impl OptimizedFunction {
    /// Returns the registers at the start of a call.
    #[inline]
    pub(crate) fn begin(&self, args: &[i64]) -> Registers {
        let mut registers = self.start;
        for (place, arg) in registers.0.iter_mut().take(self.params).zip(args) {
            *place = *arg;
        }
        registers
    }

    pub(crate) fn operands(&self, range: Operands) -> &[LocalReg] {
        let first = usize::from(range.first);
        self.operands.get(first..first + usize::from(range.count)).unwrap_or(&[])
    }
}

/// The optimized functions of a program. Each is translated on its first call.
#[derive(Debug, Default)]
pub(crate) struct OptimizedFunctions {
    pub(crate) functions: Box<[OnceLock<Option<Box<OptimizedFunction>>>]>,
    /// The number of aggregates that have a number.
    pub(crate) aggregate_count: AtomicU32,
}

impl Clone for OptimizedFunctions {
    fn clone(&self) -> Self {
        Self { functions: self.functions.clone(), aggregate_count: AtomicU32::new(self.aggregate_count.load(Ordering::Relaxed)) }
    }
}

/// The bit of a register in a register mask.
pub(crate) fn bit(reg: LocalReg) -> u32 {
    1u32.checked_shl(u32::from(reg)).unwrap_or(0)
}

impl OptimizedFunctions {
    /// Creates the table with no function translated.
    pub(crate) fn new(functions: usize) -> Self {
        Self { functions: (0..functions).map(|_| OnceLock::new()).collect(), aggregate_count: AtomicU32::new(0) }
    }

    /// Returns a number that no aggregate has yet.
    pub(crate) fn next_aggregate_number(&self) -> u32 {
        self.aggregate_count.fetch_add(1, Ordering::Relaxed)
    }
}

/// Values that a filter or fold can capture.
pub(crate) const MAX_CAPTURES: usize = 23;

/// A list of objects that is not materialised, and what is computed from it.
#[derive(Clone, Debug)]
pub(crate) struct Aggregate {
    pub source: ListSource,
    /// The filters in order, each with its captures.
    pub filters: Box<[(FnId, Operands)]>,
    pub kind: AggregateKind,
    /// How the result is cached, if it is.
    pub cache_key: Option<AggregateCacheKey>,
}

/// The cache key of an aggregate, and what its result depends on.
#[derive(Clone, Debug)]
pub(crate) struct AggregateCacheKey {
    /// The number of the aggregate, unique within a program.
    pub number: u32,
    /// The registers whose values the result depends on.
    pub reads: Box<[LocalReg]>,
    /// Whether its functions make legality queries.
    pub queries_legality: bool,
    /// What it reads of the state.
    pub dependencies: DepSet,
}

/// Where the objects of a list come from.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ListSource {
    /// A zone kind: the zones of all players in turn order.
    Kind(usize),
    /// The zone instance whose number is in a register.
    Zone(LocalReg),
}

/// What is computed from the list.
#[derive(Clone, Copy, Debug)]
pub(crate) enum AggregateKind {
    /// The number of objects.
    Count,
    /// The sum, or the highest or lowest value.
    Fold(FoldKind, FnId, Operands),
}
