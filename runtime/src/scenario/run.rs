//! One run of a scenario: interprets the steps of its script; those that declare attackers, blockers and such are in `declarations.rs`.
//!
//! Decisions with one legal answer are *automatic*. A step that answers lets the run answer these until the decision comes that the
//! step is about. After its answer the game *settles*: it continues to the next decision to act, with several answers, or that the next
//! answering step of the script is about. Expectations, `let` and `refuse` read the game there and never advance it, so that what
//! they find does not depend on which of them are written. `A casts x`, `expect list is [x]`, `A, B pass` works whether or not the
//! players have other plays.

use super::ScenarioFailure;
use super::answers::could_answer;
use super::messages::reason_matches;
use crate::invariants::InvariantChecker;
use crate::ir::ObjectRef;
use crate::ir::cause;
use crate::ir::op::Source;
use crate::ir::scenario::{ExpectedValue, PositionEntry, Scenario, ScenarioStep, ScenarioStepKind, ScriptedAnswer};
use crate::ir::verbs::BEGIN;
use crate::ir::{FnId, Type};
use crate::matches::Match;
use crate::records::frame::{KIND, kind};
use crate::state::layout as at;
use crate::vm::budgets::Budget;
use crate::vm::commit_segment::EffectContext;
use crate::vm::decision::{Choice, Decision, DecisionKind};
use crate::vm::hooks::Obstacle;
use crate::vm::machine::{Machine, Outcome, Record, ScriptedCard, StepResult as Stepped};

/// The most work of one scenario: operations and work on derived values of all its decisions and expectations. Fifty decisions may use up their fuel.
const MAX_WORK: u64 = 1_000_000_000;

/// The maximum number of answers that the run gives before the decision of one step comes.
const MAX_AUTOMATIC_ANSWERS: usize = 5_000;

/// The most automatic answers that the message of a failure names.
const MAX_ANSWERS_NOTED: usize = 6;
/// The maximum number of automatic passes with an empty list before the decision of one step comes. `go to` has no such limit.
const MAX_IDLE_PASSES: usize = 200;

/// What a name of the scenario is bound to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoundName {
    /// Not bound yet.
    Unbound,
    /// A seat.
    Player(usize),
    /// The object in this slot of the state, in every zone that it moves to.
    Object(usize),
    /// The object has left the game.
    Gone,
    /// A number or another value.
    Value(i64),
}

impl BoundName {
    /// The current value as an argument of a pure function; 0 if it is unbound or has left the game.
    pub(super) fn value(self, machine: &Machine) -> i64 {
        match self {
            Self::Player(seat) => seat as i64,
            Self::Object(slot) => machine.state.current(slot).value(),
            Self::Value(value) => value,
            Self::Unbound | Self::Gone => 0,
        }
    }
}

/// At which decision the automatic answers stop, by the kind of the step.
#[derive(Clone, Copy)]
pub(super) enum StopCondition<'s> {
    /// A play.
    Act { player: usize, play: &'s str, object: Option<&'s ExpectedValue> },
    /// A pass.
    Pass { player: usize },
    /// A declaration.
    Assign { player: usize },
    /// A payment of a player.
    Pay { player: usize },
    /// An answer of a player, or of any player (`choosing`).
    Answer { player: Option<usize>, answer: &'s ScriptedAnswer },
}

impl<'s> StopCondition<'s> {
    /// The decision that a step is about; `None` if the step answers no decision.
    fn of_step(step: &'s ScenarioStepKind) -> Option<Self> {
        Some(match step {
            ScenarioStepKind::Act { player, play, object, .. } => {
                Self::Act { player: usize::from(*player), play, object: object.as_ref() }
            }
            ScenarioStepKind::Pass(players) => Self::Pass { player: usize::from(*players.first()?) },
            ScenarioStepKind::Answer { player, answer } => Self::Answer { player: Some(usize::from(*player)), answer },
            ScenarioStepKind::PayWith { player, .. } => Self::Pay { player: usize::from(*player) },
            ScenarioStepKind::Assign { player, .. } => Self::Assign { player: usize::from(*player) },
            _ => return None,
        })
    }
}

/// Whether a step lets the game continue. The others read the game, or announce something that comes later.
fn advances(step: &ScenarioStepKind) -> bool {
    match step {
        ScenarioStepKind::Start { .. }
        | ScenarioStepKind::GoTo { .. }
        | ScenarioStepKind::Act { .. }
        | ScenarioStepKind::Pass(_)
        | ScenarioStepKind::Concede(_)
        | ScenarioStepKind::Answer { .. }
        | ScenarioStepKind::PayWith { .. }
        | ScenarioStepKind::Assign { .. }
        | ScenarioStepKind::Match(_) => true,
        ScenarioStepKind::RefuseAnswer { .. }
        | ScenarioStepKind::Expect(_)
        | ScenarioStepKind::ExpectList(_)
        | ScenarioStepKind::ExpectDecision { .. }
        | ScenarioStepKind::ExpectChoices { .. }
        | ScenarioStepKind::ExpectEvents(_)
        | ScenarioStepKind::ExpectAllEvents(_)
        | ScenarioStepKind::ExpectNoEvents(_)
        | ScenarioStepKind::ExpectWindows { .. }
        | ScenarioStepKind::Refuse { .. }
        | ScenarioStepKind::RefuseAssign { .. }
        | ScenarioStepKind::Let { .. }
        | ScenarioStepKind::Chance(_)
        | ScenarioStepKind::ChanceShuffle(_)
        | ScenarioStepKind::ExpectDeck { .. }
        | ScenarioStepKind::ExpectFizzles { .. }
        | ScenarioStepKind::RefusePay { .. }
        | ScenarioStepKind::RemainingAnswers(_)
        | ScenarioStepKind::ExpectSees { .. }
        | ScenarioStepKind::ExpectSeen { .. } => false,
    }
}

