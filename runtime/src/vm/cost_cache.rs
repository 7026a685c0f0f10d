//! What was asked about single objects before they are used: what a play of one costs, whether something pays for it specially. The answers
//! are remembered until the object changes, or something else that the question looks at.

use super::Machine;
use super::inline_vecs::InlineWords;
use super::optimized::ReadSet;
use crate::ir::{FnId, PaymentId};
use crate::state::{ObjectRef, layout as at};

/// Remembered answers.
const ENTRIES: usize = 128;

/// What is asked, about which object, for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CostQuery {
    pub what: CostQueryKind,
    pub object: ObjectRef,
    pub player: usize,
}

/// What is asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CostQueryKind {
    /// The units of a price.
    Price(FnId),
    /// Whether a clause of a payment is there for the object alone.
    Conditions(PaymentId),
}

/// Answers. No part of a state.
#[derive(Clone, Debug, Default)]
pub(crate) struct CostCache(Vec<Option<CostEntry>>);

#[derive(Clone, Debug)]
struct CostEntry {
    question: CostQuery,
    /// How often something had changed ([`Derived::changes`](super::derived::DerivedValues::revisions)).
    at: u64,
    words: InlineWords,
    /// What fuel it took, paid again each time.
    fuel: u64,
}

impl CostQuery {
    fn place(self) -> usize {
        let what = match self.what {
            CostQueryKind::Price(function) => function.0,
            CostQueryKind::Conditions(payment) => !payment.0,
        };
        let mixed = what.wrapping_mul(31).wrapping_add(self.object.0).wrapping_mul(31).wrapping_add(self.player as u32);
        mixed.wrapping_mul(0x9E37_79B9) as usize >> 25 & (ENTRIES - 1)
    }
}

impl Machine {
    /// As [`Scratch::again`](super::eval::Scratch::recompute_for_check).
    fn again<T>(&mut self, compute: impl FnOnce(&mut Self) -> T) -> (T, u64) {
        let aside = self.scratch.suspend_fuel();
        let value = compute(self);
        (value, self.scratch.restore_fuel(aside))
    }

    /// The words that answer a question which looks at no more than `looks` says; without it, and of what may be announced, it is answered anew.
    pub(super) fn cached_cost(
        &mut self,
        question: CostQuery,
        looks: Option<ReadSet>,
        answer: impl FnOnce(&mut Self) -> InlineWords,
    ) -> InlineWords {
        self.refresh();
        let slot = question.object.slot();
        let steady = |looks: &ReadSet| {
            let unannounced = !looks.announced || self.state.column(slot, at::ENTRY) == 0;
            let unforbidden = !looks.possible || !self.derived.forbids();
            unannounced
                && unforbidden
                && self.state.exists(question.object)
                && !self.scratch.in_unconcealed_call
                && !self.scratch.reference_mode
        };
        let Some(looks) = looks.filter(steady) else { return answer(self) };
        let place = question.place();
        let answers = &self.scratch.costs.0;
        if let Some(known) = answers.get(place).and_then(Option::as_ref).filter(|known| known.question == question)
            && looks.all_unchanged_since(&self.derived, slot, known.at)
        {
            let (words, took) = (known.words.clone(), known.fuel);
            debug_assert_eq!(self.again(answer), (words.clone(), took), "{question:?}");
            let fuel = self.scratch.fuel.saturating_add(took);
            self.scratch.fuel = fuel;
            // What runs out of fuel gives nothing.
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
                *answer = Some(CostEntry { question, at, words: words.clone(), fuel });
            }
        }
        words
    }
}
