//! Random boards with every form that can be declared, for tests and benches.

use super::{AssignmentProblem, Cardinality, Cost, Implication, Requirement};
use crate::bot::Dice;

/// What a random board is like.
#[derive(Clone, Copy, Debug)]
pub struct ProblemShape {
    /// At most so many left nodes.
    pub lefts: u32,
    /// At most so many right nodes.
    pub rights: u32,
    /// At most so many limits that are intervals from none on.
    pub caps: u32,
    /// At most so many limits with a gap, and links.
    pub gaps: u32,
    /// At most so many requirements.
    pub wants: u32,
    /// At most so many costs.
    pub costs: u32,
    /// Exactly as many nodes as they may be, one right node for most left nodes.
    pub full: bool,
}

/// A random board.
#[must_use]
pub fn board(dice: &mut Dice, shape: ProblemShape) -> AssignmentProblem {
    let size = |most: u32, dice: &mut Dice| if shape.full { most } else { 1 + dice.below(most) };
    let lefts = size(shape.lefts, dice);
    let rights = size(shape.rights, dice);
    let several = dice.below(3) == 0;
    let most = (0..lefts).map(|_| if several && dice.below(4) == 0 { 2 + dice.below(2) } else { 1 }).collect();
    let density = 2 + dice.below(7);
    let mut pairs: Vec<(u32, u32)> = (0..lefts).flat_map(|left| (0..rights).map(move |right| (left, right))).collect();
    pairs.retain(|_| dice.below(8) < density);
    let mut board = AssignmentProblem { most, rights, pairs, ..AssignmentProblem::default() };
    for _ in 0..dice.below(shape.caps + 1) {
        let pairs = group(&board, dice, shape);
        let most = if dice.below(12) == 0 { 0 } else { 1 + dice.below(3) };
        board.limits.push(Cardinality { pairs, zero: true, least: 0, most, ..Cardinality::default() });
    }
    for _ in 0..if shape.full { shape.gaps } else { dice.below(shape.gaps + 1) } {
        if dice.below(2) == 0 {
            let pairs = group(&board, dice, shape);
            let least = 2 + dice.below(2);
            board.limits.push(Cardinality { pairs, zero: true, least, most: u32::MAX, ..Cardinality::default() });
        } else {
            let when = node(&board, dice);
            let mut then = group(&board, dice, shape);
            if dice.below(2) == 0 {
                let own: Vec<u32> = when.iter().map(|pair| board.left(*pair)).collect();
                then = (0..board.pairs.len() as u32).filter(|pair| !own.contains(&board.left(*pair))).collect();
            }
            board.links.push(Implication {
                when,
                then,
                least: 1 + dice.below(2) / 2 + u32::from(dice.below(5) == 0),
                ..Implication::default()
            });
        }
    }
    if !shape.full && dice.below(6) == 0 {
        // The whole number lies in an interval.
        let least = dice.below(3);
        let pairs = (0..board.pairs.len() as u32).collect();
        board.limits.push(Cardinality { pairs, zero: least == 0, least, most: least + dice.below(4), ..Cardinality::default() });
    }
    for _ in 0..dice.below(shape.wants + 1) {
        let pairs = match dice.below(3) {
            0 if !board.pairs.is_empty() => vec![dice.below(board.pairs.len() as u32)],
            1 => node(&board, dice),
            _ => group(&board, dice, shape),
        };
        board.wants.push(Requirement { pairs, ..Requirement::default() });
    }
    for what in 0..dice.below(shape.costs + 1) {
        let pairs = node(&board, dice);
        board.costs.push(Cost { pairs, what, ..Cost::default() });
    }
    board
}

/// A board that is too hard: every right node takes none or three of forty left nodes, and each of these wishes to be taken. No flow sees
/// that one is left over.
#[must_use]
pub fn hard() -> AssignmentProblem {
    let shape = ProblemShape { lefts: 40, rights: 40, caps: 0, gaps: 0, wants: 0, costs: 0, full: true };
    let mut board = board(&mut Dice::new(3), shape);
    board.most.fill(1);
    let all = 0..board.pairs.len() as u32;
    for node in 0..40 {
        let of = |side: fn(&AssignmentProblem, u32) -> u32| all.clone().filter(|pair| side(&board, *pair) == node).collect();
        let (pairs, wanted) = (of(AssignmentProblem::right), of(AssignmentProblem::left));
        board.limits.push(Cardinality { pairs, zero: true, least: 3, most: 3, ..Cardinality::default() });
        board.wants.push(Requirement { pairs: wanted, ..Requirement::default() });
    }
    board
}

/// The pairs of a node.
fn node(board: &AssignmentProblem, dice: &mut Dice) -> Vec<u32> {
    let left = dice.below(2) == 0;
    let which = dice.below(if left { board.most.len() as u32 } else { board.rights });
    let has = |pair: &u32| if left { board.left(*pair) == which } else { board.right(*pair) == which };
    (0..board.pairs.len() as u32).filter(has).collect()
}

/// The pairs of a node, of several nodes of a side, of several of both, all, or (on small boards) any.
fn group(board: &AssignmentProblem, dice: &mut Dice, shape: ProblemShape) -> Vec<u32> {
    let all = 0..board.pairs.len() as u32;
    match dice.below(6) {
        0 => all.collect(),
        1 if !shape.full => all.filter(|_| dice.below(3) == 0).collect(),
        1 => {
            let lefts: Vec<bool> = board.most.iter().map(|_| dice.below(2) == 0).collect();
            let rights: Vec<bool> = (0..board.rights).map(|_| dice.below(2) == 0).collect();
            all.filter(|pair| lefts[board.left(*pair) as usize] && rights[board.right(*pair) as usize]).collect()
        }
        2 | 3 => {
            let left = dice.below(2) == 0;
            let count = if left { board.most.len() as u32 } else { board.rights };
            let taken: Vec<bool> = (0..count).map(|_| dice.below(2) == 0).collect();
            let of = |pair: u32| if left { board.left(pair) } else { board.right(pair) };
            all.filter(|pair| taken.get(of(*pair) as usize).copied().unwrap_or(false)).collect()
        }
        _ => node(board, dice),
    }
}
