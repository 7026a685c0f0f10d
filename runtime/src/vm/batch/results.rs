//! What became of a segment, told to the bodies that proposed it.

use super::event::{COMMITTED, MEMBER, STANDS_FOR, status, word};
use crate::ir::verbs::{LOSE, TIE, WIN};
use crate::state::block::Handle;
use crate::vm::Machine;
use crate::vm::frame::{batch, body};
use crate::vm::inline_vecs::InlineWords;
use smallvec::SmallVec;

/// Words of a group.
const GROUP: usize = 5;

impl Machine {
    /// After a segment: results go to the bodies that proposed it, and the bodies go on.
    pub(super) fn resume_proposers(&mut self, frame: Handle) {
        let groups = self.state.block.list(frame + batch::GROUPS).as_chunks::<GROUP>().0;
        let groups: SmallVec<[[u32; GROUP]; 8]> = SmallVec::from_slice(groups);
        let bodies = InlineWords::from_slice(self.state.block.list(frame + batch::BODIES));
        let finished = bodies.is_empty() && self.word(frame + batch::CURSOR) as usize == self.events_in(frame);
        self.state.block.clear(frame + batch::BODIES);
        self.state.block.clear(frame + batch::GROUPS);
        let mut ready = InlineWords::new();
        for group in &groups {
            let [waiting, first, len, ..] = *group;
            let range = first as usize..(first as usize + len as usize);
            let is_body = bodies.contains(&waiting);
            // A body goes on when what it proposed is through: no body of an event below its own proposals is left.
            let through = if is_body {
                !bodies.iter().filter(|other| **other != waiting).any(|other| {
                    let event = self.word(*other as usize + body::EVENT).checked_sub(1);
                    event.is_some_and(|event| self.comes_from(frame, event as usize, &range))
                })
            } else {
                finished
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
            self.free_used(frame);
            self.state.block.clear(frame + batch::EVENTS);
            self.pop_frame();
            return;
        }
        self.set(frame + batch::PHASE, 0);
        // The rules of a check go on by themselves: what is through is nothing to them.
        let rules_alone = !bodies.is_empty() && bodies.iter().all(|body| self.word(*body as usize + body::EVENT) == 0);
        if rules_alone && self.state.block.len(frame + batch::GROUPS) == 0 {
            self.free_used(frame);
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

    /// The body that proposed, in a batch, what ended the game.
    pub(in crate::vm) fn ended_by_body(&self, frame: Handle) -> Option<Handle> {
        let happened = |index: &usize| self.event_word(frame, *index, word::STATUS) == status::HAPPENED;
        let first = |actions: &[u32]| {
            (0..self.events_in(frame))
                .filter(happened)
                .find(|index| actions.contains(&self.event_word(frame, *index, word::ACTION)))
        };
        let ending = first(&[WIN, TIE]).or_else(|| first(&[LOSE]))?;
        let groups = self.state.block.list(frame + batch::GROUPS).as_chunks::<GROUP>().0;
        let mut of = groups.iter().filter(|[body, first, count, ..]| {
            self.word(*body as usize + body::EVENT) == 0
                && self.comes_from(frame, ending, &(*first as usize..(first + count) as usize))
        });
        of.next().map(|[body, ..]| *body as usize)
    }

    /// Writes what became of a group of events into the registers of the body that proposed it.
    fn report_group(&mut self, frame: Handle, group: &[u32; GROUP]) {
        let [waiting, first, len, done, out] = *group;
        let range = first as usize..(first as usize + len as usize);
        let mut happened = false;
        let mut results = InlineWords::new();
        for index in range.start..self.events_in(frame) {
            happened |= self.event_word(frame, index, word::STATUS) == status::HAPPENED && self.counts_for(frame, index, &range);
            let result = self.event_word(frame, index, word::RESULT);
            if out != 0
                && result != 0
                && self.event_word(frame, index, word::FLAGS) & (COMMITTED | MEMBER) == COMMITTED
                && !results.contains(&result)
                && self.comes_from(frame, index, &range)
            {
                results.push(result);
            }
        }
        // A cost that cannot happen is not paid; one that has nothing to do is.
        let cost = self.word(waiting as usize + body::CAUSE) == crate::ir::cause::COST as u32;
        if cost && !happened && self.word(waiting as usize + body::BATCH) == 0 {
            let fails =
                |index| self.event_word(frame, index, word::STATUS) == status::FAILED && self.comes_from(frame, index, &range);
            if (range.start..self.events_in(frame)).any(fails) {
                self.fail_cost();
            }
        }
        self.report(
            waiting as usize,
            done.checked_sub(1).map(|reg| (reg as u16, happened)),
            out.checked_sub(1).map(|reg| (reg as u16, results.as_slice())),
        );
    }

    /// Frees the lists that the events of a batch own, and what they made in vain.
    pub(crate) fn free_used(&mut self, frame: Handle) {
        self.unmake_strays(frame);
        for index in 0..self.events_in(frame) {
            let used = self.event_word(frame, index, word::USED);
            self.state.block.free(used as usize);
        }
    }

    /// Whether an event or one of its ancestors lies in a range, or took the place of one there.
    pub(super) fn comes_from(&self, frame: Handle, index: usize, range: &std::ops::Range<usize>) -> bool {
        let mut at = index;
        loop {
            if range.contains(&at) {
                return true;
            }
            let stands_for = self.event_word(frame, at, word::FLAGS) >> STANDS_FOR;
            let outer = if stands_for != 0 { stands_for } else { self.event_word(frame, at, word::PARENT) };
            match outer.checked_sub(1) {
                Some(outer) => at = outer as usize,
                None => return false,
            }
        }
    }

    /// Whether an event is one of a range, or the changed form of one there: a replacement's event of the same action
    /// (something that enters in another way has entered; something that was put elsewhere instead of being destroyed was not).
    fn counts_for(&self, frame: Handle, index: usize, range: &std::ops::Range<usize>) -> bool {
        let mut at = index;
        while !range.contains(&at) {
            match (self.event_word(frame, at, word::FLAGS) >> STANDS_FOR).checked_sub(1) {
                Some(replaced) => at = replaced as usize,
                None => return false,
            }
        }
        let action = |index| self.event_word(frame, index, word::ACTION) as usize;
        action(index) == action(at) || self.program.descends(action(index), action(at))
    }
}
