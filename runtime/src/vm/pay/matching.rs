//! Matches the units of a price to sources, by augmenting paths: which sources pay, and what is left over (CR 601.2h).
//!
//! Uses of producers that yield several units, or of which one must be chosen, are tried in combinations.

use super::hybrid_symbols::settle;
use crate::ir::ObjectRef;
use crate::ir::format::{ANY_UNIT, EITHER_WAY, is_either_way};
use crate::vm::cache_entries::{PaymentSources, ProducerUse};
use crate::vm::inline_vecs::InlineWords;
use smallvec::SmallVec;

/// Kind of a produced unit that pays only for a unit of any kind.
pub(super) const GENERIC_ONLY: u32 = 1 << 31;

/// Maximum number of combinations of producer uses that are tried.
const MAX_COMBINATIONS: usize = 256;

/// A unit that waits in a pool: its kind in the low bits, above it 0 for the pool, or the number of a restricted pool, from 1.
///
/// A shift by such a number is one by its kind, since shifts of 32-bit words read the low five bits only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct UnitInPool(pub(super) u32);

impl UnitInPool {
    /// The number of bits for the kind.
    const KIND_BITS: u32 = 5;

    pub(crate) fn new(kind: u32, pool: u16) -> Self {
        Self(kind | u32::from(pool) << Self::KIND_BITS)
    }

    pub(super) fn kind(self) -> u32 {
        self.0 & ((1 << Self::KIND_BITS) - 1)
    }

    pub(super) fn pool(self) -> usize {
        (self.0 >> Self::KIND_BITS) as usize
    }
}

/// One element for each source unit.
pub(super) type PerSource<T> = SmallVec<[T; 32]>;

/// How a price is paid.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct PaymentPlan {
    /// Units taken from pools ([`UnitInPool`]).
    pub(super) pool: Vec<u32>,
    /// Uses of producers: clause number or play code, producer.
    pub(super) uses: Vec<(u32, ObjectRef)>,
    /// Units that are left and go to pools ([`UnitInPool`]).
    pub(super) surplus: Vec<u32>,
}

/// Returns whether a price can be paid, that is, whether it has a plan.
pub(super) fn is_payable(units: &[u32], sources: &PaymentSources) -> bool {
    if units.iter().any(|unit| sources.is_either_way(*unit)) {
        return settle(units, sources, is_payable).is_some();
    }
    // Most prices that cannot be paid have too many units.
    if units.len() > sources.max_units() {
        return false;
    }
    let units = sources.accepted_kinds(units);
    let units = units.as_slice();
    if sources.uses.iter().any(|way| way.units.len() != 1) {
        return plan(units, sources).is_some();
    }
    // A producer whose uses yield one unit each is one source of all their kinds.
    let mut masks: PerSource<u32> = sources.pool.iter().map(|kind| 1u32.wrapping_shl(*kind)).collect();
    let mut producers: PerSource<(ObjectRef, u32)> = SmallVec::new();
    for way in &sources.uses {
        let yields = way.units.first().copied().unwrap_or(0);
        match producers.iter().position(|known| *known == (way.it, way.nth)) {
            Some(index) => masks.get_mut(sources.pool.len() + index).into_iter().for_each(|mask| *mask |= yields),
            None => {
                producers.push((way.it, way.nth));
                masks.push(yields);
            }
        }
    }
    assign(units, &masks).is_some()
}

impl PaymentSources {
    /// Returns the greatest number of units that these sources yield, if each could be used.
    pub(super) fn max_units(&self) -> usize {
        self.pool.len() + self.uses.iter().map(|way| way.units.len()).sum::<usize>()
    }

    /// Whether a unit of a price is paid in one of two ways. The kinds of a unit of any kind are no such unit.
    pub(super) fn is_either_way(&self, unit: u32) -> bool {
        unit != self.generic && is_either_way(unit)
    }

    /// Returns the kinds that each unit of a price accepts.
    pub(super) fn accepted_kinds(&self, units: &[u32]) -> InlineWords {
        let kinds = |unit: u32| match unit {
            ANY_UNIT => self.generic,
            _ if self.is_either_way(unit) => unit & !EITHER_WAY,
            _ => unit,
        };
        units.iter().map(|unit| kinds(*unit)).collect()
    }

