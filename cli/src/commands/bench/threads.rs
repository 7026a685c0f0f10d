//! Measures thread scaling: the same work on one thread and on all threads at once, compared with a loop that uses nothing but the CPU.
//!
//! Work and loop alternate for several rounds, and the minimum times count, because other processes can only add time.

use crate::failure::CommandError;
use rayon::prelude::*;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// The number of rounds.
const ROUNDS: u32 = 7;

/// The minimum times of a piece of work: on one thread, and on all threads at once.
#[derive(Clone, Copy)]
struct BestTimes {
    alone: Duration,
    together: Duration,
}

impl BestTimes {
    const NONE: Self = Self { alone: Duration::MAX, together: Duration::MAX };

    /// Measures a piece of work once more in both ways. The work gets the number of its thread.
    fn measure_round(&mut self, piece: &(impl Fn(usize) -> Result<(), CommandError> + Sync)) -> Result<(), CommandError> {
        let begun = Instant::now();
        piece(0)?;
        self.alone = self.alone.min(begun.elapsed());
        let begun = Instant::now();
        (0..rayon::current_num_threads()).into_par_iter().with_max_len(1).try_for_each(piece)?;
        self.together = self.together.min(begun.elapsed());
        Ok(())
    }

    /// The throughput of all threads relative to that of one.
    fn gain(self) -> f64 {
        rayon::current_num_threads() as f64 * self.alone.as_secs_f64() / self.together.as_secs_f64()
    }
}

/// Returns how many pieces of work all threads together do in a second, and their gain relative to the gain of the loop. `took`: the
/// approximate time of one piece on one thread.
pub fn measure_gain(
    took: Duration,
    piece: impl Fn(usize) -> Result<(), CommandError> + Sync,
) -> Result<(f64, f64), CommandError> {
    let begun = Instant::now();
    spin(1);
    let spins = (took.as_secs_f64() / begun.elapsed().as_secs_f64()).ceil() as u64;
    let (mut work, mut reference) = (BestTimes::NONE, BestTimes::NONE);
    for _ in 0..ROUNDS {
        work.measure_round(&piece)?;
        reference.measure_round(&|_| {
            (0..spins).for_each(spin);
            Ok(())
        })?;
    }
    let each = rayon::current_num_threads() as f64 / work.together.as_secs_f64();
    Ok((each, work.gain() / reference.gain()))
}

fn spin(seed: u64) {
    let mut x = seed | 1;
    for _ in 0..1 << 20 {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
    }
    black_box(x);
}
