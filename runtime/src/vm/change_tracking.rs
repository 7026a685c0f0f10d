//! Change tracking: records every change of the state, and marks the state rules dirty that read what changed.
//!
//! Each mutation calls one `record_…` function, which bumps the revisions of the affected dependencies and sets bits in the
//! change masks. [`Machine::dirty_rules`] turns these masks into dirty bits of rules. All masks are part of the state, so that a
//! copy of a game continues exactly as the original does. A rule is clean after it ran without executing a statement, or after its
//! idle check ([`StateRule::acts`](crate::ir::StateRule::acts)) returned false; a rule that
//! proposed or asked something stays dirty, because its effect may depend on anything. Rules from number 31 on share a bit.

use super::dependencies::DepSet;
use crate::ir::ObjectRef;
use crate::ir::Place;
use crate::read_mask::ReadMask;
use crate::state::layout as at;
use crate::vm::machine::Machine;
use std::sync::Arc;

/// Words of one mask in [`at::CHANGES_SINCE_CHECK`]. There are three: statuses, player variables, variables of the game.
const MASK_WORDS: usize = 4;
/// The word of the bits below.
const CHANGE_KINDS: usize = at::CHANGES_SINCE_CHECK + 3 * MASK_WORDS;
/// The word of the zone kinds between which objects moved.
const MOVED_ZONES: usize = CHANGE_KINDS + 1;
/// A period began or ended.
const PERIOD_BOUNDARY: u32 = 1;
/// Something else changed: every rule becomes dirty.
const UNKNOWN_CHANGE: u32 = 2;
/// An event was committed: rules whose reads are unbounded become dirty.
const EVENT_COMMITTED: u32 = 4;
/// The turn or the active player changed.
const TURN_CHANGE: u32 = 8;
/// At the last check, a moved object could change other objects through continuous effects. A check sets or clears this bit, and
/// clears all others.
const WIDE_EFFECTS: u32 = 16;

/// The bit of a state rule in the dirty mask.
pub(crate) fn rule_bit(rule: usize) -> u32 {
    1 << rule.min(31)
}

impl Machine {
    /// Records a change that may affect anything.
    pub(crate) fn record_change(&mut self) {
        self.mark_everything_dirty();
        self.count_commit();
    }

    /// Records a change of which pure code can read only objects and their derived values.
    pub(crate) fn record_object_change(&mut self) {
        self.mark_objects_dirty();
        self.count_commit();
    }

    /// Records that a status of an object, or a variable of a player or of the game, was written, and nothing else.
    pub(crate) fn record_write(&mut self, place: Place, of: i64) {
        if let Place::Status(n) = place {
            self.derived.record_status_change(ObjectRef::from_value(of).slot(), n);
        }
        self.mark_place_dirty(place);
        self.count_commit();
    }

    /// Records that an object moved between zones of the kinds in a mask, and that nothing else changed.
    pub(crate) fn record_move(&mut self, kinds: u32) {
        self.derived.bump_revisions(DepSet::OBJECTS);
        self.set(CHANGE_KINDS, self.word(CHANGE_KINDS) | EVENT_COMMITTED);
        self.set(MOVED_ZONES, self.word(MOVED_ZONES) | kinds);
        self.count_commit();
    }

    /// Records an event that changes nothing by itself.
    pub(crate) fn record_event(&mut self) {
        self.derived.bump_revisions(DepSet::NONE);
        self.set(CHANGE_KINDS, self.word(CHANGE_KINDS) | EVENT_COMMITTED);
        self.count_commit();
    }

    /// Records an event of the machine that no ability observes. State triggers are still checked.
    pub(crate) fn record_unobserved_event(&mut self) {
        self.record_event();
        self.find_state_triggers();
    }

    /// Records that a period began or ended. State rules and continuous effects may read the open periods.
    pub(crate) fn record_period_boundary(&mut self) {
        self.record_turn_position_change(PERIOD_BOUNDARY, |effects| effects.periods);
    }

    /// Records that the turn or the active player changed.
    pub(crate) fn record_turn_change(&mut self) {
        self.record_turn_position_change(TURN_CHANGE, |effects| effects.turn);
    }

    fn record_turn_position_change(&mut self, kind: u32, matters: impl Fn(&ReadMask) -> bool) {
        let effects = self.derived.effect_reads();
        if effects.all || matters(&effects) {
            self.derived.mark_effects_dirty();
        }
        self.derived.bump_revisions(DepSet::TURN_POSITION);
        self.set(CHANGE_KINDS, self.word(CHANGE_KINDS) | kind);
        self.count_commit();
    }

    fn count_commit(&mut self) {
        self.keep_rule_dirty();
        let count = self.word(at::COMMIT_COUNT);
        self.set(at::COMMIT_COUNT, count.wrapping_add(1));
    }

    /// Marks everything as changed, without counting a commit.
    pub(crate) fn mark_everything_dirty(&mut self) {
        self.derived.bump_revisions(DepSet::UNKNOWN);
        self.set(CHANGE_KINDS, self.word(CHANGE_KINDS) | UNKNOWN_CHANGE);
    }

    /// As [`Machine::mark_everything_dirty`], for a change of which pure code can read only objects and their derived values.
    pub(crate) fn mark_objects_dirty(&mut self) {
        self.derived.bump_revisions(DepSet::OBJECTS);
        self.set(CHANGE_KINDS, self.word(CHANGE_KINDS) | UNKNOWN_CHANGE);
    }

