//! *Keep as scenario*: writes what was played from a position on as source text.
//!
//! The text is compiled with the sources and played before it is given out. It ends before the first line that leads to another game.

use crate::pack_compiler::{Games, PackCompiler};
use crate::position::{WantedPosition, position};
use crate::scenarios;
use fizzle_compiler::SourceFile;
use fizzle_runtime::game::RecordedAnswer;
use fizzle_runtime::ir::scenario::{Scenario, ScenarioStepKind};
use fizzle_runtime::scenario::{ScenarioRunner, WrittenGame};
use serde::Serialize;

/// What was played, for the document that the position is from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct KeptScenario {
    /// The lines to insert.
    pub text: String,
    /// Before this line, from 1; `None`: at the end of the document.
    pub before: Option<u32>,
    /// The title of the scenario.
    pub title: String,
    /// The number of steps of the scenario up to the last inserted one.
    pub steps: usize,
    /// Why it ends before the last answer, or which later step of the scenario does not hold any more.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
    /// The number of expectations at its end.
    pub expects: usize,
}

/// Writes what was played from the position that is wanted of the card or scenario at a place.
///
/// # Errors
/// In words: there is no such position, it cannot be written, or nothing was played that can be.
pub fn keep(
    compiler: &PackCompiler,
    files: &[SourceFile],
    (path, line): (&str, u32),
    wanted: &WantedPosition,
    answers: &[RecordedAnswer],
) -> Result<KeptScenario, String> {
    let games = compiler.games(files.to_vec()).map_err(|_| "the sources have errors".to_owned())?;
    let begun = position(&games, path, line, wanted)?;
    let scenario = begun
        .scenario
        .ok_or("a game that begins with decks cannot be kept: write a `stage` for this kind of card, and try it there")?;
    let source = files.iter().find(|file| file.path == path).map_or("", |file| file.text.as_str());
    let continued = wanted.scenario.as_ref().map(|_| steps_played(&scenario, begun.info.steps));
    let written = ScenarioRunner::new(&begun.game).write_game(&scenario, continued, answers)?;
    if written.answers.is_empty() {
        return Err(written.left_out.unwrap_or_else(|| "nothing was played yet".to_owned()));
    }
    let draft = match continued {
        Some(steps) => {
            let (title, at) = (scenario.title.clone(), scenario.source.line);
            Draft::Continued { before: line_after(source, &scenario, steps)?, title, at, steps }
        }
        None => Draft::New {
            title: new_title(&games, &begun.info.card),
            format: scenario.format.clone(),
            position: written.position.clone(),
        },
    };
    let play = |lines: &[&str]| {
        let text = draft.text(lines);
        let changed = insert(source, draft.before(), &text);
        let with_text = |file: &SourceFile| {
            if file.path == path { SourceFile { text: changed.clone(), ..file.clone() } } else { file.clone() }
        };
        let games = PackCompiler::default().games(files.iter().map(with_text).collect());
        let games = games.map_err(|_| "the compiler does not understand it".to_owned())?;
        draft.play(&games, path, text, lines.len())
    };
    longest_that_holds(&written, play).map(|(played, expects, left_out)| KeptScenario {
        expects,
        text: played.text,
        before: draft.before(),
        title: draft.title().to_owned(),
        steps: played.steps,
        left_out: left_out.or(played.later_failure),
    })
}

/// A text that was played.
struct Played {
    text: String,
    /// The number of steps up to its last line.
    steps: usize,
    /// The hash of the board then.
    hash: u64,
    /// Why the rest of the scenario fails.
    later_failure: Option<String>,
}

/// Takes as much of what is written as leads to the same game. Returns the number of expectations, and why it is not all.
fn longest_that_holds(
    written: &WrittenGame,
    play: impl Fn(&[&str]) -> Result<Played, String>,
) -> Result<(Played, usize, Option<String>), String> {
    let answers: Vec<&str> = written.answers.iter().map(String::as_str).collect();
    let expectations: Vec<&str> = written.expectations.iter().map(String::as_str).collect();
    // The first lines, if they lead to the board that they led to.
    let try_first = |count: usize, further: &[&str]| {
        let lines: Vec<&str> = answers.iter().take(count).chain(further).copied().collect();
        let played = play(&lines)?;
        let wanted = count.checked_sub(1).and_then(|last| written.hashes.get(last));
        if wanted == Some(&played.hash) { Ok(played) } else { Err("played again, it leads to another game".to_owned()) }
    };
    let why = match try_first(answers.len(), &expectations) {
        Ok(played) => return Ok((played, expectations.len(), written.left_out.clone())),
        Err(why) => why,
    };
    if let Ok(played) = try_first(answers.len(), &[]) {
        // An expectation that cannot be written so is left out without the others.
        let holds = |line: &&str| try_first(answers.len(), &[line]).is_ok();
        let held: Vec<&str> = expectations.into_iter().filter(holds).collect();
        let (played, expects) = try_first(answers.len(), &held).map_or((played, 0), |played| (played, held.len()));
        let left_out = format!(
            "{} of {} expectations are left out: {why}",
            written.expectations.len() - expects,
            written.expectations.len()
        );
        return Ok((played, expects, written.left_out.clone().or(Some(left_out))));
    }
    // Halving finds the last line that holds.
    let (mut good, mut bad, mut longest) = (0, answers.len(), Err(why.clone()));
    while bad - good > 1 {
        let middle = good.midpoint(bad);
        match try_first(middle, &[]) {
            Ok(played) => (good, longest) = (middle, Ok(played)),
            Err(_) => bad = middle,
        }
    }
    longest.map(|played| (played, 0, Some(why)))
}

