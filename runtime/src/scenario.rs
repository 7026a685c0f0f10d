//! Playing scenarios: executable rule examples, with answers from a script and conditions on what is.
//!
//! A [`ScenarioRunner`] links each format once and plays any number of scenarios. Decisions with one legal answer are given by the
//! runner, except where the next step of the script speaks of them; prices are paid automatically unless the script does it by hand.
//! A [`ScenarioFailure`] says what was expected and what is, in the words of the cards.

mod answers;
mod declarations;
mod expect;
mod explain_failure;
mod matches;
mod messages;
mod run;
mod visibility;

pub(crate) use messages::dotted;
pub use messages::is_verb;

use crate::ir::op::Source;
use crate::ir::scenario::{PositionEntry, Scenario, ScenarioStepKind};
use crate::ir::{CompiledGame, Format, Library};
use crate::matches::Match;
use crate::program::Program;
use crate::state::{ObjectRef, layout as at};
use crate::verify::MAX_PLAYERS;
use crate::vm::Machine;
use run::{BoundName, ScenarioRun};
use std::sync::{Arc, OnceLock};

/// The seed of every scenario: chance is the same on every run.
const SEED: u64 = 1;

/// Why a scenario failed, for the designer of its cards.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioFailure {
    /// What was expected, and what is.
    pub message: String,
    /// The step it is about.
    pub source: Source,
}

impl std::fmt::Display for ScenarioFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ScenarioFailure {}

/// Plays scenarios of a game; each format is linked for a number of players when it is first needed, and once. Can be shared between threads.
#[derive(Debug)]
pub struct ScenarioRunner<'g> {
    game: &'g CompiledGame,
    library: Arc<Library>,
    formats: Vec<(Arc<Format>, ByPlayers)>,
}

/// The program of a format for each number of players, from none on.
type ByPlayers = Vec<OnceLock<Arc<Program>>>;

/// Plays one scenario. To play many, make one [`ScenarioRunner`].
///
/// # Errors
/// What does not hold, and in which step.
pub fn run(game: &CompiledGame, scenario: &Scenario, checked: bool) -> Result<(), ScenarioFailure> {
    ScenarioRunner::new(game).run(scenario, checked)
}

impl<'g> ScenarioRunner<'g> {
    /// A runner for the scenarios of a game.
    #[must_use]
    pub fn new(game: &'g CompiledGame) -> Self {
        let tables = |format: &Format| (Arc::new(format.clone()), vec![OnceLock::new(); usize::from(MAX_PLAYERS) + 1]);
        let formats = game.formats.iter().map(tables).collect();
        Self { game, library: Arc::new(game.library.clone()), formats }
    }

    /// The program of a format for so many players, linked for all cards.
    #[must_use]
    pub fn program(&self, format: &str, seats: usize) -> Option<Arc<Program>> {
        let (tables, linked) = self.formats.iter().find(|(tables, _)| tables.name == format)?;
        let link = || Arc::new(Program::link_shared(Arc::clone(&self.library), Arc::clone(tables), &[], seats));
        Some(Arc::clone(linked.get(seats)?.get_or_init(link)))
    }

    /// Plays a scenario. `checked`: the machine is checked against itself at every decision.
    ///
    /// # Errors
    /// What does not hold, and in which step.
    pub fn run(&self, scenario: &Scenario, checked: bool) -> Result<(), ScenarioFailure> {
        let fail = |message: String| ScenarioFailure { message, source: scenario.source };
        let known = self.formats.iter().find(|(tables, _)| tables.name == scenario.format).map(|(tables, _)| tables);
        // Whoever is not named sits there all the same when the format needs more.
        let seats = known.map_or(2, |format| usize::from(scenario.players).max(usize::from(format.min_players)));
        if let Some(format) = known.filter(|format| !format.takes(seats)) {
            return Err(fail(format!("`{}` takes at most {} players, not {seats}", format.name, format.max_players)));
        }
        let Some(program) = self.program(&scenario.format, seats) else {
            let known: Vec<&str> = self.formats.iter().map(|(f, _)| f.name.as_str()).collect();
            return Err(fail(format!("there is no format `{}`; there are: {}", scenario.format, known.join(", "))));
        };
        let ancestors = self.ancestors(&scenario.format);
        let mut machine = Machine::new(Arc::clone(&program), SEED);
        machine.recording = true;
        let mut slots = vec![BoundName::Unbound; scenario.slots.len()];
        for (seat, slot) in slots.iter_mut().enumerate().take(usize::from(scenario.players)) {
            *slot = BoundName::Player(seat);
        }
        match &scenario.position {
            Some(placed) => place(&mut machine, placed, &mut slots).map_err(fail)?,
            None => self.deal(&mut machine),
        }
        if let Some(contest) = &scenario.contest {
            let series = Match::new(&program, &ancestors, contest.best_of, &contest.decks, SEED);
            let series = series.map_err(|error| fail(error.to_string()))?;
            machine = series.start(&program).map_err(|error| fail(error.to_string()))?;
            machine.recording = true;
            let mut session = ScenarioRun::new(machine, scenario, slots, checked);
            session.ancestors = ancestors;
            session.series = Some(series);
            return session.run();
        }
        let start = scenario.steps.iter().find_map(|step| match step.kind {
            ScenarioStepKind::Start { player, span } => Some((usize::from(player), span.0)),
            _ => None,
        });
        let (first, span) = start.unwrap_or((0, 0));
        machine.begin(first, scenario.position.is_some().then_some(span));
        let mut session = ScenarioRun::new(machine, scenario, slots, checked);
        session.ancestors = ancestors;
        session.start = scenario.position.is_some().then_some(span);
        if let (None, Some((player, span))) = (&scenario.position, start) {
            session.at(scenario.source);
            session.go_to(player, span)?;
        }
        session.run()
    }

