//! A game in progress with an observer for each seat and one for watchers. What each observer sees is decided by the runtime's
//! `view::event_stream`.

use crate::protocol::OutcomeKind;
use crate::table_view::Looks;
use crate::words::log::ending;
use crate::words::phrases::Speaker;
use fizzle_ir::CompiledGame;
use fizzle_runtime::game::{MatchContext, RecordedAnswer, RecordedGame, SeatCards, StartError, start_game};
use fizzle_runtime::program::Program;
use fizzle_runtime::trace::Trace;
use fizzle_runtime::view::event_stream::{self, Observer, ViewEvent};
use fizzle_runtime::view::look::look;
use fizzle_runtime::view::{DecisionView, View, decision_view, view_with};
use fizzle_runtime::vm::decision::{AnswerError, Decision, DecisionKind};
use fizzle_runtime::vm::machine::Machine;
use fizzle_runtime::vm::{Budget, Outcome, StepResult};
use std::collections::BTreeSet;
use std::sync::Arc;

/// The most objects that are observed in a game: at each decision all that exist, also where there is one answer only. Long games of four players
/// observe a million.
const MAX_OBSERVED: u64 = 4_000_000;

/// What a game begins with.
#[derive(Clone, Debug)]
pub enum GameStart {
    /// Decks, and the setup of the format.
    Decks {
        /// The cards, by seat.
        seats: Vec<SeatCards>,
        /// The seed.
        seed: u64,
        /// Its place in the match.
        context: MatchContext,
    },
    /// A position.
    Position(Box<Machine>),
}

/// Where a game has stopped.
#[derive(Clone, Debug)]
pub enum Stop {
    /// At a decision with several legal answers.
    Decision(Decision),
    /// At its end.
    Over(Outcome),
}

/// A game that is played at a table.
#[derive(Clone, Debug)]
pub struct Playing {
    start: GameStart,
    /// The game with all answers so far.
    pub game: RecordedGame,
    /// An observer for each viewer: the seats, watchers, and for a game that is read also who sees everything.
    observers: Vec<Observer>,
    /// Where it has stopped.
    pub stop: Stop,
    /// The answers that can be taken back, in order.
    pub answered: Vec<AnsweredDecision>,
    /// The seats whose decisions to act had one answer only, since the last [`Playing::take_forced`].
    forced: BTreeSet<usize>,
    /// The objects that were observed.
    observed: u64,
    /// The most objects that are observed.
    max_observed: u64,
}

/// An answer that can be taken back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnsweredDecision {
    /// Who answered.
    pub seat: usize,
    /// The number of recorded answers before it.
    pub before: usize,
    /// What [`Machine::disclosures`](fizzle_runtime::vm::machine::Machine::disclosures) was before it.
    pub disclosures: u64,
}

impl Playing {
    /// Begins a game, and advances to its first decision.
    ///
    /// # Errors
    /// [`StartError`]: the decks do not fit the program.
    pub fn begin(program: &Arc<Program>, start: GameStart) -> Result<Self, StartError> {
        Self::begin_for(program, start, 0..=program.players())
    }

    /// As [`Playing::begin`], with an observer for each of these viewers, which include all seats.
    ///
    /// # Errors
    /// [`StartError`]: the decks do not fit the program.
    pub fn begin_for(
        program: &Arc<Program>,
        start: GameStart,
        viewers: impl IntoIterator<Item = usize>,
    ) -> Result<Self, StartError> {
        Self::begin_limited(program, start, viewers, MAX_OBSERVED)
    }

    /// As [`Playing::begin_for`], with another limit of the objects that are observed.
    ///
    /// # Errors
    /// [`StartError`]: the decks do not fit the program.
    fn begin_limited(
        program: &Arc<Program>,
        start: GameStart,
        viewers: impl IntoIterator<Item = usize>,
        max_observed: u64,
    ) -> Result<Self, StartError> {
        let mut machine = match &start {
            GameStart::Decks { seats, seed, context } => start_game(Arc::clone(program), seats, *seed, *context)?,
            GameStart::Position(machine) => (**machine).clone(),
        };
        let observers = viewers.into_iter().map(|viewer| Observer::new(&mut machine, viewer)).collect();
        let stop = Stop::Over(Outcome::Drawn);
        let mut playing = Self {
            start,
            game: RecordedGame::new(machine),
            observers,
            stop,
            answered: Vec::new(),
            forced: BTreeSet::new(),
            observed: 0,
            max_observed,
        };
        playing.advance();
        Ok(playing)
    }

