//! The game and its turns (CR 500). The plan of a turn is data, so that periods can be inserted, skipped, repeated and ended.

use crate::ir::ObjectRef;
use crate::ir::op::WriteMode;
use crate::ir::verbs::{BEGIN, FINISH};
use crate::ir::{FnId, NO_PLAYER, PeriodEntry, Place, cause, zone_bit};
use crate::program::Program;
use crate::records::frame::{FrameKind, KIND, body, game, kind, turn};
use crate::state::block::Handle;
use crate::state::layout as at;
use crate::vm::commit_segment::EffectContext;
use crate::vm::machine::Machine;
use std::sync::Arc;

/// Kinds of plan entries; each is followed by a number.
mod plan {
    /// A period begins.
    pub const PERIOD: u32 = 1;
    /// A period ends.
    pub const END: u32 = 2;
    /// A repetition: the number is `period * 4096 + entry`.
    pub const REPEAT: u32 = 3;
    /// A period begins, and the periods around it are opened without their statements.
    pub const ENTER: u32 = 4;
}

/// Set in the word of the period that is being ended: the number is the period with which the turn continues.
const SKIP_TO: u32 = 1 << 31;

/// Number of bits for the player in an entry of the extra turns; the bits above hold its number.
const SEAT_BITS: u32 = 8;

impl Machine {
    pub(crate) fn resume_game(&mut self, frame: Handle) {
        match self.word(frame + game::PHASE) {
            0 => {
                self.set(frame + game::PHASE, 1);
                if let Some(setup) = self.program.format.setup {
                    let active = self.state.active() as i64;
                    self.push_body(setup, &[0, active], EffectContext { player: active, ..EffectContext::default() });
                }
            }
            _ => {
                let turn = self.state.turn();
                if turn > 0 {
                    let next = self.next_turn_player();
                    self.set(at::ACTIVE_PLAYER, next as u32);
                    if self.program.list.is_none_or(|l| self.state.zone_items(&self.program, l).is_empty())
                        && self.state.block.len(at::PENDING_TRIGGERS) == 0
                    {
                        self.clear_last_known();
                        self.remove_dead_effects();
                    }
                }
                if turn == 0 {
                    self.set(at::FIRST_PLAYER, self.word(at::ACTIVE_PLAYER));
                }
                self.set(at::TURN, turn + 1);
                self.record_turn_change();
                self.set(at::TURN_DECISIONS, 0);
                // A loop recurs within a turn, since turns are counted in the state.
                self.set(at::FORCED_DECISIONS, 0);
                self.push_frame(kind::TURN, turn::WORDS);
                let start = self.word(at::START_PERIOD);
                if turn == 0 && start != 0 {
                    self.set(at::START_PERIOD, 0);
                    self.plan_from(start, false);
                } else {
                    self.state.block.extend(at::PLAN, &[plan::PERIOD, 0]);
                }
            }
        }
    }

    /// Makes a player the active one before the first turn, which is then that player's.
    pub(crate) fn set_active_player(&mut self, player: usize) {
        if self.state.turn() == 0 {
            self.set(at::ACTIVE_PLAYER, player as u32);
            self.record_turn_change();
        }
    }

    /// The next player in turn order who has not lost.
    pub(crate) fn next_in_play(&self, player: usize) -> usize {
        let n = self.program.players();
        (1..=n).map(|i| (player + i) % n).find(|seat| !self.state.has_lost(*seat)).unwrap_or(player)
    }

    /// Inserts an extra turn after this one, and returns its unique number. Below the first extra turn, the list holds the player
    /// after whom the regular order continues.
    pub(crate) fn extra_turn(&mut self, player: u32) -> u32 {
        if self.state.block.list(at::EXTRA_TURNS).is_empty() {
            let regular = self.state.active() + self.program.players();
            self.state.block.push(at::EXTRA_TURNS, regular as u32);
        }
        let number = self.word(at::EXTRA_TURN_COUNT).wrapping_add(1);
        self.set(at::EXTRA_TURN_COUNT, number);
        self.state.block.push(at::EXTRA_TURNS, player | number << SEAT_BITS);
        number
    }

    /// Returns whose turn comes next: the latest extra turn, else the player after the one with the last regular turn (CR 500.7).
    fn next_turn_player(&mut self) -> usize {
        let n = self.program.players();
        let mut active = self.state.active();
        self.set(at::EXTRA_TURN_NUMBER, 0);
        while let Some(entry) = self.state.block.pop(at::EXTRA_TURNS) {
            let player = (entry & ((1 << SEAT_BITS) - 1)) as usize;
            if player >= n {
                active = player % n;
            } else if !self.state.has_lost(player) {
                self.set(at::EXTRA_TURN_NUMBER, entry >> SEAT_BITS);
                return player;
            }
        }
        let next = self.next_in_play(active);
        // CR 800.4k: effects that last until the next turn of a player who left end when that turn would have begun.
        for seat in (1..n).map(|i| (active + i) % n).take_while(|seat| *seat != next) {
            self.end_by_missed_turn(seat);
        }
        next
    }