/// What a step says is refused.
#[derive(Clone, Copy)]
enum Refused<'s> {
    /// A play of one of these objects.
    Play { play: &'s str, objects: &'s [ExpectedValue] },
    /// An answer.
    Answer(&'s ScriptedAnswer),
}

/// Adds to the failure of a step with several answers what its commas mean: `choosing a, b` answers two decisions.
fn with_comma_hint(failure: ScenarioFailure, answers: &[ScriptedAnswer]) -> ScenarioFailure {
    let named = answers.iter().filter(|answer| matches!(answer, ScriptedAnswer::Values(_))).count();
    if named < 2 {
        return failure;
    }
    let commas = "a comma in `choosing` leads to the next question; what is chosen for one question is joined by `and`: `choosing x and y`";
    ScenarioFailure { message: format!("{}; {commas}", failure.message), ..failure }
}

/// A scenario in progress.
pub(super) struct ScenarioRun<'s> {
    pub(super) machine: Machine,
    pub(super) scenario: &'s Scenario,
    pub(super) slots: Vec<BoundName>,
    pub(super) source: Source,
    /// The match that the game is part of.
    pub(super) current_match: Option<Match>,
    /// The names of the format and of all formats that it extends.
    pub(super) ancestors: Vec<String>,
    /// `rest first`: decisions that no step is about get [`ScenarioRun::first_answer`].
    pub(super) answers_rest: bool,
    /// Whether a step has paid with a producer, so that the payment waits for further steps.
    pub(super) payment_is_open: bool,
    /// Strict scenarios: every answer is written.
    pub(super) strict: bool,
    /// The answers that the last answering step, and the current one, have given automatically, in words.
    automatic_answers: Vec<String>,
    /// The number of steps that have begun.
    steps_begun: usize,
    /// The line of the last step that lets the game continue.
    advancing_line: u32,
    /// `go to` has stopped between two decisions: expectations are checked there, without a step of the machine.
    between_decisions: bool,
    /// Index of the first record of the log that no `expect events` has checked.
    pub(super) events_from: usize,
    pub(super) invariant_checker: Option<InvariantChecker>,
    last_checked_decision: Option<u32>,
    /// The period at which a scenario with a position starts. Checked and cleared at the first step of the machine.
    pub(super) expected_start: Option<u32>,
}

impl<'s> ScenarioRun<'s> {
    pub(super) fn new(machine: Machine, scenario: &'s Scenario, slots: Vec<BoundName>, checked: bool) -> Self {
        let checker = checked.then(|| InvariantChecker::start(&machine));
        Self {
            machine,
            scenario,
            slots,
            source: scenario.source,
            current_match: None,
            ancestors: Vec::new(),
            answers_rest: false,
            payment_is_open: false,
            strict: scenario.strict,
            automatic_answers: Vec::new(),
            steps_begun: 0,
            advancing_line: scenario.source.line,
            between_decisions: false,
            events_from: 0,
            invariant_checker: checker,
            last_checked_decision: None,
            expected_start: None,
        }
    }

    /// Sets the source position that failures report from now on.
    pub(super) fn set_source(&mut self, source: Source) {
        self.source = source;
    }

    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Result<T, ScenarioFailure> {
        let mut message = message.into();
        if !self.automatic_answers.is_empty() {
            message = format!("{message}; before, {} as nothing else was possible", self.automatic_answers.join(", "));
        }
        Err(ScenarioFailure { message, source: self.source })
    }

    /// The arguments of the scenario's functions: this = 0, you = 0, then the values of all names.
    pub(super) fn args(&self) -> Vec<i64> {
        let mut args = vec![0, 0];
        args.extend(self.slots.iter().map(|slot| slot.value(&self.machine)));
        args
    }

    /// Ends the script. With invariant checks, the game runs on to its next decision, which is checked as well.
    pub(super) fn finish(&mut self) -> Result<(), ScenarioFailure> {
        self.check_scripted_random_used()?;
        if self.invariant_checker.is_some() {
            self.set_source(self.scenario.source);
            self.step_to_decision()?;
        }
        Ok(())
    }

    /// Plays the script.
    pub(super) fn run(&mut self) -> Result<(), ScenarioFailure> {
        self.run_steps(&self.scenario.steps)?;
        self.finish()
    }

    /// Plays the first steps of the script, up to the decision that follows.
    pub(super) fn run_first(&mut self, steps: usize) -> Result<(), ScenarioFailure> {
        let script = &self.scenario.steps;
        self.run_steps(script.get(..steps).unwrap_or(script))?;
        self.step_to_decision().map(drop)
    }

