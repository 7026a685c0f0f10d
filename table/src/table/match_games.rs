//! The games of a match: the end of one, exchanging cards, the beginning of the next.

use super::history::History;
use super::{ClientId, Millis, Table, begin};
use crate::protocol::{ErrorCode, Lang, MatchState, ServerMessage, ViewCause};
use fizzle_runtime::matches::MatchPhase;
use std::collections::{BTreeMap, BTreeSet};

impl Table {
    /// The score of the match, if it has several games.
    pub(super) fn match_state(&self) -> Option<MatchState> {
        (self.game_match.best_of() > 1).then(|| MatchState {
            best_of: self.game_match.best_of(),
            game: self.game_match.game(),
            wins: self.game_match.wins().to_vec(),
            phase: self.game_match.phase().name().to_owned(),
            ready: (0..self.seats()).map(|seat| !self.unready.contains(&seat)).collect(),
            deck: None,
        })
    }

    /// The cards of a seat's deck, by section and name.
    fn deck_of(&self, seat: usize) -> Option<BTreeMap<String, BTreeMap<String, u32>>> {
        let library = &self.setup.game.library;
        let mut sections: BTreeMap<String, BTreeMap<String, u32>> = BTreeMap::new();
        for (section, cards) in &self.game_match.deck(seat)?.sections {
            let list = sections.entry(section.clone()).or_default();
            for (count, card) in cards {
                let name = library.definitions.get(card.index()).map(|it| it.name.clone()).unwrap_or_default();
                let number = list.entry(name).or_default();
                *number = number.saturating_add(*count);
            }
        }
        Some(sections)
    }

    /// Where the trace of the game can be had; empty if it has none, or if further games of the match follow.
    fn trace_path(&self) -> String {
        let has_none = self.setup.position.is_some() || !self.setup.sandbox && !self.is_over();
        if has_none { String::new() } else { format!("/api/trace/{}", self.setup.name) }
    }

    /// Records the result of a game that has ended, and waits for the next one.
    pub(super) fn finish_game(&mut self, now: Millis) {
        let Some(outcome) = self.playing.outcome().filter(|_| !self.is_end_sent) else { return };
        self.is_end_sent = true;
        self.game_match.record_result(&self.setup.program, outcome);
        self.playing.answered.clear();
        self.unready = if self.is_over() { BTreeSet::new() } else { self.person_seats().into_iter().collect() };
        self.send_over(None);
        self.begin_if_ready(now);
    }

    /// Sends the end of the game to all clients, or to one.
    pub(super) fn send_over(&mut self, only: Option<ClientId>) {
        let (state, trace) = (self.match_state(), self.trace_path());
        let is_exchanging = self.game_match.phase() == MatchPhase::Exchanging;
        let messages: Vec<_> = self
            .clients
            .iter()
            .filter(|client| only.is_none_or(|only| only == client.id))
            .filter_map(|client| {
                let (outcome, by, words) = self.playing.ending(&self.setup.game, &client.speaker)?;
                let mut state = state.clone();
                // At one screen, the players get ready one after the other.
                let seat = if self.setup.hot_seat { self.unready.first().copied() } else { client.seat };
                let seat = seat.filter(|_| client.seat.is_some());
                if let (Some(state), Some(seat), true) = (&mut state, seat, is_exchanging) {
                    state.deck = self.deck_of(seat);
                }
                Some((client.id, ServerMessage::Over { outcome, by, words, trace: trace.clone(), state }))
            })
            .collect();
        self.messages.extend(messages);
    }

    /// A player is ready for the next game, with the same deck or another division of its cards into sections.
    pub(super) fn ready(
        &mut self,
        client: ClientId,
        seats: &[usize],
        deck: Option<BTreeMap<String, BTreeMap<String, u32>>>,
        now: Millis,
    ) {
        let Some(speaker) = self.client(client).map(|known| known.speaker.clone()) else { return };
        let Some(seat) = seats.iter().copied().find(|seat| self.unready.contains(seat)) else {
            self.send_error(client, ErrorCode::Unknown, speaker.say("no game is about to begin", "次のゲームはない"));
            return;
        };
        if let Some(deck) = deck {
            let mut sections = Vec::new();
            for (section, cards) in deck {
                let mut list = Vec::new();
                for (name, count) in cards {
                    let Some(card) = self.setup.pack_index.definitions.get(&name) else {
                        let words = match speaker.lang {
                            Lang::En => format!("there is no card \"{name}\""),
                            Lang::Ja => format!("「{name}」というカードはない"),
                        };
                        self.send_error(client, ErrorCode::Unknown, &words);
                        return;
                    };
                    list.push((count, *card));
                }
                sections.push((section, list));
            }
            if let Err(error) = self.game_match.exchange(&self.setup.program, seat, sections) {
                self.send_error(client, ErrorCode::Unknown, &error.to_string());
                return;
            }
        }
        self.unready.remove(&seat);
        if !self.unready.is_empty() {
            self.send_over(None);
        }
        self.begin_if_ready(now);
    }

    /// Begins the next game of the match once all are ready.
    pub(super) fn begin_if_ready(&mut self, now: Millis) {
        if self.is_over() || !self.is_end_sent || !self.unready.is_empty() {
            return;
        }
        if self.game_match.phase() == MatchPhase::Exchanging {
            (0..self.seats()).for_each(|seat| self.game_match.set_ready(seat));
        }
        // The decks were legal before, and an exchange keeps them legal.
        let Ok(playing) = begin(&self.setup, &self.game_match) else { return };
        self.playing = playing;
        self.begun_in = self.game_match.clone();
        self.is_end_sent = false;
        for at in self.absent.values_mut() {
            *at = now.saturating_add(self.setup.grace);
        }
        self.decided();
        self.yields.iter_mut().for_each(Vec::clear);
        self.histories = vec![History::new(&self.setup.program, 0); self.seats() + 1];
        for client in &mut self.clients {
            client.cards.clear();
            client.read.clear();
            client.wants_view = Some(ViewCause::NextGame);
        }
        self.advance(now);
    }
}
