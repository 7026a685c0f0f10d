//! What a plain function gives whatever some of its arguments are.

use super::{Instruction, Plain, Registers, Then, Value, bit};
use crate::ir::FnId;
use crate::ir::op::Binary;
use crate::state::layout;
use crate::vm::eval::{MAX_DEPTH, Scratch, World};

/// Branches that are gone both ways in one question; more, and nothing is said.
const FORKS: u32 = 12;

/// Values of registers, some of which are unknown.
#[derive(Clone, Copy)]
struct Partly {
    registers: Registers,
    unknown: u32,
    sees: Sees,
}

/// What a question about the future may look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sees {
    /// The whole state as it is.
    State,
    /// Nothing but the moment: whose turn it is, and which spans are open. All else is unknown.
    Moment,
}

impl Sees {
    /// Whether a value can be computed when its registers are known.
    fn computes(self, value: Value) -> bool {
        self == Self::State
            || matches!(value, Value::Of(_) | Value::Binary { .. } | Value::Not(_) | Value::Active | Value::InSpan(_))
    }
}

impl World<'_> {
    /// The value of a plain function whatever its arguments in `unknown` are (bit `n` for argument `n`; objects among them exist); nothing
    /// when it depends on them, or when telling would take long. An operation on something unknown gives something unknown, and a branch on something unknown is
    /// gone both ways. Costs no fuel.
    pub(crate) fn foresee(&self, scratch: &mut Scratch, function: FnId, args: &[i64], unknown: u32, sees: Sees) -> Option<i64> {
        let (mark, fuel) = (scratch.mark(), scratch.fuel);
        let mut forks = FORKS;
        let value = self.foresee_call(scratch, function, args.iter().copied(), (unknown, sees), &mut forks);
        scratch.fuel = fuel;
        scratch.release(mark);
        value
    }

    fn foresee_call(
        &self,
        scratch: &mut Scratch,
        function: FnId,
        args: impl Iterator<Item = i64>,
        (unknown, sees): (u32, Sees),
        forks: &mut u32,
    ) -> Option<i64> {
        let code = self.program.function(function)?;
        let plain = self.program.plain.get(self.program, function, code)?;
        if scratch.depth > MAX_DEPTH {
            return None;
        }
        let mut registers = plain.start;
        registers.0.iter_mut().take(plain.params).zip(args).for_each(|(place, arg)| *place = arg);
        scratch.depth += 1;
        let value = self.foresee_from(scratch, plain, 0, Partly { registers, unknown, sees }, forks);
        scratch.depth -= 1;
        value
    }

    fn foresee_from(&self, scratch: &mut Scratch, plain: &Plain, mut pc: usize, mut at: Partly, forks: &mut u32) -> Option<i64> {
        while let (Some(Instruction { value, then, fuel }), Some(reads)) = (plain.code.get(pc), plain.reads.get(pc)) {
            pc += 1;
            scratch.fuel += u64::from(*fuel);
            if scratch.fuel > scratch.limit {
                return None;
            }
            let value = if reads & at.unknown == 0 && at.sees.computes(*value) {
                Some(self.plain_value(scratch, plain, *value, &at.registers))
            } else {
                self.foresee_value(scratch, plain, *value, &at, forks)
            };
            match (*then, value) {
                (Then::Store(dst), Some(value)) => {
                    at.registers.set(dst, value);
                    at.unknown &= !bit(dst);
                }
                (Then::Store(dst), None) => at.unknown |= bit(dst),
                (Then::Unless(to), Some(0)) => pc = usize::from(to),
                (Then::If(to), Some(value)) if value != 0 => pc = usize::from(to),
                (Then::Unless(_) | Then::If(_), Some(_)) => {}
                (Then::Unless(to) | Then::If(to), None) => {
                    *forks = forks.checked_sub(1)?;
                    let there = self.foresee_from(scratch, plain, usize::from(to), at, forks)?;
                    let here = self.foresee_from(scratch, plain, pc, at, forks)?;
                    return (here == there).then_some(here);
                }
                (Then::Go(to), _) => pc = usize::from(to),
                (Then::Return, value) => return value,
            }
        }
        Some(0)
    }

    /// A value that reads something unknown, where that does not matter.
    fn foresee_value(&self, scratch: &mut Scratch, plain: &Plain, value: Value, at: &Partly, forks: &mut u32) -> Option<i64> {
        let known = |reg| (at.unknown & bit(reg) == 0).then(|| at.registers.get(reg));
        match value {
            Value::Binary { op: Binary::And, a, b } => [a, b].into_iter().filter_map(known).find(|value| *value == 0),
            Value::Binary { op: Binary::Or, a, b } => [a, b].into_iter().filter_map(known).find(|value| *value != 0).map(|_| 1),
            // What no object has this one has not.
            Value::Status { of, status } if at.sees == Sees::State && at.unknown & bit(of) != 0 => {
                self.state.slots_with(layout::STATUSES + usize::from(status)).next().is_none().then_some(0)
            }
            Value::Call { function, args } => {
                let unknown = (0..).zip(plain.operands(args)).filter(|(_, reg)| at.unknown & bit(**reg) != 0);
                let unknown = unknown.fold(0, |mask, (n, _)| mask | bit(n));
                let args = plain.operands(args).iter().map(|reg| at.registers.get(*reg));
                self.foresee_call(scratch, function, args, (unknown, at.sees), forks)
            }
            _ => None,
        }
    }
}