    /// The names of a format and of what it extends, itself first.
    fn ancestors(&self, format: &str) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        let mut at = self.game.formats.iter().find(|known| known.name == format);
        while let Some(format) = at.filter(|format| !names.contains(&format.name)) {
            names.push(format.name.clone());
            at = format.base.as_ref().and_then(|base| self.game.formats.iter().find(|known| known.name == *base));
        }
        names
    }

    /// Before a setup every player has a deck: the first one of the format, else of what it extends.
    fn deal(&self, machine: &mut Machine) {
        let program = Arc::clone(&machine.program);
        let Some(zone) = program.library.zones.iter().position(|z| z.name == "deck") else { return };
        let mut format = Some(program.format.name.clone());
        let deck = loop {
            let Some(name) = format else { return };
            if let Some(deck) = self.game.decks.iter().find(|d| d.format == name) {
                break deck;
            }
            format = self.game.formats.iter().find(|f| f.name == name).and_then(|f| f.base.clone()).filter(|base| *base != name);
        };
        let Some((_, cards)) = deck.sections.iter().find(|(section, _)| section == "main").or_else(|| deck.sections.first())
        else {
            return;
        };
        for seat in 0..program.players() {
            let Some(instance) = program.instance(zone, seat) else { continue };
            for (count, card) in cards {
                for _ in 0..*count {
                    machine.add_object(card.0, seat, instance);
                }
            }
        }
    }
}

/// Builds a position: first all objects, then the values, which may speak of the objects.
fn place(machine: &mut Machine, placed: &[PositionEntry], slots: &mut [BoundName]) -> Result<(), String> {
    let program = Arc::clone(&machine.program);
    let mut made: Vec<Vec<ObjectRef>> = Vec::new();
    for entry in placed {
        let mut objects = Vec::new();
        if let PositionEntry::Cards { player, zone, count, card, slot, .. } = entry {
            let instance = program
                .instance(zone.index(), usize::from(*player))
                .ok_or_else(|| format!("this game has no zone for seat {}", *player + 1))?;
            for _ in 0..*count {
                let it = machine
                    .add_object(card.0, usize::from(*player), instance)
                    .ok_or_else(|| "the position has too many objects".to_owned())?;
                objects.push(it);
            }
            if let (Some(slot), Some(last)) = (slot, objects.last())
                && let Some(bound) = slots.get_mut(usize::from(*slot))
            {
                *bound = BoundName::Object(last.slot());
            }
        }
        made.push(objects);
    }
    for (entry, objects) in placed.iter().zip(&made) {
        let mut args = vec![0, 0];
        args.extend(slots.iter().map(|slot| slot.value(machine)));
        match entry {
            PositionEntry::Cards { statuses, .. } => {
                for (status, key, value) in statuses {
                    let value = machine.number(*value, &args);
                    for it in objects {
                        if *key != 0 {
                            let holder = machine.state.cell_for_write(it.slot(), at::STATUSES + usize::from(*status));
                            machine.state.block.set_keyed(holder, u32::from(*key), value as u32);
                            continue;
                        }
                        machine.state.set_column(it.slot(), at::STATUSES + usize::from(*status), value as u32);
                    }
                    machine.derived.mark_all_dirty();
                }
            }
            PositionEntry::Value { player, variable, key, value } => {
                let value = machine.number(*value, &args);
                let cell = program.layout.player(usize::from(*player), usize::from(*variable));
                if *key == 0 {
                    machine.state.block.set(cell, value as u32);
                } else {
                    machine.state.block.set_keyed(cell, u32::from(*key), value as u32);
                }
                machine.derived.mark_all_dirty();
            }
        }
    }
    Ok(())
}
