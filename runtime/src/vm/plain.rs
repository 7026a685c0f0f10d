//! Plain functions: pure, and without lists. Most filters and conditions are. They run on a few registers of their own, with the
//! places that they read resolved once for a program: which column of which row, which word of the state.
//!
//! What they give, and what fuel they take, is what `World::run` says; it runs all others. [`World::foresee`] asks what one gives whatever
//! some of its arguments are: `main_phase(you) and ...` is false for every card of a hand at once.

use super::eval::{MAX_DEPTH, MOST_ARGUMENTS, Scratch, World, binary};
use crate::ir::op::{Binary, Op, Place};
use crate::ir::{FnId, Function, Reg, Type};
use crate::program::Program;
use crate::state::{Ref, layout as at};
use std::sync::OnceLock;

/// Branches that are gone both ways in one question; more, and nothing is said.
const FORKS: u32 = 12;

/// At most so many registers.
const REGISTERS: usize = 32;

/// An operation whose place is resolved; as many as the function has operations.
#[derive(Clone, Copy, Debug)]
enum Step {
    Const {
        dst: Reg,
        value: i32,
    },
    Copy {
        dst: Reg,
        src: Reg,
    },
    Binary {
        op: Binary,
        dst: Reg,
        a: Reg,
        b: Reg,
    },
    Not {
        dst: Reg,
        a: Reg,
    },
    Jump {
        to: u32,
    },
    JumpUnless {
        cond: Reg,
        to: u32,
    },
    Return {
        value: Option<Reg>,
    },
    /// A bit of a derived row.
    Bit {
        dst: Reg,
        of: Reg,
        column: u16,
        bit: u8,
    },
    /// A word of a derived row, as a number or as a mask.
    Row {
        dst: Reg,
        of: Reg,
        column: u16,
        mask: bool,
    },
    /// A column of an object itself; `place` says what is read of what is no object that exists.
    Column {
        dst: Reg,
        of: Reg,
        column: u16,
        place: Place,
    },
    Status {
        dst: Reg,
        of: Reg,
        status: u16,
    },
    Controller {
        dst: Reg,
        of: Reg,
    },
    Player {
        dst: Reg,
        of: Reg,
        variable: u16,
    },
    /// A word of the state.
    Word {
        dst: Reg,
        cell: u32,
    },
    Exists {
        dst: Reg,
        of: Reg,
    },
    InZone {
        dst: Reg,
        of: Reg,
        kind: u8,
    },
    /// Anything else: the operation itself says what.
    Other,
}

/// A plain function, ready to run.
#[derive(Clone, Debug)]
pub(crate) struct Plain {
    steps: Box<[Step]>,
    /// The registers that each step reads.
    reads: Box<[u32]>,
}

/// The plain functions of a program, each resolved when it is first called.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlainFunctions(Box<[OnceLock<Option<Plain>>]>);

impl PlainFunctions {
    /// None resolved yet.
    pub(crate) fn new(functions: usize) -> Self {
        Self((0..functions).map(|_| OnceLock::new()).collect())
    }

    /// A function, if it is plain.
    #[inline]
    pub(crate) fn get(&self, program: &Program, id: FnId, code: &Function) -> Option<&Plain> {
        self.0.get(id.index())?.get_or_init(|| Plain::new(program, code)).as_ref()
    }
}

impl Plain {
    fn new(program: &Program, code: &Function) -> Option<Self> {
        let listless = !code.registers.iter().any(|ty| ty.is_list() || *ty == Type::Price);
        let wide = code.registers.len() > REGISTERS || !code.slots.is_empty();
        if !listless || wide || code.ops.len() > 1 << 16 {
            return None;
        }
        let steps: Option<Box<[Step]>> = code.ops.iter().map(|op| step(program, op)).collect();
        let reads = |op: &Op| {
            let mut mask = 0;
            op.for_each_read(|reg| mask |= bit(reg));
            mask
        };
        Some(Self { steps: steps?, reads: code.ops.iter().map(reads).collect() })
    }
}

