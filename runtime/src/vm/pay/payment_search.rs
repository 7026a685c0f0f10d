//! Searches for a way to pay that leaves the [remaining costs](super::remaining_cost) possible, with producers and with plays that are usable while
//! paying (CR 601.2g, 605.3a): costs and effects of plays are those of the rules, so only playing them shows what they yield.
//!
//! The search tries them in copies of the machine, one of each kind, depth first. It is exact up to [`MAX_ANSWERS`] and [`MAX_COPIED_OBJECTS`]; beyond
//! that the price does not count as payable.
//! The player can still use such plays before the announcement, since what they yield waits in the pool.

use crate::ir::verbs::BuiltinFunction;
use crate::ir::{AbilityId, AbilityKind, ObjectRef, PaymentId, WindowRules};
use crate::records::ENTRY_SOURCE;
use crate::records::frame::{KIND, announce, kind, pay};
use crate::state::block::Handle;
use crate::state::layout as at;
use crate::tables::LinkedTables;
use crate::vm::affordable_query::AffordableQuery;
use crate::vm::announcement_search::answers_to_try;
use crate::vm::decision::{Choice, DecisionKind};
use crate::vm::eval_context::EvalContext;
use crate::vm::inline_vecs::InlineWords;
use crate::vm::machine::{Machine, StepResult};
use crate::vm::pay::remaining_cost::RemainingCost;
use crate::vm::scratch::Scratch;
use std::collections::BTreeSet;

/// The maximum number of answers that one search tries.
const MAX_ANSWERS: u32 = 400;

/// The maximum number of objects of the copies that one search makes. It is less than those of [`MAX_ANSWERS`] copies where there are some hundreds of
/// objects.
const MAX_COPIED_OBJECTS: u64 = 64_000;

/// How many numbers above what simple sources can pay are tried for `affordable`.
const MAX_TIMES_TRIED: i64 = 32;

/// The operations that it costs to copy and hash an object.
const OPERATIONS_FOR_AN_OBJECT: u64 = 64;

/// What a search has tried.
struct Search<'a> {
    /// The costs that must stay possible.
    rest: &'a RemainingCost,
    /// The answers that may still be tried.
    answers: u32,
    /// The positions from which the price cannot be paid: several orders of the same plays lead to one.
    failed: BTreeSet<u64>,
    /// The operations of all trials.
    fuel: u64,
}

impl EvalContext<'_> {
    /// Returns whether a play that is usable while paying could be offered to a player.
    fn may_play_while_paying(&self) -> bool {
        if !self.program.has_plays_while_paying {
            return false;
        }
        let LinkedTables { format, activated, concealed_abilities, library, .. } = &**self.program;
        let is_usable = |ability: &AbilityId| {
            let made = library.abilities.get(ability.index()).map(|ability| &ability.kind);
            matches!(made, Some(AbilityKind::Activated { play }) if play.during_payment)
        };
        format.plays.iter().any(|play| play.during_payment)
            || concealed_abilities.iter().any(|(_, ability)| is_usable(ability))
            || activated.iter().any(|(unit, ability)| is_usable(ability) && !self.derived.holders(*unit).is_empty())
    }

    /// Returns whether a built-in function asks for what only trials of payments show.
    pub(in crate::vm) fn tries_payments(&self, scratch: &Scratch, builtin: u16) -> bool {
        builtin == BuiltinFunction::Affordable.number() && !scratch.searches_payment && self.may_play_while_paying()
    }
}

