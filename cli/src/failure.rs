//! How the program ends: the exit status of the contract, and what is said when a command cannot go on.

use std::fmt::{Display, Formatter, Result};

/// The exit status.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ExitStatus {
    /// All well.
    Success = 0,
    /// The sources, tests or decks have problems.
    Problems = 1,
    /// Wrong usage.
    Usage = 2,
    /// A defect of fizzle itself.
    Defect = 3,
    /// Ended by Ctrl-C, as shells count it, or asked to end; what was finished is kept.
    Interrupted = 130,
}

/// Why a command stops.
#[derive(Debug)]
pub enum CommandError {
    /// What was given has problems: sources, decks, traces.
    Problem(String),
    /// As [`CommandError::Problem`]; everything was said already.
    AlreadyReported,
    /// The command was given something that does not exist or does not fit.
    Usage {
        /// What is wrong: lowercase, no final period.
        message: String,
        /// A way out.
        help: Option<String>,
    },
    /// Something happened that never should.
    Defect(String),
}

impl CommandError {
    /// Wrong usage without a hint.
    pub fn usage(message: impl Into<String>) -> Self {
        Self::Usage { message: message.into(), help: None }
    }

    /// A name that is not among those that exist.
    pub fn unknown<'n>(what: &str, name: &str, names: impl IntoIterator<Item = &'n str> + Clone) -> Self {
        let close = fizzle_compiler::diagnostics::closest(name, names.clone()).map(|n| format!("did you mean `{n}`?"));
        let mut all: Vec<&str> = names.into_iter().collect();
        all.dedup();
        let help = close.or_else(|| (!all.is_empty() && all.len() <= 24).then(|| format!("there are: {}", all.join(", "))));
        Self::Usage { message: format!("there is no {what} `{name}`"), help }
    }

    /// With another way out.
    #[must_use]
    pub fn instead(self, way: String) -> Self {
        match self {
            Self::Usage { message, .. } => Self::Usage { message, help: Some(way) },
            other => other,
        }
    }

    /// The exit status it leads to.
    pub fn status(&self) -> ExitStatus {
        match self {
            Self::Problem(_) | Self::AlreadyReported => ExitStatus::Problems,
            Self::Usage { .. } => ExitStatus::Usage,
            Self::Defect(_) => ExitStatus::Defect,
        }
    }

    /// The way out, if one is known.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Usage { help, .. } => help.as_deref(),
            _ => None,
        }
    }
}

impl Display for CommandError {
    fn fmt(&self, f: &mut Formatter<'_>) -> Result {
        match self {
            Self::Problem(message) | Self::Usage { message, .. } => f.write_str(message),
            Self::Defect(message) => write!(f, "fizzle found a defect in itself: {message}"),
            Self::AlreadyReported => Ok(()),
        }
    }
}
