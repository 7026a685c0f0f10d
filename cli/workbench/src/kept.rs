//! *Keep as scenario*: what was played from a position on, as source text.
//!
//! The text is compiled with the sources and played before it is given out. It ends where it would lead to another game.

use crate::compiled::{Games, PackCompiler};
use crate::position::{WantedPosition, position};
use crate::scenarios;
use fizzle_compiler::SourceFile;
use fizzle_runtime::game::RecordedAnswer;
use fizzle_runtime::ir::scenario::Scenario;
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
    /// Why it ends before the last answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub left_out: Option<String>,
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
    let written = ScenarioRunner::new(&begun.game).write_game(&scenario, begun.info.steps, answers)?;
    if written.answers.is_empty() {
        return Err(written.left_out.unwrap_or_else(|| "nothing was played yet".to_owned()));
    }
    let source = files.iter().find(|file| file.path == path).map_or("", |file| file.text.as_str());
    let draft = if wanted.scenario.is_some() {
        Draft::Continued {
            line: line_after(source, &scenario, begun.info.steps),
            title: scenario.title.clone(),
            steps: begun.info.steps,
        }
    } else {
        Draft::New {
            title: new_title(&games, &begun.info.card),
            format: scenario.format.clone(),
            position: written.position.clone(),
        }
    };
    let check = |lines: &[&str]| {
        let text = draft.text(lines);
        let changed = insert(source, draft.line(), &text);
        let files: Vec<SourceFile> = files
            .iter()
            .map(|file| if file.path == path { SourceFile { text: changed.clone(), ..file.clone() } } else { file.clone() })
            .collect();
        let games = PackCompiler::default().games(files).map_err(|_| "its words are not clear to the compiler".to_owned())?;
        draft.play(&games, path, lines.len()).map(|hash| (text, hash))
    };
    finish(&draft, &written, check)
}

/// Takes as much of what is written as leads to the same game.
fn finish(
    draft: &Draft,
    written: &WrittenGame,
    check: impl Fn(&[&str]) -> Result<(String, u64), String>,
) -> Result<KeptScenario, String> {
    let answers: Vec<&str> = written.answers.iter().map(String::as_str).collect();
    let expectations: Vec<&str> = written.expectations.iter().map(String::as_str).collect();
    let kept = |text: String, left_out: Option<String>| KeptScenario {
        text,
        before: draft.line(),
        title: draft.title().to_owned(),
        left_out,
    };
    let other_game = "played again, it leads to another game";
    let whole: Vec<&str> = answers.iter().chain(&expectations).copied().collect();
    let why = match check(&whole) {
        Ok((text, hash)) if hash == written.hash => return Ok(kept(text, written.left_out.clone())),
        Ok(_) => other_game.to_owned(),
        Err(why) => why,
    };
    match check(&answers) {
        Ok((text, hash)) if hash == written.hash => return Ok(kept(text, written.left_out.clone())),
        _ => {}
    }
    // Halves find the longest part that can be played.
    let (mut good, mut bad) = (0, answers.len());
    let mut best = None;
    while bad - good > 1 {
        let middle = good.midpoint(bad);
        match check(answers.get(..middle).unwrap_or_default()) {
            Ok((text, _)) => (good, best) = (middle, Some(text)),
            Err(_) => bad = middle,
        }
    }
    let text = best.ok_or_else(|| why.clone())?;
    Ok(kept(text, Some(why)))
}

/// The text in the making.
enum Draft {
    /// A new scenario, at the end of the document.
    New { title: String, format: String, position: String },
    /// Steps that are inserted into a scenario.
    Continued { line: u32, title: String, steps: usize },
}

impl Draft {
    fn title(&self) -> &str {
        match self {
            Self::New { title, .. } | Self::Continued { title, .. } => title,
        }
    }

    fn line(&self) -> Option<u32> {
        match self {
            Self::New { .. } => None,
            Self::Continued { line, .. } => Some(*line),
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

    /// Plays it up to its last line. Returns the hash of the game.
    fn play(&self, games: &Games, path: &str, lines: usize) -> Result<u64, String> {
        let none = || "its words are not clear to the compiler".to_owned();
        let (game, scenario) = scenarios::find(games, path, (self.title(), 0)).ok_or_else(none)?;
        let steps = match self {
            Self::New { .. } => scenario.steps.len(),
            Self::Continued { steps, .. } => steps + lines,
        };
        let played = ScenarioRunner::new(game).play_steps(scenario, steps).map_err(|failure| failure.message)?;
        match played.failure {
            Some(failure) => Err(failure.message),
            None => Ok(played.machine.state.board_hash(&played.machine.program)),
        }
    }
}

/// The line before which the steps of a scenario continue: that of its next step, else that of its last brace.
fn line_after(source: &str, scenario: &Scenario, steps: usize) -> u32 {
    if let Some(next) = scenario.steps.get(steps) {
        return next.source.line;
    }
    let last = scenario.steps.last().map_or(scenario.source.line, |step| step.source.line);
    let end = source.lines().enumerate().skip(last as usize).find(|(_, line)| line.starts_with('}'));
    end.map_or(last + 1, |(at, _)| at as u32 + 1)
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
    let titles =
        (1..).map(
            |number| if number == 1 { format!("{card} as it was played") } else { format!("{card} as it was played, {number}") },
        );
    titles.into_iter().find(is_new).unwrap_or_default()
}