impl Machine {
    /// Returns whether a player can pay so that the remaining costs stay possible, with plays that are usable while paying if need be.
    /// `simple_sources_suffice`: for the price alone.
    pub(in crate::vm) fn can_pay_in_trial(
        &mut self,
        payment: PaymentId,
        player: usize,
        units: &[u32],
        object: ObjectRef,
        rest: RemainingCost,
        simple_sources_suffice: bool,
    ) -> bool {
        if self.scratch.searches_payment {
            return simple_sources_suffice;
        }
        let by_plays = self.may_play_while_paying();
        if !simple_sources_suffice && !by_plays {
            return false;
        }
        let rest = self.possible_part(rest);
        let mut trial = self.start_trial();
        trial.scratch.hypothetical.clone_from(&self.scratch.hypothetical);
        let pushed = trial.push_frame(kind::PAY, pay::WORDS);
        trial.set(pushed + pay::PLAYER, player as u32);
        trial.set(pushed + pay::PAYMENT, payment.0);
        trial.set(pushed + pay::OBJECT, object.0);
        trial.set(pushed + pay::STATEMENT, 1);
        trial.set(pushed + pay::FOR_ABILITY, u32::from(self.scratch.pays_for_ability));
        trial.state.block.extend(pushed + pay::UNITS, units);
        trial.settle_either_ways(pushed, payment, player, object);
        let units = &InlineWords::from_slice(trial.state.block.list(pushed + pay::UNITS));
        let found = simple_sources_suffice && trial.leaves_possible(pushed, &rest) || {
            let plays = if by_plays { trial.plays_offered(player, &WindowRules::default(), true) } else { Vec::new() };
            let producers =
                if simple_sources_suffice { trial.producers_to_choose(pushed, payment, player, units) } else { Vec::new() };
            trial.scratch.searches_payment = false;
            trial.first_way_to_pay(pushed, (&producers, &plays), &rest).is_some()
        };
        self.charge_trial(&trial);
        found
    }

    /// Returns the first producer or play after which a price can be paid so that the remaining costs stay possible, if need be with further ones.
    /// `frame`: the frame of the payment, on top.
    pub(super) fn first_way_to_pay(
        &mut self,
        frame: Handle,
        (producers, plays): (&[Choice], &[Choice]),
        rest: &RemainingCost,
    ) -> Option<Choice> {
        if producers.is_empty() && plays.is_empty() || self.scratch.searches_payment {
            return None;
        }
        let depth = self.state.block.list(at::FRAMES).len();
        let (payment, player) = (PaymentId(self.word(frame + pay::PAYMENT)), self.word(frame + pay::PLAYER) as usize);
        let answers = (MAX_COPIED_OBJECTS / self.objects_of_copy().max(1)).clamp(1, u64::from(MAX_ANSWERS)) as u32;
        let mut search = Search { rest, answers, failed: BTreeSet::new(), fuel: 0 };
        let mut ways = self.distinct_ways(producers);
        ways.extend(self.distinct_ways(plays));
        let found = ways.into_iter().find(|way| {
            if !self.may_try(&mut search) {
                return false;
            }
            let mut trial = self.start_trial();
            trial.set(frame + pay::PHASE, 0);
            trial.set(frame + pay::AS_PROPOSED, 0);
            trial.pay_by(*way, frame, payment, player);
            let completes = trial.completes_payment(depth, &mut search);
            search.fuel = search.fuel.saturating_add(self.cost_of_trial(&trial));
            completes
        });
        self.scratch.fuel = self.scratch.fuel.saturating_add(search.fuel);
        found
    }

    /// Takes one of the answers that a search may try. Returns false if there is none, or if the fuel does not suffice.
    fn may_try(&self, search: &mut Search<'_>) -> bool {
        let has_fuel = self.scratch.fuel.saturating_add(search.fuel) <= self.scratch.limit;
        search.answers = search.answers.saturating_sub(u32::from(has_fuel));
        has_fuel && search.answers > 0
    }

    /// Charges what a trial has used.
    pub(super) fn charge_trial(&mut self, trial: &Self) {
        self.scratch.fuel = self.scratch.fuel.saturating_add(self.cost_of_trial(trial));
    }

