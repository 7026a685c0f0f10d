//! How long declarations take: boards of twenty by twenty with at most six restrictions that no flow can say, and one that is too hard.
//!
//! `cargo bench -p fizzle-cli --bench assign`; `FIZZLE_BOARDS` says how many boards.

#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs)]

use fizzle_runtime::assign::sample::{self, Shape};
use fizzle_runtime::assign::{BUDGET, Board, Limit, Verdict, Want};
use fizzle_runtime::bot::Dice;
use std::time::{Duration, Instant};

const WIDE: Shape = Shape { lefts: 20, rights: 20, caps: 6, gaps: 6, wants: 30, costs: 4, full: true };

fn percentiles(name: &str, mut times: Vec<Duration>) {
    times.sort();
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize];
    println!("{name}: median {:?}, 90 % {:?}, 99 % {:?}, longest {:?}", at(0.5), at(0.9), at(0.99), at(1.0));
}

/// Every right node takes none or three of the left nodes, and every pair is wished for or not.
fn hard() -> Board {
    let mut dice = Dice::new(3);
    let mut board = sample::board(&mut dice, Shape { lefts: 24, rights: 24, caps: 0, gaps: 0, wants: 0, costs: 0, full: true });
    for right in 0..24 {
        let pairs = (0..board.pairs.len() as u32).filter(|pair| board.pairs[*pair as usize].1 == right).collect();
        board.limits.push(Limit { pairs, zero: true, least: 3, most: 3, ..Limit::default() });
    }
    for pair in 0..board.pairs.len() as u32 {
        if dice.below(3) == 0 {
            board.wants.push(Want { pairs: vec![pair], ..Want::default() });
        }
    }
    board
}

fn main() {
    let count = std::env::var("FIZZLE_BOARDS").ok().and_then(|text| text.parse().ok()).unwrap_or(2_000);
    let (mut judged, mut proposed, mut undecided) = (Vec::new(), Vec::new(), 0);
    for seed in 0..count {
        let mut dice = Dice::new(seed);
        let board = sample::board(&mut dice, WIDE);
        let start = Instant::now();
        let proposal = board.propose(&[], BUDGET);
        proposed.push(start.elapsed());
        undecided += u32::from(proposal.is_err());
        let picks: Vec<u32> = (0..board.pairs.len() as u32).filter(|_| dice.below(20) == 0).collect();
        let start = Instant::now();
        let verdict = board.judge(&picks, BUDGET);
        let legal = board.judge(&proposal.ok().flatten().unwrap_or_default(), BUDGET);
        judged.push(start.elapsed());
        undecided += u32::from(verdict == Verdict::Undecided || legal == Verdict::Undecided);
    }
    println!("{count} boards of 20 by 20, {undecided} without an answer");
    percentiles("a legal declaration is found", proposed);
    percentiles("two declarations are judged, with the nearest legal one", judged);
    let board = hard();
    let start = Instant::now();
    let answer = board.propose(&[], BUDGET);
    println!("a board that is too hard: {} after {:?}", if answer.is_err() { "no answer" } else { "an answer" }, start.elapsed());
}
