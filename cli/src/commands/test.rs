//! `fizzle test`: plays the scenarios of the sources.

use crate::commands::jit_option::JitOption;
use crate::failure::{CommandError, ExitStatus};
use crate::load::{self, LoadPurpose, LoadedGames, load, plural};
use crate::output::{self, MessageFormat};
use crate::watch::RunSummary;
use fizzle_runtime::ir::CompiledGame;
use fizzle_runtime::ir::Deck;
use fizzle_runtime::ir::op::Source;
use fizzle_runtime::ir::scenario::{Expected, PositionEntry, Scenario, ScenarioStepKind};
use fizzle_runtime::scenario::ScenarioRunner;
use rayon::prelude::*;
use serde_json::json;
use std::collections::BTreeSet;

/// Plays scenarios.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files, directories, names of shipped games or formats, or a compiled pack
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,
    /// Only scenarios whose title or claims contain this
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// How results are written
    #[arg(long, value_enum, default_value_t)]
    message_format: MessageFormat,
    /// List the cards that no scenario names
    #[arg(long)]
    coverage: bool,
    /// Check the machine against itself at every decision (slow)
    #[arg(long)]
    checked: bool,
    /// Play again after each change, until Ctrl-C; of the scenarios only those that fail are listed
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    native: JitOption,
}

/// One scenario that was played.
struct ScenarioResult<'a> {
    game: &'a CompiledGame,
    scenario: &'a Scenario,
    failure: Option<(String, Source)>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    args.native.apply();
    let human = args.message_format == MessageFormat::Human;
    if args.watch {
        return crate::watch::watch(&args.paths, human, |given| {
            play(args, &load::of(given, args.message_format, LoadPurpose::Game)?)
        });
    }
    let round = play(args, &load(&args.paths, &[], false, args.message_format)?)?;
    Ok(round.status)
}

/// Plays the scenarios of what was compiled and tells how they went.
fn play(args: &Args, compiled: &LoadedGames) -> Result<RunSummary, CommandError> {
    let wanted: Vec<(&CompiledGame, &Scenario)> = compiled
        .artifact
        .games
        .iter()
        .flat_map(|game| game.scenarios.iter().map(move |scenario| (game, scenario)))
        .filter(|(game, scenario)| compiled.is_asked(file_of(game, scenario.source)))
        .filter(|(_, scenario)| args.filter.as_ref().is_none_or(|text| matches(scenario, text)))
        .collect();
    let runners: Vec<ScenarioRunner<'_>> = compiled.artifact.games.iter().map(ScenarioRunner::new).collect();
    let runner =
        |game: &CompiledGame| compiled.artifact.games.iter().position(|g| std::ptr::eq(g, game)).and_then(|i| runners.get(i));
    let played: Vec<ScenarioResult<'_>> = wanted
        .par_iter()
        .map(|(game, scenario)| {
            let result = match runner(game) {
                Some(runner) => runner.run(scenario, args.checked),
                None => fizzle_runtime::scenario::run(game, scenario, args.checked),
            };
            ScenarioResult { game, scenario, failure: result.err().map(|failure| (failure.message, failure.source)) }
        })
        .collect();
    let human = args.message_format == MessageFormat::Human;
    for one in played.iter().filter(|one| !args.watch || !human || one.failure.is_some()) {
        report(one, args.message_format);
    }
    let failed = played.iter().filter(|one| one.failure.is_some()).count();
    let passed = played.len() - failed;
    let broken: BTreeSet<&str> = claims(&played, false);
    let held: BTreeSet<&str> = claims(&played, true).into_iter().filter(|claim| !broken.contains(claim)).collect();
    let claimed = if held.is_empty() { String::new() } else { format!(", {} covered", plural(held.len(), "claim")) };
    let result = format!("{}: {passed} passed, {failed} failed{claimed}", plural(played.len(), "scenario"));
    match args.message_format {
        MessageFormat::Json => output::line(json!({ "passed": passed, "failed": failed, "claims_passed": held })),
        // Where changes are watched for, the time comes with it.
        MessageFormat::Human if args.watch => {}
        MessageFormat::Human => output::line(&result),
    }
    if args.coverage {
        coverage(compiled, args.message_format);
    }
    if played.is_empty() && args.filter.is_some() {
        return Err(CommandError::usage("no scenario fits the filter"));
    }
    Ok(RunSummary { status: if failed > 0 { ExitStatus::Problems } else { ExitStatus::Success }, result })
}

