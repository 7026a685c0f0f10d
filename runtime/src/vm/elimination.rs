//! Players who lose while others play on: who is left, what leaving the game does, giving the game up.
//!
//! A game says what leaving it means by an action `leave_game(who: player)`; without one, nothing is done with what the player has.

use super::frame::{KIND, announce, batch, body, kind, pay, settle, window};
use super::hooks::PENDING_ARGS;
use super::{Machine, hooks};
use crate::ir::verbs::LOSE;
use crate::ir::{NO_PLAYER, cause};
use crate::state::{State, layout as at};

impl State {
    /// Whether a player takes part no more.
    #[must_use]
    pub fn has_lost(&self, seat: usize) -> bool {
        seat < 32 && self.block.get(at::LOST) & (1 << seat) != 0
    }

    /// Whether a player has left the game, or is leaving it.
    #[must_use]
    pub fn has_left(&self, seat: usize) -> bool {
        seat < 32 && self.block.get(at::LEFT) & (1 << seat) != 0
    }
}

impl Machine {
    /// After players lost in one batch: who is left wins, if it is one; nobody does, if none is; else those who lost leave.
    pub(crate) fn settle_losses(&mut self) {
        let lost = self.word(at::LOST);
        if lost == 0 || self.outcome().is_some() {
            return;
        }
        let left: Vec<usize> = (0..self.program.players()).filter(|seat| !self.state.has_lost(*seat)).collect();
        match left.as_slice() {
            [] => self.finish(2, u32::MAX),
            [only] => {
                let winner = *only as u32;
                self.finish(1, winner);
            }
            _ => self.eliminate_losers(lost & !self.word(at::LEFT)),
        }
    }

    /// Those who have just lost leave, all at once (CR 800.4a): the game's own action for it is proposed for each of them.
    fn eliminate_losers(&mut self, leaving: u32) {
        if leaving == 0 {
            return;
        }
        self.set(at::LEFT, self.word(at::LEFT) | leaving);
        self.derived.mark_all_dirty();
        // CR 800.4d: what triggered for them never comes.
        let mut index = 0;
        while index < self.state.block.len(at::PENDING) {
            let record = self.state.block.item(at::PENDING, index) as usize;
            if self.state.has_left(self.word(record + hooks::PENDING_CONTROLLER) as usize) {
                self.state.block.remove(at::PENDING, index);
                self.state.block.clear(record + PENDING_ARGS);
                self.state.block.free(record);
            } else {
                index += 1;
            }
        }
        if let Some(action) = self.program.leaving {
            let batch = self.push_batch();
            for seat in (0..self.program.players()).filter(|seat| leaving & (1 << seat) != 0) {
                self.propose_in(batch, action, &[seat as i64], [cause::RULE, 0, seat as i64, NO_PLAYER]);
            }
        }
    }

    /// Who decides for a player who has left (CR 800.4g, h): the next player in turn order, rather not the one whose text asks.
    pub(crate) fn substitute_player(&self, player: usize) -> usize {
        if !self.state.has_lost(player) {
            return player;
        }
        let n = self.program.players();
        let asking = self.state.top_frame().filter(|top| self.word(top + KIND) == kind::BODY);
        let asking = asking.map(|top| self.word(top + body::PLAYER) as usize);
        let others: Vec<usize> = (1..n).map(|i| (player + i) % n).filter(|seat| !self.state.has_lost(*seat)).collect();
        others.iter().copied().find(|seat| Some(*seat) != asking).or_else(|| others.first().copied()).unwrap_or(player)
    }

    /// A player gives the game up, at any time (CR 104.3a): the question that is open is asked again, or another one. False when the
    /// player takes part no more or the game is over.
    pub fn concede(&mut self, seat: usize) -> bool {
        if self.outcome().is_some() || seat >= self.program.players() || self.state.has_lost(seat) {
            return false;
        }
        if self.state.marks.is_empty() {
            self.withdraw_question();
        } else {
            // What is being announced with a price is taken back: whoever announced it may do so again.
            self.state.marks.truncate(1);
            self.abandon();
        }
        self.drop_announcements(seat);
        self.set(at::FUEL, 0);
        self.scratch.fuel = 0;
        let batch = self.push_batch();
        self.propose_unstoppable(batch, LOSE, &[seat as i64], [cause::RULE, 0, seat as i64, NO_PLAYER]);
        true
    }

    /// Takes the pending question back; the frame that asked it asks again when it is resumed.
    fn withdraw_question(&mut self) {
        if self.word(at::DECISION) == 0 {
            return;
        }
        self.drop_question();
        let Some(top) = self.state.top_frame() else { return };
        match self.word(top + KIND) {
            kind::WINDOW => self.set(top + window::PHASE, 0),
            kind::SETTLE => self.set(top + settle::PHASE, 0),
            kind::PAY => self.set(top + pay::PHASE, 0),
            kind::BATCH => self.set(top + batch::ASKING, 0),
            kind::BODY => self.set(top + body::AWAITING, 0),
            kind::ANNOUNCE => self.set(top + announce::AWAITING, 0),
            _ => {}
        }
    }

    /// What a player who gives up was announcing without a mark (a trigger, say) is not announced.
    fn drop_announcements(&mut self, seat: usize) {
        loop {
            let frames = self.state.block.list(at::FRAMES);
            let own =
                |frame: usize| self.word(frame + KIND) == kind::ANNOUNCE && self.word(frame + announce::USER) == seat as u32;
            if !frames.iter().any(|frame| own(*frame as usize)) {
                return;
            }
            let Some(top) = self.state.top_frame() else { return };
            if self.word(top + KIND) == kind::ANNOUNCE {
                self.take_back_one(top);
            } else {
                self.drop_frame(top);
            }
        }
    }
}
