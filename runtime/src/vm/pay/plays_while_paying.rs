//! Searches for a way to pay with plays that are usable while paying (CR 601.2g, 605.3a): their costs and effects are those of the rules, so
//! only playing them shows what they yield.
//!
//! The search plays them in copies of the machine, depth first. It is exact up to [`MAX_ANSWERS`]; beyond that the price does not count as payable.
//! The player can still use such plays before the announcement, since what they yield waits in the pool.

use crate::ir::{AbilityId, AbilityKind, ObjectRef, PaymentId, WindowRules};
use crate::records::ENTRY_SOURCE;
use crate::records::frame::{KIND, announce, kind, pay};
use crate::state::block::Handle;
use crate::state::layout as at;
use crate::tables::LinkedTables;
use crate::vm::announcement_search::answers_to_try;
use crate::vm::decision::{Choice, DecisionKind};
use crate::vm::inline_vecs::InlineWords;
use crate::vm::machine::{Machine, StepResult};
use std::collections::BTreeSet;

/// The maximum number of answers that one search tries.
const MAX_ANSWERS: u32 = 400;

/// The words of the state that are copied and hashed at the cost of one operation.
const WORDS_FOR_AN_OPERATION: u64 = 8;

/// A play, its object, and the face that is used.
type PlayToPay = (u32, ObjectRef, u32);

/// What a search has tried.
struct Search {
    /// The answers that may still be tried.
    answers: u32,
    /// The positions from which the price cannot be paid: several orders of the same plays lead to one.
    failed: BTreeSet<u64>,
}

impl Machine {
    /// Returns whether a player can pay with plays that are usable while paying.
    pub(crate) fn can_pay_by_plays(&mut self, payment: PaymentId, player: usize, units: &[u32], object: ObjectRef) -> bool {
        if self.scratch.searches_payment || !self.may_play_while_paying() {
            return false;
        }
        let mut trial = self.trial();
        let pushed = trial.push_frame(kind::PAY, pay::WORDS);
        trial.set(pushed + pay::PLAYER, player as u32);
        trial.set(pushed + pay::PAYMENT, payment.0);
        trial.set(pushed + pay::OBJECT, object.0);
        trial.set(pushed + pay::STATEMENT, 1);
        trial.set(pushed + pay::FOR_ABILITY, u32::from(self.scratch.pays_for_ability));
        trial.state.block.extend(pushed + pay::UNITS, units);
        let plays = trial.plays_offered(player, &WindowRules::default(), true);
        trial.scratch.searches_payment = false;
        let found = trial.first_play_to_pay(pushed, &plays).is_some();
        self.scratch.fuel = self.scratch.fuel.saturating_add(trial.scratch.fuel.saturating_sub(self.scratch.fuel));
        found
    }

    /// Returns the first play after which a price can be paid, if need be with further plays. `frame`: the frame of the payment, on top.
    pub(super) fn first_play_to_pay(&mut self, frame: Handle, plays: &[Choice]) -> Option<PlayToPay> {
        if plays.is_empty() || self.scratch.searches_payment {
            return None;
        }
        let depth = self.state.block.list(at::FRAMES).len();
        let mut search = Search { answers: MAX_ANSWERS, failed: BTreeSet::new() };
        let found = self.distinct_plays(plays).into_iter().find_map(|play| {
            let Choice::Play { play, object, face } = play else { return None };
            let mut trial = self.trial();
            trial.set(frame + pay::PHASE, 0);
            trial.set(frame + pay::AS_PROPOSED, 0);
            let player = trial.word(frame + pay::PLAYER) as usize;
            trial.announce_play(play, object, u32::from(face), player, false, &[]);
            trial.completes_payment(depth, &mut search).then_some((play, object, u32::from(face)))
        });
        // Each answer costs a copy of the state and its hash.
        let copied = u64::from(1 + MAX_ANSWERS - search.answers) * self.state.block.words().len() as u64;
        self.scratch.fuel = self.scratch.fuel.saturating_add(copied / WORDS_FOR_AN_OPERATION);
        found
    }