fn step(program: &Program, op: &Op) -> Option<Step> {
    let row = |column: usize| u16::try_from(column).ok();
    let step = match *op {
        Op::Const { dst, value } => i32::try_from(value).map_or(Step::Other, |value| Step::Const { dst, value }),
        Op::Copy { dst, src } => Step::Copy { dst, src },
        Op::Binary { op, dst, a, b } => Step::Binary { op, dst, a, b },
        Op::Not { dst, a } => Step::Not { dst, a },
        Op::Jump { to } => Step::Jump { to },
        Op::JumpUnless { cond, to } => Step::JumpUnless { cond, to },
        Op::Return { value } => Step::Return { value },
        Op::HasWord { dst, of, traits, word } => {
            let first = *program.row.words.get(traits.index())?;
            let known = program.library.traits.get(traits.index()).is_some_and(|set| usize::from(word) < set.words.len());
            if !known {
                return Some(Step::Const { dst, value: 0 });
            }
            Step::Bit { dst, of, column: row(first + usize::from(word) / 32)?, bit: (word % 32) as u8 }
        }
        Op::Get { dst, place, of } => match place {
            Place::Property(n) if !is_price(program, n) => {
                Step::Row { dst, of, column: row(program.row.properties + usize::from(n))?, mask: false }
            }
            Place::Words(traits) => Step::Row { dst, of, column: row(*program.row.words.get(traits.index())?)?, mask: true },
            Place::Status(n) => Step::Status { dst, of, status: n },
            Place::Owner => Step::Column { dst, of, column: at::OWNER as u16, place },
            Place::Controller => Step::Controller { dst, of },
            Place::Player(n) => Step::Player { dst, of, variable: n },
            Place::Global(n) if !program.library.globals.get(usize::from(n)).is_some_and(|v| v.ty.is_list()) => {
                Step::Word { dst, cell: program.layout.global(usize::from(n)) as u32 }
            }
            Place::Zone | Place::Definition | Place::SourceOf | Place::Host | Place::Face => Step::Other,
            Place::Property(_) | Place::Printed(_) | Place::Global(_) => return None,
        },
        Op::Exists { dst, of } => Step::Exists { dst, of },
        Op::InZone { dst, of, zone } => Step::InZone { dst, of, kind: u8::try_from(zone.index()).ok()? },
        Op::Constant { .. }
        | Op::GetKey { .. }
        | Op::NextKey { .. }
        | Op::HasSomeWord { .. }
        | Op::Shares { .. }
        | Op::HasKeyword { .. }
        | Op::KeywordValue { .. }
        | Op::IsCard { .. }
        | Op::ZoneOf { .. }
        | Op::Call { .. }
        | Op::Builtin { .. }
        | Op::Opponent { .. }
        | Op::Active { .. }
        | Op::InSpan { .. } => Step::Other,
        _ => return None,
    };
    Some(step)
}

fn is_price(program: &Program, property: u16) -> bool {
    program.library.properties.get(usize::from(property)).is_none_or(|it| it.ty == Type::Price)
}

/// The bit of a register in a set of them.
fn bit(reg: Reg) -> u32 {
    1u32.checked_shl(u32::from(reg)).unwrap_or(0)
}

/// The registers of a plain function.
#[derive(Clone, Copy)]
struct Registers([i64; REGISTERS]);

impl Registers {
    #[inline]
    fn get(&self, reg: Reg) -> i64 {
        self.0.get(usize::from(reg)).copied().unwrap_or(0)
    }

    #[inline]
    fn object(&self, reg: Reg) -> Ref {
        Ref::from_value(self.get(reg))
    }

    #[inline]
    fn set(&mut self, reg: Reg, value: i64) {
        if let Some(place) = self.0.get_mut(usize::from(reg)) {
            *place = value;
        }
    }
}