    /// Returns whether each producer has one use, of one unit.
    pub(super) fn yield_single_units(&self) -> bool {
        let is_repeated = |(index, way): (usize, &ProducerUse)| {
            self.uses.iter().take(index).any(|other| other.it == way.it && other.nth == way.nth)
        };
        self.uses.iter().all(|way| way.units.len() == 1) && !self.uses.iter().enumerate().any(is_repeated)
    }

    /// Returns how a price is paid if each producer has one use, of one unit; `None` if it cannot be paid.
    fn plan_of_single_units(&self, units: &[u32]) -> Option<PaymentPlan> {
        let yields = self.uses.iter().filter_map(|way| way.units.first().copied());
        let masks: PerSource<u32> = self.pool.iter().map(|kind| 1u32.wrapping_shl(*kind)).chain(yields).collect();
        let taken = assign(units, &masks)?;
        let (of_pool, of_uses) = taken.split_at_checked(self.pool.len())?;
        let pool = self.pool.iter().zip(of_pool).filter(|(_, unit)| unit.is_some()).map(|(kind, _)| *kind);
        let uses = self.uses.iter().zip(of_uses).filter(|(_, unit)| unit.is_some()).map(|(way, _)| (way.how, way.it));
        Some(PaymentPlan { pool: pool.collect(), uses: uses.collect(), surplus: Vec::new() })
    }
}

/// Returns how a price is paid; `None` if it cannot be (or if none of the tried combinations pays it).
pub(crate) fn plan(units: &[u32], sources: &PaymentSources) -> Option<PaymentPlan> {
    let units = &sources.accepted_kinds(units);
    if sources.yield_single_units() { sources.plan_of_single_units(units) } else { plan_with_combinations(units, sources) }
}

/// Returns how a price is paid with producers of which some have several uses, or uses of several units.
fn plan_with_combinations(units: &[u32], sources: &PaymentSources) -> Option<PaymentPlan> {
    // Uses are grouped by producer. A group whose uses yield one unit each is one source of all their kinds.
    let mut groups: Vec<Vec<&ProducerUse>> = Vec::new();
    for way in &sources.uses {
        match groups.iter_mut().find(|group| group.first().is_some_and(|first| first.it == way.it && first.nth == way.nth)) {
            Some(group) => group.push(way),
            None => groups.push(vec![way]),
        }
    }
    let is_split = |group: &Vec<&ProducerUse>| group.len() > 1 && group.iter().any(|way| way.units.len() > 1);
    let split: Vec<usize> = (0..groups.len()).filter(|g| groups.get(*g).is_some_and(is_split)).collect();
    let combinations: usize =
        split.iter().filter_map(|g| groups.get(*g)).map(Vec::len).try_fold(1usize, usize::checked_mul).unwrap_or(usize::MAX);
    for combination in 0..combinations.min(MAX_COMBINATIONS) {
        let mut rest = combination;
        let chosen: Vec<Vec<&ProducerUse>> = groups
            .iter()
            .map(|group| {
                if !is_split(group) {
                    return group.clone();
                }
                let way = group.get(rest % group.len()).copied();
                rest /= group.len();
                way.into_iter().collect()
            })
            .collect();
        if let Some(plan) = plan_with_groups(units, &sources.pool, &chosen) {
            return Some(plan);
        }
    }
    None
}

