//! Cache of cost queries about single objects: the price of a play, and whether a conditional payment clause applies.
//!
//! Key: query, object, player. Value: the words of the result, and its fuel. 128 entries, direct-mapped. An entry is valid until
//! the object or an external dependency of the query changes. A query that reads the announcement is not cached while its object
//! is being announced, and one that makes legality queries is not cached while a continuous effect forbids anything. A hit
//! charges the recorded fuel. A miss evaluates the query and stores the result, unless fuel ran out. Debug builds recompute every
//! hit and compare result and fuel.

use super::inline_vecs::InlineWords;
use crate::state::layout as at;
use crate::vm::cache_entries::{COST_ENTRIES, CostEntry, CostQuery};
use crate::vm::machine::Machine;
use crate::vm::optimized::read_set::ReadSet;

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
                answers.resize(COST_ENTRIES, None);
            }
            if let Some(answer) = answers.get_mut(place) {
                *answer = Some(CostEntry { query, revision: at, words: words.clone(), fuel });
            }
        }
        words
    }
}