    /// Opens the periods around a period without their statements, and plans the turn from it on. `within`: the turn is open
    /// already, and the rest of its plan stays.
    fn plan_from(&mut self, span: u32, within: bool) {
        let program = Arc::clone(&self.program);
        let mut path = vec![span];
        while let Some(parent) = path.first().copied().filter(|s| *s != 0).and_then(|s| program.format.periods.get(s as usize)) {
            path.insert(0, parent.parent.0);
        }
        for (depth, pair) in path.windows(2).enumerate() {
            let &[outer, inner] = pair else { continue };
            if within && outer == 0 {
                if path.len() == 2 {
                    self.state.block.extend(at::PLAN, &[plan::PERIOD, inner]);
                }
                continue;
            }
            // All periods but the innermost are open already: only what follows them is planned.
            let opened = usize::from(depth + 2 < path.len());
            self.state.block.push(at::OPEN_PERIODS, outer);
            self.record_period_boundary();
            self.state.block.extend(at::PLAN, &[plan::END, outer]);
            let entries = program.format.periods.get(outer as usize).map_or(&[][..], |s| s.entries.as_slice());
            let from = entries.iter().position(|e| contains_period(e, inner)).unwrap_or(0);
            for number in (from..entries.len()).rev() {
                match entries.get(number) {
                    Some(PeriodEntry::Repeat(_, children)) if number == from => {
                        self.state.block.extend(at::PLAN, &[plan::REPEAT, outer * 4096 + number as u32]);
                        let child = children.iter().position(|e| contains_period(e, inner)).unwrap_or(0);
                        self.plan_entries(outer, children.get(child + opened..).unwrap_or(&[]), None);
                    }
                    Some(PeriodEntry::Period(_)) if number == from && opened == 1 => {}
                    Some(entry) => self.plan_entries(outer, std::slice::from_ref(entry), Some(number)),
                    None => {}
                }
            }
        }
        if span == 0 {
            self.state.block.extend(at::PLAN, &[plan::PERIOD, 0]);
        }
    }

    /// Adds entries to the plan, the first one on top. `number` is the index of the first one in its period.
    fn plan_entries(&mut self, span: u32, entries: &[PeriodEntry], number: Option<usize>) {
        for (i, entry) in entries.iter().enumerate().rev() {
            match entry {
                PeriodEntry::Period(child) => self.state.block.extend(at::PLAN, &[plan::PERIOD, child.0]),
                PeriodEntry::Repeat(..) => {
                    let number = number.unwrap_or(0) + i;
                    self.state.block.extend(at::PLAN, &[plan::REPEAT, span * 4096 + number as u32]);
                }
            }
        }
    }

    pub(crate) fn resume_turn(&mut self, program: &Program, frame: Handle) {
        match self.word(frame + turn::PHASE) {
            0 => self.next_entry(program, frame),
            1 => self.run_blocks(frame, true),
            2 => {
                // The start blocks have run: the period's own statements are next, then its children.
                self.set(frame + turn::PHASE, 0);
                let span = self.word(frame + turn::PERIOD);
                let Some(it) = program.format.periods.get(span as usize) else { return };
                self.state.block.extend(at::PLAN, &[plan::END, span]);
                self.plan_entries(span, &it.entries, Some(0));
                if let Some(body) = it.body {
                    self.run_for_active(body);
                }
            }
            3 => self.run_blocks(frame, false),
            4 => {
                self.set(frame + turn::PHASE, 5);
                let span = self.word(frame + turn::PERIOD);
                self.propose_boundary(FINISH, span);
            }
            _ => {
                self.set(frame + turn::PHASE, 0);
                let span = self.word(frame + turn::PERIOD);
                self.close_period(program, span);
            }
        }
    }

    fn run_for_active(&mut self, body: FnId) {
        let active = self.state.active() as i64;
        self.push_body(body, &[0, active], EffectContext { player: active, ..EffectContext::default() });
    }

