//! Games in progress: from decision to decision.

use crate::decision::{Answer, Decision};
use crate::{Deck, Error, Format, Pack, View};
use fizzle_runtime::game::{MatchContext, RecordedGame, SeatCards, start_game};
use fizzle_runtime::program::Program;
use fizzle_runtime::trace::{self, Trace};
use fizzle_runtime::view::{self, DecisionView, Handles, answer_refusal_text, view_with};
use fizzle_runtime::vm::decision::{self as machine, Choice};
use fizzle_runtime::vm::{self, StepResult};
use serde::{Deserialize, Serialize};
use std::fmt;
use std::sync::{Arc, OnceLock};

/// How a game ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Outcome {
    /// The player in this seat, from 0, has won.
    Won(usize),
    /// No player has won.
    Drawn,
    /// The game is void: it took more operations, objects, decisions or turns than a game may take. Rules and cards of strangers cannot make
    /// it run for ever.
    Void,
}

impl Outcome {
    pub(crate) fn new(outcome: vm::Outcome) -> Self {
        match outcome {
            vm::Outcome::Won(seat) => Self::Won(seat),
            vm::Outcome::Drawn => Self::Drawn,
            vm::Outcome::Budget(_) => Self::Void,
        }
    }
}

/// A game in progress, or over.
///
/// A game stops at each decision that has at least two legal answers; a decision with only one is answered by the game itself. All that
/// happens follows from the pack, the decks, the seed and the answers. A clone is independent of its original.
#[derive(Clone)]
pub struct Game {
    format: Format,
    seats: Vec<SeatCards>,
    seed: u64,
    recorded: RecordedGame,
    /// The handles of each seat.
    handles: Vec<Handles>,
    /// Where the game has stopped.
    step: StepResult,
    /// The pending decision as its player sees it, computed when it is first read.
    pending: OnceLock<(DecisionView, Decision)>,
}

/// A play, or an object, that the player who must answer cannot choose now.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct RefusedPlay {
    /// The name of the play; empty for an ability without a name, and for an object that cannot be chosen.
    pub play: String,
    /// The player's handle of its object; `None` for a play without one.
    pub handle: Option<u32>,
    /// The name of this object; empty for a play without one.
    pub name: String,
    /// Why it cannot be chosen, in words. Shows nothing that is hidden from the player.
    pub reason: String,
    /// The rule that forbids it, as a scenario names it after `because`; empty if it is hidden or has no name.
    pub rule: String,
    /// The file and line of this rule, `file:line`; empty if it is hidden.
    pub place: String,
}

impl Game {
    /// Starts a game with one deck for each seat, and advances to its first decision. The seed decides all that is left to chance.
    ///
    /// Decks need not be legal: [`Format::check_deck`] reports problems. Sections for which the game has no zone stay outside of it.
    ///
    /// # Errors
    /// [`Error::Unknown`] if a card does not exist; [`Error::Start`] if the format does not take so many decks, or so many cards.
    pub fn start(format: &Format, decks: &[Deck], seed: u64) -> Result<Self, Error> {
        let (program, seats) = format.set_up(decks)?;
        Self::begin(format.clone(), program, seats, seed, MatchContext::default())
    }

    fn begin(
        format: Format,
        program: Arc<Program>,
        seats: Vec<SeatCards>,
        seed: u64,
        context: MatchContext,
    ) -> Result<Self, Error> {
        let machine = start_game(program, &seats, seed, context).map_err(|error| Error::Start(error.into()))?;
        let handles = vec![Handles::default(); seats.len()];
        let mut recorded = RecordedGame::new(machine);
        let step = recorded.advance();
        let mut game = Self { format, seats, seed, recorded, handles, step, pending: OnceLock::new() };
        game.update_handles();
        Ok(game)
    }

    /// Advances to the next decision, after an answer.
    fn advance(&mut self) {
        self.step = self.recorded.advance();
        self.pending = OnceLock::new();
        self.update_handles();
    }

    /// Gives handles to what each player can identify now. At each decision, so that handles do not depend on when views are read.
    fn update_handles(&mut self) {
        self.recorded.machine.world();
        for (seat, handles) in self.handles.iter_mut().enumerate() {
            handles.update(&self.recorded.machine, seat);
        }
    }

    /// The format that is played.
    #[must_use]
    pub fn format(&self) -> &Format {
        &self.format
    }

    /// The number of seats.
    #[must_use]
    pub fn seats(&self) -> usize {
        self.seats.len()
    }