    /// Advances to the next decision with several legal answers, or to the end. Records the forced answers. The first decision of a position is
    /// never answered, so that the position is seen. A game in which more objects are observed than the limit is void ([`Budget::Observed`]).
    fn advance(&mut self) {
        loop {
            let is_position = matches!(self.start, GameStart::Position(_)) && self.game.answers.is_empty();
            let decision = match event_stream::follow(&mut self.game.machine, &mut self.observers) {
                StepResult::Decision(decision) => decision,
                StepResult::Over(outcome) => {
                    self.stop = Stop::Over(outcome);
                    break;
                }
            };
            self.observed = self.observed.saturating_add(self.game.machine.state.slots() as u64);
            if self.observed > self.max_observed {
                self.stop = Stop::Over(Outcome::Budget(Budget::Observed));
                break;
            }
            let forced = decision.forced().filter(|_| !is_position);
            let forced = forced.filter(|picks| self.put_answer(&decision, picks).is_ok());
            if forced.is_some() && decision.kind == DecisionKind::Act {
                self.forced.insert(decision.player);
            }
            if forced.is_none() {
                self.stop = Stop::Decision(decision);
                break;
            }
        }
        event_stream::forget_observed(&mut self.game.machine, &mut self.observers);
    }

    fn put_answer(&mut self, decision: &Decision, picks: &[u32]) -> Result<(), AnswerError> {
        event_stream::answer(&mut self.game.machine, &mut self.observers, decision, picks)?;
        self.game.record(&RecordedAnswer::new(decision, picks));
        Ok(())
    }

    /// Answers the pending decision, and advances.
    ///
    /// # Errors
    /// [`AnswerError`]: why the answer is not legal. The game is then unchanged.
    pub fn answer(&mut self, picks: &[u32]) -> Result<(), AnswerError> {
        let Stop::Decision(decision) = &self.stop else { return Err(AnswerError::NoDecisionPending) };
        let decision = decision.clone();
        let (before, disclosures) = (self.game.answers.len(), self.game.machine.disclosures());
        self.put_answer(&decision, picks)?;
        self.answered.push(AnsweredDecision { seat: decision.player, before, disclosures });
        self.game.decisions += 1;
        self.advance();
        Ok(())
    }

    /// As [`Playing::answer`], for a seat that did not decide itself: the answer is not taken back on its own.
    ///
    /// # Errors
    /// [`AnswerError`], as there.
    pub fn answer_automatically(&mut self, picks: &[u32]) -> Result<(), AnswerError> {
        self.answer(picks)?;
        self.answered.pop();
        Ok(())
    }

    /// The seats for which decisions to act were answered because there was one answer only, since the last call.
    pub fn take_forced(&mut self) -> BTreeSet<usize> {
        std::mem::take(&mut self.forced)
    }

    /// Concedes the game for a player. Returns `false` if the player takes no part any more, or the game is over.
    pub fn concede(&mut self, seat: usize) -> bool {
        let done = matches!(self.stop, Stop::Decision(_)) && self.game.concede(seat);
        if done {
            self.advance();
        }
        done
    }

    /// The pending decision.
    #[must_use]
    pub fn decision(&self) -> Option<&Decision> {
        match &self.stop {
            Stop::Decision(decision) => Some(decision),
            Stop::Over(_) => None,
        }
    }