    fn next_entry(&mut self, program: &Program, frame: Handle) {
        let Some(number) = self.state.block.pop(at::PLAN) else {
            self.pop_frame();
            return;
        };
        let what = self.state.block.pop(at::PLAN).unwrap_or(0);
        match what {
            plan::PERIOD => {
                if self.cannot_begin(number) || self.is_skipped(number) {
                    return;
                }
                let condition = program.format.periods.get(number as usize).and_then(|s| s.condition);
                if !self.condition_holds(condition) {
                    return;
                }
                self.state.block.push(at::OPEN_PERIODS, number);
                self.record_period_boundary();
                self.set(frame + turn::PERIOD, number);
                self.set(frame + turn::BLOCK, 0);
                self.set(frame + turn::PHASE, 1);
                self.end_by_period(number, true);
                self.propose_boundary(BEGIN, number);
            }
            plan::ENTER => self.plan_from(number, true),
            plan::END => {
                self.set(frame + turn::PERIOD, number);
                self.set(frame + turn::BLOCK, 0);
                self.set(frame + turn::PHASE, 3);
            }
            _ => {
                let (span, entry) = (number / 4096, (number % 4096) as usize);
                let entries = program.format.periods.get(span as usize).map_or(&[][..], |s| s.entries.as_slice());
                if let Some(PeriodEntry::Repeat(condition, children)) = entries.get(entry)
                    && self.condition_holds(Some(*condition))
                {
                    self.state.block.extend(at::PLAN, &[plan::REPEAT, number]);
                    self.plan_entries(span, children, None);
                }
            }
        }
    }

    /// Proposes that a period begins or ends if anything could react, else only logs it.
    fn propose_boundary(&mut self, verb: u32, span: u32) {
        let active = self.state.active() as i64;
        let args = [i64::from(span), active];
        if self.period_has_observers(verb, span) {
            self.propose_alone(verb, &args, [cause::RULE, 0, active, NO_PLAYER]);
        } else {
            self.record_unobserved_event();
            self.record(|| crate::vm::machine::Record::Event {
                action: verb,
                args: args.to_vec(),
                cause: [cause::RULE, 0, active, NO_PLAYER],
                happened: true,
            });
        }
    }

    fn run_blocks(&mut self, frame: Handle, start: bool) {
        let span = self.word(frame + turn::PERIOD) as usize;
        let block = self.word(frame + turn::BLOCK) as usize;
        let next = self
            .program
            .format
            .periods
            .get(span)
            .and_then(|s| if start { s.at_start.get(block).copied() } else { s.at_end.get(block).copied() });
        match next {
            Some(body) => {
                self.set(frame + turn::BLOCK, block as u32 + 1);
                self.run_for_active(body);
            }
            None => self.set(frame + turn::PHASE, if start { 2 } else { 4 }),
        }
    }

    fn close_period(&mut self, program: &Program, span: u32) {
        self.end_by_period(span, false);
        self.empty_expiring_zones(program, span);
        let ending = program.expiring_places.get(span as usize).map_or(&[][..], Vec::as_slice);
        let mut matters = false;
        for place in ending.iter().copied() {
            if self.reset_place(program, place) {
                matters |= self.derived.is_place_read(place);
                self.mark_place_dirty(place);
            }
        }
        if matters {
            self.derived.mark_effects_dirty();
        }
        if self.state.block.list(at::OPEN_PERIODS).last() == Some(&span) {
            self.state.block.pop(at::OPEN_PERIODS);
        }
        self.record_period_boundary();
    }

    /// Deletes the objects in the zones whose contents end with a period. No event happens.
    fn empty_expiring_zones(&mut self, program: &Program, span: u32) {
        for kind in program.expiring_zones.get(span as usize).map_or(&[][..], Vec::as_slice) {
            let instances = (0..program.layout.instances).filter(|instance| program.layout.kind(*instance) == *kind);
            let objects: Vec<u32> = instances.flat_map(|instance| self.state.zone_items(program, instance)).copied().collect();
            for object in &objects {
                self.delete_object(ObjectRef(*object).slot());
            }
            if !objects.is_empty() {
                self.record_move(zone_bit(*kind));
            }
        }
    }

