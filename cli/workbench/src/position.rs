//! Positions: where a card is tried, and where a scenario has come to.

use crate::preview::{card_at, card_of_file};
use crate::scenarios::{self, Failure};
use fizzle_runtime::game::{MAIN_SECTION, RecordedGame, seat_cards};
use fizzle_runtime::ir::scenario::{PositionEntry, Scenario};
use fizzle_runtime::ir::{CompiledGame, DefId, Format};
use fizzle_runtime::program::Program;
use fizzle_runtime::scenario::{ScenarioFailure, ScenarioRunner};
use fizzle_runtime::stage::stages_for;
use fizzle_runtime::vm::decision::DecisionKind;
use fizzle_runtime::vm::knowledge::can_look_into;
use fizzle_runtime::vm::machine::{Machine, StepResult};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::sync::Arc;

/// The most objects of one entry.
const MAX_COUNT: u32 = 100;
/// The most entries of a position.
const MAX_ENTRIES: usize = 400;
/// The most answers that are given until a player may act.
const MAX_SETUP_ANSWERS: usize = 500;
/// The seed of games that begin with decks.
const SEED: u64 = 1;

/// A position that is wanted.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct WantedPosition {
    /// The format; without one: the first in which the card can be played.
    #[serde(default)]
    pub format: Option<String>,
    /// The title of the stage; without one: the first that fits the card.
    #[serde(default)]
    pub stage: Option<String>,
    /// The cards instead of those of the stage.
    #[serde(default)]
    pub entries: Option<Vec<Entry>>,
    /// The card, if not the one at the line: it stays the same when lines are inserted above it.
    #[serde(default)]
    pub card: Option<String>,
    /// Instead of a card: a scenario by its title. Of several, the one that begins at the line.
    #[serde(default)]
    pub scenario: Option<String>,
    /// The number of steps of the scenario that are played; without one: all up to the one that fails.
    #[serde(default)]
    pub steps: Option<usize>,
}

/// Cards of a position.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry {
    /// The seat.
    pub seat: usize,
    /// The zone.
    pub zone: String,
    /// The name of the card.
    pub card: String,
    /// How many.
    pub count: u32,
    /// The entry of the stage that it was, by its number: it keeps the statuses and the name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub was: Option<usize>,
}

/// A position that can be played on.
#[derive(Clone, Debug)]
pub struct Position {
    /// The pack.
    pub game: Arc<CompiledGame>,
    /// The game.
    pub machine: Machine,
    /// Its title, cards and steps.
    pub info: PositionInfo,
    /// The scenario that leads to it after `info.steps` steps; `None` if it begins with decks.
    pub(crate) scenario: Option<Scenario>,
}

/// A position in words, as an editor shows and changes it.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct PositionInfo {
    /// The title of the stage or scenario.
    pub title: String,
    /// The name of the card that is tried; empty for a scenario.
    pub card: String,
    /// The format.
    pub format: String,
    /// Its title.
    pub format_title: String,
    /// All stages that fit the card.
    pub stages: Vec<String>,
    /// The cards; empty if it begins with decks.
    pub entries: Vec<Entry>,
    /// The zones in which a player can have cards.
    pub zones: Vec<String>,
    /// For a scenario: the number of steps that were played, and their lines.
    pub steps: usize,
    /// The lines of all steps.
    pub lines: Vec<u32>,
    /// The step that fails.
    pub failure: Option<Failure>,
}

