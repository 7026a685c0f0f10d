//! Texts for messages of scenarios: names of cards, players, zones and decisions, and why a play is refused. They name the source of a rule, which a
//! player need not know; `view/refusal.rs` explains a refusal to a player.

use super::run::{BoundName, ScenarioRun};
use crate::ir::ObjectRef;
use crate::tables::ABILITY_PLAY;
use crate::view::dotted_path;
use crate::vm::decision::{Choice, Decision, DecisionKind, Side};
use crate::vm::hooks::Obstacle;
use crate::vm::machine::Outcome;
use std::collections::BTreeSet;

/// The maximum number of options that a message lists.
const MAX_OPTIONS_LISTED: usize = 24;

impl ScenarioRun<'_> {
    /// The name of a player in this scenario.
    pub(super) fn player_name(&self, seat: usize) -> String {
        let named = self.scenario.slots.get(seat).filter(|_| seat < usize::from(self.scenario.players));
        named.cloned().unwrap_or_else(|| format!("player {}", seat + 1))
    }

    /// The definition of an object. For a stale reference, the definition of the object that is in its slot now.
    pub(super) fn definition(&mut self, it: ObjectRef) -> Option<u32> {
        if it.is_none() {
            return None;
        }
        let (world, _) = self.machine.world();
        let known = world.definition(it);
        known.or_else(|| {
            let slot = it.slot();
            self.machine.state.zone(slot).map(|_| self.machine.state.column(slot, crate::state::layout::DEFINITION))
        })
    }

    /// The source of an ability on the list; for a card, the card itself.
    pub(super) fn source_of(&mut self, it: ObjectRef) -> ObjectRef {
        let (world, scratch) = self.machine.world();
        ObjectRef::from_value(world.read(scratch, crate::ir::Place::SourceOf, it.value()))
    }

    /// The card name of an object, followed by the name that the scenario gave to it.
    pub(super) fn object_name(&mut self, it: ObjectRef) -> String {
        if it.is_none() {
            return "nothing".to_owned();
        }
        let definition = self.definition(it);
        if definition == Some(0) {
            let source = self.source_of(it);
            if source == it {
                return "an ability".to_owned();
            }
            let source = self.object_name(source);
            return format!("an ability of {source}");
        }
        let card = definition.and_then(|d| self.machine.program.library.definitions.get(d as usize)).map_or_else(
            || if self.machine.state.exists(it) { "a concealed object" } else { "something that left" }.to_owned(),
            |d| format!("\"{}\"", d.name),
        );
        let bound = self.slots.iter().position(|slot| matches!(slot, BoundName::Object(number) if *number == it.slot()));
        match bound.and_then(|i| self.scenario.slots.get(i)) {
            Some(name) => format!("{card} ({name})"),
            None => card,
        }
    }

    /// The name of a zone with its owner, if it has one.
    pub(super) fn zone_name(&self, instance: usize) -> String {
        let program = &self.machine.program;
        let name = program.zone_of(instance).map_or("nowhere", |z| z.name.as_str());
        match program.zone_owner(instance) {
            Some(seat) => format!("{}'s {name}", self.player_name(seat)),
            None => name.to_owned(),
        }
    }

    /// The verb of a play; `activate` for an ability without a name.
    pub(super) fn play_name(&self, code: u32) -> String {
        match self.machine.program.play(code) {
            Some(play) if code >= ABILITY_PLAY && play.name.is_empty() => "activate".to_owned(),
            Some(play) => play.name.clone(),
            None => "play".to_owned(),
        }
    }

    fn ability_name(&self, ability: u32) -> String {
        self.machine.program.library.abilities.get(ability as usize).map_or_else(String::new, |a| a.name.clone())
    }

    pub(super) fn choice_text(&mut self, choice: Choice) -> String {
        match choice {
            Choice::Pass => "pass".to_owned(),
            Choice::Play { play, object, .. } => {
                let word = self.play_name(play);
                if object.is_none() { word } else { format!("{word} {}", self.object_name(object)) }
            }
            Choice::Object(it) => self.object_name(it),
            Choice::Player(seat) => self.player_name(seat),
            Choice::Mode(mode) => format!("mode {}", mode + 1),
            Choice::Word(traits, word) => self.machine.program.word_name(traits, word).to_owned(),
            Choice::Yes => "yes".to_owned(),
            Choice::No => "no".to_owned(),
            Choice::Trigger { ability, source, about, nth } | Choice::Replacement { ability, source, about, nth } => {
                let mut text = if source.is_none() {
                    self.ability_name(ability)
                } else {
                    format!("the ability of {}", self.object_name(source))
                };
                if !about.is_none() {
                    text = format!("{text} for {}", self.object_name(about));
                }
                if nth > 0 { format!("{text} (number {})", nth + 1) } else { text }
            }
            Choice::PayNow => "pay".to_owned(),
            Choice::Producer(it) => format!("pay with {}", self.object_name(it)),
            Choice::Abandon => "take it back".to_owned(),
            Choice::Pair(it, side) => {
                let other = match side {
                    Side::Object(with) => self.object_name(with),
                    Side::Player(seat) => self.player_name(seat),
                };
                format!("{} with {other}", self.object_name(it))
            }
        }
    }

    /// States who must decide what, and the legal answers.
    pub(super) fn decision_text(&mut self, decision: &Decision) -> String {
        let what = match decision.kind {
            DecisionKind::Act => "to act",
            DecisionKind::Choose => "to choose",
            DecisionKind::Modes => "to choose modes",
            DecisionKind::YesNo => "yes or no",
            DecisionKind::Number => "for a number",
            DecisionKind::Trigger => "which trigger is next",
            DecisionKind::Replacement => "which replacement applies",
            DecisionKind::Pay => "to pay",
            DecisionKind::Divide => "to divide",
            DecisionKind::Assign => "to declare",
        };
        let text = decision
            .site
            .and_then(|site| self.machine.program.library.sites.get(site as usize))
            .filter(|site| !site.text.is_empty())
            .map_or_else(String::new, |site| format!(" (`{}`)", site.text));
        let period = self.turn_position_text();
        let legal =
            if decision.kind == DecisionKind::Number {
                format!("{} to {}", decision.min, decision.max)
            } else {
                let mut names: Vec<String> = Vec::new();
                for choice in decision.options.iter().take(MAX_OPTIONS_LISTED) {
                    let number = number_of_ability(decision, *choice);
                    let text = self.choice_text(*choice);
                    names.push(number.map_or_else(
                        || text.clone(),
                        |number| text.replacen("the ability of", &format!("ability {number} of"), 1),
                    ));
                }
                if decision.options.len() > MAX_OPTIONS_LISTED {
                    names.push(format!("… ({} in all)", decision.options.len()));
                }
                let count = match (decision.min, decision.max) {
                    (min, max) if decision.kind == DecisionKind::Divide => format!("{max} among, each at least {min}: "),
                    (1, 1) => String::new(),
                    (min, max) if min == max => format!("{min} of "),
                    (min, max) => format!("{min} to {max} of "),
                };
                format!("{count}{}", names.join(", "))
            };
        format!("{} is asked {what}{text}{period}: {legal}", self.player_name(decision.player))
    }

    /// The active player and the innermost open period; empty before the first turn.
    pub(super) fn turn_position_text(&self) -> String {
        let period = self.machine.current_period() as usize;
        let Some(period) = self.machine.program.format.periods.get(period) else { return String::new() };
        format!(" in {}'s {}", self.player_name(self.machine.state.active()), period.path)
    }

    /// States how the game ended.
    pub(super) fn outcome_text(&self) -> String {
        match self.machine.outcome() {
            Some(Outcome::Won(seat)) => format!("the game is over: {} won{}", self.player_name(seat), self.ending_text()),
            Some(Outcome::Drawn) => format!("the game is over: a draw{}", self.ending_text()),
            Some(Outcome::Budget(budget)) => format!("the game was ended: it exceeded its budget of {}", budget.name()),
            None => "no player is asked anything".to_owned(),
        }
    }

    /// The state rule or action that ended the game.
    fn ending_text(&self) -> String {
        let rule = self.machine.ending_state_rule().map(|rule| format!(" (rule.{rule})"));
        rule.or_else(|| self.machine.ending_action().map(|action| format!(" ({action})"))).unwrap_or_default()
    }

    /// States why a play of an object is not legal: which part of the price cannot be paid, or which part of the condition does not hold.
    pub(super) fn play_obstacle_text(&mut self, reason: &Obstacle, (code, it): (u32, ObjectRef), player: usize) -> String {
        let words = self.obstacle_text(reason);
        match reason {
            Obstacle::Cost(_) => match self.machine.shortfall(code, it, player) {
                Some((price, unpaid)) if price == unpaid => format!("{words}: nothing pays {price}"),
                Some((price, unpaid)) => format!("{words}: of {price} nothing pays {unpaid}"),
                None => self.with_explanation(words, code, it, player),
            },
            Obstacle::Permission(_) => self.with_explanation(words, code, it, player),
            Obstacle::Ability(..)
            | Obstacle::Effect(_)
            | Obstacle::Limit(_)
            | Obstacle::NoChoice(_)
            | Obstacle::NotTheirDecision => words,
        }
    }

    /// Adds to the text of an obstacle why the play does not allow the object, if that can be described.
    fn with_explanation(&mut self, words: String, code: u32, it: ObjectRef, player: usize) -> String {
        match self.explain_refused_play(code, it, player) {
            Some(why) => format!("{words}: {why}"),
            None => words,
        }
    }

    /// States an obstacle, with the source position of its ability.
    pub(super) fn obstacle_text(&mut self, reason: &Obstacle) -> String {
        let name = self.obstacle_names(reason).into_iter().next().unwrap_or_default();
        match reason {
            Obstacle::Ability(ability, _) => {
                let source = self.machine.program.library.abilities.get(ability.index()).map(|a| a.source);
                format!("{name} forbids it{}", source.map_or_else(String::new, |s| self.source_text(s)))
            }
            Obstacle::Effect(source) => {
                let source = self.object_name(*source);
                format!("an effect of {source} forbids it")
            }
            Obstacle::Permission(_) => format!("{name} does not allow it now"),
            Obstacle::Cost(_) => format!("the cost of {name} cannot be paid"),
            Obstacle::Limit(_) => format!("{name} was used as often as it may be"),
            Obstacle::NoChoice(_) => format!("{name} finds nothing legal to choose"),
            Obstacle::NotTheirDecision => "it is not that player's to decide now".to_owned(),
        }
    }

    /// The names by which a script may refer to an obstacle (`because …`).
    pub(super) fn obstacle_names(&mut self, reason: &Obstacle) -> Vec<String> {
        let play = |run: &Self, code: u32| {
            let name = run.play_name(code);
            if code >= ABILITY_PLAY {
                let ability = run.ability_name(code - ABILITY_PLAY);
                vec![dotted_path(&ability), format!("activated.{name}")]
            } else {
                vec![format!("play.{name}")]
            }
        };
        match reason {
            Obstacle::Ability(ability, source) => {
                let mut names = vec![dotted_path(&self.ability_name(ability.0))];
                if !source.is_none() {
                    names.push(self.card_path(*source));
                }
                names
            }
            Obstacle::Effect(source) => vec![self.card_path(*source)],
            Obstacle::Permission(code) => {
                let mut names = play(self, *code);
                names.extend(play(self, *code).iter().map(|n| format!("{n}.when")));
                names
            }
            Obstacle::Cost(code) => {
                let mut names = play(self, *code);
                names.extend(play(self, *code).iter().flat_map(|n| [format!("{n}.cost"), format!("{n}.price")]));
                names
            }
            Obstacle::Limit(code) => {
                let mut names = play(self, *code);
                names.extend(play(self, *code).iter().map(|n| format!("{n}.limit")));
                names
            }
            Obstacle::NoChoice(code) => {
                let mut names = play(self, *code);
                names.extend(play(self, *code).iter().map(|n| format!("{n}.choices")));
                names.extend(["announce".to_owned(), "choices".to_owned()]);
                names
            }
            Obstacle::NotTheirDecision => vec!["not_asked".to_owned()],
        }
    }

    fn card_path(&mut self, it: ObjectRef) -> String {
        let it = self.source_of(it);
        let definition = self.definition(it).and_then(|d| self.machine.program.library.definitions.get(d as usize));
        definition.map_or_else(|| "card".to_owned(), |d| format!("card.{}", d.name))
    }

    /// A source position in parentheses, to be appended to a sentence; empty if it is unknown.
    fn source_text(&self, source: crate::ir::op::Source) -> String {
        match self.machine.program.library.files.get(source.file as usize) {
            Some(file) if source.line > 0 => format!(" ({file}:{})", source.line),
            _ => String::new(),
        }
    }
}

