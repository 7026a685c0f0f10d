//! Which state rules may have something to do: those that look at what was written since they last had nothing to do.
//!
//! The masks are part of the state, so that a copy goes on as its original does. A rule that got as far as proposing or asking something
//! stays due: what came of it may hang on anything.

use super::Machine;
use super::dependencies::DepSet;
use crate::ir::Place;
use crate::read_mask::ReadMask;
use crate::state::{ObjectRef, layout as at};

/// Words of a mask in [`at::CHANGES_SINCE_CHECK`].
const WORDS: usize = 4;
/// The word of the bits below.
const KINDS: usize = at::CHANGES_SINCE_CHECK + 3 * WORDS;
/// The word of the kinds of zones.
const MOVED: usize = KINDS + 1;
/// A span began or ended.
const SPAN: u32 = 1;
/// Something else happened: every rule is due.
const ANYTHING: u32 = 2;
/// An event happened: rules are due of which nothing is known but that they look at something.
const EVENT: u32 = 4;
/// Another turn came, or another player has it.
const TURN: u32 = 8;
/// When this was last looked at, what moved could change other objects by continuous effects. This alone is not forgotten then.
const WIDE: u32 = 16;

/// The bit of a state rule.
pub(crate) fn bit(rule: usize) -> u32 {
    1 << rule.min(31)
}

impl Machine {
    /// Counts that something changed.
    pub(crate) fn record_change(&mut self) {
        self.mark_everything_dirty();
        self.count_commit();
    }

    /// Counts that something changed, of which pure code sees no more than objects and their values.
    pub(crate) fn record_object_change(&mut self) {
        self.mark_objects_dirty();
        self.count_commit();
    }

    /// Counts that a status of an object, or a variable of a player or the game, changed, and nothing else.
    pub(crate) fn record_write(&mut self, place: Place, of: i64) {
        if let Place::Status(n) = place {
            self.derived.status_changes(ObjectRef::from_value(of).slot(), n);
        }
        self.mark_place_dirty(place);
        self.count_commit();
    }

    /// Counts that an object moved between zones of these kinds, a bit for each, and that nothing else changed by it.
    pub(crate) fn record_move(&mut self, kinds: u32) {
        self.derived.changed(DepSet::OBJECTS);
        self.set(KINDS, self.word(KINDS) | EVENT);
        self.set(MOVED, self.word(MOVED) | kinds);
        self.count_commit();
    }

    /// Counts that an event happened that does nothing by itself.
    pub(crate) fn record_event(&mut self) {
        self.derived.changed(DepSet::NONE);
        self.set(KINDS, self.word(KINDS) | EVENT);
        self.count_commit();
    }

    /// Counts an event of the machine itself at which nobody looks: what triggers as soon as something holds is looked for all the same.
    pub(crate) fn record_unobserved_event(&mut self) {
        self.record_event();
        self.find_state_triggers();
    }

    /// Counts that a span began or ended. Conditions may ask for it: state rules and continuous effects are looked at again.
    pub(crate) fn record_period_boundary(&mut self) {
        self.time_passed(SPAN, |effects| effects.spans);
    }

    /// Counts that another turn came, or that another player has it.
    pub(crate) fn record_turn_change(&mut self) {
        self.time_passed(TURN, |effects| effects.turn);
    }

    fn time_passed(&mut self, kind: u32, matters: impl Fn(&ReadMask) -> bool) {
        let effects = self.derived.watch();
        if effects.all || matters(&effects) {
            self.derived.effects_changed();
        }
        self.derived.changed(DepSet::TURN_POSITION);
        self.set(KINDS, self.word(KINDS) | kind);
        self.count_commit();
    }

    fn count_commit(&mut self) {
        self.keep_rule_dirty();
        let count = self.word(at::COMMITTED);
        self.set(at::COMMITTED, count.wrapping_add(1));
    }

    /// Notes that anything may have changed, without counting it.
    pub(crate) fn mark_everything_dirty(&mut self) {
        self.derived.changed(DepSet::UNKNOWN);
        self.set(KINDS, self.word(KINDS) | ANYTHING);
    }

