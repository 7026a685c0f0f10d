//! Usage limits: counts how often an object, a name or a player has used something in an open period (`limit N per …`).

use crate::ir::ObjectRef;
use crate::ir::{AbilityKind, UseLimit, UseLimitKey};
use crate::records::ENTRY_USE_KEY;
use crate::records::{TRIGGER_CODE, USE_COUNT_WORDS};
use crate::state::block::Handle;
use crate::state::layout as at;
use crate::vm::machine::Machine;

impl Machine {
    /// Returns the usage limit of a code.
    fn limit_of(&self, code: u32) -> Option<UseLimit> {
        if code & TRIGGER_CODE == 0 {
            return self.program.play(code)?.limit;
        }
        match &self.program.library.abilities.get((code & !TRIGGER_CODE) as usize)?.kind {
            AbilityKind::Triggered { limit, .. } => *limit,
            _ => None,
        }
    }

    /// Returns the seat and the key under which a limit counts a use. Uses of one object count together for all players, with
    /// seat 0.
    fn use_key(&self, limit: UseLimit, object: ObjectRef, player: usize) -> (u32, u32) {
        match limit.key {
            UseLimitKey::Object => (0, object.0),
            // The name of the object is the same in every zone and with every face; a copy has the name of what it copies.
            UseLimitKey::Name => (player as u32, super::derived::naming_definition(&self.program, &self.state, object.slot())),
            UseLimitKey::Player => (player as u32, 0),
        }
    }

    fn find_use_count(&self, code: u32, key: (u32, u32)) -> Option<usize> {
        let found = self
            .state
            .block
            .list(at::USAGE_COUNTS)
            .chunks(USE_COUNT_WORDS)
            .position(|tally| matches!(tally, &[other, seat, of, ..] if other == code && (seat, of) == key));
        found.map(|index| index * USE_COUNT_WORDS)
    }

    /// Returns whether a player has used something as often as its limit allows.
    pub(crate) fn limit_reached(&self, code: u32, object: ObjectRef, player: usize) -> bool {
        let Some(limit) = self.limit_of(code) else { return false };
        let found = self.find_use_count(code, self.use_key(limit, object, player));
        found.map_or(0, |at_tally| self.state.block.item(at::USAGE_COUNTS, at_tally + 4)) >= limit.count
    }

    /// Records under which key an entry will be counted. Called on announcement, before anything moves.
    pub(crate) fn record_use_key(&mut self, entry: Handle, code: u32, object: ObjectRef, player: usize) {
        if let Some(limit) = self.limit_of(code) {
            let (seat, key) = self.use_key(limit, object, player);
            self.set(entry + ENTRY_USE_KEY, code);
            self.set(entry + ENTRY_USE_KEY + 1, seat);
            self.set(entry + ENTRY_USE_KEY + 2, key);
        }
    }

    /// Counts the use of an entry.
    pub(crate) fn count_entry_use(&mut self, entry: Handle) {
        let [code, seat, key] = [0, 1, 2].map(|word| self.word(entry + ENTRY_USE_KEY + word));
        self.add_use(code, (seat, key));
    }

    /// Counts a use without an entry.
    pub(crate) fn count_use(&mut self, code: u32, object: ObjectRef, player: usize) {
        if let Some(limit) = self.limit_of(code) {
            self.add_use(code, self.use_key(limit, object, player));
        }
    }

    fn add_use(&mut self, code: u32, key: (u32, u32)) {
        let Some(limit) = self.limit_of(code) else { return };
        match self.find_use_count(code, key) {
            Some(found) => {
                let count = self.state.block.item(at::USAGE_COUNTS, found + 4);
                self.state.block.overwrite(at::USAGE_COUNTS, found + 4, &[count.saturating_add(1)]);
            }
            None => self.state.block.extend(at::USAGE_COUNTS, &[code, key.0, key.1, limit.period.0, 1]),
        }
    }

    /// Undoes the count of an object's use, while it is on the list.
    pub(crate) fn refund(&mut self, object: ObjectRef) {
        let entry = self.state.column(object.slot(), at::ENTRY) as usize;
        if !self.state.exists(object) || entry == 0 {
            return;
        }
        let [code, seat, key] = [0, 1, 2].map(|word| self.word(entry + ENTRY_USE_KEY + word));
        if let Some(found) = self.limit_of(code).and_then(|_| self.find_use_count(code, (seat, key))) {
            let count = self.state.block.item(at::USAGE_COUNTS, found + 4);
            self.state.block.overwrite(at::USAGE_COUNTS, found + 4, &[count.saturating_sub(1)]);
        }
    }

    /// Deletes the counts of a period that ends.
    pub(crate) fn delete_period_counts(&mut self, span: u32) {
        self.retain_counts(|_, [_, _, _, of, _]| of != span);
    }

    /// Deletes the counts of one object's uses.
    pub(crate) fn delete_object_counts(&mut self, object: ObjectRef) {
        let is_of = |machine: &Self, code, key| {
            key == object.0 && machine.limit_of(code).is_some_and(|limit| limit.key == UseLimitKey::Object)
        };
        self.retain_counts(|machine, [code, _, key, ..]| !is_of(machine, code, key));
    }

    fn retain_counts(&mut self, keep: impl Fn(&Self, [u32; USE_COUNT_WORDS]) -> bool) {
        let tallies = self.state.block.list(at::USAGE_COUNTS).as_chunks::<USE_COUNT_WORDS>().0;
        let left: Vec<u32> = tallies.iter().filter(|tally| keep(self, **tally)).flatten().copied().collect();
        if left.len() != self.state.block.len(at::USAGE_COUNTS) {
            self.state.block.replace(at::USAGE_COUNTS, &left);
        }
    }
}
