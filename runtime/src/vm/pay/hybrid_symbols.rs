//! Hybrid symbols: units of a price that are paid in one of two ways (CR 107.4e, f), by a kind or by two units of any kind.
//!
//! The ways are settled as soon as simple sources suffice for some: the first ones of these, with as few units as possible. Until then plays that are
//! usable while paying have to help.

use crate::ir::format::{ANY_UNIT, EITHER_WAY, is_either_way};
use crate::vm::cache_entries::PaymentSources;
use crate::vm::inline_vecs::InlineWords;

/// The most units of a price that are tried in both ways. Further ones are paid by any kind.
const MAX_TRIED: u32 = 8;

/// Returns the units of a price in the first ways in which it is payable: with few units before many.
pub(super) fn settle(
    units: &[u32],
    sources: &PaymentSources,
    is_payable: impl Fn(&[u32], &PaymentSources) -> bool,
) -> Option<InlineWords> {
    let tried = (units.iter().filter(|unit| sources.is_either_way(**unit)).count() as u32).min(MAX_TRIED);
    (0..=tried).find_map(|by_kind_less| {
        let mut ways = (0..1u32 << tried).filter(|ways| ways.count_ones() == tried - by_kind_less);
        ways.find_map(|ways| {
            let settled = by_ways(units, sources, ways);
            is_payable(&settled, sources).then_some(settled)
        })
    })
}

/// Returns the number of matchings that a price may need.
pub(super) fn matchings(units: &[u32]) -> u64 {
    1 << (units.iter().filter(|unit| is_either_way(**unit)).count() as u32).min(MAX_TRIED)
}

/// Returns the units of a price if none is paid by a kind of a unit with two ways.
pub(super) fn by_other_ways(units: &[u32], sources: &PaymentSources) -> InlineWords {
    by_ways(units, sources, 0)
}

/// Returns the units of a price if all units with two ways are paid by their kinds: the fewest that it can have.
pub(super) fn by_kinds(units: &[u32], sources: &PaymentSources) -> InlineWords {
    by_ways(units, sources, u32::MAX)
}

/// Returns the units of a price in given ways: bit `n` of `ways` says whether the `n`th unit that can be paid in two ways is paid by its kind.
fn by_ways(units: &[u32], sources: &PaymentSources, ways: u32) -> InlineWords {
    let generic = sources.generic;
    let mut settled = InlineWords::new();
    let (mut number, mut not_due) = (0, 0);
    for unit in units {
        if !sources.is_either_way(*unit) {
            settled.push(*unit);
            continue;
        }
        let by_kind = number < MAX_TRIED && ways & (1 << number) != 0;
        number += 1;
        let others = unit & !generic & !EITHER_WAY;
        settled.push(match (by_kind, others) {
            (true, _) => unit & generic & !EITHER_WAY,
            (false, 0) => ANY_UNIT,
            (false, others) => others,
        });
        not_due += usize::from(by_kind);
    }
    settled.retain(|unit| {
        let is_due = *unit != ANY_UNIT || not_due == 0;
        not_due -= usize::from(!is_due);
        is_due
    });
    settled
}
