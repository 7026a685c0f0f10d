//! Windows: who may act, in which order, and what passing in succession does.

use super::announce::ENTRY_USER;
use super::decision::{Choice, Decision, DecisionKind};
use super::frame::{kind, resolve, window};
use super::{LONG_RUN, Machine, Record};
use crate::ir::{AfterActing, FnId, WindowRules};
use crate::program::Program;
use crate::state::block::Handle;
use crate::state::{ObjectRef, layout as at};

impl Machine {
    pub(crate) fn resume_window(&mut self, program: &Program, frame: Handle) {
        match self.word(frame + window::PHASE) {
            0 => {
                let links = self.list_length() as u32;
                self.set(frame + window::LINKS, links + 1);
                self.set(frame + window::PHASE, 1);
                self.push_settle(true);
            }
            1 => {
                self.follow_triggers(frame);
                self.ask_to_act(program, frame);
            }
            2 => self.acted(frame),
            _ => {
                // The whole list is being carried out, last in first out, with nothing in between.
                if let Some(top) = self.list_top() {
                    self.push_resolve(top);
                } else {
                    self.set(frame + window::PHASE, 0);
                    self.reset(frame);
                }
            }
        }
    }

    /// Triggers that were put on the list are answered as what a player puts there.
    fn follow_triggers(&mut self, frame: Handle) {
        let before = self.word(frame + window::LINKS) as usize;
        self.set(frame + window::LINKS, 0);
        if before == 0 || self.list_length() < before || self.program.format.timing.after_acting == AfterActing::Same {
            return;
        }
        let Some(top) = self.list_top() else { return };
        let entry = self.state.column(top.slot(), at::ENTRY) as usize;
        let next = (self.word(entry + ENTRY_USER) as usize + 1) % self.program.players();
        self.set(frame + window::ACTOR, next as u32);
        self.set(frame + window::PASSES, 0);
    }

    fn list_length(&self) -> usize {
        self.program.list.map_or(0, |list| self.state.zone_items(&self.program, list).len())
    }

    fn reset(&mut self, frame: Handle) {
        let active = self.state.active() as u32;
        self.set(frame + window::ACTOR, active);
        self.set(frame + window::PASSES, 0);
    }

    /// The topmost object of the list.
    pub(crate) fn list_top(&self) -> Option<ObjectRef> {
        let list = self.program.list?;
        self.state.zone_items(&self.program, list).last().map(|top| ObjectRef(*top))
    }

    /// Asks whose turn it is to act. Who takes no part in it passes, and who could only pass where nobody wants to be asked that.
    fn ask_to_act(&mut self, program: &Program, frame: Handle) {
        let number = self.word(frame + window::WINDOW) as usize;
        let usual = WindowRules::default();
        let settings = program.library.windows.get(number).unwrap_or(&usual);
        let quiet = self.list_top().is_none() && self.word(frame + window::PASSES) == 0;
        if quiet && let Some(until) = settings.until {
            let active = self.state.active() as i64;
            if self.test(until, &[0, active]) {
                self.pop_frame();
                return;
            }
        }
        let mut options = std::mem::take(&mut self.scratch.options);
        loop {
            let actor = self.word(frame + window::ACTOR) as usize;
            let out = self.state.has_lost(actor) || settings.only_active && actor != self.state.active();
            if !out {
                self.look_at_own(program, actor);
                options.clear();
                options.push(Choice::Pass);
                self.offer_plays(program, &mut options, actor, settings, false);
            }
            if !out && (options.len() > 1 || !self.auto_pass(actor)) {
                self.set(frame + window::PHASE, 2);
                self.record_window(actor);
                let decision = Decision::one(actor, DecisionKind::Act, options);
                self.ask(&decision);
                options = decision.options;
                break;
            }
            if !self.pass(frame) {
                break;
            }
        }
        self.scratch.options = options;
    }

    /// Lets a player who could do nothing else pass unasked, where that is wanted ([`Machine::step_auto_passing`]): counted and told as an answer
    /// is. Whether it was so.
    fn auto_pass(&mut self, actor: usize) -> bool {
        // Long runs of forced answers are looked at, and the last answer of a turn ends the game, as does what took too long to find out.
        let run = self.word(at::FORCED).saturating_add(1);
        let last = self.word(at::TURN_DECISIONS) >= self.limits.turn_decisions;
        let exhausted = self.scratch.fuel > self.limits.fuel;
        if !self.scratch.passing || run >= LONG_RUN || last || exhausted {
            return false;
        }
        self.record_window(actor);
        self.record(|| Record::Answered { player: actor, picks: vec![0] });
        self.scratch.passed.push(actor);
        self.set(at::FORCED, run);
        self.count_answer();
        true
    }

    fn record_window(&mut self, player: usize) {
        let span = self.current_span();
        self.record(|| Record::Window { player, span });
    }

    fn acted(&mut self, frame: Handle) {
        let (choices, _) = self.take_answer();
        let actor = self.word(frame + window::ACTOR) as usize;
        match choices.first() {
            Some(Choice::Play { play, object, face }) => {
                // An abandoned announcement returns to this: the same player is asked again, after the same passes.
                self.set(frame + window::PHASE, 1);
                self.announce_play(*play, *object, u32::from(*face), actor, false, &[]);
                self.set(frame + window::PHASE, 0);
                self.set(frame + window::PASSES, 0);
                let next = match self.program.format.timing.after_acting {
                    AfterActing::Same => actor,
                    AfterActing::Next => self.next_in_play(actor),
                };
                self.set(frame + window::ACTOR, next as u32);
            }
            _ => {
                self.pass(frame);
            }
        }
    }

    /// Whoever acts passes; whether somebody else acts next, with nothing in between.
    fn pass(&mut self, frame: Handle) -> bool {
        let players = self.program.players();
        let passes = self.word(frame + window::PASSES) as usize + 1;
        if passes < players {
            let actor = (self.word(frame + window::ACTOR) as usize + 1) % players;
            self.set(frame + window::PASSES, passes as u32);
            self.set(frame + window::ACTOR, actor as u32);
            self.set(frame + window::PHASE, 1);
            return true;
        }
        match self.list_top() {
            None => self.pop_frame(),
            Some(top) => {
                if self.program.format.timing.resolve_all {
                    self.set(frame + window::PHASE, 3);
                } else {
                    self.set(frame + window::PHASE, 0);
                    self.reset(frame);
                    self.push_resolve(top);
                }
            }
        }
        false
    }

    /// Pushes the carrying out of an object.
    pub(crate) fn push_resolve(&mut self, object: ObjectRef) -> Handle {
        let frame = self.push_frame(kind::RESOLVE, resolve::WORDS);
        self.set(frame + resolve::OBJECT, object.0);
        let entry = self.state.column(object.slot(), at::ENTRY);
        self.set(frame + resolve::ENTRY, entry);
        frame
    }

    /// Evaluates a condition of the active player.
    pub(crate) fn holds(&mut self, condition: Option<FnId>) -> bool {
        let active = self.state.active() as i64;
        condition.is_none_or(|f| self.test(f, &[0, active]))
    }
}
