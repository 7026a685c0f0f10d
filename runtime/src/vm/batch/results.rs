//! Results of a segment: reports to each body what became of the events it proposed, and resumes the body.

use crate::ir::ObjectRef;
use crate::ir::verbs::{CREATE, LOSE, TIE, WIN};
use crate::records::event::{AVERTED, COMMITTED, MEMBER_MOVE, REPLACED_EVENT_SHIFT, status, word};
use crate::records::frame::{batch, body};
use crate::state::block::Handle;
use crate::vm::inline_vecs::InlineWords;
use crate::vm::machine::Machine;
use smallvec::SmallVec;

/// Number of words of a group: body, first event, number of events, and the registers for `done` and results, plus one.
const GROUP_WORDS: usize = 5;

/// The most waiting bodies of a batch that are compared with each group of events. If more wait, the events in which they originate are
/// collected first.
const MAX_BODIES_COMPARED: usize = 8;

/// Which waiting bodies originate in an event.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Origin {
    Nothing,
    One(u32),
    Several,
}

impl Origin {
    /// Whether another body than this one originates in the event.
    fn has_other(self, body: u32) -> bool {
        !matches!(self, Self::Nothing) && self != Self::One(body)
    }
}

impl Machine {
    /// Runs after a segment: writes the results into the bodies that proposed it, and resumes these bodies.
    pub(super) fn resume_proposers(&mut self, frame: Handle) {
        let groups = self.state.block.list(frame + batch::GROUPS).as_chunks::<GROUP_WORDS>().0;
        let groups: SmallVec<[[u32; GROUP_WORDS]; 8]> = SmallVec::from_slice(groups);
        let bodies = InlineWords::from_slice(self.state.block.list(frame + batch::BODIES));
        let finished = bodies.is_empty() && self.word(frame + batch::CURSOR) as usize == self.events_in(frame);
        self.state.block.clear(frame + batch::BODIES);
        self.state.block.clear(frame + batch::GROUPS);
        let mut ready = InlineWords::new();
        // The bodies resume in their order.
        let mut sorted = bodies.clone();
        sorted.sort_unstable();
        let origins = (bodies.len() > MAX_BODIES_COMPARED).then(|| self.origins_of(frame, &bodies));
        for group in &groups {
            let [waiting, first, len, ..] = *group;
            let range = first as usize..(first as usize + len as usize);
            let is_body = sorted.binary_search(&waiting).is_ok();
            // A body resumes when its events are complete: no body of an event below them is left.
            let through = if !is_body {
                finished
            } else if let Some(origins) = &origins {
                !origins.iter().take(range.end).skip(range.start).any(|origin| origin.has_other(waiting))
            } else {
                !bodies.iter().filter(|other| **other != waiting).any(|other| {
                    let event = self.word(*other as usize + body::EVENT).checked_sub(1);
                    event.is_some_and(|event| self.originates_in(frame, event as usize, &range))
                })
            };
            if through {
                self.report_group(frame, group);
                if is_body {
                    ready.push(waiting);
                }
            } else {
                self.state.block.extend(frame + batch::GROUPS, group);
            }
        }
        if finished {
            self.free_event_lists(frame);
            self.state.block.clear(frame + batch::EVENTS);
            self.pop_frame();
            return;
        }
        self.set(frame + batch::PHASE, 0);
        // Bodies of state rules resume without waiting for events; completed events are of no use to them.
        let rules_alone = !bodies.is_empty() && bodies.iter().all(|body| self.word(*body as usize + body::EVENT) == 0);
        if rules_alone && self.state.block.len(frame + batch::GROUPS) == 0 {
            self.free_event_lists(frame);
            self.state.block.clear(frame + batch::EVENTS);
            self.set(frame + batch::CURSOR, 0);
            self.set(frame + batch::SEGMENT, 0);
        }
        for body in bodies.iter().filter(|body| !ready.contains(body)) {
            self.state.block.push(frame + batch::BODIES, *body);
        }
        for body in bodies.iter().rev().filter(|body| ready.contains(body)) {
            self.state.block.push(crate::state::layout::FRAMES, *body);
        }
    }

