//! The position of a scenario, in which a game begins.

use crate::failure::CommandError;
use crate::output;
use fizzle::files::displayed_path;
use fizzle_runtime::ir::CompiledGame;
use fizzle_workbench::position::{Position, WantedPosition, position};
use std::path::Path;
use std::sync::Arc;

/// A scenario that a command line names: `FILE:TITLE`, with the title or a part of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScenarioName<'a> {
    /// The file.
    pub file: &'a str,
    /// The title, or a part of it; empty for the only scenario of the file.
    pub title: &'a str,
}

impl<'a> ScenarioName<'a> {
    /// Splits `FILE:TITLE` behind the extension of the file, since both can contain colons.
    pub fn parse(written: &'a str) -> Self {
        let end = written.find(".fz:").map_or(written.len(), |at| at + ".fz".len());
        let (file, title) = written.split_at_checked(end).unwrap_or((written, ""));
        Self { file, title: title.strip_prefix(':').unwrap_or(title).trim() }
    }

    /// The title and the line of the scenario. If several have the words in their titles, the one of exactly this title.
    fn find(self, games: &[Arc<CompiledGame>], path: &str) -> Result<(String, u32), CommandError> {
        let of_file = |game: &Arc<CompiledGame>| {
            let is_here = |file: u32| game.library.files.get(file as usize).is_some_and(|known| known == path);
            let here = game.scenarios.iter().filter(move |scenario| is_here(scenario.source.file));
            here.map(|scenario| (scenario.title.clone(), scenario.source.line)).collect::<Vec<_>>()
        };
        let all: Vec<(String, u32)> = games.iter().flat_map(of_file).collect();
        if all.is_empty() {
            return Err(CommandError::Problem(format!("no scenario in `{}`", self.file)));
        }
        if let Some(exact) = all.iter().find(|(title, _)| title == self.title) {
            return Ok(exact.clone());
        }
        let wanted = self.title.to_lowercase();
        let fitting: Vec<&(String, u32)> = all.iter().filter(|(title, _)| title.to_lowercase().contains(&wanted)).collect();
        match fitting.as_slice() {
            [only] => Ok((*only).clone()),
            [] => Err(CommandError::unknown_name("scenario", self.title, all.iter().map(|(title, _)| title.as_str()))),
            several => {
                let titles: Vec<&str> = several.iter().map(|(title, _)| title.as_str()).take(MAX_TITLES_LISTED).collect();
                let more = if several.len() > titles.len() { ", …" } else { "" };
                let message = format!("{} scenarios in `{}` fit `{}`", several.len(), self.file, self.title);
                Err(CommandError::Usage { message, help: Some(format!("name one of: {}{more}", titles.join(", "))) })
            }
        }
    }

    /// The position of the scenario after its first steps: none, or with `all` up to the one that fails.
    ///
    /// # Errors
    /// There is no such scenario, or it cannot be started.
    pub fn position(self, games: &[Arc<CompiledGame>], steps: Steps) -> Result<Position, CommandError> {
        let path = displayed_path(Path::new(self.file.strip_prefix("./").unwrap_or(self.file)));
        let (title, line) = self.find(games, &path)?;
        let wanted = WantedPosition {
            format: None,
            stage: None,
            entries: None,
            card: None,
            scenario: Some(title),
            steps: if let Steps::First(count) = steps { Some(count) } else { None },
        };
        position(games, &path, line, &wanted).map_err(CommandError::Problem)
    }
}

/// The most titles that are listed if several fit.
const MAX_TITLES_LISTED: usize = 12;

/// The steps of a scenario that are played before a person plays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Steps {
    /// Its first steps.
    First(usize),
    /// All, up to the one that fails.
    All,
}

impl std::str::FromStr for Steps {
    type Err = String;

    fn from_str(written: &str) -> Result<Self, String> {
        match written {
            "all" => Ok(Self::All),
            number => number.parse().map(Self::First).map_err(|_| "write a number of steps, or `all`".to_owned()),
        }
    }
}

/// Prints which scenario the game begins in.
pub fn print_title(position: &Position) {
    let info = &position.info;
    let steps = match (info.steps, info.lines.len()) {
        (0, _) => String::new(),
        (played, all) => format!(", after {played} of {all} steps"),
    };
    output::line(format!("{}{steps}", info.title));
    if let Some(failure) = &info.failure {
        output::note(format!("note: the scenario fails in line {}: {}", failure.line, failure.message));
    }
}

#[cfg(test)]
mod tests {
    use super::{ScenarioName, Steps};

    #[test]
    fn a_file_and_a_title_can_contain_colons() {
        let parsed = |written: &'static str| {
            let name = ScenarioName::parse(written);
            (name.file, name.title)
        };
        assert_eq!(parsed("a/b.fz:one: two"), ("a/b.fz", "one: two"));
        assert_eq!(parsed("C:\\a.fz: one"), ("C:\\a.fz", "one"));
        assert_eq!(parsed("a.fz"), ("a.fz", ""));
    }

    #[test]
    fn steps_are_a_number_or_all() {
        assert_eq!(("3".parse(), "all".parse()), (Ok(Steps::First(3)), Ok(Steps::All)));
        assert!("-1".parse::<Steps>().is_err());
    }
}
