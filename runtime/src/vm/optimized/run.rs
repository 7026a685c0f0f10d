//! Running plain functions.

use super::{Destination, Instruction, Operands, OptimizedFunction, REGISTERS, Registers, Value};
use crate::ir::op::Place;
use crate::state::{ObjectRef, layout as at};
use crate::vm::eval::{EvalContext, MOST_ARGUMENTS, Scratch, binary, cast_one};

impl EvalContext<'_> {
    /// Runs a plain function.
    pub(crate) fn run_plain(&self, scratch: &mut Scratch, plain: &OptimizedFunction, args: &[i64]) -> i64 {
        self.run_registers(scratch, plain, &mut plain.begin(args))
    }

    /// Runs a plain function from its registers on, and leaves its parameters and constants as they were.
    #[inline]
    pub(super) fn run_registers(&self, scratch: &mut Scratch, plain: &OptimizedFunction, registers: &mut Registers) -> i64 {
        let mut pc = 0usize;
        while let Some(Instruction { value, then, fuel }) = plain.code.get(pc) {
            pc += 1;
            scratch.fuel += u64::from(*fuel);
            if scratch.fuel > scratch.limit {
                return 0;
            }
            let value = self.plain_value(scratch, plain, *value, registers);
            match *then {
                Destination::Store(dst) => registers.set(dst, value),
                Destination::Unless(to) if value == 0 => pc = usize::from(to),
                Destination::If(to) if value != 0 => pc = usize::from(to),
                Destination::Unless(_) | Destination::If(_) => {}
                Destination::Go(to) => pc = usize::from(to),
                // What it called may have run out.
                Destination::Return => return if scratch.fuel > scratch.limit { 0 } else { value },
            }
        }
        0
    }

    #[inline(always)]
    pub(super) fn plain_value(
        &self,
        scratch: &mut Scratch,
        plain: &OptimizedFunction,
        value: Value,
        registers: &Registers,
    ) -> i64 {
        let get = |reg| registers.get(reg);
        let object = |reg| ObjectRef::from_value(registers.get(reg));
        match value {
            Value::Of(reg) => get(reg),
            Value::Binary { op, a, b } => binary(op, get(a), get(b)),
            Value::Not(a) => i64::from(get(a) == 0),
            Value::Bit { of, bit, column } => i64::from(self.row_word(object(of), usize::from(column)) >> bit & 1),
            Value::Row { of, column } => i64::from(self.row_word(object(of), usize::from(column)) as i32),
            Value::Mask { of, column } => i64::from(self.row_word(object(of), usize::from(column))),
            Value::Owner(of) => match self.state.existing(object(of)) {
                Some(first) => self.state.block.int(first + at::OWNER * at::LANES),
                None => self.read(scratch, Place::Owner, get(of)),
            },
            Value::Controller(of) => match self.state.existing(object(of)) {
                Some(_) => i64::from(self.derived.word(object(of).slot(), 0) as i32),
                None => self.read(scratch, Place::Controller, get(of)),
            },
            Value::Status { of, status } => match self.state.existing(object(of)) {
                Some(_) => self.state.block.int(self.state.cell(object(of).slot(), at::STATUSES + usize::from(status))),
                None => self.read(scratch, Place::Status(status), get(of)),
            },
            Value::Player { of, variable } => match usize::try_from(get(of)) {
                Ok(player) if player < self.program.players() => {
                    self.state.block.int(self.program.layout.player(player, usize::from(variable)))
                }
                _ => 0,
            },
            Value::Word { cell, .. } => self.state.block.int(cell as usize),
            Value::Exists(of) => {
                let player = || object(of).player().is_some_and(|seat| seat < self.program.players());
                i64::from(self.state.existing(object(of)).is_some() || player())
            }
            Value::InZone { of, kind } => {
                let zone = self.state.existing(object(of)).and_then(|_| self.state.zone(object(of).slot()));
                i64::from(zone.is_some_and(|zone| self.program.layout.kind(zone) == usize::from(kind)))
            }
            Value::Active => self.state.active() as i64,
            Value::InSpan(span) => i64::from(self.state.block.list(at::OPEN).contains(&span.0)),
            Value::Call { function, args } => {
                let mut values = [0; REGISTERS];
                self.call(scratch, function, given(plain, args, registers, &mut values))
            }
            Value::Tally(n) => plain.tallies.get(usize::from(n)).map_or(0, |tally| self.tally(scratch, plain, tally, registers)),
            value => self.rare_value(scratch, plain, value, registers),
        }
    }

    /// What is computed more seldom.
    fn rare_value(&self, scratch: &mut Scratch, plain: &OptimizedFunction, value: Value, registers: &Registers) -> i64 {
        let get = |reg| registers.get(reg);
        let object = |reg| ObjectRef::from_value(registers.get(reg));
        match value {
            Value::Cast { of, from, into } => cast_one(get(of), from, into),
            Value::Get { of, place } => self.read(scratch, place, get(of)),
            Value::Key { of, key, place } => {
                self.keyed_holder(place, get(of)).map_or(0, |holder| self.state.block.keyed(holder, get(key)))
            }
            Value::NextKey { of, after, place } => {
                self.keyed_holder(place, get(of)).map_or(0, |holder| self.state.block.next_key(holder, get(after)))
            }
            Value::SomeWord { of, word, traits } => {
                let word = usize::try_from(get(word) - 1).ok();
                i64::from(word.is_some_and(|word| self.has_word(object(of), traits.index(), word)))
            }
            Value::Shares { a, b, traits } => i64::from(self.share_words(object(a), object(b), traits.index())),
            Value::HasKeyword { of, keyword } => i64::from(self.keyword(object(of), keyword).is_some()),
            Value::Highest { of, keyword } => self.keyword(object(of), keyword).unwrap_or(0),
            Value::IsCard { of, card } => i64::from(self.is_card(object(of), card)),
            Value::ZoneOf { player, zone } => {
                let player = usize::try_from(get(player)).unwrap_or(usize::MAX);
                self.program.instance(zone.index(), player).map_or(-1, |zone| zone as i64)
            }
            Value::Opponent(player) => self.next_player(get(player)),
            Value::Builtin { builtin, args } => {
                let mut values = [0; MOST_ARGUMENTS];
                crate::vm::builtin::evaluate(self, scratch, builtin, given(plain, args, registers, &mut values))
            }
            Value::Uncovered { function, args, of } => {
                let mut values = [0; MOST_ARGUMENTS];
                self.uncovered(scratch, function, given(plain, args, registers, &mut values), object(of))
            }
            Value::Possible { action, args, this, you, paying } => {
                let mut values = [0; MOST_ARGUMENTS];
                let args = given(plain, args, registers, &mut values);
                i64::from(self.is_possible(scratch, action, args, paying.then(|| (get(this), get(you)))))
            }
            _ => 0,
        }
    }
}

/// The values of arguments, in a place of the caller's.
#[inline]
pub(super) fn given<'a>(plain: &OptimizedFunction, args: Operands, registers: &Registers, values: &'a mut [i64]) -> &'a [i64] {
    let count = usize::from(args.count).min(values.len());
    for (place, reg) in values.iter_mut().zip(plain.operands(args)) {
        *place = registers.get(*reg);
    }
    values.get(..count).unwrap_or(&[])
}
