//! Reading a recorded game: each decision as a step, and the position at any of them as a viewer sees it.

use crate::ask;
use crate::face::cards_of;
use crate::layout;
use crate::playing::{GameStart, Playing};
use crate::protocol::{Ask, Event, Lang, ReplayInfo, ReplayPosition, ReplayStep};
use crate::table::{SetupError, Table, TableSetup};
use crate::table_view::{PackIndex, table_view};
use crate::words::log::EventLog;
use crate::words::phrases::Speaker;
use fizzle_ir::CompiledGame;
use fizzle_runtime::game::{RecordedAnswer, StartError};
use fizzle_runtime::program::Program;
use fizzle_runtime::trace::{Trace, TraceError};
use fizzle_runtime::view::{View, seat_name};
use fizzle_runtime::vm::decision::{Decision, DecisionKind};
pub use fizzle_runtime::vm::knowledge::ALL_SEEING;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The most steps of a game that is read. Games have some hundred.
const MAX_STEPS: usize = 10_000;
/// The most positions that are kept, so that going back does not play the game from its beginning.
const MAX_KEPT: usize = 32;

/// Why a trace cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// The trace does not fit the pack.
    #[error("{0}")]
    Trace(#[from] TraceError),
    /// The game does not start.
    #[error("{0}")]
    Start(#[from] StartError),
    /// The game is too long.
    #[error("the game has more than {MAX_STEPS} decisions")]
    TooLong,
}

/// A position of the game, with the logs of its viewers.
#[derive(Clone, Debug)]
struct Position {
    /// The number of steps before it.
    step: usize,
    playing: Playing,
    logs: Vec<EventLog>,
}

/// What a viewer saw happen up to a decision, and the answer to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Passage {
    /// What happened since the decision before, in words.
    pub events: Vec<Event>,
    /// The number of the turn at its end.
    pub turn: u32,
    /// The number of recorded answers before its end; those of which there was only one are counted too.
    pub answers: usize,
    /// The decision and its answer; `None` after the last decision, and if the viewer is another seat than that which decides.
    pub step: Option<ReplayStep>,
}

/// What is written while a game is read: for which viewer, and where to.
type Reader<'r> = Option<(usize, &'r Speaker, &'r mut Vec<Event>)>;

/// A recorded game.
#[derive(Debug)]
pub struct Replay {
    game: Arc<CompiledGame>,
    program: Arc<Program>,
    index: PackIndex,
    answers: Vec<RecordedAnswer>,
    /// The number of steps.
    steps: usize,
    kept: Vec<Position>,
    /// The decision at which the rules now lead to another game.
    differs_at: Option<usize>,
}

impl Replay {
    /// Plays a trace. A trace of other rules is read as far as its answers are legal.
    ///
    /// # Errors
    /// [`ReplayError`]: the trace names what the pack does not have, or is too long.
    pub fn new(game: &Arc<CompiledGame>, trace: &Trace) -> Result<Self, ReplayError> {
        let (program, seats) = trace.link(game)?;
        let start = GameStart::Decks { seats, seed: trace.seed()?, context: trace.match_context() };
        let playing = Playing::begin_for(&program, start, Self::viewers_of(&program))?;
        let logs = vec![EventLog::new(&program, 0); playing.viewers()];
        let mut replay = Self {
            game: Arc::clone(game),
            index: PackIndex::new(game),
            program,
            answers: trace.answers.clone(),
            steps: 0,
            kept: Vec::new(),
            differs_at: None,
        };
        let mut position = Position { step: 0, playing, logs };
        let mut spacing = 8;
        loop {
            if position.step.is_multiple_of(spacing) {
                replay.kept.push(position.clone());
            }
            if replay.kept.len() > MAX_KEPT {
                spacing *= 2;
                replay.kept.retain(|kept| kept.step.is_multiple_of(spacing));
            }
            let before = position.playing.game.answers.len();
            if position.playing.decision().is_none() || before >= replay.answers.len() {
                break;
            }
            if replay.steps >= MAX_STEPS {
                return Err(ReplayError::TooLong);
            }
            if !replay.forward(&mut position, None) {
                replay.differs_at = Some(replay.steps);
                break;
            }
            replay.steps += 1;
        }
        Ok(replay)
    }

    /// Gives the recorded answer to the pending decision. Returns the events of a viewer in words, if one is given; returns `false`
    /// if the answer is not legal.
    fn forward(&self, position: &mut Position, mut reader: Reader<'_>) -> bool {
        let before = position.playing.game.answers.len();
        let Some(next) = self.answers.get(before) else { return false };
        let is_done = position.playing.repeat(next);
        // Also the answers that followed because there was no other one must be those that are recorded.
        let after = position.playing.game.answers.len();
        let recorded = self.answers.get(before..).unwrap_or_default();
        let is_done =
            is_done && position.playing.game.answers.range(before..after).zip(recorded).all(|(one, other)| one == *other);
        if is_done {
            position.step += 1;
            self.read_events(position, &mut reader);
        }
        is_done
    }

