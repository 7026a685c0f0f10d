//! The proposal of a payment: it spares what the player's other cards need.
//!
//! The prices of the cards that only their owner sees are added one by one to what is paid, as long as the sources suffice for all. Producers
//! that then pay for these cards alone are left out. Of these plans, the one is taken after which most of these cards can be paid for,
//! unless it costs more or yields more than is needed.

use super::hybrid_symbols;
use super::matching::{PaymentPlan, assign_groups, is_payable, plan};
use crate::ir::{ObjectRef, PaymentId, Visibility};
use crate::vm::cache_entries::{PaymentSources, ProducerUse};
use crate::vm::inline_vecs::{Args, InlineWords, Refs};
use crate::vm::machine::Machine;
use std::sync::Arc;

/// The maximum number of other cards whose prices are considered.
const MAX_CARDS: usize = 12;

impl Machine {
    /// Returns how a player pays, sparing what other cards need.
    pub(super) fn sparing_plan(
        &mut self,
        payment: PaymentId,
        player: usize,
        object: ObjectRef,
        units: &[u32],
        sources: &PaymentSources,
    ) -> Option<PaymentPlan> {
        let units = &sources.accepted_kinds(units);
        let usual = plan(units, sources)?;
        let first = sources.uses.first().map(|way| &way.units);
        let alike = sources.uses.iter().all(|way| Some(&way.units) == first);
        if alike || usual.uses.len() == sources.uses.len() {
            return Some(usual);
        }
        let mut others = self.other_prices(payment, player, object);
        if sources.yield_single_units() {
            // With any plan, the others are paid with so many units.
            let left = (sources.pool.len() + sources.uses.len()).saturating_sub(units.len());
            others.retain(|price| hybrid_symbols::by_kinds(price, sources).len() <= left);
            if others.is_empty() {
                return Some(usual);
            }
        }
        let mut most = payable_after(&usual, sources, &others);
        let mut best = usual;
        // If not all can be spared, the larger prices are tried first, then the smaller ones.
        for _ in 0..2 {
            others.reverse();
            if most == others.len() {
                break;
            }
            let Some(sparing) = plan_sparing(units, sources, &others) else { continue };
            let is_as_cheap = weight(&sparing, sources) <= weight(&best, sources)
                && sparing.surplus.len() <= best.surplus.len()
                && sparing.uses.len() <= best.uses.len();
            let payable = payable_after(&sparing, sources, &others);
            if is_as_cheap && payable > most {
                (most, best) = (payable, sparing);
            }
        }
        Some(best)
    }

    /// Returns the usual prices of the player's cards that only the player sees, except what is paid for: the smallest first.
    fn other_prices(&mut self, payment: PaymentId, player: usize, object: ObjectRef) -> Vec<InlineWords> {
        let program = Arc::clone(&self.program);
        let mut prices: Vec<InlineWords> = Vec::new();
        let mut seen = Refs::from_slice(&[object]);
        for play in program.format.plays.iter().filter(|play| play.price.is_some() && play.payment == payment) {
            let private = |zone: usize| program.library.zones.get(zone).is_some_and(|zone| zone.visibility == Visibility::Owner);
            for zone in play.from.iter().filter(|zone| private(zone.index())) {
                let Some(instance) = program.zone_instance(zone.index(), player) else { continue };
                for item in InlineWords::from_slice(self.state.zone_items(&program, instance)) {
                    let other = ObjectRef(item);
                    let args = [other.value(), player as i64];
                    if seen.contains(&other)
                        || seen.len() > MAX_CARDS
                        || play.object_filter.is_some_and(|applies| !self.test(applies, &args))
                    {
                        continue;
                    }
                    seen.push(other);
                    let mut args = Args::from_slice(&args);
                    args.resize(2 + play.extra_params.len(), 0);
                    let units =
                        self.with_status(other, play.announced, |machine| machine.usual_price(play, other, player, &args));
                    if !units.is_empty() {
                        prices.push(units);
                    }
                }
            }
        }
        prices.sort_by_key(InlineWords::len);
        prices
    }
}

