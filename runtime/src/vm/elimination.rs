//! Elimination of players: losing while others play on, leaving the game (CR 800.4), and conceding.
//!
//! A game defines what leaving means by an action `leave_game(who: player)`. Without one, the objects of the player stay as they
//! are.

#![deny(clippy::wildcard_enum_match_arm)]

use crate::ir::verbs::LOSE;
use crate::ir::{NO_PLAYER, cause};
use crate::records::PENDING_ARGS;
use crate::records::PENDING_CONTROLLER;
use crate::records::frame::{FrameKind, KIND, announce, batch, body, kind, pay, settle, window};
use crate::state::{State, layout as at};
use crate::vm::machine::Machine;

impl State {
    /// Returns whether a player has lost and no longer takes part.
    #[must_use]
    pub fn has_lost(&self, seat: usize) -> bool {
        seat < 32 && self.block.get(at::PLAYERS_LOST) & (1 << seat) != 0
    }

    /// Returns whether a player has left the game, or is leaving it.
    #[must_use]
    pub fn has_left(&self, seat: usize) -> bool {
        seat < 32 && self.block.get(at::PLAYERS_LEFT) & (1 << seat) != 0
    }
}

impl Machine {
    /// Runs after each commit. A player who has won, and not lost at the same time (CR 104.3f), wins; several of them draw. If players have lost:
    /// one remaining player wins, no remaining player is a draw, else the losers leave.
    pub(crate) fn settle_losses(&mut self) {
        let (lost, won) = (self.word(at::PLAYERS_LOST), self.word(at::PLAYERS_WON));
        if lost | won == 0 || self.outcome().is_some() {
            return;
        }
        self.set(at::PLAYERS_WON, 0);
        let winners = won & !lost;
        if winners != 0 {
            let is_single = winners.is_power_of_two();
            self.finish(if is_single { 1 } else { 2 }, if is_single { winners.trailing_zeros() } else { u32::MAX });
            return;
        }
        let left: Vec<usize> = (0..self.program.players()).filter(|seat| !self.state.has_lost(*seat)).collect();
        match left.as_slice() {
            [] => self.finish(2, u32::MAX),
            [only] => {
                let winner = *only as u32;
                self.finish(1, winner);
            }
            _ => self.eliminate_losers(lost & !self.word(at::PLAYERS_LEFT)),
        }
    }

    /// Lets players leave who have just lost, all at once (CR 800.4a). Proposes the game's own action for each of them.
    fn eliminate_losers(&mut self, leaving: u32) {
        if leaving == 0 {
            return;
        }
        self.set(at::PLAYERS_LEFT, self.word(at::PLAYERS_LEFT) | leaving);
        self.derived.mark_all_dirty();
        // CR 800.4d: waiting triggers of a player who left are dropped.
        let mut index = 0;
        while index < self.state.block.len(at::PENDING_TRIGGERS) {
            let record = self.state.block.item(at::PENDING_TRIGGERS, index) as usize;
            if self.state.has_left(self.word(record + PENDING_CONTROLLER) as usize) {
                self.state.block.remove(at::PENDING_TRIGGERS, index);
                self.state.block.clear(record + PENDING_ARGS);
                self.state.block.free(record);
            } else {
                index += 1;
            }
        }
        if let Some(action) = self.program.leave_action {
            let batch = self.push_batch();
            for seat in (0..self.program.players()).filter(|seat| leaving & (1 << seat) != 0) {
                self.propose_in(batch, action, &[seat as i64], [cause::RULE, 0, seat as i64, NO_PLAYER]);
            }
        }
    }

    /// Returns who decides for a player who has left (CR 800.4g, h): the next player in turn order, but if possible not the
    /// controller of the text that asks.
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

    /// Lets a player concede, at any time (CR 104.3a). An open decision is withdrawn; the machine asks it again or asks another
    /// one. Returns false if the player no longer takes part or the game is over.
    pub fn concede(&mut self, seat: usize) -> bool {
        if self.outcome().is_some() || seat >= self.program.players() || self.state.has_lost(seat) {
            return false;
        }
        if self.state.marks.is_empty() {
            self.withdraw_decision();
        } else {
            // An announcement with a mark is rolled back; its player may announce again.
            self.state.marks.truncate(1);
            self.abandon();
        }
        self.drop_announcements(seat);
        self.set(at::FUEL, 0);
        self.scratch.reset_fuel();
        let batch = self.push_batch();
        self.propose_unstoppable(batch, LOSE, &[seat as i64], [cause::RULE, 0, seat as i64, NO_PLAYER]);
        true
    }

    /// Withdraws the open decision. The frame that asked it asks again when it is resumed.
    fn withdraw_decision(&mut self) {
        if self.word(at::DECISION) == 0 {
            return;
        }
        self.drop_decision();
        let Some(top) = self.state.top_frame() else { return };
        match FrameKind::from_word(self.word(top + KIND)) {
            Some(FrameKind::Window) => self.set(top + window::PHASE, 0),
            Some(FrameKind::Settle) => self.set(top + settle::PHASE, 0),
            Some(FrameKind::Pay) => self.set(top + pay::PHASE, 0),
            Some(FrameKind::Batch) => self.set(top + batch::ASKING, 0),
            Some(FrameKind::Body) => self.set(top + body::AWAITING, 0),
            Some(FrameKind::Announce) => self.set(top + announce::AWAITING, 0),
            Some(FrameKind::Resolve | FrameKind::Paragraphs | FrameKind::Turn | FrameKind::Game) | None => {}
        }
    }

    /// Drops announcements without a mark (for example of triggers) by a player who concedes.
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
                self.roll_back_one(top);
            } else {
                self.drop_frame(top);
            }
        }
    }
}
