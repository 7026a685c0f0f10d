//! `fizzle test`: runs the scenarios of the sources in parallel.

use crate::commands::jit_option::JitOption;
use crate::failure::{CommandError, ExitStatus};
use crate::load::{self, LoadPurpose, LoadedGames, load, plural};
use crate::output::{self, MessageFormat, Style};
use crate::watch::RunSummary;
use fizzle_compiler::diagnostics::render::shorten_quoted;
use fizzle_runtime::ir::CompiledGame;
use fizzle_runtime::ir::Deck;
use fizzle_runtime::ir::op::Source;
use fizzle_runtime::ir::scenario::{ExpectedValue, PositionEntry, Scenario, ScenarioStepKind};
use fizzle_runtime::scenario::ScenarioRunner;
use rayon::prelude::*;
use serde_json::json;
use std::borrow::Cow;
use std::collections::BTreeSet;

/// Runs scenarios.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files, directories, names of shipped games or formats, or a compiled pack
    #[arg(required = true, value_name = "PATH")]
    paths: Vec<String>,
    /// Only scenarios whose title or claims contain this text
    #[arg(long, value_name = "TEXT")]
    filter: Option<String>,
    /// The format of the results
    #[arg(long, value_enum, default_value_t)]
    message_format: MessageFormat,
    /// List the cards that are not covered by any scenario
    #[arg(long)]
    coverage: bool,
    /// Check the invariants of the game engine at every decision (slow)
    #[arg(long, alias = "checked")]
    check_invariants: bool,
    /// Give no answer that a scenario does not write, except to pay as proposed
    #[arg(long)]
    strict: bool,
    /// Run again after each change, until Ctrl-C; list only the scenarios that fail
    #[arg(long)]
    watch: bool,
    #[command(flatten)]
    jit: JitOption,
}

/// The result of one scenario.
struct ScenarioResult<'a> {
    game: &'a CompiledGame,
    scenario: &'a Scenario,
    failure: Option<(String, Source)>,
}

/// Runs the command.
pub fn run(args: &Args) -> Result<ExitStatus, CommandError> {
    args.jit.apply();
    let human = args.message_format == MessageFormat::Human;
    if args.watch {
        return crate::watch::watch(&args.paths, human, |given| {
            run_scenarios(args, &load::compile_games(given, args.message_format, LoadPurpose::Game)?)
        });
    }
    let summary = run_scenarios(args, &load(&args.paths, &[], false, args.message_format)?)?;
    Ok(summary.status)
}

/// Runs the scenarios of the compiled games, and prints their results.
fn run_scenarios(args: &Args, compiled: &LoadedGames) -> Result<RunSummary, CommandError> {
    let wanted: Vec<(&CompiledGame, &Scenario)> = compiled
        .artifact
        .games
        .iter()
        .flat_map(|game| game.scenarios.iter().map(move |scenario| (game, scenario)))
        .filter(|(game, scenario)| compiled.is_requested(file_of(game, scenario.source)))
        .filter(|(_, scenario)| args.filter.as_ref().is_none_or(|text| matches(scenario, text)))
        .collect();
    let mut runners: Vec<ScenarioRunner<'_>> = compiled.artifact.games.iter().map(ScenarioRunner::new).collect();
    runners.iter_mut().for_each(|runner| runner.strict = args.strict);
    let runner =
        |game: &CompiledGame| compiled.artifact.games.iter().position(|g| std::ptr::eq(g, game)).and_then(|i| runners.get(i));
    let played: Vec<ScenarioResult<'_>> = wanted
        .par_iter()
        .map(|(game, scenario)| {
            let result = match runner(game) {
                Some(runner) => runner.run(scenario, args.check_invariants),
                None => fizzle_runtime::scenario::run(game, scenario, args.check_invariants),
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
    let broken: BTreeSet<&str> = claims_of(&played, false);
    let held: BTreeSet<&str> = claims_of(&played, true).into_iter().filter(|claim| !broken.contains(claim)).collect();
    let claimed = if held.is_empty() { String::new() } else { format!(", {} covered", plural(held.len(), "claim")) };
    let result = format!("{}: {passed} passed, {failed} failed{claimed}", plural(played.len(), "scenario"));
    match args.message_format {
        MessageFormat::Json => output::json_line(json!({ "passed": passed, "failed": failed, "claims_passed": held })),
        // With `--watch`, the watch loop prints the summary, together with the time.
        MessageFormat::Human if args.watch => {}
        MessageFormat::Human => output::line(&result),
    }
    if args.coverage {
        report_coverage(compiled, args.message_format);
    }
    if played.is_empty() && args.filter.is_some() {
        return Err(CommandError::usage("no scenario matches the filter"));
    }
    Ok(RunSummary { status: if failed > 0 { ExitStatus::Problems } else { ExitStatus::Success }, result })
}

fn matches(scenario: &Scenario, text: &str) -> bool {
    scenario.title.contains(text) || scenario.claims.iter().any(|claim| claim.contains(text))
}

fn file_of(game: &CompiledGame, source: Source) -> &str {
    game.library.files.get(source.file as usize).map_or("", String::as_str)
}

fn claims_of<'a>(played: &[ScenarioResult<'a>], passed: bool) -> BTreeSet<&'a str> {
    played
        .iter()
        .filter(|one| one.failure.is_none() == passed)
        .flat_map(|one| one.scenario.claims.iter().map(String::as_str))
        .collect()
}