    /// Resets a place whose lifetime is over to its initial value. Returns whether it had another value.
    fn reset_place(&mut self, program: &Program, place: Place) -> bool {
        let library = &program.library;
        match place {
            Place::Global(n) => {
                let Some(variable) = library.globals.get(usize::from(n)) else { return false };
                let cell = program.layout.global(usize::from(n));
                let initial = if variable.ty.is_list() { 0 } else { variable.initial as u32 };
                let other = self.word(cell) != initial;
                if other && variable.ty.is_list() {
                    self.state.block.clear(cell);
                } else if other {
                    self.set(cell, initial);
                }
                other
            }
            Place::Player(n) => {
                let initial = library.player_variables.get(usize::from(n)).map_or(0, |variable| variable.initial as u32);
                let mut other = false;
                for cell in (0..program.players()).map(|player| program.layout.player(player, usize::from(n))) {
                    other |= self.word(cell) != initial;
                    self.set(cell, initial);
                }
                other
            }
            Place::Status(n) => {
                let Some(status) = library.statuses.get(usize::from(n)) else { return false };
                let column = at::STATUSES + usize::from(n);
                if status.conceals {
                    for slot in self.state.slots_with(column).collect::<Vec<_>>() {
                        if self.state.zone(slot).is_some() {
                            let it = self.state.current(slot);
                            self.write(place, it.value(), WriteMode::Set, i64::from(status.initial));
                        }
                    }
                    self.derived.mark_all_dirty();
                }
                let derived = &mut self.derived;
                // The caller records the change.
                self.state.reset_column(column, status.initial as u32, |slot| derived.record_status_change(slot, n))
            }
            _ => false,
        }
    }

    /// Returns whether something forbids a period to begin: it is skipped (CR 614.10), and effects that skip the next one stay.
    fn cannot_begin(&mut self, span: u32) -> bool {
        let active = self.state.active() as i64;
        let cause = [cause::RULE, 0, NO_PLAYER, NO_PLAYER];
        span != 0 && self.may_be_forbidden(BEGIN) && self.forbidden(BEGIN, &[i64::from(span), active], cause).is_some()
    }

    fn is_skipped(&mut self, span: u32) -> bool {
        let active = self.state.active() as u32;
        let index = self.state.block.list(at::SKIPS).chunks(2).position(|pair| pair == [span, active]);
        if let Some(index) = index {
            self.state.block.remove(at::SKIPS, index * 2);
            self.state.block.remove(at::SKIPS, index * 2);
        }
        index.is_some()
    }

    /// Inserts a period into the plan directly after the innermost open period with the same parent.
    pub(crate) fn insert_period(&mut self, span: u32) {
        let parent = self.program.format.periods.get(span as usize).map_or(0, |s| s.parent.0);
        let open = self.state.block.list(at::OPEN_PERIODS).to_vec();
        let after = open
            .iter()
            .rposition(|s| self.program.format.periods.get(*s as usize).is_some_and(|it| it.parent.0 == parent) && *s != 0);
        let end = after.and_then(|i| open.get(i)).copied();
        let words = self.state.block.list(at::PLAN).to_vec();
        self.charge_items(words.len());
        let at_pair = words.chunks(2).rposition(|pair| match (pair, end) {
            (&[kind, number], Some(sibling)) => kind == plan::END && number == sibling,
            (&[kind, number], None) => kind == plan::END && number == parent,
            _ => false,
        });
        // Below the end of its sibling, to come after it; or on top of its parent's plan.
        let at_word = at_pair.map_or(words.len(), |pair| if end.is_some() { pair * 2 } else { pair * 2 + 2 });
        self.state.block.insert(at::PLAN, at_word, span);
        self.state.block.insert(at::PLAN, at_word, plan::PERIOD);
    }

    /// Requests that a period ends immediately; this happens before the next frame is resumed.
    pub(crate) fn end_period(&mut self, span: u32) {
        if self.state.block.list(at::OPEN_PERIODS).contains(&span) {
            self.set(at::ENDING_PERIOD, span + 1);
        }
    }

    /// Requests that the open phase ends immediately and the turn continues with a period; this happens before the next frame is
    /// resumed.
    pub(crate) fn skip_to(&mut self, span: u32) {
        if span != 0 {
            self.set(at::ENDING_PERIOD, span | SKIP_TO);
        }
    }

    /// Unwinds to the turn: drops all work in progress and the objects on the list. The end of the period comes next.
    pub(crate) fn unwind(&mut self) {
        let ending = self.word(at::ENDING_PERIOD);
        let goal = (ending & SKIP_TO != 0).then_some(ending & !SKIP_TO);
        let span = match goal {
            Some(_) => self.state.block.list(at::OPEN_PERIODS).get(1).copied().unwrap_or(0),
            None => ending - 1,
        };
        self.set(at::ENDING_PERIOD, 0);
        while let Some(top) = self.state.top_frame() {
            if self.word(top + KIND) == kind::TURN {
                self.set(top + turn::PHASE, 0);
                break;
            }
            self.drop_frame(top);
        }
        self.set(at::RESOLVING_COUNT, 0);
        self.state.marks.clear();
        while goal.is_none()
            && let Some(record) = self.state.block.pop(at::PENDING_TRIGGERS)
        {
            self.state.block.clear(record as usize + crate::records::PENDING_ARGS);
            self.state.block.free(record as usize);
        }
        self.clear_list();
        // The plan continues with the end of the period.
        while self.state.block.len(at::PLAN) >= 2 {
            let words = self.state.block.list(at::PLAN);
            if words.ends_with(&[plan::END, span]) {
                break;
            }
            self.state.block.pop(at::PLAN);
            self.state.block.pop(at::PLAN);
        }
        let program = Arc::clone(&self.program);
        while let Some(open) = self.state.block.list(at::OPEN_PERIODS).last().copied() {
            if open == span {
                break;
            }
            self.close_period(&program, open);
        }
        if let Some(goal) = goal {
            self.plan_skip(span, goal);
        }
    }

