//! Carried events: an event that is alone in progress needs no batch. It is checked and committed at once, and the frame of its action's body
//! carries it.
//!
//! An event is carried if a body outside of a batch proposes it alone, and if no replacement applies to it. Its body may propose further
//! events; those that are alone are carried as well. So carried events are nested as the frames on top of each other are: each is part of the
//! event that the frame below carries. As soon as two or more events are in progress together, or a replacement applies, a
//! [batch](super::batch) is pushed above the body that proposed them. What happens in it happens within the carried events below.
//!
//! This is the only form of a single event in progress: reference mode has the same frames.

use crate::ir::ObjectRef;
use crate::ir::op::Place;
use crate::ir::verbs::{ATTACH, CREATE, PUT, VERBS, WRITE};
use crate::ir::{Action, cause};
use crate::program::Program;
use crate::records::event::decode_place;
use crate::records::event::{
    AVERTED, COMMITTED, EVENT_WORDS, Event, HAS_PROPOSED, INHERITED, MAX_EVENTS, PART_FAILED, PART_OF_CARRIED, TIMING_NEUTRAL,
    TRIGGERS_MATCHED, status, word,
};
use crate::records::frame::{KIND, batch, body, body::carries, kind};
use crate::state::block::Handle;
use crate::state::layout as at;
use crate::vm::budgets::Budget;
use crate::vm::commit_segment::{EffectContext, EventPlace, HookedEvent, Segment};
use crate::vm::inline_vecs::{Args, InlineWords};
use crate::vm::machine::StepFlow;
use crate::vm::machine::{Machine, Record};
use smallvec::SmallVec;

/// The bodies that carry the events of which something is a part, the outermost first.
pub(super) type Carriers = SmallVec<[Handle; 8]>;

/// How many results are compared at the cost of one operation.
const RESULTS_FOR_AN_OPERATION: usize = 8;

/// Whether a single event can be carried.
enum SingleEventCheck {
    /// It cannot happen.
    Failed,
    /// It needs a batch.
    NeedsBatch,
    /// It happens.
    Allowed,
}

impl Machine {
    /// Returns whether a frame is a body that carries an event.
    pub(super) fn is_carrier(&self, frame: Handle) -> bool {
        self.word(frame + KIND) == kind::BODY && self.word(frame + body::CARRIES) != carries::NOTHING
    }

    /// Returns the event that a body carries.
    pub(super) fn carried_event(&self, frame: Handle) -> Event {
        let first = frame + body::CARRIED;
        Event::from_words(self.state.block.words().get(first..first + EVENT_WORDS).unwrap_or(&[]))
    }

    /// Writes the event that a body carries.
    pub(super) fn set_carried_event(&mut self, frame: Handle, event: &Event) {
        let words = event.words();
        self.state
            .block
            .slice_mut(frame + body::CARRIED, EVENT_WORDS)
            .iter_mut()
            .zip(words)
            .for_each(|(place, word)| *place = word);
    }

    fn carried_word(&self, frame: Handle, word: usize) -> u32 {
        self.word(frame + body::CARRIED + word)
    }

    /// Adds flags to the event that a body carries.
    pub(super) fn add_carried_flags(&mut self, frame: Handle, flags: u32) {
        let at = frame + body::CARRIED + word::FLAGS;
        self.set(at, self.word(at) | flags);
    }

    /// Returns the flags that an event gets from the body that proposes it outside of a batch.
    pub(super) fn flags_from_carrier(&self, frame: Handle) -> u32 {
        if self.is_carrier(frame) { self.carried_word(frame, word::FLAGS) & INHERITED | PART_OF_CARRIED } else { 0 }
    }

    /// Returns the bodies that carry events which have not happened yet, from a frame downwards.
    pub(super) fn carriers_below(&self, frames: usize) -> Carriers {
        let all = self.state.block.list(at::FRAMES);
        let below = all.get(..frames).unwrap_or(&[]).iter().rev().map(|frame| *frame as usize);
        let is_open = |frame: &Handle| self.is_carrier(*frame) && self.carried_word(*frame, word::FLAGS) & TRIGGERS_MATCHED == 0;
        let mut found: Carriers = below.take_while(is_open).collect();
        found.reverse();
        found
    }

    /// Marks those carried events as happened that have not happened yet, the outermost first.
    pub(super) fn mark_carriers_happened(&mut self, carriers: &[Handle]) {
        for frame in carriers.iter().copied() {
            if self.carried_word(frame, word::FLAGS) & TRIGGERS_MATCHED != 0 {
                continue;
            }
            self.set(frame + body::CARRIED + word::STATUS, status::HAPPENED);
            self.add_carried_flags(frame, TRIGGERS_MATCHED);
            let event = self.carried_event(frame);
            self.record(|| Record::of_event(&event, true));
        }
    }

