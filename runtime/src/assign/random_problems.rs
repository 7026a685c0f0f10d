//! Generator of random assignment problems with every kind of constraint, for tests and benchmarks.

use super::{AssignmentProblem, Cardinality, Cost, Implication, Requirement};
use crate::dice::Dice;

/// The parameters of a random problem.
#[derive(Clone, Copy, Debug)]
pub struct ProblemShape {
    /// The maximum number of left nodes.
    pub lefts: u32,
    /// The maximum number of right nodes.
    pub rights: u32,
    /// The maximum number of cardinalities that are intervals from 0.
    pub caps: u32,
    /// The maximum number of cardinalities with a gap above 0, and of implications, together.
    pub gaps: u32,
    /// The maximum number of requirements.
    pub requirements: u32,
    /// The maximum number of costs.
    pub costs: u32,
    /// Uses the maximum of nodes and of `gaps`, and only sets that a game could have on a large board.
    pub is_full: bool,
}

/// A random problem.
#[must_use]
pub fn random_problem(dice: &mut Dice, shape: ProblemShape) -> AssignmentProblem {
    let size = |most: u32, dice: &mut Dice| if shape.is_full { most } else { 1 + dice.below(most) };
    let lefts = size(shape.lefts, dice);
    let rights = size(shape.rights, dice);
    let several = dice.below(3) == 0;
    let most = (0..lefts).map(|_| if several && dice.below(4) == 0 { 2 + dice.below(2) } else { 1 }).collect();
    let density = 2 + dice.below(7);
    let mut pairs: Vec<(u32, u32)> = (0..lefts).flat_map(|left| (0..rights).map(move |right| (left, right))).collect();
    pairs.retain(|_| dice.below(8) < density);
    let mut problem = AssignmentProblem { capacities: most, right_count: rights, pairs, ..AssignmentProblem::default() };
    for _ in 0..dice.below(shape.caps + 1) {
        let pairs = random_group(&problem, dice, shape);
        let most = if dice.below(12) == 0 { 0 } else { 1 + dice.below(3) };
        problem.cardinalities.push(Cardinality { pairs, zero_allowed: true, min: 0, max: most, ..Cardinality::default() });
    }
    for _ in 0..if shape.is_full { shape.gaps } else { dice.below(shape.gaps + 1) } {
        if dice.below(2) == 0 {
            let pairs = random_group(&problem, dice, shape);
            let least = 2 + dice.below(2);
            problem.cardinalities.push(Cardinality {
                pairs,
                zero_allowed: true,
                min: least,
                max: u32::MAX,
                ..Cardinality::default()
            });
        } else {
            let when = pairs_of_random_node(&problem, dice);
            let mut then = random_group(&problem, dice, shape);
            if dice.below(2) == 0 {
                let own: Vec<u32> = when.iter().map(|pair| problem.left(*pair)).collect();
                then = (0..problem.pairs.len() as u32).filter(|pair| !own.contains(&problem.left(*pair))).collect();
            }
            problem.implications.push(Implication {
                when,
                then,
                min: 1 + dice.below(2) / 2 + u32::from(dice.below(5) == 0),
                ..Implication::default()
            });
        }
    }
    if !shape.is_full && dice.below(6) == 0 {
        // A cardinality over all pairs.
        let least = dice.below(3);
        let pairs = (0..problem.pairs.len() as u32).collect();
        problem.cardinalities.push(Cardinality {
            pairs,
            zero_allowed: least == 0,
            min: least,
            max: least + dice.below(4),
            ..Cardinality::default()
        });
    }
    for _ in 0..dice.below(shape.requirements + 1) {
        let pairs = match dice.below(3) {
            0 if !problem.pairs.is_empty() => vec![dice.below(problem.pairs.len() as u32)],
            1 => pairs_of_random_node(&problem, dice),
            _ => random_group(&problem, dice, shape),
        };
        problem.requirements.push(Requirement { pairs, ..Requirement::default() });
    }
    for what in 0..dice.below(shape.costs + 1) {
        let pairs = pairs_of_random_node(&problem, dice);
        problem.costs.push(Cost { pairs, what, ..Cost::default() });
    }
    problem
}

/// A problem that exhausts the budget: each right node has 0 or 3 of the 40 left nodes, and each left node is required. The flow
/// relaxation does not detect that one left node is left over.
#[must_use]
pub fn hard_problem() -> AssignmentProblem {
    let shape = ProblemShape { lefts: 40, rights: 40, caps: 0, gaps: 0, requirements: 0, costs: 0, is_full: true };
    let mut problem = random_problem(&mut Dice::new(3), shape);
    problem.capacities.fill(1);
    let all = 0..problem.pairs.len() as u32;
    for node in 0..40 {
        let of = |side: fn(&AssignmentProblem, u32) -> u32| all.clone().filter(|pair| side(&problem, *pair) == node).collect();
        let (pairs, wanted) = (of(AssignmentProblem::right), of(AssignmentProblem::left));
        problem.cardinalities.push(Cardinality { pairs, zero_allowed: true, min: 3, max: 3, ..Cardinality::default() });
        problem.requirements.push(Requirement { pairs: wanted, ..Requirement::default() });
    }
    problem
}

/// The pairs of a random node.
fn pairs_of_random_node(problem: &AssignmentProblem, dice: &mut Dice) -> Vec<u32> {
    let left = dice.below(2) == 0;
    let which = dice.below(if left { problem.capacities.len() as u32 } else { problem.right_count });
    let has = |pair: &u32| if left { problem.left(*pair) == which } else { problem.right(*pair) == which };
    (0..problem.pairs.len() as u32).filter(has).collect()
}

/// A random set: all pairs, the pairs of a node, of several nodes of one side or of both sides, or (in small problems) any pairs.
fn random_group(problem: &AssignmentProblem, dice: &mut Dice, shape: ProblemShape) -> Vec<u32> {
    let all = 0..problem.pairs.len() as u32;
    match dice.below(6) {
        0 => all.collect(),
        1 if !shape.is_full => all.filter(|_| dice.below(3) == 0).collect(),
        1 => {
            let lefts: Vec<bool> = problem.capacities.iter().map(|_| dice.below(2) == 0).collect();
            let rights: Vec<bool> = (0..problem.right_count).map(|_| dice.below(2) == 0).collect();
            all.filter(|pair| lefts[problem.left(*pair) as usize] && rights[problem.right(*pair) as usize]).collect()
        }
        2 | 3 => {
            let left = dice.below(2) == 0;
            let count = if left { problem.capacities.len() as u32 } else { problem.right_count };
            let taken: Vec<bool> = (0..count).map(|_| dice.below(2) == 0).collect();
            let of = |pair: u32| if left { problem.left(pair) } else { problem.right(pair) };
            all.filter(|pair| taken.get(of(*pair) as usize).copied().unwrap_or(false)).collect()
        }
        _ => pairs_of_random_node(problem, dice),
    }
}