    /// The number of the turn, from 1; 0 before the first one.
    #[must_use]
    pub fn turn(&self) -> u32 {
        self.recorded.machine.state.turn()
    }

    /// The number of decisions that were answered so far, without those that had only one legal answer.
    #[must_use]
    pub fn decisions(&self) -> u64 {
        self.recorded.decisions
    }

    /// How the game ended; `None` while it is in progress.
    #[must_use]
    pub fn outcome(&self) -> Option<Outcome> {
        self.recorded.machine.outcome().map(Outcome::new)
    }

    /// A hash of the position. Equal positions have equal hashes, on every machine.
    #[must_use]
    pub fn position_hash(&self) -> u64 {
        self.recorded.machine.state.board_hash(&self.recorded.machine.program)
    }

    /// The decision that the game waits for, as its player sees it; `None` if the game is over. It always has at least two legal answers.
    ///
    /// Show it to that player only: its options can name cards that are hidden from the others.
    #[must_use]
    pub fn decision(&self) -> Option<&Decision> {
        self.pending().map(|(_, _, decision)| decision)
    }

    /// The pending decision: of the machine, as its player sees it, and as plain data.
    fn pending(&self) -> Option<(&machine::Decision, &DecisionView, &Decision)> {
        let StepResult::Decision(decision) = &self.step else { return None };
        let (view, plain) = self.pending.get_or_init(|| {
            let view = self.machine_view(decision.player).decision.unwrap_or_default();
            let plain = Decision::new(decision, &view, self.format.game());
            (view, plain)
        });
        Some((decision, view, plain))
    }

    /// The view of a seat. Views refresh caches, so they are made on a copy.
    fn machine_view(&self, seat: usize) -> view::View {
        let mut handles = self.handles.get(seat).cloned().unwrap_or_default();
        view_with(&mut self.recorded.machine.clone(), seat, &mut handles)
    }

    /// What the player in a seat may see now.
    ///
    /// # Errors
    /// [`Error::Seat`] if there is no such seat.
    pub fn view(&self, seat: usize) -> Result<View, Error> {
        self.check_seat(seat)?;
        Ok(View::new(self.machine_view(seat), &self.format.game().library, self.outcome()))
    }

    fn check_seat(&self, seat: usize) -> Result<(), Error> {
        if seat < self.seats() { Ok(()) } else { Err(Error::Seat { seat, seats: self.seats() }) }
    }

    /// Answers the pending decision, and advances to the next one or to the end of the game. One option can be given by its index alone:
    /// `game.answer(0)`.
    ///
    /// # Errors
    /// [`Error::Answer`] if the answer is not legal, or the game is over. The game is then unchanged.
    pub fn answer(&mut self, answer: impl Into<Answer>) -> Result<(), Error> {
        let answer = answer.into();
        let over = || Error::Answer("the game is over".to_owned());
        let (decision, view, plain) = self.pending().ok_or_else(over)?;
        let picks = plain.picks(&answer, view).map_err(Error::Answer)?;
        let decision = decision.clone();
        let refused = self.recorded.answer(&decision, &picks);
        refused.map_err(|refusal| {
            Error::Answer(answer_refusal_text(&self.recorded.machine, decision.player, &decision, &refusal))
        })?;
        self.advance();
        Ok(())
    }

    /// A legal answer to the pending decision that does as little as possible: pass, no, the smallest number, the fewest options. Never
    /// takes an announcement back if there is something else. `None` if the game is over, or if no legal declaration could be found.
    #[must_use]
    pub fn minimal_answer(&self) -> Option<Answer> {
        let (decision, view, _) = self.pending()?;
        let picks = match decision.kind {
            machine::DecisionKind::Number => vec![decision.min as u32],
            machine::DecisionKind::Divide => decision.default_division(0),
            machine::DecisionKind::Assign => decision.proposal()?,
            _ => fewest_picks(decision),
        };
        Some(Answer::from_picks(decision, &picks, view))
    }

    /// An answer in the machine's picks, in the words of the player.
    pub(crate) fn answer_of(&self, choose: impl FnOnce(&vm::Machine, &machine::Decision) -> Vec<u32>) -> Option<Answer> {
        let (decision, view, _) = self.pending()?;
        Some(Answer::from_picks(decision, &choose(&self.recorded.machine, decision), view))
    }

    /// Concedes the game for a player, regardless of who must answer now. Other players than the last one continue.
    ///
    /// # Errors
    /// [`Error::Seat`] if there is no such seat; [`Error::Answer`] if the game is over, or the player takes no part any more.
    pub fn concede(&mut self, seat: usize) -> Result<(), Error> {
        self.check_seat(seat)?;
        if !self.recorded.concede(seat) {
            return Err(Error::Answer("the player takes no part in the game any more".to_owned()));
        }
        self.advance();
        Ok(())
    }