    /// Handles the only event that a body outside of a batch proposes. Returns `None` if it needs a batch. `done`, `out`: the registers of the
    /// body that receive the results; they are empty.
    pub(super) fn propose_carried(
        &mut self,
        program: &Program,
        frame: Handle,
        function: &crate::ir::Function,
        base: usize,
        event: &Event,
        (done, out): (Option<u16>, Option<u16>),
    ) -> Option<StepFlow> {
        // The words of an event have 32 bits.
        let mut event = Event::from_words(&event.words());
        event.flags |= self.flags_from_carrier(frame);
        match self.check_single(program, frame, &mut event) {
            SingleEventCheck::NeedsBatch => return None,
            SingleEventCheck::Failed => {
                self.record(|| Record::of_event(&event, false));
                self.report_failure(frame, true);
                return Some(StepFlow::Next);
            }
            SingleEventCheck::Allowed => event.status = status::FINAL,
        }
        let function_of = |action: &Action| action.body.filter(|_| event.action as usize >= VERBS.len());
        if let Some(id) = program.format.actions.get(event.action as usize).and_then(function_of) {
            let flow = self.wait(frame, function, base, false);
            let cause = self.cause_within(&event);
            let args: Args = [0, cause[2]].iter().chain(event.arguments()).copied().collect();
            let behalf =
                EffectContext { cause: cause[0], source: ObjectRef::from_value(cause[1]), player: cause[2], chooser: cause[3] };
            let collects = out.is_some() || self.word(frame + body::CARRIES) == carries::EVENT_WITH_RESULTS;
            let pushed = self.push_body(id, &args, behalf);
            self.set(pushed + body::CARRIES, if collects { carries::EVENT_WITH_RESULTS } else { carries::EVENT });
            let register = |register: Option<u16>| register.map_or(0, |register| u32::from(register) + 1);
            self.set(pushed + body::DONE, register(done));
            self.set(pushed + body::OUT, register(out));
            self.set_carried_event(pushed, &event);
            return Some(flow);
        }
        let frames = self.state.frame_count();
        self.commit_single(program, &mut event, frames);
        let happened = event.status == status::HAPPENED;
        if !happened {
            self.report_failure(frame, true);
        }
        if let Some(done) = done {
            self.set_reg(base, done, i64::from(happened));
        }
        let result = Some(event.result).filter(|result| happened && *result != 0);
        if let Some(out) = out {
            if function.registers.get(usize::from(out)).is_some_and(|ty| ty.is_list()) {
                self.set_list(base, out, result);
            } else {
                self.set_reg(base, out, i64::from(result.unwrap_or(0) as i32));
            }
        }
        self.collect_results(frame, result.as_slice());
        // Observers see the game after each step, and each move must be seen. A game without observers stops as well, so that states are equal.
        let continues = event.action == WRITE && self.can_continue(frame);
        Some(if continues { StepFlow::Next } else { self.wait(frame, function, base, false) })
    }

    /// Completes an event, and checks whether it can happen and needs no batch.
    fn check_single(&mut self, program: &Program, frame: Handle, event: &mut Event) -> SingleEventCheck {
        if matches!(event.action, CREATE | ATTACH) {
            return SingleEventCheck::NeedsBatch;
        }
        if event.action == WRITE {
            return SingleEventCheck::Allowed;
        }
        self.apply_action_aliases(program, event);
        if event.action == PUT {
            self.complete_move(event);
        }
        let impossible = self.is_stale(event) || self.concerns_left_player(event) || self.is_prohibited(event);
        let pays = !self.is_carrier(frame) && self.state.block.int(frame + body::CAUSE) == cause::COST;
        if impossible && pays {
            // The batch reports to the payment that the cost failed.
            return SingleEventCheck::NeedsBatch;
        }
        if impossible {
            return SingleEventCheck::Failed;
        }
        let splits = event.action == PUT && self.splits_pile(program, event);
        if splits || !self.replacements(batch::NONE, event).is_empty() {
            SingleEventCheck::NeedsBatch
        } else {
            SingleEventCheck::Allowed
        }
    }

    /// Commits an event that is alone, with the carried events that it is part of. `frames`: how many frames are below it.
    fn commit_single(&mut self, program: &Program, event: &mut Event, frames: usize) {
        self.charge_change();
        self.charge_events(1, 1);
        let object = ObjectRef::from_value(event.args[0]);
        let moves = event.moves_object();
        let exists = match (event.action, decode_place(event.args[0], event.args[1])) {
            (WRITE, Some(Place::Status(_))) => self.state.exists(ObjectRef::from_value(event.args[2])),
            _ => !moves || self.state.exists(object) && self.has_destination(event),
        };
        if !exists {
            event.status = status::FAILED;
            return;
        }
        if event.makes_triggers_miss() {
            self.start_new_serial();
        }
        let carriers = self.carriers_below(frames);
        self.charge_events(carriers.len(), carriers.len());
        let mut segment = std::mem::take(&mut self.scratch.segment);
        segment.clear();
        let Segment { hooked, found, .. } = &mut segment;
        self.add_hooked_carriers(&carriers, hooked);
        if event.action != WRITE && self.is_observed(event) {
            hooked.push(HookedEvent { event: *event, depth: carriers.len(), place: EventPlace::Alone });
        }
        let mut once = self.find_hooks_before(program, hooked, found);
        if moves {
            self.record_last_known(object);
        }
        event.flags |= COMMITTED;
        event.status = status::HAPPENED;
        if (event.action as usize) < VERBS.len() {
            match self.commit(program, event) {
                Some(result) => event.result = result.0,
                None => event.status = status::FAILED,
            }
        } else {
            self.record_event();
        }
        if event.status == status::HAPPENED {
            self.mark_carriers_happened(&carriers);
            if event.action != WRITE {
                self.record(|| Record::of_event(event, true));
            }
        }
        self.after_commit();
        for it in hooked.iter_mut() {
            it.event = if let EventPlace::Carried(frame) = it.place { self.carried_event(frame) } else { *event };
        }
        self.find_hooks_after(program, hooked, &mut once, found);
        self.finish_hooks(hooked, found);
        self.scratch.segment = segment;
    }

