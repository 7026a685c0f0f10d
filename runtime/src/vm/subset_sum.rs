//! Subset sums: which elements of a list can be part of a set whose values have a given sum.
//!
//! Sums are compared exactly for `at most` and `at least`. For `equal`, dynamic programming over the pairs of number and sum that sets
//! reach is bounded by [`MAX_STATES`] and [`MAX_WORK`]: a set beyond these bounds is not found.

use crate::ir::op::SumTest;
use std::collections::{BTreeMap, BTreeSet};

/// Pairs of number and sum that are kept.
const MAX_STATES: usize = 4096;
/// Steps of one search. Each is charged as one operation: it takes as long.
const MAX_WORK: u64 = 1 << 20;

/// A condition on the sum and the number of the elements of a set.
#[derive(Clone, Copy, Debug)]
pub(super) struct SubsetSum {
    pub how: SumTest,
    pub total: i64,
    pub min: i64,
    pub max: i64,
}

impl SubsetSum {
    /// Returns the elements that some set contains which meets the condition, in the order of the list, and the work in operations.
    pub(super) fn completing(self, all: &[(i32, i64)]) -> (Vec<i32>, u64) {
        let mut work = all.len() as u64;
        let mut values: Vec<i64> = all.iter().map(|(_, value)| *value).collect();
        values.sort_unstable();
        let mut known: BTreeMap<i64, bool> = BTreeMap::new();
        let completing =
            all.iter().filter(|(_, value)| *known.entry(*value).or_insert_with(|| self.has_set_with(&values, *value, &mut work)));
        let items = completing.map(|(item, _)| *item).collect();
        (items, work)
    }

    /// Whether a set with one element of this value meets the condition. `values` are sorted.
    fn has_set_with(self, values: &[i64], value: i64, work: &mut u64) -> bool {
        let Ok(own) = values.binary_search(&value) else { return false };
        let others: Vec<i64> = values.iter().enumerate().filter(|(index, _)| *index != own).map(|(_, value)| *value).collect();
        let count = |bound: i64| usize::try_from(bound.saturating_sub(1)).unwrap_or(0).min(others.len());
        let (least, most) = (count(self.min), count(self.max));
        if self.max < 1 || self.min.saturating_sub(1) > others.len() as i64 {
            return false;
        }
        *work += others.len() as u64;
        let rest = self.total.saturating_sub(value);
        match self.how {
            SumTest::AtMost => lowest_sum(others.iter().copied(), least, most) <= rest,
            SumTest::AtLeast => {
                lowest_sum(others.iter().rev().map(|value| value.saturating_neg()), least, most) <= rest.saturating_neg()
            }
            SumTest::Equal => reaches(&others, rest, least..=most, work),
        }
    }
}

/// The lowest sum of `least` to `most` of the values, which are sorted.
fn lowest_sum(sorted: impl Iterator<Item = i64>, least: usize, most: usize) -> i64 {
    let taken = sorted.take(most).enumerate().take_while(|(index, value)| *index < least || *value < 0);
    taken.fold(0, |sum, (_, value)| sum.saturating_add(value))
}

/// Whether a number of the sorted values within the bounds has exactly this sum.
fn reaches(values: &[i64], sum: i64, count: std::ops::RangeInclusive<usize>, work: &mut u64) -> bool {
    let all_positive = values.first().is_none_or(|lowest| *lowest >= 0);
    let is_found = |(n, reached): &(usize, i64)| *reached == sum && count.contains(n);
    let mut reached: BTreeSet<(usize, i64)> = BTreeSet::from([(0, 0)]);
    if reached.iter().any(is_found) {
        return true;
    }
    for value in values {
        *work += reached.len() as u64;
        let further: Vec<(usize, i64)> = reached
            .iter()
            .map(|(n, reached)| (n + 1, reached.saturating_add(*value)))
            .filter(|(n, reached)| n <= count.end() && !(all_positive && *reached > sum))
            .collect();
        if further.iter().any(is_found) {
            return true;
        }
        let room = MAX_STATES.saturating_sub(reached.len());
        reached.extend(further.into_iter().take(room));
        if *work > MAX_WORK {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::SubsetSum;
    use crate::ir::op::SumTest;

    fn completing(how: SumTest, total: i64, (min, max): (i64, i64), values: &[i64]) -> Vec<i32> {
        let all: Vec<(i32, i64)> = values.iter().enumerate().map(|(index, value)| (index as i32, *value)).collect();
        SubsetSum { how, total, min, max }.completing(&all).0
    }

    /// What trying every set finds.
    fn by_trying(how: SumTest, total: i64, (min, max): (i64, i64), values: &[i64]) -> Vec<i32> {
        let fits = |set: u32| {
            let sum: i64 = values.iter().enumerate().filter(|(index, _)| set >> index & 1 == 1).map(|(_, value)| *value).sum();
            let count = i64::from(set.count_ones());
            let holds = match how {
                SumTest::Equal => sum == total,
                SumTest::AtMost => sum <= total,
                SumTest::AtLeast => sum >= total,
            };
            holds && (min..=max).contains(&count)
        };
        let is_part = |index: &usize| (0..1u32 << values.len()).any(|set| set >> index & 1 == 1 && fits(set));
        (0..values.len()).filter(is_part).map(|index| index as i32).collect()
    }

    #[test]
    fn small_cases_agree_with_trying_all_sets() {
        let lists: [&[i64]; 6] = [&[], &[4], &[1, 2, 3, 4], &[4, 4, 3, 8, 1], &[-2, 5, 0, 3, 3], &[7, 7, 7]];
        for values in lists {
            for how in [SumTest::Equal, SumTest::AtMost, SumTest::AtLeast] {
                for total in -3..16 {
                    for bounds in [(0, 9), (1, 2), (2, 2), (3, 9), (0, 0)] {
                        let found = completing(how, total, bounds, values);
                        assert_eq!(found, by_trying(how, total, bounds, values), "{how:?} {total} {bounds:?} {values:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn a_large_search_ends() {
        let values: Vec<i64> = (0..2000).map(|n| 1_000_003 * n % 65_537 + 65_537).collect();
        let all: Vec<(i32, i64)> = values.iter().map(|value| (1, *value)).collect();
        let wanted = SubsetSum { how: SumTest::Equal, total: 1_000_000_007, min: 0, max: 2000 };
        assert!(wanted.completing(&all).1 < 1 << 24);
    }
}