/// Returns how a price is paid if each group has one use, or uses of one unit.
fn plan_with_groups(units: &[u32], pool: &[u32], groups: &[Vec<&ProducerUse>]) -> Option<PaymentPlan> {
    let mut left_out: Vec<bool> = vec![false; groups.len()];
    let mut best = assign_groups(units, pool, groups, &left_out)?;
    // Groups that leave surplus units are dropped if the rest suffices.
    let several = |index: usize| groups.get(index).is_some_and(|group| group.first().is_some_and(|way| way.units.len() > 1));
    let (first, then): (Vec<usize>, Vec<usize>) = (0..groups.len()).rev().partition(|index| several(*index));
    for index in first.into_iter().chain(then) {
        if best.surplus(groups) == 0 {
            break;
        }
        if best.uses_group(index) {
            if let Some(place) = left_out.get_mut(index) {
                *place = true;
            }
            match assign_groups(units, pool, groups, &left_out) {
                Some(better) if better.surplus(groups) < best.surplus(groups) => best = better,
                _ => {
                    if let Some(place) = left_out.get_mut(index) {
                        *place = false;
                    }
                }
            }
        }
    }
    let mut plan = PaymentPlan::default();
    for (source, unit) in best.taken.iter().enumerate() {
        if let (Some(_), Some(kind)) = (unit, pool.get(source)) {
            plan.pool.push(*kind);
        }
    }
    for (index, group) in groups.iter().enumerate().filter(|(index, _)| best.uses_group(*index)) {
        let pays: Vec<Option<u32>> = best
            .origin
            .iter()
            .zip(&best.taken)
            .filter(|(origin, _)| **origin == Some(index))
            .map(|(_, unit)| unit.and_then(|unit| units.get(unit).copied()))
            .collect();
        let way = match (group.as_slice(), pays.first()) {
            ([way], _) => Some(*way),
            (_, Some(Some(accepts))) => {
                group.iter().copied().find(|way| way.units.first().is_some_and(|mask| mask & accepts != 0))
            }
            _ => None,
        };
        let Some(way) = way else { continue };
        plan.uses.push((way.how, way.it));
        let over = way.units.iter().zip(&pays).filter(|(_, paid)| paid.is_none()).map(|(mask, _)| *mask & !GENERIC_ONLY);
        let kinds = over.filter(|mask| *mask != 0).map(u32::trailing_zeros);
        plan.surplus.extend(kinds.map(|kind| UnitInPool::new(kind, way.pool).0));
    }
    Some(plan)
}

/// For each source unit: the unit of the price that it pays, and its group.
pub(super) struct UnitAssignment {
    pub(super) taken: PerSource<Option<usize>>,
    pub(super) origin: PerSource<Option<usize>>,
}

impl UnitAssignment {
    fn uses_group(&self, index: usize) -> bool {
        self.origin.iter().zip(&self.taken).any(|(origin, taken)| *origin == Some(index) && taken.is_some())
    }

    /// Returns how many units of used groups pay for nothing.
    fn surplus(&self, groups: &[Vec<&ProducerUse>]) -> usize {
        let all: usize = (0..groups.len())
            .filter(|index| self.uses_group(*index))
            .filter_map(|index| groups.get(index)?.first().map(|way| way.units.len()))
            .sum();
        all - self.origin.iter().zip(&self.taken).filter(|(origin, taken)| origin.is_some() && taken.is_some()).count()
    }
}

pub(super) fn assign_groups(
    units: &[u32],
    pool: &[u32],
    groups: &[Vec<&ProducerUse>],
    left_out: &[bool],
) -> Option<UnitAssignment> {
    let mut masks: PerSource<u32> = pool.iter().map(|kind| 1u32.wrapping_shl(*kind)).collect();
    let mut origin: PerSource<Option<usize>> = SmallVec::from_elem(None, masks.len());
    for (index, group) in groups.iter().enumerate().filter(|(index, _)| !left_out.get(*index).copied().unwrap_or(false)) {
        match group.as_slice() {
            [way] => {
                masks.extend_from_slice(&way.units);
                origin.resize(masks.len(), Some(index));
            }
            several => {
                masks.push(several.iter().filter_map(|way| way.units.first()).fold(0, |all, mask| all | mask));
                origin.push(Some(index));
            }
        }
    }
    let taken = assign(units, &masks)?;
    Some(UnitAssignment { taken, origin })
}

/// Matches units of a price to sources. Returns for each source the index of the unit that it pays; `None` if the price is not payable.
///
/// A source is left out only if those before it leave nothing for it to pay: the sets of sources that pay for different units are a matroid, so
/// that this choice is the best by the order of the sources.
pub(super) fn assign(units: &[u32], sources: &[u32]) -> Option<PerSource<Option<usize>>> {
    if units.len() > sources.len() {
        return None;
    }
    let mut payers: SmallVec<[Option<usize>; 16]> = SmallVec::from_elem(None, units.len());
    let mut visited: SmallVec<[bool; 16]> = SmallVec::from_elem(false, units.len());
    let mut open = units.len();
    for source in 0..sources.len() {
        if open == 0 {
            break;
        }
        visited.fill(false);
        open -= usize::from(augment(source, units, sources, &mut payers, &mut visited));
    }
    if open > 0 {
        return None;
    }
    let mut taken: PerSource<Option<usize>> = SmallVec::from_elem(None, sources.len());
    for (unit, payer) in payers.iter().enumerate() {
        if let Some(place) = payer.and_then(|source| taken.get_mut(source)) {
            *place = Some(unit);
        }
    }
    Some(taken)
}

