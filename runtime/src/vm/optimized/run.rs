//! The loop that executes the instructions of optimized functions for one set of arguments.

use crate::ir::ObjectRef;
use crate::ir::arithmetic::{binary, cast_one};
use crate::ir::op::Place;
use crate::state::layout as at;
use crate::vm::eval_context::{EvalContext, MAX_ARGUMENTS};
use crate::vm::optimized::code::{Destination, Instruction, MAX_REGISTERS, Operands, OptimizedFunction, Registers, Value};
use crate::vm::scratch::Scratch;
use crate::vm::work;

impl EvalContext<'_> {
    /// Runs an optimized function.
    pub(crate) fn run_optimized(&self, scratch: &mut Scratch, optimized: &OptimizedFunction, args: &[i64]) -> i64 {
        self.run_registers(scratch, optimized, &mut optimized.begin(args))
    }

    /// Runs an optimized function on registers that are already filled. Parameters and constants keep their values, so that the
    /// registers can be reused for the next run.
    #[inline]
    pub(super) fn run_registers(&self, scratch: &mut Scratch, optimized: &OptimizedFunction, registers: &mut Registers) -> i64 {
        let mut pc = 0usize;
        while let Some(Instruction { value, then, fuel }) = optimized.code.get(pc) {
            pc += 1;
            scratch.fuel += u64::from(*fuel);
            work::count(&mut scratch.work.operations, 1);
            if scratch.fuel > scratch.limit {
                return 0;
            }
            let value = self.compute_value(scratch, optimized, *value, registers);
            match *then {
                Destination::Store(dst) => registers.set(dst, value),
                Destination::JumpIfZero(to) if value == 0 => pc = usize::from(to),
                Destination::JumpIfNonZero(to) if value != 0 => pc = usize::from(to),
                Destination::JumpIfZero(_) | Destination::JumpIfNonZero(_) => {}
                Destination::Jump(to) => pc = usize::from(to),
                // A callee may have run out of fuel.
                Destination::Return => return if scratch.fuel > scratch.limit { 0 } else { value },
            }
        }
        0
    }

    #[inline(always)]
    pub(super) fn compute_value(
        &self,
        scratch: &mut Scratch,
        optimized: &OptimizedFunction,
        value: Value,
        registers: &Registers,
    ) -> i64 {
        let get = |reg| registers.get(reg);
        let object = |reg| ObjectRef::from_value(registers.get(reg));
        match value {
            Value::Register(reg) => get(reg),
            Value::Binary { op, a, b } => binary(op, get(a), get(b)),
            Value::Not(a) => i64::from(get(a) == 0),
            Value::Bit { of, bit, column } => i64::from(self.row_word(object(of), usize::from(column)) >> bit & 1),
            Value::Row { of, column } => i64::from(self.row_word(object(of), usize::from(column)) as i32),
            Value::Mask { of, column } => i64::from(self.row_word(object(of), usize::from(column))),
            Value::Owner(of) => match self.state.first_cell(object(of)) {
                Some(first) => self.state.block.int(first + at::OWNER * at::LANES),
                None => self.read(scratch, Place::Owner, get(of)),
            },
            Value::Controller(of) => match self.state.first_cell(object(of)) {
                Some(_) => i64::from(self.derived.word(object(of).slot(), 0) as i32),
                None => self.read(scratch, Place::Controller, get(of)),
            },
            Value::Status { of, status } => match self.state.first_cell(object(of)) {
                Some(_) => self.state.block.int(self.state.cell(object(of).slot(), at::STATUSES + usize::from(status))),
                None => self.read(scratch, Place::Status(status), get(of)),
            },
            Value::PlayerVariable { of, variable } => match usize::try_from(get(of)) {
                Ok(player) if player < self.program.players() => {
                    self.state.block.int(self.program.layout.player(player, usize::from(variable)))
                }
                _ => 0,
            },
            Value::GameVariable { cell, .. } => self.state.block.int(cell as usize),
            Value::Exists(of) => {
                let player = || object(of).player().is_some_and(|seat| seat < self.program.players());
                i64::from(self.state.first_cell(object(of)).is_some() || player())
            }
            Value::InZone { of, kind } => {
                let zone = self.state.first_cell(object(of)).and_then(|_| self.state.zone(object(of).slot()));
                i64::from(zone.is_some_and(|zone| self.program.layout.kind(zone) == usize::from(kind)))
            }
            Value::ActivePlayer => self.state.active() as i64,
            Value::InPeriod(span) => i64::from(self.state.block.list(at::OPEN_PERIODS).contains(&span.0)),
            Value::Call { function, args } => {
                let mut values = [0; MAX_REGISTERS];
                self.call(scratch, function, gather_operands(optimized, args, registers, &mut values))
            }
            Value::Aggregate(n) => optimized
                .aggregates
                .get(usize::from(n))
                .map_or(0, |aggregate| self.aggregate(scratch, optimized, aggregate, registers)),
            value => self.compute_rare_value(scratch, optimized, value, registers),
        }
    }

    /// Computes the less frequent kinds of values. Apart, so that [`EvalContext::compute_value`] stays small enough to inline.
    fn compute_rare_value(
        &self,
        scratch: &mut Scratch,
        optimized: &OptimizedFunction,
        value: Value,
        registers: &Registers,
    ) -> i64 {
        let get = |reg| registers.get(reg);
        let object = |reg| ObjectRef::from_value(registers.get(reg));
        match value {
            Value::Cast { of, from, into } => cast_one(get(of), from, into),
            Value::Get { of, place } => self.read(scratch, place, get(of)),
            Value::GetKey { of, key, place } => {
                self.keyed_holder(place, get(of)).map_or(0, |holder| self.state.block.keyed(holder, get(key)))
            }
            Value::NextKey { of, after, place } => {
                self.keyed_holder(place, get(of)).map_or(0, |holder| self.state.block.next_key(holder, get(after)))
            }
            Value::HasSomeWord { of, word, traits } => {
                let word = usize::try_from(get(word) - 1).ok();
                i64::from(word.is_some_and(|word| self.has_word(object(of), traits.index(), word)))
            }
            Value::HasCommonWord { a, b, traits } => i64::from(self.has_common_word(object(a), object(b), traits.index())),
            Value::HasKeyword { of, keyword } => i64::from(self.keyword(object(of), keyword).is_some()),
            Value::HighestArgument { of, keyword } => self.keyword(object(of), keyword).unwrap_or(0),
            Value::IsCard { of, card } => i64::from(self.is_card(object(of), card)),
            Value::ZoneOf { player, zone } => {
                let player = usize::try_from(get(player)).unwrap_or(usize::MAX);
                self.program.zone_instance(zone.index(), player).map_or(-1, |zone| zone as i64)
            }
            Value::Opponent(player) => self.next_player(get(player)),
            Value::Builtin { builtin, args } => {
                let mut values = [0; MAX_ARGUMENTS];
                crate::vm::builtin_functions::evaluate(
                    self,
                    scratch,
                    builtin,
                    gather_operands(optimized, args, registers, &mut values),
                )
            }
            Value::CallUnconcealed { function, args, of } => {
                let mut values = [0; MAX_ARGUMENTS];
                self.call_unconcealed(scratch, function, gather_operands(optimized, args, registers, &mut values), object(of))
            }
            Value::IsAllowed { action, args, this, you, paying } => {
                let mut values = [0; MAX_ARGUMENTS];
                let args = gather_operands(optimized, args, registers, &mut values);
                i64::from(self.is_possible(scratch, action, args, paying.then(|| (get(this), get(you)))))
            }
            _ => 0,
        }
    }
}

/// Copies the values of operands into a buffer of the caller.
#[inline]
pub(super) fn gather_operands<'a>(
    optimized: &OptimizedFunction,
    args: Operands,
    registers: &Registers,
    values: &'a mut [i64],
) -> &'a [i64] {
    let count = usize::from(args.count).min(values.len());
    for (place, reg) in values.iter_mut().zip(optimized.operands(args)) {
        *place = registers.get(*reg);
    }
    values.get(..count).unwrap_or(&[])
}
