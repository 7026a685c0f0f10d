//! Vectorized execution: runs an optimized function for up to 64 objects, instruction by instruction.
//!
//! Each instruction has a mask of the lanes that reach it. Branches only lead forward, so one pass over the code executes every
//! lane. Values that are the same for all lanes are computed once. Results and fuel equal one scalar run per object. Fewer than 8
//! objects are run one by one: that is faster.

use super::aggregate::BoundFunction;
use crate::ir::ObjectRef;
use crate::ir::arithmetic::binary;
use crate::ir::op::Place;
use crate::state::layout as at;
use crate::vm::eval_context::EvalContext;
use crate::vm::optimized::code::{Destination, Instruction, LocalReg, MAX_REGISTERS, OptimizedFunction, Registers, Value, bit};
use crate::vm::optimized::lanes::{LANES, LaneRegisters, LaneValues, fill, gather};
use crate::vm::scratch::Scratch;

/// For fewer objects, one scalar run per object is faster.
const MIN_LANES: usize = 8;

impl BoundFunction<'_> {
    /// Returns whether a run for this number of objects is vectorized.
    pub(super) fn is_vectorized(&self, objects: usize) -> bool {
        (MIN_LANES..=LANES).contains(&objects) && self.optimized.as_ref().is_some_and(|(optimized, _)| optimized.is_forward_only)
    }

    /// Returns whether the function may have native code.
    fn may_be_native(&self) -> bool {
        cfg!(feature = "jit") && self.optimized.is_none()
    }
}

