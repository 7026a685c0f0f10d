//! From the operations of a function to its plain form.
//!
//! The operations are followed path by path. Copies and constants are only remembered; a branch on something known is no branch; on the
//! side where a condition failed it is known to be 0, on the other, if it is a `bool`, to be 1. So the chain of copies and tests that
//! `a and b and c` is made of ends at the first that fails. Two paths that come together knowing the same go on as one.

use super::aggregate::{Aggregate, AggregateCacheKey, AggregateKind, ListSource};
use super::{CallReads, Destination, Instruction, LocalReg, Operands, OptimizedFunction, REGISTERS, Registers, Value, bit};
use crate::ir::op::{Op, Place};
use crate::ir::{self, FnId, Function, Type};
use crate::program::Program;
use crate::vm::dependencies::DepSet;
use crate::vm::eval::{binary, cast_one};
use std::rc::Rc;
use std::sync::OnceLock;

/// Functions with more operations are called, not put in place of their call.
const MOST_INLINED: usize = 40;
/// Calls within calls that are replaced.
const MOST_DEPTH: usize = 4;

/// What a register of a function holds on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RegisterState {
    /// What a register of the plain function holds; 0 or 1 only, if `is_bool`.
    In {
        reg: LocalReg,
        is_bool: bool,
    },
    Constant(i64),
    /// A list that is not made; looked up on this stretch of code, without a branch since.
    Listed {
        listing: usize,
        stretch: usize,
    },
    /// A list that was used up.
    Gone,
}

/// A list that is not made.
#[derive(Clone, Debug)]
struct VirtualList {
    from: ListSource,
    filters: Vec<(FnId, Operands)>,
}

/// What there is to know of a function beforehand.
struct FunctionInfo<'p> {
    function: &'p Function,
    /// The registers that are read from an operation on, as masks.
    live: Vec<u64>,
    /// Operations that are jumped to.
    targets: Vec<bool>,
}

/// A function on the way: the one that is translated, or one that stands in the place of its call.
#[derive(Clone)]
struct InlineFrame<'p> {
    shape: Rc<FunctionInfo<'p>>,
    /// The operation that comes next.
    pc: usize,
    held: Vec<RegisterState>,
    /// The register of the caller that gets the result.
    into: ir::Reg,
}

/// Where a path goes on, and the instruction that leads there.
struct PendingPath<'p> {
    from: Option<usize>,
    calls: Vec<InlineFrame<'p>>,
}

/// A place that paths come by: each function's operation, and what is held in the registers that are read from there on.
type PathState = Vec<(usize, Vec<RegisterState>)>;

struct Translator<'p> {
    program: &'p Program,
    inlines: bool,
    /// The first registers are its parameters.
    params: usize,
    /// How many registers are used, those of constants not counted.
    used: usize,
    constants: Vec<i64>,
    code: Vec<Instruction>,
    operands: Vec<LocalReg>,
    tallies: Vec<Aggregate>,
    listings: Vec<VirtualList>,
    /// Where paths came by, and the instruction that stands there.
    known: Vec<(PathState, usize)>,
    /// Instructions from here on are reached from their predecessor alone.
    stretch: usize,
    /// Filtered lists that nothing has counted or summed yet. Their filters are run when that happens.
    waiting: usize,
    /// Operations that no instruction stands for yet.
    fuel: u16,
    /// What is followed behind each of two paths as long as there is less code than this.
    little: usize,
}

/// The plain form of a function; none where it is not plain.
pub(super) fn translate(program: &Program, function: &Function) -> Option<OptimizedFunction> {
    let shape = Rc::new(FunctionInfo::new(function)?);
    let translated = |inlines| Translator::new(program, &shape, inlines).build(&shape);
    translated(true).or_else(|| translated(false))
}

