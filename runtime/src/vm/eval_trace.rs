//! A pure function computed once more, value by value: on what of it the result hangs.

use super::Machine;
use super::eval::{EvalContext, Scratch, get};
use crate::ir::op::{Binary, Op};
use crate::ir::verbs::BUILTINS;
use crate::ir::{FnId, Function, Type};
use crate::state::ObjectRef;
use std::sync::Arc;

/// No deeper than this into what a condition is made of.
pub const DEPTH: usize = 12;
/// At most so many operations of a condition are looked at.
const MAX_OPERATIONS: usize = 100_000;

/// A value that was computed on the way.
#[derive(Clone, Debug)]
pub struct TracedValue {
    /// Where; none for a parameter.
    pub pc: Option<usize>,
    /// Its type.
    pub ty: Type,
    /// What it is.
    pub value: i64,
    /// The elements, if it is a list.
    pub list: Vec<u32>,
    /// What it was made of: numbers of values.
    pub of: Vec<usize>,
    /// What stood in its register before.
    pub before: Option<usize>,
}

/// A pure function as it was computed.
#[derive(Debug)]
pub struct EvalTrace<'f> {
    function: &'f Function,
    made: Vec<TracedValue>,
    /// The number of its value.
    pub result: Option<usize>,
}

impl<'f> EvalTrace<'f> {
    /// Computes it.
    pub fn new(world: &EvalContext<'_>, scratch: &mut Scratch, function: &'f Function, args: &[i64]) -> Self {
        let base = scratch.registers.len();
        let mark = scratch.mark();
        scratch.registers.extend(args.iter().copied());
        scratch.registers.resize(base + function.registers.len().max(args.len()), 0);
        let mut this = Self { function, made: Vec::new(), result: None };
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
                    if let Some(register) = op.written() {
                        let made = this.add(scratch, base, register, Some(at), &of);
                        if let Some(place) = last.get_mut(usize::from(register)) {
                            if let Some(made) = this.made.get_mut(made) {
                                made.before = *place;
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

    /// Takes down what a register holds now.
    fn add(&mut self, scratch: &Scratch, base: usize, register: u16, pc: Option<usize>, of: &[usize]) -> usize {
        let ty = self.function.registers.get(usize::from(register)).copied().unwrap_or(Type::Number);
        let value = get(scratch, base, register);
        let list = if ty.is_list() { scratch.list(value).iter().map(|item| *item as u32).collect() } else { Vec::new() };
        self.made.push(TracedValue { pc, ty, value, list, of: of.to_vec(), before: None });
        self.made.len() - 1
    }

    /// A value by its number.
    pub fn made(&self, at: usize) -> Option<&TracedValue> {
        self.made.get(at)
    }

    /// The operation that made a value.
    pub fn op(&self, at: usize) -> Option<&'f Op> {
        self.function.ops.get(self.made.get(at)?.pc?)
    }

    /// What a value was made of, by number.
    pub fn part(&self, at: usize, number: usize) -> Option<usize> {
        self.made.get(at)?.of.get(number).copied()
    }

    /// The value of a part as a reference.
    pub fn reference(&self, at: usize, number: usize) -> Option<ObjectRef> {
        Some(ObjectRef::from_value(self.made(self.part(at, number)?)?.value))
    }

    /// Goes on to what was copied.
    pub fn origin(&self, mut at: usize) -> usize {
        for _ in 0..DEPTH {
            match (self.op(at), self.part(at, 0)) {
                (Some(Op::Copy { .. } | Op::Cast { .. }), Some(from)) => at = from,
                _ => break,
            }
        }
        at
    }
}

/// What of the moment a condition hangs on that does not hold, where everybody can see that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimingCause {
    /// Which phase or step it is.
    Span,
    /// Whose turn it is.
    Active,
    /// What waits on the list.
    List,
}

impl Machine {
    /// What of the moment a condition hangs on that does not hold; none if it is something else, or several things.
    pub(crate) fn timing_cause(&mut self, condition: FnId, args: &[i64]) -> Option<TimingCause> {
        self.hinge_of(condition, args, true, DEPTH)
    }

    fn hinge_of(&mut self, function: FnId, args: &[i64], wanted: bool, depth: usize) -> Option<TimingCause> {
        let depth = depth.checked_sub(1)?;
        let program = Arc::clone(&self.program);
        let function = program.source_function(function)?;
        let (world, scratch) = self.world();
        let it = EvalTrace::new(&world, scratch, function, args);
        let (mut at, mut wanted) = (it.result?, wanted);
        for _ in 0..DEPTH {
            let value = |number: usize| it.made(it.part(at, number)?).map(|made| made.value != 0);
            match it.op(at)? {
                Op::Copy { .. } => {
                    // an `or` of which neither side holds hangs on both
                    let before = it.made(at)?.before.and_then(|before| it.made(before));
                    if wanted && before.is_some_and(|before| before.value == 0) {
                        return None;
                    }
                    at = it.part(at, 0)?;
                }
                Op::Not { .. } => (at, wanted) = (it.part(at, 0)?, !wanted),
                Op::Binary { op: Binary::And, .. } if wanted => {
                    at = if value(0)? { it.part(at, 1)? } else { it.part(at, 0)? };
                }
                Op::Binary { op: Binary::Equal | Binary::NotEqual | Binary::Less | Binary::LessEqual, .. } => {
                    let sides = [it.origin(it.part(at, 0)?), it.origin(it.part(at, 1)?)];
                    let is = |test: fn(&Op) -> bool| sides.iter().any(|side| it.op(*side).is_some_and(test));
                    let waits = |op: &Op| matches!(op, Op::Builtin { builtin, .. } if BUILTINS.get(usize::from(*builtin)).is_some_and(|row| matches!(row.name, "list_size" | "list_top")));
                    return match () {
                        () if is(|op| matches!(op, Op::Active { .. })) => Some(TimingCause::Active),
                        () if is(waits) => Some(TimingCause::List),
                        () => None,
                    };
                }
                Op::InSpan { .. } => return Some(TimingCause::Span),
                Op::Call { function, .. } => {
                    let parts = &it.made(at)?.of;
                    if parts.iter().any(|part| it.made(*part).is_some_and(|made| made.ty.is_list())) {
                        return None;
                    }
                    let args: Vec<i64> = parts.iter().filter_map(|part| Some(it.made(*part)?.value)).collect();
                    return self.hinge_of(*function, &args, wanted, depth);
                }
                _ => return None,
            }
        }
        None
    }
}