    /// Returns one of each kind of play: the same ability of objects with the same values and statuses leads to the same. Other options are left
    /// out.
    fn distinct_plays(&mut self, plays: &[Choice]) -> Vec<Choice> {
        self.refresh();
        let statuses = at::STATUSES..at::STATUSES + self.program.library.statuses.len();
        let mut known = BTreeSet::new();
        let is_new = |choice: &&Choice| {
            let Choice::Play { play, object, face } = **choice else { return false };
            let slot = object.slot();
            let mut values: Vec<u32> = statuses.clone().map(|column| self.state.column(slot, column)).collect();
            values.extend((0..self.program.row.stride).map(|column| self.derived.word(slot, column)));
            known.insert((play, face, object.is_none(), values))
        };
        plays.iter().filter(is_new).copied().collect()
    }

    /// Removes the plays that are being announced already. To pay for a play with the same play of the same object gains nothing: played one after
    /// the other, the two come to the same.
    pub(super) fn remove_plays_in_progress(&self, plays: &mut Vec<Choice>) {
        let frames = self.state.block.list(at::FRAMES).iter().map(|frame| *frame as Handle);
        for frame in frames.filter(|frame| self.word(frame + KIND) == kind::ANNOUNCE) {
            let entry = self.word(frame + announce::ENTRY) as usize;
            let in_progress = (self.word(frame + announce::PLAY), self.word(entry + ENTRY_SOURCE));
            plays.retain(|play| !matches!(play, Choice::Play { play, object, .. } if (*play, object.0) == in_progress));
        }
    }

    fn trial(&self) -> Self {
        let mut trial = self.clone();
        trial.recording = false;
        trial.scratch.searches_payment = true;
        trial
    }

    /// Returns whether a play that is usable while paying could be offered to a player.
    fn may_play_while_paying(&self) -> bool {
        let LinkedTables { format, activated, concealed_abilities, library, .. } = &**self.program;
        let is_usable = |ability: &AbilityId| {
            let made = library.abilities.get(ability.index()).map(|ability| &ability.kind);
            matches!(made, Some(AbilityKind::Activated { play }) if play.during_payment)
        };
        format.plays.iter().any(|play| play.during_payment)
            || concealed_abilities.iter().any(|(_, ability)| is_usable(ability))
            || activated.iter().any(|(unit, ability)| is_usable(ability) && !self.derived.holders(*unit).is_empty())
    }

    /// Returns whether the payment whose frame is the `depth`th from the bottom can be completed with some answers.
    fn completes_payment(&mut self, depth: usize, search: &mut Search) -> bool {
        // Whether the price was tried to be paid since the last play.
        let mut is_tried = false;
        loop {
            let frames = self.state.block.list(at::FRAMES);
            is_tried &= frames.len() == depth;
            let Some(frame) = depth.checked_sub(1).and_then(|index| frames.get(index)).map(|frame| *frame as Handle) else {
                return false;
            };
            if self.word(frame + KIND) != kind::PAY {
                return false;
            }
            if frames.len() == depth && self.word(frame + pay::PHASE) == 0 && !is_tried {
                is_tried = true;
                let units = InlineWords::from_slice(self.state.block.list(frame + pay::UNITS));
                let (payment, player) = (PaymentId(self.word(frame + pay::PAYMENT)), self.word(frame + pay::PLAYER) as usize);
                let object = ObjectRef(self.word(frame + pay::OBJECT));
                self.scratch.pays_for_ability = self.word(frame + pay::FOR_ABILITY) != 0;
                if self.can_pay(payment, player, &units, object) {
                    return true;
                }
                let position = self.state.position_hash(&self.program);
                if !search.failed.insert(position) {
                    return false;
                }
            }
            match self.tick() {
                None => {}
                Some(StepResult::Over(_)) => return false,
                Some(StepResult::Decision(decision)) => {
                    let pays = decision.kind == DecisionKind::Pay;
                    let distinct = if pays { self.distinct_plays(&decision.options) } else { Vec::new() };
                    return answers_to_try(&decision).into_iter().any(|picks| {
                        let option = picks.first().and_then(|pick| decision.options.get(*pick as usize));
                        let is_repeated = matches!(option, Some(play @ Choice::Play { .. }) if pays && !distinct.contains(play));
                        if option == Some(&Choice::Abandon) || is_repeated {
                            return false;
                        }
                        if search.answers == 0 {
                            return false;
                        }
                        search.answers -= 1;
                        let mut next = Box::new(self.clone());
                        next.answer(&picks).is_ok() && next.completes_payment(depth, search)
                    });
                }
            }
        }
    }
}
