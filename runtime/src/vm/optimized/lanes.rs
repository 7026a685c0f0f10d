//! The registers of vectorized runs.

use super::code::{LocalReg, MAX_REGISTERS, Registers};

/// Objects that an instruction runs for at once: one bit of a mask for each.
pub(crate) const LANES: usize = 64;

/// One number per lane.
pub(crate) type LaneValues = [i64; LANES];

/// The registers of a vectorized run. Not part of the state; the memory is reused.
#[derive(Clone, Debug)]
pub(crate) struct LaneRegisters {
    pub(crate) registers: Box<[LaneValues]>,
    /// The results of the current instruction.
    pub(crate) values: LaneValues,
    /// For each instruction, a mask of the lanes that reach it.
    pub(crate) reached: Vec<u64>,
}

impl Default for LaneRegisters {
    fn default() -> Self {
        Self { registers: vec![[0; LANES]; MAX_REGISTERS].into(), values: [0; LANES], reached: Vec::new() }
    }
}

impl LaneRegisters {
    /// Computes a value for each lane of `objects` from its number in a register. Returns a mask of the lanes whose value is not
    /// 0.
    #[inline(always)]
    pub(crate) fn map_lanes(&mut self, objects: u64, of: LocalReg, mut value: impl FnMut(i64) -> i64) -> u64 {
        let Some(row) = self.registers.get(usize::from(of)) else { return 0 };
        fill(&mut self.values, objects, |lane| value(row.get(lane).copied().unwrap_or(0)))
    }

    /// As [`LaneRegisters::map_lanes`], from the numbers in two registers.
    #[inline(always)]
    pub(crate) fn map_lane_pairs(&mut self, objects: u64, a: LocalReg, b: LocalReg, value: impl Fn(i64, i64) -> i64) -> u64 {
        let [Some(a), Some(b)] = [a, b].map(|reg| self.registers.get(usize::from(reg))) else { return 0 };
        let number = |row: &LaneValues, lane: usize| row.get(lane).copied().unwrap_or(0);
        fill(&mut self.values, objects, |lane| value(number(a, lane), number(b, lane)))
    }

    /// Copies the computed values of some lanes into a register.
    pub(crate) fn store(&mut self, objects: u64, into: LocalReg) {
        if let Some(row) = self.registers.get_mut(usize::from(into)) {
            let values = &self.values;
            fill(row, objects, |lane| values.get(lane).copied().unwrap_or(0));
        }
    }

    pub(crate) fn mark_reached(&mut self, objects: u64, to: usize) {
        if let Some(reached) = self.reached.get_mut(to) {
            *reached |= objects;
        }
    }
}

/// Copies the registers of the mask `reads` from a lane.
pub(crate) fn gather(rows: &[LaneValues], lane: usize, mut reads: u32, registers: &mut Registers) {
    while reads != 0 {
        let reg = reads.trailing_zeros() as usize;
        reads &= reads - 1;
        let value = rows.get(reg).and_then(|row| row.get(lane)).copied().unwrap_or(0);
        registers.set(reg as LocalReg, value);
    }
}

/// Sets the numbers of some lanes. Returns a mask of the lanes whose number is not 0.
#[inline(always)]
pub(crate) fn fill(row: &mut LaneValues, mut objects: u64, mut value: impl FnMut(usize) -> i64) -> u64 {
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
