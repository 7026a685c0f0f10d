//! Tallies: how often what has a limit was used in a span that is still open.

use super::Machine;
use super::announce::{ENTRY_KIND, ENTRY_PLAY, ENTRY_SOURCE, ENTRY_USER, entry_kind};
use crate::ir::{AbilityKind, Limit, LimitKey};
use crate::state::{Ref, layout as at};

/// Words of a tally: code, seat, key, span, count.
pub const TALLY_WORDS: usize = 5;

/// The codes of triggers have this bit; others are codes of plays.
pub const OF_TRIGGER: u32 = 1 << 31;

impl Machine {
    /// The limit of what a code stands for.
    fn limit_of(&self, code: u32) -> Option<Limit> {
        if code & OF_TRIGGER == 0 {
            return self.program.play(code)?.limit;
        }
        match &self.program.library.abilities.get((code & !OF_TRIGGER) as usize)?.kind {
            AbilityKind::Triggered { limit, .. } => *limit,
            _ => None,
        }
    }

    fn tally_key(&mut self, limit: Limit, object: Ref) -> u32 {
        match limit.key {
            LimitKey::Object => object.0,
            LimitKey::Name => {
                let (world, _) = self.world();
                world.definition(object).unwrap_or(0)
            }
            LimitKey::Player => 0,
        }
    }

    fn find_tally(&self, code: u32, player: usize, key: u32) -> Option<usize> {
        let found =
            self.state.block.list(at::TALLIES).chunks(TALLY_WORDS).position(
                |tally| matches!(tally, &[other, seat, of, ..] if other == code && seat as usize == player && of == key),
            );
        found.map(|index| index * TALLY_WORDS)
    }

    /// Whether a player has used something as often as its limit allows.
    pub(crate) fn is_used_up(&mut self, code: u32, object: Ref, player: usize) -> bool {
        let Some(limit) = self.limit_of(code) else { return false };
        let key = self.tally_key(limit, object);
        let used = self.find_tally(code, player, key).map_or(0, |at_tally| self.state.block.item(at::TALLIES, at_tally + 4));
        used >= limit.count
    }

    /// Counts a use.
    pub(crate) fn tally(&mut self, code: u32, object: Ref, player: usize) {
        let Some(limit) = self.limit_of(code) else { return };
        let key = self.tally_key(limit, object);
        match self.find_tally(code, player, key) {
            Some(found) => {
                let count = self.state.block.item(at::TALLIES, found + 4);
                self.state.block.overwrite(at::TALLIES, found + 4, &[count.saturating_add(1)]);
            }
            None => self.state.block.extend(at::TALLIES, &[code, player as u32, key, limit.span.0, 1]),
        }
    }

    /// Takes back the count of what an object on the list is a use of.
    pub(crate) fn refund(&mut self, object: Ref) {
        let entry = self.state.column(object.slot(), at::ENTRY) as usize;
        if !self.state.exists(object) || entry == 0 {
            return;
        }
        let code = self.word(entry + ENTRY_PLAY);
        let code = if self.word(entry + ENTRY_KIND) == entry_kind::TRIGGER { code | OF_TRIGGER } else { code };
        let (source, player) = (Ref(self.word(entry + ENTRY_SOURCE)), self.word(entry + ENTRY_USER) as usize);
        let Some(limit) = self.limit_of(code) else { return };
        let key = self.tally_key(limit, source);
        if let Some(found) = self.find_tally(code, player, key) {
            let count = self.state.block.item(at::TALLIES, found + 4);
            self.state.block.overwrite(at::TALLIES, found + 4, &[count.saturating_sub(1)]);
        }
    }

    /// What was counted in a span is forgotten as it ends.
    pub(crate) fn forget_tallies(&mut self, span: u32) {
        let left: Vec<u32> = self
            .state
            .block
            .list(at::TALLIES)
            .chunks(TALLY_WORDS)
            .filter(|tally| tally.get(3) != Some(&span))
            .flatten()
            .copied()
            .collect();
        if left.len() != self.state.block.len(at::TALLIES) {
            self.state.block.replace(at::TALLIES, &left);
        }
    }
}
