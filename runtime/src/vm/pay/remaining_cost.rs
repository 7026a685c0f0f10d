//! The costs of an announcement that are paid after its price (CR 601.2h, 602.2b): a permanent that is sacrificed for mana can no longer be
//! sacrificed as the cost.
//!
//! A payment leaves them possible if each of their conditions still holds after it. Only a trial shows that; it is made where a condition reads
//! other objects than the one that is used, which no simple producer moves. Whether something forbids an event counts as such a condition.

use crate::ir::{AbilityId, AbilityKind, FnId, ObjectRef, Play};
use crate::records::frame::{KIND, announce, kind, pay};
use crate::records::{ENTRY_KIND, ENTRY_OPTIONS, ENTRY_SOURCE, entry_kind};
use crate::state::block::Handle;
use crate::state::layout as at;
use crate::vm::inline_vecs::{Args, InlineWords};
use crate::vm::machine::{Machine, StepResult};
use crate::vm::pay::joint_costs::CostBodies;
use smallvec::SmallVec;
use std::sync::Arc;

/// The conditions of the costs that follow a price.
#[derive(Clone, Debug, Default)]
pub(in crate::vm) struct RemainingCost {
    /// Each with the number of its arguments.
    conditions: SmallVec<[(FnId, usize); 2]>,
    args: Args,
    /// Whether a condition reads other objects.
    pub(in crate::vm) reads_others: bool,
    /// Whether a cost begins with the choice of a number of which there is none.
    no_numbers: bool,
    /// The costs, if one part of them can take what another needs, or an event with a chosen number may be forbidden.
    pub(in crate::vm) together: CostBodies,
}

impl Machine {
    /// Returns the costs that follow the price of a play. `args`: those of its functions; `chosen`: the abilities of the chosen cost options.
    pub(in crate::vm) fn remaining_cost(
        &mut self,
        play: &Play,
        object: ObjectRef,
        args: &[i64],
        chosen: &[u32],
    ) -> RemainingCost {
        let mut conditions: SmallVec<[(FnId, usize); 2]> = SmallVec::new();
        let mut together = CostBodies::new();
        conditions.extend(play.cost_possible.map(|condition| (condition, args.len())));
        together.extend(play.cost.map(|cost| (cost, args.len())));
        if !play.immediate && !play.is_ability() {
            for ability in self.price_abilities_in_use(object) {
                let (cost, condition) = self.further_cost_of(ability, chosen);
                together.extend(cost.map(|cost| (cost, 2)));
                conditions.extend(condition.map(|condition| (condition, 2)));
            }
        }
        // Few costs choose a number.
        let chooses_number = self.chooses_number(&together);
        let no_numbers = chooses_number
            && together.iter().any(|(cost, count)| self.begins_with_no_number(*cost, args.get(..*count).unwrap_or(args)));
        let may_fail = chooses_number && self.may_forbid_number(&together)
            || !conditions.is_empty() && self.are_interdependent(&together, args);
        if !may_fail {
            together.clear();
        }
        let dependencies = &self.program.payment_dependencies;
        let reads_others =
            !together.is_empty() || conditions.iter().any(|(condition, _)| dependencies.cost_reads_others(*condition));
        RemainingCost { conditions, args: Args::from_slice(args), reads_others, no_numbers, together }
    }

    /// Leaves out the conditions that do not hold before the payment: whether a play can be announced with these is not decided here.
    pub(super) fn possible_part(&mut self, mut rest: RemainingCost) -> RemainingCost {
        let args = rest.args.clone();
        rest.conditions.retain(|condition| self.is_met(*condition, &args));
        rest.no_numbers = false;
        if !self.can_pay_all_of(&rest) {
            rest.together.clear();
        }
        rest
    }

    /// Whether the parts of the remaining costs do not take from each other what they need.
    pub(in crate::vm) fn can_pay_all_of(&mut self, rest: &RemainingCost) -> bool {
        !rest.no_numbers && (rest.together.is_empty() || self.can_pay_together(&rest.together, &rest.args))
    }

