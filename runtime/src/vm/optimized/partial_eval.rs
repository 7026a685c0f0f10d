//! Partial evaluation: the result of an optimized function when some arguments, or most of the state, are unknown.
//!
//! [`KnownInputs`] says what may be read: nothing, the state, the turn position alone, the absence of a status, a print, or an object
//! that is entering the field.
//! The result is a value only if it is the same for all values of the unknown; else `None`. `main_phase(you) and …` is false for
//! every card of a hand in one evaluation. Both sides of at most 12 unknown branches are followed (2 where the whole state is known),
//! for at most 10,000 operations. The result carries the [`DepSet`] that it was derived from.

use crate::ir::FnId;
use crate::ir::op::Binary;
use crate::ir::verbs::{BuiltinFunction, BuiltinReads};
use crate::state::layout;
use crate::vm::dependencies::DepSet;
use crate::vm::eval_context::{EvalContext, MAX_CALL_DEPTH};
use crate::vm::optimized::code::{Destination, Instruction, LocalReg, OptimizedFunction, Registers, Value, bit};
use crate::vm::optimized::known_inputs::{KnownInputs, PartialResult};
use crate::vm::scratch::Scratch;

/// Branches on unknown conditions that one evaluation follows both ways. With more, the result is unknown.
const MAX_FORKS: u32 = 12;
/// As [`MAX_FORKS`], where the whole state is known: what it refuses is mostly tested before the object, and the result is not kept for
/// long.
const MAX_FORKS_OF_STATE: u32 = 2;
/// Operations of one evaluation. If it needs more, the result is unknown.
const MAX_OPERATIONS: u64 = 10_000;

/// Registers, some of whose values are unknown.
#[derive(Clone, Copy)]
struct PartialRegisters {
    registers: Registers,
    unknown: u32,
    /// A mask of the unknown registers that hold the subject: an object whose print is known, or an object of a zone.
    subjects: u32,
}

/// A partial evaluation in progress.
struct PartialEvaluation {
    inputs: KnownInputs,
    forks: u32,
    dependencies: DepSet,
    exceeds_limit: bool,
}

impl PartialEvaluation {
    /// Returns whether a value can be computed once the registers that it reads are known.
    fn can_compute(&self, value: Value) -> bool {
        match value {
            Value::Register(_) | Value::Binary { .. } | Value::Not(_) | Value::Cast { .. } => true,
            Value::ActivePlayer | Value::InPeriod(_) => {
                !matches!(self.inputs, KnownInputs::Nothing | KnownInputs::WithoutStatus(_))
            }
            _ => match self.inputs {
                KnownInputs::State => true,
                KnownInputs::Nothing | KnownInputs::WithoutStatus(_) => match value {
                    Value::ZoneOf { .. } => true,
                    Value::Builtin { builtin, .. } => {
                        BuiltinFunction::from_number(builtin).is_some_and(|function| function.reads() == BuiltinReads::Arguments)
                    }
                    _ => false,
                },
                KnownInputs::TurnPosition | KnownInputs::Print { .. } => false,
                KnownInputs::Arrival(_) => is_unaffected_by_arrival(value),
            },
        }
    }
}

/// Returns whether a value of existing objects and players is the same after another object has entered, provided that no effect
/// writes what it reads.
fn is_unaffected_by_arrival(value: Value) -> bool {
    match value {
        Value::Bit { .. }
        | Value::Owner(_)
        | Value::Controller(_)
        | Value::Status { .. }
        | Value::PlayerVariable { .. }
        | Value::GameVariable { .. }
        | Value::HasKeyword { .. }
        | Value::Exists(_)
        | Value::InZone { .. }
        | Value::Opponent(_) => true,
        Value::Builtin { builtin, .. } => DepSet::of_builtin(builtin) == DepSet::NONE,
        _ => false,
    }
}