fn report(one: &ScenarioResult<'_>, format: MessageFormat) {
    let source = one.failure.as_ref().map_or(one.scenario.source, |(_, source)| *source);
    let file = file_of(one.game, source);
    let message = one.failure.as_ref().map_or(Cow::default(), |(message, _)| shorten_quoted(message));
    match format {
        MessageFormat::Json => output::json_line(json!({
            "name": one.scenario.title,
            "claims": one.scenario.claims,
            "status": if one.failure.is_some() { "failed" } else { "passed" },
            "file": file,
            "line": source.line,
            "message": message,
        })),
        MessageFormat::Human => {
            let title = &one.scenario.title;
            if one.failure.is_some() {
                let place = format!("  {title}\n        {file}:{}: {message}", source.line);
                output::styled_line(Style::Red, "failed", place);
            } else {
                output::styled_line(Style::Green, "passed", format!("  {title}"));
            }
        }
    }
}

/// Prints how many cards of the requested files are covered by scenarios, and which are not. A card is covered if a position, a step or a
/// deck of a scenario names it.
fn report_coverage(compiled: &LoadedGames, format: MessageFormat) {
    for game in &compiled.artifact.games {
        let mut covered_ids: BTreeSet<u32> = BTreeSet::new();
        for scenario in &game.scenarios {
            covered_ids.extend(scenario.match_setup.iter().flat_map(|contest| &contest.decks).flat_map(cards_of_deck));
            for placed in scenario.position.iter().flatten() {
                if let PositionEntry::Cards { card, .. } = placed {
                    covered_ids.insert(card.0);
                }
            }
            for step in &scenario.steps {
                covered_ids.extend(cards_of_step(&step.kind));
            }
        }
        // A card and its errata have the same name, and count as one card.
        let name_of = |number: &u32| game.library.definitions.get(*number as usize).map(|card| card.name.as_str());
        let covered_names: BTreeSet<&str> = covered_ids.iter().filter_map(name_of).collect();
        let cards = game.library.definitions.present().skip(1);
        let requested: BTreeSet<&str> = cards
            .filter(|card| !card.part && compiled.is_requested(file_of(game, card.source)))
            .map(|card| card.name.as_str())
            .collect();
        let missing: Vec<&str> = requested.difference(&covered_names).copied().collect();
        let covered = requested.len() - missing.len();
        match format {
            MessageFormat::Json => {
                output::json_line(
                    json!({ "game": game.name, "cards": requested.len(), "cards_in_scenarios": covered, "cards_missing": missing }),
                );
            }
            MessageFormat::Human => {
                output::line(format!("{}: {covered} of {} are covered by scenarios", game.name, plural(requested.len(), "card")));
                for name in missing {
                    output::line(format!("  not covered: {name}"));
                }
            }
        }
    }
}

fn cards_of_deck(deck: &Deck) -> impl Iterator<Item = u32> + '_ {
    deck.sections.iter().flat_map(|(_, cards)| cards).map(|(_, card)| card.0)
}

fn cards_of_step(step: &ScenarioStepKind) -> Vec<u32> {
    let card = |expected: &ExpectedValue| match expected {
        ExpectedValue::Card(card) => Some(card.0),
        ExpectedValue::Value(_) => None,
    };
    match step {
        ScenarioStepKind::Act { object, .. } => object.iter().filter_map(card).collect(),
        ScenarioStepKind::ExpectList(items)
        | ScenarioStepKind::ExpectChoices { options: items, .. }
        | ScenarioStepKind::ChanceShuffle(items)
        | ScenarioStepKind::Refuse { objects: items, .. } => items.iter().filter_map(card).collect(),
        ScenarioStepKind::ExpectDeck { deck, .. } => cards_of_deck(deck).collect(),
        _ => Vec::new(),
    }
}
