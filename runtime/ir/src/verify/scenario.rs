//! Verifies scenarios: players, slots, cards, zones, periods and functions are in range.

use super::{Verifier, VerifyError};
use crate::scenario::{ExpectedValue, MatchStep, PositionEntry, Scenario, ScenarioStepKind, ScriptedAnswer};
use crate::{DefId, FnId, PeriodId};

impl Verifier<'_> {
    pub(super) fn scenario(&self, scenario: &Scenario) -> Result<(), VerifyError> {
        self.at_most("players", usize::from(scenario.players), scenario.slots.len())?;
        self.source(scenario.source)?;
        for placed in scenario.position.iter().flatten() {
            self.placed(scenario, placed)?;
        }
        for deck in scenario.match_setup.iter().flat_map(|contest| &contest.decks) {
            self.deck(deck)?;
        }
        for (number, step) in scenario.steps.iter().enumerate() {
            self.source(step.source)
                .and_then(|()| self.step(scenario, &step.kind))
                .map_err(|e| e.within(&format!("step {number}")))?;
        }
        Ok(())
    }

    fn placed(&self, scenario: &Scenario, placed: &PositionEntry) -> Result<(), VerifyError> {
        match placed {
            PositionEntry::Cards { player, zone, count, card, statuses, slot } => {
                self.index("player", usize::from(*player), usize::from(scenario.players))?;
                self.index("zone", zone.index(), self.library.zones.len())?;
                self.at_most("objects", *count as usize, crate::encoding_limits::MAX_OBJECTS)?;
                self.index("card", card.index(), self.library.definitions.len())?;
                for (status, key, value) in statuses {
                    self.index("status", usize::from(*status), self.library.statuses.len())?;
                    let keyed = self.library.statuses.get(usize::from(*status)).is_some_and(|v| v.keys.is_some());
                    self.placed_key(keyed, *key)?;
                    self.pure(*value, 2)?;
                }
                slot.map_or(Ok(()), |slot| self.slot(scenario, slot))
            }
            PositionEntry::Value { player, variable, key, value } => {
                self.index("player", usize::from(*player), usize::from(scenario.players))?;
                self.index("player variable", usize::from(*variable), self.library.player_variables.len())?;
                let keyed = self.library.player_variables.get(usize::from(*variable)).is_some_and(|v| v.keys.is_some());
                self.placed_key(keyed, *key)?;
                self.pure(*value, 2)
            }
            PositionEntry::GameValue { variable, value } => {
                self.index("variable", usize::from(*variable), self.library.globals.len())?;
                self.pure(*value, 2)
            }
            PositionEntry::Effect { player, source, function } => {
                self.index("player", usize::from(*player), usize::from(scenario.players))?;
                source.map_or(Ok(()), |slot| self.slot(scenario, slot))?;
                self.statements(*function, 2)
            }
        }
    }

    fn placed_key(&self, keyed: bool, key: u16) -> Result<(), VerifyError> {
        if keyed == (key != 0) { Ok(()) } else { Err(VerifyError::new("key", "only a variable with keys has a value for one")) }
    }

    fn slot(&self, scenario: &Scenario, slot: u16) -> Result<(), VerifyError> {
        self.index("slot", usize::from(slot), scenario.slots.len())
    }

    fn step(&self, scenario: &Scenario, kind: &ScenarioStepKind) -> Result<(), VerifyError> {
        let player = |seat: &u8| self.index("player", usize::from(*seat), usize::from(scenario.players));
        let span = |span: &PeriodId| self.index("span", span.index(), self.periods);
        let all = |items: &[ExpectedValue]| items.iter().try_for_each(|item| self.expected(item));
        let value = |function: &FnId| self.pure(*function, 2);
        match kind {
            ScenarioStepKind::Start { player: seat, period: at } | ScenarioStepKind::GoTo { player: seat, period: at } => {
                player(seat).and_then(|()| span(at))
            }
            ScenarioStepKind::Act { player: seat, object, choosing, .. } => {
                player(seat)?;
                object.iter().try_for_each(|item| self.expected(item))?;
                choosing.iter().try_for_each(|answer| self.scripted(answer))
            }
            ScenarioStepKind::Concede(seat) => player(seat),
            ScenarioStepKind::Pass(seats) => seats.iter().try_for_each(player),
            ScenarioStepKind::ExpectFizzles { what, .. } => self.expected(what),
            ScenarioStepKind::ChanceShuffle(items) => all(items),
            ScenarioStepKind::PayWith { player: seat, producers }
            | ScenarioStepKind::RefusePay { player: seat, producers, .. } => {
                player(seat).and_then(|()| producers.iter().try_for_each(|producer| self.expected(producer)))
            }
            ScenarioStepKind::RefuseAnswer { player: seat, answer, .. } | ScenarioStepKind::Answer { player: seat, answer } => {
                player(seat).and_then(|()| self.scripted(answer))
            }
            ScenarioStepKind::Expect(condition) => value(condition),
            ScenarioStepKind::ExpectList(items) | ScenarioStepKind::ExpectChoices { options: items, .. } => all(items),
            ScenarioStepKind::ExpectDecision { player: seat, .. } => player(seat),
            ScenarioStepKind::ExpectWindows { player: seat, periods: spans } => {
                player(seat).and_then(|()| spans.iter().try_for_each(span))
            }
            ScenarioStepKind::Refuse { player: seat, objects, .. } => player(seat).and_then(|()| all(objects)),
            ScenarioStepKind::ExpectSees { player: seat, what, of, .. } => {
                player(seat)?;
                self.pure(*what, 2)?;
                of.as_ref().map_or(Ok(()), |of| self.expected(of))
            }
            ScenarioStepKind::ExpectSeen { player: seat, card, zone, .. } => {
                player(seat)?;
                self.index("card", card.index(), self.library.definitions.len())?;
                zone.as_ref().map_or(Ok(()), |zone| self.pure(*zone, 2))
            }
            ScenarioStepKind::Assign { player: seat, pairs, .. } => player(seat).and_then(|()| self.pairs(pairs)),
            ScenarioStepKind::RefuseAssign { player: seat, pairs, offering, .. } => {
                player(seat)?;
                self.pairs(pairs)?;
                offering.as_ref().map_or(Ok(()), |pairs| self.pairs(pairs))
            }
            ScenarioStepKind::Let { slot, value: function } => self.slot(scenario, *slot).and_then(|()| value(function)),
            ScenarioStepKind::ExpectDeck { deck, .. } => self.deck(deck),
            ScenarioStepKind::Match(step) => self.match_step(scenario, step),
            ScenarioStepKind::Chance(_)
            | ScenarioStepKind::ExpectEvents(_)
            | ScenarioStepKind::ExpectAllEvents(_)
            | ScenarioStepKind::ExpectNoEvents(_)
            | ScenarioStepKind::RemainingAnswers(_) => Ok(()),
        }
    }

    fn match_step(&self, scenario: &Scenario, step: &MatchStep) -> Result<(), VerifyError> {
        let player = |seat: &u8| self.index("player", usize::from(*seat), usize::from(scenario.players));
        let card = |card: &DefId| self.index("card", card.index(), self.library.definitions.len());
        match step {
            MatchStep::Wins(winner) => winner.iter().try_for_each(player),
            MatchStep::Ready(players) => players.iter().try_for_each(player),
            MatchStep::Exchange { player: seat, gives, takes, .. } => {
                player(seat)?;
                gives.1.iter().chain(&takes.1).try_for_each(|(_, id)| card(id))
            }
            MatchStep::Section { player: seat, counts, .. } => {
                player(seat)?;
                counts.iter().filter_map(|(_, id)| id.as_ref()).try_for_each(card)
            }
            MatchStep::Sees { player: seat, card: id, .. } => player(seat).and_then(|()| card(id)),
            MatchStep::Next | MatchStep::Score(_) | MatchStep::Phase(_) | MatchStep::Rules(_) => Ok(()),
        }
    }

    fn scripted(&self, answer: &ScriptedAnswer) -> Result<(), VerifyError> {
        match answer {
            ScriptedAnswer::Values(items) => items.iter().try_for_each(|item| self.expected(item)),
            ScriptedAnswer::Nothing
            | ScriptedAnswer::Yes
            | ScriptedAnswer::No
            | ScriptedAnswer::Modes(_)
            | ScriptedAnswer::Pass => Ok(()),
        }
    }

    fn pairs(&self, pairs: &[(ExpectedValue, Option<ExpectedValue>)]) -> Result<(), VerifyError> {
        pairs.iter().flat_map(|(left, right)| std::iter::once(left).chain(right)).try_for_each(|item| self.expected(item))
    }

    fn expected(&self, item: &ExpectedValue) -> Result<(), VerifyError> {
        match item {
            ExpectedValue::Value(function) => self.pure(*function, 2),
            ExpectedValue::Card(card) => self.index("card", card.index(), self.library.definitions.len()),
        }
    }
}
