//! Evaluation traces: re-evaluates a pure function and records how each value came about, to explain its result.

use crate::ir::ObjectRef;
use crate::ir::op::{Binary, Op};
use crate::ir::verbs::BuiltinFunction;
use crate::ir::{FnId, Function, Type};
use crate::vm::eval_context::{EvalContext, get};
use crate::vm::machine::Machine;
use crate::vm::scratch::Scratch;
use std::sync::Arc;

/// Nested calls and operations that an explanation follows.
pub const MAX_TRACE_DEPTH: usize = 12;
/// Operations of a function that are traced.
const MAX_OPERATIONS: usize = 100_000;

/// A value that was computed during an evaluation.
#[derive(Clone, Debug)]
pub struct TracedValue {
    /// The operation that computed it, or `None` for a parameter.
    pub pc: Option<usize>,
    /// Its type.
    pub ty: Type,
    /// The value.
    pub value: i64,
    /// The elements, if it is a list.
    pub list: Vec<u32>,
    /// The values it was computed from, by number.
    pub operands: Vec<usize>,
    /// The value that its register held before, by number.
    pub previous: Option<usize>,
}

/// The trace of one evaluation of a pure function.
#[derive(Debug)]
pub struct EvalTrace<'f> {
    function: &'f Function,
    values: Vec<TracedValue>,
    /// The number of the result.
    pub result: Option<usize>,
}

impl<'f> EvalTrace<'f> {
    /// Evaluates a function and records all values.
    pub fn new(world: &EvalContext<'_>, scratch: &mut Scratch, function: &'f Function, args: &[i64]) -> Self {
        let base = scratch.registers.len();
        let mark = scratch.mark();
        scratch.registers.extend(args.iter().copied());
        scratch.registers.resize(base + function.registers.len().max(args.len()), 0);
        let mut this = Self { function, values: Vec::new(), result: None };
        let mut last: Vec<Option<usize>> = Vec::new();
        for register in 0..function.registers.len() {
            last.push((register < args.len()).then(|| this.add(scratch, base, register as u16, None, &[])));
        }
        let mut pc = 0usize;
        for _ in 0..MAX_OPERATIONS {
            let Some(op) = function.ops.get(pc) else { break };
            let at = pc;
            pc += 1;
            match op {
                Op::Jump { to } => pc = *to as usize,
                Op::JumpUnless { cond, to } => {
                    if get(scratch, base, *cond) == 0 {
                        pc = *to as usize;
                    }
                }
                Op::Return { value } => {
                    this.result = value.and_then(|value| last.get(usize::from(value)).copied().flatten());
                    break;
                }
                op => {
                    let mut of = Vec::new();
                    op.for_each_read(|register| of.extend(last.get(usize::from(register)).copied().flatten()));
                    world.pure_op(scratch, base, op, &function.registers);
                    if let Some(register) = op.destination() {
                        let made = this.add(scratch, base, register, Some(at), &of);
                        if let Some(place) = last.get_mut(usize::from(register)) {
                            if let Some(made) = this.values.get_mut(made) {
                                made.previous = *place;
                            }
                            *place = Some(made);
                        }
                    }
                }
            }
        }
        scratch.registers.truncate(base);
        scratch.release(mark);
        this
    }

    /// Records what a register holds now, and returns the number of the value.
    fn add(&mut self, scratch: &Scratch, base: usize, register: u16, pc: Option<usize>, of: &[usize]) -> usize {
        let ty = self.function.registers.get(usize::from(register)).copied().unwrap_or(Type::Number);
        let value = get(scratch, base, register);
        let list = if ty.is_list() { scratch.list(value).iter().map(|item| *item as u32).collect() } else { Vec::new() };
        self.values.push(TracedValue { pc, ty, value, list, operands: of.to_vec(), previous: None });
        self.values.len() - 1
    }

    /// The numbers of all values, in the order of their computation.
    pub fn numbers(&self) -> std::ops::Range<usize> {
        0..self.values.len()
    }

    /// Returns a value by its number.
    pub fn value(&self, at: usize) -> Option<&TracedValue> {
        self.values.get(at)
    }

