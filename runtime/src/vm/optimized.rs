//! Plain functions: pure, and without lists but those that are only counted or summed. Most filters and conditions are. They are
//! translated when first called (see [`translate`]): places are resolved once for a program (which column of which row, which word of the
//! state), copies and constants are gone, and a value goes straight to where it is wanted: a register, a branch, the result.
//!
//! What they give, and what fuel they take, is what `World::run` says; it runs all others. [`EvalContext::evaluate_partially`] asks what one gives whatever
//! some of its arguments are: `main_phase(you) and ...` is false for every card of a hand at once.

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
pub(crate) use aggregate::MOST_CAPTURES;
pub(crate) use call_cache::{CallCache, CallKey, CallReads, parts_read};
pub(crate) use filter_cache::FilterCache;
pub(crate) use partial_eval::{EnteringObject, KnownInputs, PartialResult};
pub(crate) use read_set::ReadSet;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
pub(crate) use vectorized::{LANES, LaneRegisters};

/// At most so many registers, those of constants included.
const REGISTERS: usize = 32;

/// A register of a plain function; not the one of its operation.
type LocalReg = u8;

/// A plain function, ready to run.
#[derive(Clone, Debug)]
pub(crate) struct OptimizedFunction {
    code: Box<[Instruction]>,
    /// The registers that each instruction reads, as masks.
    reads: Box<[u32]>,
    /// All registers that some instruction reads, and those in which one keeps its value, as masks.
    used: u32,
    stored: u32,
    /// Whether no instruction leads back.
    leads_on: bool,
    /// Whether no instruction runs other functions: which ones an object gets to tells what fuel it takes.
    is_flat: bool,
    /// The registers of arguments and captures, one list after another.
    operands: Box<[LocalReg]>,
    tallies: Box<[Aggregate]>,
    /// The registers as it begins, but for its parameters: constants, and zeros.
    start: Registers,
    /// How many parameters it has; they are the first registers.
    params: usize,
    /// The parameters that are objects, as a mask.
    references: u32,
    /// What each instruction looks at.
    looks: Box<[DepSet]>,
    /// What it reads, if calls of it are remembered.
    pub(crate) remembered: Option<CallReads>,
    /// What it looks at as a filter that looks at one object; found out when it is first run as such.
    looks_as_filter: OnceLock<Option<ReadSet>>,
}

/// A value, and where it goes.
#[derive(Clone, Copy, Debug)]
struct Instruction {
    value: Value,
    then: Destination,
    /// How many operations of the function it stands for.
    fuel: u16,
}

/// Where a value goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Destination {
    /// Into a register.
    Store(LocalReg),
    /// On there when it is 0, else to the next instruction.
    Unless(u16),
    /// On there when it is not 0, else to the next instruction.
    If(u16),
    /// On there.
    Go(u16),
    /// To the caller.
    Return,
}

/// Some of the [`OptimizedFunction::operands`].
#[derive(Clone, Copy, Debug)]
struct Operands {
    first: u16,
    count: u16,
}