    /// Returns, by event of a batch, which of some waiting bodies originate in it. Visits each event at most twice, and once for
    /// each body at which it ends, so that a long chain of replacements costs no more than its events. Charges the visits.
    fn origins_of(&mut self, frame: Handle, bodies: &[u32]) -> Vec<Origin> {
        let mut origins = vec![Origin::Nothing; self.events_in(frame)];
        let mut visits = origins.len();
        for waiting in bodies {
            let mut next = self.word(*waiting as usize + body::EVENT).checked_sub(1);
            while let Some(at) = next.map(|at| at as usize) {
                let Some(origin) = origins.get_mut(at) else { break };
                visits += 1;
                *origin = match origin {
                    Origin::Nothing => Origin::One(*waiting),
                    Origin::One(_) => Origin::Several,
                    // So are the events around it.
                    Origin::Several => break,
                };
                next = self.outer_event(frame, at).0;
            }
        }
        self.charge_items(visits);
        origins
    }

    /// Returns the event that an event stands in for, else the one that it is part of, as a number from 0; and whether it stands in for one.
    fn outer_event(&self, frame: Handle, at: usize) -> (Option<u32>, bool) {
        let stands_for = self.event_word(frame, at, word::FLAGS) >> REPLACED_EVENT_SHIFT;
        let outer = if stands_for != 0 { stands_for } else { self.event_word(frame, at, word::PARENT) };
        (outer.checked_sub(1), stands_for != 0)
    }

    /// Returns the body that proposed, in a batch, the event that ended the game.
    pub(in crate::vm) fn body_that_ended_game(&self, frame: Handle) -> Option<Handle> {
        let happened = |index: &usize| self.event_word(frame, *index, word::STATUS) == status::HAPPENED;
        let first = |actions: &[u32]| {
            (0..self.events_in(frame))
                .filter(happened)
                .find(|index| actions.contains(&self.event_word(frame, *index, word::ACTION)))
        };
        let ending = first(&[WIN, TIE]).or_else(|| first(&[LOSE]))?;
        let groups = self.state.block.list(frame + batch::GROUPS).as_chunks::<GROUP_WORDS>().0;
        let mut of = groups.iter().filter(|[body, first, count, ..]| {
            self.word(*body as usize + body::EVENT) == 0
                && self.originates_in(frame, ending, &(*first as usize..(first + count) as usize))
        });
        of.next().map(|[body, ..]| *body as usize)
    }

    /// Writes the results of a group of events into the registers of the body that proposed it.
    fn report_group(&mut self, frame: Handle, group: &[u32; GROUP_WORDS]) {
        let [waiting, first, len, done, out] = *group;
        let range = first as usize..(first as usize + len as usize);
        let mut happened = false;
        let mut results = InlineWords::new();
        let collects = out != 0 || self.word(waiting as usize + body::CARRIES) == body::carries::EVENT_WITH_RESULTS;
        for index in range.start..self.events_in(frame) {
            happened = happened
                || self.event_word(frame, index, word::STATUS) == status::HAPPENED
                    && self.counts_for(frame, index, &range)
                    && !self.was_averted(frame, index);
            let result = self.event_word(frame, index, word::RESULT);
            if collects
                && result != 0
                && self.event_word(frame, index, word::FLAGS) & (COMMITTED | MEMBER_MOVE) == COMMITTED
                && !results.contains(&result)
                && self.is_result_of(frame, index, &range)
            {
                results.push(result);
            }
        }
        // A cost whose events failed is unpaid. A cost that proposed no event is paid.
        let proposer = waiting as usize;
        let cost = self.word(proposer + body::CAUSE) == crate::ir::cause::COST as u32;
        let carries = self.is_carrier(proposer);
        if cost && (carries || !happened) && self.word(proposer + body::BATCH) == 0 {
            let fails =
                |index| self.event_word(frame, index, word::STATUS) == status::FAILED && self.originates_in(frame, index, &range);
            if (range.start..self.events_in(frame)).any(fails) {
                self.report_failure(proposer, !happened);
            }
        }
        if carries {
            self.collect_results(proposer, &results);
            if self.averts(frame, self.carried_event(proposer).args[0], |machine, child| {
                machine.event_word(frame, child, word::PARENT) == 0
            }) {
                self.add_carried_flags(proposer, AVERTED);
            }
        }
        self.report(
            proposer,
            done.checked_sub(1).map(|reg| (reg as u16, happened)),
            out.checked_sub(1).map(|reg| (reg as u16, results.as_slice())),
        );
    }