    /// As [`ScenarioRun::run_first`], up to the decision that the next answering step is about: payments that it does not mention are made as
    /// proposed.
    pub(super) fn run_before(&mut self, steps: usize) -> Result<(), ScenarioFailure> {
        self.run_first(steps)?;
        if steps < self.scenario.steps.len() {
            self.settle()?;
        }
        Ok(())
    }

    fn run_steps(&mut self, steps: &'s [ScenarioStep]) -> Result<(), ScenarioFailure> {
        for step in steps {
            self.set_source(step.source);
            self.check_work()?;
            self.steps_begun += 1;
            if !advances(&step.kind) {
                self.run_step(step)?;
                continue;
            }
            self.advancing_line = step.source.line;
            let noted = self.automatic_answers.len();
            self.run_step(step)?;
            self.automatic_answers.drain(..noted.min(self.automatic_answers.len()));
        }
        Ok(())
    }

    /// Fails if the scenario has worked too much.
    fn check_work(&self) -> Result<(), ScenarioFailure> {
        if self.machine.scratch.work_of_game() > MAX_WORK {
            return self.fail(format!("the scenario needs more than {MAX_WORK} operations"));
        }
        Ok(())
    }

    /// Interprets a step.
    pub(super) fn run_step(&mut self, step: &ScenarioStep) -> Result<(), ScenarioFailure> {
        match &step.kind {
            ScenarioStepKind::Start { .. } => Ok(()),
            ScenarioStepKind::GoTo { player, period: span } => self.go_to(usize::from(*player), span.0),
            ScenarioStepKind::Act { player, play, object, choosing } => {
                self.act(usize::from(*player), play, object.as_ref(), step)?;
                choosing
                    .iter()
                    .try_for_each(|answer| self.answer(None, answer, step))
                    .map_err(|failure| with_comma_hint(failure, choosing))
            }
            ScenarioStepKind::Pass(players) => players.iter().try_for_each(|player| self.pass(usize::from(*player))),
            ScenarioStepKind::Concede(player) => self.concede(usize::from(*player)),
            ScenarioStepKind::Answer { player, answer } => self.answer(Some(usize::from(*player)), answer, step),
            ScenarioStepKind::RefuseAnswer { player, answer, because } => {
                self.refuse(usize::from(*player), Refused::Answer(answer), because.as_deref())
            }
            ScenarioStepKind::PayWith { player, producers } => {
                producers.iter().try_for_each(|producer| self.pay_with(usize::from(*player), producer, step))
            }
            ScenarioStepKind::Expect(condition) => self.expect(*condition, step),
            ScenarioStepKind::ExpectList(items) => self.expect_list(items),
            ScenarioStepKind::ExpectDecision { player, kind } => self.expect_decision(usize::from(*player), kind.as_deref()),
            ScenarioStepKind::ExpectChoices { options, declining } => self.expect_choices(options, *declining),
            ScenarioStepKind::ExpectAllEvents(names) => self.expect_all_events(names),
            ScenarioStepKind::ExpectEvents(names) => self.expect_events(names),
            ScenarioStepKind::ExpectNoEvents(names) => self.expect_no_events(names),
            ScenarioStepKind::ExpectWindows { player, periods: spans } => {
                let periods: Vec<u32> = spans.iter().map(|s| s.0).collect();
                self.expect_windows(usize::from(*player), &periods)
            }
            ScenarioStepKind::ExpectSees { player, sees, what, of } => {
                self.expect_sees(usize::from(*player), *sees, *what, of.as_ref())
            }
            ScenarioStepKind::ExpectSeen { player, seen, card, zone } => {
                self.expect_seen(usize::from(*player), *seen, card.0, *zone)
            }
            ScenarioStepKind::Refuse { player, play, objects, because } => {
                self.refuse(usize::from(*player), Refused::Play { play, objects }, because.as_deref())
            }
            ScenarioStepKind::Assign { player, verb, pairs } => self.declare(usize::from(*player), verb, pairs, step),
            ScenarioStepKind::RefuseAssign { player, verb, pairs, because, offering } => {
                self.refuse_declaration(usize::from(*player), verb, pairs, because.as_deref(), offering.as_deref())
            }
            ScenarioStepKind::Let { slot, value } => self.bind(*slot, *value),
            ScenarioStepKind::Chance(numbers) => {
                self.machine.script_random(numbers);
                Ok(())
            }
            ScenarioStepKind::ChanceShuffle(items) => {
                let script = items.iter().map(|item| self.scripted_card(item)).collect::<Result<_, _>>()?;
                self.machine.scripted_shuffles.push(script);
                Ok(())
            }
            ScenarioStepKind::ExpectFizzles { what, part, fizzles } => self.expect_fizzles(what, *part, *fizzles),
            ScenarioStepKind::RefusePay { player, producers, because } => {
                self.refuse_pay(usize::from(*player), producers, because.as_deref())
            }
            ScenarioStepKind::ExpectDeck { deck, because } => self.expect_deck(deck, because),
            ScenarioStepKind::Match(step) => self.match_step(step),
            ScenarioStepKind::RemainingAnswers(how) => {
                if how != "first" {
                    return self.fail(format!("the rest can be answered by `first`, not by `{how}`"));
                }
                self.answers_rest = true;
                Ok(())
            }
        }
    }