    /// The operations of a trial of this position, with those for the copy of the position and its hash.
    pub(super) fn cost_of_trial(&self, trial: &Self) -> u64 {
        trial.scratch.fuel.saturating_sub(self.scratch.fuel).saturating_add(self.objects_of_copy() * OPERATIONS_FOR_AN_OBJECT)
    }

    /// The objects that a copy of the machine has, those of its marks included. Objects and not words are counted, since the width of an object
    /// depends on other loaded packs.
    fn objects_of_copy(&self) -> u64 {
        (self.state.slots() * (1 + self.state.marks.len())) as u64
    }

    /// Returns one of each kind of play and producer: the same ability of objects with the same values and statuses leads to the same. Other
    /// options are left out.
    pub(super) fn distinct_ways(&mut self, ways: &[Choice]) -> Vec<Choice> {
        self.refresh();
        let statuses = at::STATUSES..at::STATUSES + self.program.library.statuses.len();
        let mut known = BTreeSet::new();
        let is_new = |choice: &&Choice| {
            let (play, object, face) = match **choice {
                Choice::Play { play, object, face } => (play, object, face),
                Choice::Producer(object) => (u32::MAX, object, 0),
                Choice::Object(object) => (u32::MAX - 1, object, 0),
                _ => return false,
            };
            let slot = object.slot();
            let mut values: Vec<u32> = statuses.clone().map(|column| self.state.column(slot, column)).collect();
            values.extend((0..self.program.row.stride).map(|column| self.derived.word(slot, column)));
            known.insert((play, face, object.is_none(), values))
        };
        ways.iter().filter(is_new).copied().collect()
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

    /// Copies the game, without its log, to try a payment.
    pub(super) fn start_trial(&mut self) -> Self {
        let log = std::mem::take(&mut self.log);
        let mut trial = self.clone();
        self.log = log;
        trial.recording = false;
        trial.scratch.searches_payment = true;
        trial
    }

    /// Returns how many times a player could pay the step of a query, with plays that are usable while paying if need be. `args`: those of
    /// `affordable`.
    pub(in crate::vm) fn affordable_times(&mut self, args: &[i64]) -> i64 {
        let Some(query) = AffordableQuery::from_arguments(&self.scratch, args) else { return 0 };
        let (world, scratch) = self.world();
        let mut times = world.payable_times(scratch, &query);
        let most = times.saturating_add(MAX_TIMES_TRIED);
        while query.step > 0 && times < most {
            let units = query.units_due(times as usize + 1);
            if !self.can_pay_in_trial(PaymentId(0), query.player, &units, query.object, RemainingCost::default(), false) {
                break;
            }
            times += 1;
        }
        times
    }

    /// Returns whether a play that is usable while paying could be offered to a player.
    pub(super) fn may_play_while_paying(&mut self) -> bool {
        self.world().0.may_play_while_paying()
    }

    /// Returns whether the payment whose frame is the `depth`th from the bottom can be completed with some answers.
    fn completes_payment(&mut self, depth: usize, search: &mut Search<'_>) -> bool {
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
                if self.can_pay(payment, player, &units, object) && self.leaves_possible(frame, search.rest) {
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
                    let distinct = if pays { self.distinct_ways(&decision.options) } else { Vec::new() };
                    return answers_to_try(&decision).into_iter().any(|picks| {
                        let option = picks.first().and_then(|pick| decision.options.get(*pick as usize));
                        let is_way = |way: &&Choice| matches!(way, Choice::Play { .. } | Choice::Producer(_) | Choice::Object(_));
                        let is_repeated = pays && option.filter(is_way).is_some_and(|way| !distinct.contains(way));
                        if option == Some(&Choice::Abandon) || is_repeated {
                            return false;
                        }
                        if !self.may_try(search) {
                            return false;
                        }
                        let mut next = Box::new(self.clone());
                        let completes = next.answer(&picks).is_ok() && next.completes_payment(depth, search);
                        search.fuel = search.fuel.saturating_add(self.cost_of_trial(&next));
                        completes
                    });
                }
            }
        }
    }
}