/// The position that is wanted of the card or scenario at a place of the sources.
///
/// # Errors
/// In words: there is no such card, format, stage, zone or scenario.
pub fn position(games: &[Arc<CompiledGame>], path: &str, line: u32, wanted: &WantedPosition) -> Result<Position, String> {
    if let Some(title) = &wanted.scenario {
        return of_scenario(games, path, (title, line), wanted.steps);
    }
    let find = |game: &CompiledGame| match &wanted.card {
        Some(name) => card_of_file(game, path, name),
        None => card_at(game, path, line),
    };
    let (game, card) = games.iter().find_map(|game| find(game).map(|card| (game, card))).ok_or_else(|| match &wanted.card {
        Some(name) => format!("there is no card \"{name}\" in this file any more"),
        None => "there is no card at this line".to_owned(),
    })?;
    let name = game.library.definitions.get(card.index()).map_or_else(String::new, |it| it.name.clone());
    let formats = game.formats.iter().filter(|format| wanted.format.as_ref().is_none_or(|wanted| *wanted == format.name));
    let formats: Vec<&Format> = formats.collect();
    let first = formats.first().ok_or_else(|| match &wanted.format {
        Some(format) => format!("there is no format `{format}`"),
        None => "the pack has no format".to_owned(),
    })?;
    let runner = ScenarioRunner::new(game);
    for format in &formats {
        let Some(program) = runner.program(&format.name, usize::from(format.min_players)) else { continue };
        let stages = stages_for(game, &program, format.corrected(card));
        let stage = match &wanted.stage {
            Some(title) => stages.iter().find(|stage| stage.title == *title),
            None => stages.first(),
        };
        let Some(stage) = stage else { continue };
        let mut scenario = stage.clone();
        if let Some(entries) = &wanted.entries {
            scenario.position = Some(changed_position(game, &program, stage, entries)?);
        }
        let played = runner.play_steps(&scenario, 0).map_err(|failure| failure.message)?;
        if let Some(failure) = played.failure {
            return Err(failure.message);
        }
        let info = PositionInfo {
            title: stage.title.clone(),
            card: name,
            format: format.name.clone(),
            format_title: format.shown_title().to_owned(),
            stages: stages.iter().map(|stage| stage.title.clone()).collect(),
            entries: wanted.entries.clone().unwrap_or_else(|| entries_of(game, &scenario)),
            zones: zone_names(&program),
            ..PositionInfo::default()
        };
        return Ok(Position { game: Arc::clone(game), machine: played.machine, info, scenario: Some(scenario) });
    }
    if let Some(stage) = &wanted.stage {
        return Err(format!("there is no stage \"{stage}\" for this card"));
    }
    let program = runner.program(&first.name, usize::from(first.min_players)).ok_or("the format cannot be linked")?;
    let machine = with_decks(game, &program, first.corrected(card))?;
    let info = PositionInfo {
        card: name,
        format: first.name.clone(),
        format_title: first.shown_title().to_owned(),
        zones: zone_names(&program),
        ..PositionInfo::default()
    };
    Ok(Position { game: Arc::clone(game), machine, info, scenario: None })
}

fn of_scenario(
    games: &[Arc<CompiledGame>],
    path: &str,
    (title, line): (&str, u32),
    steps: Option<usize>,
) -> Result<Position, String> {
    let found = scenarios::find(games, path, (title, line));
    let (game, scenario) = found.ok_or_else(|| format!("there is no scenario \"{title}\" in this file"))?;
    let runner = ScenarioRunner::new(game);
    let failed = |failure: ScenarioFailure| Failure { message: failure.message, line: failure.source.line };
    let failure = runner.run(scenario, false).err();
    let failing = failure.as_ref().and_then(|failure| scenario.steps.iter().position(|step| step.source == failure.source));
    let steps = steps.or(failing).unwrap_or(scenario.steps.len()).min(scenario.steps.len());
    let played = runner.play_before(scenario, steps).map_err(|failure| failure.message)?;
    let info = PositionInfo {
        title: scenario.title.clone(),
        format: scenario.format.clone(),
        format_title: played.machine.program.format.shown_title().to_owned(),
        entries: entries_of(game, scenario),
        zones: zone_names(&played.machine.program),
        steps,
        lines: scenario.steps.iter().map(|step| step.source.line).collect(),
        failure: failure.map(failed),
        ..PositionInfo::default()
    };
    Ok(Position { game: Arc::clone(game), machine: played.machine, info, scenario: Some(scenario.clone()) })
}

/// The names of the zones in which a player can have cards, without those that the layout hides.
fn zone_names(program: &Program) -> Vec<String> {
    let is_hidden = |at: usize| program.format.layout.hidden.iter().any(|hidden| hidden.index() == at);
    let zones = program.library.zones.iter().enumerate();
    let zones = zones.filter(|(at, zone)| !zone.list && !zone.absent && !zone.name.starts_with('_') && !is_hidden(*at));
    zones.map(|(_, zone)| zone.name.clone()).collect()
}

