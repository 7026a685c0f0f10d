//! Plain functions over many objects at once: one instruction after another, each for all objects that get there. Whom a branch sends
//! on waits there for its turn; instructions only lead on. What is the same for all of them is computed once.
//!
//! What that gives, and what fuel it takes, is what one run for each object gives and takes.

use super::aggregate::BoundFunction;
use super::{Destination, Instruction, LocalReg, OptimizedFunction, REGISTERS, Registers, Value, bit};
use crate::ir::op::Place;
use crate::state::{ObjectRef, layout as at};
use crate::vm::eval::{EvalContext, Scratch, binary};

/// At most so many objects at once: a bit of a mask for each.
pub(crate) const LANES: usize = 64;

/// For fewer objects a run for each of them is quicker.
const FEW: usize = 8;

/// A number for each object.
type Lanes = [i64; LANES];

/// The registers of a run over many objects. No part of a state; the memory is used again.
#[derive(Clone, Debug)]
pub(crate) struct LaneRegisters {
    registers: Box<[Lanes]>,
    /// What an instruction gives.
    values: Lanes,
    /// Which objects get to each instruction.
    reached: Vec<u64>,
}

impl Default for LaneRegisters {
    fn default() -> Self {
        Self { registers: vec![[0; LANES]; REGISTERS].into(), values: [0; LANES], reached: Vec::new() }
    }
}

impl LaneRegisters {
    /// Computes the values of some objects, each from its number in a register. Returns the objects whose value is not 0.
    #[inline(always)]
    fn each(&mut self, objects: u64, of: LocalReg, mut value: impl FnMut(i64) -> i64) -> u64 {
        let Some(row) = self.registers.get(usize::from(of)) else { return 0 };
        fill(&mut self.values, objects, |lane| value(row.get(lane).copied().unwrap_or(0)))
    }

    /// As [`LaneRegisters::each`], from the numbers in two registers.
    #[inline(always)]
    fn both(&mut self, objects: u64, a: LocalReg, b: LocalReg, value: impl Fn(i64, i64) -> i64) -> u64 {
        let [Some(a), Some(b)] = [a, b].map(|reg| self.registers.get(usize::from(reg))) else { return 0 };
        let number = |row: &Lanes, lane: usize| row.get(lane).copied().unwrap_or(0);
        fill(&mut self.values, objects, |lane| value(number(a, lane), number(b, lane)))
    }

    /// Keeps what was computed for some objects in a register.
    fn store(&mut self, objects: u64, into: LocalReg) {
        if let Some(row) = self.registers.get_mut(usize::from(into)) {
            let values = &self.values;
            fill(row, objects, |lane| values.get(lane).copied().unwrap_or(0));
        }
    }

    fn send(&mut self, objects: u64, to: usize) {
        if let Some(reached) = self.reached.get_mut(to) {
            *reached |= objects;
        }
    }
}

/// The registers of one object, as far as `reads` names them.
fn gather(rows: &[Lanes], lane: usize, mut reads: u32, registers: &mut Registers) {
    while reads != 0 {
        let reg = reads.trailing_zeros() as usize;
        reads &= reads - 1;
        let value = rows.get(reg).and_then(|row| row.get(lane)).copied().unwrap_or(0);
        registers.set(reg as LocalReg, value);
    }
}

/// Fills in the numbers of some objects. Returns those whose number is not 0.
#[inline(always)]
fn fill(row: &mut Lanes, mut objects: u64, mut value: impl FnMut(usize) -> i64) -> u64 {
    let mut true_of = 0;
    while objects != 0 {
        let lane = objects.trailing_zeros() as usize;
        objects &= objects - 1;
        let value = value(lane);
        true_of |= u64::from(value != 0) << lane;
        if let Some(place) = row.get_mut(lane) {
            *place = value;
        }
    }
    true_of
}

impl BoundFunction<'_> {
    /// Whether it is run over so many objects at once.
    pub(super) fn runs_over(&self, objects: usize) -> bool {
        (FEW..=LANES).contains(&objects) && self.plain.as_ref().is_some_and(|(plain, _)| plain.leads_on)
    }

    /// Whether it may have native code.
    fn may_be_native(&self) -> bool {
        cfg!(feature = "jit") && self.plain.is_none()
    }
}

