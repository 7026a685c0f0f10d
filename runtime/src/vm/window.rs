//! Windows (priority): who may act, in which order, and what happens when all players pass in succession (CR 117).

use super::MIN_FORCED_RUN;
use super::decision::{Choice, Decision, DecisionKind};
use crate::ir::ObjectRef;
use crate::ir::{AfterActing, FnId, WindowRules};
use crate::program::Program;
use crate::records::ENTRY_USER;
use crate::records::frame::{kind, resolve, window};
use crate::state::block::Handle;
use crate::state::layout as at;
use crate::vm::machine::{Machine, Record};

impl Machine {
    pub(crate) fn resume_window(&mut self, program: &Program, frame: Handle) {
        match self.word(frame + window::PHASE) {
            0 => {
                let links = self.list_length() as u32;
                self.set(frame + window::LIST_LENGTH, links + 1);
                self.set(frame + window::PHASE, 1);
                self.push_settle(true);
            }
            1 => {
                self.follow_triggers(frame);
                self.ask_to_act(program, frame);
            }
            2 => self.resume_after_act(frame),
            _ => {
                // The whole list resolves, last in first out, with nothing in between.
                if let Some(top) = self.list_top() {
                    self.push_resolve(top);
                } else {
                    self.set(frame + window::PHASE, 0);
                    self.reset_actor(frame);
                }
            }
        }
    }

    /// If triggers were put on the list, lets the next player act, as after a player's own action.
    fn follow_triggers(&mut self, frame: Handle) {
        let before = self.word(frame + window::LIST_LENGTH) as usize;
        self.set(frame + window::LIST_LENGTH, 0);
        if before == 0 || self.list_length() < before || self.program.format.timing.after_acting == AfterActing::SamePlayer {
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

    fn reset_actor(&mut self, frame: Handle) {
        let active = self.state.active() as u32;
        self.set(frame + window::ACTOR, active);
        self.set(frame + window::PASSES, 0);
    }

    /// Returns the topmost object of the list.
    pub(crate) fn list_top(&self) -> Option<ObjectRef> {
        let list = self.program.list?;
        self.state.zone_items(&self.program, list).last().map(|top| ObjectRef(*top))
    }

    /// Asks the next player to act. A player who has lost, or takes no part in this window, passes; so does one who can only pass
    /// if the driver wants automatic passes.
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
                self.show_own_concealed(program, actor);
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

    /// Passes for a player who has no other legal answer, if the driver wants that ([`Machine::step_auto_passing`]). The pass is
    /// counted and recorded as an answer. Returns whether it passed.
    fn auto_pass(&mut self, actor: usize) -> bool {
        // The driver sees long runs of forced answers. The last answer of a turn and an exhausted fuel budget end the game, so
        // they are not automatic either.
        let run = self.word(at::FORCED_DECISIONS).saturating_add(1);
        let last = self.word(at::TURN_DECISIONS) >= self.limits.turn_decisions;
        let exhausted = self.scratch.fuel > self.limits.fuel;
        if !self.scratch.auto_passes || run >= MIN_FORCED_RUN || last || exhausted {
            return false;
        }
        self.record_window(actor);
        self.record(|| Record::Answered { player: actor, picks: vec![0] });
        self.scratch.auto_passed.push(actor);
        self.set(at::FORCED_DECISIONS, run);
        self.count_answer();
        true
    }

    fn record_window(&mut self, player: usize) {
        let span = self.current_period();
        self.record(|| Record::Window { player, period: span });
    }

    fn resume_after_act(&mut self, frame: Handle) {
        let (choices, _) = self.take_answer();
        let actor = self.word(frame + window::ACTOR) as usize;
        match choices.first() {
            Some(Choice::Play { play, object, face }) => {
                // An abandoned announcement returns to this phase: the same player acts again, after the same passes.
                self.set(frame + window::PHASE, 1);
                self.announce_play(*play, *object, u32::from(*face), actor, false, &[]);
                self.set(frame + window::PHASE, 0);
                self.set(frame + window::PASSES, 0);
                let next = match self.program.format.timing.after_acting {
                    AfterActing::SamePlayer => actor,
                    AfterActing::NextPlayer => self.next_in_play(actor),
                };
                self.set(frame + window::ACTOR, next as u32);
            }
            _ => {
                self.pass(frame);
            }
        }
    }

    /// Lets the acting player pass. Returns whether another player acts next, with nothing in between.
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
                    self.reset_actor(frame);
                    self.push_resolve(top);
                }
            }
        }
        false
    }

    /// Pushes the frame that resolves an object.
    pub(crate) fn push_resolve(&mut self, object: ObjectRef) -> Handle {
        let frame = self.push_frame(kind::RESOLVE, resolve::WORDS);
        self.set(frame + resolve::OBJECT, object.0);
        let entry = self.state.column(object.slot(), at::ENTRY);
        self.set(frame + resolve::ENTRY, entry);
        frame
    }

    /// Returns whether a condition about the active player is true; true if there is none.
    pub(crate) fn condition_holds(&mut self, condition: Option<FnId>) -> bool {
        let active = self.state.active() as i64;
        condition.is_none_or(|f| self.test(f, &[0, active]))
    }
}
