//! Declarations in scenarios: steps that declare, and steps that expect a refusal, its reason, and the declaration offered instead.

use super::ScenarioFailure;
use super::messages::reason_matches;
use super::run::{ScenarioRun, StopCondition};
use crate::assign::Origin;
use crate::ir::ObjectRef;
use crate::ir::scenario::is_verb;
use crate::ir::scenario::{ExpectedValue, ScenarioStep};
use crate::ir::{AbilityId, cause};
use crate::vm::decision::{AnswerError, Choice, Decision, DecisionKind, Side};
use crate::vm::hooks::Obstacle;

/// The maximum number of answers that the runner gives before the decision of one step comes.
const MAX_AUTOMATIC_ANSWERS: usize = 5_000;

type Pairs = [(ExpectedValue, Option<ExpectedValue>)];

impl ScenarioRun<'_> {
    pub(super) fn declare(
        &mut self,
        player: usize,
        verb: &str,
        pairs: &Pairs,
        step: &ScenarioStep,
    ) -> Result<(), ScenarioFailure> {
        for _ in 0..MAX_AUTOMATIC_ANSWERS {
            let Some(decision) = self.advance_to(StopCondition::Assign { player })? else {
                let over = self.outcome_text();
                return self.fail(format!("`{}`: {over}", step.text));
            };
            if self.is_declaration_of(&decision, player, verb) {
                let picks = match self.find_pairs(&decision, pairs) {
                    Ok(picks) => picks,
                    Err((message, _)) => {
                        let pending = self.decision_text(&decision);
                        return self.fail(format!("`{}`: {message}; {pending}", step.text));
                    }
                };
                return match self.machine.answer(&picks) {
                    Ok(()) => Ok(()),
                    Err(refusal) => {
                        let (why, _, _) = self.describe_refusal(&decision, &refusal);
                        let pending = self.decision_text(&decision);
                        self.fail(format!("`{}`: {why}; {pending}", step.text))
                    }
                };
            }
            if !self.answers_rest {
                let pending = self.decision_text(&decision);
                return self.fail(format!("`{}`: that is not asked; {pending}", step.text));
            }
            self.give_answer(&Self::first_answer(&decision))?;
        }
        self.fail("no decision came up that this step is about")
    }

    pub(super) fn refuse_declaration(
        &mut self,
        player: usize,
        verb: &str,
        pairs: &Pairs,
        because: Option<&str>,
        offering: Option<&Pairs>,
    ) -> Result<(), ScenarioFailure> {
        let decision = self.settle()?;
        let Some(decision) = decision.filter(|decision| self.is_declaration_of(decision, player, verb)) else {
            return self.fail(format!("{} is not asked to declare {verb}", self.player_name(player)));
        };
        let before = self.machine.state.hash();
        let (words, names, instead) = match self.find_pairs(&decision, pairs) {
            Ok(picks) => match self.machine.answer(&picks) {
                Ok(()) => {
                    let pending = self.decision_text(&decision);
                    return self.fail(format!("{} may declare that; {pending}", self.player_name(player)));
                }
                Err(refusal) => self.describe_refusal(&decision, &refusal),
            },
            Err((message, None)) => (message, Vec::new(), None),
            Err((_, Some(reason))) => (self.obstacle_text(&reason), self.obstacle_names(&reason), None),
        };
        if self.machine.state.hash() != before {
            return self.fail("a refused answer has changed the state");
        }
        if let Some(because) = because
            && !names.iter().any(|name| reason_matches(because, name))
        {
            return self.fail(format!("it is refused, but not by `{because}`: {words}"));
        }
        let Some(offering) = offering else { return Ok(()) };
        let Some(offered) = instead else { return self.fail(format!("it is refused ({words}), but nothing is offered instead")) };
        let mut wanted = match self.find_pairs(&decision, offering) {
            Ok(picks) => picks,
            Err((message, _)) => return self.fail(message),
        };
        wanted.sort_unstable();
        if wanted == offered {
            return Ok(());
        }
        let offered = offered.iter().filter_map(|pick| decision.options.get(*pick as usize)).copied().collect();
        let only = Decision { options: offered, ..decision };
        let offered = self.decision_text(&only);
        self.fail(format!("another declaration is offered instead: {offered}"))
    }

    fn is_declaration_of(&self, decision: &Decision, player: usize, verb: &str) -> bool {
        let site = decision.site.and_then(|site| self.machine.program.library.sites.get(site as usize));
        let action = site.and_then(|site| site.verb).and_then(|action| self.machine.program.format.actions.get(action.index()));
        decision.kind == DecisionKind::Assign
            && decision.player == player
            && action.is_some_and(|action| is_verb(verb, &action.name))
    }

    /// The options that scripted pairs name.
    ///
    /// # Errors
    /// A message for a pair that is not among the options, and the obstacle that forbids it if one is known.
    fn find_pairs(&mut self, decision: &Decision, pairs: &Pairs) -> Result<Vec<u32>, (String, Option<Obstacle>)> {
        let mut picks = Vec::new();
        for (left, right) in pairs {
            let mut found = Vec::new();
            for (n, choice) in decision.options.iter().enumerate() {
                let Choice::Pair(it, side) = *choice else { continue };
                let fits = self.matches_object(left, it)
                    && right.as_ref().is_none_or(|right| match side {
                        Side::Object(with) => self.matches_object(right, with),
                        Side::Player(seat) => self.matches_choice(right, Choice::Player(seat)),
                    });
                if fits && !picks.contains(&(n as u32)) {
                    found.push((n as u32, it));
                }
            }
            if let ExpectedValue::Card(_) = left {
                // A card name stands for any object of that card; prefer one that has no pair yet.
                let of = |pick: &u32| decision.options.get(*pick as usize);
                let taken =
                    |it: ObjectRef| picks.iter().any(|pick| matches!(of(pick), Some(Choice::Pair(other, _)) if *other == it));
                found.sort_by_key(|(n, it)| (taken(*it), *n));
            }
            match found.as_slice() {
                [] => return Err(self.explain_missing_pair(decision, left, right.as_ref())),
                [(pick, _)] => picks.push(*pick),
                [(pick, it), rest @ ..] => {
                    if right.is_none() && rest.iter().any(|(_, other)| other == it) {
                        let left = self.expected_text(left);
                        return Err((format!("say with what {left} goes: there are several"), None));
                    }
                    picks.push(*pick);
                }
            }
        }
        Ok(picks)
    }

    fn explain_missing_pair(
        &mut self,
        decision: &Decision,
        left: &ExpectedValue,
        right: Option<&ExpectedValue>,
    ) -> (String, Option<Obstacle>) {
        let site = decision.site.and_then(|site| self.machine.program.library.sites.get(site as usize));
        let action = site.and_then(|site| site.verb);
        let values = self.expected_value(left).zip(right.and_then(|right| self.expected_value(right)));
        let player = decision.player as i64;
        let reason = action.zip(values).and_then(|(action, (left, right))| {
            self.machine.why_forbidden(action.0, &[left, right], [cause::RULE, 0, player, player])
        });
        let (left, right) = (self.expected_text(left), right.map(|right| self.expected_text(right)));
        let with = right.map_or_else(String::new, |right| format!(" with {right}"));
        (format!("{left}{with} is not among the pairs that may be declared"), reason)
    }

    /// Describes a refusal: a message, the names of the rule or text that causes it, and the picks offered instead.
    fn describe_refusal(&mut self, decision: &Decision, refusal: &AnswerError) -> (String, Vec<String>, Option<Vec<u32>>) {
        let AnswerError::IllegalDeclaration { why, instead } = refusal else { return (refusal.to_string(), Vec::new(), None) };
        let label = decision.board.as_ref().and_then(|board| board.origin(*why)).unwrap_or_default();
        let Origin { ability, source } = label;
        let source = ObjectRef(source);
        let reason = match ability.checked_sub(1) {
            Some(ability) => Obstacle::Ability(AbilityId(ability), source),
            None => Obstacle::Effect(source),
        };
        let names = if label == Origin::default() { Vec::new() } else { self.obstacle_names(&reason) };
        let by = names.join(" of ");
        let offered: Vec<String> = instead
            .iter()
            .flatten()
            .filter_map(|pick| decision.options.get(*pick as usize))
            .map(|c| self.choice_text(*c))
            .collect();
        let offered = match (instead, offered.is_empty()) {
            (None, _) => String::new(),
            (Some(_), true) => "; legal is nothing".to_owned(),
            (Some(_), false) => format!("; legal is {}", offered.join(", ")),
        };
        (format!("{refusal} ({by}){offered}"), names, instead.clone())
    }
}