fn matches(scenario: &Scenario, text: &str) -> bool {
    scenario.title.contains(text) || scenario.claims.iter().any(|claim| claim.contains(text))
}

fn file_of(game: &CompiledGame, source: Source) -> &str {
    game.library.files.get(source.file as usize).map_or("", String::as_str)
}

fn claims<'a>(played: &[ScenarioResult<'a>], passed: bool) -> BTreeSet<&'a str> {
    played
        .iter()
        .filter(|one| one.failure.is_none() == passed)
        .flat_map(|one| one.scenario.claims.iter().map(String::as_str))
        .collect()
}

fn report(one: &ScenarioResult<'_>, format: MessageFormat) {
    let source = one.failure.as_ref().map_or(one.scenario.source, |(_, source)| *source);
    let file = file_of(one.game, source);
    let message = one.failure.as_ref().map_or("", |(message, _)| message.as_str());
    match format {
        MessageFormat::Json => output::line(json!({
            "name": one.scenario.title,
            "claims": one.scenario.claims,
            "status": if one.failure.is_some() { "failed" } else { "passed" },
            "file": file,
            "line": source.line,
            "message": message,
        })),
        MessageFormat::Human => {
            if one.failure.is_some() {
                output::line(format!(
                    "\u{1b}[31mfailed\u{1b}[0m  {}\n        {file}:{}: {message}",
                    one.scenario.title, source.line
                ));
            } else {
                output::line(format!("\u{1b}[32mpassed\u{1b}[0m  {}", one.scenario.title));
            }
        }
    }
}

/// The cards that the files asked for declare and that no scenario names: not in a position, a step or a deck.
fn coverage(compiled: &LoadedGames, format: MessageFormat) {
    for game in &compiled.artifact.games {
        let mut named: BTreeSet<u32> = BTreeSet::new();
        for scenario in &game.scenarios {
            named.extend(scenario.contest.iter().flat_map(|contest| &contest.decks).flat_map(cards_of));
            for placed in scenario.position.iter().flatten() {
                if let PositionEntry::Cards { card, .. } = placed {
                    named.insert(card.0);
                }
            }
            for step in &scenario.steps {
                named.extend(cards_in(&step.kind));
            }
        }
        // A corrected card is the same card.
        let name_of = |number: &u32| game.library.definitions.get(*number as usize).map(|card| card.name.as_str());
        let named: BTreeSet<&str> = named.iter().filter_map(name_of).collect();
        let cards = game.library.definitions.present().skip(1);
        let asked: BTreeSet<&str> = cards
            .filter(|card| !card.part && compiled.is_asked(file_of(game, card.source)))
            .map(|card| card.name.as_str())
            .collect();
        let missing: Vec<&str> = asked.difference(&named).copied().collect();
        let covered = asked.len() - missing.len();
        match format {
            MessageFormat::Json => {
                output::line(
                    json!({ "game": game.name, "cards": asked.len(), "cards_in_scenarios": covered, "cards_missing": missing }),
                );
            }
            MessageFormat::Human => {
                output::line(format!("{}: {covered} of {} stand in a scenario", game.name, plural(asked.len(), "card")));
                for name in missing {
                    output::line(format!("  no scenario names {name}"));
                }
            }
        }
    }
}

fn cards_of(deck: &Deck) -> impl Iterator<Item = u32> + '_ {
    deck.sections.iter().flat_map(|(_, cards)| cards).map(|(_, card)| card.0)
}

fn cards_in(step: &ScenarioStepKind) -> Vec<u32> {
    let card = |expected: &Expected| match expected {
        Expected::Card(card) => Some(card.0),
        Expected::Value(_) => None,
    };
    match step {
        ScenarioStepKind::Act { object, .. } => object.iter().filter_map(card).collect(),
        ScenarioStepKind::ExpectList(items)
        | ScenarioStepKind::ExpectChoices(items)
        | ScenarioStepKind::Refuse { objects: items, .. } => items.iter().filter_map(card).collect(),
        ScenarioStepKind::ExpectDeck { deck, .. } => cards_of(deck).collect(),
        _ => Vec::new(),
    }
}
