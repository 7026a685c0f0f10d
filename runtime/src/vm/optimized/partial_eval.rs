//! What a plain function gives whatever some of its arguments are.

use super::{Destination, Instruction, OptimizedFunction, Registers, Value, bit};
use crate::ir::FnId;
use crate::ir::op::Binary;
use crate::state::{ObjectRef, layout};
use crate::vm::dependencies::DepSet;
use crate::vm::eval::{EvalContext, MAX_DEPTH, Scratch};

/// Branches that are gone both ways in one question; more, and nothing is said.
const MAX_FORKS: u32 = 12;
/// Operations of a question; of a longer one nothing is foreseen.
const MAX_OPERATIONS: u64 = 10_000;

/// What a question about the future may look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum KnownInputs {
    /// The whole state as it is.
    State,
    /// Nothing but the moment: whose turn it is, and which spans are open. All else is unknown.
    Moment,
    /// The moment, and that the first argument, whatever it is, has just the words and keywords that a definition prints, and lies in a
    /// zone kind.
    Print {
        /// The definition.
        definition: usize,
        /// The zone kind.
        zone: usize,
    },
    /// What stays as it is when an object arrives: the state, but for what lies where. The unknown arguments are what arrives.
    Arrival(EnteringObject),
}

/// An object as it will be where it is going. Its statuses there are not foreseen, nor are its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct EnteringObject {
    /// The object as it still is.
    pub it: ObjectRef,
    /// The definition that it will show.
    pub definition: usize,
    /// Whether it will have no abilities: what conceals it shows no more than words.
    pub bare: bool,
    /// The zone kind.
    pub zone: usize,
    /// Who will control it.
    pub controller: i64,
}

impl KnownInputs {
    /// What the object that a question is about prints, and the zone kind in which it lies.
    fn print(self) -> Option<(usize, usize)> {
        match self {
            Self::Print { definition, zone } => Some((definition, zone)),
            Self::Arrival(EnteringObject { definition, zone, .. }) => Some((definition, zone)),
            Self::State | Self::Moment => None,
        }
    }
}

/// The answer to a question about the future.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartialResult {
    /// What the function gives; nothing when that depends on what is unknown, or when telling would take long.
    pub value: Option<i64>,
    /// What was looked at: the answer holds as long as none of this changes.
    pub seen: DepSet,
    /// Whether telling takes too long.
    pub ran_out: bool,
}

/// Values of registers, some of which are unknown.
#[derive(Clone, Copy)]
struct PartialRegisters {
    registers: Registers,
    unknown: u32,
    /// Those of the unknown that hold what is printed so.
    printed: u32,
}

/// A question under way.
struct PartialEvaluation {
    sees: KnownInputs,
    forks: u32,
    seen: DepSet,
    ran_out: bool,
}

impl PartialEvaluation {
    /// Whether a value can be computed when its registers are known.
    fn computes(&self, value: Value) -> bool {
        match value {
            Value::Of(_) | Value::Binary { .. } | Value::Not(_) | Value::Cast { .. } | Value::Active | Value::InSpan(_) => true,
            _ => match self.sees {
                KnownInputs::State => true,
                KnownInputs::Moment | KnownInputs::Print { .. } => false,
                KnownInputs::Arrival(_) => stands(value),
            },
        }
    }
}

/// Whether a value of objects and players that are there is the same after another object has arrived, as long as no effect writes what it reads.
fn stands(value: Value) -> bool {
    match value {
        Value::Bit { .. }
        | Value::Owner(_)
        | Value::Controller(_)
        | Value::Status { .. }
        | Value::Player { .. }
        | Value::Word { .. }
        | Value::HasKeyword { .. }
        | Value::Exists(_)
        | Value::InZone { .. }
        | Value::Opponent(_) => true,
        Value::Builtin { builtin, .. } => DepSet::of_builtin(builtin) == DepSet::NONE,
        _ => false,
    }
}