impl EvalContext<'_> {
    /// Returns the value of an optimized function that holds for all values of the arguments in the mask `unknown` (bit `n` for
    /// argument `n`). Objects among these arguments exist. An operation on something unknown yields something unknown; a branch
    /// on something unknown is followed both ways. Charges no fuel, and executes at most [`MAX_OPERATIONS`] operations.
    pub(crate) fn evaluate_partially(
        &self,
        scratch: &mut Scratch,
        function: FnId,
        args: &[i64],
        unknown: u32,
        inputs: KnownInputs,
    ) -> PartialResult {
        let (mark, fuel, limit) = (scratch.mark(), scratch.fuel, scratch.limit);
        scratch.limit = limit.min(fuel.saturating_add(MAX_OPERATIONS));
        let forks = if inputs == KnownInputs::State { MAX_FORKS_OF_STATE } else { MAX_FORKS };
        let mut evaluation = PartialEvaluation { inputs, forks, dependencies: DepSet::NONE, exceeds_limit: false };
        let printed = match inputs {
            KnownInputs::Nothing | KnownInputs::State | KnownInputs::TurnPosition | KnownInputs::WithoutStatus(_) => 0,
            KnownInputs::Print { .. } => unknown & 1,
            KnownInputs::Arrival(_) => unknown,
        };
        let value = self.evaluate_call_partially(scratch, function, args.iter().copied(), (unknown, printed), &mut evaluation);
        (scratch.fuel, scratch.limit) = (fuel, limit);
        scratch.release(mark);
        let PartialEvaluation { dependencies, exceeds_limit, .. } = evaluation;
        PartialResult { value, dependencies, exceeds_limit }
    }

    fn evaluate_call_partially(
        &self,
        scratch: &mut Scratch,
        function: FnId,
        args: impl Iterator<Item = i64>,
        (unknown, printed): (u32, u32),
        evaluation: &mut PartialEvaluation,
    ) -> Option<i64> {
        let code = self.program.function(function)?;
        let optimized = self.program.optimized.get(self.program, function, code)?;
        if scratch.depth > MAX_CALL_DEPTH {
            return None;
        }
        let mut registers = optimized.start;
        registers.0.iter_mut().take(optimized.params).zip(args).for_each(|(place, arg)| *place = arg);
        scratch.depth += 1;
        let value = self.evaluate_partially_from(
            scratch,
            optimized,
            0,
            PartialRegisters { registers, unknown, subjects: printed },
            evaluation,
        );
        scratch.depth -= 1;
        value
    }

    fn evaluate_partially_from(
        &self,
        scratch: &mut Scratch,
        optimized: &OptimizedFunction,
        mut pc: usize,
        mut at: PartialRegisters,
        evaluation: &mut PartialEvaluation,
    ) -> Option<i64> {
        while let (Some(Instruction { value, then, fuel }), Some(reads), Some(dependencies)) =
            (optimized.code.get(pc), optimized.reads.get(pc), optimized.dependencies.get(pc))
        {
            pc += 1;
            scratch.fuel += u64::from(*fuel);
            let printed = matches!(*value, Value::Register(reg) if at.subjects & bit(reg) != 0);
            let value = if reads & at.unknown == 0 && evaluation.can_compute(*value) {
                evaluation.dependencies |= *dependencies;
                let value = self.compute_value(scratch, optimized, *value, &at.registers);
                // A value that refers to the entering object refers to it as it was before the move.
                Some(value).filter(|value| !matches!(evaluation.inputs, KnownInputs::Arrival(new) if new.it.value() == *value))
            } else {
                self.evaluate_value_partially(scratch, optimized, (*value, *dependencies), &at, evaluation)
            };
            if scratch.fuel > scratch.limit {
                // How far the evaluation gets depends on the fuel of cached results.
                (evaluation.dependencies, evaluation.exceeds_limit) = (DepSet::UNKNOWN, true);
                return None;
            }
            match (*then, value) {
                (Destination::Store(dst), value) => {
                    at.subjects &= !bit(dst);
                    match value {
                        Some(value) => {
                            at.registers.set(dst, value);
                            at.unknown &= !bit(dst);
                        }
                        None => {
                            at.unknown |= bit(dst);
                            at.subjects |= if printed { bit(dst) } else { 0 };
                        }
                    }
                }
                (Destination::JumpIfZero(to), Some(0)) => pc = usize::from(to),
                (Destination::JumpIfNonZero(to), Some(value)) if value != 0 => pc = usize::from(to),
                (Destination::JumpIfZero(_) | Destination::JumpIfNonZero(_), Some(_)) => {}
                (Destination::JumpIfZero(to) | Destination::JumpIfNonZero(to), None) => {
                    evaluation.forks = evaluation.forks.checked_sub(1)?;
                    let there = self.evaluate_partially_from(scratch, optimized, usize::from(to), at, evaluation)?;
                    let here = self.evaluate_partially_from(scratch, optimized, pc, at, evaluation)?;
                    return (here == there).then_some(here);
                }
                (Destination::Jump(to), _) => pc = usize::from(to),
                (Destination::Return, value) => return value,
            }
        }
        Some(0)
    }

    /// Evaluates a value that reads something unknown. Returns `None` if the value depends on it.
    fn evaluate_value_partially(
        &self,
        scratch: &mut Scratch,
        optimized: &OptimizedFunction,
        (value, dependencies): (Value, DepSet),
        at: &PartialRegisters,
        evaluation: &mut PartialEvaluation,
    ) -> Option<i64> {
        let known = |reg| (at.unknown & bit(reg) == 0).then(|| at.registers.get(reg));
        match (value, evaluation.inputs) {
            (Value::Binary { op: Binary::And, a, b }, _) => [a, b].into_iter().filter_map(known).find(|value| *value == 0),
            (Value::Binary { op: Binary::Or, a, b }, _) => {
                [a, b].into_iter().filter_map(known).find(|value| *value != 0).map(|_| 1)
            }
            // If no object has the status, the unknown one does not have it either.
            (Value::Status { of, status }, KnownInputs::State) if at.unknown & bit(of) != 0 => {
                evaluation.dependencies |= dependencies;
                (!self.state.any_slot_with(layout::STATUSES + usize::from(status))).then_some(0)
            }
            // Objects that left have the statuses that they had.
            (Value::Status { of, status }, KnownInputs::WithoutStatus(absent)) => {
                (status == absent && at.subjects & bit(of) != 0).then_some(0)
            }
            // No object passes a filter that needs the status.
            (Value::Aggregate(n), KnownInputs::WithoutStatus(_)) => {
                let filters = optimized.aggregates.get(usize::from(n)).map_or(&[][..], |aggregate| &aggregate.filters);
                let drops_all = filters.iter().any(|(filter, captures)| {
                    let captures = optimized.operands(*captures);
                    let subject = bit(captures.len() as LocalReg);
                    let unknown = (0..).zip(captures).filter(|(_, reg)| at.unknown & bit(**reg) != 0);
                    let unknown = unknown.fold(subject, |mask, (n, _)| mask | bit(n));
                    let args = captures.iter().map(|reg| at.registers.get(*reg));
                    self.evaluate_call_partially(scratch, *filter, args, (unknown, subject), evaluation) == Some(0)
                });
                drops_all.then_some(0)
            }
            // The entering object differs from all objects that existed before.
            (Value::Binary { op: op @ (Binary::Equal | Binary::NotEqual), a, b }, KnownInputs::Arrival(_)) => {
                let other = if at.subjects & bit(a) != 0 { known(b) } else { known(a).filter(|_| at.subjects & bit(b) != 0) };
                other.map(|_| i64::from(op == Binary::NotEqual))
            }
            (Value::Call { function, args }, _) => {
                let among = |mask: u32| {
                    let regs = (0..).zip(optimized.operands(args)).filter(|(_, reg)| mask & bit(**reg) != 0);
                    regs.fold(0, |mask, (n, _)| mask | bit(n))
                };
                let (unknown, printed) = (among(at.unknown), among(at.subjects));
                let args = optimized.operands(args).iter().map(|reg| at.registers.get(*reg));
                self.evaluate_call_partially(scratch, function, args, (unknown, printed), evaluation)
            }
            (value, inputs) => {
                let (definition, zone) = inputs.print()?;
                let is_printed = value.registers().iter().flatten().all(|of| at.subjects & bit(*of) != 0);
                let arriving = if let KnownInputs::Arrival(new) = inputs { Some(new) } else { None };
                let bare = arriving.is_some_and(|new| new.has_no_abilities);
                match value {
                    _ if !is_printed => None,
                    Value::Bit { column, .. } if bare && usize::from(column) >= self.program.row.bundles => Some(0),
                    Value::Bit { bit: word, column, .. } => {
                        let printed = self.program.printed_word(definition, usize::from(column))?;
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
