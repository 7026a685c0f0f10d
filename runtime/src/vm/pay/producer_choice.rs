//! Producers that a player chooses one by one while paying.

use super::matching::{GENERIC_ONLY, UnitInPool, assign, is_payable, plan};
use crate::ir::format::ANY_UNIT;
use crate::ir::{ObjectRef, PaymentId};
use crate::records::frame::pay;
use crate::state::block::Handle;
use crate::vm::cache_entries::ProducedUnits;
use crate::vm::cache_entries::{PaymentSources, ProducerUse};
use crate::vm::decision::Choice;
use crate::vm::inline_vecs::InlineWords;
use crate::vm::machine::Machine;
use smallvec::SmallVec;
use std::borrow::Cow;

/// The units that were paid before, each with what was produced.
type NamedUnits = SmallVec<[(u32, u32); 8]>;

/// How one use of a producer pays: the indices of the units that it pays, descending, and what is left over for the pool.
struct PartialPayment {
    /// The units that are paid, each with what is produced.
    paid: SmallVec<[(usize, u32); 4]>,
    left_over: ProducedUnits,
}

impl Machine {
    /// Returns the producers with which a player may pay a payable price, so that the rest of it stays payable. Empty if there is only one way to
    /// pay.
    pub(super) fn producers_to_choose(&mut self, frame: Handle, payment: PaymentId, player: usize, units: &[u32]) -> Vec<Choice> {
        let object = ObjectRef(self.word(frame + pay::OBJECT));
        let sources = self.sources_for(payment, player, object);
        let named = self.named_units(frame);
        // A producer of a single unit can take the place of any source that pays a unit it accepts.
        let single = sources.yield_single_units() && named.is_empty();
        let accepted = sources.accepted_kinds(units).iter().fold(0, |all, unit| all | unit);
        // Producers of the same units pay alike.
        let mut known: SmallVec<[(&ProducedUnits, bool); 8]> = SmallVec::new();
        let mut found: Vec<Choice> = Vec::new();
        let mut is_conditional = false;
        for way in &sources.uses {
            let conditional = self.is_conditional(payment, way.how);
            let choice = if conditional { Choice::Object(way.it) } else { Choice::Producer(way.it) };
            if found.contains(&choice) {
                continue;
            }
            let pays = match known.iter().find(|(yields, _)| **yields == way.units) {
                Some((_, pays)) => *pays,
                None => {
                    let pays = if single {
                        way.units.iter().any(|yielded| yielded & accepted != 0)
                    } else {
                        pays_in_part(units, &named, &sources, way).is_some()
                    };
                    known.push((&way.units, pays));
                    pays
                }
            };
            if pays {
                is_conditional |= conditional;
                found.push(choice);
            }
        }
        // If all of them are needed, nothing is to be chosen.
        let simple = sources.pool.is_empty() && (single || sources.uses.iter().all(|way| way.units.len() == 1));
        let used = || if simple { Some(units.len()) } else { plan(units, &sources).map(|plan| plan.uses.len()) };
        if !is_conditional && used() == Some(found.len()) {
            found.clear();
        }
        found
    }

    /// The units that were paid by producers that the player has named, each with what was produced.
    fn named_units(&self, frame: Handle) -> NamedUnits {
        let pairs = self.state.block.list(frame + pay::NAMED).chunks(2);
        pairs.filter_map(|pair| Some((*pair.first()?, *pair.get(1)?))).collect()
    }

    fn is_conditional(&self, payment: PaymentId, how: u32) -> bool {
        let clauses = self.program.format.payments.get(payment.index()).map_or(&[][..], |p| p.clauses.as_slice());
        clauses.get(how as usize).is_some_and(|clause| clause.condition.is_some())
    }

    /// Pays with a producer that the player has chosen.
    pub(super) fn use_chosen_producer(&mut self, frame: Handle, payment: PaymentId, player: usize, it: ObjectRef) {
        let mut units = self.state.block.list(frame + pay::UNITS).to_vec();
        let object = ObjectRef(self.word(frame + pay::OBJECT));
        let sources = self.sources_for(payment, player, object);
        let named = self.named_units(frame);
        let ways = sources.uses.iter().filter(|way| way.it == it);
        let found = ways.filter_map(|way| Some((way, pays_in_part(&units, &named, &sources, way)?))).next();
        let Some((way, partial)) = found else { return };
        let (how, pool) = (way.how, way.pool);
        let mut named = named;
        named.extend(partial.paid.iter().map(|(index, yielded)| (units.remove(*index), *yielded)));
        // Positions that differ in the order alone are the same.
        named.sort_unstable();
        let words: InlineWords = named.iter().flat_map(|(unit, yielded)| [*unit, *yielded]).collect();
        self.state.block.replace(frame + pay::NAMED, &words);
        self.state.block.replace(frame + pay::UNITS, &units);
        let kinds = partial.left_over.iter().map(|mask| mask & !GENERIC_ONLY).filter(|mask| *mask != 0).map(u32::trailing_zeros);
        for kind in kinds.collect::<InlineWords>() {
            self.add_to_pool(payment, player, UnitInPool::new(kind, pool));
        }
        self.use_producer(payment, player, how, it);
    }
}

