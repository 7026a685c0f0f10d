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
}

impl History {
    pub(super) fn new(program: &Program) -> Self {
        let log = EventLog::new(program);
        Self { before: log.clone(), recent: Vec::new(), after: log }
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
        let is_noted = |position: &usize| noted.binary_search(position).is_ok();
        self.recent.extend(items.into_iter().enumerate().filter(|(at, _)| is_noted(at)).map(|(_, item)| item));
        if self.recent.len() > 2 * KEPT_EVENTS {
            let dropped: Vec<ViewEvent> = self.recent.drain(..self.recent.len() - KEPT_EVENTS).collect();
            self.before.write(&dropped, &quiet, program, game);
        }
        written
    }

    /// The events that are kept, for a client that has not seen them in its words. They move nothing.
    pub(super) fn written(&self, speaker: &Speaker, program: &Program, game: &CompiledGame) -> Vec<Event> {
        let mut events = self.before.clone().write(&self.recent, speaker, program, game);
        events.iter_mut().for_each(|event| event.moves.clear());
        events.retain(|event| !event.words.is_empty());
        events
    }
}
