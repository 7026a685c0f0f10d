//! One scenario being played: the steps of its script.
//!
//! The machine always stands at a decision when a step is interpreted. Decisions with one legal answer are *automatic*: they are
//! given, one after the other, until one comes that the step speaks of, or one with several answers. A player who can only pass is
//! such a case; expectations stop at it, so that `A casts x`, `expect list is [x]`, `A, B pass` can be written whether or not the
//! players could do something else.

use super::ScenarioFailure;
use super::messages::is_reason;
use crate::invariants::InvariantChecker;
use crate::ir::op::Source;
use crate::ir::scenario::{Expected, Scenario, ScenarioStep, ScenarioStepKind, ScriptedAnswer};
use crate::ir::verbs::BEGIN;
use crate::ir::{FnId, Type};
use crate::matches::Match;
use crate::state::{ObjectRef, layout as at};
use crate::vm::decision::{Choice, Decision, DecisionKind};
use crate::vm::hooks::Obstacle;
use crate::vm::{Budget, Machine, Outcome, Record, StepResult as Stepped};

/// At most so many answers are given on the way to one step.
const PATIENCE: usize = 5_000;
/// At most so many forced passes with an empty list on the way to one step that is not `go to`.
const PASSES: usize = 200;

/// What a name of the scenario stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BoundName {
    /// Not bound yet.
    Unbound,
    /// A seat.
    Player(usize),
    /// The object in this slot of the state, wherever it goes.
    Object(usize),
    /// The object has left the game.
    Gone,
    /// A number or another value.
    Value(i64),
}

impl BoundName {
    /// The register value it has now.
    pub(super) fn value(self, machine: &Machine) -> i64 {
        match self {
            Self::Player(seat) => seat as i64,
            Self::Object(slot) => machine.state.current(slot).value(),
            Self::Value(value) => value,
            Self::Unbound | Self::Gone => 0,
        }
    }
}