    /// Returns the operation that computed a value.
    pub fn op(&self, at: usize) -> Option<&'f Op> {
        self.function.ops.get(self.values.get(at)?.pc?)
    }

    /// Returns the number of an operand of a value.
    pub fn operand(&self, at: usize, number: usize) -> Option<usize> {
        self.values.get(at)?.operands.get(number).copied()
    }

    /// Returns an operand of a value as a reference.
    pub fn reference(&self, at: usize, number: usize) -> Option<ObjectRef> {
        Some(ObjectRef::from_value(self.value(self.operand(at, number)?)?.value))
    }

    /// Follows copies and casts back to the value that was copied.
    pub fn skip_copies(&self, mut at: usize) -> usize {
        for _ in 0..MAX_TRACE_DEPTH {
            match (self.op(at), self.operand(at, 0)) {
                (Some(Op::Copy { .. } | Op::Cast { .. }), Some(from)) => at = from,
                _ => break,
            }
        }
        at
    }
}

/// The part of the turn position, or the state of the list, because of which a condition is false. All players can see it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimingCause {
    /// The phase or step.
    Period,
    /// The active player.
    ActivePlayer,
    /// What is on the list.
    List,
}

impl Machine {
    /// Returns the timing because of which a condition is false, or `None` if it is false for another reason or for several.
    pub(crate) fn timing_cause(&mut self, condition: FnId, args: &[i64]) -> Option<TimingCause> {
        self.timing_cause_of(condition, args, true, MAX_TRACE_DEPTH)
    }

    /// Of a condition that is false, the part that is: how many parts joined by `and` stand behind it. `None` if that cannot be determined.
    pub(crate) fn failing_part(&mut self, condition: FnId, args: &[i64]) -> Option<usize> {
        let program = Arc::clone(&self.program);
        let function = program.source_function(condition)?;
        let (world, scratch) = self.world();
        let it = EvalTrace::new(&world, scratch, function, args);
        let mut at = it.result?;
        for behind in 0..MAX_TRACE_DEPTH {
            // Each `and` copies its left side into a register, and its right side over it if the left one holds.
            let Some(Op::Copy { .. }) = it.op(at) else { return Some(behind) };
            let left = it.value(at)?.previous.and_then(|before| it.value(before));
            if left.is_some_and(|left| left.value != 0) {
                return Some(behind);
            }
            at = it.operand(at, 0)?;
        }
        None
    }

    fn timing_cause_of(&mut self, function: FnId, args: &[i64], wanted: bool, depth: usize) -> Option<TimingCause> {
        let depth = depth.checked_sub(1)?;
        let program = Arc::clone(&self.program);
        let function = program.source_function(function)?;
        let (world, scratch) = self.world();
        let it = EvalTrace::new(&world, scratch, function, args);
        let (mut at, mut wanted) = (it.result?, wanted);
        for _ in 0..MAX_TRACE_DEPTH {
            let value = |number: usize| it.value(it.operand(at, number)?).map(|made| made.value != 0);
            match it.op(at)? {
                Op::Copy { .. } => {
                    // An `or` whose sides are both false depends on both.
                    let before = it.value(at)?.previous.and_then(|before| it.value(before));
                    if wanted && before.is_some_and(|before| before.value == 0) {
                        return None;
                    }
                    at = it.operand(at, 0)?;
                }
                Op::Not { .. } => (at, wanted) = (it.operand(at, 0)?, !wanted),
                Op::Binary { op: Binary::And, .. } if wanted => {
                    at = if value(0)? { it.operand(at, 1)? } else { it.operand(at, 0)? };
                }
                Op::Binary { op: Binary::Equal | Binary::NotEqual | Binary::Less | Binary::LessEqual, .. } => {
                    let sides = [it.skip_copies(it.operand(at, 0)?), it.skip_copies(it.operand(at, 1)?)];
                    let is = |test: fn(&Op) -> bool| sides.iter().any(|side| it.op(*side).is_some_and(test));
                    let waits = |op: &Op| matches!(op, Op::Builtin { builtin, .. } if matches!(BuiltinFunction::from_number(*builtin), Some(BuiltinFunction::ListSize | BuiltinFunction::ListTop)));
                    return match () {
                        () if is(|op| matches!(op, Op::ActivePlayer { .. })) => Some(TimingCause::ActivePlayer),
                        () if is(waits) => Some(TimingCause::List),
                        () => None,
                    };
                }
                Op::InPeriod { .. } => return Some(TimingCause::Period),
                Op::Call { function, .. } => {
                    let parts = &it.value(at)?.operands;
                    if parts.iter().any(|part| it.value(*part).is_some_and(|made| made.ty.is_list())) {
                        return None;
                    }
                    let args: Vec<i64> = parts.iter().filter_map(|part| Some(it.value(*part)?.value)).collect();
                    return self.timing_cause_of(*function, &args, wanted, depth);
                }
                _ => return None,
            }
        }
        None
    }
}
