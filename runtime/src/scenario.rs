//! The scenario runner: plays executable rule examples, which consist of a position, a script of answers, and expectations.
//!
//! A [`ScenarioRunner`] links each format once per number of players and plays any number of scenarios. The runner answers decisions
//! with one legal answer itself, unless the next step of the script is about them. It pays prices automatically unless the script pays
//! by hand. A [`ScenarioFailure`] states the expected and the actual result with the names that the cards and the scenario use.

mod answers;
mod declarations;
mod expect;
mod explain_failure;
mod matches;
mod messages;
mod run;
mod visibility;
mod writer;

use crate::game::seat_cards;
use crate::ir::ObjectRef;
use crate::ir::encoding_limits::MAX_PLAYERS;
use crate::ir::op::Source;
use crate::ir::scenario::{PositionEntry, Scenario, ScenarioStepKind};
use crate::ir::{CompiledGame, Format, Library};
use crate::matches::Match;
use crate::program::Program;
use crate::state::layout as at;
use crate::vm::machine::Machine;
use run::{BoundName, ScenarioRun};
use std::sync::{Arc, OnceLock};
pub use writer::WrittenGame;

/// The seed of every scenario, so that every run draws the same random numbers.
const SEED: u64 = 1;

/// Why a scenario failed, for the designer of its cards.
#[derive(Clone, Debug, PartialEq)]
pub struct ScenarioFailure {
    /// What was expected, and what is the case instead.
    pub message: String,
    /// The step that failed.
    pub source: Source,
}

impl std::fmt::Display for ScenarioFailure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ScenarioFailure {}

/// A scenario that was played in part.
#[derive(Clone, Debug)]
pub struct PlayedScenario {
    /// The game after the steps, or at the step that failed.
    pub machine: Machine,
    /// The step that failed, and why.
    pub failure: Option<ScenarioFailure>,
}

/// Plays the scenarios of a game. Each format is linked at most once per number of players, on first use. Can be shared between threads.
#[derive(Debug)]
pub struct ScenarioRunner<'g> {
    game: &'g CompiledGame,
    library: Arc<Library>,
    formats: Vec<(Arc<Format>, ProgramsByPlayerCount)>,
    /// Whether all scenarios are strict: every answer is written (see [`Scenario::strict`]).
    pub strict: bool,
}

/// The program of a format, indexed by the number of players (from 0).
type ProgramsByPlayerCount = Vec<OnceLock<Arc<Program>>>;

/// Plays one scenario. To play several, create one [`ScenarioRunner`]. `checked` is explained at [`ScenarioRunner::run`].
///
/// # Errors
/// [`ScenarioFailure`]: which step failed, and why.
pub fn run(game: &CompiledGame, scenario: &Scenario, checked: bool) -> Result<(), ScenarioFailure> {
    ScenarioRunner::new(game).run(scenario, checked)
}

impl<'g> ScenarioRunner<'g> {
    /// Creates a runner for the scenarios of a game. Links nothing yet.
    #[must_use]
    pub fn new(game: &'g CompiledGame) -> Self {
        let tables = |format: &Format| (Arc::new(format.clone()), vec![OnceLock::new(); usize::from(MAX_PLAYERS) + 1]);
        let formats = game.formats.iter().map(tables).collect();
        Self { game, library: Arc::clone(&game.library), formats, strict: false }
    }

    /// The program of a format for `seats` players, linked for all cards. `None` if there is no such format, or for too many players.
    #[must_use]
    pub fn program(&self, format: &str, seats: usize) -> Option<Arc<Program>> {
        let (tables, linked) = self.formats.iter().find(|(tables, _)| tables.name == format)?;
        let link = || Arc::new(Program::link_shared(Arc::clone(&self.library), Arc::clone(tables), &[], seats));
        Some(Arc::clone(linked.get(seats)?.get_or_init(link)))
    }

    /// Plays a scenario. With `checked`, the invariants of the machine are checked at every decision ([`InvariantChecker`]).
    ///
    /// [`InvariantChecker`]: crate::invariants::InvariantChecker
    ///
    /// # Errors
    /// [`ScenarioFailure`]: which step failed, and why.
    pub fn run(&self, scenario: &Scenario, checked: bool) -> Result<(), ScenarioFailure> {
        self.start(scenario, checked)?.run()
    }

    /// Plays the first steps of a scenario, up to the decision after them or to the step that fails, so that the game can be looked at and
    /// played on from there. With 0 steps: the position in which it starts.
    ///
    /// # Errors
    /// [`ScenarioFailure`]: the scenario cannot be started.
    pub fn play_steps(&self, scenario: &Scenario, steps: usize) -> Result<PlayedScenario, ScenarioFailure> {
        let mut run = self.start(scenario, false)?;
        let failure = run.run_first(steps).err();
        Ok(PlayedScenario { machine: run.machine, failure })
    }