/// The cards of the position of a scenario.
fn entries_of(game: &CompiledGame, scenario: &Scenario) -> Vec<Entry> {
    let placed = scenario.position.iter().flatten().enumerate();
    let entry = |(number, entry): (usize, &PositionEntry)| match entry {
        PositionEntry::Cards { player, zone, count, card, .. } => Some(Entry {
            seat: usize::from(*player),
            zone: game.library.zones.get(zone.index())?.name.clone(),
            card: game.library.definitions.get(card.index())?.name.clone(),
            count: *count,
            was: Some(number),
        }),
        PositionEntry::Value { .. } | PositionEntry::GameValue { .. } | PositionEntry::Effect { .. } => None,
    };
    placed.filter_map(entry).collect()
}

/// The position of a stage with other cards. What else it says stays.
fn changed_position(
    game: &CompiledGame,
    program: &Program,
    stage: &Scenario,
    entries: &[Entry],
) -> Result<Vec<PositionEntry>, String> {
    if entries.len() > MAX_ENTRIES {
        return Err(format!("a position has at most {MAX_ENTRIES} entries"));
    }
    let before: &[PositionEntry] = stage.position.as_deref().unwrap_or_default();
    let numbered = game.library.definitions.numbered().skip(1).filter(|(_, card)| !card.part);
    let cards: BTreeMap<&str, DefId> = numbered.map(|(number, card)| (card.name.as_str(), DefId(number as u32))).collect();
    let mut position = Vec::new();
    for wanted in entries {
        if wanted.seat >= program.players() {
            return Err(format!("there is no seat {}", wanted.seat));
        }
        let zone = fizzle_runtime::game::zone_named(program, &wanted.zone);
        let zone = zone.ok_or_else(|| format!("there is no zone `{}`", wanted.zone))?;
        let card = *cards.get(wanted.card.as_str()).ok_or_else(|| format!("there is no card \"{}\"", wanted.card))?;
        let kept = wanted.was.and_then(|number| before.get(number));
        let (statuses, slot) = match kept {
            Some(PositionEntry::Cards { statuses, slot, .. }) => (statuses.clone(), *slot),
            _ => (Vec::new(), None),
        };
        let (player, count) = (wanted.seat as u8, wanted.count.min(MAX_COUNT));
        position.push(PositionEntry::Cards { player, zone, count, card, statuses, slot });
    }
    position.extend(before.iter().filter(|entry| !matches!(entry, PositionEntry::Cards { .. })).cloned());
    Ok(position)
}

/// A game of decks of the format in which the first player has the card, at the first decision in which this player may act.
fn with_decks(game: &CompiledGame, program: &Arc<Program>, card: DefId) -> Result<Machine, String> {
    let ancestors = game.ancestors(&program.format.name);
    let deck = ancestors.iter().find_map(|name| game.decks.iter().find(|deck| deck.format == *name));
    let mut machine = Machine::new(Arc::clone(program), SEED);
    let too_many = "the position has too many objects";
    for seat in 0..program.players() {
        for (zone, cards) in deck.map(|deck| seat_cards(program, deck)).unwrap_or_default() {
            let instance =
                program.zone_instance(zone.index(), seat).ok_or_else(|| format!("seat {seat} has no zone `{MAIN_SECTION}`"))?;
            for other in cards {
                machine.add_object(other.0, seat, instance).ok_or(too_many)?;
            }
        }
    }
    let is_own = |zone: &usize| can_look_into(program, 0, *zone) && !program.is_public(*zone);
    let own = (0..program.layout.instances).find(is_own).ok_or("the game has no zone that only its owner sees")?;
    machine.add_object(card.0, 0, own).ok_or(too_many)?;
    machine.begin(0, None);
    let mut game = RecordedGame::new(machine);
    for _ in 0..MAX_SETUP_ANSWERS {
        let StepResult::Decision(decision) = game.advance() else { break };
        if decision.kind == DecisionKind::Act && decision.player == 0 {
            break;
        }
        let picks = fizzle_bots::named("greedy", SEED, 0, decision.player).map(|mut bot| bot.choose(&game.machine, &decision));
        game.answer(&decision, &picks.unwrap_or_default()).map_err(|error| error.to_string())?;
    }
    Ok(game.machine)
}