impl<'p> FunctionInfo<'p> {
    /// None for a loop, and for what has too much.
    fn new(function: &'p Function) -> Option<Self> {
        let ops = &function.ops;
        let fits = usize::from(function.params) < REGISTERS
            && function.registers.len() <= 64
            && function.slots.is_empty()
            && ops.len() <= 2000;
        fits.then_some(())?;
        let mut shape = Self { function, live: vec![0; ops.len() + 1], targets: vec![false; ops.len() + 1] };
        for (pc, op) in ops.iter().enumerate().rev() {
            let next = shape.live.get(pc + 1).copied()?;
            let mut jump = |to: u32| {
                let to = to as usize;
                (to > pc).then_some(())?;
                *shape.targets.get_mut(to)? = true;
                shape.live.get(to).copied()
            };
            let mut now = match op {
                Op::Jump { to } => jump(*to)?,
                Op::JumpUnless { to, .. } => jump(*to)? | next,
                Op::Return { .. } => 0,
                _ => next,
            };
            if let Some(dst) = op.written() {
                now &= !mask(dst);
            }
            op.for_each_read(|reg| now |= mask(reg));
            *shape.live.get_mut(pc)? = now;
        }
        Some(shape)
    }
}

/// The bit of a register of a function.
fn mask(reg: ir::Reg) -> u64 {
    1u64.checked_shl(reg.into()).unwrap_or(0)
}

impl<'p> InlineFrame<'p> {
    /// What is held in the registers that are read from here on, but for those in `without`.
    fn read(&self, without: u64) -> impl Iterator<Item = RegisterState> {
        let live = self.shape.live.get(self.pc).copied().unwrap_or(0) & !without;
        (0u16..).zip(&self.held).filter(move |(n, _)| mask(*n) & live != 0).map(|(_, held)| *held)
    }

    fn get(&self, reg: ir::Reg) -> Option<RegisterState> {
        self.held.get(usize::from(reg)).copied()
    }

    fn set(&mut self, reg: ir::Reg, held: RegisterState) -> Option<()> {
        *self.held.get_mut(usize::from(reg))? = held;
        Some(())
    }

    fn ty(&self, reg: ir::Reg) -> Option<Type> {
        self.shape.function.registers.get(usize::from(reg)).copied()
    }
}