    /// As [`ScenarioRunner::play_steps`], up to the decision that the step after them is about: payments that it does not mention are made as
    /// proposed.
    ///
    /// # Errors
    /// [`ScenarioFailure`]: the scenario cannot be started.
    pub fn play_before(&self, scenario: &Scenario, steps: usize) -> Result<PlayedScenario, ScenarioFailure> {
        let mut run = self.start(scenario, false)?;
        let failure = run.run_before(steps).err();
        Ok(PlayedScenario { machine: run.machine, failure })
    }

    /// The run of a scenario before its first step.
    fn start<'s>(&self, scenario: &'s Scenario, checked: bool) -> Result<ScenarioRun<'s>, ScenarioFailure> {
        let fail = |message: String| ScenarioFailure { message, source: scenario.source };
        let format = self.formats.iter().find(|(tables, _)| tables.name == scenario.format).map(|(tables, _)| tables);
        // If the format needs more players than the scenario names, the remaining seats are filled with unnamed players.
        let seats = format.map_or(2, |format| usize::from(scenario.players).max(usize::from(format.min_players)));
        if let Some(format) = format.filter(|format| !format.takes(seats)) {
            return Err(fail(format!("`{}` takes at most {} players, not {seats}", format.name, format.max_players)));
        }
        let Some(program) = self.program(&scenario.format, seats) else {
            let names: Vec<&str> = self.formats.iter().map(|(f, _)| f.name.as_str()).collect();
            return Err(fail(format!("there is no format `{}`; there are: {}", scenario.format, names.join(", "))));
        };
        let ancestors = self.game.ancestors(&scenario.format);
        let mut machine = Machine::new(Arc::clone(&program), SEED);
        machine.recording = true;
        let mut slots = vec![BoundName::Unbound; scenario.slots.len()];
        for (seat, slot) in slots.iter_mut().enumerate().take(usize::from(scenario.players)) {
            *slot = BoundName::Player(seat);
        }
        match &scenario.position {
            Some(placed) => build_position(&mut machine, placed, &mut slots).map_err(fail)?,
            None => self.add_default_decks(&mut machine),
        }
        if let Some(scenario_match) = &scenario.match_setup {
            let new_match = Match::new(&program, &ancestors, scenario_match.best_of, &scenario_match.decks, SEED);
            let new_match = new_match.map_err(|error| fail(error.to_string()))?;
            machine = new_match.start(&program).map_err(|error| fail(error.to_string()))?;
            machine.recording = true;
            let mut run = ScenarioRun::new(machine, scenario, slots, checked);
            run.strict |= self.strict;
            run.ancestors = ancestors;
            run.current_match = Some(new_match);
            return Ok(run);
        }
        let start = scenario.steps.iter().find_map(|step| match step.kind {
            ScenarioStepKind::Start { player, period: span } => Some((usize::from(player), span.0)),
            _ => None,
        });
        let (first, period) = start.unwrap_or((0, 0));
        machine.begin(first, scenario.position.is_some().then_some(period));
        let mut run = ScenarioRun::new(machine, scenario, slots, checked);
        run.strict |= self.strict;
        run.ancestors = ancestors;
        run.expected_start = scenario.position.is_some().then_some(period);
        if let (None, Some((player, period))) = (&scenario.position, start) {
            run.set_source(scenario.source);
            run.go_to(player, period)?;
        }
        Ok(run)
    }

    /// Gives every player a deck before the setup, each section in its zone: the first deck of the format, or of the nearest format that it
    /// extends.
    fn add_default_decks(&self, machine: &mut Machine) {
        let program = Arc::clone(&machine.program);
        let mut format = Some(program.format.name.clone());
        let deck = loop {
            let Some(name) = format else { return };
            if let Some(deck) = self.game.decks.iter().find(|d| d.format == name) {
                break deck;
            }
            format = self.game.formats.iter().find(|f| f.name == name).and_then(|f| f.base.clone()).filter(|base| *base != name);
        };
        let zones = seat_cards(&program, deck);
        for seat in 0..program.players() {
            for (zone, cards) in &zones {
                let Some(instance) = program.zone_instance(zone.index(), seat) else { continue };
                for card in cards {
                    machine.add_object(card.0, seat, instance);
                }
            }
        }
    }
}

/// Builds a position: first all objects, then the values, since these may refer to the objects.
fn build_position(machine: &mut Machine, placed: &[PositionEntry], slots: &mut [BoundName]) -> Result<(), String> {
    let program = Arc::clone(&machine.program);
    let mut objects_by_entry: Vec<Vec<ObjectRef>> = Vec::new();
    for entry in placed {
        let mut objects = Vec::new();
        if let PositionEntry::Cards { player, zone, count, card, slot, .. } = entry {
            let instance = program
                .zone_instance(zone.index(), usize::from(*player))
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
        objects_by_entry.push(objects);
    }
    for (entry, objects) in placed.iter().zip(&objects_by_entry) {
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
            PositionEntry::GameValue { variable, value } => {
                let value = machine.number(*value, &args);
                machine.state.block.set(program.layout.global(usize::from(*variable)), value as u32);
                machine.derived.mark_all_dirty();
            }
            // Effects begin with the game: see `ScenarioRun::begin_with_effects`.
            PositionEntry::Effect { .. } => {}
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