impl World<'_> {
    /// Runs a plain function.
    pub(crate) fn run_plain(&self, scratch: &mut Scratch, plain: &Plain, code: &Function, args: &[i64]) -> i64 {
        let mut registers = Registers([0; REGISTERS]);
        for (place, arg) in registers.0.iter_mut().zip(args) {
            *place = *arg;
        }
        let mut pc = 0usize;
        while let Some(step) = plain.steps.get(pc) {
            pc += 1;
            scratch.fuel += 1;
            if scratch.fuel > scratch.limit {
                return 0;
            }
            match *step {
                Step::Jump { to } => pc = to as usize,
                Step::JumpUnless { cond, to } => {
                    if registers.get(cond) == 0 {
                        pc = to as usize;
                    }
                }
                Step::Return { value } => return value.map_or(0, |reg| registers.get(reg)),
                step => {
                    if let Some((dst, value)) = self.value_of(scratch, step, code.ops.get(pc - 1), &registers) {
                        registers.set(dst, value);
                    }
                }
            }
        }
        0
    }

    /// What a step that is no jump writes, and where.
    #[inline(always)]
    fn value_of(&self, scratch: &mut Scratch, step: Step, op: Option<&Op>, registers: &Registers) -> Option<(Reg, i64)> {
        Some(match step {
            Step::Const { dst, value } => (dst, i64::from(value)),
            Step::Copy { dst, src } => (dst, registers.get(src)),
            Step::Binary { op, dst, a, b } => (dst, binary(op, registers.get(a), registers.get(b))),
            Step::Not { dst, a } => (dst, i64::from(registers.get(a) == 0)),
            Step::Bit { dst, of, column, bit } => {
                (dst, i64::from(self.row_word(registers.object(of), usize::from(column)) >> bit & 1))
            }
            Step::Row { dst, of, column, mask } => {
                let word = self.row_word(registers.object(of), usize::from(column));
                (dst, if mask { i64::from(word) } else { i64::from(word as i32) })
            }
            Step::Column { dst, of, column, place } => {
                let it = registers.object(of);
                match self.state.existing(it) {
                    Some(first) => (dst, self.state.block.int(first + usize::from(column) * at::LANES)),
                    None => (dst, self.read(scratch, place, it.value())),
                }
            }
            Step::Status { dst, of, status } => {
                let it = registers.object(of);
                match self.state.existing(it) {
                    Some(_) => (dst, self.state.block.int(self.state.cell(it.slot(), at::STATUSES + usize::from(status)))),
                    None => (dst, self.read(scratch, Place::Status(status), it.value())),
                }
            }
            Step::Controller { dst, of } => {
                let it = registers.object(of);
                match self.state.existing(it) {
                    Some(_) => (dst, i64::from(self.derived.word(it.slot(), 0) as i32)),
                    None => (dst, self.read(scratch, Place::Controller, it.value())),
                }
            }
            Step::Player { dst, of, variable } => (dst, self.read(scratch, Place::Player(variable), registers.get(of))),
            Step::Word { dst, cell } => (dst, self.state.block.int(cell as usize)),
            Step::Exists { dst, of } => {
                let it = registers.object(of);
                let player = || it.player().is_some_and(|seat| seat < self.program.players());
                (dst, i64::from(self.state.existing(it).is_some() || player()))
            }
            Step::InZone { dst, of, kind } => {
                let it = registers.object(of);
                let zone = self.state.existing(it).and_then(|_| self.state.zone(it.slot()));
                (dst, i64::from(zone.is_some_and(|zone| self.program.layout.kind(zone) == usize::from(kind))))
            }
            Step::Other => return op.and_then(|op| self.other(scratch, op, registers)),
            Step::Jump { .. } | Step::JumpUnless { .. } | Step::Return { .. } => return None,
        })
    }

    /// The value of a plain function whatever its arguments in `unknown` are (bit `n` for argument `n`); nothing when it depends on them,
    /// or when telling would take long. An operation on something unknown gives something unknown, and a branch on something unknown is
    /// gone both ways. Costs no fuel.
    pub(crate) fn foresee(&self, scratch: &mut Scratch, function: FnId, args: &[i64], unknown: u32) -> Option<i64> {
        let (mark, fuel) = (scratch.mark(), scratch.fuel);
        let mut forks = FORKS;
        let value = self.foresee_call(scratch, function, args.iter().copied(), unknown, &mut forks);
        scratch.fuel = fuel;
        scratch.release(mark);
        value
    }

    fn foresee_call(
        &self,
        scratch: &mut Scratch,
        function: FnId,
        args: impl Iterator<Item = i64>,
        unknown: u32,
        forks: &mut u32,
    ) -> Option<i64> {
        let code = self.program.function(function)?;
        let plain = self.program.plain.get(self.program, function, code)?;
        if scratch.depth > MAX_DEPTH {
            return None;
        }
        let mut registers = Registers([0; REGISTERS]);
        for (place, arg) in registers.0.iter_mut().zip(args) {
            *place = arg;
        }
        scratch.depth += 1;
        let value = self.foresee_from(scratch, (plain, code), 0, registers, unknown, forks);
        scratch.depth -= 1;
        value
    }

    fn foresee_from(
        &self,
        scratch: &mut Scratch,
        (plain, code): (&Plain, &Function),
        mut pc: usize,
        mut registers: Registers,
        mut unknown: u32,
        forks: &mut u32,
    ) -> Option<i64> {
        while let (Some(step), Some(reads)) = (plain.steps.get(pc), plain.reads.get(pc)) {
            pc += 1;
            scratch.fuel += 1;
            if scratch.fuel > scratch.limit {
                return None;
            }
            let depends = reads & unknown != 0;
            match *step {
                Step::Jump { to } => pc = to as usize,
                Step::JumpUnless { cond, to } if depends => {
                    *forks = forks.checked_sub(1)?;
                    if code.registers.get(usize::from(cond)) != Some(&Type::Bool) {
                        return None;
                    }
                    // Both ways, each with what it says about the condition.
                    let known = unknown & !bit(cond);
                    registers.set(cond, 0);
                    let otherwise = self.foresee_from(scratch, (plain, code), to as usize, registers, known, forks)?;
                    registers.set(cond, 1);
                    let value = self.foresee_from(scratch, (plain, code), pc, registers, known, forks)?;
                    return (value == otherwise).then_some(value);
                }
                Step::JumpUnless { cond, to } => {
                    if registers.get(cond) == 0 {
                        pc = to as usize;
                    }
                }
                Step::Return { value } => return if depends { None } else { Some(value.map_or(0, |reg| registers.get(reg))) },
                step => {
                    let op = code.ops.get(pc - 1)?;
                    let dst = op.written()?;
                    let value = if depends {
                        self.foresee_op(scratch, op, &registers, unknown, forks)
                    } else {
                        self.value_of(scratch, step, Some(op), &registers).map(|(_, value)| value)
                    };
                    match value {
                        Some(value) => {
                            registers.set(dst, value);
                            unknown &= !bit(dst);
                        }
                        None => unknown |= bit(dst),
                    }
                }
            }
        }
        Some(0)
    }

    /// The value of an operation that reads something unknown, where it does not matter.
    fn foresee_op(&self, scratch: &mut Scratch, op: &Op, registers: &Registers, unknown: u32, forks: &mut u32) -> Option<i64> {
        let known = |reg: Reg| (unknown & bit(reg) == 0).then(|| registers.get(reg));
        match op {
            Op::Binary { op: Binary::And, a, b, .. } => [*a, *b].into_iter().filter_map(known).find(|value| *value == 0),
            Op::Binary { op: Binary::Or, a, b, .. } => {
                [*a, *b].into_iter().filter_map(known).find(|value| *value != 0).map(|_| 1)
            }
            Op::Call { function, args, .. } => {
                let mask =
                    (0u32..).zip(args).filter(|(_, reg)| unknown & bit(**reg) != 0).fold(0, |mask, (n, _)| mask | bit(n as Reg));
                self.foresee_call(scratch, *function, args.iter().map(|reg| registers.get(*reg)), mask, forks)
            }
            _ => None,
        }
    }

    /// An operation that is not resolved: what it writes, and where.
    fn other(&self, scratch: &mut Scratch, op: &Op, registers: &Registers) -> Option<(Reg, i64)> {
        Some(match op {
            Op::Const { dst, value } => (*dst, *value),
            Op::Constant { dst, constant } => {
                (*dst, self.program.format.constants.get(*constant as usize).map_or(0, |(_, value)| i64::from(*value)))
            }
            Op::Get { dst, place, of } => (*dst, self.read(scratch, *place, registers.get(*of))),
            Op::GetKey { dst, place, of, key } => {
                let holder = self.keyed_holder(*place, registers.get(*of));
                (*dst, holder.map_or(0, |holder| self.state.block.keyed(holder, registers.get(*key))))
            }
            Op::NextKey { dst, place, of, after } => {
                let holder = self.keyed_holder(*place, registers.get(*of));
                (*dst, holder.map_or(0, |holder| self.state.block.next_key(holder, registers.get(*after))))
            }
            Op::HasSomeWord { dst, of, traits, word } => {
                let word = usize::try_from(registers.get(*word) - 1).ok();
                (*dst, i64::from(word.is_some_and(|word| self.has_word(registers.object(*of), traits.index(), word))))
            }
            Op::Shares { dst, a, b, traits } => {
                (*dst, i64::from(self.share_words(registers.object(*a), registers.object(*b), traits.index())))
            }
            Op::HasKeyword { dst, of, keyword } => (*dst, i64::from(self.keyword(registers.object(*of), *keyword).is_some())),
            Op::KeywordValue { dst, of, keyword } => (*dst, self.keyword(registers.object(*of), *keyword).unwrap_or(0)),
            Op::IsCard { dst, of, card } => (*dst, i64::from(self.is_card(registers.object(*of), *card))),
            Op::ZoneOf { dst, zone, player } => {
                let player = usize::try_from(registers.get(*player)).unwrap_or(usize::MAX);
                (*dst, self.program.instance(zone.index(), player).map_or(-1, |zone| zone as i64))
            }
            Op::Call { dst, function, args } => {
                let mut values = [0; REGISTERS];
                for (place, reg) in values.iter_mut().zip(args) {
                    *place = registers.get(*reg);
                }
                (*dst, self.call(scratch, *function, values.get(..args.len()).unwrap_or(&[])))
            }
            Op::Builtin { dst, builtin, args } => {
                let mut values = [0; MOST_ARGUMENTS];
                for (place, reg) in values.iter_mut().zip(args) {
                    *place = registers.get(*reg);
                }
                let values = values.get(..args.len()).unwrap_or(&[]);
                (*dst, super::builtin::evaluate(self, scratch, *builtin, values))
            }
            Op::Opponent { dst, player } => (*dst, self.next_player(registers.get(*player))),
            Op::Active { dst } => (*dst, self.state.active() as i64),
            Op::InSpan { dst, span } => (*dst, i64::from(self.state.block.list(at::OPEN).contains(&span.0))),
            _ => return None,
        })
    }
}
