//! Shortfalls: the units of a price that a player cannot pay, for explanations.

use super::hybrid_symbols;
use super::matching::augment;
use crate::ir::ObjectRef;
use crate::records::frame::{kind, pay};
use crate::tables::ABILITY_PLAY;
use crate::vm::cache_entries::PaymentSources;
use crate::vm::machine::Machine;
use std::sync::Arc;

impl PaymentSources {
    /// Returns the kinds of each available unit. A producer with several uses counts with all kinds that it might yield.
    fn masks(&self) -> Vec<u32> {
        let mut masks: Vec<u32> = self.pool.iter().map(|kind| 1u32.wrapping_shl(*kind)).collect();
        let mut groups: Vec<((ObjectRef, u32), Vec<u32>)> = Vec::new();
        for way in &self.uses {
            let key = (way.it, way.nth);
            let at = groups.iter().position(|(known, _)| *known == key).unwrap_or_else(|| {
                groups.push((key, Vec::new()));
                groups.len() - 1
            });
            let Some((_, units)) = groups.get_mut(at) else { continue };
            units.resize(units.len().max(way.units.len()), 0);
            for (unit, mask) in units.iter_mut().zip(&way.units) {
                *unit |= mask;
            }
        }
        masks.extend(groups.into_iter().flat_map(|(_, units)| units));
        masks
    }
}

/// Returns the units that stay unpaid when as many as possible are paid, those that accept few kinds first.
fn unpaid_units(units: &[u32], sources: &PaymentSources) -> Vec<u32> {
    let masks = &sources.masks();
    let units = &hybrid_symbols::by_other_ways(units, sources);
    let accepted = &sources.accepted_kinds(units);
    let mut order: Vec<usize> = (0..units.len()).collect();
    order.sort_by_key(|unit| units.get(*unit).map_or(0, |mask| mask.count_ones()));
    let mut taken: Vec<Option<usize>> = vec![None; masks.len()];
    order.retain(|unit| !augment(*unit, masks, accepted, &mut taken, &mut vec![false; masks.len()]));
    order.into_iter().filter_map(|unit| units.get(unit).copied()).collect()
}

impl Machine {
    /// Returns the price of a play without cost options, and what of it a player cannot pay, in the notation of the game. `None` if the amount of the price is payable, so
    /// that another cost is the obstacle.
    pub fn shortfall(&mut self, code: u32, object: ObjectRef, player: usize) -> Option<(String, String)> {
        let program = Arc::clone(&self.program);
        let play = program.play(code)?;
        let rules = program.format.payments.get(play.payment.index())?;
        let mut args = vec![object.value(), player as i64];
        args.resize(2 + if code < ABILITY_PLAY { play.extra_params.len() } else { 0 }, 0);
        let units = self.with_status(object, play.announced, |machine| machine.usual_price(play, object, player, &args));
        let sources = self.sources_for(play.payment, player, object);
        let left = unpaid_units(&units, &sources);
        let written = |units: &[u32]| rules.format_price(&program.library, units);
        (!left.is_empty()).then(|| (written(&units), written(&left)))
    }
}

impl Machine {
    /// What of a price is not paid yet, in the notation of the game, if a payment is in progress.
    #[must_use]
    pub fn unpaid_price(&self) -> Option<String> {
        let frame = self.state.top_frame().filter(|frame| self.word(*frame) == kind::PAY)?;
        let rules = self.program.format.payments.get(self.word(frame + pay::PAYMENT) as usize)?;
        Some(rules.format_price(&self.program.library, self.state.block.list(frame + pay::UNITS)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::matching::tests::sources;
    use crate::ir::format::ANY_UNIT;

    fn unpaid_units(units: &[u32], masks: &[u32]) -> Vec<u32> {
        let producers: Vec<_> = masks.iter().map(|mask| vec![vec![*mask]]).collect();
        super::unpaid_units(units, &sources(&[], &producers))
    }

    #[test]
    fn unpayable_units_are_returned() {
        assert_eq!(unpaid_units(&[ANY_UNIT, 1, ANY_UNIT], &[2, 2, 2, 2]), [1], "enough of another kind");
        assert_eq!(unpaid_units(&[ANY_UNIT, 1, ANY_UNIT], &[1, 2]), [ANY_UNIT], "the kind, but too little");
        assert_eq!(unpaid_units(&[1, 3], &[1, 2]), [] as [u32; 0]);
        assert_eq!(unpaid_units(&[1, 1], &[3, 2]), [1]);
    }
}
