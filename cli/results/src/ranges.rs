//! A set of numbers as sorted ranges. It stays small, because games are finished nearly in order.

/// Half-open ranges in ascending order, with gaps between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Ranges(Vec<[u64; 2]>);

impl Ranges {
    /// Checks the ranges of a file. `None` if they are not ascending, overlap, touch, or reach beyond `below`.
    pub fn read(ranges: &[[u64; 2]], below: u64) -> Option<Self> {
        let rising = ranges.iter().all(|[from, to]| from < to && *to <= below);
        let apart = ranges.windows(2).all(|pair| matches!(pair, [[_, to], [from, _]] if to < from));
        (rising && apart).then(|| Self(ranges.to_vec()))
    }

    /// All numbers below a number.
    pub fn all(below: u64) -> Self {
        Self(if below == 0 { Vec::new() } else { vec![[0, below]] })
    }

    /// The ranges.
    pub fn parts(&self) -> &[[u64; 2]] {
        &self.0
    }

    /// How many numbers there are.
    pub fn count(&self) -> u64 {
        self.0.iter().map(|[from, to]| to - from).sum()
    }

    /// Whether the set contains a number.
    pub fn contains(&self, number: u64) -> bool {
        let after = self.0.partition_point(|[from, _]| *from <= number);
        after.checked_sub(1).and_then(|place| self.0.get(place)).is_some_and(|[_, to]| number < *to)
    }

    /// Adds a number that the set does not contain.
    pub fn insert(&mut self, number: u64) {
        let after = self.0.partition_point(|[from, _]| *from <= number);
        let joins_next = self.0.get(after).is_some_and(|[from, _]| *from == number + 1);
        let before = after.checked_sub(1).filter(|place| self.0.get(*place).is_some_and(|[_, to]| *to == number));
        match (before, joins_next) {
            (Some(before), true) => {
                let next = self.0.remove(after);
                if let Some(range) = self.0.get_mut(before) {
                    range[1] = next[1];
                }
            }
            (Some(before), false) => {
                if let Some(range) = self.0.get_mut(before) {
                    range[1] = number + 1;
                }
            }
            (None, true) => {
                if let Some(range) = self.0.get_mut(after) {
                    range[0] = number;
                }
            }
            (None, false) => self.0.insert(after, [number, number + 1]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_merged_in_any_order() {
        let mut ranges = Ranges::default();
        for number in [4, 0, 2, 5, 1, 9] {
            assert!(!ranges.contains(number));
            ranges.insert(number);
            assert!(ranges.contains(number));
        }
        assert_eq!(ranges.parts(), [[0, 3], [4, 6], [9, 10]]);
        ranges.insert(3);
        assert_eq!((ranges.parts(), ranges.count()), (&[[0, 6], [9, 10]][..], 7));
        assert_eq!(Ranges::read(ranges.parts(), 10), Some(ranges));
    }

    #[test]
    fn malformed_ranges_are_refused() {
        for wrong in [&[[3, 3]][..], &[[4, 3]], &[[0, 11]], &[[0, 3], [3, 5]], &[[5, 6], [0, 2]]] {
            assert_eq!(Ranges::read(wrong, 10), None, "{wrong:?}");
        }
    }
}
