//! Cache of cost queries about single objects: the price of a play, and whether a conditional payment clause applies.
//!
//! Key: query, object, player. Value: the words of the result, and its fuel. 128 entries, direct-mapped. An entry is valid until
//! the object or an external dependency of the query changes. A query that reads the announcement is not cached while its object
//! is being announced, and one that makes legality queries is not cached while a continuous effect forbids anything. A hit
//! charges the recorded fuel. A miss evaluates the query and stores the result, unless fuel ran out. Debug builds recompute every
//! hit and compare result and fuel.

use super::Machine;
use super::inline_vecs::InlineWords;
use super::optimized::ReadSet;
use crate::ir::{FnId, PaymentId};
use crate::state::{ObjectRef, layout as at};

/// Entries of the cache.
const ENTRIES: usize = 128;

/// A query about an object, for a player.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CostQuery {
    pub kind: CostQueryKind,
    pub object: ObjectRef,
    pub player: usize,
}

/// The kind of a query.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CostQueryKind {
    /// The units of a price.
    Price(FnId),
    /// Whether some conditional clause of a payment applies because of the object.
    Conditions(PaymentId),
}

/// The cache. Not part of the state.
#[derive(Clone, Debug, Default)]
pub(crate) struct CostCache(Vec<Option<CostEntry>>);

#[derive(Clone, Debug)]
struct CostEntry {
    query: CostQuery,
    /// The revision at which the result was computed ([`Revisions::current`](super::dependencies::Revisions::current)).
    revision: u64,
    words: InlineWords,
    /// The fuel of the evaluation. Every hit charges it.
    fuel: u64,
}

impl CostQuery {
    fn index(self) -> usize {
        let what = match self.kind {
            CostQueryKind::Price(function) => function.0,
            CostQueryKind::Conditions(payment) => !payment.0,
        };
        let mixed = what.wrapping_mul(31).wrapping_add(self.object.0).wrapping_mul(31).wrapping_add(self.player as u32);
        mixed.wrapping_mul(0x9E37_79B9) as usize >> 25 & (ENTRIES - 1)
    }
}

impl Machine {
    /// As [`Scratch::recompute_for_check`](super::scratch::Scratch::recompute_for_check).
    fn recompute_for_check<T>(&mut self, compute: impl FnOnce(&mut Self) -> T) -> (T, u64) {
        let aside = self.scratch.suspend_fuel();
        let value = compute(self);
        (value, self.scratch.restore_fuel(aside))
    }

    /// Returns the result of a query with the given read set. Without a read set, or if the result cannot be cached now, the
    /// query is evaluated.
    pub(super) fn cached_cost(
        &mut self,
        query: CostQuery,
        reads: Option<ReadSet>,
        answer: impl FnOnce(&mut Self) -> InlineWords,
    ) -> InlineWords {
        self.refresh();
        let slot = query.object.slot();
        let steady = |reads: &ReadSet| {
            let unannounced = !reads.reads_announcement || self.state.column(slot, at::ENTRY) == 0;
            let unforbidden = !reads.queries_legality || !self.derived.forbids();
            unannounced
                && unforbidden
                && self.state.exists(query.object)
                && !self.scratch.in_unconcealed_call
                && !self.scratch.reference_mode
        };
        let Some(reads) = reads.filter(steady) else { return answer(self) };
        let place = query.index();
        let answers = &self.scratch.costs.0;
        if let Some(entry) = answers.get(place).and_then(Option::as_ref).filter(|entry| entry.query == query)
            && reads.all_unchanged_since(&self.derived, slot, entry.revision)
        {
            let (words, took) = (entry.words.clone(), entry.fuel);
            debug_assert_eq!(self.recompute_for_check(answer), (words.clone(), took), "{query:?}");
            let fuel = self.scratch.fuel.saturating_add(took);
            self.scratch.fuel = fuel;
            // An evaluation that runs out of fuel has no result.
            return if fuel > self.scratch.limit { InlineWords::new() } else { words };
        }
        let before = self.scratch.fuel;
        let words = answer(self);
        if self.scratch.fuel <= self.scratch.limit {
            let (at, fuel) = (self.derived.revisions().current(), self.scratch.fuel - before);
            let answers = &mut self.scratch.costs.0;
            if answers.is_empty() {
                answers.resize(ENTRIES, None);
            }
            if let Some(answer) = answers.get_mut(place) {
                *answer = Some(CostEntry { query, revision: at, words: words.clone(), fuel });
            }
        }
        words
    }
}
