//! Units of a price that are paid in one of two ways (CR 107.4e, f): by a kind, or by two units of any kind.
//!
//! The ways are settled as soon as simple sources suffice for some: the first ones of these, with as few units as possible. Until then plays that are
//! usable while paying have to help.

use super::{ANY, PaymentSources, is_payable};
use crate::ir::format::{EITHER_WAY, is_either_way};
use crate::ir::{ObjectRef, PaymentId};
use crate::records::frame::pay;
use crate::state::block::Handle;
use crate::vm::inline_vecs::InlineWords;
use crate::vm::machine::Machine;

/// The most units of a price that are tried in both ways. Further ones are paid by any kind.
const MAX_TRIED: u32 = 8;

impl Machine {
    /// Settles how the units of a payment are paid that can be paid in two ways, if simple sources suffice for it.
    pub(super) fn settle_either_ways(&mut self, frame: Handle, payment: PaymentId, player: usize, object: ObjectRef) {
        let units = InlineWords::from_slice(self.state.block.list(frame + pay::UNITS));
        if !units.iter().any(|unit| is_either_way(*unit)) {
            return;
        }
        let sources = self.sources_for(payment, player, object);
        if let Some(settled) = settle(&units, &sources) {
            self.state.block.replace(frame + pay::UNITS, &settled);
        }
    }
}

/// Returns the units of a price in the first ways with which sources pay for them: with few units before many.
pub(super) fn settle(units: &[u32], sources: &PaymentSources) -> Option<InlineWords> {
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
            (false, 0) => ANY,
            (false, others) => others,
        });
        not_due += usize::from(by_kind);
    }
    settled.retain(|unit| {
        let is_due = *unit != ANY || not_due == 0;
        not_due -= usize::from(!is_due);
        is_due
    });
    settled
}

#[cfg(test)]
mod tests {
    use super::super::tests::sources;
    use super::*;

    const WHITE: u32 = 1;
    const LIFE: u32 = 8;

    fn settled(units: &[u32], masks: &[u32]) -> Option<Vec<u32>> {
        let producers: Vec<_> = masks.iter().map(|mask| vec![vec![*mask]]).collect();
        let all = PaymentSources { generic: !LIFE, ..sources(&[], &producers) };
        settle(units, &all).map(|units| units.to_vec())
    }

    #[test]
    fn a_unit_is_paid_by_its_kind_or_by_two_others() {
        let price = [WHITE | EITHER_WAY, ANY, WHITE | EITHER_WAY, ANY];
        assert_eq!(settled(&price, &[1, 1]), Some(vec![WHITE, WHITE]));
        assert_eq!(settled(&price, &[1, 2, 2]), Some(vec![WHITE, ANY, ANY]));
        assert_eq!(settled(&price, &[2, 2, 2, 2]), Some(vec![ANY; 4]));
        assert_eq!(settled(&price, &[1, 2]), None);
        assert_eq!(settled(&price, &[2, 2, 2]), None);
    }

    #[test]
    fn what_is_paid_otherwise_counts_no_mana() {
        let price = [WHITE | LIFE | EITHER_WAY, ANY, ANY, ANY];
        assert_eq!(settled(&price, &[1, 2, 2]), Some(vec![WHITE, ANY, ANY]));
        assert_eq!(settled(&price, &[2, 2, 2, LIFE]), Some(vec![LIFE, ANY, ANY, ANY]));
        assert_eq!(settled(&price, &[2, 2, LIFE]), None);
    }
}