/// The text in the making.
enum Draft {
    /// A new scenario, at the end of the document.
    New { title: String, format: String, position: String },
    /// Steps that are inserted into the scenario that begins at a line, after some of its steps.
    Continued { before: u32, title: String, at: u32, steps: usize },
}

impl Draft {
    fn title(&self) -> &str {
        match self {
            Self::New { title, .. } | Self::Continued { title, .. } => title,
        }
    }

    fn before(&self) -> Option<u32> {
        match self {
            Self::New { .. } => None,
            Self::Continued { before, .. } => Some(*before),
        }
    }

    fn text(&self, lines: &[&str]) -> String {
        let steps: String = lines.iter().map(|line| format!("  {line}\n")).collect();
        match self {
            Self::New { title, format, position } => {
                format!("\nscenario \"{title}\" {{\n  format {format}\n{position}{steps}}}\n")
            }
            Self::Continued { .. } => steps,
        }
    }

    /// Plays it up to its last line, and then the rest of the scenario.
    fn play(&self, games: &Games, path: &str, text: String, lines: usize) -> Result<Played, String> {
        let at = if let Self::Continued { at, .. } = self { *at } else { 0 };
        let (game, scenario) = scenarios::find(games, path, (self.title(), at)).ok_or("the scenario is not found again")?;
        let steps = match self {
            Self::New { .. } => scenario.steps.len(),
            Self::Continued { steps, .. } => steps + lines,
        };
        if steps > scenario.steps.len() {
            return Err("the end of the scenario is not found: put its last brace on a separate line".to_owned());
        }
        let runner = ScenarioRunner::new(game);
        let played = runner.play_steps(scenario, steps).map_err(|failure| failure.message)?;
        if let Some(failure) = played.failure {
            return Err(failure.message);
        }
        let later_failure = if steps < scenario.steps.len() {
            let failure = runner.run(scenario, false).err();
            failure.map(|failure| format!("line {} does not hold any more: {}", failure.source.line, failure.message))
        } else {
            None
        };
        let hash = played.machine.state.board_hash(&played.machine.program);
        Ok(Played { text, steps, hash, later_failure })
    }
}

/// The number of steps after which what was played continues. Where the scenario starts is no step that can be played.
fn steps_played(scenario: &Scenario, steps: usize) -> usize {
    let start = scenario.steps.iter().position(|step| matches!(step.kind, ScenarioStepKind::Start { .. }));
    steps.max(start.map_or(0, |start| start + 1))
}

/// The line before which the steps of a scenario continue: that of its next step, else that of its last brace.
fn line_after(source: &str, scenario: &Scenario, steps: usize) -> Result<u32, String> {
    let last =
        steps.checked_sub(1).and_then(|last| scenario.steps.get(last)).map_or(scenario.source.line, |step| step.source.line);
    if let Some(next) = scenario.steps.get(steps) {
        let is_alone = next.source.line > last;
        return is_alone
            .then_some(next.source.line)
            .ok_or_else(|| format!("put the steps of line {last} on separate lines first"));
    }
    let rest = source.lines().enumerate().skip(last as usize);
    let end = rest.map(|(at, line)| (at as u32 + 1, line.trim())).find(|(_, line)| line.contains(['{', '}']));
    match end {
        Some((at, "}")) => Ok(at),
        _ => Err("put the last brace of the scenario on a separate line first".to_owned()),
    }
}

/// A source with lines before a line, or at its end.
fn insert(source: &str, before: Option<u32>, text: &str) -> String {
    let Some(before) = before else {
        let gap = if source.is_empty() || source.ends_with('\n') { "" } else { "\n" };
        return format!("{source}{gap}{text}");
    };
    let at = source.split_inclusive('\n').take(before.saturating_sub(1) as usize).map(str::len).sum::<usize>();
    let (head, tail) = source.split_at_checked(at).unwrap_or((source, ""));
    format!("{head}{text}{tail}")
}

/// A title that no scenario has yet.
fn new_title(games: &Games, card: &str) -> String {
    let card: String = card.chars().filter(|c| *c != '"').collect();
    let is_new = |title: &String| games.iter().all(|game| game.scenarios.iter().all(|known| known.title != *title));
    let first = format!("{card} as it was played");
    let others = (2..).map(|number| format!("{first}, {number}"));
    std::iter::once(first.clone()).chain(others).find(is_new).unwrap_or_default()
}
