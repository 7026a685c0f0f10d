//! Cache of cost queries about single objects: the price of a play, the units that a producer yields, and whether a conditional payment clause
//! applies.
//!
//! Key: query, object, player. Value: the words of the result, and its fuel. 128 entries, direct-mapped. An entry is valid until
//! the object or an external dependency of the query changes (`optimized/read_set.rs`). A query that reads the announcement is not cached while its object
//! is being announced, and one that makes legality queries is not cached while a continuous effect forbids anything. A hit
//! charges the recorded fuel. A miss evaluates the query and stores the result, unless fuel ran out. Debug builds recompute every
//! hit and compare result and fuel.

use super::inline_vecs::InlineWords;
use crate::state::layout as at;
use crate::vm::cache_entries::{COST_ENTRIES, CostEntry, CostQuery};
use crate::vm::eval_context::EvalContext;
use crate::vm::optimized::read_set::ReadSet;
use crate::vm::scratch::Scratch;

impl EvalContext<'_> {
    /// Returns the result of a query with the given read set. Without a read set, or if the result cannot be cached now, the
    /// query is evaluated. Derived values must be up to date.
    pub(super) fn cached_cost(
        &self,
        scratch: &mut Scratch,
        query: CostQuery,
        reads: Option<ReadSet>,
        answer: impl Fn(&mut Scratch) -> InlineWords,
    ) -> InlineWords {
        let slot = query.object.slot();
        let steady = |reads: &ReadSet| {
            let unannounced = !reads.reads_announcement || self.state.column(slot, at::ENTRY) == 0;
            let unforbidden = !reads.queries_legality || !self.derived.forbids();
            unannounced
                && unforbidden
                && self.state.exists(query.object)
                && !scratch.in_unconcealed_call
                && !scratch.reference_mode
        };
        let Some(reads) = reads.filter(steady) else { return answer(scratch) };
        let place = query.index();
        let known = scratch.costs.0.get(place).and_then(Option::as_ref).filter(|entry| entry.query == query);
        if let Some(entry) = known
            && reads.all_unchanged_since(self.derived, slot, entry.revision)
        {
            let (words, took) = (entry.words.clone(), entry.fuel);
            debug_assert_eq!(scratch.recompute_for_check(answer), (words.clone(), took), "{query:?}");
            scratch.fuel = scratch.fuel.saturating_add(took);
            // An evaluation that runs out of fuel has no result.
            return if scratch.fuel > scratch.limit { InlineWords::new() } else { words };
        }
        let before = scratch.fuel;
        let words = answer(scratch);
        if scratch.fuel <= scratch.limit {
            let entry = CostEntry {
                query,
                revision: self.derived.revisions().current(),
                words: words.clone(),
                fuel: scratch.fuel - before,
            };
            let entries = &mut scratch.costs.0;
            if entries.is_empty() {
                entries.resize(COST_ENTRIES, None);
            }
            if let Some(place) = entries.get_mut(place) {
                *place = Some(entry);
            }
        }
        words
    }
}