impl<'p> EvalContext<'p> {
    /// Keeps those of at most [`LANES`] objects for which a function is not 0, in their order; how many they are.
    pub(crate) fn retain_lanes(&self, scratch: &mut Scratch, filter: &mut BoundFunction<'p>, objects: &mut [i32]) -> usize {
        if let Some(kept) = self.retain_cached(scratch, filter, objects) {
            return kept;
        }
        let mut kept = 0;
        if !filter.runs_over(objects.len()) && !filter.may_be_native() {
            for n in 0..objects.len() {
                let Some(object) = objects.get(n).copied() else { break };
                if self.apply(scratch, filter, i64::from(object)) != 0 {
                    objects.swap(kept, n);
                    kept += 1;
                }
            }
            // Whoever called this ends the game.
            return if scratch.fuel > scratch.limit { 0 } else { kept };
        }
        let mut values = [0; LANES];
        self.apply_to_all(scratch, filter, objects, &mut values);
        for n in 0..objects.len() {
            if values.get(n).is_some_and(|value| *value != 0) {
                objects.swap(kept, n);
                kept += 1;
            }
        }
        kept
    }

    /// What a function gives for each of at most [`LANES`] objects; frees the lists it made.
    pub(crate) fn apply_to_all(&self, scratch: &mut Scratch, to: &mut BoundFunction<'p>, objects: &[i32], values: &mut Lanes) {
        debug_assert!(objects.len() <= LANES, "{} objects at once", objects.len());
        self.compute_all(scratch, to, objects, values);
        if scratch.fuel > scratch.limit {
            // Whoever called this ends the game.
            values.fill(0);
        }
    }

    /// As [`EvalContext::apply_to_all`], while fuel lasts; also says what fuel each object takes.
    pub(super) fn apply_to_each(
        &self,
        scratch: &mut Scratch,
        to: &mut BoundFunction<'p>,
        objects: &[i32],
        (values, fuel): (&mut Lanes, &mut [u64; LANES]),
    ) {
        let plain = to.plain.as_ref().map(|(plain, _)| *plain).filter(|plain| plain.is_flat && to.runs_over(objects.len()));
        let Some(plain) = plain else {
            for ((object, value), fuel) in objects.iter().zip(values).zip(fuel) {
                let before = scratch.fuel;
                *value = self.apply(scratch, to, i64::from(*object));
                *fuel = scratch.fuel - before;
            }
            return;
        };
        self.compute_all(scratch, to, objects, values);
        // Those that got to an instruction paid for it.
        for (it, reached) in plain.code.iter().zip(scratch.columns.last().map_or(&[][..], |columns| &columns.reached)) {
            let mut reached = *reached;
            while reached != 0 && it.fuel != 0 {
                let lane = reached.trailing_zeros() as usize;
                reached &= reached - 1;
                fuel.get_mut(lane).into_iter().for_each(|fuel| *fuel += u64::from(it.fuel));
            }
        }
    }

    /// As [`EvalContext::apply_to_all`]; while fuel lasts.
    fn compute_all(&self, scratch: &mut Scratch, to: &mut BoundFunction<'p>, objects: &[i32], values: &mut Lanes) {
        let runs_over = to.runs_over(objects.len());
        let Some((plain, registers)) = to.plain.as_ref().filter(|_| runs_over) else {
            #[cfg(feature = "jit")]
            if to.may_be_native() && self.enter_each(scratch, to, objects, values) {
                return;
            }
            for (object, value) in objects.iter().zip(values) {
                *value = self.apply(scratch, to, i64::from(*object));
            }
            return;
        };
        let mut columns = scratch.columns.pop().unwrap_or_default();
        let mut used = plain.used;
        while used != 0 {
            let reg = used.trailing_zeros() as usize;
            used &= used - 1;
            if let Some(row) = columns.registers.get_mut(reg) {
                row.iter_mut().take(objects.len()).for_each(|place| *place = registers.get(reg as LocalReg));
            }
        }
        if let Some(row) = columns.registers.get_mut(to.last) {
            row.iter_mut().zip(objects).for_each(|(place, object)| *place = i64::from(*object));
        }
        let mark = scratch.mark();
        scratch.depth += 1;
        #[cfg(feature = "jit")]
        let before = scratch.fuel;
        let all = u64::MAX >> (LANES - objects.len());
        self.run_columns(scratch, plain, (to.last as LocalReg, all), &mut columns, values);
        #[cfg(feature = "jit")]
        crate::jit::count_executed(self.program, to.function, scratch.fuel.saturating_sub(before));
        scratch.depth -= 1;
        scratch.release(mark);
        scratch.columns.push(columns);
    }

    /// As [`EvalContext::compute_all`], by native code, if there is any that does it.
    #[cfg(feature = "jit")]
    fn enter_each(&self, scratch: &mut Scratch, to: &mut BoundFunction<'p>, objects: &[i32], values: &mut Lanes) -> bool {
        let Some(args) = to.args.get_mut(..=to.last).filter(|_| !scratch.reference_mode) else { return false };
        crate::jit::enter_each(self, scratch, to.function, args, objects, values)
    }