/// The sources without a producer.
fn without(sources: &PaymentSources, way: &ProducerUse) -> PaymentSources {
    let mut rest = sources.clone();
    rest.uses.retain(|other| other.it != way.it || other.nth != way.nth);
    rest
}

/// Returns which units a use of a producer can pay so that the rest stays payable, preferably those that accept any kind. What was named before may
/// change places with it, so that the order in which producers are named does not matter. `None` if it can pay none.
fn pays_in_part(units: &[u32], named: &NamedUnits, sources: &PaymentSources, way: &ProducerUse) -> Option<PartialPayment> {
    let accepted = sources.accepted_kinds(units);
    let rest = without(sources, way);
    let mut open: SmallVec<[usize; 16]> = (0..units.len()).collect();
    let mut partial = PartialPayment { paid: SmallVec::new(), left_over: ProducedUnits::new() };
    let (paid, produced): (InlineWords, InlineWords) = named.iter().copied().unzip();
    let (mut paid, mut produced) = (sources.accepted_kinds(&paid), produced);
    for (number, yielded) in way.units.iter().enumerate() {
        // What the same use yields further pays for the rest as well.
        let further = way.units.get(number + 1..).unwrap_or(&[]);
        let others = if further.is_empty() { Cow::Borrowed(&rest) } else { Cow::Owned(with_further(&rest, way, further)) };
        produced.push(*yielded);
        let mut order = open.clone();
        order.sort_by_key(|index| units.get(*index) != Some(&ANY_UNIT));
        let chosen = order.into_iter().find(|index| {
            let Some(unit) = accepted.get(*index) else { return false };
            paid.push(*unit);
            let can_be_paid = assign(&paid, &produced).is_some();
            paid.pop();
            let left = || -> InlineWords {
                open.iter().filter(|other| *other != index).filter_map(|other| accepted.get(*other).copied()).collect()
            };
            can_be_paid && is_payable(&left(), &others)
        });
        match chosen {
            Some(index) => {
                open.retain(|other| *other != index);
                paid.extend(accepted.get(index).copied());
                partial.paid.push((index, *yielded));
            }
            None => {
                produced.pop();
                partial.left_over.push(*yielded);
            }
        }
    }
    partial.paid.sort_unstable_by(|a, b| b.cmp(a));
    (!partial.paid.is_empty()).then_some(partial)
}

/// The sources with further units of a use.
fn with_further(rest: &PaymentSources, way: &ProducerUse, further: &[u32]) -> PaymentSources {
    let mut all = rest.clone();
    for (nth, units) in further.iter().enumerate() {
        all.uses.push(ProducerUse { nth: nth as u32, units: ProducedUnits::from_slice(&[*units]), ..way.clone() });
    }
    all
}

#[cfg(test)]
mod tests {
    use super::super::matching::tests::sources;
    use super::*;

    fn paid(units: &[u32], producers: &[Vec<Vec<u32>>], number: usize) -> Option<(Vec<usize>, Vec<u32>)> {
        let sources = sources(&[], producers);
        let partial = pays_in_part(units, &NamedUnits::new(), &sources, &sources.uses[number])?;
        Some((partial.paid.iter().map(|(index, _)| *index).collect(), partial.left_over.to_vec()))
    }

    #[test]
    fn a_producer_pays_what_leaves_the_rest_payable() {
        let lands = [vec![vec![1]], vec![vec![2]], vec![vec![2]]];
        assert_eq!(paid(&[ANY_UNIT, 2], &lands, 0), Some((vec![0], vec![])));
        assert_eq!(paid(&[ANY_UNIT, 2], &lands, 1), Some((vec![0], vec![])), "any kind first");
        assert_eq!(paid(&[1, ANY_UNIT], &[vec![vec![1]], vec![vec![2]]], 0), Some((vec![0], vec![])), "the only one of its kind");
        assert_eq!(paid(&[4], &lands, 0), None);
    }

    #[test]
    fn a_producer_of_several_units_leaves_the_others_over() {
        let ring = [vec![vec![1, 1]], vec![vec![2]]];
        assert_eq!(paid(&[ANY_UNIT], &ring, 0), Some((vec![0], vec![1])));
        assert_eq!(paid(&[ANY_UNIT, 2, ANY_UNIT], &ring, 0), Some((vec![2, 0], vec![])));
    }
}