    /// As [`Machine::mark_everything_dirty`], where pure code sees no more of it than objects and their values.
    pub(crate) fn mark_objects_dirty(&mut self) {
        self.derived.changed(DepSet::OBJECTS);
        self.set(KINDS, self.word(KINDS) | ANYTHING);
    }

    /// Notes a change of a place, without counting it.
    pub(crate) fn mark_place_dirty(&mut self, place: Place) {
        self.derived.changed(DepSet::of(place));
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
        // Those from 127 on share a bit, as in `Watch`.
        let n = usize::from(n.min(127));
        let word = at::CHANGES_SINCE_CHECK + mask * WORDS + n / 32;
        self.set(word, self.word(word) | 1 << (n % 32));
    }

    /// The state rules that may have something to do, what was written meanwhile included.
    pub(crate) fn dirty_rules(&mut self) -> u32 {
        if self.scratch.reference_mode {
            return u32::MAX;
        }
        let kinds = self.word(KINDS);
        let mask = |n: usize| {
            (0..WORDS)
                .rev()
                .fold(0u128, |all, word| all << 32 | u128::from(self.word(at::CHANGES_SINCE_CHECK + n * WORDS + word)))
        };
        let (statuses, players, globals) = (mask(0), mask(1), mask(2));
        let written = statuses | players | globals != 0;
        let mut due = self.word(at::DIRTY_RULES);
        if kinds & !WIDE == 0 && !written {
            return due;
        }
        self.derived.refresh(&self.program, &self.state, &mut self.scratch);
        // What continuous effects look at may change whatever they change.
        let effects = self.derived.watch();
        let timely = |watch: &ReadMask| kinds & SPAN != 0 && watch.spans || kinds & TURN != 0 && watch.turn;
        let moved = self.word(MOVED);
        // What moved may have put effects into force, or an end to them.
        let wide = !self.derived.changes_are_local();
        let moves_matter = moved != 0 && effects.reads_moves(moved) && (wide || kinds & WIDE != 0);
        if kinds & ANYTHING != 0 || moves_matter || effects.meets(statuses, players, globals) || timely(&effects) {
            due = u32::MAX;
        } else {
            for (rule, watch) in self.program.state_rule_reads.iter().enumerate() {
                let moves = moved != 0 && watch.reads_moves(moved);
                let forbidden = watch.possible && self.derived.forbids();
                if watch.meets(statuses, players, globals) || timely(watch) || moves || forbidden {
                    due |= bit(rule);
                }
            }
        }
        (0..at::WRITTEN_WORDS).for_each(|word| self.set(at::CHANGES_SINCE_CHECK + word, 0));
        self.set(KINDS, if wide { WIDE } else { 0 });
        self.set(at::DIRTY_RULES, due);
        due
    }

    /// The next state rule from `rule` on that may have something to do.
    pub(crate) fn next_dirty_rule(&mut self, rule: usize) -> Option<usize> {
        let due = self.dirty_rules();
        let acts = |rule: &usize| self.scratch.reference_mode || !self.program.specialized.is_idle_rule(*rule);
        (rule..self.program.format.state_rules.len()).find(|rule| due & bit(*rule) != 0 && acts(rule))
    }

    /// A state rule begins: it is due no more, unless it does something or something happens.
    pub(crate) fn begin_rule(&mut self, rule: usize) {
        // Those that share a bit stay due.
        let lone = rule < 31 || self.program.format.state_rules.len() <= 32;
        if lone {
            self.set(at::DIRTY_RULES, self.word(at::DIRTY_RULES) & !bit(rule));
        }
        self.set(at::RUNNING, bit(rule));
    }

    /// No state rule is being asked any more. Those that proposed something stay due; their bodies go on in step.
    pub(crate) fn end_rules(&mut self) {
        self.set(at::RUNNING, 0);
    }

    /// What is under way does, proposes or asks something: if it is a state rule, it stays due.
    pub(crate) fn keep_rule_dirty(&mut self) {
        let running = self.word(at::RUNNING);
        if running != 0 {
            self.set(at::DIRTY_RULES, self.word(at::DIRTY_RULES) | running);
        }
    }
}
