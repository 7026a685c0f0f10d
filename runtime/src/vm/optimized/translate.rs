//! Translates the IR of a function into the register code of the optimized interpreter, and inlines short callees.
//!
//! The translator follows the operations path by path. Copies and constants emit no code, and a branch on a known condition
//! disappears. After a branch, the condition is known to be 0 on the side where it failed, and 1 on the other side if it is a
//! `bool`. So the chain of copies and tests of `a and b and c` ends at the first condition that fails. Paths that meet in the
//! same state are merged.

use crate::ir::arithmetic::{binary, cast_one};
use crate::ir::op::{Op, Place};
use crate::ir::{self, FnId, Function, Type};
use crate::program::Program;
use crate::vm::dependencies::DepSet;
use crate::vm::optimized::call_cache::CallReads;
use crate::vm::optimized::code::{Aggregate, AggregateCacheKey, AggregateKind, ListSource};
use crate::vm::optimized::code::{
    Destination, Instruction, LocalReg, MAX_REGISTERS, Operands, OptimizedFunction, Registers, Value, bit,
};
use fizzle_ir::{pure_operations, statements};
use std::rc::Rc;
use std::sync::OnceLock;

/// The maximum number of operations of a callee that is inlined. Longer functions are called.
const MAX_CALLEE_OPERATIONS: usize = 40;
/// The maximum depth of inlined calls.
const MAX_INLINE_DEPTH: usize = 4;

/// What a register of an IR function holds on a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum RegisterState {
    /// The value of a register of the optimized function; only 0 or 1 if `is_bool`.
    Register {
        reg: LocalReg,
        is_bool: bool,
    },
    Constant(i64),
    /// A list that is not materialised. It is valid only in the basic block in which it was read.
    List {
        list: usize,
        block_start: usize,
    },
    /// A list that was already consumed.
    Consumed,
}

/// A list that is not materialised.
#[derive(Clone, Debug)]
struct VirtualList {
    source: ListSource,
    filters: Vec<(FnId, Operands)>,
}

/// Facts about an IR function, computed before it is translated.
struct FunctionInfo<'p> {
    function: &'p Function,
    /// For each operation, a mask of the registers that are live before it.
    live: Vec<u64>,
    /// Whether each operation is the target of a jump.
    jump_targets: Vec<bool>,
}

/// A function in progress on a path: the translated one, or an inlined callee.
#[derive(Clone)]
struct InlineFrame<'p> {
    info: Rc<FunctionInfo<'p>>,
    /// The next operation.
    pc: usize,
    registers: Vec<RegisterState>,
    /// The register of the caller that receives the result.
    result_reg: ir::Reg,
}

/// A path to be followed, and the branch instruction that leads to it.
struct PendingPath<'p> {
    from: Option<usize>,
    frames: Vec<InlineFrame<'p>>,
}

/// The state of a path at a merge point: for each function in progress, its next operation and the states of its live registers.
type PathState = Vec<(usize, Vec<RegisterState>)>;

struct Translator<'p> {
    program: &'p Program,
    inlines_calls: bool,
    /// The number of parameters; they occupy the first registers.
    params: usize,
    /// The number of registers in use, apart from those of constants.
    register_count: usize,
    constants: Vec<i64>,
    code: Vec<Instruction>,
    operands: Vec<LocalReg>,
    aggregates: Vec<Aggregate>,
    lists: Vec<VirtualList>,
    /// States in which a path passed a merge point, with the instruction at that point.
    merge_points: Vec<(PathState, usize)>,
    /// The first instruction of the current basic block.
    block_start: usize,
    /// Filtered lists that are not consumed yet. Their filters run when the list is counted or folded.
    pending_filters: usize,
    /// Operations that no instruction accounts for yet.
    fuel: u16,
    /// While there is less code than this, paths are duplicated instead of merged where they meet.
    merge_threshold: usize,
}

/// Translates a function. Returns `None` if it cannot be translated.
pub(super) fn translate(program: &Program, id: FnId, function: &Function) -> Option<OptimizedFunction> {
    let info = Rc::new(FunctionInfo::new(function)?);
    let cached_as = first_equal_condition(program, function).unwrap_or(id);
    let translated = |inlines| Translator::new(program, &info, inlines).build(&info, cached_as);
    translated(true).or_else(|| translated(false))
}