    /// After the end of a phase, reduces the plan of the turn to a period, what follows it, and the end of the turn.
    fn plan_skip(&mut self, ended: u32, goal: u32) {
        while self.state.block.len(at::PLAN) >= 2 && !self.state.block.list(at::PLAN).ends_with(&[plan::END, 0]) {
            self.state.block.pop(at::PLAN);
            self.state.block.pop(at::PLAN);
        }
        self.state.block.extend(at::PLAN, &[plan::ENTER, goal]);
        if ended != 0 {
            self.state.block.extend(at::PLAN, &[plan::END, ended]);
        }
    }

    /// Frees what a frame owns and pops it.
    #[deny(clippy::wildcard_enum_match_arm)]
    pub(crate) fn drop_frame(&mut self, frame: Handle) {
        use super::frame::{batch, pay};
        match FrameKind::from_word(self.word(frame + KIND)) {
            Some(FrameKind::Body) => {
                let function = FnId(self.word(frame + body::FUNCTION));
                self.free_body(frame, function);
            }
            Some(FrameKind::Batch) => {
                self.free_event_lists(frame);
                let bodies = self.state.block.list(frame + batch::BODIES).to_vec();
                for paused in bodies {
                    let paused = paused as usize;
                    let function = FnId(self.word(paused + body::FUNCTION));
                    self.free_body(paused, function);
                    self.state.block.free(paused);
                }
                for list in [batch::EVENTS, batch::BODIES, batch::GROUPS] {
                    self.state.block.clear(frame + list);
                }
            }
            Some(FrameKind::Pay) => {
                self.state.block.clear(frame + pay::UNITS);
                self.state.block.clear(frame + pay::PRODUCERS);
            }
            Some(FrameKind::Resolve) => {
                let object = ObjectRef(self.word(frame + crate::records::frame::resolve::OBJECT));
                self.drop_entry(object, self.word(frame + crate::records::frame::resolve::ENTRY));
            }
            Some(FrameKind::Announce) => {
                let object = ObjectRef(self.word(frame + crate::records::frame::announce::OBJECT));
                self.drop_entry(object, self.word(frame + crate::records::frame::announce::ENTRY));
            }
            Some(FrameKind::Paragraphs) if self.word(frame + crate::records::frame::paragraphs::OWNED) != 0 => {
                self.free_entry(self.word(frame + crate::records::frame::paragraphs::ENTRY) as usize);
            }
            Some(FrameKind::Paragraphs | FrameKind::Window | FrameKind::Settle | FrameKind::Turn | FrameKind::Game) | None => {}
        }
        self.pop_frame();
    }

    /// Frees an entry, and removes it from its object if that still has it.
    fn drop_entry(&mut self, object: ObjectRef, entry: u32) {
        if !object.is_none() && self.state.column(object.slot(), at::ENTRY) == entry {
            self.state.set_column(object.slot(), at::ENTRY, 0);
        }
        self.free_entry(entry as usize);
    }

    /// Removes everything from the list: abilities are deleted, the game's `removed_from_list` action moves cards.
    fn clear_list(&mut self) {
        let Some(list) = self.program.list else { return };
        let items = self.state.zone_items(&self.program, list).to_vec();
        let removal = self.program.remove_action();
        for item in items {
            let it = ObjectRef(item);
            if self.state.column(it.slot(), at::DEFINITION) == 0 {
                self.delete_from_list(it.slot());
            } else if let Some(action) = removal {
                let active = self.state.active() as i64;
                self.propose_alone(action, &[it.value()], [cause::RULE, 0, active, NO_PLAYER]);
            }
        }
    }
}

fn contains_period(entry: &PeriodEntry, span: u32) -> bool {
    match entry {
        PeriodEntry::Period(child) => child.0 == span,
        PeriodEntry::Repeat(_, children) => children.iter().any(|e| contains_period(e, span)),
    }
}
