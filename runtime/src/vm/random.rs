//! Random numbers: PCG-XSH-RR 64/32, seeded by the game's seed. The state stores the seed and how many words were drawn.
//!
//! Every trace contains the generator's name. Bounded numbers are drawn by rejection (Lemire), so that they are uniform and the
//! same on every machine.

use crate::ir::ObjectRef;
use crate::state::layout as at;
use crate::vm::machine::{Machine, ScriptedCard};
use rand_core::Rng;
use rand_pcg::Pcg32;

/// The name and version of the generator, for traces.
pub const GENERATOR: &str = "pcg32-lemire-1";

/// The stream of the generator.
const STREAM: u64 = 0x0066_697a_7a6c_6531;

impl Machine {
    /// Draws independent numbers, the i-th from 0 to below `bounds[i]` (bound 0 counts as 1). Sets the barrier of announcements.
    pub(crate) fn draw_numbers(&mut self, bounds: &[u32]) -> Vec<u32> {
        let block = &self.state.block;
        let seed = u64::from(block.get(at::SEED)) | (u64::from(block.get(at::SEED + 1)) << 32);
        let mut drawn = u64::from(block.get(at::RANDOM_DRAWS)) | (u64::from(block.get(at::RANDOM_DRAWS + 1)) << 32);
        let mut generator = Pcg32::new(seed, STREAM);
        generator.advance(drawn);
        let mut numbers = Vec::with_capacity(bounds.len());
        for bound in bounds {
            let bound = (*bound).max(1);
            let threshold = bound.wrapping_neg() % bound;
            loop {
                drawn += 1;
                let product = u64::from(generator.next_u32()) * u64::from(bound);
                if product as u32 >= threshold {
                    numbers.push((product >> 32) as u32);
                    break;
                }
            }
        }
        self.set(at::RANDOM_DRAWS, drawn as u32);
        self.set(at::RANDOM_DRAWS + 1, (drawn >> 32) as u32);
        self.set_barrier();
        numbers
    }

    /// Returns a number from `min` to `max`: the next scripted one if it is in this range, else a random one.
    pub(crate) fn number_between(&mut self, min: i64, max: i64) -> i64 {
        let max = max.max(min);
        let scripted = self.state.block.list(at::SCRIPTED_RANDOM).last().map(|word| i64::from(*word));
        if let Some(number) = scripted.filter(|number| (min..=max).contains(number)) {
            self.state.block.pop(at::SCRIPTED_RANDOM);
            self.set_barrier();
            return number;
        }
        let size = u32::try_from(max.saturating_sub(min).saturating_add(1)).unwrap_or(u32::MAX);
        let drawn = self.draw_numbers(&[size]).first().copied().unwrap_or(0);
        min + i64::from(drawn)
    }

    /// Scripts the results of [`Machine::number_between`], in this order.
    pub(crate) fn script_random(&mut self, numbers: &[u32]) {
        let mut words: Vec<u32> = numbers.iter().rev().copied().collect();
        words.extend_from_slice(self.state.block.list(at::SCRIPTED_RANDOM));
        // The list is popped from its end, so numbers that were scripted earlier stay there.
        self.state.block.replace(at::SCRIPTED_RANDOM, &words);
    }

    /// Puts the objects of the next scripted shuffle on top of a shuffled zone, if they are all in it. The last object is the uppermost.
    pub(crate) fn order_as_scripted(&mut self, items: &mut [u32]) {
        let Some(script) = self.scripted_shuffles.first() else { return };
        let mut ordered: Vec<u32> = Vec::with_capacity(script.len());
        for card in script {
            let fits = |item: &&u32| {
                let slot = ObjectRef(**item).slot();
                !ordered.contains(item)
                    && match card {
                        ScriptedCard::Object(object) => slot == *object,
                        ScriptedCard::Definition(definition) => self.state.column(slot, at::DEFINITION) == *definition,
                    }
            };
            let Some(item) = items.iter().rev().find(fits) else { return };
            ordered.push(*item);
        }
        let rest: Vec<u32> = items.iter().copied().filter(|item| !ordered.contains(item)).collect();
        for (place, item) in items.iter_mut().zip(rest.into_iter().chain(ordered.into_iter().rev())) {
            *place = item;
        }
        self.scripted_shuffles.remove(0);
    }

    /// Returns a random permutation of the items (Fisher and Yates, from the end).
    pub(crate) fn shuffled(&mut self, mut items: Vec<u32>) -> Vec<u32> {
        let bounds: Vec<u32> = (2..=items.len() as u32).rev().collect();
        let picks = self.draw_numbers(&bounds);
        for (bound, pick) in bounds.iter().zip(picks) {
            items.swap(*bound as usize - 1, pick as usize);
        }
        items
    }
}

#[cfg(test)]
mod tests {
    use crate::testing;
    use crate::vm::machine::Machine;

    #[test]
    fn numbers_are_in_range_and_reproducible() {
        let roll = |seed| {
            let mut machine = Machine::new(testing::program(), seed);
            (0..600).map(|_| machine.number_between(1, 6)).collect::<Vec<_>>()
        };
        let rolls = roll(5);
        assert_eq!(rolls, roll(5));
        for number in 1..=6 {
            let count = rolls.iter().filter(|n| **n == number).count();
            assert!((60..=140).contains(&count), "{count} times {number}");
        }
        let mut machine = Machine::new(testing::program(), 5);
        assert_eq!(machine.number_between(-2, -2), -2);
        assert_eq!(machine.number_between(4, 1), 4);
    }

    #[test]
    fn scripted_numbers_come_first_if_in_range() {
        let mut machine = Machine::new(testing::program(), 5);
        let free = machine.clone().number_between(1, 6);
        machine.script_random(&[3, 9]);
        machine.script_random(&[2]);
        assert_eq!(machine.number_between(1, 6), 3);
        assert_eq!(machine.number_between(1, 6), free, "nine is on no die");
        assert_eq!(machine.number_between(1, 9), 9);
        assert_eq!(machine.number_between(1, 6), 2);
    }
}
