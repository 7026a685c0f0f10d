//! What a viewer saw happen: the latest events, kept as events and written again for a client that joins, changes its language, or changes its seat.
//! They are kept packed: that takes a tenth of the memory, and they are seldom read.

use crate::protocol::Event;
use crate::words::log::EventLog;
use crate::words::phrases::Speaker;
use fizzle_ir::CompiledGame;
use fizzle_runtime::packed_list::PackedList;
use fizzle_runtime::program::Program;
use fizzle_runtime::view::event_stream::ViewEvent;

/// The number of events of a viewer that are kept, and how many more there may be, so that dropping the oldest is rare.
const KEPT_EVENTS: usize = 100;
const MAX_OLDER_EVENTS: usize = 50;

/// The events of one viewer, and the logs that write them.
#[derive(Clone, Debug)]
pub(super) struct History {
    /// The log before the first of `recent`, without names.
    before: EventLog,
    recent: PackedList<ViewEvent>,
    /// The log after the last of `recent`.
    after: EventLog,
    /// The number of events that were added and kept.
    pub(super) added: u64,
}

impl History {
    /// That of a game that begins in a turn; 0 for one that begins with decks.
    pub(super) fn new(program: &Program, turn: u32) -> Self {
        let log = EventLog::new(program, turn);
        Self { before: log.clone(), recent: PackedList::default(), after: log, added: 0 }
    }

    /// Adds events. Returns them as written for each of the speakers.
    pub(super) fn add(
        &mut self,
        items: &[ViewEvent],
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
            others.iter().map(|speaker| self.after.clone().write(items, speaker, program, game)).collect();
        // Also without a reader: what a log writes depends on what it has read.
        let mut noted = Vec::new();
        let events = self.after.write_noting(items, last.unwrap_or(&quiet), program, game, &mut noted);
        written.extend(last.map(|_| events));
        noted.dedup();
        let kept = noted.iter().filter_map(|position| items.get(*position)).filter(|item| self.recent.push(item)).count();
        self.added += kept as u64;
        if let Some(dropped) = self.recent.len().checked_sub(KEPT_EVENTS).filter(|dropped| *dropped > MAX_OLDER_EVENTS) {
            self.before.write(&self.recent.range(0..dropped).collect::<Vec<_>>(), &quiet, program, game);
            self.before.forget_names();
            self.recent.remove_first(dropped);
        }
        written
    }

    /// The events that are kept, for a client that has not seen them in its words, and how many of them came after the first `read` that were
    /// added. They move nothing.
    pub(super) fn written(&self, speaker: &Speaker, read: u64, program: &Program, game: &CompiledGame) -> (Vec<Event>, usize) {
        let fresh = usize::try_from(self.added.saturating_sub(read)).unwrap_or(usize::MAX);
        let first_fresh = self.recent.len().saturating_sub(fresh);
        // Objects have the names that the viewer knows by now.
        let mut log = self.before.clone();
        log.take_names_of(&self.after);
        let mut write = |which: std::ops::Range<usize>| {
            let mut events = log.write(&self.recent.range(which).collect::<Vec<_>>(), speaker, program, game);
            events.iter_mut().for_each(|event| event.moves.clear());
            events.retain(|event| !event.words.is_empty());
            events
        };
        let (mut events, fresh) = (write(0..first_fresh), write(first_fresh..self.recent.len()));
        let count = fresh.len();
        events.extend(fresh);
        (events, count)
    }
}
