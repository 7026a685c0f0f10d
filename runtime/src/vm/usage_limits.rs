//! Tallies: how often what has a limit was used in a span that is still open.

use super::Machine;
use super::announce::ENTRY_TALLY;
use crate::ir::{AbilityKind, UseLimit, UseLimitKey};
use crate::state::block::Handle;
use crate::state::{ObjectRef, layout as at};

/// Words of a tally: code, seat, key, span, count.
pub const TALLY_WORDS: usize = 5;

/// The codes of triggers have this bit; others are codes of plays.
pub const OF_TRIGGER: u32 = 1 << 31;

impl Machine {
    /// The limit of what a code stands for.
    fn limit_of(&self, code: u32) -> Option<UseLimit> {
        if code & OF_TRIGGER == 0 {
            return self.program.play(code)?.limit;
        }
        match &self.program.library.abilities.get((code & !OF_TRIGGER) as usize)?.kind {
            AbilityKind::Triggered { limit, .. } => *limit,
            _ => None,
        }
    }

    /// What a limit counts together with a use of an object by a player: the player (whoever it is, for one object), and a key.
    fn tally_key(&self, limit: UseLimit, object: ObjectRef, player: usize) -> (u32, u32) {
        match limit.key {
            UseLimitKey::Object => (0, object.0),
            // The name: the same in every zone, whatever face it shows; that of what it is a copy of.
            UseLimitKey::Name => (player as u32, super::derived::identity(&self.program, &self.state, object.slot())),
            UseLimitKey::Player => (player as u32, 0),
        }
    }

    fn find_tally(&self, code: u32, key: (u32, u32)) -> Option<usize> {
        let found = self
            .state
            .block
            .list(at::TALLIES)
            .chunks(TALLY_WORDS)
            .position(|tally| matches!(tally, &[other, seat, of, ..] if other == code && (seat, of) == key));
        found.map(|index| index * TALLY_WORDS)
    }

    /// Whether a player has used something as often as its limit allows.
    pub(crate) fn limit_reached(&self, code: u32, object: ObjectRef, player: usize) -> bool {
        let Some(limit) = self.limit_of(code) else { return false };
        let found = self.find_tally(code, self.tally_key(limit, object, player));
        found.map_or(0, |at_tally| self.state.block.item(at::TALLIES, at_tally + 4)) >= limit.count
    }

    /// What is counted of an entry is decided as it is announced, before anything moves.
    pub(crate) fn record_use_key(&mut self, entry: Handle, code: u32, object: ObjectRef, player: usize) {
        if let Some(limit) = self.limit_of(code) {
            let (seat, key) = self.tally_key(limit, object, player);
            self.set(entry + ENTRY_TALLY, code);
            self.set(entry + ENTRY_TALLY + 1, seat);
            self.set(entry + ENTRY_TALLY + 2, key);
        }
    }

    /// Counts the use that an entry is.
    pub(crate) fn tally_entry(&mut self, entry: Handle) {
        let [code, seat, key] = [0, 1, 2].map(|word| self.word(entry + ENTRY_TALLY + word));
        self.add_tally(code, (seat, key));
    }

    /// Counts a use without entry.
    pub(crate) fn tally(&mut self, code: u32, object: ObjectRef, player: usize) {
        if let Some(limit) = self.limit_of(code) {
            self.add_tally(code, self.tally_key(limit, object, player));
        }
    }

    fn add_tally(&mut self, code: u32, key: (u32, u32)) {
        let Some(limit) = self.limit_of(code) else { return };
        match self.find_tally(code, key) {
            Some(found) => {
                let count = self.state.block.item(at::TALLIES, found + 4);
                self.state.block.overwrite(at::TALLIES, found + 4, &[count.saturating_add(1)]);
            }
            None => self.state.block.extend(at::TALLIES, &[code, key.0, key.1, limit.span.0, 1]),
        }
    }

    /// Takes back the count of what an object on the list is a use of.
    pub(crate) fn refund(&mut self, object: ObjectRef) {
        let entry = self.state.column(object.slot(), at::ENTRY) as usize;
        if !self.state.exists(object) || entry == 0 {
            return;
        }
        let [code, seat, key] = [0, 1, 2].map(|word| self.word(entry + ENTRY_TALLY + word));
        if let Some(found) = self.limit_of(code).and_then(|_| self.find_tally(code, (seat, key))) {
            let count = self.state.block.item(at::TALLIES, found + 4);
            self.state.block.overwrite(at::TALLIES, found + 4, &[count.saturating_sub(1)]);
        }
    }

    /// What was counted in a span is forgotten as it ends.
    pub(crate) fn forget_tallies(&mut self, span: u32) {
        self.keep_tallies(|_, [_, _, _, of, _]| of != span);
    }

    /// How often one object was used is forgotten.
    pub(crate) fn forget_uses(&mut self, object: ObjectRef) {
        let is_of = |machine: &Self, code, key| {
            key == object.0 && machine.limit_of(code).is_some_and(|limit| limit.key == UseLimitKey::Object)
        };
        self.keep_tallies(|machine, [code, _, key, ..]| !is_of(machine, code, key));
    }

    fn keep_tallies(&mut self, keep: impl Fn(&Self, [u32; TALLY_WORDS]) -> bool) {
        let tallies = self.state.block.list(at::TALLIES).as_chunks::<TALLY_WORDS>().0;
        let left: Vec<u32> = tallies.iter().filter(|tally| keep(self, **tally)).flatten().copied().collect();
        if left.len() != self.state.block.len(at::TALLIES) {
            self.state.block.replace(at::TALLIES, &left);
        }
    }
}