/// The source and the ability of an option; `None` for what is no ability.
pub(super) fn ability_of(choice: Choice) -> Option<(u32, u32)> {
    match choice {
        Choice::Trigger { ability, source, .. } | Choice::Replacement { ability, source, .. } => Some((source.0, ability)),
        _ => None,
    }
}

/// The number of the ability that an option is about, from 1, in the order of the text of its source; `None` if no other ability of the source is
/// among the options.
pub(super) fn number_of_ability(decision: &Decision, choice: Choice) -> Option<usize> {
    let (source, ability) = ability_of(choice)?;
    let offered = decision.options.iter().filter_map(|option| ability_of(*option)).filter(|(of, _)| *of == source);
    let abilities: BTreeSet<u32> = offered.map(|(_, ability)| ability).collect();
    (abilities.len() > 1).then(|| abilities.range(..=ability).count())
}

/// Whether the text after `because` refers to an obstacle of this name.
pub(super) fn reason_matches(written: &str, name: &str) -> bool {
    let is_path = written.split_once(' ').is_some_and(|(kind, _)| kind.contains('.'));
    let written = if is_path { written.to_owned() } else { dotted_path(written) };
    name == written || name.ends_with(&format!(".{written}")) || written.ends_with(&format!(".{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reasons_match_by_path() {
        assert!(reason_matches("rule.no_rush", &dotted_path("rule no_rush")));
        assert!(reason_matches("no_rush", &dotted_path("rule no_rush")));
        assert!(reason_matches("card \"X Y\"", &dotted_path("card \"X Y\", line 3")));
        assert!(reason_matches("card.X Y Z", &dotted_path("card \"X Y Z\", line 3")));
        assert!(!reason_matches("rush", &dotted_path("rule no_rush")));
    }
}