/// What an instruction computes. What reads an object reads last-known information of a stale one.
#[derive(Clone, Copy, Debug)]
enum Value {
    Of(LocalReg),
    Binary {
        op: Binary,
        a: LocalReg,
        b: LocalReg,
    },
    Not(LocalReg),
    /// A player, object or thing as another of these.
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
    Player {
        of: LocalReg,
        variable: u16,
    },
    /// A variable of the game: a word of the state.
    Word {
        cell: u32,
        variable: u16,
    },
    /// Any other place.
    Get {
        of: LocalReg,
        place: Place,
    },
    Key {
        of: LocalReg,
        key: LocalReg,
        place: Place,
    },
    NextKey {
        of: LocalReg,
        after: LocalReg,
        place: Place,
    },
    SomeWord {
        of: LocalReg,
        word: LocalReg,
        traits: TraitSetId,
    },
    Shares {
        a: LocalReg,
        b: LocalReg,
        traits: TraitSetId,
    },
    HasKeyword {
        of: LocalReg,
        keyword: KeywordId,
    },
    Highest {
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
    Active,
    InSpan(PeriodId),
    Call {
        function: FnId,
        args: Operands,
    },
    Builtin {
        builtin: u16,
        args: Operands,
    },
    /// A call where nothing conceals an object.
    Uncovered {
        function: FnId,
        args: Operands,
        of: LocalReg,
    },
    /// Whether nothing forbids an event.
    Possible {
        action: ActionId,
        args: Operands,
        this: LocalReg,
        you: LocalReg,
        paying: bool,
    },
    /// Something of the objects in a zone.
    Tally(u16),
}

impl Value {
    /// The registers that it reads, but for those in lists of operands.
    fn registers(self) -> [Option<LocalReg>; 2] {
        match self {
            Self::Of(a)
            | Self::Not(a)
            | Self::Bit { of: a, .. }
            | Self::Row { of: a, .. }
            | Self::Mask { of: a, .. }
            | Self::Owner(a)
            | Self::Controller(a)
            | Self::Status { of: a, .. }
            | Self::Player { of: a, .. }
            | Self::Get { of: a, .. }
            | Self::HasKeyword { of: a, .. }
            | Self::Highest { of: a, .. }
            | Self::IsCard { of: a, .. }
            | Self::Exists(a)
            | Self::InZone { of: a, .. }
            | Self::ZoneOf { player: a, .. }
            | Self::Opponent(a)
            | Self::Cast { of: a, .. }
            | Self::Uncovered { of: a, .. } => [Some(a), None],
            Self::Binary { a, b, .. }
            | Self::Key { of: a, key: b, .. }
            | Self::NextKey { of: a, after: b, .. }
            | Self::SomeWord { of: a, word: b, .. }
            | Self::Shares { a, b, .. } => [Some(a), Some(b)],
            Self::Possible { this, you, .. } => [Some(this), Some(you)],
            Self::Word { .. } | Self::Active | Self::InSpan(_) | Self::Call { .. } | Self::Builtin { .. } | Self::Tally(_) => {
                [None; 2]
            }
        }
    }
}

/// The registers of a plain function.
#[derive(Clone, Copy, Debug)]
struct Registers([i64; REGISTERS]);

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
    /// The registers at the beginning of a call.
    #[inline]
    fn begin(&self, args: &[i64]) -> Registers {
        let mut registers = self.start;
        for (place, arg) in registers.0.iter_mut().take(self.params).zip(args) {
            *place = *arg;
        }
        registers
    }

    fn operands(&self, of: Operands) -> &[LocalReg] {
        let first = usize::from(of.first);
        self.operands.get(first..first + usize::from(of.count)).unwrap_or(&[])
    }
}

/// The plain functions of a program, each translated when it is first called.
#[derive(Debug, Default)]
pub(crate) struct OptimizedFunctions {
    functions: Box<[OnceLock<Option<Box<OptimizedFunction>>>]>,
    /// How many numbers were given to tallies.
    tallies: AtomicU32,
}

impl Clone for OptimizedFunctions {
    fn clone(&self) -> Self {
        Self { functions: self.functions.clone(), tallies: AtomicU32::new(self.tallies.load(Ordering::Relaxed)) }
    }
}

impl OptimizedFunctions {
    /// None translated yet.
    pub(crate) fn new(functions: usize) -> Self {
        Self { functions: (0..functions).map(|_| OnceLock::new()).collect(), tallies: AtomicU32::new(0) }
    }

    /// A number that no tally has yet.
    fn number(&self) -> u32 {
        self.tallies.fetch_add(1, Ordering::Relaxed)
    }

    /// A function, if it is plain.
    #[inline]
    pub(crate) fn get(&self, program: &Program, id: FnId, code: &Function) -> Option<&OptimizedFunction> {
        self.functions.get(id.index())?.get_or_init(|| translate::translate(program, code).map(Box::new)).as_deref()
    }
}

/// The bit of a register in a set of them.
fn bit(reg: LocalReg) -> u32 {
    1u32.checked_shl(u32::from(reg)).unwrap_or(0)
}