/// A plan without the producers that other prices need, added one by one as long as the sources suffice. `None` if nothing can be spared.
fn plan_sparing(units: &[u32], sources: &PaymentSources, others: &[InlineWords]) -> Option<PaymentPlan> {
    let groups = groups(sources);
    let mut wanted = InlineWords::from_slice(units);
    for price in others {
        let before = wanted.len();
        wanted.extend_from_slice(&sources.accepted_kinds(&hybrid_symbols::by_kinds(price, sources)));
        if assign_groups(&wanted, &sources.pool, &groups, &[]).is_none() {
            wanted.truncate(before);
        }
    }
    plan(units, &sources_for_part(units.len(), &wanted, sources, &groups)?)
}

/// How many of the prices could be paid after a payment, each alone.
fn payable_after(plan: &PaymentPlan, sources: &PaymentSources, prices: &[InlineWords]) -> usize {
    let mut rest = sources.clone();
    for kind in &plan.pool {
        if let Some(index) = rest.pool.iter().position(|other| other == kind) {
            rest.pool.swap_remove(index);
        }
    }
    for (how, it) in &plan.uses {
        let used = rest.uses.iter().find(|way| way.how == *how && way.it == *it).map(|way| (way.it, way.nth));
        rest.uses.retain(|way| Some((way.it, way.nth)) != used);
    }
    prices.iter().filter(|price| is_payable(price, &rest)).count()
}

fn weight(plan: &PaymentPlan, sources: &PaymentSources) -> usize {
    let of_use =
        |how: &u32, it: &ObjectRef| sources.uses.iter().find(|way| way.how == *how && way.it == *it).map(|way| way.weight);
    plan.uses.iter().filter_map(|(how, it)| of_use(how, it)).sum()
}

/// The uses of each producer; of a producer with uses of several units only the first use.
fn groups(sources: &PaymentSources) -> Vec<Vec<&ProducerUse>> {
    let mut groups: Vec<Vec<&ProducerUse>> = Vec::new();
    for way in &sources.uses {
        match groups.iter_mut().find(|group| group.first().is_some_and(|first| first.it == way.it && first.nth == way.nth)) {
            Some(group) if way.units.len() == 1 && group.iter().all(|other| other.units.len() == 1) => group.push(way),
            Some(_) => {}
            None => groups.push(vec![way]),
        }
    }
    groups
}

/// Returns the sources without the producers that pay for units from the index `part` on alone.
fn sources_for_part(
    part: usize,
    units: &[u32],
    sources: &PaymentSources,
    groups: &[Vec<&ProducerUse>],
) -> Option<PaymentSources> {
    let assignment = assign_groups(units, &sources.pool, groups, &[])?;
    let mut kept = sources.clone();
    for (index, group) in groups.iter().enumerate() {
        let paid = || {
            assignment
                .origin
                .iter()
                .zip(&assignment.taken)
                .filter(|(origin, _)| **origin == Some(index))
                .filter_map(|(_, unit)| *unit)
        };
        let Some(first) = group.first() else { continue };
        if paid().next().is_some() && paid().all(|unit| unit >= part) {
            kept.uses.retain(|way| way.it != first.it || way.nth != first.nth);
        }
    }
    (kept.uses.len() < sources.uses.len()).then_some(kept)
}

#[cfg(test)]
mod tests {
    use super::super::matching::tests::sources;
    use super::*;
    use crate::ir::format::ANY_UNIT;

    #[test]
    fn producers_of_other_cards_are_left_out() {
        // A red, three blue; {1}{blue} is paid, a red card is in hand.
        let lands = sources(&[], &[vec![vec![1]], vec![vec![2]], vec![vec![2]], vec![vec![2]]]);
        let groups = groups(&lands);
        let kept = sources_for_part(2, &[ANY_UNIT, 2, 1], &lands, &groups).expect("the red one is spared");
        assert!(kept.uses.iter().all(|way| way.it != ObjectRef(1)));
        assert!(sources_for_part(2, &[ANY_UNIT, 2], &lands, &groups).is_none(), "no other card");
    }
}