    fn concede(&mut self, seat: usize) -> Result<(), ScenarioFailure> {
        self.step_to_decision()?;
        if self.machine.concede(seat) {
            self.last_checked_decision = None;
            return Ok(());
        }
        let who = self.player_name(seat);
        self.fail(format!("{who} cannot give up: the game is over, or {who} has left it"))
    }

    /// Resets what later expectations would read of the previous game.
    pub(super) fn reset_for_next_game(&mut self) {
        self.between_decisions = false;
        self.events_from = 0;
        self.last_checked_decision = None;
    }

    // ---- the machine ----

    /// Steps the machine to its pending decision; `None` if the game is over.
    fn step_to_decision(&mut self) -> Result<Option<Decision>, ScenarioFailure> {
        self.between_decisions = false;
        if let Some(period) = self.expected_start {
            self.begin_with_effects(period)?;
        }
        let stepped = self.machine.step();
        self.check_work()?;
        if let Some(period) = self.expected_start.take() {
            self.check_start_begun(period)?;
        }
        self.handle_step_result(stepped)
    }

    /// Carries out the effects of the position, in their order, as soon as the period has begun at which the game starts.
    fn begin_with_effects(&mut self, period: u32) -> Result<(), ScenarioFailure> {
        let mut effects: Vec<(FnId, EffectContext)> = Vec::new();
        for entry in self.scenario.position.iter().flatten() {
            let PositionEntry::Effect { player, source, function } = entry else { continue };
            let source = source.and_then(|slot| self.slots.get(usize::from(slot)));
            let source = source.map_or(ObjectRef::NONE, |slot| ObjectRef::from_value(slot.value(&self.machine)));
            let behalf = EffectContext { cause: cause::EFFECT, source, player: i64::from(*player), ..EffectContext::default() };
            effects.push((*function, behalf));
        }
        if effects.is_empty() {
            return Ok(());
        }
        let has_begun = |machine: &Machine| {
            machine.state.block.list(at::OPEN_PERIODS).contains(&period)
                && machine.state.top_frame().is_some_and(|top| machine.state.block.get(top + KIND) == kind::TURN)
        };
        while !has_begun(&self.machine) {
            if self.machine.tick().is_some() {
                return self.fail("the game does not come to the point where the effects of the position begin");
            }
        }
        // The last frame runs first.
        for (function, behalf) in effects.into_iter().rev() {
            let mut args = self.args();
            for (place, value) in args.iter_mut().zip([behalf.source.value(), behalf.player]) {
                *place = value;
            }
            self.machine.push_body(function, &args, behalf);
        }
        Ok(())
    }

    /// Fails if the period at which the scenario starts was skipped.
    fn check_start_begun(&self, period: u32) -> Result<(), ScenarioFailure> {
        let begins = |record: &Record| matches!(record, Record::Event { action, args, .. } if *action == BEGIN && args.first() == Some(&i64::from(period)));
        // A game that ended before fails with the reason for that.
        if self.machine.log.iter().any(begins) || matches!(self.machine.outcome(), Some(Outcome::Budget(_))) {
            return Ok(());
        }
        let path = self.machine.program.format.periods.get(period as usize).map_or("", |it| it.path.as_str());
        let here = self.turn_position_text();
        self.fail(format!("the scenario starts at `{path}`, which is skipped: nothing begins it there{here}"))
    }

    fn handle_step_result(&mut self, stepped: Stepped) -> Result<Option<Decision>, ScenarioFailure> {
        for i in 0..self.slots.len() {
            if let Some(BoundName::Object(slot)) = self.slots.get(i).copied()
                && self.machine.state.zone(slot).is_none()
                && let Some(bound) = self.slots.get_mut(i)
            {
                *bound = BoundName::Gone;
            }
        }
        let decision = match stepped {
            Stepped::Decision(decision) => Some(decision),
            Stepped::Over(Outcome::Budget(budget)) => return self.fail_over_budget(budget),
            Stepped::Over(_) => None,
        };
        let count = self.machine.state.block.get(at::DECISIONS);
        if self.last_checked_decision != Some(count)
            && let Some(checker) = &self.invariant_checker
        {
            self.last_checked_decision = Some(count);
            if let Err(message) = checker.check(&mut self.machine) {
                let period = self.turn_position_text();
                return self.fail(format!("the machine is not sound{period}: {message}"));
            }
        }
        Ok(decision)
    }

    fn fail_over_budget<T>(&self, budget: Budget) -> Result<T, ScenarioFailure> {
        let period = self.turn_position_text();
        self.fail(format!("the game was ended{period}: it exceeded its budget of {}", budget.name()))
    }

    pub(super) fn give_answer(&mut self, picks: &[u32]) -> Result<(), ScenarioFailure> {
        match self.machine.answer(picks) {
            Ok(()) => Ok(()),
            Err(refusal) => self.fail(refusal.to_string()),
        }
    }

