//! Scenarios: executable rule examples of a pack.

use crate::Pack;
use fizzle_runtime::ir::op::Source;
use fizzle_runtime::ir::{CompiledGame, scenario};
use fizzle_runtime::scenario::ScenarioRunner;
use std::fmt;

/// A scenario of a pack. A clone is cheap.
#[derive(Clone, Debug)]
pub struct Scenario {
    pack: Pack,
    /// Indices into the games of the pack, and into the scenarios of the game.
    game: usize,
    index: usize,
}

/// Why a scenario failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[error("{file}:{line}: {message}")]
pub struct ScenarioFailure {
    /// What was expected, and what is the case instead, in the words of the scenario.
    pub message: String,
    /// The file of the step that failed.
    pub file: String,
    /// The line of this step, from 1.
    pub line: u32,
}

/// The result of a scenario.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScenarioResult {
    /// Its title.
    pub title: String,
    /// Why it failed; `None` if it passed.
    pub failure: Option<ScenarioFailure>,
}

impl ScenarioResult {
    /// Whether it passed.
    #[must_use]
    pub fn passed(&self) -> bool {
        self.failure.is_none()
    }
}

impl fmt::Display for ScenarioResult {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.failure {
            None => write!(f, "passed: {}", self.title),
            Some(failure) => write!(f, "failed: {}: {failure}", self.title),
        }
    }
}

impl Scenario {
    /// The scenario of valid indices.
    pub(crate) fn new(pack: Pack, game: usize, index: usize) -> Self {
        Self { pack, game, index }
    }

    /// The number of its game in the pack.
    pub(crate) fn game(&self) -> usize {
        self.game
    }

    fn compiled_game(&self) -> &CompiledGame {
        &self.pack.games()[self.game]
    }

    fn compiled(&self) -> &scenario::Scenario {
        &self.compiled_game().scenarios[self.index]
    }

    /// Its title: what it shows.
    #[must_use]
    pub fn title(&self) -> &str {
        &self.compiled().title
    }

    /// The identifiers of the rule claims that it covers.
    #[must_use]
    pub fn claims(&self) -> &[String] {
        &self.compiled().claims
    }

    /// The name of the format that it is played under.
    #[must_use]
    pub fn format(&self) -> &str {
        &self.compiled().format
    }

    /// The file that it is in.
    #[must_use]
    pub fn file(&self) -> &str {
        self.file_of(self.compiled().source)
    }

    /// The line at which it begins, from 1.
    #[must_use]
    pub fn line(&self) -> u32 {
        self.compiled().source.line
    }

    fn file_of(&self, source: Source) -> &str {
        self.compiled_game().library.files.get(source.file as usize).map_or("", String::as_str)
    }

    /// Plays the scenario. The result is always the same. To run all of a pack, use [`Pack::run_scenarios`].
    ///
    /// # Errors
    /// [`ScenarioFailure`]: the step that failed, and why.
    pub fn run(&self) -> Result<(), ScenarioFailure> {
        self.run_with(&ScenarioRunner::new(self.compiled_game()))
    }

    fn run_with(&self, runner: &ScenarioRunner<'_>) -> Result<(), ScenarioFailure> {
        runner.run(self.compiled(), false).map_err(|failure| ScenarioFailure {
            message: failure.message,
            file: self.file_of(failure.source).to_owned(),
            line: failure.source.line,
        })
    }

    /// Plays the scenario with a runner for its game.
    pub(crate) fn result(&self, runner: &ScenarioRunner<'_>) -> ScenarioResult {
        ScenarioResult { title: self.title().to_owned(), failure: self.run_with(runner).err() }
    }
}