/// Returns the first condition of a play of the format that computes the same as a function.
fn first_equal_condition(program: &Program, function: &Function) -> Option<FnId> {
    let conditions = program.format.plays.iter().flat_map(|play| [play.condition, play.cost_possible]).flatten();
    let computes_the_same = |id: &FnId| {
        program.function(*id).is_some_and(|other| {
            (other.params, other.result) == (function.params, function.result)
                && (&other.registers, &other.ops) == (&function.registers, &function.ops)
        })
    };
    conditions.into_iter().find(computes_the_same)
}

impl<'p> FunctionInfo<'p> {
    /// Returns `None` for a function with a loop, and for one that exceeds the limits of the translator.
    fn new(function: &'p Function) -> Option<Self> {
        let ops = &function.ops;
        let fits = usize::from(function.params) < MAX_REGISTERS
            && function.registers.len() <= 64
            && function.text_slots.is_empty()
            && ops.len() <= 2000;
        fits.then_some(())?;
        let mut info = Self { function, live: vec![0; ops.len() + 1], jump_targets: vec![false; ops.len() + 1] };
        for (pc, op) in ops.iter().enumerate().rev() {
            let next = info.live.get(pc + 1).copied()?;
            let mut jump = |to: u32| {
                let to = to as usize;
                (to > pc).then_some(())?;
                *info.jump_targets.get_mut(to)? = true;
                info.live.get(to).copied()
            };
            let mut now = match op {
                Op::Jump { to } => jump(*to)?,
                Op::JumpUnless { to, .. } => jump(*to)? | next,
                Op::Return { .. } => 0,
                pure_operations!() | statements!() => next,
            };
            if let Some(dst) = op.destination() {
                now &= !mask(dst);
            }
            op.for_each_read(|reg| now |= mask(reg));
            *info.live.get_mut(pc)? = now;
        }
        Some(info)
    }
}

/// The bit of a register of an IR function.
fn mask(reg: ir::Reg) -> u64 {
    1u64.checked_shl(reg.into()).unwrap_or(0)
}

impl<'p> InlineFrame<'p> {
    /// Returns the states of the registers that are live here, apart from those of the mask `without`.
    fn live_registers(&self, without: u64) -> impl Iterator<Item = RegisterState> {
        let live = self.info.live.get(self.pc).copied().unwrap_or(0) & !without;
        (0u16..).zip(&self.registers).filter(move |(n, _)| mask(*n) & live != 0).map(|(_, state)| *state)
    }

    fn get(&self, reg: ir::Reg) -> Option<RegisterState> {
        self.registers.get(usize::from(reg)).copied()
    }

    fn set(&mut self, reg: ir::Reg, state: RegisterState) -> Option<()> {
        *self.registers.get_mut(usize::from(reg))? = state;
        Some(())
    }

    fn ty(&self, reg: ir::Reg) -> Option<Type> {
        self.info.function.registers.get(usize::from(reg)).copied()
    }
}