    /// Frees the lists that the events of a batch own, and objects that were created and did not arrive.
    pub(crate) fn free_event_lists(&mut self, frame: Handle) {
        self.delete_unplaced_objects(frame);
        for index in 0..self.events_in(frame) {
            let used = self.event_word(frame, index, word::USED);
            self.state.block.free(used as usize);
        }
    }

    /// Returns whether an event, an ancestor, or an event that one of these stands in for is in a range.
    pub(super) fn originates_in(&self, frame: Handle, index: usize, range: &std::ops::Range<usize>) -> bool {
        let mut at = index;
        loop {
            if range.contains(&at) {
                return true;
            }
            match self.outer_event(frame, at).0 {
                Some(outer) => at = outer as usize,
                None => return false,
            }
        }
    }

    /// As [`Machine::originates_in`], without what a replacement did in place of an event that therefore did not happen: a creature that returns to
    /// its hand instead of being destroyed is no result of the destruction.
    fn is_result_of(&self, frame: Handle, index: usize, range: &std::ops::Range<usize>) -> bool {
        let mut at = index;
        let mut parts: SmallVec<[usize; 4]> = SmallVec::new();
        while !range.contains(&at) {
            parts.push(at);
            let (Some(outer), stands_in) = self.outer_event(frame, at) else { return false };
            let outer = outer as usize;
            // What takes the place of a part is a result nevertheless: a destroyed object that is exiled instead of dying. And it may itself be a part
            // of another action: an object that would leave is exiled.
            let is_whole = range.contains(&outer);
            if stands_in && is_whole && !parts.iter().any(|part| self.is_changed_form(frame, *part, outer)) {
                return false;
            }
            at = outer;
        }
        true
    }

    /// Returns whether an event that a replacement proposed does the same as the event that it replaces, in another way: what else is created, or
    /// the same action on the same object.
    fn is_changed_form(&self, frame: Handle, index: usize, replaced: usize) -> bool {
        let action = |index| self.event_word(frame, index, word::ACTION);
        let first = |index| self.event_argument(frame, index);
        let same_action =
            action(index) == action(replaced) || self.program.descends(action(index) as usize, action(replaced) as usize);
        same_action && (action(index) == CREATE || first(index) == first(replaced))
    }

    /// Returns whether what the action of an event does to its object was replaced by something else: a creature that would have been destroyed,
    /// but for a replacement of its leaving, was not destroyed.
    fn was_averted(&self, frame: Handle, index: usize) -> bool {
        let object = i64::from(self.event_word(frame, index, word::FIRST_ARG) as i32);
        self.averts(frame, object, |machine, child| {
            child > index && machine.event_word(frame, child, word::PARENT) as usize == index + 1
        })
    }

    /// Returns whether an event about an object was replaced, and did not happen in a changed form, among the direct parts of another event.
    fn averts(&self, frame: Handle, object: i64, is_part: impl Fn(&Self, usize) -> bool) -> bool {
        let object = ObjectRef::from_value(object);
        let is_replaced = |child: usize| {
            is_part(self, child)
                && self.event_word(frame, child, word::STATUS) == status::REPLACED
                && self.event_argument(frame, child) == object
        };
        let still_happened = |child: usize| {
            (child + 1..self.events_in(frame)).any(|other| {
                self.event_word(frame, other, word::STATUS) == status::HAPPENED
                    && self.counts_for(frame, other, &(child..child + 1))
            })
        };
        !object.is_none() && (0..self.events_in(frame)).any(|child| is_replaced(child) && !still_happened(child))
    }

    /// Returns whether an event is in a range, or is a changed form of one there: the event of a replacement with the same action and the same
    /// first argument. An object that enters in another way has entered; one that is exiled instead of destroyed was not destroyed, and neither
    /// was one in whose place another one was.
    fn counts_for(&self, frame: Handle, index: usize, range: &std::ops::Range<usize>) -> bool {
        let mut at = index;
        while !range.contains(&at) {
            match (self.event_word(frame, at, word::FLAGS) >> REPLACED_EVENT_SHIFT).checked_sub(1) {
                Some(replaced) => at = replaced as usize,
                None => return false,
            }
        }
        index == at || self.is_changed_form(frame, index, at)
    }
}