    /// Runs a plain function for `all` objects, which stand in the register `last`.
    fn run_columns(
        &self,
        scratch: &mut Scratch,
        plain: &OptimizedFunction,
        (last, all): (LocalReg, u64),
        columns: &mut LaneRegisters,
        results: &mut Lanes,
    ) {
        let varying = plain.stored | bit(last);
        columns.reached.clear();
        columns.reached.resize(plain.code.len(), 0);
        columns.send(all, 0);
        for (pc, (Instruction { value, then, fuel }, reads)) in plain.code.iter().zip(&plain.reads).enumerate() {
            let objects = columns.reached.get(pc).copied().unwrap_or(0);
            if objects == 0 {
                continue;
            }
            let count = u64::from(objects.count_ones());
            scratch.fuel = scratch.fuel.saturating_add(u64::from(*fuel) * count);
            if scratch.fuel > scratch.limit {
                break;
            }
            let true_of = if reads & varying == 0 {
                let before = scratch.fuel;
                let mut registers = Registers([0; REGISTERS]);
                gather(&columns.registers, objects.trailing_zeros() as usize, *reads, &mut registers);
                let value = self.plain_value(scratch, plain, *value, &registers);
                scratch.fuel = scratch.fuel.saturating_add((scratch.fuel - before).saturating_mul(count - 1));
                match then {
                    Destination::Store(_) | Destination::Return => fill(&mut columns.values, objects, |_| value),
                    _ if value == 0 => 0,
                    _ => objects,
                }
            } else {
                self.column(scratch, plain, (*value, *reads), objects, columns)
            };
            match *then {
                Destination::Store(into) => {
                    columns.store(objects, into);
                    columns.send(objects, pc + 1);
                }
                Destination::Unless(to) => {
                    columns.send(objects & !true_of, usize::from(to));
                    columns.send(true_of, pc + 1);
                }
                Destination::If(to) => {
                    columns.send(true_of, usize::from(to));
                    columns.send(objects & !true_of, pc + 1);
                }
                Destination::Go(to) => columns.send(objects, usize::from(to)),
                Destination::Return => {
                    fill(results, objects, |lane| columns.values.get(lane).copied().unwrap_or(0));
                }
            }
        }
    }

    /// Computes a value of some objects. Returns those for which it is not 0.
    #[inline]
    fn column(
        &self,
        scratch: &mut Scratch,
        plain: &OptimizedFunction,
        it: (Value, u32),
        objects: u64,
        columns: &mut LaneRegisters,
    ) -> u64 {
        let (value, reads) = it;
        match value {
            Value::Of(reg) => columns.each(objects, reg, |of| of),
            Value::Not(reg) => columns.each(objects, reg, |of| i64::from(of == 0)),
            Value::Binary { op, a, b } => columns.both(objects, a, b, |a, b| binary(op, a, b)),
            Value::Bit { of, bit, column } => {
                let column = usize::from(column);
                columns.each(objects, of, |of| i64::from(self.row_word(ObjectRef::from_value(of), column) >> bit & 1))
            }
            Value::Row { of, column } => {
                columns.each(objects, of, |of| i64::from(self.row_word(ObjectRef::from_value(of), usize::from(column)) as i32))
            }
            Value::Mask { of, column } => {
                columns.each(objects, of, |of| i64::from(self.row_word(ObjectRef::from_value(of), usize::from(column))))
            }
            Value::Controller(of) => columns.each(objects, of, |of| match self.state.existing(ObjectRef::from_value(of)) {
                Some(_) => i64::from(self.derived.word(ObjectRef::from_value(of).slot(), 0) as i32),
                None => self.read(scratch, Place::Controller, of),
            }),
            Value::Status { of, status } => {
                columns.each(objects, of, |of| match self.state.existing(ObjectRef::from_value(of)) {
                    Some(_) => self
                        .state
                        .block
                        .int(self.state.cell(ObjectRef::from_value(of).slot(), at::STATUSES + usize::from(status))),
                    None => self.read(scratch, Place::Status(status), of),
                })
            }
            Value::Builtin { builtin, args } if args.count == 1 => {
                let of = plain.operands(args).first().copied().unwrap_or(0);
                columns.each(objects, of, |of| {
                    let out = scratch.fuel > scratch.limit;
                    if out { 0 } else { crate::vm::builtin::evaluate(self, scratch, builtin, &[of]) }
                })
            }
            value => {
                let mut registers = Registers([0; REGISTERS]);
                let LaneRegisters { registers: rows, values, .. } = columns;
                fill(values, objects, |lane| {
                    if scratch.fuel > scratch.limit {
                        return 0;
                    }
                    gather(rows, lane, reads, &mut registers);
                    self.plain_value(scratch, plain, value, &registers)
                })
            }
        }
    }
}