    /// Why the player who must answer cannot choose other plays: those of the cards that the player knows. Empty if the decision is not
    /// [`DecisionKind::Act`](crate::DecisionKind::Act), since the options are then all there is.
    #[must_use]
    pub fn why_not(&self) -> Vec<RefusedPlay> {
        let StepResult::Decision(decision) = &self.step else { return Vec::new() };
        let Some(handles) = self.handles.get(decision.player) else { return Vec::new() };
        if decision.kind != machine::DecisionKind::Act {
            return Vec::new();
        }
        let refused = view::refusals(&mut self.recorded.machine.clone(), handles, decision).into_iter();
        refused
            .map(|one| RefusedPlay {
                play: one.play,
                handle: one.handle,
                name: one.name,
                reason: one.why.words.to_string(),
                rule: one.why.path,
                place: one.why.place,
            })
            .collect()
    }

    /// Why the player who must answer cannot choose an object, by the player's handle for it: the conditions of the text that it does not
    /// fulfil, or what forbids it. `None` if it can be chosen, if the decision is no choice of a text, or if nothing is known about the object.
    #[must_use]
    pub fn why_not_chosen(&self, handle: u32) -> Option<RefusedPlay> {
        let StepResult::Decision(decision) = &self.step else { return None };
        let handles = self.handles.get(decision.player)?;
        let mut machine = self.recorded.machine.clone();
        let why = view::candidate_refusal(&mut machine, handles, decision, handle)?;
        let object = handles.object(handle)?;
        let name = view::object_name(&machine.program, &machine.state, object);
        Some(RefusedPlay {
            play: String::new(),
            handle: Some(handle),
            name,
            reason: why.words.to_string(),
            rule: why.path,
            place: why.place,
        })
    }

    /// The game so far: its format, decks, seed and answers. These are the bytes of a trace, which `fizzle replay` reads, too.
    #[must_use]
    pub fn save(&self) -> Vec<u8> {
        let answers = self.recorded.answers.iter().collect();
        Trace::new(&self.format.game().name, &self.recorded.machine, &self.seats, self.seed, answers).encode()
    }

    /// Plays a saved game again up to where it was saved. Bytes of a stranger are safe.
    ///
    /// # Errors
    /// [`Error::Load`] if the bytes are damaged, or if the rules of the pack now lead to another game; [`Error::Unknown`] if the pack does not
    /// have its format.
    pub fn load(pack: &Pack, bytes: &[u8]) -> Result<Self, Error> {
        let failed = |error: trace::TraceError| Error::Load(error.into());
        let trace = Trace::decode(bytes).map_err(failed)?;
        let format = pack.format(&trace.header.format)?;
        let (program, seats) = trace.link(format.game()).map_err(failed)?;
        // This compares each decision with the recorded one; the loop below then gives the players their handles.
        trace::replay(&trace, Arc::clone(&program), &seats).map_err(failed)?;
        let mut game = Self::begin(format, program, seats, trace.seed().map_err(failed)?, trace.match_context())?;
        while let Some(next) = trace.answers.get(game.recorded.answers.len()) {
            let StepResult::Decision(decision) = &game.step else { break };
            if next.is_concession() {
                game.recorded.concede(usize::from(next.player));
            } else {
                let refused = game.recorded.answer(decision, &next.picks);
                refused.map_err(|refusal| Error::Load(refusal.into()))?;
            }
            game.advance();
        }
        Ok(game)
    }
}

/// The fewest options, those that do least first.
fn fewest_picks(decision: &machine::Decision) -> Vec<u32> {
    let rank = |choice: &Choice| match choice {
        Choice::Pass | Choice::No => 0,
        Choice::PayNow => 1,
        Choice::Abandon => 3,
        _ => 2,
    };
    let mut options: Vec<(u8, u32)> = decision.options.iter().map(rank).zip(0..).collect();
    options.sort_unstable();
    let count = usize::try_from(decision.min).unwrap_or(0);
    let options = options.into_iter().map(|(_, option)| option);
    if decision.repeats { options.cycle().take(count).collect() } else { options.take(count).collect() }
}

impl fmt::Debug for Game {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = f.debug_struct("Game");
        text.field("format", &self.format.name()).field("turn", &self.turn()).field("outcome", &self.outcome());
        text.finish_non_exhaustive()
    }
}
