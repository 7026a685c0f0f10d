//! What a viewer saw happen: the latest events, kept as events and written again for a client that joins, changes its language, or changes its seat.

use crate::protocol::Event;
use crate::words::log::EventLog;
use crate::words::phrases::Speaker;
use fizzle_ir::CompiledGame;
use fizzle_runtime::program::Program;
use fizzle_runtime::view::event_stream::ViewEvent;

/// The number of events of a viewer that are kept; up to twice as many, so that dropping the oldest is rare.
const KEPT_EVENTS: usize = 100;

/// The events of one viewer, and the logs that write them.
#[derive(Clone, Debug)]
pub(super) struct History {
    /// The log before the first of `recent`.
    before: EventLog,
    recent: Vec<ViewEvent>,
    /// The log after the last of `recent`.
    after: EventLog,
    /// The number of events that were added and kept.
    pub(super) added: u64,
}

impl History {
    pub(super) fn new(program: &Program) -> Self {
        let log = EventLog::new(program);
        Self { before: log.clone(), recent: Vec::new(), after: log, added: 0 }
    }

    /// Adds events. Returns them as written for each of the speakers.
    pub(super) fn add(
        &mut self,
        items: Vec<ViewEvent>,
        speakers: &[&Speaker],
        program: &Program,
        game: &CompiledGame,
    ) -> Vec<Vec<Event>> {
        let quiet = Speaker::default();
        let (last, others) = match speakers.split_last() {
            Some((last, others)) => (Some(*last), others),
            None => (None, speakers),
        };
        let mut written: Vec<Vec<Event>> =
            others.iter().map(|speaker| self.after.clone().write(&items, speaker, program, game)).collect();
        // Also without a reader: what a log writes depends on what it has read.
        let mut noted = Vec::new();
        let events = self.after.write_noting(&items, last.unwrap_or(&quiet), program, game, &mut noted);
        written.extend(last.map(|_| events));
        self.added += noted.len() as u64;
        let is_noted = |position: &usize| noted.binary_search(position).is_ok();
        self.recent.extend(items.into_iter().enumerate().filter(|(at, _)| is_noted(at)).map(|(_, item)| item));
        if self.recent.len() > 2 * KEPT_EVENTS {
            let dropped: Vec<ViewEvent> = self.recent.drain(..self.recent.len() - KEPT_EVENTS).collect();
            self.before.write(&dropped, &quiet, program, game);
        }
        written
    }

    /// The events that are kept, for a client that has not seen them in its words, and how many of them came after the first `read` that were
    /// added. They move nothing.
    pub(super) fn written(&self, speaker: &Speaker, read: u64, program: &Program, game: &CompiledGame) -> (Vec<Event>, usize) {
        let fresh = usize::try_from(self.added.saturating_sub(read)).unwrap_or(usize::MAX);
        let (old, new) = self.recent.split_at(self.recent.len().saturating_sub(fresh));
        let mut log = self.before.clone();
        let mut write = |items: &[ViewEvent]| {
            let mut events = log.write(items, speaker, program, game);
            events.iter_mut().for_each(|event| event.moves.clear());
            events.retain(|event| !event.words.is_empty());
            events
        };
        let (mut events, fresh) = (write(old), write(new));
        let count = fresh.len();
        events.extend(fresh);
        (events, count)
    }
}
