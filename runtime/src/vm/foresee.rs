//! What a pure function gives whatever some of its arguments are: asked once for many objects, before it is asked of each.
//!
//! Evaluation with unknown values: an operation on something unknown gives something unknown, and a branch on something unknown is
//! gone both ways. `main_phase(you) and ...` is false for every card of a hand at once.

use super::eval::{Scratch, World, get, set};
use crate::ir::op::Binary;
use crate::ir::{FnId, Op, Type};

/// Branches that are gone both ways in one question; more, and nothing is said.
const FORKS: u32 = 12;

/// A set of registers; functions with more are not looked into.
type Unknown = u64;

impl World<'_> {
    /// The value of a function whatever the arguments in `unknown` are (bit `n` for argument `n`); nothing when it depends on them, or
    /// when telling would take long. Costs no fuel.
    pub(crate) fn foresee(&self, scratch: &mut Scratch, function: FnId, args: &[i64], unknown: Unknown) -> Option<i64> {
        let (mark, fuel, floor) = (scratch.mark(), scratch.fuel, scratch.registers.len());
        scratch.registers.extend_from_slice(args);
        let value = self.foresee_call(scratch, function, floor, unknown, &mut FORKS.clone());
        scratch.registers.truncate(floor);
        scratch.fuel = fuel;
        scratch.release(mark);
        value
    }

    /// Runs a function whose arguments are the registers from `base` on; they are left as they may be.
    fn foresee_call(&self, scratch: &mut Scratch, function: FnId, base: usize, unknown: Unknown, forks: &mut u32) -> Option<i64> {
        let code = self.program.function(function)?;
        // Words of the text are those of an object.
        if code.registers.len() > Unknown::BITS as usize || !code.slots.is_empty() {
            return None;
        }
        scratch.registers.resize(base + code.registers.len(), 0);
        self.foresee_from(scratch, &code.ops, &code.registers, 0, base, unknown, forks)
    }

    #[expect(clippy::too_many_arguments, reason = "the state of an evaluation that forks")]
    fn foresee_from(
        &self,
        scratch: &mut Scratch,
        ops: &[Op],
        types: &[Type],
        mut pc: usize,
        base: usize,
        mut unknown: Unknown,
        forks: &mut u32,
    ) -> Option<i64> {
        let is_unknown = |unknown: Unknown, reg: u16| unknown & (1 << reg) != 0;
        loop {
            let Some(op) = ops.get(pc) else { return Some(0) };
            pc += 1;
            scratch.fuel += 1;
            if scratch.fuel > scratch.limit {
                return None;
            }
            match op {
                Op::Jump { to } => pc = *to as usize,
                Op::JumpUnless { cond, to } if is_unknown(unknown, *cond) => {
                    *forks = forks.checked_sub(1)?;
                    if types.get(usize::from(*cond)) != Some(&Type::Bool) {
                        return None;
                    }
                    // Both ways, each with what it says about the condition.
                    let known = unknown & !(1 << *cond);
                    let copy = scratch.registers.len();
                    scratch.registers.extend_from_within(base..base + types.len());
                    set(scratch, copy + usize::from(*cond), 0);
                    let otherwise = self.foresee_from(scratch, ops, types, *to as usize, copy, known, forks);
                    scratch.registers.truncate(copy);
                    let otherwise = otherwise?;
                    set(scratch, base + usize::from(*cond), 1);
                    let value = self.foresee_from(scratch, ops, types, pc, base, known, forks)?;
                    return (value == otherwise).then_some(value);
                }
                Op::JumpUnless { cond, to } => {
                    if get(scratch, base, *cond) == 0 {
                        pc = *to as usize;
                    }
                }
                Op::Return { value } => {
                    let Some(reg) = value else { return Some(0) };
                    return (!is_unknown(unknown, *reg)).then(|| get(scratch, base, *reg));
                }
                op => {
                    let mut reads_unknown = false;
                    op.for_each_read(|reg| reads_unknown |= is_unknown(unknown, reg));
                    let dst = op.written()?;
                    let known = if reads_unknown { self.foresee_op(scratch, op, base, unknown, forks) } else { None };
                    match known {
                        Some(value) => set(scratch, base + usize::from(dst), value),
                        None if reads_unknown => {
                            unknown |= 1 << dst;
                            continue;
                        }
                        None => drop(self.pure_op(scratch, base, op, types)),
                    }
                    unknown &= !(1 << dst);
                }
            }
        }
    }

    /// The value of an operation that reads something unknown, where it does not matter.
    fn foresee_op(&self, scratch: &mut Scratch, op: &Op, base: usize, unknown: Unknown, forks: &mut u32) -> Option<i64> {
        let known = |scratch: &Scratch, reg: u16| (unknown & (1 << reg) == 0).then(|| get(scratch, base, reg));
        match op {
            Op::Binary { op: Binary::And, a, b, .. } => {
                [*a, *b].into_iter().filter_map(|reg| known(scratch, reg)).find(|value| *value == 0)
            }
            Op::Binary { op: Binary::Or, a, b, .. } => {
                [*a, *b].into_iter().filter_map(|reg| known(scratch, reg)).find(|value| *value != 0).map(|_| 1)
            }
            Op::Call { function, args, .. } => {
                let mut of_args: Unknown = 0;
                let window = scratch.registers.len();
                for (n, reg) in args.iter().enumerate().take(Unknown::BITS as usize) {
                    of_args |= Unknown::from(unknown & (1 << reg) != 0) << n;
                    let value = get(scratch, base, *reg);
                    scratch.registers.push(value);
                }
                let value = self.foresee_call(scratch, *function, window, of_args, forks);
                scratch.registers.truncate(window);
                value
            }
            _ => None,
        }
    }
}
