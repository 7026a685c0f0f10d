//! A pack that has changed while a table runs: the game is played again from its beginning with the answers given so far.

use super::{Millis, SetupError, Table, TableSetup, game_start};
use crate::playing::{AnsweredDecision, Playing};
use crate::protocol::{Lang, ServerMessage, ViewCause};
use fizzle_runtime::game::RecordedAnswer;

/// The answers of a game before a reload that could not repeat all of them.
#[derive(Clone, Debug)]
pub(super) struct Given {
    answers: Vec<RecordedAnswer>,
    answered: Vec<AnsweredDecision>,
    decisions: u64,
}

impl Table {
    /// Continues with the rules and cards of another setup of the same table. The answers given so far are repeated up to the first one
    /// that is not legal any more, and all clients learn how many were. On an error, the table continues with the rules that it had.
    ///
    /// # Errors
    /// [`SetupError`]: the decks do not fit the new rules, or an earlier game of the match is over.
    pub fn reload(&mut self, setup: TableSetup, now: Millis) -> Result<(), SetupError> {
        if self.game_match.game() != 1 {
            return Err(SetupError("only the first game of a match takes new rules over".to_owned()));
        }
        let fresh = Self::new(TableSetup { occupants: self.setup.occupants.clone(), ..setup })?;
        let start = game_start(&fresh.setup, &fresh.game_match);
        // What an earlier text did not allow may be possible again, if nothing was answered since.
        let answers = self.answers();
        let before = self.given.take().filter(|given| given.answers.starts_with(&answers));
        let before = before.unwrap_or_else(|| Given {
            answers,
            answered: self.playing.answered.clone(),
            decisions: self.playing.game.decisions,
        });
        let replayed = Playing::replay(&fresh.setup.program, start, &before.answers);
        let mut playing = replayed.map_err(|error| SetupError(error.to_string()))?;
        let kept = playing.game.answers.len();
        let (repeated, of) = (playing.game.decisions, before.decisions);
        // Answers of bots and yields are none of a player's.
        playing.answered = before.answered.iter().filter(|point| point.before < kept).copied().collect();
        self.given = (repeated < of).then_some(before);
        playing.take_forced();
        self.setup = fresh.setup;
        self.game_match = fresh.game_match;
        self.begun_in = fresh.begun_in;
        self.playing = playing;
        self.is_end_sent = false;
        self.unready.clear();
        self.yields.iter_mut().for_each(Vec::clear);
        self.decided();
        self.read_events_again();
        for at in 0..self.clients.len() {
            let Some(client) = self.clients.get_mut(at) else { continue };
            client.cards.clear();
            client.wants_view = Some(ViewCause::Reload);
            let id = client.id;
            if let Some(welcome) = self.welcome(id) {
                self.send(id, ServerMessage::Welcome(Box::new(welcome)));
            }
        }
        self.send_all(|speaker| {
            let words = match speaker.lang {
                _ if repeated >= of => String::new(),
                Lang::En => {
                    format!("with the new text, {repeated} of {of} decisions could be repeated; the game waits at the next one")
                }
                Lang::Ja => format!("新しい文面では、{of}回の選択のうち{repeated}回までを繰り返せた。その次の選択から続ける"),
            };
            ServerMessage::Reloaded { repeated, of, words }
        });
        self.advance(now);
        Ok(())
    }
}
