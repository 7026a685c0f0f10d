//! What is known of a function before it is compiled: where its blocks begin, how often registers are written and read.

use crate::ir::{FnId, Function, Op, Reg};
use crate::program::Program;

/// Operations of a function with all that is compiled into it.
const MOST_OPS: usize = 160;

/// Calls within calls that are compiled into one piece.
const MOST_HEIGHT: u32 = 12;

/// The shape of a function that can be compiled.
#[derive(Clone, Debug)]
pub(super) struct FunctionAnalysis {
    /// By operation (and for the end): whether it is gone to.
    pub targets: Vec<bool>,
    /// By operation (and for the end): whether it can be reached.
    pub reached: Vec<bool>,
    /// By register: how many operations write it.
    pub writes: Vec<u32>,
    /// By register: how many reads there are.
    pub reads: Vec<u32>,
    /// By register: how many operations look the object up that it refers to.
    pub looks: Vec<u32>,
}

impl FunctionAnalysis {
    /// The shape of a function; nothing when the interpreter has to keep it: it reads words of a text, is not pure, goes back, or reads
    /// what it did not write.
    pub fn of(function: &Function) -> Option<Self> {
        let (ops, registers) = (function.ops.len(), function.registers.len());
        if !function.slots.is_empty() {
            return None;
        }
        let mut shape = Self {
            targets: vec![false; ops + 1],
            reached: vec![false; ops + 1],
            writes: vec![0; registers],
            reads: vec![0; registers],
            looks: vec![0; registers],
        };
        // Which registers are written for sure before an operation.
        let mut known: Vec<Option<Vec<bool>>> = vec![None; ops + 1];
        *known.first_mut()? = Some((0..registers).map(|reg| reg < usize::from(function.params)).collect());
        let meet = |known: &mut Vec<Option<Vec<bool>>>, to: usize, now: &[bool]| match known.get_mut(to)? {
            Some(there) => {
                there.iter_mut().zip(now).for_each(|(there, now)| *there &= now);
                Some(())
            }
            empty => {
                *empty = Some(now.to_vec());
                Some(())
            }
        };
        for (pc, op) in function.ops.iter().enumerate() {
            let Some(mut now) = known.get_mut(pc)?.take() else { continue };
            *shape.reached.get_mut(pc)? = true;
            let mut sound = true;
            op.for_each_read(|reg| {
                sound &= now.get(usize::from(reg)) == Some(&true);
                if let Some(reads) = shape.reads.get_mut(usize::from(reg)) {
                    *reads += 1;
                }
            });
            if let Op::Get { of, .. }
            | Op::HasWord { of, .. }
            | Op::HasKeyword { of, .. }
            | Op::InZone { of, .. }
            | Op::Exists { of, .. } = op
                && let Some(looks) = shape.looks.get_mut(usize::from(*of))
            {
                *looks += 1;
            }
            if !sound {
                return None;
            }
            match op {
                Op::Jump { to } | Op::JumpUnless { to, .. } => {
                    let to = *to as usize;
                    if to <= pc {
                        return None;
                    }
                    *shape.targets.get_mut(to)? = true;
                    meet(&mut known, to, &now)?;
                    if matches!(op, Op::JumpUnless { .. }) {
                        meet(&mut known, pc + 1, &now)?;
                    }
                }
                Op::Return { .. } => {}
                op => {
                    let dst = usize::from(op.written()?);
                    *now.get_mut(dst)? = true;
                    *shape.writes.get_mut(dst)? += 1;
                    meet(&mut known, pc + 1, &now)?;
                }
            }
        }
        if known.get(ops)?.is_some() {
            *shape.reached.get_mut(ops)? = true;
        }
        Some(shape)
    }

    /// Whether a register is written once, and so keeps its value.
    pub fn is_single(&self, function: &Function, reg: Reg) -> bool {
        let writes = self.writes.get(usize::from(reg)).copied().unwrap_or(0);
        if reg < function.params { writes == 0 } else { writes == 1 }
    }
}

/// What looking into calls may take, in operations.
const MOST_LOOKED_AT: usize = 4000;

/// Whether a function, called so deep, is compiled into what calls it: it can be compiled, and is small with what it calls itself.
pub(super) fn fits(program: &Program, id: FnId, depth: u32) -> bool {
    operations(program, id, depth).is_some()
}

/// How many operations a function has with what is compiled into it; nothing when it is not compiled.
pub(super) fn operations(program: &Program, id: FnId, depth: u32) -> Option<usize> {
    size(program, id, depth, &mut MOST_LOOKED_AT.clone())
}

fn size(program: &Program, id: FnId, depth: u32, left: &mut usize) -> Option<usize> {
    let function = program.function(id).filter(|_| depth <= MOST_HEIGHT)?;
    *left = left.checked_sub(function.ops.len())?;
    FunctionAnalysis::of(function)?;
    let mut ops = function.ops.len();
    for op in &function.ops {
        if let Op::Call { function: inner, .. } | Op::Filter { filter: inner, .. } | Op::Fold { value: inner, .. } = op {
            ops += size(program, *inner, depth + 1, left).unwrap_or(0);
        }
    }
    (ops <= MOST_OPS).then_some(ops)
}

/// Whether evaluating a function may make lists that stay until they are given back.
pub(super) fn makes_lists(program: &Program, id: FnId) -> bool {
    lists(program, id, &mut MOST_LOOKED_AT.clone())
}

fn lists(program: &Program, id: FnId, left: &mut usize) -> bool {
    let Some(function) = program.function(id) else { return true };
    let Some(rest) = left.checked_sub(function.ops.len() + 1) else { return true };
    *left = rest;
    function.registers.iter().skip(usize::from(function.params)).any(|ty| ty.is_list())
        || function.ops.iter().any(|op| match op {
            Op::Call { function, .. } => lists(program, *function, left),
            Op::Builtin { .. } | Op::CallUnconcealed { .. } | Op::IsAllowed { .. } => true,
            _ => false,
        })
}