    /// Those whose view of the game can be read: the seats, watchers, and [`ALL_SEEING`].
    fn viewers_of(program: &Program) -> impl Iterator<Item = usize> + use<> {
        (0..=program.players()).chain([ALL_SEEING])
    }

    fn read_events(&self, position: &mut Position, reader: &mut Reader<'_>) {
        let quiet = Speaker::default();
        for (viewer, log) in Self::viewers_of(&self.program).zip(&mut position.logs) {
            let items = position.playing.take_events(viewer);
            match reader {
                Some((wanted, speaker, events)) if *wanted == viewer => {
                    **events = log.write(&items, speaker, &self.program, &self.game);
                }
                _ => drop(log.write(&items, &quiet, &self.program, &self.game)),
            }
        }
    }

    /// The position before a step.
    fn position_at(&self, step: usize) -> Option<Position> {
        let mut position = self.kept.iter().rfind(|kept| kept.step <= step)?.clone();
        while position.step < step && self.forward(&mut position, None) {}
        Some(position)
    }

    /// The number of steps. The position after the last one has this number.
    #[must_use]
    pub fn len(&self) -> usize {
        self.steps
    }

    /// Whether the game has no decision.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.steps == 0
    }

    fn speaker(lang: Lang) -> Speaker {
        Speaker { lang, ..Speaker::default() }
    }

    /// The game as a list of its decisions, each with its answer in words.
    #[must_use]
    pub fn info(&self, lang: Lang) -> ReplayInfo {
        let format = &self.program.format;
        let speaker = Self::speaker(lang);
        let mut steps = Vec::new();
        if let Some(mut position) = self.position_at(0) {
            loop {
                let decider = position.playing.decision().map(|decision| decision.player);
                steps.extend(decider.and_then(|seat| self.step_info(&mut position, seat, &speaker)));
                if position.step >= self.steps || !self.forward(&mut position, None) {
                    break;
                }
            }
        }
        ReplayInfo {
            format: format.name.clone(),
            title: format.shown_title().to_owned(),
            players: (0..self.program.players()).map(seat_name).collect(),
            steps,
            layout: layout::of_format(&self.game, format, lang),
            spans: layout::spans(&self.game, format, lang),
            outcome: self.outcome(lang),
        }
    }

    /// The whole game as a viewer saw it: for each step what happened before it and its answer, and what happened after the last one.
    /// Empty if there is no such viewer.
    #[must_use]
    pub fn passages(&self, viewer: usize, lang: Lang) -> Vec<Passage> {
        let speaker = Self::speaker(lang);
        let mut passages = Vec::new();
        let Some(mut position) = self.position_at(0).filter(|_| self.has_viewer(viewer)) else { return passages };
        let mut events = Vec::new();
        self.read_events(&mut position, &mut Some((viewer, &speaker, &mut events)));
        loop {
            let knows = |decision: &Decision| viewer == ALL_SEEING || viewer == decision.player;
            let is_known = position.playing.decision().is_some_and(knows);
            let step = if is_known { self.step_info(&mut position, viewer, &speaker) } else { None };
            let (turn, answers) = (position.playing.game.machine.state.turn(), position.playing.game.answers.len());
            passages.push(Passage { events: std::mem::take(&mut events), turn, answers, step });
            if position.step >= self.steps || !self.forward(&mut position, Some((viewer, &speaker, &mut events))) {
                return passages;
            }
        }
    }

    /// The seat that decides at a step, also if the trace has no answer any more; `None` if the game is over there, or there is no such step.
    #[must_use]
    pub fn decider(&self, step: usize) -> Option<usize> {
        let position = self.position_at(step).filter(|position| position.step == step)?;
        position.playing.decision().map(|decision| decision.player)
    }

    fn has_viewer(&self, viewer: usize) -> bool {
        viewer <= self.program.players() || viewer == ALL_SEEING
    }

    /// A table at which the game continues with the decision of a step.
    ///
    /// # Errors
    /// [`SetupError`] if there is no such step, or the setup has another number of seats.
    pub fn table(&self, setup: TableSetup, step: usize) -> Result<Table, SetupError> {
        let position = self.position_at(step).filter(|position| position.step == step);
        let position = position.ok_or_else(|| SetupError("the game has no such decision".to_owned()))?;
        let answers: Vec<RecordedAnswer> = position.playing.game.answers.iter().collect();
        Table::resume(setup, position.playing.start().clone(), &answers)
    }

    /// How the game ended, or why it is not read further.
    #[must_use]
    pub fn outcome(&self, lang: Lang) -> String {
        let speaker = Self::speaker(lang);
        let ending = self.position_at(self.steps).and_then(|position| position.playing.ending(&self.game, &speaker));
        match ending {
            Some((.., words)) => words,
            None if self.differs_at.is_some() => speaker
                .say("the rules now lead to another game from here on", "今のルールでは、ここから別のゲームになる")
                .to_owned(),
            None => speaker.say("the trace ends here", "記録はここで終わる").to_owned(),
        }
    }

    /// The pending decision of a position and its answer, as a viewer sees them. `None` after the last step.
    fn step_info(&self, position: &mut Position, viewer: usize, speaker: &Speaker) -> Option<ReplayStep> {
        let decision = position.playing.decision()?.clone();
        let before = position.playing.game.answers.len();
        let next = self.answers.get(before).filter(|_| position.step < self.steps)?;
        let view = position.playing.view(viewer);
        let (turn, span) = (view.turn, view.span.clone());
        let label = layout::span_label(&self.game, &self.program.format, &span, speaker.lang);
        let pending = ask::ask(0, &position.playing, &decision, &view, &self.game, speaker)?;
        let words = if next.is_concession() {
            speaker.say("concedes", "投了").to_owned()
        } else {
            answer_words(&decision, &view, &pending, next, speaker)
        };
        let words = if words.is_empty() { speaker.say("nothing", "なし").to_owned() } else { words };
        let seat = if next.is_concession() { usize::from(next.player) } else { decision.player };
        let kind = ask::kind(decision.kind);
        let passes = !next.is_concession() && ask::pass(&decision).is_some_and(|pass| pass == next.picks);
        Some(ReplayStep { turn, span, label, seat, kind, words, prompt: pending.prompt, passes, answer: before + 1 })
    }

    /// The position before a step, as a viewer sees it: a seat, the number of seats for what is public, or [`ALL_SEEING`]. The decision and
    /// what was picked are part of it for the seat that decides. Without one after the last step. `None` if there is no such step.
    #[must_use]
    pub fn position(&self, step: usize, viewer: usize, lang: Lang) -> Option<ReplayPosition> {
        if step > self.steps || !self.has_viewer(viewer) {
            return None;
        }
        let speaker = Self::speaker(lang);
        let mut position = self.position_at(step.saturating_sub(1))?;
        let mut events = Vec::new();
        if step > 0 {
            self.forward(&mut position, Some((viewer, &speaker, &mut events)));
        } else {
            self.read_events(&mut position, &mut Some((viewer, &speaker, &mut events)));
        }
        let view = position.playing.view(viewer);
        let looks = position.playing.looks(viewer, &view);
        let shown = table_view(&view, (&self.game, &self.program), &self.index, &looks, lang);
        let decision = position.playing.decision().filter(|_| view.decision.is_some() && step < self.steps);
        let pending =
            decision.and_then(|decision| ask::ask(step as u64, &position.playing, decision, &view, &self.game, &speaker));
        let next = self.answers.get(position.playing.game.answers.len()).filter(|next| !next.is_concession());
        let picks = match (&pending, next, &view.decision) {
            (Some(_), Some(next), Some(question)) => question.options_of(&next.picks),
            _ => Vec::new(),
        };
        let cards = cards_of(&shown, &events, &mut BTreeSet::new(), &self.index, (&self.game, &self.program), lang);
        Some(ReplayPosition { n: step, view: shown, ask: pending, picks, events, cards })
    }
}