/// What is read from here on, of all the functions on the way.
fn read<'a>(calls: &'a [InlineFrame<'_>]) -> impl Iterator<Item = RegisterState> + 'a {
    // A caller waits for what its register gets.
    calls.iter().enumerate().flat_map(|(n, call)| call.read(calls.get(n + 1).map_or(0, |callee| mask(callee.into))))
}

/// What holds the value of a register holds this number.
fn refine(calls: &mut [InlineFrame<'_>], reg: LocalReg, value: i64) {
    let all = calls.iter_mut().flat_map(|call| &mut call.held);
    all.filter(|held| matches!(held, RegisterState::In { reg: r, .. } if *r == reg))
        .for_each(|held| *held = RegisterState::Constant(value));
}

fn reads(calls: &[InlineFrame<'_>], reg: LocalReg) -> Option<bool> {
    read(calls).find_map(|held| match held {
        RegisterState::In { reg: r, is_bool } if r == reg => Some(is_bool),
        _ => None,
    })
}

impl<'p> Translator<'p> {
    fn new(program: &'p Program, shape: &FunctionInfo<'p>, inlines: bool) -> Self {
        Self {
            program,
            inlines,
            params: usize::from(shape.function.params),
            used: usize::from(shape.function.params),
            constants: Vec::new(),
            code: Vec::new(),
            operands: Vec::new(),
            tallies: Vec::new(),
            listings: Vec::new(),
            known: Vec::new(),
            stretch: 0,
            waiting: 0,
            fuel: 0,
            little: 2 * shape.function.ops.len() + 24,
        }
    }

    fn build(mut self, shape: &Rc<FunctionInfo<'p>>) -> Option<OptimizedFunction> {
        let function = shape.function;
        let held = (0u16..).zip(&function.registers).map(|(n, ty)| {
            if n < function.params {
                RegisterState::In { reg: n as LocalReg, is_bool: *ty == Type::Bool }
            } else {
                RegisterState::Constant(0)
            }
        });
        let held = held.collect();
        let mut paths =
            vec![PendingPath { from: None, calls: vec![InlineFrame { shape: Rc::clone(shape), pc: 0, held, into: 0 }] }];
        while let Some(path) = paths.pop() {
            self.follow(path, &mut paths)?;
        }
        self.finish(function)
    }

    /// Follows a path to its end, or to where another came by that knew the same.
    fn follow(&mut self, path: PendingPath<'p>, open: &mut Vec<PendingPath<'p>>) -> Option<()> {
        let mut calls = path.calls;
        (self.fuel, self.waiting) = (0, 0);
        if let Some(from) = path.from {
            if let Some(label) = self.merged_path(&calls) {
                return self.lead(from, label);
            }
            self.lead(from, self.code.len())?;
        }
        self.stretch = self.code.len();
        let mut begins = true;
        loop {
            let depth = calls.len();
            let call = calls.last_mut()?;
            let meets = !std::mem::take(&mut begins) && call.shape.targets.get(call.pc) == Some(&true);
            if meets && self.code.len() > self.little {
                self.none_waits()?;
                if self.fuel != 0 {
                    let next = u16::try_from(self.code.len() + 1).ok()?;
                    self.go(next)?;
                }
                if let Some(label) = self.merged_path(&calls) {
                    return self.go(u16::try_from(label).ok()?);
                }
                self.stretch = self.code.len();
            }
            let call = calls.last_mut()?;
            let shape = Rc::clone(&call.shape);
            let op = shape.function.ops.get(call.pc);
            self.fuel = self.fuel.checked_add(op.is_some().into())?;
            call.pc += 1;
            match op {
                None | Some(Op::Return { .. }) => {
                    let held = match op {
                        Some(Op::Return { value: Some(reg) }) => call.get(*reg)?,
                        _ => RegisterState::Constant(0),
                    };
                    if depth > 1 {
                        let into = call.into;
                        calls.pop();
                        calls.last_mut()?.set(into, held)?;
                        continue;
                    }
                    self.none_waits()?;
                    let reg = self.register(held)?;
                    return if self.stores(reg) {
                        self.redirect(Destination::Return)
                    } else {
                        self.emit(Value::Of(reg), Destination::Return)
                    };
                }
                Some(Op::Jump { to }) => call.pc = *to as usize,
                Some(Op::JumpUnless { cond, to }) => match call.get(*cond)? {
                    RegisterState::Constant(0) => call.pc = *to as usize,
                    RegisterState::Constant(_) => {}
                    RegisterState::In { reg, is_bool } => {
                        self.none_waits()?;
                        let mut otherwise = calls.clone();
                        otherwise.last_mut()?.pc = *to as usize;
                        self.branch(reg, is_bool, &mut calls, &mut otherwise)?;
                        open.push(PendingPath { from: Some(self.code.len() - 1), calls: otherwise });
                        self.stretch = self.code.len();
                    }
                    RegisterState::Listed { .. } | RegisterState::Gone => return None,
                },
                Some(Op::Call { dst, function, args }) if self.inlines && depth <= MOST_DEPTH => {
                    match self.inlined(call, *function, args, *dst)? {
                        Some(callee) => calls.push(callee),
                        None => self.operation(&mut calls, op?)?,
                    }
                }
                Some(op) => self.operation(&mut calls, op)?,
            }
        }
    }

    /// A function in the place of its call, if it is short and given no lists.
    fn inlined(
        &self,
        caller: &InlineFrame<'p>,
        function: FnId,
        args: &[ir::Reg],
        into: ir::Reg,
    ) -> Option<Option<InlineFrame<'p>>> {
        let callee = self.program.function(function)?;
        let lists = callee.registers.iter().take(callee.params.into()).any(|ty| ty.is_list());
        if lists || callee.ops.len() > MOST_INLINED || !callee.slots.is_empty() || args.len() != usize::from(callee.params) {
            return Some(None);
        }
        let Some(shape) = FunctionInfo::new(callee) else { return Some(None) };
        let mut held = vec![RegisterState::Constant(0); callee.registers.len()];
        for (place, reg) in held.iter_mut().zip(args) {
            *place = caller.get(*reg)?;
        }
        Some(Some(InlineFrame { shape: Rc::new(shape), pc: 0, held, into }))
    }

    /// Where another path came by that knew the same of what is read from here on. If none did, this one does.
    fn merged_path(&mut self, calls: &[InlineFrame<'_>]) -> Option<usize> {
        let passed = |(n, call): (usize, &InlineFrame<'_>)| {
            (call.pc, call.read(calls.get(n + 1).map_or(0, |callee| mask(callee.into))).collect())
        };
        let passed: PathState = calls.iter().enumerate().map(passed).collect();
        let came = self.known.iter().find(|(known, _)| *known == passed).map(|(_, label)| *label);
        if came.is_none() {
            self.known.push((passed, self.code.len()));
        }
        came
    }

    /// Goes on elsewhere.
    fn go(&mut self, to: u16) -> Option<()> {
        let none = self.constant(0)?;
        self.emit(Value::Of(none), Destination::Go(to))
    }

    /// Whether the last instruction puts its value into this register, and nothing else arrives after it.
    fn stores(&self, reg: LocalReg) -> bool {
        self.code.len() > self.stretch && self.code.last().is_some_and(|last| last.then == Destination::Store(reg))
    }

    /// The value of the last instruction goes elsewhere.
    fn redirect(&mut self, then: Destination) -> Option<()> {
        let fuel = std::mem::take(&mut self.fuel);
        let last = self.code.last_mut()?;
        last.then = then;
        last.fuel = last.fuel.checked_add(fuel)?;
        Some(())
    }

    /// A branch on a register, to a place that is not known yet; both sides know what it held. A value that nobody reads afterwards goes
    /// straight to the branch, and what is negated for it alone turns it round.
    fn branch(
        &mut self,
        mut reg: LocalReg,
        mut is_bool: bool,
        holds: &mut [InlineFrame<'p>],
        otherwise: &mut [InlineFrame<'p>],
    ) -> Option<()> {
        let mut turned = false;
        loop {
            let (zero, other) = if turned { (&mut *holds, &mut *otherwise) } else { (&mut *otherwise, &mut *holds) };
            refine(zero, reg, 0);
            if is_bool {
                refine(other, reg, 1);
            }
            let then = if turned { Destination::If(0) } else { Destination::Unless(0) };
            if !self.stores(reg) || reads(holds, reg).is_some() || reads(otherwise, reg).is_some() {
                return self.emit(Value::Of(reg), then);
            }
            let Some(Instruction { value: Value::Not(of), fuel, .. }) = self.code.last().copied() else {
                return self.redirect(then);
            };
            self.code.pop();
            self.fuel = self.fuel.checked_add(fuel)?;
            is_bool = reads(holds, of).or_else(|| reads(otherwise, of)).unwrap_or(false);
            (reg, turned) = (of, !turned);
        }
    }

    /// Where an instruction leads.
    fn lead(&mut self, from: usize, label: usize) -> Option<()> {
        let to = u16::try_from(label).ok()?;
        match &mut self.code.get_mut(from)?.then {
            Destination::Unless(place) | Destination::If(place) => *place = to,
            _ => return None,
        }
        Some(())
    }

    fn emit(&mut self, value: Value, then: Destination) -> Option<()> {
        let fuel = std::mem::take(&mut self.fuel);
        self.code.push(Instruction { value, then, fuel });
        // Paths that part may become many.
        (self.code.len() <= 4 * self.little).then_some(())
    }

    /// The register of a constant: they are numbered from the last one down.
    fn constant(&mut self, value: i64) -> Option<LocalReg> {
        let n = self.constants.iter().position(|known| *known == value).unwrap_or_else(|| {
            self.constants.push(value);
            self.constants.len() - 1
        });
        (self.used + self.constants.len() <= REGISTERS).then_some((REGISTERS - 1 - n) as LocalReg)
    }

    fn register(&mut self, held: RegisterState) -> Option<LocalReg> {
        match held {
            RegisterState::In { reg, .. } => Some(reg),
            RegisterState::Constant(value) => self.constant(value),
            RegisterState::Listed { .. } | RegisterState::Gone => None,
        }
    }

    /// A register that holds nothing that is read from here on. Parameters stay as they are: a function runs on them again.
    fn place(&mut self, calls: &[InlineFrame<'_>], dst: ir::Reg) -> Option<LocalReg> {
        let mut taken = (1u64 << self.params) - 1;
        let last = calls.len() - 1;
        for (n, call) in calls.iter().enumerate() {
            let without = if n == last { mask(dst) } else { mask(calls.get(n + 1)?.into) };
            for held in call.read(without) {
                match held {
                    RegisterState::In { reg, .. } => taken |= 1 << reg,
                    RegisterState::Listed { listing, .. } => taken |= self.captured(self.listings.get(listing)?),
                    RegisterState::Constant(_) | RegisterState::Gone => {}
                }
            }
        }
        let place = taken.trailing_ones() as usize;
        self.used = self.used.max(place + 1);
        (self.used + self.constants.len() <= REGISTERS).then_some(place as LocalReg)
    }

    fn captured(&self, listing: &VirtualList) -> u64 {
        let from = if let ListSource::Zone(reg) = listing.from { 1 << reg } else { 0 };
        listing.filters.iter().fold(from, |all, (_, captures)| all | u64::from(self.mask_of(*captures)))
    }

    fn mask_of(&self, operands: Operands) -> u32 {
        let first = usize::from(operands.first);
        let regs = self.operands.get(first..first + usize::from(operands.count)).unwrap_or(&[]);
        regs.iter().fold(0, |mask, reg| mask | bit(*reg))
    }

    fn arguments(&mut self, call: &InlineFrame<'_>, regs: &[ir::Reg]) -> Option<Operands> {
        let first = u16::try_from(self.operands.len()).ok()?;
        for reg in regs {
            let operand = self.register(call.get(*reg)?)?;
            self.operands.push(operand);
        }
        Some(Operands { first, count: u16::try_from(regs.len()).ok()? })
    }

    /// Nothing where filters would not be run though the function runs them: their list is not wanted on this stretch.
    fn none_waits(&self) -> Option<()> {
        (self.waiting == 0).then_some(())
    }

    /// The list in a register, if it is wanted here alone: from then on it is gone.
    fn listing(&mut self, call: &mut InlineFrame<'_>, reg: ir::Reg) -> Option<VirtualList> {
        let RegisterState::Listed { listing, stretch } = call.get(reg)? else { return None };
        (stretch == self.stretch).then_some(())?;
        call.set(reg, RegisterState::Gone)?;
        self.listings.get(listing).cloned()
    }

    /// An operation that is no jump, of the innermost function.
    fn operation(&mut self, calls: &mut [InlineFrame<'p>], op: &Op) -> Option<()> {
        let call = calls.last_mut()?;
        let dst = op.written()?;
        if let Some(listing) = self.listed(call, op)? {
            self.listings.push(listing);
            return call.set(dst, RegisterState::Listed { listing: self.listings.len() - 1, stretch: self.stretch });
        }
        if let Some(held) = self.remembered(call, op)? {
            return call.set(dst, held);
        }
        let value = self.value(call, op)?;
        let is_bool = call.ty(dst)? == Type::Bool;
        let reg = self.place(calls, dst)?;
        calls.last_mut()?.set(dst, RegisterState::In { reg, is_bool })?;
        self.emit(value, Destination::Store(reg))
    }

    /// The list that an operation would make.
    fn listed(&mut self, call: &mut InlineFrame<'_>, op: &Op) -> Option<Option<VirtualList>> {
        Some(match op {
            Op::AllInZone { zone, .. } => Some(VirtualList { from: ListSource::Kind(zone.index()), filters: Vec::new() }),
            Op::ZoneList { zone, .. } => {
                let zone = self.register(call.get(*zone)?)?;
                Some(VirtualList { from: ListSource::Zone(zone), filters: Vec::new() })
            }
            Op::Filter { list, filter, captures, .. } => {
                let mut listing = self.listing(call, *list)?;
                self.waiting += usize::from(listing.filters.is_empty());
                listing.filters.push((*filter, self.arguments(call, captures)?));
                Some(listing)
            }
            _ => None,
        })
    }

    /// What is known of the result of an operation without computing anything.
    fn remembered(&self, call: &InlineFrame<'_>, op: &Op) -> Option<Option<RegisterState>> {
        Some(match op {
            Op::Copy { src, .. } => match call.get(*src)? {
                RegisterState::Listed { .. } | RegisterState::Gone => return None,
                held => Some(held),
            },
            Op::Cast { dst, src } => {
                let (from, into) = (call.ty(*src)?, call.ty(*dst)?);
                match call.get(*src)? {
                    RegisterState::Constant(value) if from.element().is_none() => {
                        Some(RegisterState::Constant(cast_one(value, from, into)))
                    }
                    // A thing is a number like no other: that of an object, or of a player.
                    RegisterState::In { reg, .. } if (from, into) == (Type::Object, Type::Thing) => {
                        Some(RegisterState::In { reg, is_bool: false })
                    }
                    _ => None,
                }
            }
            Op::Const { value, .. } => Some(RegisterState::Constant(*value)),
            Op::Constant { constant, .. } => {
                let constant = self.program.format.constants.get(*constant as usize);
                Some(RegisterState::Constant(constant.map_or(0, |(_, value)| i64::from(*value))))
            }
            Op::HasWord { traits, word, .. } => {
                let set = self.program.library.traits.get(traits.index());
                set.is_none_or(|set| usize::from(*word) >= set.words.len()).then_some(RegisterState::Constant(0))
            }
            Op::Not { a, .. } => match call.get(*a)? {
                RegisterState::Constant(value) => Some(RegisterState::Constant(i64::from(value == 0))),
                _ => None,
            },
            Op::Binary { op, a, b, .. } => match (call.get(*a)?, call.get(*b)?) {
                (RegisterState::Constant(a), RegisterState::Constant(b)) => Some(RegisterState::Constant(binary(*op, a, b))),
                _ => None,
            },
            _ => None,
        })
    }

    /// What an operation computes, if plain code can.
    fn value(&mut self, call: &mut InlineFrame<'_>, op: &Op) -> Option<Value> {
        let program = self.program;
        let column = |column: usize| u16::try_from(column).ok();
        if let Op::Count { list, .. } | Op::Fold { list, .. } = op {
            let VirtualList { from, filters } = self.listing(call, *list)?;
            self.waiting -= usize::from(!filters.is_empty());
            let want = match op {
                Op::Fold { how, value, captures, .. } => AggregateKind::Fold(*how, *value, self.arguments(call, captures)?),
                _ => AggregateKind::Count,
            };
            let kept = self.kept(from, &filters, want);
            self.tallies.push(Aggregate { from, filters: filters.into(), want, kept });
            return Some(Value::Tally(u16::try_from(self.tallies.len() - 1).ok()?));
        }
        let mut reg = |reg: ir::Reg| self.register(call.get(reg)?);
        Some(match op {
            Op::Binary { op, a, b, .. } => Value::Binary { op: *op, a: reg(*a)?, b: reg(*b)? },
            Op::Not { a, .. } => Value::Not(reg(*a)?),
            Op::Cast { dst, src } => {
                let of = reg(*src)?;
                let (from, into) = (call.ty(*src)?, call.ty(*dst)?);
                (from.element().is_none() && into.element().is_none()).then_some(())?;
                Value::Cast { of, from, into }
            }
            Op::HasWord { of, traits, word, .. } => {
                let first = *program.row.words.get(traits.index())?;
                Value::Bit { of: reg(*of)?, bit: (word % 32) as u8, column: column(first + usize::from(*word) / 32)? }
            }
            Op::Get { place, of, .. } => {
                let of = reg(*of)?;
                match *place {
                    Place::Property(n) => {
                        let property = program.library.properties.get(usize::from(n))?;
                        (property.ty != Type::Price).then_some(())?;
                        Value::Row { of, column: column(program.row.properties + usize::from(n))? }
                    }
                    Place::Words(traits) => Value::Mask { of, column: column(*program.row.words.get(traits.index())?)? },
                    Place::Status(status) => Value::Status { of, status },
                    Place::Owner => Value::Owner(of),
                    Place::Controller => Value::Controller(of),
                    Place::Player(variable) => Value::Player { of, variable },
                    Place::Global(n) => {
                        (!program.library.globals.get(usize::from(n))?.ty.is_list()).then_some(())?;
                        Value::Word { cell: u32::try_from(program.layout.global(usize::from(n))).ok()?, variable: n }
                    }
                    Place::Zone | Place::Definition | Place::SourceOf | Place::Host | Place::Face => {
                        Value::Get { of, place: *place }
                    }
                    Place::Printed(_) => return None,
                }
            }
            Op::GetKey { place, of, key, .. } => Value::Key { of: reg(*of)?, key: reg(*key)?, place: *place },
            Op::NextKey { place, of, after, .. } => Value::NextKey { of: reg(*of)?, after: reg(*after)?, place: *place },
            Op::HasSomeWord { of, traits, word, .. } => Value::SomeWord { of: reg(*of)?, word: reg(*word)?, traits: *traits },
            Op::HasCommonWord { a, b, traits, .. } => Value::Shares { a: reg(*a)?, b: reg(*b)?, traits: *traits },
            Op::HasKeyword { of, keyword, .. } => Value::HasKeyword { of: reg(*of)?, keyword: *keyword },
            Op::KeywordValue { of, keyword, .. } => Value::Highest { of: reg(*of)?, keyword: *keyword },
            Op::IsCard { of, card, .. } => Value::IsCard { of: reg(*of)?, card: *card },
            Op::Exists { of, .. } => Value::Exists(reg(*of)?),
            Op::InZone { of, zone, .. } => Value::InZone { of: reg(*of)?, kind: u8::try_from(zone.index()).ok()? },
            Op::ZoneOf { zone, player, .. } => Value::ZoneOf { player: reg(*player)?, zone: *zone },
            Op::Opponent { player, .. } => Value::Opponent(reg(*player)?),
            Op::Active { .. } => Value::Active,
            Op::InSpan { span, .. } => Value::InSpan(*span),
            Op::Call { function, args, .. } => {
                is_without_lists(program.function(*function)?).then_some(())?;
                Value::Call { function: *function, args: self.arguments(call, args)? }
            }
            Op::CallUnconcealed { function, args, of, .. } => {
                is_without_lists(program.function(*function)?).then_some(())?;
                let of = reg(*of)?;
                Value::Uncovered { function: *function, args: self.arguments(call, args)?, of }
            }
            Op::IsAllowed { action, args, paying, .. } => {
                let (this, you) = (reg(0)?, reg(1)?);
                Value::Possible { action: *action, args: self.arguments(call, args)?, this, you, paying: *paying }
            }
            Op::Builtin { builtin, args, .. } => {
                // Nor what makes one.
                (!call.ty(op.written()?)?.is_list()).then_some(())?;
                Value::Builtin { builtin: *builtin, args: self.arguments(call, args)? }
            }
            _ => return None,
        })
    }

    /// How a tally is remembered, if it depends on nothing but what is counted.
    fn kept(&self, from: ListSource, filters: &[(FnId, Operands)], want: AggregateKind) -> Option<AggregateCacheKey> {
        let operands = |captures: &Operands| {
            let first = usize::from(captures.first);
            self.operands.get(first..first + usize::from(captures.count)).unwrap_or(&[])
        };
        let folded = if let AggregateKind::Fold(_, value, captures) = want { Some((value, captures)) } else { None };
        let functions = filters.iter().copied().chain(folded).map(|(id, captures)| (id, operands(&captures)));
        let zone = if let ListSource::Zone(reg) = from { Some(reg) } else { None };
        // Counting what lies in a zone is quick.
        let (reads, possible, parts) =
            super::call_cache::tally_reads(self.program, zone, functions).filter(|_| folded.is_some() || !filters.is_empty())?;
        Some(AggregateCacheKey { number: self.program.optimized.number(), reads: reads.into(), possible, parts })
    }

    /// What a value looks at.
    fn parts_of(&self, value: Value) -> DepSet {
        match value {
            Value::Of(_)
            | Value::Binary { .. }
            | Value::Not(_)
            | Value::Cast { .. }
            | Value::ZoneOf { .. }
            | Value::Opponent(_) => DepSet::NONE,
            Value::Bit { .. }
            | Value::Row { .. }
            | Value::Mask { .. }
            | Value::Owner(_)
            | Value::Controller(_)
            | Value::SomeWord { .. }
            | Value::Shares { .. }
            | Value::HasKeyword { .. }
            | Value::Highest { .. }
            | Value::IsCard { .. }
            | Value::Exists(_)
            | Value::InZone { .. } => DepSet::OBJECTS,
            Value::Status { status, .. } => DepSet::of(Place::Status(status)) | DepSet::OBJECTS,
            Value::Player { variable, .. } => DepSet::of(Place::Player(variable)),
            Value::Word { variable, .. } => DepSet::of(Place::Global(variable)),
            Value::Get { place, .. } | Value::Key { place, .. } | Value::NextKey { place, .. } => {
                DepSet::of(place) | DepSet::OBJECTS
            }
            Value::Active | Value::InSpan(_) => DepSet::TURN_POSITION,
            Value::Call { function, .. } => {
                let reads = self.program.function(function).and_then(|code| super::call_cache::reads(self.program, code));
                reads.filter(|reads| !reads.possible).map_or(DepSet::UNKNOWN, |reads| reads.parts)
            }
            Value::Tally(n) => {
                let kept = self.tallies.get(usize::from(n)).and_then(|tally| tally.kept.as_ref());
                kept.filter(|kept| !kept.possible).map_or(DepSet::UNKNOWN, |kept| kept.parts)
            }
            Value::Builtin { builtin, .. } => DepSet::of_builtin(builtin),
            Value::Uncovered { .. } | Value::Possible { .. } => DepSet::UNKNOWN,
        }
    }

    fn finish(self, function: &Function) -> Option<OptimizedFunction> {
        let mut start = Registers([0; REGISTERS]);
        for (n, value) in self.constants.iter().enumerate() {
            start.set((REGISTERS - 1 - n) as LocalReg, *value);
        }
        let reads = |value: Value| match value {
            Value::Call { args, .. } | Value::Builtin { args, .. } => self.mask_of(args),
            Value::Uncovered { args, of, .. } => self.mask_of(args) | bit(of),
            Value::Possible { args, this, you, .. } => self.mask_of(args) | bit(this) | bit(you),
            Value::Tally(n) => self.tallies.get(usize::from(n)).map_or(u32::MAX, |tally| {
                let from = if let ListSource::Zone(reg) = tally.from { bit(reg) } else { 0 };
                let want = if let AggregateKind::Fold(.., captures) = tally.want { self.mask_of(captures) } else { 0 };
                tally.filters.iter().fold(from | want, |mask, (_, captures)| mask | self.mask_of(*captures))
            }),
            value => value.registers().into_iter().flatten().fold(0, |mask, reg| mask | bit(reg)),
        };
        let reads: Box<[u32]> = self.code.iter().map(|it| reads(it.value)).collect();
        let params = (0..).zip(function.registers.iter().take(self.params));
        let stored = |it: &Instruction| if let Destination::Store(into) = it.then { bit(into) } else { 0 };
        let leads_on = |(pc, it): (usize, &Instruction)| match it.then {
            Destination::Unless(to) | Destination::If(to) | Destination::Go(to) => usize::from(to) > pc,
            Destination::Store(_) | Destination::Return => true,
        };
        Some(OptimizedFunction {
            used: reads.iter().fold(0, |all, reads| all | reads),
            stored: self.code.iter().fold(0, |all, it| all | stored(it)),
            leads_on: self.code.iter().enumerate().all(leads_on),
            is_flat: !self.code.iter().any(|it| runs_functions(it.value)),
            looks_as_filter: OnceLock::new(),
            references: params.filter(|(_, ty)| ty.is_reference()).fold(0, |all, (reg, _)| all | bit(reg)),
            looks: self.code.iter().map(|it| self.parts_of(it.value)).collect(),
            remembered: super::call_cache::reads(self.program, function).filter(CallReads::is_worth_it),
            reads,
            start,
            params: self.params,
            code: self.code.into(),
            operands: self.operands.into(),
            tallies: self.tallies.into(),
        })
    }
}

/// Whether computing a value runs other functions.
fn runs_functions(value: Value) -> bool {
    use Value::{Builtin, Call, Possible, Tally, Uncovered};
    matches!(value, Call { .. } | Tally(_) | Uncovered { .. } | Possible { .. } | Builtin { .. })
}

/// Whether a function neither takes nor gives lists: others are not called from here.
fn is_without_lists(function: &Function) -> bool {
    let listless = |ty: &Type| !ty.is_list();
    function.result.as_ref().is_none_or(listless) && function.registers.iter().take(function.params.into()).all(listless)
}
