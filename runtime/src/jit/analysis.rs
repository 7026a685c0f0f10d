//! Control-flow and use analysis of a function before code generation: jump targets, reachability, and counts of writes and reads
//! per register. A function can be compiled if it only computes: no change of the state, no words of a text, jumps forward only, and at most
//! [`MAX_COMPILED_OPERATIONS`] operations.

use crate::ir::{FnId, Function, Op, Reg};
use crate::tables::LinkedTables;

/// The maximum number of operations of a function that is compiled, inlined callees included.
const MAX_COMPILED_OPERATIONS: usize = 160;

/// The maximum depth of inlined calls.
const MAX_INLINE_DEPTH: u32 = 12;

/// The analysis of a function that can be compiled.
#[derive(Clone, Debug)]
pub(super) struct FunctionAnalysis {
    /// By operation (and for the end): whether it is a jump target.
    pub is_jump_target: Vec<bool>,
    /// By operation (and for the end): whether it is reachable.
    pub is_reachable: Vec<bool>,
    /// By register: how many operations write it.
    pub writes: Vec<u32>,
    /// By register: how many operands read it.
    pub reads: Vec<u32>,
    /// By register: how many operations access the object that it refers to.
    pub object_accesses: Vec<u32>,
}

impl FunctionAnalysis {
    /// Analyses a function. Returns `None` if it cannot be compiled: it reads words of a text, is not pure, jumps backwards, or
    /// reads a register that may be unset.
    pub fn of(function: &Function) -> Option<Self> {
        let (ops, registers) = (function.ops.len(), function.registers.len());
        if !function.text_slots.is_empty() {
            return None;
        }
        let mut analysis = Self {
            is_jump_target: vec![false; ops + 1],
            is_reachable: vec![false; ops + 1],
            writes: vec![0; registers],
            reads: vec![0; registers],
            object_accesses: vec![0; registers],
        };
        // By operation: which registers are set on all paths to it.
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
            *analysis.is_reachable.get_mut(pc)? = true;
            let mut is_valid = true;
            op.for_each_read(|reg| {
                is_valid &= now.get(usize::from(reg)) == Some(&true);
                if let Some(reads) = analysis.reads.get_mut(usize::from(reg)) {
                    *reads += 1;
                }
            });
            if let Op::Get { of, .. }
            | Op::HasWord { of, .. }
            | Op::HasKeyword { of, .. }
            | Op::InZone { of, .. }
            | Op::Exists { of, .. } = op
                && let Some(looks) = analysis.object_accesses.get_mut(usize::from(*of))
            {
                *looks += 1;
            }
            if !is_valid {
                return None;
            }
            match op {
                Op::Jump { to } | Op::JumpUnless { to, .. } => {
                    let to = *to as usize;
                    if to <= pc {
                        return None;
                    }
                    *analysis.is_jump_target.get_mut(to)? = true;
                    meet(&mut known, to, &now)?;
                    if matches!(op, Op::JumpUnless { .. }) {
                        meet(&mut known, pc + 1, &now)?;
                    }
                }
                Op::Return { .. } => {}
                op => {
                    let dst = usize::from(op.destination()?);
                    *now.get_mut(dst)? = true;
                    *analysis.writes.get_mut(dst)? += 1;
                    meet(&mut known, pc + 1, &now)?;
                }
            }
        }
        if known.get(ops)?.is_some() {
            *analysis.is_reachable.get_mut(ops)? = true;
        }
        Some(analysis)
    }

    /// Whether a register is assigned only once, so that its value is constant.
    pub fn is_assigned_once(&self, function: &Function, reg: Reg) -> bool {
        let writes = self.writes.get(usize::from(reg)).copied().unwrap_or(0);
        if reg < function.params { writes == 0 } else { writes == 1 }
    }
}

/// The maximum number of operations that the analysis of callees visits.
const MAX_ANALYSED_OPERATIONS: usize = 4000;

/// Whether a function is inlined at a call depth: it can be compiled, and is small including its callees.
pub(super) fn can_inline(program: &LinkedTables, id: FnId, depth: u32) -> bool {
    inlined_operations(program, id, depth).is_some()
}

/// The number of operations of a function, inlined callees included; `None` if it is not compiled.
pub(super) fn inlined_operations(program: &LinkedTables, id: FnId, depth: u32) -> Option<usize> {
    size(program, id, depth, &mut MAX_ANALYSED_OPERATIONS.clone())
}

fn size(program: &LinkedTables, id: FnId, depth: u32, left: &mut usize) -> Option<usize> {
    let function = program.function(id).filter(|_| depth <= MAX_INLINE_DEPTH)?;
    *left = left.checked_sub(function.ops.len())?;
    FunctionAnalysis::of(function)?;
    let mut ops = function.ops.len();
    for op in &function.ops {
        if let Op::Call { function: inner, .. } | Op::Filter { filter: inner, .. } | Op::Fold { value: inner, .. } = op {
            ops += size(program, *inner, depth + 1, left).unwrap_or(0);
        }
    }
    (ops <= MAX_COMPILED_OPERATIONS).then_some(ops)
}

/// Whether evaluating a function may allocate scratch lists that are not freed at its end.
pub(super) fn may_allocate_lists(program: &LinkedTables, id: FnId) -> bool {
    lists(program, id, &mut MAX_ANALYSED_OPERATIONS.clone())
}

fn lists(program: &LinkedTables, id: FnId, left: &mut usize) -> bool {
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
