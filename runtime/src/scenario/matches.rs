//! Match steps of scenarios: they drive a [`Match`], whose games may end by a step of the script.

use super::ScenarioFailure;
use super::run::{BoundName, ScenarioRun};
use crate::deck;
use crate::invariants::InvariantChecker;
use crate::ir::scenario::MatchStep;
use crate::ir::{Deck, DefId, MatchRules};
use crate::matches::{Match, MatchPhase};
use crate::state::layout as at;
use crate::vm::machine::{Machine, Outcome};

/// The seed of every match after the first one.
const NEXT_SEED: u64 = 2;

impl ScenarioRun<'_> {
    /// Executes a step about a match.
    pub(super) fn match_step(&mut self, step: &MatchStep) -> Result<(), ScenarioFailure> {
        if let MatchStep::Rules(rules) = step {
            return self.expect_rules(rules);
        }
        self.record_finished_game()?;
        match step {
            MatchStep::Rules(_) => Ok(()),
            MatchStep::Wins(player) => self.end_game(*player),
            MatchStep::Exchange { player, gives, takes, refused } => {
                self.exchange(usize::from(*player), gives, takes, refused.as_deref())
            }
            MatchStep::Ready(players) => {
                for player in players {
                    let current = self.current_match()?;
                    if current.phase() != MatchPhase::Exchanging {
                        let phase = current.phase().name();
                        return self.fail(format!("no player exchanges cards now: the match is {phase}"));
                    }
                    self.current_match()?.set_ready(usize::from(*player));
                }
                self.next_game()
            }
            MatchStep::Next => {
                let current = self.current_match()?;
                if current.phase() != MatchPhase::Over {
                    let (phase, wins) = (current.phase().name(), current.wins().to_vec());
                    return self.fail(format!("the match is not over: it is {phase}, the score is {wins:?}"));
                }
                *current = current.rematch(NEXT_SEED);
                self.next_game()
            }
            MatchStep::Score(score) => {
                let wins = self.current_match()?.wins().to_vec();
                if wins == *score { Ok(()) } else { self.fail(format!("the score is {wins:?}, expected is {score:?}")) }
            }
            MatchStep::Phase(expected) => {
                let phase = self.current_match()?.phase().name();
                if phase == expected { Ok(()) } else { self.fail(format!("the match is {phase}, expected is {expected}")) }
            }
            MatchStep::Section { section, player, counts } => self.expect_section(section, usize::from(*player), counts),
            MatchStep::Sees { player, card, negated } => {
                let program = std::sync::Arc::clone(&self.machine.program);
                let view = self.current_match()?.view(&program, usize::from(*player));
                let name = program.library.definitions.get(card.index()).map_or("", |d| d.name.as_str());
                let text = serde_json::to_string(&view).unwrap_or_default();
                let seen = text.contains(&serde_json::to_string(name).unwrap_or_default());
                if seen != *negated {
                    return Ok(());
                }
                let (who, not) = (self.player_name(usize::from(*player)), if seen { "" } else { "not " });
                self.fail(format!("\"{name}\" is {not}in what {who} sees of the match"))
            }
        }
    }

    /// Compares the match rules of the format with the expected ones. Fields that the script leaves out are not compared.
    fn expect_rules(&self, expected: &MatchRules) -> Result<(), ScenarioFailure> {
        let is = &self.machine.program.format.match_rules;
        let differs = [
            ("best of", expected.best_of != 0 && expected.best_of != is.best_of.max(1), format!("{}", is.best_of.max(1))),
            ("exchange", !expected.exchange.is_empty() && expected.exchange != is.exchange, is.exchange.join(", ")),
            ("minutes", expected.minutes.is_some() && expected.minutes != is.minutes, format!("{:?}", is.minutes)),
            ("aids", !expected.aids.is_empty() && expected.aids != is.aids, is.aids.join(", ")),
        ];
        match differs.iter().find(|(_, differs, _)| *differs) {
            None => Ok(()),
            Some((what, _, found)) => self.fail(format!("the format says `{what}` otherwise of its matches: {found}")),
        }
    }

    fn current_match(&mut self) -> Result<&mut Match, ScenarioFailure> {
        let source = self.source;
        let message = "this scenario is of a single game: begin it with `match { A: \"…\"  B: \"…\" }`";
        self.current_match.as_mut().ok_or_else(|| ScenarioFailure { message: message.to_owned(), source })
    }

    /// Records the result in the match if its game has ended by the rules, and starts the next game.
    fn record_finished_game(&mut self) -> Result<(), ScenarioFailure> {
        let (outcome, program) = (self.machine.outcome(), std::sync::Arc::clone(&self.machine.program));
        let current = self.current_match()?;
        if let Some(outcome) = outcome
            && current.phase() == MatchPhase::Playing
        {
            current.record_result(&program, outcome);
            return self.next_game();
        }
        Ok(())
    }

    fn end_game(&mut self, winner: Option<u8>) -> Result<(), ScenarioFailure> {
        let current = self.current_match()?;
        if current.phase() != MatchPhase::Playing {
            let phase = current.phase().name();
            return self.fail(format!("no game is played: the match is {phase}"));
        }
        self.machine.force_outcome(winner.map_or(Outcome::Drawn, |seat| Outcome::Won(usize::from(seat))));
        self.record_finished_game()
    }

    /// Starts the next game unless the match is over or cards are being exchanged.
    fn next_game(&mut self) -> Result<(), ScenarioFailure> {
        let program = std::sync::Arc::clone(&self.machine.program);
        let current = self.current_match()?;
        if current.phase() != MatchPhase::Playing {
            return Ok(());
        }
        match current.start(&program) {
            Ok(machine) => self.enter_game(machine),
            Err(error) => self.fail(error.to_string()),
        }
    }

    /// Continues with another game. Names bound to objects of the previous game become [`BoundName::Gone`].
    pub(super) fn enter_game(&mut self, machine: Machine) -> Result<(), ScenarioFailure> {
        self.check_scripted_random_used()?;
        self.machine = machine;
        self.machine.recording = true;
        for slot in &mut self.slots {
            if matches!(slot, BoundName::Object(_)) {
                *slot = BoundName::Gone;
            }
        }
        self.reset_for_next_game();
        self.invariant_checker = self.invariant_checker.is_some().then(|| InvariantChecker::start(&self.machine));
        Ok(())
    }

    /// Fails if random numbers that the script set (`chance`) were not drawn.
    pub(super) fn check_scripted_random_used(&self) -> Result<(), ScenarioFailure> {
        let left: Vec<String> =
            self.machine.state.block.list(at::SCRIPTED_RANDOM).iter().rev().map(ToString::to_string).collect();
        if !self.machine.scripted_shuffles.is_empty() {
            return self.fail("chance was to order a shuffle, but no zone with all of these cards was shuffled");
        }
        if left.is_empty() {
            return Ok(());
        }
        self.fail(format!("chance was to give {}, but no such number was drawn", left.join(", ")))
    }

    fn exchange(
        &mut self,
        player: usize,
        gives: &(String, Vec<(u32, DefId)>),
        takes: &(String, Vec<(u32, DefId)>),
        refused: Option<&[String]>,
    ) -> Result<(), ScenarioFailure> {
        let program = std::sync::Arc::clone(&self.machine.program);
        let current = self.current_match()?;
        let before = current.clone();
        let sections = current.swap_cards(player, (&gives.0, &gives.1), (&takes.0, &takes.1));
        let result = current.exchange(&program, player, sections);
        let unchanged = *current == before;
        match (result, refused) {
            (Ok(()), None) => Ok(()),
            (Ok(()), Some(_)) => self.fail("the exchange is legal"),
            (Err(_), _) if !unchanged => self.fail("a refused exchange has changed the match"),
            (Err(error), None) => self.fail(format!("the exchange is refused: {error}")),
            (Err(error), Some(texts)) => {
                let message = error.to_string();
                match texts.iter().find(|text| !message.contains(text.as_str())) {
                    None => Ok(()),
                    Some(text) => self.fail(format!("the exchange is refused, but not because `{text}`: {message}")),
                }
            }
        }
    }

    fn expect_section(&mut self, section: &str, player: usize, counts: &[(u32, Option<DefId>)]) -> Result<(), ScenarioFailure> {
        let program = std::sync::Arc::clone(&self.machine.program);
        let sections = self.current_match()?.deck(player).map_or_else(Vec::new, |deck| deck.sections.clone());
        for (expected, card) in counts {
            let of_section = sections.iter().filter(|(name, _)| name == section).flat_map(|(_, cards)| cards);
            let found: u32 = of_section.filter(|(_, known)| card.is_none_or(|card| card == *known)).map(|(n, _)| n).sum();
            if found != *expected {
                let name = card.and_then(|card| program.library.definitions.get(card.index()));
                let what = name.map_or_else(|| "cards".to_owned(), |card| format!("\"{}\"", card.name));
                let who = self.player_name(player);
                return self.fail(format!("section `{section}` of {who} has {found} {what}, expected are {expected}"));
            }
        }
        Ok(())
    }

    /// Checks the legality of a deck in the format of the scenario: every problem is expected, and every expected problem occurs.
    pub(super) fn expect_deck(&mut self, deck: &Deck, because: &[String]) -> Result<(), ScenarioFailure> {
        let problems = deck::check(&self.machine.program, deck, &self.ancestors);
        let messages: Vec<String> = problems.iter().map(ToString::to_string).collect();
        if let Some(other) = messages.iter().find(|message| !because.iter().any(|text| message.contains(text.as_str()))) {
            let but = if because.is_empty() { "the deck is refused" } else { "the deck is refused for another reason" };
            return self.fail(format!("{but}: {other}"));
        }
        match because.iter().find(|text| !messages.iter().any(|message| message.contains(text.as_str()))) {
            None => Ok(()),
            Some(_) if messages.is_empty() => self.fail("the deck is accepted"),
            Some(text) => self.fail(format!("the deck is not refused because `{text}`: {}", messages.join("; "))),
        }
    }
}