    /// Whether a step stops at a decision that has an automatic answer.
    fn stops_at(&mut self, decision: &Decision, condition: StopCondition<'_>) -> bool {
        let passing = decision.kind == DecisionKind::Act;
        let paying = decision.kind == DecisionKind::Pay;
        match condition {
            StopCondition::Pay { player } => passing || (paying && decision.player == player),
            StopCondition::Act { player, play, object } => {
                if decision.player != player || !(passing || paying) {
                    return false;
                }
                let offered = !matches!(self.find_play(decision, play, object), Ok(None));
                offered || (passing && self.is_quiet())
            }
            StopCondition::Pass { player } => decision.player == player && (passing || declines_triggers(decision)),
            StopCondition::Assign { player } => decision.kind == DecisionKind::Assign && decision.player == player,
            StopCondition::Answer { player, answer } => {
                if passing {
                    return player.is_none() && self.is_quiet();
                }
                player.is_none_or(|p| p == decision.player) && self.picks_for(decision, answer).is_ok()
            }
        }
    }

    /// Whether the list is empty and nothing is being resolved.
    fn is_quiet(&self) -> bool {
        self.machine.list_top().is_none() && self.machine.state.block.get(at::RESOLVING_COUNT) == 0
    }

    /// The decision at which the last answering step leaves the game: one to act, with several answers, of a payment that the script
    /// has opened, or that the next answering step is about. `None` if the game is over, or if `go to` has stopped between decisions.
    /// Calling it again changes nothing.
    pub(super) fn settle(&mut self) -> Result<Option<Decision>, ScenarioFailure> {
        self.settle_at(false)
    }

    /// As [`ScenarioRun::settle`]; with `shows_choices` also at a choice with a single answer, if no step has looked at the game since.
    pub(super) fn settle_at(&mut self, shows_choices: bool) -> Result<Option<Decision>, ScenarioFailure> {
        if self.between_decisions {
            return Ok(None);
        }
        let scenario = self.scenario;
        let following = scenario.steps.iter().skip(self.steps_begun).map(|step| &step.kind).find(|kind| advances(kind));
        let following = following.and_then(StopCondition::of_step);
        for _ in 0..MAX_AUTOMATIC_ANSWERS {
            let Some(decision) = self.step_to_decision()? else { return Ok(None) };
            let paying = decision.kind == DecisionKind::Pay;
            self.payment_is_open &= paying;
            let Some(picks) = Self::automatic_answer(&decision) else { return Ok(Some(decision)) };
            if decision.kind == DecisionKind::Act
                || (paying && self.payment_is_open)
                || (!paying && (self.strict || shows_choices))
                || following.is_some_and(|condition| self.stops_at(&decision, condition))
            {
                return Ok(Some(decision));
            }
            self.note_automatic_answer(&decision, &picks);
            self.give_answer(&picks)?;
        }
        self.fail("the game does not come to a decision")
    }

    /// Steps the machine and gives automatic answers until the step can be interpreted. `None` if the game is over.
    pub(super) fn advance_to(&mut self, condition: StopCondition<'_>) -> Result<Option<Decision>, ScenarioFailure> {
        let mut idle = 0;
        for _ in 0..MAX_AUTOMATIC_ANSWERS {
            let Some(decision) = self.step_to_decision()? else { return Ok(None) };
            self.payment_is_open &= decision.kind == DecisionKind::Pay;
            let Some(picks) = Self::automatic_answer(&decision) else { return Ok(Some(decision)) };
            if self.stops_at(&decision, condition) || (self.strict && decision.kind != DecisionKind::Pay) {
                return Ok(Some(decision));
            }
            self.note_automatic_answer(&decision, &picks);
            if decision.kind == DecisionKind::Act && self.is_quiet() {
                idle += 1;
                if idle > MAX_IDLE_PASSES {
                    return Ok(Some(decision));
                }
            }
            self.give_answer(&picks)?;
        }
        self.fail("no decision came up that this step is about")
    }

    /// Remembers an answer that no step gives, for the message of a failure. Payments as proposed are not worth a word.
    fn note_automatic_answer(&mut self, decision: &Decision, picks: &[u32]) {
        if decision.kind == DecisionKind::Pay || self.automatic_answers.len() > MAX_ANSWERS_NOTED {
            return;
        }
        let note = if self.automatic_answers.len() == MAX_ANSWERS_NOTED {
            "…".to_owned()
        } else {
            let player = self.player_name(decision.player);
            match picks.first().and_then(|pick| decision.options.get(*pick as usize)) {
                Some(Choice::Pass) => format!("{player} passed at line {}", self.advancing_line),
                Some(choice) => format!("{player} chose {} at line {}", self.choice_text(*choice), self.advancing_line),
                None => format!("{player} chose nothing at line {}", self.advancing_line),
            }
        };
        self.automatic_answers.push(note);
    }

    // ---- answers ----

    fn act(
        &mut self,
        player: usize,
        play: &str,
        object: Option<&ExpectedValue>,
        step: &ScenarioStep,
    ) -> Result<(), ScenarioFailure> {
        for _ in 0..MAX_AUTOMATIC_ANSWERS {
            let Some(decision) = self.advance_to(StopCondition::Act { player, play, object })? else {
                let over = self.outcome_text();
                return self.fail(format!("`{}`: {over}", step.text));
            };
            if decision.player == player {
                match self.find_play(&decision, play, object) {
                    Ok(Some(pick)) => return self.give_answer(&[pick]),
                    Ok(None) => {}
                    Err(message) => return self.fail(message),
                }
            }
            let own = decision.player == player && decision.kind == DecisionKind::Act;
            if !self.answers_rest || (own && self.is_quiet()) {
                return self.fail_act(player, play, object, &decision, step);
            }
            self.give_answer(&Self::first_answer(&decision))?;
        }
        self.fail("no decision came up that this step is about")
    }

