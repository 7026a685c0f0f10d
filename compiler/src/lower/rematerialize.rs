//! Rematerialisation: a choice that is made on announcement is made before the statements of its text run. If it uses the value of a `let`, its
//! functions compute that value themselves instead of capturing the register. A choice without `target` behind a statement uses the value that
//! the `let` had: the statement may have changed what it was computed from.

use super::Lowering;
use super::function_builder::FunctionBuilder;
use fizzle_ir::operands::OpClass;
use fizzle_ir::{Op, Reg};
use std::collections::BTreeSet;
use std::ops::Range;

/// The operations that compute a value, in their order, and the registers that they read and do not compute.
#[derive(Debug, Default)]
struct Recipe {
    ops: BTreeSet<usize>,
    inputs: BTreeSet<Reg>,
}

impl FunctionBuilder {
    /// Records that the operations from `start` on compute the value of a `let`.
    pub fn record_let(&mut self, start: usize) {
        self.lets.push(start..self.ops.len());
    }

    /// Whether a statement that is no choice follows operations.
    fn has_statement_after(&self, range: &Range<usize>) -> bool {
        self.ops.iter().skip(range.end).any(|op| op.is_statement() && !matches!(op, Op::Choose { .. }))
    }

    /// How to compute a register from values that are known on announcement; `None` if it depends on what statements do.
    fn recipe(&self, reg: Reg, is_target: bool) -> Option<Recipe> {
        let mut recipe = Recipe::default();
        let mut open = vec![reg];
        let mut visited: Vec<&Range<usize>> = Vec::new();
        while let Some(reg) = open.pop() {
            if self.known_on_announcement.contains(&reg) {
                recipe.inputs.insert(reg);
                continue;
            }
            let computes =
                |range: &&Range<usize>| self.ops.get((*range).clone()).is_some_and(|ops| ops.iter().any(|op| writes(op, reg)));
            let range = self.lets.iter().find(computes).filter(|range| is_target || !self.has_statement_after(range))?;
            if visited.contains(&range) {
                continue;
            }
            visited.push(range);
            let mut computed: BTreeSet<Reg> = BTreeSet::new();
            for (number, op) in self.ops.get(range.clone())?.iter().enumerate() {
                match op {
                    // The choice itself is an input.
                    Op::Choose { dst, .. } if self.known_on_announcement.contains(dst) => continue,
                    op if op.is_statement() || op.class() == OpClass::Return => return None,
                    op => op.for_each_read(|read| {
                        if !computed.contains(&read) {
                            open.push(read);
                        }
                    }),
                }
                for_each_written(op, |written| _ = computed.insert(written));
                recipe.ops.insert(range.start + number);
            }
        }
        Some(recipe)
    }

    /// Computes captured registers of `parent` in this child, where the recipe is known. They are no captures then.
    fn rematerialize(&mut self, parent: &FunctionBuilder, is_target: bool) {
        let unknown: Vec<Reg> =
            self.captures.iter().map(|(outer, _)| *outer).filter(|reg| !parent.known_on_announcement.contains(reg)).collect();
        let recipes: Option<Vec<Recipe>> = unknown.iter().map(|reg| parent.recipe(*reg, is_target)).collect();
        let Some(recipes) = recipes.filter(|recipes| !recipes.is_empty()) else { return };
        let ops: Vec<usize> =
            recipes.iter().flat_map(|recipe| recipe.ops.iter().copied()).collect::<BTreeSet<_>>().into_iter().collect();
        // the register here of each register of the parent
        let mut own: Vec<Reg> = (0..parent.registers.len() as Reg).collect();
        let mut mapped = BTreeSet::from([0, 1]);
        for (outer, inner) in &self.captures {
            own[usize::from(*outer)] = *inner;
            mapped.insert(*outer);
        }
        self.captures.retain(|(outer, _)| !unknown.contains(outer));
        let inputs = recipes.iter().flat_map(|recipe| recipe.inputs.iter().copied());
        let mut needed: BTreeSet<Reg> = inputs.clone().collect();
        ops.iter().filter_map(|number| parent.ops.get(*number)).for_each(|op| for_each_written(op, |reg| _ = needed.insert(reg)));
        let inputs: BTreeSet<Reg> = inputs.collect();
        for reg in needed {
            if mapped.insert(reg) {
                own[usize::from(reg)] = self.add_register(parent.registers[usize::from(reg)]);
                if inputs.contains(&reg) {
                    self.captures.push((reg, own[usize::from(reg)]));
                }
            }
        }
        let target = |old: u32| ops.partition_point(|number| *number < old as usize) as u32;
        let mut prefix: Vec<(Op, fizzle_ir::op::Source)> = Vec::with_capacity(ops.len() + self.ops.len());
        for number in &ops {
            let (Some(op), Some(source)) = (parent.ops.get(*number), parent.sources.get(*number)) else { continue };
            let mut op = op.clone();
            super::remap::renumber_op(&mut op, &own);
            if let Op::Jump { to } | Op::JumpUnless { to, .. } = &mut op {
                *to = target(*to);
            }
            prefix.push((op, *source));
        }
        let shift = prefix.len() as u32;
        for op in &mut self.ops {
            if let Op::Jump { to } | Op::JumpUnless { to, .. } = op {
                *to += shift;
            }
        }
        self.ops.splice(0..0, prefix.iter().map(|(op, _)| op.clone()));
        self.sources.splice(0..0, prefix.into_iter().map(|(_, source)| source));
    }
}

impl Lowering<'_> {
    /// Ends a child that a choice evaluates. What it uses of earlier `let`s, it computes itself if it can, so that the choice can be made on
    /// announcement. `is_target`: `target` is written.
    pub fn end_choice_child(&mut self, is_target: bool) -> FunctionBuilder {
        let mut child = self.end_child();
        self.rematerialize(&mut child, is_target);
        child
    }

    /// Lets a child compute what it uses of earlier `let`s of the current function, where it can.
    pub fn rematerialize(&self, child: &mut FunctionBuilder, is_target: bool) {
        // A choice in a loop or branch is never made on announcement, and in a loop a later statement runs before the next round.
        let may_be_announced = |fun: &&FunctionBuilder| fun.loop_depth == 0 && (fun.condition_depth == 0 || is_target);
        if let Some(parent) = self.funs.last().filter(may_be_announced) {
            child.rematerialize(parent, is_target);
        }
    }
}

/// Visits the registers that an operation writes.
fn for_each_written(op: &Op, mut visit: impl FnMut(Reg)) {
    op.destination().into_iter().for_each(&mut visit);
    op.for_each_set(visit);
}

fn writes(op: &Op, reg: Reg) -> bool {
    let mut found = false;
    for_each_written(op, |written| found |= written == reg);
    found
}
