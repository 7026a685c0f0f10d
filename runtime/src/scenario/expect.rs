//! What a scenario expects: of values, the list, decisions, events and windows.

use super::ScenarioFailure;
use super::run::{ScenarioRun, StopCondition};
use crate::ir::FnId;
use crate::ir::scenario::{Expected, ScenarioStep};
use crate::ir::verbs::BEGIN;
use crate::state::ObjectRef;
use crate::vm::Record;
use crate::vm::decision::{Choice, Decision, DecisionKind};

impl ScenarioRun<'_> {
    pub(super) fn expect(&mut self, condition: FnId, step: &ScenarioStep) -> Result<(), ScenarioFailure> {
        self.arrive(StopCondition::Look)?;
        let args = self.args();
        if self.machine.test(condition, &args) {
            return Ok(());
        }
        let why = self.explain_false(condition).map_or_else(String::new, |why| format!(": {why}"));
        let text = step.text.strip_prefix("expect ").unwrap_or(&step.text);
        self.fail(format!("`{text}` does not hold{why}"))
    }

    pub(super) fn expect_list(&mut self, items: &[Expected]) -> Result<(), ScenarioFailure> {
        self.arrive(StopCondition::Look)?;
        let program = std::sync::Arc::clone(&self.machine.program);
        let is: Vec<ObjectRef> = program
            .list
            .map_or_else(Vec::new, |l| self.machine.state.zone_items(&program, l).iter().map(|i| ObjectRef(*i)).collect());
        let mut same = is.len() == items.len();
        for (item, it) in items.iter().zip(&is) {
            same = same && self.is_object(item, *it);
        }
        if same {
            return Ok(());
        }
        let expected = self.expected_list(items);
        let names: Vec<String> = is.iter().map(|it| self.object(*it)).collect();
        self.fail(format!("the list is [{}], expected is {expected} (bottom to top)", names.join(", ")))
    }

    pub(super) fn expect_asked(&mut self, player: usize, kind: Option<&str>) -> Result<(), ScenarioFailure> {
        let Some(decision) = self.arrive(StopCondition::Asked { player, kind })? else {
            let over = self.outcome();
            return self.fail(format!("{} is not asked: {over}", self.player(player)));
        };
        self.stopped_at_decision = true;
        if decision.player == player && kind.is_none_or(|k| k == decision.kind.name()) {
            return Ok(());
        }
        let asked = self.decision(&decision);
        let kind = kind.map_or_else(String::new, |k| format!(" (`{k}`)"));
        self.fail(format!("expected that {} is asked{kind}, but {asked}", self.player(player)))
    }

    pub(super) fn expect_choices(&mut self, items: &[Expected]) -> Result<(), ScenarioFailure> {
        let Some(decision) = self.arrive(StopCondition::Options)? else {
            let over = self.outcome();
            return self.fail(format!("there is nothing to choose: {over}"));
        };
        self.stopped_at_decision = true;
        if decision.kind == DecisionKind::Number {
            return self.expect_numbers(&decision, items);
        }
        let options: Vec<Choice> = decision
            .options
            .iter()
            .copied()
            .filter(|c| {
                !matches!(c, Choice::Pass | Choice::PayNow | Choice::Abandon | Choice::Play { object: ObjectRef::NONE, .. })
            })
            .collect();
        let mut wrong: Vec<String> = Vec::new();
        for item in items {
            let mut found = false;
            for choice in &options {
                found = found || self.is_choice(item, *choice);
            }
            if !found {
                wrong.push(format!("{} is not legal", self.expected(item)));
            }
        }
        for choice in &options {
            let mut found = false;
            for item in items {
                found = found || self.is_choice(item, *choice);
            }
            if !found {
                let one = Decision { options: vec![*choice], min: 1, max: 1, ..decision.clone() };
                let text = self.decision(&one);
                wrong.push(format!("{} is legal too", text.rsplit(": ").next().unwrap_or("another one")));
            }
        }
        if wrong.is_empty() {
            return Ok(());
        }
        let asked = self.decision(&decision);
        self.fail(format!("{}; {asked}", wrong.join(", ")))
    }

    pub(super) fn expect_numbers(&mut self, decision: &Decision, items: &[Expected]) -> Result<(), ScenarioFailure> {
        let args = self.args();
        let mut numbers: Vec<i64> = Vec::new();
        for item in items {
            if let Expected::Value(function) = item {
                numbers.push(self.machine.number(*function, &args));
            }
        }
        numbers.sort_unstable();
        if numbers.iter().copied().eq(decision.min..=decision.max) {
            return Ok(());
        }
        let asked = self.decision(decision);
        self.fail(format!("expected are {numbers:?}; {asked}"))
    }

    /// The names that a record of the log goes by.
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
        // An event of an action is one of those that it is declared to be (`action attack_player(…) is attack`).
        let mut parent = format.actions.get(*action as usize).and_then(|a| a.parent);
        while let Some(above) = parent.and_then(|id| format.actions.get(id.index())).filter(|a| !names.contains(&a.name)) {
            names.push(above.name.clone());
            parent = above.parent;
        }
        if *action == BEGIN
            && let Some(span) = args.first().and_then(|s| usize::try_from(*s).ok()).and_then(|s| format.spans.get(s))
        {
            names.push(span.path.clone());
            names.push(span.name.clone());
            if let Some((_, rest)) = span.path.split_once('.') {
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
                .spans
                .iter()
                .any(|s| s.path == name || s.name == name || s.path.split_once('.').is_some_and(|(_, r)| r == name))
    }

    /// What was recorded, in short, for messages.
    fn recorded(&self) -> String {
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
        self.arrive(StopCondition::Look)?;
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
            return self.fail(format!(
                "expected [{}] in this order, but `{missing}` did not happen where it is expected; recorded: {}",
                names.join(", "),
                self.recorded()
            ));
        }
        self.events_from = self.machine.log.len();
        Ok(())
    }

    /// Of the named events exactly these, in this order.
    pub(super) fn expect_all_events(&mut self, names: &[String]) -> Result<(), ScenarioFailure> {
        self.arrive(StopCondition::Look)?;
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
            return self.fail(format!(
                "expected are just [{}], but `{missing}` did not come; there came {}",
                names.join(", "),
                came.join(", ")
            ));
        }
        self.events_from = self.machine.log.len();
        Ok(())
    }

    pub(super) fn expect_no_events(&mut self, names: &[String]) -> Result<(), ScenarioFailure> {
        self.arrive(StopCondition::Look)?;
        if self.events_from > 0 && self.events_from == self.machine.log.len() {
            return self
                .fail("nothing was recorded since the last `expect events`, so this says nothing; write it before".to_owned());
        }
        if let Some(unknown) = names.iter().find(|name| !self.is_event_name(name)) {
            return self.fail(format!("there is no action and no span `{unknown}`"));
        }
        // That a step of the same name began is not what a scenario means that names an action.
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
            Some(name) => self.fail(format!("`{name}` happened; recorded: {}", self.recorded())),
            None => Ok(()),
        }
    }

    pub(super) fn expect_windows(&mut self, player: usize, spans: &[u32]) -> Result<(), ScenarioFailure> {
        self.arrive(StopCondition::Look)?;
        let mut asked: Vec<u32> = self
            .machine
            .log
            .iter()
            .filter_map(|record| match record {
                Record::Window { player: p, span } if *p == player => Some(*span),
                _ => None,
            })
            .collect();
        asked.dedup();
        if asked == spans {
            return Ok(());
        }
        let paths = |list: &[u32]| list.iter().map(|s| self.span_path(*s)).collect::<Vec<_>>().join(", ");
        self.fail(format!("{} was asked to act in [{}], expected is [{}]", self.player(player), paths(&asked), paths(spans)))
    }
}