    fn fail_act<T>(
        &mut self,
        player: usize,
        play: &str,
        object: Option<&ExpectedValue>,
        decision: &Decision,
        step: &ScenarioStep,
    ) -> Result<T, ScenarioFailure> {
        let pending = self.decision_text(decision);
        let meant = self.matching_plays(play, object);
        if meant.is_empty() && !self.matching_plays(play, None).is_empty() {
            let what = object.map_or_else(String::new, |o| self.expected_text(o));
            return self.fail(format!("`{}`: there is no {what} to {play} with; {pending}", step.text));
        }
        if meant.is_empty() {
            let format = &self.machine.program.format;
            let mut names: Vec<&str> = format.plays.iter().map(|p| p.name.as_str()).collect();
            names.dedup();
            return self.fail(format!("there is no play `{play}`; there are: {}", names.join(", ")));
        }
        if decision.player != player || decision.kind != DecisionKind::Act {
            return self.fail(format!("`{}`: {} is not asked to act; {pending}", step.text, self.player_name(player)));
        }
        let mut reasons: Vec<String> = Vec::new();
        for (code, it) in meant {
            let reason = match self.machine.why_not(code, it, player) {
                Some(reason) => self.play_obstacle_text(&reason, (code, it), player),
                None => "this window is not for it".to_owned(),
            };
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        self.fail(format!("`{}` is not legal: {}; {pending}", step.text, reasons.join("; ")))
    }

    fn pass(&mut self, player: usize) -> Result<(), ScenarioFailure> {
        for _ in 0..MAX_AUTOMATIC_ANSWERS {
            let Some(decision) = self.advance_to(StopCondition::Pass { player })? else {
                let over = self.outcome_text();
                return self.fail(format!("{} cannot pass: {over}", self.player_name(player)));
            };
            if decision.player == player && (decision.kind == DecisionKind::Act || declines_triggers(&decision)) {
                let pass = decision.options.iter().position(|c| *c == Choice::Pass).unwrap_or(0);
                return self.give_answer(&[pass as u32]);
            }
            if !self.answers_rest {
                let pending = self.decision_text(&decision);
                return self.fail(format!("{} cannot pass; {pending}", self.player_name(player)));
            }
            self.give_answer(&Self::first_answer(&decision))?;
        }
        self.fail("no decision came up that this step is about")
    }

    fn answer(&mut self, player: Option<usize>, answer: &ScriptedAnswer, step: &ScenarioStep) -> Result<(), ScenarioFailure> {
        for _ in 0..MAX_AUTOMATIC_ANSWERS {
            let Some(decision) = self.advance_to(StopCondition::Answer { player, answer })? else {
                let over = self.outcome_text();
                return self.fail(format!("`{}`: nothing is left to be answered; {over}", step.text));
            };
            let fits = player.is_none_or(|p| p == decision.player);
            let wrong = match self.picks_for(&decision, answer) {
                Ok(picks) if fits => return self.give_answer(&picks),
                Ok(_) => None,
                Err(message) => Some(message),
            };
            if !self.answers_rest {
                let pending = self.decision_text(&decision);
                let wrong = wrong.filter(|_| fits).map_or_else(String::new, |w| format!("{w}; "));
                return self.fail(format!("`{}`: {wrong}{pending}", step.text));
            }
            self.give_answer(&Self::first_answer(&decision))?;
        }
        self.fail("no decision came up that this step is about")
    }

    /// Passes and declines for all players until a decision comes in this period of the player's turn, or until the period has ended.
    pub(super) fn go_to(&mut self, player: usize, period: u32) -> Result<(), ScenarioFailure> {
        let is_open =
            |machine: &Machine| machine.state.active() == player && machine.state.block.list(at::OPEN_PERIODS).contains(&period);
        self.between_decisions = false;
        let mut was_open = is_open(&self.machine);
        let mut entered = false;
        // The first question of the player's turn that was answered no: it may have skipped the period.
        let mut declined: Option<String> = None;
        for _ in 0..MAX_AUTOMATIC_ANSWERS {
            let stepped = loop {
                if let Some(stepped) = self.machine.tick() {
                    break stepped;
                }
                let open = is_open(&self.machine);
                if !open && entered {
                    // The period ended without a decision: stop right after its end.
                    self.between_decisions = true;
                    return Ok(());
                }
                entered = entered || (open && !was_open);
                was_open = open;
            };
            let Some(decision) = self.handle_step_result(stepped)? else {
                let over = self.outcome_text();
                let path = self.period_path(period);
                let declined = declined_text(declined);
                return self.fail(format!("{}'s {path} is not reached: {over}{declined}", self.player_name(player)));
            };
            if is_open(&self.machine) {
                return Ok(());
            }
            if decision.kind == DecisionKind::YesNo && self.machine.state.active() == player && declined.is_none() {
                declined = Some(self.decision_text(&decision));
            }
            let option = |wanted: Choice| decision.options.iter().position(|c| *c == wanted).map(|i| vec![i as u32]);
            let picks = match (Self::automatic_answer(&decision), decision.kind) {
                (Some(picks), _) => Some(picks),
                (None, DecisionKind::Act | DecisionKind::Replacement) => option(Choice::Pass),
                (None, DecisionKind::YesNo) => option(Choice::No),
                (None, DecisionKind::Number) => Some(vec![decision.min as u32]),
                (None, DecisionKind::Assign) => decision.proposal(),
                (None, DecisionKind::Divide) => None,
                (None, _) => (decision.min == 0).then(Vec::new),
            };
            match picks {
                Some(picks) => self.give_answer(&picks)?,
                None if self.answers_rest => self.give_answer(&Self::first_answer(&decision))?,
                None => {
                    let pending = self.decision_text(&decision);
                    let path = self.period_path(period);
                    return self.fail(format!(
                        "on the way to {}'s {path} there is a decision that cannot be passed; {pending}{}",
                        self.player_name(player),
                        declined_text(declined)
                    ));
                }
            }
        }
        let path = self.period_path(period);
        self.fail(format!("{}'s {path} is not reached{}", self.player_name(player), declined_text(declined)))
    }

    pub(super) fn period_path(&self, period: u32) -> String {
        self.machine.program.format.periods.get(period as usize).map_or_else(|| "turn".to_owned(), |s| s.path.clone())
    }

    // ---- expectations ----

    fn refuse(&mut self, player: usize, refused: Refused<'_>, because: Option<&str>) -> Result<(), ScenarioFailure> {
        let act = matches!(refused, Refused::Play { play, .. } if !self.matching_plays(play, None).is_empty());
        let decision = self.settle()?;
        let before = self.machine.state.hash();
        let mut names: Vec<Vec<String>> = Vec::new();
        let mut reasons: Vec<String> = Vec::new();
        let has_decision = decision.as_ref().is_some_and(|pending| pending.player == player);
        // Whether all matching plays are refused for another reason than that the player has no decision now.
        let mut is_refused = false;
        match (&decision, refused) {
            (Some(pending), Refused::Play { play, objects }) if act => {
                let fits = matches!(self.find_play(pending, play, objects.first()), Ok(Some(_)) | Err(_));
                if has_decision && fits {
                    let (text, what) = (self.decision_text(pending), self.expected_list_text(objects));
                    let word = self.matching_plays(play, None).first().map(|(code, _)| self.play_name(*code));
                    let word = word.unwrap_or_else(|| play.to_owned());
                    let what = what.trim_matches(['[', ']']);
                    let (player, blank) = (self.player_name(player), if what.is_empty() { "" } else { " " });
                    return self.fail(format!("{player} may {word}{blank}{what}; {text}"));
                }
                let meant = self.matching_plays(play, objects.first());
                is_refused = !meant.is_empty();
                for (code, it) in meant {
                    if let Some(reason) = self.machine.why_not(code, it, player) {
                        names.push(self.obstacle_names(&reason));
                        reasons.push(self.play_obstacle_text(&reason, (code, it), player));
                    } else if has_decision {
                        names.push(vec!["window".to_owned()]);
                        reasons.push("this window is not for it".to_owned());
                    } else {
                        is_refused = false;
                    }
                }
            }
            (Some(pending), refused) => {
                let values;
                let answer = match refused {
                    Refused::Answer(answer) => answer,
                    Refused::Play { objects, .. } => {
                        values = ScriptedAnswer::Values(objects.to_vec());
                        &values
                    }
                };
                // An answer that is none to this decision is refused in any game.
                if has_decision && because.is_none() && !could_answer(answer, pending.kind) {
                    let (text, player) = (self.decision_text(pending), self.player_name(player));
                    return self.fail(format!("{player} has another decision, so nothing refuses the answer: {text}"));
                }
                if has_decision && self.picks_for(pending, answer).is_ok() {
                    let text = self.decision_text(pending);
                    let what = match answer {
                        ScriptedAnswer::Values(values) => {
                            format!("choose {}", self.expected_list_text(values).trim_matches(['[', ']']))
                        }
                        ScriptedAnswer::Nothing => "choose nothing".to_owned(),
                        ScriptedAnswer::Yes => "say yes".to_owned(),
                        ScriptedAnswer::No => "say no".to_owned(),
                        ScriptedAnswer::Modes(_) => "choose these modes".to_owned(),
                        ScriptedAnswer::Pass => "pass".to_owned(),
                    };
                    return self.fail(format!("{} may {what}; {text}", self.player_name(player)));
                }
            }
            (None, _) => {}
        }
        if !has_decision {
            names.push(self.obstacle_names(&Obstacle::NotTheirDecision));
            reasons.push(self.obstacle_text(&Obstacle::NotTheirDecision));
        }
        if let Some(pending) = &decision {
            // The machine must refuse an answer that is not offered, and must not change.
            let outside = if pending.kind == DecisionKind::Number {
                pending.max.saturating_add(1) as u32
            } else {
                pending.options.len() as u32
            };
            let refused = self.machine.answer(&[outside]).is_err();
            if !refused || self.machine.state.hash() != before {
                return self.fail("a refused answer has changed the state");
            }
        }
        let Some(because) = because else {
            // A player without a decision can do nothing, regardless of the rules. That alone proves nothing.
            if has_decision || is_refused {
                return Ok(());
            }
            let Some(pending) = &decision else { return self.fail("no decision is pending any more") };
            let (pending, player) = (self.decision_text(pending), self.player_name(player));
            return self.fail(format!(
                "{player} is not asked, and nothing else refuses it: {pending}; `because not_asked` would say so"
            ));
        };
        if names.iter().flatten().any(|name| reason_matches(because, name)) {
            return Ok(());
        }
        reasons.dedup();
        if reasons.is_empty() {
            return self.fail(format!("it is refused, but not by `{because}`: no rule is known for it"));
        }
        self.fail(format!("it is refused, but not by `{because}`: {}", reasons.join("; ")))
    }

    /// Checks that producers, one after another, cannot pay for what is being paid.
    fn refuse_pay(&mut self, player: usize, producers: &[ExpectedValue], because: Option<&str>) -> Result<(), ScenarioFailure> {
        let pending = self.settle()?;
        let payer = self.player_name(player);
        let Some(pending) = pending.filter(|it| it.kind == DecisionKind::Pay && it.player == player) else {
            return if because.is_some_and(|because| reason_matches(because, "not_asked")) {
                Ok(())
            } else {
                self.fail(format!("{payer} has no payment to choose: nothing is paid, or there is one way only; `because not_asked` would say so"))
            };
        };
        if let Some(because) = because {
            return self.fail(format!("it may be refused, but not by `{because}`: no rule is known for it"));
        }
        let game = self.machine.clone();
        let mut decision = Some(pending.clone());
        let mut refused = false;
        for producer in producers {
            let options = decision.iter().filter(|it| it.kind == DecisionKind::Pay).flat_map(|it| it.options.iter().zip(0_u32..));
            let options: Vec<(ObjectRef, u32)> = options
                .filter_map(|(choice, option)| match choice {
                    Choice::Object(it) | Choice::Producer(it) => Some((*it, option)),
                    _ => None,
                })
                .collect();
            let mut found = None;
            for (it, option) in options {
                if found.is_none() && self.matches_object(producer, it) {
                    found = Some(option);
                }
            }
            refused |= found.is_none_or(|option| self.machine.answer(&[option]).is_err());
            if refused {
                break;
            }
            decision = match self.machine.step() {
                Stepped::Decision(decision) => Some(decision),
                Stepped::Over(_) => None,
            };
        }
        self.machine = game;
        if refused {
            return Ok(());
        }
        let (what, pending) = (self.expected_list_text(producers), self.decision_text(&pending));
        self.fail(format!("{payer} may pay with {what}; {pending}"))
    }

    /// What a scripted shuffle calls an object.
    fn scripted_card(&mut self, item: &ExpectedValue) -> Result<ScriptedCard, ScenarioFailure> {
        match item {
            ExpectedValue::Card(card) => Ok(ScriptedCard::Definition(card.0)),
            ExpectedValue::Value(_) => {
                let it = ObjectRef::from_value(self.expected_value(item).unwrap_or(0));
                if it.is_none() || it.player().is_some() {
                    return self.fail("a shuffle orders cards: name them, or write their names in quotes");
                }
                Ok(ScriptedCard::Object(it.slot()))
            }
        }
    }

    fn bind(&mut self, slot: u16, value: FnId) -> Result<(), ScenarioFailure> {
        self.settle()?;
        let args = self.args();
        let ty = self.machine.program.function(value).and_then(|f| f.result);
        let bound = match ty {
            Some(Type::Object) => object_slot(ObjectRef::from_value(self.machine.number(value, &args))),
            Some(Type::Objects) => object_slot(ObjectRef(self.machine.items(value, &args).first().copied().unwrap_or(0))),
            Some(Type::Thing) => thing_slot(ObjectRef::from_value(self.machine.number(value, &args))),
            Some(Type::Things) => thing_slot(ObjectRef(self.machine.items(value, &args).first().copied().unwrap_or(0))),
            Some(Type::Players) => {
                self.machine.items(value, &args).first().map_or(BoundName::Gone, |seat| BoundName::Player(*seat as usize))
            }
            _ => BoundName::Value(self.machine.number(value, &args)),
        };
        if bound == BoundName::Gone {
            let name = self.scenario.slots.get(usize::from(slot)).cloned().unwrap_or_default();
            return self.fail(format!("there is nothing to call `{name}`"));
        }
        if let Some(place) = self.slots.get_mut(usize::from(slot)) {
            *place = bound;
        }
        Ok(())
    }
}

fn thing_slot(it: ObjectRef) -> BoundName {
    if it.player().is_some() { BoundName::Value(it.value()) } else { object_slot(it) }
}

fn object_slot(it: ObjectRef) -> BoundName {
    if it.is_none() { BoundName::Gone } else { BoundName::Object(it.slot()) }
}

/// Whether a decision about the next trigger can be passed: all triggers that remain are optional.
fn declines_triggers(decision: &Decision) -> bool {
    decision.kind == DecisionKind::Trigger && decision.options.contains(&Choice::Pass)
}

/// The first question that `go to` has answered no, for the message of its failure; empty if there was none.
fn declined_text(question: Option<String>) -> String {
    question.map_or_else(String::new, |question| format!("; `go to` has answered no to a question on the way: {question}"))
}