    /// The outcome, if the game is over.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        match self.stop {
            Stop::Over(outcome) => Some(outcome),
            Stop::Decision(_) => None,
        }
    }

    /// How the game ended, the seat that has won, and both in words, with the name of the budget that it exceeded; `None` while it continues.
    #[must_use]
    pub fn ending(&self, game: &CompiledGame, speaker: &Speaker) -> Option<(OutcomeKind, Option<usize>, String)> {
        let outcome = self.outcome()?;
        let (kind, by) = match outcome {
            Outcome::Won(seat) => (OutcomeKind::Won, Some(seat)),
            Outcome::Drawn => (OutcomeKind::Drawn, None),
            Outcome::Budget(_) => (OutcomeKind::Void, None),
        };
        let words = speaker.outcome(kind, by);
        if let Outcome::Budget(budget) = outcome {
            return Some((kind, by, format!("{words} ({})", budget.name())));
        }
        let is_conceded = self.game.answers.last().is_some_and(|last| last.is_concession());
        let how = ending(game, &self.game.machine, speaker.lang);
        let is_explained = !is_conceded && !how.is_empty();
        Some((kind, by, if is_explained { format!("{words} ({how})") } else { words }))
    }

    /// The number of viewers: the seats and the watchers.
    #[must_use]
    pub fn viewers(&self) -> usize {
        self.observers.len()
    }

    fn observer_mut(&mut self, viewer: usize) -> Option<&mut Observer> {
        self.observers.iter_mut().find(|observer| observer.viewer() == viewer)
    }

    /// The view of a seat, or of watchers.
    pub fn view(&mut self, viewer: usize) -> View {
        match self.observers.iter_mut().find(|observer| observer.viewer() == viewer) {
            Some(observer) => view_with(&mut self.game.machine, viewer, observer.handles_mut()),
            None => View::default(),
        }
    }

    /// The pending decision as its player sees it.
    #[must_use]
    pub fn question(&self) -> Option<DecisionView> {
        let decision = self.decision()?;
        let observer = self.observer(decision.player)?;
        Some(decision_view(&self.game.machine, decision.player, observer.handles(), decision))
    }

    /// The looks of the objects of a view, by handle.
    pub fn looks(&mut self, viewer: usize, view: &View) -> Looks {
        let mut looks = Looks::new();
        let Some(observer) = self.observers.iter().find(|observer| observer.viewer() == viewer) else { return looks };
        for it in view.zones.iter().flat_map(|zone| &zone.objects) {
            let object = observer.handles().object(it.handle);
            if let Some(look) = object.and_then(|object| look(&mut self.game.machine, viewer, object)) {
                looks.insert(it.handle, look);
            }
        }
        looks
    }

    /// The events that a viewer saw since the last call.
    pub fn take_events(&mut self, viewer: usize) -> Vec<ViewEvent> {
        self.observer_mut(viewer).map(Observer::take_events).unwrap_or_default()
    }

    /// The observer of a viewer.
    #[must_use]
    pub fn observer(&self, viewer: usize) -> Option<&Observer> {
        self.observers.iter().find(|observer| observer.viewer() == viewer)
    }

    /// Plays the game again up to a number of answers, from a record of them. Stops earlier where an answer is no longer legal.
    ///
    /// # Errors
    /// [`StartError`]: the decks do not fit the program.
    pub fn replay(program: &Arc<Program>, start: GameStart, answers: &[RecordedAnswer]) -> Result<Self, StartError> {
        let mut playing = Self::begin(program, start)?;
        // Forced answers are repeated as the game advances.
        while let Some(next) = answers.get(playing.game.answers.len()) {
            if !playing.repeat(next) {
                break;
            }
        }
        Ok(playing)
    }

    /// Repeats a recorded answer. Returns `false` if the pending decision is another one than that was answered, or the answer is not legal.
    pub fn repeat(&mut self, recorded: &RecordedAnswer) -> bool {
        if recorded.is_concession() {
            return self.concede(usize::from(recorded.player));
        }
        let fits = self.decision().is_some_and(|decision| RecordedAnswer::new(decision, &recorded.picks) == *recorded);
        fits && self.answer(&recorded.picks).is_ok()
    }

    /// The number of the turn in which the game has begun.
    #[must_use]
    pub fn first_turn(&self) -> u32 {
        if let GameStart::Position(machine) = &self.start { machine.state.turn() } else { 0 }
    }

    /// What the game began with.
    #[must_use]
    pub fn start(&self) -> &GameStart {
        &self.start
    }

    /// The trace of the game so far; `None` if it has begun in a position, which a trace cannot hold.
    #[must_use]
    pub fn trace(&self, game: &str) -> Option<Vec<u8>> {
        match &self.start {
            GameStart::Decks { seats, seed, .. } => {
                Some(Trace::new(game, &self.game.machine, seats, *seed, self.game.answers.iter().collect()).encode())
            }
            GameStart::Position(_) => None,
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used, reason = "tests")]
mod tests {
    use super::*;
    use fizzle_compiler::{SourceFile, compile_with};
    use fizzle_runtime::game::seat_cards;

    /// A game in which too many objects are observed ends with the name of that limit, and continues under a higher one.
    #[test]
    fn a_limited_number_of_objects_is_observed() {
        let packs = fizzle::shipped::lineage("duel_masters").into_iter();
        let files = packs.flat_map(|pack| fizzle::Pack::shipped_sources(pack).unwrap());
        let files = files.map(|(path, text)| SourceFile { path, text }).collect();
        let game = compile_with(files, false).artifact.unwrap().games.remove(0);
        let index = game.formats.iter().position(|format| format.name == "duel_masters").unwrap();
        let deck = game.decks.first().unwrap();
        let pool: Vec<_> = deck.sections.iter().flat_map(|(_, cards)| cards).map(|(_, card)| *card).collect();
        let program = Arc::new(Program::link_for(&game, index, &pool, 2).unwrap());
        let begin = |max_observed| {
            let seats = vec![seat_cards(&program, deck); 2];
            let start = GameStart::Decks { seats, seed: 3, context: MatchContext::default() };
            Playing::begin_limited(&program, start, 0..=2, max_observed).unwrap()
        };
        let within = begin(MAX_OBSERVED);
        assert!(within.decision().is_some() && within.observed >= 80);
        let exactly = begin(within.observed);
        assert!(exactly.decision().is_some());
        let mut ended = begin(within.observed - 1);
        assert_eq!(ended.outcome(), Some(Outcome::Budget(Budget::Observed)));
        assert_eq!(ended.answer(&[0]), Err(AnswerError::NoDecisionPending));
        let speaker = Speaker { lang: crate::protocol::Lang::En, ..Speaker::default() };
        let (kind, by, words) = ended.ending(&game, &speaker).unwrap();
        assert_eq!((kind, by), (OutcomeKind::Void, None));
        assert_eq!(words, "The game is void: it exceeded a limit (observed objects)");
    }
}
