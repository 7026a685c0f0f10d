//! All scenarios of the user's own sources, run.

use crate::pack_compiler::source_path;
use fizzle_runtime::ir::CompiledGame;
use fizzle_runtime::ir::scenario::Scenario;
use fizzle_runtime::scenario::ScenarioRunner;
use serde::Serialize;
use std::sync::Arc;

/// The most scenarios that one request plays.
pub const MAX_PLAYED: usize = 2_000;

/// The result of a scenario.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PlayedScenario {
    /// Its title.
    pub title: String,
    /// Its file.
    pub path: String,
    /// The line at which it begins, from 1.
    pub line: u32,
    /// The lines of its steps.
    pub steps: Vec<u32>,
    /// Why it fails; `None`: it passes.
    pub failure: Option<Failure>,
}

/// The step of a scenario that fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Failure {
    /// What was expected, and what is the case instead.
    pub message: String,
    /// The line of the step, from 1.
    pub line: u32,
}

/// Plays the scenarios whose files are wanted, in the order of the source.
#[must_use]
pub fn play(games: &[Arc<CompiledGame>], is_wanted: impl Fn(&str) -> bool) -> Vec<PlayedScenario> {
    let mut played = Vec::new();
    for game in games {
        let runner = ScenarioRunner::new(game);
        let wanted = game.scenarios.iter().filter(|scenario| is_wanted(source_path(game, scenario.source.file)));
        for scenario in wanted.take(MAX_PLAYED.saturating_sub(played.len())) {
            let failure = runner.run(scenario, false).err();
            played.push(PlayedScenario {
                title: scenario.title.clone(),
                path: source_path(game, scenario.source.file).to_owned(),
                line: scenario.source.line,
                steps: scenario.steps.iter().map(|step| step.source.line).collect(),
                failure: failure.map(|failure| Failure { message: failure.message, line: failure.source.line }),
            });
        }
    }
    played
}

/// A scenario of a file by its title, and its game: of several the one that begins at the line, else the first one.
pub(crate) fn find<'g>(
    games: &'g [Arc<CompiledGame>],
    path: &str,
    (title, line): (&str, u32),
) -> Option<(&'g Arc<CompiledGame>, &'g Scenario)> {
    let all = games.iter().flat_map(|game| game.scenarios.iter().map(move |scenario| (game, scenario)));
    let is_titled = |(game, scenario): &(&Arc<CompiledGame>, &Scenario)| {
        scenario.title == title && source_path(game, scenario.source.file) == path
    };
    let titled: Vec<_> = all.filter(is_titled).collect();
    titled.iter().find(|(_, scenario)| scenario.source.line == line).or_else(|| titled.first()).copied()
}
