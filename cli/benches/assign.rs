//! Benchmark of the solver for declarations. Boards are random, 20 by 20, with at most six constraints that a flow cannot express. One more
//! board exceeds the budget.
//!
//! `cargo bench -p fizzle-cli --bench assign`. `FIZZLE_BOARDS` sets the number of boards.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use fizzle_runtime::assign::random_problems::{self, ProblemShape};
use fizzle_runtime::assign::{BUDGET, Verdict};
use fizzle_runtime::dice::Dice;
use std::time::{Duration, Instant};

const WIDE: ProblemShape = ProblemShape { lefts: 20, rights: 20, caps: 6, gaps: 6, requirements: 30, costs: 4, is_full: true };

fn percentiles(name: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize];
    println!("{name}: median {:?}, 90 % {:?}, 99 % {:?}, longest {:?}", at(0.5), at(0.9), at(0.99), at(1.0));
}

fn main() {
    let count = std::env::var("FIZZLE_BOARDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2_000);
    let (mut judged, mut proposed, mut undecided) = (Vec::new(), Vec::new(), 0);
    for seed in 0..count {
        let mut dice = Dice::new(seed);
        let board = random_problems::random_problem(&mut dice, WIDE);
        let start = Instant::now();
        let proposal = board.nearest_legal(&[], BUDGET);
        proposed.push(start.elapsed());
        undecided += u32::from(proposal.is_err());
        let picks: Vec<u32> = (0..board.pairs.len() as u32).filter(|_| dice.below(20) == 0).collect();
        for picks in [picks, proposal.ok().flatten().unwrap_or_default()] {
            let start = Instant::now();
            let verdict = board.check(&picks, BUDGET);
            judged.push(start.elapsed());
            undecided += u32::from(verdict == Verdict::Undecided);
        }
    }
    println!("{count} boards of 20 by 20, {undecided} of three questions each without an answer");
    percentiles("a legal declaration is found", proposed);
    percentiles("a declaration is judged, with a legal one near to it", judged);
    let board = random_problems::hard_problem();
    let start = Instant::now();
    let verdict = board.check(&[], BUDGET);
    println!("a board that is too hard: {verdict:?} after {:?}", start.elapsed());
}