/// Finds an augmenting path from a source to a unit of the price that is open. Returns whether there is one; then `payers` is updated.
pub(super) fn augment(source: usize, units: &[u32], sources: &[u32], payers: &mut [Option<usize>], visited: &mut [bool]) -> bool {
    let yields = sources.get(source).copied().unwrap_or(0);
    for (u, unit) in units.iter().enumerate() {
        if unit & yields == 0 || visited.get(u).copied().unwrap_or(true) {
            continue;
        }
        if let Some(seen) = visited.get_mut(u) {
            *seen = true;
        }
        let is_open = match payers.get(u).copied().flatten() {
            None => true,
            Some(other) => augment(other, units, sources, payers, visited),
        };
        if is_open {
            if let Some(place) = payers.get_mut(u) {
                *place = Some(source);
            }
            return true;
        }
    }
    false
}

#[cfg(test)]
pub(super) mod tests {
    use crate::vm::pay::matching::*;

    /// Builds producers, each with its possible uses, each use with the kinds of its units.
    pub(crate) fn sources(pool: &[u32], producers: &[Vec<Vec<u32>>]) -> PaymentSources {
        let mut all = PaymentSources { pool: pool.to_vec(), ..PaymentSources::default() };
        for (number, ways) in producers.iter().enumerate() {
            for (how, units) in ways.iter().enumerate() {
                all.uses.push(ProducerUse {
                    it: ObjectRef(number as u32 + 1),
                    how: how as u32,
                    nth: 0,
                    units: units.as_slice().into(),
                    pool: 0,
                    weight: 0,
                });
            }
        }
        all
    }

    /// Tries all uses of the producers one by one.
    fn try_all(units: &[u32], masks: &mut Vec<u32>, producers: &[Vec<Vec<u32>>]) -> bool {
        let Some((first, rest)) = producers.split_first() else { return brute(units, masks) };
        let before = masks.len();
        first.iter().any(|way| {
            masks.extend(way);
            let found = try_all(units, masks, rest);
            masks.truncate(before);
            found
        })
    }

    /// Tries all ways to give distinct sources to the units one by one.
    fn brute(units: &[u32], masks: &[u32]) -> bool {
        match units {
            [] => true,
            [first, rest @ ..] => (0..masks.len()).any(|i| {
                let mut others = masks.to_vec();
                let mask = others.remove(i);
                mask & first != 0 && brute(rest, &others)
            }),
        }
    }