/// Returns the states of the live registers of all functions in progress.
fn live_registers<'a>(calls: &'a [InlineFrame<'_>]) -> impl Iterator<Item = RegisterState> + 'a {
    // The caller's result register is not live: the callee writes it.
    calls
        .iter()
        .enumerate()
        .flat_map(|(n, call)| call.live_registers(calls.get(n + 1).map_or(0, |callee| mask(callee.result_reg))))
}

/// Records that every register with the value of `reg` holds this number.
fn refine(calls: &mut [InlineFrame<'_>], reg: LocalReg, value: i64) {
    let all = calls.iter_mut().flat_map(|call| &mut call.registers);
    all.filter(|state| matches!(state, RegisterState::Register { reg: r, .. } if *r == reg))
        .for_each(|state| *state = RegisterState::Constant(value));
}

/// Returns `is_bool` of a register of the optimized function if it is live, else `None`.
fn live_register_is_bool(calls: &[InlineFrame<'_>], reg: LocalReg) -> Option<bool> {
    live_registers(calls).find_map(|state| match state {
        RegisterState::Register { reg: r, is_bool } if r == reg => Some(is_bool),
        _ => None,
    })
}

impl<'p> Translator<'p> {
    fn new(program: &'p Program, info: &FunctionInfo<'p>, inlines: bool) -> Self {
        Self {
            program,
            inlines_calls: inlines,
            params: usize::from(info.function.params),
            register_count: usize::from(info.function.params),
            constants: Vec::new(),
            code: Vec::new(),
            operands: Vec::new(),
            aggregates: Vec::new(),
            lists: Vec::new(),
            merge_points: Vec::new(),
            block_start: 0,
            pending_filters: 0,
            fuel: 0,
            merge_threshold: 2 * info.function.ops.len() + 24,
        }
    }

    fn build(mut self, info: &Rc<FunctionInfo<'p>>, cached_as: FnId) -> Option<OptimizedFunction> {
        let function = info.function;
        let state = (0u16..).zip(&function.registers).map(|(n, ty)| {
            if n < function.params {
                RegisterState::Register { reg: n as LocalReg, is_bool: *ty == Type::Bool }
            } else {
                RegisterState::Constant(0)
            }
        });
        let state = state.collect();
        let mut paths = vec![PendingPath {
            from: None,
            frames: vec![InlineFrame { info: Rc::clone(info), pc: 0, registers: state, result_reg: 0 }],
        }];
        while let Some(path) = paths.pop() {
            self.follow(path, &mut paths)?;
        }
        self.finish(function, cached_as)
    }

    /// Follows a path to its end, or to a merge point that another path passed in the same state.
    fn follow(&mut self, path: PendingPath<'p>, open: &mut Vec<PendingPath<'p>>) -> Option<()> {
        let mut calls = path.frames;
        (self.fuel, self.pending_filters) = (0, 0);
        if let Some(from) = path.from {
            if let Some(label) = self.merged_path(&calls) {
                return self.set_target(from, label);
            }
            self.set_target(from, self.code.len())?;
        }
        self.block_start = self.code.len();
        let mut begins = true;
        loop {
            let depth = calls.len();
            let call = calls.last_mut()?;
            let meets = !std::mem::take(&mut begins) && call.info.jump_targets.get(call.pc) == Some(&true);
            if meets && self.code.len() > self.merge_threshold {
                self.require_no_pending_filters()?;
                if self.fuel != 0 {
                    let next = u16::try_from(self.code.len() + 1).ok()?;
                    self.emit_jump(next)?;
                }
                if let Some(label) = self.merged_path(&calls) {
                    return self.emit_jump(u16::try_from(label).ok()?);
                }
                self.block_start = self.code.len();
            }
            let call = calls.last_mut()?;
            let info = Rc::clone(&call.info);
            let op = info.function.ops.get(call.pc);
            self.fuel = self.fuel.checked_add(op.is_some().into())?;
            call.pc += 1;
            match op {
                None | Some(Op::Return { .. }) => {
                    let state = match op {
                        Some(Op::Return { value: Some(reg) }) => call.get(*reg)?,
                        _ => RegisterState::Constant(0),
                    };
                    if depth > 1 {
                        let into = call.result_reg;
                        calls.pop();
                        calls.last_mut()?.set(into, state)?;
                        continue;
                    }
                    self.require_no_pending_filters()?;
                    let reg = self.register(state)?;
                    return if self.last_stores_to(reg) {
                        self.redirect_last(Destination::Return)
                    } else {
                        self.emit(Value::Register(reg), Destination::Return)
                    };
                }
                Some(Op::Jump { to }) => call.pc = *to as usize,
                Some(Op::JumpUnless { cond, to }) => match call.get(*cond)? {
                    RegisterState::Constant(0) => call.pc = *to as usize,
                    RegisterState::Constant(_) => {}
                    RegisterState::Register { reg, is_bool } => {
                        self.require_no_pending_filters()?;
                        let mut otherwise = calls.clone();
                        otherwise.last_mut()?.pc = *to as usize;
                        self.branch(reg, is_bool, &mut calls, &mut otherwise)?;
                        open.push(PendingPath { from: Some(self.code.len() - 1), frames: otherwise });
                        self.block_start = self.code.len();
                    }
                    RegisterState::List { .. } | RegisterState::Consumed => return None,
                },
                Some(Op::Call { dst, function, args }) if self.inlines_calls && depth <= MAX_INLINE_DEPTH => {
                    match self.inline_callee(call, *function, args, *dst)? {
                        Some(callee) => calls.push(callee),
                        None => self.translate_op(&mut calls, op?)?,
                    }
                }
                Some(op) => self.translate_op(&mut calls, op)?,
            }
        }
    }

    /// Returns a frame for inlining a callee, or `Some(None)` if the callee is too long or takes lists. Returns `None` if the
    /// caller cannot be translated.
    fn inline_callee(
        &self,
        caller: &InlineFrame<'p>,
        function: FnId,
        args: &[ir::Reg],
        into: ir::Reg,
    ) -> Option<Option<InlineFrame<'p>>> {
        let callee = self.program.function(function)?;
        let lists = callee.registers.iter().take(callee.params.into()).any(|ty| ty.is_list());
        if lists
            || callee.ops.len() > MAX_CALLEE_OPERATIONS
            || !callee.text_slots.is_empty()
            || args.len() != usize::from(callee.params)
        {
            return Some(None);
        }
        let Some(info) = FunctionInfo::new(callee) else { return Some(None) };
        let mut state = vec![RegisterState::Constant(0); callee.registers.len()];
        for (place, reg) in state.iter_mut().zip(args) {
            *place = caller.get(*reg)?;
        }
        Some(Some(InlineFrame { info: Rc::new(info), pc: 0, registers: state, result_reg: into }))
    }

    /// Returns the instruction at which another path passed this point in the same state. If none did, records this path.
    fn merged_path(&mut self, calls: &[InlineFrame<'_>]) -> Option<usize> {
        let passed = |(n, call): (usize, &InlineFrame<'_>)| {
            (call.pc, call.live_registers(calls.get(n + 1).map_or(0, |callee| mask(callee.result_reg))).collect())
        };
        let passed: PathState = calls.iter().enumerate().map(passed).collect();
        let merged = self.merge_points.iter().find(|(known, _)| *known == passed).map(|(_, label)| *label);
        if merged.is_none() {
            self.merge_points.push((passed, self.code.len()));
        }
        merged
    }

    /// Emits a jump.
    fn emit_jump(&mut self, to: u16) -> Option<()> {
        let none = self.constant(0)?;
        self.emit(Value::Register(none), Destination::Jump(to))
    }

    /// Returns whether the last instruction stores to this register and belongs to the current basic block.
    fn last_stores_to(&self, reg: LocalReg) -> bool {
        self.code.len() > self.block_start && self.code.last().is_some_and(|last| last.then == Destination::Store(reg))
    }

    /// Changes the destination of the last instruction.
    fn redirect_last(&mut self, then: Destination) -> Option<()> {
        let fuel = std::mem::take(&mut self.fuel);
        let last = self.code.last_mut()?;
        last.then = then;
        last.fuel = last.fuel.checked_add(fuel)?;
        Some(())
    }

    /// Emits a branch on a register; its target is set later. Both sides learn what the condition was. If the value is not live
    /// afterwards, its instruction becomes the branch, and a negation that only the branch needs inverts it.
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
            let then = if turned { Destination::JumpIfNonZero(0) } else { Destination::JumpIfZero(0) };
            if !self.last_stores_to(reg)
                || live_register_is_bool(holds, reg).is_some()
                || live_register_is_bool(otherwise, reg).is_some()
            {
                return self.emit(Value::Register(reg), then);
            }
            let Some(Instruction { value: Value::Not(of), fuel, .. }) = self.code.last().copied() else {
                return self.redirect_last(then);
            };
            self.code.pop();
            self.fuel = self.fuel.checked_add(fuel)?;
            is_bool = live_register_is_bool(holds, of).or_else(|| live_register_is_bool(otherwise, of)).unwrap_or(false);
            (reg, turned) = (of, !turned);
        }
    }

    /// Sets the target of a branch.
    fn set_target(&mut self, from: usize, label: usize) -> Option<()> {
        let to = u16::try_from(label).ok()?;
        match &mut self.code.get_mut(from)?.then {
            Destination::JumpIfZero(place) | Destination::JumpIfNonZero(place) => *place = to,
            _ => return None,
        }
        Some(())
    }

    fn emit(&mut self, value: Value, then: Destination) -> Option<()> {
        let fuel = std::mem::take(&mut self.fuel);
        self.code.push(Instruction { value, then, fuel });
        // Duplicated paths may grow exponentially.
        (self.code.len() <= 4 * self.merge_threshold).then_some(())
    }

    /// Returns the register of a constant. Constants are allocated from the last register down.
    fn constant(&mut self, value: i64) -> Option<LocalReg> {
        let n = self.constants.iter().position(|known| *known == value).unwrap_or_else(|| {
            self.constants.push(value);
            self.constants.len() - 1
        });
        (self.register_count + self.constants.len() <= MAX_REGISTERS).then_some((MAX_REGISTERS - 1 - n) as LocalReg)
    }

    fn register(&mut self, state: RegisterState) -> Option<LocalReg> {
        match state {
            RegisterState::Register { reg, .. } => Some(reg),
            RegisterState::Constant(value) => self.constant(value),
            RegisterState::List { .. } | RegisterState::Consumed => None,
        }
    }

    /// Returns a register that is free here for the result of an operation. Parameters are never overwritten, so that the
    /// registers can be reused for the next run.
    fn allocate_register(&mut self, calls: &[InlineFrame<'_>], dst: ir::Reg) -> Option<LocalReg> {
        let mut taken = (1u64 << self.params) - 1;
        let last = calls.len() - 1;
        for (n, call) in calls.iter().enumerate() {
            let without = if n == last { mask(dst) } else { mask(calls.get(n + 1)?.result_reg) };
            for state in call.live_registers(without) {
                match state {
                    RegisterState::Register { reg, .. } => taken |= 1 << reg,
                    RegisterState::List { list: listing, .. } => taken |= self.captured_registers(self.lists.get(listing)?),
                    RegisterState::Constant(_) | RegisterState::Consumed => {}
                }
            }
        }
        let place = taken.trailing_ones() as usize;
        self.register_count = self.register_count.max(place + 1);
        (self.register_count + self.constants.len() <= MAX_REGISTERS).then_some(place as LocalReg)
    }

    fn captured_registers(&self, listing: &VirtualList) -> u64 {
        let from = if let ListSource::Zone(reg) = listing.source { 1 << reg } else { 0 };
        listing.filters.iter().fold(from, |all, (_, captures)| all | u64::from(self.mask_of(*captures)))
    }

    fn mask_of(&self, operands: Operands) -> u32 {
        let first = usize::from(operands.first);
        let regs = self.operands.get(first..first + usize::from(operands.count)).unwrap_or(&[]);
        regs.iter().fold(0, |mask, reg| mask | bit(*reg))
    }

    fn push_operands(&mut self, call: &InlineFrame<'_>, regs: &[ir::Reg]) -> Option<Operands> {
        let first = u16::try_from(self.operands.len()).ok()?;
        for reg in regs {
            let operand = self.register(call.get(*reg)?)?;
            self.operands.push(operand);
        }
        Some(Operands { first, count: u16::try_from(regs.len()).ok()? })
    }

    /// Returns `None` if filters are pending: the basic block ends without consuming their list, but the IR function runs them.
    fn require_no_pending_filters(&self) -> Option<()> {
        (self.pending_filters == 0).then_some(())
    }

    /// Takes the list from a register if it was read in this basic block. Each list can be consumed once.
    fn consume_list(&mut self, call: &mut InlineFrame<'_>, reg: ir::Reg) -> Option<VirtualList> {
        let RegisterState::List { list: listing, block_start } = call.get(reg)? else { return None };
        (block_start == self.block_start).then_some(())?;
        call.set(reg, RegisterState::Consumed)?;
        self.lists.get(listing).cloned()
    }

    /// Translates an operation of the innermost function that is not a jump.
    fn translate_op(&mut self, calls: &mut [InlineFrame<'p>], op: &Op) -> Option<()> {
        let call = calls.last_mut()?;
        let dst = op.destination()?;
        if let Some(listing) = self.virtual_list(call, op)? {
            self.lists.push(listing);
            return call.set(dst, RegisterState::List { list: self.lists.len() - 1, block_start: self.block_start });
        }
        if let Some(state) = self.known_result(call, op)? {
            return call.set(dst, state);
        }
        let value = self.value(call, op)?;
        let is_bool = call.ty(dst)? == Type::Bool;
        let reg = self.allocate_register(calls, dst)?;
        calls.last_mut()?.set(dst, RegisterState::Register { reg, is_bool })?;
        self.emit(value, Destination::Store(reg))
    }

    /// Returns the list that an operation would build, or `Some(None)` if it builds none. Returns `None` if the function cannot
    /// be translated.
    fn virtual_list(&mut self, call: &mut InlineFrame<'_>, op: &Op) -> Option<Option<VirtualList>> {
        Some(match op {
            Op::AllInZone { zone, .. } => Some(VirtualList { source: ListSource::Kind(zone.index()), filters: Vec::new() }),
            Op::ZoneList { zone, .. } => {
                let zone = self.register(call.get(*zone)?)?;
                Some(VirtualList { source: ListSource::Zone(zone), filters: Vec::new() })
            }
            Op::Filter { list, filter, captures, .. } => {
                let mut listing = self.consume_list(call, *list)?;
                self.pending_filters += usize::from(listing.filters.is_empty());
                listing.filters.push((*filter, self.push_operands(call, captures)?));
                Some(listing)
            }
            _ => None,
        })
    }

    /// Returns the result of an operation that needs no instruction, or `Some(None)` if one is needed. Returns `None` if the
    /// function cannot be translated.
    fn known_result(&self, call: &InlineFrame<'_>, op: &Op) -> Option<Option<RegisterState>> {
        Some(match op {
            Op::Copy { src, .. } => match call.get(*src)? {
                RegisterState::List { .. } | RegisterState::Consumed => return None,
                state => Some(state),
            },
            Op::Cast { dst, src } => {
                let (from, into) = (call.ty(*src)?, call.ty(*dst)?);
                match call.get(*src)? {
                    RegisterState::Constant(value) if from.element().is_none() => {
                        Some(RegisterState::Constant(cast_one(value, from, into)))
                    }
                    // A thing and an object have the same representation; only players differ.
                    RegisterState::Register { reg, .. } if (from, into) == (Type::Object, Type::Thing) => {
                        Some(RegisterState::Register { reg, is_bool: false })
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

    /// Returns the value that an operation computes, or `None` if optimized functions cannot compute it.
    fn value(&mut self, call: &mut InlineFrame<'_>, op: &Op) -> Option<Value> {
        let program = self.program;
        let column = |column: usize| u16::try_from(column).ok();
        if let Op::Count { list, .. } | Op::Fold { list, .. } = op {
            let VirtualList { source: from, filters } = self.consume_list(call, *list)?;
            self.pending_filters -= usize::from(!filters.is_empty());
            let kind = match op {
                Op::Fold { how, value, captures, .. } => AggregateKind::Fold(*how, *value, self.push_operands(call, captures)?),
                _ => AggregateKind::Count,
            };
            let cache_key = self.aggregate_cache_key(from, &filters, kind);
            self.aggregates.push(Aggregate { source: from, filters: filters.into(), kind, cache_key });
            return Some(Value::Aggregate(u16::try_from(self.aggregates.len() - 1).ok()?));
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
                    Place::Player(variable) => Value::PlayerVariable { of, variable },
                    Place::Global(n) => {
                        (!program.library.globals.get(usize::from(n))?.ty.is_list()).then_some(())?;
                        Value::GameVariable { cell: u32::try_from(program.layout.global(usize::from(n))).ok()?, variable: n }
                    }
                    Place::Zone | Place::Definition | Place::SourceOf | Place::Host | Place::Face => {
                        Value::Get { of, place: *place }
                    }
                    Place::Printed(_) => return None,
                }
            }
            Op::GetKey { place, of, key, .. } => Value::GetKey { of: reg(*of)?, key: reg(*key)?, place: *place },
            Op::NextKey { place, of, after, .. } => Value::NextKey { of: reg(*of)?, after: reg(*after)?, place: *place },
            Op::HasSomeWord { of, traits, word, .. } => Value::HasSomeWord { of: reg(*of)?, word: reg(*word)?, traits: *traits },
            Op::HasCommonWord { a, b, traits, .. } => Value::HasCommonWord { a: reg(*a)?, b: reg(*b)?, traits: *traits },
            Op::HasKeyword { of, keyword, .. } => Value::HasKeyword { of: reg(*of)?, keyword: *keyword },
            Op::KeywordValue { of, keyword, .. } => Value::HighestArgument { of: reg(*of)?, keyword: *keyword },
            Op::IsCard { of, card, .. } => Value::IsCard { of: reg(*of)?, card: *card },
            Op::Exists { of, .. } => Value::Exists(reg(*of)?),
            Op::InZone { of, zone, .. } => Value::InZone { of: reg(*of)?, kind: u8::try_from(zone.index()).ok()? },
            Op::ZoneOf { zone, player, .. } => Value::ZoneOf { player: reg(*player)?, zone: *zone },
            Op::Opponent { player, .. } => Value::Opponent(reg(*player)?),
            Op::ActivePlayer { .. } => Value::ActivePlayer,
            Op::InPeriod { period: span, .. } => Value::InPeriod(*span),
            Op::Call { function, args, .. } => {
                is_without_lists(program.function(*function)?).then_some(())?;
                Value::Call { function: *function, args: self.push_operands(call, args)? }
            }
            Op::CallUnconcealed { function, args, of, .. } => {
                is_without_lists(program.function(*function)?).then_some(())?;
                let of = reg(*of)?;
                Value::CallUnconcealed { function: *function, args: self.push_operands(call, args)?, of }
            }
            Op::IsAllowed { action, args, paying, .. } => {
                let (this, you) = (reg(0)?, reg(1)?);
                Value::IsAllowed { action: *action, args: self.push_operands(call, args)?, this, you, paying: *paying }
            }
            Op::Builtin { builtin, args, .. } => {
                // Built-in functions that return lists are not translated.
                (!call.ty(op.destination()?)?.is_list()).then_some(())?;
                Value::Builtin { builtin: *builtin, args: self.push_operands(call, args)? }
            }
            _ => return None,
        })
    }

    /// Returns the cache key of an aggregate, or `None` if its result depends on something untracked.
    fn aggregate_cache_key(
        &self,
        from: ListSource,
        filters: &[(FnId, Operands)],
        kind: AggregateKind,
    ) -> Option<AggregateCacheKey> {
        let operands = |captures: &Operands| {
            let first = usize::from(captures.first);
            self.operands.get(first..first + usize::from(captures.count)).unwrap_or(&[])
        };
        let folded = if let AggregateKind::Fold(_, value, captures) = kind { Some((value, captures)) } else { None };
        let functions = filters.iter().copied().chain(folded).map(|(id, captures)| (id, operands(&captures)));
        let zone = if let ListSource::Zone(reg) = from { Some(reg) } else { None };
        // Counting a zone without filters is faster than a lookup.
        let (reads, queries_legality, dependencies) = super::call_cache::aggregate_reads(self.program, zone, functions)
            .filter(|_| folded.is_some() || !filters.is_empty())?;
        Some(AggregateCacheKey {
            number: self.program.optimized.next_aggregate_number(),
            reads: reads.into(),
            queries_legality,
            dependencies,
        })
    }

    /// Returns the dependencies of a value.
    fn dependencies_of(&self, value: Value) -> DepSet {
        match value {
            Value::Register(_)
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
            | Value::HasSomeWord { .. }
            | Value::HasCommonWord { .. }
            | Value::HasKeyword { .. }
            | Value::HighestArgument { .. }
            | Value::IsCard { .. }
            | Value::Exists(_)
            | Value::InZone { .. } => DepSet::OBJECTS,
            Value::Status { status, .. } => DepSet::of(Place::Status(status)) | DepSet::OBJECTS,
            Value::PlayerVariable { variable, .. } => DepSet::of(Place::Player(variable)),
            Value::GameVariable { variable, .. } => DepSet::of(Place::Global(variable)),
            Value::Get { place, .. } | Value::GetKey { place, .. } | Value::NextKey { place, .. } => {
                DepSet::of(place) | DepSet::OBJECTS
            }
            Value::ActivePlayer | Value::InPeriod(_) => DepSet::TURN_POSITION,
            Value::Call { function, .. } => {
                let reads = self.program.function(function).and_then(|code| super::call_cache::call_reads(self.program, code));
                reads.filter(|reads| !reads.queries_legality).map_or(DepSet::UNKNOWN, |reads| reads.dependencies)
            }
            Value::Aggregate(n) => {
                let cache_key = self.aggregates.get(usize::from(n)).and_then(|aggregate| aggregate.cache_key.as_ref());
                cache_key
                    .filter(|cache_key| !cache_key.queries_legality)
                    .map_or(DepSet::UNKNOWN, |cache_key| cache_key.dependencies)
            }
            Value::Builtin { builtin, .. } => DepSet::of_builtin(builtin),
            Value::CallUnconcealed { .. } | Value::IsAllowed { .. } => DepSet::UNKNOWN,
        }
    }

    fn finish(self, function: &Function, cached_as: FnId) -> Option<OptimizedFunction> {
        let mut start = Registers([0; MAX_REGISTERS]);
        for (n, value) in self.constants.iter().enumerate() {
            start.set((MAX_REGISTERS - 1 - n) as LocalReg, *value);
        }
        let reads = |value: Value| match value {
            Value::Call { args, .. } | Value::Builtin { args, .. } => self.mask_of(args),
            Value::CallUnconcealed { args, of, .. } => self.mask_of(args) | bit(of),
            Value::IsAllowed { args, this, you, .. } => self.mask_of(args) | bit(this) | bit(you),
            Value::Aggregate(n) => self.aggregates.get(usize::from(n)).map_or(u32::MAX, |aggregate| {
                let from = if let ListSource::Zone(reg) = aggregate.source { bit(reg) } else { 0 };
                let kind = if let AggregateKind::Fold(.., captures) = aggregate.kind { self.mask_of(captures) } else { 0 };
                aggregate.filters.iter().fold(from | kind, |mask, (_, captures)| mask | self.mask_of(*captures))
            }),
            value => value.registers().into_iter().flatten().fold(0, |mask, reg| mask | bit(reg)),
        };
        let reads: Box<[u32]> = self.code.iter().map(|it| reads(it.value)).collect();
        let params = (0..).zip(function.registers.iter().take(self.params));
        let stored = |it: &Instruction| if let Destination::Store(into) = it.then { bit(into) } else { 0 };
        let leads_forward = |(pc, it): (usize, &Instruction)| match it.then {
            Destination::JumpIfZero(to) | Destination::JumpIfNonZero(to) | Destination::Jump(to) => usize::from(to) > pc,
            Destination::Store(_) | Destination::Return => true,
        };
        Some(OptimizedFunction {
            read_registers: reads.iter().fold(0, |all, reads| all | reads),
            written_registers: self.code.iter().fold(0, |all, it| all | stored(it)),
            is_forward_only: self.code.iter().enumerate().all(leads_forward),
            is_flat: !self.code.iter().any(|it| runs_functions(it.value)),
            read_set_as_filter: OnceLock::new(),
            reference_params: params.filter(|(_, ty)| ty.is_reference()).fold(0, |all, (reg, _)| all | bit(reg)),
            dependencies: self.code.iter().map(|it| self.dependencies_of(it.value)).collect(),
            cached_as,
            cached_reads: super::call_cache::call_reads(self.program, function).filter(CallReads::is_worth_caching),
            reads,
            start,
            params: self.params,
            code: self.code.into(),
            operands: self.operands.into(),
            aggregates: self.aggregates.into(),
        })
    }
}

/// Returns whether computing a value runs other functions.
fn runs_functions(value: Value) -> bool {
    use Value::{Aggregate, Builtin, Call, CallUnconcealed, IsAllowed};
    matches!(value, Call { .. } | Aggregate(_) | CallUnconcealed { .. } | IsAllowed { .. } | Builtin { .. })
}

/// Returns whether a function neither takes nor returns lists. Optimized functions call no others.
fn is_without_lists(function: &Function) -> bool {
    let listless = |ty: &Type| !ty.is_list();
    function.result.as_ref().is_none_or(listless) && function.registers.iter().take(function.params.into()).all(listless)
}
