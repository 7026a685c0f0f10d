//! Expectations of a scenario about conditions, the list, decisions and their choices, events and windows.

use super::ScenarioFailure;
use super::run::ScenarioRun;
use crate::ir::FnId;
use crate::ir::ObjectRef;
use crate::ir::scenario::{ExpectedValue, FizzledPart, ScenarioStep};
use crate::ir::verbs::{BEGIN, FIZZLE, RESOLVE};
use crate::vm::decision::{Choice, Decision, DecisionKind};
use crate::vm::machine::Record;

impl ScenarioRun<'_> {
    /// Fails an expectation about the position, with the decision that is open in it.
    pub(super) fn fail_expectation(&mut self, pending: Option<&Decision>, message: &str) -> Result<(), ScenarioFailure> {
        match pending {
            Some(decision) => {
                let pending = self.decision_text(decision);
                self.fail(format!("{message}; {pending}"))
            }
            None => self.fail(message),
        }
    }

    pub(super) fn expect(&mut self, condition: FnId, step: &ScenarioStep) -> Result<(), ScenarioFailure> {
        let pending = self.settle()?;
        let args = self.args();
        let text = step.text.strip_prefix("expect ").unwrap_or(&step.text);
        match self.machine.test_apart(condition, &args) {
            Some(true) => return Ok(()),
            Some(false) => {}
            None => {
                let operations = self.machine.limits.fuel;
                return self.fail(format!("`{text}` needs more than {operations} operations"));
            }
        }
        let why = self.explain_false(condition).map_or_else(String::new, |why| format!(": {why}"));
        self.fail_expectation(pending.as_ref(), &format!("`{text}` does not hold{why}"))
    }

    pub(super) fn expect_list(&mut self, items: &[ExpectedValue]) -> Result<(), ScenarioFailure> {
        let pending = self.settle()?;
        let program = std::sync::Arc::clone(&self.machine.program);
        let is: Vec<ObjectRef> = program
            .list
            .map_or_else(Vec::new, |l| self.machine.state.zone_items(&program, l).iter().map(|i| ObjectRef(*i)).collect());
        let mut same = is.len() == items.len();
        for (item, it) in items.iter().zip(&is) {
            same = same && self.matches_object(item, *it);
        }
        if same {
            return Ok(());
        }
        let expected = self.expected_list_text(items);
        let names: Vec<String> = is.iter().map(|it| self.object_name(*it)).collect();
        let message = format!("the list is [{}], expected is {expected} (bottom to top)", names.join(", "));
        self.fail_expectation(pending.as_ref(), &message)
    }

    pub(super) fn expect_decision(&mut self, player: usize, kind: Option<&str>) -> Result<(), ScenarioFailure> {
        let Some(decision) = self.settle()? else {
            let over = self.outcome_text();
            return self.fail(format!("{} is not asked: {over}", self.player_name(player)));
        };
        if decision.player == player && kind.is_none_or(|k| k == decision.kind.name()) {
            return Ok(());
        }
        let pending = self.decision_text(&decision);
        let kind = kind.map_or_else(String::new, |k| format!(" (`{k}`)"));
        self.fail(format!("expected that {} is asked{kind}, but {pending}", self.player_name(player)))
    }

    pub(super) fn expect_choices(&mut self, items: &[ExpectedValue], declining: bool) -> Result<(), ScenarioFailure> {
        let Some(decision) = self.settle_at(true)? else {
            let over = self.outcome_text();
            return self.fail(format!("there is nothing to choose: {over}"));
        };
        if decision.kind == DecisionKind::Number {
            return self.expect_numbers(&decision, items);
        }
        let options: Vec<Choice> = decision
            .options
            .iter()
            .copied()
            .filter(|c| {
                !matches!(
                    c,
                    Choice::Pass
                        | Choice::PayNow
                        | Choice::Producer(_)
                        | Choice::Abandon
                        | Choice::Play { object: ObjectRef::NONE, .. }
                )
            })
            .collect();
        let can_decline = decision.min <= 0
            || decision.options.iter().any(|choice| matches!(choice, Choice::Pass | Choice::No | Choice::Abandon));
        let mut wrong: Vec<String> = Vec::new();
        if declining && !can_decline {
            wrong.push("nothing is not legal".to_owned());
        }
        for item in items {
            let mut found = false;
            for choice in &options {
                found = found || self.matches_choice(item, *choice);
            }
            if !found {
                wrong.push(format!("{} is not legal", self.expected_text(item)));
            }
        }
        for choice in &options {
            let mut found = false;
            for item in items {
                found = found || self.matches_choice(item, *choice);
            }
            if !found {
                let one = Decision { options: vec![*choice], min: 1, max: 1, ..decision.clone() };
                let text = self.decision_text(&one);
                wrong.push(format!("{} is legal too", text.rsplit(": ").next().unwrap_or("another one")));
            }
        }
        if wrong.is_empty() {
            return Ok(());
        }
        let pending = self.decision_text(&decision);
        self.fail(format!("{}; {pending}", wrong.join(", ")))
    }

    pub(super) fn expect_numbers(&mut self, decision: &Decision, items: &[ExpectedValue]) -> Result<(), ScenarioFailure> {
        let args = self.args();
        let mut numbers: Vec<i64> = Vec::new();
        for item in items {
            if let ExpectedValue::Value(function) = item {
                numbers.push(self.machine.number(*function, &args));
            }
        }
        numbers.sort_unstable();
        if numbers.iter().copied().eq(decision.min..=decision.max) {
            return Ok(());
        }
        let pending = self.decision_text(decision);
        self.fail(format!("expected are {numbers:?}; {pending}"))
    }

    /// All names under which a scenario may refer to a record of the log; empty unless it is an event that happened.
    fn event_names(&self, record: &Record) -> Vec<String> {
        let Record::Event { action, args, happened: true, .. } = record else { return Vec::new() };
        let format = &self.machine.program.format;
        let mut names: Vec<String> = format
            .actions
            .get(*action as usize)
            .map(|a| a.name.clone())
            .or_else(|| crate::ir::verbs::VERBS.get(*action as usize).map(|v| v.name.to_owned()))
            .into_iter()
            .collect();
        // An event of an action is also an event of the actions that it is declared to be (`action attack_player(…) is attack`).
        let mut parent = format.actions.get(*action as usize).and_then(|a| a.parent);
        while let Some(above) = parent.and_then(|id| format.actions.get(id.index())).filter(|a| !names.contains(&a.name)) {
            names.push(above.name.clone());
            parent = above.parent;
        }
        if *action == BEGIN
            && let Some(period) = args.first().and_then(|s| usize::try_from(*s).ok()).and_then(|s| format.periods.get(s))
        {
            names.push(period.path.clone());
            names.push(period.name.clone());
            if let Some((_, rest)) = period.path.split_once('.') {
                names.push(rest.to_owned());
            }
        }
        names
    }

    fn is_event_name(&self, name: &str) -> bool {
        let format = &self.machine.program.format;
        format.actions.iter().any(|a| a.name == name)
            || crate::ir::verbs::VERBS.iter().any(|v| v.name == name)
            || format
                .periods
                .iter()
                .any(|s| s.path == name || s.name == name || s.path.split_once('.').is_some_and(|(_, r)| r == name))
    }

    /// The events recorded since the last `expect events`, for messages; only the last 60 of them.
    fn recorded_events_text(&self) -> String {
        let mut names: Vec<String> = Vec::new();
        for record in self.machine.log.get(self.events_from..).unwrap_or(&[]) {
            let of = self.event_names(record);
            let name = if of.len() > 1 { of.get(1) } else { of.first() };
            if let Some(name) = name {
                names.push(name.clone());
            }
        }
        if names.len() > 60 {
            let left_out = names.len() - 60;
            names.drain(..left_out);
            names.insert(0, format!("({left_out} more) …"));
        }
        names.join(", ")
    }

    pub(super) fn expect_events(&mut self, names: &[String]) -> Result<(), ScenarioFailure> {
        let pending = self.settle()?;
        if let Some(unknown) = names.iter().find(|name| !self.is_event_name(name)) {
            return self.fail(format!("there is no action and no span `{unknown}`"));
        }
        let mut wanted = names.iter();
        let mut next = wanted.next();
        for record in self.machine.log.get(self.events_from..).unwrap_or(&[]) {
            let Some(name) = next else { break };
            if self.event_names(record).contains(name) {
                next = wanted.next();
            }
        }
        if let Some(missing) = next {
            let message = format!(
                "expected [{}] in this order, but `{missing}` did not happen where it is expected; recorded: {}",
                names.join(", "),
                self.recorded_events_text()
            );
            return self.fail_expectation(pending.as_ref(), &message);
        }
        self.events_from = self.machine.log.len();
        Ok(())
    }

    /// Checks that of all events with one of these names exactly these happened, in this order.
    pub(super) fn expect_all_events(&mut self, names: &[String]) -> Result<(), ScenarioFailure> {
        let pending = self.settle()?;
        if let Some(unknown) = names.iter().find(|name| !self.is_event_name(name)) {
            return self.fail(format!("there is no action and no span `{unknown}`"));
        }
        let mut wanted = names.iter();
        let mut came: Vec<&str> = Vec::new();
        for record in self.machine.log.get(self.events_from..).unwrap_or(&[]) {
            let found = self.event_names(record);
            let Some(name) = names.iter().find(|name| found.contains(name)) else { continue };
            came.push(name);
            if wanted.next().is_none_or(|next| !found.contains(next)) {
                let (listed, came) = (names.join(", "), came.join(", "));
                return self.fail(format!("expected are just [{listed}]; there came {came}, which is one too many or too early"));
            }
        }
        if let Some(missing) = wanted.next() {
            let message =
                format!("expected are just [{}], but `{missing}` did not come; there came {}", names.join(", "), came.join(", "));
            return self.fail_expectation(pending.as_ref(), &message);
        }
        self.events_from = self.machine.log.len();
        Ok(())
    }

    pub(super) fn expect_no_events(&mut self, names: &[String]) -> Result<(), ScenarioFailure> {
        self.settle()?;
        if self.events_from > 0 && self.events_from == self.machine.log.len() {
            return self
                .fail("nothing was recorded since the last `expect events`, so this says nothing; write it before".to_owned());
        }
        if let Some(unknown) = names.iter().find(|name| !self.is_event_name(name)) {
            return self.fail(format!("there is no action and no span `{unknown}`"));
        }
        // A name of an action does not stand for the beginning of a step with the same name.
        let actions = &self.machine.program.format.actions;
        let is_action = |name: &String| actions.iter().any(|action| action.name == *name);
        let began = |record: &Record| matches!(record, Record::Event { action, .. } if *action == BEGIN);
        let happened = self
            .machine
            .log
            .get(self.events_from..)
            .unwrap_or(&[])
            .iter()
            .flat_map(|record| {
                let begins = began(record);
                self.event_names(record).into_iter().filter(move |name| !begins || !is_action(name))
            })
            .find(|name| names.contains(name));
        match happened {
            Some(name) => self.fail(format!("`{name}` happened; recorded: {}", self.recorded_events_text())),
            None => Ok(()),
        }
    }

    /// Checks whether an object, an ability of it or a part of its text has fizzled since the last `expect events`.
    pub(super) fn expect_fizzles(
        &mut self,
        what: &ExpectedValue,
        part: Option<FizzledPart>,
        fizzles: bool,
    ) -> Result<(), ScenarioFailure> {
        let pending = self.settle()?;
        let text = self.expected_text(what);
        let of_part = match part {
            None => String::new(),
            Some(FizzledPart::Paragraph(number)) => format!("paragraph {} of ", number.saturating_add(1)),
            Some(FizzledPart::Mode(number)) => format!("mode {} of ", number.saturating_add(1)),
        };
        let (mut has_fizzled, mut has_resolved) = (false, false);
        for record in self.machine.log.get(self.events_from..).unwrap_or(&[]).to_vec() {
            let (it, this) = match &record {
                Record::Event { action, args, happened: true, .. } if matches!(*action, FIZZLE | RESOLVE) => {
                    (ObjectRef::from_value(args.first().copied().unwrap_or(0)), part.is_none() && *action == FIZZLE)
                }
                Record::FizzledPart { source, part: fizzled } => (*source, part == Some(*fizzled)),
                _ => continue,
            };
            let now = self.machine.state.current(it.slot());
            if self.matches_object(what, it) || self.matches_object(what, now) {
                has_fizzled |= this;
                has_resolved |= matches!(record, Record::Event { .. });
            }
        }
        if has_fizzled == fizzles && (fizzles || has_resolved) {
            return Ok(());
        }
        if has_fizzled {
            return self.fail_expectation(pending.as_ref(), &format!("{of_part}{text} has fizzled"));
        }
        let so_far = if has_resolved { "it has resolved" } else { "it has not been resolved" };
        self.fail_expectation(pending.as_ref(), &format!("{of_part}{text} has not fizzled: {so_far}"))
    }

    pub(super) fn expect_windows(&mut self, player: usize, periods: &[u32]) -> Result<(), ScenarioFailure> {
        self.settle()?;
        let mut windows: Vec<u32> = self
            .machine
            .log
            .iter()
            .filter_map(|record| match record {
                Record::Window { player: p, period: span } if *p == player => Some(*span),
                _ => None,
            })
            .collect();
        windows.dedup();
        if windows == periods {
            return Ok(());
        }
        let paths = |list: &[u32]| list.iter().map(|s| self.period_path(*s)).collect::<Vec<_>>().join(", ");
        self.fail(format!(
            "{} was asked to act in [{}], expected is [{}]",
            self.player_name(player),
            paths(&windows),
            paths(periods)
        ))
    }
}