    /// Returns numbers below the argument, the same for each seed.
    fn numbers(mut seed: u32) -> impl FnMut(u32) -> u32 {
        move |n| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 16) % n
        }
    }

    /// Returns at most four units of a price.
    fn random_units(next: &mut impl FnMut(u32) -> u32) -> Vec<u32> {
        (0..next(5)).map(|_| if next(3) == 0 { ANY_UNIT } else { 1 << next(3) }).collect()
    }

    #[test]
    fn assignment_agrees_with_exhaustive_search() {
        let mut next = numbers(12345);
        for _ in 0..3000 {
            let units = random_units(&mut next);
            let masks: Vec<u32> = (0..next(6)).map(|_| next(8)).collect();
            assert_eq!(assign(&units, &masks).is_some(), brute(&units, &masks), "{units:?} {masks:?}");
        }
    }

    #[test]
    fn plan_agrees_with_exhaustive_search() {
        let mut next = numbers(777);
        for _ in 0..2000 {
            let units = random_units(&mut next);
            let producers: Vec<Vec<Vec<u32>>> = (0..next(4))
                .map(|_| (0..1 + next(2)).map(|_| (0..1 + next(2)).map(|_| 1 << next(3)).collect()).collect())
                .collect();
            let pool: Vec<u32> = (0..next(2)).map(|_| next(3)).collect();
            let mut masks: Vec<u32> = pool.iter().map(|kind| 1 << kind).collect();
            let found = plan(&units, &sources(&pool, &producers));
            assert_eq!(found.is_some(), try_all(&units, &mut masks, &producers), "{units:?} {pool:?} {producers:?}");
            let all = sources(&pool, &producers);
            assert_eq!(found.is_some(), is_payable(&units, &all), "{units:?} {pool:?} {producers:?}");
            assert_eq!(found, plan_with_combinations(&units, &all), "{units:?} {pool:?} {producers:?}");
        }
    }

    #[test]
    fn units_of_restricted_pools_pay_by_their_kind_and_keep_their_pool() {
        let of_second = UnitInPool::new(3, 2);
        assert_eq!((of_second.kind(), of_second.pool()), (3, 2));
        assert_eq!(UnitInPool::new(31, 0), UnitInPool(31));
        let found = plan(&[1 << 3], &sources(&[of_second.0], &[])).expect("its kind pays");
        assert_eq!(found.pool, [of_second.0]);
        assert_eq!(plan(&[1 << 2], &sources(&[of_second.0], &[])), None, "another kind");
        let mut several = sources(&[], &[vec![vec![1, 2]]]);
        several.uses[0].pool = 2;
        let found = plan(&[1], &several).expect("the first unit pays");
        assert_eq!(found.surplus, [UnitInPool::new(1, 2).0], "the second unit waits in the pool of the producer");
    }

    #[test]
    fn producers_with_surplus_are_used_last() {
        let found = plan(&[ANY_UNIT], &sources(&[], &[vec![vec![1, 1]], vec![vec![2]]]));
        assert_eq!(found, Some(PaymentPlan { pool: Vec::new(), uses: vec![(0, ObjectRef(2))], surplus: Vec::new() }));
        let found = plan(&[ANY_UNIT, ANY_UNIT], &sources(&[], &[vec![vec![1, 1]], vec![vec![2]]]));
        assert_eq!(found, Some(PaymentPlan { pool: Vec::new(), uses: vec![(0, ObjectRef(1))], surplus: Vec::new() }));
    }

    const WHITE: u32 = 1;
    const LIFE: u32 = 8;

    fn settled(units: &[u32], masks: &[u32]) -> Option<Vec<u32>> {
        let producers: Vec<_> = masks.iter().map(|mask| vec![vec![*mask]]).collect();
        let all = PaymentSources { generic: !LIFE, ..sources(&[], &producers) };
        settle(units, &all, is_payable).map(|units| units.to_vec())
    }

    #[test]
    fn a_unit_is_paid_by_its_kind_or_by_two_others() {
        let price = [WHITE | EITHER_WAY, ANY_UNIT, WHITE | EITHER_WAY, ANY_UNIT];
        assert_eq!(settled(&price, &[1, 1]), Some(vec![WHITE, WHITE]));
        assert_eq!(settled(&price, &[1, 2, 2]), Some(vec![WHITE, ANY_UNIT, ANY_UNIT]));
        assert_eq!(settled(&price, &[2, 2, 2, 2]), Some(vec![ANY_UNIT; 4]));
        assert_eq!(settled(&price, &[1, 2]), None);
        assert_eq!(settled(&price, &[2, 2, 2]), None);
    }

    #[test]
    fn fewer_sources_than_units_pay_by_kinds() {
        let price = [WHITE | EITHER_WAY, ANY_UNIT, WHITE | EITHER_WAY, ANY_UNIT];
        let pays = |masks: &[u32]| {
            let producers: Vec<_> = masks.iter().map(|mask| vec![vec![*mask]]).collect();
            is_payable(&price, &sources(&[], &producers))
        };
        assert!(pays(&[1, 1]) && pays(&[1, 2, 2]));
        assert!(!pays(&[1, 2]) && !pays(&[2, 2, 2]));
    }

    #[test]
    fn what_is_paid_otherwise_counts_no_mana() {
        let price = [WHITE | LIFE | EITHER_WAY, ANY_UNIT, ANY_UNIT, ANY_UNIT];
        assert_eq!(settled(&price, &[1, 2, 2]), Some(vec![WHITE, ANY_UNIT, ANY_UNIT]));
        assert_eq!(settled(&price, &[2, 2, 2, LIFE]), Some(vec![LIFE, ANY_UNIT, ANY_UNIT, ANY_UNIT]));
        assert_eq!(settled(&price, &[2, 2, LIFE]), None);
    }
}