    /// Marks a place as changed, without counting a commit.
    pub(crate) fn mark_place_dirty(&mut self, place: Place) {
        self.derived.bump_revisions(DepSet::of(place));
        let (mask, n) = match place {
            Place::Status(n) => (0, n),
            Place::Player(n) => (1, n),
            Place::Global(n) => (2, n),
            _ => (3, u16::MAX),
        };
        if mask == 3 {
            self.mark_everything_dirty();
            return;
        }
        // Places from number 127 on share a bit, as in `ReadMask`.
        let n = usize::from(n.min(127));
        let word = at::CHANGES_SINCE_CHECK + mask * MASK_WORDS + n / 32;
        self.set(word, self.word(word) | 1 << (n % 32));
    }

    /// Returns the mask of dirty state rules, after taking in the changes since the last check.
    pub(crate) fn dirty_rules(&mut self) -> u32 {
        if self.scratch.reference_mode {
            return u32::MAX;
        }
        let kinds = self.word(CHANGE_KINDS);
        let mask = |n: usize| {
            (0..MASK_WORDS)
                .rev()
                .fold(0u128, |all, word| all << 32 | u128::from(self.word(at::CHANGES_SINCE_CHECK + n * MASK_WORDS + word)))
        };
        let (statuses, players, globals) = (mask(0), mask(1), mask(2));
        let written = statuses | players | globals != 0;
        let mut dirty = self.word(at::DIRTY_RULES);
        if kinds & !WIDE_EFFECTS == 0 && !written {
            return dirty;
        }
        self.derived.refresh(&self.program, &self.state, &mut self.scratch);
        // What continuous effects read may change everything that they write.
        let effects = self.derived.effect_reads();
        let timely = |reads: &ReadMask| kinds & PERIOD_BOUNDARY != 0 && reads.periods || kinds & TURN_CHANGE != 0 && reads.turn;
        let moved = self.word(MOVED_ZONES);
        // A moved object may start or end continuous effects.
        let wide = !self.derived.changes_are_local();
        let moves_matter = moved != 0 && effects.reads_moves(moved) && (wide || kinds & WIDE_EFFECTS != 0);
        if kinds & UNKNOWN_CHANGE != 0 || moves_matter || effects.intersects(statuses, players, globals) || timely(&effects) {
            dirty = u32::MAX;
        } else {
            for (rule, reads) in self.program.state_rule_reads.iter().enumerate() {
                let moves = moved != 0 && reads.reads_moves(moved);
                let forbidden = reads.queries_legality && self.derived.forbids();
                if reads.intersects(statuses, players, globals) || timely(reads) || moves || forbidden {
                    dirty |= rule_bit(rule);
                }
            }
        }
        (0..at::CHANGES_WORDS).for_each(|word| self.set(at::CHANGES_SINCE_CHECK + word, 0));
        self.set(CHANGE_KINDS, if wide { WIDE_EFFECTS } else { 0 });
        self.set(at::DIRTY_RULES, dirty);
        dirty
    }

    /// Returns the next dirty state rule from number `rule` on.
    pub(crate) fn next_dirty_rule(&mut self, rule: usize) -> Option<usize> {
        let dirty = self.dirty_rules();
        let acts = |rule: &usize| self.scratch.reference_mode || !self.program.specialized.is_dead_rule(*rule);
        (rule..self.program.format.state_rules.len()).find(|rule| dirty & rule_bit(*rule) != 0 && acts(rule))
    }

    /// Returns the next dirty state rule from number `rule` on that would do something. Those before it that would not become
    /// clean. Reference mode runs the bodies of all rules instead.
    pub(crate) fn next_acting_rule(&mut self, mut rule: usize) -> Option<usize> {
        let program = Arc::clone(&self.program);
        loop {
            rule = self.next_dirty_rule(rule)?;
            let acts = program.format.state_rules.get(rule)?.acts.filter(|_| !self.scratch.reference_mode);
            if acts.is_some_and(|acts| self.is_rule_idle(rule, acts)) {
                self.mark_rule_clean(rule);
                rule += 1;
                continue;
            }
            let before = self.scratch.fuel;
            if acts.is_none_or(|acts| self.test(acts, &[0, self.state.active() as i64])) {
                // The body computes the same again.
                self.scratch.fuel = before;
                return Some(rule);
            }
            self.mark_rule_clean(rule);
            rule += 1;
        }
    }

    /// A state rule begins: it becomes clean, until it executes a statement or something that it reads changes.
    pub(crate) fn begin_rule(&mut self, rule: usize) {
        self.mark_rule_clean(rule);
        self.set(at::RUNNING_RULE, rule_bit(rule));
    }

    fn mark_rule_clean(&mut self, rule: usize) {
        // Rules that share a bit stay dirty.
        let has_own_bit = rule < 31 || self.program.format.state_rules.len() <= 32;
        if has_own_bit {
            self.set(at::DIRTY_RULES, self.word(at::DIRTY_RULES) & !rule_bit(rule));
        }
    }

    /// No state rule is evaluated any more. Rules that proposed something stay dirty; their bodies continue in lockstep.
    pub(crate) fn end_rules(&mut self) {
        self.set(at::RUNNING_RULE, 0);
    }

    /// Marks the running state rule, if any, dirty again, because it executes a statement.
    pub(crate) fn keep_rule_dirty(&mut self) {
        let running = self.word(at::RUNNING_RULE);
        if running != 0 {
            self.set(at::DIRTY_RULES, self.word(at::DIRTY_RULES) | running);
        }
    }
}
