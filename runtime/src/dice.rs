//! Uniform random numbers outside of games: for bots, for copies of games, and for the seeds of many games.

use rand_core::Rng;
use rand_pcg::Pcg32;

/// The stream of the bots' random number generators.
const STREAM: u64 = 0x0066_697a_7a6c_6532;

/// Derives an independent seed for each purpose of each game: `purpose` 0 is the seed of the game itself, `1 + seat` that of a bot.
#[must_use]
pub fn derive(seed: u64, game: u64, purpose: u64) -> u64 {
    let mut bytes = [0u8; 24];
    for (place, value) in bytes.chunks_exact_mut(8).zip([seed, game, purpose]) {
        place.copy_from_slice(&value.to_le_bytes());
    }
    xxhash_rust::xxh3::xxh3_64(&bytes)
}

/// A source of uniform random numbers that is identical on every platform.
#[derive(Clone, Debug)]
pub struct Dice(Pcg32);

impl Dice {
    /// Creates a source from a seed.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(Pcg32::new(seed, STREAM))
    }

    /// A uniform number below `bound`, by rejection; 0 if `bound` is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        let bound = bound.max(1);
        let threshold = bound.wrapping_neg() % bound;
        loop {
            let product = u64::from(self.0.next_u32()) * u64::from(bound);
            if product as u32 >= threshold {
                return (product >> 32) as u32;
            }
        }
    }

    /// Shuffles items.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for bound in (2..=items.len()).rev() {
            let pick = self.below(bound as u32) as usize;
            items.swap(bound - 1, pick);
        }
    }
}
