//! The random number generator of the engine: PCG-XSH-RR 64/32, bounded by rejection (Lemire).

/// A generator: its state, and the increment that selects the stream.
pub struct Dice {
    state: u64,
    increment: u64,
}

impl Dice {
    /// The generator of a game with this seed.
    pub fn for_game(seed: u64) -> Self {
        Self::new(seed, 0x0066_697a_7a6c_6531)
    }

    /// The generator of a bot with this seed.
    pub fn for_bot(seed: u64) -> Self {
        Self::new(seed, 0x0066_697a_7a6c_6532)
    }

    fn new(seed: u64, stream: u64) -> Self {
        let increment = stream << 1 | 1;
        let mut dice = Self { state: seed.wrapping_add(increment), increment };
        dice.next();
        dice
    }

    #[inline]
    fn next(&mut self) -> u32 {
        let old = self.state;
        self.state = old.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(self.increment);
        ((((old >> 18) ^ old) >> 27) as u32).rotate_right((old >> 59) as u32)
    }

    /// A number below `bound`. `bound` must be at least 1.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        let mut product = u64::from(self.next()) * u64::from(bound);
        if (product as u32) < bound {
            let threshold = bound.wrapping_neg() % bound;
            while (product as u32) < threshold {
                product = u64::from(self.next()) * u64::from(bound);
            }
        }
        (product >> 32) as u32
    }

    /// Shuffles items (Fisher-Yates, from the end).
    #[inline]
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for bound in (2..=items.len()).rev() {
            let pick = self.below(bound as u32) as usize;
            items.swap(bound - 1, pick);
        }
    }
}