    /// Whether all remaining costs are possible now.
    fn is_possible_now(&mut self, rest: &RemainingCost) -> bool {
        rest.conditions.iter().all(|condition| self.is_met(*condition, &rest.args)) && self.can_pay_all_of(rest)
    }

    /// Whether a condition with so many of the arguments holds now.
    fn is_met(&mut self, (condition, count): (FnId, usize), args: &[i64]) -> bool {
        self.test(condition, args.get(..count).unwrap_or(args))
    }

    /// Returns the body of a cost of an object, and when it can be paid: a cost that is due anyway, or one of the chosen options.
    fn further_cost_of(&self, ability: AbilityId, chosen: &[u32]) -> (Option<FnId>, Option<FnId>) {
        match self.program.library.abilities.get(ability.index()).map(|ability| &ability.kind) {
            Some(AbilityKind::Cost { body, possible }) => (Some(*body), *possible),
            Some(AbilityKind::CostOption { cost, possible, .. }) if chosen.contains(&ability.0) => (*cost, *possible),
            _ => (None, None),
        }
    }

    /// Returns the costs that follow the price that a frame pays. None follow what a statement pays.
    pub(super) fn remaining_cost_of(&mut self, frame: Handle) -> RemainingCost {
        let frames = self.state.block.list(at::FRAMES);
        let below = frames.iter().position(|it| *it as Handle == frame).and_then(|place| place.checked_sub(1));
        let Some(below) = below.and_then(|place| frames.get(place)).map(|it| *it as Handle) else {
            return RemainingCost::default();
        };
        if self.word(frame + pay::STATEMENT) != 0 || self.word(below + KIND) != kind::ANNOUNCE {
            return RemainingCost::default();
        }
        let program = Arc::clone(&self.program);
        let Some(play) = program.play(self.word(below + announce::PLAY)) else { return RemainingCost::default() };
        let entry = self.word(below + announce::ENTRY) as usize;
        let object = ObjectRef(self.word(entry + ENTRY_SOURCE));
        let mut args = self.play_args(entry, object, self.word(below + announce::USER) as usize);
        args.resize(2 + play.extra_params.len(), 0);
        let chosen: InlineWords = match self.word(entry + ENTRY_KIND) {
            entry_kind::PLAY => self.state.block.list(entry + ENTRY_OPTIONS).iter().step_by(2).copied().collect(),
            _ => InlineWords::new(),
        };
        self.remaining_cost(play, object, &args, &chosen)
    }

    /// Returns whether the proposal of a payment whose frame is on top leaves the remaining costs possible.
    pub(super) fn leaves_possible(&mut self, frame: Handle, rest: &RemainingCost) -> bool {
        if rest.conditions.is_empty() && rest.together.is_empty() {
            return true;
        }
        let depth = self.state.block.list(at::FRAMES).len();
        let mut trial = self.start_trial();
        trial.set(frame + pay::PHASE, 0);
        trial.set(frame + pay::AS_PROPOSED, 1);
        // What follows a decision is not known: then the costs count as possible.
        let mut leaves = trial.is_paid_without_decision(frame, depth);
        if leaves == Some(true) {
            leaves = Some(trial.is_possible_now(rest));
        }
        self.charge_trial(&trial);
        leaves.unwrap_or(true)
    }

    /// Continues until the payment whose frame is the `depth`th from the bottom has ended. Returns whether the price was paid; `None` if a player
    /// has to decide something before.
    fn is_paid_without_decision(&mut self, frame: Handle, depth: usize) -> Option<bool> {
        let mut is_paid = false;
        while self.state.block.list(at::FRAMES).len() >= depth {
            if self.state.block.list(at::FRAMES).len() == depth {
                is_paid = self.word(frame + pay::PHASE) == 2;
            }
            match self.tick() {
                None => {}
                Some(StepResult::Decision(_)) => return None,
                Some(StepResult::Over(_)) => return Some(false),
            }
        }
        Some(is_paid)
    }
}
