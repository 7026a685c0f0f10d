//! What threads gain: the same piece of work by one thread, and by each of all at once, beside a loop that uses nothing but the processor.
//!
//! The pieces are done in turns, a few times, and for each the least time counts: whatever else the machine does can only add to it.

use crate::failure::CommandError;
use rayon::prelude::*;
use std::hint::black_box;
use std::time::{Duration, Instant};

/// How often each piece is done.
const ROUNDS: u32 = 7;

/// The least times of a piece: by one thread, and by all at once.
#[derive(Clone, Copy)]
struct BestTimes {
    alone: Duration,
    together: Duration,
}

impl BestTimes {
    const NONE: Self = Self { alone: Duration::MAX, together: Duration::MAX };

    /// Does a piece both ways once more; it is told for which thread.
    fn again(&mut self, piece: &(impl Fn(usize) -> Result<(), CommandError> + Sync)) -> Result<(), CommandError> {
        let begun = Instant::now();
        piece(0)?;
        self.alone = self.alone.min(begun.elapsed());
        let begun = Instant::now();
        (0..rayon::current_num_threads()).into_par_iter().with_max_len(1).try_for_each(piece)?;
        self.together = self.together.min(begun.elapsed());
        Ok(())
    }

    /// How many times as much all threads do in the same time as one.
    fn gain(self) -> f64 {
        rayon::current_num_threads() as f64 * self.alone.as_secs_f64() / self.together.as_secs_f64()
    }
}

/// How often in a second all threads do a piece, each its own, and their gain as a part of what the loop gains. `took`: about how long one
/// thread needs for it.
pub fn gain(took: Duration, piece: impl Fn(usize) -> Result<(), CommandError> + Sync) -> Result<(f64, f64), CommandError> {
    let begun = Instant::now();
    spin(1);
    let spins = (took.as_secs_f64() / begun.elapsed().as_secs_f64()).ceil() as u64;
    let (mut work, mut reference) = (BestTimes::NONE, BestTimes::NONE);
    for _ in 0..ROUNDS {
        work.again(&piece)?;
        reference.again(&|_| {
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