    /// Ends a body that carries an event: reports to the frame below what became of the event. Returns whether the frame can be popped; if not,
    /// it is resumed once more.
    pub(super) fn finish_carried(&mut self, program: &Program, frame: Handle) -> bool {
        let mut event = self.carried_event(frame);
        if event.flags & HAS_PROPOSED == 0 {
            // A body that proposed nothing: its event happens now.
            self.add_carried_flags(frame, HAS_PROPOSED);
            let frames = self.state.frame_count() - 1;
            self.commit_single(program, &mut event, frames);
            self.set(frame + body::CARRIED + word::STATUS, event.status);
            if self.outcome().is_some() || self.state.top_frame() != Some(frame) {
                return false;
            }
        }
        let flags = self.carried_word(frame, word::FLAGS);
        let happened = self.carried_word(frame, word::STATUS) == status::HAPPENED && flags & AVERTED == 0;
        let results = InlineWords::from_slice(self.state.block.list(frame + body::RESULTS));
        let below = self.state.block.list(at::FRAMES).iter().rev().nth(1).map_or(0, |below| *below as usize);
        let register = |machine: &Self, word| machine.word(frame + word).checked_sub(1).map(|register| register as u16);
        let done = register(self, body::DONE).map(|register| (register, happened));
        let out = register(self, body::OUT).map(|register| (register, results.as_slice()));
        self.report(below, done, out);
        self.collect_results(below, &results);
        if flags & PART_FAILED != 0 || self.carried_word(frame, word::STATUS) == status::FAILED {
            self.report_failure(below, !happened);
        }
        true
    }

    /// Returns whether a body can execute its next operation at once: nothing was pushed above it, and neither the game nor a period ends.
    pub(super) fn can_continue(&self, frame: Handle) -> bool {
        self.outcome().is_none() && self.word(at::ENDING_PERIOD) == 0 && self.state.top_frame() == Some(frame)
    }

    /// Reports to the body in a frame that an event failed which it proposed, or a part of that. It matters for costs only: a carried event passes it
    /// on, and a cost of which nothing happened is not paid.
    pub(super) fn report_failure(&mut self, frame: Handle, nothing_happened: bool) {
        if self.state.block.int(frame + body::CAUSE) != cause::COST {
            return;
        }
        if self.is_carrier(frame) {
            self.add_carried_flags(frame, PART_FAILED);
        } else if nothing_happened {
            self.fail_cost();
        }
    }

    /// Adds objects to the results of the event that a body carries, if they are of use.
    pub(super) fn collect_results(&mut self, frame: Handle, results: &[u32]) {
        if self.word(frame + body::CARRIES) != carries::EVENT_WITH_RESULTS {
            return;
        }
        for result in results {
            let known = self.state.block.list(frame + body::RESULTS);
            let count = known.len();
            if !known.contains(result) {
                self.state.block.push(frame + body::RESULTS, *result);
            }
            self.charge_items(count / RESULTS_FOR_AN_OPERATION);
            if count > MAX_EVENTS {
                self.exceed(Budget::Memory);
                return;
            }
        }
    }
}

impl Event {
    /// Returns whether it moves or deletes its object.
    pub(super) fn moves_object(&self) -> bool {
        moves_object(self.action)
    }

    /// Returns whether triggers that can miss the timing are too late after it. Writes of statuses outside of actions, and timing-neutral events,
    /// do not count.
    pub(super) fn makes_triggers_miss(&self) -> bool {
        let bookkeeping = self.action == WRITE && !self.is_part();
        !reports_progress(self.action) && !bookkeeping && self.flags & TIMING_NEUTRAL == 0
    }
}

/// Returns whether events of a verb move or delete their object.
pub(super) fn moves_object(action: u32) -> bool {
    use crate::ir::verbs::ERASE;
    matches!(action, PUT | ATTACH | ERASE)
}

/// Returns whether events of a verb only report the progress of a period, an announcement or a resolution.
pub(super) fn reports_progress(action: u32) -> bool {
    use crate::ir::verbs::{ANNOUNCE, BEGIN, CHOSEN, FINISH, FIZZLE, RESOLVE, START_RESOLVING};
    matches!(action, BEGIN | FINISH | ANNOUNCE | START_RESOLVING | RESOLVE | FIZZLE | CHOSEN)
}
