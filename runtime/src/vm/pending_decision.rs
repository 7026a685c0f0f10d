//! The pending decision as a record of the state: the machine writes it to ask a player, and removes it when it takes the answer.

use super::decision::{CHOICE_WORDS, decode, encode};
use super::machine::Machine;
use crate::assign::AssignmentProblem;
use crate::records::decision;
use crate::state::layout as at;
use crate::vm::decision::{Choice, Decision, DecisionKind, shares_of};
use crate::vm::inline_vecs::InlineWords;
use smallvec::SmallVec;

impl Machine {
    /// Writes a decision into the state. The top frame takes the answer when it is resumed.
    pub(crate) fn ask(&mut self, decision: &Decision) {
        let player = self.substitute_player(decision.player);
        let mut words = std::mem::take(&mut self.scratch.words);
        words.clear();
        words.extend(decision.options.iter().flat_map(|choice| encode(*choice)));
        let block = &mut self.state.block;
        let at_record = block.alloc(decision::WORDS);
        let kind = DecisionKind::ALL.iter().position(|k| *k == decision.kind).unwrap_or(0);
        block.set(at_record + decision::KIND, kind as u32);
        block.set(at_record + decision::PLAYER, player as u32);
        block.set(at_record + decision::MIN, decision.min as u32);
        block.set(at_record + decision::MAX, decision.max as u32);
        block.set(at_record + decision::SITE, decision.site.map_or(0, |s| s + 1));
        block.set(at_record + decision::REPEATS, u32::from(decision.repeats));
        let list = block.new_list(&words);
        block.set(at_record + decision::OPTIONS, list as u32);
        if let Some(board) = &decision.board {
            let list = block.new_list(&board.to_words());
            block.set(at_record + decision::BOARD, list as u32);
        }
        block.set(at::DECISION, at_record as u32);
        self.scratch.words = words;
    }

    /// Returns the pending decision.
    #[must_use]
    pub fn pending_decision(&self) -> Decision {
        let block = &self.state.block;
        let at_record = block.get(at::DECISION) as usize;
        let kind = DecisionKind::ALL.get(block.get(at_record + decision::KIND) as usize).copied();
        let site = block.get(at_record + decision::SITE);
        Decision {
            player: block.get(at_record + decision::PLAYER) as usize,
            kind: kind.unwrap_or(DecisionKind::Act),
            options: block.list(at_record + decision::OPTIONS).chunks(CHOICE_WORDS).map(decode).collect(),
            min: block.int(at_record + decision::MIN),
            max: block.int(at_record + decision::MAX),
            site: site.checked_sub(1),
            repeats: block.get(at_record + decision::REPEATS) != 0,
            board: (kind == Some(DecisionKind::Assign))
                .then(|| Box::new(AssignmentProblem::from_words(block.list(at_record + decision::BOARD)).unwrap_or_default())),
        }
    }

    /// Takes the answer to a division. Returns pairs of an option, as a thing, and its share.
    pub(crate) fn take_shares(&mut self) -> Vec<u32> {
        let decision = self.pending_decision();
        let shares = InlineWords::from_slice(self.state.block.list(at::ANSWER));
        self.take_answer();
        shares_of(&decision, &shares)
    }

    /// Takes the answer. Returns the picked choices and, for a number, the number.
    pub(crate) fn take_answer(&mut self) -> (SmallVec<[Choice; 4]>, i64) {
        let block = &self.state.block;
        let options = block.list(block.get(at::DECISION) as usize + decision::OPTIONS);
        let picks = block.list(at::ANSWER);
        let number = picks.first().map_or(0, |n| i64::from(*n as i32));
        let choice = |pick: &u32| options.chunks(CHOICE_WORDS).nth(*pick as usize).map(decode);
        let choices = picks.iter().filter_map(choice).collect();
        self.state.block.clear(at::ANSWER);
        self.drop_decision();
        (choices, number)
    }

    /// Frees the pending decision.
    pub(crate) fn drop_decision(&mut self) {
        let block = &mut self.state.block;
        let at_record = block.get(at::DECISION) as usize;
        block.clear(at_record + decision::OPTIONS);
        block.clear(at_record + decision::BOARD);
        block.free(at_record);
        block.set(at::DECISION, 0);
    }

    /// Returns whether the top frame has an answer to take.
    pub(crate) fn has_answer(&self) -> bool {
        self.state.block.get(at::ANSWER) != 0
    }
}