impl EvalContext<'_> {
    /// The value of a plain function whatever its arguments in `unknown` are (bit `n` for argument `n`; objects among them exist). An
    /// operation on something unknown gives something unknown, and a branch on something unknown is gone both ways. Costs no fuel, and
    /// executes no more than [`MAX_OPERATIONS`] operations.
    pub(crate) fn evaluate_partially(
        &self,
        scratch: &mut Scratch,
        function: FnId,
        args: &[i64],
        unknown: u32,
        sees: KnownInputs,
    ) -> PartialResult {
        let (mark, fuel, limit) = (scratch.mark(), scratch.fuel, scratch.limit);
        scratch.limit = limit.min(fuel.saturating_add(MAX_OPERATIONS));
        let mut question = PartialEvaluation { sees, forks: MAX_FORKS, seen: DepSet::NONE, ran_out: false };
        let printed = match sees {
            KnownInputs::State | KnownInputs::Moment => 0,
            KnownInputs::Print { .. } => unknown & 1,
            KnownInputs::Arrival(_) => unknown,
        };
        let value = self.foresee_call(scratch, function, args.iter().copied(), (unknown, printed), &mut question);
        (scratch.fuel, scratch.limit) = (fuel, limit);
        scratch.release(mark);
        let PartialEvaluation { seen, ran_out, .. } = question;
        PartialResult { value, seen, ran_out }
    }

    fn foresee_call(
        &self,
        scratch: &mut Scratch,
        function: FnId,
        args: impl Iterator<Item = i64>,
        (unknown, printed): (u32, u32),
        question: &mut PartialEvaluation,
    ) -> Option<i64> {
        let code = self.program.function(function)?;
        let plain = self.program.optimized.get(self.program, function, code)?;
        if scratch.depth > MAX_DEPTH {
            return None;
        }
        let mut registers = plain.start;
        registers.0.iter_mut().take(plain.params).zip(args).for_each(|(place, arg)| *place = arg);
        scratch.depth += 1;
        let value = self.foresee_from(scratch, plain, 0, PartialRegisters { registers, unknown, printed }, question);
        scratch.depth -= 1;
        value
    }

    fn foresee_from(
        &self,
        scratch: &mut Scratch,
        plain: &OptimizedFunction,
        mut pc: usize,
        mut at: PartialRegisters,
        question: &mut PartialEvaluation,
    ) -> Option<i64> {
        while let (Some(Instruction { value, then, fuel }), Some(reads), Some(looks)) =
            (plain.code.get(pc), plain.reads.get(pc), plain.looks.get(pc))
        {
            pc += 1;
            scratch.fuel += u64::from(*fuel);
            let printed = matches!(*value, Value::Of(reg) if at.printed & bit(reg) != 0);
            let value = if reads & at.unknown == 0 && question.computes(*value) {
                question.seen |= *looks;
                let value = self.plain_value(scratch, plain, *value, &at.registers);
                // What remembers the object that arrives means what it was before.
                Some(value).filter(|value| !matches!(question.sees, KnownInputs::Arrival(new) if new.it.value() == *value))
            } else {
                self.foresee_value(scratch, plain, (*value, *looks), &at, question)
            };
            if scratch.fuel > scratch.limit {
                // How far it comes depends on what was used before.
                (question.seen, question.ran_out) = (DepSet::UNKNOWN, true);
                return None;
            }
            match (*then, value) {
                (Destination::Store(dst), value) => {
                    at.printed &= !bit(dst);
                    match value {
                        Some(value) => {
                            at.registers.set(dst, value);
                            at.unknown &= !bit(dst);
                        }
                        None => {
                            at.unknown |= bit(dst);
                            at.printed |= if printed { bit(dst) } else { 0 };
                        }
                    }
                }
                (Destination::Unless(to), Some(0)) => pc = usize::from(to),
                (Destination::If(to), Some(value)) if value != 0 => pc = usize::from(to),
                (Destination::Unless(_) | Destination::If(_), Some(_)) => {}
                (Destination::Unless(to) | Destination::If(to), None) => {
                    question.forks = question.forks.checked_sub(1)?;
                    let there = self.foresee_from(scratch, plain, usize::from(to), at, question)?;
                    let here = self.foresee_from(scratch, plain, pc, at, question)?;
                    return (here == there).then_some(here);
                }
                (Destination::Go(to), _) => pc = usize::from(to),
                (Destination::Return, value) => return value,
            }
        }
        Some(0)
    }

    /// A value that reads something unknown, where that does not matter.
    fn foresee_value(
        &self,
        scratch: &mut Scratch,
        plain: &OptimizedFunction,
        (value, looks): (Value, DepSet),
        at: &PartialRegisters,
        question: &mut PartialEvaluation,
    ) -> Option<i64> {
        let known = |reg| (at.unknown & bit(reg) == 0).then(|| at.registers.get(reg));
        match (value, question.sees) {
            (Value::Binary { op: Binary::And, a, b }, _) => [a, b].into_iter().filter_map(known).find(|value| *value == 0),
            (Value::Binary { op: Binary::Or, a, b }, _) => {
                [a, b].into_iter().filter_map(known).find(|value| *value != 0).map(|_| 1)
            }
            // What no object has this one has not.
            (Value::Status { of, status }, KnownInputs::State) if at.unknown & bit(of) != 0 => {
                question.seen |= looks;
                (!self.state.any_with(layout::STATUSES + usize::from(status))).then_some(0)
            }
            // It is another object than all that were there before.
            (Value::Binary { op: op @ (Binary::Equal | Binary::NotEqual), a, b }, KnownInputs::Arrival(_)) => {
                let other = if at.printed & bit(a) != 0 { known(b) } else { known(a).filter(|_| at.printed & bit(b) != 0) };
                other.map(|_| i64::from(op == Binary::NotEqual))
            }
            (Value::Call { function, args }, _) => {
                let among = |mask: u32| {
                    let regs = (0..).zip(plain.operands(args)).filter(|(_, reg)| mask & bit(**reg) != 0);
                    regs.fold(0, |mask, (n, _)| mask | bit(n))
                };
                let (unknown, printed) = (among(at.unknown), among(at.printed));
                let args = plain.operands(args).iter().map(|reg| at.registers.get(*reg));
                self.foresee_call(scratch, function, args, (unknown, printed), question)
            }
            (value, sees) => {
                let (definition, zone) = sees.print()?;
                let is_printed = value.registers().iter().flatten().all(|of| at.printed & bit(*of) != 0);
                let arriving = if let KnownInputs::Arrival(new) = sees { Some(new) } else { None };
                let bare = arriving.is_some_and(|new| new.bare);
                match value {
                    _ if !is_printed => None,
                    Value::Bit { column, .. } if bare && usize::from(column) >= self.program.row.units => Some(0),
                    Value::Bit { bit: word, column, .. } => {
                        let printed = self.program.told_by_print(definition, usize::from(column))?;
                        Some(i64::from(printed >> word & 1))
                    }
                    Value::HasKeyword { keyword, .. } => {
                        Some(i64::from(!bare && self.program.prints_keyword(definition, keyword)))
                    }
                    Value::InZone { kind, .. } => Some(i64::from(zone == usize::from(kind))),
                    Value::Controller(_) => arriving.map(|new| new.controller),
                    Value::Owner(_) => arriving.map(|new| i64::from(self.state.column(new.it.slot(), layout::OWNER))),
                    _ => None,
                }
            }
        }
    }
}