/// What a step wants of the pending decision: where the automatic answers stop.
#[derive(Clone, Copy)]
pub(super) enum StopCondition<'s> {
    /// The state, at a quiet point or decision.
    Look,
    /// Who is asked.
    Asked { player: usize, kind: Option<&'s str> },
    /// The options.
    Options,
    /// Something that cannot be done.
    Refuse { player: usize, act: bool },
    /// A play.
    Act { player: usize, play: &'s str, object: Option<&'s Expected> },
    /// A pass.
    Pass { player: usize },
    /// A declaration.
    Assign { player: usize },
    /// An answer of a player, or (`choosing`) of anybody.
    Answer { player: Option<usize>, answer: &'s ScriptedAnswer },
}

/// Says of an answer that fails what the commas of its step do: `choosing a, b` answers two questions.
fn said_of_commas(failure: ScenarioFailure, answers: &[ScriptedAnswer]) -> ScenarioFailure {
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
    /// The match that the game is one of.
    pub(super) series: Option<Match>,
    /// The names of the format and of what it extends.
    pub(super) ancestors: Vec<String>,
    pub(super) rest: bool,
    /// A step has stopped at this automatic decision: later expectations look at it too.
    pub(super) stopped_at_decision: bool,
    /// `go to` has stopped between decisions: expectations look at this moment.
    between_decisions: bool,
    /// The part of the log that `expect events` has not seen.
    pub(super) events_from: usize,
    pub(super) harness: Option<InvariantChecker>,
    checked_at: Option<u32>,
    /// Where the position is set, until the game has come there.
    pub(super) start: Option<u32>,
}

impl<'s> ScenarioRun<'s> {
    pub(super) fn new(machine: Machine, scenario: &'s Scenario, slots: Vec<BoundName>, checked: bool) -> Self {
        let harness = checked.then(|| InvariantChecker::start(&machine));
        Self {
            machine,
            scenario,
            slots,
            source: scenario.source,
            series: None,
            ancestors: Vec::new(),
            rest: false,
            stopped_at_decision: false,
            between_decisions: false,
            events_from: 0,
            harness,
            checked_at: None,
            start: None,
        }
    }

    /// The step that failures are about from now on.
    pub(super) fn at(&mut self, source: Source) {
        self.source = source;
    }

    pub(super) fn fail<T>(&self, message: impl Into<String>) -> Result<T, ScenarioFailure> {
        Err(ScenarioFailure { message: message.into(), source: self.source })
    }

    /// The arguments of the scenario's functions.
    pub(super) fn args(&self) -> Vec<i64> {
        let mut args = vec![0, 0];
        args.extend(self.slots.iter().map(|slot| slot.value(&self.machine)));
        args
    }

    /// The end of the script: what follows must be sound as well.
    pub(super) fn finish(&mut self) -> Result<(), ScenarioFailure> {
        self.all_foretold()?;
        if self.harness.is_some() {
            self.at(self.scenario.source);
            self.pending()?;
        }
        Ok(())
    }

    /// Plays the script.
    pub(super) fn run(&mut self) -> Result<(), ScenarioFailure> {
        for step in &self.scenario.steps {
            self.at(step.source);
            self.play(step)?;
        }
        self.finish()
    }

    /// Interprets a step.
    pub(super) fn play(&mut self, step: &ScenarioStep) -> Result<(), ScenarioFailure> {
        match &step.kind {
            ScenarioStepKind::Start { .. } => Ok(()),
            ScenarioStepKind::GoTo { player, span } => self.go_to(usize::from(*player), span.0),
            ScenarioStepKind::Act { player, play, object, choosing } => {
                self.act(usize::from(*player), play, object.as_ref(), step)?;
                choosing
                    .iter()
                    .try_for_each(|answer| self.answer(None, answer, step))
                    .map_err(|failure| said_of_commas(failure, choosing))
            }
            ScenarioStepKind::Pass(players) => players.iter().try_for_each(|player| self.pass(usize::from(*player))),
            ScenarioStepKind::Concede(player) => self.concede(usize::from(*player)),
            ScenarioStepKind::Answer { player, answer } => self.answer(Some(usize::from(*player)), answer, step),
            ScenarioStepKind::Expect(condition) => self.expect(*condition, step),
            ScenarioStepKind::ExpectList(items) => self.expect_list(items),
            ScenarioStepKind::ExpectAsked { player, kind } => self.expect_asked(usize::from(*player), kind.as_deref()),
            ScenarioStepKind::ExpectChoices(items) => self.expect_choices(items),
            ScenarioStepKind::ExpectAllEvents(names) => self.expect_all_events(names),
            ScenarioStepKind::ExpectEvents(names) => self.expect_events(names),
            ScenarioStepKind::ExpectNoEvents(names) => self.expect_no_events(names),
            ScenarioStepKind::ExpectWindows { player, spans } => {
                let spans: Vec<u32> = spans.iter().map(|s| s.0).collect();
                self.expect_windows(usize::from(*player), &spans)
            }
            ScenarioStepKind::ExpectSees { player, sees, what, of } => self.expect_sees(usize::from(*player), *sees, *what, *of),
            ScenarioStepKind::ExpectSeen { player, seen, card, zone } => {
                self.expect_seen(usize::from(*player), *seen, card.0, *zone)
            }
            ScenarioStepKind::Refuse { player, play, objects, because } => {
                self.refuse(usize::from(*player), play, objects, because.as_deref())
            }
            ScenarioStepKind::Assign { player, verb, pairs } => self.assign(usize::from(*player), verb, pairs, step),
            ScenarioStepKind::RefuseAssign { player, verb, pairs, because, offering } => {
                self.refuse_assign(usize::from(*player), verb, pairs, because.as_deref(), offering.as_deref())
            }
            ScenarioStepKind::Let { slot, value } => self.bind(*slot, *value),
            ScenarioStepKind::Chance(numbers) => {
                self.machine.script_random(numbers);
                Ok(())
            }
            ScenarioStepKind::ExpectDeck { deck, because } => self.expect_deck(deck, because),
            ScenarioStepKind::Match(step) => self.match_step(step),
            ScenarioStepKind::Rest(how) => {
                if how != "first" {
                    return self.fail(format!("the rest can be answered by `first`, not by `{how}`"));
                }
                self.rest = true;
                Ok(())
            }
        }
    }

    fn concede(&mut self, seat: usize) -> Result<(), ScenarioFailure> {
        self.pending()?;
        if self.machine.concede(seat) {
            self.stopped_at_decision = false;
            self.checked_at = None;
            return Ok(());
        }
        let who = self.player(seat);
        self.fail(format!("{who} cannot give up: the game is over, or goes on without {who}"))
    }

    /// Nothing of the game before is looked at any more.
    pub(super) fn forget_game(&mut self) {
        self.stopped_at_decision = false;
        self.between_decisions = false;
        self.events_from = 0;
        self.checked_at = None;
    }

    // ---- the machine ----

    /// The pending decision; none when the game is over.
    fn pending(&mut self) -> Result<Option<Decision>, ScenarioFailure> {
        self.between_decisions = false;
        let stepped = self.machine.step();
        if let Some(span) = self.start.take() {
            self.has_begun(span)?;
        }
        self.arrived(stepped)
    }

    /// The step at which the position is set must not have been skipped.
    fn has_begun(&self, span: u32) -> Result<(), ScenarioFailure> {
        let begins = |record: &Record| matches!(record, Record::Event { action, args, .. } if *action == BEGIN && args.first() == Some(&i64::from(span)));
        if self.machine.log.iter().any(begins) {
            return Ok(());
        }
        let path = self.machine.program.format.spans.get(span as usize).map_or("", |it| it.path.as_str());
        let here = self.span();
        self.fail(format!("the scenario starts at `{path}`, which is skipped: nothing begins it there{here}"))
    }

    fn arrived(&mut self, stepped: Stepped) -> Result<Option<Decision>, ScenarioFailure> {
        for i in 0..self.slots.len() {
            if let Some(BoundName::Object(slot)) = self.slots.get(i).copied()
                && self.machine.state.zone(slot).is_none()
                && let Some(bound) = self.slots.get_mut(i)
            {
                *bound = BoundName::Gone;
            }
        }
        let asked = match stepped {
            Stepped::Asked(decision) => Some(decision),
            Stepped::Over(Outcome::Budget(budget)) => return self.over_budget(budget),
            Stepped::Over(_) => None,
        };
        let count = self.machine.state.block.get(at::DECISIONS);
        if self.checked_at != Some(count)
            && let Some(harness) = &self.harness
        {
            self.checked_at = Some(count);
            if let Err(message) = harness.check(&mut self.machine) {
                let span = self.span();
                return self.fail(format!("the machine is not sound{span}: {message}"));
            }
        }
        Ok(asked)
    }

    fn over_budget<T>(&self, budget: Budget) -> Result<T, ScenarioFailure> {
        let span = self.span();
        self.fail(format!("the game was ended{span}: it exceeded its budget of {}", budget.name()))
    }

    pub(super) fn give(&mut self, picks: &[u32]) -> Result<(), ScenarioFailure> {
        self.stopped_at_decision = false;
        match self.machine.answer(picks) {
            Ok(()) => Ok(()),
            Err(refusal) => self.fail(refusal.to_string()),
        }
    }

    /// The only answer to a decision, if there is just one (or prices can be paid without choosing).
    fn automatic(decision: &Decision) -> Option<Vec<u32>> {
        if let Some(picks) = decision.forced() {
            return Some(picks);
        }
        match decision.kind {
            DecisionKind::Pay => decision.options.iter().position(|c| *c == Choice::PayNow).map(|i| vec![i as u32]),
            // The same ability several times: their order rarely matters, and a script that cares says it.
            DecisionKind::Trigger => {
                let what = |choice: &Choice| match *choice {
                    Choice::Trigger { ability, source, .. } => Some((ability, source)),
                    _ => None,
                };
                let first = decision.options.first().and_then(what);
                decision.options.iter().all(|c| what(c) == first).then(|| vec![0])
            }
            _ => None,
        }
    }

    /// Whether a step stops at a decision that could be answered automatically.
    fn stops(&mut self, decision: &Decision, wants: StopCondition<'_>) -> bool {
        let passing = decision.kind == DecisionKind::Act;
        let paying = decision.kind == DecisionKind::Pay;
        match wants {
            StopCondition::Look => passing || self.stopped_at_decision,
            StopCondition::Asked { player, kind } => {
                let fits = decision.player == player && kind.is_none_or(|k| k == decision.kind.name());
                passing || (fits && (!paying || kind.is_some())) || self.stopped_at_decision
            }
            StopCondition::Options => !paying,
            StopCondition::Refuse { player, act } => passing || (!act && decision.player == player && !paying),
            StopCondition::Act { player, play, object } => {
                if decision.player != player || !(passing || paying) {
                    return false;
                }
                let offered = !matches!(self.find_play(decision, play, object), Ok(None));
                offered || (passing && self.is_quiet())
            }
            StopCondition::Pass { player } => passing && decision.player == player,
            StopCondition::Assign { player } => decision.kind == DecisionKind::Assign && decision.player == player,
            StopCondition::Answer { player, answer } => {
                if passing {
                    return player.is_none() && self.is_quiet();
                }
                player.is_none_or(|p| p == decision.player) && self.picks(decision, answer).is_ok()
            }
        }
    }

    /// Nothing waits and nothing is being carried out.
    fn is_quiet(&self) -> bool {
        self.machine.list_top().is_none() && self.machine.state.block.get(at::RESOLVING) == 0
    }

    /// Steps, giving automatic answers, until the step can be interpreted. None when the game is over.
    pub(super) fn arrive(&mut self, wants: StopCondition<'_>) -> Result<Option<Decision>, ScenarioFailure> {
        let mut idle = 0;
        if self.between_decisions && matches!(wants, StopCondition::Look) {
            return Ok(None);
        }
        for _ in 0..PATIENCE {
            let Some(decision) = self.pending()? else { return Ok(None) };
            let Some(picks) = Self::automatic(&decision) else { return Ok(Some(decision)) };
            if self.stops(&decision, wants) {
                return Ok(Some(decision));
            }
            if decision.kind == DecisionKind::Act && self.is_quiet() {
                idle += 1;
                if idle > PASSES {
                    return Ok(Some(decision));
                }
            }
            self.give(&picks)?;
        }
        self.fail("the game goes on and on without a decision that this step speaks of")
    }

    /// The smallest answer to a decision, as `rest first` gives it.
    pub(super) fn first_answer(decision: &Decision) -> Vec<u32> {
        if let Some(picks) = Self::automatic(decision) {
            return picks;
        }
        if decision.kind == DecisionKind::Number {
            return vec![decision.min as u32];
        }
        if let Some(legal) = decision.proposal() {
            return legal;
        }
        if decision.kind == DecisionKind::Divide {
            return decision.default_division(0);
        }
        let least = u32::try_from(decision.min).unwrap_or(0);
        if decision.repeats { vec![0; least as usize] } else { (0..least).collect() }
    }

    // ---- answers ----

    fn act(&mut self, player: usize, play: &str, object: Option<&Expected>, step: &ScenarioStep) -> Result<(), ScenarioFailure> {
        for _ in 0..PATIENCE {
            let Some(decision) = self.arrive(StopCondition::Act { player, play, object })? else {
                let over = self.outcome();
                return self.fail(format!("`{}`: {over}", step.text));
            };
            if decision.player == player {
                match self.find_play(&decision, play, object) {
                    Ok(Some(pick)) => return self.give(&[pick]),
                    Ok(None) => {}
                    Err(message) => return self.fail(message),
                }
            }
            let own = decision.player == player && decision.kind == DecisionKind::Act;
            if !self.rest || (own && self.is_quiet()) {
                return self.cannot_act(player, play, object, &decision, step);
            }
            self.give(&Self::first_answer(&decision))?;
        }
        self.fail("the game goes on and on without a decision that this step speaks of")
    }

    fn cannot_act<T>(
        &mut self,
        player: usize,
        play: &str,
        object: Option<&Expected>,
        decision: &Decision,
        step: &ScenarioStep,
    ) -> Result<T, ScenarioFailure> {
        let asked = self.decision(decision);
        let meant = self.plays_meant(play, object);
        if meant.is_empty() && !self.plays_meant(play, None).is_empty() {
            let what = object.map_or_else(String::new, |o| self.expected(o));
            return self.fail(format!("`{}`: there is no {what} to {play} with; {asked}", step.text));
        }
        if meant.is_empty() {
            let format = &self.machine.program.format;
            let mut names: Vec<&str> = format.plays.iter().map(|p| p.name.as_str()).collect();
            names.dedup();
            return self.fail(format!("there is no play `{play}`; there are: {}", names.join(", ")));
        }
        if decision.player != player || decision.kind != DecisionKind::Act {
            return self.fail(format!("`{}`: {} is not asked to act; {asked}", step.text, self.player(player)));
        }
        let mut reasons: Vec<String> = Vec::new();
        for (code, it) in meant {
            let reason = match self.machine.why_not(code, it, player) {
                Some(reason) => self.play_reason(&reason, (code, it), player),
                None => "this window is not for it".to_owned(),
            };
            if !reasons.contains(&reason) {
                reasons.push(reason);
            }
        }
        self.fail(format!("`{}` is not legal: {}; {asked}", step.text, reasons.join("; ")))
    }

    fn pass(&mut self, player: usize) -> Result<(), ScenarioFailure> {
        for _ in 0..PATIENCE {
            let Some(decision) = self.arrive(StopCondition::Pass { player })? else {
                let over = self.outcome();
                return self.fail(format!("{} cannot pass: {over}", self.player(player)));
            };
            if decision.kind == DecisionKind::Act && decision.player == player {
                let pass = decision.options.iter().position(|c| *c == Choice::Pass).unwrap_or(0);
                return self.give(&[pass as u32]);
            }
            if !self.rest {
                let asked = self.decision(&decision);
                return self.fail(format!("{} cannot pass; {asked}", self.player(player)));
            }
            self.give(&Self::first_answer(&decision))?;
        }
        self.fail("the game goes on and on without a decision that this step speaks of")
    }

    fn answer(&mut self, player: Option<usize>, answer: &ScriptedAnswer, step: &ScenarioStep) -> Result<(), ScenarioFailure> {
        for _ in 0..PATIENCE {
            let Some(decision) = self.arrive(StopCondition::Answer { player, answer })? else {
                let over = self.outcome();
                return self.fail(format!("`{}`: nothing is left to be answered; {over}", step.text));
            };
            let fits = player.is_none_or(|p| p == decision.player);
            let wrong = match self.picks(&decision, answer) {
                Ok(picks) if fits => return self.give(&picks),
                Ok(_) => None,
                Err(message) => Some(message),
            };
            if !self.rest {
                let asked = self.decision(&decision);
                let wrong = wrong.filter(|_| fits).map_or_else(String::new, |w| format!("{w}; "));
                return self.fail(format!("`{}`: {wrong}{asked}", step.text));
            }
            self.give(&Self::first_answer(&decision))?;
        }
        self.fail("the game goes on and on without a decision that this step speaks of")
    }

    /// Everybody passes and declines until there is a decision in the span of the player's turn, or such a span has gone by.
    pub(super) fn go_to(&mut self, player: usize, span: u32) -> Result<(), ScenarioFailure> {
        let is_open = |machine: &Machine| machine.state.active() == player && machine.state.block.list(at::OPEN).contains(&span);
        self.between_decisions = false;
        let mut was_open = is_open(&self.machine);
        let mut entered = false;
        for _ in 0..PATIENCE {
            let stepped = loop {
                if let Some(stepped) = self.machine.tick() {
                    break stepped;
                }
                let open = is_open(&self.machine);
                if !open && entered {
                    // Nobody was asked in it: this is the moment after its end.
                    self.between_decisions = true;
                    return Ok(());
                }
                entered = entered || (open && !was_open);
                was_open = open;
            };
            let Some(decision) = self.arrived(stepped)? else {
                let over = self.outcome();
                let path = self.span_path(span);
                return self.fail(format!("{}'s {path} is not reached: {over}", self.player(player)));
            };
            if is_open(&self.machine) {
                return Ok(());
            }
            let option = |wanted: Choice| decision.options.iter().position(|c| *c == wanted).map(|i| vec![i as u32]);
            let picks = match (Self::automatic(&decision), decision.kind) {
                (Some(picks), _) => Some(picks),
                (None, DecisionKind::Act | DecisionKind::Replacement) => option(Choice::Pass),
                (None, DecisionKind::YesNo) => option(Choice::No),
                (None, DecisionKind::Number) => Some(vec![decision.min as u32]),
                (None, DecisionKind::Assign) => decision.proposal(),
                (None, DecisionKind::Divide) => None,
                (None, _) => (decision.min == 0).then(Vec::new),
            };
            match picks {
                Some(picks) => self.give(&picks)?,
                None if self.rest => self.give(&Self::first_answer(&decision))?,
                None => {
                    let asked = self.decision(&decision);
                    let path = self.span_path(span);
                    return self.fail(format!(
                        "on the way to {}'s {path} there is a decision that cannot be passed; {asked}",
                        self.player(player)
                    ));
                }
            }
        }
        let path = self.span_path(span);
        self.fail(format!("{}'s {path} is not reached", self.player(player)))
    }

    pub(super) fn span_path(&self, span: u32) -> String {
        self.machine.program.format.spans.get(span as usize).map_or_else(|| "turn".to_owned(), |s| s.path.clone())
    }

    // ---- expectations ----

    fn refuse(&mut self, player: usize, play: &str, objects: &[Expected], because: Option<&str>) -> Result<(), ScenarioFailure> {
        let act = !self.plays_meant(play, None).is_empty();
        let decision = self.arrive(StopCondition::Refuse { player, act })?;
        self.stopped_at_decision = decision.is_some();
        let before = self.machine.state.hash();
        let mut names: Vec<Vec<String>> = Vec::new();
        let mut reasons: Vec<String> = Vec::new();
        let is_asked = decision.as_ref().is_some_and(|asked| asked.player == player);
        // Whether something else than being asked refuses all that is meant.
        let mut is_refused = false;
        match &decision {
            Some(asked) if act => {
                let fits = matches!(self.find_play(asked, play, objects.first()), Ok(Some(_)) | Err(_));
                if is_asked && fits {
                    let (text, what) = (self.decision(asked), self.expected_list(objects));
                    return self.fail(format!("{} may {play} {what}; {text}", self.player(player)));
                }
                let meant = self.plays_meant(play, objects.first());
                is_refused = !meant.is_empty();
                for (code, it) in meant {
                    if let Some(reason) = self.machine.why_not(code, it, player) {
                        names.push(self.reason_names(&reason));
                        reasons.push(self.play_reason(&reason, (code, it), player));
                    } else if is_asked {
                        names.push(vec!["window".to_owned()]);
                        reasons.push("this window is not for it".to_owned());
                    } else {
                        is_refused = false;
                    }
                }
            }
            Some(asked) => {
                let answer = ScriptedAnswer::Values(objects.to_vec());
                if is_asked && self.picks(asked, &answer).is_ok() {
                    let (text, what) = (self.decision(asked), self.expected_list(objects));
                    return self.fail(format!("{} may choose {what}; {text}", self.player(player)));
                }
            }
            None => {}
        }
        if !is_asked {
            names.push(self.reason_names(&Obstacle::NotAsked));
            reasons.push(self.reason(&Obstacle::NotAsked));
        }
        if let Some(asked) = &decision {
            // An answer that is not offered is refused, and nothing changes.
            let outside =
                if asked.kind == DecisionKind::Number { asked.max.saturating_add(1) as u32 } else { asked.options.len() as u32 };
            let refused = self.machine.answer(&[outside]).is_err();
            if !refused || self.machine.state.hash() != before {
                return self.fail("a refused answer has changed the state");
            }
        }
        let Some(because) = because else {
            // Who is not asked can do nothing, whatever the rules say: that alone shows nothing.
            if is_asked || is_refused {
                return Ok(());
            }
            let Some(asked) = &decision else { return self.fail("nobody is asked anything any more") };
            let (asked, player) = (self.decision(asked), self.player(player));
            return self
                .fail(format!("{player} is not asked, and nothing else refuses it: {asked}; `because not_asked` would say so"));
        };
        if names.iter().flatten().any(|name| is_reason(because, name)) {
            return Ok(());
        }
        reasons.dedup();
        if reasons.is_empty() {
            return self.fail(format!("it is refused, but not by `{because}`: no rule is known for it"));
        }
        self.fail(format!("it is refused, but not by `{because}`: {}", reasons.join("; ")))
    }

    fn bind(&mut self, slot: u16, value: FnId) -> Result<(), ScenarioFailure> {
        self.arrive(StopCondition::Look)?;
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