/// A recorded answer in words; empty for an answer without picks. Objects have the numbers that the viewer knows them by.
fn answer_words(decision: &Decision, view: &View, pending: &Ask, answer: &RecordedAnswer, speaker: &Speaker) -> String {
    let Some(question) = &view.decision else { return String::new() };
    let picks = || question.options_of(&answer.picks);
    let joined = |words: Vec<String>| words.join(", ");
    let plain_name = |handle: u32| {
        let mut objects = view.zones.iter().flat_map(|zone| &zone.objects);
        objects.find(|it| it.handle == handle).map_or_else(String::new, |it| it.name.clone())
    };
    let name = |handle: u32| match plain_name(handle) {
        name if name.is_empty() => format!("#{handle}"),
        name => format!("{name} #{handle}"),
    };
    // Behind the name the label has what distinguishes it from the other options; the number does so too.
    let numbered = |pick: u32| {
        let (option, shown) = (pending.options.get(pick as usize)?, question.options.get(pick as usize)?);
        let is_longer = option.label.starts_with(&shown.label) && !shown.label.is_empty();
        let other = option.with.map(&name).or_else(|| option.seat.map(|seat| speaker.player(seat)));
        Some(match (option.on, other) {
            (Some(handle), Some(other)) => format!("{} → {other}", name(handle)),
            (Some(handle), None) if is_longer => format!("{} #{handle}", shown.label),
            (Some(handle), None) if matches!(decision.kind, DecisionKind::Trigger | DecisionKind::Replacement) => {
                ask::numbered_label(&option.label, &plain_name(handle), &format!("#{handle}"))
            }
            _ => option.label.clone(),
        })
    };
    match decision.kind {
        DecisionKind::Number => answer.picks.first().map(|number| (*number as i32).to_string()).unwrap_or_default(),
        DecisionKind::Divide => {
            let shares = picks();
            joined(pending.options.iter().zip(&shares).map(|(option, share)| format!("{} {share}", option.label)).collect())
        }
        _ => joined(picks().into_iter().filter_map(numbered).collect()),
    }
}