impl<'p> EvalContext<'p> {
    /// Moves the objects for which a function is not 0 to the front, in their order, and returns their number. At most [`LANES`]
    /// objects.
    pub(crate) fn retain_lanes(&self, scratch: &mut Scratch, filter: &mut BoundFunction<'p>, objects: &mut [i32]) -> usize {
        if let Some(kept) = self.retain_cached(scratch, filter, objects) {
            return kept;
        }
        let mut kept = 0;
        if !filter.is_vectorized(objects.len()) && !filter.may_be_native() {
            for n in 0..objects.len() {
                let Some(object) = objects.get(n).copied() else { break };
                if self.apply(scratch, filter, i64::from(object)) != 0 {
                    objects.swap(kept, n);
                    kept += 1;
                }
            }
            // The caller ends the game.
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

    /// Computes a function for each of at most [`LANES`] objects, and frees the lists that the calls made.
    pub(crate) fn apply_to_all(
        &self,
        scratch: &mut Scratch,
        to: &mut BoundFunction<'p>,
        objects: &[i32],
        values: &mut LaneValues,
    ) {
        debug_assert!(objects.len() <= LANES, "{} objects at once", objects.len());
        self.compute_all(scratch, to, objects, values);
        if scratch.fuel > scratch.limit {
            // The caller ends the game.
            values.fill(0);
        }
    }

    /// As [`EvalContext::apply_to_all`], and also returns the fuel of each object. Values are undefined if fuel runs out.
    pub(super) fn apply_with_fuel(
        &self,
        scratch: &mut Scratch,
        to: &mut BoundFunction<'p>,
        objects: &[i32],
        (values, fuel): (&mut LaneValues, &mut [u64; LANES]),
    ) {
        let optimized = to
            .optimized
            .as_ref()
            .map(|(optimized, _)| *optimized)
            .filter(|optimized| optimized.is_flat && to.is_vectorized(objects.len()));
        let Some(optimized) = optimized else {
            for ((object, value), fuel) in objects.iter().zip(values).zip(fuel) {
                let before = scratch.fuel;
                *value = self.apply(scratch, to, i64::from(*object));
                *fuel = scratch.fuel - before;
            }
            return;
        };
        self.compute_all(scratch, to, objects, values);
        // Each lane pays for the instructions that it reached.
        for (it, reached) in optimized.code.iter().zip(scratch.lane_registers.last().map_or(&[][..], |lanes| &lanes.reached)) {
            let mut reached = *reached;
            while reached != 0 && it.fuel != 0 {
                let lane = reached.trailing_zeros() as usize;
                reached &= reached - 1;
                fuel.get_mut(lane).into_iter().for_each(|fuel| *fuel += u64::from(it.fuel));
            }
        }
    }

    /// As [`EvalContext::apply_to_all`]. Values are undefined if fuel runs out.
    fn compute_all(&self, scratch: &mut Scratch, to: &mut BoundFunction<'p>, objects: &[i32], values: &mut LaneValues) {
        let is_vectorized = to.is_vectorized(objects.len());
        let Some((optimized, registers)) = to.optimized.as_ref().filter(|_| is_vectorized) else {
            #[cfg(feature = "jit")]
            if to.may_be_native() && self.enter_each(scratch, to, objects, values) {
                return;
            }
            for (object, value) in objects.iter().zip(values) {
                *value = self.apply(scratch, to, i64::from(*object));
            }
            return;
        };
        let mut lanes = scratch.lane_registers.pop().unwrap_or_default();
        let mut used = optimized.read_registers;
        while used != 0 {
            let reg = used.trailing_zeros() as usize;
            used &= used - 1;
            if let Some(row) = lanes.registers.get_mut(reg) {
                row.iter_mut().take(objects.len()).for_each(|place| *place = registers.get(reg as LocalReg));
            }
        }
        if let Some(row) = lanes.registers.get_mut(to.last) {
            row.iter_mut().zip(objects).for_each(|(place, object)| *place = i64::from(*object));
        }
        let mark = scratch.mark();
        scratch.depth += 1;
        #[cfg(feature = "jit")]
        let before = scratch.fuel;
        let all = u64::MAX >> (LANES - objects.len());
        self.run_lanes(scratch, optimized, (to.last as LocalReg, all), &mut lanes, values);
        #[cfg(feature = "jit")]
        crate::jit::count_executed(self.program, to.function, scratch.fuel.saturating_sub(before));
        scratch.depth -= 1;
        scratch.release(mark);
        scratch.lane_registers.push(lanes);
    }

    /// As [`EvalContext::compute_all`], by native code. Returns whether native code ran.
    #[cfg(feature = "jit")]
    fn enter_each(&self, scratch: &mut Scratch, to: &mut BoundFunction<'p>, objects: &[i32], values: &mut LaneValues) -> bool {
        let Some(args) = to.args.get_mut(..=to.last).filter(|_| !scratch.reference_mode) else { return false };
        crate::jit::enter_each(self, scratch, to.function, args, objects, values)
    }

    /// Runs an optimized function for the lanes of the mask `all`. The objects are in the register `last`.
    fn run_lanes(
        &self,
        scratch: &mut Scratch,
        optimized: &OptimizedFunction,
        (last, all): (LocalReg, u64),
        lanes: &mut LaneRegisters,
        results: &mut LaneValues,
    ) {
        let varying = optimized.written_registers | bit(last);
        lanes.reached.clear();
        lanes.reached.resize(optimized.code.len(), 0);
        lanes.mark_reached(all, 0);
        for (pc, (Instruction { value, then, fuel }, reads)) in optimized.code.iter().zip(&optimized.reads).enumerate() {
            let objects = lanes.reached.get(pc).copied().unwrap_or(0);
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
                let mut registers = Registers([0; MAX_REGISTERS]);
                gather(&lanes.registers, objects.trailing_zeros() as usize, *reads, &mut registers);
                let value = self.compute_value(scratch, optimized, *value, &registers);
                scratch.fuel = scratch.fuel.saturating_add((scratch.fuel - before).saturating_mul(count - 1));
                match then {
                    Destination::Store(_) | Destination::Return => fill(&mut lanes.values, objects, |_| value),
                    _ if value == 0 => 0,
                    _ => objects,
                }
            } else {
                self.compute_lanes(scratch, optimized, (*value, *reads), objects, lanes)
            };
            match *then {
                Destination::Store(into) => {
                    lanes.store(objects, into);
                    lanes.mark_reached(objects, pc + 1);
                }
                Destination::JumpIfZero(to) => {
                    lanes.mark_reached(objects & !true_of, usize::from(to));
                    lanes.mark_reached(true_of, pc + 1);
                }
                Destination::JumpIfNonZero(to) => {
                    lanes.mark_reached(true_of, usize::from(to));
                    lanes.mark_reached(objects & !true_of, pc + 1);
                }
                Destination::Jump(to) => lanes.mark_reached(objects, usize::from(to)),
                Destination::Return => {
                    fill(results, objects, |lane| lanes.values.get(lane).copied().unwrap_or(0));
                }
            }
        }
    }

    /// Computes a value for some lanes. Returns a mask of the lanes for which it is not 0.
    #[inline]
    fn compute_lanes(
        &self,
        scratch: &mut Scratch,
        optimized: &OptimizedFunction,
        it: (Value, u32),
        objects: u64,
        lanes: &mut LaneRegisters,
    ) -> u64 {
        let (value, reads) = it;
        match value {
            Value::Register(reg) => lanes.map_lanes(objects, reg, |of| of),
            Value::Not(reg) => lanes.map_lanes(objects, reg, |of| i64::from(of == 0)),
            Value::Binary { op, a, b } => lanes.map_lane_pairs(objects, a, b, |a, b| binary(op, a, b)),
            Value::Bit { of, bit, column } => {
                let column = usize::from(column);
                lanes.map_lanes(objects, of, |of| i64::from(self.row_word(ObjectRef::from_value(of), column) >> bit & 1))
            }
            Value::Row { of, column } => {
                lanes.map_lanes(objects, of, |of| i64::from(self.row_word(ObjectRef::from_value(of), usize::from(column)) as i32))
            }
            Value::Mask { of, column } => {
                lanes.map_lanes(objects, of, |of| i64::from(self.row_word(ObjectRef::from_value(of), usize::from(column))))
            }
            Value::Controller(of) => lanes.map_lanes(objects, of, |of| match self.state.first_cell(ObjectRef::from_value(of)) {
                Some(_) => i64::from(self.derived.word(ObjectRef::from_value(of).slot(), 0) as i32),
                None => self.read(scratch, Place::Controller, of),
            }),
            Value::Status { of, status } => {
                lanes.map_lanes(objects, of, |of| match self.state.first_cell(ObjectRef::from_value(of)) {
                    Some(_) => self
                        .state
                        .block
                        .int(self.state.cell(ObjectRef::from_value(of).slot(), at::STATUSES + usize::from(status))),
                    None => self.read(scratch, Place::Status(status), of),
                })
            }
            Value::Builtin { builtin, args } if args.count == 1 => {
                let of = optimized.operands(args).first().copied().unwrap_or(0);
                lanes.map_lanes(objects, of, |of| {
                    let out = scratch.fuel > scratch.limit;
                    if out { 0 } else { crate::vm::builtin_functions::evaluate(self, scratch, builtin, &[of]) }
                })
            }
            value => {
                let mut registers = Registers([0; MAX_REGISTERS]);
                let LaneRegisters { registers: rows, values, .. } = lanes;
                fill(values, objects, |lane| {
                    if scratch.fuel > scratch.limit {
                        return 0;
                    }
                    gather(rows, lane, reads, &mut registers);
                    self.compute_value(scratch, optimized, value, &registers)
                })
            }
        }
    }
}
