//! Taking answers back: at once where one person decides alone, else if all other players agree.

use super::{Millis, Table};
use crate::playing::Playing;
use crate::protocol::{ServerMessage, ViewCause};
use crate::table::ClientId;
use crate::table::history::History;
use fizzle_runtime::game::RecordedAnswer;
use std::collections::{BTreeMap, BTreeSet};

/// An undo that others must agree to.
#[derive(Clone, Debug)]
pub(super) struct UndoRequest {
    by: usize,
    agreed: BTreeSet<usize>,
}

impl Table {
    /// Requests that the last answer of one of these seats is taken back.
    pub(super) fn undo(&mut self, client: ClientId, seats: &[usize], now: Millis) {
        let Some(speaker) = self.client(client).map(|known| known.speaker.clone()) else { return };
        let refused = |words: &str| ServerMessage::UndoAnswered { done: false, words: words.to_owned() };
        let Some(point) = self.playing.answered.iter().rfind(|point| seats.contains(&point.seat)).copied() else {
            self.send(client, refused(speaker.say("there is nothing to take back", "取り消せるものがない")));
            return;
        };
        let others: Vec<usize> = self.person_seats().into_iter().filter(|seat| !seats.contains(seat)).collect();
        if self.setup.sandbox || others.is_empty() {
            self.go_back(point.before, now);
        } else if self.playing.game.machine.disclosures() > point.disclosures {
            let words = speaker.say(
                "a player has learned something hidden since, or chance has decided",
                "その後に隠された情報が知られたか、運で決まったことがある",
            );
            self.send(client, refused(words));
        } else {
            self.undo_request = Some(UndoRequest { by: point.seat, agreed: BTreeSet::new() });
            let voters = self.clients.iter().filter(|other| other.seat.is_some_and(|seat| others.contains(&seat)));
            let messages: Vec<_> = voters.map(|other| (other.id, ServerMessage::UndoRequested { by: point.seat })).collect();
            self.messages.extend(messages);
        }
    }

    /// A player agrees to an undo, or not. Watchers have no vote.
    pub(super) fn vote(&mut self, client: ClientId, seats: &[usize], agree: bool, now: Millis) {
        if seats.is_empty() {
            return;
        }
        let Some(speaker) = self.client(client).map(|known| known.speaker.clone()) else { return };
        let Some(request) = &mut self.undo_request else {
            let words = speaker.say("nothing is to be taken back", "取り消しの提案はない").to_owned();
            self.send(client, ServerMessage::UndoAnswered { done: false, words });
            return;
        };
        let by = request.by;
        if !agree {
            self.undo_request = None;
            self.send_all(|speaker| ServerMessage::UndoAnswered {
                done: false,
                words: speaker.say("a player does not agree", "同意しないプレイヤーがいる").to_owned(),
            });
            return;
        }
        request.agreed.extend(seats.iter().copied());
        let agreed = request.agreed.clone();
        if self.person_seats().into_iter().all(|seat| seat == by || agreed.contains(&seat)) {
            let known = self.playing.game.machine.disclosures();
            let point = self.playing.answered.iter().rfind(|point| point.seat == by && point.disclosures >= known).copied();
            if let Some(point) = point {
                self.go_back(point.before, now);
            }
        }
    }

    /// Plays the game again up to a number of answers.
    pub(super) fn go_back(&mut self, answers: usize, now: Millis) {
        let kept: Vec<RecordedAnswer> = self.playing.game.answers.range(0..answers).collect();
        let Ok(mut playing) = Playing::replay(&self.setup.program, self.playing.start().clone(), &kept) else { return };
        // Answers of a yield are none of the player's.
        playing.answered = self.playing.answered.iter().filter(|point| point.before < answers).copied().collect();
        playing.take_forced();
        self.playing = playing;
        self.yields.iter_mut().for_each(Vec::clear);
        self.decided();
        self.read_events_again();
        for client in &mut self.clients {
            client.wants_view = Some(ViewCause::Undo);
        }
        let persons = self.person_seats();
        self.send_yields(&persons);
        self.send_all(|_| ServerMessage::UndoAnswered { done: true, words: String::new() });
        self.advance(now);
    }

    /// Makes the histories of all viewers from the events of a game that was played again.
    pub(super) fn read_events_again(&mut self) {
        let (program, game) = (&self.setup.program, &self.setup.game);
        let mut histories = Vec::new();
        for viewer in 0..self.playing.viewers() {
            let mut history = History::new(program, self.playing.first_turn());
            history.add(&self.playing.take_events(viewer), &[], program, game);
            histories.push(history);
        }
        let read: BTreeMap<usize, u64> = histories.iter().enumerate().map(|(viewer, history)| (viewer, history.added)).collect();
        self.histories = histories;
        self.clients.iter_mut().for_each(|client| client.read.clone_from(&read));
    }
}
